package engine

import (
	"context"
	"errors"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/action"
)

const (
	// crashGrace is how long the engine waits for a crash after the last step that acted on the device.
	crashGrace = time.Second
	// crashLimit limits the final search for a crash: the device may be lost.
	crashLimit = 10 * time.Second
)

// awaitCrash waits for a crash of an app that the last step may have harmed, if nothing else went wrong.
func (r *run) awaitCrash(ctx context.Context) {
	if _, watches := r.dev.(drivers.CrashWatcher); !watches || r.result != event.Pass || r.acted.IsZero() {
		return
	}
	if rest := crashGrace - time.Since(r.acted); rest > 0 {
		_ = drivers.Pause(ctx, rest) // an interrupted run is reported elsewhere
	}
}

// findCrash checks, once the log has ended, whether the app crashed during the case. A case with a crashed app never
// passes, whatever its last step returned. If this cannot be found out, the report says so.
func (r *run) findCrash(ctx context.Context) {
	if ctx.Err() != nil || r.sinkErr != nil || r.problem != nil && r.problem.Kind == event.AppCrashed {
		return
	}
	if v := r.result; v != event.Pass && v != event.Fail && v != event.Error {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, crashLimit)
	defer cancel()
	var otherwise error
	if r.problem != nil {
		otherwise = &action.Failure{Problem: *r.problem}
	}
	var died *action.Failure
	err := action.Guard(func() (err error) {
		died, err = r.session.Died(ctx, otherwise)
		return err
	})
	switch {
	case err != nil && !errors.Is(err, drivers.ErrUnsupported):
		r.log(0, "whether the app has crashed could not be checked: %v", err)
	case died != nil:
		r.end(event.Fail, &died.Problem)
	}
}
