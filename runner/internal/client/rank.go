package client

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/source"
)

// offerKind is the kind of a selector.
type offerKind int

const (
	byLabel offerKind = iota
	byID
	byBoth
	byRelation
	byType
	byIndex
	byPoint
)

// selectorOffer is one possible selector of an element.
type selectorOffer struct {
	kind  offerKind
	value source.Value
}

// offers returns the possible selectors of an element without an index, whether or not they match only it.
func (s *Identified) offers(n *screen.Node) []selectorOffer {
	var list []selectorOffer
	add := func(kind offerKind, fields ...source.Field) {
		for _, f := range fields {
			if f.Value.Kind == source.String && f.Value.Text == "" {
				return
			}
		}
		list = append(list, selectorOffer{kind, source.Value{Kind: source.Map, Fields: fields}})
	}
	id := idOf(n)
	kind := n.Type[strings.LastIndexAny(n.Type, ".$")+1:]
	labels := s.labels(n)
	for _, label := range labels {
		add(byLabel, textField("label", label))
	}
	add(byID, textField("id", id))
	for _, label := range labels {
		add(byBoth, textField("label", label), textField("id", id))
	}
	for _, beside := range s.anchors(n) {
		for _, label := range labels {
			add(byRelation, textField("label", label), beside)
		}
		add(byRelation, textField("id", id), beside)
		if len(labels) == 0 && id == "" {
			add(byRelation, textField("type", kind), beside)
		}
	}
	add(byType, textField("type", kind))
	return list
}

// Candidate is one selector for an element, and why it is good or bad.
type Candidate struct {
	Selector source.Value
	Matches  int  // elements that match it on this screen
	Picks    bool // a step with it acts on this element, and on no other
	Robust   bool
	Why      string
}

// maxCandidates limits the selectors that are returned.
const maxCandidates = 8

// Ranked returns selectors for an element, the best first: those that match only it before others, robust ones before
// brittle ones. With preferID an ID comes before a text. The last one is the position, which always works.
func (s *Identified) Ranked(n *screen.Node, preferID bool) []Candidate {
	var list []Candidate
	related := 0
	for _, o := range s.offers(n) {
		c := s.candidate(o, n)
		if o.kind == byRelation {
			if related++; !c.Picks || related > 4 {
				continue
			}
		}
		list = append(list, c)
		if !c.Picks && o.kind != byRelation {
			if at, ok := s.index(o.value, n); ok {
				list = append(list,
					s.candidate(selectorOffer{byIndex, o.value.With("index", source.Value{Kind: source.Int, Text: strconv.Itoa(at)})},
						n))
			}
		}
	}
	slices.SortStableFunc(list, func(a, b Candidate) int { return a.weight(preferID) - b.weight(preferID) })
	list = list[:min(len(list), maxCandidates)]
	seen := n.Bounds
	if n.Seen != nil {
		seen = *n.Seen
	}
	at := seen.Min.Add(seen.Size().Div(2))
	place := Candidate{
		Selector: source.Value{Kind: source.Map, Fields: []source.Field{textField("point", s.percent(at.X, at.Y))}},
		Matches:  1, Picks: true,
		Why: "a position: another element is there on another screen, or after any change of the layout"}
	if len(list) > 0 && !list[0].Picks { // the element is hardly visible, or covered: every selector finds another one
		return append([]Candidate{place}, list...)
	}
	return append(list, place)
}

// percent writes the middle of a pixel in percent of the screen, so that rounding does not lead to the next one.
func (s *Identified) percent(x, y int) string {
	return fmt.Sprintf("%.4g%%,%.4g%%", 100*(float64(x)+0.5)/float64(max(s.tree.Size.X, 1)),
		100*(float64(y)+0.5)/float64(max(s.tree.Size.Y, 1)))
}

func (c Candidate) weight(preferID bool) int {
	weight := 0
	if !c.Picks {
		weight += 4
	}
	if !c.Robust {
		weight += 2
	}
	if _, has := c.Selector.Get("id"); preferID && !has {
		weight++
	}
	return weight
}

func (s *Identified) candidate(o selectorOffer, n *screen.Node) Candidate {
	c := Candidate{Selector: o.value, Picks: s.picks(o.value, n), Matches: s.matches(o.value)}
	c.Robust, c.Why = s.assess(o)
	if !c.Picks {
		c.Robust = false
		if c.Matches > 1 {
			c.Why = fmt.Sprintf("%d elements match: it does not select one", c.Matches)
		} else {
			c.Why = "another element matches, not this one"
		}
	}
	return c
}

// unsteady are texts and IDs that may differ in another run.
var (
	number    = lazyregexp.New(`[0-9]`)
	generated = lazyregexp.New(`[0-9]{4,}|[0-9a-f]{8}|^:.*:$|^(ember|radix|mui|react|headlessui|input|ext-gen)[-_:]?[0-9]`)
)

// assess returns what a selector is based on, and whether that is stable.
func (s *Identified) assess(o selectorOffer) (robust bool, why string) {
	text := func(key string) string { f, _ := o.value.Get(key); return f.Value.Text }
	label, id := text("label"), text("id")
	switch {
	case o.kind == byIndex:
		return false, "counts equal elements: it breaks when their order or number changes"
	case o.kind == byType:
		return false, "based on the kind alone: it breaks when another element of the kind is added"
	case id != "" && generated.MatchString(id):
		return false, "the id looks generated for each page or build"
	case label != "" && number.MatchString(label):
		return false, "the text has a number in it, which may change with the data"
	case len([]rune(label)) > 60:
		return false, "a long text: it breaks with every change of its wording"
	case o.kind == byRelation:
		return true, "holds as long as it stays next to the other text"
	case o.kind == byBoth:
		return true, "holds as long as neither the text nor the id changes"
	case o.kind == byID:
		return true, "an id of the app: holds when texts and languages change"
	}
	return true, "visible text: holds as long as the text stays"
}

// matches counts the elements that match a selector.
func (s *Identified) matches(v source.Value) int {
	sel, ok := readSelector(v)
	if !ok {
		return 0
	}
	found, err := s.tree.Candidates(screen.Query{Selector: sel, Action: true, Reveal: s.tree.HitTested})
	if err != nil {
		return 0
	}
	return len(found)
}

// readSelector reads a selector as the argument of an action.
func readSelector(v source.Value) (dsl.Selector, bool) {
	def, _ := dsl.Lookup("tap")
	args, err := dsl.Decode(def, unescaped(v))
	tap, ok := args.(dsl.Tap)
	return tap.Selector, err == nil && ok
}

// At returns the element at a point: the smallest one there that a snapshot lists, or nil.
func (s *Identified) At(x, y int) *screen.Node {
	var best *screen.Node
	area := func(n *screen.Node) int { return n.Bounds.Dx() * n.Bounds.Dy() }
	for n := range s.tree.All {
		in := n.Bounds.Min.X <= x && x < n.Bounds.Max.X && n.Bounds.Min.Y <= y && y < n.Bounds.Max.Y
		if in && !n.Offscreen && s.Listed(n) && (best == nil || n.Window > best.Window || n.Window == best.Window &&
			area(n) <= area(best)) {
			best = n
		}
	}
	return best
}

// All returns the elements that a snapshot lists, in the order of the tree.
func (s *Identified) All() (list []*screen.Node) {
	for n := range s.tree.All {
		if s.Listed(n) {
			list = append(list, n)
		}
	}
	return list
}

// Words describes an element as a snapshot does: role, label, value, state.
func (s *Identified) Words(n *screen.Node) string {
	facts, _ := s.line(n, func(text string) string { return text })
	return facts
}
