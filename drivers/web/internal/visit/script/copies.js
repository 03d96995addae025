(() => {
  'use strict';
  // Reports the text that the page copies, from its selection or by a script.
  const tell = window.__taprootCopied;
  delete window.__taprootCopied;
  if (typeof tell !== 'function' || window.matchMedia('(scripting: none)').matches) return;
  const later = window.setTimeout.bind(window);
  // selected returns the selected text, also that in a field.
  const selected = () => {
    let el = document.activeElement;
    while (el && el.shadowRoot && el.shadowRoot.activeElement) el = el.shadowRoot.activeElement;
    if (el && (el.localName === 'input' || el.localName === 'textarea')) {
      try { return el.value.slice(el.selectionStart, el.selectionEnd); } catch { return ''; }
    }
    return String(window.getSelection() || '');
  };
  for (const kind of ['copy', 'cut']) {
    window.addEventListener(kind, event => {
      if (!event.isTrusted) return;
      const held = event.clipboardData, chosen = selected();
      let own = '';
      if (held) {
        const set = held.setData;
        held.setData = function (type, text) {
          if (/^text(\/plain)?$/i.test(type)) own = String(text);
          return set.apply(this, arguments);
        };
      }
      later(() => tell(event.defaultPrevented ? own : chosen), 0);
    }, true);
  }
  const proto = window.Clipboard && window.Clipboard.prototype;
  if (!proto) return;
  const write = proto.write, writeText = proto.writeText;
  if (writeText) proto.writeText = function (text) {
    const done = writeText.apply(this, arguments);
    done.then(() => tell(String(text)), () => {});
    return done;
  };
  if (write) proto.write = function (items) {
    const done = write.apply(this, arguments);
    done.then(async () => {
      for (const item of items)
        if (item.types.includes('text/plain')) tell(await (await item.getType('text/plain')).text());
    }).catch(() => {});
    return done;
  };
})();
