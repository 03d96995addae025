// pageAbort ends the listeners of the shshownFirst page: a page with several attempts may show another one after it.
function boot() {
  pageAbort = new AbortController();
  common();
  ({ pack: packPage, run: runPage, runs: runsPage })[D.page]();
}

// attempts shows the attempt that the URL names; the test's other attempts are in templates.
function attempts() {
  var pages = {}, shownFirst = D.attempt || 0;
  function parts() {
    return Array.from(document.body.children).filter(function (el) { return !el.matches("template, script, #toast"); });
  }
  document.querySelectorAll("template[id^=attempt-]").forEach(function (t) {
    pages[t.id.slice(8)] = { content: t.content, text: $("data-" + t.id.slice(8)).textContent };
  });
  pages[shownFirst] = { content: document.createDocumentFragment(), text: $("data").textContent };
  parts().forEach(function (el) { pages[shownFirst].content.append(el.cloneNode(true)); });
  function wanted() { var n = +hash.read().attempt; return pages[n] ? n : shownFirst; }
  function show(n) {
    if (pageAbort) pageAbort.abort();
    if (recording) recording.pause();
    parts().forEach(function (el) { el.remove(); });
    $("toast").before(pages[n].content.cloneNode(true));
    D = JSON.parse(pages[n].text);
    document.title = SIGN[D.result] + " " + D.id;
    boot();
  }
  attempts.pick = function (n) {
    hash.set({ attempt: n === shownFirst ? "" : n, at: "" });
    show(n);
    document.querySelector('.attempts [aria-current="page"]').focus();
  };
  addEventListener("hashchange", function () { if (wanted() !== (D.attempt || 0)) show(wanted()); });
  if (wanted() === shownFirst) boot(); else show(wanted());
}

attempts();
