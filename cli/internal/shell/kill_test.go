package shell_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/cli/internal/shell"
	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/client"
	"github.com/taproot-dev/taproot/runner/run"
)

// Environment variables of a process of this test that is started as a session process: the state in which it stops
// until it is killed, the file in which it reports that it got there, and the folder of its socket.
const (
	stuckAt   = "TAPROOT_TEST_STUCK_AT"
	stuckMark = "TAPROOT_TEST_STUCK_MARK"
	stuckDir  = "TAPROOT_TEST_STUCK_DIR"
)

// serveStuck runs that process.
func serveStuck(at string) int {
	s := stuck{&gadgets{platform: dsl.Android, ids: []string{"A"}}, at}
	err := shell.Main(context.Background(), shell.Options{Dir: os.Getenv(stuckDir), Build: "1",
		Drivers: func(run.Config) []drivers.Driver { return []drivers.Driver{s} }}, os.Stdout)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// stuck are gadgets that never leave one state.
type stuck struct {
	*gadgets
	at string
}

// reach blocks in the configured state.
func (s stuck) reach(state string) {
	if state != s.at {
		return
	}
	mark := os.Getenv(stuckMark)
	if err := errors.Join(os.WriteFile(mark+".new", []byte(strconv.Itoa(os.Getpid())), 0o600),
		os.Rename(mark+".new", mark)); err != nil {
		panic(err)
	}
	select {}
}

func (s stuck) Open(ctx context.Context, id string) (drivers.Device, error) {
	s.reach("opening")
	d, err := s.gadgets.Open(ctx, id)
	return stuckGadget{d.(*gadget), s}, err
}

type stuckGadget struct {
	*gadget
	at stuck
}

func (d stuckGadget) Tap(ctx context.Context, p image.Point) error {
	d.at.reach("in a command")
	return d.gadget.Tap(ctx, p)
}

func (d stuckGadget) Close() error {
	d.at.reach("closing")
	return d.gadget.Close()
}

// TestKilledInEveryState: a session process that is killed (kill -9) ends the current command with an error that says
// so. The next one does not hang, reports what was lost, and works on the same device; and after taproot close nothing
// is left.
func TestKilledInEveryState(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for state, lost := range map[string]string{"idle": "lost: A", "opening": "", "in a command": "lost: A",
		"closing": "lost: A"} {
		t.Run(state, func(t *testing.T) {
			t.Parallel()
			k := newKilling(t, program, state)
			if state != "opening" {
				if a, err := k.way.Do(k.ctx, k.look()); err != nil || a.Exit != 0 {
					t.Fatalf("%+v %v", a, err)
				}
			}
			k.kill(state)
			k.way.Env = k.env("nowhere")
			a, err := k.way.Do(k.ctx, k.tap())
			if err != nil || a.Exit != 0 || !strings.Contains(a.Note, lost) || (a.Note != "") != (lost != "") {
				t.Errorf("the next command: %+v %v", a, err)
			}
			if done, err := k.way.Close(k.ctx, shell.CloseRequest{Project: k.project}); err != nil || done.Sessions != 1 ||
				done.Error != "" {
				t.Errorf("close: %+v %v", done, err)
			}
			entries, err := os.ReadDir(k.way.Dir)
			for _, e := range entries {
				if !strings.HasSuffix(e.Name(), ".lock") {
					t.Errorf("%s is left", e.Name())
				}
			}
			if err != nil {
				t.Error(err)
			}
		})
	}
}

// killing is a session in its own process.
type killing struct {
	t       *testing.T
	ctx     context.Context
	way     shell.Client
	project string
	mark    string
	program string
}

func newKilling(t *testing.T, program, state string) *killing {
	dir, err := os.MkdirTemp("", "tpk") // short: the path of a socket is limited
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute) // ends what hangs
	t.Cleanup(cancel)
	k := &killing{t: t, ctx: ctx, project: dir, mark: filepath.Join(dir, "mark"), program: program}
	k.way = shell.Client{Dir: filepath.Join(dir, "taproot"), Build: "1", Program: []string{program}}
	k.way.Env = k.env(state)
	return k
}

func (k *killing) env(state string) []string {
	return append(os.Environ(), stuckAt+"="+state, stuckMark+"="+k.mark, stuckDir+"="+k.way.Dir)
}

func (k *killing) request() shell.Request {
	return shell.Request{Project: k.project, Dir: k.project, Env: map[string]string{"XDG_RUNTIME_DIR": k.project},
		Caller: "a test"}
}

func (k *killing) tap() shell.Request {
	r := k.request()
	r.Op, r.Word, r.Args = shell.OpWord, "tap", "{label: Login}"
	return r
}

func (k *killing) look() shell.Request {
	r := k.request()
	r.Op, r.View = shell.OpSnapshot, &client.View{Max: 500}
	return r
}

// kill ends the process when it is in the state, and keeps the error of the current command.
func (k *killing) kill(state string) {
	k.t.Helper()
	if state == "idle" {
		p, err := k.way.Sessions(k.ctx)
		if err != nil {
			k.t.Fatal(err)
		}
		k.end(p.PID)
		k.gone()
		return
	}
	said := make(chan error, 1)
	go func() {
		var err error
		if state == "closing" {
			_, err = k.way.Close(k.ctx, shell.CloseRequest{Project: k.project})
		} else {
			_, err = k.way.Do(k.ctx, k.tap())
		}
		said <- err
	}()
	for {
		if pid, err := os.ReadFile(k.mark); err == nil {
			n, err := strconv.Atoi(string(pid))
			if err != nil {
				k.t.Fatal(err)
			}
			k.end(n)
			break
		}
		if err := drivers.Pause(k.ctx, 10*time.Millisecond); err != nil {
			k.t.Fatalf("it never came to %s: %v", state, err)
		}
	}
	if err := <-said; !errors.Is(err, shell.ErrKilled) {
		k.t.Errorf("the command under way said: %v", err)
	}
	k.gone()
}

// gone waits until the process has ended: until then it may still accept a command to which it never responds.
func (k *killing) gone() {
	k.t.Helper()
	var err error
	for !errors.Is(err, shell.ErrNone) {
		if _, err = k.way.Sessions(k.ctx); k.ctx.Err() != nil {
			k.t.Fatal(err)
		}
	}
}

func (k *killing) end(pid int) {
	k.t.Helper()
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		k.t.Fatal(err)
	}
}
