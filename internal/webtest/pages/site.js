// Every page keeps a list of what was done to it, for tests to read: window.__log and, if there is one, the element
// #log.
window.__log = [];
function log(text) {
  window.__log.push(text);
  const el = document.getElementById('log');
  if (el) el.textContent = window.__log.join('\n');
}
function logClicks(selector) {
  for (const el of document.querySelectorAll(selector)) {
    el.addEventListener('click', () => log('clicked ' + (el.id || el.textContent.trim())));
  }
}
