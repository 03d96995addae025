  // Occlusion decides, for each element that was read, what a person sees of it and where a touch reaches it.
  //
  // The question "does a person see this element?" is answered by samples. A browser has no API for it, and a
  // comparison of pixels would need a screenshot. An element counts as seen as soon as one sampled point of it is
  // uncovered, so the most probable points come first and the search stops at the first success. (In a frame it
  // continues up to MAX_SPARE points, which the documents around the frame test again.) An element with text is sampled
  // on its text: in each of its first lines in view, in the middle, near the quarters, then near both ends
  // (POINTS_IN_LINE). Visible padding next to hidden text would not let anyone read it. An element without text in view
  // is sampled on its box (GRID): the middle first, then a cross, then the corners, then the edges. A control with
  // covered text is sampled on its box after that, because a person still sees the control.
  //
  // Before the samples, cheaper tests decide. lines() cuts the lines of text by the clips around them and by the
  // window. judge() removes a text that cannot be read even if nothing covers it: scrolled out of view, clipped away,
  // lower than MIN_LINE_HEIGHT, or of the colour of its background.
  //
  // coverAt() tests one point, in this order:
  // 1. A mask of the element or of an ancestor that removes the point, or a round corner of an ancestor that clips it
  // (corners.js). Such a point is not drawn at all, so it does not matter what is above it.
  // 2. The overlays: boxes, shadows, outlines, pseudo-elements and backdrops that receive no touch. The browser's hit
  // test never returns them, so the reader collects them beforehand, and their order of painting (rank() in paint.js)
  // decides whether they are above the element.
  // 3. The topmost element of the hit test. If that is the element itself, the point is uncovered: this is the usual
  // case, and it ends the test here, after a single call of elementFromPoint.
  // 4. The rest of the stack of elements at the point, from the top down to the element. It comes last because
  // elementsFromPoint is expensive. Translucent covers add up: the point is covered when less than 1 - OPAQUE of the
  // light of the element remains.
  // 5. The hit test found neither the element nor a cover. Where it finds every drawn element reliably, something clips
  // the element there.
  // Where the script cannot read whether a cover is opaque (an image or frame of another site), it assumes in general
  // that the element is visible: a wrong "covered" would block a valid action, while a wrong "visible" is still caught
  // by the check of the touch itself (aim.js).
  //
  // Whether a touch reaches the element is a separate question, with the same points (reach()): a cover may let touches
  // through, and a transparent element may receive them.

  const POINTS_IN_LINE = [0.5, 0.2, 0.8, 0.06, 0.94]; // the sampled points of a line of text, as shares of its width
  const GRID = [[.5, .5], [.25, .5], [.75, .5], [.5, .25], [.5, .75], [.1, .15], [.9, .15], [.1, .85], [.9, .85],
    [.03, .5], [.97, .5], [.5, .05], [.5, .95]];
  const MAX_RECTS = 40, MAX_PIECES = 5000, MAX_LINES = 6, MAX_OVERLAYS = 300, MAX_SPARE = 5, MIN_RING_WIDTH = 6,
    LEAST_CANVAS = 10, MAX_OVER = 400, FAINT = 0.1, MIN_LINE_HEIGHT = 4;
  // Boxes have the edges l, t, r and b.
  const width = b => b.r - b.l, height = b => b.b - b.t;
  const inBox = (b, x, y) => b.l <= x && x < b.r && b.t <= y && y < b.b;
  const boxOf = r => ({l: r.left, t: r.top, r: r.right, b: r.bottom});
  const union = (a, b) => a ?
    {l: Math.min(a.l, b.l), t: Math.min(a.t, b.t), r: Math.max(a.r, b.r), b: Math.max(a.b, b.b)} : b;
  const round = b => [Math.round(b.l), Math.round(b.t), Math.round(b.r), Math.round(b.b)];
  // sliver reports whether so little is left of a line of text that it cannot be read.
  const sliver = (part, whole) => width(part) < Math.min(3, width(whole)) ||
    height(part) < Math.max(Math.min(2, height(whole)), height(whole) / 4) || isEmpty(part) && !isEmpty(whole);

// include corners.js

// include shapes.js

  class Occlusion {
    constructor(reader, view, spare) {
      this.reader = reader; this.view = view; this.spare = spare; this.hits = new Map(); this.overlays = [];
      this.ranks = new Map(); this.masks = new Map(); this.corners = new Corners(reader);
    }
    // hit returns the topmost element at a point; results are cached.
    hit(x, y) {
      const key = x * 100003 + y;
      let hit = this.hits.get(key);
      if (hit === undefined) this.hits.set(key, hit = hitAt(this.reader.root, x, y));
      return hit;
    }
    // touchable reports whether a hit test can return the element itself.
    touchable(el) { return this.reader.style(el).pointerEvents !== 'none' && !this.reader.inert.has(el); }
    // modal returns the modal dialog that was opened last, null without one. It makes everything outside of it inert.
    modal() {
      if (this.active === undefined)
        this.active = this.reader.modals.reduce((last, m) =>
          last && levelOf(this.reader, last) > levelOf(this.reader, m) ? last : m, null);
      return this.active;
    }
    // barred reports whether that dialog makes el inert: no hit test returns it, though a popover, for example, may be
    // drawn above the dialog.
    barred(el) { return !!this.modal() && !holds(this.modal(), el); }

    // addOverlay records an element that is drawn over the page but receives no touch: no hit test returns it.
    addOverlay(el, style, box, barred) {
      if (this.overlays.length >= MAX_OVERLAYS || this.touchable(el) === !barred || width(box) * height(box) < 64)
        return;
      const tag = localName(el);
      const paints = alpha(style.backgroundColor) > CLEAR || backdropBlur(this.reader, el) > 0 ||
        style.backgroundImage !== 'none' || ['img', 'canvas', 'video', 'iframe'].includes(tag);
      if (!paints) return;
      const cover = (x, y, share) => solid(this.reader, el, x, y, share);
      const seen = {frost: backdropBlur(this.reader, el), tint: tint(this.reader, el)};
      this.overlays.push({el, box, ...seen, solid: cover, what: 'box'});
    }
    // addBarred records what is drawn outside of the modal dialog: first what is in the top layer.
    addBarred(records) {
      const barred = records.filter(rec => !rec.isText && this.barred(rec.el)),
        isTop = rec => pathTo(this.reader, rec.el).path[0]?.[0] === TOP;
      for (const {el, box} of [...barred.filter(isTop), ...barred.filter(rec => !isTop(rec))])
        this.addOverlay(el, this.reader.style(el), box, true);
    }
    // addRings records what is drawn around a box: its outline, and its shadow (a product tour may cover all but one
    // place with a shadow).
    addRings(el, style, rec) {
      if (style.boxShadow === 'none' && style.outlineStyle === 'none' || this.overlays.length >= MAX_OVERLAYS ||
          this.reader.opacity(el) < OPAQUE)
        return;
      const own = rec.full,
        rings = shadows(style.boxShadow).filter(s => !s.inset && alpha(s.colour) >= OPAQUE)
          .map(s => ({far: s.spread - s.blur / 2, ...s}));
      const line = style.outlineStyle === 'none' || alpha(style.outlineColor) < OPAQUE ?
        0 : parseFloat(style.outlineWidth) || 0;
      if (line) rings.push({far: line + (parseFloat(style.outlineOffset) || 0), x: 0, y: 0});
      const shape = clipShape(el, style, own);
      for (const {far, x, y} of rings) {
        if (far < MIN_RING_WIDTH) continue;
        const box = intersect(
          {l: own.l + x - far, t: own.t + y - far, r: own.r + x + far, b: own.b + y + far}, rec.clip);
        this.overlays.push(
          {el, box: shape ? intersect(box, shape) : box, what: 'ring', solid: (px, py) => !inBox(own, px, py)});
      }
    }
    // addPseudo records a pseudo-element of an element, at box b.
    addPseudo(el, part, made, box) {
      const s = made.style;
      if (this.overlays.length >= MAX_OVERLAYS || alpha(s.backgroundColor) <= CLEAR && s.backgroundImage === 'none')
        return;
      const b = pseudoBox(this.reader, el, s, box);
      if (!b || width(b) * height(b) < 64) return;
      const whole = +s.opacity >= OPAQUE && maskAlpha(s) === 1 && s.visibility === 'visible', full = filled(s);
      this.overlays.push({el, box: b, what: 'pseudo', part, style: s,
        solid: (x, y, share) => whole && this.reader.opacity(el) >= OPAQUE * share &&
        (full || imageCovers(s, b, x, y))});
    }
    // addBackdrop records the ::backdrop of an element in the top layer.
    addBackdrop(el) {
      const s = styleOf(el, '::backdrop');
      if (+s.opacity < OPAQUE || !filled(s) || s.display === 'none') return;
      this.overlays.push({el, box: this.view, what: 'backdrop', solid: () => true});
    }
    // overlayRank returns the rank of an overlay in the order of painting; see rank() in paint.js.
    overlayRank(g) {
      if (g.rank) return g.rank;
      if (g.what === 'backdrop') return g.rank = [[TOP, levelOf(this.reader, g.el, true)]];
      if (g.what === 'box' || g.what === 'ring') return g.rank = rank(this.reader, g.el);
      const order = g.part === '::before' ? this.reader.orderOf(g.el) + 0.25 : this.reader.endOf(g.el) + 0.5;
      return g.rank = rank(this.reader, g.el, 'box', {style: g.style, order});
    }
    // coverAt returns a description of what hides a point of owner from a person, "" when nothing does. of is what
    // should be visible there: "text", "box", or "page" (the page in a frame). The order of the tests is explained at
    // the head of this file.
    coverAt(owner, x, y, of) {
      const reader = this.reader, boxed = of !== 'text',
        mine = () => this.ranks.get(owner) ||
          this.ranks.set(owner, {text: rank(reader, owner, 'text'), box: rank(reader, owner)}).get(owner);
      const over = r => above(r, mine()[boxed ? 'box' : 'text']),
        blurs = far => of !== 'box' && smears(far, reader.style(owner));
      const mask = this.masked(owner).find(({el, style}) => maskAt(el, style, x, y) < FAINT);
      if (mask) return 'the mask of ' + describe(nameable(mask.el));
      if (this.corners.cut(owner, x, y, boxed)) return 'what clips ' + describe(nameable(owner));
      if (of === 'page' && blurs(reader.blur(owner))) return 'a filter of ' + describe(nameable(owner));
      const share = e => reader.opacity(owner) >= OPAQUE ? 1 : reader.shared(e, owner);
      const drawsIt = e => store.traced.has(owner) && localName(e) === 'canvas';
      let remaining = 1; // the share of the element's light that passes
      const hides = opacity => { remaining *= 1 - opacity; return remaining < 1 - OPAQUE; };
      for (const g of this.overlays) {
        if (!inBox(g.box, x, y) ||
            (g.what === 'box' || g.what === 'ring') && (holds(g.el, owner) || boxed && holds(owner, g.el)))
          continue;
        if (boxed && g.what === 'pseudo' && holds(owner, g.el)) continue;
        if (g.what === 'box' && drawsIt(g.el) || !over(this.overlayRank(g))) continue;
        const group = share(g.el), cover = g.solid(x, y, group) || blurs(g.frost || 0) ? 1 : (g.tint || 0) / group;
        const what = {box: '', ring: ' and what is drawn around it'};
        if (hides(cover)) return describe(nameable(g.el)) + (what[g.what] ?? (g.part || '::backdrop'));
      }
      const hit = this.hit(x, y);
      if (!hit || hit === owner || boxed && holds(owner, hit)) return '';
      const direct = this.touchable(owner) && !this.barred(owner);
      const opacityAtPoint = e => {
        if (boxed && holds(owner, e) || drawsIt(e)) return 0;
        const cover = () => solid(reader, e, x, y, share(e)) ? 1 : tint(reader, e) / share(e);
        if (holds(e, owner)) return !holds(owner, e) && over(rank(reader, e)) ? cover() : 0;
        // outside of the dialog's own box, the hit test returns the dialog for its backdrop
        if (localName(e) === 'dialog' && !inBox(boxOf(rectOf(e)), x, y))
          return filled(styleOf(e, '::backdrop')) ? 1 : 0;
        return direct || over(rank(reader, e)) ? blurs(backdropBlur(reader, e)) ? 1 : cover() : 0;
      };
      if (hides(opacityAtPoint(hit))) return describe(nameable(hit));
      for (const e of stackAt(reader.root, x, y)) {
        if (e === owner || boxed && holds(owner, e)) return '';
        if (e !== hit && hides(opacityAtPoint(e))) return describe(nameable(e));
      }
      return direct && this.hitTestFinds(owner, of, hit, x, y) ? 'what clips ' + describe(nameable(owner)) : '';
    }
    // hitTestFinds reports whether the hit test returns owner wherever it is drawn: at each point of a text, or of a
    // box of HTML. Only then does a miss prove that owner is clipped.
    hitTestFinds(owner, of, hit, x, y) {
      if (of !== 'text' && !(owner instanceof HTMLElement) || owner instanceof MathMLElement ||
          /^(option|optgroup|area|html|body)$/.test(localName(owner)) || this.reader.maps.has(owner) ||
          this.reader.style(owner).display === 'contents')
        return false;
      if (owner instanceof SVGElement && pastDrawing(owner, x, y)) return false;
      // a frame that receives no touches hides its page from hit tests
      if (this.spare && /^(html|body)$/.test(localName(hit))) return false;
      return !this.barred(owner) && !changing(this.reader.root);
    }
    // masked returns owner and its ancestors, as far as they have a mask.
    masked(owner) {
      const known = this.masks.get(owner);
      if (known) return known;
      const p = parent(owner), style = this.reader.style(owner), list = p && isElement(p) ? this.masked(p) : [];
      const own = (style.maskImage || style.webkitMaskImage || 'none') !== 'none' ?
        [...list, {el: owner, style}] : list;
      this.masks.set(owner, own);
      return own;
    }

    // lines returns the pieces of text that an element shows, as drawn and as clipped: those in view first, then the
    // others.
    lines(rec) {
      const range = new Range(), shown = [], lost = [];
      let pieces = 0;
      for (const run of rec.runs) {
        const {node, owner} = run;
        run.away = owner !== rec.el;
        if (!run.rects) range.selectNodeContents(node);
        const {line: dim, top} = this.reader.firsts(owner);
        for (const whole of run.rects || [...range.getClientRects()].map(boxOf)) {
          if (shown.length >= MAX_RECTS || ++pieces > MAX_PIECES) return shown.concat(lost);
          if (isEmpty(whole)) { // dust
            if (width(whole) > 0 && height(whole) > 0 && lost.length < MAX_RECTS)
              lost.push({owner, whole, part: whole, seen: whole, dust: true});
            continue;
          }
          if (!sliver(intersect(whole, rec.reach), whole)) run.away = false;
          const part = intersect(whole, rec.inner), seen = intersect(part, this.view),
            blank = dim && inFirstLine(top, whole),
            some = blank || sliver(seen, whole) ? lost : shown;
          if (some.length < MAX_RECTS) some.push({owner, whole, part, seen, blank});
        }
      }
      return shown.concat(lost);
    }
    // judge adds to an element what its drawing shows: visible text, covers, and the point to touch.
    judge(rec) {
      const {node} = rec, lines = this.lines(rec);
      let shown = lines.filter(l => !l.dust && !l.blank && !sliver(l.seen, l.whole));
      if (lines.length && !shown.length) {
        if (this.textGone(rec, lines)) return;
      }
      if (shown.length && rec.runs.some(run => run.away)) this.shorten(rec);
      const unreadable = l => height(l.whole) < MIN_LINE_HEIGHT || this.camouflaged(l);
      if (shown.length && shown.every(unreadable)) {
        this.textLost(rec);
        shown = [];
      }
      const box = intersect(rec.box, this.view);
      if (isEmpty(box)) return;
      if (shown.length) {
        let all = null;
        for (const l of shown) all = union(all, l.part);
        if (rec.loose && width(all) * height(all) < 0.8 * width(rec.full) * height(rec.full)) node.y = round(all);
      }
      const text = shown.slice(0, MAX_LINES)
        .flatMap(l => POINTS_IN_LINE.map(a => ({owner: l.owner, ...pointWithin(l.seen, a, 0.5)})));
      const grid = GRID.map(([a, b]) => pointWithin(box, a, b));
      this.obscure(rec, text, grid);
      if (node.v !== undefined) node.c = node.v;
      else if (!rec.judged) this.reach(rec, text, grid); // what is drawn for a field takes its touches
      if (node.c === undefined) return;
      const drawn = shapePoints(this, rec.el, box);
      if (!drawn.length) return;
      if (!text.length) {
        delete node.v;
        node.f &= ~BURIED;
        this.obscure(rec, text, drawn);
      }
      delete node.c;
      if (node.v === undefined) this.reach(rec, text, drawn); else node.c = node.v;
    }
    // obscure searches for a visible point of the element; without one, it records what covers the element.
    obscure(rec, text, grid) {
      const covers = [], points = text.length ? text : grid.map(p => ({owner: rec.drawnAs || rec.el, ...p}));
      rec.open = [];
      for (const p of points) {
        const cover = this.coverAt(p.owner, p.x, p.y, text.length ? 'text' : 'box');
        if (!cover) {
          rec.open.push(p);
          if (rec.open.length >= (this.spare ? MAX_SPARE : 1)) return;
        } else if (!covers.includes(cover)) covers.push(cover);
      }
      // a control with hidden text may still be visible itself
      const edge = text.length && rec.control && grid.find(p => !this.coverAt(rec.el, p.x, p.y, 'box'));
      if (edge) rec.open.push(edge);
      if (rec.open.length) return;
      put(rec.node, 'v', covers.slice(0, 3).join(' and '));
      if (this.buried(rec.el, points)) rec.node.f |= BURIED;
    }
    // buried reports whether what hides an element scrolls together with it, so that scrolling cannot uncover it.
    buried(el, points) {
      const own = this.mover(el);
      return points.every(p => {
        const hit = this.hit(p.x, p.y);
        return hit && !holds(hit, el) && this.mover(hit) === own;
      });
    }
    // mover returns what scrolls an element or keeps it in place: the nearest ancestor that scrolls, or the nearest
    // element that is fixed or sticky, itself included; null for the page.
    mover(el) {
      for (let n = el; n && isElement(n); n = parent(n)) {
        const style = this.reader.style(n);
        if (style.position === 'fixed' || style.position === 'sticky' || n !== el && scrolls(n, style)) return n;
      }
      return null;
    }
    // reach searches for a point at which a touch reaches the element; without one, it records what would receive the
    // touch.
    reach(rec, text, grid) {
      const spare = [];
      let inner = null, first = '', wide = 0;
      for (const p of [...text, ...grid]) {
        const hit = this.hit(p.x, p.y), by = this.reader.blockerOf(rec.el, hit, rec);
        if (by === '') {
          if (!rec.node.p) rec.node.p = [p.x, p.y];
          spare.push(p.x, p.y);
          if (!this.spare || spare.length >= 2 * MAX_SPARE) break;
          continue;
        }
        if (hit && holds(rec.el, hit)) { inner = inner || p; continue; }
        first = first || by;
        if (hit && holdsBox(boxOf(rectOf(hit)), rec.box) && ++wide > 4) break;
      }
      if (spare.length) { if (this.spare) rec.node.g = spare; return; }
      if (inner && PARTED.has(rec.node.r)) {
        rec.node.f |= FILLED;
        put(rec.node, 'c', this.reader.blockerOf(rec.el, this.hit(inner.x, inner.y), rec));
        return;
      }
      if (inner) { if (this.spare) rec.node.g = [inner.x, inner.y]; return; } // its descendants fill all of it
      put(rec.node, 'c', first);
    }
    // textGone handles an element of which no text is in view. It returns true when the element is not visible at all.
    textGone(rec, lines) {
      const {node} = rec;
      const far = lines.some(l => !l.dust && !l.blank && !sliver(intersect(l.whole, rec.reach), l.whole));
      if (far) { node.f |= OFFSCREEN; return true; }
      this.textLost(rec);
      return !rec.painted && !rec.control;
    }
    // shorten removes from the text of an element what clips hide completely.
    shorten({el, node, runs, isText}) {
      if (isText) {
        put(node, 'x', plainLines(runs.filter(run => !run.away).map(run => run.s).join(' ')));
        return;
      }
      if (this.reader.shown(el, node.t) !== null) return;
      const away = new Set(runs.filter(run => run.away).map(run => run.node)),
        rest = this.reader.text(el, false, null, away) || this.reader.text(el, true, null, away);
      if (rest) put(node, 'x', rest);
    }
    // textLost removes the text of an element that shows none of it.
    textLost(rec) {
      const {node} = rec;
      if (rec.control && !node.d) put(node, 'd', node.x);
      delete node.x;
      if (!rec.control && !rec.painted && !rec.kept) node.f |= HIDDEN;
    }
    // plated reports whether a pseudo-element in the flow of an element may be the background of a line of text: it has
    // a colour or an image, and is at least as large.
    plated(el, line) {
      return Object.values(this.reader.pseudosOf(el)).some(({style}) => ground(style) !== '' &&
        parseFloat(style.width) >= width(line) && parseFloat(style.height) >= height(line) / 2);
    }
    // camouflaged reports whether a line of text has the colour of its background.
    camouflaged({owner, seen}) {
      if (store.traced.has(owner)) return false;
      const reader = this.reader, style = reader.style(owner), ink = inkOf(owner, style),
        drawing = owner instanceof SVGElement;
      if (reader.changesColours(owner) && blendsIntoBackground(reader, owner)) return true;
      if (!drawing && !sameColour(reader.surfaces.get(owner), ink) && !reader.grounds.has(ink) ||
          style.textShadow !== 'none' || parseFloat(style.webkitTextStrokeWidth) > 0)
        return false;
      const {x, y} = pointWithin(seen, 0.5, 0.5);
      if (!this.touchable(owner)) return false;
      const overlays = this.overlays.filter(g => inBox(g.box, x, y)), [plate] = overlays,
        mine = rank(reader, owner, 'text');
      if (overlays.length > 1 || plate && (plate.what !== 'box' || above(this.overlayRank(plate), mine))) return false;
      let under = false;
      for (const e of stackAt(reader.root, x, y)) {
        under = under || e === owner;
        if (!under) continue;
        if (plate && (holds(e, plate.el) || above(this.overlayRank(plate), rank(reader, e))))
          return !!ground(reader.style(plate.el)) && reader.opacity(plate.el) >= OPAQUE &&
            sameColour(ground(reader.style(plate.el)), ink);
        if (this.plated(e, seen)) return false;
        const s = reader.style(e),
          on = drawing && SHAPES.has(localName(e)) ? alpha(s.fill) * (parseFloat(s.fillOpacity) || 0) >= OPAQUE ?
            s.fill : null : ground(s);
        // a box that is as transparent as the text in it has its colour all the same
        const solidHere = holds(e, owner) ? reader.opacity(owner) : 1;
        if (on === null || s.filter !== 'none' || s.mixBlendMode !== 'normal' ||
            on && reader.opacity(e) < OPAQUE * solidHere)
          return false;
        if (on) return sameColour(on, ink);
      }
      return under && sameColour(reader.surfaces.get(rootElement(reader.root)), ink);
    }
  }
  // pastDrawing reports whether a point is outside of the box of the drawing that an element is in: hit tests of WebKit
  // find nothing there, though it is drawn (overflow: visible).
  const pastDrawing = (el, x, y) => {
    let top = el;
    while (top && isElement(top) && !isOuterSVG(top)) top = parent(top);
    return !!top && isElement(top) && !inBox(boxOf(rectOf(top)), x, y);
  };
  // changing reports whether a view transition runs: the page is shown as images, and no hit test finds an element.
  const changing = root => {
    try { return matches(rootElement(root), ':active-view-transition'); } catch { return false; }
  };
  // inFirstLine reports whether a piece of text is in the first line of a block.
  const inFirstLine = (block, piece) => {
    const range = new Range();
    range.selectNodeContents(block);
    let first = null;
    for (const r of range.getClientRects()) if (r.height > 0 && (!first || r.top < first.top)) first = r;
    return !!first && piece.t < first.top + Math.min(first.height, height(piece)) / 2;
  };
  // pointWithin returns the point at a share a of the width and c of the height of a box.
  const pointWithin = (b, a, c) => ({x: Math.floor(b.l + (b.r - b.l) * a), y: Math.floor(b.t + (b.b - b.t) * c)});
  // holdsBox reports whether a box contains another one, with a pixel of tolerance.
  const holdsBox = (outer, b) => outer.l <= b.l + 1 && outer.t <= b.t + 1 && outer.r >= b.r - 1 && outer.b >= b.b - 1;
  // stackAt returns all elements at a point, topmost first, also those in shadow roots.
  const stackAt = (root, x, y) => {
    const out = [], seen = new Set();
    const add = (scope, depth) => {
      for (const e of stackIn[typeOf(scope)](scope, x, y)) {
        if (seen.has(e) || depth > 0 && rootOf(e) !== scope) continue;
        const inner = shadowOf(e);
        if (inner && depth < 20) add(inner, depth + 1);
        if (!seen.has(e)) { seen.add(e); out.push(e); }
      }
    };
    add(root, 0);
    return out;
  };
  // motion returns the matrix by which a style moves, rotates and scales a box of size w × h, null without one.
  const motion = (s, w, h) => {
    const given = name => (s[name] || 'none') === 'none' ? null : s[name];
    if (!given('transform') && !given('translate') && !given('scale') && !given('rotate')) return null;
    try {
      const m = new DOMMatrix(), [x = '0px', y = '0px'] = (given('translate') || '').split(' ').filter(Boolean),
        k = (given('scale') || '1').split(' ').map(Number);
      m.translateSelf(length(x, w), length(y, h));
      if (given('rotate') && /^-?[\d.]+deg$/.test(s.rotate)) m.rotateSelf(parseFloat(s.rotate));
      m.scaleSelf(k[0], k[1] ?? k[0]);
      return m.multiply(new DOMMatrix(given('transform') || 'none'));
    } catch { return null; }
  };
  // pseudoBox returns the box of a pseudo-element that is positioned absolutely or fixed, null for others.
  const pseudoBox = (reader, el, s, own) => {
    if (s.position !== 'absolute' && s.position !== 'fixed') return null;
    let base = {l: 0, t: 0, r: window.innerWidth, b: window.innerHeight};
    for (let n = el; n && isElement(n); n = parent(n)) {
      const holder = reader.style(n),
        moved = holder.transform !== 'none' || (holder.translate || 'none') !== 'none' ||
          (holder.scale || 'none') !== 'none' || (holder.rotate || 'none') !== 'none' || holder.filter !== 'none' ||
          holder.perspective !== 'none' || /paint|layout|strict|content/.test(holder.contain);
      if (!moved && (s.position === 'fixed' || holder.position === 'static')) continue;
      const r = n === el && own ? own : boxOf(rectOf(n));
      base = {l: r.l + clientLeft(n), t: r.t + clientTop(n), r: r.r, b: r.b};
      break;
    }
    const px = v => parseFloat(v) || 0;
    let l = base.l + px(s.left) + px(s.marginLeft), t = base.t + px(s.top) + px(s.marginTop);
    const border = s.boxSizing === 'border-box' ? 0 : 1;
    const w = px(s.width) +
      border * (px(s.paddingLeft) + px(s.paddingRight) + px(s.borderLeftWidth) + px(s.borderRightWidth));
    const h = px(s.height) +
      border * (px(s.paddingTop) + px(s.paddingBottom) + px(s.borderTopWidth) + px(s.borderBottomWidth));
    let box = {l, t, r: l + w, b: t + h};
    const moved = motion(s, w, h);
    if (moved) {
      const m = moved, [ox, oy] = s.transformOrigin.split(' ').map(px), points = [[0, 0], [w, 0], [0, h], [w, h]]
        .map(([x, y]) => m.transformPoint(new DOMPoint(x - ox, y - oy)));
      const xs = points.map(p => p.x + ox + l), ys = points.map(p => p.y + oy + t);
      box = {l: Math.min(...xs), t: Math.min(...ys), r: Math.max(...xs), b: Math.max(...ys)};
    }
    const shape = clipShape(el, s, box);
    return shape ? intersect(box, shape) : box;
  };
