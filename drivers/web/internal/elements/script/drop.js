// Observes a drop on an element: came: the page received it; taken: it has prevented the browser from opening the
// files. With files (name, type and data in base64) it fires the events of the drop itself and returns the result;
// otherwise end() returns that.
(zone, files) => {
  const view = zone.ownerDocument.defaultView, become = {came: false, taken: false};
  const onDrop = event => {
    become.came = true;
    const is = () => { become.taken = become.taken || event.defaultPrevented; };
    setTimeout(is, 0);
    is();
  };
  view.addEventListener('drop', onDrop, true);
  const end = async () => {
    await new Promise(next => setTimeout(next, 20));
    view.removeEventListener('drop', onDrop, true);
    return become;
  };
  if (!files) return {end};
  const data = new view.DataTransfer();
  for (const {name, type, data: text} of files) {
    data.items.add(new view.File([Uint8Array.from(atob(text), c => c.charCodeAt(0))], name, {type}));
  }
  const box = zone.getBoundingClientRect(), x = box.left + box.width / 2, y = box.top + box.height / 2;
  const hit = zone.ownerDocument.elementFromPoint(x, y), to = hit && zone.contains(hit) ? hit : zone;
  const send = type =>
    !to.dispatchEvent(
    new view.DragEvent(type, {bubbles: true, composed: true, cancelable: true, view, clientX: x, clientY: y,
    dataTransfer: data}));
  send('dragenter');
  if (send('dragover')) become.taken = send('drop');
  else send('dragleave');
  return end();
}
