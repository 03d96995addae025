(secret, say) => {
  // Reports the paths of the cookies that the page sets, as WebKit lists cookies by URLs alone, and its service
  // workers, of which WebKit reports no requests.
  const call = Reflect.apply, search = RegExp.prototype.exec, text = String, start = String.prototype.startsWith;
  const path = /;\s*path\s*=\s*([^;]*)/i;
  const report = to => { if (call(start, to, ['/'])) say(secret + 'cookie ' + self.origin + ' ' + to); };
  const replace = (owner, name, kind, before) => {
    const was = Object.getOwnPropertyDescriptor(owner, name);
    if (!was || !was[kind]) return;
    const handler = (target, self, args) => call(target, self, before(args));
    Object.defineProperty(owner, name, {...was, [kind]: new Proxy(was[kind], {apply: handler})});
  };
  replace(Document.prototype, 'cookie', 'set', args => {
    if (typeof args[0] === 'symbol') return args;
    const set = text(args[0]), found = call(search, path, [set]);
    if (found) report(found[1]);
    return [set];
  });
  if (self.CookieStore) replace(CookieStore.prototype, 'set', 'value', args => {
    const set = args[0];
    if (set && typeof set === 'object' && typeof set.path === 'string') report(set.path);
    return args;
  });
  if (self.ServiceWorkerContainer) replace(ServiceWorkerContainer.prototype, 'register', 'value', args => {
    say(secret + 'worker ' + self.origin);
    return args;
  });
}
