package cli_test

import (
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"

	"github.com/gofrs/flock"

	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/webtest"
)

const (
	waitsOnPhone = "id: waits\nplatform: android\nsteps:\n  - launch: {package: com.example.list, force: true}\n" +
		"  - assert: {label: Never there, timeoutMs: 100000}\n  - assert: Payments\n"
	passesOnPhone = "id: passes\nplatform: android\nsteps:\n  - launch: {package: com.example.list, force: true}\n  - " +
		"assert: Payments\n"
)

// free checks that every phone can be leased: there is no lock on its file. The process of a session that was closed
// has its own until it ends.
func (l *lab) free() {
	l.t.Helper()
	locks, err := filepath.Glob(filepath.Join(filepath.Dir(l.dir), "run", "taproot", "*.lock"))
	if err != nil || len(locks) == 0 {
		l.t.Fatalf("locks: %q, %v", locks, err)
	}
	for _, path := range locks {
		lock := flock.New(path)
		eventually(l.t, filepath.Base(path)+" is free", func() bool {
			ok, err := lock.TryLock()
			return ok && err == nil
		})
		if err := lock.Close(); err != nil {
			l.t.Error(err)
		}
	}
}

// withSignals skips a test where no process can be sent a signal.
func withSignals(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no signals")
	}
}

// whole checks that the reports contain no incomplete file.
func (l *lab) whole() {
	l.t.Helper()
	err := filepath.WalkDir(l.reports, func(path string, d os.DirEntry, err error) error {
		if name := d.Name(); err == nil && (name == ".work" || strings.Contains(name, "tmp")) {
			l.t.Errorf("left in the reports: %s", path)
		}
		return err
	})
	if err != nil {
		l.t.Fatal(err)
	}
}

// Ctrl-C: running cases end as interrupted, waiting cases never start, the packs are complete, and nothing is left
// behind.
func TestInterrupt(t *testing.T) {
	withSignals(t)
	t.Parallel()
	useBrowser(t)
	site := webtest.New(t)
	l := newLab(t, 1)
	l.write("1.yaml", waitsOnPhone)
	l.write("2.yaml", "id: waits-too\nplatform: web\nsteps:\n  - openBrowser: {url: '"+site.Page("list.html")+"'}\n"+
		"  - assert: {label: Never there, timeoutMs: 100000}\n")
	l.write("3.yaml", passesOnPhone)
	run := l.start("taproot", "run", ".")
	l.untilStep("waits", 2)
	l.untilStep("waits-too", 2)
	if err := run.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	end := run.wait()
	end.exits(t, 130)
	has(t, "the terminal", end.stdout, "■ INTERRUPTED waits ", "■ INTERRUPTED waits-too ",
		"1.yaml:5:5: the run was interrupted", "0 passed, 3 interrupted in ")
	has(t, "stderr", end.stderr, "interrupted; 1 test was not started")
	if packs := l.packs(); len(packs) != 2 {
		t.Errorf("packs: %q", packs)
	}
	for _, dir := range l.packs() {
		if p := checkPack(t, dir); p.Result != "interrupted" || p.Passed != 1 || p.failedStep() != 2 {
			t.Errorf("%s: %s in step %d", p.ID, p.Result, p.failedStep())
		}
	}
	l.whole()
	l.free()
	l.quiet()
}

// If the terminal is closed, the run ends as with Ctrl-C, and restores the phone.
func TestHangUp(t *testing.T) {
	withSignals(t)
	t.Parallel()
	// a program inherits the signals that its parent ignores, as under nohup, but not its handlers
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, syscall.SIGHUP)
	defer signal.Stop(heard)
	l := newLab(t, 1)
	l.write("waits.yaml", waitsOnPhone)
	run := l.start("taproot", "run", "waits.yaml")
	l.untilStep("waits", 2)
	if err := run.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		t.Fatal(err)
	}
	run.wait().exits(t, 130)
	if p := checkPack(t, l.packs()[0]); p.Result != "interrupted" || p.failedStep() != 2 {
		t.Errorf("%s in step %d", p.Result, p.failedStep())
	}
	if now := l.phones[0].Setting("global", "window_animation_scale"); now != "1.0" {
		t.Errorf("animations were left at %s", now)
	}
	l.whole()
	l.free()
}

// kill -9: the next run completes the pack as interrupted, with the step in which the run was killed. The phone is free
// at once.
func TestKill(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.write("waits.yaml", waitsOnPhone)
	l.write("passes.yaml", passesOnPhone)
	run := l.start("taproot", "run", "waits.yaml")
	l.untilStep("waits", 2)
	if err := run.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	run.wait().exits(t, -1)
	l.free()
	const scale = "window_animation_scale"
	if now := l.phones[0].Setting("global", scale); now != "0" {
		t.Errorf("during a run %s is %s", scale, now)
	}
	dead := l.packs()[0]
	if _, err := os.Stat(filepath.Join(dead, "summary.json")); !errors.Is(err, os.ErrNotExist) {
		t.Fatalf("the killed run has a summary: %v", err)
	}

	next := l.taproot("run", "passes.yaml")
	next.exits(t, 0)
	if now := l.phones[0].Setting("global", scale); now != "1.0" {
		t.Errorf("after the next run %s is %s: the killed one's note was not honoured", scale, now)
	}
	has(t, "stderr", next.stderr, "completed the report of "+dead+", which a killed run left unfinished: interrupted\n")
	p := checkPack(t, dead)
	if p.Result != "interrupted" || p.Passed != 1 || p.failedStep() != 2 || p.Failed != 0 ||
		!strings.HasSuffix(p.rows[1][3], "INTERRUPTED") {
		t.Errorf("%s: %+v\n%s", dead, p.summary, p.markdown)
	}
	has(t, "run.md", p.markdown, "**Step 2, assert** · `waits.yaml:5:5`",
		"The run stopped before this report was complete")
	for _, dir := range l.runs() {
		for _, pack := range packsOf(t, dir) {
			checkPack(t, pack)
		}
	}
	if again := l.taproot("run", "passes.yaml"); strings.Contains(again.stderr, "completed the report") {
		t.Errorf("it was completed twice: %s", again.stderr)
	}
	l.whole()
	eventually(t, "no process is left", func() bool { return len(l.processes()) == 0 })
}

// kill -9 while a browser is open: the browser ends with the run.
func TestKillEndsTheBrowser(t *testing.T) {
	testutil.Leave(t, "TestServeIsKilled kills a server while a browser is open")
	t.Parallel()
	useBrowser(t)
	site := webtest.New(t)
	l := newLab(t, 0)
	l.write("waits.yaml", "id: waits\nplatform: web\nsteps:\n  - openBrowser: {url: '"+site.Page("list.html")+"'}\n"+
		"  - assert: {label: Never there, timeoutMs: 100000}\n")
	run := l.start("taproot", "run", "waits.yaml")
	l.untilStep("waits", 2)
	if err := run.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	run.wait().exits(t, -1)
	eventually(t, "no process is left", func() bool { return len(l.processes()) == 0 })
	sealed := l.taproot("run", "waits.yaml", "--platform", "android", "--allow-empty")
	sealed.exits(t, 0)
}

// If the reader of the output ends during the run, as in `taproot run | head`, the tests continue.
func TestReaderGone(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.write("1.yaml", passesOnPhone)
	l.write("2.yaml", strings.ReplaceAll(passesOnPhone, "passes", "passes-too"))
	ours, theirs, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "taproot", "run", ".")
	var said strings.Builder
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = l.dir, l.env, theirs, &said
	if err := errors.Join(cmd.Start(), theirs.Close(), ours.Close()); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); cmd.ProcessState.ExitCode() != 3 {
		t.Errorf("%v\n%s", err, said.String())
	}
	has(t, "stderr", said.String(), "broken pipe")
	for _, p := range l.checked() {
		if p.Result != "pass" {
			t.Errorf("%s: %s", p.ID, p.Result)
		}
	}
	if n := len(l.packs()); n != 2 {
		t.Errorf("%d packs", n)
	}
	l.quiet()
}
