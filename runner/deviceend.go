package runner

import (
	"context"
	"strings"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/failure"
)

// onFailure runs as soon as the spec has failed, before any clean-up. A failure outside of the device's own steps
// becomes a step of the report, with a screenshot.
func (d *TestDevice) onFailure(ctx ginkgo.SpecContext) {
	r := ginkgo.CurrentSpecReport()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.result = resultOf(r.State); d.result == event.Interrupted {
		d.problem = &event.Problem{Message: "the run was interrupted"}
		return
	}
	v, p := d.steps.Result()
	if d.problem = p; v != event.Pass && d.stepMessage == r.Failure.Message {
		return // a step reported it
	}
	at := r.Failure.FailureNodeLocation
	if r.Failure.Location.LineNumber > 0 {
		at = r.Failure.Location
	}
	pos, source := d.suite.source(at)
	message := failureMessage(r)
	step := dsl.NamedStep("expect", phrase.FirstLine(strings.TrimSpace(source.Line(pos.Line))), pos, source)
	var err error = &action.Failure{Problem: event.Problem{Message: message, Assertion: r.State == types.SpecStateFailed}}
	if d.broken != nil {
		err = d.broken
	}
	e := d.steps.Fail(ctx, step, err)
	d.problem = e.Problem
}

// resultOf is the result of a spec that ended in a state.
func resultOf(s types.SpecState) event.Result {
	switch s {
	case types.SpecStatePassed:
		return event.Pass
	case types.SpecStateSkipped, types.SpecStatePending:
		return event.Skipped
	case types.SpecStateInterrupted, types.SpecStateAborted:
		return event.Interrupted
	}
	return event.Fail
}

func failureMessage(r types.SpecReport) string {
	switch {
	case r.State == types.SpecStatePanicked:
		return "the spec panicked: " + r.Failure.ForwardedPanic
	case r.Failure.Message == "":
		return "the spec " + r.State.String()
	}
	return r.Failure.Message
}

// end releases the device and ends the report.
func (d *TestDevice) end(ctx ginkgo.SpecContext) {
	r := ginkgo.CurrentSpecReport()
	d.mu.Lock()
	v, p := d.result, d.problem
	d.mu.Unlock()
	known := v != "" // the spec failed, or an earlier one of an ordered container
	if !known {
		if v = resultOf(r.State); v == event.Skipped {
			p = &event.Problem{Message: r.Failure.Message}
		}
	}
	if v != event.Pass && p == nil {
		p = &event.Problem{Message: failureMessage(r)}
	}
	d.suite.current.released = true
	ended, err := d.steps.End(context.WithoutCancel(ctx), v, p)
	d.suite.runner.GiveBack(d.lease, d.dev, ended)
	out := d.suite.runner.Finish(ctx, d.c, d.pack, err)
	ginkgo.AddReportEntry("pack", out.Dir, ginkgo.ReportEntryVisibilityFailureOrVerbose)
	if !known && r.State == types.SpecStatePassed && out.Result() != event.Pass {
		ginkgo.Fail(failure.Text(out)) // the spec and its report must agree
	}
}
