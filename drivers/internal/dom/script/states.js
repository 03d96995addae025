    // states returns the flags for the state of el and for what it supports.
    states(el, tag, role, style, at) {
      const lone = tag === 'label' ? this.undrawnBox(el) : null, input = lone || el;
      const type = tag === 'input' || lone ? inputType(input) : '', aria = name => (attr(el, name) || '').toLowerCase();
      const own = tag.includes('-'), axState = axInfo.get(el), box = type === 'checkbox' || type === 'radio',
        checkedState = ['aria-checked', 'aria-pressed'].map(aria).find(v => v) ||
          axState && String(axState.checked ?? axState.pressed ?? '');
      let flags = 0;
      const mixed = checkedState === 'mixed' ||
        type === 'checkbox' && prop(input, HTMLInputElement.prototype, 'indeterminate');
      const state = own ? customState(el, 'checked') : null;
      const checked = box ? prop(input, HTMLInputElement.prototype, 'checked') :
        checkedState ? checkedState === 'true' :
        !!state || own && /check(box)?|switch|toggle|radio/.test(tag) && isOn(el, 'checked');
      const checkable = box || CHECK_ROLES.has(role) || checkedState === 'true' || checkedState === 'false' ||
        state !== null ||
        own && /(check|checkbox|switch|toggle|radio)$/.test(tag);
      if (checkable && !mixed) flags |= CHECKABLE | (checked ? CHECKED : 0);
      const current = attr(el, 'aria-current'), selected = aria('aria-selected');
      if (tag === 'option' && prop(el, HTMLOptionElement.prototype, 'selected') || selected === 'true' ||
          current && current !== 'false' ||
        type === 'radio' && checked || aria('aria-pressed') === 'true' ||
        role === 'option' && checkedState === 'true' ||
        own && customState(el, 'selected') || axState && axState.selected) flags |= SELECTED;
      const ownState = SELECT_ROLES.has(role) && role !== 'listitem' && role !== 'cell' &&
        !(CELLS.has(role) && !selected && this.inChosen(el));
      const choosable = ownState || selected || current !== null || aria('aria-pressed') || tag === 'option' ||
        own && (isOn(el, 'selected') || customState(el, 'selected') !== null) || this.currents && role === 'link';
      if (!choosable && !(flags & SELECTED)) flags |= UNSELECTABLE;
      if (this.disabled(el, tag, role, style, at)) flags |= DISABLED;
      if (el === this.focus) flags |= FOCUSED;
      if (type === 'password' || tag === 'input' && dotted(style)) flags |= PASSWORD;
      if (this.editable(el, tag)) flags |= EDITABLE;
      if (this.reacting(el)) flags |= CLICKABLE;
      if (el === rootElement(this.root) ? scrollHeight(el) > clientHeight(el) + 1 : scrolls(el, style))
        flags |= SCROLLABLE;
      return flags;
    }
    // inChosen reports whether a row or another ancestor of a cell has aria-selected.
    inChosen(el) {
      for (let n = parent(el); n && isElement(n) && localName(n) !== 'table'; n = parent(n))
        if (has(n, 'aria-selected')) return true;
      return false;
    }
    // undrawnBox returns the check box or radio button that a label draws in its place; null when one of them is drawn
    // next to the text of the label.
    undrawnBox(el) {
      const input = prop(el, HTMLLabelElement.prototype, 'control');
      if (!input || localName(input) !== 'input' || rendered(input) || hasCustomTwin(input, el)) return null;
      return ['checkbox', 'radio'].includes(inputType(input)) ? input : null;
    }
    // disabled reports whether an element is disabled, by itself or by an ancestor.
    disabled(el, tag, role, style, at) {
      if (at.disabled || this.inert.has(el) || matches(el, ':disabled') || attr(el, 'aria-disabled') === 'true')
        return true;
      if (tag.includes('-') && isOn(el, 'disabled') || axInfo.has(el) && axInfo.get(el).disabled === true)
        return true;
      if (tag === 'label') {
        const control = prop(el, HTMLLabelElement.prototype, 'control');
        if (control && (matches(control, ':disabled') || attr(control, 'aria-disabled') === 'true')) return true;
      }
      if (this.isDisabledEntry(el, tag, role)) return true;
      // An element of the page's own design with the cursor of a disabled control.
      if (style.cursor === 'not-allowed' && !FIELDS.has(tag) && tag !== 'button') return true;
      // A control that lets touches through cannot be pressed, unless an ancestor can.
      const root = rootOf(el);
      if (typeOf(root) === 11 && this.style(hostOf(root)).pointerEvents !== 'none') return false;
      return style.pointerEvents === 'none' &&
        (tag === 'button' || tag === 'a' && has(el, 'href') || role === 'button') && !reacting(this, parent(el));
    }
