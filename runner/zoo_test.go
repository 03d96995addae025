package runner_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/web"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/webtest"
	"github.com/taproot-dev/taproot/runner/internal/failure"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// TestZoo runs a YAML test for each kind of page that browsers have to deal with, on one browser, in the order of the
// files. The tag fail or error says how a test must end; the others pass. When tests are to be short, none is traced.
func TestZoo(t *testing.T) { runZoo(t, dsl.Chromium) }

// TestZooInFirefox: the results are the same in both browsers. What Firefox refuses is refused by name, before a page
// opens.
func TestZooInFirefox(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("left to make firefox")
	}
	runZoo(t, dsl.Firefox)
}

func runZoo(t *testing.T, browser string) {
	mux := http.NewServeMux()
	mux.Handle("/", webtest.Handler())
	mux.HandleFunc("/die", func(http.ResponseWriter, *http.Request) { killBrowser(t, browser) })
	site := httptest.NewServer(mux)
	defer site.Close()
	driver := web.New(web.Options{Width: 800, Height: 600, Browser: browser})
	r := newRunner(t, run.Config{Dir: ".", Browser: browser, NoVideo: true, NoTrace: testing.Short(), Parallel: 1,
		Timeout: 30 * time.Second, Vars: map[string]string{"SITE": site.URL}}, driver)
	p, err := r.Config.Plan("testdata/zoo")
	if err != nil {
		t.Fatal(err)
	}
	if len(p.Cases) < 30 {
		t.Fatalf("only %d cases", len(p.Cases))
	}
	if testing.Short() { // the others are left to make test-full and make firefox
		p.Cases = slices.DeleteFunc(p.Cases, func(c plan.Case) bool {
			return !slices.Contains(c.Test.Tags, "error") &&
				len(c.Pack)%6 != 0
		})
	}
	for _, o := range r.All(t.Context(), p.Cases) {
		want := event.Pass
		for tag, result := range map[string]event.Result{"fail": event.Fail, "error": event.Error} {
			if slices.Contains(o.Case.Test.Tags, tag) {
				want = result
			}
		}
		if o.Result() != want {
			t.Errorf("%s, not %s: %s", o.Result(), want, failure.Text(o))
		}
		inPack(t, o)
	}
}

// A run that is kept to public addresses reaches nothing on this machine, neither by pages nor by http steps.
func TestPublicOnly(t *testing.T) {
	t.Parallel()
	var reached atomic.Int64
	site := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { reached.Add(1) }))
	defer site.Close()
	conf := run.Config{PublicOnly: true, NoVideo: true, NoTrace: true}
	r := newRunner(t, conf, run.Drivers(conf)...)
	for _, step := range []string{"openBrowser: " + site.URL, "http: " + site.URL} {
		o := r.Run(t.Context(), parseCase(t, "id: sample\nplatform: web\nsteps:\n  - "+step+"\n"))
		wantResult(t, o, event.Fail, "127.0.0.1", "loopback", "--allow-private")
	}
	if reached.Load() > 0 {
		t.Error("the server was reached")
	}
	open, err := run.FromEnv(t.TempDir(), func(string) (string, bool) { return "", false })
	if err != nil || open.PublicOnly {
		t.Errorf("without a word: %v, %v", open.PublicOnly, err)
	}
	closed, err := run.FromEnv(t.TempDir(), func(name string) (string, bool) {
		if name == "TAPROOT_ALLOW_PRIVATE" {
			return "false", true
		}
		return "", false
	})
	if err != nil || !closed.PublicOnly {
		t.Errorf("TAPROOT_ALLOW_PRIVATE=false: %v, %v", closed.PublicOnly, err)
	}
}

// inPack checks that the files of a browser test are in its pack, and nowhere else.
func inPack(t *testing.T, o run.Outcome) {
	t.Helper()
	if _, err := os.Stat(filepath.Join(o.Dir, "network.har")); err != nil {
		t.Errorf("%s: %v", o.Case.Pack, err)
	}
	traces, _ := filepath.Glob(filepath.Join(o.Dir, "artifacts", "trace*.zip"))
	if len(traces) == 0 && !testing.Short() && o.Result() != event.Error { // what crashed traces nothing
		t.Errorf("%s: there is no trace", o.Case.Pack)
	}
	if !strings.HasSuffix(o.Case.Pack, "zoo-downloads") {
		return
	}
	for name, want := range map[string]string{"report.csv": "a,b\n1,2\n", "mine.txt": "made here",
		"report-2.csv": "a,b\n1,2\n"} {
		if got, err := os.ReadFile(filepath.Join(o.Dir, "artifacts", name)); err != nil || string(got) != want {
			t.Errorf("%s holds %q, %v", name, got, err)
		}
	}
	if found, _ := filepath.Glob(filepath.Join(o.Dir, "..", "..", "evil*")); len(found) > 0 {
		t.Errorf("a download left the pack: %v", found)
	}
}

// killBrowser kills the Chromium or Firefox processes below this process. Other tests run Chromium in parallel with
// Firefox.
func killBrowser(t *testing.T, browser string) {
	entries, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil || len(entries) == 0 {
		t.Error("browsers are found by /proc only")
	}
	var pids []int // collect all of them before one is killed: the children of a dead process have another parent
	for _, entry := range entries {
		line, _ := os.ReadFile(entry) // it may be gone
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(entry)))
		// Debian starts it by a script that waits for it, and the browser itself joins its arguments by blanks.
		args := string(line)
		is := strings.Contains(args, "--remote-debugging-pipe") && !strings.Contains(args, "--type=")
		if browser == dsl.Firefox {
			is = strings.Contains(args, "\x00--profile\x00")
		}
		if !is || !below(pid) {
			continue
		}
		pids = append(pids, pid)
	}
	for _, pid := range pids {
		if p, err := os.FindProcess(pid); err == nil {
			_ = p.Kill()
		}
	}
}

// below reports whether a process descends from this one.
func below(pid int) bool {
	for range 10 {
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		_, rest, ok := strings.Cut(string(stat), ") ")
		fields := strings.Fields(rest)
		if err != nil || !ok || len(fields) < 2 {
			return false
		}
		if pid, err = strconv.Atoi(fields[1]); err != nil || pid <= 1 {
			return false
		}
		if pid == os.Getpid() {
			return true
		}
	}
	return false
}
