// The test that is being written: its text, marks beside its lines, what is wrong with it, and its file.
import { quoted } from "./literal.js";

const $ = (id) => document.getElementById(id);

export class Editor {
  constructor(head) {
    Object.assign(this, { area: $("yaml"), gutter: $("gutter"), head, marks: new Map(), sum: "", typed: null, secrets: {}, wrong: [], results: [] });
    this.area.addEventListener("input", () => { this.typed = null; this.changed(); });
    this.area.addEventListener("scroll", () => { this.gutter.scrollTop = this.area.scrollTop; });
    this.changed();
  }

  get text() { return this.area.value; }
  set text(text) { this.area.value = text; this.changed(); }

  // line is the number of the line with the cursor.
  get line() { return this.text.slice(0, this.area.selectionStart).split("\n").length; }

  changed() {
    this.marks.clear();
    this.number();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.validate(), 400);
  }

  number() {
    const signs = { pass: "✓", fail: "✗", error: "✗", now: "▶" };
    this.gutter.replaceChildren(...this.text.split("\n").map((_, i) => {
      const row = document.createElement("div"), mark = this.marks.get(i + 1);
      row.textContent = (mark ? signs[mark] + " " : "") + (i + 1);
      if (mark) row.className = mark === "error" ? "fail" : mark;
      return row;
    }));
    this.gutter.scrollTop = this.area.scrollTop;
  }

  mark(line, verdict) { this.marks.set(line, verdict); this.number(); }

  // append writes a step behind the last line of the test.
  append(step) {
    this.typed = null;
    this.add(step);
  }

  add(step) {
    if (!this.text.trim()) this.area.value = this.head();
    const text = this.text.replace(/\s+$/, "");
    this.area.value = `${text}\n  - ${step}\n`;
    this.area.scrollTop = this.area.scrollHeight;
    this.area.selectionStart = this.area.selectionEnd = this.text.length - 1;
    this.changed();
  }

  // replace writes a step in the place of the last one, when that still is the one that is meant.
  replace(was, step) {
    const text = this.text.replace(/\s+$/, "");
    if (text.endsWith(`\n  - ${was}`)) this.area.value = text.slice(0, -`\n  - ${was}`.length) + "\n";
    this.append(step);
  }

  // type writes what was typed into one step, however many batches it came in. A password becomes a variable.
  type(text, secret) {
    if (this.typed !== null) {
      this.typed.text += text;
      if (this.typed.name) {
        this.secrets[this.typed.name] = this.typed.text;
        return;
      }
      this.area.value = this.text.replace(/\n  - input: [^\n]*\n$/, "\n");
    } else {
      this.typed = { text, name: secret ? this.secret() : "" };
    }
    const { typed } = this;
    if (typed.name) this.secrets[typed.name] = typed.text;
    this.add(`input: ${typed.name ? "${" + typed.name + "}" : quoted(typed.text)}`);
    this.typed = typed;
  }

  // erase takes the last characters of what was typed back; false when there is nothing to take back.
  erase() {
    if (!this.typed?.text) return false;
    const { typed } = this;
    typed.text = [...typed.text].slice(0, -1).join("");
    if (typed.name) {
      this.secrets[typed.name] = typed.text;
      return true;
    }
    this.area.value = this.text.replace(/\n  - input: [^\n]*\n$/, "\n");
    if (typed.text) this.add(`input: ${quoted(typed.text)}`);
    else this.changed();
    this.typed = typed.text ? typed : null;
    return true;
  }

  // secret makes a variable for a password, which is masked in reports and read from the environment.
  secret() {
    if (!this.text.trim()) this.area.value = this.head();
    let name = "PASSWORD";
    for (let n = 2; new RegExp(`^  ${name}:`, "m").test(this.text); n++) name = `PASSWORD_${n}`;
    let text = this.text;
    const line = `  ${name}: \${${name}}\n`;
    text = /^vars:\n/m.test(text) ? text.replace(/^vars:\n/m, "vars:\n" + line) : text.replace(/^steps:/m, `vars:\n${line}steps:`);
    text = /^secrets: \[/m.test(text) ? text.replace(/^secrets: \[/m, `secrets: [${name}, `) : text.replace(/^steps:/m, `secrets: [${name}]\nsteps:`);
    this.area.value = text;
    return name;
  }

  // validate asks for the same errors as taproot validate tells.
  async validate() {
    const asked = this.text;
    if (!asked.trim()) {
      this.wrong = [];
      return this.show();
    }
    const answer = await fetch(document.body.dataset.api + "/tests/validate", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ yaml: asked }) });
    if (!answer.ok || this.text !== asked) return;
    const found = await answer.json();
    const held = (p) => this.secrets[/^\$\{(\w+)\} is not defined/.exec(p.message)?.[1]] !== undefined; // runs here get it from the page
    found.problems = found.problems.filter((p) => !held(p));
    for (const [line, mark] of this.marks) if (mark === "error") this.marks.delete(line);
    for (const p of found.problems) if (p.line) this.marks.set(p.line, "error");
    this.number();
    this.wrong = found.problems.map((p) => ({ line: p.line, text: p.message + (p.hint ? "\n" + p.hint : "") }));
    this.show();
  }

  // tell lists what came of a run, beside what is wrong with the text.
  tell(results) {
    this.results = results;
    this.show();
  }

  // show lists all; each leads to its line.
  show() {
    $("problems").replaceChildren(...[...this.wrong, ...this.results].map((p) => {
      const item = document.createElement("li"), button = document.createElement("button");
      button.type = "button";
      button.textContent = (p.line ? `line ${p.line}: ` : "") + p.text;
      if (p.fix) button.className = "fix";
      button.addEventListener("click", () => (p.fix && this.repair(p.line, p.fix) ? this.tell([]) : this.go(p.line || 1)));
      item.append(button);
      return item;
    }));
  }

  // repair writes a step in the place of the one on a line; false when that goes over several lines.
  repair(line, step) {
    const lines = this.text.split("\n"), found = /^(\s*- )\w+: ([^\s|>].*)$/.exec(lines[line - 1] || "");
    const count = (sign) => found[2].split(sign).length;
    if (!found || count("{") !== count("}") || count("[") !== count("]")) return false;
    lines[line - 1] = found[1] + step;
    this.text = lines.join("\n");
    this.go(line);
    return true;
  }

  go(line) {
    const lines = this.text.split("\n"), at = lines.slice(0, line - 1).join("\n").length + (line > 1 ? 1 : 0);
    this.area.focus();
    this.area.setSelectionRange(at, at + (lines[line - 1] || "").length);
  }

  async open(path) {
    const answer = await fetch("/studio/file?path=" + encodeURIComponent(path));
    if (!answer.ok) throw new Error(await answer.text());
    const file = await answer.json();
    this.sum = file.sum;
    this.text = file.text;
  }

  // save writes the file; when it has changed on disk, only with overwrite.
  async save(path, overwrite) {
    const send = (sum) => fetch("/studio/file", { method: "PUT", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ path, text: this.text, sum }) });
    let answer = await send(this.sum);
    if (answer.status === 409) {
      const theirs = await answer.json();
      if (!overwrite) return false;
      answer = await send(theirs.text === "" ? "" : theirs.sum);
    }
    if (!answer.ok) throw new Error(await answer.text());
    this.sum = (await answer.json()).sum;
    return true;
  }
}
