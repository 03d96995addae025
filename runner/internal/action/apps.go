package action

import (
	"context"
	"errors"
	"fmt"
	"image"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/pixels"
	"github.com/taproot-dev/taproot/internal/result/event"
)

func stop(ctx context.Context, s *Performer, a dsl.Stop) error {
	return onApps(s, func(d drivers.AppManager) error { return d.Stop(ctx, a.Package) })
}

func clearApp(ctx context.Context, s *Performer, a dsl.ClearApp) error {
	err := onApps(s, func(d drivers.AppManager) error { return d.ClearApp(ctx, a.Package) })
	if err != nil || !a.Keychain {
		return err
	}
	k, err := capability[drivers.KeychainClearer](s)
	if err != nil {
		return err
	}
	return k.ClearKeychain(ctx)
}

// killApp ends an app's process in the background; where there is no such thing, it stops the app.
func killApp(ctx context.Context, s *Performer, a dsl.KillApp) error {
	return onApps(s, func(d drivers.AppManager) error {
		if k, ok := d.(drivers.ProcessKiller); ok {
			return k.Kill(ctx, a.Package)
		}
		return d.Stop(ctx, a.Package)
	})
}

func uninstall(ctx context.Context, s *Performer, a dsl.Uninstall) error {
	return onApps(s, func(d drivers.AppManager) error {
		err := d.Uninstall(ctx, a.Package)
		if errors.Is(err, drivers.ErrNoApp) {
			s.note("%s was not installed", a.Package)
			return nil
		}
		return err
	})
}

func install(ctx context.Context, s *Performer, a dsl.Install) error {
	path, err := s.app(a.Path)
	if err != nil {
		return err
	}
	return onApps(s, func(d drivers.AppManager) error {
		return s.Uses.Install(ctx, d, func() error {
			if w, ok := d.(drivers.WatchedInstaller); ok {
				return w.InstallWatched(ctx, path, installProgress(s, filepath.Base(path)))
			}
			return d.Install(ctx, path)
		})
	})
}

func installProgress(s *Performer, name string) func(done, total int64) {
	began := time.Now()
	last := began
	return func(done, total int64) {
		switch now := time.Now(); {
		case done == total:
			s.noteOnce("%s: %.1f MB were sent in %s", name, float64(total)/1e6, now.Sub(began).Round(10*time.Millisecond))
		case now.Sub(last) >= progressEvery:
			last = now
			s.Support.progress(fmt.Sprintf("%s: %d %% sent", name, 100*done/total))
		}
	}
}

func setPermissions(ctx context.Context, s *Performer, a dsl.SetPermissions) error {
	allow := map[string]bool{}
	for _, p := range a.Allow {
		allow[p] = true
	}
	for _, p := range a.Deny {
		allow[p] = false
	}
	return onApps(s, func(d drivers.AppManager) error { return d.SetPermissions(ctx, a.Package, allow) })
}

func openLink(ctx context.Context, s *Performer, a dsl.OpenLink) error {
	if err := s.mayOpen(ctx, a.URL); err != nil {
		return err
	}
	if n, ok := s.Device.(drivers.Navigator); ok {
		if err := n.Navigate(ctx, a.URL, max(s.Timeout, DefaultTimeout)); err != nil {
			return err
		}
		noteAnswer(s)
		return nil
	}
	return onApps(s, func(d drivers.AppManager) error { return d.OpenLink(ctx, a.URL, a.Package) })
}

func onApps(s *Performer, do func(drivers.AppManager) error) error {
	d, err := capability[drivers.AppManager](s)
	if err != nil {
		return err
	}
	s.tapped = nil
	return do(d)
}

// startApp launches an app in the way that the step requires.
func startApp(ctx context.Context, s *Performer, apps drivers.Apps, a dsl.Launch) error {
	if a.WebView != "" {
		reader, err := capability[drivers.WebViewReader](s)
		if err != nil {
			return err
		}
		if err := reader.ReadWebViews(a.WebView); err != nil {
			return err
		}
	}
	if !a.Clear && len(a.Permissions) == 0 && len(a.Arguments) == 0 && len(a.Env) == 0 {
		return apps.Launch(ctx, a.Package, a.Force)
	}
	manager, err := capability[drivers.AppManager](s)
	if err != nil {
		return err
	}
	how := drivers.LaunchOptions{Force: a.Force, Clear: a.Clear, Permissions: map[string]bool{},
		Arguments: map[string]string{}, Env: a.Env}
	for name, word := range a.Permissions {
		how.Permissions[name] = word == "allow"
	}
	for name, value := range a.Arguments {
		how.Arguments[name] = fmt.Sprint(value)
	}
	return manager.LaunchWith(ctx, a.Package, how)
}

func launch(ctx context.Context, s *Performer, a dsl.Launch) error {
	apps, ok := s.Device.(drivers.Apps)
	if !ok {
		return fmt.Errorf("launch: %w", drivers.ErrUnsupported)
	}
	s.Uses.started(a.Package)
	if err := startApp(ctx, s, apps, a); err != nil {
		return err
	}
	app, _, _ := strings.Cut(a.Package, "/") // behind the slash is an activity
	s.launched = app
	front, seen := "", ""
	err := poll(ctx, s.Timeout, func() (err error) {
		if front, err = apps.Foreground(ctx); err != nil {
			return err
		}
		if front != "" {
			seen = front
		}
		if front == app || asksPermission(front) {
			return nil
		}
		return errWait
	})
	switch {
	case err == nil && front != app:
		s.warn("a permission dialog (%s) is in the foreground", front)
	case errors.Is(err, errWait) && seen == "":
		s.warn("the device does not report which app is in the foreground")
		return nil
	case errors.Is(err, errWait):
		return &Failure{event.Problem{
			Message: fmt.Sprintf("%s was started and did not come to the front within %s; %s is there", a.Package,
				s.Timeout, seen),
			Expected: a.Package + " in the foreground", Actual: seen + " in the foreground"}}
	}
	return err
}

// asksPermission reports whether the foreground app is the system's own
// question for a permission, which covers the app that needs it.
func asksPermission(app string) bool {
	return strings.HasSuffix(app, ".permissioncontroller") || strings.HasSuffix(app, ".packageinstaller")
}

// What is not on the screen of an app proves nothing while something else is over the app: a keyguard, or the
// system's question about another app.

// nothingOver is asked before the absence of an element counts: the error says what keeps the app from being seen. That
// another app is in the foreground is a warning.
func nothingOver(ctx context.Context, s *Performer, t *screen.Tree, last image.Image) error {
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
func notInFront(s *Performer, t *screen.Tree) {
	if front := inFront(t); s.launched != "" && front != "" && !shows(t, s.launched) {
		s.doubtOnce("%s is in the foreground, and nothing of %s, which was launched, is on the screen", front, s.launched)
	}
}

// noteOwner names the owner of an element that is not the launched app's: a notification may have the same text.
func noteOwner(s *Performer, n *screen.Node) {
	if s.launched != "" && n.Package != "" && n.Package != s.launched {
		s.noteOnce("%s is of %s, not of %s", n, n.Package, s.launched)
	}
}

// besideDialog warns about the absence of what may be behind a dialog: phones report nothing of that, though a person
// sees it around the dialog.
func besideDialog(s *Performer, t *screen.Tree) {
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
	case dsl.KillApp:
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
