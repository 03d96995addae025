package shell

import (
	"context"
	"errors"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/markdown"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/client"
	"github.com/taproot-dev/taproot/runner/live"
	"github.com/taproot-dev/taproot/runner/pool"
	"github.com/taproot-dev/taproot/runner/run"
)

// runAction performs one action. Actions that need what only the steps of a test have (variables, a report) are
// performed as steps.
func (s *session) runAction(ctx context.Context, c *client.Call, req Request) (*client.Answer, error) {
	def, ok := dsl.Lookup(req.Word)
	if !ok {
		own, err := s.conf.OwnActions(s.conf.Dir).Lookup(req.Word)
		if err != nil {
			return nil, &live.InvalidError{Err: err}
		}
		if def, ok = own, own != nil; !ok {
			return nil, &client.Refusal{What: "there is no action " + req.Word}
		}
	}
	v, err := one("arguments", req.Args)
	if err != nil {
		return nil, err
	}
	if v.Kind != source.Map {
		v = source.Value{Kind: source.Map} // no arguments
	}
	c.Name, c.Def, c.Value = Kebab(def.Name), def, v
	c.Names = append(dsl.Keys(def.Args), "timeout", "as", "ref")
	if def.Interfaces&(dsl.REST|dsl.MCP) == 0 || s.usesSaved(v) {
		item := source.Value{Kind: source.Map, Fields: []source.Field{{Key: def.Name, Value: v}}}
		c.Listed = &source.Value{Kind: source.List, Items: []source.Value{item}}
		return c.PerformSteps(ctx)
	}
	answer, err := c.Operate(ctx)
	if err == nil && (def.Name == "openBrowser" || def.Name == "launch") && c.Device != "" {
		c.Choose(c.Device) // following commands use it
	}
	return answer, err
}

// usesSaved reports whether an argument uses a variable that a step has saved.
func (s *session) usesSaved(v source.Value) bool {
	if v.Kind == source.String {
		for name := range s.client.Saved() {
			if strings.Contains(v.Text, "${"+name) {
				return true
			}
		}
	}
	for _, item := range v.Items {
		if s.usesSaved(item) {
			return true
		}
	}
	for _, f := range v.Fields {
		if s.usesSaved(f.Value) {
			return true
		}
	}
	return false
}

// steps performs test steps: a list, or a single step.
func (s *session) steps(ctx context.Context, c *client.Call, text string) (*client.Answer, error) {
	v, err := one("steps", text)
	if err != nil {
		return nil, err
	}
	if steps, given := v.Get("steps"); given && v.Kind == source.Map { // a whole test: use its steps
		v = steps.Value
	}
	if v.Kind == source.Map || v.Kind == source.String {
		v = source.Value{Kind: source.List, Items: []source.Value{v}}
	}
	c.Listed = &v
	return c.PerformSteps(ctx)
}

// one reads a text with one document.
func one(name, text string) (source.Value, error) {
	clean, src, bad := source.Readable(name, []byte(text))
	if bad != nil {
		return source.Value{}, &live.InvalidError{Err: bad}
	}
	values, err := source.Read(clean, src)
	switch {
	case err != nil:
		return source.Value{}, &live.InvalidError{Err: err}
	case len(values) == 0:
		return source.Value{}, nil
	case len(values) > 1:
		return source.Value{}, &client.Refusal{What: name + " must be one document", Try: "leave --- out"}
	}
	return values[0], nil
}

// errorAnswer converts an error to an answer. Its exit code is that of taproot run: 1 for failures of the app or an
// assertion, 2 for invalid input, and 3 for failures of the device or this machine.
func (s *session) errorAnswer(ctx context.Context, req Request, err error) Response {
	r := s.client.Explain(ctx, err)
	answer := Response{Exit: exitOf(r), Text: markdown.VisibleLines(s.client.Mask.Text(r.Error()), client.MaxText),
		Try: s.client.Mask.Text(r.Try)}
	for _, near := range r.Near {
		answer.Nearest = append(answer.Nearest, s.client.Mask.Text(near))
	}
	if ctx.Err() != nil {
		answer.Exit = run.ExitInterrupted
	}
	if answer.Exit == run.ExitFail && req.Then != "" { // the requested screen explains the failure
		c := &client.Call{Client: s.client, Device: req.Device, Then: req.Then}
		if device, err := c.AnyDevice(ctx); err == nil {
			seen := respond(c.See(ctx, device))
			answer.Text += "\n" + s.client.Mask.Text(seen.Text)
			answer.Images = seen.Images
		}
	}
	return answer
}

func exitOf(r *client.Refusal) int {
	var invalid *live.InvalidError
	var held *live.HeldError
	var busy *pool.BusyError
	var unknown *pool.UnknownDeviceError
	var none *pool.NoDeviceError
	switch {
	case r.Kind == event.Unsupported:
		return run.ExitError
	case r.Missing || r.Failed || r.Kind != "":
		return run.ExitFail
	case errors.As(r.Err, &held), errors.As(r.Err, &busy), errors.As(r.Err, &unknown), errors.As(r.Err, &none),
		errors.Is(r.Err, client.ErrNoDevice),
		errors.Is(r.Err, drivers.ErrPage), errors.Is(r.Err, drivers.ErrDeviceLost), errors.Is(r.Err, drivers.ErrUnsupported):
		return run.ExitError
	case errors.As(r.Err, &invalid), r.Err == nil, isInputError(r.Err):
		return run.ExitUsage
	case action.ResultOf(r.Err) == event.Fail:
		return run.ExitFail
	}
	return run.ExitError
}

// isInputError reports whether an error is about the written steps.
func isInputError(err error) bool {
	var all source.Errors
	var one *source.Error
	return errors.As(err, &all) || errors.As(err, &one)
}
