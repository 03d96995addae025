// The elements of the page after a step, shown by their texts and boxes. They are drawn as plain boxes in a frame that
// cannot run, load or send anything, and that contains no markup of the page.
var FRAME_POLICY = "default-src 'none'; img-src 'self' data: file:";
// GRADIENT is the only kind of image that a style may have: any other would have to be fetched.
var GRADIENT = /^((repeating-)?(linear|radial|conic)-gradient\((rgba?\([^()]*\)|[\w\s,.%#-])*\)(, )?)+$/;
var domCache = {};

function domOf(step) {
  var n = step && step.dom;
  if (!n || n < 0) return Promise.resolve(null);
  if (!domCache[n]) domCache[n] = unpack(D.dom[n - 1]).then(function (page) {
    page.nodes.forEach(function (node, i) {
      node.n = i;
      node.kids = [];
      node.depth = node.p >= 0 ? page.nodes[node.p].depth + 1 : 0;
      if (node.p >= 0) page.nodes[node.p].kids.push(node);
    });
    return page;
  });
  return domCache[n];
}

function unpack(text) {
  if (!window.DecompressionStream) return Promise.reject(new Error("This browser cannot decompress it."));
  var raw = Uint8Array.from(atob(text), function (c) { return c.charCodeAt(0); });
  return new Response(new Blob([raw]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
}

// domBefore is the step that left the elements with which a step started.
function domBefore(i) {
  for (i--; i >= 0; i--) if (D.steps[i].dom) return D.steps[i];
  return null;
}

function domPanel(host) {
  var head = h("h2", { id: "domtitle", "aria-live": "polite" }),
    sides = h("div", { cls: "chips", role: "group", "aria-label": "When" }), body = h("div", { cls: "dom" });
  var previous = h("button", { type: "button", cls: "tool", title: "Previous step (k)",
    on: { click: function () { move(-1); } } }, "‹", h("span", { cls: "sr" }, "Previous step"));
  var next = h("button", { type: "button", cls: "tool", title: "Next step (j)",
    on: { click: function () { move(1); } } }, "›", h("span", { cls: "sr" }, "Next step"));
  add(host, [h("div", { cls: "domhead" }, h("div", { cls: "stagehead" }, previous, next, head), sides), body]);
  var latest = 0;
  domPanel.show = function () {
    if (!body.isConnected) return;
    var step = D.steps[selected], prior = domBefore(selected), request = ++latest, side = hash.read().dom;
    if (!step) return;
    if (side !== "before" && side !== "after") side = prior && (step.bounds || !step.dom) && !problemOf(step) ?
      "before" : "after";
    if (side === "after" && !step.dom && prior) side = "before";
    replace(head, icon(step.result), " Step " + step.n + " of " + D.steps.length + " ", bdi(label(step), "code"));
    previous.disabled = selected === 0;
    next.disabled = selected === D.steps.length - 1;
    replace(sides, [["before", "Before it", prior], ["after", "After it", step.dom]].map(function (s) {
      return h("button", { type: "button", cls: "chip", "aria-pressed": String(side === s[0]), disabled: !s[2],
        on: { click: function () { hash.set({ dom: s[0] }); domPanel.show(); } } }, s[1]);
    }), ["picture", "drawn"].map(function (v) {
      return h("button", { type: "button", cls: "chip", "aria-pressed": String(domView() === v), "data-look": v,
        on: { click: function () { hash.set({ look: v === "drawn" ? v : "" }); domPanel.show(); } } }, v === "drawn" ?
        "Drawn from the elements" : "Screenshot");
    }));
    var from = side === "before" ? prior : step;
    if (!from || from.dom < 0 || !from.dom) return replace(body,
      h("p", { cls: "quiet" }, from && from.dom < 0 ?
      "The elements of the page are in the pack: they are too large for this page." : "No page was open."));
    domOf(from).then(function (page) {
      if (request === latest) inspector(body, page, step, side === "before" ? lastShot(from) : mainShot(step) ||
        lastShot(from));
    },
      function (err) {
        if (request === latest) replace(body, h("p", { cls: "quiet" }, "The elements cannot be shown: " + err.message));
      });
  };
  domPanel.show();
}

function domView() { return hash.read().look === "drawn" ? "drawn" : "picture"; }

// inspector shows a page: its tree, its screenshot or drawing to point at, and the details of the picked element.
function inspector(host, page, step, shot) {
  var drawn = domView() === "drawn" || !shot, drawing = h("iframe",
    { sandbox: "allow-same-origin", title: "The page, drawn from its elements", tabindex: "-1", "aria-hidden": "true",
    cls: drawn ? "drawn" : "clear",
    srcdoc: '<!doctype html><html><head><meta http-equiv="Content-Security-Policy" content="' + FRAME_POLICY +
      '"></head><body></body></html>' });
  var marks = svg("svg", { viewBox: "0 0 " + page.w + " " + page.h, class: "marks", "aria-hidden": "true" }),
    glass = h("div", { cls: "glass" });
  var pageFrame = h("div", { cls: "frame domstage" }, drawn ? null : image(shot, "Screenshot of the page"), drawing,
    marks, glass), hoverText = h("p", { cls: "quiet domsaid" }, "Point at an element, or pick one in the tree.");
  pageFrame.style.aspectRatio = page.w + " / " + page.h;
  var view = { page: page, step: step, found: domFound(page, step), marks: marks, hoverText: hoverText,
    facts: h("div", { cls: "card domfacts", "aria-live": "polite" }), picked: null, rows: [] };
  // A sandboxed page, as servers show it, has no access to the content of a frame: there the boxes are drawn in a
  // shadow root.
  drawing.addEventListener("load", function () {
    if (!drawing.contentDocument) {
      var own = h("div", { cls: drawing.className + " drawing", "aria-hidden": "true" }),
        inner = document.createElement("div");
      own.attachShadow({ mode: "closed" }).append(inner);
      drawing.replaceWith(own);
      drawing = own;
      drawDOM(inner, page, drawn ? null : shot);
    } else drawDOM(drawing.contentDocument.body, page, drawn ? null : shot);
    fit();
  });
  function fit() {
    drawing.style.width = page.w + "px";
    drawing.style.height = page.h + "px";
    drawing.style.transform = "scale(" + pageFrame.clientWidth / page.w + ")";
  }
  new ResizeObserver(fit).observe(pageFrame);
  function under(e) {
    var b = pageFrame.getBoundingClientRect(), k = page.w / b.width, x = (e.clientX - b.left) * k,
      y = (e.clientY - b.top) * k, doc = drawing.contentDocument;
    if (!doc) return boxAt(page, x, y);
    var el = doc.elementFromPoint(x, y);
    return el && el.taprootNode !== undefined ? page.nodes[el.taprootNode] : null;
  }
  glass.addEventListener("mousemove", function (e) { spotDOM(view, under(e)); });
  glass.addEventListener("mouseleave", function () { spotDOM(view, null); });
  glass.addEventListener("click", function (e) { pickDOM(view, under(e), true); });
  var tree = domTree(view);
  replace(host, h("div", { cls: "domtreepart" }, tree.el), h("div", { cls: "domside" }, hoverText, pageFrame),
    view.facts);
  spotDOM(view, null);
  var first = view.found.match || view.found.near[0];
  if (first) pickDOM(view, first, true);
  else replace(view.facts, h("p", { cls: "quiet" }, "Pick an element to see its details here."));
}

// boxAt is the last of the visible elements at a point.
function boxAt(page, x, y) {
  var found = null;
  page.nodes.forEach(function (n) {
    if (n.t && n.s !== undefined && x >= n.b[0] && x < n.b[0] + n.b[2] && y >= n.b[1] && y < n.b[1] + n.b[3]) found = n;
  });
  return found;
}

// domFound returns the elements that the step matched, or nearly matched, by their boxes.
function domFound(page, step) {
  var found = { match: null, near: [], why: {} };
  function fits(b) {
    var best = null, most = 0.7;
    page.nodes.forEach(function (n) {
      if (!n.t || !n.b) return;
      var w = Math.min(n.b[0] + n.b[2], b[2]) - Math.max(n.b[0], b[0]),
        t = Math.min(n.b[1] + n.b[3], b[3]) - Math.max(n.b[1], b[1]);
      if (w <= 0 || t <= 0) return;
      var both = w * t, part = both / (n.b[2] * n.b[3] + (b[2] - b[0]) * (b[3] - b[1]) - both);
      if (part >= most) { most = part; best = n; }
    });
    return best;
  }
  if (step.bounds) found.match = fits(step.bounds);
  (step.problem && step.problem.boxes || []).forEach(function (b, i) {
    var n = b && fits(b);
    if (!n) return;
    found.near.push(n);
    found.why[n.n] = (i + 1) + (step.problem.rejected ? ": " + step.problem.rejected[i] : "");
  });
  return found;
}

function attrsOf(n) {
  var out = {};
  for (var i = 0; n.a && i + 1 < n.a.length; i += 2) out[n.a[i]] = n.a[i + 1];
  return out;
}

function domName(n) {
  var a = attrsOf(n);
  var classes = (a["class"] || "").split(/\s+/).filter(Boolean).slice(0, 3);
  return n.t + (a.id ? "#" + a.id : "") + classes.map(function (c) { return "." + c; }).join("");
}

function boundsOf(n) { return [n.b[0], n.b[1], n.b[0] + n.b[2], n.b[1] + n.b[3]]; }

// spotDOM marks an element in addition to those that are always marked; null: none.
function spotDOM(view, n) {
  view.marks.textContent = "";
  if (view.found.match) view.marks.append(box(boundsOf(view.found.match), "match"));
  view.found.near.forEach(function (near) { view.marks.append(box(boundsOf(near), "near")); });
  if (view.picked && view.picked.b) view.marks.append(box(boundsOf(view.picked), "picked"));
  if (!n) return;
  if (n.b) view.marks.append(box(boundsOf(n), "hover"));
  replace(view.hoverText, bdi(domName(n), "code"), n.b ? " " + n.b[2] + " × " + n.b[3] + " at " + n.b[0] + ", " +
    n.b[1] : " not drawn", n.s !== undefined ? h("span", null, " · ", bdi(brief(view.page, n))) : null);
}

// brief is the most important part of a style.
function brief(page, n) {
  var s = page.styles[n.s], at = function (name) { var i = page.props.indexOf(name); return i >= 0 && s[i] || ""; };
  return [at("color"), at("background-color") === "rgba(0, 0, 0, 0)" ? "" : "on " + at("background-color"),
    at("font").split("/")[0].trim(), at("position") === "static" ? "" : at("position")].filter(Boolean).join(", ");
}

function pickDOM(view, n, scroll) {
  if (!n) return;
  view.picked = n;
  view.rows.forEach(function (r) {
    if (r.node === n) r.button.setAttribute("aria-current", "true");
    else r.button.removeAttribute("aria-current");
  });
  if (scroll && view.showRow) view.showRow(n);
  spotDOM(view, n);
  var a = attrsOf(n), style = n.s === undefined ? [] : view.page.props.map(function (p, i) {
    return [p, view.page.styles[n.s][i]]; }).filter(function (p) { return p[1] && !isDefault(p[0], p[1]); });
  replace(view.facts, h("h3", null, bdi("<" + n.t + ">")), n === view.found.match ?
    h("p", null, h("span", { cls: "flag" }, "matched"), " by this step") : view.found.why[n.n] ?
    h("p", null, h("span", { cls: "flag warn" }, "candidate " + view.found.why[n.n])) : null,
    h("dl", { cls: "pairs" }, row("Box", n.b ? n.b[2] + " × " + n.b[3] + " at " + n.b[0] + ", " + n.b[1] :
      "not drawn"), Object.keys(a).map(function (k) { return row(k, a[k] || "(empty)", "code"); })),
    style.length ? [h("h4", null, "Styles"), h("dl", { cls: "pairs styles" },
      style.map(function (p) { return row(p[0], p[1], "code"); }))] : n.b ?
      h("p", { cls: "quiet" }, "Outside of the window: its styles are not kept.") : null);
}

// DEFAULTS are values that are not listed.
var DEFAULTS = { position: "static", "z-index": "auto", overflow: "visible", visibility: "visible", opacity: "1",
  "background-color": "rgba(0, 0, 0, 0)", "background-image": "none", "border-radius": "0px", padding: "0px",
  "box-shadow": "none", "pointer-events": "auto", "text-align": "start", "text-transform": "none",
    "text-decoration-line": "none", "white-space": "normal" };

function isDefault(name, value) { return DEFAULTS[name] === value || name === "border" && /^0px none/.test(value); }

// domTree lists the elements by their depth. The URL keeps its filter.
function domTree(view) {
  var page = view.page, count = h("p", { cls: "quiet", "aria-live": "polite" }),
    list = h("ul", { cls: "tree domtree", "aria-label": "Elements of the page" });
  page.nodes.forEach(function (n) {
    if (!n.t) return;
    n.text = n.kids.filter(function (k) { return k.x; }).map(function (k) { return k.x.replace(/\s+/g, " ").trim();
      }).join(" ");
    n.lowerText = [n.t, (n.a || []).join(" "), n.text].join(" ").toLowerCase();
  });
  function rowOf(n) {
    var a = attrsOf(n), known = view.found.match === n ? "is-match" : view.found.why[n.n] ? "is-near" : "";
    var b = h("button", { type: "button", tabindex: "-1", cls: "node " + known,
      on: { mouseenter: function () { spotDOM(view, n); }, focus: function () { spotDOM(view, n); },
      click: function () { pickDOM(view, n); } } },
      h("b", null, bdi("<" + n.t)), Object.keys(a).slice(0, 6).map(function (k) {
        return [" ", bdi(k, "attr"), a[k] ? [h("span", { cls: "quiet" }, "=\""),
          bdi(a[k].length > 60 ? a[k].slice(0, 60) + "…" : a[k], "attrv"), h("span", { cls: "quiet" }, "\"")] : null];
      }), h("b", null, ">"),
      n.text ? bdi(" " + (n.text.length > 120 ? n.text.slice(0, 120) + "…" : n.text)) : null, n.f & 8 ?
        h("span", { cls: "quiet" }, " shadow root") : null, n.f & 1 ? h("span", { cls: "quiet" }, " not drawn") : null,
      view.found.match === n ? h("span", { cls: "flag" }, "matched") : null, view.found.why[n.n] ?
        h("span", { cls: "flag warn" }, "candidate " + view.found.why[n.n]) : null);
    b.style.paddingInlineStart = 8 + 12 * Math.min(n.depth, 24) + "px";
    return { node: n, button: b, li: h("li", null, b) };
  }
  var bar = filterBar("Filter by tag, attribute or text", "dq", "df", [["seen", "In the window"]], function (q, only) {
    var shown = page.nodes.filter(function (n) {
      return n.t && (!only || n.s !== undefined) && (!q || n.lowerText.indexOf(q) >= 0);
    });
    view.rows = shown.slice(0, 3000).map(rowOf);
    count.textContent = shown.length + " of " + plural(page.nodes.filter(function (n) { return n.t; }).length,
      "element") + (page.more ? "; " + page.more + " more are not kept" : "");
    replace(list, view.rows.map(function (r) { return r.li; }));
    if (view.rows.length) (view.rows.find(function (r) { return r.node === view.picked; }) ||
      view.rows[0]).button.tabIndex = 0;
  });
  view.showRow = function (n) {
    var r = view.rows.find(function (r) { return r.node === n; });
    if (r) nearest(list, r.li, false);
  };
  list.addEventListener("keydown", function (e) {
    var by = { ArrowDown: 1, ArrowUp: -1, Home: -1e9, End: 1e9 }[e.key], at = view.rows.findIndex(function (r) {
      return r.button === document.activeElement;
    });
    if (!by || at < 0) return;
    e.preventDefault();
    e.stopPropagation();
    view.rows[at].button.tabIndex = -1;
    var to = view.rows[Math.max(0, Math.min(view.rows.length - 1, at + by))].button;
    to.tabIndex = 0;
    to.focus();
  });
  bar.draw();
  return { el: [bar.el, count, list] };
}

// drawDOM draws the elements as boxes, with styles that are set one by one. Images are cut from the screenshot.
function drawDOM(root, page, shot) {
  var doc = root.ownerDocument, made = [];
  root.style.cssText = "margin:0;position:relative;overflow:hidden;background:#fff;width:" + page.w + "px;height:" +
    page.h + "px";
  var at = {};
  page.props.forEach(function (p, i) { at[p] = i; });
  function styleOf(n) {
    var s = n.s === undefined ? null : page.styles[n.s];
    return function (name) { return s && at[name] !== undefined && s[at[name]] || ""; };
  }
  var canvas = page.nodes.find(function (n) { return n.t === "html" && n.p < 0; }),
    body = page.nodes.find(function (n) { return n.t === "body"; });
  [body, canvas].forEach(function (n) { if (n) drawCanvas(root, styleOf(n)); });
  page.nodes.forEach(function (n) {
    if (!n.b || n.x && n.p < 0) return;
    var up = n.p, s = styleOf(n.x ? page.nodes[n.p] : n);
    while (up >= 0 && !made[up]) up = page.nodes[up].p;
    var host = up < 0 || !n.x && s("position") === "fixed" ? { el: root, x: 0, y: 0 } : made[up];
    var el = doc.createElement("div"), st = el.style;
    el.taprootNode = n.x ? n.p : n.n;
    st.position = "absolute";
    st.boxSizing = "border-box";
    st.left = n.b[0] - host.x + "px";
    st.top = n.b[1] - host.y + "px";
    st.width = n.b[2] + (n.x ? 2 : 0) + "px";
    st.height = n.b[3] + "px";
    if (n.x) drawText(el, n, s, page.nodes[n.p]);
    else {
      made[n.n] = { el: el, x: n.b[0] + drawBox(el, n, s), y: n.b[1] + (parseFloat(s("border")) || 0) };
      if (n.f & 4 && shot) {
        st.backgroundImage = "url(" + JSON.stringify(fileURL(shot.src)) + ")";
        st.backgroundPosition = -n.b[0] + "px " + -n.b[1] + "px";
        st.backgroundSize = page.w + "px " + page.h + "px";
      }
    }
    host.el.append(el);
  });
}

// drawCanvas extends the background of the html and body elements to the whole page, as browsers do.
function drawCanvas(root, s) {
  if (s("background-color") &&
    !/, 0\)$/.test(s("background-color"))) root.style.backgroundColor = s("background-color");
  if (GRADIENT.test(s("background-image"))) root.style.backgroundImage = s("background-image");
}

function drawBox(el, n, s) {
  var st = el.style, border = s("border").split(" / ");
  st.visibility = s("visibility");
  st.opacity = s("opacity");
  st.backgroundColor = s("background-color");
  if (GRADIENT.test(s("background-image"))) st.backgroundImage = s("background-image");
  if (border.length === 4) ["borderTop", "borderRight", "borderBottom",
    "borderLeft"].forEach(function (side, i) { st[side] = border[i]; });
  else st.border = s("border");
  st.borderRadius = s("border-radius");
  st.boxShadow = s("box-shadow");
  if (/hidden|clip|scroll|auto/.test(s("overflow"))) st.overflow = "hidden";
  if (s("z-index") !== "auto" && s("position") !== "static") st.zIndex = s("z-index");
  return parseFloat(border[border.length - 1]) || 0;
}

function drawText(el, n, s, owner) {
  var st = el.style, field = /^(input|select)$/.test(owner.t);
  st.font = s("font");
  st.color = s("color");
  st.textTransform = s("text-transform");
  st.textDecorationLine = s("text-decoration-line");
  st.whiteSpace = n.l ? "normal" : "pre";
  if (n.i) st.textIndent = n.i + "px";
  if (!n.l) st.lineHeight = n.b[3] + "px";
  if (field) st.paddingInlineStart = "4px";
  if (n.l) st.textAlign = s("text-align");
  el.textContent = /^pre/.test(s("white-space")) ? n.x : n.x.replace(/\s+/g, " ").trim();
}
