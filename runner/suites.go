package runner

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/onsi/ginkgo/v2"
	"github.com/onsi/ginkgo/v2/types"
	"github.com/onsi/gomega"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/runner/internal/failure"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/pool"
	"github.com/taproot-dev/taproot/runner/internal/remote"
	"github.com/taproot-dev/taproot/runner/internal/run"
	"github.com/taproot-dev/taproot/runner/internal/testdevice"
)

// RunSuites makes a Ginkgo suite of the YAML tests below dir and runs it with the specs of the package that are written
// in Go; with dir empty, only these. There is one spec per case, each on a leased device. A suites_test.go needs no
// more than this:
//
//	func TestSuites(t *testing.T) { runner.RunSuites(t, ".") }
//
// The environment configures the rest: TAPROOT_REPORTS_DIR, TAPROOT_DEVICE, TAPROOT_PLATFORM, TAPROOT_REQUIRE_DEVICES,
// TAPROOT_NO_VIDEO, TAPROOT_SHARD, TAPROOT_RERUN_FAILED, TAPROOT_REPEAT (YAML tests only). Ginkgo's own flags work as
// usual, except that the YAML tests run in the order of their files unless --randomize-all is given, and before the
// specs in Go. go test -run TestSuites/login runs the test with this id.
func RunSuites(t *testing.T, dir string) {
	t.Helper()
	if err := Describe(dir); err != nil {
		t.Fatalf("no test was run:\n\n%v", err)
	}
	gomega.RegisterFailHandler(ginkgo.Fail)
	s, config := theSuite(), suiteConfig()
	var asked string
	if f := flag.Lookup("test.run"); f != nil {
		asked = subtest(f.Value.String())
	}
	if asked != "" {
		if err := s.focus(&config, asked); err != nil {
			t.Fatal(err)
		}
		ginkgo.ReportAfterSuite("choice", func(r ginkgo.Report) { s.focused(t, asked, r) })
	}
	ginkgo.RunSpecs(t, suiteName(dir), config)
	if s.reported && s.specs == 0 && s.tests == 0 {
		t.Fatal("no test was run: name a folder of YAML tests, or write a spec in Go")
	}
}

func suiteConfig() types.SuiteConfig {
	config, _ := ginkgo.GinkgoConfiguration()
	return config
}

func suiteName(dir string) string {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return dir
	}
	return filepath.Base(abs)
}

// theSuite is the suite of this process: Ginkgo has only one, too. Device uses it to find the suite of Describe.
var theSuite = sync.OnceValue(func() *suite { return &suite{} })

// Describe adds the YAML tests below dir (none, if dir is empty) to the Ginkgo suite that is being built, and allows
// specs in Go to use Device. It adds a SynchronizedBeforeSuite, with which parallel processes share one run directory;
// call it once.
func Describe(dir string) error {
	s := theSuite()
	if s.described {
		return errors.New("runner.Describe and runner.RunSuites can be called once in a process")
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if s.conf, err = run.FromEnv(run.ProjectRoot(abs), os.LookupEnv); err != nil {
		return err
	}
	config, _ := ginkgo.GinkgoConfiguration()
	if err := s.conf.Programs.ByUser(s.conf.Getenv, s.conf.Dir); err != nil {
		return err
	}
	if s.wrong != nil {
		return s.wrong
	}
	s.conf.Actions, s.conf.GoCall = s.actions, s.callAction
	s.conf.Labels, s.conf.FailFast = config.LabelFilter, config.FailFast
	if config.RandomizeAllSpecs {
		s.conf.Seed = &config.RandomSeed
	}
	if err := s.conf.Resolve(); err != nil {
		return err
	}
	if s.conf.Reporters, err = s.conf.Reporters.Find(s.conf.Dir); err != nil {
		return err
	}
	if s.choice, err = specsToRun(s.conf); err != nil {
		return err
	}
	p := &plan.Plan{}
	if s.hub, err = hubOf(&s.conf); err != nil {
		return err
	}
	if dir != "" {
		s.conf.FilesMustBe = true
		s.conf.TakeOutputDir([]string{abs})
		if p, err = s.conf.Plan(abs); err != nil {
			return err
		}
	}
	for _, note := range []string{s.conf.ChangedNote(p), s.conf.SplitNote(p)} {
		if note != "" {
			fmt.Fprintf(os.Stderr, "taproot: %s\n", note)
		}
	}
	s.described, s.tests, s.plan = true, p.Tests, p
	s.conf.Pages = p.Pages()
	if len(p.Cases) == 0 && p.Matched > 0 {
		why, _ := s.conf.NothingToRun(p)
		fmt.Fprintf(os.Stderr, "taproot: %s\n", why)
	}
	ginkgo.ReportBeforeSuite(func(r ginkgo.Report) { s.recordPlan(r, p.Cases) })
	ginkgo.SynchronizedBeforeSuite(s.first, s.each)
	ginkgo.SynchronizedAfterSuite(s.close, s.last)
	// GitHub reads annotations from the output. Output that a parallel process prints here appears once; in the node
	// above it would appear twice.
	ginkgo.ReportAfterSuite("annotations", func(ginkgo.Report) { fmt.Fprint(os.Stdout, s.annotations.String()) })
	if s.conf.Shard.Count > 1 || s.conf.RerunFailed != "" {
		ginkgo.BeforeEach(s.passBy)
	}
	s.add(p)
	return nil
}

// add makes a spec of each case, in a container with the name of its file, so that --focus can select the file, too.
// Ginkgo would order specs by place or at random: their priorities put them into the order of the plan. The cases of a
// sequence stay together, in one process, and end with the first that fails.
func (s *suite) add(p *plan.Plan) {
	s.cases = map[string]plan.Case{}
	list := slices.Clone(p.Cases)
	for _, c := range p.Left { // excluded by the label filter: Ginkgo counts them
		if s.conf.Platform == "" || c.Platform == s.conf.Platform {
			list = append(list, c)
		}
	}
	sequences := map[string][]func(){}
	for i, c := range list {
		s.cases[strings.ToLower(c.Pack)] = c
		where := types.NewCustomCodeLocation(fmt.Sprintf("%s:%d", c.Test.Pos.File, c.Test.Pos.Line))
		container := func() {
			ginkgo.Describe(c.Test.Pos.File, where, ginkgo.SpecPriority(len(list)-i), func() {
				ginkgo.It(c.Pack, ginkgo.Label(c.Labels...), where, func(ctx ginkgo.SpecContext) { s.spec(ctx, c) })
			})
		}
		if name := c.Test.Sequence; name != "" {
			sequences[name] = append(sequences[name], container)
			continue
		}
		container()
	}
	for _, name := range slices.Sorted(maps.Keys(sequences)) {
		ginkgo.Describe(name, types.NewCustomCodeLocation(name), ginkgo.Ordered, func() {
			for _, container := range sequences[name] {
				container()
			}
		})
	}
}

// suite is the state of one Ginkgo process.
type suite struct {
	described bool
	actions   []plan.GoAction // own actions in Go
	wrong     error           // what is wrong with them
	conf      run.Config
	tests     int                  // number of tests that were read, including filtered ones
	cases     map[string]plan.Case // by pack, in lower case
	planned   []plan.Case          // the cases that Ginkgo is going to run, as far as known; in process 1 only
	reported  bool                 // specs is known, as it is in process 1
	specs     int                  // number of specs, skipped or not
	runner    *run.Runner
	is1       bool // this process made the run directory and reports the run as a whole
	current   specPacks
	choice    *specChoice // among specs in Go
	hub       *remote.Options
	plan      *plan.Plan // of the YAML tests
	farm      *remote.Farm
	marked    map[string]string // by pack: why the last test that is marked as a known failure failed

	annotations strings.Builder // for GitHub
}

// hubOf is the hub with the devices for the YAML tests (TAPROOT_HUB, TAPROOT_API_KEY); nil: they run here.
func hubOf(conf *run.Config) (*remote.Options, error) {
	address := conf.Getenv("TAPROOT_HUB")
	if address == "" {
		return nil, nil
	}
	hub, err := remote.NewClient(address, conf.Getenv("TAPROOT_API_KEY"))
	return &remote.Options{Hub: hub, Inputs: remote.NoteInputs(conf)}, err
}

// recordPlan records, in process 1, the specs that Ginkgo is going to run. With filters that only Ginkgo evaluates,
// they are unknown.
func (s *suite) recordPlan(r ginkgo.Report, chosen []plan.Case) {
	s.reported, s.specs = true, r.PreRunStats.TotalSpecs
	c := r.SuiteConfig
	if !r.SuiteHasProgrammaticFocus && !c.DryRun && len(c.FocusStrings)+len(c.SkipStrings)+len(c.FocusFiles)+len(
		c.SkipFiles) == 0 {
		s.planned = chosen
	}
}

// first runs in process 1 alone: it makes the run directory, unless a plain test has made it.
func (s *suite) first(ctx context.Context) []byte {
	run, begun, sealed, err := testdevice.TheRun.Join(s.conf)
	for _, pack := range sealed {
		ginkgo.GinkgoWriter.Printf("finalized %s of a run that died: %s\n", pack.Dir, pack.CaseResult.Result)
	}
	if run == nil {
		ginkgo.Fail(err.Error())
	}
	if err != nil { // run also if an old run's packs cannot be finalized
		ginkgo.GinkgoWriter.Printf("packs of dead runs could not be finalized: %v\n", err)
	}
	if begun {
		run.NoteEnvironment(ctx, nil)
	}
	errs := []error{s.conf.ReportFinalized(ctx, sealed), history.WriteChoice(run.Dir, s.conf.Choice())}
	if len(s.planned) > 0 {
		errs = append(errs, run.Announce(s.planned))
	}
	if err := errors.Join(errs...); err != nil {
		ginkgo.GinkgoWriter.Printf("%v\n", err)
	}
	s.runner, s.is1 = run, true
	if err := run.Reporting.Start(run, os.Stderr); err != nil {
		ginkgo.Fail(err.Error())
	}
	if _, err := s.conf.ReapServers(); err != nil {
		ginkgo.GinkgoWriter.Printf("servers of a killed run could not be ended: %v\n", err)
	}
	if err := run.StartServers(ctx, s.served()); err != nil {
		ginkgo.Fail(err.Error())
	}
	shared, err := json.Marshal(sharedRun{run.Dir.Path(), run.Config.Started, run.Until})
	gomega.Expect(err).NotTo(gomega.HaveOccurred())
	return shared
}

// sharedRun is what process 1 sends to the other processes of a suite.
type sharedRun struct {
	Dir     string                    `json:"dir"`
	Servers map[string]map[string]any `json:"servers,omitempty"` // their values, by their keys
	Until   time.Time                 `json:"until,omitzero"`    // no case starts after it
}

// served are the cases that may run: their suites' servers are started. With filters that only Ginkgo evaluates, they
// are all cases.
func (s *suite) served() []plan.Case {
	if len(s.planned) > 0 || s.plan == nil {
		return slices.Clone(s.planned)
	}
	return slices.Clone(s.plan.Cases)
}

// each runs in every process: it joins the run directory.
func (s *suite) each(ctx context.Context, sent []byte) {
	var shared sharedRun
	gomega.Expect(json.Unmarshal(sent, &shared)).To(gomega.Succeed())
	s.conf.Started = shared.Servers
	if s.runner == nil {
		dir, err := pack.OpenRunDir(shared.Dir)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		s.runner = &run.Runner{Config: s.conf, Pool: pool.New(run.Drivers(s.conf), s.conf.PoolOptions()), Dir: dir}
		gomega.Expect(testdevice.TheRun.Keep(s.conf.Reports, dir.Path())).To(gomega.Succeed())
		gomega.Expect(s.runner.Reporting.Join(s.runner)).To(gomega.Succeed())
	}
	s.runner.Until = shared.Until
	s.runner.Config.FFmpeg = run.FindFFmpeg(ctx, s.conf)
	s.runner.Observe = s.observe
	if s.hub != nil && len(s.plan.Cases) > 0 {
		s.hub.Config, s.hub.Plan = s.conf, s.plan
		var err error
		s.farm, err = remote.Open(context.WithoutCancel(ctx), *s.hub)
		gomega.Expect(err).NotTo(gomega.HaveOccurred())
		s.runner.Remote = s.farm
	}
}

// observe makes a By of each step.
func (s *suite) observe(c event.Case, e event.Event) {
	if e.Kind != event.StepStarted {
		return
	}
	var step event.Step
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
	if c.Test.Fails != nil && ginkgo.CurrentSpecReport().NumAttempts > 1 { // such a test runs once
		ginkgo.Fail(s.marked[c.Pack])
	}
	outcome, elsewhere := s.run(ctx, c)
	if elsewhere != nil {
		switch elsewhere.Result {
		case event.Pass:
		case event.Skipped, event.Expected:
			ginkgo.Skip(elsewhere.Why)
		default:
			text := fmt.Sprintf("%s: %s: %s", c.Test.Pos, elsewhere.Result, elsewhere.Why)
			s.marked = map[string]string{c.Pack: text}
			ginkgo.Fail(text)
		}
		return
	}
	ginkgo.AddReportEntry("pack", outcome.Dir, ginkgo.ReportEntryVisibilityFailureOrVerbose)
	switch outcome.Result() {
	case event.Pass:
	case event.Skipped, event.Expected: // Ginkgo has no result of its own for a known failure
		ginkgo.Skip(failure.Reason(outcome.CaseResult))
	default:
		text := failure.Text(outcome)
		if c.Test.Fails != nil {
			s.marked = map[string]string{c.Pack: text}
		}
		ginkgo.Fail(text)
	}
}

// run runs a case after those that it needs, which run once in all processes. With elsewhere, it has run before, for a
// case that needs it.
func (s *suite) run(ctx context.Context, c plan.Case) (outcome run.Outcome, elsewhere *run.Kept) {
	s.conf.FillStarted(&c)
	for _, pack := range c.NeedsOf() {
		other, known := s.cases[strings.ToLower(pack)]
		if !known {
			continue
		}
		s.run(ctx, other)
	}
	if !c.Needed {
		return s.runner.Run(ctx, c), nil
	}
	r := ginkgo.CurrentSpecReport()
	again := r.NumAttempts > 1 && strings.EqualFold(r.LeafNodeText, c.Pack)
	outcome, kept, err := s.runner.Ensure(ctx, c, again)
	if err != nil {
		ginkgo.Fail(fmt.Sprintf("%s: %v", c.Pack, err))
	}
	if outcome.CaseResult == nil && outcome.Err == nil {
		return outcome, &kept
	}
	return outcome, nil
}

// close ends this process's part in the run: its browser, its adb connections, its lock on the run directory.
func (s *suite) close() {
	if s.runner == nil {
		return
	}
	gomega.Expect(s.farm.Close()).To(gomega.Succeed())
	gomega.Expect(s.runner.Pool.Close()).To(gomega.Succeed())
	if !s.is1 {
		gomega.Expect(s.runner.Reporting.Leave()).To(gomega.Succeed())
		gomega.Expect(s.runner.Dir.Close()).To(gomega.Succeed())
	}
}

// last runs in process 1 when all others have ended: it reports the run as a whole.
func (s *suite) last(ctx context.Context) {
	if s.runner == nil {
		return
	}
	s.leaveOut(ctx)
	s.runner.StopServers()
	err := testdevice.TheRun.Report(s.conf, func() error { return s.runner.Report(ctx, &s.annotations) })
	if err != nil {
		ginkgo.GinkgoWriter.Printf("the report of the run is incomplete: %v\n", err)
	}
	for _, text := range s.runner.Reporting.End() {
		fmt.Fprintf(os.Stderr, "taproot: warning: %s\n", text)
	}
	gomega.Expect(s.runner.DropNeeds()).To(gomega.Succeed())
	gomega.Expect(s.runner.Dir.Close()).To(gomega.Succeed())
}

// leaveOut writes the packs of the cases that Ginkgo did not start because another one had failed: of their sequence,
// or any.
func (s *suite) leaveOut(ctx context.Context) {
	if !s.conf.FailFast && !slices.ContainsFunc(s.planned, func(c plan.Case) bool { return c.Test.Sequence != "" }) {
		return
	}
	run, err := history.LoadRun(s.runner.Dir.Path())
	if err != nil {
		return // the report contains the error
	}
	began, failed, ended := map[string]bool{}, "", map[string]string{}
	for _, c := range run.Cases {
		began[c.Key] = c.Pack != ""
		if c.Pack != "" && (c.CaseResult.Result == event.Fail || c.CaseResult.Result == event.Error) {
			failed = c.Pack
			if of := s.cases[strings.ToLower(c.Key)].Test; of != nil && of.Sequence != "" {
				ended[of.Sequence] = c.Pack
			}
		}
	}
	for _, c := range s.planned {
		switch {
		case began[c.Pack]:
		case ended[c.Test.Sequence] != "":
			s.runner.SequenceEnded(ctx, c, ended[c.Test.Sequence])
		case s.conf.FailFast && failed != "": // otherwise it was interrupted, or a spec without a pack failed
			s.runner.LeftOut(ctx, c, failed)
		}
	}
}
