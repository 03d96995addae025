package action_test

import (
	"context"
	"errors"
	"image"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// guarded is a device of which an app forbids screenshots: they are black, or refused.
type guarded struct {
	*fake
	refuses bool
	asked   int
}

func (g *guarded) Protected(context.Context) ([]drivers.Protected, error) {
	g.asked++
	return []drivers.Protected{{Window: "com.bank/.Login", Bounds: image.Rectangle{Max: size}}}, nil
}

func (g *guarded) Screenshot(ctx context.Context) (image.Image, error) {
	if g.refuses {
		return nil, &drivers.ProtectedError{Device: "fake", Parts: []drivers.Protected{{Window: "com.bank/.Login"}}}
	}
	return image.NewRGBA(image.Rectangle{Max: size}), g.wait(ctx, g.pictureCost)
}

// TestModelsAreNotAskedAboutForbiddenPictures: neither a response nor its price follows from a black screenshot.
func TestModelsAreNotAskedAboutForbiddenPictures(t *testing.T) {
	for _, refuses := range []bool{false, true} {
		for _, step := range []any{dsl.AssertVisual{Prompt: "the balance is shown"}, dsl.Extract{Prompt: "the balance"},
			dsl.Assert{Selector: dsl.Selector{Describe: "the balance"}}} {
			synctest.Test(t, func(t *testing.T) {
				vision := &visionary{judge: func(int) (drivers.Judgement, error) {
					return drivers.Judgement{Passed: true, For: 1}, nil
				}}
				f := &guarded{fake: &fake{began: time.Now(), cheap: true, treeCost: 100 * time.Millisecond,
					pictureCost: 20 * time.Millisecond,
					show: func(time.Duration, []image.Point) []*screen.Node {
						return []*screen.Node{el("Balance", 10, 10, 200, 60)}
					}}, refuses: refuses}
				s := &action.Performer{Device: f, Platform: dsl.Android, Timeout: 2 * time.Second, Settings: action.Settings{
					Vision: vision}}
				err := action.Perform(t.Context(), s, step)
				var forbidden *drivers.ProtectedError
				if !errors.As(err, &forbidden) || action.ResultOf(err) != event.Error || vision.asked != 0 {
					t.Errorf("%T, refused %t: %v; the model was asked %d times", step, refuses, err, vision.asked)
				}
			})
		}
	}
}

// TestBlackPicturesAreNoRest: an element that moves is not touched because black screenshots do not change.
func TestBlackPicturesAreNoRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &guarded{fake: &fake{began: time.Now(), cheap: true, treeCost: 100 * time.Millisecond,
			pictureCost: 20 * time.Millisecond}}
		f.show = func(at time.Duration, _ []image.Point) []*screen.Node {
			y := max(0, 1000-int(at/time.Millisecond))
			return []*screen.Node{button("Go", 10, 200+y, 200, 260+y)}
		}
		s := &action.Performer{Device: f, Platform: dsl.Android, Timeout: 5 * time.Second}
		if err := action.Perform(t.Context(), s, dsl.Tap{Selector: dsl.Selector{Label: "Go"}}); err != nil ||
			len(f.taps) != 1 || f.when[0] < time.Second || f.taps[0] != image.Pt(105, 230) {
			t.Errorf("%v, touched %v at %v", err, f.taps, f.when)
		}
	})
}

// TestBrightPicturesCostNoQuestion: only a screenshot with pure black in it
// costs the query whether an app forbids screenshots.
func TestBrightPicturesCostNoQuestion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := &fake{began: time.Now(), cheap: true, treeCost: 100 * time.Millisecond, pictureCost: 20 * time.Millisecond}
		f.show = func(time.Duration, []image.Point) []*screen.Node {
			return []*screen.Node{el("Page", 0, 0, size.X, size.Y), button("Go", 10, 200, 200, 260)}
		}
		bright := &asking{fake: f}
		s := &action.Performer{Device: bright, Platform: dsl.Android, Timeout: 5 * time.Second}
		if err := action.Perform(t.Context(), s, dsl.Tap{Selector: dsl.Selector{Label: "Go"}}); err != nil ||
			bright.asked != 0 || f.shots == 0 {
			t.Errorf("%v, asked %d times for %d pictures", err, bright.asked, f.shots)
		}
	})
}

// asking counts the questions.
type asking struct {
	*fake
	asked int
}

func (a *asking) Protected(context.Context) ([]drivers.Protected, error) {
	a.asked++
	return nil, nil
}
