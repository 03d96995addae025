// turned is called before the mouse wheel is turned at a point. It returns a function that waits until the scrolling
// has ended: a box with scroll snapping continues after the wheel event, and on a busy machine nothing has moved yet
// when the event has been processed.
([x, y, right, down], limit = 2000) => {
  // inner returns the topmost element at a point, also in shadow trees and in frames of the same site.
  const inner = (root, x, y) => {
    const el = root.elementFromPoint(x, y);
    if (el && el.shadowRoot && el.shadowRoot.elementFromPoint(x, y) !== el) return inner(el.shadowRoot, x, y) || el;
    let page = null;
    try { page = el && el.contentDocument; } catch { /* a page of another site */ }
    if (!page) return el;
    const box = el.getBoundingClientRect();
    return inner(page, x - box.left - el.clientLeft, y - box.top - el.clientTop) || el;
  };
  // above returns the parent of an element as it is drawn, out of shadow roots and frames.
  const above = el => el.assignedSlot || el.parentElement || el.getRootNode().host ||
    (el.ownerDocument.defaultView && el.ownerDocument.defaultView.frameElement);
  const scrolls = (el, style, axis) => el === el.ownerDocument.scrollingElement ?
    style['overflow' + axis] !== 'hidden' && style['overflow' + axis] !== 'clip' :
    /auto|scroll/.test(style['overflow' + axis]);
  // canMove reports whether a box at the offset at can be scrolled further in the direction of by.
  const canMove = (at, size, seen, by, back) => by > 0 ?
    (back ? -at : size - seen - at) > 1 : by < 0 && (back ? size - seen + at : at) > 1;
  // moves reports whether the mouse wheel can scroll an element.
  const moves = el => {
    const style = el.ownerDocument.defaultView.getComputedStyle(el);
    return scrolls(el, style, 'X') &&
      canMove(el.scrollLeft, el.scrollWidth, el.clientWidth, right, style.direction === 'rtl') ||
      scrolls(el, style, 'Y') && canMove(el.scrollTop, el.scrollHeight, el.clientHeight, down, false);
  };
  const windows = new Set([window]);
  let movable = false;
  for (let el = inner(document, x, y); el; el = above(el)) {
    windows.add(el.ownerDocument.defaultView);
    movable = movable || moves(el);
  }
  let wheelEvent = null, ended = false, changed = () => {};
  const options = {capture: true, passive: true};
  const listeners = {wheel: e => { wheelEvent = e; changed(); }, scrollend: () => { ended = true; changed(); }};
  const each = f => { for (const w of windows) for (const kind in listeners) w[f](kind, listeners[kind], options); };
  const scriptless = matchMedia('(scripting: none)').matches; // listeners and timers do not run
  if (!scriptless) each('addEventListener');
  return () => new Promise(done => {
    let timer = 0;
    const end = () => { clearTimeout(timer); each('removeEventListener'); done(ended); };
    // The page's listeners receive the wheel event after this one: a task later it is known whether they prevent the
    // scrolling.
    changed = () => {
      if (ended) end();
      else setTimeout(() => { if (wheelEvent && wheelEvent.defaultPrevented) end(); }, 0);
    };
    if (!movable || ended || scriptless) return end();
    timer = setTimeout(end, limit);
    changed();
  });
}
