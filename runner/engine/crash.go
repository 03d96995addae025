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
	// crashGrace is how long an app is given, from the last step that did something, to die of it.
	crashGrace = time.Second
	// crashLimit bounds the last look for a crash: the device may be gone.
	crashLimit = 10 * time.Second
)

// awaitCrash waits until an app that the last step has harmed has had the time to die, if nothing else is wrong.
func (r *run) awaitCrash(ctx context.Context) {
	if _, watches := r.dev.(drivers.CrashWatcher); !watches || r.verdict != event.Pass || r.acted.IsZero() {
		return
	}
	if rest := crashGrace - time.Since(r.acted); rest > 0 {
		_ = drivers.Pause(ctx, rest) // an interrupted run is told of elsewhere
	}
}

// findCrash looks, once the log has ended, whether the app died during the case. An app that died is never a pass,
// whatever the last step said. That nobody can tell is said in the report.
func (r *run) findCrash(ctx context.Context) {
	if ctx.Err() != nil || r.sinkErr != nil || r.problem != nil && r.problem.Kind == event.AppCrashed {
		return
	}
	if v := r.verdict; v != event.Pass && v != event.Fail && v != event.Error {
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
		r.log(0, "not checked: whether the app has crashed could not be found out: %v", err)
	case died != nil:
		r.end(event.Fail, &died.Problem)
	}
}
