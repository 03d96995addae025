// playwright-go starts Playwright's cli.js twice, first to ask for its version, and that file loads all of Playwright's commands each
// time. This one answers the question from the package, and loads what drives browsers alone.
const core = '{{core}}', command = process.argv[2];
if (command === '--version') {
  console.log('Version ' + require(core + '/package.json').version);
} else {
  require('module').enableCompileCache?.();
  if (command === 'run-driver') {
    const driver = require(core + '/lib/cli/driver.js');
    try {
      require('./film.js').install(core);
    } catch {} // another Playwright films as it does
    if (require('fs').existsSync(core + '/lib/server/bidi'))
      require('./bidi.js').late(core);
    // It ends with the standard input of whoever started it. Signals that go to all processes of a run would end it before its browsers,
    // which nobody would end then: Firefox goes on without it.
    for (const signal of ['SIGTERM', 'SIGHUP'])
      process.on(signal, () => {});
    driver.runDriver();
  } else require(core + '/cli.js');
}
