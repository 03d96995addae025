package engine

import (
	"context"
	"errors"
	"path"
	"path/filepath"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/dsl/maestro"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/script"
)

// How long flows of Maestro search for elements.
const (
	flowLookup    = 17 * time.Second
	flowOptional  = 7 * time.Second // for one element with optional, and for conditions
	maxFlowRetry  = 3
	flowFirstName = "MAESTRO_FILENAME"
)

// flowState is a running entry flow of Maestro, with all flows that it calls.
type flowState struct {
	js      *script.Engine
	changed time.Time // end of the last command that may have changed the screen
	mutated int       // number of such commands
	fatal   bool      // a script failed: only the hooks at the end still run
}

// errNoFlow is the error of a command without an enclosing flow.
var errNoFlow = errors.New("a command of Maestro must be in a flow")

// foreign runs a command of a flow of Maestro.
func (r *run) foreign(ctx context.Context, step *dsl.Step, c *maestro.Command) outcome {
	if e, is := c.Do.(maestro.Entry); is {
		return r.entry(ctx, step, e.Flow)
	}
	if r.flow == nil {
		return r.leaf(ctx, step, func(context.Context) error { return errNoFlow })
	}
	filled, do, err := r.fillIn(ctx, step, c)
	if err != nil {
		return r.broken(ctx, step, err)
	}
	o := r.attempt(c.Optional, func() outcome { return r.command(ctx, filled, do, c.Optional) })
	if o.result == event.Fail && c.Optional && !r.flow.fatal {
		return passed
	}
	return o
}

// command runs a command with its texts filled in.
func (r *run) command(ctx context.Context, step *dsl.Step, do maestro.Do, optional bool) outcome {
	switch a := do.(type) {
	case maestro.RunFlow:
		return r.whole(func() outcome {
			return r.when(ctx, step, a.When, func() outcome { return r.subflow(ctx, step, a, callName(a)) })
		})
	case maestro.Retry:
		return r.whole(func() outcome { return r.again(ctx, step, a) })
	case maestro.Repeat:
		return r.whole(func() outcome { return r.rounds(ctx, step, a) })
	case maestro.Script:
		return r.when(ctx, step, a.When, func() outcome { return r.script(ctx, step, a) })
	}
	limit, err := r.lookup(do, optional)
	if err != nil {
		return r.leaf(ctx, step, func(context.Context) error { return err })
	}
	o := r.leaf(ctx, step, func(ctx context.Context) error {
		return action.Guard(func() error { return r.act(ctx, do, limit) })
	})
	if o.ok() && maestro.Mutates(do) {
		r.mutates()
	}
	return o
}

// mutates records the end of a command that may have changed the screen.
func (r *run) mutates() {
	r.flow.changed = time.Now()
	r.flow.mutated++
}

// act performs a command.
func (r *run) act(ctx context.Context, do maestro.Do, limit time.Duration) error {
	if a, is := do.(maestro.Launch); is && a.App != "" {
		r.launches(a.App)
	}
	if err := r.takePendingBefore(ctx, do); err != nil {
		return err
	}
	r.acts = maestro.Mutates(do)
	copied := r.session.Copied
	r.session.Timeout = limit
	err := action.Perform(ctx, r.session, do)
	if now := r.session.Copied; now != nil && now != copied {
		r.flow.js.SetCopied(*now)
	}
	if ai, is := do.(maestro.AI); is && err == nil && ai.Output != "" {
		r.flow.js.Set(ai.Output, dsl.Show(r.session.Value))
	}
	var fatal *action.FatalError
	if errors.As(err, &fatal) {
		r.flow.fatal = true
	}
	return err
}

// lookup is how long a command searches for its element: less the time since the last change of the screen.
func (r *run) lookup(do maestro.Do, optional bool) (time.Duration, error) {
	limit := flowLookup
	switch a := do.(type) {
	case maestro.Assert:
		if a.Timeout != nil {
			given, err := action.Milliseconds(*a.Timeout)
			if err != nil {
				return 0, err
			}
			limit = given
		}
	default:
		if optional {
			limit = flowOptional
		}
	}
	return r.shortened(limit), nil
}

func (r *run) shortened(limit time.Duration) time.Duration {
	return max(0, limit-time.Since(r.flow.changed))
}

// entry runs a flow that is not called by another one, with its own variables and engine.
func (r *run) entry(ctx context.Context, step *dsl.Step, f *maestro.Flow) outcome {
	outer, source, base, copied := r.flow, r.source, r.session.Base, r.session.Copied
	defer func() { r.flow, r.source, r.session.Base, r.session.Copied = outer, source, base, copied }()
	if f.Rhino {
		return r.leaf(ctx, step, func(context.Context) error {
			return asTestError(errors.New("jsEngine: Maestro no longer has the engine rhino: remove the line"))
		})
	}
	r.source, r.session.Copied = f.Source, nil
	r.session.Base = r.filesFrom()
	r.flow = &flowState{changed: time.Now(),
		js: script.New(script.Options{Platform: string(r.c.Platform), Client: r.session.Client(), Lookup: r.shellVariable,
			Open: r.session.File, Log: func(text string) { r.log(r.n, "console: %s", text) }})}
	for name, text := range r.scope.Texts() {
		r.flow.js.Set(name, text)
	}
	r.flow.js.Set(flowFirstName, strings.TrimSuffix(path.Base(f.File), path.Ext(f.File)))
	r.flow.js.Set("MAESTRO_DEVICE_UDID", r.dev.Info().ID)
	r.flow.js.Set("MAESTRO_SHARD_ID", "1")
	r.flow.js.Set("MAESTRO_SHARD_INDEX", "0")
	for _, w := range f.Warnings {
		r.log(0, "%s: %s", w.Pos, w.Msg)
	}
	// androidWebViewHierarchy
	if reader, ok := r.dev.(drivers.WebViewReader); ok && f.WebViews && r.c.Platform == dsl.Android {
		if err := reader.ReadWebViews("devtools"); err != nil {
			return r.broken(ctx, step, err)
		}
	}
	o := r.define(ctx, step, f.Env)
	if o.ok() {
		if o = r.inside(ctx, "onFlowStart", f.Start); o.ok() {
			o = r.list(ctx, f.Steps)
		}
	}
	return r.complete(ctx, f.Complete, o)
}

// filesFrom is the folder to which the paths of the test's files are relative.
func (r *run) filesFrom() string {
	file := filepath.FromSlash(r.c.Test.Pos.File)
	if filepath.IsAbs(file) {
		return ""
	}
	if base, ok := strings.CutSuffix(r.c.Dir, filepath.Dir(file)); ok && filepath.Dir(file) != "." {
		return filepath.Clean(base)
	}
	return r.c.Dir
}

// complete runs the commands of onFlowComplete, whatever the result of the flow. Their failure counts if the flow has
// not failed.
func (r *run) complete(ctx context.Context, steps dsl.Steps, o outcome) outcome {
	if len(steps) == 0 || ctx.Err() != nil || r.sinkErr != nil || o.result == event.Interrupted {
		return o
	}
	broken := r.flow.fatal
	r.flow.fatal = false
	end := r.inside(ctx, "onFlowComplete", steps)
	r.flow.fatal = r.flow.fatal || broken
	if o.ok() {
		return end
	}
	return o
}
