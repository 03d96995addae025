  // What shows something of its own within a page: pages in frames and objects, and the parts of a picture.

  // laidOut: what el holds is drawn. An object that shows a picture or a page draws nothing of it.
  const laidOut = el => {
    const range = new Range();
    range.selectNodeContents(el);
    return range.getClientRects().length > 0;
  };
  // embeds: an embed does not say what it shows, but the page that it shows does, where it is of the same site.
  const embeds = el => {
    for (let i = 0; i < Math.min(window.length, 50); i++) {
      try { if (window[i].frameElement === el) return true; } catch { /* of another site */ }
    }
    return false;
  };
  // framing: el shows a page of its own.
  const framing = el => {
    const tag = localName(el);
    if (tag === 'object') return !!prop(el, HTMLObjectElement.prototype, 'contentWindow');
    return tag === 'iframe' || tag === 'frame' || tag === 'embed' && embeds(el);
  };
  // enterable lets Playwright into an object that shows a page: it enters what calls itself a frame. A page does not
  // see what is said here.
  const enterable = el => {
    if (framing(el) && !/^i?frame$/.test(localName(el)))
      Object.defineProperty(el, 'nodeName', {value: 'IFRAME', configurable: true});
    return el;
  };
  // areasOf lists the parts of a picture that have an address of their own.
  const areasOf = img => {
    const name = (attr(img, 'usemap') || '').replace(/^#/, ''), root = rootOf(img);
    const map = name && typeOf(root) === 9 ?
      [...allIn(root, 'map')].find(m => attr(m, 'name') === name || attr(m, 'id') === name) : null;
    return map ? every(map, 'area') : [];
  };
  // areaBox is the box around such a part, within its picture.
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
    return meet(b, r);
  };
