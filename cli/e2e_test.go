package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/taproot-dev/taproot/cli"
	"github.com/taproot-dev/taproot/cli/internal/process"
	"github.com/taproot-dev/taproot/cli/testdata/gosuite"
	"github.com/taproot-dev/taproot/cli/testdata/plainsuite"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// These tests use the program as a user does: a process of its own (this binary, under the name taproot, or as the
// program of a suite in Go), YAML files, simulated phones behind the adb protocol, real headless Chromium. They check
// exit codes, output and packs.
func TestMain(m *testing.M) {
	testscript.Main(leakChecked{m}, map[string]func(){
		"taproot":  func() { os.Exit(cli.Main(process.SystemEnv())) },
		shopServer: serveShop,
		goSuite:    asTests(testing.InternalTest{Name: "TestSuite", F: gosuite.TestSuite}),
		"plainsuite.test": asTests(
			testing.InternalTest{Name: "TestPasses", F: plainsuite.TestPasses},
			testing.InternalTest{Name: "TestFailsInAStep", F: plainsuite.TestFailsInAStep},
			testing.InternalTest{Name: "TestFailsBeside", F: plainsuite.TestFailsBeside},
			testing.InternalTest{Name: "TestPanics", F: plainsuite.TestPanics},
			testing.InternalTest{Name: "TestSkips", F: plainsuite.TestSkips},
			testing.InternalTest{Name: "TestOneAfterTheOther", F: plainsuite.TestOneAfterTheOther},
			testing.InternalTest{Name: "TestAtOnce", F: plainsuite.TestAtOnce},
			testing.InternalTest{Name: "TestPage", F: plainsuite.TestPage},
			testing.InternalTest{Name: "TestSpecOutside", F: plainsuite.TestSpecOutside},
			testing.InternalTest{Name: "TestMatching", F: plainsuite.TestMatching},
		),
		mixedSuite: asTests( // plain tests before and after those of RunSuites
			testing.InternalTest{Name: "TestPasses", F: plainsuite.TestPasses},
			testing.InternalTest{Name: "TestSuite", F: gosuite.TestSuite},
			testing.InternalTest{Name: "TestOneAfterTheOther", F: plainsuite.TestOneAfterTheOther},
		),
	})
}

// asTests runs the tests of a program that go test builds.
func asTests(tests ...testing.InternalTest) func() {
	return func() { testing.Main(regexp.MatchString, tests, nil, nil) }
}

type leakChecked struct{ m *testing.M }

// Run runs the tests. In the short mode more of them run at once than in other packages: they wait for other processes,
// and no package takes longer.
func (l leakChecked) Run() int {
	flag.Parse()
	if testing.Short() {
		if err := flag.Set("test.parallel", "5"); err != nil {
			panic(err)
		}
	}
	code := l.m.Run()
	storetest.Stop()
	return testutil.CheckLeaks(code)
}

// limit is the maximum duration of a run. No test comes near it.
const limit = 5 * time.Minute

// browsers lets two runs that start Chromium run at once.
var browsers = make(chan struct{}, 2)

// useBrowser waits until the test may start Chromium.
func useBrowser(t *testing.T) {
	t.Helper()
	browsers <- struct{}{}
	t.Cleanup(func() { <-browsers })
}

// lab is an environment of its own for a test: phones, leases, reports, temporary files.
type lab struct {
	t       *testing.T
	dir     string // working folder
	reports string
	tmp     string
	phones  []*androidsim.Phone
	env     []string
}

func newLab(t *testing.T, phones int) *lab {
	t.Helper()
	l := recordingLab(t, phones)
	l.env = append(l.env, "TAPROOT_NO_VIDEO=true", "TAPROOT_NO_TRACE=true")
	return l
}

// recordingLab returns a lab with recordings and traces, which cost as much as all the rest of a run.
func recordingLab(t *testing.T, phones int) *lab {
	t.Helper()
	root := t.TempDir()
	l := &lab{t: t, dir: filepath.Join(root, "project"), reports: filepath.Join(root, "reports"),
		tmp: filepath.Join(root, "tmp")}
	for _, dir := range []string{l.dir, l.tmp, filepath.Join(root, "run")} {
		if err := os.Mkdir(dir, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	server, list := androidsim.Start(t, slices.Repeat([]androidsim.Options{androidsim.Tiny}, phones)...)
	l.phones = list
	l.env = append(cleanEnv(), "ADB_SERVER_SOCKET=tcp:"+server.Addr(), "TAPROOT_REPORTS_DIR="+l.reports, "TMPDIR="+l.tmp,
		"XDG_RUNTIME_DIR="+filepath.Join(root, "run"), "XDG_STATE_HOME="+filepath.Join(root, "state"))
	return l
}

// cleanEnv returns the environment without the variables of the program.
func cleanEnv() []string {
	return slices.DeleteFunc(os.Environ(), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return strings.HasPrefix(name, "TAPROOT_") && name != "TAPROOT_CHROMIUM" || strings.HasPrefix(name, "ANDROID_") ||
			slices.Contains([]string{"ADB_SERVER_SOCKET", "NO_COLOR", "TMPDIR", "XDG_RUNTIME_DIR", "XDG_STATE_HOME"}, name)
	})
}

// write writes a file of the project.
func (l *lab) write(name, text string) {
	l.t.Helper()
	if err := os.WriteFile(filepath.Join(l.dir, name), []byte(text), 0o600); err != nil {
		l.t.Fatal(err)
	}
}

// ended is a process that has ended.
type ended struct {
	code           int
	stdout, stderr string
}

// taproot runs the program to its end.
func (l *lab) taproot(args ...string) ended {
	l.t.Helper()
	return l.start("taproot", args...).wait()
}

// child is a process that runs.
type child struct {
	t              *testing.T
	cmd            *exec.Cmd
	stdout, stderr bytes.Buffer
	cancel         context.CancelFunc
}

func (l *lab) start(program string, args ...string) *child {
	l.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	c := &child{t: l.t, cancel: cancel}
	c.cmd = exec.CommandContext(ctx, program, args...)
	c.cmd.Dir, c.cmd.Env = l.dir, l.env
	c.cmd.Stdout, c.cmd.Stderr, c.cmd.WaitDelay = &c.stdout, &c.stderr, 5*time.Second
	if err := c.cmd.Start(); err != nil {
		cancel()
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() {
		cancel()
		if c.cmd.ProcessState == nil { // the test has not waited for it
			_ = c.cmd.Wait()
		}
	})
	return c
}

func (c *child) wait() ended {
	c.t.Helper()
	err := c.cmd.Wait()
	defer c.cancel()
	var failed *exec.ExitError
	if err != nil && !errors.As(err, &failed) {
		c.t.Fatalf("%v\n%s", err, c.stderr.String())
	}
	e := ended{code: c.cmd.ProcessState.ExitCode(), stdout: c.stdout.String(), stderr: c.stderr.String()}
	c.t.Logf("%s: exit code %d\n%s%s", strings.Join(c.cmd.Args, " "), e.code, e.stdout, e.stderr)
	return e
}

// exits checks the exit code.
func (e ended) exits(t *testing.T, code int) {
	t.Helper()
	if e.code != code {
		t.Fatalf("exit code %d, want %d", e.code, code)
	}
}

// has checks that a text contains all of the words.
func has(t *testing.T, what, text string, words ...string) {
	t.Helper()
	for _, w := range words {
		if !strings.Contains(text, w) {
			t.Errorf("%s does not say %q:\n%s", what, w, text)
		}
	}
}

// eventually waits until a condition holds.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline, tick := time.NewTimer(limit), time.NewTicker(20*time.Millisecond)
	defer deadline.Stop()
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline.C:
			t.Fatalf("it did not come to this: %s", what)
		case <-tick.C:
		}
	}
}

// quiet checks that nothing of the runs is left: no process (found by the lab's folder for temporary files, which all
// of them inherit), no temporary file.
func (l *lab) quiet() {
	l.t.Helper()
	eventually(l.t, "no process is left", func() bool {
		left := l.processes()
		if len(left) > 0 && l.t.Failed() {
			l.t.Logf("left: %q", left)
		}
		return len(left) == 0
	})
	entries, err := os.ReadDir(l.tmp)
	if err != nil {
		l.t.Fatal(err)
	}
	for _, e := range entries {
		l.t.Errorf("a temporary file is left: %s", e.Name())
	}
}

// processes lists the commands that have the lab's folder in their environment or arguments; it needs /proc.
func (l *lab) processes() []string {
	var left []string
	files, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil {
		l.t.Fatal(err)
	}
	for _, file := range files {
		dir := filepath.Dir(file)
		environ, err := os.ReadFile(file)
		if err != nil {
			continue // it has ended, or is another user's
		}
		args, err := os.ReadFile(filepath.Join(dir, "cmdline"))
		if err != nil || len(args) == 0 {
			continue
		}
		if bytes.Contains(environ, []byte(l.tmp)) || bytes.Contains(args, []byte(l.tmp)) {
			left = append(left, string(bytes.ReplaceAll(args[:min(len(args), 200)], []byte{0}, []byte{' '})))
		}
	}
	return left
}

// runs lists the run directories.
func (l *lab) runs() []string {
	l.t.Helper()
	all, err := filepath.Glob(filepath.Join(l.reports, "*"))
	if err != nil {
		l.t.Fatal(err)
	}
	return slices.DeleteFunc(all, func(path string) bool { return !pack.IsRunName(filepath.Base(path)) })
}

// packs lists the packs of the only run.
func (l *lab) packs() []string {
	l.t.Helper()
	runs := l.runs()
	if len(runs) != 1 {
		l.t.Fatalf("%d run directories, want one: %q", len(runs), runs)
	}
	return packsOf(l.t, runs[0])
}

func packsOf(t testing.TB, run string) []string {
	t.Helper()
	entries, err := os.ReadDir(run)
	if err != nil {
		t.Fatal(err)
	}
	var packs []string
	for _, e := range entries {
		if e.IsDir() {
			packs = append(packs, filepath.Join(run, e.Name()))
		}
	}
	return packs
}

// projectRoot is the folder of this module.
func projectRoot(t *testing.T) string {
	t.Helper()
	root, err := filepath.Abs("..")
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func read(t testing.TB, elem ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(elem...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// untilStep waits until a case of the only run is in a step.
func (l *lab) untilStep(id string, step int) {
	l.t.Helper()
	eventually(l.t, "the case reaches its step", func() bool {
		found, err := filepath.Glob(filepath.Join(l.reports, "*", id, "events.ndjson"))
		if err != nil || len(found) != 1 {
			return false
		}
		data, err := os.ReadFile(found[0])
		if err != nil {
			return false
		}
		return slices.ContainsFunc(strings.Split(string(data), "\n"), func(line string) bool {
			var e event.Event
			return json.Unmarshal([]byte(line), &e) == nil && e.Kind == event.StepStarted && e.Step == step
		})
	})
}
