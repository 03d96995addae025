require('./browser.cjs')('quill', async page => {
  await page.getByRole('textbox', {name: 'Message'}).click();
  await page.keyboard.type('Hello there');
  await page.getByText('Hello there', {exact: true}).waitFor();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('new');
  await page.getByText('new', {exact: true}).waitFor();
});
