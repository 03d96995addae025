package ios

import (
	"context"
	"errors"
	"image"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

const springboard = "com.apple.springboard"

// systemAlert returns the alert of the system over an app, as a window: a source has one application, and
// that of an app has no alert of the system in it. Where the source is the system's own, the app under the alert is
// what is missing, which is noted in it.
func (d *Device) systemAlert(ctx context.Context, seen reading) ([]*screen.Node, error) {
	d.standIns(nil)
	if seen.app == springboard {
		return nil, d.underAlert(ctx, seen)
	}
	text, err := d.alertText(ctx)
	if err != nil || text == nil || seen.shows(*text) {
		return nil, err
	}
	windows, err := d.readSystem(ctx)
	if err != nil || len(windows) > 0 {
		return windows, err
	}
	return d.standInAlert(ctx, seen, *text)
}

// underAlert says that an app which is in the foreground under an alert was not read.
func (d *Device) underAlert(ctx context.Context, seen reading) error {
	d.mu.Lock()
	app := d.app.bundle
	d.mu.Unlock()
	if app == "" || len(seen.alerts()) == 0 {
		return nil
	}
	state, err := d.appState(ctx, app)
	if err == nil && state == runsInFront {
		seen.cut("an alert of the system covers " + app + "; WebDriverAgent does not return its elements meanwhile")
	}
	return err
}

// alertText is what the alert says that is open, of the system's or the app's; nil: none is.
func (d *Device) alertText(ctx context.Context) (*string, error) {
	var text *string
	ask := get("the alert", "/alert/text")
	ask.look = true
	err := d.do(ctx, ask, &text)
	if errors.Is(err, screen.ErrNotFound) || unknownCommand(err) {
		return nil, nil
	}
	return text, err
}

// shows reports whether one of the alerts in the source says a text: its lines are labels.
func (r reading) shows(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	for _, a := range r.alerts() {
		if says(a, first) {
			return true
		}
	}
	return false
}

func says(n *screen.Node, text string) bool {
	if n.Text == text || n.Desc == text {
		return true
	}
	for _, c := range n.Children {
		if says(c, text) {
			return true
		}
	}
	return false
}

// readSystem returns the alerts among the elements of the home screen's app, to which the system's belong; none where
// WebDriverAgent returns the elements of another app all the same.
func (d *Device) readSystem(ctx context.Context) ([]*screen.Node, error) {
	front := d.wda.readsApp()
	if err := d.wda.readApp(ctx, springboard); err != nil {
		return nil, err
	}
	seen, err := d.readOnce(ctx, false)
	if back := d.wda.readApp(ctx, front); back != nil {
		return nil, back
	}
	if errors.Is(err, drivers.ErrNotReady) {
		return nil, nil
	}
	if err != nil || seen.app != "" && seen.app != springboard {
		return nil, err
	}
	return seen.alerts(), nil
}

// buttonPlace is a place on the screen that represents a button of an alert.
type buttonPlace struct {
	at     image.Rectangle // in pixels
	button string
}

func (d *Device) standIns(list []buttonPlace) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.standIn = list
}

// standInFor names the button of a point, "" when there is none.
func (d *Device) standInFor(p image.Point) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, s := range d.standIn {
		if p.In(s.at) {
			return s.button
		}
	}
	return ""
}

// inStandIn reports whether an element is in an alert of which only the names are known, so that its place on the
// screen is made up.
func (d *Device) inStandIn(n *screen.Node) bool {
	for n.Parent != nil {
		n = n.Parent
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return n.Type == elementPrefix+"Alert" && slices.ContainsFunc(d.standIn, func(b buttonPlace) bool {
		return b.at.In(n.Bounds)
	})
}

// The place of the substitute of an alert, in points.
const (
	alertWidth = 270
	alertRow   = 48
)

// standInAlert makes an alert of what WebDriverAgent reports of it where its elements cannot be read: its lines and
// buttons lie under each other in the middle of the screen, and a tap on a button presses it by its name.
func (d *Device) standInAlert(ctx context.Context, seen reading, text string) ([]*screen.Node, error) {
	var buttons []string
	err := d.do(ctx, get("the alert's buttons", "/wda/alert/buttons"), &buttons)
	if errors.Is(err, screen.ErrNotFound) {
		return nil, nil // it was closed meanwhile
	}
	if err != nil && !unknownCommand(err) {
		return nil, err
	}
	lines := strings.Split(text, "\n")
	size := seen.bounds.Size()
	high := alertRow * (len(lines) + len(buttons))
	box := image.Rect(0, 0, min(alertWidth, size.X), min(high, size.Y)).Add(image.Pt(max(size.X-alertWidth, 0)/2,
		max(size.Y-high, 0)/2))
	alert := &screen.Node{Type: elementPrefix + "Alert", Package: springboard, Bounds: box}
	row := func(i int) image.Rectangle {
		return image.Rect(box.Min.X, box.Min.Y+i*alertRow, box.Max.X, box.Min.Y+(i+1)*alertRow)
	}
	for i, line := range lines {
		alert.Children = append(alert.Children, &screen.Node{Type: elementPrefix + "StaticText", Text: line, Bounds: row(i)})
	}
	var places []buttonPlace
	scale := d.factor()
	for i, name := range buttons {
		n := &screen.Node{Type: elementPrefix + "Button", Text: name, Clickable: true, Bounds: row(len(lines) + i)}
		alert.Children = append(alert.Children, n)
		pixels := &screen.Node{Bounds: n.Bounds}
		toPixels(pixels, scale)
		places = append(places, buttonPlace{pixels.Bounds, name})
	}
	d.standIns(places)
	return []*screen.Node{alert}, nil
}
