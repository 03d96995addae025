//go:build unix

package cli_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// reporter writes a program that keeps what it reads in the file out.
func (l *lab) reporter(name, script string) string {
	l.t.Helper()
	testutil.WriteProgram(l.t, filepath.Join(l.dir, name), "#!/bin/sh\n"+script+"\n", 0o700)
	return filepath.Join(filepath.Dir(l.reports), "out")
}

// reported reads the lines that a reporter has kept, and checks that the events of each case are complete and in order.
func (l *lab) reported(out string) map[string][]event.Event {
	l.t.Helper()
	data, err := os.ReadFile(out)
	if err != nil {
		l.t.Fatal(err)
	}
	got := map[string][]event.Event{}
	for line := range strings.Lines(string(data)) {
		var e event.Event
		if err := json.Unmarshal([]byte(line), &e); err != nil || e.Pack == "" {
			l.t.Fatalf("%v: %s", err, line)
		}
		got[e.Pack] = append(got[e.Pack], e)
	}
	for pack, events := range got {
		if events[0].Kind != event.CaseStarted || events[0].Format == "" || !slices.ContainsFunc(events,
			func(e event.Event) bool { return e.Kind == event.CaseEnded }) {
			l.t.Errorf("%s: %d events, from %s", pack, len(events), events[0].Kind)
		}
	}
	return got
}

// A reporter reads the events of all cases while the run lasts; when its input ends, the files of the run are complete.
func TestReporter(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	l.slowTests(3, "log: quick")
	out := l.reporter("mine", `cat > "$OUT"; cp "$TAPROOT_RUN_DIR/run.json" "$OUT.json"; echo "all is reported"`)
	l.env = append(l.env, "OUT="+out)
	e := l.taproot("run", ".", "--reporter", "./mine")
	e.exits(t, 0)
	has(t, "stderr", e.stderr, "all is reported")
	if got := l.reported(out); len(got) != 3 {
		t.Errorf("%d cases", len(got))
	}
	has(t, "run.json", read(t, out+".json"), `"result": "pass"`)
	e = l.taproot("run", ".", "--reporter", "./other")
	e.exits(t, 2)
	has(t, "stderr", e.stderr, "the reporter ./other cannot be started")
	l.quiet()
}

// A reporter that dies changes neither results nor the exit code; the warning counts what it did not read.
func TestReporterDies(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.slowTests(2, "log: quick")
	l.write("bad.yaml", "id: bad\nplatform: android\nsteps:\n  - "+failingStep+"\n")
	l.reporter("dies", "read line; exit 7")
	l.env = append(l.env, "TAPROOT_REPORTER=./dies")
	e := l.taproot("run", ".")
	e.exits(t, 1)
	has(t, "stdout", e.stdout, "2 passed, 1 failed")
	has(t, "stderr", e.stderr, "warning: the reporter ", "failed: exit status 7; it did not read ")
	l.taproot("report", "verify").exits(t, 0)
	l.quiet()
}

// The processes of Ginkgo share a reporter.
func TestReporterUnderGinkgo(t *testing.T) {
	t.Parallel()
	l, program := goLab(t, 2)
	l.dir = t.TempDir()
	l.slowTests(6, "log: quick")
	out := l.reporter("mine", `cat > "$OUT"`)
	l.env = append(l.env, "OUT="+out, "TAPROOT_REPORTER=./mine")
	l.ginkgo(program, "android").exits(t, 0)
	if got := l.reported(out); len(got) != 6 {
		t.Errorf("%d cases", len(got))
	}
}

// Events of cases on the hosts of a farm reach the reporter of the client.
func TestReporterOfAFarm(t *testing.T) {
	t.Parallel()
	f := newFarm(t)
	host := f.join("--token", f.token("--pool", "lab"))
	defer f.leave(host)
	eventually(t, "the phones are there", func() bool { return f.device("SIM1") == "free" && f.device("SIM2") == "free" })
	l := newLab(t, 0)
	l.env = append(l.env, "TAPROOT_API_KEY="+f.key)
	l.slowTests(4, "log: quick")
	out := l.reporter("mine", `cat > "$OUT"`)
	l.env = append(l.env, "OUT="+out)
	l.taproot("run", ".", "--hub", f.serve.url, "--reporter", "./mine").exits(t, 0)
	if got := l.reported(out); len(got) != 4 {
		t.Errorf("%d cases", len(got))
	}
}
