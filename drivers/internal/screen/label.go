package screen

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
)

// textRater reports whether the texts of an element are those that a selector requires, and how well they fit.
type textRater func(n *Node, action bool) (Tier, bool)

// textMatcher compiles the texts that s requires. The worst of their tiers is that of the element.
func textMatcher(s dsl.Selector) (textRater, error) {
	var all []textRater
	for _, part := range []struct {
		want  string
		texts func(n *Node) []string
		late  func(n *Node) string // fits too, in actions, when nothing better does
	}{
		{s.Label, (*Node).texts, (*Node).filledHint},
		{s.Text, func(n *Node) []string { return []string{n.Text} }, nil},
		{s.Desc, func(n *Node) []string { return []string{n.Desc} }, nil},
		{s.Hint, func(n *Node) []string { return []string{n.Hint} }, nil},
	} {
		if part.want == "" {
			continue
		}
		fits, err := comparison(part.want, s.Match)
		if err != nil {
			return nil, err
		}
		all = append(all, func(n *Node, action bool) (Tier, bool) {
			best, found := n.fits(fits, part.texts(n))
			if !found && action && part.late != nil {
				if have := part.late(n); have != "" {
					if _, ok := fits(have); ok {
						return TierHint, true
					}
				}
			}
			return best, found
		})
	}
	return func(n *Node, action bool) (Tier, bool) {
		worst := TierCriteria
		for _, rate := range all {
			tier, ok := rate(n, action)
			if !ok {
				return 0, false
			}
			worst = max(worst, tier)
		}
		return worst, true
	}, nil
}

// fits compares texts of an element, and each line of them: services merge the names of several things into one, a line
// each. On pages, where elements are not merged, a line is a part of its text.
func (n *Node) fits(fits func(have string) (Tier, bool), texts []string) (best Tier, found bool) {
	try := func(have string) {
		if tier, ok := fits(have); ok && have != "" && (!found || tier < best) {
			best, found = tier, true
		}
	}
	for _, have := range texts {
		try(have)
		for _, line := range n.lines(have) {
			try(line)
		}
	}
	return best, found
}

// lines returns the lines of a text that is reported of an element, each of which is a whole text; nil where it has
// one.
func (n *Node) lines(text string) []string {
	if n.hitTested() || !strings.ContainsAny(text, "\n\r\u2028\u2029") {
		return nil
	}
	return strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune("\n\r\u2028\u2029", r) })
}

// byLine reports whether no whole text of an element fits, but lines of its texts do.
func (n *Node) byLine(fits func(have string) (Tier, bool)) bool {
	for _, have := range n.texts() {
		if _, ok := fits(have); ok && have != "" {
			return false
		}
	}
	return true
}

// comparison compiles the way in which a text is compared with a wanted one.
func comparison(want string, mode dsl.MatchMode) (func(have string) (Tier, bool), error) {
	read, spelling := fold, spelled
	if hasGlyph(want) { // which names an icon
		read, spelling = foldAll, spelledAll
	}
	wanted := read(want)
	part := func(fits func(have folded) bool) func(string) (Tier, bool) {
		return func(have string) (Tier, bool) { return TierPart, fits(read(have)) }
	}
	switch mode {
	case dsl.MatchExact:
		return func(have string) (Tier, bool) { return TierExact, have == want }, nil
	case dsl.MatchWords:
		return part(func(have folded) bool { return have.shows(wanted) }), nil
	case dsl.MatchPrefix:
		return part(func(have folded) bool { return have.beginsWith(wanted) }), nil
	case dsl.MatchContains:
		return part(func(have folded) bool { return have.contains(wanted) }), nil
	case dsl.MatchRegex:
		re, err := WholeRegexp(want)
		if err != nil {
			return nil, err
		}
		return func(have string) (Tier, bool) { return TierPart, re.MatchString(have) }, nil
	}
	letters := spelling(want)
	return func(have string) (Tier, bool) {
		switch {
		case have == want:
			return TierExact, true
		case !read(have).equals(wanted):
			return 0, false
		case spelling(have) == letters:
			return TierNormalised, true
		}
		return TierCase, true
	}, nil
}

// Texts compiles the way in which the label of the query is compared with texts that are not on a screen, such as the
// subject of a mail.
func (q Query) Texts() (fits func(have string) bool, err error) {
	rate, err := comparison(q.Selector.Label, q.Selector.Match)
	if err != nil {
		return nil, err
	}
	return func(have string) bool { _, ok := rate(have); return ok }, nil
}

// WholeRegexp compiles a regular expression that has to fit a whole text, ignoring case, with . over line ends. (?-i)
// at its beginning makes case matter.
func WholeRegexp(expr string) (*regexp.Regexp, error) {
	if _, err := regexp.Compile(expr); err != nil { // before the group around it can close a bracket of it
		return nil, fmt.Errorf("regular expression %q: %w", expr, err)
	}
	re, err := regexp.Compile(`^(?is:` + expr + `)$`)
	if err != nil {
		return nil, fmt.Errorf("regular expression %q: %w", expr, err)
	}
	return re, nil
}

// texts are what the element shows or is called. The hint of a field is shown while the field is empty.
func (n *Node) texts() []string {
	texts := []string{n.Text, n.Desc}
	if n.Hint != "" && n.Text == "" {
		texts = append(texts, n.Hint)
	}
	return texts
}

// filledHint is the hint of a field that holds a text: a person knows the field by it, and does not see it now.
func (n *Node) filledHint() string {
	if n.Text == "" {
		return ""
	}
	return n.Hint
}

// idMatcher compares ids with that of the selector: by its match where that speaks of nothing else, by a pattern with *
// and ?, else by idMatches, and ignoring case where no id on the screen is the very one.
func (f *finder) idMatcher(s dsl.Selector) func(*Node) bool {
	if s.ID == "" {
		return func(*Node) bool { return true }
	}
	either := func(fits func(id string) bool) func(*Node) bool {
		return func(n *Node) bool { return n.ID != "" && (fits(n.ID) || fits(idSuffix(n.ID))) }
	}
	if s.Match != dsl.MatchWhole && s.Match != dsl.MatchExact && s.Label == "" && s.Text == "" && s.Desc == "" &&
		s.Hint == "" {
		fits, err := comparison(s.ID, s.Match)
		return either(func(id string) bool {
			if err != nil {
				return false
			}
			_, ok := fits(id)
			return ok
		})
	}
	exact := func(n *Node) bool { return idMatches(n.ID, s.ID) }
	for n := range f.tree.All {
		if exact(n) {
			return exact
		}
	}
	if s.Match == dsl.MatchExact {
		return exact
	}
	if strings.ContainsAny(s.ID, "*?") {
		pattern := strings.NewReplacer(`\*`, `.*`, `\?`, `.`).Replace(regexp.QuoteMeta(s.ID))
		if re, err := regexp.Compile(`^(?is:` + pattern + `)$`); err == nil {
			return either(re.MatchString)
		}
	}
	return either(func(id string) bool { return strings.EqualFold(id, s.ID) })
}

// idMatches takes an id with its package prefix or without.
func idMatches(have, want string) bool {
	return have != "" && (have == want || idSuffix(have) == want)
}

func idSuffix(id string) string { return id[strings.LastIndexAny(id, "/")+1:] }
