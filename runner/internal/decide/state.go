package decide

import (
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/drivers/screen"
)

// state waits until as many elements as required fit the selector, and one of them has the state.
func (v *view) state() (Decision, error) {
	c := v.want.Check
	matches, err := v.find(v.want.Selector, false)
	if err != nil {
		return Decision{}, err
	}
	unmet, why := v.unmetCount(len(matches))
	if unmet == "" && why == "" {
		switch {
		case c.Count == nil && len(matches) == 0:
			why = "nothing matches"
		default:
			unmet = c.unmetBy(matches)
			if unmet == "" && v.tooSoon() && (c.Is != nil || c.Count != nil || c.Value != nil ||
				asksState(v.want.Selector) || v.wasPresentBefore(matches)) {
				why = "it may be taken back"
			}
		}
	}
	switch {
	case unmet == "" && why == "":
		if len(matches) == 0 {
			if err := v.nothingOver(); err != nil {
				return Decision{}, err
			}
		}
		return Decision{Kind: Found, Matches: matches}, nil
	case !v.over():
		if why == "" {
			why = unmet
		}
		return v.wait(why), nil
	case unmet == "":
		return Decision{Kind: Fail, Problem: v.missing(v.want.Selector, true)}, nil
	}
	want := c.String()
	return Decision{Kind: Fail, Problem: &Problem{Assertion: true, Expected: want, Actual: unmet,
		Message: fmt.Sprintf("%s: expected %s within %s; %s", screen.Describe(v.want.Selector), want,
			v.want.StepTimeout, unmet)}}, nil
}

// unmetCount returns what is wrong with the number of elements, or why the number may still change.
func (v *view) unmetCount(n int) (unmet, why string) {
	c := v.want.Check
	switch {
	case c.Count == nil:
	case *c.Count == 0 && (v.busy() != "" && !v.late() || !v.rested()):
		return "", "the screen does not rest"
	case v.f.Tree.Loading:
		return fmt.Sprintf("%d elements match so far, and the page is still being loaded", n), ""
	case n != *c.Count:
		return fmt.Sprintf("%d elements match", n), ""
	}
	return "", ""
}

// unmetBy returns "" when one of the matches is all that is required, else what the first one is instead.
func (c Check) unmetBy(matches []screen.Match) string {
	first := ""
	for _, m := range matches {
		unmet := c.unmet(m.Node)
		if unmet == "" {
			return ""
		}
		if first == "" {
			first = unmet
		}
	}
	return first
}

// unmet returns what an element is instead of what is required, or "".
func (c Check) unmet(n *screen.Node) string {
	shows := n.Shown()
	field := n
	if n.Control != nil {
		field = n.Control
	}
	switch {
	case c.Text != nil && !screen.SameText(shows, *c.Text):
		return fmt.Sprintf("%s shows %s", n, screen.Quote(shows))
	case c.Value != nil && !screen.SameValue(field.Value(), *c.Value):
		return fmt.Sprintf("%s holds %s", field, screen.Quote(field.Value()))
	}
	if c.Is == nil {
		return ""
	}
	for _, state := range []struct {
		name string
		want *bool
		have func() (bool, *screen.Node)
	}{{"enabled", c.Is.Enabled, n.EnabledState}, {"checked", c.Is.Checked, n.CheckedState},
		{"selected", c.Is.Selected, n.SelectedState}, {"focused", c.Is.Focused, n.FocusedState}} {
		if state.want == nil {
			continue
		}
		have, holder := state.have()
		switch {
		case holder == nil:
			return n.Stateless(state.name)
		case have != *state.want:
			return fmt.Sprintf("%s is %s", holder, not(!have)+state.name)
		}
	}
	return ""
}

func not(negate bool) string {
	if negate {
		return "not "
	}
	return ""
}

// String is what is required, for messages.
func (c Check) String() string {
	var parts []string
	if c.Count != nil {
		parts = append(parts, fmt.Sprintf("%d elements", *c.Count))
	}
	if c.Text != nil {
		parts = append(parts, "the text "+screen.Quote(*c.Text))
	}
	if c.Value != nil {
		parts = append(parts, "the value "+screen.Quote(*c.Value))
	}
	if c.Is != nil {
		for _, state := range []struct {
			name string
			want *bool
		}{{"enabled", c.Is.Enabled}, {"checked", c.Is.Checked}, {"selected", c.Is.Selected}, {"focused", c.Is.Focused}} {
			if state.want != nil {
				parts = append(parts, "to be "+not(!*state.want)+state.name)
			}
		}
	}
	return strings.Join(parts, ", ")
}
