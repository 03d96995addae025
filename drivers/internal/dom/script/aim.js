  // Touches that may reach one element only, and their results.

  // wouldMeet reports whether a touch of hit at a point has the effect of a touch of el. When el has a point of its own
  // to touch, a descendant that reacts by itself does not count.
  const wouldMeet = (root, el, hit, x, y, node) => {
    const reader = new Reader(root, 0);
    if (holds(el, hit) && (el === hit || !node || !node.p)) return true;
    const drawn = store.drawnIn ? store.drawnIn.get(el) : null;
    if (reader.blockerOf(el, hit, {drawnIn: drawn}) !== '') return false;
    if (holds(el, hit)) return true;
    // its own box is not where it is drawn
    if (drawn && (holds(drawn, hit) || sameControl(el, hit) || sameControl(hit, el))) return true;
    const box = reader.box(el, reader.style(el)), near = 1;
    return box.l - near <= x && x <= box.r + near && box.t - near <= y && y <= box.b + near;
  };

// include touches.js

// include presses.js

  // hosts reports whether the shadow tree of host draws el: el is in it, in one within that, or in a slot of it.
  const hosts = (host, el) => {
    for (let n = el; n && n !== host; n = parent(n)) {
      const root = rootOf(n);
      if (typeOf(root) === 11 && hostOf(root) === host) return true;
    }
    return false;
  };
  // component returns the custom element that draws both el, which is in a slot of it, and over; null without one.
  const component = (el, over) => {
    const root = rootOf(over), host = typeOf(root) === 11 ? hostOf(root) : null;
    return host && (rootOf(el) !== root || localName(el) === 'slot') && hosts(host, el) ? host : null;
  };

  const protoOf = el => localName(el) === 'input' ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype;
  // fieldOf returns the text field that an element is or, as a label, names.
  const fieldOf = el => {
    if (!el || !isElement(el)) return null;
    const tag = localName(el), control = tag === 'label' ? prop(el, HTMLLabelElement.prototype, 'control') : el;
    return control && ['input', 'textarea'].includes(localName(control)) ? control : null;
  };
  // Aim lets the next touch through to its target, or to the element that replaced it. All other touches are blocked,
  // before any listener of the page.
  class Aim {
    static EVENTS = [...TOUCHES, WATCH + 'touch'];
    constructor(root, n) {
      n = store.texts.get(n)?.of ?? n;
      this.root = root; this.el = store.refs[n].deref();
      this.node = store.nodes[n];
      this.looks = alike(this.node);
      const twins = store.nodes.filter(other => alike(other) === this.looks);
      this.alone = twins.length === 1;
      this.row = this.alone ? '' : rowOf(this.el);
      if (twins.filter(other => rowOf(store.refs[other.n].deref()) === this.row).length > 1) this.row = '';
      this.result = ''; this.met = '';
      this.press = new Press(root);
      for (const kind of Aim.EVENTS) window.addEventListener(kind, this, {capture: true, passive: false});
    }
    end() { for (const kind of Aim.EVENTS) window.removeEventListener(kind, this, {capture: true}); }
    handleEvent(event) {
      if (event.type === WATCH + 'touch') { // sent by script/watch.js before the page receives the event
        const [hit] = event.composedPath();
        if (!this.result && event.detail % 2) this.judge(hit, event);
        if (this.result === 'missed') event.preventDefault();
        else if (this.result) this.press.hear(event.detail >> 1, hit, event);
        return;
      }
      if (!event.isTrusted) return; // an event that the page created
      this.watchCaret(event);
      if (!this.result && mayStartTouch(event))
        this.judge(event.composedPath()[0], event.touches ? event.touches[0] : event);
      if (this.result !== 'missed') {
        if (this.result) this.press.follow(event, event.composedPath()[0]);
        return;
      }
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    // watchCaret stores what a field contains before a touch, and where the touch puts the caret: later differences are
    // the page's work; see script/typing.js.
    watchCaret(event) {
      if (event.type === 'pointerdown' || event.type === 'touchstart') {
        const field = fieldOf(event.composedPath()[0]) || fieldOf(this.el);
        globalThis.taprootCaret = field ?
          {el: new WeakRef(field), was: prop(field, protoOf(field), 'value'), at: null} : null;
      }
      const kept = globalThis.taprootCaret, field = kept && event.type === 'mouseup' ? kept.el.deref() : null;
      if (field && matches(field, ':focus')) kept.at = prop(field, protoOf(field), 'selectionStart');
    }
    // judge decides whether a touch of hit reaches the target.
    judge(hit, {clientX, clientY}) {
      this.result = 'missed';
      if (!isElement(hit)) return;
      const el = this.el && this.el.isConnected ? this.el : this.heir(hit);
      if (el && wouldMeet(this.root, el, hit, clientX, clientY, this.node)) this.result = 'hit';
      this.met = describe(nameable(hit));
    }
    // judgeHovered is judge for a document without scripts, in which WebKit does not call the listeners of this script
    // either: the mouse has touched what it hovers over.
    judgeHovered() {
      let hit = null;
      for (let root = this.root; root; root = hit && openRoot(hit)) {
        const all = [...typeOf(root) === 9 ? allIn(root, '*') : everyIn(root, '*')];
        const over = all.findLast(n => matches(n, ':hover'));
        if (!over) break;
        hit = over;
      }
      const box = hit && boxOf(rectOf(hit));
      if (hit) this.judge(hit, {clientX: (box.l + box.r) / 2, clientY: (box.t + box.b) / 2});
    }
    // heir returns the replacement of the element, when the page has rendered it again: it is the only one that looks
    // like it, or it is in the only row with the same text.
    heir(hit) {
      const reader = new Reader(this.root, 0);
      for (let n = hit; n && isElement(n); n = parent(n)) {
        if (looksOf(reader, n) === this.looks) return this.alone || this.row && rowOf(n) === this.row ? n : null;
      }
      return null;
    }
  }
  // rowOf returns the text around an element: that of its nearest ancestor with more text than the element.
  const rowOf = el => {
    const own = el ? squeeze(textOf(el)) : '';
    for (let n = el && parent(el), depth = 0; n && isElement(n) && depth < 8; n = parent(n), depth++) {
      const text = squeeze(textOf(n));
      if (text !== own) return text.length < 2000 ? text : '';
    }
    return '';
  };
  // alike returns what identifies the appearance of a node: its tag, role, id, text and name.
  const alike = ({t, r, i, x, d}) => JSON.stringify([t, r || '', i || '', x || '', d || '']);
  // looksOf is alike for an element.
  const looksOf = (reader, n) => {
    const tag = localName(n), role = reader.role(n, tag);
    const text = truncateLong(reader.words(n, tag, role, reader.shown(n, tag)));
    return alike({t: tag, r: role, i: attr(n, 'id'), x: text, d: reader.name(n, tag)});
  };
  let aim = null;
  let aimed = {}; // the result of the last aim that ended
  const FRAMES = new Set(['iframe', 'frame', 'object', 'embed']);
  // holdsFrame reports whether an element is a frame or may contain one.
  const holdsFrame = top => {
    const open = [top];
    for (let n = 0; open.length; n++) {
      const el = open.pop();
      if (n > 2000 || FRAMES.has(localName(el))) return true;
      open.push(...[el, openRoot(el)].filter(Boolean).flatMap(each => children(each).filter(isElement)));
    }
    return false;
  };
