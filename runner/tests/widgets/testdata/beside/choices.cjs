require('./browser.cjs')('choices', async page => {
  await page.locator('.choices').first().click();
  await page.keyboard.type('ban');
  await page.locator('.choices__item--choice', {hasText: 'Banana'}).click();
  await page.locator('.choices__list--single', {hasText: 'Banana'}).waitFor();
  await page.getByLabel('Remove item: Red').click();
  await page.locator('.choices__list--multiple .choices__item', {hasText: 'Red'}).waitFor({state: 'hidden'});
});
