package ios

import (
	"compress/gzip"
	"errors"
	"fmt"
	"image"
	"image/color"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
	"github.com/taproot-dev/taproot/runner/action"
)

type piece = iossim.Part

// stage is the screen of a trap, and what was touched on it. Scenes use it with the device's lock held.
type stage struct {
	touched  []string
	state    string
	offset   int                                       // of a list
	pictures int                                       // that were taken of it
	show     func(s *stage, now iossim.Moment) []piece // of a scene that is made of another
}

func (s *stage) took(name string) func() {
	return func() { s.touched, s.state = append(s.touched, name), name }
}

// sceneTrap is a screen that might mislead, steps, and what must come of the last of them; those before must pass.
type sceneTrap struct {
	name  string
	steps string // of a test
	want  event.Result
	taps  string // what must have been touched
	says  string // what the failure must say
	show  func(s *stage, now iossim.Moment) []piece
}

var (
	scenePlum = color.RGBA{0x4f, 0x46, 0xc8, 0xff}
	white     = color.RGBA{0xff, 0xff, 0xff, 0xff}
	ground    = color.RGBA{0xf8, 0xf8, 0xfc, 0xff}
)

// line is a row of the screen of 300 points.
func line(n int) image.Rectangle { return image.Rect(10, 60+n*50, 290, 100+n*50) }

func text(label string, b image.Rectangle) piece { return piece{Label: label, Bounds: b} }

func (s *stage) press(label string, b image.Rectangle) piece {
	return piece{Kind: "Button", Label: label, Bounds: b, Fill: scenePlum, Tapped: s.took(label),
		Parts: []piece{{Label: label, Bounds: b.Inset(6), Ink: white}}}
}

// TestSceneTraps holds screens that might mislead against what must come of them.
func TestSceneTraps(t *testing.T) {
	t.Parallel()
	var list []*sceneTrap
	for _, some := range []func() []*sceneTrap{nameScenes, placeScenes, timeScenes, alertScenes, clearScenes, keyScenes,
		screenScenes} {
		for i, trap := range some() {
			if !testing.Short() || i%3 == 0 { // in short, the first of each kind and each third
				list = append(list, trap)
			}
		}
	}
	phones := 12
	if testing.Short() {
		phones = 4
	}
	var options []iossim.DeviceOptions
	for range phones {
		options = append(options, iossim.DeviceOptions{Width: 300, Height: 640, Scale: 1})
	}
	b := newBench(t, iossim.Options{Devices: options})
	driver := b.driver(t)
	work := make(chan *sceneTrap)
	var all sync.WaitGroup
	for i := range phones {
		all.Go(func() {
			dev, err := driver.Open(t.Context(), b.lab.Device(i).UDID())
			if err != nil {
				t.Error(err)
				for range work {
				}
				return
			}
			defer dev.Close()
			for c := range work {
				c.play(t, dev.(*device), b.lab.Device(i))
			}
		})
	}
	for _, c := range list {
		if strings.HasPrefix(c.name, os.Getenv("TRUTH_TRAP")) {
			work <- c
		}
	}
	close(work)
	all.Wait()
}

// performSaying performs a step. Where it fails, and a busy machine had no time to find out what it must say, it is
// given more.
func performSaying(t *testing.T, s *action.Performer, args any, says string) error {
	t.Helper()
	for ; ; s.Timeout *= 4 {
		s.Detail = nil
		err := action.Perform(t.Context(), s, args)
		if action.ResultOf(err) != event.Fail || s.Timeout > patience || strings.Contains(err.Error(), says) {
			return err
		}
	}
}

// play performs the steps of a trap.
func (c *sceneTrap) play(t *testing.T, d *device, phone *iossim.Device) {
	yaml := "id: trap\nplatform: ios\nsteps:\n" + "  " + strings.ReplaceAll(c.steps, "\n", "\n  ") + "\n"
	tests, err := dsl.Parse(filepath.Join(t.TempDir(), "trap.yaml"), []byte(yaml))
	if err != nil {
		t.Errorf("%s: %v", c.name, err)
		return
	}
	scope, err := tests[0].Scope(dsl.ScopeOptions{})
	if err != nil {
		t.Errorf("%s: %v", c.name, err)
		return
	}
	s := &stage{}
	phone.ShowScene(func(now iossim.Moment) []piece { return c.show(s, now) })
	session := &action.Performer{Device: d, Platform: dsl.IOS, Timeout: patience}
	if err := action.Perform(t.Context(), session, dsl.Launch{Package: iossim.SceneBundle, Force: true}); err != nil {
		t.Errorf("%s: %v", c.name, err)
		return
	}
	steps, searches := tests[0].Steps, session.Searches[:0:0]
	defer func() {
		session.Searches = searches
		keepFrames(t, c.name, session)
	}()
	for i, step := range steps {
		session.Timeout = patience
		if i == len(steps)-1 && c.want != event.Pass {
			session.Timeout = 800 * time.Millisecond
		}
		if ms := step.Options.TimeoutMs; ms != nil {
			session.Timeout = time.Duration(*ms) * time.Millisecond
		}
		args, _, err := dsl.Bind(step, scope)
		want, said := event.Pass, ""
		if i == len(steps)-1 {
			want, said = c.want, c.says
		}
		if err == nil {
			err = performSaying(t, session, args, said)
		}
		searches = append(searches, session.Searches...)
		said = fmt.Sprint(err)
		if got := action.ResultOf(err); got != want || !strings.Contains(said, c.says) && i == len(steps)-1 && c.says != "" {
			t.Errorf("%s: step %d: %s, and %s is right (%q): %v", c.name, i+1, got, want, c.says, err)
			break
		}
	}
	phone.Change(func() {
		if got := strings.Join(s.touched, ", "); got != c.taps {
			t.Errorf("%s: touched %q instead of %q", c.name, got, c.taps)
		}
	})
}

// keepFrames compresses the searches of a trap into the folder that TAPROOT_COLLECT_FRAMES names: they become test data
// of runner/internal/decide.
func keepFrames(t *testing.T, name string, of *action.Performer) {
	dir := os.Getenv("TAPROOT_COLLECT_FRAMES")
	if dir == "" || len(of.Searches) == 0 {
		return
	}
	file, err := os.Create(filepath.Join(dir, "iphone-"+strings.NewReplacer("/", "-", " ", "-").Replace(name)+
		".ndjson.gz"))
	if err != nil {
		t.Error(err)
		return
	}
	zip := gzip.NewWriter(file)
	if err := errors.Join(of.WriteFrames(zip), zip.Close(), file.Close()); err != nil {
		t.Error(err)
	}
}

// TestClearViewThatGoes: a clear view takes the touch when XCTest is asked for the text and its button, and is gone
// when XCTest is asked for the view.
func TestClearViewThatGoes(t *testing.T) {
	t.Parallel()
	b := newBench(t, iossim.Options{Devices: []iossim.DeviceOptions{{Width: 300, Height: 640, Scale: 1}}})
	dev, err := b.driver(t).Open(t.Context(), b.lab.Device(0).UDID())
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	b.lab.Fail(iossim.Fault{Match: "POST /elements", Nth: 3, Kind: iossim.Slow, For: 2500 * msec})
	trap := sceneTrap{name: "a clear view that goes", steps: "- tap: Pay", want: event.Pass, taps: "Pay",
		show: timely(func(s *stage, since time.Duration) []piece {
			p := []piece{s.press("Pay", line(3))}
			if since < 2000*msec {
				p = append(p, piece{Kind: "Other", Bounds: image.Rect(0, 0, 300, 640), Blocks: true})
			}
			return p
		})}
	trap.play(t, dev.(*device), b.lab.Device(0))
}
