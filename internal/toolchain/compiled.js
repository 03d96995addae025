// Node before 22.8 compiles Playwright's 260 files again at each start, which takes a third of its time. This module
// caches V8's compiled code next to this file, as later versions of Node do (module.enableCompileCache). A cached entry
// is used only for the same file and the same version of V8.
const Module = require('module'), crypto = require('crypto'), fs = require('fs'), path = require('path');
const vm = require('vm');

exports.install = (core) => {
  const file = path.join(__dirname, 'compiled.bin'), kept = read(file), used = new Map();
  const compile = Module.prototype._compile;
  let fresh = false;
  Module.prototype._compile = function (text, name, kind, ...rest) {
    const inside = path.relative(core, name);
    const outside = inside.startsWith('..') || path.isAbsolute(inside);
    // Node compiles modules with import() and those that start with a shebang line.
    if (outside || ![undefined, false, 'commonjs'].includes(kind) || text.startsWith('#!') ||
        /\bimport\s*\(/.test(text))
      return compile.call(this, text, name, kind, ...rest);
    const stamp = fs.statSync(name).mtimeMs, old = kept.get(inside);
    const cachedData = old?.stamp === stamp ? old.data : undefined;
    const script = new vm.Script(Module.wrap(text), { filename: name, cachedData });
    if (script.cachedDataRejected !== false)
      fresh = true;
    used.set(inside, { stamp, script });
    const run = script.runInThisContext();
    return run.call(this.exports, this.exports, requireOf(this), this, name, path.dirname(name));
  };
  process.on('exit', () => {
    if (fresh)
      try { write(file, used); } catch {} // the next start compiles again
  });
};

// requireOf returns the function that a module uses as require.
function requireOf(module) {
  const require = (id) => module.require(id);
  require.resolve = (id, options) => Module._resolveFilename(id, module, false, options);
  require.resolve.paths = (id) => Module._resolveLookupPaths(id, module);
  return Object.assign(require, { main: process.mainModule, extensions: Module._extensions, cache: Module._cache });
}

// The file contains the SHA-1 of all that follows, the length of a list, the list as JSON (names, modification times,
// lengths), and the compiled code of each.
function read(file) {
  const kept = new Map();
  try {
    const all = fs.readFileSync(file), body = all.subarray(20);
    if (!crypto.createHash('sha1').update(body).digest().equals(all.subarray(0, 20)))
      return kept;
    let at = 4 + body.readUInt32LE(0);
    for (const [name, stamp, length] of JSON.parse(body.toString('utf8', 4, at))) {
      kept.set(name, { stamp, data: body.subarray(at, at + length) });
      at += length;
    }
  } catch {} // there is no cache yet
  return kept;
}

function write(file, used) {
  const list = [], parts = [];
  for (const [name, { stamp, script }] of used) {
    const data = script.createCachedData();
    list.push([name, stamp, data.length]);
    parts.push(data);
  }
  const names = Buffer.from(JSON.stringify(list)), length = Buffer.alloc(4);
  length.writeUInt32LE(names.length);
  const body = Buffer.concat([length, names, ...parts]), aside = file + '.' + process.pid;
  fs.writeFileSync(aside, Buffer.concat([crypto.createHash('sha1').update(body).digest(), body]), { mode: 0o600 });
  fs.renameSync(aside, file);
}
