package testdevice

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/engine"
	"github.com/taproot-dev/taproot/runner/internal/failure"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/pool"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// Framework is what a device needs of the test that has leased it.
type Framework interface {
	// Helper marks its caller as a helper: failures are reported at the line that called it.
	Helper()
	// Fatal ends the test as failed.
	Fatal(text string)
	// Place returns the line of the test that called a method of the device.
	Place() Place
	// Context returns the context of the test.
	Context() context.Context
}

// Place is a line of Go code. The zero value is an unknown one.
type Place struct {
	File string // an absolute path
	Line int
}

// Device is a leased device of a test. Its methods wait as YAML steps do, are steps in the report pack, and end the
// test when they fail.
type Device struct {
	test  Framework
	suite Suite
	c     plan.Case
	dev   drivers.Device
	pack  *pack.Pack // nil: it is borrowed
	steps *engine.Stepwise

	mu          sync.Mutex
	stepMessage string // the message of the step that ended the test
	broken      error  // the error of a matcher
}

// Info describes the device.
func (d *Device) Info() drivers.Info { return d.dev.Info() }

// Look reads the screen once, without waiting, and returns what it shows for the selector. It is not a step; gomega's
// Eventually waits with it, see package matchers.
func (d *Device) Look(sel dsl.Selector) (failure.Sight, error) {
	ctx := d.test.Context()
	found, tree, err := d.steps.Look(ctx, sel)
	if err != nil && action.ResultOf(err) == event.Error && ctx.Err() == nil {
		d.mu.Lock()
		d.broken = err
		d.mu.Unlock()
	} else if err == nil {
		d.mu.Lock()
		d.broken = nil // it was not ready for a moment
		d.mu.Unlock()
	}
	return failure.NewSight(sel, found, tree), err
}

// Note writes a line into the report.
func (d *Device) Note(text string) { d.steps.Note(text) }

func (d *Device) do(ctx context.Context, args any, lenient bool, how []StepOption) (engine.Ended, source.Pos,
	*source.Source) {
	d.test.Helper()
	pos, source := d.suite.source(d.test.Place())
	step, full, err := dsl.NewStep(args, pos, source)
	if err == nil && !step.Def.On(d.c.Platform) {
		err = fmt.Errorf("%s does not work on %s", step.Def.Name, d.c.Platform)
	}
	if step == nil {
		step = dsl.NamedStep("step", fmt.Sprintf("%T", args), pos, source)
	}
	call := engine.Call{Step: step, Args: full, Lenient: lenient}
	for _, o := range how {
		if o.call != nil {
			o.call(&call)
		}
	}
	if err == nil && slices.ContainsFunc(how, func(o StepOption) bool { return o.unused }) {
		err = errors.New("runner.Below and its like refine a label: in a struct of package dsl write them into its Selector")
	}
	if err != nil { // an error in the test, as in a YAML file
		return d.steps.Fail(ctx, step, &action.Failure{Problem: event.Problem{Message: err.Error()}}), pos, source
	}
	return d.steps.Do(ctx, call), pos, source
}

// fail ends the test because of a step.
func (d *Device) fail(pos source.Pos, src *source.Source, e engine.Ended) {
	d.test.Helper()
	text := failure.Problem(source.Error{Pos: pos, Source: src}, e.Result, *e.Problem)
	text += failure.Field("pack", d.steps.Dir())
	d.mu.Lock()
	d.stepMessage = text
	d.mu.Unlock()
	d.test.Fatal(text)
}

// Borrow makes the device of a running case one with methods, for an own action in Go.
func (s Suite) Borrow(test Framework, steps *engine.Stepwise) *Device {
	return &Device{test: test, suite: s, c: steps.Case(), dev: steps.Device(), steps: steps}
}

// Held is a device as its framework holds it, from lease to report.
type Held struct {
	*Device

	lease *pool.Lease
}

// Hold makes a leased and opened device that of a test, and starts its report. hide are values to mask.
func (s Suite) Hold(ctx context.Context, test Framework, c plan.Case, lease *pool.Lease, dev drivers.Device,
	hide []string) (*Held, error) {
	h := &Held{Device: &Device{test: test, suite: s, c: c, dev: dev}, lease: lease}
	var err error
	if h.pack, err = s.Runner.Pack(&h.c, lease.Info); err != nil {
		s.Runner.GiveBack(lease, dev, event.Pass)
		return nil, fmt.Errorf("the report cannot be kept: %w", err)
	}
	opts := s.Runner.Engine()
	opts.Warnings = s.Runner.PrepareDevice(ctx, dev)
	h.steps = engine.Start(ctx, h.c, dev, h.pack, opts, hide...)
	return h, nil
}

// Pack returns the name of the device's report pack.
func (h *Held) Pack() string { return h.c.Pack }

// Result returns the result of the steps so far, and what went wrong.
func (h *Held) Result() (event.Result, *event.Problem) { return h.steps.Result() }

// FailedWith reports whether a step of the device has ended the test with this message.
func (h *Held) FailedWith(message string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.stepMessage == message
}

// Fail adds a failure outside of the device's own steps to the report, as a step with a screenshot. The error of a
// matcher that could not read the device takes its place.
func (h *Held) Fail(ctx context.Context, title string, at Place, problem event.Problem) *event.Problem {
	pos, src := h.suite.source(at)
	if title == "" {
		title = firstLine(src.Line(pos.Line))
	}
	h.mu.Lock()
	var err error = &action.Failure{Problem: problem}
	if h.broken != nil {
		err = h.broken
	}
	h.mu.Unlock()
	return h.steps.Fail(ctx, dsl.NamedStep("expect", title, pos, src), err).Problem
}

// End ends the report, and releases the device.
func (h *Held) End(ctx context.Context, result event.Result, problem *event.Problem) run.Outcome {
	ctx = context.WithoutCancel(ctx)
	ended, err := h.steps.End(ctx, result, problem)
	h.suite.Runner.GiveBack(h.lease, h.dev, ended)
	return h.suite.Runner.Finish(ctx, h.c, h.pack, err)
}
