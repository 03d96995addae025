package classic

import (
	"context"
	"fmt"
	"image"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

// fit sets the size of the chosen window. The lock is held.
func (c *Context) fit(ctx context.Context) error {
	if c.browser.traits.Phone {
		return nil
	}
	ask := func(script string, into any) error { return c.script(ctx, script, nil, into, callLimit) }
	return fit(ctx, c.session, ask, c.size, c.browser.traits.Toolbar)
}

// Fit sets the size of the chosen window of a session so that its page has this size. toolbar is how much higher than
// its page a window is, at first guess.
func Fit(ctx context.Context, session *webdriver.Session, size image.Point, toolbar int) error {
	ask := func(script string, into any) error { return session.Execute(ctx, script, nil, into, callLimit) }
	return fit(ctx, session, ask, size, toolbar)
}

func fit(ctx context.Context, session *webdriver.Session, ask func(script string, into any) error, size image.Point,
	toolbar int) error {
	outer := size.Add(image.Pt(0, toolbar))
	var inner [2]float64
	for attempt := range 11 {
		if attempt > 0 {
			if err := session.Resize(ctx, outer.X, outer.Y); err != nil {
				return err
			}
		}
		for range 10 { // the display follows a moment later
			if err := ask("return [innerWidth, innerHeight]", &inner); err != nil {
				return err
			}
			if image.Pt(int(inner[0]), int(inner[1])) == size {
				return nil
			}
			if attempt == 0 {
				break
			}
			if err := drivers.Pause(ctx, resizePoll); err != nil {
				return err
			}
		}
		if attempt > 0 {
			outer = outer.Add(size.Sub(image.Pt(int(inner[0]), int(inner[1]))))
		}
	}
	return fmt.Errorf("%w: the window cannot be made %d × %d large: it stays at %.0f × %.0f", drivers.ErrPage, size.X,
		size.Y, inner[0], inner[1])
}
