// The result of one test: its steps with their screenshots, while it runs and afterwards, and its report.
import { h, icon, bdi, took, plural, WORD } from "./element.js";

export class Details {
  // on has the functions start(cases) and pick(key).
  constructor(host, on) {
    Object.assign(this, { host, on, key: "", view: null, step: 0, follow: true, when: "after", panel: "steps",
      asked: 0 });
  }

  // open shows a node of the tree.
  open(node, cases) {
    if (!node) return this.empty();
    if (node.kind === "broken") return this.broken(node);
    if (node.kind === "folder" || node.kind === "file") return this.group(node, cases);
    const key = this.caseOf(node, cases);
    if (key === this.key && this.node === node && this.view) return;
    Object.assign(this, { node, key, view: null, step: 0, follow: true, when: "after", shell: null });
    this.load();
  }

  // caseOf is the case that a test shows: the first that did not pass, or is in progress.
  caseOf(node, cases) {
    const rank = (key) => ["running", "fail", "error", "interrupted"].indexOf((cases[key] || {}).result || "");
    return node.cases.find((key) => rank(key) >= 0) || node.cases[0];
  }

  empty() {
    Object.assign(this, { node: null, key: "", view: null, shell: null });
    this.host.replaceChildren(h("p", { cls: "quiet hint" }, "Choose a test to see its steps and its report."));
  }

  broken(node) {
    Object.assign(this, { node, key: "", view: null, shell: null });
    this.host.replaceChildren(h("div", { cls: "dhead" }, h("h2", null, icon("broken"), " ", bdi(node.file || "Tests"))),
      h("p", { cls: "quiet pad" }, "No test of this file can run until the error is fixed. " +
        "Save the file to try again."),
      h("pre", { cls: "code-block", tabindex: "0" }, node.message));
  }

  group(node, cases) {
    Object.assign(this, { node, key: "", view: null, shell: null });
    const wrong = node.cases.filter((key) => ["fail", "error", "interrupted"].includes((cases[key] || {}).result));
    this.host.replaceChildren(h("div", { cls: "dhead" }, h("h2", null, icon(node.result), " ", bdi(node.label))),
      h("p", { cls: "quiet pad" }, plural(node.tests, "test") +
        (wrong.length ? ", " + wrong.length + " did not pass" : "")),
      h("ul", { cls: "problems" }, wrong.slice(0, 50).map((key) => h("li", null, icon(cases[key].result), h("button",
        { type: "button", cls: "linkish", on: { click: () => this.on.pick(key) } }, key),
        bdi(cases[key].message || "", "quiet")))));
  }

  // moved loads the case again after one of its events, a few times per second at most.
  moved(key) {
    if (key !== this.key || this.pending) return;
    this.pending = true;
    setTimeout(() => { this.pending = false; this.load(); }, 120);
  }

  async load() {
    const key = this.key, asked = ++this.asked;
    if (!key) return;
    let view = null;
    try {
      const response = await fetch("/case?key=" + encodeURIComponent(key));
      if (response.ok) view = await response.json();
    } catch { return; } // the connection is lost, which the page says
    if (asked !== this.asked || key !== this.key) return;
    if (this.view && view && (this.view.run !== view.run || this.view.pack !== view.pack)) {
      Object.assign(this, { step: 0, follow: true });
    }
    this.view = view;
    this.draw();
  }

  draw() {
    const v = this.view, t = this.node.test;
    if (!this.shell) this.makeShell();
    const result = v ? v.result : "";
    this.shell.head.replaceChildren(h("h2", null, icon(result), " ", bdi(this.key)),
      h("p", { cls: "meta" }, t.name ? bdi(t.name, "name") : null, h("span", null, WORD[result]), v && v.ms ?
        h("span", null, took(v.ms)) : null, v && v.device ? bdi(v.device) : null,
        h("span", { cls: "file" }, bdi(t.file + ":" + t.line)), (t.tags || []).map((tag) => bdi(tag, "tag"))));
    const skipped = t.skip && !v ? "It is skipped: " + t.skip : "";
    const message = skipped || (v && v.problem ? v.problem.message : v && !v.at ? v.message : "");
    this.shell.message.hidden = !message;
    this.shell.message.textContent = message || "";
    this.shell.none.hidden = Boolean(v);
    this.shell.body.hidden = !v;
    if (!v) return;
    this.pickStep();
    this.drawSteps();
    this.drawStage();
    this.drawReport();
  }

  // pickStep follows the test while it runs, until the user picks a step.
  pickStep() {
    const steps = this.view.steps;
    if (!this.follow && steps[this.step]) return;
    let at = steps.findIndex((s) => s.n === this.view.at);
    if (at < 0) at = steps.findIndex((s) => s.result === "running");
    if (at < 0) at = steps.findLastIndex((s) => s.result !== "unreached");
    this.step = Math.max(0, at);
  }

  makeShell() {
    const s = this.shell = { head: h("div", { cls: "dhead" }), message: h("p", { cls: "problem pad", hidden: true }),
      none: h("p", { cls: "quiet hint" }, "This test has no result yet."),
      list: h("ol", { cls: "steplist", "aria-label": "Steps" }), stage: h("div", { cls: "dstage" }),
      report: h("div", { cls: "dreport", role: "tabpanel", id: "panel-report", "aria-labelledby": "tab-report" }) };
    s.steps = h("div", { cls: "dsteps", role: "tabpanel", id: "panel-steps", "aria-labelledby": "tab-steps" }, s.list,
      s.stage);
    s.tabs = ["steps", "report"].map((name) => h("button", { type: "button", role: "tab", cls: "tab", id: "tab-" + name,
      "aria-controls": "panel-" + name, on: { click: () => this.show(name) } }, name === "steps" ? "Steps" : "Report"));
    const tablist = h("div", { role: "tablist", "aria-label": "Result", cls: "dtabs", on: { keydown: (e) => {
      if (e.key !== "ArrowLeft" && e.key !== "ArrowRight") return;
      this.show(this.panel === "steps" ? "report" : "steps");
      s.tabs.find((tab) => tab.tabIndex === 0).focus();
    } } }, s.tabs);
    s.body = h("div", { cls: "dbody" }, tablist, s.steps, s.report);
    s.list.addEventListener("keydown", (e) => {
      const by = { ArrowDown: 1, ArrowUp: -1, Home: -1e9, End: 1e9 }[e.key];
      if (!by) return;
      e.preventDefault();
      this.pick(this.step + by, true);
    });
    this.host.replaceChildren(s.head, s.message, s.none, s.body);
    this.show(this.panel);
  }

  show(name) {
    const s = this.shell;
    this.panel = name;
    for (const tab of s.tabs) {
      const on = tab.id === "tab-" + name;
      tab.setAttribute("aria-selected", String(on));
      tab.tabIndex = on ? 0 : -1;
    }
    s.steps.hidden = name !== "steps";
    s.report.hidden = name !== "report";
    if (this.view) this.drawReport();
  }

  // pick shows a step.
  pick(at, focus) {
    const last = this.view.steps.length - 1;
    this.step = Math.max(0, Math.min(last, at));
    this.follow = this.view.live && this.step === last;
    this.drawSteps();
    this.drawStage();
    if (focus) this.shell.list.children[this.step].firstChild.focus();
  }

  drawSteps() {
    const { list } = this.shell, steps = this.view.steps;
    const has = list.contains(document.activeElement);
    while (list.children.length > steps.length) list.lastChild.remove();
    steps.forEach((s, i) => {
      const drawn = [s.n, s.action, s.args, s.name, s.result, s.ms, i === this.step].join("\u0001");
      let li = list.children[i];
      if (li && li.drawn === drawn) return;
      const button = h("button", { type: "button", cls: "step s-" + s.result, "aria-current": i === this.step ? "step" :
        null, tabindex: i === this.step ? "0" : "-1", on: { click: () => this.pick(i, true) } }, icon(s.result),
        h("span", { cls: "n" }, String(s.n)), h("span", { cls: "what" }, h("span", { cls: "act" }, s.name || s.action),
          " ", bdi(s.args || "", "args")), h("span", { cls: "time" }, took(s.ms)));
      const fresh = h("li", null, button);
      fresh.drawn = drawn;
      if (li) li.replaceWith(fresh); else list.append(fresh);
    });
    const shown = list.children[this.step];
    if (has && shown) shown.firstChild.focus({ preventScroll: true });
    if (shown && (this.follow || has)) shown.scrollIntoView({ block: "nearest" });
  }

  // shotOf is the last screenshot of a step, or of the steps before it.
  shotOf(at) {
    for (let i = at; i >= 0; i--) {
      const shots = this.view.steps[i] && this.view.steps[i].shots;
      if (shots && shots.length) return { path: shots.at(-1), step: i };
    }
    return null;
  }

  drawStage() {
    const v = this.view, s = v.steps[this.step], { stage } = this.shell;
    if (!s) return stage.replaceChildren(h("p", { cls: "quiet hint" }, v.live ? "The test starts." :
      "The test has no steps."));
    const before = this.shotOf(this.step - 1), after = s.shots && s.shots.length ? { path: s.shots.at(-1) } : null;
    const side = this.when === "before" && before || !after && before ? "before" : "after";
    const shot = side === "before" ? before : after;
    const drawn = JSON.stringify([s, side, shot, v.base]);
    if (stage.drawn === drawn) return;
    stage.drawn = drawn;
    const view = (name, text, there) => h("button", { type: "button", cls: "chip",
      "aria-pressed": String(side === name), disabled: !there, on: { click: () => {
        this.when = name;
        this.drawStage();
      } } }, text);
    stage.replaceChildren(...[h("h3", null, icon(s.result), " Step " + s.n + " of " + v.steps.length + " ",
      bdi(s.name || s.action)), s.in ? h("p", { cls: "quiet" }, bdi(s.in)) : null, this.problem(s), this.yaml(s),
      h("div", { cls: "chips", role: "group", "aria-label": "Screenshot" }, view("before", "Before it", before),
        view("after", "After it", after)), this.picture(shot, s, side),
      s.matched ? h("p", { cls: "quiet" }, "Matched: ", bdi(s.matched)) : null,
      s.notes ? h("ul", { cls: "notes" }, s.notes.map((note) => h("li", null, bdi(note)))) : null].filter(Boolean));
  }

  problem(s) {
    const p = s.problem;
    if (!p) return null;
    return h("div", { cls: "problem" }, h("p", { cls: "message" }, bdi(p.message)), p.expected || p.actual ?
      h("dl", { cls: "pairs" }, h("dt", null, "Expected"), h("dd", null, bdi(p.expected || "–")),
        h("dt", null, "Found"), h("dd", null, bdi(p.actual || "–"))) : null, p.candidates && p.candidates.length ?
      [h("p", { cls: "quiet" }, "On the screen instead:"), h("ul", { cls: "notes" }, p.candidates.map((c) =>
        h("li", null, bdi(c))))] : null);
  }

  // yaml is the line of the file that the step is in.
  yaml(s) {
    if (!s.source) return null;
    const mark = " ".repeat(Math.max(0, s.col - 1)) + "^".repeat(Math.max(1, [...s.action].length));
    return h("div", { cls: "yamlpart" }, h("p", { cls: "file" }, bdi(s.place)), h("pre", { cls: "code-block",
      tabindex: "0", "aria-label": "Line " + s.line }, String(s.line).padStart(4) + " | " + s.source +
        (s.problem ? "\n     | " + mark : "")));
  }

  picture(shot, s, side) {
    if (!shot) return h("p", { cls: "quiet" }, "There is no screenshot yet.");
    const src = this.view.base + shot.path.split("/").map(encodeURIComponent).join("/");
    const frame = h("div", { cls: "frame dframe" }), gone = h("p", { cls: "quiet" }, "The screenshot is not there.");
    const img = h("img", { src, alt: "The screen " + side + " step " + s.n, on: {
      load: () => this.marks(frame, img, s, side), error: () => frame.replaceChildren(gone) } });
    frame.append(img);
    return frame;
  }

  // marks draws where the step touched the screen.
  marks(frame, img, s, side) {
    if (!s.bounds && !s.point || side === "after" && this.shotOf(this.step - 1)) return;
    const ns = "http://www.w3.org/2000/svg", svg = document.createElementNS(ns, "svg");
    const shape = (tag, attrs) => {
      const el = document.createElementNS(ns, tag);
      for (const name of Object.keys(attrs)) el.setAttribute(name, attrs[name]);
      svg.append(el);
    };
    svg.setAttribute("viewBox", "0 0 " + img.naturalWidth + " " + img.naturalHeight);
    svg.setAttribute("class", "marks match");
    svg.setAttribute("aria-hidden", "true");
    if (s.bounds) shape("rect", { x: s.bounds[0], y: s.bounds[1], width: Math.max(1, s.bounds[2] - s.bounds[0]),
      height: Math.max(1, s.bounds[3] - s.bounds[1]), class: "line" });
    if (s.point) shape("circle", { cx: s.point[0], cy: s.point[1], r: img.naturalWidth / 60, class: "line" });
    frame.append(svg);
  }

  // drawReport loads the report of the case when its panel is shown for the first time.
  drawReport() {
    const { report } = this.shell, v = this.view;
    if (this.panel !== "report") return;
    const src = v.report ? v.base + "report.html" : "";
    if (report.src === src && report.firstChild) return;
    report.src = src;
    if (!src) return report.replaceChildren(h("p", { cls: "quiet hint" },
      "The report is written at the end of the run."));
    const theme = document.documentElement.dataset.theme;
    report.replaceChildren(h("p", { cls: "pad" }, h("a", { href: src, target: "_blank", rel: "noopener" },
      "Open the report in a tab")), h("iframe", { src: src + (theme ? "#theme=" + theme : ""), title: "The report of " +
        this.key, sandbox: "allow-scripts allow-popups allow-popups-to-escape-sandbox allow-downloads" }));
  }
}
