  // Reader reads the elements of a document: which there are, where they are drawn, their text, name and state. Its
  // methods are in several files (text.js, names.js, traced.js, states.js, entries.js, drawn.js). A page is read in two
  // passes: read() visits the elements in the order of the document and collects what only a comparison with others can
  // decide (records), and finish() decides it once all elements are known.
  class Reader {
    constructor(root, max) {
      this.root = root; this.max = max; this.count = 0; this.note = ''; this.styles = new Map();
      this.deadline = performance.now() + MAX_MS;
      this.focus = hasFocus(root) ? focused(root) : null;
      this.opacities = new Map(); this.first = new Map(); this.folds = new Map(); this.modals = [];
      this.grounds = new Set(); this.colourChangers = new Map(); this.dressed = new Map(); this.blurs = new Map();
      this.longTextsLeft = MAX_LONG_TEXTS; this.paths = new Map(); this.reacts = new Map(); this.inert = new WeakSet();
      this.surfaces = new WeakMap(); this.ends = new WeakMap();
      this.records = []; this.suspects = []; this.clock = 0; this.labelled = []; this.texts = []; this.owners = [];
      this.named = new Map(); this.pseudos = new Map(); this.wanted = new Set(); this.leaving = new Set();
      this.seek = null; this.occlusion = null; this.canvases = []; this.under = new Map(); this.maps = new Map();
      this.parts = null; this.faint = false; this.levels = new Map();
      this.currents = !!rootElement(root) && !!find(rootElement(root), '[aria-current]');
    }
    // opacity returns the opacity of an element by its own style and those of its ancestors.
    opacity(el) {
      let o = this.opacities.get(el);
      if (o === undefined) {
        const p = parent(el);
        this.opacities.set(el, o = layerAlpha(this.style(el)) * (p && isElement(p) ? this.opacity(p) : 1));
      }
      return o;
    }
    // shared returns the opacity of the nearest common ancestor of two elements: it makes an element and its cover
    // transparent alike.
    shared(el, other) {
      for (let n = el; n && isElement(n); n = parent(n)) if (holds(n, other)) return Math.max(this.opacity(n), CLEAR);
      return 1;
    }
    // blur returns the radius by which filters of an element and its ancestors blur its text.
    blur(el) {
      let far = this.blurs.get(el);
      if (far === undefined) {
        const p = parent(el);
        this.blurs.set(el, far = blurOf(this.style(el).filter) + (p && isElement(p) ? this.blur(p) : 0));
      }
      return far;
    }
    // changesColours reports whether an element or an ancestor changes its colours by a filter or a blend mode.
    changesColours(el) {
      let yes = this.colourChangers.get(el);
      if (yes === undefined) {
        const p = parent(el), s = this.style(el);
        yes = s.filter !== 'none' || s.mixBlendMode !== 'normal' || !!p && isElement(p) && this.changesColours(p);
        this.colourChangers.set(el, yes);
      }
      return yes;
    }
    // orderOf returns the position of an element in the order of the document.
    orderOf(el) {
      for (let n = el; n; n = parent(n)) if (store.orders.has(n)) return store.orders.get(n) + (n === el ? 0 : 0.1);
      return 0;
    }
    endOf(el) { return this.ends.get(el) ?? this.orderOf(el); }
    style(el) {
      let s = this.styles.get(el);
      if (!s) this.styles.set(el, s = styleOf(el));
      return s;
    }
    // inline reports whether an element is part of a line of text.
    inline(el) {
      const d = this.style(el).display;
      if (el instanceof MathMLElement) return true;
      return d.startsWith('inline') || d === 'contents' || d.startsWith('ruby');
    }
// include text.js
// include names.js
// include traced.js
    // seen reports whether an element has a visible box.
    seen(el) {
      const r = rectOf(el);
      return r.width > 1 && r.height > 1 && rendered(el, {opacityProperty: true, visibilityProperty: true});
    }
    // remains reports whether style sheets leave a part of el visible: no opacity, clip or collapsed ancestor hides all
    // of it.
    remains(el) {
      if (this.opacity(el) < CLEAR) return false;
      let box = boxOf(rectOf(el)), placed = false;
      for (let n = el; n && isElement(n); n = parent(n)) {
        const s = this.style(n), own = boxOf(rectOf(n)), shape = clipShape(n, s, own) || clipRect(s, own);
        if (shape) box = intersect(box, shape);
        if (isEmpty(box) ||
            n !== el && !placed && /hidden|clip/.test(s.overflowY + s.overflowX) && s.display !== 'contents' &&
            s.display !== 'inline' && isEmpty(own))
          return false;
        placed = placed || s.position === 'absolute' || s.position === 'fixed';
      }
      return true;
    }
    // box returns the box of an element, in the window.
    box(el, style) {
      let r;
      if (this.maps.has(el)) return areaBox(el, this.maps.get(el), style);
      if (style.display === 'contents') return this.loose(el); // an element without a box is where its text is
      if (style.display === 'inline') {
        // an inline element on several lines: its largest piece, because the centre of that is on the element
        for (const piece of rectsOf(el)) if (!r || piece.width * piece.height > r.width * r.height) r = piece;
      }
      r = r || rectOf(el);
      // its text overflows it
      if ((r.width < 1 || r.height < 1) && style.overflowX === 'visible' && style.overflowY === 'visible' &&
          hasOwnText(el))
        return this.loose(el);
      return {l: r.left, t: r.top, r: r.right, b: r.bottom};
    }
    // loose returns the box around the text of an element.
    loose(el) {
      const range = new Range(), runs = [];
      this.words(el, localName(el), this.role(el, localName(el)), null, runs);
      let box = null;
      for (const {node} of runs) {
        range.selectNodeContents(node);
        for (const r of range.getClientRects()) if (r.width > 0) box = union(box, boxOf(r));
      }
      if (!box && NAMED.has(localName(el))) {
        range.selectNodeContents(el);
        box = boxOf(range.getBoundingClientRect());
      }
      return box || {l: 0, t: 0, r: 0, b: 0};
    }
    // read returns the node of an element and its descendants, null for one that is not listed. at is what the
    // ancestors pass on: clips, opacity, label and more (see below).
    read(el, at) {
      const tag = localName(el);
      if (IGNORED.has(tag)) return null;
      const style = this.style(this.maps.get(el) || el);
      if (style.display === 'none' || tag === 'input' && inputType(el) === 'hidden') return null;
      let late = performance.now() - this.deadline;
      if (late > 0 && this.seek) { // the time limit is reached: only the required elements are read now
        this.wanted = this.seek();
        this.seek = null;
        this.deadline = performance.now() - 1;
        late = 1;
      }
      if ((this.count >= this.max || late > 0) && !this.wanted.has(el) || late > MAX_MS / 2) {
        this.kept = this.kept ?? this.count;
        this.note = this.note || 'the page has too many elements: the rest is left out';
        if (late > 0) this.max = 0;
        if (late > MAX_MS / 2) this.wanted.clear();
        return null;
      }
      this.count++;
      const place = this.place(el, style, at), {full, mine, clip} = place;
      const role = this.role(el, tag), shown = this.shown(el, tag), rootEl = el === rootElement(this.root), runs = [];
      if (tag === 'dialog' && matches(el, ':modal')) this.modals.push(el);
      if (at.inert || has(el, 'inert') || style.interactivity === 'inert') this.inert.add(el);
      let text = this.words(el, tag, role, shown, runs);
      const texts = shown === null && runs.texts || [];
      if (shown === null && (WRITTEN_ROLES.has(role) || this.editable(el, tag))) text = this.editorText(el, text, runs);
      else if (texts.apart && !at.editing && !this.namedByContent(tag, role)) text = '';
      const node = {
        t: tag, n: store.refs.length,
        f: place.flags | this.states(el, tag, role, style, at) | (at.leaving || this.leaving.has(el) ? LEAVING : 0) |
        (at.raw || this.raw(el, tag) ? RAW : 0), b: round(full)};
      store.refs.push(new WeakRef(el));
      store.nodes.push(node);
      store.index.set(el, node.n);
      store.orders.set(el, ++this.clock);
      const inner = this.clips(el, style, clip, at, rootEl, mine);
      const near = !(node.f & HIDDEN) && (style.display === 'contents' || !isEmpty(intersect(full, at.view)));
      const written = near && shown === null ? this.pseudoTextOf(el, style, full, at) : '';
      put(node, 'r', role); put(node, 'i', attr(el, 'id')); put(node, 'q', attr(el, 'data-testid'));
      let desc = this.name(el, tag), hint = attr(el, 'placeholder');
      // a floating label is drawn in its place
      if (hint && desc && this.hidesPseudo(hintStyle(this, el))) hint = '';
      const empty = at.editing ? !text : !!(node.f & EDITABLE) && !textOf(el).trim();
      if (written && empty) hint = hint || written;
      else if (written && !text && !hasElement(el)) text = written;
      else if (written && text && !desc) desc = this.whole(el, text);
      if (!desc && text && shown === null && !(node.f & EDITABLE)) desc = this.plainName(text, runs, el);
      if (near && this.mayBeTraced(el, runs, full)) this.markTraced(el, node, runs);
      const unread = shown && this.hidesText(el, style, place);
      put(node, 'x', unread ? '' : text); put(node, 'd', desc); put(node, 'h', hint); this.holds(node, el, tag, role);
      if (unread) node.w = [truncate(text), node.w ? node.w[1] : ''];
      if (!(node.f & HIDDEN) &&
          (place.box !== full && width(place.box) < width(full) - 1 || height(place.box) < height(full) - 1))
        node.s = round(place.box);
      if (framing(el)) this.framed(el, style, node, full, clip);
      const control = this.isControl(tag, role);
      const rec = {
        el, node, full, box: place.box, clip: clip.seen, runs, inner: inner.flow.seen, reach: inner.flow.reach, control,
        kept: !!(node.f & FRAME) || shown !== null};
      if (node.f & HIDDEN) this.useDrawnBox(rec, tag, at, place);
      this.link(el, tag, role, node, at);
      if (OWNERS.has(role) && has(el, 'aria-owns')) this.owners.push([el, node]);
      this.surfaces.set(el, at.surface);
      if (at.depth >= MAX_DEPTH) { this.note = 'the page is nested too deep: the rest is left out'; return node; }
      const below = this.below(el, tag, style, at, inner, place, node);
      this.surfaces.set(el, below.surface);
      node.k = this.kids(el, style, below);
      if (texts.length) this.addTextElements(el, node, texts, inner, at);
      if (written && !at.editing && !empty && (text ? text !== written : hasElement(el)))
        this.addPseudoTexts(el, node, full, ['before', 'after']);
      if (near && tag === 'details' && !find(el, ':scope > summary')) this.summary(el, node, full);
      if (near && this.pseudosOf(el).marker) this.addPseudoTexts(el, node, full, ['marker']);
      this.ends.set(el, this.clock);
      if (!(node.f & (HIDDEN | OFFSCREEN)))
        this.remember(rec, style, near || !!rec.judged && !isEmpty(intersect(rec.full, at.view)));
      if (shadowOf(el) && tag.includes('-')) this.delegate(el, node);
      if (near) this.suspect(el, tag, style, full);
      return node;
    }
    // isControl reports whether an element is one that a person still sees, and knows by its name, when its text is
    // invisible: an icon button. Headings and cells are what their text shows.
    isControl(tag, role) {
      return ACTIVE_ROLES.has(role) || NAMED.has(tag) && !CELL_TAGS.has(tag) ||
        NAMED_ROLES.has(role) && role !== 'heading' && role !== 'tooltip';
    }
    // raw reports whether el is a custom element that the page may still define.
    raw(el, tag) {
      if (!tag.includes('-') || matches(el, ':defined') || this.upgrades === false) return false;
      return this.upgrades = this.upgrades || mayStillDefine(this.root);
    }
    // hidesText reports whether the text of a field is invisible.
    hidesText(el, style, place) {
      const own = ground(style);
      return place.opacity < CLEAR || inkless(el, style) || parseFloat(style.textIndent) < -500 ||
        !!own && style.textShadow === 'none' && sameColour(own, inkOf(el, style));
    }
    // hidesPseudo reports whether the style of a pseudo-element makes its text invisible.
    hidesPseudo(s) { return layerAlpha(s) < CLEAR || s.visibility !== 'visible' || inkless(null, s); }
    // place returns where el is drawn, and what clips leave of that.
    place(el, style, at) {
      const full = this.box(el, style);
      const clip = style.position === 'fixed' ? at.fixed : style.position === 'absolute' ? at.absolute : at.flow;
      const shape = clipShape(el, style, full) || clipRect(style, full), mine = shape ? intersect(full, shape) : full;
      const box = intersect(mine, clip.seen),
        opacity = this.unanchored(el, style, intersect(box, at.view)) ||
        style.display === 'table-cell' && this.folded(el) ?
          0 : at.opacity * layerAlpha(style);
      const dot = width(full) <= 1 && height(full) <= 1;
      const gone = isEmpty(box) || dot || width(box) < 2 && width(full) >= 4 || height(box) < 2 && height(full) >= 4;
      const reach = intersect(mine, clip.reach),
        far = isEmpty(reach) || width(reach) < 2 && width(full) >= 4 || height(reach) < 2 && height(full) >= 4;
      const away = gone && !isEmpty(full) && !dot && !far;
      const turned = this.turned(style, at);
      let flags = 0;
      const clear = opacity < CLEAR && !(this.opacity(el) < CLEAR && this.canvasUnder(el, full));
      if (style.visibility !== 'visible' || clear || turned.away || gone && !away ||
          !gone && far && isEmpty(intersect(box, at.screen)) ||
        (style.display === 'contents' ? at.undrawn : !rendered(this.maps.get(el) || el, {contentVisibilityAuto: false}))
      ) flags = HIDDEN;
      else if (away) flags = OFFSCREEN;
      return {full, mine, box: gone ? full : box, clip, opacity, flags, gone, turned};
    }
    // unanchored reports whether the browser omits an element because its anchor is not in view (position-visibility).
    // No API reports this, so hit tests have to.
    unanchored(el, style, box) {
      if (!/^(absolute|fixed)$/.test(style.position) ||
          !/visible|valid|overflow/.test(style.positionVisibility || '') ||
          /^(none|auto|normal|)$/.test(style.positionAnchor || ''))
        return false;
      if (style.pointerEvents === 'none' || isEmpty(box)) return false;
      return GRID.every(([a, b]) => {
        const {x, y} = pointWithin(box, a, b);
        return !stackAt(this.root, x, y).some(e => holds(el, e));
      });
    }
    // folded reports whether a table cell is in a column with visibility: collapse.
    folded(el) {
      let row = parent(el), table = row;
      while (table && isElement(table) && localName(table) !== 'table') table = parent(table);
      if (!table || !isElement(table)) return false;
      if (!this.folds.has(table)) {
        const folded = [...every(table, 'col')].flatMap(
          c => Array(spans(c, 'span')).fill(this.style(c).visibility === 'collapse'));
        this.folds.set(table, {folded, places: folded.includes(true) ? places(table) : null});
      }
      const {folded: away, places: at} = this.folds.get(table);
      return !!at && at.has(el) && away.slice(at.get(el), at.get(el) + spans(el, 'colspan')).every(Boolean);
    }
    // turned returns whether el shows its hidden back (backface-visibility), and the rotation that its descendants
    // inherit.
    turned(style, at) {
      const spun = style.rotate && style.rotate !== 'none' && /[xyz]/.test(style.rotate);
      if (!at.turn && style.transform === 'none' && !spun ||
          !at.turn && !spun && !style.transform.startsWith('matrix3d'))
        return {away: at.back, turn: null};
      let own;
      try {
        const [axis, angle] = spun ? style.rotate.split(/\s+(?=[-\d.]+deg)/) : [];
        own = new DOMMatrix(spun ? `rotate${axis.trim().toUpperCase()}(${angle})` : 'none')
          .multiply(new DOMMatrix(style.transform));
      } catch { return {away: at.back, turn: null}; }
      const turn = at.turn ? at.turn.multiply(own) : own;
      return {away: at.back || style.backfaceVisibility === 'hidden' && turn.m33 < -0.001,
        turn: style.transformStyle === 'preserve-3d' ? turn : null};
    }
// include states.js
// include entries.js
    // below returns what el passes on to its descendants.
    below(el, tag, style, at, inner, place, node) {
      const disabled = at.disabled || attr(el, 'aria-disabled') === 'true' ||
        !!(node.f & DISABLED) && tag !== 'fieldset' && tag !== 'label';
      const label = tag === 'label' ? prop(el, HTMLLabelElement.prototype, 'control') : at.label;
      const own = ground(style);
      if (own) this.grounds.add(own);
      return {...at, depth: at.depth + 1, opacity: place.opacity,
        faded: at.faded || (place.opacity < CLEAR ? el : null), disabled, label,
        inert: this.inert.has(el), turn: place.turned.turn, back: place.turned.away, leaving: !!(node.f & LEAVING),
        raw: !!(node.f & RAW), editing: at.editing || editableContent(el),
        undrawn: at.undrawn || style.contentVisibility === 'hidden',
        surface: own === '' ? at.surface : own, flow: inner.flow, absolute: inner.absolute, fixed: inner.fixed};
    }
    // framed adds to the node of a frame where its page is, which part of it is visible, and its scale.
    framed(el, style, node, full, clip) {
      node.f |= FRAME;
      const k = scaleOf(el, {width: width(full), height: height(full)});
      const w = parseFloat(style.paddingLeft) || 0, h = parseFloat(style.paddingTop) || 0;
      const l = full.l + (clientLeft(el) + w) * k.x, t = full.t + (clientTop(el) + h) * k.y;
      const inner = intersect({l, t, r: l + clientWidth(el) * k.x, b: t + clientHeight(el) * k.y}, clip.seen);
      node.o = [l, t, inner.l, inner.t, inner.r, inner.b, k.x, k.y];
    }
    // pseudoTextOf returns the text that style sheets add to el, and records the pseudo-elements that cover other
    // elements.
    pseudoTextOf(el, style, full, at) {
      const {before, after} = this.pseudosOf(el);
      for (const m of [before, after]) {
        const box = m && m.text ? pseudoBox(this, el, m.style, full) : null;
        if (box && isEmpty(intersect(box, at.screen))) m.text = ''; // outside of the window
      }
      if (before && this.occlusion) this.occlusion.addPseudo(el, '::before', before, full);
      if (after && this.occlusion) this.occlusion.addPseudo(el, '::after', after, full);
      return before || after ? this.generated(el) : '';
    }
    // whole returns a text together with the text of the pseudo-elements around it.
    whole(el, text) {
      const {before, after} = this.pseudosOf(el);
      return squeeze((before ? apartIn(before, 'text') : '') + text + (after ? apartIn(after, 'text') : ''));
    }
    // addPseudoTexts adds elements for the text that style sheets write before and after a text, and for the marker of
    // a list item.
    addPseudoTexts(el, node, full, parts) {
      const made = this.pseudosOf(el);
      for (const part of parts) {
        const text = made[part] && squeeze(made[part].text);
        if (!text || !/[\p{L}\p{N}]/u.test(text)) continue;
        const box = part === 'marker' ?
          {l: full.l - 30, t: full.t, r: full.l + 10, b: Math.min(full.b, full.t + 24)} :
          pseudoBox(this, el, made[part].style, full) || full;
        node.k.push(
          {t: '::' + part, n: node.n, f: UNSELECTABLE | node.f & (HIDDEN | OFFSCREEN | TRACED), b: round(box),
          x: truncate(text)});
      }
    }
    // plainName returns a text without the ornaments at its ends, '' when it has none.
    plainName(text, runs, el) {
      const name = unadorned(text, runs, el);
      return name === text ? '' : name;
    }
    // namedByContent reports whether all text of el is one name, also with blocks between its words.
    namedByContent(tag, role) { return NAMED.has(tag) && !CELL_TAGS.has(tag) || NAMED_ROLES.has(role); }
    // addTextElements adds an element for each text in el that is not all of the text of another element.
    addTextElements(el, node, texts, inner, at) {
      const kids = [];
      for (const each of texts) {
        if (each.alone) continue;
        if (kids.length >= MAX_TEXTS_IN || this.count >= this.max) {
          const text = plain(each.text);
          if (!this.texts.some(t => text.includes(t))) continue;
        }
        this.count++;
        kids.push(this.textElement(el, node, each, inner, at));
      }
      if (kids.length) node.k = [...kids, ...node.k];
    }
    // textElement returns the element for one of the texts in el.
    textElement(el, node, {text, runs}, {flow}, at) {
      let full = null;
      for (const run of runs) for (const b of run.rects = rectsOfRun(run)) full = union(full, b);
      full = full || {l: 0, t: 0, r: 0, b: 0};
      const box = intersect(full, flow.seen), gone = sliver(box, full), far = sliver(intersect(full, flow.reach), full);
      const hidden = isEmpty(full) || gone && far || !gone && far && isEmpty(intersect(box, at.screen));
      const flags = UNSELECTABLE | node.f & (HIDDEN | LEAVING | RAW) | (hidden ? HIDDEN : gone ? OFFSCREEN : 0);
      const own = {t: '::text', n: store.refs.length, f: flags, b: round(full), x: text};
      put(own, 'd', this.plainName(text, runs, el));
      store.refs.push(store.refs[node.n]);
      store.nodes.push(own);
      store.texts.set(own.n, {of: node.n, runs});
      if (!gone && (width(box) < width(full) - 1 || height(box) < height(full) - 1)) own.s = round(box);
      if (this.occlusion && !(own.f & (HIDDEN | OFFSCREEN)) && !isEmpty(intersect(full, at.view))) {
        const rec = {el, node: own, full, box: gone ? full : box, clip: flow.seen, runs, inner: flow.seen};
        if (this.mayBeTraced(el, runs)) this.markTraced(el, own, runs);
        this.records.push({...rec, reach: flow.reach, isText: true});
      }
      return own;
    }
    // summary adds an element for the label that the browser writes for <details> without <summary>.
    summary(el, node, full) {
      const [first] = children(el).filter(isElement), below = first ? rectOf(first).top : full.b;
      node.k.unshift(
        {t: '::summary', n: node.n, f: UNSELECTABLE | CLICKABLE | node.f & (HIDDEN | OFFSCREEN),
        b: round({...full, b: Math.min(full.b, Math.max(below, full.t + 16))}), x: 'Details'});
    }
// include drawn.js
    // suspect records elements that may hide something from the script: a closed shadow root, or the properties of
    // ElementInternals. The driver queries the browser about them.
    suspect(el, tag, style, full) {
      if (axInfo.has(el)) { productiveTags.add(tag); this.suspects.push(el); return; }
      if (closedRoots.has(el)) productiveTags.add(tag);
      if (probedElements.has(el) || this.suspects.length >= MAX_SUSPECTS) return;
      const own = tag.includes('-'), probes = probeCounts.get(tag) || 0;
      if (!productiveTags.has(tag) && probes >= 8) return;
      if (own && !matches(el, ':defined')) { // it may still be defined
        if (probedEarly.has(el)) return;
        probedEarly.add(el);
        this.suspects.push(el);
        return;
      }
      if (own ? openRoot(el) && has(el, 'role') : openRoot(el) || !HOSTS.has(tag)) return;
      if (own && namesOf(el).some(n => n.startsWith('_nghost'))) return;
      if (!own && !this.looksHollow(el, style, full)) return;
      probedElements.add(el);
      probeCounts.set(tag, probes + 1);
      this.suspects.push(el);
    }
    // looksHollow reports whether an element has a size without content that would need it, or content that is not
    // drawn though its style has no reason for it: signs of a closed shadow root.
    looksHollow(el, style, full) {
      if (width(full) < 8 || height(full) < 8) return false;
      let n = firstOf(el);
      while (n && (typeOf(n) === 8 || typeOf(n) === 3 && !dataOf(n).trim())) n = nextOf(n);
      if (!n)
        return style.backgroundImage === 'none' && !this.pseudosOf(el).before && !this.pseudosOf(el).after &&
          !closedRoots.has(el);
      if (isElement(n)) return this.style(n).display === '';
      const range = new Range();
      range.selectNodeContents(n);
      return typeOf(n) === 3 && range.getClientRects().length === 0;
    }
    // link records which control el names.
    link(el, tag, role, node, at) {
      const control = tag === 'label' ? prop(el, HTMLLabelElement.prototype, 'control') : at.label;
      if (control && control !== el && (tag === 'label' || !this.reacting(el)) && !(node.f & EDITABLE))
        this.labelled.push([node, control]);
      if (!FIELD_ROLES.has(role)) return;
      for (const name of labellers(el)) {
        if (name !== el && !holds(name, el)) this.named.set(name, this.named.has(name) ? null : node.n);
      }
    }
    // delegate treats an element with a shadow root and the only field in it as one control.
    delegate(el, node) {
      if (!['name', 'checked', 'value', 'label', 'disabled', 'placeholder'].some(a => has(el, a)) &&
          !matches(el, ':enabled, :disabled') && !(node.f & CHECKABLE))
        return;
      const fields = [];
      const walk = (n, depth) => {
        if (n !== node && (n.f & (CHECKABLE | EDITABLE) || n.t === 'select')) { fields.push(n); return; }
        if (depth < 12) for (const k of n.k || []) walk(k, depth + 1);
      };
      walk(node, 0);
      if (fields.length !== 1 || node.f & CHECKABLE && !(fields[0].f & CHECKABLE)) return;
      node.l = fields[0].n;
      if (fields[0].f & CHECKABLE) node.f = node.f & ~CHECKED | CHECKABLE | fields[0].f & CHECKED;
    }
    // remember records an element for the second pass.
    remember(rec, style, near) {
      if (!near || !this.occlusion) return;
      const {el, node} = rec;
      rec.painted = alpha(style.backgroundColor) > CLEAR || style.backgroundImage !== 'none' ||
        parseFloat(style.borderTopWidth) > 0 || SHAPES.has(node.t);
      const holdsOthers = (node.k || []).some(k => k.t[0] !== ':');
      // its text is invisible
      if (!node.x && !rec.painted && !rec.control && !rec.kept && !holdsOthers && textOf(el).trim() &&
          !REPLACED.has(node.t))
        node.f |= HIDDEN;
      rec.loose = !FIELDS.has(node.t) && (holdsOthers || !(node.f & CLICKABLE));
      rec.kept = rec.kept || holdsOthers;
      if (node.d && !node.x && !rec.painted && !holdsOthers && this.silentBox(el, style, rec))
        this.markTraced(el, node, []);
      this.records.push(rec);
      this.occlusion.addOverlay(el, style, rec.box);
      this.occlusion.addRings(el, style, rec);
      if (inTopLayer(el)) this.occlusion.addBackdrop(el);
    }
    // finish is the second pass, over the whole page: it connects labels with controls and judges what is visible.
    finish(top) {
      for (const [node, control] of this.labelled) {
        const n = store.index.get(control);
        if (n !== undefined && n !== node.n) node.l = n;
      }
      for (const [name, n] of this.named) {
        const at = store.index.get(name);
        if (n !== null && at !== undefined && store.nodes[at].l === undefined) store.nodes[at].l = n;
      }
      if (this.owners.length) this.adopt(top);
      const end = Math.max(performance.now() + MAX_MS / 4, this.deadline),
        parts = this.parts && new PartFinder(this.occlusion, this.parts);
      this.occlusion.addBarred(this.records);
      for (const rec of this.records) {
        if (performance.now() > end) {
          this.note = this.note || 'the page is too slow to be looked at as a whole';
          return;
        }
        this.occlusion.judge(rec);
        if (rec.node.f & TRACED && !(rec.node.f & (HIDDEN | OFFSCREEN))) this.addTracedArea(rec);
        if (parts) parts.find(rec);
      }
    }
    // adopt moves what an element owns (aria-owns) to its children.
    adopt(top) {
      const holder = new Map(), walk = n => {
        for (const k of n.k || []) if (k.t[0] !== ':') { holder.set(k, n); walk(k); }
      };
      walk(top);
      for (const [el, node] of this.owners)
        for (const ref of attr(el, 'aria-owns').split(/\s+/).filter(Boolean).slice(0, 200)) {
          const root = rootOf(el), get = byId[typeOf(root)], owned = get && get(root, ref),
            own = owned && store.nodes[store.index.get(owned)], from = own && holder.get(own);
          let within = node;
          while (within && within !== own) within = holder.get(within);
          if (!from || within) continue;
          from.k.splice(from.k.indexOf(own), 1);
          (node.k = node.k || []).push(own);
          holder.set(own, node);
        }
    }
    // kids returns the nodes of the children of el.
    kids(el, style, at) {
      const tag = localName(el), out = [];
      const inner = shadowOf(el);
      if (inner) this.noteCanvases(everyIn(inner, 'canvas'));
      if (inner) for (const moved of leaving(inner)) this.leaving.add(moved);
      if (repainted(style)) return out;
      const picker = pickerOpen(el);
      if (picker) at = {...at, flow: at.fixed, absolute: at.fixed, surface: null};
      // closed: its options are not drawn
      else if (tag === 'select' && !(has(el, 'multiple') || +attr(el, 'size') > 1)) return out;
      for (const area of tag === 'img' && has(el, 'usemap') ? areasOf(el) : []) {
        this.maps.set(area, el);
        const node = this.read(area, at);
        if (node) out.push(node);
      }
      for (const n of children(el)) {
        if (!isElement(n) || picker && localName(n) === 'button') continue; // the button shows the selected option
        const node = this.read(n, at);
        if (node) out.push(node);
        if (this.count > this.max && !this.wanted.size) break;
      }
      return out;
    }
    // clips returns how el clips its descendants, by their kind of positioning.
    clips(el, style, clip, at, rootEl, mine) {
      let flow = clip;
      if (style.display === 'contents') return {flow: at.flow, absolute: at.absolute, fixed: at.fixed};
      const shape = style.clipPath !== 'none' || style.clip && style.clip !== 'auto';
      if (shape) flow = {seen: intersect(mine, flow.seen), reach: intersect(mine, flow.reach)};
      const passes = rootEl || localName(el) === 'body' && this.bodyScrollsWindow(rootElement(this.root));
      const boxed = style.overflowX !== 'visible' || style.overflowY !== 'visible' ||
        /paint|strict|content/.test(style.contain);
      if (!passes && (style.display !== 'inline' || isOuterSVG(el)) && boxed) {
        const r = rectOf(el), k = scaleOf(el, r), l = r.left + clientLeft(el) * k.x, t = r.top + clientTop(el) * k.y;
        const w = isOuterSVG(el) ? r.width : clientWidth(el) * k.x,
          h = isOuterSVG(el) ? r.height : clientHeight(el) * k.y;
        const all = /paint|strict|content/.test(style.contain);
        const cut = {x: all || style.overflowX !== 'visible', y: all || style.overflowY !== 'visible'};
        // content is drawn beyond the edge by this much
        const more = style.overflowX === 'clip' && style.overflowY === 'clip' ?
          parseFloat(/[\d.]+px/.exec(style.overflowClipMargin || '')) || 0 : 0;
        const own = more ?
          {l: l - more, t: t - more, r: l + w + more, b: t + h + more} :
          {l: cut.x ? l : -1e9, t: cut.y ? t : -1e9, r: cut.x ? l + w : 1e9, b: cut.y ? t + h : 1e9};
        const outer = flow;
        flow = {seen: intersect(own, outer.seen), reach: intersect(own, outer.reach)};
        const moves = {x: /auto|scroll/.test(style.overflowX), y: /auto|scroll/.test(style.overflowY)};
        if ((moves.x || moves.y) && !isEmpty(flow.reach)) {
          const area = scrollableArea(el, style, {l, t, w, h});
          flow.reach = {l: moves.x ? area.l : flow.reach.l, t: moves.y ? area.t : flow.reach.t,
            r: moves.x ? area.r : flow.reach.r, b: moves.y ? area.b : flow.reach.b};
        }
      }
      const holder = holdsFixed(style);
      const fixed = shape ? {seen: intersect(mine, at.fixed.seen), reach: intersect(mine, at.fixed.reach)} : at.fixed;
      const absolute = shape ?
        {seen: intersect(mine, at.absolute.seen), reach: intersect(mine, at.absolute.reach)} : at.absolute;
      return {flow, absolute: holder || style.position !== 'static' ? flow : absolute, fixed: holder ? flow : fixed};
    }
    // bodyScrollsWindow reports whether the overflow of the body applies to the window, because the root element has
    // none of its own.
    bodyScrollsWindow(top) {
      return !top || this.style(top).overflowX === 'visible' && this.style(top).overflowY === 'visible';
    }
    // blockerOf returns a description of what receives a touch at hit instead of el, "" when the touch has the same
    // effect as one of el. rec is the record of el.
    blockerOf(el, hit, rec) {
      if (!hit || hit === el || this.maps.get(hit) === el) return '';
      const canvas = store.traced.get(el);
      // the canvas that draws it receives the touch
      if (canvas && (holds(hit, canvas) || hosts(hit, canvas)) && !holds(hit, el)) return '';
      if (holds(el, hit)) {
        for (let n = hit; n && n !== el; n = parent(n))
          if (isElement(n) && this.reacting(n) && !sameControl(n, el) && !drawsText(n, el))
            return describe(nameable(n)) + ' in it';
        return '';
      }
      if (sameControl(el, hit) || sameControl(hit, el)) return '';
      if (rec && rec.drawnIn && holds(rec.drawnIn, hit))
        return this.inOtherField(el, hit, rec.drawnIn) ? describe(nameable(hit)) : '';
      const target = reacting(this, el), touchable = this.style(el).pointerEvents !== 'none';
      if (holds(hit, el)) { // the element itself receives no touch there
        // what is in a slot of a component, or lets touches through to it, belongs to the component
        if (hosts(hit, el)) return '';
        if (touchable ? !target || holds(target, hit) : reacting(this, hit)) return '';
        return touchable ? describe(nameable(hit)) : 'its own pointer-events: none';
      }
      const host = component(el, hit); // what a component draws over a text in its slot belongs to the component
      const clear = host && alpha(this.style(hit).backgroundColor) * this.opacity(hit) < CLEAR;
      if (clear && (!target || holds(target, host))) return '';
      if (target && target !== el && target !== rootElement(this.root) && localName(target) !== 'body' &&
          holds(target, hit)) {
        for (let n = hit; n && n !== target; n = parent(n))
          if (isElement(n) && this.reacting(n)) return describe(nameable(n));
        return '';
      }
      // a floating label over its field, and a text on its shape
      if (!touchable && (holdsText(this, hit) || drawnOn(hit, el))) return '';
      if (transparentControl(this, hit, el)) return '';
      return describe(nameable(hit));
    }
  }
  // drawsText reports whether a control in the shadow tree of a custom element draws the text of that element, which is
  // in a slot of it.
  const drawsText = (control, el) => {
    const root = rootOf(control);
    return typeOf(root) === 11 && hostOf(root) === el && [...every(control, 'slot')].some(slot =>
      assigned(slot, {flatten: false}).some(n => typeOf(n) === 3 && dataOf(n).trim() !== ''));
  };
  // drawnOn reports whether a shape of a drawing carries a text: no shape can contain one, so a button of a drawing
  // consists of a shape and the text after it, which lets touches through to the shape.
  const drawnOn = (shape, el) => {
    if (!(shape instanceof SVGElement) || !(el instanceof SVGElement) || !SHAPES.has(localName(shape))) return false;
    let text = el;
    while (parent(text) !== parent(shape) && /^t(ext|span|extPath)$/.test(localName(text))) text = parent(text);
    return parent(text) === parent(shape) && holdsBox(boxOf(rectOf(shape)), boxOf(rectOf(el)));
  };
  // holdsText reports whether a touch of el goes to a field for text or a choice.
  const holdsText = (reader, el) => {
    for (let n = el; n && isElement(n); n = parent(n)) {
      const tag = localName(n);
      if (tag === 'textarea' || tag === 'select' || editableContent(n)) return true;
      if (/^(textbox|searchbox|combobox|spinbutton|listbox|slider)$/.test(reader.role(n, tag))) return true;
      if (tag === 'input') return !/^(button|submit|reset|image)$/.test(inputType(n));
    }
    return false;
  };
