(() => {
  'use strict';
  // A Playwright selector engine that reads the page instead of selecting elements: its commands return a detached
  // element with JSON as its text. It runs in the isolated world, where a page cannot replace the native methods. They
  // are still taken from the prototypes, because the names of controls (<input name=id>) shadow the properties of a
  // form or document in every world.
  const method = (proto, name) => Function.prototype.call.bind(proto[name]);
  const getter = (proto, name) => Function.prototype.call.bind(Object.getOwnPropertyDescriptor(proto, name).get);
  const attr = method(Element.prototype, 'getAttribute'), has = method(Element.prototype, 'hasAttribute');
  const rectOf = method(Element.prototype, 'getBoundingClientRect'),
    rectsOf = method(Element.prototype, 'getClientRects');
  const matches = method(Element.prototype, 'matches'), scrollTo = method(Element.prototype, 'scrollIntoView');
  const allIn = method(Document.prototype, 'getElementsByTagName');
  const find = method(Element.prototype, 'querySelector'), every = method(Element.prototype, 'querySelectorAll'),
    everyIn = method(DocumentFragment.prototype, 'querySelectorAll'), rootOf = method(Node.prototype, 'getRootNode');
  const localName = getter(Element.prototype, 'localName'), openRoot = getter(Element.prototype, 'shadowRoot');
  const typeOf = getter(Node.prototype, 'nodeType'), parentOf = getter(Node.prototype, 'parentNode');
  const priorOf = getter(Node.prototype, 'previousSibling');
  const firstOf = getter(Node.prototype, 'firstChild'), nextOf = getter(Node.prototype, 'nextSibling');
  const textOf = getter(Node.prototype, 'textContent'), dataOf = getter(CharacterData.prototype, 'data');
  const slotOf = getter(Element.prototype, 'assignedSlot'),
    assigned = method(HTMLSlotElement.prototype, 'assignedNodes');
  const scrollWidth = getter(Element.prototype, 'scrollWidth'),
    scrollHeight = getter(Element.prototype, 'scrollHeight');
  const clientWidth = getter(Element.prototype, 'clientWidth'),
    clientHeight = getter(Element.prototype, 'clientHeight');
  const scrollLeft = getter(Element.prototype, 'scrollLeft'), scrollTop = getter(Element.prototype, 'scrollTop');
  const clientLeft = getter(Element.prototype, 'clientLeft'), clientTop = getter(Element.prototype, 'clientTop');
  const stackIn = {
    9: method(Document.prototype, 'elementsFromPoint'), 11: method(ShadowRoot.prototype, 'elementsFromPoint')};
  const pointIn = {
    9: method(Document.prototype, 'elementFromPoint'), 11: method(ShadowRoot.prototype, 'elementFromPoint')};
  const activeIn = {9: getter(Document.prototype, 'activeElement'), 11: getter(ShadowRoot.prototype, 'activeElement')};
  const byId = {
    9: method(Document.prototype, 'getElementById'), 11: method(DocumentFragment.prototype, 'getElementById')};
  const readyState = getter(Document.prototype, 'readyState'), hasFocus = method(Document.prototype, 'hasFocus');
  const rootElement = getter(Document.prototype, 'documentElement'), bodyOf = getter(Document.prototype, 'body'),
    create = method(Document.prototype, 'createElement');
  const contentEditable = getter(HTMLElement.prototype, 'isContentEditable');
  // an <svg> is not an HTMLElement
  const editableContent = el => { try { return contentEditable(el); } catch { return false; } };
  const styleOf = window.getComputedStyle.bind(window);
  // hasBox reports whether an element has a box. Safari supports checkVisibility since version 17.4.
  const hasBox = 'checkVisibility' in Element.prototype ? method(Element.prototype, 'checkVisibility') :
    (el, checks = {}) => {
      if (!rectsOf(el).length || checks.visibilityProperty && styleOf(el).visibility !== 'visible') return false;
      for (let n = checks.opacityProperty ? el : null; n && isElement(n); n = parent(n))
        if (+styleOf(n).opacity === 0) return false;
      return true;
    };
  // inListBox reports whether an element is an entry in the view of a list box (<select size>), which WebKit draws
  // without a box of its own.
  const inListBox = el => {
    if (localName(el) !== 'option' && localName(el) !== 'optgroup') return false;
    const up = parent(el), select = up && localName(up) === 'optgroup' ? parent(up) : up;
    if (!select || localName(select) !== 'select' || !rectsOf(el).length) return false;
    if (styleOf(el).display === 'none') return false;
    const of = rectsOf(el)[0], middle = (of.top + of.bottom) / 2, around = rectsOf(select)[0];
    return of.height > 0 && !!around && hasBox(select) && middle > around.top && middle < around.bottom;
  };
  const rendered = (el, checks) => hasBox(el, checks) || inListBox(el);

  const MAX_SUSPECTS = 60, MAX_TEXT = 4096, MAX_MS = 4000, MAX_DEPTH = 200, MAX_LOOK = 10000, MAX_TEXTS = 200,
    MAX_VALUE = 100000,
    MAX_LONG = 200000, MAX_LONG_TEXTS = 2000000; // characters: of one text, and of all long texts together
  const HIDDEN = 1, DISABLED = 2, CHECKED = 4, SELECTED = 8, FOCUSED = 16, PASSWORD = 32, EDITABLE = 64,
    CLICKABLE = 128, SCROLLABLE = 256, FRAME = 512, OFFSCREEN = 1024, CHECKABLE = 2048, UNSELECTABLE = 4096,
    BURIED = 8192, LEAVING = 16384, RAW = 32768, FILLED = 65536, TRACED = 131072;
  const IGNORED = new Set(['script', 'style', 'head', 'meta', 'link', 'title', 'base', 'template', 'noscript', 'param',
    'source', 'track', 'datalist', 'col', 'colgroup', 'defs', 'symbol', 'clipPath', 'mask', 'marker', 'pattern',
    'linearGradient', 'radialGradient', 'filter', 'desc', 'metadata']);
  // The content of these elements is a fallback for browsers that cannot show them.
  const REPLACED = new Set(['canvas', 'video', 'audio', 'object', 'iframe', 'img', 'embed', 'progress', 'meter']);
  const CHECK_ROLES = new Set(['checkbox', 'radio', 'switch', 'menuitemcheckbox', 'menuitemradio']);
  const SELECT_ROLES = new Set(
    ['option', 'tab', 'row', 'gridcell', 'cell', 'columnheader', 'rowheader', 'treeitem', 'radio', 'listitem']);
  const CELLS = new Set(['gridcell', 'columnheader', 'rowheader']);
  const FIELD_ROLES = new Set(['checkbox', 'radio', 'switch', 'textbox', 'searchbox', 'combobox', 'listbox', 'slider',
    'spinbutton', 'button', 'option', 'menuitemcheckbox', 'menuitemradio']);
  const VALUED_ROLES = new Set(['slider', 'progressbar', 'meter', 'scrollbar', 'spinbutton', 'separator']);
  // Containers of parts that are pressed individually.
  const PARTED = new Set(
    ['grid', 'list', 'listbox', 'menu', 'menubar', 'radiogroup', 'table', 'tablist', 'toolbar', 'tree', 'treegrid']);
  const UNTYPED = new Set(
    ['button', 'submit', 'reset', 'checkbox', 'radio', 'file', 'image', 'range', 'color', 'hidden']);
  const TITLES = {fieldset: 'legend', table: 'caption', figure: 'figcaption'};
  const OWNERS = new Set(
    ['grid', 'group', 'list', 'listbox', 'menu', 'radiogroup', 'row', 'rowgroup', 'table', 'tablist', 'tree']);
  // Entries of lists, and what marks them as disabled; see script/entries.js.
  const ENTRY_ROLES = new Set(['option', 'menuitem', 'menuitemcheckbox', 'menuitemradio', 'treeitem']);
  const LIST_ROLES = new Set(['listbox', 'menu', 'menubar', 'tree', 'list', 'group']),
    ENTRY_TAGS = new Set(['li', 'div', 'a', 'button', 'span', 'p']);
  const DISABLED_CLASS = /(^|[-_])[dD]isabled$|^disabled[-_](result|option|item|entry)$|[a-z]Disabled([-_]|$)/;
  const OTHER_CLASS = /(^|[-_])(not|non|no|un|never|hide|show|has|any|if)[-_]+disabled/i,
    DISABLED_DATA = /^data-([a-z]+-)*disabled$/;
  const MAX_LISTS = 50, MAX_MIRRORED = 1000;
  const FIELDS = new Set(['input', 'select', 'textarea', 'button', 'meter', 'output', 'progress']);
  const ACTIVE_ROLES = new Set(['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox',
    'menuitemradio', 'option', 'treeitem', 'combobox', 'slider', 'spinbutton', 'gridcell', 'textbox', 'searchbox']);
  const NAMED = new Set(['button', 'a', 'option', 'summary', 'label', 'legend', 'caption', 'th', 'td']);
  const WRITTEN_ROLES = new Set(['textbox', 'searchbox', 'combobox', 'spinbutton']);
  const CELL_TAGS = new Set(['td', 'th', 'caption', 'legend']);
  const BUTTON_ROLES = new Set(['button', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'option', 'combobox',
    'slider', 'spinbutton', 'textbox']);
  const NAMED_ROLES = new Set(['button', 'link', 'checkbox', 'radio', 'switch', 'tab', 'menuitem', 'menuitemcheckbox',
    'menuitemradio', 'option', 'treeitem', 'heading', 'tooltip']);
  const ROLES = {article: 'article', aside: 'complementary', button: 'button', dialog: 'dialog', fieldset: 'group',
    figure: 'figure', footer: 'contentinfo', form: 'form', h1: 'heading', h2: 'heading', h3: 'heading', h4: 'heading',
    h5: 'heading', h6: 'heading', header: 'banner', hr: 'separator', img: 'img', li: 'listitem', main: 'main',
    meter: 'meter', nav: 'navigation', ol: 'list', optgroup: 'group', option: 'option', output: 'status',
    p: 'paragraph', progress: 'progressbar', summary: 'button', table: 'table', tbody: 'rowgroup', td: 'cell',
    textarea: 'textbox', tfoot: 'rowgroup', th: 'columnheader', thead: 'rowgroup', tr: 'row', ul: 'list', menu: 'list',
    iframe: 'iframe'};
  const FORMS = {date: 'yyyy-mm-dd', time: 'hh:mm', 'datetime-local': 'yyyy-mm-ddThh:mm', month: 'yyyy-mm',
    week: 'yyyy-Www', color: '#rrggbb'}, MAX_OPTIONS = 20;
  const INPUT_ROLES = {button: 'button', submit: 'button', reset: 'button', image: 'button', checkbox: 'checkbox',
    radio: 'radio', range: 'slider', number: 'spinbutton', search: 'searchbox', email: 'textbox', tel: 'textbox',
    text: 'textbox', url: 'textbox', password: 'textbox', file: 'button'};

  const UNDRAWN = /^(none|table-column(-group)?)$/; // displays without a box
  const BUTTON_TYPES = new Set(['submit', 'reset', 'button', 'image']);
  const LISTED = new Set(['text', 'search', 'tel', 'url', 'email']); // inputs that show the suggestions of a <datalist>

  const id = Math.random().toString(36).slice(2);
  // The closed shadow roots. The driver puts them here, in the world that pages cannot access.
  const closedRoots = globalThis.taprootRoots = globalThis.taprootRoots || new WeakMap();
  // What assistive technology receives about custom elements, from the driver: role, name, checked, disabled, …
  const axInfo = globalThis.taprootAXInfo = globalThis.taprootAXInfo || new WeakMap();
  // taprootSetAXInfo stores this information for an element. It reports whether it is new and useful.
  globalThis.taprootSetAXInfo = (el, info) => {
    if (!info.role || /^(generic|none|presentation|paragraph|StaticText|Ignored)$/i.test(info.role)) return false;
    const same = JSON.stringify(axInfo.get(el)) === JSON.stringify(info);
    axInfo.set(el, info);
    return !same;
  };
  // In browsers where the driver cannot query it, script/openroots.js sends it when the event internals requests it.
  window.addEventListener('@watch@axinfo', event => {
    const [el] = event.composedPath();
    try { globalThis.taprootSetAXInfo(el, JSON.parse(String(event.detail))); } catch { /* not from openroots.js */ }
  }, true);
  // The elements that the driver should query (unprobed) or that were listed for it, how many of each tag, and the tags
  // of which one had a closed root or other information. A page may be read several times before the driver queries
  // them.
  const unprobed = new Set();
  globalThis.taprootSuspects = () => {
    const list = [...unprobed].slice(0, MAX_SUSPECTS);
    for (const el of list) unprobed.delete(el);
    return list;
  };
  const probedElements = new WeakSet(), probedEarly = new WeakSet(), probeCounts = new Map(),
    productiveTags = new Set(),
    namesOf = method(Element.prototype, 'getAttributeNames');
  const HOSTS = new Set(['article', 'aside', 'blockquote', 'div', 'footer', 'h1', 'h2', 'h3', 'h4', 'h5', 'h6',
    'header', 'main', 'nav', 'p', 'section', 'span']);
  // shadowOf returns the shadow root of an element, also a closed one that is known.
  const shadowOf = el => openRoot(el) || closedRoots.get(el) || null;
  // newStore returns the empty state of a reading with the number gen.
  const newStore = gen =>
    ({gen, traced: new WeakMap(), written: new WeakMap(), refs: [], nodes: [], texts: new Map(), index: new WeakMap(),
      orders: new WeakMap()});
  let store = newStore('');
  let collected = {nonce: '', elements: []};
  // Whether the browser has drawn a frame since the elements were last read: until then, everything that moves is still
  // where it was.
  let frameDrawn = true;

  // truncate and truncateLong return a text up to a length.
  const truncate = s => s.length > MAX_TEXT ? s.slice(0, MAX_TEXT - 1) + '…' : s;
  const truncateLong = s => s.length > MAX_LONG ? s.slice(0, MAX_LONG - 1) + '…' : s;
  // hasOwnText reports whether an element has text of its own.
  const hasOwnText = el => {
    for (let n = firstOf(el); n; n = nextOf(n)) if (typeOf(n) === 3 && dataOf(n).trim()) return true;
    return false;
  };
  // squeeze returns a text with its white space collapsed.
  const squeeze = s => s.replace(/[ \t\n\r\f]+/g, ' ').trim();
  const isElement = n => typeOf(n) === 1;
  // prop returns a property of an element from its prototype, undefined when the element does not have it.
  const prop = (el, proto, name) => { try { return getter(proto, name)(el); } catch { return undefined; } };
  // The parent in the tree as it is drawn: through slots and out of shadow roots.
  const slots = new WeakMap(); // of nodes in slots of closed roots: their assignedSlot is null
  const hostOf = getter(ShadowRoot.prototype, 'host');
  const parent = n => {
    const slot = isElement(n) ? slotOf(n) || slots.get(n) : null;
    if (slot) return slot;
    const p = parentOf(n);
    return p && typeOf(p) === 11 ? hostOf(p) : p;
  };
  // holds reports whether inner is outer or drawn inside of it.
  const holds = (outer, inner) => {
    for (let n = inner; n; n = parent(n)) if (n === outer) return true;
    return false;
  };
  // children returns the child nodes as they are drawn: through slots, in shadow roots, without those that are not
  // shown.
  const children = el => {
    const list = [];
    if (localName(el) === 'slot') {
      const nodes = assigned(el, {flatten: false});
      for (const n of nodes) if (isElement(n) && !slotOf(n)) slots.set(n, el);
      if (nodes.length) return nodes;
    }
    if (localName(el) === 'object' ? framing(el) || !laidOut(el) : REPLACED.has(localName(el))) return list;
    if (localName(el) === 'details' && !has(el, 'open')) {
      for (let n = firstOf(el); n; n = nextOf(n)) if (isElement(n) && localName(n) === 'summary') return [n];
      return list;
    }
    for (let n = firstOf(shadowOf(el) || el); n; n = nextOf(n)) list.push(n);
    return list;
  };
  const inputType = el => {
    const t = (attr(el, 'type') || 'text').toLowerCase();
    return prop(el, HTMLInputElement.prototype, 'type') || t;
  };
  // describe returns an element in one expression, with its id or classes.
  const describe = el => {
    const name = attr(el, 'id') ? '#' + attr(el, 'id') : (attr(el, 'class') || '').trim().split(/\s+/).filter(Boolean)
      .slice(0, 2).map(c => '.' + c).join('');
    return (localName(el) + name).slice(0, 120);
  };

// include layers.js

// include paint.js

// include dye.js

// include hints.js

// include leaving.js

// include pieces.js

// include reader.js

// include within.js

// include columns.js

  // transparentControl reports whether hit is an invisible field over the box that is drawn for it.
  const transparentControl = (reader, hit, el) => {
    const tag = localName(hit);
    if (tag !== 'input' && tag !== 'select' || reader.opacity(hit) >= CLEAR || !store.drawnIn ||
        !store.drawnIn.get(hit))
      return false;
    const a = boxOf(rectOf(hit)), b = boxOf(rectOf(el));
    return holds(store.drawnIn.get(hit), el) && b.l >= a.l - 4 && b.t >= a.t - 4 && b.r <= a.r + 4 && b.b <= a.b + 4;
  };
  // scaleOf returns the scale at which an element is drawn, compared with its layout.
  const scaleOf = (el, r) => {
    const w = prop(el, HTMLElement.prototype, 'offsetWidth'), h = prop(el, HTMLElement.prototype, 'offsetHeight');
    const x = w > 0 ? r.width / w : 1, y = h > 0 ? r.height / h : 1;
    return {x: Math.abs(x - 1) < 0.02 ? 1 : x, y: Math.abs(y - 1) < 0.02 ? 1 : y};
  };
  // Invisible characters: those without a width, and those that are visible only in an icon font.
  const INVISIBLE =
    /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\u00ad\u034f\u180e\ue000-\uf8ff]|[\udb80-\udbff][\udc00-\udfff]/g;
  const ICONS = /[\ue000-\uf8ff]|[\udb80-\udbff][\udc00-\udfff]/g;
  // visibleText returns a text without characters that only an icon font shows, '' when nothing of it is visible.
  const visibleText = s => s.replace(INVISIBLE, '').trim() === '' ? '' : s.replace(ICONS, '').trim();
// include content.js

// include counters.js

// include occlusion.js

// include typed.js

// include parts.js

// include dom.js

  // put sets a property of a node, unless it is empty.
  const put = (node, key, value) => { if (value) node[key] = (key === 'x' ? truncateLong : truncate)(String(value)); };
  // intersect returns the common part of two boxes; isEmpty reports whether a box is smaller than a pixel.
  const intersect = (a, b) =>
    ({l: Math.max(a.l, b.l), t: Math.max(a.t, b.t), r: Math.min(a.r, b.r), b: Math.min(a.b, b.b)});
  const isEmpty = b => b.r - b.l < 1 || b.b - b.t < 1;
  // scrollableArea returns the box of everything that a scrolling box can scroll into view.
  const scrollableArea = (el, s, {l, t, w, h}) => {
    const sw = scrollWidth(el), sh = scrollHeight(el), x = l - scrollLeft(el), y = t - scrollTop(el);
    return s.direction === 'rtl' ? {l: x + w - sw, t: y, r: x + w, b: y + sh} : {l: x, t: y, r: x + sw, b: y + sh};
  };
  // scrolls reports whether an element can be scrolled.
  const scrolls = (el, s) => /auto|scroll/.test(s.overflowY) && scrollHeight(el) > clientHeight(el) + 1 ||
    /auto|scroll/.test(s.overflowX) && scrollWidth(el) > clientWidth(el) + 1;
  // focused returns the element that has the focus, also in shadow trees, null for the body and frames.
  const focused = root => {
    let el = activeIn[9](root);
    for (let inner; el && shadowOf(el) && (inner = activeIn[11](shadowOf(el))); el = inner);
    if (!el || localName(el) === 'body' || localName(el) === 'html' || framing(el)) return null;
    return el;
  };
  // hitAt returns the topmost element at a point, also in shadow trees.
  const hitAt = (root, x, y) => {
    let el = pointIn[9](root, x, y);
    for (let inner; el && shadowOf(el) && (inner = pointIn[11](shadowOf(el), x, y)) && inner !== el; el = inner);
    return el;
  };
  // sameControl reports whether a is in a label for b.
  const sameControl = (a, b) => {
    for (let n = a; n && isElement(n); n = parent(n)) {
      if (localName(n) !== 'label') continue;
      const control = prop(n, HTMLLabelElement.prototype, 'control');
      return !!control && (control === b || holds(control, b));
    }
    return false;
  };
  // reacting returns the nearest ancestor that reacts to clicks, or el itself.
  const reacting = (reader, el) => {
    for (let n = el; n && isElement(n); n = parent(n)) if (reader.reacting(n)) return n;
    return null;
  };
  // isOuterSVG reports whether el is an <svg> of the page itself: it clips what is drawn beyond its edge, though it
  // is inline.
  const isOuterSVG = el => localName(el) === 'svg' && prop(el, SVGElement.prototype, 'ownerSVGElement') === null;
  // nameable returns the nearest ancestor with an id, or el itself without one: an id identifies more than a tag.
  const nameable = el => {
    for (let n = el; n && isElement(n) && localName(n) !== 'body'; n = parent(n)) if (attr(n, 'id')) return n;
    return el;
  };
  // pageArea returns the box of everything that the window can scroll into view.
  const pageArea = (root, top, own) => {
    if (!top) return own;
    const body = bodyOf(root), s = styleOf(top),
      passed = s.overflowX === 'visible' && s.overflowY === 'visible' && body ? styleOf(body) : s;
    const stuck = {
      x: [s, passed].some(v => /hidden|clip/.test(v.overflowX)),
      y: [s, passed].some(v => /hidden|clip/.test(v.overflowY))};
    // without a doctype, the body has the size of all that the window can show
    const all = body && prop(root, Document.prototype, 'compatMode') === 'BackCompat' ? [top, body] : [top];
    const w = Math.max(...all.map(scrollWidth), own.r), h = Math.max(...all.map(scrollHeight), own.b);
    const x = window.scrollX;
    const l = s.direction === 'rtl' ? own.r - w - x : -x, t = -window.scrollY;
    return {l: stuck.x ? own.l : l, t: stuck.y ? own.t : t, r: stuck.x ? own.r : l + w, b: stuck.y ? own.b : t + h};
  };
  // zoom returns the offset and the scale of the visual viewport: the part of the page that the screen shows.
  const zoom = () => {
    const v = window.visualViewport;
    return v ? [v.offsetLeft, v.offsetTop, v.scale] : [0, 0, 1];
  };
  const unhex = s => decodeURIComponent(s.replace(/../g, '%$&'));
  const count = (el, selector) => every(el, selector).length;
  const isOn = (el, name) => has(el, name) && attr(el, name) !== 'false';
  const hasElement = el => children(el).some(n => isElement(n) && !IGNORED.has(localName(n)));
  // customState returns whether a custom element has a state of :state(); null when it is unknown.
  const customState = (el, name) => {
    try { return matches(el, `:state(${name})`) || null; } catch { return null; }
  };
  // headsRow reports whether a <th> is the head of its row, not of its column.
  const headsRow = el => {
    const scope = (attr(el, 'scope') || '').toLowerCase(), row = parent(el);
    if (/^(row|col)/.test(scope)) return scope.startsWith('row');
    const body = row && isElement(row) ? parent(row) : null;
    return !!body && isElement(body) && localName(body) !== 'thead' && !!find(row, ':scope > td');
  };
  // inSection reports whether a <header> or <footer> belongs to a part of the page, not to all of it.
  const SECTIONS = 'article, aside, main, nav, section, [role=article], [role=complementary], [role=main], ' +
    '[role=navigation], [role=region]';
  const inSection = el => {
    for (let n = parent(el); n && isElement(n); n = parent(n)) if (matches(n, SECTIONS)) return true;
    return false;
  };
  // apartIn returns a text of a pseudo-element, with spaces around it if it is drawn apart from that of its element.
  const apartIn = ({style, ...made}, name) => made[name] && !/^inline|^contents|^ruby/.test(style.display) ?
    ` ${made[name]} ` : made[name];
  // hasCustomTwin reports whether the page draws a control of its own next to the native one, which only stores the
  // value.
  const TWINS = '[role=checkbox], [role=radio], [role=switch], [role=combobox], [role=listbox], [role=slider]';
  const hasCustomTwin = (el, holder) => {
    for (let n = holder, i = 0; n && isElement(n) && i < 2; n = parent(n), i++) {
      if (matches(n, TWINS)) return true;
      if (i === 0) for (const other of every(n, TWINS)) if (other !== el) return true;
    }
    return false;
  };

// include frames.js

// include sought.js

// include resting.js

// include ready.js

  // state returns what each answer says about the document; see State of package dom.
  const state = root => ({doc: id, ready: ready(root),
    url: String(document.documentURI.startsWith('about:') ? document.documentURI : location.href).slice(0, 2000)});

// include aim.js

// include proven.js

  // deref returns element n of the reading gen.
  const deref = (gen, n) => {
    const el = store.gen === gen && store.refs[n] ? store.refs[n].deref() : null;
    if (!el || !el.isConnected) throw new Error('taproot: stale reference');
    return el;
  };

  const commands = {
    // tree.<gen>.<max>.<texts>[.<view and clip: 8 numbers>]: the elements of this document. Those that show one of the
    // texts (in JSON, in hexadecimal) are among them, however many others are omitted. The list of texts may contain
    // parts of texts (see parts.js): the elements report where these are drawn.
    tree(root, [gen, max, texts, ...box]) {
      const undrawn = !frameDrawn;
      frameDrawn = scriptless; // without scripts, no animation frame is requested
      requestAnimationFrame(() => { frameDrawn = true; });
      store = newStore(gen);
      store.drawnIn = new WeakMap();
      forgetClosed();
      const reader = new Reader(root, Math.min(+max, 20000));
      const n = box.map(Number), framed = n.length === 8, all = {l: -1e9, t: -1e9, r: 1e9, b: 1e9};
      const own = {l: 0, t: 0, r: window.innerWidth, b: window.innerHeight};
      const view = framed ? intersect({l: n[0], t: n[1], r: n[2], b: n[3]}, own) : own;
      const top = rootElement(root);
      // Of a page in a frame, only the box of the frame is visible; the page may be scrolled in it.
      const seen = framed ? intersect({l: n[4], t: n[5], r: n[6], b: n[7]}, own) : all;
      const clip = {seen, reach: pageArea(root, top, own)};
      const dark = top && /dark/.test(styleOf(top).colorScheme);
      const at = {flow: clip, absolute: clip, fixed: {seen, reach: own}, view: intersect(view, seen), screen: own,
        depth: 0, opacity: 1, inert: false, raw: false,
        disabled: false, surface: dark ? null : 'rgb(255, 255, 255)', turn: null, back: false, label: null, faded: null,
        editing: false, leaving: false, undrawn: false};
      noteFrames(root);
      watchReports('internals');
      const total = allIn(root, '*').length;
      // the layout is calculated now, so that its time does not count as that of the reading
      rectOf(top || create(root, 'p'));
      const info = texts ? JSON.parse(unhex(texts)) : [], isText = t => typeof t === 'string';
      const wants = info.filter(isText), parts = info.filter(t => !isText(t));
      reader.parts = parts.length ? parts : null;
      reader.texts = wants.map(plain);
      if (total > reader.max) reader.wanted = requiredElements(root, wants, own);
      else if (wants.length) reader.seek = () => requiredElements(root, wants, own);
      reader.occlusion = new Occlusion(reader, at.view, framed);
      reader.leaving = leaving(root);
      reader.noteCanvases(allIn(root, 'canvas'));
      reader.deadline = performance.now() + MAX_MS;
      const node = top ? reader.read(top, at) : null;
      store.overlays = reader.occlusion.overlays;
      globalThis.taprootAXElements = reader.suspects.filter(el => axInfo.has(el));
      for (const el of reader.suspects) if (!axInfo.has(el)) unprobed.add(el);
      for (const el of unprobed) if (!el.isConnected) unprobed.delete(el);
      const suspects = globalThis.taprootAXElements.length + unprobed.size;
      if (node) reader.finish(node);
      if (reader.note && reader.kept !== undefined) {
        const more = total - reader.count; // including invisible ones
        if (more > 0) reader.note = `the page has too many elements: about ${more} more are left out`;
      }
      return {...state(root), w: window.innerWidth, h: window.innerHeight, zoom: zoom(),
        note: reader.note, count: reader.count, suspects, undrawn, rest: resting(),
        waiting: imagesPending() || watchReports('answering'), root: node};
    },
    // hit.<gen>.<n>.<x,y,x,y…;…>: for each group of points in frame n, the index of the first that a touch reaches in
    // it, or -1 and what is in the way; and what hides all of them from a person.
    hit(root, [gen, n, groups]) {
      const frame = deref(gen, +n), reader = new Reader(root, 0),
        occlusion = new Occlusion(reader, {l: 0, t: 0, r: window.innerWidth, b: window.innerHeight}, false);
      occlusion.overlays = store.overlays || [];
      for (const g of occlusion.overlays) delete g.rank;
      return groups.split(';').map(group => {
        const at = group.split(',').map(Number);
        let cover = '', hiddenBy = '', open = at.length === 0, free = -1;
        for (let i = 0; i + 1 < at.length; i += 2) {
          const by = reader.blockerOf(frame, occlusion.hit(at[i], at[i + 1]), {}),
            over = by || !open ? occlusion.coverAt(frame, at[i], at[i + 1], 'page') : '';
          if (!by && free < 0) free = i / 2;
          cover = cover || by;
          hiddenBy = hiddenBy || over;
          open = open || !over;
          if (free >= 0 && open) break;
        }
        return [free, free < 0 ? cover : '', open ? '' : hiddenBy];
      });
    },
    // reveal.<gen>.<n>[.<part>]: scrolls element n, or a part of its text (in JSON, in hexadecimal), into view.
    reveal(root, [gen, n, part]) {
      const el = deref(gen, +n), text = store.texts.get(+n);
      if (part && scrollToPart(root, el, JSON.parse(unhex(part)), text && text.runs)) return {};
      if (text) scrollToBox(root, el, () => rectsOfRun(text.runs[0])[0]);
      else scrollFree(root, el);
      return {};
    },
    // aim.<gen>.<n>: the next touch may reach element n only.
    aim(root, [gen, n]) {
      if (aim) aim.end();
      aim = null;
      aimed = {};
      if (store.gen !== gen || !store.nodes[n]) throw new Error('taproot: stale reference');
      aim = new Aim(root, +n);
      return {};
    },
    // aimed[.lost|.over]: the result of the touch: "hit", "missed", "nothing" when none has arrived here, "frame"
    // when it may have gone into a frame in the element, or "" when it is unknown. lost: a touch that still arrives
    // within two seconds is blocked; over: the touch arrived in another document. A result is kept until the next aim:
    // the response to the first query may have come too late.
    aimed(root, [end]) {
      if (aim && !aim.result && end === 'lost' && scriptless) aim.judgeHovered();
      if (aim && !aim.result && end !== 'over') {
        if (end === 'lost') {
          const lost = aim;
          lost.result = 'missed';
          setTimeout(() => lost.end(), 2000);
        }
        return {result: aim.el && holdsFrame(aim.el) ? 'frame' : 'nothing'};
      }
      if (!aim) return aimed;
      aim.end();
      aimed = {result: aim.result, met: aim.met, ...aim.press.lost()};
      // until a key is pressed, text that is typed is meant for this element; see script/typing.js
      if (aimed.result === 'hit' && aim.el) {
        globalThis.taprootTouched = new WeakRef(aim.el);
        window.addEventListener('keydown', () => { globalThis.taprootTouched = null; }, {capture: true, once: true});
      }
      aim = null;
      return aimed;
    },
    // pressed: what was pressed since report met one element, and got no click, because it moved away before the
    // release.
    pressed() { return press ? press.lost() : {}; },
    // aimed-at.<x>.<y>: the result of a touch at a point that a script makes, not the browser: Aim receives only the
    // trusted events of the browser.
    'aimed-at'(root, [x, y]) {
      if (!aim) return {};
      aim.judge(hitAt(root, +x, +y), {clientX: +x, clientY: +y});
      return {result: aim.result, met: aim.met};
    },
    // aimed-again: the touch is still to come.
    'aimed-again'() {
      if (aim) aim.result = aim.met = '';
      return {};
    },
    // dom.<id>: the page as reports store it; without it when it is the same as the one that was returned as <id>.
    dom(root, [known]) {
      const text = JSON.stringify(new DomReader(root).all());
      if (text === domKept.text && known === id + domKept.id) return {id: known};
      domKept = {id: domKept.id + 1, text};
      return {id: id + domKept.id, dom: text};
    },
    // framed.<CSS in hexadecimal>: whether the selector matches a frame that the page had at an earlier reading.
    framed(root, [css]) { return {known: knownFrame(unhex(css))}; },
    // zoom: which part of the page the screen shows, and at which scale.
    zoom() { return {zoom: zoom()}; },
    // report.<nonce>[.<gen>.<n,n…>]: the elements that look.<nonce> collected in this same evaluation.
    // canvas: a canvas may draw a part of them. The elements n of the tree gen are the ones that canvases draw, as the
    // driver has found out.
    report(root, [nonce, gen, drawn]) {
      const elements = collected.nonce === nonce ? collected.elements : [];
      collected = {nonce: '', elements: []};
      noteFrames(root);
      const reader = new Reader(root, 0), texts = [], refs = [], values = [], silent = new Set();
      const proven = gen && gen === store.gen ? new Proven(root, drawn) : null;
      let visible = 0;
      for (const el of elements) {
        if (store.index.has(el)) refs.push(store.index.get(el));
        const drawnBelow = proven ? proven.seen(el) : undefined;
        if (!(drawnBelow ?? (reader.seen(el) ? reader.remains(el) : hasSeenChild(reader, el)))) continue;
        visible++;
        if (texts.length < MAX_TEXTS) {
          const tag = localName(el), shown = reader.shown(el, tag);
          texts.push(shown !== null ? truncateLong(shown) : proven ? proven.text(el) : reader.text(el, true));
          const empty = !gen && !texts[texts.length - 1] && shown === null;
          if (empty && reader.drawsNothing(el) && reader.name(el, tag)) silent.add(el);
          const v = valueOf(el, tag);
          if (v !== undefined)
            values.push({v: String(v).slice(0, MAX_VALUE), s: tag === 'input' && inputType(el) === 'password'});
        }
      }
      const options = elements.filter(el => localName(el) === 'option').slice(0, MAX_TEXTS)
        .map(el => ({v: valueOf(el, 'option'), l: squeeze(textOf(el)), d: matches(el, ':disabled')}));
      const only = elements.length === 1 && visible === 1 ? readiness(root, reader, elements[0]) : {};
      press = press || new Press(root);
      press.listen();
      press.forget();
      const what = elements.slice(0, 10)
        .map(el => describe(el) + ' ' + JSON.stringify(reader.text(el, true).slice(0, 60)));
      const canvas = !gen && maybeTraced(root, reader, elements, silent);
      return {...state(root), rest: resting(), count: elements.length, visible, texts, values, options, gen: store.gen,
        refs, ...only, what, canvas};
    },
  };
  // valueOf returns the value of a field, undefined for elements without one.
  const valueOf = (el, tag) => {
    const proto = {input: HTMLInputElement, select: HTMLSelectElement, textarea: HTMLTextAreaElement,
      option: HTMLOptionElement, button: HTMLButtonElement, meter: HTMLMeterElement, output: HTMLOutputElement,
      progress: HTMLProgressElement}[tag];
    return proto && prop(el, proto.prototype, 'value');
  };
  // readiness returns whether an element could be acted on at this moment. Whether it moves is not tested.
  const readiness = (root, reader, el) => {
    const tag = localName(el), box = reader.box(el, reader.style(el));
    const view = intersect(boxOf({left: box.l, top: box.t, right: box.r, bottom: box.b}),
      {l: 0, t: 0, r: window.innerWidth, b: window.innerHeight});
    let covered = '';
    for (const [a, c] of isEmpty(view) ? [] : GRID) {
      const {x, y} = pointWithin(view, a, c);
      covered = reader.blockerOf(el, hitAt(root, x, y), {});
      if (covered === '') break;
    }
    return {able: !matches(el, ':disabled') && attr(el, 'aria-disabled') !== 'true' && covered === '', covered,
      field: ['input', 'textarea', 'select'].includes(tag) || editableContent(el)};
  };
  // mayStillDefine reports whether a page that has just loaded, and that uses custom elements, may still define others.
  const mayStillDefine = root => {
    const came = navigation(), loaded = came ? came.loadEventEnd : 0;
    if (!came || loaded > 0 && performance.now() - loaded > SOON) return false;
    for (const el of [...allIn(root, '*')].slice(0, MAX_LOOK))
      if (localName(el).includes('-') && matches(el, ':defined')) return true;
    return false;
  };
  // labellers returns the elements that name el (aria-labelledby), by their ids or given as elements.
  const labellers = el => {
    if (!has(el, 'aria-labelledby')) return [];
    const ids = attr(el, 'aria-labelledby').split(/\s+/).filter(Boolean).slice(0, 10), root = rootOf(el),
      get = byId[typeOf(root)];
    return ids.length ? get ? ids.map(i => get(root, i)).filter(Boolean) : [] :
      [...prop(el, Element.prototype, 'ariaLabelledByElements') || []].slice(0, 10);
  };
  // scrollFree scrolls an element to the middle of the view, or, where something covers it there, to an edge.
  const scrollFree = (root, el) => {
    if (boxless(el)) { scrollToBox(root, el, () => contentBox(el)); return; }
    const reader = new Reader(root, 0);
    const to = (block, inline) => scrollTo(el, {block, inline, behavior: 'instant'});
    const reached = () => {
      const own = {l: 0, t: 0, r: window.innerWidth, b: window.innerHeight}, box = intersect(boxOf(rectOf(el)), own);
      return isEmpty(box) || GRID.some(([a, c]) => {
        const {x, y} = pointWithin(box, a, c);
        return reader.blockerOf(el, hitAt(root, x, y), {}) === '';
      });
    };
    for (const inline of ['center', 'end', 'start']) {
      for (const block of ['center', 'end', 'start']) {
        to(block, inline);
        if (reached()) return;
      }
    }
    to('center', 'center');
  };
  // boxless reports whether an element has no box of its own, only those of its content.
  const boxless = el => styleOf(el).display === 'contents';
  // contentBox returns the box of the content of an element, null without any.
  const contentBox = el => {
    const range = new Range();
    range.selectNodeContents(el);
    return [...range.getClientRects()].filter(r => r.width > 0).map(boxOf).reduce((all, b) => union(all, b), null);
  };
  // hasSeenChild reports whether a child of an element with display: contents, which has no box, is visible.
  const hasSeenChild = (reader, el) => reader.style(el).display === 'contents' &&
    children(el).some(n => isElement(n) ? reader.seen(n) : typeOf(n) === 3 && dataOf(n).trim() !== '');
  // answer returns a detached element with JSON as its text.
  const answer = (root, value) => {
    const holder = create(typeOf(root) === 9 ? root : document, 'p');
    holder.textContent = JSON.stringify(value);
    return [holder];
  };
  return {
    query(root, body) { return this.queryAll(root, body)[0] || null; },
    queryAll(root, body) {
      const [name, ...args] = body.split('.');
      if (name === 'ref') return [enterable(deref(args[0], +args[1]))];
      if (name === 'pressed-element') return globalThis.taprootPressed || [];
      if (name === 'look') {
        if (collected.nonce !== args[0]) collected = {nonce: args[0], elements: []};
        if (isElement(root) && collected.elements.length < MAX_LOOK) collected.elements.push(root);
        return [];
      }
      if (!Object.hasOwn(commands, name)) throw new Error('taproot: unknown command');
      const top = typeOf(root) === 9 ? root : document;
      return answer(top, commands[name](top, args));
    },
  };
})()
