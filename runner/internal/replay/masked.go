package replay

import (
	"regexp"
	"strings"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// masked says that a text which the question is about may be masked on the screen; "" when none can be.
func (s *shown) masked(sel dsl.Selector, c decide.Check) string {
	if strings.Contains(selText(sel), decide.Masked) || c.Text != nil && strings.Contains(*c.Text, decide.Masked) {
		return "the text that is asked for is masked in the report"
	}
	texts := asksFor(sel)
	for _, t := range []*string{c.Text, c.Value} {
		if t != nil {
			texts = append(texts, *t)
		}
	}
	for n := range s.frame.Tree.All {
		if n.Password || n.Hidden {
			continue
		}
		for _, have := range []string{n.Text, n.Desc, n.Hint, n.ID, n.TestID} {
			if !strings.Contains(have, decide.Masked) {
				continue
			}
			for _, want := range texts {
				if mayRead(have, want, sel.Match) {
					return "a text of the screen is masked, and may be the one that is asked for: " + screen.Quote(have)
				}
			}
		}
	}
	return ""
}

// mayRead reports whether a masked text may be, or contain, a text.
func mayRead(have, want string, match dsl.MatchMode) bool {
	if match == dsl.MatchRegex || match == dsl.MatchContains || match == dsl.MatchWords || match == dsl.MatchPrefix {
		return true
	}
	parts := strings.Split(screen.Normalise(have), decide.Masked)
	for i, p := range parts {
		parts[i] = regexp.QuoteMeta(p)
	}
	re, err := regexp.Compile("(?s)^" + strings.Join(parts, ".*") + "$")
	return err != nil || re.MatchString(screen.Normalise(want))
}

// asksFor are the texts that a selector, and those within it, compare.
func asksFor(sel dsl.Selector) []string {
	var texts []string
	for _, t := range []string{sel.Label, sel.Text, sel.Desc, sel.Hint, sel.ID, sel.TestID} {
		if t != "" {
			texts = append(texts, t)
		}
	}
	within := sel.Relations()
	if sel.Not != nil {
		within = append(within, sel.Not)
	}
	for _, r := range within {
		texts = append(texts, asksFor(*r)...)
	}
	return texts
}

func selText(sel dsl.Selector) string { return strings.Join(asksFor(sel), "\n") + sel.CSS + sel.XPath }

func saysMasked(c decide.Claim) bool {
	return strings.Contains(selText(c.Selector), decide.Masked) ||
		c.Check.Text != nil && strings.Contains(*c.Check.Text, decide.Masked)
}
