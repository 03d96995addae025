package runner_test

import (
	"context"
	"fmt"
	"image"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/runner/internal/failure"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/pool"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		os.Exit(child())
	}
	code := m.Run()
	_ = os.RemoveAll(apple)
	os.Exit(testutil.CheckLeaks(code))
}

// fleet is a driver of devices that show "Ready"; each screen read takes a second of fake time if cost requires it.
type fleet struct {
	platform dsl.Platform
	cost     time.Duration
	onOpen   func(id string) error // may be nil
	onClose  func()                // may be nil
	onLook   func(id string) error // may be nil

	mu         sync.Mutex
	infos      []drivers.Info
	err        error // of Devices
	asked      int
	busy       map[string]bool
	most       int // devices open at once
	ended      int // times
	endedEarly int
	opened     []string // ids
	doubled    []string // ids that were opened while they were open
}

func phones(ids ...string) *fleet {
	f := &fleet{platform: dsl.Android, busy: map[string]bool{}}
	for _, id := range ids {
		f.infos = append(f.infos, drivers.Info{ID: id, Platform: dsl.Android, State: drivers.Ready, Model: "One"})
	}
	return f
}

// pages is a fleet that belongs to the process.
type pages struct{ *fleet }

func newPages(n int) pages {
	f := &fleet{platform: dsl.Web, busy: map[string]bool{}}
	for i := range n {
		f.infos = append(f.infos, drivers.Info{ID: fmt.Sprintf("web-%d", i+1), Platform: dsl.Web, State: drivers.Ready})
	}
	return pages{f}
}

func (p pages) Slots() int { return len(p.infos) }

func (f *fleet) Platform() dsl.Platform { return f.platform }

// Close notes how often it came, and how often while a device was in use.
func (f *fleet) Close() error {
	f.set(func() {
		f.ended++
		if len(f.busy) > 0 {
			f.endedEarly++
		}
	})
	return nil
}

// ends returns how often the driver ended, and how often while a device was in use.
func (f *fleet) ends() (all, early int) {
	f.set(func() { all, early = f.ended, f.endedEarly })
	return all, early
}

func (f *fleet) Devices(context.Context) ([]drivers.Info, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.asked++
	return slices.Clone(f.infos), f.err
}

func (f *fleet) set(change func()) {
	f.mu.Lock()
	defer f.mu.Unlock()
	change()
}

func (f *fleet) Open(ctx context.Context, id string) (drivers.Device, error) {
	if f.onOpen != nil {
		if err := f.onOpen(id); err != nil {
			return nil, err
		}
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.ContainsFunc(f.infos, func(i drivers.Info) bool { return i.ID == id }) {
		return nil, fmt.Errorf("%w: device %s is absent", drivers.ErrDeviceLost, id)
	}
	if f.busy[id] {
		f.doubled = append(f.doubled, id)
	}
	f.busy[id] = true
	f.opened = append(f.opened, id)
	f.most = max(f.most, len(f.busy))
	return &member{f: f, id: id}, ctx.Err()
}

// member is one device of a fleet.
type member struct {
	f    *fleet
	id   string
	once sync.Once
}

func (m *member) Info() drivers.Info { return drivers.Info{ID: m.id, Model: "One"} }

func (m *member) Close() error {
	m.once.Do(func() {
		m.f.set(func() { delete(m.f.busy, m.id) })
		if m.f.onClose != nil {
			m.f.onClose()
		}
	})
	return nil
}

func (m *member) Tree(ctx context.Context) (*screen.Tree, error) {
	if err := Sleep(ctx, m.f.cost); err != nil {
		return nil, err
	}
	if m.f.onLook != nil {
		if err := m.f.onLook(m.id); err != nil {
			return nil, err
		}
	}
	r := image.Rect(0, 0, 40, 80)
	return screen.NewTree([]*screen.Node{{Type: "Text", Text: "Ready", Bounds: r}}, r.Max, time.Now()), nil
}

func (m *member) Screenshot(ctx context.Context) (image.Image, error) {
	return image.NewGray(image.Rect(0, 0, 4, 8)), ctx.Err()
}

func (m *member) Tap(ctx context.Context, _ image.Point) error { return ctx.Err() }
func (m *member) Type(ctx context.Context, _ string) error     { return ctx.Err() }

// Sleep waits for d or the end of ctx.
func Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

// locksIn makes an environment with its lock files in a folder.
func locksIn(dir string) func(string) string {
	return func(name string) string {
		if name == "XDG_RUNTIME_DIR" {
			return dir
		}
		return ""
	}
}

// newRunner makes a runner over the drivers, with locks and reports of its own.
func newRunner(t *testing.T, c run.Config, list ...drivers.Driver) *run.Runner {
	t.Helper()
	if c.Getenv == nil {
		c.Getenv = locksIn(t.TempDir())
	}
	dir, err := pack.NewRunDir(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	r := &run.Runner{Config: c, Pool: pool.New(list, c.PoolOptions()), Dir: dir}
	t.Cleanup(func() {
		if err := r.End(); err != nil {
			t.Error(err)
		}
	})
	return r
}

// newCase makes a case that asserts a text.
func newCase(t *testing.T, id string, platform dsl.Platform, text string) plan.Case {
	t.Helper()
	src := fmt.Sprintf("id: %s\nplatform: %s\nsteps:\n  - assert: {label: %q, timeoutMs: 0}\n", id, platform, text)
	return parseCase(t, src)
}

func parseCase(t *testing.T, src string) plan.Case {
	t.Helper()
	tests, err := dsl.Parse("suites/sample.yaml", []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return plan.Case{Test: tests[0], Platform: tests[0].Platform, Pack: tests[0].ID}
}

// wantResult checks an outcome and that its report says the same.
func wantResult(t *testing.T, o run.Outcome, want event.Result, words ...string) {
	t.Helper()
	if o.Err != nil || o.Result() != want || o.CaseResult == nil || o.CaseResult.Result != want {
		t.Fatalf("%s: result %s, %v\n%s", o.Case.Pack, o.Result(), o.Err, failure.Text(o))
	}
	if _, err := os.Stat(o.Dir + "/summary.json"); err != nil {
		t.Errorf("no summary: %v", err)
	}
	for _, w := range words {
		if o.CaseResult.Problem == nil || !strings.Contains(o.CaseResult.Problem.Message, w) {
			t.Errorf("%s: the problem does not say %q: %+v", o.Case.Pack, w, o.CaseResult.Problem)
		}
	}
}
