const use = require('./browser.cjs'), {far} = use;

use('tabulator', async page => {
  const wanted = page.getByText('Part 321', {exact: true});
  await far(page, page.locator('.tabulator-tableholder'), wanted);
  await wanted.click();
});
