package client

import (
	"cmp"
	"errors"
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// The results of `taproot find`.
const (
	ResultOne       = "one"
	ResultNone      = "none"
	ResultAmbiguous = "ambiguous"
)

// Found is what a selector matches on a screen.
type Found struct {
	Result   string       `json:"result"`
	Selector string       `json:"selector"` // in words
	Matches  []FoundMatch `json:"matches"`  // best first
	Seen     []string     `json:"seen"`     // elements that an assertion with this selector sees
	Problem  string       `json:"problem,omitempty"`
	Nearest  []string     `json:"nearest,omitempty"` // the most similar elements, when nothing matches
}

// FoundMatch is one element. Bounds are left, top, right, bottom.
type FoundMatch struct {
	Label      string       `json:"label"`
	ID         string       `json:"id"`
	Type       string       `json:"type"`
	Bounds     [4]int       `json:"bounds"`
	Tap        FoundPoint   `json:"tap"`
	Tier       string       `json:"tier"`
	Actionable bool         `json:"actionable"` // a tap reaches it, and it reacts to taps
	Obstacle   string       `json:"obstacle,omitempty"`
	CoveredBy  string       `json:"covered_by,omitempty"`
	Text       string       `json:"text,omitempty"`
	Desc       string       `json:"description,omitempty"`
	Hint       string       `json:"hint,omitempty"`
	Target     *FoundTarget `json:"target,omitempty"` // the element around it that receives the tap
}

// FoundPoint is a place on the screen.
type FoundPoint struct {
	X int `json:"x"`
	Y int `json:"y"`
}

// FoundTarget is an element that receives a tap.
type FoundTarget struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	Bounds [4]int `json:"bounds"`
}

// ListedElement is one element of a screen, and a selector for it in a test.
type ListedElement struct {
	Element  string `json:"element"`
	Selector string `json:"selector"`
	Bounds   [4]int `json:"bounds"`
}

// Listed are elements of a screen.
type Listed []ListedElement

// List returns the visible elements of the screen in reading order, with a selector for each.
func List(t *screen.Tree) Listed {
	var out Listed
	for _, m := range t.Things() {
		kind := cmp.Or(m.Node.Role, m.Node.Type[strings.LastIndexAny(m.Node.Type, ".$")+1:], "element")
		out = append(out, ListedElement{Element: kind + " " + screen.Quote(m.Node.Label()), Selector: t.SelectorFor(m),
			Bounds: corners(m.Node)})
	}
	return out
}

// Text returns the list as a person reads it.
func (things Listed) Text() string {
	var b strings.Builder
	width := 0
	for _, l := range things {
		width = max(width, min(len([]rune(l.Element)), 50))
	}
	for _, l := range things {
		fmt.Fprintf(&b, "%-*s  %s\n", width, l.Element, l.Selector)
	}
	if len(things) == 0 {
		b.WriteString("the screen shows nothing that has a name\n")
	}
	return b.String()
}

// Find matches a selector as an action does, and as an assertion does.
func Find(t *screen.Tree, sel dsl.Selector) Found {
	q := screen.Query{Selector: sel, Action: true, Reveal: t.HitTested}
	out := Found{Selector: screen.Describe(sel), Matches: []FoundMatch{}}
	seen, _ := t.Find(screen.Query{Selector: sel})
	for _, m := range seen {
		what := m.Node.String()
		if len(m.Over) > 0 {
			what += fmt.Sprintf(", if the pixels show it under %s", m.Over[len(m.Over)-1])
		}
		out.Seen = append(out.Seen, what)
	}
	matches, err := t.Candidates(q)
	if err == nil && len(matches) > 1 {
		err = t.Ambiguous(q, matches)
	}
	for _, m := range matches {
		out.Matches = append(out.Matches, newFoundMatch(m))
	}
	var several *screen.AmbiguousError
	switch {
	case errors.As(err, &several) && len(matches) > 1: // they are listed
		out.Result, out.Problem = ResultAmbiguous, several.Short()
	case errors.As(err, &several):
		out.Result, out.Problem = ResultAmbiguous, err.Error()
	case len(matches) == 1:
		out.Result = ResultOne
	default:
		out.Result = ResultNone
		out.missing(t, q)
	}
	return out
}

// missing adds the elements that are most similar to a selector without matches.
func (out *Found) missing(t *screen.Tree, q screen.Query) {
	if why := t.Cut(); why != "" {
		out.Problem = "the tree is not whole: " + why
	}
	if out.Problem == "" {
		out.Problem = cmp.Or(t.Explain(q), describeHidden(t, q))
	}
	for _, n := range t.Nearest(q.Selector, 3) {
		out.Nearest = append(out.Nearest, n.String())
	}
}

// describeHidden describes an element that matches but is hidden.
func describeHidden(t *screen.Tree, q screen.Query) string {
	want := q.Selector.Label
	for n := range t.All {
		if n.Hidden && want != "" && (screen.SameText(n.Text, want) || screen.SameText(n.Desc, want)) {
			return fmt.Sprintf("%s is in the tree, but the device says that it cannot be seen", n)
		}
	}
	return ""
}

func newFoundMatch(m screen.Match) FoundMatch {
	n := m.Node
	out := FoundMatch{Label: n.Label(), ID: n.ID, Type: n.Type, Bounds: corners(n), Tap: FoundPoint{m.Point.X, m.Point.Y},
		Tier: m.Tier.String(), Obstacle: m.Obstacle(), CoveredBy: m.CoverText, Text: n.Text, Desc: n.Desc, Hint: n.Hint}
	out.Actionable = out.Obstacle == ""
	if m.Target != n {
		out.Target = &FoundTarget{ID: m.Target.ID, Type: m.Target.Type, Bounds: corners(m.Target)}
	}
	return out
}

func corners(n *screen.Node) [4]int {
	return [4]int{n.Bounds.Min.X, n.Bounds.Min.Y, n.Bounds.Max.X, n.Bounds.Max.Y}
}

// Text writes the result as text.
func (out Found) Text(sel dsl.Selector, t *screen.Tree) string {
	var b strings.Builder
	switch out.Result {
	case ResultOne:
		fmt.Fprintf(&b, "one element matches %s:\n", out.Selector)
	case ResultNone:
		fmt.Fprintf(&b, "no element matches %s\n", out.Selector)
	default:
		fmt.Fprintf(&b, "ambiguous: %s\n", cmp.Or(out.Problem, out.Selector))
	}
	for i, m := range out.Matches {
		m.write(&b, i, len(out.Matches) > 1)
	}
	if len(out.Seen) > 0 {
		fmt.Fprintf(&b, "an assertion passes: it sees %s\n", strings.Join(out.Seen[:min(len(out.Seen), 5)], "; "))
	} else {
		b.WriteString("an assertion fails: a person cannot see it\n")
	}
	if out.Result != ResultNone {
		return b.String()
	}
	if out.Problem != "" {
		fmt.Fprintf(&b, "  %s\n", out.Problem)
	}
	for _, n := range out.Nearest {
		fmt.Fprintf(&b, "  near: %s\n", n)
	}
	if len(out.Nearest) == 0 && sel.Label != "" {
		for _, text := range t.Texts(8) {
			fmt.Fprintf(&b, "  the screen shows %s\n", screen.Quote(text))
		}
	}
	return b.String()
}

func (m FoundMatch) write(b *strings.Builder, i int, several bool) {
	number := ""
	if several {
		number = fmt.Sprintf("%d. ", i)
	}
	kind := m.Type[strings.LastIndexAny(m.Type, ".$")+1:]
	fmt.Fprintf(b, "  %s%s %s [%d,%d][%d,%d]\n", number, cmp.Or(kind, "element"), screen.Quote(m.Label), m.Bounds[0],
		m.Bounds[1], m.Bounds[2], m.Bounds[3])
	if m.ID != "" {
		fmt.Fprintf(b, "     id    %s\n", screen.Quote(m.ID))
	}
	fmt.Fprintf(b, "     tier  %s\n     tap   %d,%d", m.Tier, m.Tap.X, m.Tap.Y)
	if m.Target != nil {
		r := m.Target.Bounds
		fmt.Fprintf(b, ", taken by %s [%d,%d][%d,%d]", cmp.Or(m.Target.Type, "element"), r[0], r[1], r[2], r[3])
	}
	b.WriteString("\n")
	if m.Obstacle != "" {
		fmt.Fprintf(b, "     but   %s\n", m.Obstacle)
	}
}

// Unfindable returns why a selector cannot be matched in a tree.
func Unfindable(s dsl.Selector) string {
	if s.CSS != "" {
		return "css works on a live page, not on a tree: use label, id, type, testId or xpath"
	}
	for _, r := range s.Relations() {
		if r != nil {
			if what := Unfindable(*r); what != "" {
				return what
			}
		}
	}
	return ""
}
