var D = JSON.parse(document.getElementById("data").textContent), pageAbort = null;
var SIGN = { pass: "✓", warned: "⚠", fail: "✗", error: "!", skipped: "–", expected: "~",
  interrupted: "◼", unreached: "○" };
var WORD = { pass: "Passed", warned: "Failed, which the test allows", fail: "Failed", error: "Error",
  skipped: "Skipped", expected: "Failed as expected", interrupted: "Interrupted", unreached: "Not reached" };

function $(id) { return document.getElementById(id); }

// h makes an element. Texts are text nodes, never markup.
function h(tag, attrs) {
  var el = document.createElement(tag);
  for (var name in attrs || {}) {
    var value = attrs[name];
    if (value === undefined || value === null || value === false) continue;
    if (name === "on") for (var event in value) el.addEventListener(event, value[event]);
    else if (name === "cls") el.className = value;
    else el.setAttribute(name, value === true ? "" : value);
  }
  for (var i = 2; i < arguments.length; i++) add(el, arguments[i]);
  return el;
}

function add(el, child) {
  if (child === undefined || child === null || child === false || child === "") return;
  if (Array.isArray(child)) child.forEach(function (c) { add(el, c); });
  else el.append(child);
}

function svg(tag, attrs) {
  var el = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (var name in attrs) el.setAttribute(name, attrs[name]);
  for (var i = 2; i < arguments.length; i++) el.append(arguments[i]);
  return el;
}

function replace(el) {
  el.textContent = "";
  for (var i = 1; i < arguments.length; i++) add(el, arguments[i]);
}

function bdi(text, cls) { return h("bdi", { cls: cls }, text); }

function icon(result) {
  return h("span", { cls: "icon i-" + result }, h("span", { "aria-hidden": "true" }, SIGN[result]),
    h("span", { cls: "sr" }, WORD[result]));
}

// fileURL returns the URL of a file of the pack; in a bundle, a data URL.
function fileURL(src) { return (D.inlined && D.inlined[src]) || src; }

function download(src) { return D.inlined && D.inlined[src] ? src.split("/").pop() : null; }

function took(ms) {
  if (ms < 1000) return ms + " ms";
  if (ms < 60000) return (ms / 1000).toFixed(1) + " s";
  function two(n) { return String(Math.floor(n) % 60).padStart(2, "0"); }
  if (ms < 3600000) return Math.floor(ms / 60000) + " min " + two(ms / 1000) + " s";
  return Math.floor(ms / 3600000) + " h " + two(ms / 60000) + " min";
}

function plural(n, one, many) { return n + " " + (n === 1 ? one : many || one + "s"); }

// The fragment of the URL keeps what is shown: #step-3&f=1&q=text&view=diff&theme=dark
var hash = {
  read: function () {
    var out = {};
    location.hash.slice(1).split("&").forEach(function (part) {
      var eq = part.indexOf("=");
      if (eq > 0) {
        try { out[part.slice(0, eq)] = decodeURIComponent(part.slice(eq + 1)); } catch (e) { /* a foreign fragment */ }
      } else if (part) out.at = part;
    });
    return out;
  },
  write: function (state) {
    var parts = state.at ? [state.at] : [];
    for (var key in state) if (key !== "at" && state[key]) parts.push(key + "=" + encodeURIComponent(state[key]));
    var text = "#" + parts.join("&");
    if (text === location.hash || text === "#" && !location.hash) return;
    try { history.replaceState(null, "", text); } catch (e) { location.hash = text; }
  },
  set: function (changes) {
    var state = hash.read();
    for (var key in changes) state[key] = changes[key];
    hash.write(state);
  }
};

function toast(text) {
  $("toast").textContent = text;
  clearTimeout(toast.timer);
  toast.timer = setTimeout(function () { $("toast").textContent = ""; }, 2500);
}

function copy(text) {
  function fallback() {
    var area = h("textarea", { "aria-hidden": "true", cls: "offscreen" });
    area.value = text;
    document.body.append(area);
    area.select();
    var ok = document.execCommand("copy");
    area.remove();
    toast(ok ? "Copied" : text);
  }
  if (!navigator.clipboard) return fallback();
  navigator.clipboard.writeText(text).then(function () { toast("Copied"); }, fallback);
}

function copyButton(text, label) {
  return h("button", { type: "button", cls: "copy", title: "Copy " + text,
    on: { click: function () { copy(text); } } }, label || "Copy");
}

function setTheme() {
  var root = document.documentElement;
  var dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("taproot-theme", root.dataset.theme); } catch (e) { /* file pages may have no storage */ }
  hash.set({ theme: root.dataset.theme });
}

// keys calls the function of a key, unless the key is typed into a field.
function keys(table) {
  document.addEventListener("keydown", function (e) {
    var typing = e.target.closest("input, textarea, select, [contenteditable]");
    if (e.key === "Escape" && typing) return typing.blur();
    if (typing || e.ctrlKey || e.metaKey || e.altKey || $("help").open) return;
    if (e.key === " " && e.target.closest("button, a, video, summary")) return;
    if (!table[e.key]) return;
    e.preventDefault();
    table[e.key]();
  }, { signal: pageAbort.signal });
}

function common() {
  $("theme").addEventListener("click", setTheme);
  $("copy-link").addEventListener("click", function () { copy(location.href); });
  $("help-open").addEventListener("click", function () { $("help").showModal(); });
}
