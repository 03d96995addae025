package runner

import (
	"sync"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/failure"
	"github.com/taproot-dev/taproot/runner/internal/testdevice"
)

// specDevice is the device of a running spec.
type specDevice struct {
	*testdevice.Held

	suite *suite

	mu      sync.Mutex
	result  event.Result // of the spec, when it has failed
	problem *event.Problem
}

// onFailure runs as soon as the spec has failed, before any clean-up. A failure outside of the device's own steps
// becomes a step of the report, with a screenshot.
func (d *specDevice) onFailure(ctx ginkgo.SpecContext) {
	r := ginkgo.CurrentSpecReport()
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.result = resultOf(r.State); d.result == event.Interrupted {
		d.problem = &event.Problem{Message: "the run was interrupted"}
		return
	}
	v, p := d.Result()
	if d.problem = p; v != event.Pass && d.FailedWith(r.Failure.Message) {
		return // a step reported it
	}
	at := r.Failure.FailureNodeLocation
	if r.Failure.Location.LineNumber > 0 {
		at = r.Failure.Location
	}
	d.problem = d.Fail(ctx, "", placeOf(at), event.Problem{Message: failureMessage(r),
		Assertion: r.State == types.SpecStateFailed})
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
func (d *specDevice) end(ctx ginkgo.SpecContext) {
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
	out := d.End(ctx, v, p)
	ginkgo.AddReportEntry("pack", out.Dir, ginkgo.ReportEntryVisibilityFailureOrVerbose)
	if !known && r.State == types.SpecStatePassed && out.Result() != event.Pass {
		ginkgo.Fail(failure.Text(out)) // the spec and its report must agree
	}
}
