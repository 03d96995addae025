package action

import (
	"context"
	"fmt"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// What is not on the screen of an app proves nothing while something else lies over the app: a keyguard, or the system's question about another
// app.

// nothingOver is asked before the absence of an element counts: the error says what keeps the app from being seen. That another app is in front is
// a doubt.
func (s *Session) nothingOver(ctx context.Context, t *screen.Tree) error {
	d, ok := s.Device.(drivers.Obstructed)
	if !ok || t == nil || s.launched != "" && shows(t, s.launched) {
		return nil
	}
	what, err := d.Obstacle(ctx)
	switch {
	case err != nil:
		return err
	case what != "":
		return fmt.Errorf("device %s: %s; what is not on the screen of an app cannot be told", s.Device.Info().ID, what)
	}
	if front := inFront(t); s.launched != "" && front != "" {
		s.doubtOnce("%s is in front, not %s: that something is not there says nothing of %s", front, s.launched, s.launched)
	}
	return nil
}

// shows tells whether anything on the screen is an app's.
func shows(t *screen.Tree, app string) bool {
	for n := range t.All {
		if n.Package == app {
			return true
		}
	}
	return false
}

// inFront is the app of the window in which the user works, or of the topmost one that tells.
func inFront(t *screen.Tree) string {
	app := ""
	for i, w := range t.Windows {
		if w.Package != "" && (app == "" || i <= t.Active || t.Active < 0) {
			app = w.Package
		}
	}
	return app
}

// noteLaunch keeps which app the test has brought to the front, until the test itself takes it away.
func (s *Session) noteLaunch(args any) {
	switch a := args.(type) {
	case dsl.Stop:
		s.left(a.Package)
	case dsl.ClearApp:
		s.left(a.Package)
	case dsl.Uninstall:
		s.left(a.Package)
	case dsl.Kill:
		s.left(a.Package)
	case dsl.Press:
		s.launched = "" // home, back or the list of apps: who is in front now is not known
	}
}

func (s *Session) left(app string) {
	if app == s.launched {
		s.launched = ""
	}
}
