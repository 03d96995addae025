// Studio's page of one device: what is seen, done, pointed at, recorded and run.
import { Screen } from "./screen.js";
import { Editor } from "./editor.ts";
import { Pages } from "./pages.js";
import { Cut } from "./cut.js";
import { literal, quoted } from "./literal.js";
import { showElement, showFound, showTree } from "./point.js";
import { Recording } from "./recording.js";

const $ = (id) => document.getElementById(id);
const { device, acts, saves, file, api } = document.body.dataset;
const at = `${api}/devices/${encodeURIComponent(device)}`;
const may = acts === "true";
const typeMs = 350;

let first = new URLSearchParams(location.search).get("open"); // an address to begin at
let platform = "android", socket = null, lease = "", elements = [], pinned = null;
const waiting = new Map(), editor = new Editor(() => `id: recorded\nplatform: ${platform}\nsteps:`, labels, [
  { key: "Mod-s", run: () => { $("saving")?.requestSubmit(); return true; }, preventDefault: true },
  { key: "Mod-Enter", run: () => { run(0, 0); return true; } },
  { key: "Mod-Shift-Enter", run: () => { run(editor.line, editor.line); return true; } },
]);
let number = 0, running = 0, buffer = "", typing = 0, queue = Promise.resolve();

const recording = new Recording();
const say = (text) => { $("said").textContent = text; };
const outcome = (text) => { $("outcome").textContent = text; };

async function ask(path, body) {
  const answer = await fetch(at + path, body === undefined ? {} : { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });
  const found = await answer.json();
  if (!answer.ok) throw new Error(found.message);
  return found;
}

// connect takes the device; who holds it already is told.
async function connect(take) {
  if (!may) return void ($("holder").textContent = "You may watch, not act.");
  $("retry").hidden = $("take").hidden = true;
  const s = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}${at}/input${take === true ? "?take=true" : ""}`);
  let open = false;
  s.addEventListener("message", (e) => {
    const m = JSON.parse(e.data);
    if (m.lease) {
      [open, socket, lease] = [true, s, m.lease];
      document.body.dataset.connected = "true";
      recording.ready();
      $("holder").textContent = "You have the device. Others can watch.";
      if (first) inTurn(() => { $("what").value = first; recording.set(true); return launch(first).finally(() => { first = ""; }); });
      return;
    }
    if (m.step) return void (m.id === running && stepTold(m.step));
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
    const now = await held(); // says whether it can be taken over, too
    if (!open) $("holder").textContent = now;
  });
}

async function held() {
  try {
    const l = await ask("/lease");
    $("take").hidden = !l.mine;
    if (l.held) return `${l.holder} has the device since ${new Date(l.since).toLocaleTimeString()}. You can watch, and try again later.`;
    return "The device is not yours: another run or program may be using it.";
  } catch (e) {
    return `The server does not answer: ${e.message}`;
  }
}

// send gives a message to the server; the answer comes when it is done.
function send(message) {
  if (!socket) return Promise.resolve({ error: { message: "you do not have the device" } });
  const id = ++number;
  return new Promise((done) => {
    waiting.set(id, done);
    socket.send(JSON.stringify({ id, ...message }));
  });
}

// act does one thing; what came of it is said. True when it went well.
async function act(doing, beside) {
  if (platform === "web" && !beside && (await pages.refresh())) {
    say("The page asks something: answer that first, below the picture.");
    return false;
  }
  say("…");
  const m = await send({ do: doing });
  const problem = m.error?.message || (m.outcome?.passed === false && (m.outcome.message || "it does not hold"));
  say(problem || "");
  elements = [];
  if (!problem && ($("tree").open || screen.pointing)) look();
  if (platform === "web" && !beside) pages.later();
  return !problem;
}

// once does a step as a test in the folder of the file does it. True when it went well.
async function once(step) {
  const m = await send({ run: { yaml: `id: once\nplatform: ${platform}\nsteps:\n  - ${step}\n`, file: $("file")?.value.trim() || "" } });
  const problem = m.error?.message || (m.outcome.passed ? "" : m.outcome.message);
  say(problem);
  return !problem;
}

// inTurn lets one act follow the other, as they were made.
function inTurn(work) {
  queue = queue.then(work).catch((e) => say(e.message));
  return queue;
}

const point = (p) => `${p.x.toFixed(2)}%,${p.y.toFixed(2)}%`;
const inspect = (body) => ask("/inspect", { preferId: $("prefer").checked, ...body });

// gesture is one act of the pointer. While recording, an element is acted on by its best selector: what is written is
// what was done.
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
    const doing = name === "drag" ? { drag: { from: { point: point(from) }, to: { point: point(to) } } } : { swipe: { from: point(from), to: point(to) } };
    const line = name === "drag" ? `drag: {from: {point: "${point(from)}"}, to: {point: "${point(to)}"}}` : `swipe: {from: "${point(from)}", to: "${point(to)}"}`;
    if (await act(doing) && recording.on) editor.append(line);
    return;
  }
  const controls = platform === "web" && name === "tap";
  if (controls && (await pages.refresh())) return say("The page asks something: answer that first, below the picture.");
  if (!recording.on && !controls) return act({ [name]: { point: point(from) } });
  const found = await inspect({ point: point(from), controls });
  if (controls && pages.takes(found.control)) return;
  if (!recording.on) return act({ [name]: { point: point(from) } });
  pinned = found.element || null;
  showElement(pinned, chosen);
  screen.mark("pinned", pinned ? [pinned.box] : []);
  const step = pinned?.selectors.find((s) => s.picks)?.steps[name] || { do: { [name]: { point: point(from) } }, line: `${name}: {point: "${point(from)}"}` };
  if (!(await act(step.do))) return;
  editor.append(step.line);
  if (controls) pages.tap(found.control, step.line);
}

// dragged drags one element onto another by their best selectors; false where they are one and the same, or none.
async function dragged(from, to) {
  const ends = [];
  for (const place of [from, to]) {
    const { element } = await inspect({ point: point(place) }), best = element?.selectors.find((s) => s.picks);
    if (!best || best.yaml.startsWith("{point:") || !best.steps.tap) return false;
    ends.push({ yaml: best.yaml.startsWith("{") ? best.yaml : `{label: ${best.yaml}}`, value: Object.values(best.steps.tap.do)[0], box: JSON.stringify(element.box) });
  }
  const [a, b] = ends, whole = (v) => (typeof v === "string" ? { label: v } : v);
  if (a.box === b.box) return false;
  if (await act({ drag: { from: whole(a.value), to: whole(b.value) } })) editor.append(`drag: {from: ${a.yaml}, to: ${b.yaml}}`);
  return true;
}

// text collects what is typed, and sends it when there is a pause.
function text(more) {
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

// chosen adds a step from the menu of an element, once it has been done.
function chosen(name, step) {
  inTurn(async () => {
    if (await act(step.do)) editor.append(step.line);
  });
}

// look reads the elements for the tree and for what lies under the pointer.
async function look() {
  try {
    const found = await inspect({});
    if (found.state?.dialog) return pages.ask(found.state.dialog);
    elements = found.elements || [];
    showTree(elements, (e) => screen.mark("over", [e.box]), (e) => pin(`${e.box.left + Math.floor(e.box.width / 2)},${e.box.top + Math.floor(e.box.height / 2)}`));
  } catch (e) {
    say(e.message);
  }
}

async function pin(place) {
  const found = await inspect({ point: place });
  pinned = found.element || null;
  showElement(pinned, may && chosen);
  screen.mark("pinned", pinned ? [pinned.box] : []);
}

const pages = new Pages({ inspect, act, say, turn: inTurn, run: once, recording: () => recording.on, append: (line) => editor.append(line), replace: (was, line) => editor.replace(was, line),
  path: () => $("file")?.value.trim() || "" }, saves === "true");

const cut = new Cut({ at, lease: () => (lease ? { "X-Lease": lease } : {}), inspect, say, turn: inTurn, run: once, append: (line) => editor.append(line), path: () => $("file")?.value.trim() || "" }, saves === "true");

const screen = new Screen($("picture-live"), $("boxes"), device, {
  state: (text) => { if (text || $("said").textContent.startsWith("No picture") || $("said").textContent.startsWith("Waiting") || $("said").textContent.startsWith("The device was")) say(text); },
  act: (name, from, to) => may && inTurn(() => gesture(name, from, to)),
  text: (more) => may && text(more),
  key: (name) => may && inTurn(() => key(name)),
  copy: () => inTurn(copyText),
  cut: (from, to) => cut.take(from, to).catch((e) => say(e.message)),
  pin: (place) => pin(point(place)).catch((e) => say(e.message)),
  hover: (p) => {
    if (!screen.pointing) return;
    const [x, y] = [(p.x * screen.width) / 100, (p.y * screen.height) / 100];
    const over = elements.filter((e) => e.box.left <= x && x < e.box.left + e.box.width && e.box.top <= y && y < e.box.top + e.box.height);
    over.sort((a, b) => a.box.width * a.box.height - b.box.width * b.box.height);
    screen.mark("over", over.slice(0, 1).map((e) => e.box));
    if (over[0]) say(over[0].words);
  },
});

// run performs steps of the test; those that ended are marked.
async function run(fromLine, toLine) {
  if (!socket || running) return;
  await inTurn(flush);
  pages.rest(); // the tabs that the run opens are steps already
  editor.begin();
  outcome("Running…");
  $("stop").disabled = false;
  running = number + 1;
  const m = await send({ run: { yaml: editor.text, fromLine, toLine, vars: editor.secrets, preferId: $("prefer").checked, file: $("file")?.value.trim() || "" } });
  running = 0;
  if (now) editor.mark(now, { verdict: "fail" }); // in the middle of which the run ended
  now = 0;
  $("stop").disabled = true;
  elements = [];
  outcome(m.error ? m.error.message : m.outcome.passed ? `Passed in ${(m.outcome.duration_ms / 1000).toFixed(1)} s` : m.outcome.message === "stopped" ? "Stopped" : "Failed");
  $("outcome").dataset.passed = String(Boolean(m.outcome?.passed));
}

let now = 0; // the line of the step that runs

// stepTold marks the step that runs, and what came of those that have ended.
function stepTold(step) {
  if (!step.verdict) {
    now = step.line;
    return editor.mark(now, { verdict: "now" });
  }
  now = 0;
  const { line } = step;
  editor.mark(line, { verdict: step.verdict === "pass" || step.verdict === "skipped" ? "pass" : "fail", took: `${(step.duration_ms / 1000).toFixed(1)} s` });
  screen.next(600).then((picture) => picture && editor.mark(line, { picture: URL.createObjectURL(picture) }));
  outcome(`Running… line ${line} took ${(step.duration_ms / 1000).toFixed(1)} s`);
  if (step.message) editor.tell([{ line: step.line, text: step.message }, ...(step.repairs?.length ? [] : step.candidates || []).map((c) => ({ line: step.line, text: "near: " + c })),
    ...(step.repairs || []).map((r) => ({ line: step.line, text: `use instead: ${r.line}`, fix: r.line }))]);
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
  if (now) look();
  else screen.mark("over", []);
});
toggle("cut", (now) => {
  screen.cutting = now;
  document.body.classList.toggle("pointed", now || screen.pointing);
  if (!now) screen.mark("cut", []);
});
on("retry", "click", () => connect());
on("take", "click", () => connect(true));
on("typing", "submit", () => { text($("text").value); $("text").value = ""; inTurn(flush); });
on("launching", "submit", () => inTurn(() => launch($("what").value)));
on("finding", "submit", async () => {
  try {
    screen.mark("found", showFound((await inspect({ selector: $("selector").value })).found));
  } catch (e) {
    say(e.message);
  }
});
$("tree").addEventListener("toggle", () => { if ($("tree").open) look(); });
for (const button of document.querySelectorAll("[data-do]")) {
  button.addEventListener("click", () => inTurn(async () => {
    await flush();
    const doing = JSON.parse(button.dataset.do), [name, value] = Object.entries(doing)[0];
    if (await act(doing) && recording.on) editor.append(`${name}: ${value.to ? `{to: ${value.to}}` : value}`);
  }));
}
on("run-all", "click", () => run(0, 0));
on("run-to", "click", () => run(0, editor.line));
on("run-from", "click", () => run(editor.line, 0));
on("run-one", "click", () => run(editor.line, editor.line));
on("stop", "click", () => { if (running) socket?.send(JSON.stringify({ id: ++number, stop: running })); });
on("copy", "click", () => navigator.clipboard.writeText(editor.text).then(() => outcome("Copied"), () => outcome("The browser does not allow it")));
on("picture", "click", () => {
  const link = document.createElement("a");
  $("picture-live").toBlob((blob) => {
    link.href = URL.createObjectURL(blob);
    link.download = `${device}.png`;
    link.click();
    URL.revokeObjectURL(link.href);
  });
});
let asked = false; // whether to write over what changed on disk
on("saving", "submit", async () => {
  try {
    const done = await editor.save($("file").value, asked);
    asked = !done;
    if (done) $("stale").hidden = true;
    outcome(done ? `Saved ${$("file").value}` : "The file has changed on disk meanwhile. Save once more to write over it.");
  } catch (e) {
    outcome(e.message);
  }
});

// The file is looked at now and then, so that what another editor has saved is known before it is written over.
async function watchFile() {
  if (document.hidden) return;
  try {
    $("stale").hidden = !(await editor.stale($("file").value.trim()));
  } catch {
    // the server is away, which the picture tells
  }
}
if (saves === "true") {
  setInterval(watchFile, 3000);
  window.addEventListener("focus", watchFile);
}
on("reload", "click", () => editor.open($("file").value.trim()).then(() => { $("stale").hidden = true; }, (e) => outcome(e.message)));

// labels are the texts by which elements on the screen are known.
async function labels() {
  try {
    const found = await inspect({});
    return [...new Set((found.elements || []).map((e) => /"([^"]+)"/.exec(e.words)?.[1]).filter(Boolean))].slice(0, 200);
  } catch {
    return [];
  }
}

// copyText puts what is chosen on the page, or else the text of the pinned element, on this machine's clipboard.
async function copyText() {
  let found = "";
  if (platform === "web") {
    const script = `() => { const e = document.activeElement; return String(getSelection()) || (e && e.type !== "password" && e.selectionStart < e.selectionEnd ? e.value.slice(e.selectionStart, e.selectionEnd) : ""); }`;
    found = (await send({ do: { webEval: { script } } })).outcome?.value || "";
  }
  const { text, description } = pinned?.attributes || {};
  found ||= text || description || /"(.*)"/.exec(pinned?.words)?.[1] || "";
  if (!found) return say("Point at an element first: its text is copied.");
  await navigator.clipboard.writeText(found).then(() => say(`Copied: ${found}`), () => say(`The browser does not allow to copy: ${found}`));
}

// gift installs apps, and adds pictures and films to the gallery.
async function gift(file) {
  if (!may || platform === "web") return say("Files go to a phone. A page asks for them when its field for files is clicked.");
  const app = /\.(apk|ipa)$/i.test(file.name), form = new FormData();
  form.append(app ? "app" : "media", file, file.name);
  say(`${file.name}: sending…`);
  const answer = await fetch(`${at}/${app ? "apps" : "media"}`, { method: "POST", headers: { "X-Lease": lease }, body: form });
  if (!answer.ok) return say(`${file.name}: ${(await answer.json()).message}`);
  say(app ? `${file.name} is installed.` : `${file.name} is in the gallery.`);
  if (!recording.on) return;
  const beside = $("file")?.value.trim();
  if (saves !== "true" || !beside) return say(`${file.name} is on the device. Name the test's file, and do it again, to have it in the test.`);
  const kept = await fetch(`/studio/attachment?${new URLSearchParams({ beside, name: file.name })}`, { method: "PUT", headers: { "Content-Type": "application/octet-stream" }, body: file });
  if (!kept.ok) return say(await kept.text());
  const { name } = await kept.json();
  editor.append(app ? `install: ${quoted(name)}` : `addMedia: [${quoted(name)}]`);
}
const gifts = (files) => { for (const file of files) inTurn(() => gift(file)); };
screen.receive(gifts);
$("gift")?.addEventListener("change", () => { gifts([...$("gift").files]); $("gift").value = ""; });
on("copy-text", "click", () => inTurn(copyText));

// launch starts an app, or opens a page or a link.
async function launch(what) {
  if (platform !== "web" && /^[a-z][a-z0-9+.-]*:/i.test(what)) {
    if (await act({ openLink: { url: literal(what) } }) && recording.on) editor.append(`openLink: ${quoted(what)}`);
    return;
  }
  const web = platform === "web", open = web ? { openBrowser: { url: what } } : { launch: { package: what, force: true } };
  if (await act(open) && recording.on) editor.append(web ? `openBrowser: {url: ${JSON.stringify(what)}}` : `launch: {package: ${what}, force: true}`);
}

// follow copies the log while its pane is open.
$("log").addEventListener("toggle", async () => {
  const pane = $("log").querySelector("pre");
  if (!$("log").open || $("log").following) return;
  $("log").following = true;
  const lines = [], show = () => { pane.textContent = lines.filter((l) => l.includes($("filter").value)).join("\n"); };
  $("filter").addEventListener("input", show);
  try {
    const answer = await fetch(at + "/logs", { headers: lease ? { "X-Lease": lease } : {} });
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

async function begin() {
  platform = (await ask("")).platform;
  document.body.dataset.platform = platform;
  if (platform === "web") document.body.dataset.shape = "wide"; // until the first frame
  for (const b of document.querySelectorAll(platform === "web" ? ".phone" : ".page")) b.hidden = true;
  if (platform === "web" && $("launch-label")) $("launch-label").textContent = "Open address";
  if (saves === "true" && file) await editor.open(file);
}

begin().catch((e) => say(e.message)).then(() => connect());
screen.watch();
