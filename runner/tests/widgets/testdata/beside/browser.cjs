// The whole of a script of plain Playwright: a browser, a page, what is done there, the end.
const {chromium} = require(process.env.BESIDE_PLAYWRIGHT);

module.exports = async (name, use) => {
  const browser = await chromium.launch({executablePath: process.env.BESIDE_CHROMIUM, chromiumSandbox: process.env.BESIDE_SANDBOX === 'true'});
  try {
    const page = await browser.newPage({viewport: {width: 1280, height: 720}});
    await page.goto(`${process.env.SITE}/pages/${name}?run=theirs`);
    await use(page);
  } catch (err) {
    console.error(err);
    process.exitCode = 1;
  } finally {
    await browser.close();
  }
};

// far turns the wheel over a box until an element is in view.
module.exports.far = async (page, box, wanted) => {
  const at = await box.boundingBox();
  await page.mouse.move(at.x + at.width / 2, at.y + at.height / 2);
  while (!(await wanted.isVisible())) {
    await page.mouse.wheel(0, at.height * 0.8);
    await page.waitForTimeout(50);
  }
  await wanted.scrollIntoViewIfNeeded();
};
