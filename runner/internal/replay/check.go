package replay

import (
	"fmt"
	"reflect"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// State is what came of deciding a step again.
type State string

// The states.
const (
	Same        State = "same"
	Differs     State = "differs"
	NotRecorded State = "not recorded" // the step decided on a screen, and the report does not keep what it saw
	Undecided   State = "undecided"    // the step decides on no screen: http, set, press
	Unreached   State = "unreached"
)

// Step is a step that was decided again.
type Step struct {
	N        int
	Action   string
	Place    string
	State    State
	Why      string // of NotRecorded
	Was, Now string // of Differs: the results
	Searches int    // that were decided again

	lost bool // it passed by a search of which there is nothing
}

// Counts are the numbers of steps by state.
type Counts struct{ Same, Differs, NotRecorded, Undecided, Unreached, Searches int }

// Count counts steps.
func Count(steps []Step) (c Counts) {
	for _, s := range steps {
		c.Searches += s.Searches
		switch s.State {
		case Same:
			c.Same++
		case Differs:
			c.Differs++
		case NotRecorded:
			c.NotRecorded++
		case Undecided:
			c.Undecided++
		default:
			c.Unreached++
		}
	}
	return c
}

// Check decides every step again. The error is an *Unusable if the report keeps no frames although steps decided on a
// screen.
func (r *Report) Check() ([]Step, error) {
	var steps []Step
	missing := false
	for i := range r.Result.Steps {
		s := r.check(&r.Result.Steps[i])
		missing = missing || s.lost
		steps = append(steps, s)
	}
	if missing && !r.present {
		return steps, &Unusable{FramesFile, "the report keeps no frames; taproot run --keep-frames passed keeps them"}
	}
	return steps, nil
}

func (r *Report) check(s *event.StepResult) Step {
	step := Step{N: s.N, Action: s.Action, Place: s.Place.String(), State: Same}
	if s.Result == event.Unreached || s.Result == event.Skipped || s.Result == "" {
		step.State = Unreached
		return step
	}
	for _, rec := range r.of(s.N) {
		switch {
		case rec.Gone > 0:
			step.miss(fmt.Sprintf("%d bytes of frames were beyond the size limit (--keep-frames all has none)", rec.Gone))
		case rec.Lacks != "":
			step.miss(rec.Lacks)
		default:
			step.Searches++
			if now := rec.Again(); !now.Equal(rec.Result) {
				step.State, step.Was, step.Now = Differs, Words(rec.Result), Words(now)
				return step
			}
		}
	}
	if step.Searches > 0 && step.State == Same || step.State == NotRecorded {
		return step
	}
	args, ok := argsOf(s, r.platformOf(s))
	switch {
	case ok && inBrowser(args):
		step.miss("the browser itself finds the element of " + s.Action)
	case ok && searches(args):
		step.miss("the step ended without a decision: " + firstOf(s.Problem))
		step.lost = s.Result == event.Pass
	default:
		step.State = Undecided
	}
	return step
}

func (s *Step) miss(why string) {
	if s.State != Differs {
		s.State, s.Why = NotRecorded, why
	}
}

func firstOf(p *event.Problem) string {
	if p == nil {
		return "no frames of it are kept"
	}
	return p.Message
}

// Words says what a result is.
func Words(r decide.Result) string {
	switch {
	case r.Problem != "":
		return fmt.Sprintf("%s: %s", r.Kind, r.Problem)
	case r.Error != "":
		return fmt.Sprintf("%s: %s", r.Kind, r.Error)
	case len(r.Matches) > 0:
		return fmt.Sprintf("%s: %s", r.Kind, r.Matches[0])
	}
	return string(r.Kind)
}

// inBrowser reports whether the browser, and no search of Taproot, finds the element of an action.
func inBrowser(args any) bool {
	switch a := args.(type) {
	case dsl.WebAssert, dsl.WebDrag:
		return false
	case dsl.WebClick:
		return a.Count > 1
	}
	return pageSelector(args) != ""
}

// pageSelector returns the CSS, XPath or other selector of the browser by which an action names its element.
func pageSelector(args any) string {
	if v := reflect.ValueOf(args); v.Kind() == reflect.Struct {
		if f := v.FieldByName("Selector"); f.Kind() == reflect.String {
			return f.String()
		}
	}
	return ""
}

// elementsOf returns the selectors of the elements that an action touches; those that name a point are left out.
func elementsOf(args any) (list []dsl.Selector) {
	v := reflect.ValueOf(args)
	if v.Kind() != reflect.Struct {
		return nil
	}
	if selector := pageSelector(args); selector != "" {
		frame := ""
		if f := v.FieldByName("Frame"); f.Kind() == reflect.String {
			frame = f.String()
		}
		return []dsl.Selector{decide.InDocument(selector, frame)}
	}
	for i := range v.NumField() {
		if sel, ok := elementIn(v.Field(i)); ok {
			list = append(list, sel)
		}
	}
	return list
}

// searches reports whether an action names an element to search on a screen.
func searches(args any) bool {
	switch args.(type) {
	case dsl.AssertScreenshot:
		return false
	case dsl.WebAssert, dsl.WebClick, dsl.WebDrag:
		return true
	case dsl.WaitFor:
		_, ok := decide.ClaimOfArgs(args)
		return ok
	}
	return len(elementsOf(args)) > 0
}

// elementIn returns the selector of an element that a field of an argument holds; ok is false for a point, and for any
// other field.
func elementIn(v reflect.Value) (sel dsl.Selector, ok bool) {
	if v.Kind() == reflect.Pointer && v.IsNil() {
		return sel, false
	}
	switch of := reflect.Indirect(v).Interface().(type) {
	case dsl.Selector:
		sel = of
	case dsl.Target:
		sel = of.Selector
	default:
		return sel, false
	}
	return sel, sel.Point == nil && !reflect.ValueOf(sel).IsZero()
}
