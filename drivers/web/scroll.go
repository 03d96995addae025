package web

import (
	"context"
	"fmt"
	"image"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// wheelRest is for a page that moves its content in its own way to do so.
const wheelRest = 150 * time.Millisecond

// frames waits for two pictures: a list that holds only the rows that can be seen makes the next ones when it hears that it was moved.
const frames = `() => new Promise(done => { setTimeout(done, 200); requestAnimationFrame(() => requestAnimationFrame(done)) })`

// Wheel turns the wheel over a place, or moves a finger where a touch screen is emulated.
func (d *Device) Wheel(ctx context.Context, at, by image.Point, dur time.Duration) error {
	return d.gesture(ctx, dur, []image.Point{at}, func(f finger) error { return f.wheel(ctx, at, by, dur) })
}

// ScrollBox moves the content of a box at once; a page that scrolls in its own way gets the wheel.
func (d *Device) ScrollBox(ctx context.Context, n *screen.Node, way image.Point, part float64) (drivers.Scrolled, error) {
	gen, path, err := parseRef(n.Ref)
	if err != nil {
		return drivers.Scrolled{}, err
	}
	var answer struct {
		None   bool
		Moved  int
		Before int
		Box    [4]int
	}
	err = act(ctx, d, func(page playwright.Page) error {
		selector := ""
		for _, frame := range path[:len(path)-1] {
			selector += fmt.Sprintf("taproot=ref.%s.%d%s", gen, frame, enterFrame)
		}
		selector += fmt.Sprintf("taproot=ref.%s.%d >> %s=scroll.%d.%d.%d", gen, path[len(path)-1], typingName, way.X, way.Y, int(part*1000))
		if err := askSelector(page.Locator(selector), &answer, callLimit-time.Second); err != nil || answer.None {
			return err
		}
		_, err := page.Evaluate(frames)
		return err
	})
	box := n.Bounds
	switch {
	case err != nil:
		return drivers.Scrolled{}, err
	case !answer.None && len(path) == 1:
		box = image.Rect(answer.Box[0], answer.Box[1], answer.Box[2], answer.Box[3])
	case !answer.None:
	default:
		return d.wheelBox(ctx, n, way, part)
	}
	return drivers.Scrolled{Moved: answer.Moved, Before: answer.Before, Box: box}, nil
}

// wheelBox turns the wheel over a box that the browser itself does not scroll.
func (d *Device) wheelBox(ctx context.Context, n *screen.Node, way image.Point, part float64) (drivers.Scrolled, error) {
	s, _, err := d.page()
	if err != nil {
		return drivers.Scrolled{}, err
	}
	seen := n.Bounds.Intersect(image.Rectangle{Max: s.size})
	if seen.Empty() {
		return drivers.Scrolled{}, fmt.Errorf("%w: %s is outside the screen", drivers.ErrNotActionable, n)
	}
	by := image.Pt(int(float64(seen.Dx()*way.X)*part), int(float64(seen.Dy()*way.Y)*part))
	if err := d.Wheel(ctx, seen.Min.Add(seen.Size().Div(2)), by, 0); err != nil {
		return drivers.Scrolled{}, err
	}
	return drivers.Scrolled{Unknown: true, Box: seen}, pause(ctx, wheelRest)
}
