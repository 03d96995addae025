(() => {
  'use strict';
  // A Playwright selector engine that reads instead of selecting: its commands answer with a detached element whose text is
  // JSON. It runs in the isolated world, where a page cannot replace the natives; they are still taken from the prototypes,
  // because a form's or document's own names (<input name=id>) shadow its properties in every world.
  const method = (proto, name) => Function.prototype.call.bind(proto[name]);
  const getter = (proto, name) => Function.prototype.call.bind(Object.getOwnPropertyDescriptor(proto, name).get);
  const attr = method(Element.prototype, 'getAttribute'), has = method(Element.prototype, 'hasAttribute');
  const rectOf = method(Element.prototype, 'getBoundingClientRect'), rectsOf = method(Element.prototype, 'getClientRects');
  const matches = method(Element.prototype, 'matches'), scrollTo = method(Element.prototype, 'scrollIntoView');
  const rendered = method(Element.prototype, 'checkVisibility'), within = method(Node.prototype, 'contains');
  const allIn = method(Document.prototype, 'getElementsByTagName');
  const find = method(Element.prototype, 'querySelector'), rootOf = method(Node.prototype, 'getRootNode');
  const localName = getter(Element.prototype, 'localName'), shadowOf = getter(Element.prototype, 'shadowRoot');
  const typeOf = getter(Node.prototype, 'nodeType'), parentOf = getter(Node.prototype, 'parentNode');
  const firstOf = getter(Node.prototype, 'firstChild'), nextOf = getter(Node.prototype, 'nextSibling');
  const textOf = getter(Node.prototype, 'textContent'), dataOf = getter(CharacterData.prototype, 'data');
  const slotOf = getter(Element.prototype, 'assignedSlot'), assigned = method(HTMLSlotElement.prototype, 'assignedNodes');
  const scrollWidth = getter(Element.prototype, 'scrollWidth'), scrollHeight = getter(Element.prototype, 'scrollHeight');
  const clientWidth = getter(Element.prototype, 'clientWidth'), clientHeight = getter(Element.prototype, 'clientHeight');
  const scrollLeft = getter(Element.prototype, 'scrollLeft'), scrollTop = getter(Element.prototype, 'scrollTop');
  const clientLeft = getter(Element.prototype, 'clientLeft'), clientTop = getter(Element.prototype, 'clientTop');
  const pointIn = {9: method(Document.prototype, 'elementFromPoint'), 11: method(ShadowRoot.prototype, 'elementFromPoint')};
  const activeIn = {9: getter(Document.prototype, 'activeElement'), 11: getter(ShadowRoot.prototype, 'activeElement')};
  const byId = {9: method(Document.prototype, 'getElementById'), 11: method(DocumentFragment.prototype, 'getElementById')};
  const readyState = getter(Document.prototype, 'readyState'), hasFocus = method(Document.prototype, 'hasFocus');
  const rootElement = getter(Document.prototype, 'documentElement'), bodyOf = getter(Document.prototype, 'body'),
    create = method(Document.prototype, 'createElement');
  const contentEditable = getter(HTMLElement.prototype, 'isContentEditable');
  const editableContent = el => { try { return contentEditable(el); } catch { return false; } }; // <svg> is no HTMLElement
  const styleOf = window.getComputedStyle.bind(window);

  const MAX_TEXT = 4096, MAX_MS = 4000, MAX_DEPTH = 200, MAX_LOOK = 10000, MAX_TEXTS = 200, MAX_VALUE = 100000;
  const HIDDEN = 1, DISABLED = 2, CHECKED = 4, SELECTED = 8, FOCUSED = 16, PASSWORD = 32, EDITABLE = 64, CLICKABLE = 128,
    SCROLLABLE = 256, FRAME = 512, OFFSCREEN = 1024;
  const IGNORED = new Set(['script', 'style', 'head', 'meta', 'link', 'title', 'base', 'template', 'noscript', 'param',
    'source', 'track', 'datalist', 'col', 'colgroup']);
  const UNTYPED = new Set(['button', 'submit', 'reset', 'checkbox', 'radio', 'file', 'image', 'range', 'color', 'hidden']);
  const FIELDS = new Set(['input', 'select', 'textarea', 'button', 'meter', 'output', 'progress']);
  const ACTIVE_ROLES = new Set(['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox',
    'menuitemradio', 'option', 'treeitem', 'combobox', 'slider', 'spinbutton', 'gridcell', 'textbox', 'searchbox']);
  const NAMED = new Set(['button', 'a', 'option', 'summary', 'label', 'legend', 'caption', 'th', 'td']);
  const NAMED_ROLES = new Set(['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox',
    'menuitemradio', 'option', 'treeitem', 'heading', 'tooltip']);
  const ROLES = {article: 'article', aside: 'complementary', button: 'button', dialog: 'dialog', fieldset: 'group',
    figure: 'figure', footer: 'contentinfo', form: 'form', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading',
    h5: 'heading', h6: 'heading', header: 'banner', hr: 'separator', img: 'img', li: 'listitem', main: 'main', meter: 'meter',
    nav: 'navigation', ol: 'list', optgroup: 'group', option: 'option', output: 'status', p: 'paragraph',
    progress: 'progressbar', summary: 'button', table: 'table', tbody: 'rowgroup', td: 'cell', textarea: 'textbox',
    tfoot: 'rowgroup', th: 'columnheader', thead: 'rowgroup', tr: 'row', ul: 'list', menu: 'list', iframe: 'iframe'};
  const INPUT_ROLES = {button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox',
    radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox', email: 'textbox', tel: 'textbox',
    text: 'textbox', url: 'textbox', password: 'textbox', file: 'button'};

  const LISTED = new Set(['text', 'search', 'tel', 'url', 'email']); // inputs to which a <datalist> gives suggestions

  const id = Math.random().toString(36).slice(2);
  let store = {gen: '', refs: [], nodes: [], index: new WeakMap()};
  let looked = {nonce: '', elements: []};
  // Whether the browser has drawn the page since its elements were last read: until then, what moves on it stands where it stood.
  let drawn = true;

  const cut = s => s.length > MAX_TEXT ? s.slice(0, MAX_TEXT - 1) + '…' : s;
  const squeeze = s => s.replace(/[ \t\n\r\f]+/g, ' ').trim();
  const isElement = n => typeOf(n) === 1;
  const prop = (el, proto, name) => { try { return getter(proto, name)(el); } catch { return undefined; } };
  // The parent as it is drawn: through slots and out of shadow roots.
  const parent = n => {
    const slot = isElement(n) ? slotOf(n) : null;
    if (slot) return slot;
    const p = parentOf(n);
    return p && typeOf(p) === 11 ? getter(ShadowRoot.prototype, 'host')(p) : p;
  };
  const holds = (outer, inner) => {
    for (let n = inner; n; n = parent(n)) if (n === outer) return true;
    return false;
  };
  const children = el => {
    const list = [];
    if (localName(el) === 'slot') {
      const nodes = assigned(el, {flatten: false});
      if (nodes.length) return nodes;
    }
    for (let n = firstOf(shadowOf(el) || el); n; n = nextOf(n)) list.push(n);
    return list;
  };
  const inputType = el => {
    const t = (attr(el, 'type') || 'text').toLowerCase();
    return prop(el, HTMLInputElement.prototype, 'type') || t;
  };
  const describe = el => {
    const name = attr(el, 'id') ? '#' + attr(el, 'id') : (attr(el, 'class') || '').trim().split(/\s+/).filter(Boolean)
      .slice(0, 2).map(c => '.' + c).join('');
    return (localName(el) + name).slice(0, 120);
  };

  class Reader {
    constructor(root, max) {
      this.root = root; this.max = max; this.count = 0; this.note = ''; this.styles = new Map();
      this.deadline = performance.now() + MAX_MS;
      this.focus = hasFocus(root) ? focused(root) : null;
    }
    style(el) {
      let s = this.styles.get(el);
      if (!s) this.styles.set(el, s = styleOf(el));
      return s;
    }
    inline(el) {
      const d = this.style(el).display;
      return d.startsWith('inline') || d === 'contents' || d.startsWith('ruby');
    }
    // text gives what el shows by itself: its text and that of the inline elements in it; all in it, when whole.
    text(el, whole) {
      const out = [];
      this.collect(el, whole, out, {left: MAX_TEXT * 2, depth: 0});
      return cut(out.join('').split('\n').map(l => l.trim()).filter(Boolean).join('\n'));
    }
    collect(el, whole, out, budget) {
      if (budget.left <= 0 || budget.depth > MAX_DEPTH) return;
      const style = this.style(el);
      for (const n of children(el)) {
        if (typeOf(n) === 3) this.run(n, style, out, budget);
        if (!isElement(n)) continue;
        const tag = localName(n);
        if (tag === 'br') out.push('\n');
        if (IGNORED.has(tag) || tag === 'br') continue;
        if (tag === 'input' || tag === 'select' || tag === 'textarea' || tag === 'iframe') { out.push(' '); continue; }
        const s = this.style(n);
        if (s.display === 'none' || +s.opacity < 0.05) continue;
        const inline = this.inline(n);
        if (!inline) out.push('\n');
        if (inline || whole) { budget.depth++; this.collect(n, whole, out, budget); budget.depth--; }
        if (!inline) out.push('\n');
      }
    }
    run(n, style, out, budget) {
      if (style.visibility !== 'visible' || parseFloat(style.fontSize) === 0 || parseFloat(style.textIndent) < -500) return;
      let s = dataOf(n).slice(0, MAX_TEXT * 4);
      const kept = style.whiteSpace.startsWith('pre') || style.whiteSpace.startsWith('break');
      if (!kept) {
        s = s.replace(/[ \t\n\r\f]+/g, ' ');
        const last = out.length ? out[out.length - 1] : '\n';
        if (s.startsWith(' ') && /[ \n]$/.test(last)) s = s.slice(1);
      }
      if (style.textTransform === 'uppercase') s = s.toUpperCase();
      if (style.textTransform === 'lowercase') s = s.toLowerCase();
      if (s) { out.push(s); budget.left -= s.length; }
    }
    role(el, tag) {
      const said = (attr(el, 'role') || '').trim().split(/\s+/)[0].toLowerCase();
      if (said && said !== 'none' && said !== 'presentation') return said.slice(0, 40);
      if (tag === 'a' || tag === 'area') return has(el, 'href') ? 'link' : '';
      if (tag === 'input') return has(el, 'list') && LISTED.has(inputType(el)) ? 'combobox' : INPUT_ROLES[inputType(el)] || '';
      if (tag === 'select') return has(el, 'multiple') || +attr(el, 'size') > 1 ? 'listbox' : 'combobox';
      return Object.hasOwn(ROLES, tag) ? ROLES[tag] : '';
    }
    // words are what el shows by itself: a field's text, or that in it; of what is named by all that it holds, all of that.
    words(el, tag, role, shown) {
      if (shown !== null) return shown;
      const own = this.text(el, false);
      return own || !NAMED.has(tag) && !NAMED_ROLES.has(role) ? own : this.text(el, true);
    }
    // shown is what a field displays as its text, or null for what is no field.
    shown(el, tag) {
      if (tag === 'textarea') return prop(el, HTMLTextAreaElement.prototype, 'value') || '';
      if (tag === 'select') {
        return [...prop(el, HTMLSelectElement.prototype, 'selectedOptions') || []].map(o => squeeze(textOf(o))).join(', ');
      }
      if (tag !== 'input') return null;
      const type = inputType(el), value = prop(el, HTMLInputElement.prototype, 'value') || '';
      switch (type) {
        case 'password': return '•'.repeat(Math.min(value.length, 64));
        case 'submit': return has(el, 'value') ? value : 'Submit';
        case 'reset': return has(el, 'value') ? value : 'Reset';
        case 'checkbox': case 'radio': case 'image': case 'hidden': case 'color': case 'range': return '';
        case 'file': return value.slice(value.lastIndexOf('\\') + 1);
      }
      return value;
    }
    name(el, tag) {
      const ids = (attr(el, 'aria-labelledby') || '').split(/\s+/).filter(Boolean).slice(0, 10);
      if (ids.length) {
        const root = rootOf(el), get = byId[typeOf(root)];
        const found = get ? ids.map(i => get(root, i)).filter(Boolean) : [];
        const text = squeeze(found.map(e => attr(e, 'aria-label') || this.text(e, true) || textOf(e)).join(' '));
        if (text) return cut(text);
      }
      const said = squeeze(attr(el, 'aria-label') || '');
      if (said) return cut(said);
      if (FIELDS.has(tag)) {
        const labels = [...this.labels(el, tag)].slice(0, 5).map(l => this.text(l, true)).filter(Boolean);
        if (labels.length) return cut(squeeze(labels.join(' ')));
      }
      if (tag === 'img' || tag === 'area' || tag === 'input') {
        const alt = squeeze(attr(el, 'alt') || '');
        if (alt) return cut(alt);
      }
      if (tag === 'svg') {
        const title = find(el, ':scope > title');
        if (title) return cut(squeeze(textOf(title)));
      }
      const title = squeeze(attr(el, 'title') || '');
      return cut(title || !NAMED.has(tag) || textOf(el).trim() ? title : this.drawn(el));
    }
    // drawn is what a style sheet says for an element that has nothing in it but an icon: content: "★" / "Favourite".
    drawn(el) {
      const said = ['::before', '::after'].map(part => /^"[^]*" \/ "([^]*)"$/.exec(styleOf(el, part).content)?.[1] || '');
      return squeeze(said.join(' '));
    }
    labels(el, tag) {
      const protos = {input: HTMLInputElement, select: HTMLSelectElement, textarea: HTMLTextAreaElement,
        button: HTMLButtonElement, meter: HTMLMeterElement, output: HTMLOutputElement, progress: HTMLProgressElement};
      return prop(el, protos[tag].prototype, 'labels') || [];
    }
    editable(el, tag) {
      if (tag === 'input') return !UNTYPED.has(inputType(el)) && !has(el, 'readonly');
      if (tag === 'textarea') return !has(el, 'readonly');
      if (!editableContent(el)) return false;
      const p = parent(el);
      return !(p && isElement(p) && editableContent(p)); // the host alone, not all that it holds
    }
    clickable(el, tag, role, style) {
      if (tag === 'input') return inputType(el) !== 'hidden';
      if (tag === 'a' || tag === 'area') return has(el, 'href') || has(el, 'onclick') || style.cursor === 'pointer';
      if (['button', 'select', 'textarea', 'summary', 'option'].includes(tag)) return true;
      if (tag === 'label') {
        // A label whose own field can be seen leaves the tap to the field: two targets for one name would be ambiguous.
        const control = prop(el, HTMLLabelElement.prototype, 'control');
        if (control) return !this.seen(control);
      }
      if (ACTIVE_ROLES.has(role) || has(el, 'onclick')) return true;
      const tab = attr(el, 'tabindex');
      if (tab !== null && +tab >= 0) return true;
      if (style.cursor !== 'pointer') return false;
      const p = parent(el);
      return !p || !isElement(p) || this.style(p).cursor !== 'pointer';
    }
    seen(el) {
      const r = rectOf(el);
      return r.width > 1 && r.height > 1 && rendered(el, {opacityProperty: true, visibilityProperty: true});
    }
    box(el, style) {
      let r;
      if (style.display === 'contents' && NAMED.has(localName(el))) { // a button without a box is where its words are
        const range = new Range();
        range.selectNodeContents(el);
        r = range.getBoundingClientRect();
      }
      if (style.display === 'inline') {
        // An inline element over several lines: its largest piece, whose centre is on it.
        for (const piece of rectsOf(el)) if (!r || piece.width * piece.height > r.width * r.height) r = piece;
      }
      r = r || rectOf(el);
      return {l: r.left, t: r.top, r: r.right, b: r.bottom};
    }
    read(el, at) {
      const tag = localName(el);
      if (IGNORED.has(tag)) return null;
      const style = this.style(el);
      if (style.display === 'none' || tag === 'input' && inputType(el) === 'hidden') return null;
      if (++this.count > this.max || performance.now() > this.deadline) {
        if (this.max > 0) this.kept = this.count - 1;
        this.note = 'the page has too many elements: the rest is left out';
        this.max = 0;
        return null;
      }
      const full = this.box(el, style);
      const clip = style.position === 'fixed' ? at.fixed : style.position === 'absolute' ? at.absolute : at.flow;
      const box = meet(full, clip.seen);
      const role = this.role(el, tag), shown = this.shown(el, tag), opacity = at.opacity * +style.opacity;
      const inert = at.inert || has(el, 'inert');
      const disabled = inert || at.disabled || matches(el, ':disabled') || attr(el, 'aria-disabled') === 'true';
      const text = this.words(el, tag, role, shown);
      let flags = 0;
      const gone = bare(box) || full.r - full.l <= 1 && full.b - full.t <= 1;
      const away = gone && !bare(full) && !(full.r - full.l <= 1 && full.b - full.t <= 1) && !bare(meet(full, clip.reach));
      if (style.visibility !== 'visible' || opacity < 0.05 || gone && !away || shaved(style) ||
        !rendered(el, {contentVisibilityAuto: false}) && style.display !== 'contents') flags |= HIDDEN;
      else if (away) flags |= OFFSCREEN;
      if (disabled) flags |= DISABLED;
      if (tag === 'input' && prop(el, HTMLInputElement.prototype, 'checked') || attr(el, 'aria-checked') === 'true' ||
        attr(el, 'aria-pressed') === 'true') flags |= CHECKED;
      if (tag === 'option' && prop(el, HTMLOptionElement.prototype, 'selected') || attr(el, 'aria-selected') === 'true') {
        flags |= SELECTED;
      }
      if (el === this.focus) flags |= FOCUSED;
      if (tag === 'input' && inputType(el) === 'password') flags |= PASSWORD;
      if (this.editable(el, tag)) flags |= EDITABLE;
      if (this.clickable(el, tag, role, style)) flags |= CLICKABLE;
      const rootEl = el === rootElement(this.root);
      if (rootEl ? scrollHeight(el) > clientHeight(el) + 1 : scrolls(el, style)) flags |= SCROLLABLE;
      const node = {t: tag, n: store.refs.length, f: flags,
        b: [Math.round(box.l), Math.round(box.t), Math.round(box.r), Math.round(box.b)]};
      if (gone) node.b = [Math.round(full.l), Math.round(full.t), Math.round(full.r), Math.round(full.b)];
      store.refs.push(new WeakRef(el));
      store.nodes.push(node);
      store.index.set(el, node.n);
      put(node, 'r', role); put(node, 'i', attr(el, 'id')); put(node, 'q', attr(el, 'data-testid'));
      put(node, 'x', text); put(node, 'd', this.name(el, tag)); put(node, 'h', attr(el, 'placeholder'));
      if (tag === 'iframe' || tag === 'frame') {
        node.f |= FRAME;
        const w = parseFloat(style.paddingLeft) || 0, h = parseFloat(style.paddingTop) || 0;
        const l = full.l + clientLeft(el) + w, t = full.t + clientTop(el) + h;
        const inner = meet({l, t, r: l + clientWidth(el), b: t + clientHeight(el)}, clip.seen);
        node.o = [l, t, inner.l, inner.t, inner.r, inner.b].map(Math.round);
      }
      if (!(flags & (HIDDEN | OFFSCREEN))) put(node, 'c', this.covered(el, node.b, at.view));
      if (at.depth >= MAX_DEPTH) { this.note = 'the page is nested too deep: the rest is left out'; return node; }
      node.k = this.kids(el, style, {...at, depth: at.depth + 1, opacity, inert,
        disabled: at.disabled || attr(el, 'aria-disabled') === 'true', ...this.clips(el, style, clip, at, rootEl)});
      return node;
    }
    kids(el, style, at) {
      const tag = localName(el), out = [];
      if (tag === 'select' && !(has(el, 'multiple') || +attr(el, 'size') > 1)) return out; // closed: its options are not shown
      for (const n of children(el)) {
        if (!isElement(n)) continue;
        const node = this.read(n, at);
        if (node) out.push(node);
        if (this.count > this.max) break;
      }
      return out;
    }
    // clips works out what the overflow of el cuts off its descendants, by how they are placed.
    clips(el, style, clip, at, rootEl) {
      let flow = clip;
      if (style.display === 'contents') return {flow: at.flow, absolute: at.absolute, fixed: at.fixed};
      const body = localName(el) === 'body';
      if (!rootEl && !body && style.display !== 'inline' && (style.overflowX !== 'visible' || style.overflowY !== 'visible')) {
        const r = rectOf(el), l = r.left + clientLeft(el), t = r.top + clientTop(el);
        const w = clientWidth(el), h = clientHeight(el);
        const cut = {x: style.overflowX !== 'visible', y: style.overflowY !== 'visible'};
        const own = {l: cut.x ? l : -1e9, t: cut.y ? t : -1e9, r: cut.x ? l + w : 1e9, b: cut.y ? t + h : 1e9};
        flow = {seen: meet(own, clip.seen), reach: meet(own, clip.reach)};
        const moves = {x: /auto|scroll/.test(style.overflowX), y: /auto|scroll/.test(style.overflowY)};
        if ((moves.x || moves.y) && !bare(flow.reach)) {
          const area = content(el, style, {l, t, w, h});
          flow.reach = {l: moves.x ? area.l : flow.reach.l, t: moves.y ? area.t : flow.reach.t,
            r: moves.x ? area.r : flow.reach.r, b: moves.y ? area.b : flow.reach.b};
        }
      }
      const holder = style.transform !== 'none' || style.filter !== 'none' || style.perspective !== 'none' ||
        /paint|layout|strict|content/.test(style.contain);
      return {flow, absolute: holder || style.position !== 'static' ? flow : at.absolute, fixed: holder ? flow : at.fixed};
    }
    covered(el, b, view) {
      const l = Math.max(b[0], view.l), t = Math.max(b[1], view.t), r = Math.min(b[2], view.r), d = Math.min(b[3], view.b);
      if (r <= l || d <= t) return '';
      return this.over(el, l + Math.trunc((r - l) / 2), t + Math.trunc((d - t) / 2));
    }
    over(el, x, y) {
      const hit = hitAt(this.root, x, y);
      if (!hit || hit === el || holds(el, hit) || holds(hit, el)) return '';
      if (sameControl(el, hit) || sameControl(hit, el)) return '';
      const target = reacting(this, el);
      if (target && target !== rootElement(this.root) && holds(target, hit)) return '';
      return describe(nameable(hit));
    }
  }

  const put = (node, key, value) => { if (value) node[key] = cut(String(value)); };
  const meet = (a, b) => ({l: Math.max(a.l, b.l), t: Math.max(a.t, b.t), r: Math.min(a.r, b.r), b: Math.min(a.b, b.b)});
  const bare = b => b.r - b.l < 1 || b.b - b.t < 1;
  // content is where everything in a scrolling box lies that scrolling can bring into view.
  const content = (el, s, {l, t, w, h}) => {
    const sw = scrollWidth(el), sh = scrollHeight(el), x = l - scrollLeft(el), y = t - scrollTop(el);
    return s.direction === 'rtl' ? {l: x + w - sw, t: y, r: x + w, b: y + sh} : {l: x, t: y, r: x + sw, b: y + sh};
  };
  const scrolls = (el, s) => /auto|scroll/.test(s.overflowY) && scrollHeight(el) > clientHeight(el) + 1 ||
    /auto|scroll/.test(s.overflowX) && scrollWidth(el) > clientWidth(el) + 1;
  // shaved: cut down to nothing, as texts for screen readers alone are.
  const shaved = s => /^rect\(\s*0(px)?[ ,]+0(px)?[ ,]+0(px)?[ ,]+0(px)?\s*\)$/.test(s.clip) && s.position !== 'static' ||
    /^inset\((50|100)%/.test(s.clipPath);
  const focused = root => {
    let el = activeIn[9](root);
    for (let inner; el && shadowOf(el) && (inner = activeIn[11](shadowOf(el))); el = inner);
    if (!el || localName(el) === 'body' || localName(el) === 'html' || localName(el) === 'iframe') return null;
    return el;
  };
  const hitAt = (root, x, y) => {
    let el = pointIn[9](root, x, y);
    for (let inner; el && shadowOf(el) && (inner = pointIn[11](shadowOf(el), x, y)) && inner !== el; el = inner);
    return el;
  };
  const sameControl = (a, b) => {
    for (let n = a; n && isElement(n); n = parent(n)) {
      if (localName(n) !== 'label') continue;
      const control = prop(n, HTMLLabelElement.prototype, 'control');
      return !!control && (control === b || holds(control, b));
    }
    return false;
  };
  const reacting = (reader, el) => {
    for (let n = el; n && isElement(n); n = parent(n)) {
      if (reader.clickable(n, localName(n), reader.role(n, localName(n)), reader.style(n))) return n;
    }
    return null;
  };
  // nameable is the nearest element around el that has an id or a class, which says more than a bare tag.
  const nameable = el => {
    for (let n = el; n && isElement(n) && localName(n) !== 'body'; n = parent(n)) if (attr(n, 'id')) return n;
    return el;
  };
  // pageArea is where all of a frame's page lies that scrolling can bring into the frame.
  const pageArea = (root, top, own) => {
    const body = bodyOf(root);
    const stuck = [top, body].some(el => el && /hidden|clip/.test(styleOf(el).overflowY));
    if (!top || stuck) return own;
    const x = -window.scrollX, y = -window.scrollY;
    return {l: x, t: y, r: x + Math.max(scrollWidth(top), own.r), b: y + Math.max(scrollHeight(top), own.b)};
  };
  // zoom: where the part of the page that the screen shows begins, and how much larger or smaller it is shown.
  const zoom = () => {
    const v = window.visualViewport;
    return v ? [v.offsetLeft, v.offsetTop, v.scale] : [0, 0, 1];
  };
  const state = root => ({doc: id, ready: readyState(root), url: String(location.href).slice(0, 2000)});
  // strikes tells whether a touch that meets hit at a point does what a touch of el would.
  const strikes = (root, el, hit, x, y) => {
    if (holds(el, hit)) return true;
    const reader = new Reader(root, 0), box = reader.box(el, reader.style(el));
    const inside = box.l - 1 <= x && x <= box.r + 1 && box.t - 1 <= y && y <= box.b + 1;
    return inside && reader.over(el, x, y) === '';
  };

  // Aim lets the next touch of the page through to the element that it is meant for, or to the one that the page has put in its
  // place. A touch that would meet anything else reaches nobody.
  class Aim {
    static EVENTS = ['pointerdown', 'mousedown', 'touchstart', 'pointerup', 'mouseup', 'touchend', 'click', 'auxclick', 'dblclick',
      'contextmenu'];
    constructor(root, n) {
      this.root = root; this.el = store.refs[n].deref();
      const looks = alike(store.nodes[n]);
      this.looks = store.nodes.filter(other => alike(other) === looks).length === 1 ? looks : null;
      this.verdict = ''; this.met = '';
      for (const kind of Aim.EVENTS) window.addEventListener(kind, this, {capture: true, passive: false});
    }
    end() { for (const kind of Aim.EVENTS) window.removeEventListener(kind, this, {capture: true}); }
    handleEvent(event) {
      if (!event.isTrusted) return; // of the page's own making
      if (!this.verdict) this.judge(event.composedPath()[0], event.touches ? event.touches[0] : event);
      if (this.verdict !== 'missed') return;
      event.preventDefault();
      event.stopImmediatePropagation();
    }
    judge(hit, {clientX, clientY}) {
      this.verdict = 'missed';
      if (!isElement(hit)) return;
      const el = this.el && this.el.isConnected ? this.el : this.heir(hit);
      if (el && strikes(this.root, el, hit, clientX, clientY)) this.verdict = 'hit';
      this.met = describe(nameable(hit));
    }
    // heir is what a page that draws itself anew has put in the element's place: it looks as only that one did.
    heir(hit) {
      const reader = new Reader(this.root, 0);
      const looks = n => {
        const tag = localName(n), role = reader.role(n, tag);
        return alike({t: tag, r: role, i: attr(n, 'id'), x: cut(reader.words(n, tag, role, reader.shown(n, tag))), d: reader.name(n, tag)});
      };
      for (let n = hit; this.looks && n && isElement(n); n = parent(n)) if (looks(n) === this.looks) return n;
      return null;
    }
  }
  const alike = ({t, r, i, x, d}) => JSON.stringify([t, r || '', i || '', x || '', d || '']);
  let aim = null;

  const deref = (gen, n) => {
    const el = store.gen === gen && store.refs[n] ? store.refs[n].deref() : null;
    if (!el || !el.isConnected) throw new Error('taproot: stale reference');
    return el;
  };

  const commands = {
    // tree.<gen>.<max>[.<view and clip: 8 numbers>]: the elements of this document.
    tree(root, [gen, max, ...box]) {
      const undrawn = !drawn;
      drawn = false;
      requestAnimationFrame(() => { drawn = true; });
      store = {gen, refs: [], nodes: [], index: new WeakMap()};
      const reader = new Reader(root, Math.min(+max, 20000));
      const all = {l: -1e9, t: -1e9, r: 1e9, b: 1e9}, n = box.map(Number);
      const own = {l: 0, t: 0, r: window.innerWidth, b: window.innerHeight};
      const view = n.length === 8 ? meet({l: n[0], t: n[1], r: n[2], b: n[3]}, own) : own;
      const top = rootElement(root);
      // In a frame, only its own box is seen of its page; the page itself may be scrolled in it.
      const seen = n.length === 8 ? meet({l: n[4], t: n[5], r: n[6], b: n[7]}, own) : all;
      const clip = {seen, reach: n.length === 8 ? pageArea(root, top, own) : all};
      const at = {flow: clip, absolute: clip, fixed: {seen, reach: n.length === 8 ? own : all}, view, depth: 0, opacity: 1, inert: false, disabled: false};
      const node = top ? reader.read(top, at) : null;
      if (reader.note && reader.kept !== undefined) {
        const more = allIn(root, '*').length - reader.kept; // those that nobody sees are among them
        if (more > 0) reader.note = `the page has too many elements: about ${more} more are left out`;
      }
      return {...state(root), w: window.innerWidth, h: window.innerHeight, zoom: zoom(),
        note: reader.note, count: reader.count, undrawn, root: node};
    },
    // hit.<gen>.<n>.<x,y;x,y…>: what lies over these points of frame n, "" where nothing does.
    hit(root, [gen, n, points]) {
      const frame = deref(gen, +n), reader = new Reader(root, 0);
      return points.split(';').map(p => { const [x, y] = p.split(',').map(Number); return reader.over(frame, x, y); });
    },
    // reveal.<gen>.<n>: scrolls element n into view.
    reveal(root, [gen, n]) {
      scrollTo(deref(gen, +n), {block: 'center', inline: 'center', behavior: 'instant'});
      return {};
    },
    // aim.<gen>.<n>: the next touch may meet element n only.
    aim(root, [gen, n]) {
      if (aim) aim.end();
      aim = null;
      if (store.gen !== gen || !store.nodes[n]) throw new Error('taproot: stale reference');
      aim = new Aim(root, +n);
      return {};
    },
    // aimed: what became of the touch: "hit", "missed", or "" when it did not come here.
    aimed() {
      if (aim) aim.end();
      const answer = aim ? {verdict: aim.verdict, met: aim.met} : {};
      aim = null;
      return answer;
    },
    // zoom: how the page is placed on the screen.
    zoom() { return {zoom: zoom()}; },
    // report.<nonce>: what look.<nonce> met in this same evaluation.
    report(root, [nonce]) {
      const elements = looked.nonce === nonce ? looked.elements : [];
      looked = {nonce: '', elements: []};
      const reader = new Reader(root, 0), texts = [], refs = [], values = [];
      let visible = 0;
      for (const el of elements) {
        if (store.index.has(el)) refs.push(store.index.get(el));
        if (!reader.seen(el) && !partSeen(reader, el)) continue;
        visible++;
        if (texts.length < MAX_TEXTS) {
          const tag = localName(el), shown = reader.shown(el, tag);
          texts.push(shown === null ? reader.text(el, true) : cut(shown));
          const v = held(el, tag);
          if (v !== undefined) values.push({v: String(v).slice(0, MAX_VALUE), s: tag === 'input' && inputType(el) === 'password'});
        }
      }
      const only = elements.length === 1 && visible === 1 ? readiness(root, reader, elements[0]) : {};
      return {...state(root), count: elements.length, visible, texts, values, gen: store.gen, refs, ...only,
        what: elements.slice(0, 10).map(el => describe(el) + ' ' + JSON.stringify(reader.text(el, true).slice(0, 60)))};
    },
  };
  // held is the value of a field, undefined for what has none.
  const held = (el, tag) => {
    const proto = {input: HTMLInputElement, select: HTMLSelectElement, textarea: HTMLTextAreaElement, option: HTMLOptionElement,
      button: HTMLButtonElement, meter: HTMLMeterElement, output: HTMLOutputElement, progress: HTMLProgressElement}[tag];
    return proto && prop(el, proto.prototype, 'value');
  };
  // readiness tells, without waiting, whether an element could be acted on now. Whether it moves is not among it.
  const readiness = (root, reader, el) => {
    const tag = localName(el), box = reader.box(el, reader.style(el));
    const covered = reader.covered(el, [box.l, box.t, box.r, box.b], {l: 0, t: 0, r: window.innerWidth, b: window.innerHeight});
    return {able: !matches(el, ':disabled') && attr(el, 'aria-disabled') !== 'true' && covered === '', covered,
      field: ['input', 'textarea', 'select'].includes(tag) || editableContent(el)};
  };
  // partSeen: display:contents has no box of its own, its children have.
  const partSeen = (reader, el) => reader.style(el).display === 'contents' &&
    children(el).some(n => isElement(n) ? reader.seen(n) : typeOf(n) === 3 && dataOf(n).trim() !== '');
  const answer = (root, value) => {
    const holder = create(typeOf(root) === 9 ? root : document, 'p');
    holder.textContent = JSON.stringify(value);
    return [holder];
  };
  return {
    query(root, body) { return this.queryAll(root, body)[0] || null; },
    queryAll(root, body) {
      const [name, ...args] = body.split('.');
      if (name === 'ref') return [deref(args[0], +args[1])];
      if (name === 'look') {
        if (looked.nonce !== args[0]) looked = {nonce: args[0], elements: []};
        if (isElement(root) && looked.elements.length < MAX_LOOK) looked.elements.push(root);
        return [];
      }
      if (!Object.hasOwn(commands, name)) throw new Error('taproot: unknown command');
      const top = typeOf(root) === 9 ? root : document;
      return answer(top, commands[name](top, args));
    },
  };
})()
