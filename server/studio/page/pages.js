// What of a page lies beside its picture: the dialog that waits, the tabs, lists to choose from, and files that it asks
// for. Each answer is done by the step that is written down.
import { literal, quoted } from "./literal.js";

const $ = (id) => document.getElementById(id);
const tryMs = 3000; // for a selector that may be another element's, too

function button(text, work) {
  const made = document.createElement("button");
  Object.assign(made, { type: "button", className: "tool", textContent: text });
  made.addEventListener("click", work);
  return made;
}

// flow writes a map of texts, numbers and lists of texts in one line.
function flow(map) {
  const value = (v) => (Array.isArray(v) ? `[${v.map(quoted).join(", ")}]` : typeof v === "string" ? quoted(v) : String(v));
  return `{${Object.entries(map).map(([key, v]) => `${key}: ${value(v)}`).join(", ")}}`;
}

const escaped = (v) => (Array.isArray(v) ? v.map(escaped) : typeof v === "string" ? literal(v) : v);
const meant = (map) => Object.fromEntries(Object.entries(map).map(([key, v]) => [key, escaped(v)]));

export class Pages {
  // on: {inspect(body), act(doing), run(step), recording(), append(line), replace(was, line), say(text), turn(work),
  // path()}; saves: files can be put beside the test.
  constructor(on, saves) {
    Object.assign(this, { on, saves, count: 0, tapped: null, control: null, waiting: [] });
    $("choosing")?.addEventListener("submit", (e) => { e.preventDefault(); on.turn(() => this.choose()); });
    $("uploading")?.addEventListener("submit", (e) => { e.preventDefault(); on.turn(() => this.give()); });
    for (const id of ["choosing", "uploading"]) $(id)?.querySelector("[data-cancel]").addEventListener("click", () => this.close());
    for (const input of document.querySelectorAll("#upload-files")) input.closest("label").hidden = !saves;
  }

  // refresh asks what is open. True while a dialog waits: nothing else can be done on the page then.
  async refresh() {
    let { state } = await this.on.inspect({ state: true });
    this.ask(state.dialog);
    if (state.dialog) return true;
    if (this.count && state.tabs.length > this.count && this.on.recording()) {
      for (let i = 0; i < 10 && !state.tabs.find((t) => t.front)?.title; i++) { // it is still loading
        await new Promise((done) => setTimeout(done, 200));
        ({ state } = await this.on.inspect({ state: true }));
        if (state.dialog) return void this.ask(state.dialog) || true;
      }
      this.count = state.tabs.length;
      await this.go(state.tabs.find((t) => t.front));
    }
    this.count = state.tabs.length;
    this.list(state.tabs);
    if (state.filesAsked && this.tapped) this.files(this.tapped.control, this.tapped.line);
    return false;
  }

  // later asks in turn with the acts, at once and when what an act has begun may have come: a tab may take its time.
  later() {
    this.rest();
    this.waiting = [0, 500, 1500, 4000, 10000].map((ms) => setTimeout(() => this.on.turn(() => this.refresh()), ms));
  }

  // rest asks no more until the next act.
  rest() { for (const old of this.waiting.splice(0)) clearTimeout(old); }

  // ask shows the dialog of the page.
  ask(dialog) {
    const pane = $("dialog");
    pane.hidden = !dialog;
    if (!dialog) return;
    pane.querySelector("p").textContent = `The page asks: ${dialog.text}`;
    const field = pane.querySelector("label"), text = field.querySelector("input");
    field.hidden = !dialog.field;
    const answer = (yes) => this.on.turn(async () => {
      const typed = dialog.field && yes && text.value ? { text: text.value } : {};
      const how = { answer: yes ? "accept" : "dismiss", ...typed };
      if (!(await this.on.act({ alert: meant(how) }, true))) return;
      pane.hidden = true;
      text.value = "";
      if (this.on.recording()) this.on.append(typed.text ? `alert: ${flow(how)}` : `alert: ${how.answer}`);
    });
    pane.querySelector(".buttons").replaceChildren(...dialog.buttons.map((name, i) => button(name.trim() || (i === 0 ? "OK" : "Cancel"), () => answer(i === 0))));
  }

  // list shows the tabs, when there are several.
  list(tabs) {
    const bar = $("tabs");
    bar.hidden = tabs.length < 2;
    bar.replaceChildren(...tabs.map((tab) => {
      const made = button(tab.title?.trim() || tab.url || "Untitled tab", () => this.on.turn(() => this.go(tab)));
      if (tab.front) made.setAttribute("aria-current", "true");
      return made;
    }));
    if (tabs.length > 1) bar.append(button("Close this tab", () => this.on.turn(() => this.shut())));
  }

  // go goes to a tab by the first of its steps that works.
  async go(tab) {
    for (const step of tab?.steps || []) {
      const [name, args] = Object.entries(step.do)[0];
      if (!(await this.on.act({ [name]: { ...args, timeoutMs: tryMs } }, true))) continue;
      if (this.on.recording()) this.on.append(step.line);
      return this.later();
    }
  }

  async shut() {
    if (!(await this.on.act({ webPage: { close: true } }, true))) return;
    this.count--;
    if (this.on.recording()) this.on.append("webPage: {close: true}");
    this.later();
  }

  // takes tells whether a place of the page takes more than a tap, and asks the person for it.
  takes(control) {
    this.close();
    this.tapped = null;
    if (control?.kind === "select") this.options(control);
    else if (control?.kind === "files") this.files(control);
    return Boolean(control?.kind);
  }

  // tap remembers what was tapped: it may open a choice of files.
  tap(control, line) { this.tapped = control ? { control, line } : null; }

  close() {
    this.control = null;
    for (const id of ["choosing", "uploading"]) if ($(id)) $(id).hidden = true;
  }

  options(control) {
    this.control = control;
    const list = $("choosing").querySelector("select");
    $("choosing").querySelector("span").textContent = control.name || "List";
    list.replaceChildren(...control.options.map((o) => new Option(o.label || o.value, String(o.index), false, o.chosen)));
    $("choosing").hidden = false;
    list.focus();
  }

  async choose() {
    const { control } = this, chosen = control.options.find((o) => String(o.index) === $("choosing").querySelector("select").value);
    if (!chosen) return;
    const alone = (key) => chosen[key] !== "" && control.options.filter((o) => o[key] === chosen[key]).length === 1;
    const which = alone("label") ? { label: chosen.label } : alone("value") ? { value: chosen.value } : { index: chosen.index };
    await this.first((args) => this.on.act({ webSelect: meant({ ...args, ...which, timeoutMs: tryMs }) }), (args) => `webSelect: ${flow({ ...args, ...which })}`);
  }

  files(control, instead) {
    Object.assign(this, { control, instead });
    this.tapped = null;
    const form = $("uploading");
    form.querySelector("p").textContent = `The page asks for ${control.multiple || !control.kind ? "files" : "a file"}: ${control.name || "file field"}`;
    const input = $("upload-files");
    input.multiple = control.multiple || !control.kind;
    input.accept = control.accept || "";
    input.value = $("upload-names").value = "";
    form.hidden = false;
    (this.saves ? input : $("upload-names")).focus();
  }

  // give puts the files beside the test, and gives them to the page.
  async give() {
    const { instead } = this, path = this.on.path(), chosen = [...$("upload-files").files];
    const files = $("upload-names").value.split(",").map((n) => n.trim()).filter(Boolean);
    if (chosen.length && !path) return this.on.say("Name the test's file first: what it uploads lies beside it.");
    for (const file of chosen) {
      const answer = await fetch(`/studio/attachment?${new URLSearchParams({ beside: path, name: file.name })}`, { method: "PUT", headers: { "Content-Type": "application/octet-stream" }, body: file });
      if (!answer.ok) return this.on.say(await answer.text());
      files.push((await answer.json()).name);
    }
    if (!files.length) return this.on.say("Choose a file, or name one.");
    await this.first((args) => this.on.run(`webUpload: ${flow({ ...args, files, timeoutMs: tryMs })}`), (args) => `webUpload: ${flow({ ...args, files })}`, instead);
  }

  // first does a thing by the first selector that works, and writes the step down.
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
