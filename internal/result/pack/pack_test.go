package pack

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/color"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/event/eventtest"
)

func picture(w, h int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = uint8(i)
	}
	return img
}

// badImage fails while it is encoded, as a damaged one may.
type badImage struct{ image.Image }

func (badImage) At(int, int) color.Color { panic("damaged") }

func TestPack(t *testing.T) {
	t.Parallel()
	run := newRun(t)
	var seen []string
	c := eventtest.Case("login")
	p := newPack(t, run, "login", PackOptions{Observe: func(of event.Case, e event.Event) {
		if of.Pack != "login" || e.Time.IsZero() || e.Time.Location() != time.UTC {
			t.Errorf("observed %+v of %s", e, of.Pack)
		}
		seen = append(seen, string(e.Kind))
	}})
	eventtest.Emit(t, p, event.Event{Kind: event.CaseStarted, Case: &c}, event.Event{Kind: event.StepStarted, Step: 1})
	for _, failure := range []bool{false, false, true} {
		if err := p.Screenshot(t.Context(), event.Shot{Image: picture(30, 40), Step: 1, Label: "Läunch!",
			Failure: failure}); err != nil {
			t.Fatal(err)
		}
	}
	eventtest.Emit(t, p, event.Event{Kind: event.StepEnded, Step: 1, Result: event.Pass, DurationMS: 7})
	from := filepath.Join(p.Dir(), ".work", "x.tmp")
	for range 2 {
		if err := os.WriteFile(from, []byte("{}"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := p.Add(event.Attachment{Path: "artifacts/metrics.json", Kind: event.KindArtifact}, 1, from); err != nil {
			t.Fatal(err)
		}
	}
	p.NoRecording("the test says so")
	eventtest.Emit(t, p, event.Event{Kind: event.CaseEnded, Result: event.Pass, DurationMS: 9})
	res, err := p.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"artifacts", "artifacts/metrics-2.json", "artifacts/metrics.json", "events.ndjson", "manifest.json",
		"run.md", "screenshots",
		"screenshots/01-launch-2.png", "screenshots/01-launch-failed.png", "screenshots/01-launch.png", "summary.json"}
	if got := eventtest.Names(t, p.Dir()); !slices.Equal(got, want) {
		t.Errorf("files %q", got)
	}
	json := slices.ContainsFunc(res.Attachments, func(a event.Attachment) bool {
		return a.Path == "artifacts/metrics-2.json" && a.Type == "application/json"
	})
	if res.Result != event.Pass || len(res.Screenshots()) != 3 || !json ||
		res.Recording != (event.Recording{Kind: event.NoRecording,
			Why: "the test says so; ffmpeg, which makes a slide show, is not installed"}) {
		t.Errorf("%+v", res)
	}
	if last := len(seen) - 1; seen[0] != "case_started" || seen[last-1] != "case_ended" || seen[last] != "recorded" ||
		len(seen) != 10 {
		t.Errorf("observed %q", seen)
	}
	if again, err := p.Finish(t.Context()); again != res || err != nil {
		t.Error("a second Finish gives something else")
	}
	if err := p.Emit(event.Event{Kind: event.Logged}); !errors.Is(err, errFinished) {
		t.Errorf("emit after the end: %v", err)
	}
	if err := p.Screenshot(t.Context(), event.Shot{Image: picture(1, 1)}); !errors.Is(err, errFinished) {
		t.Errorf("screenshot after the end: %v", err)
	}
	if err := p.Add(event.Attachment{Path: "x"}, 0, from); !errors.Is(err, errFinished) {
		t.Errorf("add after the end: %v", err)
	}
}

func TestPackNames(t *testing.T) {
	t.Parallel()
	run := newRun(t)
	for _, bad := range []string{"", ".", "..", ".live", "a/b", `a\b`, "-x", "x.", "a b", strings.Repeat("x", 201),
		"\x00"} {
		if _, err := run.NewPack(event.Case{Pack: bad}, PackOptions{}); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	p := newPack(t, run, "a--android", PackOptions{})
	if _, err := run.NewPack(event.Case{Pack: "a--android"}, PackOptions{}); !errors.Is(err, fs.ErrExist) {
		t.Errorf("the same name again: %v", err)
	}
	if _, err := p.Finish(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAddRefuses(t *testing.T) {
	t.Parallel()
	p := newPack(t, newRun(t), "a", PackOptions{})
	from := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(from, []byte("x"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, bad := range []string{"", ".", "..", "../x", "/x", "a/../../x", ".work/x", ".x", `a\b`, "c:x", "a//b", "a/"} {
		if err := p.Add(event.Attachment{Path: bad}, 0, from); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(from, link); err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{link, t.TempDir(), from + "-none"} {
		if err := p.Add(event.Attachment{Path: "x.txt"}, 0, source); err == nil {
			t.Errorf("%s was taken", source)
		}
	}
	for _, taken := range []string{"summary.json", "Run.md", "events.ndjson"} {
		if err := os.WriteFile(from, []byte("x"), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := p.Add(event.Attachment{Path: taken}, 0, from); err != nil {
			t.Error(err)
		}
	}
	eventtest.Emit(t, p, event.Event{Kind: event.CaseEnded, Result: event.Pass})
	res, err := p.Finish(t.Context())
	if err != nil || res.Result != event.Pass || len(res.Attachments) != 3 ||
		res.Attachments[0].Path != "summary-2.json" {
		t.Errorf("%+v, %v", res, err)
	}
}

// A case does not pass when a screenshot could not be kept.
func TestScreenshotErrorIsReturned(t *testing.T) {
	t.Parallel()
	p := newPack(t, newRun(t), "a", PackOptions{})
	if err := p.Screenshot(t.Context(), event.Shot{Image: badImage{image.NewGray16(image.Rect(0, 0, 9, 9))},
		Step: 1}); err != nil {
		t.Fatal(err)
	}
	err := p.Emit(event.Event{Kind: event.CaseEnded, Result: event.Pass})
	if err == nil || !strings.Contains(err.Error(), "damaged") {
		t.Errorf("emit: %v", err)
	}
	res, err := p.Finish(t.Context())
	if err == nil || res.Result != event.Error || !strings.Contains(res.Problem.Message, "damaged") {
		t.Errorf("%+v, %v", res.Problem, err)
	}
	data, err := os.ReadFile(filepath.Join(p.Dir(), "summary.json"))
	if err != nil || !strings.Contains(string(data), `"result": "error"`) {
		t.Errorf("%s, %v", data, err)
	}
	for _, name := range eventtest.Names(t, p.Dir()) {
		if strings.HasSuffix(name, ".png") {
			t.Errorf("%s is there", name)
		}
	}
}

func TestScreenshotWaitsAndCancels(t *testing.T) {
	t.Parallel()
	p := newPack(t, newRun(t), "a", PackOptions{})
	p.slot <- struct{}{} // a screenshot that is being written
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := p.Screenshot(ctx, event.Shot{Image: picture(1, 1)}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	<-p.slot
	// A last screenshot after the run was cancelled is still taken.
	if err := p.Screenshot(ctx, event.Shot{Image: picture(1, 1), Step: 1}); err != nil {
		t.Errorf("%v", err)
	}
	if err := p.Screenshot(t.Context(), event.Shot{}); err == nil {
		t.Error("no picture was taken for one")
	}
	if res, err := p.Finish(ctx); err != nil || len(res.Screenshots()) != 1 || res.Result != event.Interrupted {
		t.Errorf("%+v, %v", res, err)
	}
}

func TestPackConcurrently(t *testing.T) {
	t.Parallel()
	run := newRun(t)
	var packs sync.WaitGroup
	for i := range 4 {
		packs.Go(func() {
			p, err := run.NewPack(eventtest.Case(fmt.Sprintf("c%d", i)), PackOptions{Observe: func(event.Case, event.Event) {}})
			if err != nil {
				t.Error(err)
				return
			}
			var calls sync.WaitGroup
			for n := range 8 {
				calls.Go(func() {
					if err := errors.Join(p.Emit(event.Event{Kind: event.StepEnded, Step: n + 1, Result: event.Pass}),
						p.Screenshot(t.Context(), event.Shot{Image: picture(20, 20), Step: n + 1, Label: "x"})); err != nil {
						t.Error(err)
					}
				})
			}
			calls.Wait()
			if err := p.Emit(event.Event{Kind: event.CaseEnded, Result: event.Pass}); err != nil {
				t.Error(err)
			}
			res, err := p.Finish(t.Context())
			if err != nil || len(res.Screenshots()) != 8 || res.Count().Passed != 8 {
				t.Errorf("%+v, %v", res, err)
			}
			if s, shots := checkPack(t, p.Dir()); s.Screenshots != 8 || shots != 8 {
				t.Errorf("%d screenshots, %d in the summary", shots, s.Screenshots)
			}
		})
	}
	packs.Wait()
}

func TestRunDirTakenSecond(t *testing.T) {
	t.Parallel()
	root := filepath.Join(t.TempDir(), "tests", "reports")
	got := make([]string, 8)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() {
			run, err := NewRunDir(root, eventtest.Epoch.In(time.FixedZone("x", 3600)))
			if err != nil {
				t.Error(err)
				return
			}
			got[i] = filepath.Base(run.Path())
			if !IsRunName(got[i]) || !filepath.IsAbs(run.Path()) {
				t.Errorf("name %s", run.Path())
			}
			if err := run.Close(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	slices.Sort(got)
	if got[0] != "2026-03-04T05-06-07" || got[7] != "2026-03-04T05-06-14" || len(slices.Compact(got)) != 8 {
		t.Errorf("%q", got)
	}
}

func TestIsRunName(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{
		"2026-03-04T05-06-07": true, "2026-13-04T05-06-07": false, "2026-03-04T05-06-07x": false,
		"2026-03-04T05:06:07": false, "": false,
	} {
		if IsRunName(name) != want {
			t.Errorf("%q", name)
		}
	}
}

func TestPackHidesSecrets(t *testing.T) {
	t.Parallel()
	dir, err := NewRunDir(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	var seen []event.Event
	p, err := dir.NewPack(event.Case{ID: "a", Pack: "a"}, PackOptions{Observe: func(_ event.Case, e event.Event) {
		seen = append(seen, e)
	}})
	if err != nil {
		t.Fatal(err)
	}
	p.Mask().Hide("lovelace")
	for _, e := range []event.Event{
		{Kind: event.CaseStarted, Case: &event.Case{ID: "a", Pack: "a", Steps: []event.Step{
			{N: 1, Action: "input", Args: "lovelace"}}}},
		{Kind: event.StepStarted, Step: 1}, {Kind: event.Logged, Message: "typed lovelace"},
		{Kind: event.StepEnded, Step: 1, Result: event.Fail, Problem: &event.Problem{Message: "not lovelace",
			Actual: "lovelace"}},
		{Kind: event.CaseEnded, Result: event.Fail, Problem: &event.Problem{Message: "not lovelace"}},
	} {
		if err := p.Emit(e); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"events.ndjson", "run.md", "summary.json"} {
		if data := readFileOf(t, p.Dir(), name); strings.Contains(data, "lovelace") || !strings.Contains(data, event.Hidden) {
			t.Errorf("%s: %s", name, data)
		}
	}
	if text, err := json.Marshal(seen); err != nil || bytes.Contains(text, []byte("lovelace")) {
		t.Errorf("observed %s, %v", text, err)
	}
}

func readFileOf(t *testing.T, dir, name string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
