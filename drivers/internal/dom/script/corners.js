  // The round corners of boxes that clip their content. Hit tests of WebKit find what is in such a corner, though it is
  // not drawn; those of other browsers do not.

  // cornersOf returns the edges of what a box clips its content to, with the radii of its corners; null when it clips
  // with straight edges, or nothing.
  const cornersOf = (reader, el, style) => {
    const all = /paint|strict|content/.test(style.contain);
    if (!all && (style.overflowX === 'visible' || style.overflowY === 'visible')) return null;
    if (style.display === 'inline' && !isOuterSVG(el) || parseFloat(style.overflowClipMargin) > 0) return null;
    if (el === rootElement(reader.root) ||
        localName(el) === 'body' && reader.bodyScrollsWindow(rootElement(reader.root)))
      return null;
    const radius = name => style[`border${name}Radius`] || '0px',
      names = ['TopLeft', 'TopRight', 'BottomRight', 'BottomLeft'];
    if (names.every(name => /^0(px|%)?( 0(px|%)?)?$/.test(radius(name)))) return null;
    const r = rectOf(el), k = scaleOf(el, r), own = boxOf(r);
    const side = name => parseFloat(style[`border${name}Width`]) || 0;
    const [t, rt, b, l] = ['Top', 'Right', 'Bottom', 'Left'].map(side);
    const w = width(own) / k.x, h = height(own) / k.y;
    const corners = names.map(name => {
      const [x, y = x] = radius(name).split(/\s+(?![^(]*\))/);
      return {x: length(x, w), y: length(y, h)};
    });
    const [a, c, d, e] = corners, fit = (whole, one, other) => one + other > 0 ? whole / (one + other) : 1;
    const f = Math.min(1, fit(w, a.x, c.x), fit(w, e.x, d.x), fit(h, a.y, e.y), fit(h, c.y, d.y));
    const inner = (corner, across, down) =>
      ({x: Math.max(0, corner.x * f - across) * k.x, y: Math.max(0, corner.y * f - down) * k.y});
    return {l: own.l + l * k.x, t: own.t + t * k.y, r: own.r - rt * k.x, b: own.b - b * k.y,
      radii: [inner(a, l, t), inner(c, rt, t), inner(d, rt, b), inner(e, l, b)]};
  };
  // inCorner reports whether a point is within the edges of such a box, and cut off by one of its corners.
  const inCorner = (box, x, y) => {
    const left = x - box.l, top = y - box.t, right = box.r - x, bottom = box.b - y;
    if (left < 0 || top < 0 || right < 0 || bottom < 0) return false;
    return [[left, top], [right, top], [right, bottom], [left, bottom]].some(([dx, dy], i) => {
      const {x: rx, y: ry} = box.radii[i];
      return dx < rx && dy < ry && ((rx - dx) / rx) ** 2 + ((ry - dy) / ry) ** 2 > 1;
    });
  };
  // straight reports whether a style neither rotates nor skews a box: only then its edges are known.
  const straight = s => {
    const m = /^matrix\(([^)]*)\)$/.exec(s.transform), turned = (s.rotate || 'none') !== 'none';
    if (turned || s.transform !== 'none' && !m) return false;
    const [, b, c] = m ? m[1].split(',').map(Number) : [1, 0, 0];
    return Math.abs(b) < 1e-6 && Math.abs(c) < 1e-6;
  };
  // Corners knows which round corners clip the elements of a document.
  class Corners {
    constructor(reader) { this.reader = reader; this.known = new Map(); }
    // of returns the round boxes that clip an element (own), and its descendants by their kind of positioning.
    of(el) {
      let known = this.known.get(el);
      if (known) return known;
      const p = parent(el), style = this.reader.style(el), none = [];
      const up = p && isElement(p) ? this.of(p) : {own: none, flow: none, absolute: none, fixed: none, turned: false};
      if (style.display === 'contents' || up.turned) known = up;
      else if (!straight(style)) known = {own: none, flow: none, absolute: none, fixed: none, turned: true};
      else {
        const own = up[{fixed: 'fixed', absolute: 'absolute'}[style.position] || 'flow'],
          round = cornersOf(this.reader, el, style), flow = round ? [...own, round] : own, holder = holdsFixed(style);
        known = {own, flow, absolute: holder || style.position !== 'static' ? flow : up.absolute,
          fixed: holder ? flow : up.fixed, turned: false};
      }
      this.known.set(el, known);
      return known;
    }
    // cut reports whether a round corner cuts off a point of an element: of its box, or of its text.
    cut(el, x, y, boxed) {
      const {own, flow} = this.of(el);
      return (boxed ? own : flow).some(box => inCorner(box, x, y));
    }
  }
