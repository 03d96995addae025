  // What a touch may meet, and what it has met.

  // wouldMeet tells whether a touch that meets hit at a point does what a touch of el would. An element that has a
  // place of its own is not to be met by way of something in it that reacts by itself.
  const wouldMeet = (root, el, hit, x, y, node) => {
    const reader = new Reader(root, 0);
    if (holds(el, hit) && (el === hit || !node || !node.p)) return true;
    const drawn = store.drawnIn ? store.drawnIn.get(el) : null;
    if (reader.taken(el, hit, {drawnIn: drawn}) !== '') return false;
    if (holds(el, hit)) return true;
    // its own box is not where it is drawn
    if (drawn && (holds(drawn, hit) || sameControl(el, hit) || sameControl(hit, el))) return true;
    const box = reader.box(el, reader.style(el)), near = 1;
    return box.l - near <= x && x <= box.r + near && box.t - near <= y && y <= box.b + near;
  };

// include touches.js

// include presses.js

  // hosts: el is drawn by the shadow tree of host: it is in it, in one within that, or in a slot of it.
  const hosts = (host, el) => {
    for (let n = el; n && n !== host; n = parent(n)) {
      const root = rootOf(n);
      if (typeOf(root) === 11 && hostOf(root) === host) return true;
    }
    return false;
  };
  // component is the element that draws both el, which is in a slot of it, and over.
  const component = (el, over) => {
    const root = rootOf(over), host = typeOf(root) === 11 ? hostOf(root) : null;
    return host && (rootOf(el) !== root || localName(el) === 'slot') && hosts(host, el) ? host : null;
  };

  const protoOf = el => localName(el) === 'input' ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype;
  // fieldOf is the field that an element is, or names.
  const fieldOf = el => {
    if (!el || !isElement(el)) return null;
    const tag = localName(el), control = tag === 'label' ? prop(el, HTMLLabelElement.prototype, 'control') : el;
    return control && ['input', 'textarea'].includes(localName(control)) ? control : null;
  };
  // Aim lets the next touch of the page through to the element that it is meant for, or to the one that the page has
  // put in its place. A touch that would meet anything else reaches nobody.
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
      if (event.type === WATCH + 'touch') { // asked by script/watch.js, before the page hears of the touch
        const [hit] = event.composedPath();
        if (!this.result && event.detail % 2) this.judge(hit, event);
        if (this.result === 'missed') event.preventDefault();
        else if (this.result) this.press.hear(event.detail >> 1, hit, event);
        return;
      }
      if (!event.isTrusted) return; // of the page's own making
      this.watchCaret(event);
      if (!this.result && begins(event)) this.judge(event.composedPath()[0], event.touches ? event.touches[0] : event);
      if (this.result !== 'missed') {
        if (this.result) this.press.follow(event, event.composedPath()[0]);
        return;
      }
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    // watchCaret keeps what a field holds before a touch, and where the touch puts the caret: what is different later
    // is the page's doing; see script/typing.js.
    watchCaret(event) {
      if (event.type === 'pointerdown' || event.type === 'touchstart') {
        const field = fieldOf(event.composedPath()[0]) || fieldOf(this.el);
        globalThis.taprootCaret = field ?
          {el: new WeakRef(field), was: prop(field, protoOf(field), 'value'), at: null} : null;
      }
      const kept = globalThis.taprootCaret, field = kept && event.type === 'mouseup' ? kept.el.deref() : null;
      if (field && matches(field, ':focus')) kept.at = prop(field, protoOf(field), 'selectionStart');
    }
    judge(hit, {clientX, clientY}) {
      this.result = 'missed';
      if (!isElement(hit)) return;
      const el = this.el && this.el.isConnected ? this.el : this.heir(hit);
      if (el && wouldMeet(this.root, el, hit, clientX, clientY, this.node)) this.result = 'hit';
      this.met = describe(nameable(hit));
    }
    // heir is what a page that draws itself anew has put in the element's place: it looks as only that one did, or
    // stands in a row that reads as only that one's did.
    heir(hit) {
      const reader = new Reader(this.root, 0);
      const looks = n => {
        const tag = localName(n), role = reader.role(n, tag);
        const text = long(reader.words(n, tag, role, reader.shown(n, tag)));
        return alike({t: tag, r: role, i: attr(n, 'id'), x: text, d: reader.name(n, tag)});
      };
      for (let n = hit; n && isElement(n); n = parent(n)) {
        if (looks(n) === this.looks) return this.alone || this.row && rowOf(n) === this.row ? n : null;
      }
      return null;
    }
  }
  // rowOf is what is read around an element: the text of the first thing that holds more than the element itself.
  const rowOf = el => {
    const own = el ? squeeze(textOf(el)) : '';
    for (let n = el && parent(el), depth = 0; n && isElement(n) && depth < 8; n = parent(n), depth++) {
      const text = squeeze(textOf(n));
      if (text !== own) return text.length < 2000 ? text : '';
    }
    return '';
  };
  const alike = ({t, r, i, x, d}) => JSON.stringify([t, r || '', i || '', x || '', d || '']);
  let aim = null;
  const FRAMES = new Set(['iframe', 'frame', 'object', 'embed']);
  // holdsFrame: whether an element is a frame or one may lie in it.
  const holdsFrame = top => {
    const open = [top];
    for (let n = 0; open.length; n++) {
      const el = open.pop();
      if (n > 2000 || FRAMES.has(localName(el))) return true;
      open.push(...[el, openRoot(el)].filter(Boolean).flatMap(each => children(each).filter(isElement)));
    }
    return false;
  };
