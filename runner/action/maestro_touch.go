package action

import (
	"context"
	"fmt"
	"image"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/maestro"
	"github.com/taproot-dev/taproot/dsl"
)

// percents reads "50%,80%" or "10,20": whole numbers.
func percents(text string) (p image.Point, percent bool, err error) {
	percent = strings.Contains(text, "%")
	parts := strings.Split(strings.ReplaceAll(text, "%", ""), ",")
	if len(parts) < 2 {
		return p, percent, fatal("the point %q is not two whole numbers", text)
	}
	x, err := strconv.Atoi(strings.TrimSpace(parts[0]))
	y, err2 := strconv.Atoi(strings.TrimSpace(parts[1]))
	if err != nil || err2 != nil {
		return p, percent, fatal("the point %q is not two whole numbers", text)
	}
	if percent && (x < 0 || y < 0 || x > 100 || y > 100) {
		return p, percent, &Failure{problem("the point %q is outside: per cent go from 0 to 100", text)}
	}
	return image.Pt(x, y), percent, nil
}

// inElement is a point in an element.
func inElement(n *maestro.Node, text string) (image.Point, error) {
	p, percent, err := percents(text)
	if err != nil {
		return p, err
	}
	b := n.Bounds
	if percent {
		return b.Min.Add(image.Pt(b.Dx()*p.X/100, b.Dy()*p.Y/100)), nil
	}
	if p.X < 0 || p.Y < 0 || p.X >= b.Dx() || p.Y >= b.Dy() {
		return p, &Failure{problem("the point %q is outside of the element, which is %dx%d", text, b.Dx(), b.Dy())}
	}
	return b.Min.Add(p), nil
}

// onScreen is a point of the screen.
func onScreen(text string, size image.Point) (image.Point, error) {
	p, percent, err := percents(text)
	if err == nil && percent {
		p = image.Pt(size.X*p.X/100, size.Y*p.Y/100)
	}
	return p, err
}

// touching is one touch by the rules of Maestro.
type touching struct {
	on                  *dsl.Selector // nil: screen says where
	screen, in          string
	long                bool
	repeat              int
	pause               time.Duration
	retry, untilVisible bool
	settleMs            *int
}

func (s maestroSession) tapAt(ctx context.Context, t touching) error {
	if t.on == nil {
		v, err := s.readForMaestro(ctx, nil)
		if err != nil {
			return err
		}
		p, err := onScreen(t.screen, v.size)
		if err != nil {
			return err
		}
		return s.hit(ctx, t, v, p)
	}
	v, n, err := s.want(ctx, *t.on)
	if err != nil {
		return err
	}
	if t.in != "" {
		p, err := inElement(n, t.in)
		if err != nil {
			return err
		}
		return s.hit(ctx, t, v, p)
	}
	rested, err := s.rested(ctx, v, t.settleMs)
	if err != nil {
		return err
	}
	at := n
	if again := n.Again(rested.root); again != nil && again.Bounded {
		at = again
	}
	s.meets(at)
	if err := s.hit(ctx, t, rested, at.Centre()); err != nil || !t.untilVisible {
		return err
	}
	return s.untilVisible(ctx, t, rested, n)
}

// untilVisible touches again when nothing changed and something covers the element, once it does not any more.
func (s maestroSession) untilVisible(ctx context.Context, t touching, before *maestroScreen, n *maestro.Node) error {
	after, err := s.readForMaestro(ctx, nil)
	if err != nil || after.root.Sum() != before.root.Sum() || n.On(after.root) {
		return err
	}
	for range 10 {
		if after, err = s.readForMaestro(ctx, nil); err != nil {
			return err
		}
		if n.On(after.root) {
			break
		}
		if err := drivers.Pause(ctx, time.Second); err != nil {
			return err
		}
	}
	t.retry = false
	return s.hit(ctx, t, after, n.Centre())
}

// hit touches, and once more when it is to and nothing changed.
func (s maestroSession) hit(ctx context.Context, t touching, before *maestroScreen, p image.Point) error {
	tries := 1
	if t.retry {
		tries = 2
	}
	for range tries {
		if err := s.finger(ctx, t, p); err != nil {
			return err
		}
		after, err := s.rested(ctx, nil, t.settleMs)
		if err != nil || after == nil || before == nil || after.root.Sum() != before.root.Sum() {
			return err
		}
	}
	return nil
}

func (s maestroSession) finger(ctx context.Context, t touching, p image.Point) error {
	s.touched(p)
	s.tapped = nil
	aimAt(s.Session, nil)
	if p.X >= syntheticAt && p.Y >= syntheticAt {
		return s.chooseOption(ctx, p)
	}
	if t.long {
		g, err := capability[drivers.Gestures](s.Session)
		if err != nil {
			return err
		}
		return g.LongPress(ctx, p, longTouch)
	}
	for range max(t.repeat, 1) {
		began := time.Now()
		if err := s.Device.Tap(ctx, p); err != nil {
			return err
		}
		if t.repeat > 1 {
			if err := drivers.Pause(ctx, max(t.pause-time.Since(began), 0)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Coordinates of `at` as Maestro writes them.
func pointText(p *dsl.Point) string {
	if p == nil {
		return ""
	}
	if p.Percent {
		return fmt.Sprintf("%d%%,%d%%", int(p.X), int(p.Y))
	}
	return fmt.Sprintf("%d,%d", int(p.X), int(p.Y))
}
