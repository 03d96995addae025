package cli_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/internal/result/runtest"
	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// TestScripts runs testdata/*.txtar. In addition to testscript's own commands there are
//
//	phones N             N simulated phones, SIM1, SIM2, …, are attached from here on; before, there is none
//	exits N PROGRAM …    the program ends with that exit code
//	runs N               the reports folder holds that many runs; all their packs are as the specification has them
//	result ID WORD STEP  the pack of that test has this result, and this is the first step that did not pass (0: none)
func TestScripts(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata",
		UpdateScripts:       *testutil.Update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup:               func(e *testscript.Env) error { return setUpScript(t, e) },
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"phones": func(ts *testscript.TestScript, _ bool, args []string) {
				server, _ := androidsim.Start(t, slices.Repeat([]androidsim.Options{androidsim.Tiny}, number(ts, args[0]))...)
				ts.Setenv("ADB_SERVER_SOCKET", "tcp:"+server.Addr())
			},
			"exits":  exits,
			"runs":   func(ts *testscript.TestScript, _ bool, args []string) { scriptRuns(t, ts, args) },
			"result": func(ts *testscript.TestScript, _ bool, args []string) { scriptResult(t, ts, args) },
		},
	})
}

// setUpScript prepares a machine without phones for a script.
func setUpScript(t *testing.T, e *testscript.Env) error {
	server, _ := androidsim.Start(t)
	if err := os.Mkdir(filepath.Join(e.WorkDir, ".run"), 0o700); err != nil {
		return err
	}
	for name, value := range map[string]string{
		"ADB_SERVER_SOCKET":   "tcp:" + server.Addr(),
		"XDG_RUNTIME_DIR":     filepath.Join(e.WorkDir, ".run"),
		"TAPROOT_REPORTS_DIR": filepath.Join(e.WorkDir, "reports"),
		"TAPROOT_CHROMIUM":    os.Getenv("TAPROOT_CHROMIUM"),
		"TAPROOT_NO_VIDEO":    "true",
		"TAPROOT_NO_TRACE":    "true",
		"HOME":                os.Getenv("HOME"), // for the browser's driver in its cache
		"XDG_CACHE_HOME":      os.Getenv("XDG_CACHE_HOME"),
		"XDG_STATE_HOME":      filepath.Join(e.WorkDir, ".state"),
	} {
		e.Setenv(name, value)
	}
	return nil
}

func number(ts *testscript.TestScript, text string) int {
	n, err := strconv.Atoi(text)
	ts.Check(err)
	return n
}

func exits(ts *testscript.TestScript, _ bool, args []string) {
	want := number(ts, args[0])
	err := ts.Exec(args[1], args[2:]...)
	code := 0
	var failed *exec.ExitError
	if errors.As(err, &failed) {
		code = failed.ExitCode()
	} else {
		ts.Check(err)
	}
	if code != want {
		ts.Fatalf("exit code %d, want %d", code, want)
	}
}

func scriptPacks(t *testing.T, ts *testscript.TestScript) (runs int, packs map[string]*packOf) {
	found, err := filepath.Glob(filepath.Join(ts.Getenv("TAPROOT_REPORTS_DIR"), "*"))
	ts.Check(err)
	found = slices.DeleteFunc(found, func(path string) bool { return !pack.IsRunName(filepath.Base(path)) })
	packs = map[string]*packOf{}
	for _, run := range found {
		for _, dir := range packsOf(t, run) {
			packs[filepath.Base(dir)] = checkPack(t, dir)
		}
	}
	if counts := runtest.Valid(t, ts.Getenv("TAPROOT_REPORTS_DIR")); counts["history"] > 1 ||
		counts["environment"] > len(found) {
		ts.Fatalf("the reports have the files %v", counts)
	}
	return len(found), packs
}

func scriptRuns(t *testing.T, ts *testscript.TestScript, args []string) {
	if runs, _ := scriptPacks(t, ts); runs != number(ts, args[0]) {
		ts.Fatalf("%d runs, want %s", runs, args[0])
	}
}

func scriptResult(t *testing.T, ts *testscript.TestScript, args []string) {
	_, packs := scriptPacks(t, ts)
	p := packs[args[0]]
	if p == nil {
		ts.Fatalf("there is no pack %s", args[0])
	}
	if p.Result != args[1] || p.failedStep() != number(ts, args[2]) {
		ts.Fatalf("%s ended with %q in step %d\n%s", args[0], p.Result, p.failedStep(), strings.TrimSpace(p.markdown))
	}
}
