require('./browser.cjs')('reactselect', async page => {
  await page.getByLabel('Colour').click();
  await page.getByRole('option', {name: 'Green'}).click();
  await page.getByText('Green', {exact: true}).waitFor();
  await page.getByLabel('Sizes').click();
  await page.getByRole('option', {name: 'Small'}).click();
  await page.getByLabel('Sizes').click();
  await page.getByRole('option', {name: 'Large'}).click();
  await page.getByText('Small', {exact: true}).waitFor();
  await page.getByText('Large', {exact: true}).waitFor();
});
