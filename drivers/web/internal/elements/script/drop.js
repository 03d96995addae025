// Observes a drop on an element: came: the page received it; taken: it has prevented the browser from opening the
// files. With files (name, type and data in base64) it fires the events of the drop itself and returns the result;
// otherwise end() returns that.
(zone, files) => {
  const view = zone.ownerDocument.defaultView, become = {came: false, taken: false};
  let stayed = false;
  const onDrop = event => {
    become.came = true;
    setTimeout(() => { if (!stayed) become.taken = become.taken || event.defaultPrevented; }, 0);
  };
  // The browser opens files that the page does not take, in place of the page.
  const stay = event => {
    stayed = true;
    become.taken = become.taken || event.defaultPrevented;
    event.preventDefault();
  };
  let accepted = false;
  const onOver = event => {
    const is = () => { accepted = accepted || event.defaultPrevented; };
    setTimeout(is, 0);
    is();
  };
  view.addEventListener('drop', onDrop, true);
  view.addEventListener('drop', stay);
  view.addEventListener('dragover', onOver, true);
  const accepts = async () => {
    await new Promise(next => setTimeout(next, 20));
    return accepted;
  };
  const end = async () => {
    await new Promise(next => setTimeout(next, 20));
    view.removeEventListener('drop', onDrop, true);
    view.removeEventListener('drop', stay);
    view.removeEventListener('dragover', onOver, true);
    return become;
  };
  if (!files) return {accepts, end};
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
  if (send('dragover')) send('drop');
  else send('dragleave');
  return end();
}
