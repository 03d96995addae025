const use = require('./browser.cjs'), {far} = use;

use('virtual', async page => {
  const mail = page.getByText('Mail 600', {exact: true}), chat = page.getByText('Chat 400', {exact: true});
  await far(page, page.locator('#mails'), mail);
  await mail.click();
  await far(page, page.locator('#chats'), chat);
  await chat.click();
});
