package webtest

import (
	"fmt"
	"math/rand/v2"
	"strings"
)

// Sample is a generated page together with what a person reads on it. The generator knows the answer by construction:
// every word is used once (unless a text is repeated on purpose), lines have a fixed height, and nothing wraps. A page
// fits into a window of 1280 × 720, so that only its own boxes scroll.
//
// Its script fills frames and shadow roots, scrolls boxes, and records clicks in window.touched, each as "key|word".
// The key is the data-k of the innermost element with one ("" for a text without), the word is the one at the point.
type Sample struct {
	HTML  string
	Texts []SampleText
}

// SampleText is one text of a page: all that is written in one line without a gap, whatever elements it consists of.
type SampleText struct {
	Text  string
	Shown bool   // a person sees it, and can press it
	Away  bool   // it is in a box that scrolls, outside of the part that is in view
	Key   string // data-k of the control that a touch of the text presses, "" where there is none
	Plain bool   // it is neither in a control nor names one
}

// Words returns the words of a text.
func (s SampleText) Words() []string { return strings.Fields(s.Text) }

// MakeSample makes the page of a seed. The same seed makes the same page.
func MakeSample(seed uint64) Sample {
	m := &sampleMaker{r: rand.New(rand.NewPCG(seed, 58)), room: 26}
	var b strings.Builder
	for m.room > 2 {
		b.WriteString(m.block(0, seen))
	}
	return Sample{HTML: sampleStyle + b.String() + sampleScript, Texts: m.texts}
}

const sampleStyle = `<!doctype html><meta charset=utf-8><style>
*{font:14px/20px Arial,sans-serif;margin:0;box-sizing:border-box} body{white-space:nowrap}
input,select,button,textarea{height:20px;padding:0 4px;vertical-align:top;border:1px solid;width:auto}
textarea{width:90px;overflow:hidden;resize:none} iframe{border:0;display:block;width:900px}
td,th{padding:0 6px} ul,ol{padding-left:30px} pre{white-space:pre} button{white-space:nowrap}
</style><body>
`

const sampleScript = `<script>
window.touched = [];
{
  const wordAt = (doc, {clientX: x, clientY: y}) => {
    const at = doc.caretRangeFromPoint && doc.caretRangeFromPoint(x, y), node = at && at.startContainer;
    if (!node || node.nodeType !== 3) return '';
    for (const part of node.data.matchAll(/\S+/g)) {
      const range = doc.createRange();
      range.setStart(node, part.index);
      range.setEnd(node, part.index + part[0].length);
      const under = r => r.left <= x && x <= r.right && r.top <= y && y <= r.bottom;
      if ([...range.getClientRects()].some(under)) return part[0];
    }
    return '';
  };
  const listen = doc => doc.addEventListener('click', e => {
    const keyed = e.composedPath().find(n => n.dataset && n.dataset.k);
    if (e.detail > 0) window.touched.push((keyed ? keyed.dataset.k : '') + '|' + wordAt(doc, e));
  }, true);
  const prepare = (root, doc) => {
    for (const host of root.querySelectorAll('[data-shadow]')) {
      const inner = host.attachShadow({mode: 'open'});
      inner.innerHTML = document.querySelector('style').outerHTML + host.dataset.shadow;
      prepare(inner, doc);
    }
    for (const frame of root.querySelectorAll('iframe[data-page]')) {
      const inner = frame.contentDocument;
      inner.body.innerHTML = document.querySelector('style').outerHTML + frame.dataset.page;
      prepare(inner, inner);
      listen(inner);
    }
    for (const box of root.querySelectorAll('[data-scroll]')) box.scrollTop = +box.dataset.scroll;
  };
  prepare(document, document);
  listen(document);
}
</script>`

// sight is what is known of all that a box holds.
type sight int

const (
	seen   sight = iota
	unseen       // no person sees it, and scrolling does not help
	away         // scrolling brings it into view
)

type sampleMaker struct {
	r     *rand.Rand
	texts []SampleText
	room  int // lines that still fit into the window
	n     int // words so far
	keys  int
}

// word is a new word: two characters that no other word of the page starts with, and some more.
func (m *sampleMaker) word() string {
	list := []string{"invoice", "order", "paid", "open", "call", "us", "total", "due", "Ada", "to", "not",
		"ready", "line", "job", "über", "now"}
	m.n++
	return string([]rune{rune('A' + m.n/26%26), rune('a' + m.n%26)}) + list[m.r.IntN(len(list))]
}

// phrase is some new words.
func (m *sampleMaker) phrase(most int) string {
	words := make([]string, 1+m.r.IntN(most))
	for i := range words {
		words[i] = m.word()
	}
	return strings.Join(words, " ")
}

func (m *sampleMaker) pick(list ...string) string { return list[m.r.IntN(len(list))] }

func (m *sampleMaker) key() string {
	m.keys++
	return fmt.Sprintf("k%d", m.keys)
}

func (m *sampleMaker) add(text, key string, at sight, plain bool) {
	m.texts = append(m.texts, SampleText{Text: text, Shown: at == seen, Away: at == away, Key: key, Plain: plain})
}

// line is one text that may consist of several inline elements, as HTML. Now and then it repeats an earlier one.
func (m *sampleMaker) line(at sight) string {
	if len(m.texts) > 0 && m.r.IntN(12) == 0 {
		if old := m.texts[m.r.IntN(len(m.texts))]; old.Plain {
			m.add(old.Text, "", at, true)
			return old.Text
		}
	}
	var text, html []string
	for range 1 + m.r.IntN(3) {
		part := m.phrase(2)
		text, html = append(text, part), append(html, m.dress(part))
	}
	m.add(strings.Join(text, " "), "", at, true)
	return strings.Join(html, " ")
}

// dress puts words into an inline element, or none.
func (m *sampleMaker) dress(words string) string {
	form := m.pick("%s", "%s", "%s", "<b>%s</b>", "<i>%s</i>", "<span>%s</span>", "<span><em>%s</em></span>",
		"<!-- note -->%s",
		`<span style="display:inline-block">%s</span>`, `<span style="display:contents">%s</span>`,
		`<span style="position:relative">%s</span>`,
		"<b></b>%s", "<mark>%s</mark><!-- end -->", "%s<wbr>", `<span style="padding:0 2px">%s</span>`)
	return fmt.Sprintf(form, words)
}

// control is a button or a link, or a field with a value, of one line.
func (m *sampleMaker) control(at sight) string {
	key, text := m.key(), m.phrase(2)
	m.add(text, key, at, false)
	switch m.r.IntN(5) {
	case 0:
		return fmt.Sprintf(`<button type=button data-k=%s>%s</button>`, key, text)
	case 1:
		return fmt.Sprintf(`<button type=button data-k=%s><span>%s</span></button>`, key, text)
	case 2:
		return fmt.Sprintf(`<input data-k=%s value="%s">`, key, text)
	case 3:
		return fmt.Sprintf(`<select data-k=%s><option>%s</select>`, key, text)
	}
	return fmt.Sprintf(`<span role=button tabindex=0 data-k=%s>%s</span>`, key, text)
}
