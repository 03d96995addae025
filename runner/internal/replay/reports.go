package replay

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
	found "github.com/taproot-dev/taproot/internal/result/finding"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// Reports evaluates report packs: the zero value is ready.
type Reports struct {
	Dir string // the files of tests are below it; default: the working folder
}

// Again decides the steps of a report pack again, or only one, and prints what came of them. The error names the file
// where the report cannot be used; it is a *plan.Usage where there is no such step.
func (Reports) Again(w io.Writer, dir string, only int) (differ int, err error) {
	r, err := Open(dir)
	if err != nil {
		return 0, inPack(dir, err)
	}
	defer r.Close()
	steps, err := r.Check()
	if err != nil {
		return 0, inPack(dir, err)
	}
	if only > len(steps) {
		return 0, &plan.Usage{Msg: fmt.Sprintf("there is no step %d: %s has %d", only, r.Pack, len(steps))}
	}
	if only > 0 {
		steps = steps[only-1 : only]
	}
	n := Count(steps)
	fmt.Fprintf(w, "%s: %s\n", r.Pack, n)
	for _, s := range steps {
		switch s.State {
		case Differs:
			fmt.Fprintf(w, "  step %d %s (%s) differs\n    was %s\n    now %s\n", s.N, s.Action, s.Place,
				markdown.Visible(s.Was, 1000), markdown.Visible(s.Now, 1000))
		case NotRecorded:
			fmt.Fprintf(w, "  step %d %s is not recorded: %s\n", s.N, s.Action, markdown.Visible(s.Why, 500))
		}
	}
	return n.Differs, nil
}

// Try evaluates a question on the screen that decided a step: see Report.Ask. A wrong question is a *plan.Usage.
func (Reports) Try(dir string, step int, question string) (word, why string, err error) {
	r, err := Open(dir)
	if err != nil {
		return "", "", inPack(dir, err)
	}
	defer r.Close()
	a, err := r.Ask(step, question)
	var wrong *Usage
	if errors.As(err, &wrong) {
		return "", "", &plan.Usage{Msg: wrong.Msg}
	}
	return string(a.Word), markdown.Visible(a.Why, 2000), err
}

// Weak judges the assertions of the passed tests in report packs. The error names the file where one cannot be used.
func (Reports) Weak(dirs []string) (found.Weakness, error) {
	reports, err := openAll(dirs, false)
	defer closeAll(reports)
	if err != nil {
		return found.Weakness{}, err
	}
	return weak(reports, -1), nil
}

// endBudget is how many evaluations on screens the end of a run is worth: about a second.
const endBudget = 20_000

// WeakAtEnd is Weak for the end of a run: reports that cannot be used are left out, and so are assertions that would
// take long. ok is false where no report has frames.
func (Reports) WeakAtEnd(dirs []string) (w found.Weakness, ok bool) {
	reports, err := openAll(dirs, true)
	defer closeAll(reports)
	if err != nil || len(reports) == 0 {
		return w, false
	}
	return weak(reports, endBudget), true
}

// openAll opens reports. With lenient, those without usable frames are left out.
func openAll(dirs []string, lenient bool) (list []*Report, err error) {
	for _, dir := range dirs {
		r, err := Open(dir)
		if err == nil && r.Result.Result == event.Pass {
			if bad := r.lacksFrames(); bad != nil || lenient && !r.present {
				r.Close()
				r, err = nil, bad
			}
		}
		switch {
		case err != nil && !lenient:
			return list, inPack(dir, err)
		case err == nil && r != nil:
			list = append(list, r)
		}
	}
	return list, nil
}

// lacksFrames is the error of a report that keeps no frames although its steps decided on a screen.
func (r *Report) lacksFrames() error {
	if r.present {
		return nil
	}
	_, err := r.Check()
	return err
}

func closeAll(list []*Report) {
	for _, r := range list {
		r.Close()
	}
}

// inPack names the file of an error.
func inPack(dir string, err error) error {
	var bad *Unusable
	if errors.As(err, &bad) {
		return fmt.Errorf("%s: %s", filepath.Join(dir, filepath.FromSlash(bad.File)), markdown.Visible(bad.Why, 500))
	}
	return fmt.Errorf("%s: %w", dir, err)
}

// String is the numbers in words.
func (c Counts) String() string {
	var parts []string
	add := func(n int, what string) {
		if n > 0 {
			parts = append(parts, fmt.Sprintf("%s %s", phrase.Plural(n, "step"), what))
		}
	}
	add(c.Differs, "with another result")
	add(c.Same, "decided again with the same result")
	add(c.NotRecorded, "not recorded")
	add(c.Undecided, "without a decision on a screen")
	add(c.Unreached, "not reached")
	if len(parts) == 0 {
		return "no step"
	}
	return strings.Join(parts, ", ")
}
