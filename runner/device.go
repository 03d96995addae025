package runner

import (
	"context"
	"fmt"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/failure"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/pool"
	"github.com/taproot-dev/taproot/runner/internal/run"
	"github.com/taproot-dev/taproot/runner/internal/testdevice"
)

// TestDevice is a leased device of a Ginkgo spec, see Device, or of a plain test, see package devicetest. Its methods
// wait as YAML steps do, are steps in the report pack, and end the spec or test when they fail.
type TestDevice = testdevice.Device

// DeviceT is devicetest.New, for packages that have specs as well: this package links Ginkgo, devicetest does not.
func DeviceT(t testing.TB, options ...DeviceOption) *TestDevice {
	t.Helper()
	return testdevice.Open(t, options...)
}

// Device waits for a free device, opens it for the running spec, and releases it when the spec has ended. The spec has
// a report pack like a YAML test, with a screenshot of each step, and a result in the report of the run: fail when the
// spec fails, error when the device is to blame. A spec can have several devices; each has a pack. Without a device the
// spec is skipped, or fails when TAPROOT_REQUIRE_DEVICES is set. The package must call RunSuites, or Describe. Call
// Device in It or BeforeEach; tests of package testing have package devicetest.
func Device(ctx context.Context, options ...DeviceOption) *TestDevice {
	ginkgo.GinkgoHelper()
	s := theSuite()
	if ginkgo.CurrentSpecReport().LeafNodeType == types.NodeTypeInvalid {
		panic("runner.Device is for specs of Ginkgo; in a test of package testing write devicetest.New(t)")
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
	c, hide := s.specCase(report, placeOf(types.NewCodeLocation(0)), options)
	if only := s.conf.Platform; only != "" && only != c.Platform {
		ginkgo.Skip(fmt.Sprintf("it is for %s, and TAPROOT_PLATFORM is %s", c.Platform, only))
	}
	lease, dev, none := s.runner.Open(ctx, c, pool.Sleep)
	if none != nil {
		s.current.keep(none.Case.Pack)
		s.current.released = true
		s.refuse(*none)
	}
	held, err := s.shared().Hold(ctx, specTest{ctx}, c, lease, dev, hide)
	if err != nil {
		ginkgo.Fail("error: " + err.Error())
	}
	s.current.keep(held.Pack())
	d := &specDevice{Held: held, suite: s}
	ginkgo.DeferCleanup(d.end)
	ginkgo.DeferOnFailure(d.onFailure)
	return held.Device
}

// shared returns what a device of a test needs of the suite.
func (s *suite) shared() testdevice.Suite { return testdevice.Suite{Config: s.conf, Runner: s.runner} }

// refuse ends a spec without a device.
func (s *suite) refuse(o run.Outcome) {
	ginkgo.GinkgoHelper()
	ginkgo.AddReportEntry("pack", o.Dir, ginkgo.ReportEntryVisibilityFailureOrVerbose)
	if o.Result() == event.Skipped {
		ginkgo.Skip(failure.Reason(o.CaseResult))
	}
	ginkgo.Fail(failure.Text(o))
}

// specCase is the running spec as a case.
func (s *suite) specCase(r types.SpecReport, at testdevice.Place, options []DeviceOption) (plan.Case, []string) {
	id, pack, twin := s.current.name(r, s.cases)
	if where := placeOf(r.LeafNodeLocation); where.Line != 0 {
		at = where
	}
	c, hide := s.shared().Case(testdevice.Test{ID: id, Name: r.FullText(), At: at, Labels: r.Labels()}, options)
	c.Pack, c.Twin = pack, twin
	return c, hide
}

func placeOf(at types.CodeLocation) testdevice.Place {
	return testdevice.Place{File: at.FileName, Line: at.LineNumber}
}

// specTest is a spec of Ginkgo as the framework of a device.
type specTest struct{ ctx context.Context }

// Helper marks its caller as a helper.
func (specTest) Helper() { types.MarkAsHelper(1) }

// Fatal ends the spec as failed.
func (specTest) Fatal(text string) {
	ginkgo.GinkgoHelper()
	ginkgo.Fail(text)
}

// Place returns the line of the spec that called a method of the device.
func (specTest) Place() testdevice.Place {
	ginkgo.GinkgoHelper()
	return placeOf(types.NewCodeLocation(0))
}

// Context returns the context of the running spec. Ginkgo ends that of a node, such as BeforeEach, before it runs the
// next one: a device from there continues with the limits of its steps alone.
func (t specTest) Context() context.Context {
	if ended := context.Cause(t.ctx); ended != nil && ended.Error() == nodeEnded {
		return context.WithoutCancel(t.ctx)
	}
	return t.ctx
}

// nodeEnded is the reason with which Ginkgo ends the context of a node that has returned.
const nodeEnded = "spec has finished"

// Ginkgo's parallel processes write into one run.
func init() {
	testdevice.TheRun.Parallel = func() string {
		if config, _ := ginkgo.GinkgoConfiguration(); config.ParallelTotal > 1 {
			return config.ParallelHost
		}
		return ""
	}
}
