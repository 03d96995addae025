  // The opacity of the colours, images and gradients of a style, at a point of the box in which they are drawn.

  let scratch = null;
  // sampled returns the one pixel that draw() leaves in a canvas of 1 × 1 pixels, null where the browser does not let
  // the page read it (images of other sites).
  const sampled = draw => {
    try {
      if (!scratch) {
        const canvas = create(document, 'canvas');
        canvas.width = canvas.height = 1;
        scratch = canvas.getContext('2d', {willReadFrequently: true});
      }
      scratch.clearRect(0, 0, 1, 1);
      draw(scratch);
      return scratch.getImageData(0, 0, 1, 1).data;
    } catch { scratch = null; return null; }
  };
  const colours = new Map();
  // rgba returns a computed colour in any of the notations of CSS as red, green, blue and, from 0 to 1, opacity.
  const rgba = colour => {
    let c = colours.get(colour);
    if (c) return c;
    const match = /^rgba?\((\d+), (\d+), (\d+)(?:, ([\d.e-]+))?\)$/.exec(colour),
      faint = /\/\s*([\d.e-]+)\)$/.exec(colour);
    if (match) c = [+match[1], +match[2], +match[3], +(match[4] ?? 1)];
    else if (!colour || colour === 'transparent' || colour === 'none') c = [0, 0, 0, 0];
    else {
      const pixel = sampled(ctx => { ctx.fillStyle = '#000'; ctx.fillStyle = colour; ctx.fillRect(0, 0, 1, 1); });
      c = pixel ? [pixel[0], pixel[1], pixel[2], faint ? +faint[1] : pixel[3] / 255] :
        [NaN, NaN, NaN, faint ? +faint[1] : 1];
    }
    if (colours.size > 500) colours.clear();
    colours.set(colour, c);
    return c;
  };
  // alpha returns the opacity of a computed colour, from 0 to 1.
  const alpha = colour => rgba(colour)[3];
  const OPAQUE = 0.97, CLEAR = 0.05, ALIKE = 8;
  // sameColour reports whether the second colour cannot be distinguished on the first one, which is opaque.
  const sameColour = (ground, ink) => {
    if (!ground || !ink) return false;
    const [a, b] = [rgba(ground), rgba(ink)];
    return [0, 1, 2].every(i => Math.abs(a[i] - b[i]) * b[3] <= ALIKE);
  };

  // listed splits a list of a style at the commas outside of parentheses and quotes.
  const listed = text => String(text)
    .match(/(?:"[^"]*"|\((?:"[^"]*"|[^()"]|\((?:[^()]|\([^()]*\))*\))*\)|[^,("])+/g)?.map(part => part.trim()) || [];
  const GRADIENT = /^(repeating-)?(linear|radial|conic)-gradient\((.*)\)$/;
  const COLOUR = /(?:rgba?|color|color-mix|hsla?|oklch|oklab|lch|lab)\((?:[^()]|\([^()]*\))*\)|\btransparent\b/;
  // stopsOf returns the colours of a gradient, null for anything else.
  const stopsOf = image => {
    const all = GRADIENT.test(image) && !image.includes('url(') && image.match(new RegExp(COLOUR, 'g'));
    return all && listed(image).length === 1 ? all : null;
  };
  // gradientAlpha returns the lowest and the highest opacity of the colours of a gradient, null for anything else.
  const gradientAlpha = image => {
    const all = stopsOf(image)?.map(alpha);
    return all ? {least: Math.min(...all), most: Math.max(...all)} : null;
  };
  // ground returns the one opaque colour with which a style fills a box, '' when it leaves the box transparent, null in
  // all other cases.
  const ground = style => {
    if (style.backgroundImage !== 'none') {
      const stops = stopsOf(style.backgroundImage);
      return stops && stops.every(c => alpha(c) >= OPAQUE && sameColour(stops[0], c)) &&
        /^(auto|cover|100%)/.test(style.backgroundSize) ? stops[0] : null;
    }
    const a = alpha(style.backgroundColor);
    return a >= OPAQUE ? style.backgroundColor : a > 0 ? null : '';
  };
  // gradientAt returns the opacity of a gradient of size w × h at a point of it, null when it is unknown.
  const gradientAt = (image, x, y, w, h) => {
    const {least, most} = gradientAlpha(image), [, again, kind, inner] = GRADIENT.exec(image);
    if (least >= OPAQUE || most < CLEAR) return least;
    if (kind !== 'linear' || again) return null;
    const parts = listed(inner), turn = COLOUR.test(parts[0]) ? '' : parts.shift();
    const SIDES = {top: 0, right: 90, bottom: 180, left: 270}, side = /^to (\w+)$/.exec(turn);
    const degrees = side ? SIDES[side[1]] : turn ? parseFloat(/^(-?[\d.]+)deg$/.exec(turn)?.[1]) : 180;
    if (!(degrees >= -1e4)) return null;
    const a = degrees * Math.PI / 180, far = Math.abs(w * Math.sin(a)) + Math.abs(h * Math.cos(a));
    const t = ((x - w / 2) * Math.sin(a) - (y - h / 2) * Math.cos(a)) / far + 0.5, stops = [];
    for (const part of parts) {
      const [colour] = COLOUR.exec(part) || [], places = part.replace(colour, '').trim().split(/\s+/).filter(Boolean);
      if (!colour) return null;
      for (const place of places.length ? places : [null])
        stops.push({o: alpha(colour), t: place === null ? null : length(place, far) / far});
    }
    stops[0].t ??= 0;
    stops[stops.length - 1].t ??= 1;
    for (let i = 1, from = 0; i < stops.length; i++) {
      if (stops[i].t === null) continue;
      for (let j = from + 1; j < i; j++)
        stops[j].t = stops[from].t + (stops[i].t - stops[from].t) * (j - from) / (i - from);
      from = i;
    }
    const next = stops.findIndex(s => s.t > t), b = stops[next], before = stops[next - 1];
    if (next < 0) return stops[stops.length - 1].o;
    return next === 0 ? b.o : before.o + (b.o - before.o) * (t - before.t) / (b.t - before.t);
  };

  const images = new Map(), attempts = new WeakMap(), MAX_IMAGES = 100, MAX_ATTEMPTS = 10;
  let imagePending = false; // an image is being loaded, and the page should be read again
  // imageOf returns an image that the page shows, from the cache of the browser, null as long as it is not loaded.
  const imageOf = url => {
    let img = images.get(url);
    if (!img) {
      if (images.size >= MAX_IMAGES) images.clear();
      images.set(url, img = new Image());
      img.src = url;
      attempts.set(img, 0);
    }
    if (!img.complete && attempts.get(img) < MAX_ATTEMPTS) imagePending = true;
    return img.complete && img.naturalWidth > 0 && img.naturalHeight > 0 ? img : null;
  };
  // imagesPending reports whether an image was missing since the last call. For an image that never loads it does so a
  // few times.
  const imagesPending = () => {
    if (imagePending) for (const img of images.values()) if (!img.complete) attempts.set(img, attempts.get(img) + 1);
    const missed = imagePending;
    imagePending = false;
    return missed;
  };
  // urlOf returns the URL of an image in a style, '' without one.
  const urlOf = image => (/^(?:(?:-webkit-)?image-set\()?url\("((?:[^"\\]|\\.)*)"\)/.exec(image)?.[1] || '')
    .replace(/\\(.)/g, '$1');
  // imageSize returns the size at which an image of size w × h is drawn into a box of size across × down.
  const imageSize = (size, [w, h], across, down) => {
    if (size === 'cover' || size === 'contain') {
      const k = size === 'cover' ? Math.max(across / w, down / h) : Math.min(across / w, down / h);
      return [w * k, h * k];
    }
    const [x, y = 'auto'] = size.split(/\s+(?![^(]*\))/), a = x === 'auto' ? null : length(x, across),
      b = y === 'auto' ? null : length(y, down);
    return [a ?? (b === null ? w : w * b / h), b ?? (a === null ? h : h * a / w)];
  };
  // layerAt returns the opacity of an image or gradient at a point of the box in which it is drawn, null when it is
  // unknown.
  const layerAt = ({image, size, place, repeat}, box, x, y) => {
    const url = urlOf(image), bitmap = url ? imageOf(url) : null,
      gradient = !url && stopsOf(image);
    if (!bitmap && !gradient) return null;
    const across = width(box), down = height(box),
      own = bitmap ? [bitmap.naturalWidth, bitmap.naturalHeight] : [across, down];
    const [w, h] = imageSize(size, own, across, down), [left, top = '50%'] = place.split(/\s+(?![^(]*\))/),
      [rx, ry = rx] = repeat.split(' ');
    if (!(w > 0 && h > 0)) return 0;
    let dx = x + 0.5 - box.l - length(left, across - w), dy = y + 0.5 - box.t - length(top, down - h);
    if (rx !== 'no-repeat' && rx !== 'repeat-y') dx = (dx % w + w) % w;
    if (ry !== 'no-repeat' && ry !== 'repeat-x') dy = (dy % h + h) % h;
    if (dx < 0 || dx >= w || dy < 0 || dy >= h) return 0;
    if (gradient) return gradientAt(image, dx, dy, w, h);
    const pixel = sampled(ctx => ctx.drawImage(bitmap, Math.min(own[0] - 1, Math.floor(dx / w * own[0])),
      Math.min(own[1] - 1, Math.floor(dy / h * own[1])), 1, 1, 0, 0, 1, 1));
    return pixel ? pixel[3] / 255 : null;
  };
  // layersOf returns the layers of a background or a mask.
  const layersOf = (images, sizes, places, repeats) => {
    const [all, size, place, repeat] = [images, sizes || 'auto', places || '0% 0%', repeats || 'repeat'].map(listed),
      of = (list, i) => list[i % list.length];
    return all.map((image, i) => ({image, size: of(size, i), place: of(place, i), repeat: of(repeat, i)}));
  };
  // imageCovers reports whether an image or gradient in the background of a box is opaque at a point of it.
  const imageCovers = (style, box, x, y) => {
    if (style.backgroundImage === 'none' || /text/.test(style.backgroundClip || '') ||
        style.backgroundAttachment === 'fixed')
      return false;
    const border = side => parseFloat(style[`border${side}Width`]) || 0;
    const inner = {
      l: box.l + border('Left'), t: box.t + border('Top'), r: box.r - border('Right'), b: box.b - border('Bottom')};
    return layersOf(style.backgroundImage, style.backgroundSize, style.backgroundPosition, style.backgroundRepeat)
      .some(layer => layerAt(layer, inner, x, y) >= OPAQUE);
  };
  // maskAt returns how much of an element its mask leaves at a point, from 0 to 1; 1 when it is unknown.
  const maskAt = (el, style, x, y) => {
    const get = name => style['mask' + name] || style['webkitMask' + name], box = boxOf(rectOf(el));
    const left = layersOf(get('Image'), get('Size'), get('Position'), get('Repeat'))
      .map(layer => layerAt(layer, box, x, y));
    return left.includes(null) ? 1 : Math.max(...left);
  };
