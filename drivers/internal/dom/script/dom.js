  // The page as reports store it: its elements with attributes, boxes and styles, and its texts with boxes. It contains
  // no markup, and the viewer loads nothing.
  const DOM_BOX = ['display', 'position', 'z-index', 'overflow', 'visibility', 'opacity', 'background-color',
    'background-image', 'border', 'border-radius',
    'padding', 'box-shadow', 'pointer-events'];
  const DOM_TEXT = ['color', 'font', 'text-align', 'text-transform', 'text-decoration-line', 'white-space'];
  const DOM_MAX = {nodes: 4000, chars: 600000, attrs: 30, attr: 300, text: 2000, frames: 20, ms: 400};
  const DOM_SKIPPED = new Set(['script', 'style', 'link', 'meta', 'base', 'noscript', 'template', 'head', 'title']);
  const DOM_REPLACED = new Set(
    ['img', 'canvas', 'video', 'svg', 'object', 'embed', 'iframe', 'frame', 'audio', 'progress', 'meter']);
  let domKept = {id: 0, text: ''};

  class DomReader {
    constructor(root) {
      this.root = root; this.nodes = []; this.styles = []; this.known = new Map(); this.left = DOM_MAX.chars;
      this.more = 0; this.frames = 0;
      this.until = performance.now() + DOM_MAX.ms;
      this.range = new Range();
    }
    // all returns the page.
    all() {
      const top = rootElement(this.root);
      if (top) this.element(top, -1, 0, 0, 0);
      return {w: window.innerWidth, h: window.innerHeight, url: String(location.href).slice(0, 500),
        props: DOM_BOX.concat(DOM_TEXT), styles: this.styles, nodes: this.nodes, more: this.more};
    }
    // hasBudget reports whether the limits of nodes, characters and time allow another node.
    hasBudget() { return this.nodes.length < DOM_MAX.nodes && this.left > 0 && performance.now() < this.until; }
    // push adds a node and returns its index.
    push(node, chars) { this.left -= chars + 40; return this.nodes.push(node) - 1; }
    // element adds an element and its descendants; up is the index of its parent, dx and dy the offset of its frame.
    element(el, up, depth, dx, dy) {
      const tag = localName(el);
      if (!this.hasBudget() || depth > MAX_DEPTH) { this.more++; return; }
      const node = {p: up, t: tag.slice(0, 60)}, attrs = this.attributes(el, tag);
      if (attrs.length) node.a = attrs;
      const at = this.push(node, attrs.join('').length);
      if (DOM_SKIPPED.has(tag)) return;
      const style = styleOf(el);
      if (style.display === 'none') { node.f = 1; return; }
      const r = rectOf(el);
      node.b = [r.left + dx, r.top + dy, r.width, r.height].map(Math.round);
      // A style takes as much space as everything else together, so only elements in the window have one.
      const seen = r.bottom + dy > 0 && r.top + dy < window.innerHeight && r.right + dx > 0 &&
        r.left + dx < window.innerWidth;
      const value = this.value(el, tag), kids = value === undefined ? children(el) : [];
      if (seen) node.s = this.style(style, value || kids.some(n => typeOf(n) === 3 && /\S/.test(dataOf(n))));
      const far = r.width > 0 && r.height > 0 &&
        (r.bottom + dy < -window.innerHeight || r.top + dy > 2 * window.innerHeight ||
        r.right + dx < -window.innerWidth || r.left + dx > 2 * window.innerWidth);
      if (value) this.text(value, at, node.b, 0);
      if (far || value !== undefined) { if (far) node.f = 2; return; }
      const inner = tag === 'iframe' || tag === 'frame' ? this.inner(el) : null;
      if (inner) {
        this.element(inner, at, depth + 1, dx + r.left + clientLeft(el), dy + r.top + clientTop(el));
        return;
      }
      if (DOM_REPLACED.has(tag)) { node.f = 4; return; }
      if (shadowOf(el)) node.f = 8;
      for (const n of kids) {
        if (isElement(n)) this.element(n, at, depth + 1, dx, dy);
        else if (typeOf(n) === 3) this.run(n, at, dx, dy, seen);
      }
    }
    // attributes returns names and values, without event handlers and secrets.
    attributes(el, tag) {
      const out = [], secretly = tag === 'input' && /^(password|hidden)$/.test(inputType(el));
      for (const name of namesOf(el).slice(0, DOM_MAX.attrs)) {
        if (/^on|^(nonce|srcdoc|style)$/i.test(name) || secretly && name === 'value') continue;
        const v = attr(el, name) || '';
        out.push(name.slice(0, 80),
          /^\s*data:/i.test(v) ? v.slice(0, 40) + '…' :
            v.length > DOM_MAX.attr ? v.slice(0, DOM_MAX.attr) + '…' : v);
      }
      return out;
    }
    // value returns what a field shows, undefined for other elements.
    value(el, tag) {
      if (tag !== 'input' && tag !== 'textarea' && tag !== 'select') return undefined;
      if (tag === 'select') {
        const o = prop(el, HTMLSelectElement.prototype, 'selectedOptions');
        return o && o.length ? squeeze(textOf(o[0])) : '';
      }
      const type = tag === 'input' ? inputType(el) : '', v = String(valueOf(el, tag) || '');
      if (type === 'password') return '•'.repeat(Math.min(v.length, 12));
      return /^(hidden|checkbox|radio|range|color|file|image)$/.test(type) ? '' : v || attr(el, 'placeholder') || '';
    }
    // inner returns the root element of the page in a frame, null when it cannot be read.
    inner(el) {
      const doc = ++this.frames <= DOM_MAX.frames ? prop(el, HTMLIFrameElement.prototype, 'contentDocument') : null;
      try { return doc ? rootElement(doc) : null; } catch { return null; }
    }
    // style returns the index of a style; says: the element has text.
    style(style, says) {
      const read = name => {
        const v = style.getPropertyValue(name);
        return v.length > 200 || v.includes('url(') ? v.replace(/url\([^)]*\)/g, 'url(…)').slice(0, 200) : v;
      };
      const values = DOM_BOX.map(read);
      // the sides differ
      if (values[8] === '')
        values[8] = ['border-top', 'border-right', 'border-bottom', 'border-left'].map(read).join(' / ');
      if (says) values.push(...DOM_TEXT.map(read));
      const key = values.join('\n');
      let n = this.known.get(key);
      if (n === undefined) { this.known.set(key, n = this.styles.push(values) - 1); this.left -= key.length; }
      return n;
    }
    // run adds a text node with the box in which it is drawn.
    run(n, up, dx, dy, seen) {
      const data = dataOf(n);
      if (!/\S/.test(data)) return;
      if (!this.hasBudget()) { this.more++; return; }
      if (!seen) { this.text(data, up); return; }
      this.range.selectNodeContents(n);
      let box = null, first = null;
      for (const r of this.range.getClientRects()) if (r.width > 0) { first = first || r; box = union(box, boxOf(r)); }
      if (box)
        this.text(data, up, [box.l + dx, box.t + dy, box.r - box.l, box.b - box.t].map(Math.round),
          Math.round(first.left - box.l), box.b - box.t > 1.6 * first.height);
    }
    text(data, up, box, indent, lines) {
      const node = {p: up, x: data.length > DOM_MAX.text ? data.slice(0, DOM_MAX.text) + '…' : data};
      if (box) node.b = box;
      if (indent) node.i = indent;
      if (lines) node.l = 1;
      this.push(node, node.x.length);
    }
  }
