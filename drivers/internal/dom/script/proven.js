  // maybeTraced: a canvas may draw something of what a selector picks. reader has read the texts of that; silent are
  // the elements without a text that have a name.
  const maybeTraced = (root, reader, elements, silent) => {
    const clear = el => silent.has(el) || reader.opacity(el) < CLEAR && rendered(el);
    const some = reader.faint ? elements : elements.filter(clear);
    if (!some.length) return false;
    const below = new Reader(root, 0);
    below.noteAllCanvases(root);
    return below.canvases.length > 0 && some.some(el => below.mayHoldTraced(el));
  };
  // Proven is for reading what a selector picks again, once the driver has found in the pixels which elements of the
  // newest tree the canvases below them draw.
  class Proven {
    constructor(root, drawn) {
      this.reader = new Reader(root, 0);
      this.reader.noteAllCanvases(root);
      this.drawn = new Set(drawn.split(',').filter(Boolean).map(Number));
      this.parts = new Map();
      for (const [n, {runs}] of store.texts) for (const {node} of runs) this.parts.set(node, n);
    }
    // seen: a person sees an element; undefined where that is not for a canvas to say.
    seen(el) {
      const node = store.nodes[store.index.get(el)];
      const canvas = node && node.f & TRACED && this.reader.isUndrawnWhole(el);
      return canvas ? this.drawn.has(node.n) : undefined;
    }
    // draws: a canvas draws a piece of text, which is still what it was.
    draws({node, owner}) {
      const n = this.parts.get(node) ?? store.index.get(owner);
      return this.drawn.has(n) && store.written.get(node) === dataOf(node);
    }
    // text is what is seen of the text in an element, or of its name where it has no text.
    text(el) {
      const {reader} = this, runs = [], all = reader.text(el, true, runs);
      const without = runs.filter(run => reader.isUndrawn(run) && !this.draws(run)).map(run => run.node);
      if (without.length) return reader.text(el, true, null, new Set(without));
      const n = store.index.get(el), name = !all && this.drawn.has(n) ? store.nodes[n].d : '';
      return name && name === reader.name(el, localName(el)) ? name : all;
    }
  }
