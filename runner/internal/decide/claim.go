package decide

import (
	"strings"

	"github.com/taproot-dev/taproot/dsl"
)

// Claim is what an assertion says of elements: the selector picks them, and the check must be true of them. In an
// assertion, the states of a selector and a text beside another name are checked; in an action they select.
type Claim struct {
	Selector dsl.Selector
	Check    Check
	Seen     bool // a state or a value of what is under the keyboard is not enough
	Not      bool // it must be false
	Anywhere bool // what can be scrolled to is enough
}

// ClaimOf parts the selector of an assertion into what names its elements and what must be true of them.
func ClaimOf(sel dsl.Selector) Claim {
	c := Claim{Selector: sel}
	bare := sel
	bare.Enabled, bare.Checked, bare.Selected, bare.Focused = nil, nil, nil, nil
	if is := (dsl.State{Enabled: sel.Enabled, Checked: sel.Checked, Selected: sel.Selected, Focused: sel.Focused}); is !=
		(dsl.State{}) && namesOne(bare) {
		c.Selector, c.Check.Is = bare, &is
	}
	if bare.Text = ""; sel.Text != "" && namesOne(bare) {
		c.Expect(sel.Text)
	}
	return c
}

// namesOne reports whether a selector says which element it picks, and not only by its place.
func namesOne(sel dsl.Selector) bool { return sel.Names() || sel.Type != "" }

// Expect makes a text what the elements must show. What says how to compare it does not speak of an id.
func (c *Claim) Expect(text string) {
	c.Selector.Text, c.Check.Text, c.Check.Match = "", &text, c.Selector.Match
	if s := c.Selector; s.Label == "" && s.Desc == "" && s.Hint == "" && s.Match != dsl.MatchMaestro {
		c.Selector.Match = ""
	}
}

// Want is the search that decides on the claim.
func (c Claim) Want(purpose Purpose) Want {
	return Want{Purpose: purpose, Selector: c.Selector, Check: c.Check, Anywhere: c.Anywhere,
		UnseenToo: !c.Seen && c.Check.Count == nil && (c.Check.Is != nil || c.Check.Value != nil)}
}

// ClaimOfAssert is the claim of assert.
func ClaimOfAssert(a dsl.Assert) Claim {
	c := ClaimOf(a.Selector)
	c.Check.Value, c.Check.Count = a.Value, a.Count
	return c
}

// ClaimOfElement is the claim of assertElement.
func ClaimOfElement(a dsl.AssertElement) Claim {
	c := ClaimOf(a.Selector)
	if a.Text != nil {
		c.Expect(*a.Text)
	}
	c.Check.Value, c.Check.Count, c.Seen = a.Value, a.Count, a.Visible != nil
	if a.Is != nil {
		c.Check.Is = a.Is
	}
	c.Not = a.Visible != nil && !*a.Visible
	return c
}

// ClaimOfWait is the claim of waitFor; ok is false for a URL, which is not on a screen.
func ClaimOfWait(a dsl.WaitFor) (c Claim, ok bool) {
	switch {
	case a.NotVisible != nil:
		c = ClaimOf(*a.NotVisible)
		c.Not = true
	case a.Enabled != nil:
		yes := true
		c.Selector, c.Anywhere = *a.Enabled, true
		c.Selector.Enabled = &yes
	case a.Text != "":
		c = ClaimOf(dsl.Selector{Label: a.Text})
	case a.Visible != nil:
		c = ClaimOf(*a.Visible)
	default:
		return c, false
	}
	return c, true
}

// ClaimOfArgs is the claim of an assertion about elements; ok is false for any other action, and for assertions about
// something else.
func ClaimOfArgs(args any) (c Claim, ok bool) {
	switch a := args.(type) {
	case dsl.Assert:
		return ClaimOfAssert(a), true
	case dsl.AssertNot:
		c = ClaimOfAssert(dsl.Assert(a))
		c.Not = true
		return c, true
	case dsl.AssertElement:
		return ClaimOfElement(a), true
	case dsl.WaitFor:
		return ClaimOfWait(a)
	case dsl.WebWait:
		return Claim{Selector: InDocument(a.Selector, a.Frame)}, a.Selector != "" && (a.State == "" || a.State == "visible")
	}
	return c, false
}

// Normal is the claim with a count of none as its negation, as it is decided.
func (c Claim) Normal() Claim {
	if n := c.Check.Count; n != nil && *n == 0 {
		c.Check.Count, c.Not = nil, !c.Not
	}
	return c
}

// InDocument returns what a selector of a page picks in the page itself, or in one frame, but not in frames within.
func InDocument(selector, frame string) dsl.Selector {
	sel, inner := dsl.Selector{CSS: selector}, &dsl.Selector{Type: "iframe"}
	for part := range strings.SplitSeq(frame, " >> ") {
		if part != "" {
			sel.Inside = &dsl.Selector{CSS: part, Inside: sel.Inside}
		}
	}
	inner.Inside = sel.Inside
	sel.Not = &dsl.Selector{Inside: inner}
	return sel
}
