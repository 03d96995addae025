  // What a page waits for in addition to timers: an answer to a message, a page in a frame, an image, an idle callback.
  // Each counts for at most HOLD milliseconds.
  const HOLD = 1500, held = new Map();
  // hold starts a wait, release ends it, holding reports whether one is pending.
  const hold = (key, most) => { if (held.size < MANY) held.set(key, now() + Math.min(most, HOLD)); };
  const release = key => { if (held.delete(key)) endedAt = now(); };
  const holding = () => {
    for (const [key, end] of held) if (end < now()) held.delete(key);
    return held.size > 0;
  };
  const once = new WeakMap(); // targets with events that already end their wait
  // until ends the wait key at the first of some events of a target.
  const until = (target, kinds, key) => {
    if (once.has(target)) return;
    once.set(target, true);
    for (const kind of kinds) listen(target, kind, () => release(key));
  };
  // wrap makes a handler receive the calls of a method or setter.
  const wrap = (owner, name, handler) => {
    const was = owner && Object.getOwnPropertyDescriptor(owner, name);
    const change = (part, from) =>
      Object.defineProperty(owner, name, {...was, [part]: new Proxy(from, {apply: handler})});
    if (was && typeof was.value === 'function') change('value', was.value);
    if (was && was.set) change('set', was.set);
  };
  const proto = name => typeof window[name] === 'function' ? window[name].prototype : null;

  // A message counts until the next one arrives on the same channel.
  const sendAndWait = (target, self, args) => {
    const value = apply(target, self, args);
    hold(self, HOLD);
    until(self, ['message', 'close', 'error'], self);
    return value;
  };
  wrap(proto('WebSocket'), 'send', sendAndWait);
  wrap(proto('RTCDataChannel'), 'send', sendAndWait);
  for (const name of ['Worker', 'BroadcastChannel']) wrap(proto(name), 'postMessage', sendAndWait);
  wrap(proto('ServiceWorker'), 'postMessage', (target, self, args) => {
    const value = apply(target, self, args);
    hold(navigator.serviceWorker, HOLD);
    until(navigator.serviceWorker, ['message'], navigator.serviceWorker);
    return value;
  });
  // When both ends of a channel are in this window, only the message itself is awaited: some pages use channels as
  // timers.
  const others = new WeakMap(), depths = new WeakMap();
  if (typeof MessageChannel === 'function') {
    window.MessageChannel = new Proxy(MessageChannel, {construct: (target, args, made) => {
      const channel = Reflect.construct(target, args, made), {port1, port2} = channel;
      for (const [port, other] of [[port1, port2], [port2, port1]]) {
        others.set(port, other);
        listen(port, 'message', () => {
          depth = depths.get(other) || 0;
          apply(nativeTimeout, window, [() => { depth = 0; }, 0]);
          release(other);
          release(port);
        });
      }
      return channel;
    }});
  }
  wrap(proto('MessagePort'), 'postMessage', (target, self, args) => {
    const value = apply(target, self, args);
    depths.set(self, depth + 1);
    if (depth + 1 > DEEP) return value;
    hold(self, HOLD);
    if (!others.has(self)) until(self, ['message'], self);
    return value;
  });

  // Other APIs with the effect of timers.
  wrap(proto('Scheduler'), 'postTask', (target, self, args) => {
    const [work, how] = args, delay = Number(how && how.delay) || 0, deep = depth + 1, key = {};
    const counts = typeof work === 'function' && deep <= DEEP && delay <= LONG && pending.size <= MANY;
    if (!counts) return apply(target, self, args);
    pending.set(key, now() + delay);
    // an invalid signal makes the call itself throw
    if (how && how.signal) try { listen(how.signal, 'abort', () => done(key)); } catch {}
    const run = function () {
      depth = deep;
      try { return apply(work, this, arguments); } finally { depth = 0; done(key); }
    };
    try { return apply(target, self, [run, ...args.slice(1)]); } catch (error) { done(key); throw error; }
  });
  wrap(typeof AbortSignal === 'function' ? AbortSignal : null, 'timeout', (target, self, args) => {
    const signal = apply(target, self, args), delay = Number(args[0]) || 0;
    if (delay > LONG || depth >= DEEP) return signal;
    pending.set(signal, now() + delay);
    listen(signal, 'abort', () => apply(nativeTimeout, window, [() => done(signal), 0]));
    apply(nativeTimeout, window, [() => done(signal), delay + AFTER]);
    return signal;
  });
  wrap(window, 'requestIdleCallback', (target, self, args) => {
    const [work] = args, deep = depth + 1, key = {};
    if (typeof work !== 'function' || deep > DEEP) return apply(target, self, args);
    hold(key, LONG);
    const run = function () {
      depth = deep;
      try { return apply(work, this, arguments); } finally { depth = 0; release(key); }
    };
    const id = apply(target, self, [run, ...args.slice(1)]);
    idle.set(id, key);
    return id;
  });
  const idle = new Map();
  wrap(window, 'cancelIdleCallback', (target, self, args) => {
    release(idle.get(args[0]));
    idle.delete(args[0]);
    return apply(target, self, args);
  });
  // A view transition changes the page once the screen before it is captured.
  wrap(proto('Document'), 'startViewTransition', (target, self, args) => {
    const [how] = args, key = {}, work = typeof how === 'function' ? how : how && how.update;
    if (typeof work !== 'function') return apply(target, self, args);
    hold(key, HOLD);
    const run = function () { try { return apply(work, this, arguments); } finally { release(key); } };
    try { return apply(target, self, [work === how ? run : {...how, update: run}]); } catch (error) {
      release(key);
      throw error;
    }
  });

  // What is loaded after a touch: an image that a script creates, a page in a frame.
  const loadAndWait = (target, self, args) => {
    const value = apply(target, self, args);
    if (touchedNow()) {
      hold(self, HOLD);
      until(self, ['load', 'error'], self);
    }
    return value;
  };
  wrap(proto('HTMLImageElement'), 'src', loadAndWait);
  for (const name of ['src', 'srcdoc']) wrap(proto('HTMLIFrameElement'), name, loadAndWait);
  // leads starts a wait for the page in the frames of a name.
  const waitForFrame = target => {
    for (const frame of target ? named(document, target) : []) {
      hold(frame, HOLD);
      until(frame, ['load'], frame);
    }
  };
  wrap(proto('HTMLFormElement'), 'submit', (target, self, args) => {
    waitForFrame(attr(self, 'target'));
    return apply(target, self, args);
  });
  const follow = event => {
    const sent = event.type === 'submit', button = sent && event.submitter;
    const by = sent ? button && attr(button, 'formtarget') || attr(event.target, 'target') :
      pathOf(event).map(n => n.localName === 'a' && attr(n, 'target')).find(Boolean);
    if (by) apply(nativeTimeout, window, [() => { if (!event.defaultPrevented) waitForFrame(by); }, 0]);
  };
  for (const kind of ['submit', 'click']) listen(window, kind, follow, {capture: true, passive: true});
