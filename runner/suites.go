package runner

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	"github.com/onsi/gomega"

	"github.com/taproot-dev/taproot/drivers/toolchain"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters"
	"github.com/taproot-dev/taproot/runner/plan"
)

// RunSuites makes a Ginkgo suite of the YAML tests below dir and runs it: one spec per case, each on a leased device. It is all that
// a suites_test.go needs:
//
//	func TestSuites(t *testing.T) { runner.RunSuites(t, ".") }
//
// The environment says the rest: TAPROOT_REPORTS_DIR, TAPROOT_DEVICE, TAPROOT_PLATFORM, TAPROOT_REQUIRE_DEVICES, TAPROOT_NO_VIDEO.
func RunSuites(t *testing.T, dir string) {
	t.Helper()
	if err := Describe(dir); err != nil {
		t.Fatalf("no test was run:\n\n%v", err)
	}
	gomega.RegisterFailHandler(ginkgo.Fail)
	ginkgo.RunSpecs(t, suiteName(dir))
}

func suiteName(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	return filepath.Base(abs)
}

// Describe adds the YAML tests below dir to the Ginkgo suite that is being built. It brings a SynchronizedBeforeSuite, by which
// parallel processes share one run directory; call it once.
func Describe(dir string) error {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	root := ProjectRoot(abs)
	conf, err := FromEnv(root, os.LookupEnv)
	if err != nil {
		return err
	}
	p, err := conf.Plan(abs)
	if err != nil {
		return err
	}
	s := &suite{conf: conf}
	ginkgo.SynchronizedBeforeSuite(s.first, s.each)
	ginkgo.SynchronizedAfterSuite(s.close, s.last)
	for _, c := range p.Cases {
		where := types.NewCustomCodeLocation(fmt.Sprintf("%s:%d", c.Test.Pos.File, c.Test.Pos.Line))
		ginkgo.It(c.Pack, ginkgo.Label(c.Labels...), where, func(ctx ginkgo.SpecContext) { s.spec(ctx, c) })
	}
	return nil
}

// suite is what one Ginkgo process keeps between its specs.
type suite struct {
	conf   Config
	runner *Runner
	is1    bool // this process made the run directory and reports the run as a whole
}

// first runs in process 1 alone: it makes the run directory.
func (s *suite) first(ctx context.Context) []byte {
	run, sealed, err := Begin(s.conf, nil)
	for _, pack := range sealed {
		ginkgo.GinkgoWriter.Printf("sealed %s, which a run that died left behind: %s\n", pack.Dir, pack.Result.Verdict)
	}
	if run == nil {
		ginkgo.Fail(err.Error())
	}
	if err != nil { // that an old run's packs cannot be sealed is no reason not to run
		ginkgo.GinkgoWriter.Printf("packs of dead runs could not be sealed: %v\n", err)
	}
	if err := s.conf.ReportSealed(ctx, sealed); err != nil {
		ginkgo.GinkgoWriter.Printf("%v\n", err)
	}
	s.runner, s.is1 = run, true
	return []byte(run.Dir.Path())
}

// each runs in every process: it joins the run directory.
func (s *suite) each(ctx context.Context, path []byte) {
	if s.runner == nil {
		dir, err := reporters.OpenRunDir(string(path))
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		s.runner = &Runner{Config: s.conf, Pool: NewPool(Drivers(s.conf), s.conf), Dir: dir}
	}
	s.runner.Config.FFmpeg = FindFFmpeg(ctx, s.conf)
	s.runner.Observe = s.observe
}

// FindFFmpeg gives the path of ffmpeg, "" without one.
func FindFFmpeg(ctx context.Context, c Config) string {
	found, err := toolchain.Find(ctx, toolchain.NewHost(c.Getenv, os.Environ()), toolchain.FFmpeg)
	if err != nil {
		return ""
	}
	return found.Path
}

// observe makes a By of each step.
func (s *suite) observe(c reporters.Case, e reporters.Event) {
	if e.Kind != reporters.StepStarted {
		return
	}
	var step reporters.Step
	switch {
	case e.Info != nil:
		step = *e.Info
	case e.Step >= 1 && e.Step <= len(c.Steps):
		step = c.Steps[e.Step-1]
	default:
		return
	}
	ginkgo.By(fmt.Sprintf("%d %s %s (%s)", step.N, step.Action, step.Args, step.Place))
}

func (s *suite) spec(ctx context.Context, c plan.Case) {
	outcome := s.runner.Run(ctx, c)
	ginkgo.AddReportEntry("pack", outcome.Dir, ginkgo.ReportEntryVisibilityFailureOrVerbose)
	switch outcome.Verdict() {
	case reporters.Pass:
	case reporters.Skipped:
		ginkgo.Skip(reason(outcome.Result))
	default:
		ginkgo.Fail(FailureText(outcome))
	}
}

// close ends this process's part in the run: its browser, its adb connections, its mark on the run directory.
func (s *suite) close() {
	if s.runner == nil {
		return
	}
	gomega.Expect(s.runner.Pool.Close()).To(gomega.Succeed())
	if !s.is1 {
		gomega.Expect(s.runner.Dir.Close()).To(gomega.Succeed())
	}
}

// last runs in process 1 when all others are done: it reports the run as a whole.
func (s *suite) last(ctx context.Context) {
	if s.runner == nil {
		return
	}
	ginkgo.PauseOutputInterception() // GitHub reads annotations off the standard output
	err := s.runner.Report(ctx, os.Stdout)
	ginkgo.ResumeOutputInterception()
	if err != nil {
		ginkgo.GinkgoWriter.Printf("the report of the run is not whole: %v\n", err)
	}
	gomega.Expect(s.runner.Dir.Close()).To(gomega.Succeed())
}

// reason is why a case did not pass.
func reason(r *reporters.Result) string {
	if r.Problem == nil {
		return string(r.Verdict)
	}
	return r.Problem.Message
}

// FailureText is what a failed case shows: the place and the line in the YAML file, what was expected, what was there.
func FailureText(o Outcome) string {
	if o.Result == nil || o.Result.Problem == nil {
		text := fmt.Sprintf("%s: %s", o.Case.Test.Pos, o.Verdict())
		if o.Err != nil {
			text += ": " + o.Err.Error()
		}
		return text
	}
	p := o.Result.Problem
	var b strings.Builder
	at := o.Case.Test.Pos
	if step := o.Result.Step(o.Result.ProblemStep); step != nil {
		at = step.Place
	}
	located := dsl.Error{Pos: at, Msg: string(o.Result.Verdict) + ": " + p.Message, Source: o.Case.Test.Source, Width: 1}
	b.WriteString(located.Error())
	for _, line := range [][2]string{{"expected", p.Expected}, {"actual", p.Actual}, {"near", strings.Join(p.Candidates, "; ")}, {"pack", o.Dir}} {
		if line[1] != "" {
			fmt.Fprintf(&b, "\n  %-9s %s", line[0]+":", line[1])
		}
	}
	if o.Err != nil {
		fmt.Fprintf(&b, "\n  report:   %v", o.Err)
	}
	return b.String()
}
