  // The text in the content of a pseudo-element.

  // unquoted returns the value of a string of a style sheet.
  const unquoted = s => s.slice(1, -1)
    .replace(/\\([0-9a-f]{1,6}) ?/gi, (_, hex) => String.fromCodePoint(parseInt(hex, 16))).replace(/\\(.)/g, '$1');
  const STRING = '"(?:[^"\\\\]|\\\\.)*"';
  const IMAGE = `(?:url|[\\w-]*image-set|[\\w-]*gradient)\\((?:[^()"]|${STRING}|\\([^()]*\\))*\\)`;
  const CONTENT = new RegExp(
    `${STRING}|${IMAGE}|attr\\([^)]*\\)|counters?\\((?:[^")]|"[^"]*")*\\)|(?:no-)?(?:open|close)-quote`, 'g');
  // quoteMarks returns the pairs of marks of a style, the outermost first.
  const quoteMarks = style => {
    if (style.quotes === 'none') return [];
    const all = (String(style.quotes || '').match(new RegExp(STRING, 'g')) || []).map(unquoted);
    return all.length > 1 ? Array.from({length: all.length >> 1}, (_, i) => all.slice(2 * i, 2 * i + 2)) :
      [['\u201c', '\u201d'], ['\u2018', '\u2019']];
  };
  // quotesAround returns in how many quotations of style sheets an element is.
  const quotesAround = el => {
    let n = 0;
    for (let p = parent(el); p && isElement(p); p = parent(p))
      if (/open-quote/.test(styleOf(p, '::before').content)) n++;
    return n;
  };
  // contentText returns the text in the content of a pseudo-element with a style; counter() returns the values of a
  // counter there.
  const contentText = (el, content, style, counter) => {
    let depth = -1;
    const quote = part => {
      if (depth < 0) depth = quotesAround(el) + /^(no-)?close/.test(part);
      const opens = /open/.test(part), marks = quoteMarks(style), at = opens ? depth++ : --depth;
      const pair = marks[Math.min(at, marks.length - 1)];
      return part.startsWith('no-') || !pair || at < 0 ? '' : pair[opens ? 0 : 1];
    };
    return (String(content).match(CONTENT) || []).map(part => {
      if (part[0] === '"') return unquoted(part);
      if (/^[\w-]*(url|image-set|gradient)\(/.test(part)) return '';
      if (part[0] === 'a') return attr(el, part.slice(5, -1).trim().split(/[\s,]/)[0]) || '';
      if (!part.startsWith('counter')) return quote(part);
      const all = part.startsWith('counters'),
        [name, ...rest] = part.slice(all ? 9 : 8, -1).split(/,\s*(?=[^"]*(?:"[^"]*"[^"]*)*$)/);
      const glue = all && rest.length ? unquoted(rest.shift().trim()) : '', values = counter(name.trim());
      return (all ? values : values.slice(-1)).map(n => counted(n, (rest[0] || 'decimal').trim())).join(glue) ||
        (values.length ? '' : '0');
    }).join('');
  };
