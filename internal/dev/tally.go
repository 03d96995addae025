package main

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

//go:embed times.json
var committedTimes []byte

// testEvent is a line of go test -json; see go doc test2json.
type testEvent struct {
	Action     string
	Package    string
	ImportPath string // of the output of the compiler
	Test       string
	Elapsed    float64 // in seconds
	Output     string
}

// tally counts the results of tests, keeps the output of those that are running, and estimates the end.
type tally struct {
	now func() time.Time

	mu       sync.Mutex
	names    map[string]string // of packages, by their import path
	expected times
	started  time.Time
	running  map[string]time.Time
	finished map[string]float64 // seconds of each package
	outputs  map[[2]string][]string
	compiler map[string][]string
	passed   int
	skipped  int
	failures []string
	slow     []slowTest
}

type slowTest struct {
	name    string
	seconds float64
}

func newTally(packages []testPackage, expected times, now func() time.Time) *tally {
	t := &tally{now: now, names: map[string]string{}, expected: expected, started: now(),
		running: map[string]time.Time{}, finished: map[string]float64{}, outputs: map[[2]string][]string{},
		compiler: map[string][]string{}}
	for _, p := range packages {
		t.names[p.path] = cmp.Or(p.name, ".")
	}
	return t
}

// take counts an event. It returns a text that is to be printed at once, or the present state.
func (t *tally) take(e testEvent) (text, now string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	name := cmp.Or(t.names[e.Package], e.Package)
	key := [2]string{e.Package, e.Test}
	switch e.Action {
	case "start":
		t.running[name] = t.now()
	case "build-output":
		t.compiler[e.ImportPath] = append(t.compiler[e.ImportPath], e.Output)
	case "build-fail":
		text = strings.TrimSpace(strings.Join(t.compiler[e.ImportPath], ""))
	case "output":
		if !isNoise(e.Output) {
			t.outputs[key] = append(t.outputs[key], e.Output)
		}
	case "pass", "skip", "fail":
		if e.Test == "" {
			text = t.endPackage(name, e)
			break
		}
		text = t.endTest(name, e)
	}
	return text, t.state()
}

// isNoise reports whether a line only says that a test starts or continues.
func isNoise(line string) bool {
	for _, prefix := range []string{"=== RUN ", "=== PAUSE ", "=== CONT ", "=== NAME "} {
		if strings.HasPrefix(line, prefix) {
			return true
		}
	}
	return false
}

func (t *tally) endTest(name string, e testEvent) (text string) {
	key := [2]string{e.Package, e.Test}
	output := t.outputs[key]
	delete(t.outputs, key)
	switch e.Action {
	case "pass":
		t.passed++
	case "skip":
		t.skipped++
	default:
		t.failures = append(t.failures, name+" "+e.Test)
		text = fmt.Sprintf("FAILED %s %s\n%s", name, e.Test, strings.TrimRight(strings.Join(output, ""), "\n"))
	}
	if !strings.Contains(e.Test, "/") {
		t.slow = append(t.slow, slowTest{name: name + " " + e.Test, seconds: e.Elapsed})
	}
	return text
}

func (t *tally) endPackage(name string, e testEvent) (text string) {
	began, ran := t.running[name]
	delete(t.running, name)
	t.finished[name] = e.Elapsed
	output := t.outputs[[2]string{e.Package, ""}]
	named := func(failure string) bool { return strings.HasPrefix(failure, name+" ") }
	if e.Action == "fail" && !slices.ContainsFunc(t.failures, named) {
		// the process crashed, took too long, or was not compiled
		for key, lines := range t.outputs {
			if key[0] == e.Package && key[1] != "" {
				output = append(append(output, "while "+key[1]+" was running:\n"), lines...)
			}
		}
		t.failures = append(t.failures, name)
		text = "\n" + strings.TrimRight(strings.Join(output[max(0, len(output)-200):], ""), "\n")
	}
	maps.DeleteFunc(t.outputs, func(key [2]string, _ []string) bool { return key[0] == e.Package })
	if !ran {
		began = t.now()
	}
	result := map[string]string{"pass": "ok", "skip": "no tests", "fail": "FAILED"}[e.Action]
	return fmt.Sprintf("%s %s %.1f s; %s%s", result, name, max(e.Elapsed, t.now().Sub(began).Seconds()), t.totals(), text)
}

// totals needs the lock.
func (t *tally) totals() string {
	out := fmt.Sprintf("%d of %d packages, %d tests, %d failed", len(t.finished), len(t.names), t.passed+t.skipped+
		len(t.failures), len(t.failures))
	if left, known := t.left(); known {
		out += ", about " + seconds(left.Round(10*time.Second)) + " left"
	}
	return out
}

// state needs the lock.
func (t *tally) state() string {
	running := slices.Sorted(maps.Keys(t.running))
	if len(running) == 0 {
		return "compiling; " + t.totals()
	}
	return t.totals() + "; running " + strings.Join(running, ", ")
}

// left estimates the time until the end: at first from an earlier run, and more and more by the pace of this one, which
// alone counts once a third is done.
func (t *tally) left() (time.Duration, bool) {
	var all, done float64
	for _, name := range t.names {
		expected := t.expected.of(name)
		all += expected
		if _, ok := t.finished[name]; ok {
			done += expected
		} else if began, ok := t.running[name]; ok {
			done += min(expected, t.now().Sub(began).Seconds())
		}
	}
	spent := t.now().Sub(t.started).Seconds()
	total := t.expected.Wall
	if done > 0 {
		known := min(1, 3*done/all)
		total = (1-known)*total + known*spent*all/done
	}
	if total == 0 || len(t.finished) == len(t.names) {
		return 0, false
	}
	return time.Duration(max(0, total-spent) * float64(time.Second)), true
}

func (t *tally) suitesFailed(output string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.failures = append(t.failures, "suites")
	fmt.Fprintf(os.Stdout, "FAILED suites\n%s\n", output)
}

func (t *tally) failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.failures) > 0
}

// summary returns the last lines of a run; the very last one is in a form that CI systems recognize.
func (t *tally) summary() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	var b strings.Builder
	slices.SortFunc(t.slow, func(x, y slowTest) int { return cmp.Compare(y.seconds, x.seconds) })
	b.WriteString("The ten slowest tests:\n")
	for _, s := range t.slow[:min(10, len(t.slow))] {
		fmt.Fprintf(&b, "%6.1f s %s\n", s.seconds, s.name)
	}
	if len(t.failures) > 0 {
		fmt.Fprintf(&b, "Failed:\n  %s\n", strings.Join(t.failures, "\n  "))
	}
	fmt.Fprintf(&b, "%d passed, %d failed, %d skipped\n", t.passed, len(t.failures), t.skipped)
	return b.String()
}

func (t *tally) times() times {
	t.mu.Lock()
	defer t.mu.Unlock()
	return times{Wall: t.now().Sub(t.started).Seconds(), Packages: maps.Clone(t.finished)}
}

// times are the seconds of a run.
type times struct {
	// Wall is the time of the whole run.
	Wall float64 `json:"wall"`
	// Packages are the seconds of each package by its path below the module.
	Packages map[string]float64 `json:"packages"`
}

// usual is the time of a package without a known one.
const usual = 2.0

func (t times) of(name string) float64 {
	if s, known := t.Packages[name]; known {
		return max(s, 0.1)
	}
	return usual
}

// readTimes returns the times of the last run on this machine, or else those of the file in the repository.
func readTimes(path string) times {
	var t times
	if raw, err := os.ReadFile(path); err == nil && json.Unmarshal(raw, &t) == nil && t.Wall > 0 {
		return t
	}
	t = times{}
	_ = json.Unmarshal(committedTimes, &t) // checked by a test
	return t
}

func (t times) write(path string) error {
	raw, err := json.MarshalIndent(t, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(raw, '\n'), 0o644)
}
