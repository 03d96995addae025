(name => {
  'use strict';
  // Installed once in each document, in the page's own world: WebDriver has no other. It finds elements by Playwright's
  // selectors, reports whether they can be acted on, and runs scripts. All of it is kept under one name on the
  // document, which no page can know. It returns texts that start with that name: one without it was changed by the
  // page.
  const stringify = JSON.stringify, describeError = e => String(e && e.name && e.message !== undefined ?
    `${e.name}: ${e.message}` : e);
  const contentOf = Function.prototype.call.bind(
    Object.getOwnPropertyDescriptor(Node.prototype, 'textContent').get);
  const injected = (() => {
    const module = {};
    /* INJECTED */
    return new (module.exports.InjectedScript())(window, {isUnderTest: false, sdkLanguage: 'javascript',
      testIdAttributeName: 'data-testid', stableRafCount: 1, browserName: 'webkit', isUtilityWorld: true,
      customEngines: []});
  })();
  // placeOf returns the place of the document of an <object> or <embed> among the frames of the window, -1 for other
  // elements: the driver does not take such an element for a frame, and its place it does.
  const placeOf = el => {
    if (!/^(object|embed)$/.test(el.localName)) return -1;
    for (let i = 0; i < window.length; i++) {
      let holder = null;
      try { holder = window[i].frameElement; } catch { /* it is of another site */ }
      if (holder === el || el.contentWindow && el.contentWindow === window[i]) return i;
    }
    return -1;
  };
  // The engines take the browser's own method of shadow roots, which shows those that a page has closed, and its own
  // timers: those of script/watch.js would count as the page's.
  const native = window[name + 'n'], shown = Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot');
  const {frame, timeout} = native || {frame: window.requestAnimationFrame.bind(window),
    timeout: window.setTimeout.bind(window)};
  if (native) Object.defineProperty(Element.prototype, 'shadowRoot', {...native.root, configurable: true});
  try {
    // What the engines keep in the global object would be seen by the page there.
    ((globalThis, requestAnimationFrame, setTimeout) => {
      injected._engines.set('taproot', /* ENGINE */);
      injected._engines.set('taproot-typing', /* TYPING */);
    })({}, frame, timeout);
  } finally {
    if (native) Object.defineProperty(Element.prototype, 'shadowRoot', shown);
  }

  const ok = v => name + stringify({v: v === undefined ? null : v});
  const failed = e => name + stringify({e: describeError(e)});
  const answer = f => {
    try {
      const v = f();
      return v && typeof v.then === 'function' ? Promise.resolve(v).then(ok, failed) : ok(v);
    } catch (e) {
      return failed(e);
    }
  };
  // drawn calls f in an animation frame. Between two frames, the time of WebKit's animations continues without the
  // styles that follow from it: an animation that has ended is not listed any more, and the styles are those of its
  // last frame. f is called without a frame when none is drawn within UNDRAWN milliseconds, or FRAMED milliseconds in
  // a frame, which may be out of view.
  const UNDRAWN = 3000, FRAMED = 150;
  const drawn = f => document.hidden || matchMedia('(scripting: none)').matches ? f() : new Promise((done, fail) => {
    let open = true;
    const call = () => {
      if (!open) return;
      open = false;
      try { done(f()); } catch (e) { fail(e); }
    };
    frame(call);
    timeout(call, window === window.top ? UNDRAWN : FRAMED);
  });
  const one = selector => injected.querySelector(injected.parseSelector(selector), document, true) || null;
  const handles = [null];
  let hit = null; // watches what a touch meets

  // withState calls f with the element that a selector picks once it is in these states; otherwise the result says why
  // it is not.
  const withState = async (selector, states, f) => {
    const el = one(selector);
    if (!el) return {r: 'none'};
    const lacks = await injected.checkElementStates(el, states);
    if (lacks) return {r: lacks.missingState ? 'not ' + lacks.missingState : lacks};
    return f(el);
  };
  const result = r => ({r: typeof r === 'string' ? r : 'done'});
  const SCROLL = [null, 'end', 'center', 'start'].map(where => where && {block: where, inline: where});
  const inView = rect => {
    const l = Math.max(rect.left, 0), t = Math.max(rect.top, 0), r = Math.min(rect.right, innerWidth),
      b = Math.min(rect.bottom, innerHeight);
    return r - l >= 1 && b - t >= 1 ? {x: Math.floor((l + r) / 2), y: Math.floor((t + b) / 2)} : null;
  };
  // pointIn scrolls an element into view, if it has to, and returns a point on it; each attempt scrolls in another way.
  const pointIn = (el, attempt) => {
    const how = SCROLL[attempt % SCROLL.length];
    if (how) el.scrollIntoView({...how, behavior: 'instant'});
    else if (el.scrollIntoViewIfNeeded) el.scrollIntoViewIfNeeded(false);
    else el.scrollIntoView({block: 'nearest', inline: 'nearest', behavior: 'instant'});
    for (const rect of el.getClientRects()) {
      const point = inView(rect);
      if (point) return point;
    }
    return null;
  };
  const describeHit = r => typeof r === 'string' ? r : 'covered by ' + r.hitTargetDescription;

  const commands = {
    // text returns the text of the one element that a selector picks; framed: as it is in an animation frame.
    text({selector, framed}) {
      const read = () => {
        const el = one(selector);
        return el ? {r: 'done', text: contentOf(el)} : {r: 'none'};
      };
      return framed ? drawn(read) : read();
    },
    // frame reports whether the element that a selector picks is a frame, and keeps it.
    frame(selector) {
      const el = handles[0] = one(selector);
      if (!el) return {r: 'none'};
      return {r: 'done', frame: /^(IFRAME|FRAME|OBJECT|EMBED)$/.test(el.nodeName), place: placeOf(el),
        what: injected.previewNode(el)};
    },
    // focused returns the way to the frame that has the focus, as places in the lists of frames.
    focused() {
      const path = [];
      for (let w = window; path.length < 20;) {
        let el = null;
        try {
          el = w.document.activeElement;
          while (el && el.shadowRoot && el.shadowRoot.activeElement) el = el.shadowRoot.activeElement;
        } catch { /* the frame is of another site */ }
        if (!el || !/^(iframe|frame|object|embed)$/.test(el.localName) || !el.contentWindow) break;
        const inner = el.contentWindow, at = [...Array(w.length).keys()].findIndex(i => w[i] === inner);
        if (at < 0) break;
        path.push(at);
        w = inner;
      }
      return {path};
    },
    // refocus moves the focus to a frame, or to the page itself.
    refocus(path) {
      path.reduce((w, at) => w && w[at], window)?.focus();
      return {};
    },
    // seen reports whether an element is there, and visible.
    seen(selector) {
      const el = one(selector);
      return el ? {r: 'done', visible: injected.elementState(el, 'visible').matches} : {r: 'none'};
    },
    // is reports whether an element has a state: enabled, editable, checked.
    is({selector, state}) {
      const el = one(selector);
      return el ? {r: 'done', is: injected.elementState(el, state).matches} : {r: 'none'};
    },
    // point prepares a touch: the element must be ready, and must be what a touch at the point meets.
    point({selector, states, kind, trial, attempt}) {
      return withState(selector, states, el => {
        const at = pointIn(el, attempt);
        if (!at) return {r: 'not in view'};
        const made = injected.setupHitTargetInterceptor(el, kind, at, trial);
        if (typeof made === 'string') return {r: made.startsWith('error:') ? made : 'covered by ' + made};
        hit = made;
        return {r: 'done', ...at};
      });
    },
    // met ends what point has started, and returns what the touch met.
    met() {
      const was = hit;
      hit = null;
      return {r: was ? describeHit(was.stop()) : 'done'};
    },
    // around converts a point in a frame to one of this document, and checks that a touch there meets the frame.
    around({selector, x, y}) {
      const el = one(selector);
      if (!el) return {r: 'none'};
      const box = el.getBoundingClientRect(), style = getComputedStyle(el);
      const at = {x: Math.floor(box.left + el.clientLeft + parseFloat(style.paddingLeft) + x),
        y: Math.floor(box.top + el.clientTop + parseFloat(style.paddingTop) + y)};
      return {r: describeHit(injected.expectHitTarget(at, el)), ...at};
    },
    scroll({selector, attempt}) {
      return withState(selector, ['visible', 'stable'], el => ({r: pointIn(el, attempt) ? 'done' : 'not in view'}));
    },
    box(selector) {
      const el = one(selector);
      if (!el) return {r: 'none'};
      const {left, top, width, height} = el.getBoundingClientRect();
      return {r: 'done', x: left, y: top, width, height};
    },
    focus(selector) {
      const el = one(selector);
      return el ? result(injected.focusNode(el)) : {r: 'none'};
    },
    fill({selector, value}) {
      return withState(selector, ['visible', 'enabled', 'editable'], el => {
        const r = injected.fill(el, value);
        if (r === 'needsinput') document.execCommand(value ? 'insertText' : 'delete', false, value);
        return {r: r === 'needsinput' ? 'done' : r};
      });
    },
    select({selector, options}) {
      return withState(selector, ['visible', 'enabled'], el => result(injected.selectOptions(el, options)));
    },
    // files checks that an element takes files; none: it is to be empty.
    files({selector, several, none}) {
      const el = one(selector);
      if (!el) return {r: 'none'};
      const field = injected.retarget(el, 'follow-label');
      if (!field || field.localName !== 'input') throw new Error('Node is not an HTMLInputElement');
      if (several && !field.multiple) throw new Error('Non-multiple file input can only accept single file');
      if (field.webkitdirectory) throw new Error('[webkitdirectory] input requires passing a path to a directory');
      if (none && field.files.length) {
        field.value = '';
        field.dispatchEvent(new Event('input', {bubbles: true, composed: true}));
        field.dispatchEvent(new Event('change', {bubbles: true}));
      }
      handles[0] = field;
      return {r: 'done'};
    },
    // insert puts a text in the place of what is selected, as one change; frame: the focus is in a frame.
    insert(text) {
      const el = document.activeElement;
      if (el && /^(iframe|frame|object|embed)$/.test(el.localName)) {
        handles[0] = el;
        return {r: 'frame', place: placeOf(el)};
      }
      document.execCommand('insertText', false, text);
      return {r: 'done'};
    },
    release(n) { handles[n] = null; return {}; },
    // at reports where the document is. frames: how many it has.
    at() {
      return {url: location.href, document: document.documentURI, ready: document.readyState, title: document.title,
        width: innerWidth, height: innerHeight, entries: history.length, frames: window.length};
    },
  };
  Object.defineProperty(document, name, {value: {
    do: (command, argument) => answer(() => commands[command](argument)),
    // element returns the element that a command has left.
    element: () => handles[0],
    // run calls a function, or takes a value, with an element, a handle or nothing before its argument. With keep, what
    // it returns stays here, and the answer is its number.
    run: ({selector, handle, argument, keep}, script) => answer(() => {
      const on = selector !== undefined ? [one(selector)] : handle ? [handles[handle]] : [];
      if (selector !== undefined && !on[0]) return {r: 'none'};
      const value = script(), done = v => ({r: 'done', value: keep ? handles.push(v) - 1 : v === undefined ? null : v});
      const given = typeof value === 'function' ? value(...on, argument) : value;
      return given && typeof given.then === 'function' ? Promise.resolve(given).then(done) : done(given);
    }),
  }});
})
