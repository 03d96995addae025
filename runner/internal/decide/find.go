package decide

import (
	"errors"
	"fmt"
	"image"
	"slices"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// SeenType is the type of the elements that vision adds to a tree; their Ref says how they were seen.
const SeenType = "seen-in-pixels"

// find runs a query over the frame's tree.
func (v *view) find(sel dsl.Selector, act bool) ([]screen.Match, error) {
	q, err := v.query(sel, act)
	if err != nil {
		return nil, err
	}
	return v.search(q)
}

// query prepares a query over the frame's tree; css and XPath are asked of the browser. Where the tree does not have
// the places of the parts of texts that are asked for, another one is read.
func (v *view) query(sel dsl.Selector, act bool) (screen.Query, error) {
	q := screen.Query{Selector: sel, Action: act, Reveal: act && v.want.Device.Reveals,
		Typing: act && v.want.Typing}
	if parts := screen.TextParts(sel); v.want.Device.KnowsParts && len(parts) > 0 && !v.f.Tree.Knows(parts) &&
		!v.f.PixelsOnly {
		if _, err := v.ask(Question{Ask: AskParts}); err != nil {
			return q, err
		}
	}
	v.matched = nil
	for _, e := range screen.Expressions(sel) {
		if !v.want.Device.CSS && e.CSS != "" {
			return q, &problemError{Problem{Message: "css works on web pages only"}}
		}
		if !v.want.Device.CSS || q.Matched[e] != nil {
			continue
		}
		text := "css=" + e.CSS
		if e.XPath != "" {
			text = "xpath=" + e.XPath
		}
		a, err := v.ask(Question{Ask: AskPicked, Text: text})
		if err != nil {
			return q, err
		}
		if q.Matched == nil {
			q.Matched = map[screen.Expression]map[*screen.Node]bool{}
		}
		q.Matched[e] = v.nodes(a.Nodes)
	}
	v.matched = q.Matched
	return q, nil
}

// nodes returns the elements of the frame's tree with some numbers in document order, which ascend.
func (v *view) nodes(numbers []int) map[*screen.Node]bool {
	picked := make(map[*screen.Node]bool, len(numbers))
	i := 0
	for n := range v.f.Tree.All {
		if len(numbers) > 0 && numbers[0] == i {
			picked[n], numbers = true, numbers[1:]
		}
		i++
	}
	return picked
}

// numberOf returns the number of an element in document order, or -1.
func (v *view) numberOf(n *screen.Node) int {
	i := 0
	for at := range v.f.Tree.All {
		if at == n {
			return i
		}
		i++
	}
	return -1
}

// found is what a search over a frame's tree has found. It is kept while the questions of one decision are resolved, so
// that each of them does not search the tree again.
type found struct {
	tree        *screen.Tree // nil: nothing is kept
	action      bool
	matches     []screen.Match
	err         error
	hiddenUnder string
	undrawn     bool
	warnings    []string
}

// search runs a query over the frame's tree, once for each decision.
func (v *view) search(q screen.Query) ([]screen.Match, error) {
	sel := q.Selector
	if v.found == nil || NeedsVision(sel) || sel.Fallback != "" || v.f.PixelsOnly {
		return v.searchAnyhow(q)
	}
	if f := v.found; f.tree == v.f.Tree && f.action == q.Action {
		v.hiddenUnder, v.undrawn, v.warnings = f.hiddenUnder, f.undrawn, f.warnings
		return slices.Clone(f.matches), f.err
	}
	matches, err := v.searchAnyhow(q)
	if _, lacks := Lacks(err); !lacks {
		*v.found = found{tree: v.f.Tree, action: q.Action, matches: slices.Clone(matches), err: err,
			hiddenUnder: v.hiddenUnder, undrawn: v.undrawn, warnings: v.warnings}
	}
	return matches, err
}

// searchAnyhow runs a query over the frame's tree; where the selector says so, over what vision finds in addition.
func (v *view) searchAnyhow(q screen.Query) ([]screen.Match, error) {
	sel := q.Selector
	if NeedsVision(sel) {
		return v.searchPixels(q)
	}
	labelled := v.f.PixelsOnly && v.labelled()
	matches, err := v.findDrawn(q)
	if len(matches) > 0 || err != nil || sel.Fallback == "" && !labelled {
		return matches, err
	}
	if matches, err = v.findBrief(q); len(matches) > 0 || err != nil || !v.waitedEnough() {
		return matches, err
	}
	q.Selector.OCR, q.Selector.Label, q.Selector.Match, q.Selector.Fallback = sel.Label, "", "", ""
	v.wholeLines = true
	matches, err = v.searchPixels(q)
	v.wholeLines = false
	if _, lacks := Lacks(err); err != nil && labelled && !errors.Is(err, screen.ErrAmbiguous) && !lacks {
		err = fmt.Errorf(
			"the screen never stops moving, so that its elements cannot be read, and its pixels cannot be either: %w", err)
	}
	if len(matches) > 0 {
		v.note("no element has the label: %s was read in the pixels of the screen", screen.Quote(sel.Label))
	}
	return matches, err
}

// labelled reports whether only a label is searched, which may be read in pixels.
func (v *view) labelled() bool {
	return (v.want.Purpose == See || v.want.Purpose == Act) && labelOnly(v.want.Selector)
}

// searchPixels has the pixels searched for what a selector requires.
func (v *view) searchPixels(q screen.Query) ([]screen.Match, error) {
	sel := q.Selector
	what := Question{Ask: AskSeen}
	switch {
	case sel.OCR != "":
		what.Text = "ocr=" + sel.OCR
	case sel.Image != "":
		what.Text = "image=" + sel.Image
	default:
		what.Text = "describe=" + sel.Describe
		if !v.waitedEnough() { // each question to a model costs money
			return nil, nil
		}
	}
	a, err := v.ask(what)
	if err != nil {
		return nil, err
	}
	v.took(a.Seen)
	if v.seen == nil {
		return nil, nil
	}
	if v.seen.Hidden != "" && len(v.seen.Hits) == 0 {
		return nil, &HiddenError{What: screen.Describe(sel), Why: v.seen.Hidden}
	}
	return v.matchPixels(q)
}

// HiddenError says that something cannot be looked for, as a screenshot shows nothing of the screen.
type HiddenError struct{ What, Why string }

func (e *HiddenError) Error() string { return e.What + " cannot be looked for: " + e.Why }

// took keeps what vision saw.
func (v *view) took(seen *Seen) {
	if seen == nil {
		return
	}
	v.seen = seen
	if seen.Read != nil {
		v.reading = seen.Read
	}
}

// matchPixels runs a query over what vision saw last.
func (v *view) matchPixels(q screen.Query) ([]screen.Match, error) {
	what := screen.Describe(q.Selector) // as the test says it
	hits := v.seen.Hits
	if v.wholeLines || q.Action && slices.ContainsFunc(hits, func(h Sighting) bool { return h.Whole }) {
		hits = slices.DeleteFunc(slices.Clone(hits), func(h Sighting) bool { return !h.Whole })
	}
	nodes := make([]*screen.Node, len(hits))
	for i, h := range hits {
		nodes[i] = &screen.Node{Type: SeenType, Role: "what is seen", Text: h.Text, Bounds: h.Bounds,
			Ref: fmt.Sprintf("%s %.2f", v.seen.How, h.Score)}
	}
	asked := q.Selector
	q.AsWritten = func(s dsl.Selector) dsl.Selector {
		s.Type, s.OCR, s.Image, s.Describe = asked.Type, asked.OCR, asked.Image, asked.Describe
		return s
	}
	q.Selector.Type = SeenType
	q.Selector.OCR, q.Selector.Image, q.Selector.Describe = "", "", ""
	found, err := v.f.Tree.With(nodes).Find(q)
	var several *screen.AmbiguousError
	if errors.As(err, &several) {
		several.What = what
	}
	return found, err
}

// findBrief searches a text in the screenshots that were taken around the tree: a message that is shown for two seconds
// is in no tree of a phone, and gone before the screen rests. An action has nothing to touch there any more.
func (v *view) findBrief(q screen.Query) ([]screen.Match, error) {
	if q.Action || !v.pixels || !v.want.Device.Vision || v.want.Device.NoPictures {
		return nil, nil
	}
	a, err := v.ask(Question{Ask: AskBrief, Text: q.Selector.Label})
	if err != nil {
		return nil, err
	}
	v.took(a.Seen)
	if a.Seen == nil || len(a.Seen.Hits) == 0 {
		return nil, nil
	}
	q.Selector.OCR, q.Selector.Label, q.Selector.Match, q.Selector.Fallback = q.Selector.Label, "", "", ""
	v.note("no element has the label: %s was read in the pixels of the screen", screen.Quote(q.Selector.OCR))
	return v.matchPixels(q)
}

// findDrawn runs a query over the frame's tree, and leaves out what a person cannot see. For an action that finds
// nothing else, what is under something opaque stays, as covered: the report says what was found, and what covers it.
func (v *view) findDrawn(q screen.Query) ([]screen.Match, error) {
	v.hiddenUnder, v.undrawn = "", false
	var failed error
	covers := map[*screen.Node]*screen.Node{}
	q.Drawn = func(n *screen.Node, seen image.Rectangle, over, mayBeOver []*screen.Node) bool {
		if failed != nil {
			return true
		}
		c := candidate{n: n, seen: seen, over: over, mayBeOver: mayBeOver}
		got, err := sightView{v}.sightOf(c, q.Action || v.want.UnseenToo || v.want.Anywhere)
		if err != nil {
			failed = err
		}
		if got.cover != nil {
			covers[n] = got.cover
		}
		if got.hidden != "" {
			v.hiddenUnder = fmt.Sprintf("%s is there, but %s", n, got.hidden)
			v.undrawn = v.undrawn || got.cover == nil
		}
		return got.hidden == ""
	}
	known := map[[2]*screen.Node]bool{} // a cover is asked about for each point where the element might be touched
	q.Undrawn = func(over, beside *screen.Node) bool {
		pair := [2]*screen.Node{over, beside}
		under, asked := known[pair]
		if asked || failed != nil {
			return under
		}
		known[pair], failed = sightView{v}.undrawn(over, beside)
		return known[pair]
	}
	matches, err := v.f.Tree.Find(q)
	if failed != nil {
		return nil, failed
	}
	if err != nil || len(matches) > 0 || !q.Action || len(covers) == 0 {
		return matches, err
	}
	q.Drawn, q.Undrawn = nil, nil
	if matches, err = v.f.Tree.Find(q); err != nil || len(matches) == 0 || covers[matches[0].Node] == nil {
		return nil, nil
	}
	matches[0].Cover = covers[matches[0].Node]
	matches[0].CoverText = matches[0].Cover.String()
	return matches[:1], nil
}

// reachable returns the elements that are on the screen, or that the device can bring there.
func (v *view) reachable(sel dsl.Selector) ([]screen.Match, error) {
	matches, err := v.find(sel, false)
	if err != nil || len(matches) > 0 || !v.want.Device.Reveals {
		return matches, err
	}
	q, err := v.query(sel, true)
	if err != nil {
		return nil, err
	}
	return v.f.Tree.Candidates(q)
}
