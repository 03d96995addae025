package matchers

import (
	"fmt"
	"strings"

	"github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// Screen can be read: a *runner.TestDevice.
type Screen interface {
	// Look reads the screen once and returns the matches of the selector.
	Look(dsl.Selector) ([]screen.Match, *screen.Tree, error)
}

// Show succeeds when the screen shows the label, with the rules of the YAML step assert. It reads the screen once: wait
// with Eventually.
//
//	Eventually(device).Should(Show("Welcome, Ada"))
//	Consistently(device).ShouldNot(Show("Loading…"))
func Show(label string) types.GomegaMatcher { return HaveElement(dsl.Selector{Label: label}) }

// HaveElement succeeds when an element on the screen matches the selector.
//
//	Eventually(device).Should(HaveElement(dsl.Selector{Label: "Save", Below: &dsl.Selector{Label: "Notes"}}))
func HaveElement(sel dsl.Selector) types.GomegaMatcher { return &element{sel: sel} }

type element struct {
	sel   dsl.Selector
	tree  *screen.Tree
	found []screen.Match
}

// Match returns an error that stops Eventually and Consistently when the device cannot be read.
func (e *element) Match(actual any) (bool, error) {
	screen, ok := actual.(Screen)
	if !ok || screen == nil {
		return false, gomega.StopTrying(fmt.Sprintf("this matcher needs a *runner.TestDevice; it got %T", actual))
	}
	found, tree, err := screen.Look(e.sel)
	switch {
	case err != nil && passing(err):
		return false, err
	case err != nil:
		return false, gomega.StopTrying("the screen cannot be read").Wrap(err)
	}
	e.found, e.tree = found, tree
	if noter, ok := actual.(interface{ Note(string) }); ok && len(found) > 0 {
		noter.Note("the screen shows " + found[0].Node.String())
	}
	return len(found) > 0, nil
}

// FailureMessage is the message of a failed assertion in YAML.
func (e *element) FailureMessage(any) string {
	if e.tree == nil {
		return screen.Describe(e.sel) + " was expected, but the screen could not be read"
	}
	return explain(action.Missing(e.sel, e.tree))
}

// NegatedFailureMessage names the element that should not be on the screen.
func (e *element) NegatedFailureMessage(any) string {
	p := event.Problem{Message: screen.Describe(e.sel) + " is on the screen", Expected: screen.Describe(e.sel) +
		" not to be on the screen"}
	var names []string
	for _, m := range e.found {
		names = append(names, m.Node.String())
	}
	p.Actual = strings.Join(names, "; ")
	return explain(p)
}

func explain(p event.Problem) string {
	text := p.Message
	for _, f := range [][2]string{{"expected", p.Expected}, {"actual", p.Actual},
		{"near", strings.Join(p.Candidates, "; ")}} {
		if f[1] != "" {
			text += fmt.Sprintf("\n  %-9s %s", f[0]+":", f[1])
		}
	}
	return text
}
