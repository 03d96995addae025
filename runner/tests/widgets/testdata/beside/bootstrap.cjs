require('./browser.cjs')('bootstrap', async page => {
  await page.getByLabel('Newsletter').check();
  await page.getByRole('button', {name: 'Actions'}).click();
  await page.getByRole('link', {name: 'Archive'}).click();
  await page.getByRole('button', {name: 'Open dialog'}).click();
  await page.getByRole('button', {name: 'Confirm'}).click();
  await page.getByText('Are you sure?').waitFor({state: 'hidden'});
  await page.getByLabel('Email address').click();
  await page.keyboard.type('ada@example.com');
  await page.waitForFunction(() => document.querySelector('#e').value === 'ada@example.com');
});
