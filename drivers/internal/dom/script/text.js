    // pseudosOf returns the visible pseudo-elements of el: the text that each shows, and its text for assistive
    // technology.
    pseudosOf(el) {
      let made = this.pseudos.get(el);
      if (made) return made;
      this.pseudos.set(el, made = {});
      if (REPLACED.has(localName(el)) || FIELDS.has(localName(el)) && localName(el) !== 'button') return made;
      const item = this.style(el).display.includes('list-item');
      for (const part of item ? ['marker', 'before', 'after'] : ['before', 'after']) {
        const style = styleOf(el, '::' + part), content = style.content;
        if (!content || content === 'none' || content === 'normal' || UNDRAWN.test(style.display)) continue;
        const counter = name => (this.counters = this.counters || new Counters(rootElement(this.root)))
          .of(el, part, name);
        const [, drawn, alt] = /^((?:"(?:[^"\\]|\\.)*"|[^"/])*)(?:\/\s*("[^]*"))?$/.exec(content) || [null, content];
        const shows = style.visibility === 'visible' && +style.opacity >= CLEAR && !inkless(el, style) &&
          parseFloat(style.textIndent) > -500;
        const text = contentText(el, drawn, style, counter);
        made[part] = {
          style, text: shows && visibleText(text) ? text.replace(ICONS, '') : '',
          spokenText: style.visibility !== 'visible' ? '' : alt ? contentText(el, alt, style, counter) : text};
      }
      return made;
    }
    // generated returns the text that style sheets add to el before and after its content.
    generated(el) {
      const {before, after} = this.pseudosOf(el);
      return squeeze([before, after].map(m => m ? m.text : '').join(' '));
    }
    // text returns the own text of el: its text nodes and those of its inline descendants; of all descendants, when
    // whole. The nodes of the text are added to runs; those in without are omitted. See pieces.js for runs.texts.
    text(el, whole, runs, without) {
      const out = [];
      if (runs) { runs.length = 0; runs.texts = null; }
      const budget = {left: Math.max(Math.min(MAX_LONG, this.longTextsLeft), 2 * MAX_TEXT), depth: 0, runs, without,
        pieces: runs && !whole ? [] : null, cuts: 0, via: null};
      this.collect(el, whole, out, budget);
      if (budget.spent > 2 * MAX_TEXT) this.longTextsLeft -= budget.spent;
      if (budget.left <= 0)
        this.note = this.note || 'the page has texts that are too long: the rest of them is left out';
      if (budget.cuts && budget.pieces) runs.texts = textsOf(budget.pieces);
      return plainLines(out.join(''));
    }
    // collect adds the text of the children of el.
    collect(el, whole, out, budget) {
      if (budget.left <= 0 || budget.depth > MAX_DEPTH) return;
      const style = this.style(el);
      if (style.contentVisibility === 'hidden' || repainted(style)) return;
      for (const n of children(el)) {
        const type = typeOf(n);
        if (!budget.depth) budget.via = type === 1 ? n : null;
        if (type === 3) this.run(n, el, style, out, budget);
        else if (type === 1) this.collectFrom(n, whole, out, budget);
      }
    }
    // collectFrom adds the text of the child n.
    collectFrom(n, whole, out, budget) {
      const tag = localName(n);
      // the pronunciation of a word is not part of the text
      if (IGNORED.has(tag) || tag === 'rt' || tag === 'rp') return;
      const s = this.style(n);
      if (s.display === 'none') return;
      if (tag === 'br') { divide(out, budget, '\n', false); return; }
      const placed = s.position === 'absolute' || s.position === 'fixed' || s.cssFloat !== 'none';
      if (placed && !whole) { budget.cuts++; return; } // the text around it continues without it
      const speaks = !whole && (tag === 'button' || BUTTON_ROLES.has(attr(n, 'role'))); // it has a text of its own
      if (speaks || tag === 'input' || tag === 'select' || tag === 'textarea' || tag === 'iframe') {
        divide(out, budget, ' ', true);
        return;
      }
      const inline = this.inline(n);
      if (layerAlpha(s) < CLEAR) { if (!inline) divide(out, budget, '\n', true); return; }
      if ((whole || s.display === 'inline-block') && this.visuallyHidden(n, s)) return;
      // a label with its control in it is a thing of its own: the word between two of them is part of neither
      const united = inline && !whole && tag === 'label' && !!find(n, 'input, select, textarea');
      if (!inline || united) divide(out, budget, united ? ' ' : '\n', true);
      if (inline && hasGap(s, 'Left')) say(out, budget, ' ');
      if (inline || whole) { budget.depth++; this.collect(n, whole, out, budget); budget.depth--; }
      if (!inline || united) divide(out, budget, united ? ' ' : '\n', true);
      else if (hasGap(s, 'Right')) say(out, budget, ' ');
    }
    // visuallyHidden reports whether an element is drawn as nothing: it is for screen readers alone.
    visuallyHidden(el, s) {
      if (s.position !== 'absolute' && s.position !== 'fixed' && s.overflowX === 'visible' && s.clipPath === 'none')
        return false;
      const r = boxOf(rectOf(el)), shape = clipShape(el, s, r) || clipRect(s, r),
        left = shape ? intersect(r, shape) : r;
      return (width(left) <= 1 || height(left) <= 1) && (s.overflowX !== 'visible' || !!shape);
    }
    // run adds the text of one text node, as its style shows it.
    run(n, el, style, out, budget) {
      if (budget.without && budget.without.has(n)) return;
      if (style.visibility !== 'visible' || parseFloat(style.textIndent) < -500 ||
          inkless(el, style) && !this.mayBeOnCanvas(el, style) || smears(this.blur(el), style))
        return;
      const data = dataOf(n).slice(0, MAX_LONG);
      let s = data;
      const blank = !/\S/.test(s);
      if (!blank && this.ligature(n, el, style, s)) return;
      const kept = style.whiteSpace.startsWith('pre') || style.whiteSpace.startsWith('break');
      if (!kept) {
        s = s.replace(/[ \t\n\r\f]+/g, ' ');
        const last = out.length ? out[out.length - 1] : '\n';
        if (s.startsWith(' ') && /[ \n]$/.test(last)) s = s.slice(1);
      }
      if (!blank && this.firsts(el).letter && this.startsBlock(n, el)) s = s.replace(/^\s*[\p{P}]*[^\s][\p{P}]*/u, '');
      if (dotted(style)) s = s.replace(/\S/gu, '•');
      if (style.unicodeBidi.endsWith('override') && style.direction === 'rtl') s = [...s].reverse().join('');
      if (style.textTransform === 'uppercase') s = inCapitals(s, languageOf(el));
      if (style.textTransform === 'capitalize') s = capitalised(s, out.join('').slice(-2));
      if (style.textTransform === 'lowercase') s = s.toLowerCase();
      if (!s) return;
      if (kept && budget.pieces && s.includes('\n')) sayLines(out, budget, s, data, n, el);
      else say(out, budget, s, blank ? null : n, el);
      budget.left -= s.length;
      budget.spent = (budget.spent || 0) + s.length;
      if (budget.runs && !blank) budget.runs.push({node: n, owner: el, gap: !!this.parts && gapped(out, budget)});
    }
    // firsts returns whether the first line (line) and the first letter (letter) of the block of el are invisible; top
    // is that block.
    firsts(el) {
      const known = this.first.get(el);
      if (known) return known;
      const p = parent(el), up = p && isElement(p) ? p : null, none = {line: false, letter: false, top: el};
      let first = none;
      if (this.inline(el)) first = up ? this.firsts(up) : none;
      else {
        const root = rootOf(el), asked = this.dressed.get(root) ?? dressesFirsts(root), own = asked && this.style(el),
          other = s => ['color', 'fontSize', 'webkitTextFillColor', 'opacity'].some(name => s[name] !== own[name]);
        this.dressed.set(root, asked);
        const gone = part => {
          if (!asked) return false;
          const s = styleOf(el, part);
          return !!s.color && other(s) && (+s.opacity < CLEAR || inkless(el, s) || ground(s) && sameColour(ground(s),
            inkOf(el, s)));
        };
        first = {line: gone('::first-line'), letter: gone('::first-letter'), top: el};
        const outer = up &&
          !/^(inline|table|flex|grid)|absolute|fixed/.test(this.style(el).display + this.style(el).position) &&
          this.firsts(up);
        if (outer && (outer.line || outer.letter) && this.startsBlock(el, up, outer.top))
          first = {line: first.line || outer.line, letter: first.letter || outer.letter, top: outer.top};
      }
      this.first.set(el, first);
      return first;
    }
    // startsBlock reports whether nothing visible precedes n in the block.
    startsBlock(n, el, top = this.firsts(el).top) {
      for (let at = n; at && at !== top; at = parent(at)) {
        for (let prior = priorOf(at); prior; prior = priorOf(prior))
          if (typeOf(prior) === 3 ?
              /\S/.test(dataOf(prior)) :
              isElement(prior) && this.style(prior).display !== 'none' && textOf(prior).trim())
            return false;
      }
      return true;
    }
    // ligature reports whether a font draws a text, the name of an icon, as one sign.
    ligature(n, el, style, s) {
      const token = s.trim();
      if (token.length < 3 || !/^[a-z][a-z0-9_-]*$/.test(token) ||
          !/icon|symbol|glyph|awesome/i.test(style.fontFamily + ' ' + (attr(el, 'class') || '')))
        return false;
      const range = new Range();
      range.selectNodeContents(n);
      const w = range.getBoundingClientRect().width;
      return w > 0 && w <= 1.3 * parseFloat(style.fontSize);
    }
