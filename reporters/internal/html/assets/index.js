var FULL = { p: "pass", f: "fail", e: "error", s: "skipped", x: "expected", i: "interrupted",
  u: "unreached" };
var RANK = { f: 0, e: 1, i: 2, x: 3, s: 4, p: 5 };

// longList draws the first rows, and more of them as they are scrolled into view.
function longList(host, draw) {
  var list = [], drawn = 0, more = h("li", { cls: "sentinel", "aria-hidden": "true" });
  function grow() {
    var part = document.createDocumentFragment(), end = Math.min(list.length, drawn + 150);
    for (; drawn < end; drawn++) part.append(draw(list[drawn], drawn));
    host.insertBefore(part, more);
    more.hidden = drawn >= list.length;
  }
  var seen = new IntersectionObserver(function (entries) {
    if (entries.some(function (e) { return e.isIntersecting; })) {
      grow();
      if (!more.hidden) { seen.unobserve(more); seen.observe(more); }
    }
  }, { rootMargin: "900px" });
  seen.observe(more);
  return {
    show: function (rows) { list = rows; drawn = 0; replace(host, more); grow(); },
    upTo: function (i) { while (drawn <= i && drawn < list.length) grow(); return host.children[i]; },
    size: function () { return list.length; }
  };
}

// debounce calls f when typing stops for a moment.
function debounce(f) {
  var timer;
  return function () { clearTimeout(timer); timer = setTimeout(f, 60); };
}

// historyDots shows the results of a test in earlier runs and, with now, in this one, which is framed.
function historyDots(text, retried, now) {
  text = (text || "") + (now || "");
  if (!text.trim()) return null;
  var el = h("span", { cls: "spark", role: "img", "aria-label": (now ? "Earlier runs and this one" : "Runs") +
    ", oldest first: " + text.split("").map(function (c) { return c === " " ? "did not run" :
    WORD[FULL[c]].toLowerCase(); }).join(", ") });
  text.split("").forEach(function (c, i) {
    el.append(h("span", { cls: (c === " " ? "sq none" : "sq q-" + FULL[c]) +
      (now && i === text.length - 1 ? " now" : ""), title: retried && retried[i] !== " " ? retried[i] + " attempts" :
      null }, retried && retried[i] !== " " ? retried[i] : ""));
  });
  return el;
}

function chip(name, text, on, pick) {
  return h("button", { type: "button", cls: "chip", "aria-pressed": String(on), "data-chip": name,
    on: { click: pick } }, text);
}

function runPage() {
  var state = hash.read(), only = { f: function (r) { return "fei".indexOf(r.v) >= 0; },
    pass: function (r) { return r.v === "p"; }, skipped: function (r) { return r.v === "s"; },
    expected: function (r) { return r.v === "x"; },
    flaky: function (r) { return r.y; }, slow: function (r) { return r.w; },
      warnings: function (r) { return r.u && r.v === "p"; } };
  var names = { f: "Problems", pass: "Passed", skipped: "Skipped", expected: "Failed as expected", flaky: "Flaky",
    slow: "Slow",
    warnings: "Passed with warnings" };
  D.rows.forEach(function (r, i) {
    r.at = i;
    r.text = [r.t, r.n, D.words[r.p - 1], D.words[r.d - 1], D.words[r.f - 1], (r.g || []).join(" "), r.c &&
      D.causes[r.c - 1].headline, r.o].join(" ").toLowerCase();
  });
  var at = -1, shown = [];
  var list = longList($("rows"), testRow);

  function show() {
    state = hash.read();
    var q = ($("filter").value || "").trim().toLowerCase().split(/\s+/).filter(Boolean), test = only[state.only],
      cause = +state.cause || 0;
    var minMS = parseFloat(state.slower) * 1000 || 0;
    shown = D.rows.filter(function (r) {
      return (!test || test(r)) && (!cause || r.c === cause) && (!minMS || r.m > minMS) && picks.every(function (p) {
        return !state[p.key] || p.of(r).indexOf(state[p.key]) >= 0;
      }) && q.every(function (w) { return r.text.indexOf(w) >= 0; });
    });
    var order = { "": function (a, b) { return RANK[a.v] - RANK[b.v] || a.at - b.at; },
      slow: function (a, b) { return b.m - a.m; },
      browser: function (a, b) {
        var x = D.words[a.d - 1] || "", y = D.words[b.d - 1] || "";
        return x < y ? -1 : x > y ? 1 : RANK[a.v] - RANK[b.v] || a.at - b.at;
      },
      name: function (a, b) { return a.t < b.t ? -1 : a.t > b.t ? 1 : 0; } }[state.sort || ""];
    if (order) shown.sort(order);
    list.show(shown);
    at = -1;
    $("count").textContent = shown.length === D.rows.length ? plural(shown.length, "test") : shown.length + " of " +
      plural(D.rows.length, "test");
    replace($("chips"), Object.keys(only).map(function (name) {
      var n = D.rows.filter(only[name]).length;
      return n ? chip(name, names[name] + " " + n, state.only === name, function () {
        pick({ only: hash.read().only === name ? "" : name });
      }) : null;
    }), cause ? chip("cause", "Cause " + cause + " ×", true, function () { pick({ cause: "" }); }) : null);
    document.querySelectorAll(".cause").forEach(function (el) {
      el.classList.toggle("picked", +el.dataset.cause === cause);
    });
  }
  var picks = [{ key: "tag", label: "Tag", of: function (r) { return r.g || []; } },
    { key: "platform", label: "Platform", of: function (r) { return [D.words[r.p - 1]]; } },
    { key: "device", label: D.rows.every(function (r) { return D.words[r.p - 1] === "web"; }) ? "Browser" : "Device",
      of: function (r) { return [D.words[r.d - 1]]; } }, { key: "file", label: "File",
      of: function (r) { return [D.words[r.f - 1]]; } }];
  picks.forEach(function (p) {
    var seen = {};
    D.rows.forEach(function (r) { p.of(r).forEach(function (v) { if (v) seen[v] = true; }); });
    var values = Object.keys(seen).sort();
    if (values.length < 2 && !state[p.key]) return;
    p.select = h("select", { on: { change: function () { var set = {}; set[p.key] = p.select.value; pick(set); } } },
      h("option", { value: "" }, "all"), values.slice(0, 500).map(function (v) { return h("option", { value: v }, v);
      }));
    $("picks").append(h("label", { cls: "sort" }, p.label, p.select));
  });
  var slower = h("input", { type: "number", min: "0", step: "any", cls: "seconds", on: { input: debounce(function () {
    hash.set({ slower: slower.value });
    show();
  }) } });
  $("picks").append(h("label", { cls: "sort" }, "Slower than", slower, "s"));
  function pick(changes) { hash.set(changes); show(); }
  function fromHash() {
    state = hash.read();
    $("filter").value = state.q || "";
    slower.value = state.slower || "";
    picks.forEach(function (p) { if (p.select) p.select.value = state[p.key] || ""; });
    $("sort").value = ["file", "slow", "name", "browser"].indexOf(state.sort) >= 0 ? state.sort : "";
    show();
  }
  function step(by) {
    if (!shown.length) return;
    at = Math.max(0, Math.min(shown.length - 1, at + by));
    var a = list.upTo(at).querySelector("a");
    if (a) { a.focus(); a.scrollIntoView({ block: "nearest" }); }
  }

  shareBar();
  causes(pick);
  $("filter").addEventListener("input", debounce(function () { hash.set({ q: $("filter").value }); show(); }));
  $("sort").addEventListener("change", function () { pick({ sort: $("sort").value }); });
  addEventListener("hashchange", fromHash);
  keys({ j: function () { step(1); }, k: function () { step(-1); }, f: function () {
    pick({ only: hash.read().only === "f" ? "" : "f" });
  },
    "/": function () { $("filter").focus(); }, "?": function () { $("help").showModal(); } });
  fromHash();
}

function shareBar() {
  var c = D.counts, parts = [["pass", c.passed], ["fail", c.failed], ["error", c.errored + c.interrupted],
    ["expected", c.expected], ["skipped", c.skipped]];
  parts.forEach(function (p) {
    if (!p[1]) return;
    var el = h("span", { cls: "q-" + p[0] });
    el.style.flexGrow = p[1];
    $("share").append(el);
  });
}

function causes(pick) {
  if (!D.causes) return;
  var cards = D.causes.map(function (c, i) {
    var tests = D.rows.filter(function (r) { return r.c === i + 1; });
    var el = h("li", { cls: "cause v-" + c.result, "data-cause": i + 1 },
      c.small ? h("img", { src: c.small, alt: c.alt, loading: "lazy", on: { load: function (e) {
        e.target.classList.toggle("wide", e.target.naturalWidth > e.target.naturalHeight);
      } } }) : h("span", { cls: "noshot" }, "no screenshot"),
      h("div", { cls: "causetext" },
        h("p", { cls: "causehead" }, bdi(c.headline)),
        h("p", { cls: "quiet" }, "Cause " + (i + 1) + " · ",
          h("button", { type: "button", cls: "linkish", on: { click: function () { pick({ cause: i + 1 });
          $("tests").scrollIntoView(); } } }, plural(c.tests, "test"))),
        h("ul", { cls: "few" }, tests.slice(0, 5).map(function (r) {
          return h("li", null, r.l ? h("a", { href: r.l + (r.e ? "#step-" + r.e : "") }, bdi(r.t)) : bdi(r.t), r.f ?
            bdi(D.words[r.f - 1].split("/").pop() + (r.i ? ":" + r.i : ""), "file") : null);
        }), tests.length > 5 ? h("li", { cls: "quiet" }, "and " + (tests.length - 5) + " more") : null)));
    return el;
  });
  var host = h("ol", { cls: "causes" }, cards.slice(0, 12));
  add($("causes"), [h("h2", null, "What broke"), host]);
  if (cards.length > 12) {
    var more = h("button", { type: "button", cls: "chip", on: { click: function () {
      host.append(...cards.slice(12));
      more.remove();
    } } }, "Show all " + cards.length + " causes");
    $("causes").append(more);
  }
}

function testRow(r) {
  var words = [D.words[r.p - 1], D.words[r.d - 1]].filter(Boolean).join(" · ");
  var name = r.l ? h("a", { href: r.l + (r.e ? "#step-" + r.e : "") }, bdi(r.t)) : bdi(r.t);
  var flags = [];
  if (r.y) flags.push(h("span", { cls: "flag warn", title: r.y }, "flaky"));
  if (r.w) flags.push(h("span", { cls: "flag warn", title: r.w }, "slow"));
  if (r.x) flags.push(h("span", { cls: "flag warn", title: "the same test in another browser" }, r.x));
  if (r.u) flags.push(h("span", { cls: "flag" + (r.v === "p" ? " warn" : ""),
    title: plural(r.u, "step was", "steps were") + " skipped or not reached" }, plural(r.u, "warning")));
  var second = [];
  if (r.c || r.o) second.push(bdi(r.o || D.causes[r.c - 1].headline, "msg"));
  if (r.j) second.push(h("span", { cls: "quiet" }, "and " + r.j + " more"));
  if (r.b) second.push(bdi(r.b, "msg"));
  if (r.f && r.v !== "p") second.push(bdi(D.words[r.f - 1] + (r.i ? ":" + r.i : ""), "file"));
  return h("li", { cls: "row s-" + FULL[r.v] }, icon(FULL[r.v]),
    h("div", { cls: "rowmain" }, h("p", { cls: "rowname" }, name, r.n ? bdi(r.n, "quiet") : null, flags),
      second.length ? h("p", { cls: "rowmsg" }, second) : null),
    h("span", { cls: "rowdev quiet" }, bdi(words)), h("span", { cls: "rowhist" }, historyDots(r.h, null, r.v)),
      h("span", { cls: "time" }, took(r.m)));
}

// slowRow is a test that takes long, or longer than before.
function slowRow(t) {
  return h("li", { cls: "row" }, h("div", { cls: "rowmain" },
    h("p", { cls: "rowname" }, t.link ? h("a", { href: t.link }, bdi(t.key)) : bdi(t.key), t.slower ?
    h("span", { cls: "flag warn" }, t.slower) : null)),
    h("span", { cls: "rowdev quiet" }, "usually " + t.usual),
      h("span", { cls: "rowhist" }, historyDots(t.history, t.retried)));
}

function runsPage() {
  var only = { flaky: function (t) { return t.flaky; } }, list = longList($("rows"), unstableRow);
  function show() {
    var state = hash.read(), q = $("filter").value.trim().toLowerCase();
    var rows = D.tests.filter(function (t) {
      return (!state.only || !only[state.only] || only[state.only](t)) && t.key.toLowerCase().indexOf(q) >= 0;
    });
    list.show(rows);
    $("count").textContent = plural(rows.length, "test") + "; " +
      plural(D.stable, "other always passed", "others always passed") +
      (D.more ? "; " + D.more + " more are not shown" : "");
    replace($("chips"), D.totals.flaky ? chip("flaky", "Flaky " + D.totals.flaky, state.only === "flaky", flaky) :
      null);
  }
  function flaky() { hash.set({ only: hash.read().only === "flaky" ? "" : "flaky" }); show(); }
  function fromHash() { $("filter").value = hash.read().q || ""; show(); }
  trend();
  [["slowest", D.slowest], ["slower", D.slower]].forEach(function (p) {
    $(p[0] + "-part").hidden = !p[1];
    if (p[1]) replace($(p[0]), p[1].map(slowRow));
  });
  $("weak-part").hidden = !D.weak;
  if (D.weak) replace($("weak"), D.weak.map(foundRow));
  replace($("runs"), D.runs.map(runRow));
  $("older").textContent = D.older ? plural(D.older, "older run is", "older runs are") + " not shown." : "";
  $("filter").addEventListener("input", debounce(function () { hash.set({ q: $("filter").value }); show(); }));
  addEventListener("hashchange", fromHash);
  keys({ f: flaky, "/": function () { $("filter").focus(); }, "?": function () { $("help").showModal(); } });
  fromHash();
}

function when(name) { return name.slice(0, 10) + " " + name.slice(11).replace(/-/g, ":"); }

function trend() {
  var runs = D.runs.slice(0, 60).reverse(), most = Math.max.apply(null, [1].concat(runs.map(function (r) {
    return r.pass + r.fail + r.error + r.other + (r.expected || 0);
  })));
  runs.forEach(function (r) {
    var col = h(r.link ? "a" : "span", { cls: "col", href: r.link, title: when(r.name) + ": " + sums(r) },
      h("span", { cls: "sr" }, when(r.name) + ": " + sums(r)));
    [["other", "skipped"], ["expected", "expected"], ["error", "error"], ["fail", "fail"],
      ["pass", "pass"]].forEach(function (p) {
      if (!r[p[0]]) return;
      var part = h("span", { cls: "part q-" + p[1], "aria-hidden": "true" });
      part.style.height = "max(3px, " + 100 * r[p[0]] / most + "%)";
      col.append(part);
    });
    $("trend").append(col);
  });
  if (!runs.length) $("trend").append(h("p", { cls: "quiet" }, "There is no run yet."));
}

function sums(r) {
  return [[r.pass, "passed"], [r.fail, "failed"], [r.error, "errors"],
    [r.expected, "failed as expected"], [r.other, "skipped or interrupted"]].filter(function (p) {
    return p[0];
  }).map(function (p) { return p.join(" "); }).join(", ") || "no test";
}

function unstableRow(t) {
  return h("li", { cls: "row" }, h("div", { cls: "rowmain" },
    h("p", { cls: "rowname" }, t.link ? h("a", { href: t.link }, bdi(t.key)) : bdi(t.key), t.flaky ?
    h("span", { cls: "flag warn" }, "flaky") : null), t.flaky ? h("p", { cls: "rowmsg quiet" }, t.flaky) : null),
    h("span", { cls: "rowdev quiet" }, (t.failing || t.rate + " % passed") + (t.usual ? " · usually " + t.usual : "")),
      h("span", { cls: "rowhist" }, historyDots(t.history, t.retried)));
}

// foundRow is a test with weak assertions or repairs.
function foundRow(t) {
  return h("li", { cls: "row" }, h("div", { cls: "rowmain" },
    h("p", { cls: "rowname" }, t.link ? h("a", { href: t.link }, bdi(t.key)) : bdi(t.key))),
    h("span", { cls: "rowdev quiet" }, t.found || ""));
}

function runRow(r) {
  return h("li", { cls: "row" }, icon(r.result), h("div", { cls: "rowmain" },
    h("p", { cls: "rowname" }, r.link ? h("a", { href: r.link }, when(r.name)) : when(r.name), r.gone ?
    h("span", { cls: "flag" }, "its reports were removed") : null), r.found ?
    h("p", { cls: "rowmsg quiet" }, r.found) : null),
    h("span", { cls: "rowdev quiet" }, sums(r)), h("span", { cls: "time",
      title: "sum of tests: how long they took one after the other" }, h("span", { cls: "sr" }, "sum of tests "),
      r.took));
}
