// turned is called before the mouse wheel is turned at a point. It returns a function that waits until the scrolling
// has ended: a box with scroll snapping continues after the wheel event, and on a busy machine nothing has moved yet
// when the event has been processed.
([x, y, right, down], limit = 2000) => {
  const inner = (root, x, y) => {
    const el = root.elementFromPoint(x, y);
    if (el && el.shadowRoot && el.shadowRoot.elementFromPoint(x, y) !== el) return inner(el.shadowRoot, x, y) || el;
    let page = null;
    try { page = el && el.contentDocument; } catch { /* a page of another site */ }
    if (!page) return el;
    const box = el.getBoundingClientRect();
    return inner(page, x - box.left - el.clientLeft, y - box.top - el.clientTop) || el;
  };
  const above = el => el.assignedSlot || el.parentElement || el.getRootNode().host ||
    (el.ownerDocument.defaultView && el.ownerDocument.defaultView.frameElement);
  const scrolls = (el, style, axis) => el === el.ownerDocument.scrollingElement ?
    style['overflow' + axis] !== 'hidden' && style['overflow' + axis] !== 'clip' :
    /auto|scroll/.test(style['overflow' + axis]);
  const room = (at, size, seen, by, back) => by > 0 ?
    (back ? -at : size - seen - at) > 1 : by < 0 && (back ? size - seen + at : at) > 1;
  const moves = el => {
    const style = el.ownerDocument.defaultView.getComputedStyle(el);
    return scrolls(el, style, 'X') &&
      room(el.scrollLeft, el.scrollWidth, el.clientWidth, right, style.direction === 'rtl') ||
      scrolls(el, style, 'Y') && room(el.scrollTop, el.scrollHeight, el.clientHeight, down, false);
  };
  const windows = new Set([window]);
  let able = false;
  for (let el = inner(document, x, y); el; el = above(el)) {
    windows.add(el.ownerDocument.defaultView);
    able = able || moves(el);
  }
  let turn = null, ended = false, heard = () => {};
  const how = {capture: true, passive: true};
  const listeners = {wheel: e => { turn = e; heard(); }, scrollend: () => { ended = true; heard(); }};
  const each = f => { for (const w of windows) for (const kind in listeners) w[f](kind, listeners[kind], how); };
  const mute = matchMedia('(scripting: none)').matches; // listeners and timers do not run
  if (!mute) each('addEventListener');
  return () => new Promise(done => {
    let timer = 0;
    const end = () => { clearTimeout(timer); each('removeEventListener'); done(ended); };
    // The page's listeners receive the wheel event after this one: a task later it is known whether they prevent the
    // scrolling.
    heard = () => { if (ended) end(); else setTimeout(() => { if (turn && turn.defaultPrevented) end(); }, 0); };
    if (!able || ended || mute) return end();
    timer = setTimeout(end, limit);
    heard();
  });
}
