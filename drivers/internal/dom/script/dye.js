  // The effect of filters and blend modes on colours: text and background may get the same colour.

  const clamp = v => Math.min(255, Math.max(0, v));
  const FILTERS = {
    brightness: (c, k) => c.map(v => clamp(v * k)), contrast: (c, k) => c.map(v => clamp((v - 127.5) * k + 127.5)),
    invert: (c, k) => c.map(v => v + (255 - 2 * v) * Math.min(1, k)),
    grayscale: (c, k) => {
      const grey = 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2];
      return c.map(v => v + (grey - v) * Math.min(1, k));
    },
  };
  const BLENDS = {
    multiply: (a, b) => a * b, screen: (a, b) => a + b - a * b, darken: Math.min, lighten: Math.max,
    difference: (a, b) => Math.abs(a - b), exclusion: (a, b) => a + b - 2 * a * b};
  const FILTER_CALLS = new RegExp(`\\b(${Object.keys(FILTERS).join('|')})\\(([\\d.]+)(%?)\\)`, 'g');
  // colourChanges returns the functions by which a filter changes a colour; null when one of them is unknown.
  const colourChanges = filter => !filter || filter === 'none' ? [] :
    /url\(|sepia|hue-rotate|saturate/.test(filter) ? null :
    [...filter.matchAll(FILTER_CALLS)].map(([, name, n, percent]) => c => FILTERS[name](c, n / (percent ? 100 : 1)));
  // blended returns the colour of top, blended with under; null when the blend mode is not supported.
  const blended = (mode, top, under) => BLENDS[mode] && under ?
    top.map((v, i) => 255 * BLENDS[mode](v / 255, under[i] / 255)) : null;
  // isFlood reports whether an SVG filter results in nothing but one colour.
  const isFlood = filter => {
    const ref = /url\("?#([^")]+)"?\)/.exec(filter), last = ref && byId[9](document, ref[1])?.lastElementChild;
    return !!last && localName(last) === 'feFlood';
  };
  // behind returns the colour with which an element blends, '' when nothing is behind it within its stacking context,
  // null when it is unknown.
  const behind = (reader, el) => {
    for (let n = parent(el); n && isElement(n); n = parent(n)) {
      const style = reader.style(n), on = ground(style);
      if (on !== '') return on === null ? null : rgba(on).slice(0, 3);
      if (stacks(style)) break;
    }
    return '';
  };
  // blendsIntoBackground reports whether filters and blend modes of an element and its ancestors give its text the
  // colour of its background.
  const blendsIntoBackground = (reader, owner) => {
    let ink = rgba(inkOf(owner, reader.style(owner))), on = null;
    if (ink[3] < OPAQUE) return false;
    ink = ink.slice(0, 3);
    for (let n = owner; n && isElement(n); n = parent(n)) {
      const style = reader.style(n), own = on ? '' : ground(style), change = colourChanges(style.filter),
        mode = style.mixBlendMode || 'normal';
      if (own === null || change === null) return false;
      if (own) on = rgba(own).slice(0, 3);
      for (const applyFilter of change) [ink, on] = [applyFilter(ink), on && applyFilter(on)];
      if (mode === 'normal') continue;
      const under = behind(reader, n);
      if (under === '') continue;
      [ink, on] = [blended(mode, ink, under), on && blended(mode, on, under)];
      if (!ink) return false;
    }
    on = on || reader.surfaces.get(rootElement(reader.root)) && [255, 255, 255];
    return !!on && ink.every((v, i) => Math.abs(v - on[i]) <= ALIKE);
  };
  // hidesByBlending reports whether a cover hides all that is below it by its blend mode: it multiplies with black, or
  // screens with white.
  const hidesByBlending = style => {
    const [r, g, b, a] = rgba(style.backgroundColor), mode = style.mixBlendMode;
    return a >= OPAQUE &&
      (/^(multiply|darken|color-burn)$/.test(mode) && r + g + b <= ALIKE ||
      /^(screen|lighten|color-dodge)$/.test(mode) && r + g + b >= 765 - ALIKE);
  };
