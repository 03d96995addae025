const {test, expect} = require('@playwright/test');
const bare = require('./bare');
let n = 0;

// step performs an action and takes a screenshot afterwards, as Taproot does for each step.
async function step(page, what) {
  await what();
  await page.screenshot({path: bare.screenshot(++n) || test.info().outputPath(`${n}.png`)});
}
module.exports = {test: bare.test || test, expect, step};
