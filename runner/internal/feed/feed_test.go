//go:build unix

package feed

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/testutil"
)

func TestMain(m *testing.M) { testutil.NoLeaks(m) }

// program writes a shell script as a reporter.
func program(t *testing.T, script string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "reporter.sh")
	testutil.WriteProgram(t, file, "#!/bin/sh\n"+script, 0o700)
	return file
}

// fed runs a reporter, and sends it n events of a case.
func fed(t *testing.T, script string, n, lost int, limit time.Duration) (warning, out string) {
	t.Helper()
	dir := t.TempDir()
	spool, err := NewSpool(filepath.Join(dir, "spool"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "out")
	r, err := Start(Options{Program: program(t, script), Dir: dir, Spool: filepath.Join(dir, "spool"),
		Environ: append(os.Environ(), "OUT="+file), Output: io.Discard})
	if err != nil {
		t.Fatal(err)
	}
	c := event.Case{ID: "a", Pack: "a--attempt-2"}
	spool.Event(c, event.Event{Kind: event.CaseStarted, Case: &c})
	for i := range n - 1 {
		spool.Event(c, event.Event{Kind: event.Logged, Message: fmt.Sprint(i, strings.Repeat(" more", 100))})
	}
	if err := spool.Close(); err != nil {
		t.Fatal(err)
	}
	warning = r.End(limit, lost)
	data, _ := os.ReadFile(file) // some write none
	return warning, string(data)
}

const long = time.Minute

// A reporter gets each event on a line, with its case, and ends by itself.
func TestReporter(t *testing.T) {
	warning, out := fed(t, `cat > "$OUT"`, 1000, 0, long)
	lines := strings.Split(strings.TrimSpace(out), "\n")
	if warning != "" || len(lines) != 1000 {
		t.Fatalf("%d lines; %s", len(lines), warning)
	}
	for i, line := range lines {
		var e event.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Pack != "a--attempt-2" || (e.Format != "") != (i == 0) {
			t.Fatalf("line %d: %v, %s", i, err, line)
		}
	}
}

// Reporters that die, hang, read slowly or print much: the warning counts what they did not read.
func TestBadReporters(t *testing.T) {
	for name, c := range map[string]struct {
		script string
		limit  time.Duration
		lost   int
		holds  []string
	}{
		"dies at once":   {"exit 3", long, 0, []string{"failed: exit status 3", "did not read 500 of 500 events"}},
		"reads one line": {"read line; exit 0", long, 0, []string{"ended early; it did not read 499 of 500 events"}},
		"hangs":          {"sleep 1000", time.Second, 0, []string{"did not end within 1s", "did not read 500 of 500 events"}},
		"hangs at the end": {"read line; sleep 1000 & wait", time.Second, 0,
			[]string{"did not end within 1s", "did not read 499 of 500 events"}},
		"ignores the end": {"trap '' TERM HUP; cat > /dev/null; while true; do sleep 1; done", 2 * time.Second, 0,
			[]string{"did not end within 2s of the end of the run, and was ended"}},
		"lost":            {"cat > /dev/null", long, 2, []string{"ended early; it did not read 2 of 502 events"}},
		"prints and dies": {"head -c 3000000 /dev/zero; exit 1", long, 0, []string{"failed: exit status 1"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			began := time.Now()
			warning, _ := fed(t, c.script, 500, c.lost, c.limit)
			for _, part := range c.holds {
				if !strings.Contains(warning, part) {
					t.Errorf("%q does not say %q", warning, part)
				}
			}
			if took := time.Since(began); took > long {
				t.Errorf("it took %s", took)
			}
		})
	}
}

// A process that a reporter leaves in its group ends with it.
func TestReporterLeavesNothing(t *testing.T) {
	_, out := fed(t, `sleep 1000 & echo $! > "$OUT"; cat > /dev/null`, 10, 0, long)
	pid := strings.TrimSpace(out)
	for range 100 {
		stat, err := os.ReadFile("/proc/" + pid + "/stat")
		if err != nil || strings.Contains(string(stat), ") Z ") {
			return
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Errorf("process %s still runs", pid)
}

// A program that does not exist, or cannot run, is an error before the run.
func TestFind(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "plain"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"./nowhere", "no-such-program-anywhere", "./plain"} {
		if path, err := Find(dir, name); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s: %q, %v", name, path, err)
		}
	}
	if path, err := Find(dir, "sh"); err != nil || !filepath.IsAbs(path) {
		t.Error(path, err)
	}
}
