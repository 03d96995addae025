package action

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
)

func stop(ctx context.Context, s *Session, a dsl.Stop) error {
	return onApps(s, func(d drivers.AppManager) error { return d.Stop(ctx, a.Package) })
}

func clearApp(ctx context.Context, s *Session, a dsl.ClearApp) error {
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

// kill ends an app's process in the background; where there is no such thing, it stops the app.
func kill(ctx context.Context, s *Session, a dsl.Kill) error {
	return onApps(s, func(d drivers.AppManager) error {
		if k, ok := d.(drivers.ProcessKiller); ok {
			return k.Kill(ctx, a.Package)
		}
		return d.Stop(ctx, a.Package)
	})
}

func uninstall(ctx context.Context, s *Session, a dsl.Uninstall) error {
	return onApps(s, func(d drivers.AppManager) error {
		err := d.Uninstall(ctx, a.Package)
		if errors.Is(err, drivers.ErrNoApp) {
			s.note("%s was not installed", a.Package)
			return nil
		}
		return err
	})
}

func install(ctx context.Context, s *Session, a dsl.Install) error {
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

// progressEvery is how often a long installation reports its progress.
const progressEvery = 5 * time.Second

func installProgress(s *Session, name string) func(done, total int64) {
	began := time.Now()
	last := began
	return func(done, total int64) {
		switch now := time.Now(); {
		case done == total:
			s.noteOnce("%s: %.1f MB were sent in %s", name, float64(total)/1e6, now.Sub(began).Round(10*time.Millisecond))
		case now.Sub(last) >= progressEvery:
			last = now
			s.host().Progress(fmt.Sprintf("%s: %d %% sent", name, 100*done/total))
		}
	}
}

func setPermissions(ctx context.Context, s *Session, a dsl.SetPermissions) error {
	allow := map[string]bool{}
	for _, p := range a.Allow {
		allow[p] = true
	}
	for _, p := range a.Deny {
		allow[p] = false
	}
	return onApps(s, func(d drivers.AppManager) error { return d.SetPermissions(ctx, a.Package, allow) })
}

func openLink(ctx context.Context, s *Session, a dsl.OpenLink) error {
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

func onApps(s *Session, do func(drivers.AppManager) error) error {
	d, err := capability[drivers.AppManager](s)
	if err != nil {
		return err
	}
	s.tapped = nil
	return do(d)
}

// startApp launches an app in the way that the step requires.
func startApp(ctx context.Context, s *Session, apps drivers.Apps, a dsl.Launch) error {
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
