// life ends with what is shown: of a page with several tries, another one may be shown after it.
function boot() {
  life = new AbortController();
  common();
  ({ pack: packPage, run: runPage, runs: runsPage })[D.page]();
}

// tries shows the try that the address names; the others of the test lie in templates.
function tries() {
  var all = {}, own = D.try || 0;
  function parts() { return Array.from(document.body.children).filter(function (el) { return !el.matches("template, script, #toast"); }); }
  document.querySelectorAll("template[id^=try-]").forEach(function (t) { all[t.id.slice(4)] = { content: t.content, text: $("data-" + t.id.slice(4)).textContent }; });
  all[own] = { content: document.createDocumentFragment(), text: $("data").textContent };
  parts().forEach(function (el) { all[own].content.append(el.cloneNode(true)); });
  function wanted() { var n = +hash.read().try; return all[n] ? n : own; }
  function show(n) {
    if (life) life.abort();
    if (film) film.pause();
    parts().forEach(function (el) { el.remove(); });
    $("toast").before(all[n].content.cloneNode(true));
    D = JSON.parse(all[n].text);
    document.title = SIGN[D.verdict] + " " + D.id;
    boot();
  }
  tries.pick = function (n) {
    hash.set({ try: n === own ? "" : n, at: "" });
    show(n);
    document.querySelector('.tries [aria-current="page"]').focus();
  };
  addEventListener("hashchange", function () { if (wanted() !== (D.try || 0)) show(wanted()); });
  if (wanted() === own) boot(); else show(wanted());
}

tries();
