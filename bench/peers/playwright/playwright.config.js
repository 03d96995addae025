const {defineConfig} = require('@playwright/test');

module.exports = defineConfig({
  testDir: __dirname,
  testMatch: process.env.PEERS_FLOWS.split(',').map(name => `${name}.spec.js`),
  outputDir: process.env.PEERS_OUTPUT,
  workers: +process.env.PEERS_WORKERS,
  fullyParallel: true,
  repeatEach: +process.env.PEERS_REPEAT,
  reporter: [['html', {open: 'never', outputFolder: process.env.PEERS_REPORT}], ['line']],
  use: {
    baseURL: process.env.SITE,
    viewport: {width: 1280, height: 720},
    trace: process.env.PEERS_TRACE ? 'on' : 'off',
    video: process.env.PEERS_TRACE ? 'on' : 'off',
    ...(process.env.PEERS_FIREFOX ? {
      browserName: 'firefox',
      channel: 'moz-firefox',
      launchOptions: {executablePath: process.env.PEERS_FIREFOX},
    } : {
      launchOptions: {
        executablePath: process.env.PEERS_CHROMIUM,
        chromiumSandbox: process.env.PEERS_SANDBOX === 'true',
      },
    }),
  },
});
