package action

import (
	"context"
	"errors"
	"image"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/decide"
	flows "github.com/taproot-dev/taproot/runner/internal/syntax/maestro"
)

// screenSize is that of the screen as it is held now.
func (s maestroPerformer) screenSize(ctx context.Context) (image.Point, error) {
	v, err := s.readForMaestro(ctx, nil)
	if err != nil {
		return image.Point{}, err
	}
	return v.size, nil
}

func part(n int, f float32) int { return int(float32(n) * f) }

// flowStroke is how a finger goes over the whole screen.
func flowStroke(d dsl.Direction, size image.Point) (from, to image.Point) {
	w, h := size.X, size.Y
	switch d {
	case dsl.Up:
		return image.Pt(part(w, 0.5), part(h, 0.5)), image.Pt(part(w, 0.5), part(h, 0.1))
	case dsl.Down:
		return image.Pt(part(w, 0.5), part(h, 0.2)), image.Pt(part(w, 0.5), part(h, 0.9))
	case dsl.Left:
		return image.Pt(part(w, 0.9), part(h, 0.5)), image.Pt(part(w, 0.1), part(h, 0.5))
	}
	return image.Pt(part(w, 0.1), part(h, 0.5)), image.Pt(part(w, 0.9), part(h, 0.5))
}

// flowStrokeFrom is how it goes from a place to the edge.
func flowStrokeFrom(from image.Point, d dsl.Direction, size image.Point) image.Point {
	switch d {
	case dsl.Up:
		return image.Pt(from.X, part(size.Y, 0.1))
	case dsl.Down:
		return image.Pt(from.X, part(size.Y, 0.9))
	case dsl.Left:
		return image.Pt(part(size.X, 0.1), from.Y)
	}
	return image.Pt(part(size.X, 0.9), from.Y)
}

// dragTo moves a finger and waits until the screen rests.
func (s maestroPerformer) dragTo(ctx context.Context, from, to image.Point, ms int, settleMs *int) error {
	if err := move(ctx, s.Performer, from, to, time.Duration(max(ms, 1))*time.Millisecond); err != nil {
		return err
	}
	return Settle(ctx, s.Performer, settleMs)
}

// scrollPage moves the window of a page by half of its size.
func (s maestroPerformer) scrollPage(ctx context.Context, d dsl.Direction, settleMs *int) error {
	by := map[dsl.Direction]string{dsl.Up: "0, Math.round(innerHeight / 2)", dsl.Down: "0, -Math.round(innerHeight / 2)",
		dsl.Left: "Math.round(innerWidth / 2), 0", dsl.Right: "-Math.round(innerWidth / 2), 0"}[d]
	if _, err := s.onPage(ctx, "(() => { const by = ["+by+
		"]; window.scrollBy({ left: by[0], top: by[1], behavior: 'instant' }); return true })()"); err != nil {
		return err
	}
	return Settle(ctx, s.Performer, settleMs)
}

func flowSwipe(ctx context.Context, s maestroPerformer, a flows.Swipe) error {
	if a.Start != "" {
		size, err := s.screenSize(ctx)
		if err != nil {
			return err
		}
		from, err := onScreen(a.Start, size)
		if err != nil {
			return err
		}
		to, err := onScreen(a.End, size)
		if err != nil {
			return err
		}
		return s.dragTo(ctx, from, to, a.Ms, a.SettleMs)
	}
	if a.From == nil {
		if s.isWeb() {
			return s.scrollPage(ctx, a.Direction, a.SettleMs)
		}
		size, err := s.screenSize(ctx)
		if err != nil {
			return err
		}
		from, to := flowStroke(a.Direction, size)
		return s.dragTo(ctx, from, to, a.Ms, a.SettleMs)
	}
	sel, err := lower(a.From)
	if err != nil {
		return err
	}
	return s.dragFrom(ctx, sel, a.In, a)
}

// dragFrom moves a finger from an element, or a point in it, to the edge of the screen.
func (s maestroPerformer) dragFrom(ctx context.Context, sel dsl.Selector, in string, a flows.Swipe) error {
	v, n, err := s.want(ctx, sel)
	if err != nil {
		return err
	}
	from := n.Centre()
	if in != "" {
		if from, err = inElement(n, in); err != nil {
			return err
		}
	}
	if s.isWeb() {
		return s.scrollPage(ctx, a.Direction, a.SettleMs)
	}
	return s.dragTo(ctx, from, flowStrokeFrom(from, a.Direction, v.size), a.Ms, a.SettleMs)
}

func flowScroll(ctx context.Context, s maestroPerformer, _ flows.Scroll) error {
	return flowSwipe(ctx, s, flows.Swipe{Direction: dsl.Up, Ms: 400})
}

// Milliseconds reads a time as Maestro does: whole, with underscores.
func Milliseconds(text string) (time.Duration, error) {
	n, err := strconv.ParseInt(strings.ReplaceAll(text, "_", ""), 10, 64)
	if err != nil {
		return 0, &Failure{problem("the timeout %q is not a number of milliseconds", text)}
	}
	return time.Duration(n) * time.Millisecond, nil
}

func flowScrollUntil(ctx context.Context, s maestroPerformer, a flows.ScrollUntil) error {
	sel, err := lower(a.To)
	if err != nil {
		return err
	}
	limit, err := Milliseconds(a.Timeout)
	if err != nil {
		return err
	}
	if limit < 0 {
		limit = maestroScrollLimit
	}
	speed, err := strconv.Atoi(a.Speed)
	if err != nil {
		return fatal("the speed %q is not a whole number", a.Speed)
	}
	enough := 0.0
	if a.Percent >= 100 {
		enough = 1
	}
	return s.scrollUntilSeen(ctx, sel, scrollOptions{a.Direction, limit, enough, a.MoveMs(speed), a.Centre, a.SettleMs})
}

// scrollOptions is how an element is scrolled to.
type scrollOptions struct {
	direction dsl.Direction
	limit     time.Duration
	enough    float64 // of the element
	ms        int     // of one movement
	centre    bool
	settleMs  *int
}

func (s maestroPerformer) scrollUntilSeen(ctx context.Context, sel dsl.Selector, how scrollOptions) error {
	opposite := map[dsl.Direction]dsl.Direction{"": dsl.Up, dsl.Down: dsl.Up, dsl.Up: dsl.Down, dsl.Left: dsl.Right,
		dsl.Right: dsl.Left}[how.direction]
	deadline, centred := time.Now().Add(how.limit), 0
	for {
		v, n, err := s.first(ctx, sel, decide.Native().MaestroLookup)
		if err != nil && !errors.Is(err, drivers.ErrNotReady) {
			return err
		}
		if n != nil {
			s.meets(n)
			seen := n.Visible(v.size)
			switch {
			case how.centre && seen > 0.1 && centred <= 4:
				if nearCentre(n.Centre(), opposite, v.size) {
					return nil
				}
				centred++
			case seen >= how.enough:
				return nil
			}
		}
		if err := s.fromCentre(ctx, opposite, how.ms, how.settleMs); err != nil {
			return err
		}
		if !time.Now().Before(deadline) {
			if v == nil {
				return err
			}
			return s.absent(v, sel, how.limit)
		}
	}
}

func (s maestroPerformer) fromCentre(ctx context.Context, d dsl.Direction, ms int, settleMs *int) error {
	if s.isWeb() {
		return s.scrollPage(ctx, d, settleMs)
	}
	size, err := s.screenSize(ctx)
	if err != nil {
		return err
	}
	centre := image.Pt(size.X/2, size.Y/2)
	return s.dragTo(ctx, centre, flowStrokeFrom(centre, d, size), ms, settleMs)
}

// nearCentre reports whether an element has come as far as the middle, a fifth of the screen aside.
func nearCentre(p image.Point, d dsl.Direction, size image.Point) bool {
	switch d {
	case dsl.Right:
		return p.X > size.X/2-size.X/5
	case dsl.Left:
		return p.X < size.X/2+size.X/5
	case dsl.Up:
		return p.Y < size.Y/2+size.Y/5
	}
	return p.Y > size.Y/2-size.Y/5
}
