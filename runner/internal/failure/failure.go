// Package failure has the texts with which tests in Go fail: of the outcome of a test, and of what a read of the screen
// shows for a selector.
package failure

import (
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// Reported is the test of a result, for reports.
func Reported(r *event.CaseResult) *dsl.Test {
	return &dsl.Test{ID: r.Case.ID, Name: r.Case.Name, Platform: r.Case.Platform, Pos: r.Case.Place}
}

// Text describes a failed case: the place and the line in the YAML file, what was expected, and what was found.
func Text(o run.Outcome) string {
	if o.CaseResult == nil || o.CaseResult.Problem == nil {
		text := fmt.Sprintf("%s: %s", o.Case.Test.Pos, o.Result())
		if o.Err != nil {
			text += ": " + o.Err.Error()
		}
		return text
	}
	at := o.Case.Test.Pos
	if step := o.CaseResult.Step(o.CaseResult.ProblemStep); step != nil {
		at = step.Place
	}
	text := Problem(source.Error{Pos: at, Source: o.Case.Test.Source}, o.CaseResult.Result, *o.CaseResult.Problem)
	text += Field("pack", o.Dir)
	if o.Err != nil {
		text += Field("report", o.Err.Error())
	}
	return text
}

// Reason is why a case did not pass.
func Reason(r *event.CaseResult) string {
	if r.Problem == nil {
		return string(r.Result)
	}
	return r.Problem.Message
}

// Problem shows a problem with its place.
func Problem(located source.Error, v event.Result, p event.Problem) string {
	located.Msg, located.Width = string(v)+": "+p.Message, 1
	return located.Error() + Field("expected", p.Expected) + Field("actual", p.Actual) + Field("near",
		strings.Join(p.Candidates, "; "))
}

// Field is a line with a name and a value, "" without a value.
func Field(name, value string) string {
	if value == "" {
		return ""
	}
	return fmt.Sprintf("\n  %-9s %s", name+":", value)
}
