// The test that is being written: its text, what is wrong with it, what came of its steps, and its file.
import type { KeyBinding } from "@codemirror/view";
import { quoted } from "./literal.js";
import { TextView, type Mark, type Wrong } from "./view.ts";

const $ = (id: string) => document.getElementById(id)!;

interface Result extends Wrong { fix?: string }
interface Typed { text: string; name: string }
interface TestFile { path: string; text: string; sum: string }

export class Editor {
  readonly secrets: Record<string, string> = {};
  private view: TextView;
  private typed: Typed | null = null;
  private sum = "";
  private found: Result[] = [];
  private results: Result[] = [];
  private timer = 0;
  private pictures: string[] = [];

  // head gives the beginning of a new test; labels what can be read on the screen.
  constructor(private head: () => string, labels: () => Promise<string[]>, keys: KeyBinding[]) {
    this.view = new TextView({ parent: $("yaml"), labels, keys, changed: (byPerson) => { if (byPerson) this.typed = null; this.changed(); }, show: (line, picture) => this.show(line, picture) });
    $("shot").addEventListener("click", (e) => { if (e.target === $("shot")) ($("shot") as HTMLDialogElement).close(); });
  }

  get text(): string { return this.view.text; }
  set text(text: string) { this.view.put(text, false); }
  get line(): number { return this.view.line; }

  private changed() {
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => this.validate(), 400);
  }

  // begin takes the marks of the last run away.
  begin() {
    this.view.unmark();
    for (const picture of this.pictures.splice(0)) URL.revokeObjectURL(picture);
    this.tell([]);
  }

  mark(line: number, mark: Mark) {
    if (mark.picture) this.pictures.push(mark.picture);
    this.view.mark(line, { ...this.view.markOf(line), ...mark });
  }

  private show(line: number, picture: string) {
    const pane = $("shot") as HTMLDialogElement;
    pane.querySelector("img")!.src = picture;
    pane.querySelector("img")!.alt = `The screen after line ${line}`;
    pane.querySelector("p")!.textContent = `The screen after line ${line}`;
    pane.showModal();
  }

  // append writes a step behind the last line of the test.
  append(step: string) {
    this.typed = null;
    this.add(step);
  }

  private add(step: string) {
    const text = (this.text.trim() ? this.text : this.head()).replace(/\s+$/, "");
    this.view.put(`${text}\n  - ${step}\n`, true);
  }

  // replace writes a step in the place of the last one, when that still is the one that is meant.
  replace(was: string, step: string) {
    const text = this.text.replace(/\s+$/, "");
    if (text.endsWith(`\n  - ${was}`)) this.view.put(text.slice(0, -`\n  - ${was}`.length) + "\n", true);
    this.append(step);
  }

  // type writes what was typed into one step, however many batches it came in. A password becomes a variable.
  type(text: string, secret?: boolean) {
    if (this.typed) {
      this.typed.text += text;
      if (this.typed.name) {
        this.secrets[this.typed.name] = this.typed.text;
        return;
      }
      this.view.put(this.text.replace(/\n  - input: [^\n]*\n$/, () => `\n  - input: ${quoted(this.typed!.text)}\n`), true);
      return;
    }
    const typed = { text, name: secret ? this.secret() : "" };
    if (typed.name) this.secrets[typed.name] = typed.text;
    this.add(`input: ${typed.name ? "${" + typed.name + "}" : quoted(typed.text)}`);
    this.typed = typed;
  }

  // erase takes the last characters of what was typed back; false when there is nothing to take back.
  erase(): boolean {
    const { typed } = this;
    if (!typed?.text) return false;
    typed.text = [...typed.text].slice(0, -1).join("");
    if (typed.name) this.secrets[typed.name] = typed.text;
    else this.view.put(this.text.replace(/\n  - input: [^\n]*\n$/, () => (typed.text ? `\n  - input: ${quoted(typed.text)}\n` : "\n")), true);
    if (!typed.text && !typed.name) this.typed = null;
    return true;
  }

  // secret makes a variable for a password, which is masked in reports and read from the environment.
  private secret(): string {
    let text = this.text.trim() ? this.text : this.head(), name = "PASSWORD";
    for (let n = 2; new RegExp(`^  ${name}:`, "m").test(text); n++) name = `PASSWORD_${n}`;
    const line = `  ${name}: \${${name}}\n`;
    text = /^vars:\n/m.test(text) ? text.replace(/^vars:\n/m, () => "vars:\n" + line) : text.replace(/^steps:/m, () => `vars:\n${line}steps:`);
    text = /^secrets: \[/m.test(text) ? text.replace(/^secrets: \[/m, `secrets: [${name}, `) : text.replace(/^steps:/m, `secrets: [${name}]\nsteps:`);
    this.view.put(text, false);
    return name;
  }

  // validate asks for the same errors as taproot validate tells.
  private async validate() {
    const asked = this.text;
    if (!asked.trim()) {
      this.found = [];
      this.view.wrong([]);
      return this.list();
    }
    const answer = await fetch(document.body.dataset.api + "/tests/validate", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ yaml: asked }) });
    if (!answer.ok || this.text !== asked) return;
    const problems: { line?: number; column?: number; message: string; hint?: string }[] = (await answer.json()).problems;
    // runs here get it from the page
    const held = (message: string) => this.secrets[/^\$\{(\w+)\} is not defined/.exec(message)?.[1] ?? ""] !== undefined;
    this.found = problems.filter((p) => !held(p.message)).map((p) => ({ line: p.line ?? 0, column: p.column, text: p.message + (p.hint ? "\n" + p.hint : "") }));
    this.view.wrong(this.found);
    this.list();
  }

  // tell lists what came of a run, beside what is wrong with the text.
  tell(results: Result[]) {
    this.results = results;
    this.list();
  }

  // list shows all; each leads to its line.
  private list() {
    $("problems").replaceChildren(...[...this.found, ...this.results].map((p) => {
      const item = document.createElement("li"), button = document.createElement("button");
      button.type = "button";
      button.textContent = (p.line ? `line ${p.line}${p.column ? ":" + p.column : ""}: ` : "") + p.text;
      if (p.fix) button.className = "fix";
      button.addEventListener("click", () => (p.fix && this.repair(p.line, p.fix) ? this.tell([]) : this.view.go(p.line || 1)));
      item.append(button);
      return item;
    }));
  }

  // repair writes a step in the place of the one on a line; false when that goes over several lines.
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

  // stale tells whether a file has changed on disk since it was read or saved.
  async stale(path: string): Promise<boolean> {
    if (!path || !this.sum) return false;
    const { sum } = this, file = await this.read(path);
    return sum === this.sum && file.sum !== sum && file.text !== this.text;
  }

  // save writes the file, laid out as taproot fmt does; when it has changed on disk, only with overwrite.
  async save(path: string, overwrite: boolean): Promise<boolean> {
    const sent = this.text, send = (sum: string) => fetch("/studio/file", { method: "PUT", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ path, text: sent, sum }) });
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
