(function () {
  "use strict";
  document.documentElement.classList.add("scripts");

  function toast(text) {
    var el = document.getElementById("toast");
    el.textContent = text;
    clearTimeout(toast.timer);
    toast.timer = setTimeout(function () { el.textContent = ""; }, 2500);
  }

  // copy copies a text to the clipboard; if the browser does not allow that, it selects the text.
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
    document.querySelectorAll(".menu[open]").forEach(function (m) {
      m.open = false;
      m.querySelector("summary").focus();
    });
  });

  // On a narrow screen, scroll the current tab and the newest days into view.
  var here = document.querySelector(".tablinks [aria-current]");
  if (here) here.parentElement.scrollLeft = here.offsetLeft - (here.parentElement.clientWidth - here.offsetWidth) / 2;
  document.querySelectorAll(".chart").forEach(function (c) {
    c.parentElement.scrollLeft = c.parentElement.scrollWidth;
  });

  var theme = document.getElementById("theme");
  if (theme) theme.addEventListener("click", function () {
    var root = document.documentElement;
    var dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
    try {
      localStorage.setItem("taproot-theme", root.dataset.theme);
    } catch (err) { /* not stored: it is used for this page only */ }
  });

  // Prevents that a form is sent twice.
  document.addEventListener("submit", function (e) {
    if (e.target.method !== "post") return;
    if (e.target.dataset.sent) return e.preventDefault();
    e.target.dataset.sent = "yes";
  });
  addEventListener("pageshow", function () {
    document.querySelectorAll("form[data-sent]").forEach(function (f) { delete f.dataset.sent; });
  });

  // follow updates the page of a run: after each event, it loads the page again and replaces the changed part.
  function follow() {
    var live = document.getElementById("live");
    if (!live || !live.dataset.live) return;
    var events = new EventSource(live.dataset.live), loading = false, again = false;
    function show() {
      if (loading) { again = true; return; }
      loading = true;
      fetch(location.pathname).then(function (r) {
        return r.ok ? r.text() : Promise.reject(r.status);
      }).then(function (text) {
        var fresh = new DOMParser().parseFromString(text, "text/html").getElementById("live");
        var now = document.getElementById("live");
        var before = now.querySelector("#state").textContent, after = fresh.querySelector("#state").textContent;
        var focused = now.contains(document.activeElement);
        if (fresh.innerHTML !== now.innerHTML) now.replaceWith(document.adoptNode(fresh));
        if (focused && !document.getElementById("live").contains(document.activeElement)) {
          document.getElementById("main").focus();
        }
        if (after !== before) toast("Run: " + after.trim());
        if (!fresh.dataset.live) events.close();
      }).catch(function () { /* the next event loads it again */ }).then(function () {
        loading = false;
        if (again) { again = false; show(); }
      });
    }
    ["run", "case_started", "case_ended"].forEach(function (name) { events.addEventListener(name, show); });
    events.onerror = show;
    // The reason why a run waits changes without an event.
    setInterval(function () { if (document.querySelector("#live [data-waits]")) show(); }, 5000);
  }
  follow();
})();
