  // The elements that must be read also when a page is too large to be read as a whole.

  // plain returns a text with the characters replaced that a reader does not distinguish.
  const plain = s => restoreDashes(foldTypography(s.replace(INVISIBLE, ''))).replace(/\s+/g, ' ').trim();
  // requiredElements returns the elements that must be read in a page that is too large: those in view, those that show
  // one of the texts, and their ancestors.
  const requiredElements = (root, texts, own) => {
    const end = performance.now() + MAX_MS / 2, found = new Set(), wants = texts.map(plain).filter(Boolean);
    const keep = el => { for (let n = el; n && !found.has(n); n = parent(n)) if (isElement(n)) found.add(n); };
    const keepAll = el => {
      keep(el);
      const all = every(el, '*');
      for (let i = 0; i < Math.min(all.length, 200); i++) found.add(all[i]);
    };
    // A hit test costs time in proportion to the page. So there are few, and the siblings of the elements that they
    // find are visited instead.
    const around = (el, next) => {
      let n = next(el);
      for (let i = 0; n && i < 60; n = next(n)) {
        if (!isElement(n)) continue;
        if (isEmpty(intersect(boxOf(rectOf(n)), own))) break;
        keepAll(n);
        i++;
      }
    };
    for (let y = 4; y < own.b; y += 90) for (let x = 8; x < own.r; x += 320) {
      if (performance.now() > end) break;
      const el = hitAt(root, x, y);
      if (!el || found.has(el)) continue;
      keep(el);
      around(el, nextOf);
      around(el, priorOf);
    }
    let hits = 0;
    const shows = s => s.length < MAX_LONG && wants.some(w => plain(s).includes(w));
    const search = scope => {
      const walker = document.createTreeWalker(scope, 5); // elements and texts
      for (let n = walker.nextNode(); n && hits < 500; n = walker.nextNode()) {
        if (typeOf(n) === 3) {
          const s = plain(dataOf(n).slice(0, MAX_LONG));
          if (!s || !wants.some(w => s.includes(w) || w.includes(s))) continue;
          for (let p = parent(n), i = 0; p && isElement(p) && i < 4; p = parent(p), i++) {
            const whole = textOf(p);
            if (whole.length > 400 && i > 0) break;
            if (shows(whole)) { hits++; keepAll(groupAround(p)); break; }
          }
        } else {
          if (shadowOf(n)) search(shadowOf(n));
          for (const name of ['aria-label', 'title', 'placeholder', 'alt', 'value'])
            if (has(n, name) && shows(attr(n, name))) {
              hits++;
              keepAll(groupAround(n));
            }
        }
      }
    };
    if (wants.length) search(root);
    return found;
  };
  // groupAround returns the group that an element forms with its neighbours, when that is small.
  const groupAround = el => {
    let best = el;
    for (let n = parent(el), i = 0; n && isElement(n) && i < 3; n = parent(n), i++) {
      if (count(n, '*') > 30) break;
      best = n;
    }
    return best;
  };
