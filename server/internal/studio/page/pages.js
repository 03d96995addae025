// The controls of a page that are not part of its image: an open dialog, the tabs, lists, and requested files. The
// user's input is performed with the step that is recorded.
import { literal, quoted } from "./literal.js";

const $ = (id) => document.getElementById(id);
const tryMs = 3000; // for a selector that may not be unique

function button(text, work) {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", className: "tool", textContent: text });
  made.addEventListener("click", work);
  return made;
}

// flow writes a map of texts, numbers and lists of texts in YAML flow style.
function flow(map) {
  const list = (v) => `[${v.map(quoted).join(", ")}]`;
  const value = (v) => (Array.isArray(v) ? list(v) : typeof v === "string" ? quoted(v) : String(v));
  return `{${Object.entries(map).map(([key, v]) => `${key}: ${value(v)}`).join(", ")}}`;
}

const escaped = (v) => (Array.isArray(v) ? v.map(escaped) : typeof v === "string" ? literal(v) : v);
const escapedMap = (map) => Object.fromEntries(Object.entries(map).map(([key, v]) => [key, escaped(v)]));

export class Pages {
  // on: {inspect(body), act(step), run(step), recording(), append(line), replace(was, line), say(text),
  // inTurn(work, device), path(), device(), isShown(device)}; saves: files can be saved next to the test. device is the
  // one of the running action; each has its own tabs and dialog, and those of the shown one are shown.
  constructor(on, saves) {
    Object.assign(this, { on, saves, tapped: null, control: null, owner: undefined, waiting: [] });
    const onSubmit = (id, work) => $(id)?.addEventListener("submit", (e) => {
      e.preventDefault();
      on.inTurn(work, this.owner);
    });
    onSubmit("choosing", () => this.choose());
    onSubmit("uploading", () => this.upload());
    for (const id of ["choosing", "uploading"]) {
      $(id)?.querySelector("[data-cancel]").addEventListener("click", () => this.close());
    }
    for (const input of document.querySelectorAll("#upload-files")) input.closest("label").hidden = !saves;
  }

  // refresh reads the dialog and the tabs. It returns true while a dialog is open, which blocks all other actions.
  async refresh() {
    const device = this.on.device();
    let { state } = await this.on.inspect({ state: true });
    this.showDialog(state.dialog);
    if (state.dialog) return true;
    if (device.tabs && state.tabs.length > device.tabs && this.on.recording()) {
      for (let i = 0; i < 10 && !state.tabs.find((t) => t.front)?.title; i++) { // it is still loading
        await new Promise((done) => setTimeout(done, 200));
        ({ state } = await this.on.inspect({ state: true }));
        if (state.dialog) return void this.showDialog(state.dialog) || true;
      }
      device.tabs = state.tabs.length;
      await this.go(state.tabs.find((t) => t.front));
    }
    device.tabs = state.tabs.length;
    if (this.on.isShown(device)) this.list(state.tabs);
    if (state.filesAsked && this.tapped?.device === device) this.files(this.tapped.control, this.tapped.line);
    return false;
  }

  // later refreshes several times between the actions: a new tab may open some seconds after the action.
  later() {
    this.stopRefreshing();
    const device = this.on.device(), refresh = () => this.on.inTurn(() => this.refresh(), device);
    this.waiting = [0, 500, 1500, 4000, 10000].map((ms) => setTimeout(refresh, ms));
  }

  // stopRefreshing cancels the refreshes until the next action.
  stopRefreshing() { for (const old of this.waiting.splice(0)) clearTimeout(old); }

  // hide hides what belongs to a page.
  hide() { $("dialog").hidden = $("tabs").hidden = true; }

  // showDialog shows the dialog of a page.
  showDialog(dialog, device = this.on.device()) {
    if (!this.on.isShown(device)) return;
    const pane = $("dialog");
    pane.hidden = !dialog;
    if (!dialog) return;
    pane.querySelector("p").textContent = `Dialog of the page: ${dialog.text}`;
    const field = pane.querySelector("label"), text = field.querySelector("input");
    field.hidden = !dialog.field;
    const answer = (yes) => this.on.inTurn(async () => {
      const typed = dialog.field && yes && text.value ? { text: text.value } : {};
      const how = { answer: yes ? "accept" : "dismiss", ...typed };
      if (!(await this.on.act({ alert: escapedMap(how) }, true))) return;
      pane.hidden = true;
      text.value = "";
      if (this.on.recording()) this.on.append(typed.text ? `alert: ${flow(how)}` : `alert: ${how.answer}`);
    }, device);
    const label = (name, i) => name.trim() || (i === 0 ? "OK" : "Cancel");
    const buttons = dialog.buttons.map((name, i) => button(label(name, i), () => answer(i === 0)));
    pane.querySelector(".buttons").replaceChildren(...buttons);
  }

  // list shows the tabs, when there are several.
  list(tabs) {
    const bar = $("tabs");
    bar.hidden = tabs.length < 2;
    bar.replaceChildren(...tabs.map((tab) => {
      const made = button(tab.title?.trim() || tab.url || "Untitled tab", () => this.on.inTurn(() => this.go(tab)));
      if (tab.front) made.setAttribute("aria-current", "true");
      return made;
    }));
    if (tabs.length > 1) bar.append(button("Close this tab", () => this.on.inTurn(() => this.closeTab())));
  }

  // go switches to a tab by the first of its steps that works.
  async go(tab) {
    for (const step of tab?.steps || []) {
      const [name, args] = Object.entries(step.do)[0];
      if (!(await this.on.act({ [name]: { ...args, timeoutMs: tryMs } }, true))) continue;
      if (this.on.recording()) this.on.append(step.line);
      return this.later();
    }
  }

  async closeTab() {
    if (!(await this.on.act({ webPage: { close: true } }, true))) return;
    this.on.device().tabs--;
    if (this.on.recording()) this.on.append("webTab: {close: true}");
    this.later();
  }

  // prompts reports whether a control needs more than a tap, and shows the form for it.
  prompts(control) {
    this.close();
    this.tapped = null;
    if (control?.kind === "select") this.options(control);
    else if (control?.kind === "files") this.files(control);
    return Boolean(control?.kind);
  }

  // tap remembers what was tapped: it may open a file chooser.
  tap(control, line) { this.tapped = control ? { control, line, device: this.on.device() } : null; }

  close() {
    this.control = null;
    for (const id of ["choosing", "uploading"]) if ($(id)) $(id).hidden = true;
  }

  options(control) {
    Object.assign(this, { control, owner: this.on.device() });
    const list = $("choosing").querySelector("select");
    $("choosing").querySelector("span").textContent = control.name || "List";
    const option = (o) => new Option(o.label || o.value, String(o.index), false, o.chosen);
    list.replaceChildren(...control.options.map(option));
    $("choosing").hidden = false;
    list.focus();
  }

  async choose() {
    const { control } = this, { value } = $("choosing").querySelector("select");
    const chosen = control.options.find((o) => String(o.index) === value);
    if (!chosen) return;
    const isUnique = (key) => chosen[key] !== "" && control.options.filter((o) => o[key] === chosen[key]).length === 1;
    const key = isUnique("label") ? "label" : isUnique("value") ? "value" : "index";
    const option = { [key]: chosen[key] };
    await this.first(
      (args) => this.on.act({ webSelect: escapedMap({ ...args, ...option, timeoutMs: tryMs }) }),
      (args) => `webSelect: ${flow({ ...args, ...option })}`,
    );
  }

  files(control, instead) {
    Object.assign(this, { control, instead, owner: this.on.device() });
    this.tapped = null;
    const form = $("uploading");
    const what = control.multiple || !control.kind ? "files" : "a file";
    form.querySelector("p").textContent = `The page requests ${what}: ${control.name || "file field"}`;
    const input = $("upload-files");
    input.multiple = control.multiple || !control.kind;
    input.accept = control.accept || "";
    input.value = $("upload-names").value = "";
    form.hidden = false;
    (this.saves ? input : $("upload-names")).focus();
  }

  // upload saves the files next to the test, and uploads them to the page.
  async upload() {
    const { instead } = this, path = this.on.path(), chosen = [...$("upload-files").files];
    const files = $("upload-names").value.split(",").map((n) => n.trim()).filter(Boolean);
    if (chosen.length && !path) {
      return this.on.say("Name the test's file first: the uploaded files are saved next to it.");
    }
    for (const file of chosen) {
      const query = new URLSearchParams({ beside: path, name: file.name });
      const headers = { "Content-Type": "application/octet-stream" };
      const answer = await fetch(`/studio/attachment?${query}`, { method: "PUT", headers, body: file });
      if (!answer.ok) return this.on.say(await answer.text());
      files.push((await answer.json()).name);
    }
    if (!files.length) return this.on.say("Choose a file, or name one.");
    await this.first(
      (args) => this.on.run(`webUpload: ${flow({ ...args, files, timeoutMs: tryMs })}`),
      (args) => `webUpload: ${flow({ ...args, files })}`,
      instead,
    );
  }

  // first performs a step with the first selector that works, and records it.
  async first(attempt, line, instead) {
    const { control } = this;
    for (const selector of control.selectors) {
      const args = control.frame ? { selector, frame: control.frame } : { selector };
      if (!(await attempt(args))) continue;
      this.close();
      if (this.on.recording()) instead ? this.on.replace(instead, line(args)) : this.on.append(line(args));
      return;
    }
  }
}
