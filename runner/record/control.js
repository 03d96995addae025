// What lies at a place of the page, x and y in parts of the window: a list to choose from, a field for files, or
// something to click; and how webSelect and webUpload name it, what a person reads before what only programs see. Page
// functions that open a choice of files are listened to from now on. With an element, it is told of that, wherever it
// is.
(x, y, preferId, element) => {
  const asked = Symbol.for("taproot.files");
  const listen = (view) => {
    const proto = view.HTMLInputElement.prototype;
    if (proto[asked]) return;
    Object.defineProperty(proto, asked, { value: true });
    for (const name of ["click", "showPicker"]) {
      const own = proto[name];
      if (!own) continue;
      proto[name] = function (...args) {
        if (this.type === "file") window[asked] = true;
        return own.apply(this, args);
      };
    }
  };
  listen(window);

  const words = (text) => (text || "").replace(/\s+/g, " ").trim();
  const quotable = (text) => text && text.length <= 80 && !/["\\\n]|>>/.test(text);
  const steady = (text) => !/\d/.test(text) && !/^:.*:$|^(ember|radix|mui|react|headlessui|ext-gen)\b/.test(text);
  const says = (text, e) => {
    const found = [...e.getRootNode().querySelectorAll("button, a, label, summary, p, h1, h2, h3, li, td, span, div, input")].filter((o) => words(o.matches("input") ? o.value : o.textContent) === text);
    return found.every((o) => o === e || o.contains(e) || e.contains(o));
  };
  const only = (css, e) => {
    const found = e.getRootNode().querySelectorAll(css);
    return found.length === 1 && found[0] === e;
  };
  const css = (text) => '"' + text.replace(/["\\]/g, "\\$&") + '"';

  // labelled is what stands beside a field, without what the field itself holds.
  const labelled = (e) => {
    const by = (e.getAttribute("aria-labelledby") || "").split(/\s+/).map((id) => e.getRootNode().getElementById?.(id)).filter(Boolean);
    if (by.length) return words(by.map((l) => l.textContent).join(" "));
    if (e.getAttribute("aria-label")) return words(e.getAttribute("aria-label"));
    for (const label of e.labels || []) {
      const copy = label.cloneNode(true);
      for (const field of copy.querySelectorAll("select, input, textarea, button, script, style")) field.remove();
      if (words(copy.textContent)) return words(copy.textContent);
    }
    return "";
  };

  // path is the place among its siblings, from the nearest element with an id.
  const path = (e) => {
    const parts = [];
    for (let at = e; at && at.nodeType === 1; at = at.parentElement) {
      const tag = at.localName;
      if (at.id && only("#" + CSS.escape(at.id), at)) {
        parts.unshift("#" + CSS.escape(at.id));
        break;
      }
      const alike = [...(at.parentNode?.children || [])].filter((o) => o.localName === tag);
      parts.unshift(alike.length > 1 ? `${tag}:nth-of-type(${alike.indexOf(at) + 1})` : tag);
    }
    return parts.join(" > ");
  };

  // names are the selectors of an element, the best first.
  const names = (e) => {
    const tag = e.localName, list = [], brittle = [];
    const add = (text, ...selectors) => { if (quotable(text)) (steady(text) ? list : brittle).push(...selectors); };
    const field = e.matches("select, textarea, input:not([type=button], [type=submit], [type=reset], [type=image])");
    const label = labelled(e), shown = words(e.matches("input") ? e.value : e.textContent);
    // a label around a list says its entries, too
    if (field) add(label, ...(e.localName === "select" && e.closest("label") ? [] : [`label="${label}"`]), `label=${label}`);
    else add(shown, ...(says(shown, e) ? [`text="${shown}"`] : []), `${tag}:text-is("${shown}")`);
    const ids = [], id = e.id && "#" + CSS.escape(e.id), test = e.getAttribute("data-testid"), name = e.getAttribute("name");
    if (test && only(`[data-testid=${css(test)}]`, e)) ids.push(`[data-testid=${css(test)}]`);
    if (id && only(id, e)) (steady(e.id) ? ids : brittle).push(id);
    if (name && only(`${tag}[name=${css(name)}]`, e)) ids.push(`${tag}[name=${css(name)}]`);
    if (preferId) list.unshift(...ids);
    else list.push(...ids);
    const kind = e.matches("input[type=file]") ? "input[type=file]" : tag;
    if (e.matches("select, input[type=file]") && only(kind, e)) list.push(kind);
    return [...list, ...brittle, path(e)];
  };

  let doc = document, at = element || null, px = x * window.innerWidth, py = y * window.innerHeight;
  const frames = [];
  for (let view = element?.ownerDocument.defaultView; view && view !== view.parent && view.frameElement; view = view.parent) frames.unshift(names(view.frameElement).at(-1));
  while (!element) {
    at = doc.elementFromPoint(px, py);
    for (let inner = at?.shadowRoot?.elementFromPoint(px, py); inner && inner !== at; inner = at.shadowRoot?.elementFromPoint(px, py)) at = inner;
    if (!at || at.localName !== "iframe" || !at.contentDocument) break;
    const box = at.getBoundingClientRect();
    [px, py] = [px - box.left - at.clientLeft, py - box.top - at.clientTop];
    frames.push(names(at).at(-1));
    doc = at.contentDocument;
    listen(doc.defaultView);
  }
  if (!at) return null;
  const frame = frames.join(" >> ");
  const list = at.closest("select");
  if (list && !list.disabled) {
    return { kind: "select", name: labelled(list), frame, selectors: names(list), options: [...list.options].filter((o) => !o.disabled).slice(0, 500).map((o) => ({ label: words(o.label), value: o.value, index: o.index, chosen: o.selected })) };
  }
  const field = at.closest("input[type=file]") || at.closest("label")?.control;
  if (field?.matches("input[type=file]") && !field.disabled) {
    return { kind: "files", name: labelled(field), frame, selectors: names(field), multiple: field.multiple, accept: field.accept };
  }
  const button = at.closest("button, a, summary, label, input, [role=button], [role=link], [role=menuitem]") || at;
  return { kind: "", name: words(button.textContent).slice(0, 80), frame, selectors: names(button) };
}
