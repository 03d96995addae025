// Performs an HTML drag from one point to another by its events: a Firefox that is automated starts such drags and
// never ends them. held: the mouse's button has been pressed there, which some libraries wait for until they make an
// element draggable. Returns '' when nothing there is draggable by HTML and 'own' when the page prevents such a drag,
// so that the mouse is used; otherwise the result.
async ([x1, y1, x2, y2, held]) => {
  // at returns the topmost element at a point, also in shadow trees.
  const at = (x, y) => {
    let el = document.elementFromPoint(x, y);
    for (let inner; el && el.shadowRoot && (inner = el.shadowRoot.elementFromPoint(x, y)) && inner !== el;) el = inner;
    return el;
  };
  const pause = () => new Promise(next => setTimeout(next, 20));
  let source = at(x1, y1);
  while (source && !source.draggable) source = source.parentElement || source.getRootNode().host || null;
  // Images and links are draggable by default, which hardly any page intends.
  if (!source ||
      (source.localName === 'img' || source.localName === 'a') && source.getAttribute('draggable') !== 'true')
    return '';
  const data = new DataTransfer();
  // send fires an event at a point. It reports whether the default action is allowed.
  const send = (el, type, x, y) => {
    const mouse = {
      bubbles: true, composed: true, cancelable: type !== 'dragend' && type !== 'dragleave', view: window, clientX: x,
      clientY: y,
      screenX: x, screenY: y, button: 0, buttons: type.endsWith('up') || type === 'drop' || type === 'dragend' ? 0 : 1};
    const pointer = {...mouse, pointerId: 1, pointerType: 'mouse', isPrimary: true};
    const event = type.startsWith('pointer') ? new PointerEvent(type, pointer) :
      type.startsWith('mouse') ? new MouseEvent(type, mouse)
      : new DragEvent(type, {...mouse, dataTransfer: data});
    return el.dispatchEvent(event);
  };
  // ignoreRelease keeps the end of the press from the page, which gets none after a drag.
  const ignoreRelease = () => {
    const types = ['pointerup', 'mouseup', 'click'];
    const forget = () => { for (const type of types) window.removeEventListener(type, ignore, true); };
    const ignore = event => {
      event.stopImmediatePropagation();
      event.preventDefault();
      if (event.type === 'mouseup') setTimeout(forget); // the click follows at once
    };
    for (const type of types) window.addEventListener(type, ignore, true);
    setTimeout(forget, 5000);
  };
  if (!held) {
    send(source, 'pointerdown', x1, y1);
    send(source, 'mousedown', x1, y1);
  }
  if (!send(source, 'dragstart', x1, y1)) { // the page implements the drag itself
    if (held) return 'own';
    send(source, 'pointerup', x1, y1);
    send(source, 'mouseup', x1, y1);
    return 'own';
  }
  send(source, 'pointercancel', x1, y1);
  let over = null, taken = false;
  for (let i = 1, n = 6; i <= n; i++) { // twice at the end: drop targets react to the first one
    await pause();
    const part = Math.min(i / (n - 1), 1), x = x1 + (x2 - x1) * part, y = y1 + (y2 - y1) * part, el = at(x, y);
    if (source.isConnected) send(source, 'drag', x, y);
    if (el !== over) {
      if (el) send(el, 'dragenter', x, y);
      if (over && over.isConnected) send(over, 'dragleave', x, y);
      over = el;
    }
    taken = !!el && !send(el, 'dragover', x, y);
  }
  await pause();
  if (taken) send(over, 'drop', x2, y2);
  else if (over) send(over, 'dragleave', x2, y2);
  if (source.isConnected) send(source, 'dragend', x2, y2);
  if (held) ignoreRelease();
  return taken ? 'dropped' : 'not taken';
}
