require('./browser.cjs')('flatpickr', async page => {
  await page.getByLabel('Departure').click();
  await page.getByLabel('May 14, 2024').click();
  await page.waitForFunction(() => document.querySelector('#a').value === '2024-05-14');
  await page.getByLabel('Arrival').click();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('2024-06-09');
  await page.keyboard.press('Enter');
  await page.waitForFunction(() => document.querySelector('#b').value === '2024-06-09');
});
