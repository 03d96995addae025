// Tells of what a person does on the page. A click is kept from the page: who listens does it, by a selector that is
// written down, and the page gets that one. All else the page gets itself: what is typed, chosen in a list, given to a
// field for files, answered to a dialog.
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
  const page = Math.random().toString(36).slice(2), tokens = new WeakMap(), held = new WeakMap();
  let count = 0, number = 0, ours = false;
  const tell = (event) => window[name](JSON.stringify({ page, number: ++number, ...event }));
  const place = (x, y) => {
    for (let view = window; view !== root; view = view.parent) {
      const box = view.frameElement.getBoundingClientRect();
      [x, y] = [x + box.left + view.frameElement.clientLeft, y + box.top + view.frameElement.clientTop];
    }
    return { x: x / root.innerWidth, y: y / root.innerHeight };
  };
  const middle = (e) => {
    const box = e.getBoundingClientRect();
    return place(box.left + box.width / 2, box.top + box.height / 2);
  };
  const doubleMs = 250, afterMs = 30; // between the clicks of a double click; for what the browser makes of a release
  const told = (e) => (root[key]?.control || control)(0, 0, preferId, e);
  const token = (e) => {
    if (!tokens.has(e)) tokens.set(e, ++count);
    return `${page}.${tokens.get(e)}`;
  };
  const special = "input[type=date], input[type=time], input[type=datetime-local], input[type=month], input[type=week], input[type=color], input[type=range]";
  // field is what text is typed into.
  const field = (e) => {
    if (e?.matches?.("textarea, input:not([type=checkbox], [type=radio], [type=button], [type=submit], [type=reset], [type=image], [type=file])")) return e.matches(special) ? null : e;
    return e?.isContentEditable ? e.closest("[contenteditable]") : null;
  };
  const value = (e) => (e.isContentEditable ? e.innerText : e.value);
  const target = (event) => event.composedPath()[0];

  // A click is told when no second one has come: the two are one act. What is told is done at once, and the page gets
  // that: so it waits for the events that the browser makes of the person's own.
  let first = null, down = null, dragged = false;
  const act = (what, after) => {
    clearTimeout(first?.timer);
    first = null;
    setTimeout(() => {
      ours = true;
      tell(what).finally(() => { ours = false; });
    }, after);
  };
  const press = (event) => {
    if (!event.isTrusted || ours || event.button !== 0 || event.type === "click" && event.detail === 0) return;
    if (event.type === "pointerdown") [down, dragged] = [null, false];
    if (event.type === "pointerup" && down && Math.hypot(event.clientX - down.x, event.clientY - down.y) > 8) {
      dragged = true;
      event.preventDefault();
      event.stopImmediatePropagation();
      return act({ kind: "drag", ...place(down.x, down.y), to: place(event.clientX, event.clientY) }, afterMs);
    }
    if (dragged) { // its click, or what the browser makes of the mouse
      event.preventDefault();
      event.stopImmediatePropagation();
      return;
    }
    const at = target(event), box = document.documentElement;
    // a scroll bar
    if (!at?.closest || at === box && (event.clientX >= box.clientWidth || event.clientY >= box.clientHeight)) return;
    // the person moves about in it
    if (field(at) && field(at) === document.activeElement || at.closest(special)) return;
    const found = told(at);
    if (found?.kind) return; // the browser asks what to choose
    event.preventDefault();
    event.stopImmediatePropagation();
    if (event.type === "pointerdown") down = { x: event.clientX, y: event.clientY };
    if (event.type !== "click") return;
    const click = { ...place(event.clientX, event.clientY), control: found, field: field(at) ? token(field(at)) : "" };
    if (event.detail > 1 && first) return act({ ...first.click, kind: "double" }, afterMs);
    if (first) act({ ...first.click, kind: "tap" }, 0);
    first = { click, timer: setTimeout(() => act({ ...click, kind: "tap" }, 0), doubleMs) };
  };
  for (const type of ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick"]) window.addEventListener(type, press, true);

  window.addEventListener("focusin", (event) => {
    const e = field(target(event));
    if (e) held.set(e, value(e));
  }, true);
  window.addEventListener("input", (event) => {
    const at = target(event), e = field(at);
    if (!event.isTrusted) return;
    if (e) tell({ kind: "input", ...middle(e), field: token(e), value: value(e), before: held.get(e) ?? "", password: e.type === "password", control: told(e) });
    else if (at.matches?.(special)) tell({ kind: "fill", field: token(at), value: at.value, control: told(at) });
  }, true);
  window.addEventListener("change", async (event) => {
    const at = target(event);
    if (!at.matches) return;
    if (at.matches("select")) tell({ kind: "select", control: told(at) });
    if (!at.matches("input[type=file]") || !at.files.length) return;
    const files = await Promise.all([...at.files].map((file) => new Promise((done) => {
      const reader = new FileReader();
      reader.onload = () => done({ name: file.name, data: file.size > 20e6 ? "" : String(reader.result).replace(/^[^,]*,?/, "") });
      reader.onerror = () => done({ name: file.name, data: "" });
      reader.readAsDataURL(file);
    })));
    const asked = Symbol.for("taproot.files");
    tell({ kind: "files", control: told(at), asked: root[asked] === true, hidden: at.getClientRects().length === 0, files });
    root[asked] = false;
  }, true);

  if (window === root) {
    for (const name of ["back", "forward", "go"]) {
      const own = history[name];
      history[name] = function (...args) {
        tell({ kind: "leads" });
        return own.apply(history, args);
      };
    }
    window.navigation?.addEventListener("navigate", (event) => { if (!event.userInitiated && ["reload", "traverse"].includes(event.navigationType)) tell({ kind: "leads" }); });
    tell({ kind: "arrived", url: location.href, how: performance.getEntriesByType("navigation")[0]?.type || "" });
    window.addEventListener("pageshow", (event) => { if (event.persisted) tell({ kind: "arrived", url: location.href, how: "back_forward" }); });
  }

  const named = { Enter: "enter", Escape: "escape", Tab: "tab", ArrowUp: "up", ArrowDown: "down", ArrowLeft: "left", ArrowRight: "right", Home: "home", End: "end", PageUp: "pageUp", PageDown: "pageDown", Delete: "delete", Backspace: "backspace", " ": "space" };
  window.addEventListener("keydown", (event) => {
    const at = target(event), e = field(at);
    if (event.isTrusted && first) act({ ...first.click, kind: "tap" }, 0);
    if (!event.isTrusted || event.isComposing || event.ctrlKey || event.metaKey || event.altKey || at.matches?.("select, " + special) && event.key !== "Tab") return;
    const pressed = named[event.key] || (!e && [...event.key].length === 1 ? event.key : "");
    const lines = e && (e.localName === "textarea" || e.isContentEditable);
    if (!pressed || e && (!["enter", "escape", "tab"].includes(pressed) || lines && pressed === "enter")) return;
    tell({ kind: "key", key: event.shiftKey && named[event.key] ? "shift+" + pressed : pressed });
  }, true);

  for (const kind of ["alert", "confirm", "prompt"]) {
    const own = window[kind];
    window[kind] = function (...args) {
      const answer = own.apply(window, args);
      tell({ kind: "dialog", accept: kind === "alert" || answer === true || typeof answer === "string", value: kind === "prompt" && answer !== null ? String(answer) : "" });
      return answer;
    };
  }
  const close = window.close;
  window.close = function () {
    tell({ kind: "closing" });
    return close.call(window);
  };
}
