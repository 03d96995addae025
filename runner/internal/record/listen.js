// Reports a person's actions on the page. A click does not reach the page: the recorder performs it with the selector
// that it records, so that the page gets the recorded click. All other input reaches the page directly: typed text,
// options of lists, files, buttons of dialogs.
(name, control, preferId) => {
  const key = Symbol.for("taproot.record");
  if (window[key]) return;
  window[key] = { control };
  let root;
  try {
    root = window.top;
    void root.document.body;
  } catch {
    return; // a frame of another site
  }
  const page = Math.random().toString(36).slice(2), tokens = new WeakMap(), valueAtFocus = new WeakMap();
  let count = 0, number = 0, performing = false;
  const report = (event) => window[name](JSON.stringify({ page, number: ++number, ...event }));
  const fractionOf = (x, y) => {
    for (let view = window; view !== root; view = view.parent) {
      const box = view.frameElement.getBoundingClientRect();
      [x, y] = [x + box.left + view.frameElement.clientLeft, y + box.top + view.frameElement.clientTop];
    }
    return { x: x / root.innerWidth, y: y / root.innerHeight };
  };
  const middle = (e) => {
    const box = e.getBoundingClientRect();
    return fractionOf(box.left + box.width / 2, box.top + box.height / 2);
  };
  const doubleMs = 250; // between the clicks of a double click
  const afterMs = 30; // for the events that the browser creates after the mouse button is released
  const describe = (e) => (root[key]?.control || control)(0, 0, preferId, e);
  const token = (e) => {
    if (!tokens.has(e)) tokens.set(e, ++count);
    return `${page}.${tokens.get(e)}`;
  };
  const special = ["date", "time", "datetime-local", "month", "week", "color", "range"]
    .map((type) => `input[type=${type}]`).join(", ");
  const textField = "textarea, input" + ["checkbox", "radio", "button", "submit", "reset", "image", "file"]
    .map((type) => `:not([type=${type}])`).join("");
  // field returns the element into which text is typed.
  const field = (e) => {
    if (e?.matches?.(textField)) return e.matches(special) ? null : e;
    return e?.isContentEditable ? e.closest("[contenteditable]") : null;
  };
  const value = (e) => (e.isContentEditable ? e.innerText : e.value);
  const target = (event) => event.composedPath()[0];

  // A click is reported when no second one follows: the two are one action. The recorder performs a reported action at
  // once. The report is delayed until the browser has created all events of the person's own click, so that they are
  // not mistaken for those of the recorder.
  let first = null, down = null, dragged = false;
  const reportLater = (what, after) => {
    clearTimeout(first?.timer);
    first = null;
    setTimeout(() => {
      performing = true;
      report(what).finally(() => { performing = false; });
    }, after);
  };
  const press = (event) => {
    if (!event.isTrusted || performing || event.button !== 0 || event.type === "click" && event.detail === 0) return;
    if (event.type === "pointerdown") [down, dragged] = [null, false];
    if (event.type === "pointerup" && down && Math.hypot(event.clientX - down.x, event.clientY - down.y) > 8) {
      dragged = true;
      event.preventDefault();
      event.stopImmediatePropagation();
      const to = fractionOf(event.clientX, event.clientY);
      return reportLater({ kind: "drag", ...fractionOf(down.x, down.y), to }, afterMs);
    }
    if (dragged) { // the click or mouse events of the drag
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    const at = target(event), box = document.documentElement;
    // a scroll bar
    if (!at?.closest || at === box && (event.clientX >= box.clientWidth || event.clientY >= box.clientHeight)) return;
    // the person moves the cursor in the field
    if (field(at) && field(at) === document.activeElement || at.closest(special)) return;
    const found = describe(at);
    if (found?.kind) return; // the browser opens its own list or file chooser
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.type === "pointerdown") down = { x: event.clientX, y: event.clientY };
    if (event.type !== "click") return;
    const typedInto = field(at) ? token(field(at)) : "";
    const click = { ...fractionOf(event.clientX, event.clientY), control: found, field: typedInto };
    if (event.detail > 1 && first) return reportLater({ ...first.click, kind: "double" }, afterMs);
    if (first) reportLater({ ...first.click, kind: "tap" }, 0);
    first = { click, timer: setTimeout(() => reportLater({ ...click, kind: "tap" }, 0), doubleMs) };
  };
  for (const type of ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick"]) {
    window.addEventListener(type, press, true);
  }

  window.addEventListener("focusin", (event) => {
    const e = field(target(event));
    if (e) valueAtFocus.set(e, value(e));
  }, true);
  window.addEventListener("input", (event) => {
    const at = target(event), e = field(at);
    if (!event.isTrusted) return;
    if (e) {
      const password = e.type === "password", before = valueAtFocus.get(e) ?? "";
      report({ kind: "input", ...middle(e), field: token(e), value: value(e), before, password, control: describe(e) });
    } else if (at.matches?.(special)) {
      report({ kind: "fill", field: token(at), value: at.value, control: describe(at) });
    }
  }, true);
  window.addEventListener("change", async (event) => {
    const at = target(event);
    if (!at.matches) return;
    if (at.matches("select")) report({ kind: "select", control: describe(at) });
    if (!at.matches("input[type=file]") || !at.files.length) return;
    const files = await Promise.all([...at.files].map((file) => new Promise((done) => {
      const reader = new FileReader();
      reader.onload = () => {
        const data = file.size > 20e6 ? "" : String(reader.result).replace(/^[^,]*,?/, "");
        done({ name: file.name, data });
      };
      reader.onerror = () => done({ name: file.name, data: "" });
      reader.readAsDataURL(file);
    })));
    const asked = Symbol.for("taproot.files");
    const hidden = at.getClientRects().length === 0;
    report({ kind: "files", control: describe(at), asked: root[asked] === true, hidden, files });
    root[asked] = false;
  }, true);

  if (window === root) {
    for (const name of ["back", "forward", "go"]) {
      const own = history[name];
      history[name] = function (...args) {
        report({ kind: "leads" });
        return own.apply(history, args);
      };
    }
    window.navigation?.addEventListener("navigate", (event) => {
      if (!event.userInitiated && ["reload", "traverse"].includes(event.navigationType)) report({ kind: "leads" });
    });
    report({ kind: "arrived", url: location.href, how: performance.getEntriesByType("navigation")[0]?.type || "" });
    window.addEventListener("pageshow", (event) => {
      if (event.persisted) report({ kind: "arrived", url: location.href, how: "back_forward" });
    });
  }

  const keyNames = {
    Enter: "enter", Escape: "escape", Tab: "tab",
    ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right",
    Home: "home", End: "end", PageUp: "pageUp", PageDown: "pageDown",
    Delete: "delete", Backspace: "backspace", " ": "space",
  };
  window.addEventListener("keydown", (event) => {
    const at = target(event), e = field(at);
    if (event.isTrusted && first) reportLater({ ...first.click, kind: "tap" }, 0);
    if (!event.isTrusted || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (at.matches?.("select, " + special) && event.key !== "Tab") return;
    const pressed = keyNames[event.key] || (!e && [...event.key].length === 1 ? event.key : "");
    const lines = e && (e.localName === "textarea" || e.isContentEditable);
    if (!pressed || e && (!["enter", "escape", "tab"].includes(pressed) || lines && pressed === "enter")) return;
    report({ kind: "key", key: event.shiftKey && keyNames[event.key] ? "shift+" + pressed : pressed });
  }, true);

  for (const kind of ["alert", "confirm", "prompt"]) {
    const own = window[kind];
    window[kind] = function (...args) {
      const answer = own.apply(window, args);
      const accept = kind === "alert" || answer === true || typeof answer === "string";
      report({ kind: "dialog", accept, value: kind === "prompt" && answer !== null ? String(answer) : "" });
      return answer;
    };
  }
  const close = window.close;
  window.close = function () {
    report({ kind: "closing" });
    return close.call(window);
  };
}
