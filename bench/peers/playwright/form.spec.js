const {test, expect, step} = require('./steps');

test('form', async ({page}) => {
  await step(page, () => page.goto('/form.html'));
  await step(page, () => page.getByLabel('First name').click());
  await step(page, () => page.keyboard.type('Ada'));
  await step(page, () => page.getByLabel('Last name').click());
  await step(page, () => page.keyboard.type('Lovelace'));
  await step(page, () => page.getByLabel('E-mail').click());
  await step(page, () => page.keyboard.type('ada@example.com'));
  await step(page, () => page.getByLabel('Family').click());
  await step(page, () => expect(page.getByLabel('Family')).toBeChecked());
  await step(page, () => page.getByLabel('Send me news').click());
  await step(page, () => expect(page.getByLabel('Send me news')).toBeChecked());
  await step(page, () => page.getByLabel('Remarks').click());
  await step(page, () => page.keyboard.type('None so far'));
  await step(page, () => page.getByRole('button', {name: 'Register'}).click());
  await step(page, () => expect(page.getByText('Welcome, Ada Lovelace, Family')).toBeVisible());
});
