(() => {
  'use strict';
  // Runs in the page's own world before its scripts. It informs the script that reads the page, which runs in the
  // isolated world, about pending timers, and sends it each touch before any listener of the page receives it. The two
  // scripts communicate by events with a name that no page knows.
  const NAME = '@watch@';
  const method = (proto, name) => Function.prototype.call.bind(proto[name]);
  const listen = method(EventTarget.prototype, 'addEventListener'),
    send = method(EventTarget.prototype, 'dispatchEvent');
  const attr = method(Element.prototype, 'getAttribute'), named = method(Document.prototype, 'getElementsByName');
  const pathOf = method(Event.prototype, 'composedPath'), refuse = method(Event.prototype, 'preventDefault'),
    stop = method(Event.prototype, 'stopImmediatePropagation');
  const Mouse = MouseEvent, Plain = Event, Custom = CustomEvent, apply = Reflect.apply;
  const now = performance.now.bind(performance), nativeTimeout = window.setTimeout,
    nativeFrame = window.requestAnimationFrame;
  if (window.matchMedia('(scripting: none)').matches) return; // a listener would cause an error in the page's console
  if (!send(window, new Plain(NAME + 'here', {cancelable: true}))) return; // the script already runs here

// include peers.js

  // Timers count up to LONG milliseconds, and up to DEEP timers in a chain in which each sets the next: work that
  // repeats forever is not awaited. Intervals and animation frames are only reported. After a timer, AFTER milliseconds
  // are added for the drawing of its effect.
  const LONG = 1000, DEEP = 4, AFTER = 50, MANY = 1000;
  // pending: due time of each timer; frames: when each animation frame was requested
  const pending = new Map(), ticking = new Set(), frames = new Map();
  let depth = 0, endedAt = -1e9;
  const done = key => { if (pending.delete(key)) endedAt = now(); };
  // The effect of a touch or key is often drawn in the next animation frame, which the page requests in its listener:
  // responseFrames are such frames, and those that they request, up to DEEP in a chain.
  const responseFrames = new Set();
  // The timers without a delay and the animation frames that a page requests in a listener of a key, by their ids
  // (those of frames are negative). Typing by a driver is faster than that of any person and would overtake them, so
  // they run before the next key.
  const ATONCE = 1, immediate = new Map(), nativeClear = window.clearTimeout,
    nativeCancelFrame = window.cancelAnimationFrame;
  // catchUp runs them.
  const catchUp = () => {
    for (let round = 0; immediate.size && round < DEEP; round++) {
      for (const [id, run] of [...immediate]) {
        if (!immediate.delete(id)) continue;
        try { run(); } catch (error) { apply(nativeTimeout, window, [() => { throw error; }, 0]); }
      }
    }
  };
  const moving = new Map(); // animation frames that a touch has started, by id
  let handlingInput = false, frameDepth = 0;

// include awaited.js
  // set, clear, tick, draw and drop receive the calls of setTimeout, clearTimeout and clearInterval, setInterval,
  // requestAnimationFrame, and cancelAnimationFrame.
  const set = (target, self, args) => {
    const delay = Number(args[1]) || 0, deep = depth + 1;
    if (pending.size > MANY) return apply(target, self, args);
    apply(nativeTimeout, window, [() => { depth = deep; }, delay]);
    const id = apply(target, self, args), counts = deep <= DEEP && delay <= LONG;
    if (counts) pending.set(id, now() + delay);
    if (counts && delay <= ATONCE && handlingInput && typeof args[0] === 'function') {
      immediate.set(id, () => {
        apply(nativeClear, window, [id]);
        done(id);
        apply(args[0], window, args.slice(2));
      });
    }
    apply(nativeTimeout, window, [() => {
      depth = 0;
      done(id);
      immediate.delete(id);
    }, delay]);
    return id;
  };
  const clear = (target, self, args) => {
    pending.delete(args[0]);
    immediate.delete(args[0]);
    if (ticking.delete(args[0])) release(args[0]);
    return apply(target, self, args);
  };
  const tick = (target, self, args) => {
    const id = apply(target, self, args), period = Number(args[1]) || 0;
    if (period > LONG) return id;
    ticking.add(id);
    if (touchedNow()) hold(id, (period + AFTER) * DEEP);
    return id;
  };
  const draw = (target, self, args) => {
    // a frame and an interval may have the same id
    const place = handlingInput ? 1 : frameDepth > 0 ? frameDepth + 1 : 0, key = {};
    if (place) apply(nativeFrame, window, [() => { frameDepth = place; }]);
    const id = apply(target, self, args);
    frames.set(id, now());
    if (place && place <= DEEP) responseFrames.add(id);
    if (place && touchedNow() && !document.hidden) { hold(key, HOLD); moving.set(id, key); }
    if (place && place <= DEEP && typeof args[0] === 'function') {
      immediate.set(-id, () => {
        apply(nativeCancelFrame, window, [id]);
        frameDepth = place;
        apply(args[0], window, [now()]);
        frameDepth = 0;
      });
    }
    apply(nativeFrame, window, [() => {
      frameDepth = 0;
      frames.delete(id);
      responseFrames.delete(id);
      immediate.delete(-id);
      endMove(id);
    }]);
    return id;
  };
  const endMove = id => { release(moving.get(id)); moving.delete(id); };
  const drop = (target, self, args) => {
    frames.delete(args[0]);
    responseFrames.delete(args[0]);
    immediate.delete(-args[0]);
    endMove(args[0]);
    return apply(target, self, args);
  };
  // overdue reports whether the page waits for a frame for longer than STARVED milliseconds. On a busy machine a page
  // does not change in that time because it cannot draw. A browser never draws some frames out of view: they count up
  // to NEVER milliseconds.
  const STARVED = 100, NEVER = 1500;
  const overdue = () => {
    if (document.hidden) return false;
    for (const at of frames.values()) {
      const waits = now() - at;
      if (waits > STARVED && waits < NEVER) return true;
    }
    return false;
  };
  const busy = () => pending.size > 0 || now() - endedAt < AFTER || holding() || overdue();
  // On a busy machine a timer may run long after it is due, and the page may be queried before that.
  const late = () => [...pending.values()].some(due => due < now());
  const handlers = {setTimeout: set, setInterval: tick, clearTimeout: clear, clearInterval: clear,
    requestAnimationFrame: draw, cancelAnimationFrame: drop};
  for (const [name, handler] of Object.entries(handlers)) {
    window[name] = new Proxy(window[name], {apply: handler});
  }
  for (const [name, holds] of Object.entries({busy, late, ticking: () => ticking.size + frames.size > 0,
    answering: () => responseFrames.size > 0 && !document.hidden})) {
    me[name] = holds;
    listen(window, NAME + name, event => { if (anyPeer(name)) refuse(event); });
  }
  listen(window, NAME + 'here', refuse);

// include opened.js

// include touches.js

  // refused: since the last touch, the page has prevented the input of a typed character.
  let refused = false;
  // writes reports whether an event is about to write a character.
  const writes = event => event.type === 'beforeinput' || event.type === 'keypress' ||
    event.type === 'keydown' && event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
  listen(window, NAME + 'refused', event => { if (refused) refuse(event); });
  listen(window, 'pointerdown', event => { if (event.isTrusted) refused = false; }, {capture: true, passive: true});
  for (const kind of [...TOUCHES, 'keydown', 'keypress', 'keyup', 'beforeinput', 'input', 'change']) {
    listen(window, kind, event => {
      // A field that is filled by a script, and a list, fire events that are not trusted.
      if (!event.isTrusted && kind !== 'input' && kind !== 'change') return;
      shared.touched = clock();
      if (!event.isTrusted) return;
      handlingInput = true;
      if (kind === 'keydown') catchUp();
      apply(nativeTimeout, window, [() => {
        handlingInput = false;
        if (event.defaultPrevented && writes(event)) refused = true;
      }, 0]);
    }, {capture: true, passive: true});
  }

  // A finger that stays down this long (ms) makes no click on a phone; on an emulated touch screen it does.
  const LONG_PRESS = 500;
  let fingerDown = 0, heldLong = false;
  // endsLongPress reports whether an event is the click after a long press of a finger.
  const endsLongPress = event => {
    if (event.type === 'touchstart') { fingerDown = event.timeStamp; heldLong = false; }
    if (event.type === 'touchend') heldLong = event.timeStamp - fingerDown > LONG_PRESS;
    return heldLong && event.type === 'click' && event.pointerType === 'touch';
  };
  // onTouch sends a touch to the script that reads the page, which may block it (see aim.js).
  const onTouch = event => {
    const at = event.touches && event.touches[0] || event, [hit] = pathOf(event);
    if (!event.isTrusted || !hit) return;
    if (endsLongPress(event)) {
      refuse(event);
      stop(event);
      return;
    }
    const asked = new Mouse(NAME + 'touch', {composed: true, cancelable: true,
      detail: stageOf(event) * 2 + mayStartTouch(event), clientX: at.clientX, clientY: at.clientY});
    if (send(hit, asked)) return;
    refuse(event);
    stop(event);
  };
  for (const kind of TOUCHES) {
    listen(window, kind, onTouch, {capture: true, passive: false});
  }
})();
