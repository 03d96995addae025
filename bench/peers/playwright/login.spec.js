const {test, expect, step} = require('./steps');

test('login', async ({page}) => {
  await step(page, () => page.goto('/login.html'));
  await step(page, () => page.getByLabel('E-mail').click());
  await step(page, () => page.keyboard.type('ada'));
  await step(page, () => page.getByLabel('Password').click());
  await step(page, () => page.keyboard.type('wrong'));
  await step(page, () => page.getByRole('button', {name: 'Sign in'}).click());
  await step(page, () => expect(page.getByText('Wrong password')).toBeVisible());
  await step(page, () => page.getByLabel('Password').click());
  await step(page, async () => { for (let i = 0; i < 5; i++) await page.keyboard.press('Backspace'); });
  await step(page, () => page.keyboard.type('enigma'));
  await step(page, () => page.getByRole('button', {name: 'Sign in'}).click());
  await step(page, () => expect(page.getByText('Welcome, ada')).toBeVisible());
  await step(page, () => page.getByRole('button', {name: 'Sign out'}).click());
  await step(page, () => expect(page.getByLabel('E-mail')).toBeVisible());
});
