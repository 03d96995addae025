// Studio's page of one device: the live screen, actions, element details, recording and running a test.
import { Screen } from "./screen.js";
import { Editor } from "./editor.ts";
import { Pages } from "./pages.js";
import { Cut } from "./cut.js";
import { literal, quoted } from "./literal.js";
import { showElement, showFound, showTree } from "./point.js";
import { Recording } from "./recording.js";

const $ = (id) => document.getElementById(id);
const { device, acts, saves, file, api } = document.body.dataset;
const deviceUrl = `${api}/devices/${encodeURIComponent(device)}`;
const canAct = acts === "true";
const typeMs = 350;
const dialogOpen = "The page shows a dialog: answer it first, below the screen.";

let first = new URLSearchParams(location.search).get("open"); // URL of the first page
let platform = "android", socket = null, lease = "", elements = [], pinned = null;
const waiting = new Map(), editor = new Editor(() => `id: recorded\nplatform: ${platform}\nsteps:`, labels, [
  { key: "Mod-s", run: () => { $("saving")?.requestSubmit(); return true; }, preventDefault: true },
  { key: "Mod-Enter", run: () => { run(0, 0); return true; } },
  { key: "Mod-Shift-Enter", run: () => { run(editor.line, editor.line); return true; } },
]);
let number = 0, running = 0, buffer = "", typing = 0, queue = Promise.resolve();

const recording = new Recording();
const showMessage = (text) => { $("message").textContent = text; };
const showOutcome = (text) => { $("outcome").textContent = text; };

async function request(path, body) {
  const headers = { "Content-Type": "application/json" };
  const options = body === undefined ? {} : { method: "POST", headers, body: JSON.stringify(body) };
  const answer = await fetch(deviceUrl + path, options);
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.message);
  return found;
}

// connect leases the device by a WebSocket; if that fails, it shows who has the device.
async function connect(take) {
  if (!canAct) return void ($("holder").textContent = "You may watch, not act.");
  $("retry").hidden = $("take").hidden = true;
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  const s = new WebSocket(`${scheme}://${location.host}${deviceUrl}/input${take === true ? "?take=true" : ""}`);
  let open = false;
  s.addEventListener("message", (e) => {
    const m = JSON.parse(e.data);
    if (m.lease) {
      [open, socket, lease] = [true, s, m.lease];
      document.body.dataset.connected = "true";
      recording.ready();
      $("holder").textContent = "You have the device. Others can watch.";
      if (!first) return;
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
    recording.wait("you do not have the device");
    for (const done of waiting.values()) done({ error: { message: "the connection to the server was lost" } });
    waiting.clear();
    $("retry").hidden = false;
    if (open) $("holder").textContent = `You do not have the device any more. ${e.reason}`;
    const now = await leaseText(); // also shows the button to take it over
    if (!open) $("holder").textContent = now;
  });
}

// leaseText describes who has the device, and shows the button to take it over if that is possible.
async function leaseText() {
  try {
    const l = await request("/lease");
    $("take").hidden = !l.mine;
    const since = new Date(l.since).toLocaleTimeString();
    if (l.leased) return `${l.holder} has the device since ${since}. You can watch, and try again later.`;
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
  if (platform === "web" && !isPageControl && (await pages.refresh())) {
    showMessage(dialogOpen);
    return false;
  }
  showMessage("…");
  const m = await send({ do: action });
  const problem = m.error?.message || (m.outcome?.passed === false && (m.outcome.message || "it does not hold"));
  showMessage(problem || "");
  elements = [];
  if (!problem && ($("tree").open || screen.pointing)) readElements();
  if (platform === "web" && !isPageControl) pages.later();
  return !problem;
}

// runOnce performs a step like a test in the folder of the file. It returns true when the step passed.
async function runOnce(step) {
  const yaml = `id: once\nplatform: ${platform}\nsteps:\n  - ${step}\n`;
  const m = await send({ run: { yaml, file: filePath() } });
  const problem = m.error?.message || (m.outcome.passed ? "" : m.outcome.message);
  showMessage(problem);
  return !problem;
}

// inTurn performs actions one after the other, in their order.
function inTurn(work) {
  queue = queue.then(work).catch((e) => showMessage(e.message));
  return queue;
}

const point = (p) => `${p.x.toFixed(2)}%,${p.y.toFixed(2)}%`;
const inspect = (body) => request("/inspect", { preferId: $("prefer").checked, ...body });

// gesture performs one gesture of the pointer. While recording, it uses the best selector of the element, so that the
// recorded step is the performed one.
async function gesture(name, from, to) {
  await flush();
  if (name === "scroll") {
    if (await act({ scroll: from }) && recording.on) editor.append(`scroll: ${from}`);
    return;
  }
  if (name.startsWith("pinch")) {
    const pinch = { direction: name === "pinchOpen" ? "open" : "close" };
    if (await act({ pinch }) && recording.on) editor.append(`pinch: {direction: ${pinch.direction}}`);
    return;
  }
  if (to && name === "drag" && recording.on && await dragged(from, to)) return;
  if (to) {
    const [a, b] = [point(from), point(to)];
    const action = name === "drag" ? { drag: { from: { point: a }, to: { point: b } } } : { swipe: { from: a, to: b } };
    const drag = `drag: {from: {point: "${a}"}, to: {point: "${b}"}}`;
    const line = name === "drag" ? drag : `swipe: {from: "${a}", to: "${b}"}`;
    if (await act(action) && recording.on) editor.append(line);
    return;
  }
  const controls = platform === "web" && name === "tap";
  if (controls && (await pages.refresh())) return showMessage(dialogOpen);
  if (!recording.on && !controls) return act({ [name]: { point: point(from) } });
  const found = await inspect({ point: point(from), controls });
  if (controls && pages.prompts(found.control)) return;
  if (!recording.on) return act({ [name]: { point: point(from) } });
  pinned = found.element || null;
  showElement(pinned, chosen);
  screen.mark("pinned", pinned ? [pinned.box] : []);
  const byPoint = { do: { [name]: { point: point(from) } }, line: `${name}: {point: "${point(from)}"}` };
  const step = pinned?.selectors.find((s) => s.picks)?.steps[name] || byPoint;
  if (!(await act(step.do))) return;
  editor.append(step.line);
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
    editor.append(`drag: {from: ${a.yaml}, to: ${b.yaml}}`);
  }
  return true;
}

// type collects typed text, and sends it when there is a pause.
function type(more) {
  buffer += more;
  clearTimeout(typing);
  typing = setTimeout(() => inTurn(flush), typeMs);
}

async function flush() {
  clearTimeout(typing);
  const typed = buffer;
  buffer = "";
  if (!typed) return;
  if (await act({ input: literal(typed) }) && recording.on) editor.type(typed, pinned?.password);
}

async function key(name) {
  await flush();
  if (!(await act(name === "backspace" ? { erase: 1 } : { press: name })) || !recording.on) return;
  if (name === "backspace" && editor.erase()) return;
  editor.append(name === "backspace" ? "erase: 1" : `press: ${name}`);
}

// chosen performs a step from the menu of an element, and adds it to the test if it passes.
function chosen(name, step) {
  inTurn(async () => {
    if (await act(step.do)) editor.append(step.line);
  });
}

// readElements reads the elements for the tree and for the highlight below the pointer.
async function readElements() {
  try {
    const found = await inspect({});
    if (found.state?.dialog) return pages.showDialog(found.state.dialog);
    elements = found.elements || [];
    const middle = ({ box }) => `${box.left + Math.floor(box.width / 2)},${box.top + Math.floor(box.height / 2)}`;
    showTree(elements, (e) => screen.mark("over", [e.box]), (e) => pin(middle(e)));
  } catch (e) {
    showMessage(e.message);
  }
}

async function pin(place) {
  const found = await inspect({ point: place });
  pinned = found.element || null;
  showElement(pinned, canAct && chosen);
  screen.mark("pinned", pinned ? [pinned.box] : []);
}

const filePath = () => $("file")?.value.trim() || "";
const append = (line) => editor.append(line);
const replace = (was, line) => editor.replace(was, line);
const leaseHeader = () => (lease ? { "X-Lease": lease } : {});

const pages = new Pages({
  inspect, act, say: showMessage, inTurn, run: runOnce, recording: () => recording.on, append, replace, path: filePath,
}, saves === "true");

const cut = new Cut({
  deviceUrl, lease: leaseHeader, inspect, say: showMessage, inTurn, run: runOnce, append, path: filePath,
}, saves === "true");

// isScreenState reports whether a message describes the state of the live screen.
const isScreenState = (text) => ["No image", "Waiting", "The device was"].some((start) => text.startsWith(start));

const screen = new Screen($("live-screen"), $("boxes"), device, {
  state: (text) => { if (text || isScreenState($("message").textContent)) showMessage(text); },
  act: (name, from, to) => canAct && inTurn(() => gesture(name, from, to)),
  text: (more) => canAct && type(more),
  key: (name) => canAct && inTurn(() => key(name)),
  copy: () => inTurn(copyText),
  cut: (from, to) => cut.take(from, to).catch((e) => showMessage(e.message)),
  pin: (place) => pin(point(place)).catch((e) => showMessage(e.message)),
  hover: (p) => {
    if (!screen.pointing) return;
    const [x, y] = [(p.x * screen.width) / 100, (p.y * screen.height) / 100];
    const over = elements.filter(({ box }) =>
      box.left <= x && x < box.left + box.width && box.top <= y && y < box.top + box.height);
    over.sort((a, b) => a.box.width * a.box.height - b.box.width * b.box.height);
    screen.mark("over", over.slice(0, 1).map((e) => e.box));
    if (over[0]) showMessage(over[0].words);
  },
});

// run runs steps of the test and marks those that have ended.
async function run(fromLine, toLine) {
  if (!socket || running) return;
  await inTurn(flush);
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
  elements = [];
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
  screen.next(600).then((image) => image && editor.mark(line, { image: URL.createObjectURL(image) }));
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
  screen.pointing = now;
  document.body.classList.toggle("pointed", now);
  if (now) readElements();
  else screen.mark("over", []);
});
toggle("cut", (now) => {
  screen.cutting = now;
  document.body.classList.toggle("pointed", now || screen.pointing);
  if (!now) screen.mark("cut", []);
});
on("retry", "click", () => connect());
on("take", "click", () => connect(true));
on("typing", "submit", () => { type($("text").value); $("text").value = ""; inTurn(flush); });
on("launching", "submit", () => inTurn(() => launch($("what").value)));
on("finding", "submit", async () => {
  try {
    screen.mark("found", showFound((await inspect({ selector: $("selector").value })).found));
  } catch (e) {
    showMessage(e.message);
  }
});
$("tree").addEventListener("toggle", () => { if ($("tree").open) readElements(); });
for (const button of document.querySelectorAll("[data-do]")) {
  button.addEventListener("click", () => inTurn(async () => {
    await flush();
    const action = JSON.parse(button.dataset.do), [name, value] = Object.entries(action)[0];
    if (await act(action) && recording.on) editor.append(`${name}: ${value.to ? `{to: ${value.to}}` : value}`);
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
  $("live-screen").toBlob((blob) => {
    link.href = URL.createObjectURL(blob);
    link.download = `${device}.png`;
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
    const found = await inspect({});
    const all = (found.elements || []).map((e) => /"([^"]+)"/.exec(e.words)?.[1]);
    return [...new Set(all.filter(Boolean))].slice(0, 200);
  } catch {
    return [];
  }
}

// copyText copies the selection on the page, or else the text of the pinned element, to this machine's clipboard.
async function copyText() {
  let found = "";
  if (platform === "web") {
    const script = `() => {
      const e = document.activeElement;
      const hasSelection = e && e.type !== "password" && e.selectionStart < e.selectionEnd;
      return String(getSelection()) || (hasSelection ? e.value.slice(e.selectionStart, e.selectionEnd) : "");
    }`;
    found = (await send({ do: { webEval: { script } } })).outcome?.value || "";
  }
  const { text, description } = pinned?.attributes || {};
  found ||= text || description || /"(.*)"/.exec(pinned?.words)?.[1] || "";
  if (!found) return showMessage("Point at an element first: its text is copied.");
  await navigator.clipboard.writeText(found)
    .then(() => showMessage(`Copied: ${found}`), () => showMessage(`The browser does not allow to copy: ${found}`));
}

// addFile installs an app, or adds an image or a video to the gallery.
async function addFile(file) {
  if (!canAct || platform === "web") {
    return showMessage("Only phones accept files. To upload a file to a page, click its file field.");
  }
  const app = /\.(apk|ipa)$/i.test(file.name), form = new FormData();
  form.append(app ? "app" : "media", file, file.name);
  showMessage(`${file.name}: sending…`);
  const upload = { method: "POST", headers: { "X-Lease": lease }, body: form };
  const answer = await fetch(`${deviceUrl}/${app ? "apps" : "media"}`, upload);
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
  editor.append(app ? `install: ${quoted(name)}` : `addMedia: [${quoted(name)}]`);
}
const addFiles = (files) => { for (const file of files) inTurn(() => addFile(file)); };
screen.receive(addFiles);
$("add-files")?.addEventListener("change", () => { addFiles([...$("add-files").files]); $("add-files").value = ""; });
on("copy-text", "click", () => inTurn(copyText));

// launch starts an app, or opens a page or a link.
async function launch(what) {
  if (platform !== "web" && /^[a-z][a-z0-9+.-]*:/i.test(what)) {
    if (await act({ openLink: { url: literal(what) } }) && recording.on) editor.append(`openLink: ${quoted(what)}`);
    return;
  }
  const web = platform === "web";
  const open = web ? { openBrowser: { url: what } } : { launch: { package: what, force: true } };
  const line = web ? `openBrowser: {url: ${JSON.stringify(what)}}` : `launch: {package: ${what}, force: true}`;
  if (await act(open) && recording.on) editor.append(line);
}

// Shows the log while its pane is open.
$("log").addEventListener("toggle", async () => {
  const pane = $("log").querySelector("pre");
  if (!$("log").open || $("log").following) return;
  $("log").following = true;
  const lines = [], show = () => { pane.textContent = lines.filter((l) => l.includes($("filter").value)).join("\n"); };
  $("filter").addEventListener("input", show);
  try {
    const answer = await fetch(deviceUrl + "/logs", { headers: lease ? { "X-Lease": lease } : {} });
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
    lines.push(e.message);
    show();
  }
  $("log").following = false;
});

async function start() {
  platform = (await request("")).platform;
  document.body.dataset.platform = platform;
  if (platform === "web") document.body.dataset.shape = "wide"; // until the first frame
  for (const b of document.querySelectorAll(platform === "web" ? ".phone" : ".page")) b.hidden = true;
  if (platform === "web" && $("launch-label")) $("launch-label").textContent = "Open URL";
  if (saves === "true" && file) await editor.open(file);
}

start().catch((e) => showMessage(e.message)).then(() => connect());
screen.watch();
