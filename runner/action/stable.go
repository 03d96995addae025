package action

import (
	"context"
	"errors"
	"fmt"
	"image"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters"
)

// quietStable is how long waitStable wants the pixels to rest.
const quietStable = 400 * time.Millisecond

func waitStable(ctx context.Context, s *Session, _ dsl.WaitStable) error {
	w := newWatch(s)
	var moving image.Rectangle
	began := time.Now()
	err := poll(ctx, s.Timeout, func() error {
		before := w.after
		if err := w.picture(ctx); err != nil {
			return err
		}
		if before != nil {
			if box := unrest(before, w.after); !box.Empty() {
				moving = box
			}
		}
		if time.Since(w.quietSince) < quietStable {
			return errWait
		}
		if err := w.read(ctx, false); err != nil { // the elements must be readable, too
			return err
		}
		quiet := w.quietSince
		if err := w.picture(ctx); err != nil {
			return err
		}
		if w.quietSince != quiet { // reading them takes seconds on some phones, and the screen did not rest meanwhile
			return errWait
		}
		return nil
	})
	if errors.Is(err, errWait) {
		p := reporters.Problem{Expected: "nothing moves on the screen", Assertion: true}
		p.Actual = fmt.Sprintf("the region %d,%d to %d,%d kept changing", moving.Min.X, moving.Min.Y, moving.Max.X, moving.Max.Y)
		if moving.Empty() {
			p.Actual = fmt.Sprintf("%s were not enough to see it rest for %s", time.Since(began).Round(time.Millisecond), quietStable)
		}
		p.Message = fmt.Sprintf("the screen did not settle within %s: %s", s.Timeout, p.Actual)
		return &Failure{p}
	}
	return err
}
