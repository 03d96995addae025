package android

import (
	"errors"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

// TestLaunchWithSeveralLaunchers: an app with a library that has its own icon is launched by its own activity; of two
// of its own the test has to name one, and no phone chooses by chance.
func TestLaunchWithSeveralLaunchers(t *testing.T) {
	t.Parallel()
	const leaks, second = "leakcanary.internal.activity.LeakLauncherActivity", androidsim.LoginPackage + ".DebugActivity"
	login := androidsim.LoginPackage
	for name, c := range map[string]struct {
		further []string
		old     bool // an Android without query-activities
		launch  string
		front   string   // "": it fails
		lists   []string // in the error
	}{
		"one":            {nil, false, login, login + "/.MainActivity", nil},
		"a library":      {[]string{leaks}, false, login, login + "/.MainActivity", nil},
		"a library, old": {[]string{leaks}, true, login, login + "/.MainActivity", nil},
		"one, old":       {nil, true, login, login + "/.MainActivity", nil},
		"two of its own": {[]string{second}, false, login, "",
			[]string{login + "/.MainActivity", login + "/.DebugActivity"}},
		"two of its own, old": {[]string{second}, true, login, "",
			[]string{login + "/.MainActivity", login + "/.DebugActivity"}},
		"all": {[]string{leaks, second}, false, login, "",
			[]string{login + "/" + leaks, login + "/.DebugActivity"}},
		"by name":           {[]string{leaks, second}, false, login + "/.DebugActivity", login + "/.DebugActivity", nil},
		"by its whole name": {[]string{leaks}, false, login + "/" + leaks, login + "/" + leaks, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, p := openPhone(t, androidsim.Options{})
			for _, class := range c.further {
				p.AddLauncher(login, class)
			}
			if c.old {
				p.Fail(androidsim.Fault{Match: "query-activities", Kind: androidsim.Error,
					Output: "Unknown command: query-activities\n", Code: 255})
			}
			for _, how := range []drivers.LaunchOptions{{}, {Force: true}, {Arguments: map[string]string{"a": "b"}}} {
				err := d.LaunchWith(t.Context(), c.launch, how)
				if c.front != "" {
					if err != nil || p.Foreground() != c.front {
						t.Errorf("%+v: %v, in front %s", how, err, p.Foreground())
					}
					continue
				}
				if !errors.Is(err, drivers.ErrNoApp) {
					t.Fatalf("%+v: %v", how, err)
				}
				for _, activity := range c.lists {
					if !strings.Contains(err.Error(), activity) {
						t.Errorf("%+v: %s is not in %v", how, activity, err)
					}
				}
			}
			if n := p.Count("monkey"); n > 0 {
				t.Errorf("monkey ran %d times", n)
			}
		})
	}
}

// TestActivitiesAreNoApps: what is done to an app as a whole says so when an activity is named.
func TestActivitiesAreNoApps(t *testing.T) {
	t.Parallel()
	d, _ := openPhone(t, androidsim.Options{})
	const app = androidsim.LoginPackage + "/.MainActivity"
	for what, err := range map[string]error{
		"stop": d.Stop(t.Context(), app), "kill": d.Kill(t.Context(), app), "clear": d.ClearApp(t.Context(), app),
		"uninstall":   d.Uninstall(t.Context(), app),
		"permissions": d.SetPermissions(t.Context(), app, map[string]bool{"camera": true}),
		"link":        d.OpenLink(t.Context(), "login://form", app), "language": d.Locale(t.Context(), app, "fr-FR"),
	} {
		if !errors.Is(err, drivers.ErrNoApp) || !strings.Contains(err.Error(), "write "+androidsim.LoginPackage) {
			t.Errorf("%s: %v", what, err)
		}
	}
}
