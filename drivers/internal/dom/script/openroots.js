(() => {
  'use strict';
  // Runs in the page's own world before its scripts, in browsers that do not report closed shadow roots. It creates
  // them as open roots, which the script that reads the page can access, and hides that from the page.
  const closedRoots = new WeakSet(), apply = Reflect.apply;
  const exists = (owner, name) => !!Object.getOwnPropertyDescriptor(owner, name);
  // intercept makes a handler receive the calls of a method (kind value) or of the getter of a property (kind get).
  const intercept = (owner, name, kind, handler) => {
    const was = Object.getOwnPropertyDescriptor(owner, name);
    Object.defineProperty(owner, name, {...was, [kind]: new Proxy(was[kind], {apply: handler})});
  };
  const element = Element.prototype, shadowRoot = ShadowRoot.prototype;
  if (!exists(element, 'attachShadow') || !exists(element, 'shadowRoot') || !exists(shadowRoot, 'mode')) return;
  intercept(element, 'attachShadow', 'value', (target, self, args) => {
    const how = args[0];
    if (!how || how.mode !== 'closed') return apply(target, self, args);
    const made = apply(target, self, [{...how, mode: 'open'}]);
    closedRoots.add(made);
    return made;
  });
  intercept(element, 'shadowRoot', 'get', (target, self, args) => {
    const found = apply(target, self, args);
    return found && closedRoots.has(found) ? null : found;
  });
  intercept(shadowRoot, 'mode', 'get', (target, self, args) =>
    closedRoots.has(self) ? 'closed' : apply(target, self, args));

  // The script that reads the page requests, by an event, what custom elements report to assistive technology with
  // ElementInternals.
  const NAME = '@watch@', internals = new WeakMap(), elements = [];
  const send = Function.prototype.call.bind(EventTarget.prototype.dispatchEvent), Custom = CustomEvent;
  if (!exists(HTMLElement.prototype, 'attachInternals')) return;
  intercept(HTMLElement.prototype, 'attachInternals', 'value', (target, self, args) => {
    const made = apply(target, self, args);
    internals.set(self, made);
    elements.push(new WeakRef(self));
    return made;
  });
  const state = value => value === 'true' || value === 'false' || value === 'mixed' ? value : undefined;
  window.addEventListener(NAME + 'internals', () => {
    for (const each of elements) {
      const el = each.deref(), internal = el && el.isConnected && internals.get(el);
      if (!internal || !(internal.role || el.getAttribute('role'))) continue;
      const info = {
        role: el.getAttribute('role') || internal.role, name: internal.ariaLabel || '',
        checked: state(internal.ariaChecked), pressed: state(internal.ariaPressed),
        selected: internal.ariaSelected === 'true' || undefined,
        disabled: internal.ariaDisabled === 'true' || undefined};
      send(el, new Custom(NAME + 'axinfo', {composed: true, detail: JSON.stringify(info)}));
    }
  });
})();
