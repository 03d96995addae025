// Several devices in one test: a lane for each.

// several reports whether the test has several devices.
function several() { return !!(D.devices && D.devices.length); }

// shotAt is the screenshot that shows a device at a time of the test: the last one of its steps that had ended by then.
function shotAt(device, ms, moment) {
  if (moment) return { shot: moment, step: null };
  var found = null;
  D.steps.forEach(function (s) {
    var shot = s.device === device && lastShot(s);
    if (shot && (s.begin || 0) + (s.ms || 0) <= ms) found = { shot: shot, step: s };
  });
  return found;
}

// deviceFigures shows every device of the test as it was after a step, the step's own with what it touched.
function deviceFigures(step) {
  var end = step.took ? (step.begin || 0) + (step.ms || 0) : Infinity;
  return D.devices.map(function (d) {
    var own = d.name === step.device, shot = own && mainShot(step), title = d.name;
    if (shot) {
      return figure([h("b", null, bdi(title)), shot.failure ? ", when it failed" : ", after the step"],
        problemOf(step) ? "bad" : "own", frame(shot, "Screen of " + title + ", step " + step.n + ": " +
        WORD[step.result], marksOf(step, shot).concat(nearMarks(step, shot))), shot);
    }
    var moment = (step.moments || []).find(function (m) { return m.device === d.name && !m.missing; });
    var then = shotAt(d.name, end, moment);
    if (!then) return h("figure", { cls: "shot none_" }, h("figcaption", null, h("b", null, bdi(title))),
      h("p", { cls: "quiet" }, "no screenshot yet"));
    return figure([h("b", null, bdi(title)), then.step ? ", after step " + then.step.n : ", at that moment"],
      then.step ? "pale" : "", frame(then.shot, "Screen of " + title, []), then.shot);
  });
}

// deviceLanes draws the steps of each device on the time line.
function deviceLanes(lane, bar) {
  D.devices.forEach(function (d) {
    lane(d.name, D.steps.filter(function (s) { return s.took && s.device === d.name; }).map(function (s) {
      return bar(s.begin || 0, s.ms || 0, "c-" + s.result, s.n + " " + label(s) + ", " + s.took);
    }));
  });
}

// deviceScreens shows all devices at a time of the test.
function deviceScreens(ms) {
  return D.devices.map(function (d) {
    var then = shotAt(d.name, ms);
    if (!then) return h("figure", { cls: "shot none_" }, h("figcaption", null, h("b", null, bdi(d.name))),
      h("p", { cls: "quiet" }, "no screenshot yet"));
    return figure([h("b", null, bdi(d.name)), ", after step " + then.step.n], "", frame(then.shot,
      "Screen of " + d.name + " after step " + then.step.n, []), then.shot);
  });
}

// devicePlayers adds the recordings of the other devices. They show the same step as the first one.
function devicePlayers() {
  devicePlayers.all = [];
  if (!several()) return;
  var host = h("div", { cls: "recordings" });
  D.devices.slice(1).forEach(function (d) {
    if (!d.recording) {
      host.append(h("p", { cls: "quiet" }, "No recording of ", bdi(d.name), ": ", bdi(d.noRecording || "none was made"),
        "."));
      return;
    }
    var video = h("video", { src: fileURL(d.recording.src), controls: true, preload: "metadata", playsinline: true,
      "aria-label": "Recording of " + d.name });
    video.muted = true;
    host.append(h("figure", { cls: "deviceplayer" }, h("figcaption", null, "Recording of ", h("b", null, bdi(d.name))),
      video));
    devicePlayers.all.push({ video: video, cues: d.cues || {} });
  });
  $("recording").append(host);
}

// seekDevices moves the recordings of the other devices to a step.
function seekDevices(step) {
  (devicePlayers.all || []).forEach(function (p) {
    var cue = p.cues[step.n];
    if (cue === undefined) return;
    var go = function () { p.video.currentTime = Math.min(cue + 0.001, p.video.duration || cue); };
    if (p.video.readyState === 0) p.video.addEventListener("loadedmetadata", go, { once: true });
    else go();
  });
}

// logOf is the log that a step's lines are in.
function logOf(step) {
  var d = several() && D.devices.find(function (one) { return one.name === step.device; });
  return d && d.log || D.log;
}
