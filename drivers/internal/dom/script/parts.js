  // Where a part of the text of an element is drawn. The driver requests parts as [{t: the text, m: words, prefix or
  // contains}].

  const MAX_PLACES = 20, MAX_WORDS = 80; // reported places per element; examined words per match
  const ENOUGH = 0.75; // a word counts as readable when this share of its width is left, and half of its height
  const UNREAD = new RegExp('[\\u00ad\\u061c\\u180e\\ufeff\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2069' +
    '\\ufe00-\\ufe0f\\ue000-\\uf8ff]|[\\udb80-\\udbff][\\udc00-\\udfff]', 'g');
  // foldCharacters replaces characters that a reader does not distinguish by the same one, as Normalise of package
  // screen does.
  const foldCharacters = s => foldTypography(s.replace(/[\u0000-\u001f\u007f-\u009f]/g, ' ')).replace(UNREAD, '')
    .replace(/\s+/g, ' ');
  // comparable returns a text in the form in which it is compared.
  const comparable = s => /^[ -~]*$/.test(s) ?
    s.toLowerCase().replace(/ +/g, ' ').trim() : restoreDashes(foldCharacters(s)).trim();
  // Characters are the normalised characters of some runs of text, each with its place in the page.
  class Characters {
    constructor(runs) {
      this.runs = runs; this.text = ''; this.marked = ''; this.run = []; this.from = []; this.to = [];
      runs.forEach(({node, owner, gap, from = 0, to = MAX_LONG}, i) => {
        if (gap) this.add(' ', i, 0, 0);
        const data = dataOf(node).slice(0, to),
          language = owner && styleOf(owner).textTransform === 'uppercase' ? languageOf(owner) : '';
        for (let at = from, end = from; at < data.length; at = end) {
          end = at + (data.codePointAt(at) > 0xffff ? 2 : 1);
          if (data.charCodeAt(at) > 0x7f || data.charCodeAt(end) > 0x7f)
            while (end < data.length && /^\p{M}/u.test(data.slice(end, end + 2)))
              end += data.codePointAt(end) > 0xffff ? 2 : 1;
          const drawn = language ? inOwnCapitals(data, at, end, language) : data.slice(at, end);
          this.add(foldCharacters(drawn), i, at, end);
        }
      });
    }
    add(characters, run, from, to) {
      if (characters === ' ' && (!this.text || this.text.endsWith(' '))) return;
      this.marked += characters;
      this.text += restoreDashes(characters);
      for (let i = 0; i < characters.length; i++) { this.run.push(run); this.from.push(from); this.to.push(to); }
    }
    // matches returns where a text occurs, as pairs of positions.
    matches({t, m}) {
      const want = comparable(t), found = [];
      if (!want) return found;
      if (m === 'prefix') return this.text.startsWith(want) ? [[0, want.length]] : found;
      for (let i = this.text.indexOf(want); i >= 0 && found.length < 5000; i = this.text.indexOf(want, i + 1)) {
        if (m !== 'words' || wordStarts(this.marked, i) && wordEnds(this.marked, i + want.length))
          found.push([i, i + want.length]);
      }
      return found;
    }
    // words returns the words of a match, each as the ranges of text nodes that it consists of.
    words([from, to]) {
      const list = [];
      let word = null;
      for (let i = from; i < to; i++) {
        if (this.text[i] === ' ') { word = null; continue; }
        if (!word) list.push(word = []);
        const last = word[word.length - 1], {node, owner} = this.runs[this.run[i]];
        if (last && last.node === node) last.to = Math.max(last.to, this.to[i]);
        else word.push({node, owner, from: this.from[i], to: this.to[i]});
      }
      return list.length > MAX_WORDS ? [...list.slice(0, MAX_WORDS / 2), ...list.slice(-MAX_WORDS / 2)] : list;
    }
  }
  // boxesOf are the boxes of a word, one for each line and piece.
  const boxesOf = word => word.flatMap(({node, owner, from, to}) => {
    const range = new Range();
    range.setStart(node, from);
    range.setEnd(node, to);
    return [...range.getClientRects()].filter(r => r.width > 0 && r.height > 0).map(r => ({owner, whole: boxOf(r)}));
  });

  // gapped reports whether white space separates the run that was just added from the one before.
  const gapped = (out, budget) => {
    const between = out.slice(budget.mark || 0, -1).join('');
    budget.mark = out.length;
    return /\s/.test(between);
  };

  // Matches start and end at the limits of words, as in showsWords of package screen.
  const inWord = c => /^[\p{L}\p{N}\p{M}_]/u.test(c), digit = c => /^\p{Nd}/u.test(c), letter = c => /^\p{L}/u.test(c);
  // joins reports whether a mark between two characters is part of a word or number: "3.5", "it's".
  const joins = (left, mark, right) => digit(left) && digit(right) ?
    ".,:'/-".includes(mark) : letter(left) && letter(right) && "'-".includes(mark);
  const sign = (s, i) => i < s.length && i >= 0 ? String.fromCodePoint(s.codePointAt(i)) : '';
  const signBefore = (s, i) => i <= 0 ? '' : sign(s, i > 1 && /[\udc00-\udfff]/.test(s[i - 1]) ? i - 2 : i - 1);
  const wordStarts = (s, i) => {
    const before = signBefore(s, i), first = sign(s, i);
    if (!before || !inWord(first)) return true;
    if (inWord(before)) return false;
    const further = signBefore(s, i - before.length);
    if (before === '-' && digit(first) && !inWord(further)) return false; // the sign is part of the number
    return !(further && joins(further, before, first));
  };
  const wordEnds = (s, i) => {
    const after = sign(s, i), last = signBefore(s, i);
    if (!after || !inWord(last)) return true;
    if (inWord(after)) return false;
    const further = sign(s, i + after.length);
    return !(further && joins(last, after, further));
  };

  // legibly returns the width of the readable part of a piece of text: what is left of it, when at least half of its
  // height is.
  const legibly = (part, whole) => 2 * height(part) >= height(whole) ? Math.max(0, width(part)) : 0;
  const some = b => width(b) > 0 && height(b) > 0;
  // PartFinder finds the places of parts of texts in the elements of one reading.
  class PartFinder {
    constructor(occlusion, parts) {
      this.occlusion = occlusion;
      this.reader = occlusion.reader;
      this.parts = parts;
      this.edges = new Map();
    }
    // find adds to an element the places of the parts that its text contains.
    find(rec) {
      const {node, runs} = rec, places = [];
      if (!node.x || !runs.length || node.f & HIDDEN) return;
      const text = comparable(node.x),
        asked = this.parts.map((part, k) => ({...part, k})).filter(({t}) => text.includes(comparable(t)));
      if (!asked.length) return;
      const characters = new Characters(runs);
      for (const part of asked) {
        const found = characters.matches(part).map(match => ({k: part.k, ...this.place(rec, characters.words(match))}));
        found.sort((a, b) => (a.s || 0) - (b.s || 0)); // places in view come first
        places.push(...found.slice(0, MAX_PLACES));
      }
      if (places.length) node.m = places;
    }
    // place returns where a match is drawn (b), its state (s: 1 scrolled away, 2 cut off), what hides it (v), where to
    // touch it (p, g), and what receives the touch instead (c).
    place(rec, words) {
      const all = words.map(boxesOf), covers = [];
      let state = 0, hidden = false;
      for (const boxes of all) {
        let whole = 0, seen = 0, far = 0;
        for (const b of boxes) {
          const edge = this.edge(b.owner, b.whole);
          b.seen = intersect(intersect(intersect(b.whole, rec.inner), edge.seen), this.occlusion.view);
          whole += width(b.whole); seen += legibly(b.seen, b.whole);
          far += legibly(intersect(intersect(b.whole, rec.reach), edge.far), b.whole);
        }
        if (!whole || far < ENOUGH * whole) state = 2;
        else if (seen < ENOUGH * whole) state = Math.max(state, 1);
      }
      const lines = all.flat();
      if (!lines.length) return {s: 2, b: []};
      if (state) return {s: state, b: lines.flatMap(l => round(l.whole))};
      if (lines.every(l => this.occlusion.camouflaged(l))) return {s: 2, b: lines.flatMap(l => round(l.whole))};
      for (const boxes of all) hidden = this.covered(boxes, covers) || hidden;
      const place = {b: lines.filter(l => some(l.seen)).flatMap(l => round(l.seen))};
      if (hidden) place.v = place.c = covers.slice(0, 3).join(' and ') || 'something';
      else this.touch(rec, lines, place);
      return place;
    }
    // edge returns what the block around a text leaves of it: in view (seen), and after any scrolling (far). The
    // ellipsis at the end of a shortened line hides the text under it.
    edge(owner, whole) {
      let known = this.edges.get(owner);
      if (!known) this.edges.set(owner, known = this.edgeOf(owner));
      if (!known.dots || known.last && whole.b < known.last) return known;
      return {seen: intersect(known.seen, known.dots), far: intersect(known.far, known.dots)};
    }
    // edgeOf calculates it.
    edgeOf(owner) {
      const all = {l: -1e9, t: -1e9, r: 1e9, b: 1e9};
      let block = owner;
      while (block && isElement(block) && this.reader.inline(block) &&
          !this.reader.style(block).display.startsWith('inline-'))
        block = parent(block);
      if (!block || !isElement(block) || block === rootElement(this.reader.root)) return {seen: all, far: all};
      const s = this.reader.style(block), r = rectOf(block), l = r.left + clientLeft(block),
        t = r.top + clientTop(block), px = v => parseFloat(v) || 0;
      const own = {l, t, r: l + clientWidth(block), b: t + clientHeight(block)};
      const within = bound =>
        ({l: bound(s.overflowX) ? own.l : -1e9, t: bound(s.overflowY) ? own.t : -1e9,
        r: bound(s.overflowX) ? own.r : 1e9, b: bound(s.overflowY) ? own.b : 1e9});
      const edge = {seen: within(o => o !== 'visible'), far: within(o => /hidden|clip/.test(o))},
        clamped = (s.webkitLineClamp || 'none') !== 'none' && scrollHeight(block) > clientHeight(block) + 1;
      if (clamped ||
          s.overflowX !== 'visible' && s.textOverflow !== 'clip' && scrollWidth(block) > clientWidth(block) + 1 &&
          scrollLeft(block) === 0) {
        const wide = 0.8 * px(s.fontSize);
        edge.dots = s.direction === 'rtl' ?
          {...all, l: own.l + px(s.paddingLeft) + wide} : {...all, r: own.r - px(s.paddingRight) - wide};
        if (clamped) edge.last = own.b - px(s.paddingBottom) - px(s.fontSize) / 2; // the line with the ellipsis
      }
      return edge;
    }
    // covered reports whether more than half of a word is covered.
    covered(boxes, covers) {
      let points = 0, open = 0;
      for (const l of boxes) if (some(l.seen)) for (const a of [0.5, 0.15, 0.85, 0.3, 0.7]) {
        const {x, y} = pointWithin(l.seen, a, 0.5), cover = this.occlusion.coverAt(l.owner, x, y, 'text');
        points++;
        if (!cover) open++; else if (!covers.includes(cover)) covers.push(cover);
      }
      return open * 2 < points;
    }
    // touch searches for a point on the words, from the middle outwards, at which a touch reaches the element.
    touch(rec, lines, place) {
      const {reader, spare} = this.occlusion, spares = [], middle = (lines.length - 1) / 2;
      const near = lines.map((l, i) => ({l, far: Math.abs(i - middle)})).filter(({l}) => some(l.seen))
        .sort((a, b) => a.far - b.far);
      let first = '';
      for (const {l} of near) for (const a of POINTS_IN_LINE) {
        const {x, y} = pointWithin(l.seen, a, 0.5), by = reader.blockerOf(rec.el, this.occlusion.hit(x, y), rec);
        if (by || this.occlusion.coverAt(l.owner, x, y, 'text')) { first = first || by; continue; }
        place.p = place.p || [x, y];
        spares.push(x, y);
        if (!spare || spares.length >= 2 * MAX_SPARE) { if (spare) place.g = spares; return; }
      }
      if (place.p) { if (spare) place.g = spares; } else place.c = first || 'something';
    }
  }

  // scrollToPart scrolls the first place of a part of an element's text that is drawn at all to the middle of the view.
  // It returns false without such a place. runs are given for a text that is not an element of its own.
  const scrollToPart = (root, el, part, runs) => {
    if (!runs) {
      const reader = new Reader(root, 0), tag = localName(el);
      reader.parts = [part];
      reader.words(el, tag, reader.role(el, tag), reader.shown(el, tag), runs = []);
    }
    const characters = new Characters(runs);
    for (const match of characters.matches(part)) {
      const words = characters.words(match), lines = words.flatMap(boxesOf),
        first = words.find(word => boxesOf(word).length);
      if (!first) continue;
      const box = () => lines.length && words.flatMap(boxesOf).reduce((all, l) => union(all, l.whole), null);
      scrollToBox(root, first[0].owner, box);
      return true;
    }
    return false;
  };
  // scrollToBox scrolls a box of an element to the middle of each scrolling ancestor; box() returns where it is now.
  const scrollToBox = (root, el, box) => {
    if (!box()) return;
    for (let n = el; n && isElement(n); n = parent(n)) {
      if (n === rootElement(root) || !scrolls(n, styleOf(n))) continue;
      const b = box(), r = rectOf(n), left = r.left + clientLeft(n), top = r.top + clientTop(n);
      moveBy(n, shift(b.l, b.r, left, left + clientWidth(n)), shift(b.t, b.b, top, top + clientHeight(n)));
    }
    const b = box(), left = shift(b.l, b.r, 0, window.innerWidth), top = shift(b.t, b.b, 0, window.innerHeight);
    window.scrollBy({left, top, behavior: 'instant'});
  };
  // shift returns how far content has to move to bring a span of it to the middle of another one, 0 when it is inside
  // of that.
  const shift = (from, to, start, end) => from >= start && to <= end ? 0 : to - from > end - start ? from - start :
    (from + to - start - end) / 2;
  const scrollElement = method(Element.prototype, 'scrollBy');
  const moveBy = (el, left, top) => { if (left || top) scrollElement(el, {left, top, behavior: 'instant'}); };
