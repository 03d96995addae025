"use strict";
// The menu is open if there is space. Without scripts it is closed until the reader opens it.
const menu = document.getElementById("menu");
const wide = matchMedia("(min-width: 801px)");
const fit = () => { menu.open = wide.matches; };
fit();
wide.addEventListener("change", fit);
document.querySelector(".pages [aria-current]")?.scrollIntoView({ block: "nearest" });

// The same page of another version, or its first one: a page may be missing there.
const versions = document.getElementById("version");
if (versions) {
  const here = versions.value, root = new URL(document.body.dataset.up || ".", location.href);
  versions.replaceChildren(...(window.taprootVersions ?? [here]).map((v) => new Option(v, v, v === here, v === here)));
  versions.addEventListener("change", () => {
    location.href = new URL("../" + versions.value + "/index.html", root);
  });
}

for (const pre of document.querySelectorAll("pre")) {
  const box = document.createElement("div"), button = document.createElement("button");
  box.className = "block";
  button.className = "copy";
  button.type = "button";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(pre.querySelector("code").textContent);
      button.textContent = "Copied";
    } catch {
      getSelection().selectAllChildren(pre.querySelector("code"));
      button.textContent = "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
  pre.replaceWith(box);
  box.append(pre, button);
}
let section = document.querySelector("article h1");
let tables = 0;
for (const part of document.querySelectorAll("article :is(h2, h3, table)")) {
  if (part.localName !== "table") {
    section = part;
    continue;
  }
  const table = part;
  // A header without a text is none.
  for (const th of table.querySelectorAll("th:empty")) {
    th.replaceWith(document.createElement("td"));
  }
  tables++;
  const box = document.createElement("div");
  box.className = "wide";
  box.tabIndex = 0;
  box.setAttribute("role", "region");
  box.setAttribute("aria-label", `Table ${tables}: ${section?.textContent ?? ""}`);
  table.replaceWith(box);
  box.append(table);
}
for (const h of document.querySelectorAll("article :is(h2, h3)[id]")) {
  const a = document.createElement("a");
  a.className = "anchor";
  a.href = "#" + h.id;
  a.textContent = "#";
  a.setAttribute("aria-label", "Link to " + h.textContent);
  h.append(a);
}

// The search: every word of the query is the start of a word in the section, or a part of one when it is long.
const up = document.body.dataset.up;
const field = document.getElementById("search"), list = document.getElementById("hits");
const sections = (window.taprootIndex ?? []).map((s) => ({
...s, title: (s.t ?? s.p).toLowerCase(), page: s.p.toLowerCase(), text: s.x.toLowerCase() }));
field.disabled = sections.length === 0;
let chosen = -1;

const escape = (word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
const startsWord = (word) => new RegExp("(^|[^\\p{L}\\p{N}])" + escape(word), "u");

function score(s, words) {
  let sum = 0;
  for (const w of words) {
    const at = startsWord(w);
    let n = 0;
    if (s.title === w) n = 60;
    else if (at.test(s.title)) n = 25;
    else if (at.test(s.page)) n = 8;
    if (at.test(s.text)) n += 4;
    else if (n === 0 && w.length > 3 && s.text.includes(w)) n = 1;
    if (n === 0) return 0;
    sum += n;
  }
  return sum + (s.t ? 0 : 1) - Math.min(s.text.length, 4000) / 4000;
}

function marked(text, words, into) {
  const parts = text.split(new RegExp("(" + words.map(escape).join("|") + ")", "i"));
  for (const [i, part] of parts.entries()) {
    if (i % 2 === 0) { into.append(part); continue; }
    const m = document.createElement("mark");
    m.textContent = part;
    into.append(m);
  }
}

function excerpt(s, words) {
  const at = Math.max(0, ...words.slice(0, 1).map((w) => s.text.search(startsWord(w))));
  const from = Math.max(0, at - 50);
  return (from > 0 ? "…" : "") + s.x.slice(from, from + 150) + (s.x.length > from + 150 ? "…" : "");
}

function show() {
  const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
  list.replaceChildren();
  chosen = -1;
  list.hidden = words.length === 0;
  field.setAttribute("aria-expanded", String(!list.hidden));
  field.removeAttribute("aria-activedescendant");
  if (list.hidden) return;
  const found = sections.map((s) => [score(s, words), s]).filter(([n]) => n > 0)
  .sort((a, b) => b[0] - a[0]).slice(0, 12);
  for (const [i, [, s]] of found.entries()) {
    const item = document.createElement("li"), a = document.createElement("a");
    const head = document.createElement("strong"), text = document.createElement("small");
    item.id = "hit-" + i;
    item.setAttribute("role", "option");
    a.href = up + s.h;
    a.tabIndex = -1;
    marked(s.t ? s.t + " · " + s.p : s.p, words, head);
    marked(excerpt(s, words), words, text);
    a.append(head, text);
    item.append(a);
    list.append(item);
  }
  if (found.length === 0) {
    const item = document.createElement("li");
    item.className = "none";
    item.textContent = "Nothing fits all of these words.";
    list.append(item);
  } else choose(0);
}

function choose(i) {
  const items = list.querySelectorAll("[role=option]");
  if (items.length === 0) return;
  items[chosen]?.setAttribute("aria-selected", "false");
  chosen = (i + items.length) % items.length;
  items[chosen].setAttribute("aria-selected", "true");
  items[chosen].scrollIntoView({ block: "nearest" });
  field.setAttribute("aria-activedescendant", items[chosen].id);
}

function close() {
  list.hidden = true;
  field.setAttribute("aria-expanded", "false");
}

field.addEventListener("input", show);
field.addEventListener("focus", show);
field.addEventListener("keydown", (e) => {
  if (e.key === "ArrowDown") choose(chosen + 1);
  else if (e.key === "ArrowUp") choose(chosen - 1);
  else if (e.key === "Enter") list.querySelectorAll("[role=option] a")[chosen]?.click();
  else if (e.key === "Escape") { field.value = ""; close(); field.blur(); }
  else return;
  e.preventDefault();
});
list.addEventListener("click", close);
document.addEventListener("click", (e) => { if (!e.target.closest(".search")) close(); });
document.addEventListener("keydown", (e) => {
  if (e.key !== "/" || e.ctrlKey || e.metaKey || e.altKey ||
  e.target.closest("input, textarea, [contenteditable]")) return;
  e.preventDefault();
  field.focus();
});
