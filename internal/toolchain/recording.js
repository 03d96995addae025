// Playwright records a page by repeating its frames at 25 per second and encoding them while the page is tested, which
// takes as much processor time as the page. This module stores each frame once, with its time, as the JPEG from
// Chromium, in a Matroska file. The video is encoded from it once, after the page is closed, and without the
// repetitions.
const fs = require('fs');

const slot = 40; // milliseconds for each frame at most, as in Playwright
const much = 512 << 20; // bytes, after which one frame per second is stored

const element = (id, ...parts) => {
  const size = Buffer.alloc(8);
  const body = Buffer.concat(parts);
  size.writeBigUInt64BE(BigInt(body.length) | 1n << 56n);
  return Buffer.concat([Buffer.from(id, 'hex'), size, body]);
};
const number = n => {
  const b = Buffer.alloc(8);
  b.writeBigUInt64BE(BigInt(n));
  return b;
};
const float = n => {
  const b = Buffer.alloc(8);
  b.writeDoubleBE(n);
  return b;
};

// header returns the start of the file, and the offset for the duration, which is written at the end.
function header(width, height) {
  const ebml = element('1a45dfa3',
    element('4282', Buffer.from('matroska')), element('4287', number(4)), element('4285', number(2)));
  const segment = Buffer.from('1853806701ffffffffffffff', 'hex'); // of unknown size
  const name = Buffer.from('taproot');
  const about = [element('2ad7b1', number(1000000)), element('4d80', name), element('5741', name)];
  const info = element('1549a966', ...about, element('4489', float(0)));
  const track = element('ae', element('d7', number(1)), element('73c5', number(1)), element('83', number(1)),
    element('86', Buffer.from('V_MJPEG')),
    element('e0', element('b0', number(width)), element('ba', number(height))));
  return {
    bytes: Buffer.concat([ebml, segment, info, element('1654ae6b', track)]),
    length: ebml.length + segment.length + info.length - 8,
  };
}

class Recording {
  constructor(options) {
    this._options = options;
    this._file = fs.openSync(options.outputFile, 'w');
    this._size = 0;
    this._last = null;
  }

  // add adds a frame. The last frame within a time slot is stored.
  add(jpeg, seconds) {
    if (this._file === null)
      return;
    this._first ??= seconds;
    const at = Math.max(Math.floor((seconds - this._first) * 1000 / slot), this._last ? this._last.at : 0);
    const every = this._size > much ? 1000 / slot : 1;
    if (this._last && at < this._last.at + every) {
      this._last.jpeg = jpeg;
      return;
    }
    this._keep();
    this._last = {jpeg, at, came: Date.now()};
  }

  _keep(at = this._last?.at) {
    if (!this._last || this._file === null)
      return;
    try {
      if (!this._size) {
        const h = header(this._options.width, this._options.height);
        this._length = h.length;
        this._write(h.bytes);
      }
      const block = element('a3', Buffer.from([0x81, 0, 0, 0x80]), this._last.jpeg);
      this._write(element('1f43b675', element('e7', number(at * slot)), block));
    } catch {
      this._close(); // on a full disk the rest is lost, as with ffmpeg
    }
  }

  _write(bytes) {
    fs.writeSync(this._file, bytes);
    this._size += bytes.length;
  }

  _close() {
    fs.closeSync(this._file);
    this._file = null;
  }

  // stop ends the recording. Its last frame is visible for at least a second.
  async stop() {
    if (this._file === null)
      return;
    this._keep();
    if (this._last) {
      const end = this._last.at + Math.ceil(Math.max(Date.now() - this._last.came, 1000) / slot);
      this._keep(end - 1);
      if (this._file !== null)
        fs.writeSync(this._file, float(end * slot), 0, 8, this._length);
    }
    if (this._file !== null)
      this._close();
  }
}

// install replaces Playwright's recorder, if Playwright has the expected structure.
function install(core) {
  const {VideoRecorder} = require(core + '/lib/server/chromium/videoRecorder.js');
  const {Page} = require(core + '/lib/server/page.js');
  if (typeof VideoRecorder?.launch !== 'function' || !Page?.Events?.ScreencastFrame)
    return;
  VideoRecorder.launch = async (page, ffmpeg, options) => {
    const recording = new Recording(options);
    page.on(Page.Events.ScreencastFrame,
      frame => recording.add(frame.buffer, (frame.frameSwapWallTime || Date.now()) / 1000));
    return recording;
  };
}

module.exports = {Recording, install};
