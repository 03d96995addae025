package apps

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/ios/internal/host"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
	"github.com/taproot-dev/taproot/drivers/ios/internal/webview"
)

// Apps are the apps of one device: it starts, ends, installs and removes them. Its methods are called one at a time.
type Apps struct {
	link  *wda.Link
	host  host.Host
	web   *webview.Views
	watch *Watch

	mu      sync.Mutex
	locales map[string]string // of apps
}

// New returns the Apps of one device; watch learns of what is launched and ended.
func New(l *wda.Link, h host.Host, web *webview.Views, watch *Watch) *Apps {
	return &Apps{link: l, host: h, web: web, watch: watch, locales: map[string]string{}}
}

// Launch starts an app, or brings it to the front when it runs already; with force it is stopped first.
func (a *Apps) Launch(ctx context.Context, app string, force bool) error {
	return a.LaunchWith(ctx, app, drivers.LaunchOptions{Force: force})
}

// LaunchWith does what the options say before it launches. Arguments become -NAME VALUE, which an app reads as user
// defaults. An app that runs already is started again for them: a running one takes none.
func (a *Apps) LaunchWith(ctx context.Context, app string, how drivers.LaunchOptions) error {
	if err := a.link.CheckBundle(app); err != nil {
		return err
	}
	if how.Clear {
		if err := a.ClearApp(ctx, app); err != nil {
			return err
		}
	}
	if len(how.Permissions) > 0 {
		if err := a.SetPermissions(ctx, app, how.Permissions); err != nil {
			return err
		}
	}
	args := arguments(how.Arguments)
	a.mu.Lock()
	if locale := a.locales[app]; locale != "" {
		args = append(args, localeArguments(locale)...)
	}
	a.mu.Unlock()
	return a.launch(ctx, host.Start{App: app, Fresh: how.Force || len(how.Arguments) > 0 || len(how.Env) > 0, Args: args,
		Env: how.Env})
}

func (a *Apps) launch(ctx context.Context, how host.Start) error {
	launched := a.watch.Launching(how.App)
	if err := a.link.With(ctx, func(ctx context.Context) error { return a.host.Launch(ctx, how) }); err != nil {
		return fmt.Errorf("launch %s: %w", how.App, err)
	}
	a.watch.Set(launched)
	a.web.ExpectPages()
	return a.link.Agent.ReadApp(ctx, how.App)
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
func (a *Apps) Foreground(ctx context.Context) (string, error) {
	var active struct {
		BundleID string `json:"bundleId"`
	}
	if err := a.link.Do(ctx, wda.Get("the foreground app", "/wda/activeAppInfo"), &active); err != nil {
		return "", err
	}
	if active.BundleID == wda.Springboard {
		if last := a.watch.Bundle(); last != "" {
			state, err := a.link.AppState(ctx, last)
			if err != nil || state == wda.RunsInFront {
				return last, err
			}
		}
	}
	return active.BundleID, nil
}

// Stop ends an app.
func (a *Apps) Stop(ctx context.Context, app string) error {
	if err := a.link.CheckBundle(app); err != nil {
		return err
	}
	a.watch.forget(app)
	if s, ok := a.host.(host.Stopper); ok {
		return a.link.With(ctx, func(ctx context.Context) error { return s.Stop(ctx, app) })
	}
	return a.link.Do(ctx, wda.Post("stopping "+app, "/wda/apps/terminate", map[string]any{"bundleId": app}), nil)
}

// ClearApp empties an app's data folder; only those of simulators can be reached.
func (a *Apps) ClearApp(ctx context.Context, app string) error {
	if err := a.link.CheckBundle(app); err != nil {
		return err
	}
	c, ok := a.host.(host.Clearer)
	if !ok {
		return a.link.Unsupported("the data of an iPhone's app go with the app alone: uninstall and install it")
	}
	a.watch.forget(app)
	return a.link.With(ctx, func(ctx context.Context) error { return c.Clear(ctx, app) })
}

// ClearKeychain empties the keychain of a simulator, for all its apps.
func (a *Apps) ClearKeychain(ctx context.Context) error {
	k, ok := a.host.(host.Keyholder)
	if !ok {
		return a.link.Unsupported("only its owner can empty the keychain of an iPhone")
	}
	return a.link.With(ctx, k.ClearKeychain)
}

// Install installs an .app folder, or on an iPhone also an .ipa file.
func (a *Apps) Install(ctx context.Context, path string) error {
	return a.link.With(ctx, func(ctx context.Context) error { return a.host.Install(ctx, path) })
}

// Uninstall removes an app.
func (a *Apps) Uninstall(ctx context.Context, app string) error {
	if err := a.link.CheckBundle(app); err != nil {
		return err
	}
	a.watch.forget(app)
	return a.link.With(ctx, func(ctx context.Context) error { return a.host.Uninstall(ctx, app) })
}

// SetPermissions works on simulators.
func (a *Apps) SetPermissions(ctx context.Context, app string, allow map[string]bool) error {
	if err := a.link.CheckBundle(app); err != nil {
		return err
	}
	g, ok := a.host.(host.Granter)
	if !ok {
		return a.link.Unsupported(
			"only its user grants permissions on an iPhone: answer the question when it comes, with alert: accept")
	}
	return a.link.With(ctx, func(ctx context.Context) error {
		for _, service := range slices.Sorted(maps.Keys(allow)) {
			if err := g.Permit(ctx, app, service, allow[service]); err != nil {
				return err
			}
		}
		return nil
	})
}

// ListApps names the apps that were installed on top of the system's.
func (a *Apps) ListApps(ctx context.Context) (apps []string, err error) {
	err = a.link.With(ctx, func(ctx context.Context) error {
		apps, err = a.host.Apps(ctx)
		return err
	})
	slices.Sort(apps)
	return apps, err
}

// Locale sets the language of one app by the arguments that Xcode uses for that, and starts it again, as it must be for
// them.
func (a *Apps) Locale(ctx context.Context, app, locale string) error {
	if app == "" || strings.HasPrefix(app, "com.apple.springboard") {
		return a.link.Unsupported("the language is changed for one app: launch it first")
	}
	if err := a.link.CheckBundle(app); err != nil {
		return err
	}
	a.mu.Lock()
	a.locales[app] = locale
	a.mu.Unlock()
	var args []string
	if locale != "" {
		args = localeArguments(locale)
	}
	return a.launch(ctx, host.Start{App: app, Fresh: true, Args: args})
}

// localeArguments: fr-FR becomes the language and the region that Foundation reads from the arguments.
func localeArguments(locale string) []string {
	return []string{"-AppleLanguages", "(" + locale + ")", "-AppleLocale", strings.ReplaceAll(locale, "-", "_")}
}
