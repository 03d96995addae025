require('./browser.cjs')('select2', async page => {
  await page.getByText('Pick a city').click();
  await page.getByRole('option', {name: 'Bern'}).click();
  await page.locator('.select2-selection__rendered', {hasText: 'Bern'}).waitFor();
  await page.locator('.select2-selection').click();
  await page.keyboard.type('bas');
  await page.getByRole('option', {name: 'Basel'}).click();
  await page.locator('.select2-selection__rendered', {hasText: 'Basel'}).waitFor();
});
