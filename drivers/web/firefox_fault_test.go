package web

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/toolchain"
)

// A Firefox that is killed, or stopped for good, ends the calls with an error that blames the browser, and leaves
// neither process nor profile.
func TestFirefoxThatIsKilledOrHangs(t *testing.T) {
	t.Parallel()
	if runtime.GOOS != "linux" {
		t.Skip("reads /proc")
	}
	leftToFirefox(t)
	const sigstop = syscall.Signal(19) // of Linux; for Windows the package has no name for it
	for _, signal := range []os.Signal{syscall.SIGKILL, sigstop} {
		own := New(Options{Browser: dsl.Firefox})
		opened, err := own.Open(t.Context(), "web-1")
		Must(t, err)
		d := opened.(*device)
		Must(t, d.OpenPage(t.Context(), dataPage(`<h1>Here</h1>`), drivers.PageOptions{}))
		d.slot.Limit = 2 * time.Second
		pid, profile := firefoxOf(t, own)
		process, err := os.FindProcess(pid)
		Must(t, err)
		Must(t, process.Signal(signal))
		if !until(t.Context(), patience, func() bool { _, err = d.Tree(t.Context()); return err != nil }) {
			t.Fatal("the tree is read")
		}
		if drivers.AppIsWrong(err) {
			t.Errorf("%s: %v blames the page", signal, err)
		}
		_ = d.Close() // it says that the browser does not answer
		Must(t, own.Close())
		gone := func() bool {
			_, errDir := os.Stat(profile)
			return os.IsNotExist(errDir) && !runs(pid)
		}
		if !until(t.Context(), patience, gone) {
			t.Errorf("%s: process %d or its profile %s is left", signal, pid, profile)
		}
	}
}

// ignoresSignals: a signal to all processes of a run, as a CI system sends it, ends no browser behind the back of
// the writer of the reports.
func ignoresSignals(t *testing.T, own *Driver, d *device) {
	t.Helper()
	if runtime.GOOS == "windows" {
		return // it has no such signals
	}
	process, err := os.FindProcess(own.launcher.Pid())
	Must(t, err)
	for _, signal := range []os.Signal{syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT} {
		Must(t, process.Signal(signal))
	}
	tree(t, d)
}

// The same of Firefox; and none is left when that ends.
func TestFirefoxAndASignalToAllProcesses(t *testing.T) {
	t.Parallel()
	leftToFirefox(t) // TestLostProcesses does the same with Chromium
	own := New(Options{Browser: dsl.Firefox})
	opened, err := own.Open(t.Context(), "web-1")
	Must(t, err)
	d := opened.(*device)
	Must(t, d.OpenPage(t.Context(), dataPage(`<h1>Here</h1>`), drivers.PageOptions{}))
	pid := own.launcher.Pid()
	ignoresSignals(t, own, d)
	Must(t, d.Close())
	Must(t, own.Close())
	if !until(t.Context(), patience, func() bool { return !runs(pid) }) {
		t.Error("Playwright's process is left")
	}
}

// A Firefox that is missing, or too old, is one sentence that says how to get one.
func TestNoFirefox(t *testing.T) {
	t.Parallel()
	leftToFirefox(t)
	old := filepath.Join(t.TempDir(), "firefox")
	testutil.WriteProgram(t, old, "#!/bin/sh\necho Mozilla Firefox 115.3.0esr\n", 0o755)
	var path string
	host := toolchain.System()
	getenv := host.Getenv
	host.Getenv = func(name string) string {
		if name == "TAPROOT_FIREFOX" {
			return path
		}
		return getenv(name)
	}
	own := New(Options{Host: &host})
	opened, err := own.Open(t.Context(), "web-1")
	Must(t, err)
	for at, words := range map[string][]string{
		old: {"version 115.3.0esr is too old, 153 or newer is needed", "unset TAPROOT_FIREFOX"}, "/nowhere/firefox": {
			"no such file", "unset TAPROOT_FIREFOX"},
	} {
		path = at
		err := opened.(*device).UseBrowser(t.Context(), dsl.Firefox)
		for _, w := range words {
			if err == nil || !strings.Contains(err.Error(), w) {
				t.Errorf("%s: %v does not say %q", path, err, w)
			}
		}
	}
	Must(t, opened.Close())
	Must(t, own.Close())
}

// firefoxOf returns the process of a driver's Firefox and the folder of its profile.
func firefoxOf(t *testing.T, d *Driver) (pid int, profile string) {
	t.Helper()
	node := fmt.Sprintf("PPid:\t%d\n", d.launcher.Pid())
	entries, err := filepath.Glob("/proc/[0-9]*/status")
	Must(t, err)
	for _, entry := range entries {
		status, _ := os.ReadFile(entry)
		command, _ := os.ReadFile(filepath.Join(filepath.Dir(entry), "cmdline"))
		words := strings.Split(string(command), "\x00")
		if i := slices.Index(words, "--profile"); i > 0 && strings.Contains(string(status), node) {
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(entry)))
			Must(t, err)
			return pid, words[i+1]
		}
	}
	t.Fatal("Firefox does not run")
	return 0, ""
}

// runs reports whether a process is there and has not ended.
func runs(pid int) bool {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	return err == nil && !strings.Contains(string(status), "State:\tZ")
}
