const {test, expect} = require('@playwright/test');
const bare = require('./bare');
let n = 0;

// step does something, and takes a picture of what came of it, as Taproot does of each step.
async function step(page, what) {
  await what();
  await page.screenshot({path: bare.picture(++n) || test.info().outputPath(`${n}.png`)});
}
module.exports = {test: bare.test || test, expect, step};
