// playwright-go starts Playwright's cli.js twice, first to ask for its version, and that file loads all of Playwright's
// commands each time. This one answers the question from the package, and loads what drives browsers alone.
const core = '{{core}}', command = process.argv[2];
if (command === '--version') {
  console.log('Version ' + require(core + '/package.json').version);
} else {
  const { enableCompileCache } = require('module');
  try {
    enableCompileCache ? enableCompileCache() : require('./compiled.js').install(core);
  } catch {} // it is compiled anew, then
  if (command === 'run-driver') {
    ownFolder('{{prefix}}' + process.pid);
    const driver = require(core + '/lib/cli/driver.js');
    try {
      require('./film.js').install(core);
    } catch {} // another Playwright films as it does
    if (require('fs').existsSync(core + '/lib/server/bidi'))
      require('./bidi.js').late(core);
    // It ends with the standard input of whoever started it. Signals that go to all processes of a run would end it
    // before its browsers, which nobody would end then: Firefox goes on without it.
    for (const signal of ['SIGTERM', 'SIGHUP'])
      process.on(signal, () => {});
    driver.runDriver();
  } else require(core + '/cli.js');
}

// ownFolder has Playwright make the profiles of browsers, and what it keeps for them, in a folder of this process
// alone, which goes with it; programs that it starts keep theirs. Where it cannot be made, they are made beside those
// of others.
function ownFolder(name) {
  const fs = require('fs'), os = require('os'), path = require('path').join(os.tmpdir(), name);
  const remove = () => fs.rmSync(path, { recursive: true, force: true, maxRetries: 3 });
  try {
    remove(); // of a process that was killed, and had the same number
    fs.mkdirSync(path, { mode: 0o700 });
  } catch { return; }
  os.tmpdir = () => path;
  process.on('exit', () => { try { remove(); } catch {} }); // a browser that ends may write until then
}
