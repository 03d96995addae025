package action_test

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// visionary returns preset results, and counts.
type visionary struct {
	judge   func(n int) (drivers.Judgement, error)
	extract drivers.Extraction
	spot    drivers.Located
	err     error
	lines   []drivers.TextLine
	images  []drivers.Sighting

	asked   int
	prompts []string
	shown   []image.Image
}

func (v *visionary) OCR(context.Context, image.Image) ([]drivers.TextLine, error) {
	return v.lines, nil
}

func (v *visionary) FindImage(context.Context, image.Image, image.Image) ([]drivers.Sighting, error) {
	return v.images, nil
}

func (v *visionary) note(img image.Image, prompt string) *drivers.ModelCall {
	v.asked++
	v.prompts, v.shown = append(v.prompts, prompt), append(v.shown, img)
	return &drivers.ModelCall{Key: "k", Model: "m", Prompt: prompt, Answers: []drivers.Reply{
		{PromptTokens: 800, CompletionTokens: 30}}}
}

func (v *visionary) Judge(_ context.Context, img image.Image, prompt string, _ int) (drivers.Judgement, error) {
	asked := v.note(img, prompt)
	j, err := v.judge(v.asked)
	j.Call = asked
	return j, err
}

func (v *visionary) ExtractText(_ context.Context, img image.Image, prompt string) (drivers.Extraction, error) {
	v.extract.Call = v.note(img, prompt)
	return v.extract, v.err
}

func (v *visionary) Locate(_ context.Context, img image.Image, prompt string) (drivers.Located, error) {
	v.spot.Call = v.note(img, prompt)
	return v.spot, v.err
}

func says(passed bool, reason string, cites ...string) func(int) (drivers.Judgement, error) {
	j := drivers.Judgement{Passed: passed, Reason: reason, For: 1}
	for _, c := range cites {
		j.Evidence = append(j.Evidence, drivers.TextLine{Text: c, Bounds: image.Rect(1, 2, 30, 40)})
	}
	return func(int) (drivers.Judgement, error) { return j, nil }
}

func TestAssertVisual(t *testing.T) {
	for name, c := range map[string]struct {
		vision   visionary
		result   event.Result
		says     string
		warnings int
	}{
		"true": {visionary{judge: says(true, "it is there", "Order paid")}, event.Pass, "", 0},
		"true, read by OCR": {visionary{judge: says(true, "it is there", "Big sale"), lines: []drivers.TextLine{
			{Text: "Big sale"}}}, event.Pass, "", 0},
		"true over two lines": {visionary{judge: says(true, "it is there", "Big summer sale"),
			lines: []drivers.TextLine{line("Big summer"), line("sale")}}, event.Pass, "", 0},
		"true, half of it in doubt": {visionary{judge: says(true, "it is there", "Order paid", "Thank you")}, event.Pass,
			"", 1},
		"true without a text": {visionary{judge: says(true, "it is there", "")}, event.Pass, "", 1},
		"a lie": {visionary{judge: says(true, "it is there", "Refunded")}, event.Error,
			"cannot be trusted", 0},
		"a lie of a longer word": {visionary{judge: says(true, "it is there", "paid"), lines: nil}, event.Pass, "", 0},
		"a lie beside the truth": {visionary{judge: says(true, "it is there", "Unpaid")}, event.Error,
			"cannot be trusted", 0},
		"false": {visionary{judge: says(false, "it is not there")}, event.Fail, "it is not there", 0},
		"no answer": {visionary{judge: func(int) (drivers.Judgement, error) {
			return drivers.Judgement{Passed: true}, errors.New("the model's answer is cut off")
		}}, event.Error, "cut off", 0},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{began: time.Now(), cheap: true, pictureCost: 10 * time.Millisecond, treeCost: 50 * time.Millisecond,
				show: func(time.Duration, []image.Point) []*screen.Node {
					return []*screen.Node{el("Order paid", 0, 100, 500, 200)}
				}}
			mask := &event.Mask{}
			mask.Hide("hunter2")
			s := &action.Performer{Device: f, Platform: dsl.Android, Timeout: 3 * time.Second, Settings: action.Settings{
				Vision: &c.vision, Mask: mask}}
			result, err := do(t, s, dsl.AssertVisual{Prompt: "the order of hunter2 is paid"})
			if result != c.result || err != nil && !strings.Contains(err.Error(), c.says) ||
				len(s.Detail.Warnings) != c.warnings {
				t.Errorf("%s: %s, %v, warnings %q", name, result, err, s.Detail.Warnings)
			}
			if len(s.ModelCalls) == 0 || s.Detail.Model == nil || s.Detail.Model.PromptTokens != 800*c.vision.asked ||
				s.Detail.Model.Calls != c.vision.asked {
				t.Errorf("%s: told %d, cost %+v", name, len(s.ModelCalls), s.Detail.Model)
			}
			if p := c.vision.prompts[0]; strings.Contains(p, "hunter2") {
				t.Errorf("%s: the secret went to the model: %q", name, p)
			}
		})
	}
}

func line(text string) drivers.TextLine {
	l := drivers.TextLine{Text: text, Bounds: image.Rect(10, 20, 110, 60)}
	for _, w := range strings.Fields(text) {
		l.Words = append(l.Words, drivers.TextLine{Text: w, Bounds: l.Bounds})
	}
	return l
}

// TestAssertVisualAsksAgainWhenTheScreenChanges: what loads late is seen; what stays wrong costs three questions at
// most.
func TestAssertVisualAsksAgainWhenTheScreenChanges(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		vision := &visionary{judge: func(n int) (drivers.Judgement, error) {
			if n == 1 {
				return drivers.Judgement{Reason: "it is still loading", Against: 1}, nil
			}
			return says(true, "now it is there", "Paid")(n)
		}}
		f := &fake{began: time.Now(), cheap: true, pictureCost: 10 * time.Millisecond, treeCost: 50 * time.Millisecond,
			show: func(at time.Duration, _ []image.Point) []*screen.Node {
				if at < 3*time.Second {
					return []*screen.Node{el("Loading", 0, 100, 500, 200)}
				}
				return []*screen.Node{el("Paid", 0, 300, 500, 400)}
			}}
		s := &action.Performer{Device: f, Platform: dsl.Android, Timeout: 10 * time.Second, Settings: action.Settings{
			Vision: vision}}
		if result, err := do(t, s, dsl.AssertVisual{Prompt: "paid"}); result != event.Pass || vision.asked != 2 {
			t.Errorf("%s after %d questions, %v", result, vision.asked, err)
		}
	})
	synctest.Test(t, func(t *testing.T) {
		vision := &visionary{judge: says(false, "no")}
		f := &fake{began: time.Now(), cheap: true, pictureCost: 10 * time.Millisecond, treeCost: 50 * time.Millisecond,
			show: func(at time.Duration, _ []image.Point) []*screen.Node {
				return []*screen.Node{el(fmt.Sprint(at/time.Second), 0, 100, 500, 200)}
			}}
		s := &action.Performer{Device: f, Platform: dsl.Android, Timeout: 30 * time.Second, Settings: action.Settings{
			Vision: vision}}
		if result, err := do(t, s, dsl.AssertVisual{Prompt: "paid"}); result != event.Fail || vision.asked != 3 {
			t.Errorf("%s after %d questions, %v", result, vision.asked, err)
		}
	})
}

// TestAssertVisualAsksOnceAboutOneScreen: a password that is painted over does not change the screen.
func TestAssertVisualAsksOnceAboutOneScreen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		password := el("hunter2", 0, 500, 500, 600)
		password.Password = true
		vision := &visionary{judge: says(false, "no")}
		f := &fake{began: time.Now(), cheap: true, pictureCost: 10 * time.Millisecond, treeCost: 50 * time.Millisecond,
			show: func(time.Duration, []image.Point) []*screen.Node { return []*screen.Node{password} }}
		s := &action.Performer{Device: f, Platform: dsl.Android, Timeout: 4 * time.Second, Settings: action.Settings{
			Vision: vision}}
		if result, err := do(t, s, dsl.AssertVisual{Prompt: "paid"}); result != event.Fail || vision.asked != 1 {
			t.Errorf("%s after %d questions, %v", result, vision.asked, err)
		}
	})
}

// TestTapByDescriptionAsksSparingly: a model costs money, so it is asked once the screen rests, and of one screenshot
// once.
func TestTapByDescriptionAsksSparingly(t *testing.T) {
	password := el("hunter2", 0, 500, 500, 600)
	password.Password = true
	for name, c := range map[string]struct {
		vision visionary
		asked  int
		want   event.Result
	}{
		"found":     {visionary{spot: drivers.Located{Bounds: image.Rect(100, 200, 200, 300)}}, 1, event.Pass},
		"not found": {visionary{err: fmt.Errorf("%w: no cart", screen.ErrNotFound)}, 1, event.Fail},
		"no answer": {visionary{err: errors.New("the model refused")}, 1, event.Error},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{began: time.Now(), cheap: true, pictureCost: 10 * time.Millisecond, treeCost: 50 * time.Millisecond,
				show: func(time.Duration, []image.Point) []*screen.Node { return []*screen.Node{password} }}
			s := &action.Performer{Device: f, Platform: dsl.Android, Timeout: 5 * time.Second, Settings: action.Settings{
				Vision: &c.vision}}
			result, err := do(t, s, dsl.Tap{Selector: dsl.Selector{Describe: "the cart"}})
			if result != c.want || c.vision.asked != c.asked {
				t.Errorf("%s: %s after %d questions, %v", name, result, c.vision.asked, err)
			}
			if c.want == event.Pass && (len(f.taps) != 1 || f.taps[0] != image.Pt(150, 250) || len(s.Detail.Warnings) == 0) {
				t.Errorf("%s: taps %v, warnings %q", name, f.taps, s.Detail.Warnings)
			}
			if r, g, b, _ := c.vision.shown[0].At(250, 550).RGBA(); r>>8 != 128 || g>>8 != 128 || b>>8 != 128 {
				t.Errorf("%s: the password field is %d %d %d in the picture that left", name, r>>8, g>>8, b>>8)
			}
		})
	}
}

func TestExtractByPrompt(t *testing.T) {
	for name, c := range map[string]struct {
		vision visionary
		want   event.Result
	}{
		"on the screen":     {visionary{extract: drivers.Extraction{Text: "42.50 EUR"}}, event.Pass},
		"not on the screen": {visionary{extract: drivers.Extraction{Text: "43.50 EUR"}}, event.Error},
		"not found":         {visionary{err: fmt.Errorf("%w: no total", screen.ErrNotFound)}, event.Fail},
		"no answer":         {visionary{err: errors.New("cut off")}, event.Error},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{began: time.Now(), cheap: true, show: func(time.Duration, []image.Point) []*screen.Node {
				return []*screen.Node{el("Total: 42.50 EUR", 0, 100, 500, 200)}
			}}
			s := &action.Performer{Device: f, Platform: dsl.Android, Timeout: 3 * time.Second, Settings: action.Settings{
				Vision: &c.vision}}
			result, err := do(t, s, dsl.Extract{Prompt: "the total"})
			if result != c.want || c.want == event.Pass && s.Value != "42.50 EUR" || c.want != event.Pass && s.Value != nil {
				t.Errorf("%s: %s, %v, value %v", name, result, err, s.Value)
			}
		})
	}
}

func TestNoEyesIsAnError(t *testing.T) {
	for _, args := range []any{dsl.AssertVisual{Prompt: "x"}, dsl.Extract{Prompt: "x"},
		dsl.Assert{Selector: dsl.Selector{OCR: "x"}}, dsl.AssertNot{Selector: dsl.Selector{OCR: "x"}},
		dsl.Tap{Selector: dsl.Selector{Describe: "x"}}, dsl.Tap{Selector: dsl.Selector{Label: "x", Fallback: "ocr"}}} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{began: time.Now(), cheap: true, show: func(time.Duration, []image.Point) []*screen.Node { return nil }}
			s := &action.Performer{Device: f, Platform: dsl.Android, Timeout: 3 * time.Second}
			if result, err := do(t, s, args); result != event.Error {
				t.Errorf("%T: %s, %v", args, result, err)
			}
		})
	}
}

// TestImageSelector: two similar places are ambiguous.
func TestImageSelector(t *testing.T) {
	dir := t.TempDir()
	f, err := os.Create(filepath.Join(dir, "cart.png"))
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(png.Encode(f, image.NewGray(image.Rect(0, 0, 20, 20))), f.Close(),
		os.WriteFile(filepath.Join(dir, "not.png"), []byte("no"), 0o644)); err != nil {
		t.Fatal(err)
	}
	one, two := drivers.Sighting{Bounds: image.Rect(100, 100, 120, 120), Score: 0.99},
		drivers.Sighting{Bounds: image.Rect(300, 500, 320, 520), Score: 0.97}
	last := -1
	for name, c := range map[string]struct {
		vision visionary
		sel    dsl.Selector
		want   event.Result
		at     image.Point
	}{
		"one": {visionary{images: []drivers.Sighting{one}}, dsl.Selector{Image: "cart.png"}, event.Pass,
			image.Pt(110, 110)},
		"two": {visionary{images: []drivers.Sighting{one, two}}, dsl.Selector{Image: "cart.png"}, event.Fail,
			image.Point{}},
		"the last": {visionary{images: []drivers.Sighting{one, two}}, dsl.Selector{Image: "cart.png", Index: &last},
			event.Pass, image.Pt(310, 510)},
		"below a label": {visionary{images: []drivers.Sighting{one, two}},
			dsl.Selector{Image: "cart.png", Below: &dsl.Selector{Label: "Basket"}}, event.Pass, image.Pt(310, 510)},
		"none":       {visionary{}, dsl.Selector{Image: "cart.png"}, event.Fail, image.Point{}},
		"no file":    {visionary{}, dsl.Selector{Image: "missing.png"}, event.Fail, image.Point{}},
		"no picture": {visionary{}, dsl.Selector{Image: "not.png"}, event.Fail, image.Point{}},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{began: time.Now(), cheap: true, pictureCost: 10 * time.Millisecond,
				show: func(time.Duration, []image.Point) []*screen.Node {
					return []*screen.Node{el("Basket", 0, 300, 500, 400)}
				}}
			s := &action.Performer{Device: f, Platform: dsl.Android, Timeout: 3 * time.Second, Settings: action.Settings{
				Vision: &c.vision, Dir: dir}}
			result, err := do(t, s, dsl.Tap{Selector: c.sel})
			if result != c.want || c.want == event.Pass && (len(f.taps) != 1 || f.taps[0] != c.at) || c.want != event.Pass &&
				len(f.taps) > 0 {
				t.Errorf("%s: %s, %v, taps %v", name, result, err, f.taps)
			}
		})
	}
}

// TestNeverIdleScreenIsReadByOCR: where no tree can be read, what requires pixels still works, and what requires
// elements is an error.
func TestNeverIdleScreenIsReadByOCR(t *testing.T) {
	for _, c := range []struct {
		sel  dsl.Selector
		want event.Result
	}{
		{dsl.Selector{OCR: "Stop"}, event.Pass}, {dsl.Selector{Label: "Stop", Fallback: "ocr"}, event.Pass},
		{dsl.Selector{Label: "Stop"}, event.Error},
		{dsl.Selector{OCR: "Stop", Below: &dsl.Selector{Label: "x"}}, event.Error},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{began: time.Now(), cheap: true, pictureCost: 10 * time.Millisecond,
				show:    func(time.Duration, []image.Point) []*screen.Node { return nil },
				treeErr: func(time.Duration) error { return fmt.Errorf("%w: never idle", drivers.ErrNotReady) }}
			stop := line("Stop")
			stop.Bounds, stop.Words[0].Bounds = image.Rect(10, 20, 110, 60), image.Rect(10, 20, 110, 60)
			s := &action.Performer{Device: f, Platform: dsl.Android, Timeout: 4 * time.Second, Settings: action.Settings{
				Vision: &visionary{lines: []drivers.TextLine{stop}}}}
			if result, err := do(t, s, dsl.Tap{Selector: c.sel}); result != c.want ||
				(c.want == event.Pass) != (len(f.taps) == 1) {
				t.Errorf("%+v: %s, %v, taps %v", c.sel, result, err, f.taps)
			}
		})
	}
}

// TestAssertNotLooksAtPixelsToo: with fallback: ocr nothing is gone that can still be read, and without a tree nothing
// is proved gone.
func TestAssertNotLooksAtPixelsToo(t *testing.T) {
	for name, c := range map[string]struct {
		read    string
		treeErr error
		want    event.Result
	}{
		"read in the pixels": {"Loading", nil, event.Fail}, "nowhere": {"Ready", nil, event.Pass},
		"no tree": {"Ready", fmt.Errorf("%w: later", drivers.ErrNotReady), event.Error},
	} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{began: time.Now(), cheap: true, pictureCost: 10 * time.Millisecond,
				show: func(time.Duration, []image.Point) []*screen.Node {
					return []*screen.Node{el("Title", 0, 0, 100, 100)}
				}}
			f.treeErr = func(time.Duration) error { return c.treeErr }
			s := &action.Performer{Device: f, Platform: dsl.Android, Timeout: 4 * time.Second, Settings: action.Settings{
				Vision: &visionary{lines: []drivers.TextLine{line(c.read)}}}}
			if result, err := do(t, s,
				dsl.AssertNot{Selector: dsl.Selector{Label: "Loading", Fallback: "ocr"}}); result != c.want {
				t.Errorf("%s: %s, %v", name, result, err)
			}
		})
	}
}
