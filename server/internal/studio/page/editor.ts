// The edited test: its text, its errors, the results of its steps, and its file.
import type { KeyBinding } from "@codemirror/view";
import { quoted } from "./literal.js";
import { TextView, type Mark, type Wrong } from "./view.ts";

const $ = (id: string) => document.getElementById(id)!;

type Result = Wrong;
interface Typed { text: string; name: string; device: string }
interface Problem { line?: number; column?: number; message: string; hint?: string; fix?: string }
interface TestFile { path: string; text: string; sum: string }

// item is how a step starts on a line of its own; device: it is in an on for one device.
const item = (device: string) => (device ? "\n        - " : "\n  - ");

// lastOn returns the device of the last step, if that is an on for one device with its steps below it; otherwise "".
function lastOn(text: string): string {
  const lines = text.split("\n"), at = lines.findLastIndex((l) => /^ {0,2}\S/.test(l));
  if (at < 0 || !/^ {2}- ["']?on["']?: *$/.test(lines[at])) return "";
  const [name, ...steps] = lines.slice(at + 1).filter((l) => l.trim());
  return steps.every((l) => l.startsWith(" ".repeat(8))) ? (/^ {6}([\w-]+): *$/.exec(name ?? "")?.[1] ?? "") : "";
}

export class Editor {
  readonly secrets: Record<string, string> = {};
  private view: TextView;
  private typed: Typed | null = null;
  private sum = "";
  private found: Result[] = [];
  private results: Result[] = [];
  private timer = 0;
  private images: string[] = [];

  // head returns the first lines of a new test; labels returns the labels on the screen.
  constructor(private head: () => string, labels: () => Promise<string[]>, keys: KeyBinding[]) {
    this.view = new TextView({
      parent: $("yaml"), labels, keys,
      changed: (byPerson) => {
        if (byPerson) this.typed = null;
        this.changed();
      },
      show: (line, image) => this.show(line, image),
    });
    const dialog = $("shot") as HTMLDialogElement;
    dialog.addEventListener("click", (e) => { if (e.target === dialog) dialog.close(); });
  }

  get text(): string { return this.view.text; }
  set text(text: string) { this.view.put(text, false); }
  get line(): number { return this.view.line; }

  private changed() {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.validate(), 400);
  }

  // clearMarks removes the marks of the last run.
  clearMarks() {
    this.view.unmark();
    for (const image of this.images.splice(0)) URL.revokeObjectURL(image);
    this.showResults([]);
  }

  mark(line: number, mark: Mark) {
    if (mark.image) this.images.push(mark.image);
    this.view.mark(line, { ...this.view.markOf(line), ...mark });
  }

  private show(line: number, image: string) {
    const pane = $("shot") as HTMLDialogElement;
    pane.querySelector("img")!.src = image;
    pane.querySelector("img")!.alt = `The screen after line ${line}`;
    pane.querySelector("p")!.textContent = `The screen after line ${line}`;
    pane.showModal();
  }

  // append adds a step at the end of the test: of a test with several devices, to the last on, if that is for this one.
  append(step: string, device = "") {
    this.typed = null;
    this.add(step, device);
  }

  private add(step: string, device: string) {
    const text = (this.text.trim() ? this.text : this.head()).replace(/\s+$/, "");
    const on = !device || lastOn(text) === device ? "" : `\n  - on:\n      ${device}:`;
    this.view.put(`${text}${on}${item(device)}${step}\n`, true);
  }

  // replace replaces the last step, if that still is the given one, and otherwise appends the new step.
  replace(was: string, step: string, device = "") {
    const text = this.text.replace(/\s+$/, ""), last = item(device) + was;
    if (text.endsWith(last)) this.view.put(text.slice(0, -last.length) + "\n", true);
    this.append(step, device);
  }

  // type writes typed text into one step, in however many parts it arrives. A password becomes a variable.
  type(text: string, secret?: boolean, device = "") {
    if (this.typed?.device === device) {
      this.typed.text += text;
      if (this.typed.name) {
        this.secrets[this.typed.name] = this.typed.text;
        return;
      }
      this.putInput(this.typed);
      return;
    }
    const typed = { text, name: secret ? this.secret() : "", device };
    if (typed.name) this.secrets[typed.name] = typed.text;
    this.add(`input: ${typed.name ? "${" + typed.name + "}" : quoted(typed.text)}`, device);
    this.typed = typed;
  }

  // erase removes the last character of the typed text; false when there is none.
  erase(device = ""): boolean {
    const { typed } = this;
    if (!typed?.text || typed.device !== device) return false;
    typed.text = [...typed.text].slice(0, -1).join("");
    if (typed.name) this.secrets[typed.name] = typed.text;
    else this.putInput(typed);
    if (!typed.text && !typed.name) this.typed = null;
    return true;
  }

  // putInput replaces the text of the input step at the end of the test; an empty text removes the step.
  private putInput({ text, device }: Typed) {
    const step = text ? `${item(device)}input: ${quoted(text)}\n` : "\n";
    const changed = this.text.replace(new RegExp(`${item(device)}input: [^\\n]*\\n$`), () => step);
    this.view.put(text ? changed : changed.replace(/\n {2}- on:\n {6}[\w-]+:\n$/, "\n"), true);
  }

  // browserOf returns the browser that the test names for one of its devices; "": none.
  browserOf(device: string): string {
    const lines = this.text.split("\n"), at = lines.findIndex((l) => l.startsWith(`  ${device}:`));
    if (!device || at < 0) return "";
    const end = lines.findIndex((l, i) => i > at && /^ {0,2}\S/.test(l));
    const entry = lines.slice(at, end < 0 ? lines.length : end).join("\n");
    return /\bbrowser: *["']?(\w+)/.exec(entry)?.[1] ?? "";
  }

  // secret adds a variable for a password, which is masked in reports and read from the environment.
  private secret(): string {
    let text = this.text.trim() ? this.text : this.head(), name = "PASSWORD";
    for (let n = 2; new RegExp(`^  ${name}:`, "m").test(text); n++) name = `PASSWORD_${n}`;
    const line = `  ${name}: \${${name}}\n`;
    if (/^vars:\n/m.test(text)) text = text.replace(/^vars:\n/m, () => "vars:\n" + line);
    else text = text.replace(/^steps:/m, () => `vars:\n${line}steps:`);
    if (/^secrets: \[/m.test(text)) text = text.replace(/^secrets: \[/m, `secrets: [${name}, `);
    else text = text.replace(/^steps:/m, `secrets: [${name}]\nsteps:`);
    this.view.put(text, false);
    return name;
  }

  // validate requests the same errors that taproot validate prints.
  private async validate() {
    const sent = this.text;
    if (!sent.trim()) {
      this.found = [];
      this.view.wrong([]);
      return this.list();
    }
    const headers = { "Content-Type": "application/json" }, body = JSON.stringify({ yaml: sent });
    const answer = await fetch(document.body.dataset.api + "/tests/validate", { method: "POST", headers, body });
    if (!answer.ok || this.text !== sent) return;
    const { problems }: { problems: Problem[] } = await answer.json();
    // the page sends these variables with each run
    const undefinedName = (message: string) => /^\$\{(\w+)\} is not defined/.exec(message)?.[1] ?? "";
    this.found = problems.filter((p) => this.secrets[undefinedName(p.message)] === undefined)
      .map((p) => {
        const text = p.message + (p.fix ? `; write: ${p.fix}` : p.hint ? "\n" + p.hint : "");
        const apply = p.fix ? () => void this.fix(p.line!, p.column!) : undefined;
        return { line: p.line ?? 0, column: p.column, text, fix: p.fix, apply };
      });
    this.view.wrong(this.found);
    this.list();
  }

  // fix replaces the word of another tool at a place, as taproot fmt --fix does.
  private async fix(line: number, column: number) {
    const sent = this.text, headers = { "Content-Type": "application/json" };
    const body = JSON.stringify({ text: sent, line, column });
    const answer = await fetch("/studio/fix", { method: "POST", headers, body });
    if (!answer.ok || this.text !== sent) return;
    const fixed: { text: string } = await answer.json();
    if (fixed.text !== sent) this.text = fixed.text;
    this.view.go(line);
  }

  // showResults lists the results of a run, after the errors in the text.
  showResults(results: Result[]) {
    this.results = results;
    this.list();
  }

  // list shows all errors and results; a click goes to the line.
  private list() {
    $("problems").replaceChildren(...[...this.found, ...this.results].map((p) => {
      const item = document.createElement("li"), button = document.createElement("button");
      button.type = "button";
      button.textContent = (p.line ? `line ${p.line}${p.column ? ":" + p.column : ""}: ` : "") + p.text;
      if (p.fix) button.className = "fix";
      button.addEventListener("click", () => {
        if (p.apply) p.apply();
        else if (p.fix && this.repair(p.line, p.fix)) this.showResults([]);
        else this.view.go(p.line || 1);
      });
      item.append(button);
      return item;
    }));
  }

  // repair replaces the step on a line; false when that step has several lines.
  private repair(line: number, step: string): boolean {
    const lines = this.text.split("\n"), found = /^(\s*- )\w+: ([^\s|>].*)$/.exec(lines[line - 1] || "");
    const count = (sign: string) => found![2].split(sign).length;
    if (!found || count("{") !== count("}") || count("[") !== count("]")) return false;
    lines[line - 1] = found[1] + step;
    this.text = lines.join("\n");
    this.view.go(line);
    return true;
  }

  private async read(path: string): Promise<TestFile> {
    const answer = await fetch("/studio/file?path=" + encodeURIComponent(path));
    if (!answer.ok) throw new Error(await answer.text());
    return answer.json();
  }

  async open(path: string) {
    const file = await this.read(path);
    this.sum = file.sum;
    this.text = file.text;
  }

  // stale reports whether a file has changed on disk since it was read or saved.
  async stale(path: string): Promise<boolean> {
    if (!path || !this.sum) return false;
    const { sum } = this, file = await this.read(path);
    return sum === this.sum && file.sum !== sum && file.text !== this.text;
  }

  // save writes the file, formatted as taproot fmt does; when it has changed on disk, only with overwrite.
  async save(path: string, overwrite: boolean): Promise<boolean> {
    const sent = this.text, headers = { "Content-Type": "application/json" };
    const send = (sum: string) => {
      const body = JSON.stringify({ path, text: sent, sum });
      return fetch("/studio/file", { method: "PUT", headers, body });
    };
    let answer = await send(this.sum);
    if (answer.status === 409) {
      const theirs: TestFile = await answer.json();
      if (!overwrite) return false;
      answer = await send(theirs.text === "" ? "" : theirs.sum);
    }
    if (!answer.ok) throw new Error(await answer.text());
    const file: TestFile = await answer.json();
    this.sum = file.sum;
    if (this.text === sent && file.text !== sent) this.text = file.text;
    return true;
  }
}
