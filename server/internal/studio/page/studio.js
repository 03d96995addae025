// Studio's page of one device, or of those of a test with several: the live screens, actions, element details,
// recording and running a test.
import { Screen } from "./screen.js";
import { Editor } from "./editor.ts";
import { Pages } from "./pages.js";
import { Cut } from "./cut.js";
import { literal, quoted } from "./literal.js";
import { showElement, showFound, showTree } from "./point.js";
import { Recording } from "./recording.js";

const $ = (id) => document.getElementById(id);
const { acts, saves, file, api } = document.body.dataset;
const canAct = acts === "true";
const typeMs = 350;
const dialogOpen = "The page shows a dialog: answer it first, below the screen.";

let first = new URLSearchParams(location.search).get("open"); // URL of the first page
let socket = null, lease = "";

// seats are the devices of the page, with their names in a test with several. Controls act on the shown one. An action
// waits for its turn: at is the seat of the running one.
const seats = [...document.querySelectorAll(".glass")].map((glass) => {
  const { name, device } = glass.dataset, url = `${api}/devices/${encodeURIComponent(device)}`;
  return { name, id: device, url, glass, platform: "android", elements: [], pinned: null, buffer: "", typing: 0 };
});
const several = seats[0].name !== "";
let shown = seats[0], at = seats[0];
const hint = $("element").firstElementChild.cloneNode(true); // while no element is pinned
const nameOf = (seat) => (several ? `${seat.name} (${seat.id})` : seat.id);

// head returns the first lines of a new test.
function head() {
  if (!several) return `id: recorded\nplatform: ${seats[0].platform}\nsteps:`;
  const entries = seats.map((s) => `  ${s.name}: {platform: ${s.platform}}`);
  return `id: recorded\ndevices:\n${entries.join("\n")}\nsteps:`;
}

const waiting = new Map(), editor = new Editor(head, labels, [
  { key: "Mod-s", run: () => { $("saving")?.requestSubmit(); return true; }, preventDefault: true },
  { key: "Mod-Enter", run: () => { run(0, 0); return true; } },
  { key: "Mod-Shift-Enter", run: () => { run(editor.line, editor.line); return true; } },
]);
let number = 0, running = 0, queue = Promise.resolve();

const recording = new Recording();
const showMessage = (text) => { $("message").textContent = text; };
const showOutcome = (text) => { $("outcome").textContent = text; };

async function request(path, body, seat = at) {
  const headers = { "Content-Type": "application/json" };
  const options = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) };
  const answer = await fetch(seat.url + path, options);
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.message);
  return found;
}

// connect leases all devices by a WebSocket; if that fails, it shows who has them.
async function connect(take) {
  if (!canAct) return void ($("holder").textContent = "You may watch, not act.");
  $("retry").hidden = $("take").hidden = true;
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const query = new URLSearchParams(take === true ? { take } : {});
  if (several) {
    query.set("as", seats[0].name);
    if (seats[1]) query.set("with", seats.slice(1).map((s) => `${s.name}=${s.id}`).join(","));
  }
  const s = new WebSocket(`${scheme}://${location.host}${seats[0].url}/input${query.size ? `?${query}` : ""}`);
  let open = false;
  s.addEventListener("message", (e) => {
    const m = JSON.parse(e.data);
    if (m.lease) {
      [open, socket, lease] = [true, s, m.lease];
      document.body.dataset.connected = "true";
      recording.ready();
      $("holder").textContent = `You have ${several ? "all devices" : "the device"}. Others can watch.`;
      if (!first) return;
      if (several) choose(seats.find((seat) => seat.platform === "web") ?? seats[0]);
      inTurn(() => {
        $("what").value = first;
        recording.set(true);
        return launch(first).finally(() => { first = ""; });
      });
      return;
    }
    if (m.step) return void (m.id === running && showStep(m.step));
    waiting.get(m.id)?.(m);
    waiting.delete(m.id);
  });
  s.addEventListener("close", async (e) => {
    [socket, lease] = [null, ""];
    delete document.body.dataset.connected;
    recording.wait(several ? "you do not have all devices" : "you do not have the device");
    for (const done of waiting.values()) done({ error: { message: "the connection to the server was lost" } });
    waiting.clear();
    $("retry").hidden = false;
    const lost = `You do not have ${several ? "all devices" : "the device"} any more. ${e.reason}`;
    if (open) $("holder").textContent = lost;
    const now = await leaseText(); // also shows the button to take it over
    if (!open) $("holder").textContent = now;
  });
}

// leaseText describes who has the devices, and shows the button to take them over if that is possible.
async function leaseText() {
  const texts = [];
  for (const seat of seats) {
    const text = await leaseTextOf(seat);
    texts.push(several ? `${nameOf(seat)}: ${text}` : text);
  }
  return texts.join(" ");
}

async function leaseTextOf(seat) {
  try {
    const l = await request("/lease", undefined, seat);
    if (l.mine) $("take").hidden = false;
    const since = new Date(l.since).toLocaleTimeString();
    if (l.leased) return `${l.holder} has the device since ${since}. You can watch, and try again later.`;
    if (several) return "not in use here.";
    return "The device is not yours: another run or program may be using it.";
  } catch (e) {
    return `The server does not respond: ${e.message}`;
  }
}

// send sends a message to the server and returns the response.
function send(message) {
  if (!socket) return Promise.resolve({ error: { message: "you do not have the device" } });
  const id = ++number;
  return new Promise((done) => {
    waiting.set(id, done);
    socket.send(JSON.stringify({ id, ...message }));
  });
}

// act performs one action and shows its error. It returns true when the action passed. isPageControl: the action comes
// from a dialog or a tab, so it may be performed while a dialog is open.
async function act(action, isPageControl) {
  if (at.platform === "web" && !isPageControl && (await pages.refresh())) {
    showMessage(dialogOpen);
    return false;
  }
  showMessage("…");
  const m = await send({ device: at.name, do: action });
  const problem = m.error?.message || (m.outcome?.passed === false && (m.outcome.message || "it does not hold"));
  showMessage(problem || "");
  at.elements = [];
  if (!problem && at === shown && ($("tree").open || at.screen.pointing)) readElements();
  if (at.platform === "web" && !isPageControl) pages.later();
  return !problem;
}

// runOnce performs a step like a test in the folder of the file. It returns true when the step passed.
async function runOnce(step) {
  const yaml = `id: once\nplatform: ${at.platform}\nsteps:\n  - ${step}\n`;
  const m = await send({ device: at.name, run: { yaml, file: filePath() } });
  const problem = m.error?.message || (m.outcome.passed ? "" : m.outcome.message);
  showMessage(problem);
  return !problem;
}

// inTurn performs actions one after the other, in their order, each on its device.
function inTurn(work, seat = shown) {
  queue = queue.then(() => { at = seat; return work(); }).catch((e) => showMessage(e.message));
  return queue;
}

// choose makes the controls of the page act on another device.
function choose(seat) {
  if (seat === shown) return;
  inTurn(flush); // what was typed is for the device before
  shown = seat;
  showChoice();
  showMessage(`The controls are for ${nameOf(seat)}.`);
  if (seat.pinned) showElement(seat.pinned, canAct && chosen);
  else $("element").replaceChildren(hint.cloneNode(true));
  if ($("tree").open || seat.screen.pointing) readElements();
  if ($("log").open) followLog();
  if (seat.platform === "web") inTurn(() => pages.refresh());
  else pages.hide();
}

function showChoice() {
  for (const b of document.querySelectorAll("[data-choose]")) {
    b.setAttribute("aria-pressed", String(b.dataset.choose === shown.name));
  }
  const web = shown.platform === "web";
  document.body.dataset.platform = shown.platform;
  for (const e of document.querySelectorAll(".phone")) e.hidden = web;
  for (const e of document.querySelectorAll(".page")) e.hidden = !web;
  if ($("launch-label")) $("launch-label").textContent = web ? "Open URL" : "Launch app, or open link";
}

const point = (p) => `${p.x.toFixed(2)}%,${p.y.toFixed(2)}%`;
const inspect = (body, seat) => request("/inspect", { preferId: $("prefer").checked, ...body }, seat);

// gesture performs one gesture of the pointer. While recording, it uses the best selector of the element, so that the
// recorded step is the performed one.
async function gesture(name, from, to) {
  await flush();
  if (name === "scroll") {
    if (await act({ scroll: from }) && recording.on) append(`scroll: ${from}`);
    return;
  }
  if (name.startsWith("pinch")) {
    const pinch = { direction: name === "pinchOpen" ? "open" : "close" };
    if (await act({ pinch }) && recording.on) append(`pinch: {direction: ${pinch.direction}}`);
    return;
  }
  if (to && name === "drag" && recording.on && await dragged(from, to)) return;
  if (to) {
    const [a, b] = [point(from), point(to)];
    const action = name === "drag" ? { drag: { from: { point: a }, to: { point: b } } } : { swipe: { from: a, to: b } };
    const drag = `drag: {from: {point: "${a}"}, to: {point: "${b}"}}`;
    const line = name === "drag" ? drag : `swipe: {from: "${a}", to: "${b}"}`;
    if (await act(action) && recording.on) append(line);
    return;
  }
  const controls = at.platform === "web" && name === "tap";
  if (controls && (await pages.refresh())) return showMessage(dialogOpen);
  if (!recording.on && !controls) return act({ [name]: { point: point(from) } });
  const found = await inspect({ point: point(from), controls });
  if (controls && pages.prompts(found.control)) return;
  if (!recording.on) return act({ [name]: { point: point(from) } });
  const pinned = (at.pinned = found.element || null);
  if (at === shown) showElement(pinned, chosen);
  at.screen.mark("pinned", pinned ? [pinned.box] : []);
  const byPoint = { do: { [name]: { point: point(from) } }, line: `${name}: {point: "${point(from)}"}` };
  const step = pinned?.selectors.find((s) => s.picks)?.steps[name] || byPoint;
  if (!(await act(step.do))) return;
  append(step.line);
  if (controls) pages.tap(found.control, step.line);
}

// dragged drags one element onto another by their best selectors. It returns false when both are the same element, or
// when there is none.
async function dragged(from, to) {
  const ends = [];
  for (const place of [from, to]) {
    const { element } = await inspect({ point: point(place) });
    const best = element?.selectors.find((s) => s.picks);
    if (!best || best.yaml.startsWith("{point:") || !best.steps.tap) return false;
    const yaml = best.yaml.startsWith("{") ? best.yaml : `{label: ${best.yaml}}`;
    ends.push({ yaml, value: Object.values(best.steps.tap.do)[0], box: JSON.stringify(element.box) });
  }
  const [a, b] = ends, whole = (v) => (typeof v === "string" ? { label: v } : v);
  if (a.box === b.box) return false;
  if (await act({ drag: { from: whole(a.value), to: whole(b.value) } })) {
    append(`drag: {from: ${a.yaml}, to: ${b.yaml}}`);
  }
  return true;
}

// type collects typed text, and sends it when there is a pause.
function type(more, seat = shown) {
  seat.buffer += more;
  clearTimeout(seat.typing);
  seat.typing = setTimeout(() => inTurn(flush, seat), typeMs);
}

async function flush() {
  clearTimeout(at.typing);
  const typed = at.buffer;
  at.buffer = "";
  if (!typed) return;
  if (await act({ input: literal(typed) }) && recording.on) editor.type(typed, at.pinned?.password, at.name);
}

async function key(name) {
  await flush();
  if (!(await act(name === "backspace" ? { erase: 1 } : { press: name })) || !recording.on) return;
  if (name === "backspace" && editor.erase(at.name)) return;
  append(name === "backspace" ? "erase: 1" : `press: ${name}`);
}

// chosen performs a step from the menu of an element, and adds it to the test if it passes.
function chosen(name, step) {
  inTurn(async () => {
    if (await act(step.do)) append(step.line);
  });
}

// readElements reads the elements for the tree and for the highlight below the pointer.
async function readElements(seat = shown) {
  try {
    const found = await inspect({}, seat);
    if (found.state?.dialog) return pages.showDialog(found.state.dialog, seat);
    seat.elements = found.elements || [];
    const middle = ({ box }) => `${box.left + Math.floor(box.width / 2)},${box.top + Math.floor(box.height / 2)}`;
    if (seat !== shown) return;
    showTree(seat.elements, (e) => seat.screen.mark("over", [e.box]), (e) => pin(middle(e), seat));
  } catch (e) {
    showMessage(e.message);
  }
}

async function pin(place, seat) {
  choose(seat);
  const found = await inspect({ point: place }, seat);
  seat.pinned = found.element || null;
  if (seat === shown) showElement(seat.pinned, canAct && chosen);
  seat.screen.mark("pinned", seat.pinned ? [seat.pinned.box] : []);
}

const filePath = () => $("file")?.value.trim() || "";
const append = (line) => editor.append(line, at.name);
const replace = (was, line) => editor.replace(was, line, at.name);
const leaseHeader = () => (lease ? { "X-Lease": lease } : {});

const pages = new Pages({
  inspect, act, say: showMessage, inTurn, run: runOnce, recording: () => recording.on, append, replace, path: filePath,
  device: () => at, isShown: (seat) => seat === shown,
}, saves === "true");

const cut = new Cut({
  deviceUrl: () => shown.url, lease: leaseHeader, inspect: (body) => inspect(body, shown), say: showMessage, inTurn,
  run: runOnce, append, path: filePath,
}, saves === "true");

// isScreenState reports whether a message describes the state of the live screen of a device.
const stateOf = (seat) => (several ? `${seat.name}: ` : "");
const isScreenState = (seat, text) => text.startsWith("Waiting") ||
  ["No image", "The device was"].some((start) => text.startsWith(stateOf(seat) + start));

// hover highlights the element below the pointer.
function hover(seat, p) {
  if (!seat.screen.pointing) return;
  if (seat !== shown && !seat.elements.length && !seat.reading) {
    seat.reading = readElements(seat).finally(() => { seat.reading = null; });
  }
  const [x, y] = [(p.x * seat.screen.width) / 100, (p.y * seat.screen.height) / 100];
  const over = seat.elements.filter(({ box }) =>
    box.left <= x && x < box.left + box.width && box.top <= y && y < box.top + box.height);
  over.sort((a, b) => a.box.width * a.box.height - b.box.width * b.box.height);
  seat.screen.mark("over", over.slice(0, 1).map((e) => e.box));
  if (over[0]) showMessage(over[0].words);
}

for (const seat of seats) {
  const toAct = (work) => (...args) => { choose(seat); if (canAct) work(...args); };
  seat.screen = new Screen(seat.glass, seat.id, {
    state: (text) => {
      if (text) showMessage(stateOf(seat) + text);
      else if (isScreenState(seat, $("message").textContent)) showMessage("");
    },
    act: toAct((name, from, to) => inTurn(() => gesture(name, from, to))),
    text: toAct((more) => type(more)),
    key: toAct((name) => inTurn(() => key(name))),
    copy: () => { choose(seat); inTurn(copyText); },
    cut: (from, to) => { choose(seat); cut.take(from, to).catch((e) => showMessage(e.message)); },
    pin: (place) => pin(point(place), seat).catch((e) => showMessage(e.message)),
    hover: (p) => hover(seat, p),
  });
}

// run runs steps of the test and marks those that have ended.
async function run(fromLine, toLine) {
  if (!socket || running) return;
  for (const seat of seats) await inTurn(flush, seat);
  pages.stopRefreshing(); // tabs that the run opens must not be recorded
  editor.clearMarks();
  showOutcome("Running…");
  $("stop").disabled = false;
  running = number + 1;
  const m = await send({ run: {
    yaml: editor.text, fromLine, toLine, vars: editor.secrets, preferId: $("prefer").checked, file: filePath(),
  } });
  running = 0;
  if (now) editor.mark(now, { result: "fail" }); // the run ended during this step
  now = 0;
  $("stop").disabled = true;
  for (const seat of seats) seat.elements = [];
  const failed = m.outcome?.message === "stopped" ? "Stopped" : "Failed";
  const passed = m.outcome?.passed && `Passed in ${(m.outcome.duration_ms / 1000).toFixed(1)} s`;
  showOutcome(m.error ? m.error.message : passed || failed);
  $("outcome").dataset.passed = String(Boolean(m.outcome?.passed));
}

let now = 0; // the line of the running step

// showStep marks the running step, and the result of a step that has ended.
function showStep(step) {
  if (!step.result) {
    now = step.line;
    return editor.mark(now, { result: "now" });
  }
  now = 0;
  const { line } = step, took = `${(step.duration_ms / 1000).toFixed(1)} s`;
  editor.mark(line, { result: step.result === "pass" || step.result === "skipped" ? "pass" : "fail", took });
  const seat = seats.find((s) => s.name === step.device) ?? seats[0];
  seat.screen.next(600).then((image) => image && editor.mark(line, { image: URL.createObjectURL(image) }));
  showOutcome(`Running… line ${line} took ${took}`);
  if (!step.message) return;
  const near = (step.repairs?.length ? [] : step.candidates || []).map((c) => ({ line, text: "near: " + c }));
  const repairs = (step.repairs || []).map((r) => ({ line, text: `use instead: ${r.line}`, fix: r.line }));
  editor.showResults([{ line, text: step.message }, ...near, ...repairs]);
}

const on = (id, event, work) => $(id)?.addEventListener(event, (e) => { e.preventDefault(); work(e); });
const toggle = (id, set) => on(id, "click", () => {
  const now = $(id).getAttribute("aria-pressed") !== "true";
  $(id).setAttribute("aria-pressed", String(now));
  set(now);
});

toggle("point", (now) => {
  for (const { screen } of seats) {
    screen.pointing = now;
    if (!now) screen.mark("over", []);
  }
  document.body.classList.toggle("pointed", now);
  if (now) readElements();
});
toggle("cut", (now) => {
  for (const { screen } of seats) {
    screen.cutting = now;
    if (!now) screen.mark("cut", []);
  }
  document.body.classList.toggle("pointed", now || shown.screen.pointing);
});
for (const button of document.querySelectorAll("[data-choose]")) {
  button.addEventListener("click", () => choose(seats.find((s) => s.name === button.dataset.choose)));
}
on("retry", "click", () => connect());
on("take", "click", () => connect(true));
on("typing", "submit", () => { type($("text").value); $("text").value = ""; inTurn(flush); });
on("launching", "submit", () => inTurn(() => launch($("what").value)));
on("finding", "submit", async () => {
  try {
    const seat = shown;
    seat.screen.mark("found", showFound((await inspect({ selector: $("selector").value }, seat)).found));
  } catch (e) {
    showMessage(e.message);
  }
});
$("tree").addEventListener("toggle", () => { if ($("tree").open) readElements(); });
for (const button of document.querySelectorAll("[data-do]")) {
  button.addEventListener("click", () => inTurn(async () => {
    await flush();
    const action = JSON.parse(button.dataset.do), [name, value] = Object.entries(action)[0];
    if (await act(action) && recording.on) append(`${name}: ${value.to ? `{to: ${value.to}}` : value}`);
  }));
}
on("run-all", "click", () => run(0, 0));
on("run-to", "click", () => run(0, editor.line));
on("run-from", "click", () => run(editor.line, 0));
on("run-one", "click", () => run(editor.line, editor.line));
on("stop", "click", () => { if (running) socket?.send(JSON.stringify({ id: ++number, stop: running })); });
on("copy", "click", () => navigator.clipboard.writeText(editor.text)
  .then(() => showOutcome("Copied"), () => showOutcome("The browser does not allow it")));
on("save-screenshot", "click", () => {
  const link = document.createElement("a");
  shown.screen.canvas.toBlob((blob) => {
    link.href = URL.createObjectURL(blob);
    link.download = `${shown.id}.png`;
    link.click();
    URL.revokeObjectURL(link.href);
  });
});
let overwrite = false; // the user has been warned that the file has changed on disk
on("saving", "submit", async () => {
  try {
    const done = await editor.save($("file").value, overwrite);
    overwrite = !done;
    if (done) $("stale").hidden = true;
    const changed = "The file has changed on disk meanwhile. Save once more to overwrite it.";
    showOutcome(done ? `Saved ${$("file").value}` : changed);
  } catch (e) {
    showOutcome(e.message);
  }
});

// Checks the file regularly, so that the user learns of another editor's changes before overwriting them.
async function watchFile() {
  if (document.hidden) return;
  try {
    $("stale").hidden = !(await editor.stale($("file").value.trim()));
  } catch {
    // the live screen shows that the server does not respond
  }
}
if (saves === "true") {
  setInterval(watchFile, 3000);
  window.addEventListener("focus", watchFile);
}
on("reload", "click", () => editor.open($("file").value.trim())
  .then(() => { $("stale").hidden = true; }, (e) => showOutcome(e.message)));

// labels returns the labels of the elements on the screen.
async function labels() {
  try {
    const found = await inspect({}, shown);
    const all = (found.elements || []).map((e) => /"([^"]+)"/.exec(e.words)?.[1]);
    return [...new Set(all.filter(Boolean))].slice(0, 200);
  } catch {
    return [];
  }
}

// copyText copies the selection on the page, or else the text of the pinned element, to this machine's clipboard.
async function copyText() {
  let found = "";
  if (at.platform === "web") {
    const script = `() => {
      const e = document.activeElement;
      const hasSelection = e && e.type !== "password" && e.selectionStart < e.selectionEnd;
      return String(getSelection()) || (hasSelection ? e.value.slice(e.selectionStart, e.selectionEnd) : "");
    }`;
    found = (await send({ device: at.name, do: { webEval: { script } } })).outcome?.value || "";
  }
  const { text, description } = at.pinned?.attributes || {};
  found ||= text || description || /"(.*)"/.exec(at.pinned?.words)?.[1] || "";
  if (!found) return showMessage("Point at an element first: its text is copied.");
  await navigator.clipboard.writeText(found)
    .then(() => showMessage(`Copied: ${found}`), () => showMessage(`The browser does not allow to copy: ${found}`));
}

// addFile installs an app, or adds an image or a video to the gallery.
async function addFile(file) {
  if (!canAct || at.platform === "web") {
    return showMessage("Only phones accept files. To upload a file to a page, click its file field.");
  }
  const app = /\.(apk|ipa)$/i.test(file.name), form = new FormData();
  form.append(app ? "app" : "media", file, file.name);
  showMessage(`${file.name}: sending…`);
  const upload = { method: "POST", headers: { "X-Lease": lease }, body: form };
  const answer = await fetch(`${at.url}/${app ? "apps" : "media"}`, upload);
  if (!answer.ok) return showMessage(`${file.name}: ${(await answer.json()).message}`);
  showMessage(app ? `${file.name} is installed.` : `${file.name} is in the gallery.`);
  if (!recording.on) return;
  const beside = filePath();
  if (saves !== "true" || !beside) {
    return showMessage(`${file.name} is on the device. Name the test's file, and do it again, to have it in the test.`);
  }
  const query = new URLSearchParams({ beside, name: file.name });
  const headers = { "Content-Type": "application/octet-stream" };
  const saved = await fetch(`/studio/attachment?${query}`, { method: "PUT", headers, body: file });
  if (!saved.ok) return showMessage(await saved.text());
  const { name } = await saved.json();
  append(app ? `install: ${quoted(name)}` : `addMedia: [${quoted(name)}]`);
}
const addFiles = (files, seat) => { for (const file of files) inTurn(() => addFile(file), seat); };
for (const seat of seats) seat.screen.receive((files) => { choose(seat); addFiles(files, seat); });
$("add-files")?.addEventListener("change", () => {
  addFiles([...$("add-files").files], shown);
  $("add-files").value = "";
});
on("copy-text", "click", () => inTurn(copyText));

// launch starts an app, or opens a page or a link.
async function launch(what) {
  const web = at.platform === "web";
  if (!web && /^[a-z][a-z0-9+.-]*:/i.test(what)) {
    if (await act({ openLink: { url: literal(what) } }) && recording.on) append(`openLink: ${quoted(what)}`);
    return;
  }
  const browser = web && editor.browserOf(at.name); // of its entry in the test
  const page = { url: what, ...(browser && { browser }) };
  const open = web ? { openBrowser: page } : { launch: { package: what, force: true } };
  const line = web ? `openBrowser: {url: ${JSON.stringify(what)}}` : `launch: {package: ${what}, force: true}`;
  if (await act(open) && recording.on) append(line);
}

// Shows the log of a device while its pane is open.
let log = null; // ends the log that is shown
$("log").addEventListener("toggle", () => { if ($("log").open && !log) followLog(); });
async function followLog() {
  log?.abort();
  const own = new AbortController(), { signal } = own, pane = $("log").querySelector("pre");
  log = own;
  pane.textContent = "";
  const lines = [], show = () => { pane.textContent = lines.filter((l) => l.includes($("filter").value)).join("\n"); };
  $("filter").addEventListener("input", show, { signal });
  try {
    const answer = await fetch(shown.url + "/logs", { headers: leaseHeader(), signal });
    if (!answer.ok) throw new Error((await answer.json()).message);
    const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = "";;) {
      const { done, value } = await reader.read();
      if (done) break;
      const parts = (rest + value).split("\n");
      rest = parts.pop();
      lines.push(...parts);
      lines.splice(0, lines.length - 2000);
      show();
    }
  } catch (e) {
    if (signal.aborted) return; // the log of another device is shown
    lines.push(e.message);
    show();
  }
  if (log === own) log = null;
}

async function start() {
  for (const seat of seats) {
    seat.platform = (await request("", undefined, seat)).platform;
    if (seat.platform === "web") seat.screen.shape("wide"); // until the first frame
  }
  showChoice();
  if (saves === "true" && file) await editor.open(file);
}

start().catch((e) => showMessage(e.message)).then(() => connect());
for (const { screen } of seats) screen.watch();
