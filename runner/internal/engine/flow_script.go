package engine

import (
	"context"
	"errors"
	"path/filepath"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/script"
	"github.com/taproot-dev/taproot/runner/internal/syntax/maestro"
)

// broken ends a flow because of an error in a script.
func (fs *flows) broken(ctx context.Context, step *dsl.Step, err error) outcome {
	fs.steps.flow.fatal = true
	return fs.steps.leaf(ctx, step, func(context.Context) error { return scriptFailure(err) })
}

func scriptFailure(err error) error {
	var js *script.Error
	if errors.As(err, &js) {
		return &action.Failure{Problem: event.Problem{Message: js.Error()}}
	}
	return err
}

// fillIn returns the command with its texts filled in, and a step that shows them.
func (s *flowState) fillIn(ctx context.Context, step *dsl.Step, c *maestro.Command) (*dsl.Step, maestro.Do, error) {
	do, err := maestro.Expand(c.Do, s.fill(ctx))
	if err != nil {
		return step, nil, err
	}
	shown := *step
	if shown.Args, err = fillValue(step.Args, s.fill(ctx)); err != nil {
		shown.Args = step.Args // an error in a text for reports must not fail the flow
	}
	if c.Label != "" {
		if shown.Options.Name, err = s.fill(ctx)(c.Label); err != nil {
			return step, nil, err
		}
	}
	return &shown, do, nil
}

// fillValue fills in the texts for a report. It replaces variable names only, because a script must not run twice.
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

// plainPlace reports whether a text has only variable names in ${…}, without side effects.
func plainPlace(text string) bool {
	return strings.Contains(text, "${") && !strings.ContainsAny(text, "=()+`;[")
}

// fill fills in ${…}.
func (s *flowState) fill(ctx context.Context) func(string) (string, error) {
	return func(text string) (string, error) { return s.js.Expand(ctx, text, script.Where{}) }
}

// shellVariable returns Maestro's own variables of the environment.
func (fs *flows) shellVariable(name string) (string, bool) {
	if fs.c.Env == nil || !strings.HasPrefix(name, "MAESTRO_") {
		return "", false
	}
	text, set := fs.c.Env(name)
	return text, set && text != ""
}

// define sets variables. All values are filled in before the first one is set.
func (fs *flows) define(ctx context.Context, step *dsl.Step, env []maestro.Pair) outcome {
	filled, err := maestro.Expand(env, fs.steps.flow.fill(ctx))
	if err != nil {
		return fs.broken(ctx, step, err)
	}
	for _, p := range filled {
		fs.steps.flow.js.Set(p.Key, p.Value)
	}
	return passed
}

// script performs runScript and evalScript.
func (fs *flows) script(ctx context.Context, step *dsl.Step, a maestro.Script) outcome {
	o := fs.steps.leaf(ctx, step, func(ctx context.Context) error {
		if err := fs.steps.before(ctx, dsl.Log{}); err != nil {
			return err
		}
		var err error
		if a.File == "" {
			_, err = fs.steps.flow.fill(ctx)(a.Text)
		} else {
			fs.steps.flow.js.Enter()
			for _, p := range a.Env {
				fs.steps.flow.js.Set(p.Key, p.Value)
			}
			_, err = fs.steps.flow.js.Run(ctx, a.Text,
				script.Where{File: a.File, Dir: filepath.Join(fs.session.Base, filepath.FromSlash(a.Dir))})
			fs.steps.flow.js.Leave()
		}
		fs.steps.flow.fatal = fs.steps.flow.fatal || err != nil && ctx.Err() == nil
		return scriptFailure(err)
	})
	if o.ok() {
		fs.steps.flow.mutates()
	}
	return o
}
