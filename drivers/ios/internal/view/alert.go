package view

import (
	"context"
	"errors"
	"image"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/ios/internal/source"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
)

// systemAlert returns the alert of the system over an app, as a window: a source has one application, and
// that of an app has no alert of the system in it. Where the source is the system's own, the app under the alert is
// what is missing, which is noted in it.
func (r *Reader) systemAlert(ctx context.Context, seen source.Reading) ([]*screen.Node, error) {
	r.standIns(nil)
	if seen.App == wda.Springboard {
		return nil, r.underAlert(ctx, seen)
	}
	text, err := r.link.AlertOver(ctx)
	if err != nil || text == nil || seen.Shows(*text) {
		return nil, err
	}
	windows, err := r.readSystem(ctx)
	if err != nil || len(windows) > 0 {
		return windows, err
	}
	return r.standInAlert(ctx, seen, *text)
}

// underAlert says that an app which is in the foreground under an alert was not read.
func (r *Reader) underAlert(ctx context.Context, seen source.Reading) error {
	app := r.watch.Bundle()
	if app == "" || len(seen.Alerts()) == 0 {
		return nil
	}
	state, err := r.link.AppState(ctx, app)
	if err == nil && state == wda.RunsInFront {
		seen.Cut("an alert of the system covers " + app + "; WebDriverAgent does not return its elements meanwhile")
	}
	return err
}

// readSystem returns the alerts among the elements of the home screen's app, to which the system's belong; none where
// WebDriverAgent returns the elements of another app all the same.
func (r *Reader) readSystem(ctx context.Context) ([]*screen.Node, error) {
	front := r.link.Agent.ReadsApp()
	if err := r.link.Agent.ReadApp(ctx, wda.Springboard); err != nil {
		return nil, err
	}
	seen, err := r.readOnce(ctx, false)
	if back := r.link.Agent.ReadApp(ctx, front); back != nil {
		return nil, back
	}
	if errors.Is(err, drivers.ErrNotReady) {
		return nil, nil
	}
	if err != nil || seen.App != "" && seen.App != wda.Springboard {
		return nil, err
	}
	return seen.Alerts(), nil
}

// buttonPlace is a place on the screen that represents a button of an alert.
type buttonPlace struct {
	at     image.Rectangle // in pixels
	button string
}

func (r *Reader) standIns(list []buttonPlace) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.standIn = list
}

// StandInFor names the button of a point, "" when there is none.
func (r *Reader) StandInFor(p image.Point) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, s := range r.standIn {
		if p.In(s.at) {
			return s.button
		}
	}
	return ""
}

// InStandIn reports whether an element is in an alert of which only the names are known, so that its place on the
// screen is made up.
func (r *Reader) InStandIn(n *screen.Node) bool {
	for n.Parent != nil {
		n = n.Parent
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return n.Type == source.Prefix+"Alert" && slices.ContainsFunc(r.standIn, func(b buttonPlace) bool {
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
func (r *Reader) standInAlert(ctx context.Context, seen source.Reading, text string) ([]*screen.Node, error) {
	var buttons []string
	err := r.link.Do(ctx, wda.Get("the alert's buttons", "/wda/alert/buttons"), &buttons)
	if errors.Is(err, screen.ErrNotFound) {
		return nil, nil // it was closed meanwhile
	}
	if err != nil && !wda.UnknownCommand(err) {
		return nil, err
	}
	lines := strings.Split(text, "\n")
	size := seen.Bounds.Size()
	high := alertRow * (len(lines) + len(buttons))
	box := image.Rect(0, 0, min(alertWidth, size.X), min(high, size.Y)).Add(image.Pt(max(size.X-alertWidth, 0)/2,
		max(size.Y-high, 0)/2))
	alert := &screen.Node{Type: source.Prefix + "Alert", Package: wda.Springboard, Bounds: box}
	row := func(i int) image.Rectangle {
		return image.Rect(box.Min.X, box.Min.Y+i*alertRow, box.Max.X, box.Min.Y+(i+1)*alertRow)
	}
	for i, line := range lines {
		alert.Children = append(alert.Children, &screen.Node{Type: source.Prefix + "StaticText", Text: line, Bounds: row(i)})
	}
	var places []buttonPlace
	scale := r.geometry.Factor()
	for i, name := range buttons {
		n := &screen.Node{Type: source.Prefix + "Button", Text: name, Clickable: true, Bounds: row(len(lines) + i)}
		alert.Children = append(alert.Children, n)
		pixels := &screen.Node{Bounds: n.Bounds}
		source.ToPixels(pixels, scale)
		places = append(places, buttonPlace{pixels.Bounds, name})
	}
	r.standIns(places)
	return []*screen.Node{alert}, nil
}
