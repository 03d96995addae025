//go:build unix

package cli_test

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"net/http/cookiejar"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// uiClient is a client of the page of run --ui.
type uiClient struct {
	t    *testing.T
	base string
	http *http.Client
}

// uiCase is the row of a case.
type uiCase struct {
	Key, Result, Message, Run, Pack string
}

// startUI starts run --ui and opens its link.
func startUI(t *testing.T, l *lab, args ...string) (*uiClient, *exec.Cmd, *waitingBuffer) {
	t.Helper()
	said := newWaitingBuffer()
	run := exec.CommandContext(t.Context(), "taproot", append([]string{"run", "--ui", "--no-browser"}, args...)...)
	run.Dir, run.Env, run.Stdout, run.Stderr = l.dir, l.env, said, said
	if err := run.Start(); err != nil {
		t.Fatal(err)
	}
	link := regexp.MustCompile(`(http://127\.0\.0\.1:\d+)/enter\?token=\w+`)
	eventually(t, "it prints a link", func() bool { return link.MatchString(said.text()) })
	found := link.FindStringSubmatch(said.text())
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	c := &uiClient{t: t, base: found[1], http: &http.Client{Jar: jar}}
	if status := c.get(found[0]); status != http.StatusOK {
		t.Fatalf("the link responds with %d", status)
	}
	return c, run, said
}

func (c *uiClient) get(address string) int {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodGet, address, nil)
	if err != nil {
		c.t.Fatal(err)
	}
	res, err := c.http.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}

func (c *uiClient) post(path, body string) int {
	c.t.Helper()
	r, err := http.NewRequestWithContext(c.t.Context(), http.MethodPost, c.base+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/json")
	res, err := c.http.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	return res.StatusCode
}

// until reads the events of the page until the state is as wanted: the cases by their keys, the state of the run, and
// the files with errors.
func (c *uiClient) until(what string, wanted func(cases map[string]uiCase, run string, broken string) bool) {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(c.t.Context(), limit)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/events", nil)
	if err != nil {
		c.t.Fatal(err)
	}
	res, err := c.http.Do(r)
	if err != nil {
		c.t.Fatal(err)
	}
	defer res.Body.Close()
	cases, run, broken := map[string]uiCase{}, "", ""
	in := bufio.NewScanner(res.Body)
	in.Buffer(nil, 16<<20)
	for in.Scan() {
		line, data := strings.CutPrefix(in.Text(), "data: ")
		if !data {
			continue
		}
		var e struct {
			Kind  string
			Value json.RawMessage
		}
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			c.t.Fatal(err)
		}
		var v struct {
			uiCase
			State  string
			Run    json.RawMessage
			Cases  map[string]uiCase
			Broken []struct{ File, Message string }
		}
		if e.Kind != "moved" && e.Kind != "watch" && e.Kind != "problem" {
			if err := json.Unmarshal(e.Value, &v); err != nil {
				c.t.Fatalf("%s: %v", line, err)
			}
		}
		switch e.Kind {
		case "state":
			var r struct{ State string }
			_ = json.Unmarshal(v.Run, &r)
			cases, run = v.Cases, r.State
		case "case":
			_ = json.Unmarshal(e.Value, &v.uiCase)
			cases[v.uiCase.Key] = v.uiCase
		case "run":
			run = v.State
		}
		if e.Kind == "state" || e.Kind == "tests" {
			broken = ""
			for _, b := range v.Broken {
				broken += b.File + ": " + b.Message + "\n"
			}
		}
		if wanted(cases, run, broken) {
			return
		}
	}
	c.t.Fatalf("it did not come to this: %s; the cases are %v, the run is %q, %s: %v", what, cases, run, broken, in.Err())
}

// TestUI: run --ui runs chosen tests of a suite with a broken file, stops a run, which releases the device, and runs
// what a saved file concerns; Ctrl-C ends it.
func TestUI(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.write("long.yaml", "id: long\nplatform: android\nsteps:\n  - launch: com.example.list\n  - sleep: 10m\n")
	l.write("short.yaml", "id: short\nplatform: android\nsteps:\n  - launch: com.example.list\n  - assert: Catalogue\n")
	l.write("rows.yaml", "id: rows\nplatform: android\ndata: rows.csv\nsteps:\n  - launch: com.example.list\n"+
		"  - assert: {label: \"${LABEL}\", timeout: 0s}\n")
	l.write("rows.csv", "LABEL\nCatalogue\nNothing\n")
	l.write("bad.yaml", "id: bad\nplatform: android\nsteps:\n  - tapp: x\n")
	c, run, said := startUI(t, l)
	c.until("the broken file is shown", func(_ map[string]uiCase, _, broken string) bool {
		return strings.Contains(broken, "bad.yaml: bad.yaml:4:5: unknown action \"tapp\"")
	})
	if status := c.post("/run", `{"cases": ["short", "rows--row-1", "rows--row-2"]}`); status != http.StatusOK {
		t.Fatal(status)
	}
	c.until("the tests have run", func(cases map[string]uiCase, run, _ string) bool {
		return run == "" && cases["short"].Result == "pass" && cases["rows--row-1"].Result == "pass" &&
			cases["rows--row-2"].Result == "fail" && strings.Contains(cases["rows--row-2"].Message, "Nothing")
	})
	if status := c.post("/run", `{"cases": ["long", "short"]}`); status != http.StatusOK {
		t.Fatal(status)
	}
	c.until("a test runs", func(cases map[string]uiCase, _, _ string) bool { return cases["long"].Result == "running" })
	if status := c.post("/run", `{"cases": ["short"]}`); status != http.StatusConflict {
		t.Errorf("a second run: %d", status)
	}
	c.post("/stop", "{}")
	c.until("the run has stopped", func(cases map[string]uiCase, run, _ string) bool {
		return run == "" && cases["long"].Result == "interrupted" && cases["short"].Result == "pass"
	})
	has(t, "run.md of the stopped test", read(t, filepath.Join(l.runs()[1], "long"), "run.md"), "interrupted")

	c.post("/watch", `{"on": true}`)
	l.write("rows.csv.new", "LABEL\nCatalogue\n")
	if err := os.Rename(filepath.Join(l.dir, "rows.csv.new"), filepath.Join(l.dir, "rows.csv")); err != nil {
		t.Fatal(err)
	}
	runs := len(l.runs())
	c.until("the tests of the saved file have run", func(cases map[string]uiCase, run, _ string) bool {
		return run == "" && len(l.runs()) > runs && cases["rows--row-1"].Result == "pass"
	})
	l.write("bad.yaml", "id: bad\nplatform: android\nsteps:\n  - launch: com.example.list\n")
	c.until("the fixed test has run", func(cases map[string]uiCase, run, broken string) bool {
		return run == "" && broken == "" && cases["bad"].Result == "pass"
	})
	if err := run.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := run.Wait(); err != nil { // the last run passed
		t.Errorf("%v\n%s", err, said.text())
	}
	has(t, "the terminal", said.text(), "PASS short", "FAIL rows--row-2", "INTERRUPTED long")
	l.quiet()
}

// TestUIOnAFarm: run --ui runs and stops tests on the phones of a host; a stopped test leaves its phone free.
func TestUIOnAFarm(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	host := f.join("--token", f.token("--pool", "lab"))
	defer f.leave(host)
	free := func() bool { return f.device("SIM1") == "free" && f.device("SIM2") == "free" }
	eventually(t, "the phones are there", free)
	l := newLab(t, 0)
	l.env = append(l.env, "TAPROOT_API_KEY="+f.key)
	l.write("short.yaml", "id: short\nplatform: android\nsteps:\n  - launch: com.example.list\n  - assert: Catalogue\n")
	l.write("long.yaml", "id: long\nplatform: android\nsteps:\n  - launch: com.example.list\n  - sleep: 10m\n")
	c, run, said := startUI(t, l, "--hub", f.serve.url)
	c.post("/run", `{"cases": ["short"]}`)
	c.until("the test has run", func(cases map[string]uiCase, run, _ string) bool {
		return run == "" && cases["short"].Result == "pass"
	})
	c.post("/run", `{"cases": ["long"]}`)
	c.until("a test runs", func(cases map[string]uiCase, _, _ string) bool { return cases["long"].Result == "running" })
	c.post("/stop", "{}")
	c.until("the run has stopped", func(cases map[string]uiCase, run, _ string) bool {
		return run == "" && cases["long"].Result == "interrupted"
	})
	eventually(t, "the phones are free", free)
	if err := run.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	_ = run.Wait() // with the code of the last run, which was stopped
	has(t, "the terminal", said.text(), "PASS short", "INTERRUPTED long")
	l.quiet()
}

// TestUIAfterKill: a killed run --ui leaves the server of start and the lease of its test; the next run --ui ends the
// server at its start, and runs the test.
func TestUIAfterKill(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.shop("run: [shop-server, \"0\", stubborn]\n    "+printsPort, "slow", "one")
	c, run, _ := startUI(t, l)
	c.post("/run", `{"cases": ["slow"]}`)
	c.until("a test runs", func(cases map[string]uiCase, _, _ string) bool { return cases["slow"].Result == "running" })
	l.untilStep("slow", 1)
	if err := run.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = run.Wait() // it was killed
	serves := func(p string) bool { return strings.Contains(p, shopServer) }
	if !slices.ContainsFunc(l.processes(), serves) {
		t.Fatal("the server ended with the page: this test shows nothing")
	}
	c, run, said := startUI(t, l)
	has(t, "the terminal", said.text(), "ended what a killed run had left running: shop")
	if left := l.processes(); slices.ContainsFunc(left, serves) {
		t.Errorf("the server is left: %q", left)
	}
	c.post("/run", `{"cases": ["one"]}`)
	c.until("the test has run", func(cases map[string]uiCase, run, _ string) bool {
		return run == "" && cases["one"].Result == "pass"
	})
	if err := run.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	if err := run.Wait(); err != nil {
		t.Errorf("%v\n%s", err, said.text())
	}
	l.quiet()
}

// TestUIUsage: flags that do not fit --ui are refused.
func TestUIUsage(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0)
	l.write("one.yaml", passesOnPhone)
	for args, want := range map[string]string{
		"--port 1234":             "--port and --no-browser are flags of --ui",
		"--no-browser":            "--port and --no-browser are flags of --ui",
		"--ui --keep":             "--ui cannot be combined with --keep",
		"--ui --format junit":     "--ui cannot be combined with --format",
		"--ui nothing-like-this":  "nothing-like-this",
		"--ui --label-filter '&&": "label filter",
	} {
		e := l.taproot(append([]string{"run"}, strings.Fields(args)...)...)
		e.exits(t, 2)
		has(t, args, e.stderr, want)
	}
}
