package truth_test

import (
	"fmt"
	"image"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android"
	"github.com/taproot-dev/taproot/drivers/vision"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/runner/internal/engine"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

const scenePackage = "com.example.truth"

// example is one generated test: a screen, steps, and what must come of them.
type example struct {
	seed     uint64
	screen   *model
	steps    []step
	fault    string
	faults   []androidsim.Fault
	mayError bool
	agent    bool // an agent reads and touches the screen
	ailments []androidsim.AgentFault
	options  androidsim.Options
}

// newExample makes the test of a seed.
func newExample(seed uint64) *example {
	e := &example{seed: seed, screen: makeModel(seed)}
	expect := makeModel(seed)
	steps := &stepMaker{m: expect}
	r := rand.New(rand.NewPCG(seed, 38))
	if changes, last := expect.changes(); len(changes) > 0 && r.IntN(2) == 0 && !expect.ticker {
		box := image.Rect(210, expect.slot(statusSlot).Min.Y, 384, expect.slot(statusSlot).Max.Y)
		ready := item{name: "ready", text: "All there", box: box, from: last + 100*time.Millisecond}
		mine, theirs := ready, ready
		if e.screen.dialog == nil && (person{expect, last}).clearAt(box) {
			e.screen.page, expect.page = append(e.screen.page, &mine), append(expect.page, &theirs)
			steps.settled = true
			e.steps = append(e.steps, step{yaml: fmt.Sprintf("waitFor: {visible: All there, timeoutMs: %s}", patience),
				result: yes})
		}
	}
	steps.r = rand.New(rand.NewPCG(seed, 37))
	e.steps = append(e.steps, steps.all()...)
	e.trouble(r)
	if e.screen.api >= 26 && seed%2 == 0 {
		e.agent = true
		e.ail(rand.New(rand.NewPCG(seed, 39)))
	}
	return e
}

// ail arms what goes wrong with agents.
func (e *example) ail(r *rand.Rand) {
	if e.options.Latency.Dump > 0 {
		e.options.Latency.AgentSource, e.options.Latency.AgentInput = e.options.Latency.Dump/10, e.options.Latency.Input
	}
	kinds := []androidsim.AgentFaultKind{androidsim.AgentKill, androidsim.AgentGarbage, androidsim.AgentHalf,
		androidsim.AgentClose, androidsim.AgentOrphan, androidsim.AgentBroken}
	route := []string{"GET source", "POST list_windows", "POST element", "GET rect", "POST actions", "", "", ""}[r.IntN(8)]
	if route == "" {
		return
	}
	f := androidsim.AgentFault{Route: route, Nth: 1 + r.IntN(4), Kind: kinds[r.IntN(len(kinds))], After: r.IntN(2) == 0}
	e.fault, e.ailments = fmt.Sprintf("%s agent %+v", e.fault, f), append(e.ailments, f)
	e.mayError = e.mayError || route == "POST actions" // it is unknown whether the touch was made
}

// clearAt reports whether nothing opaque is at a place.
func (p person) clearAt(box image.Rectangle) bool {
	return !slices.ContainsFunc(p.drawn(), func(d drawn) bool { return d.fill != nil && d.box.Overlaps(box) })
}

// trouble arms what goes wrong with phones.
func (e *example) trouble(r *rand.Rand) {
	e.options = androidsim.Options{API: e.screen.api, Width: 400, Height: 800, Density: 160, IdleTimeout: 2 * time.Second}
	jitter := func(low, high int) time.Duration { return time.Duration(low+r.IntN(high-low)) * time.Millisecond }
	if r.IntN(2) == 0 {
		e.options.Latency = androidsim.Latency{Dump: jitter(0, 150), Screencap: jitter(0, 80), Input: jitter(0, 60),
			Start: jitter(0, 100)}
	}
	e.mayError = e.screen.ticker // no tree can be had
	add := func(name string, f androidsim.Fault) { e.fault, e.faults = name, append(e.faults, f) }
	switch r.IntN(12) {
	case 0:
		add("a dump without a root", androidsim.Fault{Match: "uiautomator", Nth: 1 + r.IntN(4), Kind: androidsim.Error,
			Output: "ERROR: null root node returned by UiTestAutomationBridge."})
	case 1:
		add("a dump that is cut", androidsim.Fault{Match: "uiautomator", Nth: 1 + r.IntN(4), Kind: androidsim.Cut,
			Bytes: 200 + r.IntN(900)})
		e.mayError = true
	case 2:
		add("the connection drops", androidsim.Fault{Match: []string{"uiautomator", "screencap", "input"}[r.IntN(3)],
			Nth: 1 + r.IntN(3), Kind: androidsim.Drop, Away: jitter(50, 400)})
		e.mayError = true
	case 3:
		add("slow captures", androidsim.Fault{Match: "screencap", Kind: androidsim.Slow, Delay: jitter(50, 400)})
	case 4:
		add("noise instead of a dump", androidsim.Fault{Match: "uiautomator", Nth: 1 + r.IntN(4), Kind: androidsim.Garbage})
		e.mayError = true
	}
}

func (e *example) yaml() string {
	var b strings.Builder
	fmt.Fprintf(&b, "id: truth-%d\nplatform: android\nsteps:\n  - launch: {package: %s, force: true}\n", e.seed,
		scenePackage)
	for _, s := range e.steps {
		b.WriteString("  - " + s.yaml + "\n")
	}
	return b.String()
}

// lineOf is where a step starts in the YAML.
func (e *example) lineOf(step int) int {
	line := 5
	for _, s := range e.steps[:step] {
		line += 1 + strings.Count(s.yaml, "\n")
	}
	return line
}

// wants is the result that must come out, when only one may.
func (e *example) wants() answer {
	for _, s := range e.steps {
		if s.result != yes {
			return s.result
		}
	}
	return yes
}

// outcome is what came of a test, and what is wrong with that.
type outcome struct {
	*example
	result  event.Result
	problem string
	line    int // of the step that failed
	taps    []touch
	allTaps int
	wrong   string // what is false; "" when it is all true
	kind    string
	took    time.Duration
}

// run runs the test on a phone of its own.
func (e *example) run(t *testing.T) *outcome {
	serial := fmt.Sprintf("TRUTH%d", e.seed)
	e.options.Serial = serial
	phone := androidsim.NewPhone(e.options)
	defer phone.Close()
	server, err := androidsim.NewServer(phone)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	phone.InstallScene(scenePackage, "Truth", e.screen.scene)
	driver := android.New(android.Options{NotesDir: t.TempDir(), Getenv: e.environ(t, server), FindADB: androidsim.NoADB})
	defer driver.Close()
	tests, err := dsl.Parse(fmt.Sprintf("truth-%d.yaml", e.seed), []byte(e.yaml()))
	if err != nil {
		t.Fatalf("%v\n%s", err, e.yaml())
	}
	dev, err := driver.Open(t.Context(), serial)
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	if reads := dev.(drivers.TreeSource).TreeReadBy(); e.agent != strings.Contains(reads, "with the agent") {
		t.Errorf("TRUTH_SEED=%d: %s", e.seed, reads)
	}
	for _, f := range e.faults {
		phone.Fail(f)
	}
	for _, f := range e.ailments {
		phone.FailAgent(f)
	}
	s := newSink(t, "phone")
	began := time.Now()
	result, err := engine.Run(t.Context(), plan.Case{Test: tests[0], Platform: dsl.Android, Pack: "truth"}, dev, s,
		engine.Options{NoVideo: true, NoTrace: true, Vision: vision.New(vision.Options{})})
	if err != nil {
		t.Error(err)
	}
	o := &outcome{example: e, result: result, took: time.Since(began)}
	o.record(s.CaseResult())
	phone.Close()
	for _, tap := range phone.Taps() {
		if tap.Kind == "tap" {
			o.allTaps++
		}
	}
	o.taps = e.screen.touched
	o.judge()
	return o
}

// environ is what the driver knows of the machine: where adb is, and the agent.
func (e *example) environ(t *testing.T, server *androidsim.Server) func(string) string {
	if !e.agent {
		return server.Getenv
	}
	dir := t.TempDir()
	for name, text := range androidsim.AgentAPKs("10.6.6", 278) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Error(err)
		}
	}
	return func(name string) string {
		if name == "TAPROOT_AGENT_APKS" {
			return dir
		}
		return server.Getenv(name)
	}
}

// judge holds what happened against what had to happen.
func (o *outcome) judge() {
	want := o.wants()
	switch {
	case o.result == event.Pass && want == no:
		o.wrong, o.kind = "passed, and had to fail", "false pass"
	case o.result == event.Fail && want == yes:
		o.wrong, o.kind = "failed, and had to pass", "false fail"
	case o.result == event.Fail && want == no && o.line > 0 && o.line < o.lineOf(len(o.steps)-1):
		o.wrong, o.kind = fmt.Sprintf("line %d failed, which had to pass", o.line), "false fail"
	case o.result == event.Error && !o.mayError:
		o.wrong, o.kind = "is an error, and the phone was well", "false error"
	}
	may := map[string]bool{}
	for _, s := range o.steps {
		for _, name := range s.touches {
			may[name] = true
		}
	}
	for _, tap := range o.taps {
		if !may[tap.name] && !tap.unforeseen {
			o.wrong, o.kind = strings.TrimSpace(o.wrong+"; touched "+tap.name), "wrong tap"
		}
	}
	if o.result == event.Pass && want == yes {
		for i := range o.screen.all {
			if i.editable && o.typed(i) != i.typed {
				o.wrong, o.kind = fmt.Sprintf("the field holds %q, not %q", i.typed, o.typed(i)), "false pass"
			}
		}
	}
}

// typed is what the field had to hold in the end.
func (o *outcome) typed(i *item) string {
	expect := makeModel(o.seed)
	for _, s := range o.steps {
		if s.passes != nil {
			s.passes(expect)
		}
	}
	for e := range expect.all {
		if e.name == i.name {
			return e.typed
		}
	}
	return ""
}

func (o *outcome) String() string {
	var taps []string
	for _, tap := range o.taps {
		taps = append(taps, tap.name)
	}
	return fmt.Sprintf(
		"TRUTH_SEED=%d: %s: %s\nAPI %d, %s %+v\n%s%s    wanted %v; %s after %v: %s\n    touched %q (%d in "+
			"all)", o.seed, o.kind, o.wrong, o.screen.api, o.fault, o.options.Latency,
		o.screen, o.yaml(), []string{"fail", "pass", "either"}[o.wants()], o.result, o.took.Round(time.Millisecond),
		o.problem, taps, o.allTaps)
}

// record records what was wrong.
func (o *outcome) record(r *event.CaseResult) {
	if r.Problem != nil {
		o.problem = fmt.Sprintf("step %d: %s", r.ProblemStep, r.Problem.Message)
	}
	for _, st := range r.Steps {
		if st.Problem != nil {
			o.line = st.Place.Line
		}
	}
}

func number(name string, otherwise int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil {
		return n
	}
	return otherwise
}

// TestGenerated holds made-up tests against the phone's own log: a hundred, in the short mode twelve. TRUTH_RUNS says
// how many, TRUTH_SEED which is the first.
func TestGenerated(t *testing.T) {
	usual := 100
	if testing.Short() {
		usual = 12
	}
	runs, seed := number("TRUTH_RUNS", usual), uint64(number("TRUTH_SEED", 1))
	if os.Getenv("TRUTH_SEED") != "" && os.Getenv("TRUTH_RUNS") == "" {
		runs = 1
	}
	var seeds []uint64
	for i := range runs {
		seeds = append(seeds, seed+uint64(i))
	}
	outcomes := each(t, seeds)
	var doubtful []uint64
	for _, o := range outcomes {
		if o.kind != "" {
			doubtful = append(doubtful, o.seed)
		}
	}
	again := map[uint64]*outcome{}
	for _, o := range each(t, doubtful) {
		again[o.seed] = o
	}
	report(t, outcomes, again)
}

// each runs the tests of the seeds on a few phones at once.
func each(t *testing.T, seeds []uint64) []*outcome {
	outcomes := make([]*outcome, len(seeds))
	next := make(chan int, len(seeds))
	for i := range seeds {
		next <- i
	}
	close(next)
	var all sync.WaitGroup
	for range min(len(seeds), number("TRUTH_PHONES", 6*runtime.NumCPU())) {
		all.Go(func() {
			for i := range next {
				outcomes[i] = newExample(seeds[i]).run(t)
			}
		})
	}
	all.Wait()
	return outcomes
}

// report prints the numbers, and every false result with its screen.
func report(t *testing.T, outcomes []*outcome, again map[uint64]*outcome) {
	t.Helper()
	counts, flaky := map[string]int{}, 0
	var long time.Duration
	for _, o := range outcomes {
		counts[string(o.result)]++
		counts[[]string{"to fail", "to pass", "either"}[o.wants()]]++
		long = max(long, o.took)
		if o.kind == "" {
			continue
		}
		counts[o.kind]++
		once := ""
		if again[o.seed].kind == "" {
			flaky++
			once = "right when run again: "
		}
		t.Errorf("%s%s", once, o)
	}
	t.Logf("%d runs: %d pass, %d fail, %d error (wanted: %d pass, %d fail, %d either)\nfalse passes %d, false fails %d, "+
		"false errors %d, wrong taps %d; of these right when run again: %d; the longest took %v",
		len(outcomes), counts["pass"], counts["fail"], counts["error"], counts["to pass"], counts["to fail"],
		counts["either"],
		counts["false pass"], counts["false fail"], counts["false error"], counts["wrong tap"], flaky,
		long.Round(time.Millisecond))
}
