package replay

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// Repairer returns a function that finds, for an action of a running test which did not find its element, the element
// that it used in the last report that passed: see Repairs.
func (Reports) Repairer(run, folder string) func(event.Step, any, []decide.Recording) (any, string, bool) {
	var passed *Report
	looked := false
	return func(step event.Step, args any, searches []decide.Recording) (any, string, bool) {
		if !looked {
			looked = true
			passed = lastPassed(run, folder)
		}
		if passed == nil || len(searches) == 0 {
			return nil, "", false
		}
		rec := searches[len(searches)-1]
		s := &event.StepResult{Step: step}
		running := &Report{pages: map[string]*document{}}
		best, sel, _ := sameElement(passed, s, &decide.Recorded{Recording: rec, Step: step.N}, running)
		if best == nil {
			return nil, "", false
		}
		other, ok := withSelector(args, rec.Want.Selector, sel)
		return other, fmt.Sprintf("%s, score %d", best.node, best.score), ok
	}
}

// lastPassed is the last report of a test before a run in which it passed, or nil. It is not closed: it is read while
// the test runs.
func lastPassed(run, folder string) *Report {
	entries, err := os.ReadDir(filepath.Dir(run))
	if err != nil {
		return nil
	}
	left := maxEarlier
	for _, e := range slices.Backward(entries) { // their names are times
		if !e.IsDir() || e.Name() >= filepath.Base(run) || left == 0 {
			continue
		}
		left--
		r, err := Open(filepath.Join(filepath.Dir(run), e.Name(), folder))
		if err != nil {
			continue // it has no such test, or cannot be read
		}
		r.Close()
		if r.Result.Result == event.Pass && r.present {
			return r
		}
	}
	return nil
}
