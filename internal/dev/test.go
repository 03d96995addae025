package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/toolchain"
)

// Tests wait more than they compute: four packages at once, and two tests of each, keep two cores busy.
const (
	packagesAtOnce = "4"
	testsAtOnce    = "2"
)

// testFlags are the arguments of dev test.
type testFlags struct {
	full    bool
	timeout time.Duration
}

// shortSuites are the labels of the suites that the short mode runs; make run runs all of them.
const shortSuites = "smoke || go || shop || recipe"

// runTests performs make test: it compiles and installs at the same time, then runs the suites next to all other tests.
// While programs are still being installed, the packages that need none are tested.
func runTests(ctx context.Context, p *progress, args []string) error {
	f := testFlags{timeout: time.Hour}
	set := flag.NewFlagSet("dev test", flag.ContinueOnError)
	set.BoolVar(&f.full, "full", false, "run every test completely, without the short mode")
	set.DurationVar(&f.timeout, "timeout", f.timeout, "limit of each package")
	if err := set.Parse(args); err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	installed := make(chan error, 1)
	go func() {
		installed <- setup(ctx, p, "the tests that need them", []string{toolchain.Android, toolchain.Web,
			toolchain.InFirefox, toolchain.Database, toolchain.Packages})
	}()
	if err := build(ctx, p, "all tests"); err != nil {
		cancel()
		return errors.Join(err, unlessCancelled(<-installed))
	}
	packages, err := listPackages(ctx)
	if err != nil {
		cancel()
		<-installed
		return err
	}
	t, err := f.start(p, packages)
	if err != nil {
		cancel()
		<-installed
		return err
	}
	defer t.log.Close()
	select {
	case err = <-installed:
	default:
		t.phase.say("the packages that need no other programs, while these are installed")
		alone := slices.DeleteFunc(slices.Clone(packages), func(p testPackage) bool { return p.needsTools })
		packages = slices.DeleteFunc(packages, func(p testPackage) bool { return !p.needsTools })
		compiled := make(chan error, 1)
		go func() { compiled <- compileTests(ctx, packages) }()
		err = errors.Join(t.run(ctx, alone), <-installed, unlessCancelled(<-compiled))
	}
	if err != nil {
		return err
	}
	if t.env, err = installedPath(ctx); err != nil {
		return err
	}
	suites := t.startSuites(ctx)
	err = errors.Join(t.run(ctx, packages), <-suites)
	return errors.Join(err, t.finish(ctx))
}

// compileTests compiles the tests of packages into the cache, without linking them: go test links each just before it
// runs.
func compileTests(ctx context.Context, packages []testPackage) error {
	if len(packages) == 0 {
		return nil
	}
	args := []string{"go", "list", "-test", "-export", "-f", " "}
	for _, p := range packages {
		args = append(args, p.path)
	}
	var errs bytes.Buffer
	if err := (process{args: args, env: compileEnv, stdout: io.Discard, stderr: &errs}).run(ctx); err != nil &&
		!exited(err) { // go test prints what does not compile
		return fmt.Errorf("%w\n%s", err, errs.String())
	}
	return nil
}

func unlessCancelled(err error) error {
	if errors.Is(err, context.Canceled) {
		return nil
	}
	return err
}

// testPackage is a package with tests.
type testPackage struct {
	path       string // of import
	name       string // below the module
	needsTools bool
}

// listPackages returns the packages with tests, except the suites, which need phones.
func listPackages(ctx context.Context) ([]testPackage, error) {
	lines, err := goList(ctx, `{{.ImportPath}} {{.Module.Path}} {{if or .TestGoFiles .XTestGoFiles}}tests{{end}}`+
		` {{join .Imports " "}} {{join .TestImports " "}} {{join .XTestImports " "}}`, "./...")
	if err != nil {
		return nil, err
	}
	var packages []testPackage
	starts := map[string]bool{} // packages that start programs
	for _, words := range lines {
		if len(words) < 2 {
			continue
		}
		starts[words[0]] = slices.Contains(words[2:], "os/exec")
		name := strings.TrimPrefix(strings.TrimPrefix(words[0], words[1]), "/")
		if name != "suites" && slices.Contains(words[2:], "tests") {
			packages = append(packages, testPackage{path: words[0], name: name, needsTools: starts[words[0]]})
		}
	}
	return packages, markTools(ctx, packages, starts)
}

// markTools finds the packages with tests that may need other programs: their tests depend on a package that starts
// some.
func markTools(ctx context.Context, packages []testPackage, starts map[string]bool) error {
	paths := make([]string, len(packages))
	for i, p := range packages {
		paths[i] = p.path
	}
	lines, err := goList(ctx, `{{if .ForTest}}{{.ForTest}} {{join .Deps " "}}{{end}}`,
		append([]string{"-test"}, paths...)...)
	if err != nil {
		return err
	}
	need := map[string]bool{}
	for _, words := range lines {
		if len(words) > 0 && slices.ContainsFunc(words[1:], func(dep string) bool { return starts[dep] }) {
			need[words[0]] = true
		}
	}
	for i := range packages {
		packages[i].needsTools = packages[i].needsTools || need[packages[i].path]
	}
	return nil
}

// goList returns the words of each line that go list prints.
func goList(ctx context.Context, format string, args ...string) ([][]string, error) {
	var out, errs bytes.Buffer
	err := process{args: append([]string{"go", "list", "-f", format}, args...), env: compileEnv, stdout: &out,
		stderr: &errs}.run(ctx)
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, errs.String())
	}
	var lines [][]string
	for line := range strings.Lines(out.String()) {
		lines = append(lines, strings.Fields(line))
	}
	return lines, nil
}

// testRun is one run of all tests.
type testRun struct {
	flags testFlags
	phase *phase
	count *tally
	log   *os.File // all events, as go test -json prints them
	env   []string // of the tests, in addition to that of the compiler
}

// installedPath returns PATH with the folders of Node and npm where they are not on it: tests start them by name.
func installedPath(ctx context.Context) ([]string, error) {
	dirs := filepath.SplitList(os.Getenv("PATH"))
	for _, name := range []string{toolchain.Node, toolchain.NPM} {
		if _, err := exec.LookPath(name); err == nil {
			continue
		}
		found, err := toolchain.Find(ctx, toolchain.System(), name)
		if err != nil {
			return nil, err
		}
		if found.OK() {
			dirs = append(dirs, filepath.Dir(found.Path))
		}
	}
	return []string{"PATH=" + strings.Join(dirs, string(filepath.ListSeparator))}, nil
}

func (f testFlags) start(p *progress, packages []testPackage) (*testRun, error) {
	log, err := logFile("test.json")
	if err != nil {
		return nil, err
	}
	times := readTimes(filepath.Join("bin", "test-times.json"))
	slices.SortStableFunc(packages, func(a, b testPackage) int { return int(times.of(b.name) - times.of(a.name)) })
	ph := p.start("test", fmt.Sprintf("%d packages and the suites", len(packages)))
	return &testRun{flags: f, phase: ph, log: log, count: newTally(packages, times, p.now)}, nil
}

// run tests packages, the longest first, and prints what ends and what fails.
func (t *testRun) run(ctx context.Context, packages []testPackage) error {
	if len(packages) == 0 {
		return nil
	}
	args := []string{"go", "test", "-json", "-vet=off", stripped, "-p", packagesAtOnce, "-timeout",
		t.flags.timeout.String()}
	if !t.flags.full {
		args = append(args, "-short", "-parallel", testsAtOnce)
	}
	for _, p := range packages {
		args = append(args, p.path)
	}
	read, write := io.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		in := bufio.NewReader(read)
		for {
			line, err := in.ReadBytes('\n')
			if len(line) > 0 {
				t.event(line)
			}
			if err != nil {
				return
			}
		}
	}()
	err := process{args: args, env: append(slices.Clone(compileEnv), t.env...), stdout: io.MultiWriter(t.log, write),
		stderr: &lines{do: t.other}}.run(ctx)
	_ = write.Close() // a pipe's Close never fails
	<-ended
	if err != nil && !exited(err) {
		return err
	}
	return nil // what failed was counted
}

// event takes one line of go test -json.
func (t *testRun) event(line []byte) {
	var e testEvent
	if json.Unmarshal(line, &e) != nil {
		t.other(strings.TrimSpace(string(line)))
		return
	}
	text, now := t.count.take(e)
	if text != "" {
		t.phase.say("%s", text)
	}
	t.phase.does("%s", now)
}

// other takes a line that is not an event, such as the download of a module.
func (t *testRun) other(line string) {
	if name, ok := strings.CutPrefix(line, "go: downloading "); ok {
		t.phase.does("downloading %s", name)
	} else if line != "" {
		t.phase.say("%s", line)
	}
}

// startSuites runs the suites next to the other tests; their output is printed at the end.
func (t *testRun) startSuites(ctx context.Context) <-chan error {
	done := make(chan error, 1)
	go func() {
		out, err := logFile("suites.log")
		if err != nil {
			done <- err
			return
		}
		defer out.Close()
		s := suites{sim: []string{"--phones", "2", "--size", "540x1200"}, ginkgo: []string{"--procs=3", "--no-color"},
			env: []string{"TAPROOT_NO_VIDEO=true", "TAPROOT_NO_TRACE=true"}}
		if !t.flags.full {
			s.ginkgo = append(s.ginkgo, "--label-filter="+shortSuites)
		}
		err = s.run(ctx, t.phase.p.start("suites", "starting two simulated phones and a browser"), out)
		if errors.Is(err, errFailed) {
			t.count.suitesFailed(tail("bin/suites.log", 200))
			err = nil
		}
		done <- err
	}()
	return done
}

// finish prints the slowest tests and the failures, and keeps the times for the next run.
func (t *testRun) finish(ctx context.Context) error {
	failed := t.count.failed()
	var err error
	if failed {
		err = errFailed
	}
	t.phase.end(err, "")
	fmt.Fprint(os.Stdout, t.count.summary())
	if ctx.Err() == nil && !failed {
		return t.count.times().write(filepath.Join("bin", "test-times.json"))
	}
	return err
}
