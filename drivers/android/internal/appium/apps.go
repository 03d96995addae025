package appium

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/apps"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/internal/phrase"
)

const (
	dieLimit = 8 * time.Second // for the kill of `pm clear`, which comes 1 to 1.5 s after its "Success"
	diePoll  = 200 * time.Millisecond
	dead     = 1 // the state of an app that is installed and does not run
)

// Apps starts, stops and changes the apps of a phone.
type Apps struct {
	*Session
	Log *Log
	URL string // of the server
}

// Launch starts an app by its package, or one of its activities (com.example.app/.Settings).
func (a *Apps) Launch(ctx context.Context, app string, force bool) error {
	return a.LaunchWith(ctx, app, drivers.LaunchOptions{Force: force})
}

// LaunchWith does what the options say before it launches.
func (a *Apps) LaunchWith(ctx context.Context, app string, how drivers.LaunchOptions) error {
	pkg, activity, _ := strings.Cut(app, "/")
	if err := a.isName(pkg); err != nil {
		return err
	}
	extras, err := apps.Extras(how.Arguments)
	if err != nil {
		return fmt.Errorf("device %s: launch %s: %w", a.Device, app, err)
	}
	if how.Clear {
		if err := a.ClearApp(ctx, pkg); err != nil {
			return err
		}
	}
	if len(how.Permissions) > 0 {
		if err := a.SetPermissions(ctx, pkg, how.Permissions); err != nil {
			return err
		}
	}
	if how.Force {
		if _, err := a.terminate(ctx, pkg); err != nil {
			return err
		}
	}
	if err := a.Log.launched(ctx, pkg); err != nil {
		return err
	}
	if activity == "" && len(how.Arguments) == 0 {
		return a.started(ctx, pkg, a.Mobile(ctx, "activateApp", map[string]any{"appId": pkg}, nil))
	}
	args := map[string]any{"wait": true, "action": "android.intent.action.MAIN",
		"categories": "android.intent.category.LAUNCHER", "extras": quoted(extras)}
	if activity == "" {
		args["package"] = pkg
	} else {
		args["component"] = shellescape.Quote(app)
	}
	if len(how.Arguments) > 0 {
		args["flags"] = "0x10008000" // a new task: an open activity gets no new arguments
	}
	var said string
	if err := a.Mobile(ctx, "startActivity", args, &said); err != nil {
		return a.started(ctx, pkg, err)
	}
	if _, problem := apps.ParseStart(adb.Output{Out: []byte(said)}); problem != "" {
		return fmt.Errorf("device %s: %w: %s: %s", a.Device, drivers.ErrNoApp, app, problem)
	}
	return nil
}

// quoted are extras as the driver takes them: it puts them into a line of the phone's shell as they are.
func quoted(extras []apps.Extra) [][]string {
	list := [][]string{}
	for _, e := range extras {
		list = append(list, []string{e.Kind, shellescape.Quote(e.Name), shellescape.Quote(e.Value)})
	}
	return list
}

// started explains why an app was not started.
func (a *Apps) started(ctx context.Context, pkg string, err error) error {
	if err == nil || !webdriver.Is(err, webdriver.UnknownError) {
		return a.Changed("launch", a.Unsupported("start apps", err))
	}
	return a.mustBeInstalled(ctx, pkg, err)
}

// mustBeInstalled returns ErrNoApp for an app that the phone does not have, and the error for others.
func (a *Apps) mustBeInstalled(ctx context.Context, pkg string, err error) error {
	installed := true
	if a.Mobile(ctx, "isAppInstalled", map[string]any{"appId": pkg}, &installed) != nil || installed {
		return err
	}
	hint := ""
	if all, listed := a.packages(ctx); listed == nil {
		if near := phrase.Nearest(pkg, all); near != "" {
			hint = fmt.Sprintf("; did you mean %s?", near)
		}
	}
	return fmt.Errorf("device %s: %w: %s is not installed%s", a.Device, drivers.ErrNoApp, pkg, hint)
}

func (a *Apps) isName(pkg string) error {
	if pkg == "" || strings.ContainsFunc(pkg, func(r rune) bool {
		return r != '.' && r != '_' && (r < '0' || r > '9') && (r < 'A' || r > 'Z') && (r < 'a' || r > 'z')
	}) {
		return fmt.Errorf("device %s: %w: %s is not the name of a package", a.Device, drivers.ErrNoApp, screen.Quote(pkg))
	}
	return nil
}

// state is whether an app runs.
func (a *Apps) state(ctx context.Context, pkg string) (state int, err error) {
	err = a.Mobile(ctx, "queryAppState", map[string]any{"appId": pkg}, &state)
	if err == nil && state == 0 {
		err = a.mustBeInstalled(ctx, pkg, fmt.Errorf("device %s: %w: %s", a.Device, drivers.ErrNoApp, pkg))
	}
	return state, err
}

// terminate ends an app, and reports whether it ran.
func (a *Apps) terminate(ctx context.Context, pkg string) (ran bool, err error) {
	err = a.Mobile(ctx, "terminateApp", map[string]any{"appId": pkg, "timeout": dieLimit.Milliseconds()}, &ran)
	return ran, a.Changed("stop", err)
}

// Stop ends an app. One that does not run is fine.
func (a *Apps) Stop(ctx context.Context, app string) error {
	if err := a.isName(app); err != nil {
		return err
	}
	ran, err := a.terminate(ctx, app)
	if err != nil {
		return err
	}
	a.Log.forget(app)
	if ran {
		return nil
	}
	return a.mustBeInstalled(ctx, app, nil)
}

// ClearApp removes an app's data, and waits for the process that ran to end.
func (a *Apps) ClearApp(ctx context.Context, app string) error {
	if err := a.isName(app); err != nil {
		return err
	}
	state, err := a.state(ctx, app)
	if err != nil {
		return err
	}
	a.Log.forget(app)
	if err := a.Mobile(ctx, "clearApp", map[string]any{"appId": app}, nil); err != nil {
		return a.Changed("clear", err)
	}
	for end := time.Now().Add(dieLimit); state > dead; {
		if state, err = a.state(ctx, app); err != nil || state <= dead {
			return err
		}
		if time.Now().After(end) {
			return fmt.Errorf("device %s: clear %s: its process is still there %v after its data was removed", a.Device, app,
				dieLimit)
		}
		if err := drivers.Pause(ctx, diePoll); err != nil {
			return fmt.Errorf("device %s: clear %s: %w", a.Device, app, err)
		}
	}
	return nil
}

// Install installs an app. A file of this machine can be given only to a server that runs on it.
func (a *Apps) Install(ctx context.Context, path string) error {
	u, err := url.Parse(a.URL)
	if err != nil || !guard.IsLoopback(u.Hostname()) {
		return fmt.Errorf("device %s: %w: the file %s is not on the machine of the remote %s: name the app in its "+
			"capabilities (appium:app)", a.Device, drivers.ErrUnsupported, filepath.Base(path), a.Remote)
	}
	if path, err = filepath.Abs(path); err != nil {
		return err
	}
	err = a.Mobile(ctx, "installApp", map[string]any{"appPath": path}, nil)
	return a.Changed("install", a.Unsupported("install apps", err))
}

// Uninstall removes an app.
func (a *Apps) Uninstall(ctx context.Context, app string) error {
	if err := a.isName(app); err != nil {
		return err
	}
	a.Log.forget(app)
	removed := false
	err := a.Mobile(ctx, "removeApp", map[string]any{"appId": app}, &removed)
	if err == nil && !removed {
		return a.mustBeInstalled(ctx, app, fmt.Errorf("device %s: %s was not removed", a.Device, app))
	}
	return a.Changed("uninstall", err)
}

// SetPermissions grants or revokes by short name or by Android's own.
func (a *Apps) SetPermissions(ctx context.Context, app string, allow map[string]bool) error {
	if err := a.isName(app); err != nil || len(allow) == 0 {
		return err
	}
	var requested []string
	err := a.Mobile(ctx, "getPermissions", map[string]any{"type": "requested", "appPackage": app}, &requested)
	if err != nil {
		return a.Unsupported("grant permissions", err)
	}
	if len(requested) == 0 {
		if err := a.mustBeInstalled(ctx, app, nil); err != nil {
			return err
		}
	}
	if grant, all := allow[drivers.AllPermissions]; all {
		if err := a.permit(ctx, app, grant, "all"); err != nil {
			a.Warn("the permissions of %s may be as they were: %v", app, err)
		}
	}
	rule := apps.PermissionRule{API: a.Phone.API, Version: a.Phone.Version, Asked: map[string]bool{}}
	for _, name := range requested {
		rule.Asked[name] = true
	}
	for _, name := range slices.Sorted(maps.Keys(allow)) {
		if name == drivers.AllPermissions {
			continue
		}
		names, err := rule.Names(name, allow[name])
		if err != nil {
			return fmt.Errorf("device %s: permission %s of %s: %w", a.Device, name, app, err)
		}
		if len(names) == 0 {
			continue
		}
		if err := a.permit(ctx, app, allow[name], names); err != nil {
			return err
		}
	}
	return nil
}

func (a *Apps) permit(ctx context.Context, app string, grant bool, names any) error {
	action := map[bool]string{true: "grant", false: "revoke"}[grant]
	return a.Changed(action+" permissions", a.Mobile(ctx, "changePermissions", map[string]any{"permissions": names,
		"appPackage": app, "action": action}, nil))
}

func (a *Apps) packages(ctx context.Context) ([]string, error) {
	var all map[string]any
	if err := a.Mobile(ctx, "listApps", nil, &all); err != nil {
		return nil, a.Unsupported("list apps", err)
	}
	return slices.Sorted(maps.Keys(all)), nil
}

// ListApps names the apps of the phone. The server does not say which of them are the system's, so those of Android are
// left out by their names.
func (a *Apps) ListApps(ctx context.Context) ([]string, error) {
	all, err := a.packages(ctx)
	return slices.DeleteFunc(all, func(name string) bool {
		return name == "android" || strings.HasPrefix(name, "com.android.") || strings.HasPrefix(name, "com.google.android.")
	}), err
}

// OpenLink opens a link with the app that the system, or the argument, chooses.
func (a *Apps) OpenLink(ctx context.Context, link, app string) error {
	if link == "" || strings.ContainsRune(link, 0) {
		return fmt.Errorf("device %s: %w: %q is not a link", a.Device, drivers.ErrNoApp, link)
	}
	args := map[string]any{"url": link}
	if app != "" {
		if err := a.isName(app); err != nil {
			return err
		}
		args["package"] = app
		if err := a.Log.launched(ctx, app); err != nil {
			return err
		}
	}
	err := a.Mobile(ctx, "deepLink", args, nil)
	if !webdriver.Is(err, webdriver.UnknownError) {
		return a.Changed("open a link", a.Unsupported("open links", err))
	}
	if app != "" {
		if missing := a.mustBeInstalled(ctx, app, nil); missing != nil {
			return missing
		}
	}
	return fmt.Errorf("device %s: %w: nothing opens %s: %w", a.Device, drivers.ErrNoApp, phrase.LimitBytes(link, 200), err)
}

// Foreground names the app in the foreground; "": none is.
func (a *Apps) Foreground(ctx context.Context) (string, error) {
	var name *string
	if err := a.Mobile(ctx, "getCurrentPackage", nil, &name); err != nil || name == nil {
		return "", err
	}
	return *name, nil
}

// Identify names the app that was launched last; the server does not say its version.
func (a *Apps) Identify(context.Context) (*drivers.Identity, error) {
	if pkg := a.Log.app(); pkg != "" {
		return &drivers.Identity{ID: pkg}, nil
	}
	return nil, nil
}
