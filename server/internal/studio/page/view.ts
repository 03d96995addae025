// The editor of the test: CodeMirror with YAML, completion by the schema, errors, and the results, durations and
// screenshots of steps next to the lines.
import {
  autocompletion, closeBrackets, closeBracketsKeymap, completionKeymap, completionStatus,
  type Completion, type CompletionContext, type CompletionResult,
} from "@codemirror/autocomplete";
import { defaultKeymap, history, historyKeymap } from "@codemirror/commands";
import { yaml } from "@codemirror/lang-yaml";
import {
  bracketMatching, HighlightStyle, indentOnInput, indentUnit, syntaxHighlighting,
} from "@codemirror/language";
import { lintKeymap, setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { highlightSelectionMatches, search, searchKeymap } from "@codemirror/search";
import { Annotation, EditorState, RangeSet, StateEffect, StateField, type ChangeSpec } from "@codemirror/state";
import {
  Decoration, drawSelection, EditorView, gutter, GutterMarker, highlightActiveLine, hoverTooltip, keymap, lineNumbers,
  WidgetType, type KeyBinding,
} from "@codemirror/view";
import { tags } from "@lezer/highlight";
import { Language, placeAt, type Schema, type Step } from "./schema.ts";

// Mark is the result of the step on a line.
export interface Mark { result: "pass" | "fail" | "now"; took?: string; image?: string }

// Wrong is an error at a place of the text; line and column count from 1.
// apply replaces the step at the place by the line fix.
export interface Wrong { line: number; column?: number; text: string; fix?: string; apply?(): void }

export interface Options {
  parent: HTMLElement;
  changed(byPerson: boolean): void;
  labels(): Promise<string[]>; // of the elements on the screen
  show(line: number, image: string): void;
  keys: KeyBinding[];
}

const byProgram = Annotation.define<boolean>();
const setMark = StateEffect.define<{ line: number; mark: Mark } | null>(); // null removes all marks

class Sign extends GutterMarker {
  constructor(readonly result: Mark["result"] | "none") { super(); }
  eq(other: Sign) { return other.result === this.result; }
  toDOM() {
    const sign = document.createElement("span");
    sign.className = "mark-" + this.result;
    sign.textContent = { pass: "✓", fail: "✗", now: "▶", none: "✓" }[this.result];
    return sign;
  }
}

class StepResult extends WidgetType {
  constructor(readonly line: number, readonly mark: Mark, readonly show: Options["show"]) { super(); }
  eq(other: StepResult) {
    return other.line === this.line && other.mark.took === this.mark.took && other.mark.image === this.mark.image;
  }
  ignoreEvent() { return true; }
  toDOM() {
    const result = document.createElement("span");
    result.className = "result";
    result.append(this.mark.took ?? "");
    if (this.mark.image) {
      const button = document.createElement("button"), image = document.createElement("img");
      button.type = "button";
      button.setAttribute("aria-label", `Screenshot after line ${this.line}`);
      image.src = this.mark.image;
      image.alt = "";
      button.append(image);
      button.addEventListener("click", () => this.show(this.line, this.mark.image!));
      result.append(button);
    }
    return result;
  }
}

// marks stores the marks by the positions of their lines; editing a line removes its mark.
const marks = StateField.define<{ at: number; mark: Mark }[]>({
  create: () => [],
  update(list, tr) {
    if (tr.docChanged) {
      const [before, after] = [tr.startState.doc, tr.state.doc];
      list = list
        .map(({ at, mark }) => ({ was: before.lineAt(at).text, at: after.lineAt(tr.changes.mapPos(at, 1)).from, mark }))
        .filter((m) => after.lineAt(m.at).text === m.was);
    }
    for (const effect of tr.effects) {
      if (!effect.is(setMark)) continue;
      if (!effect.value) list = [];
      else {
        const at = tr.state.doc.line(effect.value.line).from;
        list = [...list.filter((m) => m.at !== at), { at, mark: effect.value.mark }].sort((a, b) => a.at - b.at);
      }
    }
    return list;
  },
});

const highlighting = HighlightStyle.define([
  { tag: [tags.propertyName, tags.definition(tags.propertyName)], color: "var(--link)" },
  { tag: [tags.string, tags.special(tags.string)], color: "var(--pass)" },
  { tag: tags.content, color: "var(--ink)" },
  { tag: [tags.comment, tags.meta], color: "var(--soft)", fontStyle: "italic" },
  { tag: [tags.separator, tags.punctuation, tags.brace, tags.squareBracket], color: "var(--soft)" },
]);

const theme = EditorView.theme({
  "&": { height: "100%", color: "var(--ink)", background: "var(--panel)", fontSize: "0.88rem" },
  "&.cm-focused": { outline: "2px solid var(--link)", outlineOffset: "-2px" },
  ".cm-scroller": { fontFamily: "var(--mono)", lineHeight: "1.55" },
  ".cm-content": { caretColor: "var(--ink)" },
  ".cm-cursor": { borderLeftColor: "var(--ink)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    background: "color-mix(in srgb, var(--link) 28%, transparent)",
  },
  ".cm-activeLine": { background: "color-mix(in srgb, var(--link) 7%, transparent)" },
  ".cm-selectionMatch": { background: "var(--error-bg)" },
  ".cm-gutters": { background: "var(--sunk)", color: "var(--soft)", border: "0" },
  ".cm-marks": { width: "2ch", textAlign: "center", fontWeight: "700" },
  ".mark-pass": { color: "var(--pass)" },
  ".mark-fail": { color: "var(--fail)" },
  ".mark-now": { color: "var(--link)" },
  ".running": { background: "color-mix(in srgb, var(--link) 16%, transparent)" },
  ".result": { marginInlineStart: "2ch", color: "var(--soft)", fontSize: "0.85em", userSelect: "none" },
  ".result button": {
    marginInlineStart: "1ch", padding: "0", height: "24px", minWidth: "24px", border: "1px solid var(--soft)",
    borderRadius: "4px", background: "none", verticalAlign: "middle", overflow: "hidden", cursor: "pointer",
  },
  ".result img": { height: "22px", display: "block" },
  ".cm-tooltip": {
    background: "var(--panel)", color: "var(--ink)", border: "1px solid var(--soft)", borderRadius: "7px",
    maxWidth: "min(60ch, 90vw)", whiteSpace: "pre-wrap",
  },
  ".cm-tooltip.cm-tooltip-hover": { padding: "4px 8px" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": { background: "var(--ink)", color: "var(--panel)" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { minHeight: "24px", lineHeight: "24px" },
  ".cm-completionInfo": { maxWidth: "40ch", padding: "4px 8px" },
  ".cm-diagnostic": { padding: "2px 6px", whiteSpace: "pre-wrap" },
  ".cm-diagnostic-error": { borderLeft: "4px solid var(--fail)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--fail)" },
  ".cm-panels": { background: "var(--sunk)", color: "var(--ink)" },
  ".cm-panel.cm-search input, .cm-panel.cm-search button": {
    minHeight: "24px", color: "var(--ink)", background: "var(--panel)", border: "1px solid var(--soft)",
    borderRadius: "5px", backgroundImage: "none",
  },
  ".cm-panel.cm-search label": { color: "var(--ink)", fontSize: "0.85em" },
  ".cm-panel.cm-search input::placeholder": { color: "var(--soft)", opacity: "1" },
  ".cm-panel.cm-search [name=close]": { minWidth: "24px" },
  ".cm-searchMatch": { background: "var(--error-bg)", outline: "1px solid var(--near)" },
});

// TextView is the editor of the text.
export class TextView {
  private view: EditorView;
  private language: Language | null = null;

  constructor(private o: Options) {
    // in a shadow root, CodeMirror uses constructed style sheets, which the page's content security policy allows
    const root = o.parent.attachShadow({ mode: "open" });
    const decorate = (state: EditorState) => state.field(marks).flatMap(({ at, mark }) => {
      const line = state.doc.lineAt(at), running = Decoration.line({ class: "running" });
      const list = mark.result === "now" ? [running.range(line.from)] : [];
      const result = Decoration.widget({ widget: new StepResult(line.number, mark, o.show), side: 1 });
      if (mark.took || mark.image) list.push(result.range(line.to));
      return list;
    });
    const results = EditorView.decorations.compute([marks, "doc"], (state) => RangeSet.of(decorate(state), true));
    const signs = (v: EditorView) => v.state.field(marks).map(({ at, mark }) => new Sign(mark.result).range(at));
    const signGutter = gutter({
      class: "cm-marks", markers: (v) => RangeSet.of(signs(v), true), initialSpacer: () => new Sign("none"),
    });
    const attributes = { "aria-label": "Test in YAML", spellcheck: "false", autocorrect: "off", tabindex: "0" };
    const replaceAll = (text: string) => {
      this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: text } });
    };
    this.view = new EditorView({
      root, parent: root,
      state: EditorState.create({
        extensions: [
          marks, results, lineNumbers(), signGutter,
          history(), drawSelection(), highlightActiveLine(), indentOnInput(), indentUnit.of("  "), bracketMatching(),
          closeBrackets(), yaml(), syntaxHighlighting(highlighting), theme,
          search({ top: true }), highlightSelectionMatches(),
          autocompletion({ icons: false, override: [(c) => this.complete(c)] }),
          hoverTooltip((_, at) => this.about(at)),
          keymap.of([
            ...o.keys, { key: "Enter", run: nextStep }, ...closeBracketsKeymap, ...completionKeymap, ...searchKeymap,
            ...historyKeymap, ...lintKeymap, ...defaultKeymap,
          ]),
          EditorView.contentAttributes.of(attributes),
          EditorView.updateListener.of((u) => {
            if (u.docChanged) o.changed(!u.transactions.some((t) => t.annotation(byProgram)));
          }),
        ],
      }),
    });
    Object.defineProperty(o.parent, "value", { get: () => this.text, set: replaceAll });
    fetch("/studio/assets/schema.json").then((a) => a.json()).then(
      (schema: Schema) => { this.language = new Language(schema); },
      () => { /* without the schema there is no completion */ },
    );
  }

  get text(): string { return this.view.state.doc.toString(); }

  // put replaces the text by the smallest change, so that it can be undone and the cursor does not move; toEnd scrolls
  // to the last line.
  put(text: string, toEnd: boolean) {
    const old = this.text, shorter = Math.min(old.length, text.length);
    let from = 0, same = 0;
    while (from < shorter && old[from] === text[from]) from++;
    while (same < shorter - from && old[old.length - 1 - same] === text[text.length - 1 - same]) same++;
    const changes: ChangeSpec = { from, to: old.length - same, insert: text.slice(from, text.length - same) };
    const end = text.replace(/\s+$/, "").length;
    const toLast = { selection: { anchor: end }, effects: EditorView.scrollIntoView(end, { y: "end" }) };
    this.view.dispatch({ changes, annotations: byProgram.of(true), ...(toEnd ? toLast : {}) });
  }

  // line is the number of the line with the cursor.
  get line(): number { return this.view.state.doc.lineAt(this.view.state.selection.main.head).number; }

  mark(line: number, mark: Mark) {
    if (line < 1 || line > this.view.state.doc.lines) return;
    const { doc } = this.view.state;
    const scroll = mark.result !== "pass" ? [EditorView.scrollIntoView(doc.line(line).from)] : [];
    this.view.dispatch({ effects: [setMark.of({ line, mark }), ...scroll] });
  }

  markOf(line: number): Mark | undefined {
    const { doc } = this.view.state;
    return line <= doc.lines ? this.view.state.field(marks).find((m) => m.at === doc.line(line).from)?.mark : undefined;
  }

  unmark() { this.view.dispatch({ effects: setMark.of(null) }); }

  // wrong underlines the errors.
  wrong(list: Wrong[]) {
    const { doc } = this.view.state;
    const found: Diagnostic[] = list.filter((w) => w.line >= 1 && w.line <= doc.lines).map((w) => {
      const line = doc.line(w.line);
      const before = [...line.text].slice(0, Math.max((w.column ?? 1) - 1, 0)).join("").length;
      const start = Math.min(before || line.text.length - line.text.trimStart().length, line.length);
      const word = /^(?:"[^"]*"|'[^']*'|[^\s,:{}[\]]+)/.exec(line.text.slice(start))?.[0].length || line.length - start;
      const actions = w.apply ? [{ name: `Write: ${w.fix}`, apply: () => w.apply!() }] : [];
      return { from: line.from + start, to: line.from + start + word, severity: "error", message: w.text, actions };
    });
    this.view.dispatch(setDiagnostics(this.view.state, found));
  }

  // go selects a line and brings it into view.
  go(n: number) {
    const { doc } = this.view.state, line = doc.line(Math.min(Math.max(n, 1), doc.lines));
    const effects = EditorView.scrollIntoView(line.from, { y: "center" });
    this.view.dispatch({ selection: { anchor: line.from, head: line.to }, effects });
    this.view.focus();
  }

  private get block(): boolean { return /^blocks:/m.test(this.text); }

  private place(at: number) {
    const line = this.view.state.doc.lineAt(at);
    return { line, lines: this.text.split("\n"), col: at - line.from };
  }

  private async complete(c: CompletionContext): Promise<CompletionResult | null> {
    const { line, lines, col } = this.place(c.pos), { language } = this;
    const at = language && placeAt(lines, line.number - 1, col);
    if (!language || !at) return null;
    const typed = line.text.slice(at.from, col);
    if (!c.explicit && !typed) return null;
    if (at.kind === "key") {
      let keys = language.keys(at.path, this.block), dash = "";
      if (!keys.size) [keys, dash] = [language.keys([...at.path, 0], this.block), "- "];
      const options: Completion[] = [...keys]
        .map(([label, info]) => ({ label, info, type: "property", apply: `${dash}${label}: ` }));
      return options.length ? { from: line.from + at.from, options, validFor: /^[\w.]*$/ } : null;
    }
    const options: Completion[] = language.values(at.path, this.block).map((label) => ({ label, type: "enum" }));
    const labels = this.namesElement(at.path) ? await this.o.labels() : [];
    for (const label of labels) options.push({ label, type: "text", detail: "on the screen", apply: plain(label) });
    return options.length ? { from: line.from + at.from, options, validFor: /^[^,}\]]*$/ } : null;
  }

  // namesElement reports whether a value is the label of an element.
  private namesElement(path: Step[]): boolean {
    return path.at(-1) === "label" || Boolean(this.language?.keys(path, this.block).has("label"));
  }

  // about shows the description of a key.
  private about(pos: number) {
    const { line, lines, col } = this.place(pos), { language } = this;
    let end = col;
    while (end < line.length && /[\w.$-]/.test(line.text[end])) end++;
    const at = language && placeAt(lines, line.number - 1, end);
    if (!language || !at || at.kind !== "key" || line.text[end] !== ":" || col < at.from) return null;
    const words = language.about([...at.path, line.text.slice(at.from, end)], this.block);
    if (!words) return null;
    return { pos: line.from + at.from, end: line.from + end, create: () => {
      const dom = document.createElement("div");
      dom.textContent = words;
      return { dom };
    } };
  }
}

// nextStep starts a new step after a complete one; on an empty step it removes the dash.
function nextStep(view: EditorView): boolean {
  const { state } = view, { main } = state.selection;
  const line = state.doc.lineAt(main.head), step = /^( *- )(.*)$/.exec(line.text);
  if (completionStatus(state) === "active" || !main.empty || !step || main.head !== line.to) return false;
  const rest = step[2].trim(), open = rest.split(/[{[]/).length - rest.split(/[}\]]/).length;
  if (rest && (open !== 0 || !/^[\w.$-]+(:\s+[^|>\s].*)?$/.test(rest))) return false;
  const changes = rest ? { from: line.to, insert: "\n" + step[1] } : { from: line.from, to: line.to, insert: "" };
  const selection = { anchor: rest ? line.to + 1 + step[1].length : line.from };
  view.dispatch({ changes, selection, scrollIntoView: true, userEvent: "input" });
  return true;
}

// plain writes a label as a YAML string.
function plain(text: string): string {
  const isPlain = /^[\p{L}_][\p{L}\p{N} ._/-]*$/u.test(text) && !/^(true|false|null|yes|no|on|off|y|n)$/i.test(text);
  return isPlain ? text : JSON.stringify(text.replaceAll("${", () => "$${"));
}
