// What a page's widgets hold by their own account, never by what is drawn: report(read) posts what read gives, first as it is at the
// beginning, then whenever it changes, and once more when postModel() asks for it.
(() => {
  'use strict';
  let read = null, last = '';
  const post = force => {
    if (!read) return;
    const text = JSON.stringify(read());
    if (!force && text === last) return;
    last = text;
    return fetch('/model' + location.search, {method: 'POST', body: text});
  };
  // What went wrong in the page is said by the test.
  window.addEventListener('error', e => { read = read || (() => ({error: String(e.message)})); post(true); });
  // Where time is measured (runner/widgets/beside_test.go), nothing is read but at the beginning: an interval of 100 ms is itself something to wait for.
  const measured = /run=(ours|theirs)/.test(location.search);
  window.report = reader => { read = reader; post(true); if (!measured) setInterval(() => post(false), 100); };
  // reportOnce is report once a model has something: one that a framework fills is empty until the page is drawn.
  window.reportOnce = (model, reader) =>
    Object.keys(model).length ? report(reader) : setTimeout(reportOnce, 20, model, reader);
  window.postModel = () => post(true);
  // count counts what was pressed: for what has no model of its own.
  const clicks = {};
  window.pressed = name => { clicks[name] = (clicks[name] || 0) + 1; };
  window.presses = () => Object.keys(clicks).sort().map(n => clicks[n] === 1 ? n : n + '×' + clicks[n]).join(' ');
  // show writes HTML into the page.
  window.show = html => { document.getElementById('app').innerHTML = html; };
  window.element = selector => document.querySelector(selector);
})();
