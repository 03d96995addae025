// playwright-go starts Playwright's cli.js twice, first to read its version, and that file loads all of Playwright's
// commands each time. This file prints the version of the package, and loads only what drives browsers.
const core = '{{core}}', command = process.argv[2];
if (command === '--version') {
  console.log('Version ' + require(core + '/package.json').version);
} else {
  const { enableCompileCache } = require('module');
  try {
    if (enableCompileCache)
      enableCompileCache(require('path').join(__dirname, 'compiled'));
    else
      require('./compiled.js').install(core);
  } catch {} // it is compiled again
  if (command === 'run-driver') {
    ownFolder('{{prefix}}' + process.pid);
    const driver = require(core + '/lib/cli/driver.js');
    try {
      require('./recording.js').install(core);
    } catch {} // another version of Playwright uses its own recorder
    if (require('fs').existsSync(core + '/lib/server/bidi'))
      require('./bidi.js').late(core);
    // The driver ends when its parent closes the standard input. Signals to all processes of a run must not end it
    // before its browsers, since no process would end them then: Firefox continues without it.
    for (const signal of ['SIGTERM', 'SIGHUP'])
      process.on(signal, () => {});
    driver.runDriver();
  } else require(core + '/cli.js');
}

// ownFolder makes Playwright put the profiles of browsers and their files into a temporary folder of this process,
// which is removed at its end. Programs that it starts use the usual temporary folder. If the folder cannot be made,
// Playwright uses the usual one, too.
function ownFolder(name) {
  const fs = require('fs'), os = require('os'), path = require('path').join(os.tmpdir(), name);
  const remove = () => fs.rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  try {
    remove(); // left by a killed process with the same number
    fs.mkdirSync(path, { mode: 0o700 });
  } catch { return; }
  os.tmpdir = () => path;
  process.on('exit', () => { try { remove(); } catch {} }); // a browser may write until it has ended
}
