// node bare.js FLOW runs a flow without a runner and without reports, to measure Node, Playwright and the browser
// alone.
const path = require('path');
const flow = require.main === module ? process.argv[2] : '';

if (flow) {
  const {chromium} = require('@playwright/test');
  module.exports = {
    screenshot: n => path.join(process.env.PEERS_OUTPUT, `${n}.png`),
    test: async (name, run) => {
      const browser = await chromium.launch({
        executablePath: process.env.PEERS_CHROMIUM,
        chromiumSandbox: process.env.PEERS_SANDBOX === 'true',
      });
      const page = await browser.newPage({baseURL: process.env.SITE, viewport: {width: 1280, height: 720}});
      await run({page});
      await browser.close();
    },
  };
  require(`./${flow}.spec.js`);
} else {
  module.exports = {screenshot: () => ''};
}
