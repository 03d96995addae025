const use = require('./browser.cjs'), {far} = use;

use('slickgrid', async page => {
  const wanted = page.getByText('Task 300', {exact: true});
  await far(page, page.locator('.slick-viewport').first(), wanted);
  await page.getByText('600', {exact: true}).waitFor();
});
