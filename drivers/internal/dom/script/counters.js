  // The values of the counters of style sheets: the browser has no API for the numbers that counter(item) writes into
  // pseudo-elements.
  const ROMAN = [['m', 1000], ['cm', 900], ['d', 500], ['cd', 400], ['c', 100], ['xc', 90], ['l', 50], ['xl', 40],
    ['x', 10], ['ix', 9], ['v', 5], ['iv', 4], ['i', 1]];
  // The characters of alphabets, and those for the digits 1 to 9 of each place of a number.
  const ALPHABETS = {alpha: 'abcdefghijklmnopqrstuvwxyz', latin: 'abcdefghijklmnopqrstuvwxyz',
    greek: 'αβγδεζηθικλμνξοπρστυφχψω'};
  const PLACES = {armenian: Array.from({length: 36}, (_, i) => String.fromCharCode(0x531 + i)).join(''),
    georgian: 'აბგდევზჱთიკლმნჲოპჟრსტჳფქღყშჩცძწჭხჴჯჰ'};
  // counted returns a number as a counter style writes it.
  const counted = (n, style) => {
    const upper = /^upper-/.test(style), kind = style.replace(/^(upper|lower)-/, ''),
      cased = s => upper ? s.toUpperCase() : s;
    if (style === 'decimal-leading-zero') return n >= 0 && n < 10 ? '0' + n : String(n);
    if (Object.hasOwn(ALPHABETS, kind) && n > 0) {
      const signs = ALPHABETS[kind];
      let s = '';
      for (let k = n; k > 0; k = Math.floor((k - 1) / signs.length)) s = signs[(k - 1) % signs.length] + s;
      return cased(s);
    }
    if (Object.hasOwn(PLACES, kind) && n > 0 && n < 10000) {
      const digits = [...String(n)].map(Number), places = digits.length - 1,
        s = digits.map((d, i) => d ? PLACES[kind][9 * (places - i) + d - 1] : '').join('');
      return style === 'lower-armenian' ? s.toLowerCase() : s;
    }
    if (kind === 'roman' && n > 0 && n < 4000)
      return cased(ROMAN.reduce(
        ([s, left], [sign, value]) => [s + sign.repeat(Math.floor(left / value)), left % value], ['', n])[0]);
    return /^(disc|circle|square|none)$/.test(style) ? '' : String(n);
  };
  // changes returns the names and numbers of counter-reset, counter-increment or counter-set.
  const changes = text =>
    [...String(text || '').matchAll(/(-?[a-z_][\w-]*)\s+(-?\d+)/gi)].map(([, name, n]) => [name, +n]);

  // Counters calculates the values of all counters for each element with a pseudo-element, outermost counter first.
  class Counters {
    constructor(top) { this.at = new Map(); this.open = []; this.left = 20000; if (top) this.walk(top, null); }
    // of returns the values of a counter at an element or its pseudo-element.
    of(el, part, name) { return (this.at.get(el)?.[part] || []).filter(c => c.name === name).map(c => c.value); }
    last(name) { return this.open.findLast(c => c.name === name); }
    // apply changes the counters as a style says; item are changes without a style.
    apply(style, scope, item) {
      for (const [name, value] of changes(style.counterReset)) {
        const own = this.last(name);
        if (own && own.scope === scope) own.value = value; else this.open.push({name, value, scope});
      }
      const each = (list, change) => list.forEach(([name, n]) => {
        if (!this.last(name)) this.open.push({name, value: 0, scope});
        change(this.last(name), n);
      });
      each(item.concat(changes(style.counterIncrement)), (c, n) => { c.value += n; });
      each(changes(style.counterSet), (c, n) => { c.value = n; });
    }
    // walk visits an element and its descendants in the order of the document.
    walk(el, scope) {
      const style = styleOf(el), tag = localName(el);
      if (--this.left < 0 || style.display === 'none') return;
      if (tag === 'ol' || tag === 'ul' || tag === 'menu')
        this.open.push({name: 'list-item', value: (+attr(el, 'start') || 1) - 1, scope});
      this.apply(style, scope, tag === 'li' && !/list-item/.test(style.counterIncrement) ? [['list-item', 1]] : []);
      const mark = part => {
        const s = part === 'marker' ? null : styleOf(el, '::' + part);
        if (s && (s.content === 'none' || s.content === 'normal' || s.display === 'none')) return;
        if (s) this.apply(s, el, []);
        this.at.set(el, {...this.at.get(el), [part]: this.open.map(({name, value}) => ({name, value}))});
      };
      if (style.display.includes('list-item')) mark('marker');
      mark('before');
      for (const n of children(el)) if (isElement(n) && !IGNORED.has(localName(n))) this.walk(n, el);
      mark('after');
      this.open = this.open.filter(c => c.scope !== el);
    }
  }
