package runner

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

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

// TestDevice is a leased device of a Ginkgo spec, see Device, or of a plain test, see DeviceT. Its methods wait as YAML
// steps do, are steps in the report pack, and end the spec or test when they fail.
type TestDevice struct {
	t     testing.TB      // nil: a Ginkgo spec
	ctx   context.Context // of the spec: gomega's matchers have no other
	suite *suite
	c     plan.Case
	lease *pool.Lease
	dev   drivers.Device
	pack  *pack.Pack
	steps *engine.Stepwise

	mu          sync.Mutex
	stepMessage string // the message of the step that ended the spec
	broken      error  // the error of a matcher
	result      event.Result
	problem     *event.Problem
}

// Device waits for a free device, opens it for the running spec, and releases it when the spec has ended. The spec has
// a report pack like a YAML test, with a screenshot of each step, and a result in the report of the run: fail when the
// spec fails, error when the device is to blame. A spec can have several devices; each has a pack. Without a device the
// spec is skipped, or fails when TAPROOT_REQUIRE_DEVICES is set. The package must call RunSuites, or Describe. Call
// Device in It or BeforeEach; tests of package testing have DeviceT.
func Device(ctx context.Context, options ...DeviceOption) *TestDevice {
	ginkgo.GinkgoHelper()
	s := theSuite()
	if ginkgo.CurrentSpecReport().LeafNodeType == types.NodeTypeInvalid {
		panic("runner.Device is for specs of Ginkgo; in a test of package testing write runner.DeviceT(t)")
	}
	if s.runner == nil {
		ginkgo.Fail(
			"there are no devices here: call runner.Device within a spec of a package with a test function that calls " +
				"runner.RunSuites(t, \".\")")
	}
	report := ginkgo.CurrentSpecReport()
	if !report.LeafNodeType.Is(types.NodeTypeIt) {
		ginkgo.Fail("runner.Device is for It and BeforeEach, not for " + report.LeafNodeType.String())
	}
	c, hide := s.specCase(report, types.NewCodeLocation(0), options)
	if only := s.conf.Platform; only != "" && only != c.Platform {
		ginkgo.Skip(fmt.Sprintf("it is for %s, and TAPROOT_PLATFORM is %s", c.Platform, only))
	}
	lease, dev, none := s.runner.Open(ctx, c, pool.Sleep)
	if none != nil {
		s.current.keep(none.Case.Pack)
		s.current.released = true
		s.refuse(*none)
	}
	d, err := s.hold(ctx, &TestDevice{ctx: ctx, suite: s, c: c, lease: lease, dev: dev}, hide)
	if err != nil {
		s.runner.GiveBack(lease, dev, event.Pass)
		ginkgo.Fail("error: the report cannot be kept: " + err.Error())
	}
	return d
}

// hold starts the report.
func (s *suite) hold(ctx context.Context, d *TestDevice, hide []string) (*TestDevice, error) {
	if err := d.startReport(ctx, hide); err != nil {
		return nil, err
	}
	s.current.keep(d.c.Pack)
	ginkgo.DeferCleanup(d.end)
	ginkgo.DeferOnFailure(d.onFailure)
	return d, nil
}

// startReport starts the report of a device.
func (d *TestDevice) startReport(ctx context.Context, hide []string) (err error) {
	if d.pack, err = d.suite.runner.Pack(&d.c, d.lease.Info); err != nil {
		return err
	}
	opts := d.suite.runner.Engine()
	opts.Warnings = d.suite.runner.PrepareDevice(ctx, d.dev)
	d.steps = engine.Start(ctx, d.c, d.dev, d.pack, opts, hide...)
	return nil
}

// refuse ends a spec without a device.
func (s *suite) refuse(o run.Outcome) {
	ginkgo.GinkgoHelper()
	ginkgo.AddReportEntry("pack", o.Dir, ginkgo.ReportEntryVisibilityFailureOrVerbose)
	if o.Result() == event.Skipped {
		ginkgo.Skip(reason(o.CaseResult))
	}
	ginkgo.Fail(failure.Text(o))
}

// specCase is the running spec as a case.
func (s *suite) specCase(r types.SpecReport, at types.CodeLocation, options []DeviceOption) (plan.Case, []string) {
	id, pack, twin := s.current.name(r, s.cases)
	where := r.LeafNodeLocation
	if where.LineNumber == 0 {
		where = at
	}
	c, hide := s.testCase(testCase{id: id, name: r.FullText(), at: where, labels: r.Labels()}, options)
	c.Pack, c.Twin = pack, twin
	return c, hide
}

func folder(at types.CodeLocation) string { return filepath.Dir(at.FileName) }

// source returns a place in Go code for messages, and the file.
func (s *suite) source(at types.CodeLocation) (source.Pos, *source.Source) {
	pos := source.Pos{File: filepath.ToSlash(at.FileName), Line: at.LineNumber, Col: 1}
	if rel, err := filepath.Rel(s.conf.Dir, at.FileName); err == nil && filepath.IsLocal(rel) {
		pos.File = filepath.ToSlash(rel)
	}
	source := &source.Source{File: pos.File}
	if text, err := os.ReadFile(at.FileName); err == nil { // without the file, messages show no line
		// so that a caret is under its character
		source.Lines = strings.Split(strings.ReplaceAll(string(text), "\t", " "), "\n")
		if line := source.Line(pos.Line); line != "" {
			pos.Col = 1 + len(line) - len(strings.TrimLeft(line, " "))
		}
	}
	return pos, source
}

// Info describes the device.
func (d *TestDevice) Info() drivers.Info { return d.dev.Info() }

func (d *TestDevice) do(ctx context.Context, args any, lenient bool, how []StepOption) (engine.Ended, source.Pos,
	*source.Source) {
	ginkgo.GinkgoHelper()
	d.marks().Helper()
	pos, source := d.suite.source(types.NewCodeLocation(0))
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
	if err != nil { // an error in the spec, as in a YAML file
		return d.steps.Fail(ctx, step, &action.Failure{Problem: event.Problem{Message: err.Error()}}), pos, source
	}
	return d.steps.Do(ctx, call), pos, source
}

// fail ends the spec because of a step.
func (d *TestDevice) fail(pos source.Pos, src *source.Source, e engine.Ended) {
	ginkgo.GinkgoHelper()
	d.marks().Helper()
	text := failure.Problem(source.Error{Pos: pos, Source: src}, e.Result, *e.Problem)
	text += failure.Field("pack", d.pack.Dir())
	d.mu.Lock()
	d.stepMessage = text
	d.mu.Unlock()
	if d.t != nil {
		d.t.Fatal(text)
	}
	ginkgo.Fail(text)
}

// marks is called by a plain test so that its failures are reported at the line that called a method of the device.
func (d *TestDevice) marks() interface{ Helper() } {
	if d.t != nil {
		return d.t
	}
	return noHelper{}
}

// noHelper is for specs of Ginkgo, which has its own helper marks.
type noHelper struct{}

// Helper does nothing.
func (noHelper) Helper() {}

// Look reads the screen once, without waiting, and returns what it shows for the selector. It is not a step; gomega's
// Eventually waits with it, see package matchers.
func (d *TestDevice) Look(sel dsl.Selector) (Sight, error) {
	ctx := d.context()
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
func (d *TestDevice) Note(text string) { d.steps.Note(text) }
