// timePanel shows steps, network, console, recording, memory and CPU on one time axis. Its slider moves through the
// test.
function timePanel(host) {
  var length = Math.max(1, D.length, Math.max.apply(null,
    [1].concat(D.steps.map(function (s) { return (s.begin || 0) + (s.ms || 0); }))));
  var ran = D.steps.filter(function (s) { return s.took; }), lanes = [];
  function x(ms) { return 1000 * Math.max(0, Math.min(1, ms / length)); }
  function bar(from, ms, cls, title) {
    var r = svg("rect", { x: x(from), y: 3, width: Math.max(1.5, x(from + ms) - x(from)), height: 16, rx: 2,
      class: cls });
    var t = svg("title", {});
    t.textContent = title;
    r.append(t);
    return r;
  }
  function lane(name, parts, height) {
    if (!parts.length) return;
    var s = svg("svg", { viewBox: "0 0 1000 " + (height || 22), preserveAspectRatio: "none", "aria-hidden": "true",
      height: height || 22 });
    parts.forEach(function (p) { s.append(p); });
    lanes.push(h("div", { cls: "lane" }, h("span", { cls: "lanename" }, name), s));
  }
  var first = ran.length ? ran[0].begin || 0 : 0, last = ran[ran.length - 1], end = last ? (last.begin || 0) +
    (last.ms || 0) : 0, phases = [];
  if (first > 20) phases.push(bar(0, first, "b-setup", "Set-up: " + took(first)));
  if (length - end > 20) phases.push(bar(end, length - end, "b-setup", "After the last step: " + took(length - end)));
  lane("Set-up, end", phases);
  if (several()) deviceLanes(lane, bar);
  else lane("Steps", ran.filter(function (s) { return !hook(s); }).map(function (s) {
    return bar(s.begin || 0, s.ms || 0, "c-" + s.result, s.n + " " + label(s) + ", " + s.took);
  }));
  if (!several()) lane("Hooks", ran.filter(hook).map(function (s) {
    return bar(s.begin || 0, s.ms || 0, "c-" + s.result, s.n + " " + label(s) + ", " + s.took);
  }));
  lane("Network", (D.net ? D.net.requests : []).map(function (r) {
    return bar(r.at, r.ms, failedRequest(r) ? "c-fail" : "b-net", (r.status || "failed") + " " + r.method + " " +
      r.url + ", " + took(Math.round(r.ms)));
  }));
  lane(D.platform === "web" ? "Console" : "Log", troubles().map(function (t) {
    return bar(t.at, 0, t.level === "bad" ? "c-fail" : "c-error", t.text);
  }));
  if (recording && !isFinite(recording.duration)) recording.addEventListener("loadedmetadata", function () {
    if (slider.isConnected) { replace(host); timePanel(host); }
  }, { once: true });
  if (recording && isFinite(recording.duration)) {
    var cued = ran.find(function (s) { return s.cue !== undefined; });
    if (cued) lane("Recording", [bar((cued.begin || 0) - 1000 * cued.cue, 1000 * recording.duration, "b-net",
      "Recording")]);
  }
  (D.series || []).forEach(function (c) {
    var top = Math.max.apply(null, c.points.map(function (p) { return p[1]; })) || 1;
    lane(c.name + ", up to " + Math.round(top) + " " + c.unit, [svg("polyline", { points: c.points.map(function (p) {
      return x(p[0]).toFixed(1) + "," + (42 - 40 * p[1] / top).toFixed(1);
    }).join(" "), class: "curveline" })], 44);
  });
  var cursor = h("span", { cls: "cursor", "aria-hidden": "true" }),
    caption = h("p", { cls: "quiet", "aria-live": "polite" }), screens = h("div", { cls: "shots lookat" });
  var slider = h("input", { type: "range", min: "0", max: String(length), step: "10",
    "aria-label": "Time in the test, milliseconds", cls: "scrub", on: { input: function () { to(+slider.value); } } });
  function to(ms) {
    cursor.style.left = x(ms) / 10 + "%";
    var i = -1;
    D.steps.forEach(function (s, k) { if (s.took && (s.begin || 0) <= ms) i = k; });
    if (i < 0) { caption.textContent = (ms / 1000).toFixed(1) + " s: before the first step"; return replace(screens); }
    var s = D.steps[i], prior = screenBefore(i), shot = mainShot(s);
    slider.setAttribute("aria-valuetext", (ms / 1000).toFixed(1) + " seconds, step " + s.n);
    replace(caption, (ms / 1000).toFixed(1) + " s: ", stepLink(s.n), " ", bdi(label(s), "code"));
    if (several()) {
      replace(screens, deviceScreens(ms));
      screens.style.setProperty("--count", D.devices.length);
      return select(i, true);
    }
    replace(screens, prior ? figure("Before it", "", frame(prior.shot, "Screen before step " + s.n,
      marksOf(s, prior.shot)), prior.shot) : null, shot ? figure("After it", problemOf(s) ? "bad" : "",
      frame(shot, "Screen after step " + s.n, []), shot) : null);
    screens.style.setProperty("--count", 2);
    select(i, true);
  }
  var ticks = h("div", { cls: "ticks", "aria-hidden": "true" });
  for (var k = 0; k <= 4; k++) ticks.append(h("span", null, (length * k / 4000).toFixed(1) + " s"));
  add(host, [h("h2", null, "Timeline"), h("div", { cls: "lanes" }, lanes,
    h("div", { cls: "lane" }, h("span", { cls: "lanename" }, "Scrub"), h("div", { cls: "scrubber" }, slider, ticks)),
    h("div", { cls: "over_" }, cursor)), caption, screens]);
  var at = D.steps[selected];
  slider.value = String(at && at.begin || 0);
  to(+slider.value);
}

// hook reports whether a step belongs to a hook of the test.
function hook(s) { return !!s.in && /^(before|after|onFailure)$/.test(s.in[0]); }

// troubles are the warnings and errors of the log with their own time, or that of their step.
function troubles() {
  var out = [], origin = null;
  D.steps.forEach(function (s) {
    if (!s.log) return;
    (s.log.head || []).concat(s.log.tail || []).forEach(function (t) {
      var l = level(t), m = /^(\d{4}-\S+Z) /.exec(t);
      if (!l || out.length > 500) return;
      if (m && origin === null) origin = Date.parse(D.startedAt || "");
      var at = m && origin ? Date.parse(m[1]) - origin : s.begin || 0;
      out.push({ at: at, level: l, text: t });
    });
  });
  return out;
}
