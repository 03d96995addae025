var selected = -1, rows = [], recording = null, views = ["devices", "side", "swipe", "diff", "both"];

function problemOf(step) {
  return step.result === "fail" || step.result === "error" || step.result === "interrupted";
}

function mainShot(step) {
  var shots = (step.shots || []).filter(function (s) { return !s.missing; });
  return shots.find(function (s) { return s.failure; }) || shots[shots.length - 1];
}

function lastShot(step) {
  var shots = (step.shots || []).filter(function (s) { return !s.missing; });
  return shots[shots.length - 1];
}

// screenBefore returns the last screenshot before a step, and its step.
function screenBefore(i) {
  var device = D.steps[i] && D.steps[i].device;
  for (i--; i >= 0; i--) {
    var s = D.steps[i].device === device && lastShot(D.steps[i]);
    if (s) return { step: D.steps[i], shot: s };
  }
  return null;
}

function label(step) { return (step.action || "step " + step.n) + (step.args ? " " + step.args : ""); }

function packPage() {
  selected = -1;
  rows = [];
  recording = null;
  domCache = {};
  domPanel.show = elementsPanel.show = null;
  document.querySelectorAll(".attempts [data-attempt]").forEach(function (a) {
    a.addEventListener("click", function (e) { e.preventDefault(); attempts.pick(+a.dataset.attempt); });
  });
  header();
  timeline();
  strip();
  player();
  $("prev").addEventListener("click", function () { move(-1); });
  $("next").addEventListener("click", function () { move(1); });
  $("only").addEventListener("click", toggleProblems);
  $("filter").addEventListener("input", function () { hash.set({ q: $("filter").value }); filter(); });
  addEventListener("hashchange", fromHash, { signal: pageAbort.signal });
  keys({
    j: function () { move(1); }, k: function () { move(-1); }, ArrowDown: function () { move(1); },
      ArrowUp: function () { move(-1); },
    " ": function () { if (recording) { if (recording.paused) recording.play(); else recording.pause(); } },
    d: nextView, f: toggleProblems, "/": function () { $("filter").focus(); },
      "?": function () { $("help").showModal(); }
  });
  if ($("brief")) $("brief").addEventListener("click", function () { copy(D.brief); });
  fromHash();
  panels();
}

function header() {
  var bad = D.steps.find(function (s) { return s.n === D.at; });
  var place = bad && bad.place || D.place;
  if ($("where")) {
    if (bad) add($("where"), [bad.device ? bdi(bad.device, "device") : null, bdi(label(bad), "code")]);
    if (place) add($("where"), h("span", { cls: "place" }, h("bdi", { cls: "code" }, place), copyButton(place)));
    if (D.cause) {
      var text = "Cause " + D.cause.N + (D.cause.Others ? ": also in " + plural(D.cause.Others, "other test") :
        ": in no other test");
      add($("where"), D.cause.Link && D.cause.Others ? h("a", { href: D.cause.Link }, text) : h("span", null, text));
    }
  }
  var n = 0;
  (D.warnings || []).forEach(function (u) { if (u.what !== "note") n += (u.to || u.step) - u.step + 1; });
  if (n) $("warnings-flag").append(h("a", { cls: "flag warn", href: "#warnings", on: { click: function (e) {
    e.preventDefault();
    $("warnings").scrollIntoView();
    $("warnings").focus();
  } } }, plural(n, "step") + " with a warning"));
}

function timeline() {
  var longest = Math.max.apply(null, [1].concat(D.steps.slice(0, 10000).map(function (s) { return s.ms || 0; })));
  D.steps.forEach(function (step, i) {
    var line = h("button", { type: "button", cls: "step s-" + step.result,
      on: { click: function () { select(i, true); } } },
      icon(step.result), h("span", { cls: "n" }, String(step.n)),
      h("span", { cls: "what" }, step.device ? [bdi(step.device, "device"), " "] : null,
        bdi(step.name || step.action || "?", "act"), " ",
        bdi(step.name ? label(step) : step.args || "", "args")),
      h("span", { cls: "time" }, step.took || "–"));
    var bar = h("span", { cls: "len", "aria-hidden": "true" });
    bar.style.setProperty("--len", (step.ms || 0) / longest);
    line.append(bar);
    var li = h("li", { id: "row-" + step.n }, line);
    rows.push({ li: li, button: line, text: [step.n, step.device, step.name, step.action, step.args, step.problem &&
      step.problem.message].join(" ").toLowerCase(), step: step });
  });
  replace($("timeline"), nested());
  if (!D.steps.length) { $("none").hidden = false; $("none").textContent = "This test has no steps."; }
}

// nested puts a heading before the steps of each group, repetition and attempt, in the order in which they ran.
function nested() {
  var out = [], open = [];
  rows.forEach(function (r, i) {
    var path = r.step.in || [], same = 0;
    while (same < open.length && same < path.length && open[same].name === path[same]) same++;
    open = open.slice(0, same);
    for (var d = same; d < path.length; d++) {
      var head = groupHead(path[d], d, i, path.slice(0, d + 1));
      open.push({ name: path[d], head: head });
      out.push(head.li);
    }
    r.heads = open.map(function (o) { return o.head; });
    r.button.style.paddingInlineStart = 8 + 14 * path.length + "px";
    out.push(r.li);
  });
  return out;
}

// groupHead names a group with its time and result, and folds it.
function groupHead(name, depth, from, path) {
  var to = from, worst = "pass", rank = { fail: 4, error: 4, interrupted: 3, warned: 2, unreached: 1 };
  while (to + 1 < D.steps.length && path.every(function (p, k) { return (D.steps[to + 1].in || [])[k] === p; })) to++;
  for (var i = from; i <= to; i++) if ((rank[D.steps[i].result] || 0) > (rank[worst] || 0)) worst = D.steps[i].result;
  var a = D.steps[from], z = D.steps[to], ms = (z.begin || 0) + (z.ms || 0) - (a.begin || 0), head = { folded: false };
  head.button = h("button", { type: "button", cls: "grouphead s-" + worst, "aria-expanded": "true",
    on: { click: function () {
    head.folded = !head.folded;
    head.button.setAttribute("aria-expanded", String(!head.folded));
    filter();
  } } }, icon(worst), bdi(name, "act"), h("span", { cls: "quiet" }, plural(to - from + 1, "step")),
    h("span", { cls: "time" }, ms > 0 ? took(ms) : "–"));
  head.button.style.paddingInlineStart = 8 + 14 * depth + "px";
  head.li = h("li", { cls: "group" }, head.button);
  head.depth = depth;
  return head;
}

function filter() {
  var q = $("filter").value.trim().toLowerCase(), bad = $("only").getAttribute("aria-pressed") === "true", shown = 0;
  rows.forEach(function (r) {
    var ok = (!bad || problemOf(r.step)) && (!q || r.text.indexOf(q) >= 0);
    r.heads.forEach(function (head, k) {
      if (!k || !r.heads.slice(0, k).some(function (o) { return o.folded; })) head.wanted = head.wanted || ok;
    });
    r.li.hidden = !ok || r.heads.some(function (head) { return head.folded; });
    if (ok) shown++;
  });
  rows.forEach(function (r) { r.heads.forEach(function (head) { head.li.hidden = !head.wanted; }); });
  rows.forEach(function (r) { r.heads.forEach(function (head) { head.wanted = false; }); });
  $("none").hidden = shown > 0;
}

function toggleProblems() {
  var on = $("only").getAttribute("aria-pressed") !== "true";
  $("only").setAttribute("aria-pressed", String(on));
  hash.set({ f: on ? "1" : "" });
  filter();
}

function move(by) {
  for (var i = selected + by; i >= 0 && i < rows.length; i += by) if (!rows[i].li.hidden) return select(i, true);
}

function fromHash() {
  var state = hash.read(), at = -1, m;
  $("filter").value = state.q || "";
  $("only").setAttribute("aria-pressed", String(!!state.f));
  filter();
  if ((m = /^step-(\d+)$/.exec(state.at || ""))) at = D.steps.findIndex(function (s) { return s.n === +m[1]; });
  if ((m = /^L(\d+)$/.exec(state.at || ""))) at = D.steps.findIndex(function (s) { return s.line === +m[1]; });
  if (at < 0) at = D.steps.findIndex(function (s) { return s.n === D.at; });
  if (at < 0) at = D.result === "pass" ? Math.min(0, D.steps.length - 1) : D.steps.length - 1;
  while (at > 0 && D.steps[at].result === "unreached" && !state.at) at--;
  if (at < 0) facts(null);
  else if (at === selected) stage();
  else select(at, true, !state.at);
}

// select shows a step in all parts of the page. seek is false when the recording itself reached the step.
function select(i, seek, silent) {
  if (i === selected) return;
  if (rows[selected]) {
    rows[selected].button.removeAttribute("aria-current");
    if (rows[selected].thumb) rows[selected].thumb.removeAttribute("aria-current");
  }
  selected = i;
  var step = D.steps[i], row = rows[i];
  row.button.setAttribute("aria-current", "step");
  if (row.thumb) { row.thumb.setAttribute("aria-current", "step"); nearest($("strip"), row.thumb, true); }
  row.heads.forEach(function (head) { if (head.folded) head.button.click(); });
  nearest($("timeline"), row.li, false);
  if (!silent) hash.set({ at: "step-" + step.n });
  replace($("stagetitle"), icon(step.result), " ", "Step " + step.n + " of " + D.steps.length + " ",
    step.device ? [bdi(step.device, "device"), " "] : null,
    bdi(label(step), "code"));
  $("prev").disabled = i === 0;
  $("next").disabled = i === D.steps.length - 1;
  stage();
  facts(step);
  if (domPanel.show) domPanel.show();
  if (elementsPanel.show) elementsPanel.show();
  if (seek && recording && step.cue !== undefined) seekTo(step.cue);
  if (seek) seekDevices(step);
  markRecording();
}

// nearest scrolls one list, not the page.
function nearest(list, el, across) {
  var a = list.getBoundingClientRect(), b = el.getBoundingClientRect();
  if (across) {
    if (b.left < a.left || b.right > a.right) list.scrollLeft += b.left - a.left - (a.width - b.width) / 2;
  }
  else if (b.top < a.top || b.bottom > a.bottom) list.scrollTop += b.top - a.top - (a.height - b.height) / 2;
}

// availableViews are the ways in which the screenshots of a step available be shown.
function availableViews(step) {
  return views.filter(function (v) {
    if (v === "devices") return several();
    return v === "side" || (v === "both" ? !!mainShot(step) && !!screenBefore(selected) : !!step.green &&
      !!mainShot(step) && (v !== "diff" || step.diff));
  });
}

// viewOf is the view that the URL names. Without one, a step that passed is shown with the screen before and after it.
function viewOf(step) {
  var v = hash.read().view, available = availableViews(step);
  if (available.indexOf(v) >= 0) return v;
  if (several()) return "devices";
  return step.green || problemOf(step) || available.indexOf("both") < 0 ? "side" : "both";
}

function nextView() {
  var step = D.steps[selected], available = step ? availableViews(step) : [];
  if (available.length < 2) return toast("This step has one screenshot, and none to compare it with.");
  hash.set({ view: available[(available.indexOf(viewOf(step)) + 1) % available.length] });
  stage();
}

function viewButtons(step) {
  var available = availableViews(step), names = { devices: "All devices", side: step.green ? "Side by side" : "After",
    both: "Before and after", swipe: "Swipe", diff: "Difference" };
  if (available.length < 2) return replace($("views"));
  replace($("views"), views.map(function (v) {
    var off = available.indexOf(v) < 0;
    if (off && !(v === "diff" && step.green)) return null;
    return h("button", { type: "button", cls: "chip", "aria-pressed": String(viewOf(step) === v), disabled: off,
      title: off ? step.noDiff : names[v] + " (d)",
      on: { click: function () { hash.set({ view: v }); stage(); } } }, names[v]);
  }), step.diff ? h("span", { cls: "quiet" }, changed(step.diff.changed) + " of the pixels differ") : step.noDiff &&
    h("span", { cls: "quiet" }, step.noDiff));
}

function changed(part) {
  if (part === 0) return "None";
  return part < 0.001 ? "Less than 0.1 %" : (100 * part).toFixed(part < 0.1 ? 1 : 0) + " %";
}

function stage() {
  var step = D.steps[selected];
  if (!step) return;
  viewButtons(step);
  var shot = mainShot(step), mode = viewOf(step);
  $("shots").classList.remove("ofdevices");
  if (mode === "swipe") return replace($("shots"), figure("Last green ↔ this run", "wide", swipe(step.green, shot)));
  if (mode === "diff") return replace($("shots"), figure("Marked: different from the last green run", "wide",
    frame({ src: step.diff.src, w: shot.w, h: shot.h }, "Difference from the last green run: " +
    changed(step.diff.changed) + " of the pixels", [])));
  var figures = mode === "devices" ? deviceFigures(step) :
    mode === "both" ? bothSides(step, shot) : sideBySide(step, shot);
  $("shots").style.setProperty("--count", figures.length);
  $("shots").classList.toggle("many", figures.length > 1);
  $("shots").classList.toggle("ofdevices", mode === "devices");
  replace($("shots"), figures);
}

// bothSides shows the screen before a step and after it.
function bothSides(step, shot) {
  var prior = screenBefore(selected);
  return [figure(step.point ? "Before: touched here" : "Before it", "",
    frame(prior.shot, "Screen before step " + step.n, marksOf(step, prior.shot)), prior.shot),
    figure(shot.failure ? "After it, when it failed" : "After it", problemOf(step) ? "bad" : "",
      frame(shot, "Screen after step " + step.n + ": " + WORD[step.result], nearMarks(step, shot)), shot)];
}

function sideBySide(step, shot) {
  var out = baseline(step), prior = step.point || step.result === "unreached" || !shot ? screenBefore(selected) : null;
  if (step.point && prior) out.push(figure("Before: touched here", "",
    frame(prior.shot, "Screen before step " + step.n + ", with the element and the point of the touch",
    marksOf(step, prior.shot)), prior.shot));
  if (shot) {
    var marks = step.point && prior ? [] : marksOf(step, shot);
    marks = marks.concat(nearMarks(step, shot));
    var title = shot.failure ? "This run, when it failed" : "This run, after it";
    out.push(figure(title, problemOf(step) ? "bad" : "", frame(shot, "The screen of this run, step " + step.n + ": " +
      WORD[step.result], marks), shot));
  } else if (prior && !step.point) {
    out.push(figure("The last screen before it, after step " + prior.step.n, "pale",
      frame(prior.shot, "Screen after step " + prior.step.n, []), prior.shot));
  }
  if (step.green) out.push(figure(["Last green", h("span", { cls: "long" }, ", " + D.green.run)], "good",
    frame(step.green, "The same step in the last green run", []), step.green));
  (step.shots || []).forEach(function (s) { if (s.missing) out.push(h("p", { cls: "quiet" }, bdi(s.missing))); });
  if (!out.length) out.push(h("p", { cls: "quiet" }, step.result === "unreached" ?
    "The test ended before this step." : "There is no screenshot of this step."));
  return out;
}

// baseline shows what assertScreenshot compared: the expected image, the screen, and the difference.
function baseline(step) {
  return (step.compared ? step.compared.pictures : []).map(function (p) {
    var title = p.title + (p.title === "Difference" ? ": " + step.compared.said : " (" + step.compared.name + ")");
    if (p.shot.missing) return h("p", { cls: "quiet" }, bdi(p.shot.missing));
    return figure(title, p.title === "Expected" ? "good" : p.title === "Difference" ? "bad" : "",
      frame(p.shot, p.title + ", " + step.compared.name, []), p.shot);
  });
}

function strip() {
  var any = false;
  D.steps.forEach(function (step, i) {
    var shot = mainShot(step);
    if (!shot) return;
    any = true;
    var thumb = h("button", { type: "button", cls: "thumb s-" + step.result, title: step.n + " " + label(step),
      on: { click: function () { select(i, true); } } },
      shot.small ? h("img", { src: shot.small, alt: "", width: shot.w, height: shot.h, decoding: "async" }) :
        h("span", { cls: "blank", "aria-hidden": "true" }),
      h("span", { cls: "cap" }, h("span", { cls: "sr" }, "Step "), String(step.n),
        h("span", { cls: "sr" }, ", " + WORD[step.result])));
    rows[i].thumb = thumb;
    $("strip").append(thumb);
  });
  $("strip").hidden = !any;
}

function player() {
  firstPlayer();
  devicePlayers();
}

function firstPlayer() {
  if (!D.recording) return replace($("recording"), h("p", { cls: "quiet" }, "No recording: ",
    bdi(D.noRecording || "none was made"), "."));
  recording = h("video", { src: fileURL(D.recording.src), controls: true, preload: "metadata", playsinline: true,
    "aria-label": "Recording of the test" });
  recording.muted = true;
  var speed = h("button", { type: "button", cls: "chip", title: "Speed", on: { click: function () {
    recording.playbackRate = recording.playbackRate >= 4 ? 0.5 : recording.playbackRate * 2;
    speed.textContent = recording.playbackRate + "×";
  } } }, "1×");
  var about = D.recording.kind === "slideshow" ? "A slide show of the screenshots, each shown until the next one: " +
    D.recording.why + "." : D.platform === "web" ? "Recorded by the browser." : "Recorded by the device.";
  if (!D.recording.exact) about += " The times of some steps in it are computed, not measured.";
  $("recording").append(recording, h("div", { cls: "chapters", id: "chapters" }),
    h("div", { cls: "recordingfoot" }, speed, h("span", { cls: "quiet" }, bdi(about))));
  recording.addEventListener("loadedmetadata", chapters);
  recording.addEventListener("error", function () {
    replace($("recording"), h("p", { cls: "quiet" },
      "The recording cannot be played: its file is not next to this page, or this browser cannot read it."));
    recording = null;
  });
  recording.addEventListener("timeupdate", function () { if (!recording.seeking && !seekTo.asked) follow(false); });
  recording.addEventListener("seeked", function () {
    var ours = seekTo.asked;
    seekTo.asked = false;
    if (ours) markRecording();
    else follow(true);
  });
  captions();
}

// captions name the step that is shown.
function captions() {
  if (!window.VTTCue) return;
  var track = recording.addTextTrack("captions", "Steps", "en"),
    cued = D.steps.filter(function (s) { return s.cue !== undefined; });
  cued.slice(0, 2000).forEach(function (s, i) {
    var end = i + 1 < cued.length ? cued[i + 1].cue : s.cue + 3600;
    if (end > s.cue) track.addCue(new VTTCue(s.cue, end, s.n + "  " + label(s)));
  });
  track.mode = "hidden";
}

function seekTo(cue) {
  if (recording.readyState === 0) {
    recording.addEventListener("loadedmetadata", function () {
      if (recording) recording.currentTime = Math.min(cue, recording.duration || cue);
    }, { once: true });
    return;
  }
  seekTo.asked = true;
  recording.currentTime = Math.min(cue + 0.001, recording.duration || cue);
}

// follow moves the selection with the recording while it plays, and when the user moves it.
function follow(moved) {
  markRecording();
  if (recording.paused && !moved) return;
  var at = -1;
  D.steps.forEach(function (s, i) { if (s.cue !== undefined && s.cue <= recording.currentTime + 0.02) at = i; });
  if (at >= 0) select(at, false);
}

function chapters() {
  var length = recording.duration, host = $("chapters");
  if (!isFinite(length) || length <= 0) return;
  var chart = svg("svg", { viewBox: "0 0 1000 10", preserveAspectRatio: "none", "aria-hidden": "true" });
  var cued = D.steps.filter(function (s) { return s.cue !== undefined; });
  cued.forEach(function (s, i) {
    var end = i + 1 < cued.length ? cued[i + 1].cue : length;
    var x = 1000 * Math.min(1, s.cue / length), w = Math.max(0.5, 1000 * Math.min(1, end / length) - x - 1);
    var r = svg("rect", { x: x, y: 0, width: w, height: 10, class: "c-" + s.result });
    r.append(svg("title", {}));
    r.firstChild.textContent = s.n + " " + label(s);
    chart.append(r);
  });
  host.append(chart, h("span", { cls: "head", id: "head", "aria-hidden": "true" }));
  host.addEventListener("click", function (e) {
    var b = host.getBoundingClientRect();
    var t = length * (e.clientX - b.left) / b.width, at = -1;
    D.steps.forEach(function (s, i) { if (s.cue !== undefined && s.cue <= t) at = i; });
    if (at >= 0) select(at, false);
    seekTo(t);
  });
  markRecording();
}

function markRecording() {
  if (recording && $("head") &&
    recording.duration) $("head").style.left = 100 * recording.currentTime / recording.duration + "%";
}

function card(title, id) {
  var el = h("section", { cls: "card", id: id, tabindex: id ? "-1" : null }, h("h3", null, title));
  for (var i = 2; i < arguments.length; i++) add(el, arguments[i]);
  return el;
}

function row(name, value, cls) { return value ? [h("dt", null, name), h("dd", null, bdi(value, cls))] : null; }

function facts(step) {
  var cards = [];
  if (D.problem && (!D.at || step && step.n === D.at &&
    !step.problem)) cards.push(problemCard("Why the test did not pass", D.problem));
  if (step && step.problem) cards.push(problemCard(step.result === "skipped" ? "Why it was skipped" : "Why",
    step.problem));
  if (step) cards.push(incidentsCard(step), yamlCard(step), actionCard(step), logCard(step));
  cards.push(warningsCard(), costCard(), filesCard(step));
  replace($("facts"), cards.filter(Boolean));
}

// costCard shows how much of the device the app used, with a curve of each value.
function costCard() {
  if (!D.cost) return null;
  return card(D.costOf ? "What " + D.costOf + " cost the device" : "What the test cost", null,
    h("dl", { cls: "pairs" }, D.cost.map(function (c) {
    return [h("dt", null, c.name), h("dd", null, bdi(c.value), c.points && curve(c.points))];
  })));
}

function curve(points) {
  var top = Math.max.apply(null, points) || 1, ns = "http://www.w3.org/2000/svg",
    svg = document.createElementNS(ns, "svg"), line = document.createElementNS(ns, "polyline");
  svg.setAttribute("viewBox", "0 0 200 30");
  svg.setAttribute("class", "curve");
  svg.setAttribute("aria-hidden", "true");
  line.setAttribute("points", points.map(function (p, i) {
    return (200 * i / (points.length - 1)).toFixed(1) + "," + (29 - 28 * p / top).toFixed(1);
  }).join(" "));
  svg.append(line);
  return svg;
}

function problemCard(title, p) {
  var el = card(title, null, h("p", { cls: "message" }, bdi(p.expected && p.actual && p.headline || p.message)));
  if (p.expected || p.actual) el.append(h("dl", { cls: "pairs" }, row("Expected", p.expected),
    row("Actual", p.actual)));
  if (p.candidates) el.append(h("h4", null, "Nearest on the screen"),
    h("ol", { cls: "near" }, p.candidates.map(function (c, i) {
    return h("li", { cls: p.boxes && p.boxes[i] ? "boxed" : "" },
    h("span", null, bdi(c), p.rejected && p.rejected[i] ? h("span", { cls: "whynot" }, " – ", bdi(p.rejected[i])) :
    null)); })));
  if (p.stack) el.append(h("details", null, h("summary", null, "Stack"), h("pre", { tabindex: "0" }, p.stack)));
  return el;
}

// incidentsCard lists what else went wrong from one second before the step to one second after it.
function incidentsCard(step) {
  if (!step.around) return null;
  return card("Around the failure", null, h("ol", { cls: "incidents" }, step.around.map(function (in_) {
    return h("li", { cls: in_.cause ? "cause-line" : "" }, h("span", { cls: "off" }, in_.offset),
      h("span", { cls: "kind k-" + in_.kind }, in_.kind),
      h("span", { cls: "text" }, bdi(in_.text, "code"), in_.more ?
        h("details", null, h("summary", null, "Stack"), h("pre", { tabindex: "0" }, in_.more)) : null));
  })), h("p", { cls: "quiet" },
    "From one second before the step to one second after it; the offset is from the step's start."));
}

function yamlCard(step) {
  if (!step.place) return null;
  var seen = {}, lines = D.steps.slice(Math.max(0, step.n - 60), step.n + 60).filter(function (s) {
    if (!s.source || s.file !== step.file || Math.abs(s.line - step.line) > 4 || seen[s.line]) return false;
    return seen[s.line] = true;
  }).sort(function (a, b) { return a.line - b.line; });
  var pre = h("pre", { cls: "yaml", tabindex: "0" }), last = 0;
  lines.forEach(function (s) {
    if (last && s.line > last + 1) pre.append(h("span", { cls: "gap" }, "⋮\n"));
    last = s.line;
    pre.append(h("span", { cls: "ln" + (s.line === step.line ? " hit s-" + step.result : ""), id: "L" + s.line },
      h("span", { cls: "no" }, String(s.line).padStart(4)), " ", s.line === step.line ? marked(s.source, step) :
      bdi(s.source), "\n"));
  });
  var el = card("YAML", null, h("p", null, bdi(step.place, "code")), lines.length ? pre : null);
  el.firstChild.append(copyButton(step.place, "Copy place"));
  return el;
}

// marked shows where in its line a step starts, also where a long line is wrapped.
function marked(source, step) {
  var runes = Array.from(source), at = step.col - 1;
  if (!(at >= 0 && at < runes.length)) return bdi(source);
  return h("bdi", null, runes.slice(0, at).join(""), h("mark", { cls: "caret" },
    runes.slice(at, at + (step.caret || 1)).join("")), runes.slice(at + (step.caret || 1)).join(""));
}

// The results of a tap.
var PROOFS = {
  hit: "it was stationary and not covered", occluded: "another element covered it, so it was not tapped",
  moved: "it was moving, so it was not tapped", "no-effect": "it was hit, and nothing on the screen changed",
};

function proof(text) {
  var why = PROOFS[text.split(":")[0]];
  return why ? text + " (" + why + ")" : text;
}

function actionCard(step) {
  if (!step.matched && !step.screenReads && !step.notes && !step.troubles) return null;
  var reads = step.screenReads ? "read " + plural(step.screenReads, "time") : "";
  return card("What was done", null, h("dl", { cls: "pairs" }, row("Element", step.matched), row("Matched", step.tier),
    row("Touched", step.point && step.point.join(", ")), row("Proof", step.proof && proof(step.proof)),
    row("Screen", reads), row("Try on this screen", step.screenReads && D.run &&
      "taproot replay " + D.run + "/" + D.pack + " --step " + step.n + " --try 'assert: …'")),
    step.notes && h("ul", { cls: "notes" }, step.notes.map(function (n) { return h("li", null, bdi(n)); })),
    step.troubles && h("h4", null, "Console and network"),
    step.troubles && h("ul", { cls: "notes troubles" }, step.troubles.map(function (n) { return h("li", null, bdi(n));
      })));
}

function level(line) {
  var m = /^\d\d-\d\d [\d:.]+\s+\d+\s+\d+ ([VDIWEFA]) /.exec(line) ||
    /^\S+ (?:console )?(error|warning|uncaught)/.exec(line) ||
    /^\d{4}-\d\d-\d\d [\d:.]+ ([EF])  ?\S/.exec(line) ||
      /^\w{3} [ \d]\d [\d:.]+ .*?\[\d+\] <(Error|Fault|Critical)>:/.exec(line);
  if (!m) return "";
  return /^(E|F|A|error|uncaught|Error|Fault|Critical)$/.test(m[1]) ? "bad" : /^(W|warning)$/.test(m[1]) ? "warn" : "";
}

function logCard(step) {
  var log = logOf(step);
  if (!log) return null;
  var el = card("Log of this step"), l = step.log, whole = h("a",
    { href: fileURL(log.src), download: download(log.src) }, log.name);
  if (!log.lines && !log.why) return add(el, h("p", { cls: "quiet" }, whole,
    " is empty: the app logged nothing.")), el;
  if (log.why) return add(el, h("p", { cls: "quiet" }, "The log cannot be split into steps: ", bdi(log.why), ". ",
    whole)), el;
  if (l) {
    var pre = h("pre", { cls: "log", tabindex: "0", "aria-label": "Log lines" });
    function lines(list) { (list || []).forEach(function (t) { pre.append(h("bdi", { cls: level(t) }, t), "\n"); }); }
    lines(l.head);
    if (l.left) pre.append(h("span", { cls: "gap" }, "… " + plural(l.left, "line") + " left out …\n"));
    lines(l.tail);
    el.append(pre);
  } else {
    el.append(h("p", { cls: "quiet" }, step.result === "unreached" ? "The step was not reached." : step.around ?
      "Nothing was logged between the start of this step and that of the next; " +
      "what went wrong just before or after is above." : "Nothing was logged during this step."));
  }
  el.append(h("p", { cls: "quiet" }, whole, " has " + plural(log.lines, "line") +
    (log.how ? "; split " + log.how : "") + "."));
  return el;
}

function warningsCard() {
  var list = (D.warnings || []).filter(function (u) { return u.what !== "note"; }),
    notes = (D.warnings || []).filter(function (u) { return u.what === "note"; });
  var words = { skipped: "skipped", unreached: "not reached", warned: "failed, which the test allows" };
  function item(u) {
    var link = u.step ? h("a", { href: "#step-" + u.step }, u.to ? "Steps " + u.step + " to " + u.to : "Step " +
      u.step) : null;
    return h("li", null, link, link && " ", u.what !== "note" && (words[u.what] || u.what) + (u.text ? ": " : ""),
      bdi(u.text || ""));
  }
  function listOf(items) {
    var ul = h("ul", { cls: "notes" }, items.slice(0, 100).map(item));
    if (items.length > 100) ul.append(h("li", null, "… and " + (items.length - 100) + " more: see run.md"));
    return ul;
  }
  var el = card("Warnings", "warnings");
  el.append(list.length ? listOf(list) : h("p", { cls: "quiet" }, D.result === "pass" ?
    "Every step ran and was verified." : "No step was skipped or left out."));
  if (notes.length) el.append(h("h4", null, "Also"), listOf(notes));
  if (D.remarks) el.append(h("ul", { cls: "notes" }, D.remarks.map(function (r) { return h("li", null, bdi(r)); })));
  return el;
}

function filesCard(step) {
  var files = (step && step.files || []).concat(D.files || []);
  if (!files.length) return null;
  return card("Files", null, h("ul", { cls: "files" }, files.slice(0, 200).map(function (f) {
    return h("li", null, h("a", { href: fileURL(f.src), download: download(f.src) }, bdi(f.path)));
  })));
}
