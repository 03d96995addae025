    // isDisabledEntry reports whether el is an entry of a list or menu that the page draws itself, and is disabled. Few
    // widgets use aria-disabled alone: most use a class, a data attribute, or the native list that the entries replace.
    isDisabledEntry(el, tag, role) {
      if (tag === 'option' || tag === 'ul' || tag === 'ol') return false;
      if (this.classDisabled(el)) return this.isEntry(el, tag, role);
      return this.dataDisabled(el, tag, role) || this.mirrorsDisabled(el);
    }
    classDisabled(el) {
      const classes = has(el, 'class') && attr(el, 'class');
      return !!classes && /disabled/i.test(classes) &&
        classes.split(/\s+/).some(c => DISABLED_CLASS.test(c) && !OTHER_CLASS.test(c));
    }
    dataDisabled(el, tag, role) {
      const listed = n => !!n && isElement(n) && LIST_ROLES.has(attr(n, 'role')), around = parentOf(el);
      if (tag !== 'li' && !ENTRY_ROLES.has(role) && !listed(around) && !(around && listed(parentOf(around))))
        return false;
      return namesOf(el)
        .some(name => name.endsWith('disabled') && DISABLED_DATA.test(name) && attr(el, name) !== 'false' ||
        name.startsWith('data-') && name.endsWith('-state') && /(^|\s)disabled(\s|$)/.test(attr(el, name)));
    }
    // isEntry reports whether el looks like an entry of a list or menu.
    isEntry(el, tag, role) {
      if (tag === 'li' || ENTRY_ROLES.has(role)) return true;
      for (let n = parent(el), i = 0; n && isElement(n) && i < 4; n = parent(n), i++) {
        if (LIST_ROLES.has(attr(n, 'role')) || ['ul', 'ol', 'menu'].includes(localName(n)) ||
            this.nativeLists().some(list => parent(list.el) === n))
          return true;
      }
      return false;
    }
    // nativeLists returns the native lists that are not visible themselves, with the texts of their options.
    nativeLists() {
      if (this.lists) return this.lists;
      this.lists = [];
      for (const el of [...allIn(this.root, 'select')].slice(0, MAX_LISTS)) {
        const r = rectOf(el),
          drawn = r.width > 2 && r.height > 2 && rendered(el, {visibilityProperty: true}) && this.opacity(el) >= CLEAR;
        if (drawn && this.remains(el)) continue;
        const able = new Set(), disabled = new Set();
        for (const o of [...every(el, 'option')].slice(0, MAX_MIRRORED))
          (matches(o, ':disabled') ? disabled : able).add(squeeze(textOf(o)));
        this.lists.push({el, able, disabled});
      }
      return this.lists;
    }
    // mirrorsDisabled reports whether el replaces a disabled option, among siblings that replace other options.
    mirrorsDisabled(el) {
      const lists = this.nativeLists().filter(list => list.disabled.size);
      if (!lists.length || !ENTRY_TAGS.has(localName(el))) return false;
      const text = squeeze(textOf(el));
      return text.length > 0 && text.length < 200 &&
        lists.some(({able, disabled}) => disabled.has(text) && !able.has(text) &&
        [...children(parent(el))].some(n => n !== el && isElement(n) && able.has(squeeze(textOf(n)))));
    }
