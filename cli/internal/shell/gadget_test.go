package shell_test

import (
	"context"
	"fmt"
	"image"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/cli/internal/shell"
	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/run"
)

// gadgets is a driver of devices with one button, which can be lost.
type gadgets struct {
	platform dsl.Platform
	pages    bool // they open pages
	ids      []string
	lost     atomic.Bool
	open     atomic.Int32
	taps     atomic.Int32
	during   atomic.Pointer[func()] // during a tap
}

func (g *gadgets) Platform() dsl.Platform { return g.platform }

func (g *gadgets) Close() error { return nil }

func (g *gadgets) Devices(context.Context) (list []drivers.Info, err error) {
	for _, id := range g.ids {
		list = append(list, drivers.Info{ID: id, Platform: g.platform, State: drivers.Ready})
	}
	return list, nil
}

func (g *gadgets) Open(_ context.Context, id string) (drivers.Device, error) {
	g.open.Add(1)
	if g.pages {
		return pageGadget{gadget: &gadget{g: g, id: id}}, nil
	}
	return &gadget{g: g, id: id}, nil
}

type gadget struct {
	g    *gadgets
	id   string
	once sync.Once
}

func (d *gadget) gone() error {
	if d.g.lost.Load() {
		return fmt.Errorf("the cable is out: %w", drivers.ErrDeviceLost)
	}
	return nil
}

func (d *gadget) Info() drivers.Info {
	return drivers.Info{ID: d.id, Platform: d.g.platform, State: drivers.Ready}
}

func (d *gadget) Tree(context.Context) (*screen.Tree, error) {
	root := &screen.Node{Bounds: image.Rect(0, 0, 100, 200), Children: []*screen.Node{
		{Type: "Button", Text: "Login", Clickable: true, Bounds: image.Rect(10, 10, 90, 50)},
		{Type: "EditText", Hint: "Name", Editable: true, Focused: true, Bounds: image.Rect(10, 60, 90, 90)}}}
	return screen.NewTree([]*screen.Node{root}, image.Pt(100, 200), time.Now()), d.gone()
}

func (d *gadget) Screenshot(context.Context) (image.Image, error) {
	return image.NewRGBA(image.Rect(0, 0, 100, 200)), d.gone()
}

func (d *gadget) Tap(context.Context, image.Point) error {
	d.g.taps.Add(1)
	if during := d.g.during.Load(); during != nil {
		(*during)()
	}
	return d.gone()
}

func (d *gadget) Type(context.Context, string) error { return d.gone() }

func (d *gadget) Close() error { d.once.Do(func() { d.g.open.Add(-1) }); return nil }

// desk is a session process within the test.
type desk struct {
	t      *testing.T
	dir    string
	phones *gadgets
	way    shell.Client
	ended  chan error
	stop   context.CancelFunc
}

func newDesk(t *testing.T, change func(*shell.Options)) *desk {
	t.Helper()
	d := emptyDesk(t)
	d.serve(change)
	return d
}

// emptyDesk is a desk that does not serve yet.
func emptyDesk(t *testing.T) *desk {
	t.Helper()
	dir, err := os.MkdirTemp("", "tps")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	d := &desk{t: t, dir: filepath.Join(dir, "taproot"), phones: &gadgets{platform: dsl.Android, ids: []string{"A"}}}
	d.way = shell.Client{Dir: d.dir, Build: "1", Program: []string{"/nowhere/taproot"}}
	return d
}

func (d *desk) serve(change func(*shell.Options)) {
	d.t.Helper()
	ready := make(chan bool)
	o := shell.Options{Dir: d.dir, Build: "1", Watch: 10 * time.Millisecond, Drivers: func(run.Config) []drivers.Driver {
		return []drivers.Driver{d.phones}
	},
		Ready: func() { close(ready) }}
	if change != nil {
		change(&o)
	}
	ctx, stop := context.WithCancel(context.Background())
	d.ended, d.stop = make(chan error, 1), stop
	ended := d.ended
	go func() { ended <- shell.Serve(ctx, o); close(ended) }()
	select {
	case <-ready:
	case err := <-d.ended:
		stop()
		d.t.Fatal(err)
	}
	d.t.Cleanup(func() { stop(); <-ended })
}

func (d *desk) request(word, args string) shell.Request {
	return shell.Request{Project: d.dir, Dir: d.dir, Env: map[string]string{"XDG_RUNTIME_DIR": filepath.Dir(d.dir)},
		Op: shell.OpWord, Word: word, Args: args, Caller: "a test"}
}

func (d *desk) do(req shell.Request) shell.Response {
	d.t.Helper()
	a, err := d.way.Do(context.Background(), req)
	if err != nil {
		d.t.Fatal(err)
	}
	return a
}

// wait waits for the end of the process and checks that nothing is left of it.
func (d *desk) wait() {
	d.t.Helper()
	select {
	case err := <-d.ended:
		if err != nil {
			d.t.Error(err)
		}
	case <-time.After(time.Minute):
		d.t.Fatal("the process does not end")
	}
	if n := d.phones.open.Load(); n != 0 {
		d.t.Errorf("%d devices are still open", n)
	}
	entries, err := os.ReadDir(d.dir)
	if err != nil {
		d.t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasSuffix(e.Name(), ".lock") {
			d.t.Errorf("%s is left", e.Name())
		}
	}
}
