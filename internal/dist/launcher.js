#!/usr/bin/env node
// Starts the program of the package for this platform, and ends as it ends.
'use strict';

const { spawn } = require('node:child_process');

const name = `@taproot-dev/taproot-${process.platform}-${process.arch}`;
const exe = process.platform === 'win32' ? 'taproot.exe' : 'taproot';

let program = process.env.TAPROOT_BINARY;
if (!program) {
  try {
    program = require.resolve(`${name}/bin/${exe}`);
  } catch {
    console.error(`taproot: the package ${name} is not installed.\n` +
      'It is an optional dependency: install again without --omit=optional or --no-optional. If there is no such\n' +
      'package for this platform, build Taproot from its source and set TAPROOT_BINARY to the program.');
    process.exit(1);
  }
}

const child = spawn(program, process.argv.slice(2), { stdio: 'inherit' });
// A terminal sends Ctrl-C to both processes. The program ends by itself, and this one after it.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) {
  process.on(signal, () => child.kill(signal));
}
child.on('error', (error) => {
  console.error(`taproot: ${program} cannot be started: ${error.message}`);
  process.exit(1);
});
child.on('exit', (code, signal) => {
  if (!signal) {
    process.exit(code);
  }
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
