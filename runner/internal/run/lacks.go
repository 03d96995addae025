package run

import (
	"context"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// actionChecker is a device that may lack what some actions need.
type actionChecker interface {
	// CheckActions returns an error that names what is missing for one of the actions. It touches nothing.
	CheckActions(ctx context.Context, names []string) error
}

// lacks returns an error that names what the device lacks for the actions of a case.
func lacks(ctx context.Context, dev drivers.Device, c plan.Case) error {
	d, ok := dev.(actionChecker)
	if !ok {
		return nil
	}
	return d.CheckActions(ctx, c.Test.ActionNames())
}

// lacking ends a case of which the device cannot perform all actions, before the first of them.
func lacking(ctx context.Context, r *Runner, c plan.Case, dev drivers.Device, err error) Outcome {
	n := notRun{result: event.Error, why: err.Error(), device: dev.Info()}
	if ctx.Err() != nil {
		n.result, n.why = event.Interrupted, "the run was interrupted"
	}
	return r.without(ctx, c, n)
}

// browse makes the device open its pages in a browser.
func browse(ctx context.Context, dev drivers.Device, name string) error {
	d, ok := dev.(drivers.BrowserChooser)
	if name == "" || !ok {
		return nil
	}
	return d.UseBrowser(ctx, name)
}
