package cli_test

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// goSuite is the suite of testdata/gosuite, as a program: this binary, under that name.
const goSuite = "gosuite.test"

// goLab returns a lab in the suite's folder.
func goLab(t *testing.T, phones int) (*lab, string) {
	t.Helper()
	l := newLab(t, phones)
	l.dir = filepath.Join(projectRoot(t), "cli", "testdata", "gosuite")
	l.env = append(l.env, "TAPROOT_NO_VIDEO=true", "TAPROOT_REQUIRE_DEVICES=true")
	return l, goSuite
}

// loaded returns the only run, read from its reports, which are complete.
func (l *lab) loaded() *history.Run {
	l.t.Helper()
	if len(l.packs()) > 0 { // otherwise there is nothing to verify
		l.taproot("report", "verify").exits(l.t, 0)
	}
	run, err := history.LoadRun(l.runs()[0])
	if err != nil {
		l.t.Fatal(err)
	}
	return run
}

// startedPacks returns the packs of a run in the order of their start.
func startedPacks(run *history.Run) (packs []string) {
	list := slices.Clone(run.Cases)
	slices.SortFunc(list, func(a, b history.RunCase) int { return a.CaseResult.Started.Compare(b.CaseResult.Started) })
	for _, c := range list {
		packs = append(packs, c.Pack)
	}
	return packs
}

// specs are some of the suite's, run by one process.
type specs struct {
	label, env string
	phones     int
	results    map[string]event.Result // by pack
	words      []string                // of the output, or of the pages
}

// inOneRun runs the specs that need one phone in one run with -short, except for the one that takes twelve seconds.
func inOneRun(all []specs) (list []specs) {
	if !testing.Short() {
		return all
	}
	one := specs{phones: 1, results: map[string]event.Result{}}
	for _, s := range all {
		switch {
		case s.env != "" || s.phones != 1:
			list = append(list, s)
		case s.label != "timeout":
			one.label = strings.TrimPrefix(one.label+" || "+s.label, " || ")
			maps.Copy(one.results, s.results)
			one.words = append(one.words, s.words...)
		}
	}
	return append(list, one)
}

// Specs in Go leave packs with the same results as YAML tests.
func TestSpecsInGo(t *testing.T) {
	t.Parallel()
	for _, test := range inOneRun([]specs{
		{"passes", "", 1, map[string]event.Result{"go-passes": "pass"}, nil},
		{"step", "", 1, map[string]event.Result{"go-fails-in-a-step": "fail"},
			[]string{"gosuite.go:42:3: fail: \"Paymants\" did not appear", `"Payments"`, "expected:", "near:", "pack:"}},
		{"expect", "", 1, map[string]event.Result{"go-fails-in-an-expectation": "fail"},
			[]string{"\"Paymants\" is not on the screen", "near:", `"Payments"`}},
		{"panics", "", 1, map[string]event.Result{"go-panics": "fail"}, []string{"boom"}},
		{"timeout", "", 1, map[string]event.Result{"go-times-out": "fail"}, nil},
		{"skips", "", 1, map[string]event.Result{"go-skips": "skipped"}, nil},
		{"wrong", "", 1, map[string]event.Result{"go-is-no-action": "fail", "go-is-for-a-page": "fail"},
			[]string{"tap: ", "openBrowser does not work on android"}},
		{"two", "", 2, map[string]event.Result{"go-has-two": "pass", "go-has-two--device-2": "pass"}, nil},
		{"several", "", 2, map[string]event.Result{"leases-several": "pass", "leases-several--device-2": "pass"}, nil},
		{"missing", "", 1, map[string]event.Result{"leases-what-is-not-there": "error"},
			[]string{"the test needs 2 devices at once", "dora: ", "Nokia 3310"}},
		{"unnamed", "", 1, map[string]event.Result{}, nil},
		{"flaky", "", 1, map[string]event.Result{"go-passes-at-last--attempt-2": "pass"}, nil},
		{"twins", "", 1, map[string]event.Result{"go-has-a-namesake": "pass", "go-has-a-namesake--spec-2": "fail"}, nil},
		{"need", "", 1, map[string]event.Result{"go-needs-another-device": "error"}, []string{"Nokia 3310"}},
		{"need", "TAPROOT_REQUIRE_DEVICES=false", 1, map[string]event.Result{"go-needs-another-device": "skipped"}, nil},
		{"passes", "TAPROOT_REQUIRE_DEVICES=false", 0, map[string]event.Result{"go-passes": "skipped"}, nil},
		{"passes", "", 0, map[string]event.Result{"go-passes": "error"}, []string{"no Android device is attached"}},
		{"each", "", 1, map[string]event.Result{"go-with-a-beforeeach-has-it": "pass"}, nil},
		{"ordered", "", 1, map[string]event.Result{"go-in-order-fails-first": "fail"}, nil},
		{"clash", "", 1, map[string]event.Result{"yaml-1-spec": "pass"}, nil},
	}) {
		t.Run(test.label+test.env, func(t *testing.T) {
			t.Parallel()
			l, program := goLab(t, test.phones)
			if test.env != "" {
				l.env = append(l.env, test.env)
			}
			e := l.start(program, "-ginkgo.no-color", "-ginkgo.label-filter="+test.label).wait()
			run := l.loaded()
			got, bad := map[string]event.Result{}, false
			for _, c := range run.Cases {
				got[c.Pack] = c.CaseResult.Result
				bad = bad || c.CaseResult.Result == event.Fail || c.CaseResult.Result == event.Error
				if p := c.CaseResult.Problem; c.CaseResult.Result == event.Fail &&
					(p == nil || !strings.Contains(c.CaseResult.ProblemPlace(), "gosuite.go:")) {
					t.Errorf("%s: %+v at %s", c.Pack, p, c.CaseResult.ProblemPlace())
				}
			}
			if len(got) != len(test.results) {
				t.Errorf("packs %v, want %v", got, test.results)
			}
			for pack, want := range test.results {
				if got[pack] != want {
					t.Errorf("%s: %s, want %s", pack, got[pack], want)
				}
			}
			if (e.code != 0) != bad {
				t.Errorf("exit code %d with %v", e.code, got)
			}
			has(t, "Ginkgo", e.stdout, test.words...)
			l.quiet()
		})
	}
}

// A failed expectation outside of the steps becomes a step, with the screenshot of that moment, not of after cleaning
// up.
func TestExpectationThatFailsIsInThePack(t *testing.T) {
	t.Parallel()
	l, program := goLab(t, 1)
	l.start(program, "-ginkgo.no-color", "-ginkgo.label-filter=expect").wait().exits(t, 1)
	res := l.loaded().Cases[0].CaseResult
	step := res.Step(res.ProblemStep)
	if step == nil || step.Action != "expect" || !strings.Contains(step.Source, "// expect") ||
		len(step.Attachments) == 0 || step.N != 2 {
		t.Fatalf("problem in step %d: %+v", res.ProblemStep, step)
	}
	has(t, "the problem", res.Problem.Message, "Paymants", "Payments")
	if n := len(res.Steps); n != 3 || res.Steps[2].Result != event.Pass { // the cleaning up
		t.Errorf("steps %+v", res.Steps)
	}
}

// A lost phone is an error, not a failure of the app, in every step.
func TestPhoneThatIsLostUnderASpecIsAnError(t *testing.T) {
	t.Parallel()
	for label, step := range map[string]int{"lost-step": 2, "lost-expect": 2} {
		t.Run(label, func(t *testing.T) {
			if label == "lost-step" {
				testutil.Leave(t, "the drivers lose devices in steps")
			}
			t.Parallel()
			l, program := goLab(t, 1)
			run := l.start(program, "-ginkgo.no-color", "-ginkgo.label-filter="+label)
			l.untilStep("go-waits-in-"+map[string]string{"lost-step": "a-step", "lost-expect": "an-expectation"}[label], step)
			l.phones[0].Disconnect()
			run.wait().exits(t, 1)
			if c := l.loaded().Cases[0]; c.CaseResult.Result != event.Error {
				t.Errorf("%s: %+v", c.CaseResult.Result, c.CaseResult.Problem)
			}
		})
	}
}

func TestWhatASpecHidesIsInNoReport(t *testing.T) {
	t.Parallel()
	l, program := goLab(t, 1)
	l.start(program, "-ginkgo.label-filter=hides").wait()
	dir := l.packs()[0]
	for _, name := range []string{"events.ndjson", "run.md", "report.html"} {
		if strings.Contains(read(t, dir, name), "hunter2") {
			t.Errorf("%s shows it", name)
		}
	}
}

// yamlCases are the suite's tests in YAML, in the order of the plan; with -short, without the data rows, which need a
// browser.
func yamlCases() (label string, ids []string) {
	ids = []string{"yaml-3", "yaml-1", "yaml-2"}
	if testing.Short() {
		return "yaml && android", ids
	}
	return "yaml", append(ids, "yaml-rows--row-1", "yaml-rows--row-2", "yaml-rows--row-3")
}

// The same shard and seed under Ginkgo and by taproot run: the same cases, in the same order, with equal summaries.
func TestGinkgoAndTaprootRunChooseTheSame(t *testing.T) {
	t.Parallel()
	useBrowser(t)
	whole := map[string]int{}
	label, cases := yamlCases()
	for _, shard := range testutil.Few(2, []string{"1/2", "2/2"}) {
		l, program := goLab(t, 1)
		env := slices.Clone(l.env)
		l.env = append(env, "TAPROOT_SHARD="+shard, "TAPROOT_REPEAT=2")
		l.start(program, "-ginkgo.no-color", "-ginkgo.label-filter="+label, "-ginkgo.randomize-all",
			"-ginkgo.seed=7").wait().exits(t, 0)
		byGinkgo := l.loaded()

		l.reports += "-cli"
		l.env = append(env, "TAPROOT_REPORTS_DIR="+l.reports)
		l.taproot("run", ".", "--label-filter", label, "--shard", shard, "--seed", "7", "--repeat", "2", "--parallel",
			"1").exits(t, 0)
		byCLI := l.loaded()
		if a, b := startedPacks(byGinkgo), startedPacks(byCLI); !slices.Equal(a, b) || len(a) > 2 && slices.IsSorted(a) {
			t.Errorf("shard %s: by Ginkgo %q, by taproot run %q", shard, a, b)
		}
		if a, b := byGinkgo.Choice.String(), byCLI.Choice.String(); a != b || !strings.Contains(a, "seed 7") {
			t.Errorf("chosen: %q and %q", a, b)
		}
		for i, c := range byGinkgo.Cases {
			whole[c.Pack]++
			a, b := pack.Summarize(c.CaseResult), pack.Summarize(byCLI.Cases[i].CaseResult)
			if a.ID != b.ID || a.Result != b.Result || a.Steps != b.Steps || a.StepsPassed != b.StepsPassed ||
				a.Screenshots != b.Screenshots {
				t.Errorf("by Ginkgo %+v, by taproot run %+v", a, b)
			}
		}
	}
	if len(whole) != 2*len(cases) && !testing.Short() { // choice.txtar puts shards together
		t.Errorf("the shards together: %v", whole)
	}
}

// Without --randomize-all, Ginkgo runs YAML tests in the order of the plan, whatever its seed: order in taproot.yaml,
// then the files.
func TestGinkgoKeepsTheOrderOfThePlan(t *testing.T) {
	testutil.Leave(t, "TestGinkgoFailFastAndRerunFailed sees what had begun before the failure, in the order of the plan")
	t.Parallel()
	useBrowser(t)
	l, program := goLab(t, 1)
	label, want := yamlCases()
	l.start(program, "-ginkgo.no-color", "-ginkgo.label-filter="+label, "-ginkgo.seed=3").wait().exits(t, 0)
	if got := startedPacks(l.loaded()); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// As with taproot run, --fail-fast under Ginkgo skips and reports the tests that had not started; failed ones are
// rerun.
func TestGinkgoFailFastAndRerunFailed(t *testing.T) {
	t.Parallel()
	l, program := goLab(t, 1)
	e := l.start(program, "-ginkgo.no-color", "-ginkgo.fail-fast", "-ginkgo.label-filter=bad || yaml && android").wait()
	e.exits(t, 1)
	got := map[string]event.Result{}
	for _, c := range l.loaded().Cases {
		got[c.Pack] = c.CaseResult.Result
	}
	if got["yaml-3"] != "pass" || got["yaml-1"] != "pass" || got["bad"] != "fail" || got["yaml-2"] != "skipped" ||
		len(got) != 4 {
		t.Errorf("%v", got)
	}
	l.env = append(l.env, "TAPROOT_RERUN_FAILED=1")
	again := l.start(program, "-ginkgo.no-color", "-ginkgo.label-filter=bad || yaml && android").wait()
	again.exits(t, 1)
	has(t, "Ginkgo", again.stdout, "Ran 1 of", "bad.yaml:7")
	run, err := history.LoadRun(l.runs()[1])
	if err != nil || len(run.Cases) != 1 || run.Choice.RerunOf != filepath.Base(l.runs()[0]) {
		t.Errorf("%+v, %v", run, err)
	}
}

// Shards and reruns also apply to specs in Go: each is in one shard, and one that passed does not run again.
func TestSpecsInGoAreShardedAndRunAgain(t *testing.T) {
	t.Parallel()
	l, program := goLab(t, 1)
	env := slices.Clone(l.env)
	specs := []string{"-ginkgo.no-color", "-ginkgo.label-filter=wrong || each"}
	began := map[string]int{}
	for i, shard := range []string{"1/2", "2/2"} {
		l.env = append(slices.Clone(env), "TAPROOT_SHARD="+shard)
		l.start(program, specs...).wait()
		if i >= len(l.runs()) {
			t.Fatalf("shard %s left no run", shard)
		}
		run, err := history.LoadRun(l.runs()[i])
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range run.Cases {
			began[c.Pack]++
		}
	}
	if len(began) != 3 || began["go-is-no-action"] != 1 || began["go-is-for-a-page"] != 1 ||
		began["go-with-a-beforeeach-has-it"] != 1 {
		t.Errorf("%v", began)
	}
	l.reports += "-again"
	l.env = append(env, "TAPROOT_REPORTS_DIR="+l.reports)
	l.start(program, specs...).wait()
	l.env = append(l.env, "TAPROOT_RERUN_FAILED=true")
	l.start(program, specs...).wait()
	run, err := history.LoadRun(l.runs()[1])
	if err != nil {
		t.Fatal(err)
	}
	if got := startedPacks(run); len(got) != 2 || slices.Contains(got, "go-with-a-beforeeach-has-it") {
		t.Errorf("%q", got)
	}
}

// In parallel, a failing spec prints the line of the YAML file, and each annotation for GitHub once. GitHub ignores
// white space before it.
func TestGinkgoInParallelAnnotatesOnce(t *testing.T) {
	t.Parallel()
	l, program := goLab(t, 2)
	suite := t.TempDir() // Ginkgo runs a compiled suite in its folder
	file, err := exec.LookPath(program)
	if err := errors.Join(err, os.CopyFS(suite, os.DirFS(l.dir)),
		os.Symlink(file, filepath.Join(suite, goSuite))); err != nil {
		t.Fatal(err)
	}
	pair := severalPhones + "tags: [pair]\nsteps:\n  - on: {alice: [" + launchesList + "], carol: [" + launchesList +
		"]}\n"
	for _, id := range []string{"pair-1", "pair-2"} { // both need both phones
		if err := os.WriteFile(filepath.Join(suite, id+".yaml"), []byte("id: "+id+"\n"+pair), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	l.dir = projectRoot(t)
	l.env = append(l.env, "GITHUB_ACTIONS=true")
	e := l.start("go", "tool", "ginkgo", "--procs=2", "--no-color",
		"--label-filter=bad || step || several || pair || yaml && android", filepath.Join(suite, goSuite)).wait()
	e.exits(t, 1)
	has(t, "Ginkgo", e.stdout, "Running in parallel across 2 processes", "bad.yaml:7:5: fail: ",
		`7 |   - assert: {label: Nowhere, timeoutMs: 0}`,
		"gosuite.go:42:3: fail: ")
	for _, want := range []string{"bad.yaml,line=7,", "gosuite.go,line=42,"} {
		n := 0
		for line := range strings.Lines(e.stdout) {
			if strings.HasPrefix(strings.TrimLeft(line, " "), "::error file=") && strings.Contains(line, want) {
				n++
			}
		}
		if n != 1 || strings.Count(e.stdout, want) != 1 {
			t.Errorf("%d annotations of %s", strings.Count(e.stdout, want), want)
		}
	}
	run := l.loaded()
	if len(run.Cases) != 9 {
		t.Errorf("%q", startedPacks(run))
	}
	for _, c := range run.Cases {
		if n := len(c.CaseResult.Case.Devices); strings.HasPrefix(c.Pack, "pair-") && (n != 2 ||
			c.CaseResult.Result != event.Pass) {
			t.Errorf("%s: %s on %d devices", c.Pack, c.CaseResult.Result, n)
		}
	}
	l.ownDevices()
	takesTurns(t, l.checked(), "SIM1", "SIM2")
}

// With continueOnFailure: false, the flows in the order of a config.yaml end with the first that fails, even if Ginkgo
// shuffles; all others run.
func TestGinkgoEndsASequenceOfFlows(t *testing.T) {
	t.Parallel()
	flow := func(label string) string {
		limit := "60000" // a delay on a busy machine is not a failure
		if label == "Nowhere" {
			limit = "1000"
		}
		return "appId: com.example.list\n---\n- launchApp\n- extendedWaitUntil: {visible: " + label + ", timeout: " +
			limit + "}\n"
	}
	for _, shuffled := range []bool{false, true} {
		if testing.Short() && !shuffled {
			continue
		}
		l, program := goLab(t, 1)
		l.dir = t.TempDir()
		for name, label := range map[string]string{"a": "Payments", "b": "Nowhere", "c": "Payments", "d": "Payments"} {
			l.write(name+".yaml", flow(label))
		}
		l.write("config.yaml", "executionOrder: {continueOnFailure: false, flowsOrder: [c, b, a]}\n")
		args := []string{"-ginkgo.no-color", "-ginkgo.label-filter=android", "-ginkgo.seed=3"}
		if shuffled {
			args = append(args, "-ginkgo.randomize-all")
		}
		l.start(program, args...).wait().exits(t, 1)
		run := l.loaded()
		got := map[string]event.Result{}
		for _, c := range run.Cases {
			got[c.Pack] = c.CaseResult.Result
			if p := c.CaseResult.Problem; c.Pack == "a" && (p == nil || !strings.Contains(p.Message, "b did not pass")) {
				t.Errorf("a: %+v", p)
			}
		}
		if want := map[string]event.Result{"a": "skipped", "b": "fail", "c": "pass", "d": "pass"}; !maps.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
		if order := startedPacks(run); slices.Index(order, "c") > slices.Index(order, "b") {
			t.Errorf("began as %q", order)
		}
	}
}

// An empty shard is not a failure under Ginkgo either, but a folder without any test is.
func TestGinkgoWithNothingToRun(t *testing.T) {
	t.Parallel()
	l, program := goLab(t, 1)
	l.env = append(l.env, "TAPROOT_SHARD=9/9")
	e := l.start(program, "-ginkgo.no-color", "-ginkgo.label-filter=yaml").wait()
	e.exits(t, 0)
	has(t, "stderr", e.stderr, "shard 9/9 has none of the 6 cases")
	l.env = append(l.env, "TAPROOT_SHARD=9/8")
	e = l.start(program, "-ginkgo.no-color", "-ginkgo.label-filter=yaml").wait()
	e.exits(t, 1)
	has(t, "stdout", e.stdout, `TAPROOT_SHARD: shard "9/8": the parts are 1/8 to 8/8`)
}
