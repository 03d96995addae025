package action

import (
	"context"
	"fmt"
	"image"
	"slices"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/drivers/vision/pixels"
	"github.com/taproot-dev/taproot/dsl"
)

// What is not on the screen of an app proves nothing while something else is over the app: a keyguard, or the
// system's question about another app.

// nothingOver is asked before the absence of an element counts: the error says what keeps the app from being seen. That
// another app is in the foreground is a warning.
func nothingOver(ctx context.Context, s *Session, t *screen.Tree, last image.Image) error {
	besideDialog(s, t)
	d, ok := s.Device.(drivers.ObstacleReporter)
	if !ok || t == nil {
		return nil
	}
	if s.launched != "" && shows(t, s.launched) && (last == nil || !pixels.Dark(last)) {
		if d, ok := s.Device.(drivers.DisplayReporter); ok && last == nil {
			return d.DisplayOn(ctx)
		}
		return nil
	}
	what, err := d.Obstacle(ctx)
	switch {
	case err != nil:
		return err
	case what != "":
		return fmt.Errorf("device %s: %s; what is on the screen of an app, and what is not, is unknown",
			s.Device.Info().ID, what)
	}
	notInFront(s, t)
	return nil
}

// notInFront warns about what is, or is not, on the screen of another app than the one that was launched.
func notInFront(s *Session, t *screen.Tree) {
	if front := inFront(t); s.launched != "" && front != "" && !shows(t, s.launched) {
		s.doubtOnce("%s is in the foreground, and nothing of %s, which was launched, is on the screen", front, s.launched)
	}
}

// noteOwner names the owner of an element that is not the launched app's: a notification may have the same text.
func noteOwner(s *Session, n *screen.Node) {
	if s.launched != "" && n.Package != "" && n.Package != s.launched {
		s.noteOnce("%s is of %s, not of %s", n, n.Package, s.launched)
	}
}

// besideDialog warns about the absence of what may be behind a dialog: phones report nothing of that, though a person
// sees it around the dialog.
func besideDialog(s *Session, t *screen.Tree) {
	if _, ok := s.Device.(drivers.ObstacleReporter); !ok || t == nil || t.Active < 0 {
		return
	}
	w := t.Windows[t.Active]
	whole := func(b image.Rectangle) bool { return b.Dx()*b.Dy()*10 >= t.Size.X*t.Size.Y*6 }
	if !whole(w.Bounds) && !slices.ContainsFunc(t.Windows, func(o *screen.Node) bool { return whole(o.Bounds) }) {
		s.doubtOnce("a dialog is in the foreground: what is next to it, behind it, is reported by no phone")
	}
}

// shows reports whether anything on the screen is an app's.
func shows(t *screen.Tree, app string) bool {
	for n := range t.All {
		if n.Package == app {
			return true
		}
	}
	return false
}

// inFront is the app of the window in which the user works, or of the topmost one with a known app.
func inFront(t *screen.Tree) string {
	app := ""
	for i, w := range t.Windows {
		if w.Package != "" && (app == "" || i <= t.Active || t.Active < 0) {
			app = w.Package
		}
	}
	return app
}

// foreground is the app that is expected to be on the screen.
type foreground struct {
	launched string // the app that was brought to the front last, "" once the test left it
}

// noteLaunch keeps which app the test has brought to the front, until the test itself takes it away.
func (f *foreground) noteLaunch(args any) {
	switch a := args.(type) {
	case dsl.Stop:
		f.left(a.Package)
	case dsl.ClearApp:
		f.left(a.Package)
	case dsl.Uninstall:
		f.left(a.Package)
	case dsl.Kill:
		f.left(a.Package)
	case dsl.Press:
		f.launched = "" // home, back or the list of apps: the foreground app is unknown now
	}
}

func (f *foreground) left(app string) {
	if app == f.launched {
		f.launched = ""
	}
}
