package shell_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/taproot-dev/taproot/cli/internal/shell"
	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/runner/client"
	"github.com/taproot-dev/taproot/runner/run"
)

func TestMain(m *testing.M) {
	if at, child := os.LookupEnv(stuckAt); child {
		os.Exit(serveStuck(at))
	}
	testutil.NoLeaks(m)
}

// TestSession: a session taps, prints the screen, records its steps, and releases everything when it is closed.
func TestSession(t *testing.T) {
	d := newDesk(t, nil)
	if a := d.do(d.request("tap", "{label: Login}")); a.Exit != 0 || !strings.HasPrefix(a.Text, "ok: tap, ") ||
		strings.Contains(a.Text, "step:") || len(a.Steps) != 1 || a.Steps[0] != "tap: Login" {
		t.Errorf("tap: %+v", a)
	}
	look := d.request("", "")
	look.Op, look.View = shell.OpSnapshot, &client.View{Max: 500}
	if a := d.do(look); a.Exit != 0 || !strings.Contains(a.Text, `e1 button "Login"`) {
		t.Errorf("snapshot: %+v", a)
	}
	if a := d.do(d.request("tap", "{ref: e1}")); a.Exit != 0 {
		t.Errorf("tap e1: %+v", a)
	}
	if a := d.do(d.request("assert", "{label: Logout, timeoutMs: 50}")); a.Exit != 1 || len(a.Nearest) == 0 ||
		!strings.Contains(a.Try, "taproot snapshot") {
		t.Errorf("assert: %+v", a)
	}
	if a := d.do(d.request("tap", "{labl: Login}")); a.Exit != 2 {
		t.Errorf("wrong key: %+v", a)
	}
	steps := d.request("", "")
	steps.Op, steps.Steps = shell.OpSteps, "- set: {x: Login}\n- tap: ${x}\n"
	if a := d.do(steps); a.Exit != 0 || len(a.Steps) != 2 {
		t.Errorf("do: %+v", a)
	}
	if a := d.do(d.request("tap", "{label: '${x}'}")); a.Exit != 0 {
		t.Errorf("a variable that a step has saved: %+v", a)
	}
	save := d.request("", "")
	save.Op, save.ID = shell.OpSave, "mine"
	if a := d.do(save); a.Exit != 0 || !strings.Contains(a.Text, "id: mine\n") || strings.Count(a.Text, "  - ") != 5 {
		t.Errorf("save: %+v", a)
	}
	p, err := d.way.Sessions(t.Context())
	if err != nil || len(p.Sessions) != 1 || p.Sessions[0].Steps != 5 || len(p.Sessions[0].Devices) != 1 {
		t.Errorf("sessions: %+v %v", p, err)
	}
	if n := d.phones.taps.Load(); n != 4 {
		t.Errorf("%d taps", n)
	}
	if done, err := d.way.Close(t.Context(), shell.CloseRequest{Project: d.dir}); err != nil || done.Sessions != 1 {
		t.Errorf("close: %+v %v", done, err)
	}
	d.wait()
	if _, err := d.way.Sessions(t.Context()); !errors.Is(err, shell.ErrNone) {
		t.Errorf("sessions after the end: %v", err)
	}
}

// pageGadget is a browser that opens every page.
type pageGadget struct {
	*gadget
	drivers.Browser // the methods that the test does not need are missing
}

func (pageGadget) OpenPage(context.Context, string, drivers.PageOptions) error { return nil }

// TestSavedTestHoldsNoCredentials: a password for HTTP authentication becomes a variable of the saved test, whichever
// way the page was opened.
func TestSavedTestHoldsNoCredentials(t *testing.T) {
	d := newDesk(t, nil)
	d.phones.platform, d.phones.pages = dsl.Web, true
	const argument = "{url: 'https://a.example', httpCredentials: {username: ada, password: s3cret-pass}}"
	if a := d.do(d.request("openBrowser", argument)); a.Exit != 0 || strings.Contains(fmt.Sprint(a), "s3cret-pass") {
		t.Fatalf("openBrowser: %+v", a)
	}
	steps := d.request("", "")
	steps.Op, steps.Steps = shell.OpSteps, "- openBrowser: "+argument+"\n- group: {steps: [openBrowser: "+argument+"]}\n"
	if a := d.do(steps); a.Exit != 0 {
		t.Fatalf("steps: %+v", a)
	}
	file := filepath.Join(d.dir, "page.yaml")
	if err := os.WriteFile(file, []byte("id: page\nplatform: web\nsteps:\n  - openBrowser: "+argument+"\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	test := d.request("", "")
	test.Op, test.Test = shell.OpTest, &shell.TestRequest{Path: file}
	if a := d.do(test); a.Exit != 0 {
		t.Fatalf("test: %+v", a)
	}
	save := d.request("", "")
	save.Op = shell.OpSave
	a := d.do(save)
	if a.Exit != 0 || strings.Count(a.Text, `password: "${PASSWORD}"`) != 4 ||
		!strings.Contains(a.Text, "PASSWORD: ${PASSWORD}") ||
		!strings.Contains(a.Text, "secrets: [PASSWORD]") {
		t.Errorf("save: %+v", a)
	}
	err := filepath.WalkDir(d.dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() || path == file {
			return err
		}
		if data, err := os.ReadFile(path); err != nil || strings.Contains(string(data), "s3cret-pass") {
			t.Errorf("%s holds the password: %v", path, err)
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// TestEndings: the process ends when no command arrives any more and when its socket is removed, and leaves nothing
// behind.
func TestEndings(t *testing.T) {
	t.Run("idle", func(t *testing.T) {
		d := emptyDesk(t)
		d.serve(func(o *shell.Options) {
			ready := o.Ready
			o.Idle, o.Ready = 200*time.Millisecond, func() { // idle from now on
				if a, err := d.way.Do(context.Background(), d.request("tap", "{label: Login}")); err != nil || a.Exit != 0 {
					t.Errorf("%+v %v", a, err)
				}
				ready()
			}
		})
		d.wait()
	})
	t.Run("socket", func(t *testing.T) {
		d := newDesk(t, nil)
		d.do(d.request("tap", "{label: Login}"))
		if err := os.Remove(filepath.Join(d.dir, "shell.sock")); err != nil {
			t.Fatal(err)
		}
		d.wait()
	})
}

// TestLostDevice: every action that needs the device reports that it is lost, with the exit code for that; also without
// a device.
func TestLostDevice(t *testing.T) {
	alone := map[string]bool{"sleep": true, "log": true, "set": true, "http": true, "assertTrue": true,
		"setClipboard": true, "startRecording": true, "stopRecording": true, "run": true, "on": true, "exec": true,
		"paste": true, "install": true, "webUpload": true} // these need a text or a file first
	for _, lost := range []bool{true, false} {
		d := newDesk(t, nil)
		phones, pages := d.phones, &gadgets{platform: dsl.Web, ids: []string{"web-1"}}
		phones.lost.Store(true)
		pages.lost.Store(true)
		if !lost {
			phones.ids = nil
		}
		project := t.TempDir()
		both := newDesk(t, func(o *shell.Options) {
			o.Drivers = func(run.Config) []drivers.Driver {
				if !lost {
					return []drivers.Driver{phones}
				}
				return []drivers.Driver{phones, pages}
			}
		})
		for _, def := range dsl.Vocabulary() {
			// the devices here are an Android phone and a page
			if alone[def.Name] || hasSteps(def) || !def.On(dsl.Android) && !def.On(dsl.Web) {
				continue
			}
			_, args, _ := strings.Cut(def.Example, ":")
			req := both.request("", "")
			req.Env["TAPROOT_ALLOW_SHELL"] = "true"
			req.Op, req.Project, req.Steps = shell.OpSteps, project, def.Name+": "+args
			if lost {
				req.Device = "A"
				if def.On(dsl.Web) && !def.On(dsl.Android) {
					req.Device = "web-1"
				}
			}
			if a := both.do(req); a.Exit != run.ExitError || a.Text == "" {
				t.Errorf("%s, lost: %v: %+v", def.Name, lost, a)
			}
		}
	}
}

func hasSteps(def dsl.Def) bool {
	for _, f := range def.Fields() {
		if f.Kind == dsl.StepsField {
			return true
		}
	}
	return false
}

// TestTurns: two commands at once wait for each other, and one that is canceled does not affect the other.
func TestTurns(t *testing.T) {
	d := newDesk(t, nil)
	var at, most atomic.Int32
	arrived, free := make(chan bool, 9), make(chan bool)
	during := func() {
		if n := at.Add(1); n > most.Load() {
			most.Store(n)
		}
		arrived <- true
		<-free
		at.Add(-1)
	}
	d.phones.during.Store(&during)
	var all sync.WaitGroup
	for range 3 {
		all.Go(func() {
			if a, err := d.way.Do(context.Background(), d.request("tap", "{label: Login}")); err != nil || a.Exit != 0 {
				t.Errorf("%+v %v", a, err)
			}
		})
	}
	<-arrived
	given, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := d.way.Do(given, d.request("tap", "{label: Login}")); !errors.Is(err, context.Canceled) {
		t.Errorf("a command that was given up: %v", err)
	}
	close(free)
	all.Wait()
	if most.Load() != 1 || d.phones.taps.Load() != 3 {
		t.Errorf("%d at once, %d taps", most.Load(), d.phones.taps.Load())
	}
}

// TestVersions: another build takes over the steps when no device is open; while one is, the session continues and says
// why.
func TestVersions(t *testing.T) {
	d := newDesk(t, nil)
	d.do(d.request("tap", "{label: Login}"))
	other := d.way
	other.Build = "2"
	a, err := other.Do(t.Context(), d.request("tap", "{label: Login}"))
	if err != nil || a.Exit != 0 || !strings.Contains(a.Note, "cannot be handed over") {
		t.Fatalf("with an open device: %+v %v", a, err)
	}
	d.phones.lost.Store(true) // which closes the device
	d.do(d.request("tap", "{label: Login}"))
	d.phones.lost.Store(false)
	if _, err := other.Do(t.Context(), d.request("tap", "{label: Login}")); err == nil ||
		!strings.Contains(err.Error(), "start the session process") {
		t.Fatalf("the other build is to start its own: %v", err)
	}
	<-d.ended
	d.serve(func(o *shell.Options) { o.Build = "2" })
	save := d.request("", "")
	save.Op = shell.OpSave
	if a, err := other.Do(t.Context(), save); err != nil || a.Note != "" || strings.Count(a.Text, "- tap: Login") != 2 {
		t.Errorf("what was done is not taken over: %+v %v", a, err)
	}
}

// TestKilled: after a process was killed, the next command reports what is lost, once, and the steps can be saved.
func TestKilled(t *testing.T) {
	d := newDesk(t, nil)
	d.do(d.request("tap", "{label: Login}"))
	memory, err := os.ReadFile(filepath.Join(d.dir, "shell.json"))
	if err != nil {
		t.Fatal(err)
	}
	d.stop()
	<-d.ended
	stale, err := net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(d.dir, "shell.sock"), Net: "unix"})
	if err != nil {
		t.Fatal(err)
	}
	stale.SetUnlinkOnClose(false)
	if err := errors.Join(stale.Close(), os.WriteFile(filepath.Join(d.dir, "shell.json"), memory, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := d.way.Sessions(t.Context()); !errors.Is(err, shell.ErrNone) {
		t.Errorf("a socket of the dead: %v", err)
	}
	d.serve(nil)
	save := d.request("", "")
	save.Op = shell.OpSave
	a := d.do(save)
	if !strings.Contains(a.Note, "lost: A") || !strings.Contains(a.Note, "steps: 1") ||
		!strings.Contains(a.Text, "tap: Login") {
		t.Errorf("%+v", a)
	}
	if a := d.do(save); a.Note != "" {
		t.Errorf("told twice: %s", a.Note)
	}
	if err := shell.Serve(t.Context(), shell.Options{Dir: d.dir, Build: "1"}); !errors.Is(err, shell.ErrTaken) {
		t.Errorf("a second process: %v", err)
	}
}

// TestLockOfOneThatEnds: a process that ends, or is killed, has the folder's lock for a moment after its socket is
// dead; the next one waits for that.
func TestLockOfOneThatEnds(t *testing.T) {
	d := emptyDesk(t)
	if err := os.Mkdir(d.dir, 0o700); err != nil {
		t.Fatal(err)
	}
	lock := flock.New(filepath.Join(d.dir, "shell.lock"))
	if ok, err := lock.TryLock(); err != nil || !ok {
		t.Fatal(ok, err)
	}
	time.AfterFunc(100*time.Millisecond, func() {
		if err := lock.Unlock(); err != nil {
			t.Error(err)
		}
	})
	d.serve(nil)
	if a := d.do(d.request("tap", "{label: Login}")); a.Exit != 0 {
		t.Errorf("%+v", a)
	}
}

// TestMemoryIsFlat: a thousand commands need no more memory than some hundreds.
func TestMemoryIsFlat(t *testing.T) {
	d := newDesk(t, nil)
	n := 1000
	if testing.Short() {
		n = 80
	}
	look := d.request("", "")
	look.Op, look.View = shell.OpSnapshot, &client.View{Max: 500}
	used := func(times int) uint64 {
		for range times {
			d.do(look)
			d.do(d.request("tap", "{label: Login}"))
		}
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := used(n / 4)
	if after := used(n / 4); after > before+before/2+2<<20 {
		t.Errorf("the heap went from %d to %d bytes", before, after)
	}
}

// TestHostileFolder: a folder or socket that another user could have placed is rejected by both sides.
func TestHostileFolder(t *testing.T) {
	for name, plant := range map[string]func(dir string) error{
		"a link":           func(dir string) error { return os.Symlink(os.TempDir(), dir) },
		"a file":           func(dir string) error { return os.WriteFile(dir, nil, 0o600) },
		"others may write": func(dir string) error { return errors.Join(os.Mkdir(dir, 0o700), os.Chmod(dir, 0o777)) },
		"no socket": func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "shell.sock"), nil, 0o600))
		},
		"a link to a socket": func(dir string) error {
			return errors.Join(os.Mkdir(dir, 0o700), os.Symlink("/dev/log", filepath.Join(dir, "shell.sock")))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "r")
			if err := plant(dir); err != nil {
				t.Fatal(err)
			}
			if err := shell.Serve(t.Context(), shell.Options{Dir: dir}); err == nil {
				t.Error("served")
			}
			if _, err := (shell.Client{Dir: dir, Program: []string{"/nowhere"}}).Do(t.Context(), shell.Request{}); err == nil ||
				strings.Contains(err.Error(), "nowhere") {
				t.Errorf("asked: %v", err)
			}
		})
	}
}
