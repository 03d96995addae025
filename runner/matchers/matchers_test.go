package matchers_test

import (
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/onsi/gomega"
	"github.com/onsi/gomega/types"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner"
	"github.com/taproot-dev/taproot/runner/internal/failure"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/run"
	"github.com/taproot-dev/taproot/runner/matchers"
)

// page shows texts from some look on; before, looks give errs.
type page struct {
	texts []string
	after int // looks that show nothing
	errs  []error
	looks int
	notes []string
}

func (s *page) Note(text string) { s.notes = append(s.notes, text) }

func (s *page) Look(sel dsl.Selector) (runner.Sight, error) {
	s.looks++
	if s.looks <= len(s.errs) {
		return runner.Sight{}, s.errs[s.looks-1]
	}
	var nodes []*screen.Node
	for i, text := range s.texts {
		if s.looks > s.after {
			nodes = append(nodes, &screen.Node{Type: "Text", Text: text, Bounds: image.Rect(0, i*10, 40, i*10+9)})
		}
	}
	tree := screen.NewTree(nodes, image.Pt(40, 80), time.Now())
	found, err := tree.Find(screen.Query{Selector: sel})
	return failure.NewSight(sel, found, tree), err
}

// fails returns the message with which an assertion fails, "" when it does not.
func fails(assert func(g gomega.Gomega)) (message string) {
	assert(gomega.NewGomega(func(m string, _ ...int) { message += m }))
	return message
}

func says(t *testing.T, message string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(message, w) {
			t.Errorf("it does not say %q:\n%s", w, message)
		}
	}
}

func TestShow(t *testing.T) {
	s := &page{texts: []string{"Payments", "Welcome"}}
	if m := fails(func(g gomega.Gomega) {
		g.Expect(s).To(matchers.Show("Welcome"))
		g.Expect(s).NotTo(matchers.Show("Paymants"))
	}); m != "" {
		t.Error(m)
	}
	if len(s.notes) != 1 || !strings.Contains(s.notes[0], "Welcome") {
		t.Errorf("notes %q", s.notes)
	}
	says(t, fails(func(g gomega.Gomega) { g.Expect(s).To(matchers.Show("Paymants")) }),
		`"Paymants" is not on the screen; the screen shows "Payments", "Welcome"`, "expected:", "near:", `Text "Payments"`)
	says(t, fails(func(g gomega.Gomega) { g.Expect(s).NotTo(matchers.Show("Welcome")) }), `"Welcome" is on the screen`,
		`Text "Welcome" [0,10]`)
	says(t, fails(func(g gomega.Gomega) {
		g.Expect(s).To(matchers.HaveElement(dsl.Selector{Label: "Welcome", Below: &dsl.Selector{Label: "Nobody"}}))
	}),
		"is not on the screen")
}

func TestEventuallyWaitsForWhatIsLate(t *testing.T) {
	s := &page{texts: []string{"Late"}, after: 3, errs: []error{fmt.Errorf("dump: %w", drivers.ErrNotReady)}}
	m := fails(func(g gomega.Gomega) {
		g.Eventually(s).WithTimeout(time.Minute).WithPolling(time.Millisecond).Should(matchers.Show("Late"))
	})
	if m != "" || s.looks != 4 {
		t.Errorf("%d looks, %s", s.looks, m)
	}
}

// TestBrokenDeviceIsNotWaitedFor: nor is it taken for a screen that does not show something.
func TestBrokenDeviceIsNotWaitedFor(t *testing.T) {
	lost := fmt.Errorf("%w: unplugged", drivers.ErrDeviceLost)
	for name, assert := range map[string]func(g gomega.Gomega, s *page){
		"Should":    func(g gomega.Gomega, s *page) { g.Eventually(s).WithTimeout(time.Hour).Should(matchers.Show("x")) },
		"ShouldNot": func(g gomega.Gomega, s *page) { g.Eventually(s).WithTimeout(time.Hour).ShouldNot(matchers.Show("x")) },
		"NotTo":     func(g gomega.Gomega, s *page) { g.Expect(s).NotTo(matchers.Show("x")) },
		"Consistently": func(g gomega.Gomega, s *page) {
			g.Consistently(s).WithTimeout(time.Hour).ShouldNot(matchers.Show("x"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := &page{errs: []error{lost}}
			says(t, fails(func(g gomega.Gomega) { assert(g, s) }), "unplugged")
			if s.looks != 1 {
				t.Errorf("%d looks", s.looks)
			}
		})
	}
}

func TestResults(t *testing.T) {
	test := &dsl.Test{ID: "login", Pos: source.Pos{File: "login.yaml", Line: 1, Col: 1}}
	outcome := func(v event.Result) run.Outcome {
		return run.Outcome{Case: plan.Case{Test: test}, CaseResult: &event.CaseResult{Result: v, Problem: &event.Problem{
			Message: "no " + string(v), Expected: "more"}}}
	}
	pass, fail := outcome(event.Pass), outcome(event.Fail)
	for name, c := range map[string]struct {
		actual  any
		matcher types.GomegaMatcher
		words   []string // none: it holds
	}{
		"outcome":      {pass, matchers.HavePassed(), nil},
		"result":       {pass.CaseResult, matchers.HavePassed(), nil},
		"all":          {[]run.Outcome{pass, pass}, matchers.HavePassed(), nil},
		"other result": {fail, matchers.HaveResult(event.Fail), nil},
		"failed": {fail, matchers.HavePassed(), []string{"expected the result pass", "login.yaml:1:1: fail: no fail",
			"expected: more"}},
		"failed result": {fail.CaseResult, matchers.HavePassed(), []string{"fail: no fail"}},
		"one of two":    {[]run.Outcome{pass, fail}, matchers.HavePassed(), []string{"fail: no fail"}},
		"not kept": {run.Outcome{Case: pass.Case, CaseResult: pass.CaseResult, Err: errors.New("disk full")},
			matchers.HavePassed(), []string{"disk full"}},
		"none":      {[]run.Outcome{}, matchers.HavePassed(), []string{"no test was run"}},
		"nil":       {(*event.CaseResult)(nil), matchers.HavePassed(), []string{"there is no result"}},
		"something": {42, matchers.HavePassed(), []string{"it got int"}},
		"no screen": {42, matchers.Show("x"), []string{"it got int"}},
	} {
		t.Run(name, func(t *testing.T) {
			m := fails(func(g gomega.Gomega) { g.Expect(c.actual).To(c.matcher) })
			if len(c.words) == 0 && m != "" {
				t.Error(m)
			}
			if len(c.words) > 0 && m == "" {
				t.Error("it holds")
			}
			says(t, m, c.words...)
		})
	}
	says(t, fails(func(g gomega.Gomega) { g.Expect(pass).NotTo(matchers.HavePassed()) }), "another result than pass")
}
