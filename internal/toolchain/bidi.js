// Playwright speaks WebDriver BiDi to a Firefox of the system, and leaves out parts of it that Firefox has: where
// downloads go, a browser without network, permissions, films. It would ignore them without a word. This asks Firefox
// for them.
const fs = require('fs'), path = require('path'), {createHash} = require('crypto');
const {Film} = require('./film.js');

const slow = 1000, quick = 100; // milliseconds between two pictures of a page that stands still, and of one that moves

// Reel films one page by pictures of it, one after the other: Firefox has no stream of them.
class Reel {
  constructor(bidiPage, outputFile, size) {
    this._page = bidiPage;
    this._film = new Film({outputFile, width: size.width, height: size.height});
    this._clip = {type: 'box', x: 0, y: 0, width: size.width, height: size.height};
    this._over = new Promise(end => this._end = end);
    this._first = new Promise(began => this._began = began);
    this._run = this._shoot();
  }

  async _shoot() {
    let last = '', pause = quick;
    for (let going = true; going;) {
      try {
        const {data} = await Promise.race([this._page._session.send('browsingContext.captureScreenshot', {
          context: this._page._session.sessionId, origin: 'viewport', format: {type: 'image/jpeg', quality: 0.7}, clip: this._clip}), this._over]);
        if (data !== last)
          this._film.add(Buffer.from(data, 'base64'), Date.now() / 1000);
        pause = data === last ? Math.min(2 * pause, slow) : quick;
        last = data;
        this._began();
      } catch {
        pause = slow; // the page changes, or has gone
      }
      let timer;
      going = await Promise.race([new Promise(next => timer = setTimeout(next, pause, true)), this._over.then(() => false)]);
      clearTimeout(timer);
    }
  }

  // stop waits for the first picture: a page that was open for a moment has one.
  async stop(gone) {
    if (!gone)
      await Promise.race([this._first, new Promise(next => setTimeout(next, 2 * slow).unref())]);
    this._end({});
    await this._run;
    await this._film.stop();
  }
}

// extend puts a function round a method, which it gets as its first argument.
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
  const asked = (context, method, params) => context._browser._browserSession.send(method, {...params, userContexts: [context._userContextId()]});
  extend(BidiBrowserContext, '_initialize', async function(old) {
    await asked(this, 'browser.setDownloadBehavior', {downloadBehavior: {type: 'allowed', destinationFolder: this._browser.options.downloadsPath}});
    await old();
  });
  extend(BidiBrowserContext, 'doUpdateOffline', async function() {
    await asked(this, 'emulation.setNetworkConditions', {networkConditions: this._options.offline ? {type: 'offline'} : null});
  });
  // Firefox grants permissions to a site, not to all: they are granted to each as a page of it is asked for.
  extend(BidiBrowserContext, 'doGrantPermissions', async function(old, origin, permissions) {
    if (origin !== '*')
      return old(origin, permissions);
    this._everywhere = permissions;
    await old('https://taproot.invalid', permissions); // an unknown one is told before a page opens
    for (const page of this._bidiPages())
      await this._grantTo(page._page.mainFrame()._url);
  });
  BidiBrowserContext.prototype._grantTo = async function(address) {
    const origin = originOf(address);
    if (this._everywhere && origin)
      await this.doGrantPermissions(origin, this._everywhere);
  };
  extend(BidiBrowserContext, 'doClose', async function(old, reason) {
    await Promise.all(this._bidiPages().map(page => page._endFilm()));
    await old(reason);
  });
}

function extendPages(BidiPage, createGuid) {
  extend(BidiPage, '_initialize', async function(old) {
    const options = this._browserContext._options;
    if (options.recordVideo && options.viewport)
      this._beginFilm(options.recordVideo.dir, options.viewport);
    await old();
  });
  BidiPage.prototype._beginFilm = function(dir, size) {
    const id = createGuid(), file = path.join(dir, id + '.webm'), browser = this._browserContext._browser;
    fs.mkdirSync(dir, {recursive: true});
    this._reel = new Reel(this, file, size);
    this._endFilm = async gone => {
      this._endFilm = async () => {};
      await this._reel.stop(gone);
      browser._takeVideo(id)?.reportFinished();
    };
    browser._videoStarted(this._browserContext, id, file, this._page.waitForInitializedOrError());
  };
  BidiPage.prototype._endFilm = async function() {};
  extend(BidiPage, 'didClose', function(old) {
    this._endFilm(true).catch(() => {});
    old();
  });
  extend(BidiPage, 'navigateFrame', async function(old, frame, url, referrer) {
    await this._browserContext._grantTo(url);
    const answer = await old(frame, url, referrer);
    const [from, to] = [frame._url, url].map(address => address.split('#')[0]);
    return url.includes('#') && from === to ? {} : answer; // the page stays: there is no new document to wait for
  });
  extend(BidiPage, '_onNavigationStarted', function(old, params) {
    if (params.context === this._session.sessionId)
      this._started = (this._started || 0) + 1;
    this._browserContext._grantTo(params.url).catch(() => {}); // the page or the browser has gone
    old(params);
  });
  // Of a step in the history that stays in the document Firefox tells nothing: it is asked where the page is.
  BidiPage.prototype._arrive = async function(started) {
    const context = this._session.sessionId, frame = this._page.mainFrame();
    for (let look = 0, at = ''; (this._started || 0) === started; look++) {
      try {
        ({result: {value: at}} = await this._session.send('script.evaluate', {expression: 'location.href', target: {context}, awaitPromise: false}));
      } catch {} // the document is being changed
      if ((this._started || 0) === started && at && (at !== frame._url || look > 20))
        return this._page.frameManager.frameCommittedSameDocumentNavigation(context, at);
      await new Promise(next => setTimeout(next, 25));
    }
  };
  // Files that a page makes itself come with no navigation, which is their name in Playwright.
  const named = (page, event) => event.navigation ? event : {...event, navigation: 'made-' + createHash('sha256').update(event.context + event.url).digest('hex')};
  extend(BidiPage, '_onDownloadWillBegin', function(old, event) { old(named(this, event)); });
  // Playwright looks for a download under a name of its own.
  extend(BidiPage, '_onDownloadEnded', function(old, event) {
    event = named(this, event);
    let failed = event.status !== 'complete' || !event.filepath;
    if (event.navigation && !failed) {
      try {
        fs.renameSync(event.filepath, path.join(this._browserContext._browser.options.downloadsPath, event.navigation));
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

// extendMouse makes the clicks of a double click one gesture: Firefox counts those of one alone.
function extendMouse(Mouse, RawMouseImpl) {
  extend(Mouse, 'click', async function(old, progress, x, y, options = {}) {
    const {clickCount = 1, delay, button = 'left'} = options;
    if (!(this._raw instanceof RawMouseImpl) || clickCount < 2 || delay)
      return old(progress, x, y, options);
    await this.move(progress, x, y, {forClick: true, steps: options.steps});
    const number = {left: 0, middle: 1, right: 2}[button];
    const clicks = Array.from({length: clickCount}, () => [{type: 'pointerDown', button: number}, {type: 'pointerUp', button: number}]);
    await this._raw._performActions(progress, clicks.flat());
  });
}

// install changes this process's Playwright. It throws where that is not as it is known to be.
function install(core) {
  const {BidiBrowserContext} = require(core + '/lib/server/bidi/bidiBrowser.js');
  const {BidiPage} = require(core + '/lib/server/bidi/bidiPage.js');
  const {createGuid} = require(core + '/lib/server/utils/crypto.js');
  if (typeof createGuid !== 'function')
    throw new Error('Playwright has no createGuid');
  extendMouse(require(core + '/lib/server/input.js').Mouse, require(core + '/lib/server/bidi/bidiInput.js').RawMouseImpl);
  extendContexts(BidiBrowserContext);
  extendPages(BidiPage, createGuid);
}

// late installs it when the first Firefox is started: what other browsers do not need keeps none of them from starting.
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
