package wda

import (
	"context"
	"errors"
	"fmt"
	"image"
	"log/slog"
	"math"
	"net/http"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/ios/internal/geometry"
	"github.com/taproot-dev/taproot/drivers/ios/internal/source"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Agent is a WebDriverAgent in which a session is open, reached by HTTP or through a server.
type Agent interface {
	// In makes a call in the session, Call one that WebDriverAgent has outside of sessions.
	In(ctx context.Context, r Request, to any) error
	Call(ctx context.Context, r Request, to any) error
	// ReadApp names the app with the elements that a source returns while it is in the foreground, "" for any; ReadsApp
	// is the one that was named last.
	ReadApp(ctx context.Context, app string) error
	ReadsApp() string
	// Reach is how many elements inside one another a source has at most; Deepen makes it as many as XCTest can, and
	// reports whether it did not before.
	Reach() int
	Deepen(ctx context.Context) (bool, error)
	// End ends the session.
	End(ctx context.Context) error
}

// Forgetful is an Agent that reports the size of the status bar once, although an app may show or hide it.
type Forgetful interface {
	BarsOnce() bool
	WarnOnce(text string)
}

var _ Agent = (*Client)(nil)

// Link is the WebDriverAgent of a device for as long as that is open: its calls end with the device. It is safe for
// concurrent use.
type Link struct {
	Agent Agent
	ID    string            // of the device, for messages
	Life  *drivers.Lifetime // from Open to Close
	Log   *slog.Logger
}

// Do makes a call in the session, unless the device is closed.
func (l *Link) Do(ctx context.Context, r Request, to any) error {
	ctx, cancel := drivers.Bound(ctx, l.Life)
	defer cancel()
	return l.Agent.In(ctx, r, to)
}

// Alone makes a call that WebDriverAgent has outside of sessions only.
func (l *Link) Alone(ctx context.Context, r Request) error {
	ctx, cancel := drivers.Bound(ctx, l.Life)
	defer cancel()
	return l.Agent.Call(ctx, r, nil)
}

// With calls do with a context for the host's programs, which ends with the device. Its errors name the device.
func (l *Link) With(ctx context.Context, do func(context.Context) error) error {
	ctx, cancel := drivers.Bound(ctx, l.Life)
	defer cancel()
	err := do(ctx)
	if name := "device " + l.ID + ": "; err != nil && !strings.HasPrefix(err.Error(), name) { // a call names it already
		return fmt.Errorf("%s%w", name, err)
	}
	return err
}

// Unsupported says what this device cannot do, and why.
func (l *Link) Unsupported(why string) error {
	return fmt.Errorf("device %s: %w: %s", l.ID, drivers.ErrUnsupported, why)
}

var bundleID = lazyregexp.New(`^[A-Za-z0-9][\w-]*(\.[\w-]+)*$`)

// CheckBundle refuses what can be no bundle id: it becomes an argument of programs.
func (l *Link) CheckBundle(app string) error {
	if !bundleID.MatchString(app) {
		return fmt.Errorf("device %s: %w: %s is not a bundle id, such as com.example.app", l.ID, drivers.ErrNoApp,
			screen.Quote(app))
	}
	return nil
}

// Wake unlocks a screen that is locked. No program enters a passcode.
func (l *Link) Wake(ctx context.Context) error {
	locked, err := l.Locked(ctx)
	if err != nil || !locked {
		return err
	}
	if err := l.Do(ctx, Post("unlocking", "/wda/unlock", nil), nil); err != nil {
		return err
	}
	if locked, err = l.Locked(ctx); err == nil && locked {
		err = fmt.Errorf("%w: device %s is locked: enter its passcode, and set Auto-Lock to Never", drivers.ErrDeviceLost,
			l.ID)
	}
	return err
}

// Locked reports whether the screen is locked.
func (l *Link) Locked(ctx context.Context) (locked bool, err error) {
	err = l.Do(ctx, Get("the lock", "/wda/locked"), &locked)
	return locked, unlessUnknown(err)
}

// LiesRight reports whether the screen, as it is built into the phone, has to be turned clockwise to be seen as the app
// is.
func (l *Link) LiesRight(ctx context.Context) (bool, error) {
	var rotation struct{ Z int }
	err := l.Do(ctx, Get("the rotation", "/rotation"), &rotation)
	return rotation.Z == 90, err
}

// XCTest's states of an app, as far as they matter here.
const (
	RunsNot     = 1
	RunsInFront = 4
)

// AppState returns XCTest's state of an app.
func (l *Link) AppState(ctx context.Context, app string) (int, error) {
	var state int
	err := l.Do(ctx, Post("the state of "+app, "/wda/apps/state", map[string]any{"bundleId": app}), &state)
	return state, err
}

// AlertText is what the alert says that is open, of the system's or the app's; nil: none is.
func (l *Link) AlertText(ctx context.Context) (*string, error) { return l.alertText(ctx, false) }

// AlertOver is AlertText as a part of a read of the screen.
func (l *Link) AlertOver(ctx context.Context) (*string, error) { return l.alertText(ctx, true) }

func (l *Link) alertText(ctx context.Context, spare bool) (*string, error) {
	var text *string
	ask := Get("the alert", "/alert/text")
	ask.Look, ask.Spare = true, spare
	err := l.Do(ctx, ask, &text)
	if errors.Is(err, screen.ErrNotFound) || UnknownCommand(err) {
		return nil, nil
	}
	return text, err
}

// Element is the element with the focus, as WebDriverAgent describes it.
type Element struct {
	ID   string `json:"element-6066-11e4-a52e-4f735466cecf"`
	Old  string `json:"ELEMENT"`
	Type string `json:"type"`
	Rect *rect  `json:"rect"`
	Name string `json:"attribute/name"`
}

// rect is a rectangle in points.
type rect struct{ X, Y, Width, Height float64 }

// Pixels is the place of an element in pixels, of which a point has so many.
func (a Element) Pixels(factor float64) image.Rectangle {
	at := func(v float64) int { return int(math.Round(v * factor)) }
	return image.Rect(at(a.Rect.X), at(a.Rect.Y), at(a.Rect.X+a.Rect.Width), at(a.Rect.Y+a.Rect.Height))
}

// Active returns the element with the focus; nil when none has it.
func (l *Link) Active(ctx context.Context) (*Element, error) { return l.active(ctx, false) }

// Focus is Active as a part of a read of the screen: the element may have been found before.
func (l *Link) Focus(ctx context.Context) (*Element, error) { return l.active(ctx, true) }

func (l *Link) active(ctx context.Context, spare bool) (*Element, error) {
	var a Element
	ask := Get("the focus", "/element/active")
	ask.Spare = spare
	err := l.Do(ctx, ask, &a)
	switch {
	case errors.Is(err, screen.ErrNotFound):
		return nil, nil
	case err != nil:
		return nil, err
	}
	if a.ID == "" {
		a.ID = a.Old
	}
	if a.ID == "" || a.Type != "" && a.Rect != nil {
		return &a, nil
	}
	return l.describe(ctx, a)
}

// describe queries an old WebDriverAgent, which returns only the element's id, for the rest. An element that is gone
// meanwhile has no focus.
func (l *Link) describe(ctx context.Context, a Element) (*Element, error) {
	a.Rect = &rect{}
	var name *string
	for path, to := range map[string]any{"/rect": a.Rect, "/attribute/type": &a.Type, "/attribute/name": &name} {
		err := l.Do(ctx, Get("the focus", "/element/"+a.ID+path), to)
		if errors.Is(err, screen.ErrNotFound) {
			return nil, nil
		}
		if err != nil {
			return nil, err
		}
	}
	if name != nil {
		a.Name = *name
	}
	return &a, nil
}

// OfType returns the elements of a type, each with its place in points.
func (l *Link) OfType(ctx context.Context, kind string) (all []Element, err error) {
	err = l.Do(ctx, Request{What: "the elements of a type", Method: http.MethodPost, Path: "/elements", Look: true,
		Body: map[string]any{"using": "class name", "value": kind}}, &all)
	for i := range all {
		e := &all[i]
		if e.ID == "" {
			e.ID = e.Old
		}
		if e.Rect == nil && err == nil {
			e.Rect = &rect{}
			err = l.Do(ctx, Get("the place of an element", "/element/"+e.ID+"/rect"), e.Rect)
		}
	}
	return all, err
}

// Box is the place of an element in points.
func (a Element) Box() image.Rectangle {
	return image.Rect(
		source.Whole(a.Rect.X),
		source.Whole(a.Rect.Y),
		source.Whole(a.Rect.X+a.Rect.Width),
		source.Whole(a.Rect.Y+a.Rect.Height),
	)
}

// OnlyAt returns the one element at a place. Of several that are near it, the one exactly there is taken; ok is false
// where that is not one.
func OnlyAt(all []Element, place image.Rectangle, of func(Element) image.Rectangle) (only Element,
	ok bool) {
	exact, close := 0, 0
	for _, e := range all {
		switch b := of(e); {
		case b == place:
			if exact++; exact == 1 {
				only = e
			}
		case geometry.Near(b, place):
			if close++; close == 1 && exact == 0 {
				only = e
			}
		}
	}
	return only, exact == 1 || exact == 0 && close == 1
}

// TextOf is all that an element says.
func (l *Link) TextOf(ctx context.Context, id string) (string, error) {
	var text *string
	err := l.Do(ctx, Get("the whole text of an element", "/element/"+id+"/text"), &text)
	if err != nil || text == nil {
		return "", err
	}
	return *text, nil
}

// UnlessRefused drops what WebDriverAgent refused.
func UnlessRefused(err error) error {
	if errors.As(err, new(*Error)) {
		return nil
	}
	return err
}

// WholeScreen is the size of the screen in points, the way it is held, of which an app has the frame: the app's own,
// where it fills the screen.
func (l *Link) WholeScreen(ctx context.Context, app image.Rectangle, pixels image.Point) (image.Point, error) {
	if geometry.Fills(app, pixels) {
		return app.Size(), nil
	}
	var s struct {
		ScreenSize struct{ Width, Height float64 }
	}
	if err := l.Do(ctx, Get("the size of the screen", "/wda/screen"), &s); err != nil {
		return app.Size(), unlessUnknown(err)
	}
	size := image.Pt(source.Whole(s.ScreenSize.Width), source.Whole(s.ScreenSize.Height))
	if size.X <= 0 || size.Y <= 0 {
		return app.Size(), nil
	}
	turned := image.Pt(size.Y, size.X)
	switch in := func(p image.Point) bool { return app.In(image.Rectangle{Max: p}) }; {
	case in(turned) && (!in(size) || app.Dy() == turned.Y && app.Dy() != size.Y):
		// the home screen's app, which reports it, may not have turned
		return turned, nil
	case !in(size): // it is not a part of that screen
		return app.Size(), nil
	}
	return size, nil
}
