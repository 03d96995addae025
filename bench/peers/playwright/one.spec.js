const {test, step} = require('./steps');

test('one', async ({page}) => {
  await step(page, () => page.goto('/form.html'));
});
