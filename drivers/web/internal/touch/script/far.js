async (box, {x, y, part, until, whole, time}) => {
  const rest = RESTS;
  // Scrolls a box until one of some texts may be in it. The texts may be split among elements, or be in an attribute:
  // only letters and digits are compared, and a part is enough. When whole words are searched, a match must not end
  // within a word or number of the same text: "Row 5" does not match "Row 50".
  const inWord = /[\p{L}\p{N}]/u;
  // scripts without spaces between words
  const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
  const fold = c => c.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '').replace('ß', 'ss').replace('ı', 'i');
  // add appends a text: its letters and digits, and for each whether the next one belongs to the same word.
  const add = (all, s) => {
    const chars = [...s.normalize('NFKC')];
    chars.forEach((c, i) => {
      if (!inWord.test(c)) return;
      const low = fold(c), next = chars[i + 1] || '', joined = inWord.test(next) && !unspaced.test(c + next);
      all.text += low;
      for (let k = 0; k < low.length; k++) all.joined.push(k < low.length - 1 || joined);
    });
  };
  // read returns the letters and digits of a text.
  const read = s => { const all = {text: '', joined: []}; add(all, s); return all; };
  const wanted = until.map(s => read(s).text);
  // found reports whether they contain one of the wanted texts.
  const found = all => wanted.some(w => {
    for (let at = all.text.indexOf(w); at >= 0; at = all.text.indexOf(w, at + 1)) {
      if (!whole || !(at > 0 && all.joined[at - 1]) && !all.joined[at + w.length - 1]) return true;
    }
    return false;
  });
  const has = s => found(read(s));
  const foreign = 'iframe, canvas, object, embed';
  // each calls f for all elements and text nodes in the box, also those in open shadow roots.
  const each = (f, at = box) => {
    for (const n of at.childNodes) {
      f(n);
      if (n.nodeType !== 1) continue;
      if (n.shadowRoot) each(f, n.shadowRoot);
      each(f, n);
    }
  };
  const elements = () => { const list = []; each(n => { if (n.nodeType === 1) list.push(n); }); return list; };
  // hides reports whether the box shows something that this script cannot read.
  const hides = () => elements().some(el => el.matches(foreign) ||
    !el.shadowRoot && el.localName.includes('-') && customElements.get(el.localName));
  // shows reports whether the box contains one of the wanted texts, in its text or its attributes.
  const shows = () => {
    const all = read('');
    let attributes = false;
    each(n => {
      if (n.nodeType === 3) add(all, n.data);
      if (n.nodeType !== 1 || attributes) return;
      attributes = [...n.attributes].some(a => has(a.value)) || n.matches('input, textarea') && has(n.value);
    });
    return attributes || found(all);
  };
  const page = box === document.scrollingElement || box === document.documentElement;
  const view = () => page ? {left: 0, top: 0, right: innerWidth, bottom: innerHeight} : box.getBoundingClientRect();
  // rows returns the visible texts in the box, with the position of each.
  const rows = () => {
    const list = new Map(), area = view(), range = new Range();
    each(n => {
      if (n.nodeType !== 3 || list.size >= 2000 || !n.data.trim()) return;
      range.selectNodeContents(n);
      const r = range.getBoundingClientRect(), cx = (r.left + r.right) / 2, cy = (r.top + r.bottom) / 2;
      if (r.width > 0 && cx >= area.left && cx <= area.right && cy >= area.top && cy <= area.bottom)
        list.set(n.data.trim(), x ? cx : cy);
    });
    return list;
  };
  // follow reports whether a row is still in view and has moved as far as the box was scrolled. Rows that stay in
  // place, such as headings, prove nothing.
  const follow = (before, now, went) =>
    [...now].some(([text, at]) => Math.abs(before.get(text) - at - went * (x || y)) <= went / 5);
  // overlap returns how much of the rows must stay in view after a step: two rows, when all are equally high, so that
  // the step is as long as possible; 0 otherwise.
  const overlap = before => {
    const at = [...new Set([...before.values()].map(Math.round))].sort((a, b) => a - b);
    const gaps = at.slice(1).map((p, i) => p - at[i]);
    const most = Math.max(...gaps);
    return gaps.length >= 4 && most <= Math.min(...gaps) * 1.2 ? 2 * most : 0;
  };
  // written reports whether a style sheet writes into the rows: such a text is not in their text nodes.
  const written = () => elements().slice(0, 300).some(el => ['::before', '::after'].some(part =>
    /"[^"]*[\p{L}\p{N}][^"]*"|counter/u.test(getComputedStyle(el, part).content)));
  const offset = () => x ? box.scrollLeft : box.scrollTop, began = performance.now();
  const answer = {moved: 0, followed: 0, before: Math.round(Math.abs(offset())), rested: false};
  if (wanted.includes('') || elements().length > 3000 || box.innerHTML.length > 500000 || written()) return answer;
  let before = rows();
  while (performance.now() - began < time && before.size > 1 && !hides() && !shows()) {
    const size = x ? box.clientWidth : box.clientHeight, kept = overlap(before);
    const from = offset(), step = (x || y) * Math.max(part * size, kept && size - kept);
    box.scrollBy({[x ? 'left' : 'top']: step, behavior: 'instant'});
    const went = (offset() - from) * (x || y);
    if (went <= 0) break;
    answer.rested = await rest(30);
    const now = rows();
    if (!answer.rested || !follow(before, now, went)) { // rows were skipped: the driver has to read the box itself
      box.scrollBy({[x ? 'left' : 'top']: -went * (x || y), behavior: 'instant'});
      answer.rested = await rest(30) && answer.rested;
      break;
    }
    before = now;
    answer.moved += Math.round(went);
    answer.followed++;
  }
  return answer;
}
