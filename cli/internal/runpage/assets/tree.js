// The tree of tests: folders, files, tests, and the cases of tests that have several. It follows the pattern for trees
// of the ARIA Authoring Practices: one item has the focus, and arrow keys move it.
import { h, icon, bdi, took, WORD } from "./element.js";

const ORDER = ["running", "fail", "error", "broken", "interrupted", "waiting", "warned", "pass", "skipped", ""];

// worst is the result of a group: the one that a person wants to know of first.
export function worst(results) {
  let best = ORDER.length - 1;
  for (const result of results) best = Math.min(best, Math.max(0, ORDER.indexOf(result || "")));
  return ORDER[best];
}

export class Tree {
  // on has the functions focus(node), run(node), opened(node) and chosen().
  constructor(root, resultOf, on) {
    Object.assign(this, { root, resultOf, on, nodes: new Map(), top: [], rows: [], stop: null, open: new Map(),
      chosen: new Set(), current: "", typed: "", typedAt: 0 });
    root.addEventListener("keydown", (e) => this.key(e));
    root.addEventListener("click", (e) => this.click(e));
    root.addEventListener("focusin", (e) => this.focused(e));
  }

  // build makes the nodes of tests and files with errors. Results, open groups and the choice stay.
  build(tests, broken) {
    this.nodes = new Map();
    const top = { key: "", label: "", kids: [], kind: "folder" };
    const files = new Map();
    for (const t of tests) files.set(t.file, [...files.get(t.file) || [], t]);
    for (const b of broken) if (!files.has(b.file)) files.set(b.file, []);
    const wrong = new Map(broken.map((b) => [b.file, b.message]));
    for (const file of [...files.keys()].sort()) {
      const parts = file.split("/"), name = parts.pop();
      let at = top;
      for (const part of parts) {
        const key = "dir:" + (at.key ? at.key.slice(4) + "/" : "") + part;
        let next = at.kids.find((k) => k.key === key);
        if (!next) at.kids.push(next = { key, label: part || "/", kids: [], kind: "folder" });
        at = next;
      }
      const list = files.get(file);
      if (wrong.has(file)) {
        at.kids.push({ key: "file:" + file, label: name || "Tests", kind: "broken", file, message: wrong.get(file),
          text: file.toLowerCase(), kids: list.map((t) => this.test(t)) });
      } else if (list.length === 1) at.kids.push(this.test(list[0], name));
      else at.kids.push({ key: "file:" + file, label: name, kind: "file", file, kids: list.map((t) => this.test(t)) });
    }
    this.top = top.kids.map(shorten);
    const visit = (node, parent, depth) => {
      Object.assign(node, { parent, depth });
      this.nodes.set(node.key, node);
      node.kids.forEach((kid) => visit(kid, node, depth + 1));
      node.cases = node.kind === "test" || node.kind === "case" ? node.cases :
        node.kids.flatMap((kid) => kid.cases || []);
      node.wrong = node.kind === "broken" || node.kids.some((kid) => kid.wrong);
      node.tests = node.kind === "test" ? 1 : node.kids.reduce((sum, kid) => sum + (kid.tests || 0), 0);
    };
    this.top.forEach((node) => visit(node, null, 1));
    const had = this.root.contains(document.activeElement);
    this.root.replaceChildren(...this.top.map((node) => this.item(node)));
    this.refocus = had;
  }

  // test is the node of a test; file is the name of the file that holds this test alone.
  test(t, file) {
    const node = { key: "test:" + t.id, label: t.id, kind: "test", cases: t.cases, test: t, file: t.file, kids: [],
      note: t.name || (file && file.replace(/\.ya?ml$/, "") !== t.id ? file : ""),
      text: [t.id, t.name, t.file, ...(t.tags || []).map((tag) => "@" + tag)].join(" ").toLowerCase() };
    if (t.cases.length > 1) node.kids = t.cases.map((key) => ({ key: "case:" + key, label: key.replace(t.id + "--", ""),
      kind: "case", cases: [key], test: t, kids: [], text: node.text + " " + key.toLowerCase() }));
    return node;
  }

  // show draws the nodes that a filter keeps; opens: those in closed folders, too.
  show(keeps, opens) {
    const had = this.refocus || this.root.contains(document.activeElement);
    this.refocus = false;
    const kept = (node) => {
      if (node.kind === "test") node.shown = keeps(node);
      else if (node.kind === "case") node.shown = node.parent.shown;
      node.kids.forEach(kept);
      if (node.kind === "broken") node.shown = keeps(node) || node.kids.some((kid) => kid.shown);
      else if (node.kind === "folder" || node.kind === "file") node.shown = node.kids.some((kid) => kid.shown);
    };
    this.top.forEach(kept);
    this.rows = [];
    const place = (nodes) => {
      const shown = nodes.filter((node) => node.shown);
      for (const node of nodes) node.el.hidden = !node.shown;
      shown.forEach((node, i) => {
        node.el.setAttribute("aria-setsize", shown.length);
        node.el.setAttribute("aria-posinset", i + 1);
        this.rows.push(node);
        if (node.group) this.expand(node, opens && node.kind !== "test" || this.isOpen(node));
        place(node.kids);
      });
    };
    place(this.top);
    for (const row of this.rows) this.mark(row);
    this.focusable();
    if (had) this.focus(this.nodes.get(this.current), false);
  }

  item(node) {
    const group = node.kids.length > 0;
    node.icon = h("span", { cls: "slot" });
    node.time = h("span", { cls: "time" });
    node.row = h("div", { cls: "node k-" + node.kind },
      h("span", { cls: "twist", "aria-hidden": "true" }, group ? "▸" : ""),
      h("span", { cls: "pick", "aria-hidden": "true" }), node.icon,
      h("span", { cls: "label" }, bdi(node.label, "name"), node.note ? [" ", bdi(node.note, "quiet")] : null),
      node.time,
      node.kind === "broken" ? null : h("button", { type: "button", cls: "go", tabindex: "-1",
        "aria-label": "Start " + node.label, title: "Start " + node.label }, "▶"));
    node.row.style.setProperty("--depth", node.depth);
    node.el = h("li", { role: "treeitem", tabindex: "-1", "data-key": node.key, "aria-level": node.depth }, node.row);
    if (group) {
      node.group = h("ul", { role: "group" }, node.kids.map((kid) => this.item(kid)));
      node.el.append(node.group);
      this.expand(node, this.isOpen(node));
    } else node.group = null;
    this.draw(node);
    return node.el;
  }

  isOpen(node) {
    const asked = this.open.get(node.key);
    return asked === undefined ? node.kind !== "test" && (node.kind !== "file" || node.kids.length < 20) : asked;
  }

  expand(node, on) {
    node.el.setAttribute("aria-expanded", String(on));
    node.group.hidden = !on;
  }

  // toggle opens or closes a group.
  toggle(node, on) {
    if (!node.group) return;
    this.open.set(node.key, on);
    this.expand(node, on);
    if (!on && node.group.contains(document.activeElement)) this.focus(node);
  }

  // draw writes the result of a node into its row.
  draw(node) {
    const results = (node.cases || []).map((key) => this.resultOf(key));
    const result = node.kind === "broken" ? "broken" :
      node.test && node.test.skip && !results.some((r) => r && r.result) ? "skipped" :
        worst([...results.map((r) => r && r.result), ...node.wrong ? ["broken"] : []]);
    const one = node.cases && node.cases.length === 1 ? results[0] : null;
    const time = one ? (one.result === "running" && one.steps ? one.step + "/" + one.steps : took(one.ms)) :
      node.tests > 1 ? String(node.tests) : "";
    const drawn = result + time;
    node.result = result;
    if (!node.el || node.drawn === drawn && node.icon.firstChild) return;
    node.drawn = drawn;
    node.icon.replaceChildren(icon(result));
    node.time.textContent = time;
    node.row.dataset.result = result;
    node.el.setAttribute("aria-label", [node.label, node.note, WORD[result], time && one ? time : ""].filter(Boolean)
      .join(", "));
  }

  // redraw draws the rows of cases, and of the groups above them.
  redraw(keys) {
    const seen = new Set();
    for (const key of keys) {
      for (let node = this.nodes.get("case:" + key) || this.ofCase(key); node; node = node.parent) seen.add(node);
    }
    for (const node of seen) this.draw(node);
  }

  ofCase(key) {
    const test = this.nodes.get("test:" + key) || this.nodes.get("test:" + key.split("--")[0]);
    return test && test.cases.includes(key) ? test : null;
  }

  // mark shows whether a node is chosen.
  mark(node) {
    const all = node.cases || [], on = all.filter((key) => this.chosen.has(key)).length;
    const checked = node.kind === "broken" ? "" : on === 0 ? "false" : on === all.length ? "true" : "mixed";
    const marked = checked + (node.key === this.current);
    if (node.marked === marked) return;
    node.marked = marked;
    if (checked) node.el.setAttribute("aria-checked", checked);
    if (node.key === this.current) node.el.setAttribute("aria-current", "true");
    else node.el.removeAttribute("aria-current");
  }

  // choose adds the cases of a node to the choice, or removes them.
  choose(node, on) {
    for (const key of node.cases || []) if (on) this.chosen.add(key); else this.chosen.delete(key);
    for (const row of this.rows) this.mark(row);
    this.on.chosen();
  }

  // chooseShown chooses all tests that the filter shows.
  chooseShown() {
    for (const row of this.rows) if (row.kind === "test") for (const key of row.cases) this.chosen.add(key);
    for (const row of this.rows) this.mark(row);
    this.on.chosen();
  }

  isChosen(node) { return (node.cases || []).length > 0 && node.cases.every((key) => this.chosen.has(key)); }

  // visible lists the rows that are not inside of a closed group.
  visible() {
    return this.rows.filter((node) => {
      for (let at = node.parent; at; at = at.parent) if (at.group && at.group.hidden) return false;
      return true;
    });
  }

  focusable() {
    const list = this.visible();
    const node = list.find((n) => n.key === this.current) || list[0];
    if (this.stop && this.stop.el) this.stop.el.tabIndex = -1;
    this.stop = node;
    if (node) node.el.tabIndex = 0;
    if (node && !this.nodes.has(this.current)) this.current = "";
  }

  focus(node, scroll = true) {
    if (!node || !node.shown || !node.el.isConnected) return this.focusable();
    node.el.focus({ preventScroll: true });
    if (scroll) node.row.scrollIntoView({ block: "nearest" });
  }

  focused(e) {
    const el = e.target.closest("[role=treeitem]"), node = el && this.nodes.get(el.dataset.key);
    if (!node || e.target !== el) return;
    const old = this.nodes.get(this.current);
    this.current = node.key;
    for (const row of [old, this.stop]) if (row && row.el) { row.el.tabIndex = -1; this.mark(row); }
    this.stop = node;
    node.el.tabIndex = 0;
    this.mark(node);
    this.on.focus(node);
  }

  click(e) {
    const el = e.target.closest("[role=treeitem]"), node = el && this.nodes.get(el.dataset.key);
    if (!node) return;
    if (e.target.closest(".go")) { this.focus(node); return this.on.run(node); }
    if (e.target.closest(".pick") || e.ctrlKey || e.metaKey) this.choose(node, !this.isChosen(node));
    else if (e.target.closest(".twist") || node.kind === "folder" || node.kind === "file") {
      this.toggle(node, el.getAttribute("aria-expanded") !== "true");
    }
    this.focus(node);
    this.on.opened(node);
  }

  key(e) {
    const el = e.target.closest("[role=treeitem]"), node = el && this.nodes.get(el.dataset.key);
    if (!node || e.altKey || e.metaKey || e.ctrlKey && e.key !== "a") return;
    const list = this.visible(), at = list.indexOf(node), last = list.length - 1;
    const to = (i) => { const next = list[Math.max(0, Math.min(last, i))]; this.focus(next); return next; };
    const isOpen = el.getAttribute("aria-expanded");
    switch (e.key) {
    case "ArrowDown": case "ArrowUp": {
      const next = to(at + (e.key === "ArrowDown" ? 1 : -1));
      if (e.shiftKey && next !== node) this.choose(next, !this.isChosen(next));
      break;
    }
    case "ArrowRight":
      if (isOpen === "false") this.toggle(node, true);
      else if (isOpen === "true") to(at + 1);
      break;
    case "ArrowLeft":
      if (isOpen === "true") this.toggle(node, false);
      else if (node.parent) this.focus(node.parent);
      break;
    case "Home": to(0); break;
    case "End": to(last); break;
    case "PageDown": to(at + 12); break;
    case "PageUp": to(at - 12); break;
    case " ": this.choose(node, !this.isChosen(node)); break;
    case "Enter": this.on.run(node); break;
    case "*":
      for (const kid of node.parent ? node.parent.kids : this.top) if (kid.shown) this.toggle(kid, true);
      break;
    case "a":
      if (e.ctrlKey) this.chooseShown();
      else this.search(e.key, list, at);
      break;
    default:
      if (e.key.length !== 1 || e.key === "/") return;
      this.search(e.key, list, at);
    }
    e.preventDefault();
    e.stopPropagation();
  }

  // search moves the focus to the next row that starts with the typed characters.
  search(key, list, at) {
    const now = performance.now();
    this.typed = now - this.typedAt < 700 ? this.typed + key.toLowerCase() : key.toLowerCase();
    this.typedAt = now;
    const from = this.typed.length === 1 ? at + 1 : at;
    const order = [...list.slice(from), ...list.slice(0, from)];
    const found = order.find((n) => n.label.toLowerCase().startsWith(this.typed));
    if (found) this.focus(found);
  }
}

// shorten joins folders that hold one folder only.
function shorten(node) {
  node.kids = node.kids.map(shorten);
  if (node.kind === "folder" && node.kids.length === 1 && node.kids[0].kind === "folder") {
    const kid = node.kids[0];
    return { ...kid, label: node.label + "/" + kid.label };
  }
  return node;
}
