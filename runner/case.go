package runner

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/reporters"
	"github.com/taproot-dev/taproot/runner/engine"
	"github.com/taproot-dev/taproot/runner/plan"
)

// Runner runs cases into one run directory. Safe for concurrent use.
type Runner struct {
	Config  Config
	Pool    *Pool
	Dir     *reporters.RunDir
	Observe func(reporters.Case, reporters.Event) // may be nil
}

// Outcome is how one case ended.
type Outcome struct {
	Case   plan.Case
	Result *reporters.Result // nil when the run ended before the case had a device
	Dir    string            // of the pack
	Err    error             // the report could not be kept
}

// Verdict of the outcome; a report that could not be kept is never a pass.
func (o Outcome) Verdict() reporters.Verdict {
	switch {
	case o.Result == nil && o.Err != nil:
		return reporters.Error
	case o.Result == nil:
		return reporters.Interrupted
	case o.Err != nil && o.Result.Verdict == reporters.Pass:
		return reporters.Error
	}
	return o.Result.Verdict
}

// Run waits for a device, which counts in no timeout, runs the case on it and leaves its pack.
func (r *Runner) Run(ctx context.Context, c plan.Case) Outcome {
	lease, err := r.Pool.Lease(ctx, c.Platform, c.Pack)
	var none *NoDeviceError
	switch {
	case err != nil && ctx.Err() != nil:
		return Outcome{Case: c}
	case errors.As(err, &none):
		verdict := reporters.Skipped
		if r.Config.RequireDevices || none.Lost {
			verdict = reporters.Error
		}
		return r.without(ctx, c, verdict, none.Reason)
	case err != nil:
		return r.without(ctx, c, reporters.Error, err.Error())
	}
	defer lease.Release()
	return r.on(ctx, c, lease)
}

// on runs the case on a leased device. The device is free again before the film is converted.
func (r *Runner) on(ctx context.Context, c plan.Case, lease *Lease) Outcome {
	dev, err := lease.Open(ctx)
	if err != nil {
		lease.Release()
		verdict, why := reporters.Error, fmt.Sprintf("device %s cannot be opened: %v", lease.Info.ID, err)
		if ctx.Err() != nil {
			verdict, why = reporters.Interrupted, "the run was interrupted"
		}
		return r.without(ctx, c, verdict, why)
	}
	defer dev.Close()
	pack, err := r.pack(c, lease.Info.ID, lease.Info.Model)
	if err != nil {
		return Outcome{Case: c, Err: err}
	}
	_, runErr := engine.Run(ctx, c, dev, pack, engine.Options{Timeout: r.Config.Timeout, NoVideo: r.Config.NoVideo})
	if err := dev.Close(); err != nil {
		r.Config.Log.Warn("close device", "device", lease.Info.ID, "error", err)
	}
	lease.Release()
	return r.finish(ctx, c, pack, runErr)
}

// without leaves the pack of a case that had no device.
func (r *Runner) without(ctx context.Context, c plan.Case, verdict reporters.Verdict, why string) Outcome {
	pack, err := r.pack(c, "", "")
	if err != nil {
		return Outcome{Case: c, Err: err}
	}
	described, err := engine.Describe(c)
	if err == nil {
		err = pack.Emit(reporters.Event{Kind: reporters.CaseStarted, Case: &described})
	}
	if err == nil {
		pack.NoRecording("nothing was run")
		err = pack.Emit(reporters.Event{Kind: reporters.CaseEnded, Verdict: verdict, Problem: &reporters.Problem{Message: why}})
	}
	return r.finish(ctx, c, pack, err)
}

func (r *Runner) pack(c plan.Case, device, model string) (*reporters.Pack, error) {
	info := reporters.Case{ID: c.Test.ID, Pack: c.Pack, Name: c.Test.Name, Platform: c.Platform, Solver: "dsl", Place: c.Test.Pos,
		Device: device, Model: strings.TrimSpace(model)}
	return r.Dir.NewPack(info, reporters.PackOptions{FFmpeg: r.Config.FFmpeg, Observe: r.Observe})
}

func (r *Runner) finish(ctx context.Context, c plan.Case, pack *reporters.Pack, runErr error) Outcome {
	result, err := pack.Finish(ctx)
	return Outcome{Case: c, Result: result, Dir: pack.Dir(), Err: errors.Join(runErr, err)}
}
