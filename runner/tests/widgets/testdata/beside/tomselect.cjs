require('./browser.cjs')('tomselect', async page => {
  await page.getByRole('combobox', {name: 'Country'}).click();
  await page.locator('.option', {hasText: 'Chile'}).click();
  await page.locator('.item', {hasText: 'Chile'}).waitFor();
  await page.getByRole('combobox', {name: 'Tags'}).click();
  await page.keyboard.type('urgent');
  await page.keyboard.press('Enter');
  await page.locator('.item', {hasText: 'urgent'}).waitFor();
});
