(() => {
  'use strict';
  // The part of the page that receives text: which field has the focus, what a person reads in it, where its caret is.
  // A Playwright selector engine of its own. Its commands return the same as those of engine.js: a detached element
  // with JSON as its text.
  const method = (proto, name) => Function.prototype.call.bind(proto[name]);
  const getter = (proto, name) => Function.prototype.call.bind(Object.getOwnPropertyDescriptor(proto, name).get);
  const attr = method(Element.prototype, 'getAttribute'), has = method(Element.prototype, 'hasAttribute');
  const matches = method(Element.prototype, 'matches'), rectOf = method(Element.prototype, 'getBoundingClientRect');
  const localName = getter(Element.prototype, 'localName'), openRoot = getter(Element.prototype, 'shadowRoot');
  const typeOf = getter(Node.prototype, 'nodeType'), parentOf = getter(Node.prototype, 'parentNode');
  const rootOf = method(Node.prototype, 'getRootNode'), within = method(Node.prototype, 'contains');
  const firstOf = getter(Node.prototype, 'firstChild'), nextOf = getter(Node.prototype, 'nextSibling');
  const dataOf = getter(CharacterData.prototype, 'data'), slotOf = getter(Element.prototype, 'assignedSlot');
  const assigned = method(HTMLSlotElement.prototype, 'assignedNodes');
  const activeIn = {9: getter(Document.prototype, 'activeElement'), 11: getter(ShadowRoot.prototype, 'activeElement')};
  const pointIn = {
    9: method(Document.prototype, 'elementFromPoint'), 11: method(ShadowRoot.prototype, 'elementFromPoint')};
  const scrollLeft = getter(Element.prototype, 'scrollLeft'), scrollTop = getter(Element.prototype, 'scrollTop');
  const scrollWidth = getter(Element.prototype, 'scrollWidth'),
    scrollHeight = getter(Element.prototype, 'scrollHeight');
  const clientWidth = getter(Element.prototype, 'clientWidth'),
    clientHeight = getter(Element.prototype, 'clientHeight');
  const scrollBy = method(Element.prototype, 'scrollBy');
  const create = method(Document.prototype, 'createElement'), bodyOf = getter(Document.prototype, 'body');
  const contentEditable = getter(HTMLElement.prototype, 'isContentEditable');
  const styleOf = window.getComputedStyle.bind(window);

// include resting.js

  const MAX_TEXT = 100000, MAX_NODES = 20000, MAX_LOOK = 100;
  const UNTYPED = new Set(['button', 'submit', 'reset', 'checkbox', 'radio', 'file', 'image', 'hidden']);
  const PICKED = new Set(['date', 'time', 'month', 'week', 'datetime-local', 'range', 'color']);
  const SILENT = new Set(['script', 'style', 'template', 'noscript', 'head', 'title']);

  const isElement = n => typeOf(n) === 1;
  // also closed roots, which the driver provides
  const shadowOf = el => openRoot(el) || globalThis.taprootRoots?.get(el) || null;
  const prop = (el, proto, name) => { try { return getter(proto, name)(el); } catch { return undefined; } };
  const parent = n => {
    const slot = isElement(n) ? slotOf(n) : null;
    const p = slot || parentOf(n);
    return p && typeOf(p) === 11 ? getter(ShadowRoot.prototype, 'host')(p) : p;
  };
  const children = el => {
    if (localName(el) === 'slot') {
      const nodes = assigned(el, {flatten: false});
      if (nodes.length) return nodes;
    }
    const list = [];
    for (let n = firstOf(shadowOf(el) || el); n; n = nextOf(n)) list.push(n);
    return list;
  };
  const describe = el => {
    const name = attr(el, 'id') ? '#' + attr(el, 'id') : (attr(el, 'class') || '').trim().split(/\s+/).filter(Boolean)
      .slice(0, 2).map(c => '.' + c).join('');
    return (localName(el) + name).slice(0, 120);
  };
  const protoOf = tag => tag === 'input' ? HTMLInputElement.prototype : HTMLTextAreaElement.prototype;
  const isInput = tag => tag === 'input' || tag === 'textarea';
  const inputType = el => prop(el, HTMLInputElement.prototype, 'type') || 'text';
  const inDesignMode = () => prop(document, Document.prototype, 'designMode') === 'on';
  const editable = el => {
    // an <svg> is not an HTMLElement
    try { return contentEditable(el) || inDesignMode(); } catch { return inDesignMode(); }
  };
  const contextOf = el => { try { return el.editContext || null; } catch { return null; } };

  // active returns the element that has the focus, also in shadow trees.
  const active = root => {
    let el = activeIn[9](root);
    for (let inner; el && shadowOf(el) && (inner = activeIn[11](shadowOf(el))); el = inner);
    return el;
  };
  // host returns the editing host of an element: the outermost editable ancestor.
  const host = el => {
    for (let p = parent(el); p && isElement(p) && editable(p) && localName(p) !== 'html'; p = parent(p)) el = p;
    return el;
  };

  // inOtherEditor reports whether an editable ancestor exists: the key for "select all" would select its text, too.
  const inOtherEditor = el => {
    for (let p = parent(el); p && isElement(p); p = parent(p)) if (editable(p)) return true;
    return false;
  };

  // placeholder reports whether a text in an editor is a placeholder: no touch reaches it, it cannot be edited, and it
  // disappears when something is typed.
  const placeholder = (el, style) =>
    style.pointerEvents === 'none' && (attr(el, 'contenteditable') === 'false' || !editable(el));
  // lines returns the text that a person reads in an editor, without that of style sheets (::before).
  const lines = el => {
    let out = '', nodes = 0;
    const brk = () => { if (out && !out.endsWith('\n')) out += '\n'; };
    const walk = (at, style, inEditor) => {
      for (const n of children(at)) {
        if (++nodes > MAX_NODES || out.length > MAX_TEXT) return;
        if (typeOf(n) === 3) {
          if (style.visibility !== 'visible' || parseFloat(style.fontSize) === 0) continue;
          let s = dataOf(n);
          if (!/^(pre|break)/.test(style.whiteSpace)) {
            s = s.replace(/[ \t\n\r\f]+/g, ' ');
            if (out === '' || out.endsWith('\n')) s = s.replace(/^ /, '');
          }
          out += s;
        }
        if (!isElement(n)) continue;
        const tag = localName(n);
        if (SILENT.has(tag)) continue;
        if (tag === 'br') { out += '\n'; continue; }
        const s = styleOf(n);
        if (s.display === 'none' || inEditor && placeholder(n, s)) continue;
        if (tag === 'img') { out += attr(n, 'alt') || ''; continue; }
        const block = !/^(inline|contents|ruby)/.test(s.display);
        if (block) brk();
        walk(n, s, inEditor);
        if (block) brk();
      }
    };
    walk(el, styleOf(el), editable(el));
    return tidy(out);
  };
  // tidy returns a text without invisible characters and empty lines.
  const tidy = s => s.replace(/[\u200b\ufeff]/g, '').replace(/\u00a0/g, ' ').replace(/\r\n?/g, '\n')
    .replace(/\n{2,}/g, '\n')
    .replace(/^\n|\n$/g, '').slice(0, MAX_TEXT);

  // surface returns the text that a person reads in the box next to a field that receives it, line by line.
  const surface = box => {
    const rows = [];
    let nodes = 0;
    const walk = (at, style) => {
      for (const n of children(at)) {
        if (++nodes > MAX_NODES) return;
        if (typeOf(n) === 3 && style.visibility === 'visible' && dataOf(n) !== '') {
          const range = new Range();
          range.selectNodeContents(n);
          const r = range.getBoundingClientRect();
          if (r.width < 1 || r.height < 4) continue;
          const y = r.top + r.height / 2, row = rows.find(o => Math.abs(o.y - y) < Math.min(r.height, o.h) / 2);
          const piece = {x: r.left, t: dataOf(n)};
          if (row) row.p.push(piece); else rows.push({y, h: r.height, p: [piece]});
        }
        if (!isElement(n)) continue;
        const tag = localName(n), s = SILENT.has(tag) || isInput(tag) ? null : styleOf(n);
        if (s && s.display !== 'none' && +s.opacity > 0.05 && !tiny(n, s)) walk(n, s);
      }
    };
    walk(box, styleOf(box));
    rows.sort((a, b) => a.y - b.y);
    for (const row of rows) row.p.sort((a, b) => a.x - b.x);
    // Line numbers are at the left of the lines, each one higher than the one before.
    const first = rows.map(row => row.p[0].t.trim());
    const numbered = first.length > 0 &&
      first.every((t, i) => /^\d+$/.test(t) && (i === 0 || +t === +first[i - 1] + 1)) &&
      rows.every(row => Math.abs(row.p[0].x - rows[0].p[0].x) < 40) && (rows.length > 1 || +first[0] === 1);
    return tidy(rows.map(row => (numbered ? row.p.slice(1) : row.p).map(p => p.t).join('')).join('\n'));
  };
  // tiny reports whether an element is too small to show text.
  const tiny = (el, style) => {
    const r = rectOf(el);
    return (r.width <= 4 || r.height <= 4) && style.overflow !== 'visible' && style.display !== 'contents';
  };
  // unseen reports whether a field is invisible and only receives the keys; the text is drawn elsewhere.
  const unseen = el => {
    const r = rectOf(el);
    if (r.width <= 4 || r.height <= 4) return true;
    for (let n = el; n && isElement(n); n = parent(n)) if (+styleOf(n).opacity < 0.05) return true;
    return false;
  };
  // textBox returns the box around an invisible field in which its text is drawn.
  const textBox = el => {
    for (let n = parent(el); n && isElement(n) && localName(n) !== 'body'; n = parent(n)) {
      const r = rectOf(n);
      if (r.width >= 40 && r.height >= 16 && +styleOf(n).opacity > 0.05) return n;
    }
    return null;
  };

  // parts returns the fields of a one-time code, or the segments of a date, between which the focus moves by itself;
  // null without them.
  const parts = el => {
    const segment = attr(el, 'role') === 'spinbutton' && localName(el) !== 'input';
    const small = n => {
      const max = prop(n, HTMLInputElement.prototype, 'maxLength');
      return max > 0 && max <= 6 || rectOf(n).width <= 64;
    };
    if (!segment && (localName(el) !== 'input' || !small(el))) return null;
    let found = null;
    for (let n = parent(el), i = 0; n && isElement(n) && i < 8; n = parent(n), i++) {
      const list = [];
      let nodes = 0, other = false;
      const walk = at => {
        for (const c of children(at)) {
          if (!isElement(c) || ++nodes > 400) continue;
          if (segment && attr(c, 'role') === 'spinbutton' && localName(c) !== 'input') list.push(c);
          else if (localName(c) === 'input' && !UNTYPED.has(inputType(c)) && styleOf(c).display !== 'none' &&
            !unseen(c)) {
            if (!segment && small(c)) list.push(c); else other = true;
          } else walk(c);
        }
      };
      walk(n);
      if (other || nodes > 400) break;
      if (list.length > 1) found = list;
    }
    return found;
  };

  // kindOf returns how the text of a field is entered and read: picked, parts, text, surface or editor.
  const kindOf = el => {
    const tag = localName(el);
    if (tag === 'input' && PICKED.has(inputType(el))) return 'picked';
    if (parts(el)) return 'parts';
    if (isInput(tag)) return unseen(el) && textBox(el) ? 'surface' : 'text';
    if (contextOf(el)) return 'surface';
    return unseen(el) && textBox(el) ? 'surface' : 'editor';
  };
  // acceptsText reports whether an element accepts text.
  const acceptsText = el => {
    const tag = localName(el);
    if (matches(el, ':disabled')) return false;
    if (tag === 'input') return !UNTYPED.has(inputType(el)) && !has(el, 'readonly');
    if (tag === 'textarea') return !has(el, 'readonly');
    return editable(el) || !!contextOf(el);
  };
  const isSecret = el => localName(el) === 'input' &&
    (inputType(el) === 'password' || (styleOf(el).webkitTextSecurity || 'none') !== 'none');
  // mask returns the text of a field with its characters hidden, if it is secret.
  const mask = (el, s) => isSecret(el) ? '•'.repeat([...s].length) : s;
  const valueOf = el => (prop(el, protoOf(localName(el)), 'value') || '').slice(0, MAX_TEXT);
  const read = el => isInput(localName(el)) ? mask(el, valueOf(el)) : lines(el);
  // boxes returns the elements in which the text of a field is drawn: the element of an EditContext first.
  const boxes = el => [contextOf(el) && !unseen(el) ? el : null, textBox(el)].filter(Boolean);
  // isPainted reports whether a field shows its text as pixels (canvas), which no script can read as text.
  const isPainted = el => boxes(el).slice(0, 1).some(box => {
    let nodes = 0, found = false;
    const walk = at => {
      for (const n of children(at)) {
        if (found || !isElement(n) || ++nodes > MAX_NODES) return;
        const r = localName(n) === 'canvas' ? rectOf(n) : null;
        found = !!r && r.width >= 40 && r.height >= 16 && styleOf(n).visibility === 'visible';
        if (!found) walk(n);
      }
    };
    walk(box);
    return found;
  });
  // drawnText returns the text that a field shows. An EditContext contains the text that the browser has sent to the
  // page, not what the page has made of it: it counts only for a page that paints its text.
  const drawnText = el => {
    for (const box of boxes(el)) {
      const text = surface(box);
      if (text) return text;
    }
    return contextOf(el) && isPainted(el) ? tidy(String(contextOf(el).text || '')) : '';
  };
  const selectionOf = el => {
    const root = rootOf(el);
    return typeOf(root) === 11 && root.getSelection ? root.getSelection() : window.getSelection();
  };
  // around returns the text before the selection, the selection, and the text after it; null when the field does not
  // report it.
  const around = el => {
    const tag = localName(el);
    if (isInput(tag)) {
      const value = valueOf(el), proto = protoOf(tag);
      const start = prop(el, proto, 'selectionStart'), end = prop(el, proto, 'selectionEnd');
      if (typeof start === 'number') {
        return [value.slice(0, start), value.slice(start, end), value.slice(end)].map(s => mask(el, s));
      }
      const selected = String(window.getSelection() || '');
      return selected && selected === value ? ['', mask(el, selected), ''] : null;
    }
    const selection = selectionOf(el);
    if (!selection || !selection.rangeCount) return null;
    const range = selection.getRangeAt(0);
    if (!within(el, range.startContainer) || !within(el, range.endContainer)) return null;
    const head = new Range(), tail = new Range();
    head.setStart(el, 0); head.setEnd(range.startContainer, range.startOffset);
    tail.selectNodeContents(el); tail.setStart(range.endContainer, range.endOffset);
    return [head, range, tail].map(
      r => r.toString().replace(/[\u200b\ufeff]/g, '').replace(/\u00a0/g, ' ').slice(0, MAX_TEXT));
  };
  // invalid returns why the value of a field is invalid, '' for a valid one.
  const invalid = el => {
    if (!isInput(localName(el))) return attr(el, 'aria-invalid') === 'true' ? 'it is marked as invalid' : '';
    const proto = protoOf(localName(el)), validity = prop(el, proto, 'validity');
    if (validity && !validity.valid) return prop(el, proto, 'validationMessage') || 'it is not valid';
    return attr(el, 'aria-invalid') === 'true' ? 'it is marked as invalid' : '';
  };

  // robbedField describes the field that the last touch reached, when it is still there and editable but another field
  // has taken the focus from it. Between the fields of one code the focus may move.
  const robbedField = field => {
    let el = globalThis.taprootTouched && globalThis.taprootTouched.deref();
    if (el && localName(el) === 'label') el = labelled(el);
    if (!el || el === field || !el.isConnected || !isInput(localName(el)) || !acceptsText(el) || unseen(el) ||
        (parts(field) || []).includes(el))
      return '';
    const r = rectOf(el), x = r.left + r.width / 2, y = r.top + r.height / 2;
    let hit = pointIn[9](document, x, y);
    for (let inner; hit && shadowOf(hit) && (inner = pointIn[11](shadowOf(hit), x, y)) && inner !== hit;) hit = inner;
    return hit === el ? describe(el) : '';
  };

  // fixedPart returns the part of an editor that cannot be edited, when the last touch was in it and the caret is; null
  // otherwise. What is typed then is lost, or arrives elsewhere in the editor.
  const fixedPart = editor => {
    const touched = globalThis.taprootTouched && globalThis.taprootTouched.deref(), selection = selectionOf(editor);
    if (!touched || isInput(localName(editor)) || contextOf(editor) || !selection || !selection.rangeCount) return null;
    const start = selection.getRangeAt(0).startContainer;
    let part = null;
    for (let n = isElement(start) ? start : parent(start); n && n !== editor; n = parent(n)) {
      if (!isElement(n)) return null;
      if (!editable(n)) part = n; else if (part) break;
    }
    return part && within(editor, part) && within(part, touched) ? part : null;
  };

  // dateOrder returns the order of year, month and day in dates of the page's locale, for example "mdy".
  const dateOrder = () => {
    const how = {year: 'numeric', month: '2-digit', day: '2-digit', calendar: 'gregory'};
    const parts = new Intl.DateTimeFormat(navigator.language || undefined, how).formatToParts(new Date(2020, 10, 22));
    return parts.map(p => ({year: 'y', month: 'm', day: 'd'})[p.type] || '').join('');
  };
  let fields = [], members = [], placed = null, frame = null;
  let collected = {nonce: '', elements: []};
  // stateOf returns the state of a field: its text, selection, validity and more.
  const stateOf = (el, kind) => {
    const tag = localName(el), group = kind === 'parts' ? parts(el) : null,
      a = kind === 'text' || kind === 'editor' ? around(el) : null;
    const validity = isInput(tag) && prop(el, protoOf(tag), 'validity');
    return {
      kind, tag, id: attr(el, 'id') || '', type: tag === 'input' ? inputType(el) : '', what: describe(el),
        hint: attr(el, 'placeholder') || '',
      text: kind === 'surface' ? drawnText(el) : read(el), value: kind === 'surface' && isInput(tag) ? read(el) : '',
      secret: isSecret(el),
      painted: kind === 'surface' && isPainted(el),
      around: a, multiline: tag !== 'input', invalid: invalid(el), bad: !!(validity && validity.badInput),
      order: kind === 'picked' ? dateOrder() : '',
      parts: group ? group.map(read) : null, at: group ? group.indexOf(el) : -1,
    };
  };
  // focusIn returns the field that has the focus, and whether it accepts text; frame when the focus is in a frame.
  const focusIn = root => {
    const el = active(root), tag = el ? localName(el) : '';
    if (['iframe', 'frame', 'object', 'embed'].includes(tag)) { frame = el; return {frame: true}; }
    if (!el || (tag === 'body' || tag === 'html') && !editable(el)) return {what: ''};
    const field = tag === 'html' ? bodyOf(root) || el : isInput(tag) || contextOf(el) || !editable(el) ? el : host(el);
    return {what: describe(field), able: acceptsText(field), field};
  };
  // cell reports whether an element is a cell of a grid, or a grid, which may open a field at the first key.
  const cell = el => {
    const role = attr(el, 'role') || (localName(el) === 'td' ? 'gridcell' : '');
    return !isInput(localName(el)) && ['gridcell', 'grid', 'treegrid'].includes(role);
  };
  // heir returns the field that a page has put in place of one that is gone, when it rendered the form again.
  const heir = (root, was) => {
    const {field} = focusIn(root);
    if (field && localName(field) === was.tag && (attr(field, 'id') || '') === was.id && describe(field) === was.what &&
      (was.id || attr(field, 'name') === was.name)) return field;
    return was.id ? root.getElementById(was.id) : null;
  };

  const commands = {
    // field: the field that has the focus; it is stored under the number n that is returned.
    field(root) {
      const f = focusIn(root);
      if (!f.field || !f.able)
        return {frame: !!f.frame, what: f.what || '', able: false, cell: !!f.field && cell(f.field)};
      const fixed = fixedPart(f.field);
      if (fixed) return {what: describe(fixed), able: false, cell: false};
      const kind = kindOf(f.field), seen = stateOf(f.field, kind);
      fields.push(
        {el: new WeakRef(f.field), kind, group: (kind === 'parts' ? parts(f.field) : []).map(e => new WeakRef(e)),
        was: {tag: seen.tag, id: seen.id, what: seen.what, name: attr(f.field, 'name')}});
      return {what: f.what, able: true, n: fields.length - 1, robbed: robbedField(f.field), ...seen};
    },
    // again.<n>: the same field, wherever the focus is, and the pending work of the page.
    again(root, [n]) {
      return {rest: resting(), late: watchReports('late'), refused: watchReports('refused'), ...again(root, n)};
    },
    // place.<end|same|keep|last>: puts the caret behind the text of the field that has the focus; last: also when
    // something is selected.
    place(root, [how]) {
      const f = focusIn(root);
      if (!f.field || !f.able) return {frame: !!f.frame, what: f.what || '', able: false};
      const el = f.field, kind = kindOf(el), same = placed && placed.deref() === el;
      placed = new WeakRef(el);
      members = (kind === 'parts' ? parts(el) : []).map(e => new WeakRef(e));
      const put = kind !== 'picked' && (how === 'end' && !pagePut(el) || how === 'last' || how === 'same' && !same);
      return {what: f.what, able: true, kind, order: kind === 'picked' ? dateOrder() : '', fresh: !same,
        type: localName(el) === 'input' ? inputType(el) : '', press: put ? toEnd(el, kind, how === 'last') : '',
        length: [...(kind === 'surface' ? drawnText(el) : isInput(localName(el)) ? valueOf(el) : lines(el))].length,
        count: members.length, inner: kind === 'editor' && inOtherEditor(el)};
    },
    // whole: selects all text of the editor that has the focus.
    whole(root) {
      const {field, able} = focusIn(root);
      if (field && able) selectionOf(field).selectAllChildren(field);
      return {};
    },
    // paste.<text>: fires the events of a paste; open: the page leaves it to the browser to insert the text.
    paste(root, [coded]) {
      const text = new TextDecoder()
        .decode(Uint8Array.from(atob(coded.replace(/-/g, '+').replace(/_/g, '/')), c => c.charCodeAt(0)));
      const {field, able} = focusIn(root), el = field && active(root);
      if (!el || !able) return {open: false};
      const carried = () => { const d = new DataTransfer(); d.setData('text/plain', text); return d; };
      const send = event => method(EventTarget.prototype, 'dispatchEvent')(el, event);
      const how = {bubbles: true, cancelable: true, composed: true};
      return {open: send(new ClipboardEvent('paste', {...how, clipboardData: carried()})) &&
        send(new InputEvent(
        'beforeinput', {...how, inputType: 'insertFromPaste', data: text, dataTransfer: carried()}))};
    },
    // part: which part of the field that place used last has the focus.
    part(root) {
      const f = focusIn(root), group = f.field ? parts(f.field) : null;
      const at = group ? group.indexOf(f.field) : -1,
        max = at < 0 ? 0 : prop(f.field, HTMLInputElement.prototype, 'maxLength');
      return {at, full: at >= 0 && at < group.length - 1 && max > 0 && valueOf(f.field).length >= max};
    },
    // scroll.<x>.<y>.<thousandths>: scrolls the box that the element is, contains or is in.
    scroll(root, [x, y, size], el) {
      const across = +x !== 0, sign = +x + +y, box = scroller(el, across);
      if (!box) return {none: true};
      const offset = () => across ? scrollLeft(box) : scrollTop(box);
      const extent = across ? clientWidth(box) : clientHeight(box), before = offset();
      const step = by => scrollBy(box, {[across ? 'left' : 'top']: sign * by, behavior: 'instant'});
      step(extent * size / 1000);
      if (offset() === before) step(extent); // to the next snap position
      const r = rectOf(box), page = box === document.scrollingElement;
      return {moved: Math.round((offset() - before) * sign), before: Math.round(Math.abs(before)),
        box: page ? [0, 0, window.innerWidth, window.innerHeight] : [r.left, r.top, r.right, r.bottom].map(Math.round)};
    },
    // held.<nonce>: the values of the elements that look.<nonce> collected.
    held(root, [nonce]) {
      const elements = collected.nonce === nonce ? collected.elements : [];
      collected = {nonce: '', elements: []};
      const el = elements[0];
      if (elements.length !== 1) return {count: elements.length};
      const named = labelled(el);
      return {count: 1, rest: resting(), late: watchReports('late'),
        disabled: disabled(el) || !!named && disabled(named), checked: checkedState(el),
        options: options(el),
        several: !!prop(el, HTMLSelectElement.prototype, 'multiple'), password: isSecret(el),
        label: localName(el) === 'label', editor: !isInput(localName(el)) && editable(el),
        color: localName(el) === 'input' && prop(el, HTMLInputElement.prototype, 'type') === 'color',
        typed: isInput(localName(el)) || editable(el),
        text: isInput(localName(el)) ? valueOf(el) : editable(el) ? lines(el) : ''};
    },
  };
  // again reads a field that was read before.
  const again = (root, n) => {
    const kept = fields[+n];
    if (!kept) return {gone: true};
    let el = kept.el.deref();
    if (!el || !el.isConnected) el = heir(root, kept.was);
    if (!el) return {gone: true};
    const f = focusIn(root), seen = stateOf(el, kept.kind);
    if (kept.kind === 'parts') {
      const group = kept.group.map(r => r.deref()).filter(e => e && e.isConnected);
      const now = group.length === kept.group.length ? group : parts(el) || [];
      seen.parts = now.map(read);
      const at = now.indexOf(f.field);
      if (at >= 0) return {focused: true, ...seen, at};
    }
    const moved = f.field !== el;
    return {focused: !moved, elsewhere: moved ? f.frame ? 'a frame' : f.what : '',
      taken: moved && f.field && f.able && !isSecret(f.field) ? read(f.field) : '', ...seen};
  };
  // pagePut reports whether the page itself has moved the caret after the touch, as a mask does that appears when the
  // field receives the focus.
  const pagePut = el => {
    const kept = globalThis.taprootCaret,
      at = isInput(localName(el)) ? prop(el, protoOf(localName(el)), 'selectionStart') : null;
    if (!kept || kept.el.deref() !== el || typeof at !== 'number') return false;
    const value = valueOf(el), filled = value.slice(0, at), open = value.slice(at);
    // the caret is before the empty positions of a mask
    if (!filled.includes('_') && /_/.test(open) && !/[\p{L}\p{N}]/u.test(open)) return true;
    return kept.was === '' && value !== '' || typeof kept.at === 'number' && kept.at !== at;
  };
  // toEnd puts the caret behind the text; when only a key can do that, it returns the key.
  const toEnd = (el, kind, always) => {
    const tag = localName(el);
    const a = around(el);
    if (!always && a && a[1] !== '') return '';
    if (kind === 'parts' && !isInput(tag)) return '';
    if (kind === 'surface') return 'ControlOrMeta+End';
    if (isInput(tag)) {
      try {
        const end = valueOf(el).length;
        method(protoOf(tag), 'setSelectionRange')(el, end, end);
        return '';
      // inputs of type number and email do not support a caret
      } catch { return !always && String(window.getSelection() || '') ? '' : 'End'; }
    }
    try {
      const selection = selectionOf(el);
      if (!a) selection.collapse(el, 0);
      selection.modify('move', 'forward', 'documentboundary');
      return '';
    } catch { return 'ControlOrMeta+End'; }
  };
  // scrolls reports whether a box can be scrolled on an axis.
  const scrolls = (el, across) => {
    const page = el === document.scrollingElement, s = styleOf(el), flow = across ? s.overflowX : s.overflowY;
    const more = across ? scrollWidth(el) - clientWidth(el) : scrollHeight(el) - clientHeight(el);
    return more > 1 && (page ? !/hidden|clip/.test(flow) : /auto|scroll|overlay/.test(flow)) &&
      (across ? clientWidth(el) : clientHeight(el)) > 8;
  };
  // scroller returns the box to be scrolled: the element itself, the largest one in it, or the nearest around it.
  const scroller = (el, across) => {
    if (!el || localName(el) === 'html' || localName(el) === 'body' && !scrolls(el, across))
      el = document.scrollingElement;
    if (!el || scrolls(el, across)) return el;
    let best = null, most = 0, nodes = 0;
    const walk = at => {
      for (const n of children(at)) {
        if (!isElement(n) || ++nodes > MAX_NODES) continue;
        if (scrolls(n, across)) {
          const r = rectOf(n), area = r.width * r.height;
          if (area > most) { most = area; best = n; }
        }
        walk(n);
      }
    };
    walk(el);
    for (let n = parent(el); !best && n && isElement(n); n = parent(n)) if (scrolls(n, across)) best = n;
    return best;
  };
  // disabled reports whether an element is disabled, also by an ancestor or by the custom element that it is a part of.
  const disabled = el => {
    if (matches(el, ':disabled')) return true;
    for (let n = el; n && isElement(n); n = parent(n)) {
      if (attr(n, 'aria-disabled') === 'true' || has(n, 'inert') || styleOf(n).interactivity === 'inert') return true;
      if (localName(n).includes('-') &&
          (matches(n, ':disabled') || has(n, 'disabled') && attr(n, 'disabled') !== 'false'))
        return true;
    }
    return false;
  };
  // options returns the options of a list, or of the one that a label names.
  const options = el => {
    const list = labelled(el) || el;
    return localName(list) !== 'select' ? null :
      [...prop(list, HTMLSelectElement.prototype, 'options')].slice(0, 5000).map(o => ({
        value: prop(o, HTMLOptionElement.prototype, 'value'),
        written: prop(o, HTMLOptionElement.prototype, 'label'),
        label: prop(o, HTMLOptionElement.prototype, 'label').replace(/\s+/g, ' ').trim(),
        disabled: matches(o, ':disabled') || attr(o, 'aria-disabled') === 'true',
        chosen: prop(o, HTMLOptionElement.prototype, 'selected'),
      }));
  };
  // labelled returns the control that a label names, null for any other element.
  const labelled = el => localName(el) === 'label' ? prop(el, HTMLLabelElement.prototype, 'control') : null;
  // isBox reports whether an element is a native check box or radio button.
  const isBox = el =>
    localName(el) === 'input' && /^(checkbox|radio)$/.test(prop(el, HTMLInputElement.prototype, 'type'));
  // checkedState returns the state of a check box, radio button or switch, or of the one that a label names: "true",
  // "false", or "" without one.
  const checkedState = el => {
    for (let n = el; n && isElement(n); n = parent(n)) {
      const e = labelled(n) || n;
      if (isBox(e)) return String(prop(e, HTMLInputElement.prototype, 'checked'));
      if (has(e, 'aria-checked')) return attr(e, 'aria-checked');
    }
    return '';
  };

  // labelsOf returns the labels with a place of a native check box or radio button.
  const labelsOf = el => {
    if (!isBox(el)) return [];
    return [...prop(el, HTMLInputElement.prototype, 'labels') || []].filter(l => {
      const r = rectOf(l);
      return r.width > 1 && r.height > 1;
    });
  };

  const answer = (root, value) => {
    const holder = create(root, 'p');
    holder.textContent = JSON.stringify(value);
    return [holder];
  };
  return {
    query(root, body) { return this.queryAll(root, body)[0] || null; },
    queryAll(root, body) {
      const [name, ...args] = body.split('.');
      if (name === 'look') {
        if (collected.nonce !== args[0]) collected = {nonce: args[0], elements: []};
        if (isElement(root) && collected.elements.length < MAX_LOOK) collected.elements.push(root);
        return [];
      }
      // scroller.<x>: the box that scroll moves
      if (name === 'scroller') return [isElement(root) && scroller(root, +args[0] !== 0) || document.documentElement];
      if (name === 'label') return isElement(root) ? labelsOf(root).slice(0, 1) : [];
      if (name === 'active') return [active(typeOf(root) === 9 ? root : document)];
      if (name === 'frame' || name === 'focus' || name === 'member') {
        const el = name === 'frame' ? frame : name === 'focus' ? placed && placed.deref() : members[+args[0]]?.deref();
        if (!el || !el.isConnected) throw new Error('taproot: stale reference');
        // Playwright enters only elements with the name of a frame. The page does not see this property.
        if (el === frame && /^(object|embed)$/.test(localName(el)))
          Object.defineProperty(el, 'nodeName', {value: 'IFRAME', configurable: true});
        return [el];
      }
      if (!Object.hasOwn(commands, name)) throw new Error('taproot: unknown command');
      const top = typeOf(root) === 9 ? root : document;
      return answer(top, commands[name](top, args, isElement(root) ? root : null));
    },
  };
})()
