package failure

import (
	"strings"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// Sight is what one read of the screen shows for a selector. The zero value is a screen that was not read.
type Sight struct {
	selector dsl.Selector
	found    []screen.Match
	tree     *screen.Tree
}

// NewSight returns the matches of a selector in a tree.
func NewSight(selector dsl.Selector, found []screen.Match, tree *screen.Tree) Sight {
	return Sight{selector: selector, found: found, tree: tree}
}

// Elements describes the elements that match, with their texts and places; it is empty when none does.
func (s Sight) Elements() (all []string) {
	for _, m := range s.found {
		all = append(all, m.Node.String())
	}
	return all
}

// Absent is the message of an assertion that fails because no element matches: what was expected, what the screen shows
// instead, and similar elements.
func (s Sight) Absent() string {
	if s.tree == nil {
		return screen.Describe(s.selector) + " was expected, but the screen could not be read"
	}
	return explain(action.Missing(s.selector, s.tree))
}

// Present is the message of an assertion that fails because an element matches.
func (s Sight) Present() string {
	name := screen.Describe(s.selector)
	return explain(event.Problem{Message: name + " is on the screen", Expected: name + " not to be on the screen",
		Actual: strings.Join(s.Elements(), "; ")})
}

func explain(p event.Problem) string {
	return p.Message + Field("expected", p.Expected) + Field("actual", p.Actual) +
		Field("near", strings.Join(p.Candidates, "; "))
}
