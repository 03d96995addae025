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
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/script"
	"github.com/taproot-dev/taproot/runner/internal/syntax/maestro"
)

// How long flows of Maestro search for elements.
const (
	flowLookup    = 17 * time.Second
	flowOptional  = 7 * time.Second // for one element with optional, and for conditions
	maxFlowRetry  = 3
	flowFirstName = "MAESTRO_FILENAME"
)

// flows runs the commands of Maestro's flows.
type flows struct {
	*report
	c        plan.Case
	dev      drivers.Device
	session  *action.Performer
	vars     *variables
	steps    *stepper
	blocks   *blocks
	troubles *troubles
}

// flowState is a running entry flow of Maestro, with all flows that it calls.
type flowState struct {
	js      *script.Engine
	changed time.Time // end of the last command that may have changed the screen
	mutated int       // number of such commands
	fatal   bool      // a script failed: only the hooks at the end still run
}

// mutates records the end of a command that may have changed the screen.
func (s *flowState) mutates() {
	s.changed = time.Now()
	s.mutated++
}

func (s *flowState) shortened(limit time.Duration) time.Duration {
	return max(0, limit-time.Since(s.changed))
}

// errNoFlow is the error of a command without an enclosing flow.
var errNoFlow = errors.New("a command of Maestro must be in a flow")

// foreign runs a command of a flow of Maestro.
func (fs *flows) foreign(ctx context.Context, step *dsl.Step, c *maestro.Command) outcome {
	if e, is := c.Do.(maestro.Entry); is {
		return fs.entry(ctx, step, e.Flow)
	}
	if fs.steps.flow == nil {
		return fs.steps.leaf(ctx, step, func(context.Context) error { return errNoFlow })
	}
	filled, do, err := fs.steps.flow.fillIn(ctx, step, c)
	if err != nil {
		return fs.broken(ctx, step, err)
	}
	o := fs.steps.attempt(c.Optional, func() outcome { return fs.command(ctx, filled, do, c.Optional) })
	if o.result == event.Fail && c.Optional && !fs.steps.flow.fatal {
		return passed
	}
	return o
}

// command runs a command with its texts filled in.
func (fs *flows) command(ctx context.Context, step *dsl.Step, do maestro.Do, optional bool) outcome {
	switch a := do.(type) {
	case maestro.RunFlow:
		return fs.whole(func() outcome {
			return fs.when(ctx, step, a.When, func() outcome { return fs.subflow(ctx, step, a, callName(a)) })
		})
	case maestro.Retry:
		return fs.whole(func() outcome { return fs.again(ctx, step, a) })
	case maestro.Repeat:
		return fs.whole(func() outcome { return fs.rounds(ctx, step, a) })
	case maestro.Script:
		return fs.when(ctx, step, a.When, func() outcome { return fs.script(ctx, step, a) })
	}
	limit, err := fs.lookup(do, optional)
	if err != nil {
		return fs.steps.leaf(ctx, step, func(context.Context) error { return err })
	}
	o := fs.steps.leaf(ctx, step, func(ctx context.Context) error {
		return action.Guard(func() error { return fs.act(ctx, do, limit) })
	})
	if o.ok() && maestro.Mutates(do) {
		fs.steps.flow.mutates()
	}
	return o
}

// act performs a command.
func (fs *flows) act(ctx context.Context, do maestro.Do, limit time.Duration) error {
	if a, is := do.(maestro.Launch); is && a.App != "" {
		fs.troubles.launches(a.App)
	}
	copied := fs.session.Copied
	fs.session.Timeout = limit
	err := fs.steps.act(ctx, do)
	fs.steps.acts = maestro.Mutates(do)
	if now := fs.session.Copied; now != nil && now != copied {
		fs.steps.flow.js.SetCopied(*now)
	}
	if ai, is := do.(maestro.AI); is && err == nil && ai.Output != "" {
		fs.steps.flow.js.Set(ai.Output, dsl.Show(fs.session.Value))
	}
	var fatal *action.FatalError
	if errors.As(err, &fatal) {
		fs.steps.flow.fatal = true
	}
	return err
}

// lookup is how long a command searches for its element: less the time since the last change of the screen.
func (fs *flows) lookup(do maestro.Do, optional bool) (time.Duration, error) {
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
	return fs.steps.flow.shortened(limit), nil
}

// entry runs a flow that is not called by another one, with its own variables and engine.
func (fs *flows) entry(ctx context.Context, step *dsl.Step, f *maestro.Flow) outcome {
	outer, source, base, copied := fs.steps.flow, fs.vars.source, fs.session.Base, fs.session.Copied
	defer func() {
		fs.steps.flow, fs.vars.source, fs.session.Base, fs.session.Copied = outer, source, base, copied
	}()
	if f.Rhino {
		return fs.steps.leaf(ctx, step, func(context.Context) error {
			return asTestError(errors.New("jsEngine: Maestro no longer has the engine rhino: remove the line"))
		})
	}
	fs.vars.source, fs.session.Copied = f.Source, nil
	fs.session.Base = fs.filesFrom()
	fs.steps.flow = &flowState{changed: time.Now(),
		js: script.New(script.Options{Platform: string(fs.c.Platform), Client: fs.session.Client(), Lookup: fs.shellVariable,
			Open: fs.session.File, Log: func(text string) { fs.log(fs.steps.n, "console: %s", text) }})}
	for name, text := range fs.vars.scope.Texts() {
		fs.steps.flow.js.Set(name, text)
	}
	fs.steps.flow.js.Set(flowFirstName, strings.TrimSuffix(path.Base(f.File), path.Ext(f.File)))
	fs.steps.flow.js.Set("MAESTRO_DEVICE_UDID", fs.dev.Info().ID)
	fs.steps.flow.js.Set("MAESTRO_SHARD_ID", "1")
	fs.steps.flow.js.Set("MAESTRO_SHARD_INDEX", "0")
	for _, w := range f.Warnings {
		fs.log(0, "%s: %s", w.Pos, w.Msg)
	}
	// androidWebViewHierarchy
	if reader, ok := fs.dev.(drivers.WebViewReader); ok && f.WebViews && fs.c.Platform == dsl.Android {
		if err := reader.ReadWebViews("devtools"); err != nil {
			return fs.broken(ctx, step, err)
		}
	}
	o := fs.define(ctx, step, f.Env)
	if o.ok() {
		if o = fs.blocks.inside(ctx, "onFlowStart", f.Start); o.ok() {
			o = fs.blocks.list(ctx, f.Steps)
		}
	}
	return fs.complete(ctx, f.Complete, o)
}

// filesFrom is the folder to which the paths of the test's files are relative.
func (fs *flows) filesFrom() string {
	file := filepath.FromSlash(fs.c.Test.Pos.File)
	if filepath.IsAbs(file) {
		return ""
	}
	if base, ok := strings.CutSuffix(fs.c.Dir, filepath.Dir(file)); ok && filepath.Dir(file) != "." {
		return filepath.Clean(base)
	}
	return fs.c.Dir
}

// complete runs the commands of onFlowComplete, whatever the result of the flow. Their failure counts if the flow has
// not failed.
func (fs *flows) complete(ctx context.Context, steps dsl.Steps, o outcome) outcome {
	if len(steps) == 0 || ctx.Err() != nil || fs.sinkErr != nil || o.result == event.Interrupted {
		return o
	}
	broken := fs.steps.flow.fatal
	fs.steps.flow.fatal = false
	end := fs.blocks.inside(ctx, "onFlowComplete", steps)
	fs.steps.flow.fatal = fs.steps.flow.fatal || broken
	if o.ok() {
		return end
	}
	return o
}
