package screen

import (
	"image"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
)

// Tier is how well a text fitted. Lower is better. An action takes the best tier on the screen; TierExact and
// TierNormalised count as one. Existence and counts take all of them.
type Tier int

// The tiers (the order is the contract).
const (
	TierCriteria   Tier = iota // no text was asked for: the other criteria hold
	TierExact                  // the same characters
	TierNormalised             // the same to a reader: white space, invisible marks, the form of quotes and dashes aside
	TierCase                   // the same characters in another case
	TierHint                   // the hint of a field that is filled: actions only
	TierPart                   // a part of the text, or a regular expression, as the selector's match requires
)

func (t Tier) String() string {
	return [...]string{"criteria", "exact", "normalised", "other case", "hint", "part"}[t]
}

// better reports whether an action takes a match of this tier and none of the other one: letter case alone decides
// between two texts that read alike, and not even that where they are counted, by an index.
func (t Tier) better(than Tier, counted bool) bool {
	alike := TierNormalised
	if counted {
		alike = TierCase
	}
	return t < than && !(t >= TierExact && than <= alike)
}

// Query is a selector and what it is for.
type Query struct {
	Selector dsl.Selector
	// Action requires one element to act on; without it, every element that shows what is required is a match.
	Action bool
	// Reveal takes elements outside the screen too, for actions on devices that can bring them into view. An assertion
	// never does.
	Reveal bool
	// Typing makes an action prefer elements that take a text to others that match.
	Typing bool
	// Within are the elements that the selector's "inside" has meant before, which it need not pick in this tree: what
	// names them may be out of view. Nil: what it picks in this tree is meant.
	Within []*Node
	// Matched holds the elements that each css and xpath of the selector and of those within it picks, when only the
	// device knows them; see Tree.XPath for those of a phone.
	Matched map[Expression]map[*Node]bool
	// Drawn reports, by the pixels of the screen, whether a person can see an element; over are the elements drawn over
	// some of it or all of it, mayBeOver those that may be. Nil: the caller decides by Match.Over.
	Drawn func(n *Node, seen image.Rectangle, over, mayBeOver []*Node) bool
	// Undrawn reports, by the pixels, that none of the texts of what may be over an element in beside is drawn.
	Undrawn func(over, beside *Node) bool
	// AsWritten returns a selector as a test would write it, where the query's is made for the search. Nil: it is the
	// test's own.
	AsWritten func(dsl.Selector) dsl.Selector
}

// Expression is a css selector or an XPath: one of the two is empty.
type Expression struct{ CSS, XPath string }

// Expressions lists what a selector, and those within it, say in css and XPath.
func Expressions(s dsl.Selector) []Expression {
	var list []Expression
	if s.CSS != "" {
		list = append(list, Expression{CSS: s.CSS})
	}
	if s.XPath != "" {
		list = append(list, Expression{XPath: s.XPath})
	}
	within := s.Relations()
	if s.Not != nil {
		within = append(within, s.Not)
	}
	for _, r := range within {
		list = append(list, Expressions(*r)...)
	}
	return list
}

// Match is an element that a selector picks.
type Match struct {
	Node *Node // shows the label
	// the element that reacts: Node itself, the nearest clickable around it, or the control that it names
	Target *Node
	Tier   Tier        // how the label fitted
	Point  image.Point // where to tap
	Seen   image.Rectangle
	// Cover is what takes the touch at every point where the element could be tapped; nil when it can be reached.
	Cover *Node
	// CoverText says the same in words, also when the device found it.
	CoverText string
	// Over are the elements drawn over all that can be seen of Node. Whether they hide it, only the pixels of the screen
	// can show. It is empty where the device itself knows what is seen (Tree.HitTested).
	Over []*Node

	// Part is the place of the part of Node's text that was asked for; nil: all of Node was, or where the part is drawn is
	// not known.
	Part *PartPlace
	// Unplaced says in a clause that the part of the text which was asked for has no known place, and that a touch would
	// not be the same everywhere on the element; "" when it can be touched.
	Unplaced string

	spots     map[*Node][]spot // where the elements are, for those of which a part of the text was asked for
	aimed     *Node            // in place of Node
	same      []*Node          // Node and the elements that were merged with it
	outermost *Node            // of the elements that say the same and hold Node
}

// The search has four steps, and their order matters. (1) All elements that satisfy the criteria, each with the tier of
// its text. (2) Merge: a label and its control, a text and the clickable box around it are one thing to a person, and
// one match. (3) Narrow: "inside" and relations keep the matches at the right place; of nested elements only the
// innermost counts, and states (checked, enabled) are those of the merged thing. (4) For an action the best tier wins,
// and exactly one match must remain, or the selectors that would decide are proposed; for an assertion all matches
// count, whatever their tier, so that existence, count and absence use one rule.

// Find returns the elements that the query picks, in reading order: for an action exactly one or none (an
// *AmbiguousError when it cannot decide), otherwise all. No match is not an error.
func (t *Tree) Find(q Query) ([]Match, error) {
	matches, err := t.Candidates(q)
	if err == nil && q.Action && len(matches) > 1 {
		return nil, t.Ambiguous(q, matches)
	}
	return matches, err
}

// Candidates is Find that leaves the decision to its caller: for an action, too, it returns all elements that match
// equally well. That a relation refers to several elements which lead to different results is an *AmbiguousError all
// the same.
func (t *Tree) Candidates(q Query) ([]Match, error) {
	f := newFinder(t, q)
	matches, err := f.search(q.Selector, q.Action)
	if err != nil {
		return nil, err
	}
	return matches, nil
}

// Box is the element that "inside" means by the match: the widest around Node that says the same.
func (m Match) Box() *Node {
	if m.outermost == nil {
		return m.Node
	}
	return m.outermost
}

// Obstacle says why a touch would not reach the element or do nothing, "" when it would.
func (m Match) Obstacle() string {
	switch {
	case m.Disabled():
		return "it is disabled"
	case m.CoverText != "":
		return "it is covered by " + m.CoverText
	case m.Unplaced != "":
		return m.Unplaced
	case m.Target.actionable() == nil:
		return "neither it nor what it is in says that it reacts to a touch"
	}
	return ""
}

// Disabled reports whether the element, or the control that it names, is disabled.
func (m Match) Disabled() bool { return !isEnabled(m.Node) || m.Target.Disabled }

// finder holds one query over one tree.
type finder struct {
	tree   *Tree
	q      Query
	screen image.Rectangle
	xpaths map[string]map[*Node]bool
	hits   map[*Node]Match // of elements that are things by themselves
	hollow bool            // what has no area of its own, and holds what is seen, will do

	evenCut bool // parts of texts that are cut off will do
	far     bool // what relations refer to may be scrolled away
}

func newFinder(t *Tree, q Query) *finder {
	return &finder{tree: t, q: q, screen: image.Rectangle{Max: t.Size}, hits: map[*Node]Match{}}
}

// search returns the elements that satisfy s, merged, narrowed and ordered: for an action those of the best tier,
// otherwise all. Where an action finds none, and the device can scroll, what relations refer to may be scrolled away.
func (f *finder) search(s dsl.Selector, action bool) ([]Match, error) {
	matches, err := f.searchNear(s, action)
	if err != nil || len(matches) > 0 || !action || !f.q.Reveal || f.far || len(s.Relations()) == 0 {
		return matches, err
	}
	f.far = true
	defer func() { f.far = false }()
	return f.searchNear(s, action)
}

// searchNear is search with what relations refer to in view, unless far says otherwise.
func (f *finder) searchNear(s dsl.Selector, action bool) ([]Match, error) {
	all, err := f.anchors(s)
	if err != nil || all.missing {
		return nil, err
	}
	if all, err = f.certain(s, action, all); err != nil {
		return nil, err
	}
	matches, err := f.related(s, action, all)
	if rows, ok := all.inRows(); ok && err == nil && len(matches) == 0 {
		all = rows
		matches, err = f.related(s, action, all)
	}
	if err != nil || !action || !all.several() || len(matches) == 0 {
		return matches, err
	}
	return matches, f.sameAnswer(s, all)
}

// related is search with known anchors.
func (f *finder) related(s dsl.Selector, action bool, all anchors) ([]Match, error) {
	fit, err := f.fitting(s, action, all)
	if err != nil {
		return nil, err
	}
	matches := inState(s, action, f.merge(s, fit))
	for i := range matches {
		f.settle(&matches[i], all)
	}
	switch {
	case action && counted(s): // a person does not count what cannot come to light
		matches = narrow(matches, func(m Match) bool { return !m.Node.Buried })
	case action:
		if f.q.Typing {
			matches = bestSpelled(narrow(matches, func(m Match) bool { return m.Target.Editable }), false)
		}
		if under := f.nearestUnder(s, all, matches); under != nil {
			return under, nil
		}
		matches = f.wholeTexts(s, f.prefer(matches))
	}
	inReadingOrder(matches)
	if s.Index != nil {
		return pick(matches, s), nil
	}
	nearest := all.nearest(matches)
	if !action && len(nearest) < len(matches) { // and the one that an action would choose
		best := all.bestSpelled()
		for _, m := range best.nearest(
			f.prefer(bestSpelled(slices.DeleteFunc(slices.Clone(matches), func(m Match) bool {
				return len(best.hold(slices.Clone(m.spotsOf(m.Node)))) == 0
			}), false))) {
			if !slices.ContainsFunc(nearest, func(n Match) bool { return n.Node == m.Node }) {
				nearest = append(nearest, m)
			}
		}
	}
	return pick(nearest, s), nil
}

// inState keeps the things that are in the states which s requires, and of those, for an action, the best tier. A label
// and its control are one thing before anything is asked of it.
func inState(s dsl.Selector, action bool, matches []Match) []Match {
	if !s.Names() || len(statesAsked(s)) == 0 {
		return matches
	}
	matches = slices.DeleteFunc(slices.Clone(matches), func(m Match) bool { return !statesMet(s, m.Node) })
	if action {
		return bestSpelled(matches, counted(s))
	}
	return matches
}

// counted reports whether a selector says which of several is meant.
func counted(s dsl.Selector) bool { return s.Index != nil || s.First }

// bestSpelled keeps the matches of the best tier.
func bestSpelled(matches []Match, counted bool) []Match {
	return slices.DeleteFunc(slices.Clone(matches), func(m Match) bool {
		return slices.ContainsFunc(matches, func(o Match) bool { return o.Tier.better(m.Tier, counted) })
	})
}

// wholeTexts narrows to those of which a whole text fits, not only a line of one.
func (f *finder) wholeTexts(s dsl.Selector, matches []Match) []Match {
	if s.Label == "" || len(matches) < 2 {
		return matches
	}
	fits, err := comparison(s.Label, s.Match)
	if err != nil {
		return matches
	}
	return narrow(matches, func(m Match) bool { return !m.Node.byLine(fits) })
}

// fitted are the elements that satisfy a selector, each with its tier, and with its places where a part of its text is
// asked for.
type fitted struct {
	nodes []*Node
	tiers map[*Node]Tier
	spots map[*Node][]spot
}

// fitting returns the elements that satisfy s, each with its tier: for an action those of the best tier, unless what
// decides first is known later: the state of a named element, or whether a text can be typed there.
func (f *finder) fitting(s dsl.Selector, action bool, all anchors) (fitted, error) {
	fit := fitted{tiers: map[*Node]Tier{}, spots: map[*Node][]spot{}}
	rate, err := textMatcher(s)
	if err != nil {
		return fit, err
	}
	ids := f.idMatcher(s)
	excluded, err := f.excluded(s)
	if err != nil {
		return fit, err
	}
	best, later := TierPart, s.Names() && len(statesAsked(s)) > 0
	choose := action && !later && (!f.q.Typing || counted(s)) // fields are preferred first
	for n := range f.tree.All {
		if excluded[n] || n.Key && !action && asksText(s) || !f.visible(n, action && f.q.Reveal) {
			continue
		}
		tier, ok := rate(n, action)
		if !ok || choose && best.better(tier, counted(s)) || !ids(n) {
			continue
		}
		if holds, err := f.holds(s, n); err != nil {
			return fit, err
		} else if !holds || !later && !statesMet(s, n) {
			continue
		}
		spots := all.hold(f.spots(s, n, action))
		if len(spots) == 0 || !f.drawn(n) {
			continue
		}
		if choose && tier.better(best, counted(s)) {
			fit.nodes = fit.nodes[:0]
			clear(fit.tiers)
		}
		best = min(best, tier)
		fit.nodes, fit.tiers[n] = append(fit.nodes, n), tier
		if spots[0].asked {
			fit.spots[n] = spots
		}
	}
	if !action {
		fit.nodes = f.readable(fit.nodes, rate)
	}
	return fit, nil
}

// asksText reports whether an element is searched by what it says alone.
func asksText(s dsl.Selector) bool {
	return (s.Label != "" || s.Text != "" || s.Desc != "") && s.Type == "" && s.ID == "" && s.XPath == ""
}

// excluded are the elements that the selector's "not" picks, with those that react for them. Without a name it picks
// all that satisfy it, also those that hold another one.
func (f *finder) excluded(s dsl.Selector) (map[*Node]bool, error) {
	if s.Not == nil {
		return nil, nil
	}
	set := map[*Node]bool{}
	if !s.Not.Names() && s.Not.Index == nil && !s.Not.First {
		all, err := f.anchors(*s.Not)
		if err != nil || all.missing {
			return nil, err
		}
		fit, err := f.fitting(*s.Not, false, all)
		for _, n := range fit.nodes {
			set[n] = true
		}
		return set, err
	}
	matches, err := f.search(*s.Not, false)
	if err != nil {
		return nil, err
	}
	for _, m := range matches {
		for _, n := range m.same {
			set[n] = true
		}
		if s.Not.Names() {
			set[m.Target] = true
		}
	}
	return set, nil
}

// holds checks every criterion but the texts, the states and the relations.
func (f *finder) holds(s dsl.Selector, n *Node) (bool, error) {
	switch {
	case s.Type != "" && !typeMatches(n, s.Type), s.TestID != "" && n.TestID != s.TestID && !idMatches(n.ID, s.TestID):
		return false, nil
	case s.CSS != "" && !f.q.Matched[Expression{CSS: s.CSS}][n], s.Clickable != nil &&
		*s.Clickable != (n.Clickable || n.Editable), s.Size != nil && !sizeFits(*s.Size, n.Bounds.Size()):
		return false, nil
	case s.XPath == "":
		return true, nil
	case f.tree.HitTested:
		return f.q.Matched[Expression{XPath: s.XPath}][n], nil
	}
	picked, err := f.xpath(s.XPath)
	return picked[n], err
}

func (f *finder) xpath(expr string) (map[*Node]bool, error) {
	if picked, known := f.xpaths[expr]; known {
		return picked, nil
	}
	picked, err := f.tree.XPath(expr)
	if err != nil {
		return nil, err
	}
	if f.xpaths == nil {
		f.xpaths = map[string]map[*Node]bool{}
	}
	f.xpaths[expr] = picked
	return picked, nil
}

func sizeFits(want dsl.Size, have image.Point) bool {
	fits := func(want *int, have, tolerance int) bool {
		return want == nil || max(*want-have, have-*want) <= tolerance
	}
	return fits(want.Width, have.X, want.Tolerance) && fits(want.Height, have.Y, want.Tolerance)
}

// typeMatches takes a class whole or by its last part, or a role.
func typeMatches(n *Node, want string) bool {
	return strings.EqualFold(n.Type, want) || strings.EqualFold(n.kind(), want) || n.Role != "" &&
		strings.EqualFold(n.Role, want)
}

// kind is the last part of the element's class: Button for android.widget.Button and XCUIElementTypeButton.
func (n *Node) kind() string {
	return strings.TrimPrefix(n.Type[strings.LastIndexAny(n.Type, ".$")+1:], "XCUIElementType")
}

// prefer narrows the candidates of an action: those of the app in which the user works, those that can be reached, that
// react, and those of the topmost window. Each criterion counts only where it leaves a candidate. That one of two is
// disabled says nothing of which one is meant: it may be disabled for a moment, and the other one's row is another.
func (f *finder) prefer(matches []Match) []Match {
	if len(matches) < 2 {
		return matches
	}
	if own := f.tree.app(); own != "" { // a notification may have a button of the same name
		matches = narrow(matches, func(m Match) bool { return m.Node.Package == "" || m.Node.Package == own })
	}
	matches = narrow(matches, func(m Match) bool { return !m.Node.Key })
	matches = narrow(matches, func(m Match) bool { return m.CoverText == "" })
	matches = narrow(matches, func(m Match) bool { return f.reacts(m) })
	top := 0
	for _, m := range matches {
		top = max(top, m.Node.Window)
	}
	return narrow(matches, func(m Match) bool { return m.Node.Window == top })
}

// reacts reports whether a touch of the match does something. What fills a large part of the screen and reacts (a page
// that may be long-pressed) does not make a button of each text in it.
func (f *finder) reacts(m Match) bool {
	a := m.Target.actionable()
	return a != nil && (a == m.Node || !f.container(a))
}

// container reports whether two places in an element are two things: it is as large as a quarter of the screen.
func (f *finder) container(n *Node) bool {
	return n.Bounds.Dx()*n.Bounds.Dy() > f.screen.Dx()*f.screen.Dy()/4
}

func narrow(matches []Match, keep func(Match) bool) []Match {
	kept := slices.DeleteFunc(slices.Clone(matches), func(m Match) bool { return !keep(m) })
	if len(kept) == 0 {
		return matches
	}
	return kept
}

// pick applies the index, or first; an index that is out of range picks nothing.
func pick(matches []Match, s dsl.Selector) []Match {
	switch {
	case s.First && len(matches) > 0:
		return matches[:1]
	case s.Index == nil:
		return matches
	}
	i := *s.Index
	if i < 0 {
		i += len(matches)
	}
	if i < 0 || i >= len(matches) {
		return nil
	}
	return matches[i : i+1]
}
