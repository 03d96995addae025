    // The content of a canvas has no elements. A page may put elements over it that draw nothing: transparent text over
    // a document, labels over an app. The pixels of the canvas decide whether a person sees these texts.

    // noteCanvases records the visible canvases of a document or shadow root.
    noteCanvases(list) {
      for (const el of list) {
        const box = boxOf(rectOf(el));
        if (width(box) < LEAST_CANVAS || height(box) < LEAST_CANVAS || this.canvases.some(c => c.el === el)) continue;
        if (!rendered(el, {visibilityProperty: true}) || this.opacity(el) < CLEAR) continue;
        this.canvases.push({el, box});
      }
    }
    // noteAllCanvases calls noteCanvases for a document and all shadow roots in it.
    noteAllCanvases(root) {
      const all = [...typeOf(root) === 9 ? allIn(root, '*') : everyIn(root, '*')];
      this.noteCanvases(all.filter(el => localName(el) === 'canvas'));
      for (const el of all) {
        const inner = shadowOf(el);
        if (inner) this.noteAllCanvases(inner);
      }
    }
    // canvasUnder returns the canvas that may draw the text of an element, null when the element draws it itself or
    // nothing does. An element that fades or paints a box is a part of the page that is hidden at the moment.
    canvasUnder(el, box = boxOf(rectOf(el))) {
      if (!this.canvases.length) return null;
      let known = this.under.get(el);
      if (known === undefined) this.under.set(el, known = this.findCanvas(el, box));
      return known;
    }
    findCanvas(el, box) {
      const style = this.style(el), x = (box.l + box.r) / 2, y = (box.t + box.b) / 2;
      if (REPLACED.has(localName(el)) || el instanceof SVGElement || style.visibility !== 'visible') return null;
      const on = this.canvases.findLast(c => inBox(c.box, x, y) && !holds(c.el, el) && !holds(el, c.el));
      for (let n = el; on && n && isElement(n) && this.opacity(n) < CLEAR; n = parent(n)) {
        const s = this.style(n);
        if (paints(s) || fading(s)) return null;
      }
      return on || null;
    }
    // mayBeOnCanvas reports whether the invisible text of an element may be drawn by a canvas.
    mayBeOnCanvas(el, style) {
      this.faint = true; // there is invisible text
      return parseFloat(style.fontSize) >= 1 && !!this.canvasUnder(el);
    }
    // mayBeTraced reports whether an element shows none of its text itself, and a canvas may.
    mayBeTraced(el, runs, box) {
      if (!this.canvases.length) return false;
      return this.opacity(el) < CLEAR && !!this.canvasUnder(el, box) || runs.some(r => this.isClear(r));
    }
    // drawnText returns the text of an element without its transparent parts, unless all of it is transparent.
    drawnText(el, whole, runs) {
      const text = this.text(el, whole, runs);
      const clear = runs && this.canvases.length ? runs.filter(r => this.isClear(r)) : [];
      if (!clear.length || clear.length === runs.length) return text;
      return this.text(el, whole, runs, new Set(clear.map(r => r.node)));
    }
    // isClear reports whether a piece of text is transparent and above a canvas.
    isClear({owner}) { return inkless(owner, this.style(owner)) && !!this.canvasUnder(owner); }
    // isUndrawn reports whether the page draws nothing of a piece of text.
    isUndrawn(run) { return this.opacity(run.owner) < CLEAR || this.isClear(run); }
    // mayHoldTraced is mayBeTraced for an element with all its content, and for one that only has a name.
    mayHoldTraced(el) {
      const runs = [];
      if (this.shown(el, localName(el)) === null) this.text(el, true, runs);
      return !runs.length && !!this.canvasUnder(el) || runs.some(r => this.isUndrawn(r) && !!this.canvasUnder(r.owner));
    }
    // isUndrawnWhole reports whether the page draws nothing of an element and of its content.
    isUndrawnWhole(el) {
      if (this.opacity(el) < CLEAR) return true;
      const runs = [];
      this.text(el, true, runs);
      return runs.every(r => this.isUndrawn(r)) && [el, ...every(el, '*')].every(n => this.drawsNothing(n));
    }
    // drawsNothing reports whether an element draws no box, image, control or pseudo-element.
    drawsNothing(el) {
      const style = this.style(el), tag = localName(el), {before, after} = this.pseudosOf(el);
      if (this.opacity(el) < CLEAR || style.visibility !== 'visible' || !rendered(el)) return true;
      const control = FIELDS.has(tag) && style.appearance !== 'none';
      return !paints(style) && !before && !after && !REPLACED.has(tag) && tag !== 'svg' && !control;
    }
    // markTraced records that a canvas may draw an element.
    markTraced(el, node, runs) {
      node.f |= TRACED;
      const on = this.canvasUnder(el) || this.canvasUnder(runs.find(r => this.isClear(r)).owner);
      for (const each of [el, ...runs.map(r => r.owner)]) store.traced.set(each, on.el);
      for (const r of runs) store.written.set(r.node, dataOf(r.node));
    }
    // silentBox reports whether an element has a name but draws nothing: no pseudo-element, no background, no border of
    // a control.
    silentBox(el, style, {node, runs}) {
      const {before, after} = this.pseudosOf(el);
      if (before || after || runs.length || FIELDS.has(node.t) && node.t !== 'button') return false;
      return !paints(style) && style.appearance === 'none' && !!this.canvasUnder(el);
    }
    // addTracedArea adds to an element the area in which a canvas would draw its text, and what is drawn over that: all
    // of a box, or its edge.
    addTracedArea(rec) {
      const {node, el} = rec, on = store.traced.get(el), canvas = this.canvases.find(c => c.el === on);
      let area = null;
      const lines = rec.runs.length ? this.occlusion.lines(rec) : [], clear = lines.filter(l => this.isClear(l));
      for (const l of clear.length ? clear : lines) if (!isEmpty(l.seen)) area = union(area, l.seen);
      area = intersect(intersect(area || rec.box, this.occlusion.view), canvas.box);
      if (isEmpty(area)) { node.f |= HIDDEN; return; }
      this.over = this.over || this.records.filter(r => this.drawsOnPage(r));
      node.z = round(area);
      const floor = rank(this, canvas.el), {overlays} = this.occlusion;
      for (const r of this.over) {
        if (node.z.length > MAX_OVER || r.el === on || isEmpty(intersect(r.box, area))) continue;
        if (!above(rank(this, r.el), floor)) continue;
        const {whole, edge} = this.drawnBy(r);
        if (whole) node.z.push(...round(whole), 1);
        if (edge) node.z.push(...round(edge), 0);
      }
      for (const g of overlays) {
        if (g.what !== 'pseudo' && g.what !== 'backdrop' || isEmpty(intersect(g.box, area))) continue;
        if (above(this.occlusion.overlayRank(g), floor)) node.z.push(...round(g.box), 1);
      }
    }
    // drawsOnPage reports whether an element draws something on the page itself.
    drawsOnPage({el, node, painted}) {
      if (node.f & (HIDDEN | OFFSCREEN) || this.opacity(el) < CLEAR || node.t === 'canvas') return false;
      return painted || !(node.f & TRACED) && !!node.x || REPLACED.has(node.t) || node.t === 'svg';
    }
    // drawnBy returns what an element draws: a filled box or its text (whole), and the border of a transparent box
    // (edge).
    drawnBy(r) {
      const style = this.style(r.el), solid = filled(style) || style.backgroundImage !== 'none';
      if (!r.isText && r.painted && solid || REPLACED.has(r.node.t) || r.node.t === 'svg') return {whole: r.box};
      let whole = null;
      if (r.node.x && !(r.node.f & TRACED)) {
        for (const l of this.occlusion.lines(r)) whole = union(whole, l.part);
        whole = whole || r.box;
      }
      return {whole, edge: !r.isText && r.painted ? r.box : null};
    }
