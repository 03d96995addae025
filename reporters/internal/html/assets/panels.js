// The panels next to the steps. The URL keeps which one is shown and its filter.
var PANELS = { timeline: timePanel, network: networkPanel, log: logPanel, dom: domPanel, elements: elementsPanel,
  history: historyPanel, environment: environmentPanel, trace: tracePanel };

function panelList() {
  var list = [["steps", "Steps"]], bad = D.net ? D.net.requests.filter(failedRequest).length : 0;
  if (D.length && D.steps.some(function (s) { return s.took; })) list.push(["timeline", "Timeline"]);
  if (D.net) list.push(["network", "Network", bad ? bad + " failed" :
    String(D.net.requests.length + (D.net.more || 0))]);
  if (D.log && D.log.lines) list.push(["log", D.platform === "web" ? "Console" : "Log", String(D.log.lines)]);
  if (D.dom) list.push(["dom", "DOM"]);
  if (D.elements) list.push(["elements", "Elements"]);
  if (D.past) list.push(["history", "History", String(D.past.length)]);
  if (D.environment) list.push(["environment", "Environment"]);
  if (D.trace) list.push(["trace", "Trace"]);
  return list;
}

function panels() {
  var list = panelList(), names = list.map(function (p) { return p[0]; });
  var tabs = list.map(function (p) {
    return h("button", { type: "button", role: "tab", id: "tab-" + p[0], cls: "tab",
      "aria-controls": p[0] === "steps" ? "panel-steps" : "panel", on: { click: function () { open(p[0]); } } }, p[1],
      p[2] ? h("span", { cls: "count" }, p[2]) : null);
  });
  replace($("panels"), tabs);
  $("panels").addEventListener("keydown", function (e) {
    var by = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
    if (!by) return;
    var at = (names.indexOf(current()) + by + names.length) % names.length;
    e.preventDefault();
    open(names[at]);
    tabs[at].focus();
  });
  var drawn = "";
  function current() { var p = hash.read().panel; return names.indexOf(p) > 0 ? p : "steps"; }
  function draw() {
    var name = current();
    tabs.forEach(function (t, i) {
      t.setAttribute("aria-selected", String(names[i] === name));
      t.tabIndex = names[i] === name ? 0 : -1;
    });
    nearest($("panels"), tabs[names.indexOf(name)], true);
    $("panel-steps").hidden = name !== "steps";
    $("panel").hidden = name === "steps";
    $("panel").setAttribute("aria-labelledby", "tab-" + name);
    if (name === drawn) return;
    drawn = name;
    if (recording && name !== "steps") recording.pause();
    replace($("panel"));
    if (PANELS[name]) PANELS[name]($("panel"));
  }
  function open(name) { hash.set({ panel: name === "steps" ? "" : name }); draw(); }
  panels.open = open;
  addEventListener("hashchange", draw, { signal: pageAbort.signal });
  draw();
}

// toStep leaves the panel and shows a step.
function toStep(n) {
  var i = D.steps.findIndex(function (s) { return s.n === n; });
  if (i >= 0) { panels.open("steps"); select(i, true); }
}

function stepLink(n) {
  return n ? h("button", { type: "button", cls: "linkish", on: { click: function () { toStep(n); } } }, "Step " + n) :
    "–";
}

// filterBar is a search field with chips. The URL keeps their state under two names.
function filterBar(label, keyText, keyChip, chips, show) {
  var state = hash.read(), input = h("input", { type: "search", placeholder: label, "aria-label": label }),
    host = h("div", { cls: "chips", role: "group", "aria-label": "Show" });
  input.value = state[keyText] || "";
  function draw() {
    var picked = hash.read()[keyChip] || "";
    replace(host, chips.map(function (c) {
      return chip(c[0], c[1], picked === c[0], function () {
        var set = {};
        set[keyChip] = picked === c[0] ? "" : c[0];
        hash.set(set);
        draw();
      });
    }));
    show(input.value.trim().toLowerCase(), picked);
  }
  input.addEventListener("input", debounce(function () {
    var set = {};
    set[keyText] = input.value;
    hash.set(set);
    draw();
  }));
  return { el: h("div", { cls: "filters wide", role: "search" }, input, host), draw: draw };
}

function failedRequest(r) { return r.status === 0 || r.status >= 400; }

function bytes(n) {
  return n < 0 ? "–" : n < 1024 ? n + " B" : n < 1048576 ? (n / 1024).toFixed(1) + " kB" : (n / 1048576).toFixed(1) +
    " MB";
}

function networkPanel(host) {
  if (D.net.why) return host.append(h("p", { cls: "quiet" }, bdi(D.net.why)));
  var end = Math.max.apply(null, [1].concat(D.net.requests.map(function (r) { return r.at + r.ms; }))),
    start = Math.min.apply(null, [end].concat(D.net.requests.map(function (r) { return r.at; })));
  var rows = h("tbody"), count = h("p", { cls: "quiet", "aria-live": "polite" });
  var kinds = { failed: failedRequest, fetch: function (r) { return r.kind === "fetch" || r.kind === "xhr"; },
    document: function (r) { return r.kind === "document"; }, script: function (r) { return r.kind === "script"; },
    image: function (r) { return r.kind === "image"; } };
  var chips = [["failed", "Failed"], ["fetch", "Fetch"], ["document", "Document"], ["script", "Script"],
    ["image", "Image"]].filter(function (c) { return D.net.requests.some(kinds[c[0]]); });
  var bar = filterBar("Filter by URL, method, status or type", "nq", "nf", chips, function (q, kind) {
    var shown = D.net.requests.filter(function (r) {
      return (!kinds[kind] || kinds[kind](r)) && (!q || [r.method, r.status, r.url, r.kind, r.type,
        r.error].join(" ").toLowerCase().indexOf(q) >= 0);
    });
    count.textContent = shown.length + " of " + plural(D.net.requests.length, "request") +
      (D.net.more ? "; " + D.net.more + " more are in network.har" : "");
    replace(rows, shown.map(function (r) { return requestRow(r, start, end); }));
  });
  add(host, [h("h2", null, "Network"), bar.el, count, h("div",
    { cls: "scroll", tabindex: "0", role: "region", "aria-label": "Requests" }, h("table", { cls: "grid" },
    h("thead", null, h("tr", null, ["Status", "Method", "URL", "Kind", "Size", "Time", "Step", "When"].map(heading))),
      rows))]);
  bar.draw();
}

function heading(t) { return h("th", { scope: "col", cls: t === "Size" || t === "Time" ? "num" : "" }, t); }

function requestRow(r, start, end) {
  var details = null, span = Math.max(1, end - start), line = h("span", { cls: "wire" },
    h("span", { cls: failedRequest(r) ? "bad" : "" }));
  line.firstChild.style.marginInlineStart = 100 * (r.at - start) / span + "%";
  line.firstChild.style.width = Math.max(0.5, 100 * r.ms / span) + "%";
  var toggle = h("button", { type: "button", cls: "linkish address", "aria-expanded": "false",
    on: { click: function () {
    if (details) { details.remove(); details = null; } else {
      details = h("tr", { cls: "details" }, h("td", { colspan: "8" }, requestDetails(r)));
      tableRow.after(details);
    }
    toggle.setAttribute("aria-expanded", String(!!details));
  } } }, bdi(r.url));
  var tableRow = h("tr", { cls: failedRequest(r) ? "bad" : "" }, h("td", null, r.status || "failed"),
    h("td", null, r.method), h("td", { cls: "where_" }, toggle), h("td", null, r.kind || ""),
    h("td", { cls: "num" }, bytes(r.size)), h("td", { cls: "num" }, took(Math.round(r.ms))),
    h("td", null, stepLink(r.step)), h("td", { "aria-hidden": "true" }, line));
  return tableRow;
}

function requestDetails(r) {
  function list(title, pairs) {
    return pairs && [h("h4", null, title), h("dl", { cls: "pairs" }, pairs.map(function (p) {
      return [h("dt", null, bdi(p[0])), h("dd", null, bdi(p[1], "code"))];
    }))];
  }
  var sum = 0;
  (r.timings || []).forEach(function (t) { sum += t.ms; });
  return h("div", { cls: "request" }, r.error ? h("p", { cls: "c-fail" }, bdi(r.error)) : null,
    r.timings && [h("h4", null, "Timing"), h("div", { cls: "timings" }, r.timings.map(function (t) {
      var p = h("span", { cls: "t-" + t.name }, t.name + " " + took(Math.round(t.ms)));
      p.style.flexGrow = Math.max(0.05, t.ms / sum);
      return p;
    }))],
    list("Request headers", r.asked), r.body ? [h("h4", null, "Request body"),
      h("pre", { cls: "log", tabindex: "0" }, r.body)] : null, list("Response headers", r.answered),
      h("p", { cls: "quiet" }, "Bodies of responses are not kept."));
}

// logPanel shows all log lines of the page, with their steps.
function logPanel(host) {
  var lines = [], pre = h("pre", { cls: "log tall", tabindex: "0", "aria-label": "Log lines" }),
    count = h("p", { cls: "quiet", "aria-live": "polite" }), left = 0;
  D.steps.forEach(function (s) {
    var l = s.log;
    if (!l) return;
    left += l.left || 0;
    (l.head || []).concat(l.tail || []).forEach(function (t) {
      lines.push({ text: t, step: s.n, level: level(t), lowerText: t.toLowerCase() });
    });
  });
  var chips = [["bad", "Errors"], ["warn", "Warnings"]].filter(function (c) {
    return lines.some(function (l) { return l.level === c[0]; });
  });
  var bar = filterBar("Filter lines", "lq", "lf", chips, function (q, only) {
    var shown = lines.filter(function (l) {
      return (!only || l.level === only) && (!q || l.lowerText.indexOf(q) >= 0);
    }), last = 0, part = document.createDocumentFragment();
    shown.slice(0, 3000).forEach(function (l) {
      if (l.step !== last) part.append(h("span", { cls: "gap" }, "Step " + l.step + "\n"));
      last = l.step;
      part.append(h("bdi", { cls: l.level }, l.text), "\n");
    });
    replace(pre, part);
    count.textContent = shown.length + " of " + plural(lines.length, "line") +
      (left ? "; " + left + " more are in " + D.log.name : "");
  });
  add(host, [h("h2", null, D.platform === "web" ? "Console" : "Log"), bar.el, count, D.log.why ?
    h("p", { cls: "quiet" }, bdi(D.log.why)) : null, pre, h("p", { cls: "quiet" },
    h("a", { href: fileURL(D.log.src), download: download(D.log.src) }, D.log.name), D.log.how ?
    " was split into steps " + D.log.how + "." : "")]);
  bar.draw();
}

// elementsPanel shows the tree that a step saw next to its screenshot: what matched, what nearly matched, and why it
// was
// not picked.
function elementsPanel(host) {
  var head = h("h2", { "aria-live": "polite" }), body = h("div", { cls: "elements" }), latest = 0;
  var previous = h("button", { type: "button", cls: "tool", title: "Previous step (k)",
    on: { click: function () { move(-1); } } }, "‹", h("span", { cls: "sr" }, "Previous step"));
  var next = h("button", { type: "button", cls: "tool", title: "Next step (j)",
    on: { click: function () { move(1); } } }, "›", h("span", { cls: "sr" }, "Next step"));
  add(host, [h("div", { cls: "stagehead" }, previous, next, head), body]);
  elementsPanel.show = function () {
    var step = D.steps[selected], request = ++latest;
    if (!body.isConnected || !step) return;
    replace(head, icon(step.result), " Elements that step " + step.n + " saw last ", bdi(label(step), "code"));
    previous.disabled = selected === 0;
    next.disabled = selected === D.steps.length - 1;
    if (step.n === D.elements.step) return treeOf(body, step, D.elements);
    if (!step.tree) return replace(body, h("p", { cls: "quiet" },
      "This step did not read the elements of the screen."));
    if (step.tree < 0) return replace(body, h("p", { cls: "quiet" },
      "They are too large for this page: they are in the pack, in artifacts/tree-NN.json."));
    unpack(D.trees[step.tree - 1]).then(function (tree) { if (request === latest) treeOf(body, step, tree); },
      function (err) { if (request === latest) replace(body,
      h("p", { cls: "quiet" }, "The elements cannot be shown: " + err.message)); });
  };
  elementsPanel.show();
  if (!body.childNodes.length || D.steps[selected] && !D.steps[selected].tree &&
    D.steps[selected].n !== D.elements.step) select(D.steps.findIndex(function (s) { return s.n === D.elements.step;
    }), true, true);
}

function treeOf(host, step, data) {
  if (data.why) return replace(host, h("p", { cls: "quiet" }, bdi(data.why)));
  var at = D.steps.indexOf(step), shot = step.bounds || step.point ? (screenBefore(at) || {}).shot || mainShot(step) :
    mainShot(step) || (screenBefore(at) || {}).shot;
  var screen = shot && frame(shot, "The screen of step " + data.step, [svg("g", { id: "spot" })]),
    list = h("ul", { cls: "tree", "aria-label": "Elements" }), count = h("p", { cls: "quiet", "aria-live": "polite" });
  function spot(n) {
    var g = screen && screen.querySelector("#spot");
    if (!g) return;
    g.textContent = "";
    if (n) g.append(box(n.b, "match"));
  }
  var bar = filterBar("Filter elements by type, text or id", "eq", "ef",
    [["near", "Near the target"], ["says", "With a text"]], function (q, only) {
    var shown = data.nodes.filter(function (n) {
      return (only !== "near" || n.n || n.m) && (only !== "says" || n.t || n.c) &&
        (!q || [n.y, n.t, n.c, n.i, n.h].join(" ").toLowerCase().indexOf(q) >= 0);
    });
    count.textContent = shown.length + " of " + plural(data.nodes.length, "element") +
      (data.more ? "; " + data.more + " more are in the pack" : "");
    replace(list, shown.map(function (n) {
      var b = h("button", { type: "button", cls: "node" + (n.m ? " is-match" : n.n ? " is-near" : ""),
        on: { mouseenter: function () { spot(n); }, focus: function () { spot(n); },
        click: function () { spot(n); } } },
        h("b", null, n.y || "element"), n.t ? bdi(" \u201c" + n.t + "\u201d") : null, n.c ?
          bdi(" desc \u201c" + n.c + "\u201d") : null, n.h ? bdi(" hint \u201c" + n.h + "\u201d") : null, n.i ?
          bdi(" #" + n.i, "file") : null, n.f ? h("span", { cls: "quiet" }, " " + n.f.join(" ")) : null,
        n.m ? [" ", h("span", { cls: "flag" }, "matched")] : null, n.n ? " " : null, n.n ?
          h("span", { cls: "flag warn" }, "candidate " + n.n + (n.why ? ": " : "")) : null, n.why ?
          bdi(n.why, "whynot") : null);
      b.style.paddingInlineStart = 8 + 14 * Math.min(n.d, 24) + "px";
      return h("li", null, b);
    }));
  });
  replace(host, step.problem ? h("p", { cls: "message" }, bdi(step.problem.headline || step.problem.message)) : null,
    bar.el, count,
    h("div", { cls: "inspect" }, list, screen ? h("div", { cls: "inspected" }, screen) : null));
  bar.draw();
  spot(data.nodes.find(function (n) { return n.m; }));
}

function historyPanel(host) {
  var most = Math.max.apply(null, [1].concat(D.past.map(function (p) { return p.ms; })));
  add(host, [h("h2", null, "History"), D.story ? [h("p", null, "This version of the test ", D.story.rate, "."),
    D.story.first ? h("p", null, "It ", D.story.first, ".") : null, D.story.steps ?
    h("ul", { cls: "notes" }, D.story.steps.map(function (s) { return h("li", null, s); })) : null] : null,
    h("div", { cls: "scroll", tabindex: "0", role: "region", "aria-label": "Runs" },
      h("table", { cls: "grid" }, h("thead", null, h("tr", null,
      ["Run", "Result", "Time", "Commit", "Duration"].map(heading))),
      h("tbody", null, D.past.slice().reverse().map(function (p) {
        var bar = h("span", { cls: "wire" }, h("span", { cls: problemOf(p) ? "bad" : "" }));
        bar.firstChild.style.width = Math.max(0.5, 100 * p.ms / most) + "%";
        return h("tr", { cls: p.now ? "now" : "" }, h("td", { cls: "whole" }, p.link ?
          h("a", { href: p.link }, p.run) : bdi(p.run || "this run"), p.now ? " (this run)" : ""),
          h("td", { cls: "whole" }, icon(p.result), " ", WORD[p.result]), h("td", { cls: "num" }, took(p.ms)),
          h("td", null, bdi(p.commit || "–", "code")), h("td", { "aria-hidden": "true" }, bar));
      }))))]);
}

function environmentPanel(host) {
  add(host, [h("h2", null, "Environment"), h("dl", { cls: "pairs" }, D.environment.map(function (f) {
    return [h("dt", null, f.name), h("dd", null, f.link ? h("a", { href: f.link, rel: "noopener" }, f.value) :
      bdi(f.value))];
  }))]);
}

// tracePanel links to Playwright's viewer if the report is served, and otherwise explains how to open it.
function tracePanel(host) {
  var command = "taproot report open " + (D.run ? D.run + "/" : "") + D.pack;
  add(host, [h("h2", null, "Trace"), h("p", null,
    "Playwright's trace shows every action with the page at that time: DOM, styles, network, console."),
    location.protocol === "http:" ? h("p", null, h("a",
      { cls: "tool", href: "/trace/index.html?trace=" + encodeURIComponent(new URL(D.trace, location.href).href),
      target: "_blank", rel: "noopener" }, "Open the trace")) :
      h("p", null, "It cannot be opened from a file. Run ", h("code", { cls: "code" }, command), " ",
      copyButton(command), " and open this page there, or use ",
      h("code", { cls: "code" }, "npx playwright show-trace"), "."),
    h("p", null, h("a", { href: fileURL(D.trace), download: download(D.trace) }, "artifacts/trace.zip"))]);
}
