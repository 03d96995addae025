package engine_test

import (
	"cmp"
	"compress/gzip"
	"context"
	"fmt"
	"image"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/runner/internal/engine"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// toaster is a device on which a tap shows a text for two seconds, and a screenshot takes as long.
type toaster struct {
	*device
	cheap  bool
	shot   time.Duration
	tapped time.Time
}

func (d *toaster) PixelsAreCheap() bool { return d.cheap }

func (d *toaster) Tap(ctx context.Context, p image.Point) error {
	d.tapped = time.Now()
	return d.device.Tap(ctx, p)
}

func (d *toaster) Tree(ctx context.Context) (*screen.Tree, error) {
	t, err := d.device.Tree(ctx)
	if err == nil && !d.tapped.IsZero() && time.Since(d.tapped) < 2*time.Second {
		toast := &screen.Node{Type: "Text", Text: "Saved", Bounds: image.Rect(0, 60, 40, 70)}
		t = screen.NewTree([]*screen.Node{t.Windows[0], toast}, t.Size, t.Taken)
	}
	return t, drivers.Pause(ctx, 50*time.Millisecond)
}

func (d *toaster) Screenshot(ctx context.Context) (image.Image, error) {
	d.shots++
	return blank, drivers.Pause(ctx, d.shot)
}

// TestTextShownForTwoSeconds: a text on the screen for two seconds is seen, because no screenshot is taken between
// the tap and the next screen read. Each step has a screenshot all the same.
func TestTextShownForTwoSeconds(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		d, s := &toaster{device: &device{}, shot: 2500 * time.Millisecond}, &sink{dir: dir}
		result, err := engine.Run(t.Context(), testCase(t, "  - tap: Go\n  - assert: Saved\n  - tap: Go\n"), d, s,
			engine.Options{})
		if err != nil || result != event.Pass {
			t.Errorf("%s, %v, %+v", result, err, s.result(t).Problem)
		}
		var of []int
		for _, shot := range s.shots {
			of = append(of, shot.Step)
		}
		if len(of) != 3 || of[0] != 1 || of[1] != 2 || of[2] != 3 {
			t.Errorf("pictures of steps %v", of)
		}
	})
}

// TestTapsShareTheirScreenshots: on a stationary screen a tap costs one tree and two screenshots, including the
// report's.
func TestTapsShareTheirScreenshots(t *testing.T) {
	const taps = 5
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		d, s := &toaster{device: &device{}, cheap: true, shot: 250 * time.Millisecond}, &sink{dir: dir}
		result, err := engine.Run(t.Context(), testCase(t, strings.Repeat("  - tap: Go\n", taps)), d, s, engine.Options{})
		if err != nil || result != event.Pass || len(s.shots) != taps {
			t.Errorf("%s, %v, %d pictures in the report", result, err, len(s.shots))
		}
		// the first has none to share; the last one's effect is looked for again
		if most := 2*taps + 1; d.trees != taps || d.shots > most+1 {
			t.Errorf("%d trees, %d pictures", d.trees, d.shots)
		}
	})
}

// form is a device with a field that is watched for a moment after it was filled. Each screenshot of it takes a while.
type form struct {
	*device
	drivers.WebElements
	shot    time.Duration
	watched time.Duration // in all
}

func (f *form) Screenshot(ctx context.Context) (image.Image, error) {
	f.shots++
	return blank, drivers.Pause(ctx, f.shot)
}

func (f *form) FillIn(ctx context.Context, at drivers.WebTarget, _ string) error {
	began := time.Now()
	at.Meanwhile(ctx)
	f.watched += time.Since(began)
	return nil
}

// TestScreenshotWhileAStepWatches: a step that waits for the effect of its action takes its screenshot meanwhile, if
// screenshots are quick; it does not delay the next screen read.
func TestScreenshotWhileAStepWatches(t *testing.T) {
	for name, c := range map[string]struct{ shot, watched time.Duration }{
		"quick": {30 * time.Millisecond, 60 * time.Millisecond}, // of the first step it is not known
		"slow":  {300 * time.Millisecond, 0},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				d, s := &form{device: &device{}, shot: c.shot}, &sink{dir: dir}
				fill := "  - webType: {selector: \"#a\", text: Ada}\n"
				tests, err := dsl.Parse("form.yaml", []byte("id: form\nplatform: web\nsteps:\n"+strings.Repeat(fill, 3)))
				if err != nil {
					t.Fatal(err)
				}
				result, err := engine.Run(t.Context(), plan.Case{Test: tests[0], Platform: dsl.Web, Pack: "form"}, d, s,
					engine.Options{})
				if err != nil || result != event.Pass {
					t.Fatalf("%s, %v, %+v", result, err, s.result(t).Problem)
				}
				if d.shots != 3 || len(s.shots) != 3 || d.watched != c.watched {
					t.Errorf("%d pictures were taken and %d kept, of it %s while a step watched, and 3, 3 and %s are right", d.shots,
						len(s.shots), d.watched, c.watched)
				}
				for i, shot := range s.shots {
					if shot.Step != i+1 {
						t.Errorf("picture %d is of step %d", i+1, shot.Step)
					}
				}
			})
		})
	}
}

// keeper is a page that becomes another one with each tap.
type keeper struct {
	*device
	says string
	err  error
}

func (d *keeper) Tap(ctx context.Context, p image.Point) error {
	d.says = fmt.Sprintf(`{"nodes":[{"p":-1,"x":"after tap %d, secret hunter2"}]}`, d.taps+1)
	return d.device.Tap(ctx, p)
}

func (d *keeper) PageSnapshot(context.Context) ([]byte, error) { return []byte(d.says), d.err }

// TestSnapshotsOfPages: each step names the page as it left it; a page that did not change is kept once; secrets are
// masked.
func TestSnapshotsOfPages(t *testing.T) {
	t.Parallel()
	d := &keeper{device: &device{}, says: `{"nodes":[]}`}
	dir, err := pack.NewRunDir(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	p, err := dir.NewPack(event.Case{ID: "t", Pack: "t"}, pack.PackOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p.Mask().Hide("hunter2")
	if _, err := engine.Run(t.Context(),
		testCase(t, "  - assert: Ready\n  - tap: Go\n  - assert: Ready\n  - assert: Go\n"), d, p,
		engine.Options{}); err != nil {
		t.Fatal(err)
	}
	res, err := p.Finish(t.Context())
	if err != nil || res.Result != event.Pass {
		t.Fatalf("%v %+v", err, res.Problem)
	}
	var of []string
	for _, s := range res.Steps {
		for _, a := range s.Attachments {
			if a.Kind == event.KindDOM {
				of = append(of, fmt.Sprint(s.N, " ", a.Path))
			}
		}
	}
	if got := strings.Join(of,
		", "); got != "1 artifacts/dom-01.json.gz, 2 artifacts/dom-02.json.gz, 3 artifacts/dom-02.json.gz, 4 "+
		"artifacts/dom-02.json.gz" {
		t.Errorf("steps have %s", got)
	}
	if got := strings.Join(res.Artifacts(), " "); strings.Count(got, "dom-") != 2 {
		t.Errorf("the pack holds %s", got)
	}
	for i, w := range []string{"artifacts/dom-01.json.gz", "artifacts/dom-02.json.gz"} {
		f, err := os.Open(filepath.Join(p.Dir(), w))
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		z, err := gzip.NewReader(f)
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(z)
		if err != nil || strings.Contains(string(text), "hunter2") ||
			strings.Contains(string(text), "after tap 1, secret •••") != (i == 1) {
			t.Errorf("%s holds %s, %v", w, text, err)
		}
	}
}

// A page that cannot be read does not change the result, and is reported once.
func TestSnapshotsThatFail(t *testing.T) {
	t.Parallel()
	d := &keeper{device: &device{}, err: fmt.Errorf("too much")}
	run(t, "  - tap: Go\n  - assert: Ready\n", d, func(t *testing.T, s *sink, r *event.CaseResult) {
		var notes []string
		for _, step := range r.Steps {
			notes = append(notes, step.Notes...)
			if step.Detail != nil {
				notes = append(notes, step.Detail.Notes...)
			}
		}
		if r.Result != event.Pass || strings.Count(strings.Join(notes, " "),
			"no snapshot of the page's elements: too much") != 1 {
			t.Errorf("%s %q", r.Result, notes)
		}
	})
}

var _ drivers.PageSnapshotter = (*keeper)(nil)

// capturer is a device with trees and screenshots that come by different ways. It notes what happens.
type capturer struct {
	*device
	knows bool // when the screen was captured
	mu    sync.Mutex
	said  []string
}

func (d *capturer) note(what string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.said = append(d.said, what)
}

func (d *capturer) Tree(ctx context.Context) (*screen.Tree, error) {
	d.note("tree")
	t, err := d.device.Tree(ctx)
	return t, cmp.Or(err, drivers.Pause(ctx, 150*time.Millisecond))
}

func (d *capturer) Tap(ctx context.Context, p image.Point) error {
	d.note("tap")
	return cmp.Or(d.device.Tap(ctx, p), drivers.Pause(ctx, 56*time.Millisecond))
}

func (d *capturer) Screenshot(ctx context.Context) (image.Image, error) {
	d.note("screenshot")
	return blank, drivers.Pause(ctx, 400*time.Millisecond)
}

func (d *capturer) Capture(ctx context.Context, captured func()) (image.Image, error) {
	if err := drivers.Pause(ctx, 160*time.Millisecond); err != nil {
		return nil, err
	}
	d.note("captured")
	if d.knows {
		captured()
	}
	err := drivers.Pause(ctx, 240*time.Millisecond)
	d.note("arrived")
	return blank, err
}

// TestTreeAndScreenshotAtTheSameTime: where they come by different ways, the elements are read while the screenshot of
// the step before is taken, and the device is touched once the screen is captured, before all of the image has arrived.
// A device that does not say when is touched afterwards.
func TestTreeAndScreenshotAtTheSameTime(t *testing.T) {
	const first, last = "tree tree tap", "screenshot"
	for name, c := range map[string]struct {
		knows bool
		want  string
		took  time.Duration // of the second step
	}{
		"says when":  {true, "tree captured tree tap arrived", 400 * time.Millisecond},
		"says never": {false, "tree captured arrived tree tap", 626 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			synctest.Test(t, func(t *testing.T) {
				d, s := &capturer{device: &device{}, knows: c.knows}, &sink{dir: dir}
				result, err := engine.Run(t.Context(), testCase(t, strings.Repeat("  - tap: Go\n", 2)), d, s, engine.Options{})
				if err != nil || result != event.Pass || len(s.shots) != 2 {
					t.Fatalf("%s, %v, %d screenshots", result, err, len(s.shots))
				}
				if got := strings.Join(d.said, " "); got != first+" "+c.want+" "+last {
					t.Errorf("%s", got)
				}
				if took := s.result(t).Steps[1].Duration; took != c.took {
					t.Errorf("the second tap took %s, not %s", took, c.took)
				}
			})
		})
	}
}
