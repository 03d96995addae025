  // What styles make visible: which parts are painted opaquely, and in which order.

  // filterAlpha returns the opacity that a filter leaves, from 0 to 1.
  const filterAlpha = filter => {
    if (!filter || filter === 'none') return 1;
    if (filter.includes('url(') && isFlood(filter)) return 0;
    if (!filter.includes('opacity(')) return 1;
    const match = /opacity\(([\d.]+)(%?)\)/.exec(filter);
    return match ? Math.min(1, +match[1] / (match[2] ? 100 : 1)) : 1;
  };
  // maskAlpha returns 0 when a mask removes all of an element, 1 when it removes nothing, and 0.5 when it removes some
  // of it or an unknown part.
  const maskAlpha = style => {
    const image = style.maskImage || style.webkitMaskImage;
    if (!image || image === 'none') return 1;
    const size = style.maskSize || style.webkitMaskSize || 'auto';
    if (/^0(px|%)?( 0(px|%)?)?$/.test(size)) return 0;
    const stops = gradientAlpha(image);
    return stops && stops.most < CLEAR ? 0 : stops && stops.least > OPAQUE ? 1 : 0.5;
  };
  // blurOf returns the radius in pixels by which a filter blurs. A text that is blurred by more than MAX_BLUR of its
  // font size cannot be read (smears).
  const MAX_BLUR = 0.25;
  const blurOf = filter => {
    let far = 0;
    for (const [, px] of String(filter || '').matchAll(/blur\(([\d.]+)px\)/g)) far += +px;
    return far;
  };
  const smears = (far, style) => far > 0 && far >= MAX_BLUR * (parseFloat(style.fontSize) || 16);
  // layerAlpha returns the opacity of an element and its descendants by the element's own style.
  const layerAlpha = style => +style.opacity * filterAlpha(style.filter) * (maskAlpha(style) === 0 ? 0 : 1);

  // length returns a computed length in pixels: px, a percentage of whole, or calc() with one of each.
  const length = (text, whole) => {
    let sum = 0;
    for (const [, sign, number, unit] of String(text).matchAll(/([+-]\s+|)(-?[\d.]+(?:e-?\d+)?)(px|%)/g)) {
      sum += (sign.startsWith('-') ? -1 : 1) * number * (unit === '%' ? whole / 100 : 1);
    }
    return sum;
  };
  // edges returns the four values of inset() in pixels.
  const edges = (text, w, h) => {
    const parts = text.replace(/\bround\b.*$/, '').match(/calc\((?:[^()]|\([^()]*\))*\)|[^\s]+/g) || [];
    const [t = '0px', r = t, b = t, l = r] = parts;
    return {t: length(t, h), r: length(r, w), b: length(b, h), l: length(l, w)};
  };
  // outline returns the box around an SVG path, null for an empty one.
  const outline = (path, at) => {
    const drawn = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    drawn.setAttribute('d', path);
    const long = drawn.getTotalLength(), steps = 60, xs = [], ys = [];
    for (let i = 0; long > 0 && i <= steps; i++) {
      const p = drawn.getPointAtLength(long * i / steps);
      xs.push(p.x);
      ys.push(p.y);
    }
    return xs.length ? at(Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)) : null;
  };
  // clipShape returns the box around what clip-path leaves of an element's box, null when it leaves all or this is
  // unknown.
  const clipShape = (el, style, box) => {
    const shape = style.clipPath;
    if (!shape || shape === 'none') return null;
    const w = box.r - box.l, h = box.b - box.t;
    const at = (l, t, r, b) => ({l: box.l + l, t: box.t + t, r: box.l + r, b: box.t + b});
    const [, kind, inner] = /^(\w+)\((.*?)\)(?:\s+[\w-]+)?$/.exec(shape) || [];
    const none = at(0, 0, 0, 0);
    if (kind === 'inset') { const e = edges(inner, w, h); return at(e.l, e.t, w - e.r, h - e.b); }
    if (kind === 'polygon') {
      const points = inner.replace(/^(nonzero|evenodd)\s*,\s*/, '').split(',')
        .map(p => p.trim().split(/\s+(?![^(]*\))/));
      const xs = points.map(p => length(p[0], w)), ys = points.map(p => length(p[1], h));
      return at(Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys));
    }
    if (kind === 'circle' || kind === 'ellipse') {
      const [size, place = '50% 50%'] = inner.split(/\s*\bat\b\s*/), radii = size.trim().split(/\s+/);
      if (/side|corner/.test(size) || size.trim() === '') return null;
      const [x, y] = place.trim().split(/\s+(?![^(]*\))/), cx = length(x, w), cy = length(y || '50%', h);
      const rx = length(radii[0], kind === 'circle' ? Math.hypot(w, h) / Math.SQRT2 : w);
      const ry = kind === 'circle' ? rx : length(radii[1] || radii[0], h);
      return rx <= 0 || ry <= 0 ? none : at(cx - rx, cy - ry, cx + rx, cy + ry);
    }
    if (kind === 'path') return outline(/"([^"]*)"/.exec(inner)?.[1] || '', at) || none;
    const ref = /^url\("?#([^")]+)"?\)$/.exec(shape);
    if (ref) {
      const root = rootOf(el), get = byId[typeOf(root)], path = get && get(root, ref[1]);
      return path && !find(path, '*') ? none : null;
    }
    return null;
  };
  // clipRect returns the box that the old property clip leaves; it applies to positioned elements only. null: it clips
  // nothing.
  const clipRect = (style, box) => {
    const m = style.position === 'absolute' || style.position === 'fixed' ?
      /^rect\((.*)\)$/.exec(style.clip || '') : null;
    if (!m) return null;
    const [t, r, b, l] = m[1].split(/[\s,]+/).map(v => v === 'auto' ? null : parseFloat(v));
    return {l: box.l + (l ?? 0), t: box.t + (t ?? 0), r: r === null ? box.r : box.l + r,
      b: b === null ? box.b : box.t + b};
  };

  // shadows returns the shadows of a style: colour, offset, blur and, of a box, spread.
  const shadows = text => (text && text !== 'none' ? text.split(/,(?![^(]*\))/) : []).map(one => {
    const colour = (/[a-z]+\([^)]*\)|^\s*[a-z]+/i.exec(one) || [''])[0].trim();
    const [x = 0, y = 0, blur = 0, spread = 0] = (one.replace(colour, '').match(/-?[\d.]+px/g) || []).map(parseFloat);
    return {colour, x, y, blur, spread, inset: /\binset\b/.test(one)};
  });
  // fraction returns a number of a style, or a percentage, as a number from 0 to 1.
  const fraction = text => text.endsWith('%') ? parseFloat(text) / 100 : parseFloat(text);
  // fills and strokes report whether the inside or the outline of an SVG text or shape is visible.
  const fills = style => alpha(style.fill) * fraction(style.fillOpacity) >= CLEAR;
  const strokes = style => style.stroke !== 'none' && alpha(style.stroke) * fraction(style.strokeOpacity) >= CLEAR &&
    parseFloat(style.strokeWidth) > 0;
  // inkOf returns the colour of the text of an element.
  const inkOf = (el, style) => el instanceof SVGElement ? fills(style) || !strokes(style) ? style.fill : style.stroke :
    style.webkitTextFillColor || style.color;
  // Of the font size: characters closer than this are drawn on top of each other and cannot be read.
  const MIN_LETTER_SPACING = -0.4;
  // inkless reports whether the text of a style is invisible. A text with a stroke, a shadow, or a background that is
  // clipped to it is visible.
  const inkless = (el, style) => {
    if (parseFloat(style.fontSize) < 1 ||
        parseFloat(style.letterSpacing) < MIN_LETTER_SPACING * parseFloat(style.fontSize))
      return true;
    if (el instanceof SVGElement ? fills(style) || strokes(style) : alpha(inkOf(el, style)) >= CLEAR) return false;
    if ((style.webkitBackgroundClip || style.backgroundClip || '').includes('text') &&
      (style.backgroundImage !== 'none' || alpha(style.backgroundColor) >= CLEAR)) return false;
    if (parseFloat(style.webkitTextStrokeWidth) > 0 && alpha(style.webkitTextStrokeColor) >= CLEAR) return false;
    return !shadows(style.textShadow).some(s => alpha(s.colour) >= CLEAR && !smears(s.blur / 2, style));
  };

  // dressesFirsts reports whether a style sheet of a document or shadow root may style first lines or first letters.
  // The rules of sheets of other sites cannot be read: they count as such. The result is cached until the number of
  // sheets or rules changes.
  const dressed = new WeakMap(), rulesOf = sheet => { try { return sheet.cssRules; } catch { return null; } };
  const dressesFirsts = root => {
    if (!root.styleSheets) return false;
    const sheets = [...root.styleSheets, ...root.adoptedStyleSheets || []].map(rulesOf),
      key = sheets.map(rules => rules ? rules.length : -1).join();
    let known = dressed.get(root);
    const says = rules => [...rules].some(rule => /:first-l/.test(rule.selectorText || '') ||
      !!rule.styleSheet && (rulesOf(rule.styleSheet) === null || says(rulesOf(rule.styleSheet))) ||
      !!rule.cssRules && says(rule.cssRules));
    if (!known || known.key !== key)
      dressed.set(root, known = {key, yes: sheets.some(rules => rules === null || says(rules))});
    return known.yes;
  };
  // paints reports whether a style draws something of a box.
  const paints = s => alpha(s.backgroundColor) > CLEAR || s.backgroundImage !== 'none' || s.boxShadow !== 'none' ||
    parseFloat(s.borderTopWidth) > 0 || parseFloat(s.borderBottomWidth) > 0;
  // fading reports whether a style animates the opacity of an element: the page shows and hides it.
  const fading = s => s.animationName !== 'none' ||
    /[1-9]/.test(s.transitionDuration) && /all|opacity|filter/.test(s.transitionProperty);
  // hasGap reports whether a style leaves the width of a space on a side of an element.
  const hasGap = (s, side) => parseFloat(s['margin' + side]) +
    parseFloat(s['padding' + side]) >= 0.25 * parseFloat(s.fontSize);
  // dotted reports whether text is drawn as dots, as in a password field.
  const dotted = style => (style.webkitTextSecurity || 'none') !== 'none';
  // repainted reports whether a style draws an image in place of the content of an element.
  const repainted = style =>
    /^(url|image-set|-webkit-image-set|(repeating-)?(linear|radial|conic)-gradient)\(/.test(style.content);

  // filled reports whether the background of a style is opaque everywhere in its box.
  const filled = style => {
    const clipped = (style.backgroundClip || '').includes('text');
    if (clipped) return false;
    if (alpha(style.backgroundColor) >= OPAQUE) return true;
    const image = style.backgroundImage;
    if (!image || image === 'none') return false;
    const size = style.backgroundSize || 'auto';
    if (!/^(auto|cover|100%)/.test(size)) return false;
    return listed(image).some(layer => (gradientAlpha(layer)?.least ?? 0) >= OPAQUE) ||
      /^url\("[^"]*\.jpe?g(\?[^"]*)?"\)$/i.test(image) && size === 'cover';
  };
  // backdropBlur returns the radius in pixels by which an element blurs what is behind it (backdrop-filter).
  const backdropBlur = (reader, el) => {
    const style = reader.style(el), far = blurOf(style.backdropFilter);
    return far && style.visibility === 'visible' && maskAlpha(style) === 1 && reader.opacity(el) > 0.5 ? far : 0;
  };
  // pixelAlpha returns the opacity of an image at a point of its box, null where the browser does not let the page read
  // the image.
  const pixelAlpha = (el, x, y, w, h) => {
    const r = rectOf(el);
    if (!(w > 0 && h > 0 && r.width > 0 && r.height > 0)) return null;
    const px = Math.min(w - 1, Math.max(0, (x - r.left) / r.width * w)),
      py = Math.min(h - 1, Math.max(0, (y - r.top) / r.height * h));
    const pixel = sampled(ctx => ctx.drawImage(el, px, py, 1, 1, 0, 0, 1, 1));
    return pixel ? pixel[3] / 255 : null;
  };
  // filledRow reports whether the row of a table cell, or its group of rows, has an opaque background. The cell shows
  // it, but hit tests do not return the row.
  const filledRow = (reader, el) => {
    for (let n = parent(el); n && isElement(n) && /^table-(row|.+-group)/.test(reader.style(n).display); n = parent(n))
      if (filled(reader.style(n))) return true;
    return false;
  };
  const SHAPES = new Set(['path', 'rect', 'circle', 'ellipse', 'polygon', 'image']);
  // solid reports whether an element is opaque at a point; false when this is unknown. share is the opacity that the
  // ancestors give both to the element and to what is below it.
  const solid = (reader, el, x, y, share = 1) => {
    const style = reader.style(el), tag = localName(el);
    if (style.visibility !== 'visible' || reader.opacity(el) < OPAQUE * share || maskAlpha(style) < 1) return false;
    if (style.mixBlendMode && style.mixBlendMode !== 'normal') return hidesByBlending(style);
    if (SHAPES.has(tag) && find !== null && el instanceof SVGElement) {
      return tag !== 'image' && alpha(style.fill) * (parseFloat(style.fillOpacity) || 0) >= OPAQUE;
    }
    if (style.display !== 'contents' && (filled(style) || imageCovers(style, boxOf(rectOf(el)), x, y)) ||
        style.display === 'table-cell' && filledRow(reader, el))
      return true;
    if (tag === 'img')
      return (pixelAlpha(el, x, y, prop(el, HTMLImageElement.prototype, 'naturalWidth'),
        prop(el, HTMLImageElement.prototype, 'naturalHeight')) ??
      (/\.jpe?g([?#]|$)/i.test(attr(el, 'src') || '') ? 1 : 0)) >= OPAQUE;
    if (tag === 'canvas')
      return (pixelAlpha(el, x, y, prop(el, HTMLCanvasElement.prototype, 'width'),
        prop(el, HTMLCanvasElement.prototype, 'height')) ?? 0) >= OPAQUE;
    if (tag === 'video') return prop(el, HTMLMediaElement.prototype, 'readyState') >= 2 || postered(el, style, x, y);
    if (framing(el)) return frameSolid(el);
    return bordered(el, style, x, y);
  };
  // postered reports whether the poster of a video, which is shown until it plays, is opaque at a point.
  const postered = (el, style, x, y) => {
    const poster = prop(el, HTMLVideoElement.prototype, 'poster');
    return !!poster &&
      layerAt({image: `url("${poster}")`,
      size: style.objectFit === 'fill' ? '100% 100%' : style.objectFit === 'cover' ? 'cover' : 'contain',
      place: style.objectPosition, repeat: 'no-repeat'}, boxOf(rectOf(el)), x, y) >= OPAQUE;
  };
  // tint returns how much of what is below an element its background colour hides, from 0 to 1, where it is not opaque.
  const tint = (reader, el) => {
    const style = reader.style(el);
    if (style.visibility !== 'visible' || style.display === 'contents' || style.display === 'inline' ||
        (style.backgroundClip || '').includes('text'))
      return 0;
    return maskAlpha(style) < 1 || style.mixBlendMode !== 'normal' ?
      0 : alpha(style.backgroundColor) * reader.opacity(el);
  };
  // bordered reports whether a border or an inset shadow is opaque at a point; it may be wide enough to fill the
  // element.
  const bordered = (el, s, x, y) => {
    const r = rectOf(el), wide = side => parseFloat(s[`border${side}Width`]) || 0,
      full = side => alpha(s[`border${side}Color`]) >= OPAQUE;
    const inner = shadows(s.boxShadow).some(({inset, colour, x: dx, y: dy, spread, blur}) => inset &&
      spread - blur / 2 > 4 && alpha(colour) >= OPAQUE &&
      !inBox({l: r.left + dx + spread - blur / 2, t: r.top + dy + spread - blur / 2,
      r: r.right + dx - spread + blur / 2, b: r.bottom + dy - spread + blur / 2}, x, y));
    // Borders that meet leave no point between them, not even the one where they do.
    const meet = (a, b, size) => full(a) && full(b) && wide(a) + wide(b) > 4 && size - wide(a) - wide(b) < 1;
    return inner || meet('Left', 'Right', r.right - r.left) || meet('Top', 'Bottom', r.bottom - r.top) ||
      wide('Left') > 4 && full('Left') && x < r.left + wide('Left') ||
      wide('Right') > 4 && full('Right') && x > r.right - wide('Right') ||
      wide('Top') > 4 && full('Top') && y < r.top + wide('Top') ||
      wide('Bottom') > 4 && full('Bottom') && y > r.bottom - wide('Bottom');
  };
  // frameSolid reports whether the page in a frame has an opaque background; false for pages of other sites, which
  // cannot be read.
  const frameSolid = el => {
    try {
      const inner = prop(
        el, (localName(el) === 'object' ? HTMLObjectElement : HTMLIFrameElement).prototype, 'contentDocument');
      return !!inner && [rootElement(inner), bodyOf(inner)].some(part => part && filled(styleOf(part)));
    } catch { return false; }
  };

  // holdsFixed reports whether a box with a style is the containing block of descendants with a fixed position.
  const holdsFixed = s => s.transform !== 'none' || s.filter !== 'none' || s.perspective !== 'none' ||
    (s.translate || 'none') !== 'none' || (s.scale || 'none') !== 'none' || (s.rotate || 'none') !== 'none' ||
    /paint|layout|strict|content/.test(s.contain) || /transform|perspective|filter/.test(s.willChange || '');
  // stacks reports whether a style creates a stacking context.
  const stacks = s => s.opacity !== '1' || s.transform !== 'none' || s.filter !== 'none' || s.perspective !== 'none' ||
    s.clipPath !== 'none' || s.position === 'fixed' || s.position === 'sticky' ||
    s.position !== 'static' && s.zIndex !== 'auto' || s.isolation === 'isolate' || s.mixBlendMode !== 'normal' ||
    (s.backdropFilter || 'none') !== 'none' || (s.translate || 'none') !== 'none' || (s.scale || 'none') !== 'none' ||
    (s.rotate || 'none') !== 'none' || /paint|layout|strict|content/.test(s.contain) ||
    (s.maskImage || 'none') !== 'none' ||
    /transform|opacity|filter|perspective|clip-path|mask/.test(s.willChange || '');
  // pickerOpen reports whether a <select> with appearance: base-select shows its options, which are over the whole
  // page.
  const pickerOpen = el => {
    try {
      return localName(el) === 'select' && matches(el, ':open') && styleOf(el).appearance === 'base-select';
    } catch { return false; }
  };
  // inPicker reports whether an element is an option of such a list.
  const inPicker = el => (localName(el) === 'option' || localName(el) === 'optgroup') && parent(el) &&
    isElement(parent(el)) && pickerOpen(parent(el));
  // inTopLayer reports whether an element is in the top layer: a modal dialog, a popover, a full-screen element, an
  // open list.
  const inTopLayer = el => {
    if (inPicker(el)) return true;
    try {
      return (localName(el) === 'dialog' || has(el, 'popover')) && matches(el, ':modal, :popover-open') ||
        matches(el, ':fullscreen');
    } catch { return false; }
  };
  // openedAt returns when an element came to the top layer, as script/opened.js reports it; without that, as in shadow
  // roots, when it was first seen there.
  const firstSeen = new Map();
  const openedAt = el => {
    let at = 0;
    if (!scriptless) {
      const hear = event => { at = Number(event.detail) || 0; };
      window.addEventListener(WATCH + 'openedat', hear, true);
      sendTo(el, new CustomEvent(WATCH + 'opened', {composed: true}));
      window.removeEventListener(WATCH + 'openedat', hear, true);
    }
    if (!firstSeen.has(el)) firstSeen.set(el, performance.now());
    return at || firstSeen.get(el);
  };
  // forgetClosed forgets the elements that have left the top layer.
  const forgetClosed = () => { for (const el of firstSeen.keys()) if (!inTopLayer(el)) firstSeen.delete(el); };
  const sendTo = method(EventTarget.prototype, 'dispatchEvent');
  // TOP is the z-index of the top layer. levelOf returns the position of an element in it, or of its backdrop.
  const TOP = 1e12, LEVEL = 1e-6;
  const levelOf = (reader, el, backdrop) => {
    let at = reader.levels.get(el);
    if (at === undefined) reader.levels.set(el, at = openedAt(el) + LEVEL * reader.orderOf(el));
    return backdrop ? at - LEVEL / 2 : at;
  };
  // pathTo returns the start of the rank of an element and its descendants: path leads through the stacking contexts,
  // local is the nearest positioned box in the last of them.
  const pathTo = (reader, el) => {
    let known = reader.paths.get(el);
    if (known) return known;
    const p = parent(el), inside = p && isElement(p);
    const {path, local} = inside ? pathTo(reader, p) : {path: [], local: null};
    const s = reader.style(el), order = reader.orderOf(el), z = parseInt(s.zIndex);
    const item = !isNaN(z) && inside && /flex|grid/.test(reader.style(p).display);
    if (inTopLayer(el)) known = {path: [[TOP, levelOf(reader, el)]], local: null};
    else if (stacks(s) || item)
      known = {path: [...path, [s.position !== 'static' || item ? z || 0 : 0, order]], local: null};
    else known = {path, local: s.position !== 'static' ? [0, order] : local};
    reader.paths.set(el, known);
    return known;
  };
  // rank returns the position of an element in the order of painting: pairs of z-index and document order, from the
  // outermost stacking context inwards, which are compared one by one. what is the part of the element: its box
  // ("box"), its text ("text"), or a pseudo-element with its style.
  const FLOW = -0.5, FLOAT = -0.4, INLINE = -0.3;
  const rank = (reader, el, what = 'box', pseudo = null) => {
    const {path: around, local} = pathTo(reader, el), path = around.slice();
    const own = reader.style(el), order = pseudo ? pseudo.order : reader.orderOf(el);
    if (pseudo) {
      const s = pseudo.style, z = parseInt(s.zIndex);
      if (stacks(s)) return [...path, [z || 0, order], [-Infinity, order]];
      if (s.position !== 'static') return [...path, [0, order], [-Infinity, order]];
      return [...path, ...(local ? [local] : []), [what === 'text' ? INLINE : FLOW, order]];
    }
    if (local) path.push(local);
    const last = path[path.length - 1];
    if (what === 'text') return [...path, [INLINE, order]];
    if (last && (last[1] === order || last[1] === reader.levels.get(el))) return [...path, [-Infinity, order]];
    return [...path, [own.display.startsWith('inline') ? INLINE : own.float !== 'none' ? FLOAT : FLOW, order]];
  };
  // above reports whether rank a is painted after rank b.
  const above = (a, b) => {
    for (let i = 0; i < Math.min(a.length, b.length); i++) {
      if (a[i][0] !== b[i][0]) return a[i][0] > b[i][0];
      if (a[i][1] !== b[i][1]) return a[i][1] > b[i][1];
    }
    return a.length > b.length;
  };
