(() => {
  'use strict';
  // Runs in the page's own world before its scripts, in browsers that do not report closed shadow roots. It creates
  // them as open roots, which the script that reads the page can access, and hides that from the page.
  const kept = new WeakSet(), apply = Reflect.apply;
  const part = (owner, name) => Object.getOwnPropertyDescriptor(owner, name);
  const attach = part(Element.prototype, 'attachShadow');
  const root = part(Element.prototype, 'shadowRoot'), mode = part(ShadowRoot.prototype, 'mode');
  if (!attach || !root || !mode) return;
  Object.defineProperty(
    Element.prototype, 'attachShadow', {...attach, value: new Proxy(attach.value, {apply: (target, self, args) => {
    const how = args[0];
    if (!how || how.mode !== 'closed') return apply(target, self, args);
    const made = apply(target, self, [{...how, mode: 'open'}]);
    kept.add(made);
    return made;
  }})});
  Object.defineProperty(
    Element.prototype, 'shadowRoot', {...root, get: new Proxy(root.get, {apply: (target, self, args) => {
    const found = apply(target, self, args);
    return found && kept.has(found) ? null : found;
  }})});
  Object.defineProperty(ShadowRoot.prototype, 'mode', {...mode, get: new Proxy(mode.get, {apply: (target, self, args) =>
    kept.has(self) ? 'closed' : apply(target, self, args)})});

  // The script that reads the page requests, by an event, what custom elements report to assistive technology with
  // ElementInternals.
  const NAME = '@watch@', internals = new WeakMap(), elements = [];
  const send = Function.prototype.call.bind(EventTarget.prototype.dispatchEvent), Custom = CustomEvent;
  const inner = part(HTMLElement.prototype, 'attachInternals');
  if (!inner) return;
  Object.defineProperty(
    HTMLElement.prototype, 'attachInternals', {...inner, value: new Proxy(inner.value, {apply: (target, self, args) => {
    const made = apply(target, self, args);
    internals.set(self, made);
    elements.push(new WeakRef(self));
    return made;
  }})});
  const state = value => value === 'true' || value === 'false' || value === 'mixed' ? value : undefined;
  window.addEventListener(NAME + 'internals', () => {
    for (const each of elements) {
      const el = each.deref(), internal = el && el.isConnected && internals.get(el);
      if (!internal || !(internal.role || el.getAttribute('role'))) continue;
      const info = {
        role: el.getAttribute('role') || internal.role, name: internal.ariaLabel || '',
          checked: state(internal.ariaChecked),
        pressed: state(internal.ariaPressed),
        selected: internal.ariaSelected === 'true' || undefined,
        disabled: internal.ariaDisabled === 'true' || undefined};
      send(el, new Custom(NAME + 'axinfo', {composed: true, detail: JSON.stringify(info)}));
    }
  });
})();
