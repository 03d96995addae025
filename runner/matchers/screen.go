package matchers

import (
	"fmt"

	"github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/failure"
)

// Screen can be read: a *runner.TestDevice.
type Screen interface {
	// Look reads the screen once and returns what it shows for the selector.
	Look(dsl.Selector) (failure.Sight, error)
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
	sel  dsl.Selector
	seen failure.Sight
}

// Match returns an error that stops Eventually and Consistently when the device cannot be read.
func (e *element) Match(actual any) (bool, error) {
	screen, ok := actual.(Screen)
	if !ok || screen == nil {
		return false, gomega.StopTrying(fmt.Sprintf("this matcher needs a *runner.TestDevice; it got %T", actual))
	}
	seen, err := screen.Look(e.sel)
	switch {
	case err != nil && passing(err):
		return false, err
	case err != nil:
		return false, gomega.StopTrying("the screen cannot be read").Wrap(err)
	}
	e.seen = seen
	elements := seen.Elements()
	if noter, ok := actual.(interface{ Note(string) }); ok && len(elements) > 0 {
		noter.Note("the screen shows " + elements[0])
	}
	return len(elements) > 0, nil
}

// FailureMessage is the message of a failed assertion in YAML.
func (e *element) FailureMessage(any) string { return e.seen.Absent() }

// NegatedFailureMessage names the element that should not be on the screen.
func (e *element) NegatedFailureMessage(any) string { return e.seen.Present() }
