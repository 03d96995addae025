// The page of taproot run --ui. The server sends the whole state when the page connects, and every change after it.
import { $, h, plural, took } from "./element.js";
import { Tree } from "./tree.js";
import { Details } from "./details.js";

const state = { tests: [], broken: [], cases: {}, run: { state: "" }, watch: false };
const filter = { text: "", result: "", tag: "" };
const FILTERS = [["failed", "Failed", ["fail", "error", "interrupted", "broken"]], ["passed", "Passed", ["pass"]],
  ["skipped", "Skipped", ["skipped"]], ["busy", "In progress", ["running", "waiting"]], ["none", "No result", [""]]];

const tree = new Tree($("tree"), (key) => state.cases[key], {
  focus: (node) => details.open(node, state.cases),
  run: (node) => start(node.cases || []),
  chosen: buttons,
  opened: (node) => { // where the result is below the tree
    if (node.kind !== "folder" && node.kind !== "file" && matchMedia("(max-width: 760px)").matches) {
      $("details").scrollIntoView();
    }
  },
});
const details = new Details($("details"), { pick: (key) => show(key) });

// show moves the focus to the row of a case.
function show(key) {
  const node = tree.nodes.get("case:" + key) || tree.ofCase(key);
  for (let at = node && node.parent; at; at = at.parent) if (at.el) tree.toggle(at, true);
  tree.focus(node);
}

async function send(path, body) {
  try {
    const response = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" },
      body: JSON.stringify(body || {}) });
    if (!response.ok) say((await response.text()).trim());
  } catch { say("The request could not be sent."); }
}

function say(text) { $("status").textContent = text; }

function start(cases) {
  if (state.run.state) return say("A run is in progress: stop it first.");
  if (!cases.length) return say("No test is chosen.");
  send("/run", { cases });
}

// shownCases are those of the tests that the filter shows.
function shownCases() { return tree.rows.filter((n) => n.kind === "test").flatMap((n) => n.cases); }

function chosenCases() {
  const shown = shownCases(), chosen = shown.filter((key) => tree.chosen.has(key));
  return chosen.length ? chosen : shown;
}

function keeps(node) {
  const result = node.kind === "broken" ? "broken" : node.result;
  const wanted = FILTERS.find((f) => f[0] === filter.result);
  return (!wanted || wanted[2].includes(result)) &&
    (!filter.tag || node.test && (node.test.tags || []).includes(filter.tag)) &&
    filter.text.split(/\s+/).every((word) => node.text.includes(word));
}

function countsOf() {
  const n = {};
  for (const node of tree.nodes.values()) {
    if (node.kind === "test" || node.kind === "broken") n[node.result] = (n[node.result] || 0) + 1;
  }
  return n;
}

// redrawAll draws the tree again, because tests or the filter changed.
function redrawAll() {
  for (const node of tree.nodes.values()) tree.draw(node);
  tree.show(keeps, filter.text !== "");
  const shown = tree.rows.filter((n) => n.kind === "test").length, all = state.tests.length;
  $("count").textContent = shown === all ? plural(all, "test") : shown + " of " + plural(all, "test");
  $("none").hidden = tree.rows.length > 0;
  chips();
  buttons();
}

let chipsDrawn = "";

function chips() {
  const n = countsOf(), tags = [...new Set(state.tests.flatMap((t) => t.tags || []))].sort();
  const drawn = JSON.stringify([n, tags, filter]);
  if (drawn === chipsDrawn) return;
  chipsDrawn = drawn;
  const has = document.activeElement && document.activeElement.dataset.filter;
  const list = FILTERS.map(([name, word, results]) => {
    const count = results.reduce((sum, r) => sum + (n[r] || 0), 0);
    if (!count && filter.result !== name) return null;
    return h("button", { type: "button", cls: "chip", "data-filter": name,
      "aria-pressed": String(filter.result === name), on: { click: () => {
        filter.result = filter.result === name ? "" : name;
        redrawAll();
      } } }, word + " " + count);
  });
  const select = tags.length ? h("select", { "aria-label": "Tag", "data-filter": "tag", on: { change: (e) => {
    filter.tag = e.target.value;
    redrawAll();
  } } }, h("option", { value: "" }, "All tags"), tags.map((tag) => h("option",
    { value: tag, selected: tag === filter.tag }, "@" + tag))) : null;
  $("chips").replaceChildren(...[...list, select].filter(Boolean));
  const again = has && $("chips").querySelector('[data-filter="' + has + '"]');
  if (again) again.focus();
}

function buttons() {
  const busy = state.run.state !== "", cases = chosenCases();
  $("run").disabled = busy || !cases.length;
  $("stop").disabled = state.run.state !== "running";
  $("watch").setAttribute("aria-pressed", String(state.watch));
  const shown = shownCases(), some = shown.some((key) => tree.chosen.has(key));
  const tests = tree.rows.filter((n) => n.kind === "test" && (!some ||
    n.cases.some((key) => tree.chosen.has(key)))).length;
  $("choice").textContent = (some ? plural(tests, "chosen test") : tests === state.tests.length ? "all " + plural(tests,
    "test") : plural(tests, "test") + " shown") + (cases.length === tests ? "" : ", " + plural(cases.length, "case"));
}

function progress() {
  const r = state.run, done = Math.min(r.done || 0, r.total || 0);
  $("progress").hidden = r.state === "";
  $("progress").firstElementChild.style.width = (r.total ? 100 * done / r.total : 0) + "%";
  $("progress").classList.toggle("bad", r.failed > 0);
  const failed = r.failed ? ", " + r.failed + " did not pass" : "";
  if (r.state === "stopping") say("Stopping…");
  else if (r.state === "running") say(done + " of " + plural(r.total, "test") + " done" + failed);
  else if (r.total) say(done < r.total ? "Ended after " + done + " of " + plural(r.total, "test") + failed :
    plural(r.total, "test") + " done in " + (took(r.ms) || "0 s") + (failed || ", all passed or skipped"));
  $("messages").hidden = !r.message;
  $("printed").textContent = r.message || "";
  document.title = (r.state ? done + "/" + r.total + " " : r.total && r.failed ? "✗ " : r.total ? "✓ " : "") +
    "Tests · Taproot";
}

// A frame of drawing takes over all changes since the last one.
const dirty = { keys: new Set(), all: false, run: false, frame: 0 };

function draw() {
  dirty.frame = 0;
  if (dirty.all) redrawAll();
  else if (dirty.keys.size) {
    tree.redraw(dirty.keys);
    if (filter.result) tree.show(keeps, filter.text !== "");
    chips();
  }
  if (dirty.run) { progress(); buttons(); }
  if (details.node && (details.node.kind === "folder" || details.node.kind === "file") && dirty.keys.size) {
    details.open(details.node, state.cases);
  }
  Object.assign(dirty, { keys: new Set(), all: false, run: false });
}

function later() { if (!dirty.frame) dirty.frame = requestAnimationFrame(draw); }

function setTests(v) {
  Object.assign(state, { tests: v.tests || [], broken: v.broken || [] });
  tree.build(state.tests, state.broken);
  dirty.all = true;
  const node = tree.nodes.get(tree.current);
  if (details.node && !tree.nodes.has(details.node.key)) details.empty();
  else if (node && details.node && details.node.key === node.key) {
    details.node = node;
    if (node.kind === "broken") details.open(node, state.cases);
  }
}

const take = {
  state(v) {
    Object.assign(state, { cases: v.cases || {}, run: v.run, watch: v.watch });
    $("title").textContent = v.title;
    $("lost").hidden = !v.problem;
    $("lost").textContent = v.problem || "";
    setTests(v);
    dirty.run = true;
    document.body.dataset.connected = +(document.body.dataset.connected || 0) + 1;
    if (!details.node) details.empty();
    details.load();
  },
  tests(v) { setTests(v); },
  case(v) {
    state.cases[v.key] = v;
    dirty.keys.add(v.key);
    if (details.key === v.key) details.moved(v.key);
    else if (details.node && details.node.kind === "test" && details.node.cases.includes(v.key)) {
      details.open(details.node, state.cases);
    }
  },
  moved(key) { details.moved(key); },
  run(v) {
    const ended = state.run.state !== "" && v.state === "";
    state.run = v;
    dirty.run = true;
    if (ended) details.load(); // it has a report now
  },
  watch(v) { state.watch = v; dirty.run = true; },
  problem(v) { $("lost").hidden = false; $("lost").textContent = v; },
};

function connect() {
  const source = new EventSource("/events");
  source.onmessage = (e) => {
    const { kind, value } = JSON.parse(e.data);
    take[kind](value);
    later();
  };
  source.onerror = () => {
    $("lost").hidden = false;
    $("lost").textContent = "The connection to taproot is lost. It is tried again; if you have ended " +
      "taproot run --ui, start it again.";
    if (source.readyState === EventSource.CLOSED) setTimeout(connect, 1500);
  };
}

let typing = 0;
$("search").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(() => { filter.text = $("search").value.trim().toLowerCase(); redrawAll(); }, 60);
});
$("search").addEventListener("keydown", (e) => {
  if (e.key === "ArrowDown" || e.key === "Enter") {
    e.preventDefault();
    const first = tree.rows.find((n) => n.kind === "test") || tree.rows[0];
    if (first) tree.focus(first);
  }
});
$("run").addEventListener("click", () => start(chosenCases()));
$("stop").addEventListener("click", () => send("/stop"));
$("watch").addEventListener("click", () => send("/watch", { on: !state.watch }));
$("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("taproot-theme", root.dataset.theme); } catch { /* there is no storage */ }
});
document.addEventListener("keydown", (e) => {
  if (e.key === "Enter" && e.ctrlKey) { e.preventDefault(); start(chosenCases()); }
  if (e.key === "/" && !e.target.closest("input, select, textarea")) { e.preventDefault(); $("search").focus(); }
});
connect();
