package cli_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
)

// mixedSuite is a suite of YAML tests and specs with plain tests next to it, as a program: this binary, under that
// name.
const mixedSuite = "mixed.test"

// Plain tests before and after RunSuites write into its run directory, and the machine-readable reports have all of
// them. A second invocation has a run directory of its own.
func TestPlainTestsAndSuitesShareARun(t *testing.T) {
	t.Parallel()
	l, _ := goLab(t, 1)
	for range 2 {
		l.start(mixedSuite, "-test.v", "-ginkgo.no-color", "-ginkgo.label-filter=passes").wait().exits(t, 0)
	}
	if runs := l.runs(); len(runs) != 2 {
		t.Fatalf("two invocations write into %q", runs)
	}
	want := []string{"go-passes", "testoneaftertheother-one", "testoneaftertheother-two", "testpasses"}
	for _, dir := range l.runs() {
		if got := passedIn(t, dir); !slices.Equal(got, want) {
			t.Errorf("%s has %q, want %q", dir, got, want)
		}
	}
}

// The processes of ginkgo --procs=2 write into one run directory, whichever starts it. Two invocations at the same time
// do not share one.
func TestParallelProcessesShareARun(t *testing.T) {
	t.Parallel()
	l, _ := goLab(t, 2)
	suite := t.TempDir() // Ginkgo runs a compiled suite in its folder
	file, err := exec.LookPath(mixedSuite)
	program := filepath.Join(suite, mixedSuite)
	if err := errors.Join(err, os.CopyFS(suite, os.DirFS(l.dir)), os.Symlink(file, program)); err != nil {
		t.Fatal(err)
	}
	l.dir = projectRoot(t)
	args := []string{"tool", "ginkgo", "--procs=2", "--no-color", "--label-filter=passes || yaml && android", program}
	first, second := l.start("go", args...), l.start("go", args...)
	first.wait().exits(t, 0)
	second.wait().exits(t, 0)
	runs := l.runs()
	if len(runs) != 2 {
		t.Fatalf("two invocations of two processes each write into %q", runs)
	}
	for _, dir := range runs {
		got := passedIn(t, dir)
		for _, want := range []string{"testpasses", "testpasses--test-2", "go-passes", "yaml-1",
			"testoneaftertheother-two", "testoneaftertheother-two--test-2"} {
			if !slices.Contains(got, want) {
				t.Errorf("%s lacks %s: %q", dir, want, got)
			}
		}
	}
}

// passedIn lists the packs of a run, all of which passed; its machine-readable report has each of them.
func passedIn(t *testing.T, dir string) (packs []string) {
	t.Helper()
	run, err := history.LoadRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(filepath.Join(dir, "junit.xml"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range run.Cases {
		if c.CaseResult == nil || c.CaseResult.Result != event.Pass {
			t.Errorf("%s: %+v", c.Pack, c.CaseResult)
		}
		if !strings.Contains(string(whole), c.Pack) {
			t.Errorf("junit.xml lacks %s", c.Pack)
		}
		packs = append(packs, c.Pack)
	}
	slices.Sort(packs)
	return packs
}
