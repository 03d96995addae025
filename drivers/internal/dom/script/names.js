    // role returns the ARIA role of an element, '' without one.
    role(el, tag) {
      const explicit = (attr(el, 'role') || '').trim().split(/\s+/)[0].toLowerCase();
      if (explicit && explicit !== 'none' && explicit !== 'presentation') return explicit.slice(0, 40);
      if (axInfo.has(el)) return String(axInfo.get(el).role).slice(0, 40);
      if (tag === 'a' || tag === 'area') return has(el, 'href') ? 'link' : '';
      if (tag === 'input')
        return has(el, 'list') && LISTED.has(inputType(el)) ? 'combobox' : INPUT_ROLES[inputType(el)] || '';
      if (tag === 'select') return has(el, 'multiple') || +attr(el, 'size') > 1 ? 'listbox' : 'combobox';
      if (tag === 'th') return headsRow(el) ? 'rowheader' : 'columnheader';
      if (tag === 'section') return ['aria-label', 'aria-labelledby', 'title'].some(a => has(el, a)) ? 'region' : '';
      if ((tag === 'header' || tag === 'footer') && inSection(el)) return '';
      return Object.hasOwn(ROLES, tag) ? ROLES[tag] : '';
    }
    // words returns the text of el: the value of a field, its own text, or, when all its content names it, all of that.
    words(el, tag, role, shown, runs) {
      if (shown !== null) return shown;
      if (tag === 'use') return this.used(el);
      const own = this.drawnText(el, false, runs);
      return own || !NAMED.has(tag) && !NAMED_ROLES.has(role) ? own : this.drawnText(el, true, runs);
    }
    // used returns the text in the part of an SVG image that a <use> element repeats.
    used(el) {
      const href = attr(el, 'href') || attr(el, 'xlink:href') || '', root = rootOf(el), get = byId[typeOf(root)];
      const part = href[0] === '#' && get ? get(root, href.slice(1)) : null;
      return part && !holds(part, el) ? this.text(part, true) : '';
    }
    // editorText returns all text in an editor or a drawn field, except that of a list that it opens.
    editorText(el, own, runs) {
      if (own && !this.editable(el, localName(el)) || find(el, '[role=listbox], [role=tree], [role=grid]')) return own;
      return this.text(el, true, runs);
    }
    // value returns the state of a control without text: a slider, a meter.
    value(el, tag, role) {
      const ariaValue = attr(el, 'aria-valuetext') || attr(el, 'aria-valuenow');
      if (ariaValue !== null && VALUED_ROLES.has(role)) return truncate(ariaValue);
      if (tag === 'progress') return has(el, 'value') ? String(prop(el, HTMLProgressElement.prototype, 'value')) : '';
      if (tag === 'meter') return String(prop(el, HTMLMeterElement.prototype, 'value'));
      const type = tag === 'input' ? inputType(el) : '';
      return type === 'range' || type === 'color' ? prop(el, HTMLInputElement.prototype, 'value') : '';
    }
    // shown returns the text that a field displays, null for other elements.
    shown(el, tag) {
      if (tag === 'textarea') {
        const v = prop(el, HTMLTextAreaElement.prototype, 'value') || '';
        return dotted(this.style(el)) ? v.replace(/\S/gu, '•') : v;
      }
      if (tag === 'select') {
        return [...prop(el, HTMLSelectElement.prototype, 'selectedOptions') || []].map(o => squeeze(textOf(o)))
          .join(', ');
      }
      if (tag !== 'input') return null;
      const type = inputType(el), value = prop(el, HTMLInputElement.prototype, 'value') || '';
      switch (type) {
        case 'password': return '•'.repeat(Math.min(value.length, 64));
        case 'submit': return has(el, 'value') ? value : 'Submit';
        case 'reset': return has(el, 'value') ? value : 'Reset';
        case 'checkbox': case 'radio': case 'image': case 'hidden': case 'color': case 'range': return '';
        case 'file': return value.slice(value.lastIndexOf('\\') + 1);
      }
      return dotted(this.style(el)) ? '•'.repeat(Math.min(value.length, 64)) : value;
    }
    // holds adds the value of a control that shows no text, and the values that it accepts: the options of a list, the
    // range of a slider, the format of a date.
    holds(node, el, tag, role) {
      const value = this.value(el, tag, role), form = this.form(el, tag, role);
      if (value || form) node.w = [value, form];
    }
    // form returns the values that a control accepts, '' when it accepts any.
    form(el, tag, role) {
      const ends = (min, max) => min + '–' + max;
      if (tag === 'select') {
        const list = [...prop(el, HTMLSelectElement.prototype, 'options') || []];
        const options = list.filter((o, i) => i < MAX_OPTIONS || this.texts.includes(plain(textOf(o))))
          .map(o => squeeze(textOf(o)).slice(0, 40));
        if (list.length > options.length) options.push('… ' + (list.length - options.length) + ' more');
        return options.join(' | ');
      }
      if (tag === 'input') {
        const type = inputType(el);
        return type === 'range' ? ends(attr(el, 'min') || 0, attr(el, 'max') || 100) :
          Object.hasOwn(FORMS, type) ? FORMS[type] : '';
      }
      return role === 'slider' && has(el, 'aria-valuenow') ?
        ends(attr(el, 'aria-valuemin') || 0, attr(el, 'aria-valuemax') || 100) : '';
    }
    // name returns the accessible name of an element, '' without one that adds to its text.
    name(el, tag) {
      const found = labellers(el);
      if (found.length) {
        const text = squeeze(found.map(e => attr(e, 'aria-label') || this.nameIn(e) || textOf(e)).join(' '));
        if (text) return truncate(text);
      }
      const ariaLabel = squeeze(attr(el, 'aria-label') || '');
      if (ariaLabel) return truncate(ariaLabel);
      if (FIELDS.has(tag)) {
        const labels = [...this.labels(el, tag)].slice(0, 5).map(l => this.nameIn(l)).filter(Boolean);
        if (labels.length) return truncate(squeeze(labels.join(' ')));
      }
      if (Object.hasOwn(TITLES, tag)) { // its title names a group
        for (let n = firstOf(el); n; n = nextOf(n))
          if (isElement(n) && localName(n) === TITLES[tag]) return truncate(this.text(n, true));
      }
      if (tag === 'img' || tag === 'area' || tag === 'input' && inputType(el) === 'image') {
        const alt = squeeze(attr(el, 'alt') || '');
        if (alt) return truncate(alt);
      }
      if (el instanceof SVGElement) {
        const title = find(el, ':scope > title');
        if (title) return truncate(squeeze(textOf(title)));
      }
      const title = squeeze(attr(el, 'title') || '');
      if (title) return truncate(title);
      const axName = axInfo.has(el) ? squeeze(String(axInfo.get(el).name || '')) : '';
      if (axName) return axName === squeeze(textOf(el)) ? '' : truncate(axName);
      const role = this.role(el, tag);
      return NAMED.has(tag) || NAMED_ROLES.has(role) ? this.nameFromContent(el) : '';
    }
    // nameIn returns the name of what an element labels: the text of the element, with the names of the images in it.
    nameIn(el) {
      const tag = localName(el), text = this.text(el, true);
      if (!text && tag === 'input' && BUTTON_TYPES.has(inputType(el))) return this.shown(el, tag) || attr(el, 'alt');
      if (!text && tag === 'img') return attr(el, 'alt') || '';
      if (text && !find(el, 'img[alt], svg, [role=img]')) return text;
      const out = [];
      this.collectName(el, out, 0);
      return squeeze(out.join('').replace(INVISIBLE, ' ')) || text;
    }
    // nameFromContent returns the name of an element that is named by its content, when that is more than its visible
    // text: texts for screen readers, names of images, and the alternative text of icons (content: "★" / "Favourite").
    nameFromContent(el) {
      const out = [];
      this.collectName(el, out, 0);
      const name = squeeze(out.join('').replace(INVISIBLE, ' '));
      if (!/[\p{L}\p{N}]/u.test(name)) return ''; // a sign is not a name
      const tag = localName(el), role = this.role(el, tag), shown = squeeze(this.words(el, tag, role, null));
      return name === shown || !shown && !this.isControl(tag, role) && this.bare(el, true) ? '' : truncate(name);
    }
    // bare reports whether nothing but text is drawn in an element: neither images nor boxes in it, which a text for
    // screen readers could name.
    bare(el, outermost) {
      const s = this.style(el), {before, after} = this.pseudosOf(el);
      return !REPLACED.has(localName(el)) && !(el instanceof SVGElement) && s.backgroundImage === 'none' &&
        !before && !after && !repainted(s) && (outermost || alpha(s.backgroundColor) < CLEAR &&
        !(parseFloat(s.borderTopWidth) > 0)) && children(el).every(n => !isElement(n) || this.bare(n));
    }
    // collectName adds the texts that name an element.
    collectName(el, out, depth) {
      if (depth > 30 || out.length > 300) return;
      const made = this.pseudosOf(el);
      if (made.before) out.push(apartIn(made.before, 'spokenText'));
      // an image in its place leaves only its alternative text
      const style = this.style(el), image = repainted(style),
        alt = image && /\/\s*"((?:[^"\\]|\\.)*)"$/.exec(style.content);
      if (alt) out.push(alt[1]);
      for (const n of image ? [] : children(el)) {
        if (typeOf(n) === 3) out.push(dataOf(n).slice(0, MAX_TEXT));
        if (!isElement(n)) continue;
        const tag = localName(n), s = this.style(n);
        if (tag === 'br') out.push(' ');
        if (tag === 'svg') { const title = find(n, ':scope > title'); if (title) out.push(' ', textOf(title)); }
        if (IGNORED.has(tag) || s.display === 'none' || s.visibility !== 'visible' || attr(n, 'aria-hidden') === 'true')
          continue;
        const label = attr(n, 'aria-label') || (tag === 'img' ? attr(n, 'alt') : '') || '';
        const block = !this.inline(n) || label ? ' ' : '';
        out.push(block);
        if (label) out.push(label); else if (this.shown(n, tag) === null) this.collectName(n, out, depth + 1);
        out.push(block);
      }
      if (made.after) out.push(apartIn(made.after, 'spokenText'));
    }
    // labels returns the <label> elements of a field.
    labels(el, tag) {
      const protos = {input: HTMLInputElement, select: HTMLSelectElement, textarea: HTMLTextAreaElement,
        button: HTMLButtonElement, meter: HTMLMeterElement, output: HTMLOutputElement, progress: HTMLProgressElement};
      return prop(el, protos[tag].prototype, 'labels') || [];
    }
    // editable reports whether el is a field or an editor for text.
    editable(el, tag) {
      if (tag === 'input') return !UNTYPED.has(inputType(el)) && !has(el, 'readonly');
      if (tag === 'textarea') return !has(el, 'readonly');
      if (!editableContent(el)) return false;
      const p = parent(el);
      return !(p && isElement(p) && editableContent(p)); // the editing host, not its descendants
    }
    // reacting returns clickable, cached.
    reacting(el) {
      let yes = this.reacts.get(el);
      if (yes === undefined) {
        const tag = localName(el);
        this.reacts.set(el, yes = this.clickable(el, tag, this.role(el, tag), this.style(el)));
      }
      return yes;
    }
    // clickable reports whether an element reacts to clicks, by its type, role, attributes and cursor.
    clickable(el, tag, role, style) {
      if (tag === 'input') return inputType(el) !== 'hidden';
      if (tag === 'a' || tag === 'area') return has(el, 'href') || has(el, 'onclick') || style.cursor === 'pointer';
      if (['button', 'select', 'textarea', 'summary', 'option'].includes(tag)) return true;
      if (tag === 'label') {
        // When the field of a label is visible itself, the label is not a target: two targets with one name would be
        // ambiguous.
        const control = prop(el, HTMLLabelElement.prototype, 'control');
        if (control) return !this.seen(control);
      }
      if (ACTIVE_ROLES.has(role) || has(el, 'onclick')) return true;
      const tab = attr(el, 'tabindex');
      if (tab !== null && +tab >= 0) return true;
      if (style.cursor !== 'pointer') return false;
      const p = parent(el);
      return !p || !isElement(p) || this.style(p).cursor !== 'pointer';
    }
