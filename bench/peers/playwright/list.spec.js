const {test, expect, step} = require('./steps');

test('list', async ({page}) => {
  await step(page, () => page.goto('/list.html'));
  await step(page, async () => {
    const wanted = page.getByRole('button', {name: 'Open order 140', exact: true});
    while (!(await wanted.isVisible())) {
      await page.mouse.move(640, 360);
      await page.mouse.wheel(0, 600);
      await page.waitForTimeout(50);
    }
    await wanted.scrollIntoViewIfNeeded();
  });
  await step(page, () => page.getByRole('button', {name: 'Open order 140', exact: true}).click());
  await step(page, () => expect(page.getByText('This is order 140')).toBeVisible());
});
