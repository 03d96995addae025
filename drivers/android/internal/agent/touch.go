package agent

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/dump"
	"github.com/taproot-dev/taproot/drivers/android/internal/input"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

const (
	// how long the finger stays down in a tap; the agent's timing is not finer than this
	pressFor    = 20 * time.Millisecond
	betweenTaps = 80 * time.Millisecond
	pickUpFor   = input.DragHold
	// minimum time between two position queries that show that an element is stationary
	stationaryTime      = 20 * time.Millisecond
	touchOutcomeUnknown = "the agent did not respond to a touch, which may have happened and is not repeated"
	agentTouches        = 2 // how often a touch that was certainly not sent is retried
)

// Selector returns the locator strategy and value that match only n in the newest tree; ok is false if there are none.
func (a *Agent) Selector(n *screen.Node) (strategy, value string, ok bool) {
	a.mu.Lock()
	list := a.census
	a.mu.Unlock()
	return list.Selector(n)
}

// seenAgain reads a new tree and reports whether n is unchanged in it. It is for elements that the agent does not find
// by a selector.
func (a *Agent) seenAgain(ctx context.Context, n *screen.Node) (bool, error) {
	got, _, err := a.readTreeOnce(ctx, func(*dump.Dump) {})
	if err != nil {
		return false, err
	}
	for o := range screen.NewTree(got.Windows, a.Phone.ScreenSize(), time.Now()).All {
		if o.Type == n.Type && o.ID == n.ID && o.Text == n.Text && o.Desc == n.Desc && o.Bounds == n.Bounds {
			return true, nil
		}
	}
	return false, nil
}

// forXML is a text as the agent's trees have it: what XML forbids is a question mark there.
func forXML(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' && r != '\t' && r != '\n' && r != '\r' || r == 0xfffe || r == 0xffff {
			return '?'
		}
		return r
	}, s)
}

// handle looks an element up; the error wraps ErrMissed when it is not there any more.
func (a *Agent) handle(ctx context.Context, strategy, value string) (string, error) {
	var found struct {
		Element string `json:"ELEMENT"`
		W3C     string `json:"element-6066-11e4-a52e-4f735466cecf"`
	}
	err := a.ask(ctx, Request{Method: "POST", Path: "element", Body: map[string]any{"strategy": strategy,
		"selector": value, "context": ""}}, &found)
	if found.W3C != "" {
		found.Element = found.W3C
	}
	return found.Element, err
}

func (a *Agent) rect(ctx context.Context, element string) (image.Rectangle, error) {
	var r struct{ X, Y, Width, Height int }
	err := a.ask(ctx, Request{Method: "GET", Path: "element/" + element + "/rect"}, &r)
	return image.Rect(r.X, r.Y, r.X+r.Width, r.Y+r.Height), err
}

// ready makes sure that nothing has come over the element, and that it is where the tree had it. Both are asked at
// once, so that as little time as possible passes between the responses and the touch.
func (a *Agent) ready(ctx context.Context, t input.Touch) error {
	free := make(chan error, 1)
	if err := a.Phone.Life.Go(func() { free <- a.uncovered(ctx, t) }); err != nil {
		return fmt.Errorf("device %s: %w", a.Phone.Link.Serial, err)
	}
	err := a.verifyPlace(ctx, t)
	if other := <-free; err == nil {
		err = other
	}
	return err
}

// uncovered makes sure that no window has come over the place of a touch since the newest tree was read: a
// notification, a call.
func (a *Agent) uncovered(ctx context.Context, t input.Touch) error {
	a.mu.Lock()
	before := a.windows
	a.mu.Unlock()
	var list []Window
	if err := a.ask(ctx, Request{Method: "POST", Path: "appium/list_windows", Body: map[string]any{
		"skipScreenshots": true}, limit: readLimit}, &list); err != nil {
		return err
	}
	for id, now := range windowsOf(list) {
		if !t.From.In(now.bounds) {
			continue
		}
		if was, known := before[id]; known && (was.bounds == now.bounds || t.From.In(was.bounds)) {
			continue
		}
		return fmt.Errorf("device %s: %w: the window %q has come over %s", a.Phone.Link.Serial, drivers.ErrMissed, now.name,
			t.Aimed)
	}
	return nil
}

// verifyPlace checks that the element is where the tree had it.
func (a *Agent) verifyPlace(ctx context.Context, t input.Touch) error {
	strategy, value, ok := a.Selector(t.Aimed)
	if !ok {
		return nil // the caller has seen it standing still
	}
	missed := func(why string) error {
		return fmt.Errorf("device %s: %w: %s %s", a.Phone.Link.Serial, drivers.ErrMissed, t.Aimed, why)
	}
	a.mu.Lock()
	rest := stationaryTime - time.Since(a.lastRead)
	a.mu.Unlock()
	if rest > 0 {
		if err := drivers.Pause(ctx, rest); err != nil {
			return a.Phone.Link.Fault(ctx, "touch", err)
		}
	}
	element, err := a.handle(ctx, strategy, value)
	var now image.Rectangle
	if err == nil {
		now, err = a.rect(ctx, element)
	}
	if n := t.Aimed; err == nil && strategy == "id" && n.Text != "" && !n.Editable {
		var reported string // a recycled list row keeps its bounds and its id, but has a new text
		if err = a.ask(ctx, Request{Method: "GET", Path: "element/" + element + "/text"}, &reported); err == nil &&
			forXML(reported) != n.Text {
			return missed("is something else now")
		}
	}
	if err != nil && !isUnresponsive(err) && (strategy == BySelector || Answered(err, "no such element")) {
		// its tree may have it all the same: with a question mark for what XML forbids
		again, err := a.seenAgain(ctx, t.Aimed)
		if err == nil && !again {
			err = missed("is not there any more")
		}
		return err
	}
	switch {
	case Answered(err, "stale element reference"):
		return missed("is not there any more")
	case err != nil:
		return err
	case now == t.Aimed.Bounds:
		return nil
	}
	// The tree may cut bounds in another way than the element reports them: what has the same place in two queries is
	// stationary still.
	if err := drivers.Pause(ctx, stationaryTime); err != nil {
		return a.Phone.Link.Fault(ctx, "touch", err)
	}
	again, err := a.rect(ctx, element)
	if err != nil {
		return err
	}
	if again != now || !now.Overlaps(t.Aimed.Bounds) || !t.From.In(now) || now.Min != t.Aimed.Bounds.Min &&
		now.Max != t.Aimed.Bounds.Max {
		return missed("has moved")
	}
	return nil
}

// Touch makes a gesture with W3C actions, which have ended when the agent responds. The agent is made well before it,
// never after it, because the gesture might then happen twice. An error that wraps ErrFallback says that nothing was
// touched, and that the phone's own tools have to do it.
func (a *Agent) Touch(ctx context.Context, t input.Touch) error {
	for try := 1; ; try++ {
		err := a.ensureHealthy(ctx)
		if err != nil {
			return err
		}
		off := make(chan error, 1)
		if err := a.Phone.Life.Go(func() { off <- a.Phone.DisplayOn(ctx) }); err != nil {
			return fmt.Errorf("device %s: %w", a.Phone.Link.Serial, err)
		}
		if t.Aimed != nil {
			err = a.ready(ctx, t)
		}
		if off := <-off; off != nil {
			return off
		}
		if t.Aimed != nil {
			if isUnresponsive(err) && try <= agentTouches {
				a.mark(err)
				continue
			}
			if err != nil {
				return err
			}
		}
		fingers, took := Fingers(t)
		limit := took + touchLimit
		if t.Kind == input.DoubleTap {
			limit += touchLimit
		}
		a.shadow.Touched()
		err = a.ask(ctx, Request{Method: "POST", Path: "actions", Body: map[string]any{"actions": fingers},
			limit: limit}, nil)
		e := new(agentError)
		switch {
		case err == nil:
			return nil
		case !errors.As(err, &e):
			return err
		case (e.kind == "" && !e.sent || e.kind == "invalid session id") && try <= agentTouches: // nothing can have happened
			a.mark(err)
			continue
		}
		return a.touchError(t, e)
	}
}

// touchError says what became of a touch that was not confirmed.
func (a *Agent) touchError(t input.Touch, e *agentError) error {
	serial := a.Phone.Link.Serial
	switch {
	case e.kind == "":
		a.mark(e)
		return fmt.Errorf("device %s: %s: %s: %w", serial, t.Kind, touchOutcomeUnknown, e.cause)
	case e.kind == "invalid element state":
		return fmt.Errorf("device %s: %w: the phone refused the touch (%s): %s", serial, drivers.ErrUnsupported,
			adb.FirstLine(e.message), phone.MakersSwitch(a.Phone.Info.Manufacturer))
	case isUnresponsive(e):
		a.mark(e)
	}
	return fmt.Errorf("device %s: %s: %w", serial, t.Kind, e)
}

// Fingers are the W3C actions of a gesture, one input device for each finger, and how long they take.
func Fingers(t input.Touch) (fingers []any, took time.Duration) {
	switch t.Kind {
	case input.Pinch:
		left, right := &fingerActions{}, &fingerActions{}
		for i, f := range []*fingerActions{left, right} {
			side := 1 - 2*i
			f.move(0, t.From.Sub(image.Pt(side*t.Near[0], 0))).down()
			f.move(max(t.Took, input.ShortestSwipe), t.From.Sub(image.Pt(side*t.Near[1], 0))).up()
		}
		return []any{left.source("f1"), right.source("f2")}, t.Took
	}
	f := (&fingerActions{}).move(0, t.From).down()
	switch t.Kind {
	case input.Hold:
		f.pause(t.Took)
	case input.DoubleTap:
		f.pause(pressFor).up().pause(betweenTaps).down().pause(pressFor)
	case input.Swipe:
		f.move(max(t.Took, input.ShortestSwipe), t.To)
	case input.Drag:
		f.pause(pickUpFor).move(max(t.Took, input.ShortestSwipe), t.To).pause(input.DragEnd)
	default:
		f.pause(pressFor)
	}
	return []any{f.up().source("f1")}, f.took
}

// fingerActions is a list of what one finger does.
type fingerActions struct {
	steps []any
	took  time.Duration
}

func (f *fingerActions) move(within time.Duration, to image.Point) *fingerActions {
	f.took += within
	f.steps = append(f.steps, map[string]any{"type": "pointerMove", "duration": within.Milliseconds(), "x": to.X,
		"y": to.Y})
	return f
}

func (f *fingerActions) pause(d time.Duration) *fingerActions {
	f.took += d
	f.steps = append(f.steps, map[string]any{"type": "pause", "duration": d.Milliseconds()})
	return f
}

func (f *fingerActions) down() *fingerActions { return f.press("pointerDown") }

func (f *fingerActions) up() *fingerActions { return f.press("pointerUp") }

func (f *fingerActions) press(kind string) *fingerActions {
	f.steps = append(f.steps, map[string]any{"type": kind, "button": 0})
	return f
}

func (f *fingerActions) source(id string) any {
	return map[string]any{"type": "pointer", "id": id, "parameters": map[string]any{"pointerType": "touch"},
		"actions": f.steps}
}
