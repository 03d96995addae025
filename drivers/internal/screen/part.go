package screen

import (
	"cmp"
	"fmt"
	"image"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/width"

	"github.com/taproot-dev/taproot/dsl"
)

// TextPart is a part of a text that a selector requires: whole words, the start, or any part.
type TextPart struct {
	Text string        `json:"t"`
	Mode dsl.MatchMode `json:"m"`
}

// PartPlace is one place where an element draws a part of its text.
type PartPlace struct {
	Part  TextPart
	Lines []image.Rectangle // one for each word, or piece of a word; of what can be seen, the part that is seen
	Press *image.Point      // where a touch reaches it; nil: nowhere, see Covered

	Covered   string // what takes the touch at every point of it
	Obscured  string // what hides it from a person
	Offscreen bool   // scrolled out of what shows it
	Cut       bool   // cut off, so that no scrolling brings it to light
}

// bounds is the box around all of a place.
func (p PartPlace) bounds() image.Rectangle {
	var all image.Rectangle
	for _, line := range p.Lines {
		all = all.Union(line)
	}
	return all
}

// part is the part that a selector requires of a text, whether it requires one. A regular expression fits a whole text.
func part(want string, mode dsl.MatchMode) (TextPart, bool) {
	switch mode {
	case dsl.MatchWords, dsl.MatchPrefix, dsl.MatchContains:
		return TextPart{Text: Normalise(want), Mode: mode}, want != ""
	}
	return TextPart{}, false
}

// TextParts lists the parts of shown texts that a selector, and those within it, ask for.
func TextParts(s dsl.Selector) []TextPart {
	var list []TextPart
	for _, want := range []string{s.Label, s.Text} {
		if p, ok := part(want, s.Match); ok && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	within := s.Relations()
	if s.Not != nil {
		within = append(within, s.Not)
	}
	for _, r := range within {
		for _, p := range TextParts(*r) {
			if !slices.Contains(list, p) {
				list = append(list, p)
			}
		}
	}
	return list
}

// Knows reports whether the tree was read with all of the parts asked for, so that each element of a page has their
// places.
func (t *Tree) Knows(parts []TextPart) bool {
	return !slices.ContainsFunc(parts, func(p TextPart) bool { return !slices.Contains(t.Parts, p) })
}

// spot is an element at one place: of all of it, or of a part of its text.
type spot struct {
	*Node
	at    image.Rectangle
	asked bool       // a part of the text is asked for
	part  *PartPlace // of that; nil: all of the element is asked for, or where the part is drawn is not known
	lost  bool       // where the part is drawn is not known
	words string     // the part, where it is lost
}

// place is where the element is, for relations.
func (s spot) place() image.Rectangle { return s.at }

// besidePart returns the place without a thing in it that reacts for itself. Flutter makes one element of a row and
// its texts, with the buttons of the row in it: the texts are drawn in the largest part that a button leaves free.
func (s spot) besidePart(n spot) spot {
	if n.Node == s.Node || !n.Within(s.Node) || s.hitTested() || s.part != nil || s.TextBounds != nil ||
		!n.Clickable && !n.Editable && !n.Checkable || s.ownLabel() == "" {
		return s
	}
	around, part := s.at, n.at.Intersect(s.at)
	if part.Empty() {
		return s
	}
	best := image.Rectangle{}
	for _, side := range []image.Rectangle{
		{Min: around.Min, Max: image.Pt(part.Min.X, around.Max.Y)},
		{Min: around.Min, Max: image.Pt(around.Max.X, part.Min.Y)},
		{Min: image.Pt(part.Max.X, around.Min.Y), Max: around.Max},
		{Min: image.Pt(around.Min.X, part.Max.Y), Max: around.Max},
	} {
		if area(side) > area(best) {
			best = side
		}
	}
	if !best.Empty() {
		s.at = best
	}
	return s
}

func area(r image.Rectangle) int { return r.Dx() * r.Dy() }

// open reports whether the place can be seen and touched now.
func (s spot) open() bool {
	return s.part == nil || !s.part.Offscreen && s.part.Covered == "" && s.part.Obscured == ""
}

// away reports whether the place is scrolled out of the screen.
func (s spot) away() bool {
	if s.part != nil {
		return s.part.Offscreen
	}
	return s.Offscreen || s.tree != nil && !s.Bounds.Overlaps(image.Rectangle{Max: s.tree.Size})
}

// comparable reports whether where n is says something of where a is: a place that is scrolled away is nowhere near
// what does not move with it.
func (s spot) comparable(a spot) bool {
	return !a.away() || s.scroller() == a.scroller() || s.Within(a.Node) || a.Within(s.Node)
}

// scroller is what moves the place: the element itself, where a part of its text is scrolled in it.
func (s spot) scroller() *Node {
	if s.part != nil && s.Scrollable {
		return s.Node
	}
	return s.Node.scroller()
}

// FarAnchor is what a relation of the query refers to and what is scrolled away, nil when there is none or more than
// one.
func (t *Tree) FarAnchor(q Query) *Match {
	f := newFinder(t, q)
	for _, r := range q.Selector.Relations() {
		if near, err := f.search(*r, false); err != nil || len(near) > 0 {
			continue
		}
		f.far = true
		far, err := f.search(*r, false)
		f.far = false
		if err == nil && len(far) == 1 && far[0].Away(t) {
			return &far[0]
		}
	}
	return nil
}

// scroller is the nearest element around n that scrolls; nil: none does.
func (n *Node) scroller() *Node {
	for a := n.Parent; a != nil; a = a.Parent {
		if a.Scrollable {
			return a
		}
	}
	return nil
}

// whole is the element itself as a place.
func (n *Node) whole() spot { return spot{Node: n, at: n.place()} }

// asksPart is the part of the element's shown text that a selector requires. What an element is called, and what a
// field holds, has no parts: it is in all of the element.
func asksPart(n *Node, s dsl.Selector) (TextPart, bool) {
	for _, want := range []string{s.Label, s.Text} {
		p, ok := part(want, s.Match)
		if want == "" || n.Text == "" || n.Editable || n.added || !ok && n.lines(n.Text) == nil {
			continue
		}
		fits, err := comparison(want, s.Match)
		if err != nil {
			continue
		}
		switch _, whole := fits(n.Text); {
		case ok && whole:
			return p, true
		case ok || whole:
			continue
		}
		if _, line := n.fits(fits, []string{n.Text}); line {
			return TextPart{Text: Normalise(want), Mode: s.Match}, true
		}
	}
	return TextPart{}, false
}

// spots are the places of an element that a selector means; none: the part of its text that is asked for cannot be
// seen. Places in view come before those that an action would have to scroll to, or finds covered.
func (f *finder) spots(s dsl.Selector, n *Node, action bool) []spot {
	p, asked := asksPart(n, s)
	if !asked || n.hitTested() && !slices.Contains(f.tree.Parts, p) {
		return []spot{n.whole()}
	}
	var open, others []spot
	known := false
	for i := range n.Parts {
		place := &n.Parts[i]
		if place.Part != p {
			continue
		}
		known = true
		at := spot{Node: n, at: place.bounds(), asked: true, part: place}
		switch {
		case place.Cut && !f.evenCut, place.Offscreen && !(action && f.q.Reveal) && !f.far, place.Obscured != "" &&
			!f.q.Action:
		case at.open():
			open = append(open, at)
		default:
			others = append(others, at)
		}
	}
	if known {
		return append(open, others...)
	}
	whole := n.whole()
	if away := n.Offscreen || f.seen(n).Empty(); away && n.hitTested() || Normalise(n.Text) == p.Text {
		return []spot{whole}
	}
	whole.asked, whole.lost, whole.words = true, true, p.Text
	return []spot{whole}
}

// spotsOf are the places of one of the elements that a match is.
func (m Match) spotsOf(n *Node) []spot {
	if at := m.spots[n]; len(at) > 0 {
		return at
	}
	return []spot{n.whole()}
}

// spot is the place at which a match is acted on.
func (m Match) spot() spot {
	at := m.Node.whole()
	if m.Part != nil {
		at.at, at.asked, at.part = m.Part.bounds(), true, m.Part
	}
	return at
}

// Away reports whether the device has to scroll before the match, or the part of its text that is asked for, is on the
// screen.
func (m Match) Away(t *Tree) bool {
	if m.Part != nil {
		return m.Part.Offscreen
	}
	return m.Node.Offscreen || !m.Node.Bounds.Overlaps(image.Rectangle{Max: t.Size})
}

// settle chooses the place at which a match is acted on, of those that are in the relations: one that can be touched,
// and the nearest of those.
func (f *finder) settle(m *Match, all anchors) {
	at := m.spotsOf(m.Node)
	if !at[0].asked {
		return
	}
	best := slices.MinFunc(at, func(a, b spot) int {
		if a.open() != b.open() {
			return map[bool]int{true: -1, false: 1}[a.open()]
		}
		return cmp.Compare(all.cost(a), all.cost(b))
	})
	f.atSpot(m, best)
	if best.lost && f.q.Action && !m.sameEverywhere() {
		m.Unplaced = fmt.Sprintf("shows %s within a longer text, and where in it the device does not say, "+
			"so that a touch might meet something else; %s", Quote(best.words), otherWays(m.Node, best.words))
	}
}

// atSpot makes a match touched, and reported, at a place.
func (f *finder) atSpot(m *Match, at spot) {
	p := at.part
	if m.Part = p; p == nil {
		return
	}
	m.Seen, m.Cover, m.CoverText = at.at.Intersect(f.seen(m.Node)), nil, cmp.Or(p.Obscured, p.Covered)
	m.Point = centre(at.at)
	if p.Press != nil {
		m.Point = *p.Press
	}
	if m.Node.InPage && m.CoverText == "" && !p.Offscreen {
		if m.Point, m.Cover = f.tree.pagePoint(m.Node, m.Point, m.Seen); m.Cover != nil {
			m.CoverText = m.Cover.String()
		}
	}
}

// sameEverywhere reports whether a touch of the element does the same at each point of it: what reacts is not the text
// itself, which may hold links, but a control as a whole.
func (m Match) sameEverywhere() bool {
	n := m.Node
	if !m.Target.Within(n) && !n.Within(m.Target) {
		return true // the control that it names is touched
	}
	reacts := n.actionable()
	return reacts != nil && (reacts != n || !n.HoldsLinks)
}

// otherWays says how to reach a part of the element's text at an unknown place.
func otherWays(n *Node, words string) string {
	whole := ""
	if len(n.Text) <= 80 {
		whole = "name the whole text, " + written("label: "+yamlText(n.Text)) + ", or "
	}
	return whole + "look for the words in the pixels, " + written("ocr: "+yamlText(words))
}

// Guesses at where a part of a text with an unknown place may be.
const (
	guessColumns = 3
	guessLines   = 6
	lineRatio    = 1.5
)

// guesses are the places where a part may be that is somewhere in an element's text: thirds of a line, of each of the
// lines that there may be.
func (s spot) guesses() []spot {
	if !s.lost {
		return []spot{s}
	}
	lines := guessLines
	if s.oneLine() {
		lines = 1
	}
	var list []spot
	for y := range lines {
		for x := range guessColumns {
			at := s
			at.at = image.Rect(s.at.Min.X+s.at.Dx()*x/guessColumns, s.at.Min.Y+s.at.Dy()*y/lines,
				s.at.Min.X+s.at.Dx()*(x+1)/guessColumns, s.at.Min.Y+s.at.Dy()*(y+1)/lines)
			list = append(list, at)
		}
	}
	return list
}

// oneLine reports whether an element is too low to show its text in more than one line. A character is about half as
// wide as it is high, and a line of text about a sixth higher than its characters: a text that is broken into two lines
// would be longer than lineRatio times what fits.
func (s spot) oneLine() bool {
	if strings.ContainsAny(strings.TrimSpace(s.Text), "\n\r\u2028\u2029") {
		return false
	}
	wide := 0.0 // of the text, in characters
	for _, r := range s.Text {
		wide++
		if width.LookupRune(r).Kind() == width.EastAsianWide || width.LookupRune(r).Kind() == width.EastAsianFullwidth {
			wide++
		}
	}
	return 0.4*wide*float64(s.at.Dy()) <= lineRatio*float64(s.at.Dx())
}

// certain decides where the parts of texts are to which relations refer and of which the places are unknown: all places
// where one may be must lead to the same elements. Otherwise the error says so.
func (f *finder) certain(s dsl.Selector, action bool, all anchors) (anchors, error) {
	for i, a := range all.list {
		if !a.rank {
			continue
		}
		for k, m := range a.matches {
			for _, n := range m.same {
				guesses := m.spotsOf(n)[0].guesses()
				if len(guesses) == 1 {
					continue
				}
				var err error
				if all, err = f.sure(s, action, all, guessed{anchor: i, match: k, node: n, at: guesses}); err != nil {
					return all, err
				}
			}
		}
	}
	return all, nil
}

// guessed are the places where a part may be in the text of one element of an anchor.
type guessed struct {
	anchor, match int
	node          *Node
	at            []spot
}

// sure puts the anchors at one of the guessed places, if it does not matter at which.
func (f *finder) sure(s dsl.Selector, action bool, all anchors, g guessed) (anchors, error) {
	with := func(at []spot, alone bool) anchors {
		tried := anchors{list: slices.Clone(all.list)}
		a := &tried.list[g.anchor]
		a.matches = slices.Clone(a.matches)
		m := &a.matches[g.match]
		m.spots = maps.Clone(m.spots)
		m.spots[g.node] = at
		if alone {
			a.matches = []Match{*m}
		}
		return tried
	}
	var first []Match
	for i := range g.at {
		found, err := f.related(s, action, with(g.at[i:i+1], true))
		if err != nil {
			return all, err
		}
		if i == 0 {
			first = found
		}
		if !slices.EqualFunc(first, found, func(a, b Match) bool { return a.Node == b.Node && a.Part == b.Part }) {
			return all, &UnplacedError{Node: g.node, Words: g.at[0].words}
		}
	}
	return with(g.at[len(g.at)/2:len(g.at)/2+1], false), nil
}

// UnplacedError says that a relation refers to a part of a text, that the device does not say where in the text it is,
// and that this matters. It wraps ErrNotFound.
type UnplacedError struct {
	Node  *Node
	Words string
}

func (e *UnplacedError) Error() string {
	return fmt.Sprintf("%s shows %s within a longer text, and where in it the device does not say, "+
		"so that nothing can be related to it for certain; relate to an element that shows these words alone, "+
		"or name the element by its id or index", e.Node, Quote(e.Words))
}

func (e *UnplacedError) Unwrap() error { return ErrNotFound }
