package touch

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"image"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
)

// wheelRest is for a page that moves its content in its own way to do so.
const wheelRest = 150 * time.Millisecond

// far moves a box on and on, without another read, as long as its rows follow each other and no sought text
// turns up in it.
//
//go:embed script/far.js
var far string

// turned reports, from before a turn of the mouse wheel, when what it moves has come to its end.
//
//go:embed script/turned.js
var turned string

// Wheel turns the mouse wheel over a place, or moves a finger where a touch screen is emulated, and waits until what it
// moved is stationary.
func (h *Hand) Wheel(ctx context.Context, at, by image.Point, dur time.Duration) error {
	return h.turnWheel(ctx, at, by, 100*time.Millisecond, func(f finger) error { return f.wheel(ctx, at, by, dur) }, dur)
}

// turnWheel turns the mouse wheel as turn does, in the way by, and waits until the page has shown the same for as long
// as quiet.
func (h *Hand) turnWheel(ctx context.Context, at, by image.Point, quiet time.Duration, turn func(finger) error,
	dur time.Duration) error {
	s, _, err := h.slot.Page()
	if err != nil {
		return err
	}
	var ended playwright.JSHandle
	err = pages.Act(ctx, h.slot, func(page playwright.Page) error {
		z, err := s.Zoom(page)
		if err != nil {
			return err
		}
		x, y := z.OnPage(at)
		ended, err = page.EvaluateHandle(turned, []any{x, y, by.X, by.Y})
		return err
	})
	if err != nil {
		return err
	}
	if err := h.gesture(ctx, dur, []image.Point{at}, turn); err != nil {
		return err
	}
	return pages.Act(ctx, h.slot, func(page playwright.Page) error {
		if _, err := ended.Evaluate("ended => ended()"); err != nil {
			return pages.UnlessGone(err)
		}
		_, err := page.Evaluate(fmt.Sprintf("(%s)(%d, 800)", pages.Rests, quiet.Milliseconds()))
		return pages.UnlessGone(err)
	})
}

// ScrollBox moves the content of a box at once; a page that scrolls in its own way gets the mouse wheel.
func (h *Hand) ScrollBox(ctx context.Context, n *screen.Node, way image.Point, part float64, on drivers.ScrollOn) (
	drivers.Scrolled, error) {
	gen, path, err := dom.ParseRef(n.Ref)
	if err != nil {
		return drivers.Scrolled{}, err
	}
	box := ""
	for _, frame := range path[:len(path)-1] {
		box += fmt.Sprintf("taproot=ref.%s.%d%s", gen, frame, pages.EnterFrame)
	}
	box += fmt.Sprintf("taproot=ref.%s.%d >> %s=", gen, path[len(path)-1], browser.TypingName)
	if len(on.Texts) > 0 && len(path) == 1 {
		var done drivers.Scrolled
		err := pages.Act(ctx, h.slot, func(page playwright.Page) (err error) {
			done, err = scrollOn(page.Locator(fmt.Sprintf("%sscroller.%d", box, way.X)), way, part, on)
			return err
		})
		if err == nil && done.Followed > 0 || browser.Disconnected(err) || ctx.Err() != nil {
			done.Box = n.Bounds
			return done, err
		}
	}
	return h.scrollOnce(ctx, n, fmt.Sprintf("%sscroll.%d.%d.%d", box, way.X, way.Y, int(part*1000)), way, part)
}

func (h *Hand) scrollOnce(ctx context.Context, n *screen.Node, command string, way image.Point, part float64) (
	drivers.Scrolled, error) {
	var answer struct {
		None   bool
		Moved  int
		Before int
		Box    [4]int
	}
	rested, framed := false, strings.Contains(command, pages.EnterFrame)
	err := pages.Act(ctx, h.slot, func(page playwright.Page) error {
		err := pages.AskSelector(page.Locator(command), &answer, browser.CallLimit-time.Second)
		if err != nil || answer.None {
			return err
		}
		said, err := page.Evaluate("(" + pages.Rests + ")()")
		rested, _ = said.(bool)
		return err
	})
	box := n.Bounds
	switch {
	case err != nil:
		return drivers.Scrolled{}, err
	case answer.None:
		return h.wheelBox(ctx, n, way, part)
	case !framed:
		box = image.Rect(answer.Box[0], answer.Box[1], answer.Box[2], answer.Box[3])
	}
	return drivers.Scrolled{Moved: answer.Moved, Before: answer.Before, Box: box, Rested: rested && !framed}, nil
}

// scrollOn has the page itself move on until a text may have turned up.
func scrollOn(box playwright.Locator, way image.Point, part float64, on drivers.ScrollOn) (done drivers.Scrolled,
	err error) {
	argument := map[string]any{"x": way.X, "y": way.Y, "part": part, "until": on.Texts,
		"whole": on.Whole, "time": int(on.Time.Milliseconds())}
	said, err := box.Evaluate(strings.Replace(far, "RESTS", pages.Rests, 1), argument, playwright.LocatorEvaluateOptions{
		Timeout: browser.Milliseconds(browser.CallLimit / 2)})
	if err != nil {
		return done, err
	}
	text, err := json.Marshal(said)
	if err == nil {
		err = json.Unmarshal(text, &done)
	}
	return done, err
}

// wheelBox turns the mouse wheel over a box that the browser itself does not scroll.
func (h *Hand) wheelBox(ctx context.Context, n *screen.Node, way image.Point, part float64) (drivers.Scrolled,
	error) {
	s, _, err := h.slot.Page()
	if err != nil {
		return drivers.Scrolled{}, err
	}
	seen := n.Bounds.Intersect(image.Rectangle{Max: s.Size})
	if seen.Empty() {
		return drivers.Scrolled{}, fmt.Errorf("%w: %s is outside the screen", drivers.ErrNotActionable, n)
	}
	times := max(int(part+0.5), 1) // a page may go one step at each turn, however far that is
	each := part / float64(times)
	at, by := seen.Min.Add(seen.Size().Div(2)), image.Pt(int(float64(seen.Dx()*way.X)*each),
		int(float64(seen.Dy()*way.Y)*each))
	err = h.turnWheel(ctx, at, by, wheelRest, func(f finger) error {
		for range times {
			if err := f.wheel(ctx, at, by, 0); err != nil {
				return err
			}
		}
		return nil
	}, 0)
	return drivers.Scrolled{Unknown: true, Box: seen}, err
}
