package android

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

func TestLaunchWithArguments(t *testing.T) {
	t.Parallel()
	for _, api := range levels() {
		d, p := openPhone(t, androidsim.Options{API: api})
		arguments := map[string]string{
			"debug": "true", "count": "42", "big": "5000000000", "name": "O'Brien \"$HOME\" ünï", "zip": "007", "minus": "-1",
			"empty":           "",
			"odd name;reboot": "x",
		}
		want := map[string]androidsim.Extra{}
		for name, kind := range map[string]string{
			"debug": "--ez", "count": "--ei", "big": "--el", "name": "--es", "zip": "--es", "minus": "--ei", "empty": "--es",
			"odd name;reboot": "--es",
		} {
			want[name] = androidsim.Extra{Kind: kind, Value: arguments[name]}
		}
		// The second launch finds the activity open: it must get its arguments all the same.
		for range 2 {
			if err := d.LaunchWith(t.Context(), androidsim.LoginPackage, drivers.LaunchOptions{
				Arguments: arguments}); err != nil {
				t.Fatalf("API %d: %v", api, err)
			}
			if got := p.Extras(androidsim.LoginPackage); fmt.Sprint(got) != fmt.Sprint(want) {
				t.Errorf("API %d: extras %v", api, got)
			}
			arguments["count"], want["count"] = "43", androidsim.Extra{Kind: "--ei", Value: "43"}
		}
		err := d.LaunchWith(t.Context(), androidsim.LoginPackage, drivers.LaunchOptions{
			Arguments: map[string]string{"": "x"}})
		if err == nil {
			t.Errorf("API %d: an argument without a name was taken", api)
		}
	}
}

// TestClearWaitsForTheKill: it lands a while after the answer, and would take what is launched next.
func TestClearWaitsForTheKill(t *testing.T) {
	t.Parallel()
	for _, api := range levels() {
		t.Run(fmt.Sprint(api), func(t *testing.T) {
			t.Parallel()
			d, p := openPhone(t, androidsim.Options{API: api, ClearKill: 500 * time.Millisecond})
			for range 2 {
				if err := d.Launch(t.Context(), androidsim.ListPackage, true); err != nil {
					t.Fatal(err)
				}
			}
			waitNode(t, d, "Visits: 2")
			if err := d.LaunchWith(t.Context(), androidsim.ListPackage, drivers.LaunchOptions{
				Clear: true, Permissions: map[string]bool{"location": true},
			}); err != nil {
				t.Fatal(err)
			}
			waitNode(t, d, "Visits: 1")
			if !p.Running(androidsim.ListPackage) || !p.Granted(androidsim.ListPackage,
				"android.permission.ACCESS_FINE_LOCATION") {
				t.Error("the app was killed, or its permission is gone")
			}
			if err := d.Stop(t.Context(), androidsim.ListPackage); err != nil || p.Running(androidsim.ListPackage) {
				t.Errorf("stop: %v", err)
			}
			for name, err := range map[string]error{
				"stop":  d.Stop(t.Context(), androidsim.ListPackage),
				"clear": d.ClearApp(t.Context(), androidsim.ListPackage),
			} {
				if err != nil {
					t.Errorf("%s of an app that does not run: %v", name, err)
				}
			}
		})
	}
}

func TestAppsThatAreNotThere(t *testing.T) {
	t.Parallel()
	for _, api := range levels() {
		d, _ := openPhone(t, androidsim.Options{API: api})
		for app, want := range map[string]string{
			"com.example.logn": "did you mean com.example.login", "com.x; reboot": "not a package name",
			"":                                "not a package name",
			"com.example.login/.MainActivity": "activity",
		} {
			for name, err := range map[string]error{
				"stop": d.Stop(t.Context(), app), "clear": d.ClearApp(t.Context(), app), "uninstall": d.Uninstall(t.Context(), app),
				"permissions": d.SetPermissions(t.Context(), app, map[string]bool{"camera": true}),
			} {
				if !errors.Is(err, drivers.ErrNoApp) || !strings.Contains(err.Error(), want) {
					t.Errorf("API %d: %s %q: %v", api, name, app, err)
				}
			}
		}
	}
}

// apk writes a package file as the simulator wants it.
func apk(t *testing.T, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "my app.apk")
	if err := os.WriteFile(path, []byte("PK\x03\x04"+strings.Repeat("x", 100_000)+"\n"+text+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestInstall(t *testing.T) {
	t.Parallel()
	for _, api := range levels() {
		for _, old := range []bool{false, true} {
			d, p := openPhone(t, androidsim.Options{API: api, NoCmd: old})
			path := apk(t, "package=com.example.fresh")
			for range 2 { // over itself too
				if err := d.Install(t.Context(), path); err != nil {
					t.Fatalf("API %d, without cmd %v: %v", api, old, err)
				}
			}
			if apps, err := d.ListApps(t.Context()); err != nil ||
				!slices.Equal(apps, []string{"com.example.fresh", "com.example.list", "com.example.login"}) {
				t.Errorf("API %d: apps %v, %v", api, apps, err)
			}
			if err := d.Launch(t.Context(), "com.example.fresh", false); err != nil {
				t.Errorf("API %d: %v", api, err)
			}
			if err := d.Uninstall(t.Context(), "com.example.fresh"); err != nil ||
				slices.Contains(p.Packages(), "com.example.fresh") {
				t.Errorf("API %d: uninstall %v", api, err)
			}
			var seen, size int64
			if err := d.InstallWatched(t.Context(), path, func(done, total int64) { seen, size = done, total }); err != nil ||
				seen != size || size == 0 {
				t.Errorf("API %d: %d of %d bytes were told of, %v", api, seen, size, err)
			}
			noLeftovers(t, d)
		}
	}
}

func TestInstallSaysWhy(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]struct {
		says string
		app  bool
	}{
		"package=a.b\nfail=INSTALL_FAILED_VERSION_DOWNGRADE: Downgrade detected": {
			"newer version: uninstall it first (Failure [INSTALL_FAILED_VERSION_DOWNGRADE", true},
		"package=a.b\nfail=INSTALL_FAILED_INSUFFICIENT_STORAGE":              {"storage is full", false},
		"package=a.b\nfail=INSTALL_FAILED_USER_RESTRICTED: Install canceled": {"Install via USB", false},
		"package=a.b\nfail=INSTALL_FAILED_NO_MATCHING_ABIS: res=-113":        {"other processors", true},
		"package=a.b\nfail=INSTALL_FAILED_INTERNAL_ERROR: Session failed":    {"restart the phone", false},
		"package=a.b\nfail=INSTALL_FAILED_SOMETHING_NEW: words": {
			"INSTALL_FAILED_SOMETHING_NEW: words", true},
		"nothing": {"cannot read the APK", true},
	} {
		for _, old := range []bool{false, true} {
			d, _ := openPhone(t, androidsim.Options{NoCmd: old})
			err := d.Install(t.Context(), apk(t, text))
			if err == nil || !strings.Contains(err.Error(), want.says) || drivers.AppIsWrong(err) != want.app ||
				!strings.Contains(err.Error(), "my app.apk") {
				t.Errorf("%s: %v", text, err)
			}
		}
	}
	d, p := openPhone(t, androidsim.Options{})
	for _, path := range []string{"/does/not/exist.apk", t.TempDir()} {
		if err := d.Install(t.Context(), path); !errors.Is(err, drivers.ErrNoApp) {
			t.Errorf("%s: %v", path, err)
		}
	}
	p.Fail(androidsim.Fault{Match: "package 'install'", Kind: androidsim.Cut, Bytes: 3})
	if err := d.Install(t.Context(), apk(t, "package=a.b")); err == nil || drivers.AppIsWrong(err) {
		t.Errorf("an answer that was cut: %v", err)
	}
	if err := d.Uninstall(t.Context(), "com.android.settings"); err == nil ||
		!strings.Contains(err.Error(), "apps of the system") {
		t.Errorf("a system app: %v", err)
	}
}

// TestPhonesWithASecondUser: a secure folder or a work profile is not the shell's, which then must name the user.
func TestPhonesWithASecondUser(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{})
	for _, line := range []string{"pm list packages -3", "pm uninstall com"} {
		p.Fail(androidsim.Fault{Match: line, Kind: androidsim.Error, Code: 255,
			Output: "\nException occurred while executing 'list':\njava.lang.SecurityException: Shell does not have " +
				"permission " +
				"to access user 150\n"})
	}
	if apps, err := d.ListApps(t.Context()); err != nil || !slices.Contains(apps, androidsim.LoginPackage) {
		t.Errorf("apps %v, %v", apps, err)
	}
	if err := d.Uninstall(t.Context(), androidsim.LoginPackage); err != nil ||
		slices.Contains(p.Packages(), androidsim.LoginPackage) {
		t.Error(err)
	}
	p.Fail(androidsim.Fault{Match: "pm list", Kind: androidsim.Error, Code: 255,
		Output: "java.lang.SecurityException: nothing at all\n"})
	if apps, err := d.ListApps(t.Context()); err == nil || len(apps) != 0 || drivers.AppIsWrong(err) {
		t.Errorf("a list that is refused: %v, %v", apps, err)
	}
}

func TestPermissions(t *testing.T) {
	t.Parallel()
	for _, api := range levels() {
		t.Run(fmt.Sprint(api), func(t *testing.T) {
			d, p := openPhone(t, androidsim.Options{API: api})
			set := func(name string, allow bool) error {
				return d.SetPermissions(t.Context(), androidsim.LoginPackage, map[string]bool{name: allow})
			}
			for _, name := range []string{"camera", "android.permission.CAMERA"} {
				for _, allow := range []bool{true, false} {
					if err := set(name, allow); err != nil {
						t.Errorf("%s: %v", name, err)
					}
					if p.Granted(androidsim.LoginPackage, "android.permission.CAMERA") != allow {
						t.Errorf("%s %v had no effect", name, allow)
					}
				}
			}
			allow, deny := set("notifications", true), set("notifications", false)
			granted := p.Granted(androidsim.LoginPackage, "android.permission.POST_NOTIFICATIONS")
			if allow != nil || granted || (deny == nil) != (api >= 33) || deny != nil &&
				!errors.Is(deny, drivers.ErrUnsupported) {
				t.Errorf("notifications: %v, %v, granted %v", allow, deny, granted)
			}
			for name, want := range map[string]string{
				"microphone": "does not ask for it", "android.permission.READ_SMS": "does not ask for it",
				"android.permission.X; reboot": "not a permission",
			} {
				if err := set(name, true); !errors.Is(err, drivers.ErrNotActionable) || !strings.Contains(err.Error(), want) {
					t.Errorf("%s: %v", name, err)
				}
			}
			if err := set("telepathy", true); !errors.Is(err, drivers.ErrUnsupported) ||
				!strings.Contains(err.Error(), "bluetooth, calendar, callLog, camera") {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestOpenLink(t *testing.T) {
	t.Parallel()
	for _, api := range levels() {
		d, p := openPhone(t, androidsim.Options{API: api})
		for _, app := range []string{"", androidsim.LoginPackage} {
			if err := d.OpenLink(t.Context(), "login://form", app); err != nil {
				t.Errorf("API %d: %v", api, err)
			}
			if !strings.HasPrefix(p.Foreground(), androidsim.LoginPackage) {
				t.Errorf("API %d: %s is in front", api, p.Foreground())
			}
		}
		for _, c := range [][2]string{
			{"nobody://x", ""}, {"login://form", androidsim.ListPackage}, {"login://form", "com.nobody"}, {"", ""},
			{"login://form", "; reboot"},
			{"nobody://x?a=Status: ok'\n; echo Complete", ""},
		} {
			if err := d.OpenLink(t.Context(), c[0], c[1]); !errors.Is(err, drivers.ErrNoApp) {
				t.Errorf("API %d: %q with %q: %v", api, c[0], c[1], err)
			}
		}
	}
}

// TestLaunchWithAWorkProfile: a phone that needs a user with an app gets it.
func TestLaunchWithAWorkProfile(t *testing.T) {
	t.Parallel()
	for _, api := range []int{30, 36} {
		d, p := openPhone(t, androidsim.Options{API: api, WorkProfile: true})
		if err := d.Launch(t.Context(), androidsim.ListPackage, true); err != nil {
			t.Errorf("API %d: %v", api, err)
		}
		if err := d.OpenLink(t.Context(), "menu://open", ""); err != nil || p.Foreground() != androidsim.ListPackage+
			"/.MenuActivity" {
			t.Errorf("API %d: %v, %s", api, err, p.Foreground())
		}
	}
}

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
