package drivers

import (
	"cmp"
	"fmt"
	"image"
	"regexp"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
)

// Tier is how well a label fitted. Lower is better; a match in a better tier, anywhere on the screen, hides the worse ones.
type Tier int

// The tiers (the order is the contract).
const (
	TierCriteria   Tier = iota // no label was asked for: the other criteria hold
	TierExact                  // the same characters
	TierNormalised             // the same to a reader: case, white space and invisible marks aside
	TierHint                   // the hint of a field
	TierID                     // the last part of a resource id
	TierWords                  // the label's words stand in the text, whole
)

func (t Tier) String() string {
	return [...]string{"criteria", "exact", "normalised", "hint", "id", "words"}[t]
}

// Query is a selector and what it is for.
type Query struct {
	Selector dsl.Selector
	// Action asks for the one element to act on; without it, every element that shows what is asked for is a match.
	Action bool
	// Settled allows the tiers below TierNormalised: on a screen that still changes, the better match may be about to come.
	Settled bool
	// Offscreen takes elements outside the screen too, for devices that can bring them into view.
	Offscreen bool
	// Matched holds the elements that the selector's css and xpath pick; only a browser can tell them.
	Matched map[*Node]bool
}

// Match is an element that a selector picks.
type Match struct {
	Node   *Node       // shows the label
	Target *Node       // the element that reacts: Node itself or the nearest clickable around it, else Node
	Tier   Tier        // how the label fitted
	Point  image.Point // where to tap
	// Cover is what lies over every point where it could be tapped; nil when it can be reached.
	Cover *Node
	// CoverText says the same in words, also when the device found it.
	CoverText string
}

// AmbiguousError lists elements between which a selector does not decide.
type AmbiguousError struct {
	What       string   // the selector, in words
	Candidates []string // every candidate with its bounds
}

// maxNamed is how many candidates the text of an AmbiguousError names.
const maxNamed = 8

func (e *AmbiguousError) Error() string {
	named := strings.Join(e.Candidates[:min(maxNamed, len(e.Candidates))], "; ")
	if more := len(e.Candidates) - maxNamed; more > 0 {
		named += fmt.Sprintf("; and %d more", more)
	}
	return fmt.Sprintf("%d elements match %s equally well: %s", len(e.Candidates), e.What, named)
}

// Unwrap makes it an ErrAmbiguous.
func (e *AmbiguousError) Unwrap() error { return ErrAmbiguous }

// Find gives the elements that the query picks, best first: for an action exactly one or none (an *AmbiguousError when it cannot
// decide), otherwise all of the best tier. No match is not an error.
func (t *Tree) Find(q Query) ([]Match, error) {
	matches, err := t.Candidates(q)
	if err == nil && q.Action && len(matches) > 1 {
		nodes := make([]*Node, len(matches))
		for i, m := range matches {
			nodes[i] = m.Node
		}
		return nil, ambiguous(q.Selector, nodes)
	}
	return matches, err
}

// Candidates is Find that leaves the decision to its caller: for an action, too, it gives all elements that match equally well. That
// a relation refers to several elements is an *AmbiguousError all the same.
func (t *Tree) Candidates(q Query) ([]Match, error) {
	f := finder{tree: t, q: q, screen: image.Rectangle{Max: t.Size}}
	nodes, tier, err := f.search(q.Selector, q.Action)
	if err != nil || len(nodes) == 0 {
		return nil, err
	}
	matches := make([]Match, len(nodes))
	for i, n := range nodes {
		matches[i] = f.match(n, tier)
	}
	return matches, nil
}

// Obstacle says why a touch would not reach the element or do nothing, "" when it would.
func (m Match) Obstacle() string {
	switch {
	case m.Node.Disabled || m.Target.Disabled:
		return "it is disabled"
	case m.CoverText != "":
		return "it is covered by " + m.CoverText
	case m.Node.actionable() == nil:
		return "neither it nor what it lies in says that it reacts to a touch"
	}
	return ""
}

func ambiguous(s dsl.Selector, nodes []*Node) error {
	e := &AmbiguousError{What: Describe(s)}
	for _, n := range nodes {
		e.Candidates = append(e.Candidates, n.String())
	}
	return e
}

// finder holds one query over one tree.
type finder struct {
	tree   *Tree
	q      Query
	screen image.Rectangle
}

// search gives the elements of the best tier that satisfy s, merged, narrowed and ordered.
func (f *finder) search(s dsl.Selector, action bool) ([]*Node, Tier, error) {
	level, err := labelMatcher(s)
	if err != nil {
		return nil, 0, err
	}
	anchors, err := f.anchors(s, action)
	if err != nil || anchors.missing {
		return nil, 0, err
	}
	best, nodes := TierWords+1, []*Node(nil)
	for n := range f.tree.All {
		if !f.visible(n) || !f.holds(s, n) || !anchors.hold(n) {
			continue
		}
		tier, ok := level(n, action)
		if !ok || tier > TierNormalised && !f.q.Settled || tier > best {
			continue
		}
		if tier < best {
			best, nodes = tier, nodes[:0]
		}
		nodes = append(nodes, n)
	}
	if s.Label != "" {
		nodes = merge(nodes)
	}
	if action {
		nodes = f.prefer(nodes)
	}
	slices.SortStableFunc(nodes, readingOrder)
	nodes = anchors.nearest(nodes)
	return pick(nodes, s.Index), best, nil
}

// visible tells whether a person can see the element, or could after scrolling to it.
func (f *finder) visible(n *Node) bool {
	if n.Hidden || n.Bounds.Dx() <= 0 || n.Bounds.Dy() <= 0 {
		return false
	}
	return f.q.Offscreen || !n.Offscreen && n.Bounds.Overlaps(f.screen)
}

// holds checks every criterion but the label and the relations.
func (f *finder) holds(s dsl.Selector, n *Node) bool {
	if s.ID != "" && !idMatches(n.ID, s.ID) || s.Type != "" && !typeMatches(n, s.Type) {
		return false
	}
	if s.TestID != "" && n.TestID != s.TestID && !idMatches(n.ID, s.TestID) {
		return false
	}
	if (s.CSS != "" || s.XPath != "") && !f.q.Matched[n] {
		return false
	}
	for _, state := range []struct {
		want *bool
		have bool
	}{{s.Enabled, !n.Disabled}, {s.Checked, n.Checked}, {s.Selected, n.Selected}, {s.Focused, n.Focused}} {
		if state.want != nil && *state.want != state.have {
			return false
		}
	}
	return true
}

// idMatches takes an id with its package prefix or without.
func idMatches(have, want string) bool {
	return have != "" && (have == want || idSuffix(have) == want)
}

func idSuffix(id string) string { return id[strings.LastIndexAny(id, "/")+1:] }

// typeMatches takes a class whole or by its last part, or a role.
func typeMatches(n *Node, want string) bool {
	last := strings.TrimPrefix(n.Type[strings.LastIndexAny(n.Type, ".$")+1:], "XCUIElementType")
	return strings.EqualFold(n.Type, want) || strings.EqualFold(last, want) || n.Role != "" && strings.EqualFold(n.Role, want)
}

// labelMatcher compiles the label of s into a function that rates an element.
func labelMatcher(s dsl.Selector) (func(n *Node, action bool) (Tier, bool), error) {
	if s.Label == "" {
		return func(*Node, bool) (Tier, bool) { return TierCriteria, true }, nil
	}
	want := Normalise(s.Label)
	switch s.Match {
	case dsl.MatchRegex:
		re, err := regexp.Compile(s.Label)
		if err != nil {
			return nil, fmt.Errorf("regular expression %q: %w", s.Label, err)
		}
		return anyText(TierExact, re.MatchString), nil
	case dsl.MatchExact:
		return anyText(TierExact, func(have string) bool { return have == s.Label }), nil
	case dsl.MatchContains:
		return anyText(TierNormalised, func(have string) bool { return strings.Contains(Normalise(have), want) }), nil
	}
	return func(n *Node, action bool) (Tier, bool) { return rate(n, s.Label, want, action) }, nil
}

// anyText rates by one test over the texts that an element shows.
func anyText(tier Tier, ok func(string) bool) func(*Node, bool) (Tier, bool) {
	return func(n *Node, action bool) (Tier, bool) {
		for _, text := range n.texts(action) {
			if ok(text) {
				return tier, true
			}
		}
		return 0, false
	}
}

// texts are what the element shows or is called. An assertion speaks of what can be seen: the hint of a filled field cannot.
func (n *Node) texts(action bool) []string {
	texts := make([]string, 0, 3)
	for _, t := range []string{n.Text, n.Desc} {
		if t != "" {
			texts = append(texts, t)
		}
	}
	if n.Hint != "" && (action || n.Text == "") {
		texts = append(texts, n.Hint)
	}
	return texts
}

func rate(n *Node, label, want string, action bool) (Tier, bool) {
	best, found := TierWords+1, false
	better := func(t Tier) {
		if t < best {
			best, found = t, true
		}
	}
	for _, have := range [...]string{n.Text, n.Desc} {
		if have == "" {
			continue
		}
		if have == label {
			return TierExact, true
		}
		switch norm := Normalise(have); {
		case norm == want:
			better(TierNormalised)
		case showsWords(norm, want):
			better(TierWords)
		}
	}
	if n.Hint != "" && Normalise(n.Hint) == want {
		switch {
		case n.Text == "":
			better(TierNormalised) // an empty field shows its hint
		case action:
			better(TierHint)
		}
	}
	if action && n.ID != "" && idSuffix(n.ID) == label {
		better(TierID)
	}
	return best, found
}

// merge makes one candidate of elements that show the same label one inside the other: the innermost stays.
func merge(nodes []*Node) []*Node {
	set := make(map[*Node]bool, len(nodes))
	for _, n := range nodes {
		set[n] = true
	}
	for _, n := range nodes {
		for p := n.Parent; p != nil; p = p.Parent {
			delete(set, p)
		}
	}
	return slices.DeleteFunc(nodes, func(n *Node) bool { return !set[n] })
}

// prefer narrows the candidates of an action: those that react, then enabled ones, then those of the topmost window.
func (f *finder) prefer(nodes []*Node) []*Node {
	nodes = narrow(nodes, func(n *Node) bool { return n.actionable() != nil })
	nodes = narrow(nodes, func(n *Node) bool { return !n.target().Disabled && !n.Disabled })
	top := 0
	for _, n := range nodes {
		top = max(top, n.Window)
	}
	nodes = narrow(nodes, func(n *Node) bool { return n.Window == top })
	return f.sameTarget(nodes)
}

// sameTarget makes one candidate of several labels of one clickable element: its first label stands for it. An element as large
// as a quarter of the screen is a container, in which two places are two things.
func (f *finder) sameTarget(nodes []*Node) []*Node {
	seen := make(map[*Node]bool, len(nodes))
	return slices.DeleteFunc(nodes, func(n *Node) bool {
		a := n.actionable()
		if a == nil || a.Bounds.Dx()*a.Bounds.Dy() > f.screen.Dx()*f.screen.Dy()/4 {
			return false
		}
		again := seen[a]
		seen[a] = true
		return again
	})
}

func narrow(nodes []*Node, keep func(*Node) bool) []*Node {
	var kept []*Node
	for _, n := range nodes {
		if keep(n) {
			kept = append(kept, n)
		}
	}
	if len(kept) == 0 {
		return nodes
	}
	return kept
}

// actionable is the nearest element around n, n included, that reacts to a touch, or nil.
func (n *Node) actionable() *Node {
	for a := n; a != nil; a = a.Parent {
		if a.Clickable || a.Editable {
			return a
		}
	}
	return nil
}

func (n *Node) target() *Node {
	if a := n.actionable(); a != nil {
		return a
	}
	return n
}

// readingOrder is top to bottom, then left to right.
func readingOrder(a, b *Node) int {
	return cmp.Or(cmp.Compare(a.Bounds.Min.Y, b.Bounds.Min.Y), cmp.Compare(a.Bounds.Min.X, b.Bounds.Min.X))
}

// pick applies the index; one that is out of range picks nothing.
func pick(nodes []*Node, index *int) []*Node {
	if index == nil {
		return nodes
	}
	i := *index
	if i < 0 {
		i += len(nodes)
	}
	if i < 0 || i >= len(nodes) {
		return nil
	}
	return nodes[i : i+1]
}
