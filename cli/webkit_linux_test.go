package cli_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/drivertest"
	"github.com/taproot-dev/taproot/internal/toolchain"
	"github.com/taproot-dev/taproot/internal/webtest"
)

// needWebKit skips a test where WebKit is not installed.
func needWebKit(t *testing.T) {
	t.Helper()
	for _, name := range []string{toolchain.MiniBrowser, toolchain.WebKitDriver, toolchain.Xvfb} {
		found, err := toolchain.Find(context.Background(), toolchain.System(), name)
		if err != nil {
			t.Fatal(err)
		}
		if !found.OK() {
			t.Skipf("%s is not installed: %s", name, found.Advice)
		}
	}
}

// A test in WebKit passes, fails and is rejected through taproot run, and leaves neither processes nor files: whether
// it ends by itself, by Ctrl-C or by a kill.
func TestWebKitRuns(t *testing.T) {
	needWebKit(t)
	useBrowser(t)
	site := webtest.New(t)
	l := newLab(t, 0)
	l.write("pass.yaml", "id: pass\nplatform: web\nsteps:\n  - openBrowser: '"+site.Page("index.html")+
		"'\n  - assert: Sample pages\n")
	l.write("fail.yaml", "id: fail\nplatform: web\nsteps:\n  - openBrowser: '"+site.Page("index.html")+
		"'\n  - assert: {label: Never there, timeoutMs: 500}\n")
	end := l.start("taproot", "run", "--browser", "webkit", ".").wait()
	end.exits(t, 1)
	has(t, "the terminal", end.stdout, "✓ PASS pass", "✗ FAIL fail", "1 passed, 1 failed")
	l.endedWebKit(nil)
	l.write("file.yaml", "id: file\nplatform: web\nbrowsers: [webkit]\nsteps:\n  - openBrowser: '"+
		site.Page("index.html")+"'\n  - setLocation: \"52.5,13.4\"\n")
	end = l.start("taproot", "run", "file.yaml").wait()
	end.exits(t, 2)
	has(t, "the error", end.stderr+end.stdout, "file.yaml:6:5: setLocation does not work in WebKit")
	for name, sent := range map[string]syscall.Signal{"interrupted": syscall.SIGINT, "killed": syscall.SIGKILL} {
		l.write(name+".yaml", "id: "+name+"\nplatform: web\nbrowsers: [webkit]\nsteps:\n  - openBrowser: '"+
			site.Page("index.html")+"'\n  - assert: {label: Never there, timeoutMs: 100000}\n")
		if err := os.RemoveAll(l.reports); err != nil {
			t.Fatal(err)
		}
		run := l.start("taproot", "run", name+".yaml")
		l.untilStep(name, 2)
		all := drivertest.Descendants(run.cmd.Process.Pid)
		if len(all) < 6 {
			t.Errorf("%d processes run", len(all))
		}
		if err := run.cmd.Process.Signal(sent); err != nil {
			t.Fatal(err)
		}
		run.wait()
		l.endedWebKit(all)
	}
}

// endedWebKit waits until no process is left, and no file of theirs.
func (l *lab) endedWebKit(all []drivertest.Process) {
	l.t.Helper()
	var left []string
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		left = drivertest.Alive(all)
		files, err := filepath.Glob(filepath.Join(l.tmp, "taproot-webkit-*"))
		if err != nil {
			l.t.Fatal(err)
		}
		if left = append(left, files...); len(left) == 0 {
			return
		}
	}
	l.t.Errorf("these are left: %s", strings.Join(left, ", "))
}

// TestDoctorKnowsWebKit: doctor lists the programs of WebKit.
func TestDoctorKnowsWebKit(t *testing.T) {
	needWebKit(t)
	end := newLab(t, 0).start("taproot", "doctor", "--platform", "webkit").wait()
	end.exits(t, 0)
	has(t, "doctor", end.stdout, "MiniBrowser", "WebKitWebDriver", "Xvfb")
}
