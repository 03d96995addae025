  // The style of the hints of fields (::placeholder). WebKit returns the style of the field instead of it. There, it is
  // worked out from the rules of the page's style sheets.

  const HINT = /::?(-webkit-input-)?placeholder$/, HINT_RULES = 200;
  const HINT_STYLE = ['color', 'webkitTextFillColor', 'opacity', 'visibility', 'fontSize', 'letterSpacing', 'filter',
    'textShadow', 'webkitTextStrokeWidth', 'webkitTextStrokeColor', 'backgroundColor', 'backgroundImage',
    'webkitBackgroundClip', 'backgroundClip', 'maskImage', 'maskSize'];
  const NOT_INHERITED = {opacity: '1', filter: 'none', webkitTextStrokeWidth: '0px',
    backgroundColor: 'rgba(0, 0, 0, 0)', backgroundImage: 'none', webkitBackgroundClip: 'border-box',
    backgroundClip: 'border-box', maskImage: 'none', maskSize: 'auto'};
  const dashed = name => name.replace(/^webkit/, '-webkit').replace(/[A-Z]/g, c => '-' + c.toLowerCase());
  // isOwnStyle reports whether the style of a hint is that of its field: no browser draws both alike.
  const isOwnStyle = (s, own) => ['display', 'width', 'height', 'borderTopWidth', 'borderLeftWidth', 'paddingTop',
    'paddingLeft', 'backgroundColor', 'boxSizing', 'cursor'].every(name => s[name] === own[name]);
  // applies reports whether the condition of a rule around others holds.
  const applies = rule => {
    try {
      if (rule.media) return window.matchMedia(rule.media.mediaText).matches;
      return !/^@supports/.test(rule.cssText) || CSS.supports(rule.conditionText);
    } catch { return true; }
  };
  // hintRules returns the rules for hints among those of a style sheet, with whole selectors, in their order. layered:
  // they are in a layer, which other rules override.
  const hintRules = (rules, found, around = '', layered = false) => {
    for (const rule of rules || []) {
      if (found.length >= HINT_RULES) return found;
      let selector = rule.selectorText || '';
      if (selector && around)
        selector = listed(selector)
          .map(s => s.includes('&') ? s.replaceAll('&', `:is(${around})`) : `:is(${around}) ${s}`).join(', ');
      for (const one of selector ? listed(selector) : [])
        if (HINT.test(one)) found.push({base: one.replace(HINT, '') || '*', style: rule.style, layered});
      if (rule.styleSheet && applies(rule)) hintRules(rulesOf(rule.styleSheet), found, around, layered);
      if (rule.cssRules && (selector || applies(rule)))
        hintRules(rule.cssRules, found, selector || around, layered || /^@layer/.test(rule.cssText));
    }
    return found;
  };
  // weight returns the specificity of a selector as one number, roughly: names in :is() and :not() count one by one.
  const weight = selector => {
    const s = selector.replace(/:where\((?:[^()]|\([^()]*\))*\)/g, '').replace(/"[^"]*"/g, '');
    const all = pattern => (s.match(pattern) || []).length;
    return 1e6 * all(/#[\w-]/g) + 1e3 * all(/\.[\w-]|\[|(?<!:):(?!is\b|not\b|has\b)[\w-]/g) +
      all(/(^|[\s>+~(,])[a-z]/gi);
  };
  // valueIn returns a value of a rule, with the variables of the field in it.
  const valueIn = (value, own) => {
    for (let i = 0; i < 5 && value.includes('var('); i++)
      value = value.replace(/var\(\s*(--[\w-]+)\s*(?:,((?:[^()]|\([^()]*\))*))?\)/g,
        (_, name, other) => own.getPropertyValue(name).trim() || (other || '').trim());
    return value;
  };
  // hintStyle returns the style in which a browser draws the hint of a field.
  const hintStyle = (reader, el) => {
    const s = styleOf(el, '::placeholder'), own = reader.style(el);
    if (!isOwnStyle(s, own)) return s;
    const made = {}, best = {}, root = rootOf(el);
    for (const name of HINT_STYLE) made[name] = NOT_INHERITED[name] ?? own[name];
    let filled = own.webkitTextFillColor !== own.color;
    made.color = 'rgb(117, 117, 117)';
    const sheets = [...root.styleSheets || [], ...root.adoptedStyleSheets || []]
      .filter(sheet => !sheet.disabled && (!sheet.media || !sheet.media.mediaText ||
        window.matchMedia(sheet.media.mediaText).matches));
    const rules = sheets.flatMap(sheet => hintRules(rulesOf(sheet), []));
    for (const {base, style, layered} of rules) {
      try { if (!matches(el, base)) continue; } catch { continue; }
      const heavy = weight(base);
      for (const name of HINT_STYLE) {
        const given = style.getPropertyValue(dashed(name)),
          must = style.getPropertyPriority(dashed(name)) === 'important',
          rank = (must ? 2e9 : 0) + (layered !== must ? 0 : 1e9) + heavy;
        if (!given || rank < (best[name] ?? -1)) continue;
        best[name] = rank;
        const value = valueIn(given, own);
        if (name === 'webkitTextFillColor') filled = !/^(initial|unset|revert|currentcolor)$/i.test(value);
        made[name] = value === 'inherit' ? own[name] : /^(initial|unset|revert|revert-layer)$/.test(value) ?
          NOT_INHERITED[name] ?? own[name] : value;
      }
    }
    if (!filled || /^currentcolor$/i.test(made.webkitTextFillColor)) made.webkitTextFillColor = made.color;
    if (/%$/.test(made.opacity)) made.opacity = String(parseFloat(made.opacity) / 100);
    if (!/px$/.test(made.fontSize)) made.fontSize = own.fontSize;
    return made;
  };
