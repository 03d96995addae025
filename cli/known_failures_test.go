package cli_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// The steps of tests with known results.
const (
	failingStep = "assert: {label: No such thing, timeoutMs: 0}"
	passingStep = "log: all is well"
)

// marked writes a test with a mark as a known failure.
func (l *lab) marked(id, mark, step string) {
	l.t.Helper()
	l.write(id+".yaml", fmt.Sprintf("id: %s\nplatform: android\nretries: 2\nfails: %s\nsteps:\n  - %s\n", id, mark, step))
}

// A failure of a marked test is expected, and runs once; a pass and, after the last day, a failure fail the run.
func TestKnownFailures(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	l.marked("cart", `{because: "SHOP-123", until: 2999-12-31}`, failingStep)
	l.marked("pay", `{because: the bank is closed}`, failingStep)
	e := l.taproot("run", ".")
	e.exits(t, 0)
	has(t, "stdout", e.stdout, "~ EXPECTED cart: known failure (SHOP-123, until 2999-12-31): ",
		"0 passed, 2 failed as expected in ")
	if got := fmt.Sprint(l.results()); got != "map[cart:expected pay:expected]" {
		t.Error(got)
	}
	run := l.runs()[0]
	for file, want := range map[string][]string{
		"run.json": {`"exit_code": 0`, `"expected": 2`, `"because": "SHOP-123"`, `"what": "expected"`},
		"junit.xml": {`skipped="2"`, `failures="0"`,
			`<skipped message="known failure (SHOP-123, until 2999-12-31): `},
		"ctrf.json": {`"status": "skipped"`, `"rawStatus": "expected"`, `"because": "the bank is closed"`},
		"summary.md": {"0 of 2 tests passed, 2 failed as expected",
			"☑️ failed as expected: known failure (SHOP-123"},
		"index.html":                              {"2 failed as expected"},
		filepath.Join("cart", "run.md"):           {"☑️ EXPECTED FAILURE", "- known failure: SHOP-123, until 2999-12-31"},
		filepath.Join("cart", "summary.json"):     {`"result": "expected"`, `"until": "2999-12-31"`},
		filepath.Join("cart", "report.html"):      {"Failed as expected"},
		filepath.Join("..", "history.jsonl"):      {`"result":"expected"`},
		filepath.Join("cart", "events.ndjson"):    {`"result":"expected"`},
		filepath.Join("..", "latest", "run.json"): {`"result": "pass"`},
	} {
		has(t, file, read(t, run, file), want...)
	}
	l.taproot("report", "verify").exits(t, 0)
	e = l.taproot("run", ".", "--rerun-failed")
	e.exits(t, 0) // nothing had failed
	l.marked("cart", `{because: "SHOP-123"}`, passingStep)
	l.marked("pay", `{because: "BANK-7", until: 2001-01-31}`, failingStep)
	e = l.taproot("run", ".", "--retries", "0")
	e.exits(t, 1)
	has(t, "stdout", e.stdout,
		"the test passes, but it is marked as failing (SHOP-123): remove the mark at cart.yaml:4:1")
	if got := fmt.Sprint(l.results()); got != "map[cart:fail pay:fail]" {
		t.Error(got)
	}
	has(t, "run.md", read(t, l.runs()[len(l.runs())-1], "pay", "run.md"),
		"BANK-7 was a known failure until 2001-01-31: failures count again")
	l.quiet()
}

// An error of a marked test stays an error, and those that need a marked test are skipped.
func TestKnownFailureIsNoPass(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.write("lost.yaml", "id: lost\nplatform: android\nfails: {because: X-1}\ndevice: {model: No Such Phone}\nsteps:\n"+
		"  - "+failingStep+"\n")
	l.taproot("run", ".", "--require-devices").exits(t, 3)
	if got := fmt.Sprint(l.results()); got != "map[lost:error]" {
		t.Error(got)
	}
	l.marked("lost", "{because: X-1}", failingStep)
	l.write("late.yaml", "id: late\nplatform: android\nneeds: [lost]\nsteps:\n  - "+passingStep+"\n")
	e := l.taproot("run", ".")
	e.exits(t, 0)
	has(t, "stdout", e.stdout, "not run, because lost, which it needs, did not pass (expected: known failure (X-1): ")
	l.taproot("run", ".", "--rerun-failed").exits(t, 0)
	if got := fmt.Sprint(l.results()); got != "map[late:skipped lost:expected]" {
		t.Error(got)
	}
	for mark, want := range map[string]string{
		"{until: 2027-01-31}":                     `"fails" needs "because"`,
		"{because: X-1, until: 2027-02-31}":       `"2027-02-31" is not a date`,
		"{because: X-1, until: soon}":             "write year, month and day: 2027-01-31",
		"{because: X-1, utnil: 2027-01-31}":       `did you mean "until"?`,
		`{because: " "}`:                          `"because" is empty`,
		"true":                                    `"fails" takes a map, not true`,
		"{because: X-1, until: 2027-01-31T00:00}": "is not a date",
	} {
		l.marked("lost", mark, failingStep)
		e := l.taproot("validate", "lost.yaml")
		e.exits(t, 2)
		has(t, mark, e.stdout+e.stderr, want, "lost.yaml:4:")
	}
}

// With --video failed, known failures keep their recordings, as other failures do.
func TestKnownFailuresKeepEvidence(t *testing.T) {
	t.Parallel()
	useBrowser(t)
	l := recordingLab(t, 0)
	const page = "  - openBrowser: \"data:text/html,<title>Page</title><h1>Hello</h1>\"\n  - assert: "
	l.write("known.yaml", "id: known\nplatform: web\nfails: {because: X-1}\nsteps:\n"+page+
		"{label: Goodbye, timeoutMs: 0}\n")
	l.write("fixed.yaml", "id: fixed\nplatform: web\nfails: {because: X-2}\nsteps:\n"+page+"Hello\n")
	l.taproot("run", ".", "--video", "failed", "--trace", "failed", "--screenshots", "failed").exits(t, 1)
	for name, kept := range l.keptOf() {
		if !slices.Equal(kept, []string{"recording", "trace", "screenshots"}) {
			t.Errorf("%s keeps %q", name, kept)
		}
	}
}

// Under Ginkgo a known failure is skipped with its reason, and runs once.
func TestKnownFailuresUnderGinkgo(t *testing.T) {
	t.Parallel()
	l, program := goLab(t, 2)
	l.dir = t.TempDir()
	l.marked("cart", "{because: SHOP-123}", failingStep)
	l.marked("pay", "{because: SHOP-124}", failingStep)
	l.ginkgo(program, "android").exits(t, 0)
	if got := fmt.Sprint(l.results()); got != "map[cart:expected pay:expected]" {
		t.Error(got)
	}
	l.marked("pay", "{because: SHOP-124}", passingStep)
	e := l.ginkgo(program, "android", "--flake-attempts=2")
	e.exits(t, 1)
	has(t, "stdout", e.stdout, "remove the mark at pay.yaml:4:1")
	if got := fmt.Sprint(l.results()); got != "map[cart:expected pay:fail]" {
		t.Error(got)
	}
}

// fickle is a server that fails the first request of each test, and notes in which order they come.
type fickle struct {
	*httptest.Server
	mu      sync.Mutex
	calls   []string
	active  int
	overlap bool // a retry was not alone
}

func newFickle(t *testing.T) *fickle {
	f := &fickle{}
	f.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		f.mu.Lock()
		again := slices.Contains(f.calls, r.URL.Path)
		f.calls = append(f.calls, r.URL.Path)
		f.active++
		f.overlap = f.overlap || again && f.active > 1
		f.mu.Unlock()
		time.Sleep(200 * time.Millisecond)
		f.mu.Lock()
		f.active--
		f.mu.Unlock()
		if !again && strings.Contains(r.URL.Path, "flaky") {
			w.WriteHeader(http.StatusServiceUnavailable)
		}
	}))
	t.Cleanup(f.Close)
	return f
}

// With --retry-at end, retries follow all other tests, one at a time.
func TestRetryAtEnd(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	site := newFickle(t)
	names := []string{"a-flaky", "b-flaky", "c", "d", "e"}
	for _, name := range names {
		l.write(name+".yaml", fmt.Sprintf("id: %s\nplatform: android\nretries: 1\nsteps:\n"+
			"  - http: {url: \"%s/%s\", expect: {status: 200}}\n", name, site.URL, name))
	}
	l.taproot("run", ".", "--retry-at", "end").exits(t, 0)
	if n := len(site.calls); n != 7 || !slices.Equal(site.calls[5:], []string{"/a-flaky", "/b-flaky"}) || site.overlap {
		t.Errorf("the server saw %q; a retry was not alone: %t", site.calls, site.overlap)
	}
	if got := fmt.Sprint(l.results()); got !=
		"map[a-flaky--attempt-2:pass b-flaky--attempt-2:pass c:pass d:pass e:pass]" {
		t.Error(got)
	}
	has(t, "run.json", read(t, l.runs()[0], "run.json"), `"flaky": 2`)
	site.calls = nil
	e := l.taproot("run", "a-flaky", "c", "--retry-at", "end", "--fail-on-flaky")
	e.exits(t, 1)
	site.calls = nil
	// Without a retry, the first attempt is the result.
	l.write("slow.yaml", "id: slow\nplatform: android\nsteps:\n  - sleep: 3s\n")
	l.taproot("run", "a-flaky", "slow", "--retry-at", "end", "--max-time", "2s", "--parallel", "1")
	if got := l.results(); got["a-flaky--attempt-2"] != "" {
		t.Error(got)
	}
	l.taproot("run", ".", "--retry-at", "once").exits(t, 2)
	l.quiet()
}
