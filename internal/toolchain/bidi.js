// Playwright controls a Firefox of the system with WebDriver BiDi, but does not implement all that Firefox supports:
// the folder of downloads, offline mode, permissions, and recordings. It ignores these without an error. This module
// adds them.
const fs = require('fs'), path = require('path'), {createHash} = require('crypto');
const {Recording} = require('./recording.js');

const slow = 1000, quick = 100; // milliseconds between two screenshots of a stationary page, and of a changing one

// Recorder records a page as a sequence of screenshots: Firefox has no stream of frames.
class Recorder {
  constructor(bidiPage, outputFile, size) {
    this._page = bidiPage;
    this._recording = new Recording({outputFile, width: size.width, height: size.height});
    this._clip = {type: 'box', x: 0, y: 0, width: size.width, height: size.height};
    this._over = new Promise(end => this._end = end);
    this._first = new Promise(resolve => this._haveFirst = resolve);
    this._run = this._shoot();
  }

  async _shoot() {
    let last = '', pause = quick;
    for (let going = true; going;) {
      try {
        const {data} = await Promise.race([this._page._session.send('browsingContext.captureScreenshot', {
          context: this._page._session.sessionId,
          origin: 'viewport',
          format: {type: 'image/jpeg', quality: 0.7},
          clip: this._clip,
        }), this._over]);
        if (data !== last)
          this._recording.add(Buffer.from(data, 'base64'), Date.now() / 1000);
        pause = data === last ? Math.min(2 * pause, slow) : quick;
        last = data;
        this._haveFirst();
      } catch {
        pause = slow; // the page navigates, or is closed
      }
      let timer;
      const next = new Promise(resolve => timer = setTimeout(resolve, pause, true));
      going = await Promise.race([next, this._over.then(() => false)]);
      clearTimeout(timer);
    }
  }

  // stop waits for the first screenshot, so that a page that was open only briefly has one.
  async stop(gone) {
    if (!gone)
      await Promise.race([this._first, new Promise(next => setTimeout(next, 2 * slow).unref())]);
    this._end({});
    await this._run;
    await this._recording.stop();
  }
}

// extend wraps a method in a function, which receives the method as its first argument.
function extend(type, name, f) {
  const old = type.prototype[name];
  if (typeof old !== 'function')
    throw new Error('Playwright has no ' + type.name + '.' + name);
  type.prototype[name] = function(...args) { return f.call(this, old.bind(this), ...args); };
}

function originOf(address) {
  try {
    const {origin} = new URL(address);
    return origin === 'null' ? '' : origin;
  } catch {
    return '';
  }
}

function extendContexts(BidiBrowserContext) {
  const send = (context, method, params) =>
    context._browser._browserSession.send(method, {...params, userContexts: [context._userContextId()]});
  extend(BidiBrowserContext, '_initialize', async function(old) {
    const destinationFolder = this._browser.options.downloadsPath;
    await send(this, 'browser.setDownloadBehavior', {downloadBehavior: {type: 'allowed', destinationFolder}});
    await old();
  });
  extend(BidiBrowserContext, 'doUpdateOffline', async function() {
    const networkConditions = this._options.offline ? {type: 'offline'} : null;
    await send(this, 'emulation.setNetworkConditions', {networkConditions});
  });
  // Firefox grants permissions to one origin, not to all: each origin gets them when a page of it is requested.
  extend(BidiBrowserContext, 'doGrantPermissions', async function(old, origin, permissions) {
    if (origin !== '*')
      return old(origin, permissions);
    this._everywhere = permissions;
    await old('https://taproot.invalid', permissions); // reports an unknown permission before a page opens
    for (const page of this._bidiPages())
      await this._grantTo(page._page.mainFrame()._url);
  });
  BidiBrowserContext.prototype._grantTo = async function(address) {
    const origin = originOf(address);
    if (this._everywhere && origin)
      await this.doGrantPermissions(origin, this._everywhere);
  };
  extend(BidiBrowserContext, 'doClose', async function(old, reason) {
    await Promise.all(this._bidiPages().map(page => page._endRecording()));
    await old(reason);
  });
}

function extendPages(BidiPage, createGuid) {
  extend(BidiPage, '_initialize', async function(old) {
    const options = this._browserContext._options;
    if (options.recordVideo && options.viewport)
      this._startRecording(options.recordVideo.dir, options.viewport);
    await old();
  });
  BidiPage.prototype._startRecording = function(dir, size) {
    const id = createGuid(), file = path.join(dir, id + '.webm'), browser = this._browserContext._browser;
    fs.mkdirSync(dir, {recursive: true});
    this._recorder = new Recorder(this, file, size);
    this._endRecording = async gone => {
      this._endRecording = async () => {};
      await this._recorder.stop(gone);
      browser._takeVideo(id)?.reportFinished();
    };
    browser._videoStarted(this._browserContext, id, file, this._page.waitForInitializedOrError());
  };
  BidiPage.prototype._endRecording = async function() {};
  extend(BidiPage, 'didClose', function(old) {
    this._endRecording(true).catch(() => {});
    old();
  });
  extend(BidiPage, 'navigateFrame', async function(old, frame, url, referrer) {
    await this._browserContext._grantTo(url);
    const answer = await old(frame, url, referrer);
    const [from, to] = [frame._url, url].map(address => address.split('#')[0]);
    return url.includes('#') && from === to ? {} : answer; // same document: there is no load to wait for
  });
  extend(BidiPage, '_onNavigationStarted', function(old, params) {
    if (params.context === this._session.sessionId)
      this._started = (this._started || 0) + 1;
    this._browserContext._grantTo(params.url).catch(() => {}); // the page or the browser is closed
    old(params);
  });
  // Firefox sends no event for a step in the history within the same document, so the URL is polled.
  BidiPage.prototype._arrive = async function(started) {
    const context = this._session.sessionId, frame = this._page.mainFrame();
    for (let attempt = 0, at = ''; (this._started || 0) === started; attempt++) {
      try {
        const params = {expression: 'location.href', target: {context}, awaitPromise: false};
        ({result: {value: at}} = await this._session.send('script.evaluate', params));
      } catch {} // the document is being replaced
      if ((this._started || 0) === started && at && (at !== frame._url || attempt > 20))
        return this._page.frameManager.frameCommittedSameDocumentNavigation(context, at);
      await new Promise(next => setTimeout(next, 25));
    }
  };
  // A download that a script creates has no navigation, which Playwright uses as the download's name.
  const withName = event => {
    if (event.navigation)
      return event;
    return {...event, navigation: 'made-' + createHash('sha256').update(event.context + event.url).digest('hex')};
  };
  extend(BidiPage, '_onDownloadWillBegin', function(old, event) { old(withName(event)); });
  // Playwright expects the file of a download under its own name.
  extend(BidiPage, '_onDownloadEnded', function(old, event) {
    event = withName(event);
    let failed = event.status !== 'complete' || !event.filepath;
    if (event.navigation && !failed) {
      try {
        const folder = this._browserContext._browser.options.downloadsPath;
        fs.renameSync(event.filepath, path.join(folder, event.navigation));
      } catch {
        failed = true;
      }
    }
    old({...event, status: failed ? 'canceled' : event.status});
  });
  for (const [name, delta] of [['goBack', -1], ['goForward', 1]]) {
    extend(BidiPage, name, async function() {
      const started = this._started || 0;
      await this._session.send('browsingContext.traverseHistory', {context: this._session.sessionId, delta});
      await this._arrive(started);
      return true;
    });
  }
}

// extendMouse sends the clicks of a double click as one sequence of actions: Firefox counts clicks within one only.
function extendMouse(Mouse, RawMouseImpl) {
  extend(Mouse, 'click', async function(old, progress, x, y, options = {}) {
    const {clickCount = 1, delay, button = 'left'} = options;
    if (!(this._raw instanceof RawMouseImpl) || clickCount < 2 || delay)
      return old(progress, x, y, options);
    await this.move(progress, x, y, {forClick: true, steps: options.steps});
    const number = {left: 0, middle: 1, right: 2}[button];
    const click = [{type: 'pointerDown', button: number}, {type: 'pointerUp', button: number}];
    const clicks = Array.from({length: clickCount}, () => click);
    await this._raw._performActions(progress, clicks.flat());
  });
}

// install patches Playwright in this process. It throws if Playwright does not have the expected structure.
function install(core) {
  const {BidiBrowserContext} = require(core + '/lib/server/bidi/bidiBrowser.js');
  const {BidiPage} = require(core + '/lib/server/bidi/bidiPage.js');
  const {createGuid} = require(core + '/lib/server/utils/crypto.js');
  if (typeof createGuid !== 'function')
    throw new Error('Playwright has no createGuid');
  const {Mouse} = require(core + '/lib/server/input.js');
  const {RawMouseImpl} = require(core + '/lib/server/bidi/bidiInput.js');
  extendMouse(Mouse, RawMouseImpl);
  extendContexts(BidiBrowserContext);
  extendPages(BidiPage, createGuid);
}

// late calls install when the first Firefox starts, so that an error there does not affect other browsers.
function late(core) {
  const {BidiFirefox} = require(core + '/lib/server/bidi/bidiFirefox.js');
  let done = false;
  extend(BidiFirefox, 'defaultArgs', async function(old, ...args) {
    if (!done)
      install(core);
    done = true;
    return old(...args);
  });
}

module.exports = {late};
