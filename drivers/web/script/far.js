async (box, {x, y, part, until, time}) => {
  const rest = RESTS;
  // What is sought may be split among elements, or stand in an attribute: letters and digits alone count, and it may be
  // a part.
  const plain = s => s.normalize('NFKC').replace(/[^\p{L}\p{N}]+/gu, '').toLowerCase();
  const entities = s => s.replace(/&(nbsp|lt|gt|quot|amp);/g, '');
  const wanted = until.map(plain);
  const has = s => wanted.some(w => plain(s).includes(w));
  const inputs = 'input, textarea', foreign = 'iframe, canvas';
  const hides = () => [...box.querySelectorAll('*')].some(el => el.shadowRoot || el.localName.includes('-') || el.matches(foreign));
  const shows = () => has(box.textContent) || has(entities(box.innerHTML)) || [...box.querySelectorAll(inputs)].some(el => has(el.value));
  const page = box === document.scrollingElement || box === document.documentElement;
  const view = () => page ? {left: 0, top: 0, right: innerWidth, bottom: innerHeight} : box.getBoundingClientRect();
  // rows are the texts that lie in the box, as far as it shows them, and where each is.
  const rows = () => {
    const list = new Map(), area = view(), walker = document.createTreeWalker(box, NodeFilter.SHOW_TEXT), range = new Range();
    for (let n = walker.nextNode(); n && list.size < 2000; n = walker.nextNode()) {
      if (!n.data.trim()) continue;
      range.selectNodeContents(n);
      const r = range.getBoundingClientRect(), cx = (r.left + r.right) / 2, cy = (r.top + r.bottom) / 2;
      if (r.width > 0 && cx >= area.left && cx <= area.right && cy >= area.top && cy <= area.bottom) list.set(n.data.trim(), x ? cx : cy);
    }
    return list;
  };
  // follow: a row is in view still, and has moved as far as the box was scrolled. One that stays, as headings do, tells
  // nothing of those that came.
  const follow = (before, now, went) => [...now].some(([text, at]) => Math.abs(before.get(text) - at - went * (x || y)) <= went / 5);
  // written: a style sheet writes into the rows, where nobody finds it in their texts.
  const written = () => [...box.querySelectorAll('*')].slice(0, 300).some(el => ['::before', '::after'].some(part =>
    /"[^"]*[\p{L}\p{N}][^"]*"|counter/u.test(getComputedStyle(el, part).content)));
  const offset = () => x ? box.scrollLeft : box.scrollTop, began = performance.now();
  const answer = {moved: 0, followed: 0, before: Math.round(Math.abs(offset())), rested: false};
  if (wanted.includes('') || box.querySelectorAll('*').length > 3000 || box.innerHTML.length > 500000 || written()) return answer;
  let before = rows();
  while (performance.now() - began < time && before.size > 1 && !hides() && !shows()) {
    const from = offset(), step = (x || y) * part * (x ? box.clientWidth : box.clientHeight);
    box.scrollBy({[x ? 'left' : 'top']: step, behavior: 'instant'});
    const went = (offset() - from) * (x || y);
    if (went <= 0) break;
    answer.rested = await rest(30);
    const now = rows();
    if (!answer.rested || !follow(before, now, went)) { // rows were skipped: they are for a look from outside
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
