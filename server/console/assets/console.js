(function () {
  "use strict";
  document.documentElement.classList.add("scripts");

  function toast(text) {
    var el = document.getElementById("toast");
    el.textContent = text;
    clearTimeout(toast.timer);
    toast.timer = setTimeout(function () { el.textContent = ""; }, 2500);
  }

  // copy puts a text into the clipboard; where pages may not, it is selected for the keyboard.
  function copy(el) {
    var text = el.textContent.replace(/\n$/, "");
    function select() {
      getSelection().selectAllChildren(el);
      toast(document.execCommand("copy") ? "Copied" : "Selected: copy it with the keyboard");
    }
    if (!navigator.clipboard) return select();
    navigator.clipboard.writeText(text).then(function () { toast("Copied"); }, select);
  }

  document.addEventListener("click", function (e) {
    var button = e.target.closest("[data-copy]");
    if (button) copy(document.getElementById(button.dataset.copy));
    document.querySelectorAll(".menu[open]").forEach(function (m) { if (!m.contains(e.target)) m.open = false; });
  });
  document.addEventListener("keydown", function (e) {
    if (e.key !== "Escape") return;
    document.querySelectorAll(".menu[open]").forEach(function (m) { m.open = false; m.querySelector("summary").focus(); });
  });

  // On a narrow screen what matters may lie beyond the edge: the page where one is, and the newest days.
  var here = document.querySelector(".tablinks [aria-current]");
  if (here) here.parentElement.scrollLeft = here.offsetLeft - (here.parentElement.clientWidth - here.offsetWidth) / 2;
  document.querySelectorAll(".chart").forEach(function (c) { c.parentElement.scrollLeft = c.parentElement.scrollWidth; });

  var theme = document.getElementById("theme");
  if (theme) theme.addEventListener("click", function () {
    var root = document.documentElement;
    var dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try { localStorage.setItem("taproot-theme", root.dataset.theme); } catch (err) { /* it lasts for this page */ }
  });

  // A form that is sent twice would do twice what it does.
  document.addEventListener("submit", function (e) {
    if (e.target.method !== "post") return;
    if (e.target.dataset.sent) return e.preventDefault();
    e.target.dataset.sent = "yes";
  });
  addEventListener("pageshow", function () { document.querySelectorAll("form[data-sent]").forEach(function (f) { delete f.dataset.sent; }); });

  // follow shows a run as it goes: whenever something happens, the page is asked for what stands there now.
  function follow() {
    var live = document.getElementById("live");
    if (!live || !live.dataset.live) return;
    var events = new EventSource(live.dataset.live), asking = false, again = false;
    function show() {
      if (asking) { again = true; return; }
      asking = true;
      fetch(location.pathname).then(function (r) { return r.ok ? r.text() : Promise.reject(r.status); }).then(function (text) {
        var fresh = new DOMParser().parseFromString(text, "text/html").getElementById("live");
        var now = document.getElementById("live");
        var said = now.querySelector("#state").textContent, focused = now.contains(document.activeElement);
        if (fresh.innerHTML !== now.innerHTML) now.replaceWith(document.adoptNode(fresh));
        if (focused && !document.getElementById("live").contains(document.activeElement)) document.getElementById("main").focus();
        if (fresh.querySelector("#state").textContent !== said) toast("Run: " + fresh.querySelector("#state").textContent.trim());
        if (!fresh.dataset.live) events.close();
      }).catch(function () { /* the next event asks again */ }).then(function () {
        asking = false;
        if (again) { again = false; show(); }
      });
    }
    ["run", "case_started", "case_ended"].forEach(function (name) { events.addEventListener(name, show); });
    events.onerror = show;
    // Why it waits changes without an event.
    setInterval(function () { if (document.querySelector("#live [data-waits]")) show(); }, 5000);
  }
  follow();
})();
