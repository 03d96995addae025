package ios

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

var bundleID = lazyregexp.New(`^[A-Za-z0-9][\w-]*(\.[\w-]+)*$`)

// Launch starts an app, or brings it to the front when it runs already; with force it is stopped first.
func (d *Device) Launch(ctx context.Context, app string, force bool) error {
	return d.LaunchWith(ctx, app, drivers.LaunchOptions{Force: force})
}

// LaunchWith does what the options say before it launches. Arguments become -NAME VALUE, which an app reads as user
// defaults. An app that runs already is started again for them: a running one takes none.
func (d *Device) LaunchWith(ctx context.Context, app string, how drivers.LaunchOptions) error {
	if err := d.named(app); err != nil {
		return err
	}
	if how.Clear {
		if err := d.ClearApp(ctx, app); err != nil {
			return err
		}
	}
	if len(how.Permissions) > 0 {
		if err := d.SetPermissions(ctx, app, how.Permissions); err != nil {
			return err
		}
	}
	args := arguments(how.Arguments)
	d.mu.Lock()
	if locale := d.locales[app]; locale != "" {
		args = append(args, localeArguments(locale)...)
	}
	d.mu.Unlock()
	return d.launch(ctx, start{app: app, fresh: how.Force || len(how.Arguments) > 0 || len(how.Env) > 0, args: args,
		env: how.Env})
}

func (d *Device) launch(ctx context.Context, how start) error {
	launched := d.launching(how.app)
	if err := d.with(ctx, func(ctx context.Context) error { return d.host.launch(ctx, how) }); err != nil {
		return fmt.Errorf("launch %s: %w", how.app, err)
	}
	d.watch(launched)
	d.web.expectPages()
	return d.wda.readApp(ctx, how.app)
}

// named refuses what can be no bundle id: it becomes an argument of programs.
func (d *Device) named(app string) error {
	if !bundleID.MatchString(app) {
		return fmt.Errorf("device %s: %w: %s is not a bundle id, such as com.example.app", d.info.ID, drivers.ErrNoApp,
			screen.Quote(app))
	}
	return nil
}

func arguments(given map[string]string) []string {
	var args []string
	for _, name := range slices.Sorted(maps.Keys(given)) {
		args = append(args, "-"+strings.TrimPrefix(name, "-"), given[name])
	}
	return args
}

// Foreground names the foreground app. While an alert of the system is over the app that was launched last, that app is
// still the one.
func (d *Device) Foreground(ctx context.Context) (string, error) {
	var active struct {
		BundleID string `json:"bundleId"`
	}
	if err := d.do(ctx, get("the foreground app", "/wda/activeAppInfo"), &active); err != nil {
		return "", err
	}
	if active.BundleID == springboard {
		d.mu.Lock()
		last := d.app.bundle
		d.mu.Unlock()
		if last != "" {
			state, err := d.appState(ctx, last)
			if err != nil || state == runsInFront {
				return last, err
			}
		}
	}
	return active.BundleID, nil
}

// XCTest's states of an app, as far as they matter here.
const (
	runsNot     = 1
	runsInFront = 4
)

func (d *Device) appState(ctx context.Context, app string) (int, error) {
	var state int
	err := d.do(ctx, post("the state of "+app, "/wda/apps/state", map[string]any{"bundleId": app}), &state)
	return state, err
}

// Stop ends an app.
func (d *Device) Stop(ctx context.Context, app string) error {
	if err := d.named(app); err != nil {
		return err
	}
	d.unwatch(app)
	if s, ok := d.host.(stopper); ok {
		return d.with(ctx, func(ctx context.Context) error { return s.stop(ctx, app) })
	}
	return d.do(ctx, post("stopping "+app, "/wda/apps/terminate", map[string]any{"bundleId": app}), nil)
}

// ClearApp empties an app's data folder; only those of simulators can be reached.
func (d *Device) ClearApp(ctx context.Context, app string) error {
	if err := d.named(app); err != nil {
		return err
	}
	c, ok := d.host.(clearer)
	if !ok {
		return d.unsupported("the data of an iPhone's app go with the app alone: uninstall and install it")
	}
	d.unwatch(app)
	return d.with(ctx, func(ctx context.Context) error { return c.clear(ctx, app) })
}

// ClearKeychain empties the keychain of a simulator, for all its apps.
func (d *Device) ClearKeychain(ctx context.Context) error {
	k, ok := d.host.(keyholder)
	if !ok {
		return d.unsupported("only its owner can empty the keychain of an iPhone")
	}
	return d.with(ctx, k.clearKeychain)
}

// Install installs an .app folder, or on an iPhone also an .ipa file.
func (d *Device) Install(ctx context.Context, path string) error {
	return d.with(ctx, func(ctx context.Context) error { return d.host.install(ctx, path) })
}

// Uninstall removes an app.
func (d *Device) Uninstall(ctx context.Context, app string) error {
	if err := d.named(app); err != nil {
		return err
	}
	d.unwatch(app)
	return d.with(ctx, func(ctx context.Context) error { return d.host.uninstall(ctx, app) })
}

// SetPermissions works on simulators.
func (d *Device) SetPermissions(ctx context.Context, app string, allow map[string]bool) error {
	if err := d.named(app); err != nil {
		return err
	}
	g, ok := d.host.(granter)
	if !ok {
		return d.unsupported(
			"only its user grants permissions on an iPhone: answer the question when it comes, with alert: accept")
	}
	return d.with(ctx, func(ctx context.Context) error {
		for _, service := range slices.Sorted(maps.Keys(allow)) {
			if err := g.permit(ctx, app, service, allow[service]); err != nil {
				return err
			}
		}
		return nil
	})
}

// ListApps names the apps that were installed on top of the system's.
func (d *Device) ListApps(ctx context.Context) (apps []string, err error) {
	err = d.with(ctx, func(ctx context.Context) error {
		apps, err = d.host.apps(ctx)
		return err
	})
	slices.Sort(apps)
	return apps, err
}
