package action_test

import (
	"encoding/json"
	"fmt"
	"image"
	"maps"
	"math/rand/v2"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/webtest"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// placesScript sets the ids of elements and reports where the page draws each of some texts, and in which elements they
// are, by the page's own account. Only the document itself is looked at, not frames and shadow trees.
const placesScript = `(texts => {
  let n = 0;
  for (const el of document.querySelectorAll('div,section,table,td,ul,li,p,[data-k]')) {
    if (!el.id) el.id = el.dataset.k || 'box' + ++n;
  }
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), nodes = [];
  while (walker.nextNode()) nodes.push(walker.currentNode);
  const rect = r => [r.left, r.top, r.right, r.bottom];
  const place = text => {
    const words = text.split(' '), holding = word => nodes.find(n => n.data.split(/\s+/).includes(word));
    const first = holding(words[0]), last = holding(words.at(-1));
    if (!first || !last) return null;
    const range = document.createRange();
    range.setStart(first, first.data.indexOf(words[0]));
    range.setEnd(last, last.data.indexOf(words.at(-1)) + words.at(-1).length);
    const around = [];
    const from = range.commonAncestorContainer, el = from.nodeType === 3 ? from.parentElement : from;
    for (let p = el; p && p !== document.body; p = p.parentElement) {
      if (p.id && p.textContent.replace(/\s+/g, ' ').trim() !== text) around.push(p.id);
    }
    return {at: rect(range.getBoundingClientRect()), around};
  };
  const boxes = {};
  for (const el of document.querySelectorAll('[id^=box]')) boxes[el.id] = rect(el.getBoundingClientRect());
  return JSON.stringify({texts: Object.fromEntries(texts.map(t => [t, place(t)])), boxes});
})`

// samplePlaces are the places of a page's texts and boxes.
type samplePlaces struct {
	Texts map[string]*struct {
		At     [4]float64
		Around []string
	}
	Boxes map[string][4]float64
}

// question is what is asked of a generated page: known says what a person would answer, where that is certain.
type question struct {
	sel        dsl.Selector
	yes, known bool
}

// asked are questions about a text in each match mode, by the element's id, and in relation to others.
func asked(r *rand.Rand, sample webtest.Sample, text webtest.SampleText, p samplePlaces) []question {
	words := text.Words()
	from := r.IntN(len(words))
	some := strings.Join(words[from:from+1+r.IntN(len(words)-from)], " ")
	long := []rune(text.Text)
	all := []question{
		{dsl.Selector{Label: text.Text}, text.Shown, true},
		{dsl.Selector{Label: text.Text, Match: dsl.MatchExact}, text.Shown, true},
		{dsl.Selector{Label: strings.ToUpper(text.Text)}, text.Shown, true},
		{dsl.Selector{Label: some, Match: dsl.MatchWords}, text.Shown, true},
		{dsl.Selector{Label: string(long[:len(long)-1]), Match: dsl.MatchPrefix}, text.Shown, true},
		{dsl.Selector{Label: regexp.QuoteMeta(text.Text), Match: dsl.MatchRegex}, text.Shown, true},
		{dsl.Selector{Label: text.Text + "x", Match: dsl.MatchContains}, false, true},
	}
	if part := string(long[1:]); !slices.ContainsFunc(sample.Texts, func(o webtest.SampleText) bool {
		return o.Text != text.Text && strings.Contains(strings.ToLower(o.Text), strings.ToLower(part))
	}) {
		all = append(all, question{dsl.Selector{Label: part, Match: dsl.MatchContains}, text.Shown, true})
	}
	at := p.Texts[text.Text]
	if at == nil || at.At[2] <= at.At[0] { // in a shadow tree, or of a control that draws it itself
		return all
	}
	if text.Key != "" {
		all = append(all, question{dsl.Selector{ID: text.Key}, text.Shown, text.Shown},
			question{dsl.Selector{ID: text.Key, Label: text.Text}, text.Shown, true})
	}
	if len(at.Around) > 0 {
		box := at.Around[r.IntN(len(at.Around))]
		all = append(all, question{dsl.Selector{Label: text.Text, Inside: &dsl.Selector{ID: box}}, text.Shown, true})
	}
	for _, id := range slices.Sorted(maps.Keys(p.Boxes)) {
		if apartBoxes(at.At, p.Boxes[id]) {
			all = append(all, question{dsl.Selector{Label: text.Text, Inside: &dsl.Selector{ID: id}}, false, true})
			break
		}
	}
	other := sample.Texts[r.IntN(len(sample.Texts))]
	to := p.Texts[other.Text]
	if to == nil || to.At[2] <= to.At[0] || other.Text == text.Text || !other.Shown || repeated(sample, other.Text) {
		return all
	}
	anchor := dsl.Selector{Label: other.Text}
	right := at.At[0] >= to.At[2] && at.At[1] == to.At[1] && at.At[3] == to.At[3]
	all = append(all, question{dsl.Selector{Label: text.Text, RightOf: &anchor}, text.Shown && right,
		right || at.At[1] >= to.At[3] || at.At[3] <= to.At[1]},
		question{dsl.Selector{Label: text.Text, Below: &anchor}, false, at.At[3] <= to.At[1]},
		question{dsl.Selector{Label: text.Text, Above: &anchor}, false, at.At[1] >= to.At[3]})
	return all
}

// apartBoxes reports whether two places have nothing in common.
func apartBoxes(a, b [4]float64) bool {
	return a[2] <= b[0] || b[2] <= a[0] || a[3] <= b[1] || b[3] <= a[1]
}

// TestResultsOfGeneratedPages: of assert and assertNot exactly one passes for any selector on a page that does not
// change, and it is the one that a person would choose; a touch meets the element that was asked for, by the page's own
// record. SAMPLE_SEED says which page is the first, SAMPLE_RUNS how many.
func TestResultsOfGeneratedPages(t *testing.T) {
	t.Parallel()
	usual, questions := 12, 8
	if testing.Short() {
		usual, questions = 2, 4
	}
	first, runs := fromEnvironment("SAMPLE_SEED", 0), fromEnvironment("SAMPLE_RUNS", usual)
	const lanes = 4 // they wait most of the time
	for lane := range min(lanes, runs) {
		t.Run(fmt.Sprint(lane), func(t *testing.T) {
			t.Parallel()
			s := browser(t)
			for i := lane; i < runs; i += lanes {
				holdSample(t, s, uint64(first+i), questions)
			}
		})
	}
}

// holdSample checks a number of selectors on the page of a seed.
func holdSample(t *testing.T, s *action.Performer, seed uint64, questions int) {
	t.Helper()
	s.Timeout = 400 * time.Millisecond
	sample := webtest.MakeSample(seed)
	r := rand.New(rand.NewPCG(seed, 10))
	page := "data:text/html;charset=utf-8," + url.PathEscape(sample.HTML+touchLog)
	opts := drivers.PageOptions{Viewport: image.Pt(1280, 720)}
	if err := s.Device.(drivers.Browser).OpenPage(t.Context(), page, opts); err != nil {
		t.Fatal(err)
	}
	places := placesOf(t, s, sample)
	asking := map[int]bool{}
	for range questions {
		asking[r.IntN(len(sample.Texts))] = true
	}
	for i, text := range sample.Texts {
		if !asking[i] || repeated(sample, text.Text) {
			continue
		}
		list := asked(r, sample, text, places)
		r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
		for _, q := range list[:2] {
			holdQuestion(t, s, seed, q, text)
		}
		direct := !strings.Contains(sample.HTML, "data-shadow=")
		if q := list[2]; direct && q.known && q.yes && (text.Key != "" || text.Plain) {
			holdTouch(t, s, seed, q.sel, text, places)
		}
	}
}

func fromEnvironment(name string, usual int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return usual
}

func placesOf(t *testing.T, s *action.Performer, sample webtest.Sample) (p samplePlaces) {
	t.Helper()
	var texts []string
	for _, text := range sample.Texts {
		if !repeated(sample, text.Text) {
			texts = append(texts, text.Text)
		}
	}
	asked, err := json.Marshal(texts)
	if err != nil {
		t.Fatal(err)
	}
	said, err := s.Device.(drivers.WebPages).Eval(t.Context(), placesScript+"("+string(asked)+")", 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(fmt.Sprint(said)), &p); err != nil {
		t.Fatal(err)
	}
	return p
}

// holdQuestion performs both assertions.
func holdQuestion(t *testing.T, s *action.Performer, seed uint64, q question, text webtest.SampleText) {
	t.Helper()
	is, why := do(t, s, dsl.Assert{Selector: q.sel})
	not, whyNot := do(t, s, dsl.AssertNot{Selector: q.sel})
	if (is == event.Pass) == (not == event.Pass) || is == event.Error || not == event.Error ||
		q.known && (is == event.Pass) != q.yes {
		t.Errorf("SAMPLE_SEED=%d: %s of %+v: assert %s (%v), assertNot %s (%v)", seed, screen.Describe(q.sel), text, is, why,
			not, whyNot)
	}
}

// holdTouch compares what a touch met with what was asked for. A whole text may be touched between two of its words.
func holdTouch(t *testing.T, s *action.Performer, seed uint64, sel dsl.Selector, text webtest.SampleText,
	places samplePlaces) {
	t.Helper()
	defer func(was time.Duration) { s.Timeout = was }(s.Timeout)
	s.Timeout = passes
	if result, err := do(t, s, dsl.Tap{Selector: sel}); result != event.Pass {
		t.Errorf("SAMPLE_SEED=%d: tap %s of %+v: %v", seed, screen.Describe(sel), text, err)
		return
	}
	met, err := s.Device.(drivers.WebPages).Eval(t.Context(), "log.textContent", 10*time.Second)
	if err != nil {
		t.Fatal(err)
	}
	key, word, _ := strings.Cut(fmt.Sprint(met), "|")
	ours := strings.Contains(text.Text, word)
	if word == "" && text.Plain {
		at, point := places.Texts[text.Text], s.Detail.Point
		ours = at == nil || point != nil && !apartBoxes(at.At, [4]float64{float64(point[0]), float64(point[1]),
			float64(point[0]) + 1, float64(point[1]) + 1})
	}
	if key != text.Key || !ours {
		t.Errorf("SAMPLE_SEED=%d: tap %s of %+v met %q at %v", seed, screen.Describe(sel), text, met, s.Detail.Point)
	}
}
