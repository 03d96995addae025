package engine_test

import (
	"context"
	"errors"
	"image"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

func TestMain(m *testing.M) { testutil.NoLeaks(m) }

// device shows a button "Go" and the text "Ready", and counts what it is asked for. A hook replaces a call.
type device struct {
	onInfo       func()
	onTree       func(ctx context.Context) error
	onTap        func(ctx context.Context) error
	onScreenshot func(ctx context.Context) (image.Image, error)

	trees, taps, shots int
}

var blank = image.NewRGBA(image.Rect(0, 0, 40, 80))

func (d *device) Info() drivers.Info {
	if d.onInfo != nil {
		d.onInfo()
	}
	return drivers.Info{ID: "R58M", Manufacturer: "Acme", Model: "One"}
}

func (d *device) Tree(ctx context.Context) (*screen.Tree, error) {
	d.trees++
	if d.onTree != nil {
		if err := d.onTree(ctx); err != nil {
			return nil, err
		}
	}
	size := blank.Bounds().Max
	root := &screen.Node{Type: "root", Bounds: blank.Bounds(), Children: []*screen.Node{
		{Type: "Button", Text: "Go", Clickable: true, Bounds: image.Rect(0, 10, 40, 20)},
		{Type: "Text", Text: "Ready", Bounds: image.Rect(0, 30, 40, 40)},
	}}
	return screen.NewTree([]*screen.Node{root}, size, time.Now()), ctx.Err()
}

func (d *device) Screenshot(ctx context.Context) (image.Image, error) {
	d.shots++
	if d.onScreenshot != nil {
		return d.onScreenshot(ctx)
	}
	return blank, ctx.Err()
}

func (d *device) Tap(ctx context.Context, _ image.Point) error {
	d.taps++
	if d.onTap != nil {
		return d.onTap(ctx)
	}
	return ctx.Err()
}

func (d *device) Type(ctx context.Context, _ string) error { return ctx.Err() }
func (d *device) Close() error                             { return nil }

// witness is a device that records its screen and logs.
type witness struct {
	*device
	startFilm, stopFilm, startLog, stopLog func() error // may be nil

	films, filmsEnded, logs, logsEnded int
}

func call(f func() error) error {
	if f == nil {
		return nil
	}
	return f()
}

func (w *witness) StartRecording(context.Context, string) (drivers.Recording, error) {
	w.films++
	if err := call(w.startFilm); err != nil {
		return nil, err
	}
	return w, nil
}

func (w *witness) Stop(ctx context.Context) ([]drivers.Clip, error) {
	w.filmsEnded++
	return nil, errors.Join(ctx.Err(), call(w.stopFilm))
}

func (w *witness) StartLog(_ context.Context, to io.Writer) (func() error, error) {
	w.logs++
	if err := call(w.startLog); err != nil {
		return nil, err
	}
	_, err := io.WriteString(to, "a line\n")
	return func() error { w.logsEnded++; return call(w.stopLog) }, err
}

var (
	_ drivers.Device    = (*device)(nil)
	_ drivers.Recorder  = (*witness)(nil)
	_ drivers.Logger    = (*witness)(nil)
	_ drivers.Recording = (*witness)(nil)
)

// sink keeps events and fails when a test requires it.
type sink struct {
	dir        string
	failEmit   func(e event.Event) error // may be nil
	failShot   error
	failAdd    error
	noFilm     string
	mask       event.Mask
	shots      []event.Shot
	afterEvent func(e event.Event)

	mu     sync.Mutex
	events []event.Event
}

func (s *sink) Emit(e event.Event) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.events = append(s.events, e)
	if s.afterEvent != nil {
		s.afterEvent(e)
	}
	if s.failEmit != nil {
		return s.failEmit(e)
	}
	return nil
}

func (s *sink) Screenshot(ctx context.Context, shot event.Shot) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.shots = append(s.shots, shot)
	return errors.Join(ctx.Err(), s.failShot)
}

func (s *sink) Dir() string                             { return s.dir }
func (s *sink) Add(event.Attachment, int, string) error { return s.failAdd }
func (s *sink) AddClip(string, time.Time)               {}
func (s *sink) NoRecording(reason string)               { s.noFilm = reason }

// result folds the events in the sink.
func (s *sink) result(t *testing.T) *event.CaseResult {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	ends := 0
	for _, e := range s.events {
		if e.Kind == event.CaseEnded {
			ends++
		}
	}
	if len(s.events) == 0 || s.events[0].Kind != event.CaseStarted || s.events[len(s.events)-1].Kind != event.CaseEnded ||
		ends != 1 {
		t.Fatalf("the events do not begin and end as those of one case: %+v", s.events)
	}
	return event.Fold(s.events)
}

// testCase makes a case of YAML steps, one a line.
func testCase(t testing.TB, steps string) plan.Case {
	t.Helper()
	tests, err := dsl.Parse("suites/sample.yaml", []byte("id: sample\nplatform: android\nsteps:\n"+steps))
	if err != nil {
		t.Fatal(err)
	}
	return plan.Case{Test: tests[0], Platform: dsl.Android, Pack: "sample"}
}

func (s *sink) Mask() *event.Mask { return &s.mask }
