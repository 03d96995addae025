    // useDrawnBox replaces the box of an invisible field with the box of what the page draws in its place.
    useDrawnBox(rec, tag, at, place) {
      const {el, node, full} = rec;
      if (tag !== 'input' && tag !== 'select' && tag !== 'textarea') return;
      const style = this.style(el), type = tag === 'input' ? inputType(el) : tag,
        ticked = type === 'checkbox' || type === 'radio';
      if (style.visibility !== 'visible' || attr(el, 'aria-hidden') === 'true' || !rendered(el)) return;
      const faded = place.opacity < CLEAR, top = at.faded || el;
      if (place.turned.away || !faded && !(ticked || type === 'file' || type === 'range')) return;
      if (top !== el && (textOf(top).trim() || count(top, 'input, select, textarea, button, a') > 1)) return;
      const holder = parent(top);
      if (!holder || !isElement(holder) || this.opacity(holder) < CLEAR || hasCustomTwin(el, holder)) return;
      const placed = !isEmpty(intersect(full, place.clip.reach)); // not moved out of the page
      const drawn = this.drawnBox(el, top, holder, full, ticked, faded, placed);
      const box = drawn && intersect(drawn, at.flow.seen);
      if (!box || isEmpty(box)) return;
      node.f &= ~(HIDDEN | OFFSCREEN);
      node.b = round(drawn);
      delete node.s;
      if (width(box) < width(drawn) - 1 || height(box) < height(drawn) - 1) node.s = round(box);
      store.drawnIn.set(el, holder);
      // What a hit test finds where it is drawn: its label, which may draw its text over the box, or what it is in.
      const {x, y} = pointWithin(box, 0.5, 0.5);
      const drawnAs = [...this.labels(el, localName(el)), holder].find(e => inBox(boxOf(rectOf(e)), x, y));
      Object.assign(rec,
        {full: drawn, box, drawnIn: holder, drawnAs: drawnAs || holder, judged: !!drawnAs, kept: true});
    }
    // drawnBox returns the box that is drawn for a field: that of a sibling, its own when only its opacity hides it, or
    // that of its label.
    drawnBox(el, top, holder, full, ticked, faded, placed) {
      const sized = placed && width(full) >= 6 && height(full) >= 6, own = sized && faded ? full : null,
        near = sized ? full : {l: full.l - 4, t: full.t - 4, r: full.r + 4, b: full.b + 4};
      let best = null, shared = false;
      for (const n of children(holder)) {
        if (!isElement(n) || n === top || IGNORED.has(localName(n))) continue;
        if (this.isOtherField(n, el)) shared = shared || !!own && !isEmpty(intersect(boxOf(rectOf(n)), own));
        if (!this.seen(n) || this.isOtherField(n, el)) continue;
        const b = boxOf(rectOf(n)), tick = width(b) <= 90 && height(b) <= 60;
        if ((ticked ? tick : own) && !isEmpty(intersect(b, near)) &&
            (!best || width(b) * height(b) < width(best) * height(best)))
          best = b;
        else if (ticked && tick && !own && !best && !squeeze(textOf(n))) best = b;
      }
      if (best && ticked) return best;
      const s = this.style(holder), made = this.pseudosOf(holder),
        paints = filled(s) || s.backgroundImage !== 'none' || parseFloat(s.borderTopWidth) > 0 || made.before ||
          made.after;
      const around = boxOf(rectOf(holder)), label = [...this.labels(el, localName(el))].find(l => this.seen(l));
      if (ticked && shared && label) return boxOf(rectOf(label)); // another field is drawn where it is itself
      // the parent is drawn as the control
      if (!faded && sized && paints && width(around) <= 90 && height(around) <= 60) return around;
      if (own && (best || paints || count(holder, 'svg, img') || squeeze(textOf(holder))))
        return ticked && holdsBox(own, around) ? around : own;
      return label ? boxOf(rectOf(label)) : null;
    }
    // inOtherField reports whether hit, within the box that is drawn for a field, belongs to another field.
    inOtherField(el, hit, holder) {
      for (let n = hit; n && n !== holder; n = parent(n)) if (isElement(n) && this.isOtherField(n, el)) return true;
      return false;
    }
    // isOtherField reports whether n is another field, or the label of one.
    isOtherField(n, el) {
      if (['input', 'select', 'textarea'].includes(localName(n))) return n !== el;
      const control = localName(n) === 'label' ? prop(n, HTMLLabelElement.prototype, 'control') : null;
      return !!control && control !== el;
    }
