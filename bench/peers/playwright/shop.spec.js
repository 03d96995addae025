const {test, expect, step} = require('./steps');

test('shop', async ({page}) => {
  const see = text => expect(page.getByText(text, {exact: true})).toBeVisible();
  const press = name => page.getByRole('button', {name, exact: true}).click();
  await step(page, () => page.goto('/shop.html'));
  await step(page, () => see('Garden shop'));
  await step(page, () => press('Add Spade'));
  await step(page, () => see('1 items'));
  await step(page, () => press('Add Rake'));
  await step(page, () => see('2 items'));
  await step(page, () => page.getByLabel('Search').click());
  await step(page, () => page.keyboard.type('glo'));
  await step(page, () => expect(page.getByText('Add Hose')).toBeHidden());
  await step(page, () => press('Add Gloves'));
  await step(page, () => see('3 items'));
  await step(page, () => press('Basket'));
  await step(page, () => see('Your basket'));
  await step(page, () => see('Total 40 €'));
  await step(page, () => page.getByLabel('Voucher').click());
  await step(page, () => page.keyboard.type('SPRING'));
  await step(page, () => press('Apply'));
  await step(page, () => see('Total 35 €'));
  await step(page, () => page.getByLabel('I agree to the terms').click());
  await step(page, () => press('Order'));
  await step(page, () => see('Thank you, Post comes'));
});
