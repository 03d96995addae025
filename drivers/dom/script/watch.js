(() => {
  'use strict';
  // Runs in a page's own world before its scripts do. It tells the script that reads the page, which lives in a world
  // of its own, whether timers of the page are on their way, and asks it about each touch before any listener of the
  // page hears of it. The two speak by events of a name that no page knows.
  const NAME = '@watch@';
  const method = (proto, name) => Function.prototype.call.bind(proto[name]);
  const listen = method(EventTarget.prototype, 'addEventListener'),
    send = method(EventTarget.prototype, 'dispatchEvent');
  const attr = method(Element.prototype, 'getAttribute'), named = method(Document.prototype, 'getElementsByName');
  const pathOf = method(Event.prototype, 'composedPath'), refuse = method(Event.prototype, 'preventDefault'),
    stop = method(Event.prototype, 'stopImmediatePropagation');
  const Mouse = MouseEvent, Plain = Event, Custom = CustomEvent, apply = Reflect.apply;
  const now = performance.now.bind(performance), ever = window.setTimeout, frame = window.requestAnimationFrame;
  if (window.matchMedia('(scripting: none)').matches) return; // a listener would be an error in the page's console
  if (!send(window, new Plain(NAME + 'here', {cancelable: true}))) return; // it runs here already

// include peers.js

  // Timers: LONG milliseconds at the most count, and those that are set by a timer that a timer set, DEEP in a row:
  // what goes on for ever is nothing that is awaited. Intervals and frames of an animation are only told of. What a
  // timer brought about is drawn AFTER milliseconds.
  const LONG = 1000, DEEP = 4, AFTER = 50, MANY = 1000;
  const pending = new Map(), ticking = new Set(), frames = new Set(); // pending: when each is due
  let depth = 0, ended = -1e9;
  const done = key => { if (pending.delete(key)) ended = now(); };
  // What a page answers to a touch or a key with is often drawn in the next frame, which it asks for meanwhile: answers
  // are such frames, and those that they ask for, DEEP in a row.
  const answers = new Set();
  // The timers without a delay and the frames that a page asks for when it is told of a key, by their numbers (those of
  // frames are negative). Keys that come faster than any person's would outrun them, so that they run before the next
  // key.
  const ATONCE = 1, soon = new Map(), cancel = window.clearTimeout, undraw = window.cancelAnimationFrame;
  const catchUp = () => {
    for (let round = 0; soon.size && round < DEEP; round++) {
      for (const [id, run] of [...soon]) {
        if (soon.delete(id)) try { run(); } catch (error) { apply(ever, window, [() => { throw error; }, 0]); }
      }
    }
  };
  const moving = new Map(); // frames of an animation that a touch has begun, by their numbers
  let answering = false, row = 0;

// include awaited.js
  const set = (target, self, args) => {
    const delay = Number(args[1]) || 0, deep = depth + 1;
    if (pending.size > MANY) return apply(target, self, args);
    apply(ever, window, [() => { depth = deep; }, delay]);
    const id = apply(target, self, args), counts = deep <= DEEP && delay <= LONG;
    if (counts) pending.set(id, now() + delay);
    if (counts && delay <= ATONCE && answering && typeof args[0] === 'function') {
      soon.set(id, () => {
        apply(cancel, window, [id]);
        done(id);
        apply(args[0], window, args.slice(2));
      });
    }
    apply(ever, window, [() => {
      depth = 0;
      done(id);
      soon.delete(id);
    }, delay]);
    return id;
  };
  const clear = (target, self, args) => {
    pending.delete(args[0]);
    soon.delete(args[0]);
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
    const place = answering ? 1 : row > 0 ? row + 1 : 0, key = {}; // a frame and an interval may have the same number
    if (place) apply(frame, window, [() => { row = place; }]);
    const id = apply(target, self, args);
    frames.add(id);
    if (place && place <= DEEP) answers.add(id);
    if (place && touchedNow() && !document.hidden) { hold(key, HOLD); moving.set(id, key); }
    if (place && place <= DEEP && typeof args[0] === 'function') {
      soon.set(-id, () => {
        apply(undraw, window, [id]);
        row = place;
        apply(args[0], window, [now()]);
        row = 0;
      });
    }
    apply(frame, window, [() => {
      row = 0;
      frames.delete(id);
      answers.delete(id);
      soon.delete(-id);
      settle(id);
    }]);
    return id;
  };
  const settle = id => { release(moving.get(id)); moving.delete(id); };
  const drop = (target, self, args) => {
    frames.delete(args[0]);
    answers.delete(args[0]);
    soon.delete(-args[0]);
    settle(args[0]);
    return apply(target, self, args);
  };
  const busy = () => pending.size > 0 || now() - ended < AFTER || holding();
  // On a busy machine a timer may be due for long, and the page be asked before it runs.
  const late = () => [...pending.values()].some(due => due < now());
  const handlers = {setTimeout: set, setInterval: tick, clearTimeout: clear, clearInterval: clear,
    requestAnimationFrame: draw, cancelAnimationFrame: drop};
  for (const [name, handler] of Object.entries(handlers)) {
    window[name] = new Proxy(window[name], {apply: handler});
  }
  for (const [name, holds] of Object.entries({busy, late, ticking: () => ticking.size + frames.size > 0,
    answering: () => answers.size > 0 && !document.hidden})) {
    me[name] = holds;
    listen(window, NAME + name, event => { if (anyPeer(name)) refuse(event); });
  }
  listen(window, NAME + 'here', refuse);

// include touches.js

  // refused: since the last touch, the page has kept a character that was typed from being written.
  let refused = false;
  const writes = event => event.type === 'beforeinput' || event.type === 'keypress' ||
    event.type === 'keydown' && event.key.length === 1 && !event.ctrlKey && !event.metaKey && !event.altKey;
  listen(window, NAME + 'refused', event => { if (refused) refuse(event); });
  listen(window, 'pointerdown', event => { if (event.isTrusted) refused = false; }, {capture: true, passive: true});
  for (const kind of [...TOUCHES, 'keydown', 'keypress', 'keyup', 'beforeinput', 'input', 'change']) {
    listen(window, kind, event => {
      // A field that is filled at once, and a list, are told of by events that no person brings about.
      if (!event.isTrusted && kind !== 'input' && kind !== 'change') return;
      shared.touched = clock();
      if (!event.isTrusted) return;
      answering = true;
      if (kind === 'keydown') catchUp();
      apply(ever, window, [() => {
        answering = false;
        if (event.defaultPrevented && writes(event)) refused = true;
      }, 0]);
    }, {capture: true, passive: true});
  }

  const hear = event => {
    const at = event.touches && event.touches[0] || event, [hit] = pathOf(event);
    if (!event.isTrusted || !hit) return;
    const asked = new Mouse(NAME + 'touch', {composed: true, cancelable: true,
      detail: stageOf(event) * 2 + begins(event), clientX: at.clientX, clientY: at.clientY});
    if (send(hit, asked)) return;
    refuse(event);
    stop(event);
  };
  for (const kind of TOUCHES) {
    listen(window, kind, hear, {capture: true, passive: false});
  }
})();
