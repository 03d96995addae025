// Returns the control at a place of the page, x and y as fractions of the window: a list, a field for files, or
// something to click; with its selectors for webSelect and webUpload, those with visible texts first. It also wraps the
// functions that open a file chooser, to detect later that a page has called them. With an element, it describes that
// element instead, wherever it is.
(x, y, preferId, element) => {
  const filesKey = Symbol.for("taproot.files");
  const watchFiles = (view) => {
    const proto = view.HTMLInputElement.prototype;
    if (proto[filesKey]) return;
    Object.defineProperty(proto, filesKey, { value: true });
    for (const name of ["click", "showPicker"]) {
      const own = proto[name];
      if (!own) continue;
      proto[name] = function (...args) {
        if (this.type === "file") window[filesKey] = true;
        return own.apply(this, args);
      };
    }
  };
  watchFiles(window);

  const normalize = (text) => (text || "").replace(/\s+/g, " ").trim();
  const canQuote = (text) => text && text.length <= 80 && !/["\\\n]|>>/.test(text);
  const isStable = (text) => !/\d/.test(text) && !/^:.*:$|^(ember|radix|mui|react|headlessui|ext-gen)\b/.test(text);
  const isOnlyText = (text, e) => {
    const all = e.getRootNode().querySelectorAll("button, a, label, summary, p, h1, h2, h3, li, td, span, div, input");
    const found = [...all].filter((o) => normalize(o.matches("input") ? o.value : o.textContent) === text);
    return found.every((o) => o === e || o.contains(e) || e.contains(o));
  };
  const isUnique = (selector, e) => {
    const found = e.getRootNode().querySelectorAll(selector);
    return found.length === 1 && found[0] === e;
  };
  const cssString = (text) => '"' + text.replace(/["\\]/g, "\\$&") + '"';

  // fieldLabel returns the label of a field, without the field's own value.
  const fieldLabel = (e) => {
    const ids = (e.getAttribute("aria-labelledby") || "").split(/\s+/);
    const labels = ids.map((id) => e.getRootNode().getElementById?.(id)).filter(Boolean);
    if (labels.length) return normalize(labels.map((l) => l.textContent).join(" "));
    if (e.getAttribute("aria-label")) return normalize(e.getAttribute("aria-label"));
    for (const label of e.labels || []) {
      const copy = label.cloneNode(true);
      for (const field of copy.querySelectorAll("select, input, textarea, button, script, style")) field.remove();
      if (normalize(copy.textContent)) return normalize(copy.textContent);
    }
    return "";
  };

  // path returns the position among siblings, starting at the nearest ancestor with an ID.
  const path = (e) => {
    const parts = [];
    for (let at = e; at && at.nodeType === 1; at = at.parentElement) {
      const tag = at.localName;
      if (at.id && isUnique("#" + CSS.escape(at.id), at)) {
        parts.unshift("#" + CSS.escape(at.id));
        break;
      }
      const alike = [...(at.parentNode?.children || [])].filter((o) => o.localName === tag);
      parts.unshift(alike.length > 1 ? `${tag}:nth-of-type(${alike.indexOf(at) + 1})` : tag);
    }
    return parts.join(" > ");
  };

  // selectorsOf returns the selectors of an element, the best first.
  const selectorsOf = (e) => {
    const tag = e.localName, list = [], brittle = [];
    const add = (text, ...selectors) => { if (canQuote(text)) (isStable(text) ? list : brittle).push(...selectors); };
    const field = e.matches("select, textarea, input:not([type=button], [type=submit], [type=reset], [type=image])");
    const label = fieldLabel(e), shown = normalize(e.matches("input") ? e.value : e.textContent);
    // the text of a label around a list contains the list's options
    const wraps = e.localName === "select" && e.closest("label");
    if (field) add(label, ...(wraps ? [] : [`label="${label}"`]), `label=${label}`);
    else add(shown, ...(isOnlyText(shown, e) ? [`text="${shown}"`] : []), `${tag}:text-is("${shown}")`);
    const ids = [], id = e.id && "#" + CSS.escape(e.id);
    const test = e.getAttribute("data-testid"), name = e.getAttribute("name");
    if (test && isUnique(`[data-testid=${cssString(test)}]`, e)) ids.push(`[data-testid=${cssString(test)}]`);
    if (id && isUnique(id, e)) (isStable(e.id) ? ids : brittle).push(id);
    if (name && isUnique(`${tag}[name=${cssString(name)}]`, e)) ids.push(`${tag}[name=${cssString(name)}]`);
    if (preferId) list.unshift(...ids);
    else list.push(...ids);
    const kind = e.matches("input[type=file]") ? "input[type=file]" : tag;
    if (e.matches("select, input[type=file]") && isUnique(kind, e)) list.push(kind);
    return [...list, ...brittle, path(e)];
  };

  let doc = document, at = element || null, px = x * window.innerWidth, py = y * window.innerHeight;
  const frames = [];
  let view = element?.ownerDocument.defaultView;
  for (; view && view !== view.parent && view.frameElement; view = view.parent) {
    frames.unshift(selectorsOf(view.frameElement).at(-1));
  }
  while (!element) {
    at = doc.elementFromPoint(px, py);
    const inShadow = () => at?.shadowRoot?.elementFromPoint(px, py);
    for (let inner = inShadow(); inner && inner !== at; inner = inShadow()) at = inner;
    if (!at || at.localName !== "iframe" || !at.contentDocument) break;
    const box = at.getBoundingClientRect();
    [px, py] = [px - box.left - at.clientLeft, py - box.top - at.clientTop];
    frames.push(selectorsOf(at).at(-1));
    doc = at.contentDocument;
    watchFiles(doc.defaultView);
  }
  if (!at) return null;
  const frame = frames.join(" >> ");
  const list = at.closest("select");
  if (list && !list.disabled) {
    const enabled = [...list.options].filter((o) => !o.disabled).slice(0, 500);
    const options = enabled.map((o) => (
      { label: normalize(o.label), value: o.value, index: o.index, chosen: o.selected }
    ));
    return { kind: "select", name: fieldLabel(list), frame, selectors: selectorsOf(list), options };
  }
  const field = at.closest("input[type=file]") || at.closest("label")?.control;
  if (field?.matches("input[type=file]") && !field.disabled) {
    const { multiple, accept } = field;
    return { kind: "files", name: fieldLabel(field), frame, selectors: selectorsOf(field), multiple, accept };
  }
  const button = at.closest("button, a, summary, label, input, [role=button], [role=link], [role=menuitem]") || at;
  return { kind: "", name: normalize(button.textContent).slice(0, 80), frame, selectors: selectorsOf(button) };
}
