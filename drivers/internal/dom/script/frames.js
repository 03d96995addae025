  // Frames that the page has had: a copy without content identifies a frame that was removed.
  const MAX_FRAMES = 50, MAX_AROUND = 20;
  const framesNoted = new WeakSet(), frameCopies = [];
  // bareCopy returns a copy of an element and its ancestors, in a document that loads and runs nothing.
  const bareCopy = el => {
    const inert = document.implementation.createHTMLDocument('');
    let made = null, inner = null;
    for (let n = el, i = 0; n && isElement(n) && i < MAX_AROUND; n = parent(n), i++) {
      const copy = inert.importNode(n, false);
      if (inner) copy.append(inner);
      made = made || copy;
      inner = copy;
    }
    return made;
  };
  // noteFrames copies the frames of a document that are new.
  const noteFrames = root => {
    for (const el of [...allIn(root, 'iframe'), ...allIn(root, 'frame')]) {
      if (frameCopies.length >= MAX_FRAMES || framesNoted.has(el)) continue;
      framesNoted.add(el);
      frameCopies.push(bareCopy(el));
    }
  };
  // knownFrame reports whether a frame that the page has had matches a CSS selector.
  const knownFrame = css => {
    try { return frameCopies.some(el => el.matches(css)); } catch { return false; }
  };
