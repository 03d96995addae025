package engine

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/dsl/maestro"
	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/script"
)

// How long flows of Maestro look for elements.
const (
	flowLookup    = 17 * time.Second
	flowOptional  = 7 * time.Second // for one element with optional, and for conditions
	maxFlowRetry  = 3
	flowFirstName = "MAESTRO_FILENAME"
)

// flowState is an entry flow of Maestro under way, with all that it calls.
type flowState struct {
	js      *script.Engine
	changed time.Time // when the last command ended that may have changed the screen
	mutated int       // how many did
	fatal   bool      // a script broke: nothing takes that but the hooks at the end
}

// errNoFlow says that a command of a flow came without one around it.
var errNoFlow = errors.New("a command of a flow of Maestro stands outside of a flow")

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
	if o.verdict == event.Fail && c.Optional && !r.flow.fatal {
		return passed
	}
	return o
}

// broken ends a flow because of a mistake of a script.
func (r *run) broken(ctx context.Context, step *dsl.Step, err error) outcome {
	r.flow.fatal = true
	return r.leaf(ctx, step, func(context.Context) error { return scriptFailure(err) })
}

func scriptFailure(err error) error {
	var js *script.Error
	if errors.As(err, &js) {
		return &action.Failure{Problem: event.Problem{Message: js.Error()}}
	}
	return err
}

// fillIn gives the command with its texts filled in, and a step that shows them.
func (r *run) fillIn(ctx context.Context, step *dsl.Step, c *maestro.Command) (*dsl.Step, maestro.Do, error) {
	do, err := maestro.Expand(c.Do, r.fill(ctx))
	if err != nil {
		return step, nil, err
	}
	shown := *step
	if shown.Args, err = fillValue(step.Args, r.fill(ctx)); err != nil {
		shown.Args = step.Args // what only reports show must not break the flow
	}
	if c.Label != "" {
		if shown.Options.Name, err = r.fill(ctx)(c.Label); err != nil {
			return step, nil, err
		}
	}
	return &shown, do, nil
}

// fillValue fills in the texts that a report shows: names alone, for a script must not run twice.
func fillValue(v source.Value, fill func(string) (string, error)) (source.Value, error) {
	if v.Kind == source.String && plainPlace(v.Text) {
		text, err := fill(v.Text)
		if err != nil {
			return v, err
		}
		v.Text = text
	}
	items, fields := make([]source.Value, len(v.Items)), make([]source.Field, len(v.Fields))
	for i, item := range v.Items {
		filled, err := fillValue(item, fill)
		if err != nil {
			return v, err
		}
		items[i] = filled
	}
	for i, f := range v.Fields {
		filled, err := fillValue(f.Value, fill)
		if err != nil {
			return v, err
		}
		f.Value = filled
		fields[i] = f
	}
	if len(items) > 0 {
		v.Items = items
	}
	if len(fields) > 0 {
		v.Fields = fields
	}
	return v, nil
}

// plainPlace tells whether a text holds names in ${…} and nothing that changes anything.
func plainPlace(text string) bool {
	return strings.Contains(text, "${") && !strings.ContainsAny(text, "=()+`;[")
}

// fill fills in ${…}.
func (r *run) fill(ctx context.Context) func(string) (string, error) {
	return func(text string) (string, error) { return r.flow.js.Expand(ctx, text, script.Where{}) }
}

// command runs a command whose texts are filled in.
func (r *run) command(ctx context.Context, step *dsl.Step, do maestro.Do, optional bool) outcome {
	switch a := do.(type) {
	case maestro.RunFlow:
		return r.when(ctx, step, a.When, func() outcome { return r.subflow(ctx, step, a, callName(a)) })
	case maestro.Retry:
		return r.again(ctx, step, a)
	case maestro.Repeat:
		return r.rounds(ctx, step, a)
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
		r.flow.changed = time.Now()
		r.flow.mutated++
	}
	return o
}

// act performs a command.
func (r *run) act(ctx context.Context, do maestro.Do, limit time.Duration) error {
	if a, is := do.(maestro.Launch); is && a.App != "" {
		r.apps = append(r.apps, a.App)
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

// lookup is how long a command looks for its element: less by the time since the screen was changed last.
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

// holds evaluates a condition whose texts are filled in.
func (r *run) holds(ctx context.Context, c *maestro.Condition) (bool, error) {
	if c == nil {
		return true, nil
	}
	if c.Platform != "" && c.Platform != string(r.c.Platform) || c.True != nil && !action.Truth(*c.True) {
		return false, nil
	}
	for _, side := range []struct {
		element *maestro.Selector
		look    func(context.Context, *action.Session, dsl.Selector, time.Duration) (bool, error)
	}{{c.Visible, action.Sees}, {c.NotVisible, action.Misses}} {
		if side.element == nil {
			continue
		}
		sel, err := side.element.Lower()
		if err != nil {
			r.flow.fatal = true
			return false, &action.Failure{Problem: event.Problem{Message: err.Error()}}
		}
		on := false
		err = action.Guard(func() (err error) {
			on, err = side.look(ctx, r.session, sel, r.shortened(flowOptional))
			return err
		})
		if err != nil || !on {
			return false, err
		}
	}
	return true, nil
}

// when runs what a condition leaves in.
func (r *run) when(ctx context.Context, step *dsl.Step, c *maestro.Condition, do func() outcome) outcome {
	on, err := r.holds(ctx, c)
	switch {
	case err != nil:
		return r.leaf(ctx, step, func(context.Context) error { return err })
	case !on:
		r.left(step, "its condition does not hold")
		return passed
	}
	return do()
}

// left tells of a command that is left out.
func (r *run) left(step *dsl.Step, why string) {
	r.n++
	r.started(step)
	r.emit(event.Event{Kind: event.StepEnded, Step: r.n, Verdict: event.Skipped, Problem: &event.Problem{Message: why}})
}

// entry runs a flow that nobody called, with variables and an engine of its own.
func (r *run) entry(ctx context.Context, step *dsl.Step, f *maestro.Flow) outcome {
	outer, source, base, copied := r.flow, r.source, r.session.Base, r.session.Copied
	defer func() { r.flow, r.source, r.session.Base, r.session.Copied = outer, source, base, copied }()
	if f.Rhino {
		return r.leaf(ctx, step, func(context.Context) error {
			return blameTest(errors.New("jsEngine: rhino is no engine of Maestro any more: remove the line"))
		})
	}
	r.source, r.session.Copied = f.Source, nil
	r.session.Base = r.filesFrom()
	r.flow = &flowState{changed: time.Now(), js: script.New(script.Options{Platform: string(r.c.Platform), Client: r.session.Client(), Lookup: r.shellVariable,
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
	o := r.define(ctx, step, f.Env)
	if o.ok() {
		if o = r.inside(ctx, "onFlowStart", f.Start); o.ok() {
			o = r.list(ctx, f.Steps)
		}
	}
	return r.complete(ctx, f.Complete, o)
}

// filesFrom is the folder in which the paths of the test's files begin.
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

// complete runs the commands of onFlowComplete, however the flow went. Their failure counts when there is none before.
func (r *run) complete(ctx context.Context, steps dsl.Steps, o outcome) outcome {
	if len(steps) == 0 || ctx.Err() != nil || r.sinkErr != nil || o.verdict == event.Interrupted {
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

// shellVariable gives Maestro's own variables of the environment.
func (r *run) shellVariable(name string) (string, bool) {
	if r.c.Env == nil || !strings.HasPrefix(name, "MAESTRO_") {
		return "", false
	}
	text, set := r.c.Env(name)
	return text, set && text != ""
}

// define gives variables their values, all of which are filled in before the first is given.
func (r *run) define(ctx context.Context, step *dsl.Step, env []maestro.Pair) outcome {
	filled, err := maestro.Expand(env, r.fill(ctx))
	if err != nil {
		return r.broken(ctx, step, err)
	}
	for _, p := range filled {
		r.flow.js.Set(p.Key, p.Value)
	}
	return passed
}

func callName(a maestro.RunFlow) string {
	if a.Flow == nil {
		return "runFlow"
	}
	return "runFlow " + a.Flow.File
}

// subflow runs the commands that another one holds, in a scope of their own.
func (r *run) subflow(ctx context.Context, step *dsl.Step, a maestro.RunFlow, what string) outcome {
	r.flow.js.Enter()
	defer r.flow.js.Leave()
	for range a.Again {
		if o := r.define(ctx, step, a.Env); !o.ok() {
			return o
		}
	}
	if a.Flow == nil {
		return r.inside(ctx, what, a.Steps)
	}
	outer := r.source
	r.source = a.Flow.Source
	defer func() { r.source = outer }()
	if o := r.define(ctx, step, a.Flow.Env); !o.ok() {
		return o
	}
	o, body := passed, true
	if len(a.Flow.Start) > 0 {
		before := r.flow.mutated
		o = r.inside(ctx, what+" › onFlowStart", a.Flow.Start)
		if body = o.ok() && r.flow.mutated > before; o.ok() && !body {
			r.log(r.n, "the commands of %s are left out: its onFlowStart changed nothing on the screen, and Maestro takes that for a failure", a.Flow.File)
		}
	}
	if body {
		o = r.inside(ctx, what, a.Flow.Steps)
	}
	return r.complete(ctx, a.Flow.Complete, o)
}

// again is retry.
func (r *run) again(ctx context.Context, step *dsl.Step, a maestro.Retry) outcome {
	most, err := strconv.Atoi(a.Max)
	if err != nil {
		most = 1
	}
	most = min(most, maxFlowRetry)
	o := passed
	for try := 0; try <= most; try++ {
		last := try == most
		o = r.attempt(!last, func() outcome {
			return r.subflow(ctx, step, a.RunFlow, fmt.Sprintf("retry %d/%d", try+1, most+1))
		})
		if o.verdict != event.Fail || r.flow.fatal || last {
			return o
		}
	}
	return o
}

// rounds is repeat.
func (r *run) rounds(ctx context.Context, step *dsl.Step, a maestro.Repeat) outcome {
	most := math.MaxInt
	if a.Times != nil {
		if n, err := strconv.ParseFloat(strings.TrimSpace(*a.Times), 64); err == nil {
			most = int(max(min(n, math.MaxInt32), math.MinInt32))
		}
	}
	for round := 0; ; round++ {
		if ctx.Err() != nil {
			return outcome{event.Interrupted, interrupted(ctx)}
		}
		on, err := r.whileHolds(ctx, a.While)
		switch {
		case err != nil:
			return r.leaf(ctx, step, func(context.Context) error { return scriptFailure(err) })
		case on && round < most:
		case round == 0:
			r.left(step, "no round was to be run")
			return passed
		default:
			return passed
		}
		r.flow.js.Enter()
		o := r.inside(ctx, fmt.Sprintf("repeat %d", round+1), a.Steps)
		r.flow.js.Leave()
		if !o.ok() {
			return o
		}
	}
}

func (r *run) whileHolds(ctx context.Context, c *maestro.Condition) (bool, error) {
	if c == nil {
		return true, nil
	}
	filled, err := maestro.Expand(*c, r.fill(ctx))
	if err != nil {
		r.flow.fatal = true
		return false, err
	}
	return r.holds(ctx, &filled)
}

// script is runScript and evalScript.
func (r *run) script(ctx context.Context, step *dsl.Step, a maestro.Script) outcome {
	o := r.leaf(ctx, step, func(ctx context.Context) error {
		if err := r.takePendingBefore(ctx, dsl.Log{}); err != nil {
			return err
		}
		var err error
		if a.File == "" {
			_, err = r.fill(ctx)(a.Text)
		} else {
			r.flow.js.Enter()
			for _, p := range a.Env {
				r.flow.js.Set(p.Key, p.Value)
			}
			_, err = r.flow.js.Run(ctx, a.Text, script.Where{File: a.File, Dir: filepath.Join(r.session.Base, filepath.FromSlash(a.Dir))})
			r.flow.js.Leave()
		}
		r.flow.fatal = r.flow.fatal || err != nil && ctx.Err() == nil
		return scriptFailure(err)
	})
	if o.ok() {
		r.flow.changed = time.Now()
		r.flow.mutated++
	}
	return o
}
