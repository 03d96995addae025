  // Presses without a click, because the pressed element moved away before the release, or the page replaced it or what
  // was pressed in it.

  // Elements that do nothing before they are clicked.
  const CLICKED = 'a[href], area[href], summary, label, button[form], form button:not([type=button]), ' +
    ['submit', 'reset', 'image', 'checkbox', 'radio', 'file', 'color'].map(type => `input[type=${type}]`).join();
  // Press observes the latest press in this document.
  class Press {
    constructor(root) { this.root = root; this.forget(); }
    // forget starts without a press.
    forget() { globalThis.taprootPressed = null; this.downs = []; this.start(null, null); }
    // start notes what is pressed: an element, and the part of it under the pointer.
    start(el, part) {
      this.el = el; this.part = part; this.looks = el && looksOf(new Reader(this.root, 0), el);
      this.clicked = this.moved = this.replaced = this.released = false;
    }
    // listen observes presses from now on; script/aim.js passes its events on instead.
    listen() {
      if (this.listens || scriptless) return;
      this.listens = true;
      for (const kind of [...TOUCHES, WATCH + 'touch'])
        window.addEventListener(kind, this, {capture: true, passive: true});
    }
    handleEvent(event) {
      const [hit] = event.composedPath();
      if (event.type === WATCH + 'touch') this.hear(event.detail >> 1, hit, event);
      else if (event.isTrusted) this.follow(event, hit);
    }
    // follow receives the events of the browser.
    follow(event, hit) {
      if (event.type === 'pointerdown') this.downs = [];
      // the page may call preventDefault later
      if (/^(pointerdown|mousedown|touchstart)$/.test(event.type)) this.downs.push(event);
      this.hear(stageOf(event), hit, event);
    }
    // hear receives each event of a touch: its stage in the press (see stageOf), its target and position.
    hear(stage, hit, {clientX: x, clientY: y}) {
      if (stage === 1 && isElement(hit)) {
        this.start(reacting(new Reader(this.root, 0), hit) || hit, hit);
      } else if (stage === 2 && this.el) {
        const rects = [...rectsOf(this.el)], near = 1, over = hitAt(this.root, x, y);
        this.moved = this.el.isConnected && rects.length > 0 && !(over && holds(this.el, over)) &&
          rects.every(r => x < r.left - near || x > r.right + near || y < r.top - near || y > r.bottom + near);
        if (!this.released) this.findHeir(over);
        this.released = true;
      } else if (stage === 3 && this.el && isElement(hit) && holds(this.el, hit)) {
        this.clicked = true;
      }
    }
    // findHeir finds what replaced the pressed element, or a part of it, at the release: it looks the same.
    findHeir(over) {
      if (this.part.isConnected || !over || !isElement(over)) return;
      const reader = new Reader(this.root, 0);
      for (let n = over; n && isElement(n) && !this.replaced; n = parent(n)) {
        if (n !== this.el && (this.el.isConnected || looksOf(reader, n) !== this.looks)) continue;
        this.el = n;
        this.replaced = true;
      }
    }
    // lost describes the element of a press without a click; sure: it does nothing before it is clicked. An element
    // that has the focus has already acted when it was pressed, and so has one for which the page prevented the default
    // action.
    lost() {
      const el = this.el;
      if (!el || !this.moved && !this.replaced || this.clicked || !el.isConnected || !rectsOf(el).length) return {};
      const sure = matches(el, CLICKED);
      if (!sure && (this.downs.some(event => event.defaultPrevented) || isField(el) && matches(el, ':focus')))
        return {};
      globalThis.taprootPressed = sure && !this.replaced ? [] : [el];
      return {lost: describe(nameable(el)), sure, replaced: this.replaced};
    }
  }
  const isField = el => ['input', 'textarea', 'select'].includes(localName(el)) || editableContent(el);
  let press = null;
