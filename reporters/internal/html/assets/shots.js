// image shows the preview at once, and the full-size file as soon as it is loaded; without that file, the title says
// so.
function image(shot, alt) {
  var attrs = { alt: alt, width: shot.w, height: shot.h }, bytes = D.inlined && D.inlined[shot.src];
  var img = h("img", attrs);
  img.src = bytes || shot.small || shot.src;
  if (bytes || !shot.small || shot.small === shot.src) return img;
  var full = h("img", attrs);
  full.src = shot.src;
  full.decode().then(function () { full.className = img.className; img.replaceWith(full); },
    function () { img.title = "The full-size file is not next to this page: this is its preview."; });
  return img;
}

function frame(shot, alt, marks) {
  var el = h("div", { cls: "frame" }, image(shot, alt));
  if (shot.w && shot.h) {
    el.style.aspectRatio = shot.w + " / " + shot.h;
    el.dataset.ratio = shot.w / shot.h;
    if (marks && marks.length) el.append(svg("svg", { viewBox: "0 0 " + shot.w + " " + shot.h, "aria-hidden": "true",
      class: "marks" }, ...marks));
  }
  return el;
}

function figure(title, cls, body, shot) {
  var caption = h("figcaption", null, h("span", { cls: "text" }, title));
  if (shot) caption.append(h("a", { href: fileURL(shot.src), target: "_blank", rel: "noopener",
    download: download(shot.src), title: "Open the file" }, "full size"));
  var el = h("figure", { cls: "shot " + cls }, caption, body);
  if (body.dataset.ratio) {
    el.style.setProperty("--ar", body.dataset.ratio);
    if (body.dataset.ratio < 0.8) el.classList.add("tall");
  }
  return el;
}

// box draws an element's bounds. Its line has the same width for every size of the screenshot.
function box(b, cls, number) {
  var x = Math.min(b[0], b[2]), y = Math.min(b[1], b[3]);
  var parts = [svg("rect", { x: x, y: y, width: Math.abs(b[2] - b[0]), height: Math.abs(b[3] - b[1]), class: "halo" }),
    svg("rect", { x: x, y: y, width: Math.abs(b[2] - b[0]), height: Math.abs(b[3] - b[1]), class: "line" })];
  var g = svg("g", { class: "box " + cls }, ...parts);
  if (number) g.dataset.number = number;
  return g;
}

function tapPoint(p, shot, bounds) {
  var r = Math.max(shot.w, shot.h) / 55;
  if (bounds) r = Math.max(r / 2, Math.min(r, Math.abs(bounds[3] - bounds[1]) / 4));
  return svg("g", { class: "tap" }, svg("circle", { cx: p[0], cy: p[1], r: r * 1.7, class: "ring" }),
    svg("circle", { cx: p[0], cy: p[1], r: r, class: "halo" }),
    svg("circle", { cx: p[0], cy: p[1], r: r, class: "line" }),
      svg("circle", { cx: p[0], cy: p[1], r: r / 4, class: "core" }));
}

function marksOf(step, shot) {
  var marks = [];
  if (step.bounds) marks.push(box(step.bounds, "match"));
  if (step.point) marks.push(tapPoint(step.point, shot, step.bounds));
  return marks;
}

// labelSpot returns the place of an element's number so that it does not cover the element: left of it, right, above or
// below; if none of them fits, in its last corner.
function labelSpot(b, size, shot) {
  var left = Math.min(b[0], b[2]), right = Math.max(b[0], b[2]), top = Math.min(b[1], b[3]),
    bottom = Math.max(b[1], b[3]), mid = (top + bottom) / 2, far = size;
  if (left >= 2 * size) return [left - far, mid];
  if (right + 2 * size <= shot.w) return [right + far, mid];
  if (top >= 2 * size) return [left + far, top - far];
  if (bottom + 2 * size <= shot.h) return [left + far, bottom + far];
  return [right - far, bottom - far];
}

function nearMarks(step, shot) {
  var boxes = step.problem && step.problem.boxes || [];
  var marks = [], taken = [];
  boxes.forEach(function (b, i) {
    if (!b) return;
    // draw the line outside of the text
    var size = Math.max(shot.w, shot.h) / (shot.w > shot.h ? 64 : 46), margin = size / 6;
    marks.push(box([Math.min(b[0], b[2]) - margin, Math.min(b[1], b[3]) - margin, Math.max(b[0], b[2]) + margin,
      Math.max(b[1], b[3]) + margin], "near", i + 1));
    var spot = labelSpot(b, size, shot), x = spot[0], y = spot[1];
    // nested elements: move the number aside
    while (taken.some(function (t) {
      return Math.abs(t[0] - x) < 1.7 * size && Math.abs(t[1] - y) < 1.7 * size;
    })) x += 1.8 * size;
    taken.push([x, y]);
    marks.push(svg("circle", { cx: x, cy: y, r: size * 0.8, class: "tag" }));
    var t = svg("text", { x: x, y: y + size * 0.36, "font-size": size, class: "tagtext", "text-anchor": "middle" });
    t.textContent = i + 1;
    marks.push(t);
  });
  return marks;
}

// swipe puts one screenshot on the other; the slider moves the edge between them.
function swipe(green, shot) {
  var over = image(shot, "This run");
  over.className = "over";
  var el = h("div", { cls: "frame swipe" }, image(green, "Last green run"), over,
    h("div", { cls: "edge", "aria-hidden": "true" }));
  el.dataset.ratio = shot.w / shot.h;
  el.style.aspectRatio = shot.w + " / " + shot.h;
  function to(v) { el.style.setProperty("--cut", v + "%"); }
  var slider = h("input", { type: "range", min: "0", max: "100", value: "50",
    "aria-label": "Last green run on the left, this run on the right",
    on: { input: function () { to(slider.value); } } });
  to(50);
  el.append(slider);
  return el;
}
