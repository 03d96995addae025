  // The texts of an element that contains blocks, controls or line breaks in addition to its own text: each run of text
  // between them becomes an element of its own, with its own box. A piece is what one node adds to a text. In a list of
  // pieces, null ends a line, and false ends a text.

  const MAX_TEXTS_IN = 500; // of one element, in addition to those that must be found
  const MAX_WORD = 100; // characters on each side that decide about a capital

  // plainLines returns a text without its empty lines.
  const plainLines = s => {
    const lines = s.split('\n').map(l => l.trim()).filter(l => l.replace(INVISIBLE, ''));
    return visibleText(truncateLong(lines.join('\n')));
  };
  // say adds the text of a node.
  const say = (out, budget, s, node, owner) => {
    out.push(s);
    if (budget.pieces) budget.pieces.push({s, node, owner, via: budget.via});
  };
  // divide ends a line; hard: it also ends the text.
  const divide = (out, budget, glue, hard) => {
    out.push(glue);
    budget.cuts++;
    if (budget.pieces) budget.pieces.push(hard ? false : null);
  };
  // sayLines adds the text of a node with line breaks that are kept.
  const sayLines = (out, budget, s, data, node, owner) => {
    const lines = s.split('\n'), raw = data.split('\n');
    for (let i = 0, from = 0; i < lines.length; from += raw[i++].length + 1) {
      if (i > 0) divide(out, budget, '\n', false);
      if (!lines[i]) continue;
      say(out, budget, lines[i], /\S/.test(lines[i]) ? node : null, owner);
      const piece = budget.pieces[budget.pieces.length - 1];
      if (lines.length === raw.length) Object.assign(piece, {from, to: from + raw[i].length});
    }
  };
  // textsOf returns the texts that pieces consist of. A text is alone when another element shows all of it. The list
  // has the property apart when it is more than the lines of one text.
  const textsOf = pieces => {
    const texts = [];
    let runs = [], written = '', hard = false;
    const end = () => {
      const text = runs.length ? plainLines(written.replace(/\n/g, ' ')) : '', via = runs.length && runs[0].via;
      if (text) {
        texts.apart = texts.apart || hard && texts.length > 0;
        texts.push({text, runs, alone: !!via && runs.every(r => r.via === via)});
        hard = false;
      }
      runs = [];
      written = '';
    };
    for (const piece of pieces) {
      if (!piece) { end(); hard = hard || piece === false; continue; }
      if (piece.node) runs.push(Object.assign(piece, {gap: /\s$/.test(written)}));
      written += piece.s;
    }
    end();
    return texts;
  };
  // An ornament has neither letters nor digits. Next to a number nothing counts as an ornament: it may change the
  // number.
  const ORNAMENT = /^[^\p{L}\p{N}]+$/u;
  const SIGN = '[\\p{So}\\u2190-\\u21ff\\u2500-\\u27ff\\u2900-\\u2bff\u2022\u00b7\u203a\u2039\u00bb\u00ab\u00d7|]';
  // A mark of negation, warning or question changes the meaning: "✗ Paid" is not "Paid".
  const MEANING = /[!?\u2610\u2612\u2717\u2718\u274c\u274e\u26a0\u26d4\u2753-\u2757\u2260\u{1f6ab}]/u;
  const SIGNS = new RegExp(`^${SIGN}+\\s+(?=\\p{L})|(?<=\\p{L})\\s+${SIGN}+$`, 'gu');
  // unadorned returns a text without the ornaments at its ends: signs, and texts without letters in elements of their
  // own.
  const unadorned = (text, runs, el) => {
    if (/^[\p{L}\p{N}](.*[\p{L}\p{N}])?$/su.test(text) || MEANING.test(text)) return text;
    let left = text;
    const drop = (run, first) => {
      const written = squeeze(dataOf(run.node));
      if (run.owner === el || !ORNAMENT.test(written)) return false;
      if (!(first ? left.startsWith(written) : left.endsWith(written))) return false;
      const rest = first ? left.slice(written.length) : left.slice(0, -written.length);
      if ( /\p{N}/u.test(first ? rest.trim()[0] || '' : rest.trim().slice(-1))) return false;
      left = rest.trim();
      return true;
    };
    let from = 0, to = runs.length;
    while (from < to && drop(runs[from], true)) from++;
    while (to > from && drop(runs[to - 1], false)) to--;
    left = left.replace(SIGNS, '').trim();
    return /[\p{L}\p{N}]/u.test(left) ? left : text;
  };
  // languageOf returns the language of an element, when it has capitals of its own: Greek has no accents on them,
  // Turkish an İ.
  const languageOf = el => {
    for (let n = el; n && isElement(n); n = parent(n)) {
      const [language] = /^(el|tr|az|lt)\b/i.exec(attr(n, 'lang') || '') || [];
      if (language || attr(n, 'lang')) return (language || '').toLowerCase();
    }
    return '';
  };
  // greekCapitals returns a text in capitals as browsers draw Greek: without accents, with those two dots that keep two
  // vowels apart, and with the accent of a lone ή ("or"). Not every browser's toLocaleUpperCase does that.
  const greekCapitals = s => s.normalize('NFD').replace(/(?<![\p{L}\p{M}])η\u0301(?![\p{L}\p{M}])/giu, '\u0389')
    .replace(/([αεηιουω])[\u0313\u0314]*[\u0300\u0301\u0342]([ιυ])(?!\p{M})/giu, '$1$2\u0308')
    .replace(/(?<=\p{Script=Greek}\u0308?)[\u0300\u0301\u0313\u0314\u0342]+/gu, '').toUpperCase().normalize('NFC');
  // inCapitals returns a text in the capitals of a language, '' for those of all others.
  const inCapitals = (s, language) => language === 'el' ? greekCapitals(s) :
    language ? s.toLocaleUpperCase(language) : s.toUpperCase();
  // capitalised returns a text with a capital at the start of each word. What precedes it may be the start of its first
  // word.
  const wordsOf = typeof Intl === 'object' && Intl.Segmenter ?
    new Intl.Segmenter(undefined, {granularity: 'word'}) : null;
  const capitalised = (s, before) => {
    if (!wordsOf) return s;
    const within = /[\p{L}\p{N}]['\u2019]?$/u.test(before);
    return [...wordsOf.segment(s)].map(({segment, index, isWordLike}) => {
      if (!isWordLike || index === 0 && within) return segment;
      const [first] = segment;
      return first.toUpperCase() + segment.slice(first.length);
    }).join('');
  };
  // inOwnCapitals returns the characters of a text from at to end in the capitals of a language, which depend on the
  // word around them.
  const inOwnCapitals = (s, at, end, language) => {
    let from = at, to = end;
    while (from > 0 && at - from < MAX_WORD && /\S/.test(s[from - 1])) from--;
    while (to < s.length && to - end < MAX_WORD && /\S/.test(s[to])) to++;
    const length = until => inCapitals(s.slice(from, until), language).length;
    return inCapitals(s.slice(from, to), language).slice(length(at), length(end));
  };
  // rectsOfRun returns the boxes of a piece of text, one for each line.
  const rectsOfRun = run => {
    const range = new Range();
    range.selectNodeContents(run.node);
    if (run.to !== undefined) {
      range.setStart(run.node, run.from);
      range.setEnd(run.node, run.to);
    }
    return [...range.getClientRects()].map(boxOf).filter(b => b.r > b.l);
  };
