  // Elements with content of their own: frames and objects with pages, and images with areas.

  // laidOut reports whether the children of el are drawn. Those of an object that shows an image or a page are not.
  const laidOut = el => {
    const range = new Range();
    range.selectNodeContents(el);
    return range.getClientRects().length > 0;
  };
  // embeds reports whether an embed shows a page. The embed has no property for it, but the page refers to it, if it is
  // of the same site.
  const embeds = el => {
    for (let i = 0; i < Math.min(window.length, 50); i++) {
      try { if (window[i].frameElement === el) return true; } catch { /* a page of another site */ }
    }
    return false;
  };
  // framing reports whether el shows a page of its own.
  const framing = el => {
    const tag = localName(el);
    if (tag === 'object') return !!prop(el, HTMLObjectElement.prototype, 'contentWindow');
    return tag === 'iframe' || tag === 'frame' || tag === 'embed' && embeds(el);
  };
  // enterable makes Playwright enter an object that shows a page: Playwright enters only elements with the name of a
  // frame. The page does not see this property.
  const enterable = el => {
    if (framing(el) && !/^i?frame$/.test(localName(el)))
      Object.defineProperty(el, 'nodeName', {value: 'IFRAME', configurable: true});
    return el;
  };
  // areasOf returns the areas of an image that has an image map.
  const areasOf = img => {
    const name = (attr(img, 'usemap') || '').replace(/^#/, ''), root = rootOf(img);
    const map = name && typeOf(root) === 9 ?
      [...allIn(root, 'map')].find(m => attr(m, 'name') === name || attr(m, 'id') === name) : null;
    return map ? every(map, 'area') : [];
  };
  // areaBox returns the box around an area, within its image.
  const areaBox = (area, img, style) => {
    const r = boxOf(rectOf(img)),
      side = name => parseFloat(style['padding' + name]) + parseFloat(style[`border${name}Width`]);
    const at = (attr(area, 'coords') || '').split(',').map(Number),
      shape = (attr(area, 'shape') || 'rect').toLowerCase();
    const x = r.l + side('Left'), y = r.t + side('Top');
    let b = r;
    if (/^circ/.test(shape) && at.length >= 3)
      b = {l: x + at[0] - at[2], t: y + at[1] - at[2], r: x + at[0] + at[2], b: y + at[1] + at[2]};
    else if (/^poly/.test(shape) && at.length >= 6) {
      const xs = at.filter((_, i) => i % 2 === 0), ys = at.filter((_, i) => i % 2 === 1);
      b = {l: x + Math.min(...xs), t: y + Math.min(...ys), r: x + Math.max(...xs), b: y + Math.max(...ys)};
    } else if (/^rect/.test(shape) && at.length >= 4)
      b = {l: x + Math.min(at[0], at[2]), t: y + Math.min(at[1], at[3]),
        r: x + Math.max(at[0], at[2]), b: y + Math.max(at[1], at[3])};
    return intersect(b, r);
  };
