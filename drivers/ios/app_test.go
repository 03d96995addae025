package ios

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
	"github.com/taproot-dev/taproot/runner/action"
)

func TestAppsOfASimulator(t *testing.T) {
	t.Parallel()
	d, b := opened(t, small(iossim.DeviceOptions{}))
	ctx := t.Context()
	must(t, d.Launch(ctx, iossim.ListBundle, true))
	wait(t, d, "Visits: 1")
	must(t, d.Launch(ctx, iossim.ListBundle, true))
	wait(t, d, "Visits: 2")
	must(t, d.ClearApp(ctx, iossim.ListBundle))
	must(t, d.LaunchWith(ctx, iossim.ListBundle, drivers.LaunchOptions{Permissions: map[string]bool{"photos": false},
		Arguments: map[string]string{"mode": "demo", "-x": "1"}}))
	wait(t, d, "Visits: 1")
	tapOn(t, d, "Photos")
	wait(t, d, "Photos: false")
	tapOn(t, d, "Device")
	wait(t, d, "Arguments: -x 1 -mode demo")

	apps, err := d.ListApps(ctx)
	if err != nil || !slices.Equal(apps, []string{iossim.ListBundle, iossim.LoginBundle}) {
		t.Errorf("%v, %v", apps, err)
	}
	must(t, d.Install(ctx, appFolder(t, "Notes", "com.example.notes")))
	must(t, d.Launch(ctx, "com.example.notes", false))
	wait(t, d, "Hello from Notes")
	must(t, d.Uninstall(ctx, "com.example.notes"))
	for name, err := range map[string]error{
		"launch":          d.Launch(ctx, "com.example.notes", true),
		"uninstall":       d.Uninstall(ctx, "com.example.notes"),
		"clear":           d.ClearApp(ctx, "com.example.notes"),
		"permissions":     d.SetPermissions(ctx, "com.example.notes", map[string]bool{"photos": true}),
		"install nothing": d.Install(ctx, t.TempDir()),
		"open a link":     d.OpenLink(ctx, "nobody://x", ""),
		"no bundle id":    d.Launch(ctx, "--terminate-running-process", false),
		"a shell's":       d.Launch(ctx, "a; rm -rf /", false),
	} {
		if !errors.Is(err, drivers.ErrNoApp) {
			t.Errorf("%s: %v", name, err)
		}
	}
	must(t, d.Stop(ctx, "com.example.notes")) // nothing to stop
	must(t, d.OpenLink(ctx, "login://form", ""))
	if front, _ := d.Foreground(ctx); front != iossim.LoginBundle {
		t.Errorf("%s is in front", front)
	}
	if err := d.SetPermissions(ctx, iossim.ListBundle, map[string]bool{"camera": true}); !errors.Is(err,
		drivers.ErrUnsupported) {
		t.Errorf("camera: %v", err)
	}
	if b.lab.Noted("rm -rf") != 0 {
		t.Error("what is no bundle id reached a program")
	}
}

func TestAppsOfAnIPhone(t *testing.T) {
	t.Parallel()
	for _, program := range []string{"xcrun", "ios"} {
		t.Run(program, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, quick(iossim.DeviceOptions{Phone: true})).only(t, program)
			d, _ := b.open(t)
			ctx := t.Context()
			must(t, d.LaunchWith(ctx, iossim.ListBundle, drivers.LaunchOptions{Force: true, Arguments: map[string]string{
				"mode": "demo"}}))
			tapOn(t, d, "Device")
			wait(t, d, "Arguments: -mode demo")
			must(t, d.Install(ctx, appFolder(t, "Notes", "com.example.notes")))
			apps, err := d.ListApps(ctx)
			if err != nil || !slices.Contains(apps, "com.example.notes") {
				t.Errorf("%v, %v", apps, err)
			}
			must(t, d.Launch(ctx, "com.example.notes", false))
			wait(t, d, "Hello from Notes")
			must(t, d.Stop(ctx, "com.example.notes"))
			must(t, d.Uninstall(ctx, "com.example.notes"))
			must(t, d.OpenLink(ctx, "login://form", ""))
			must(t, d.OpenLink(ctx, "whatever://form", iossim.ListBundle))
			for name, err := range map[string]error{"launch": d.Launch(ctx, "com.example.notes", true),
				"uninstall": d.Uninstall(ctx, "com.example.notes"),
				"install":   d.Install(ctx, t.TempDir()), "link": d.OpenLink(ctx, "nobody://x", "")} {
				if !errors.Is(err, drivers.ErrNoApp) {
					t.Errorf("%s: %v", name, err)
				}
			}
			for name, err := range map[string]error{"clear": d.ClearApp(ctx, iossim.ListBundle),
				"media":       d.AddMedia(ctx, "x.png"),
				"permissions": d.SetPermissions(ctx, iossim.ListBundle, map[string]bool{"photos": true}),
				"airplane":    d.Airplane(ctx, true), "notifications": d.Notifications(ctx)} {
				if !errors.Is(err, drivers.ErrUnsupported) {
					t.Errorf("%s: %v", name, err)
				}
			}
		})
	}
}

func TestSystemIsGivenBack(t *testing.T) {
	t.Parallel()
	for name, phone := range map[string]bool{"simulator": false, "iPhone": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, b := opened(t, small(iossim.DeviceOptions{Phone: phone}))
			ctx := t.Context()
			page(t, d, "Device")
			must(t, d.SetLocation(ctx, drivers.Coordinates{Latitude: 52.52, Longitude: -13.405}))
			must(t, d.DarkMode(ctx, true))
			must(t, d.Rotate(ctx, true))
			wait(t, d, "Dark: true")
			wait(t, d, "Wide: true")
			if phone {
				wait(t, d, "Place: 52.52,-13.405")
			} else {
				wait(t, d, "Place: 52.5200000,-13.4050000")
				picture := filepath.Join(t.TempDir(), "cat.png")
				must(t, os.WriteFile(picture, []byte("png"), 0o644))
				must(t, d.AddMedia(ctx, picture))
				wait(t, d, "Pictures: 1")
				if err := d.AddMedia(ctx, picture+".no"); !errors.Is(err, drivers.ErrNoApp) {
					t.Errorf("no file: %v", err)
				}
			}
			must(t, d.Close())
			again, _ := b.open(t)
			page(t, again, "Device")
			wait(t, again, "Place: ")
			wait(t, again, "Dark: false")
			wait(t, again, "Wide: false")
		})
	}
}

// What a killed Taproot changed is restored by the next one.
func TestSystemIsGivenBackAfterAKill(t *testing.T) {
	t.Parallel()
	b := newBench(t, quick(iossim.DeviceOptions{}))
	b.env["TAPROOT_WDA_URL"] = b.lab.Device(0).StartAgent()
	d, _ := b.open(t)
	must(t, d.DarkMode(t.Context(), true))
	must(t, d.SetLocation(t.Context(), drivers.Coordinates{Latitude: 1, Longitude: 2}))
	// d is not closed, as after a kill; its lease is free.
	again, _ := b.open(t)
	page(t, again, "Device")
	wait(t, again, "Dark: false")
	wait(t, again, "Place: ")
	must(t, again.Close())
	if files, _ := filepath.Glob(filepath.Join(b.home, "notes", "*")); len(files) != 0 {
		t.Errorf("notes are left: %v", files)
	}
}

func TestLocaleOfAnApp(t *testing.T) {
	t.Parallel()
	d, _ := opened(t, small(iossim.DeviceOptions{}))
	ctx := t.Context()
	if err := d.Locale(ctx, "com.apple.springboard", "de-DE"); !errors.Is(err, drivers.ErrUnsupported) {
		t.Errorf("of the home screen: %v", err)
	}
	must(t, d.Launch(ctx, iossim.ListBundle, true))
	wait(t, d, "Catalogue")
	must(t, d.Locale(ctx, iossim.ListBundle, "de-DE"))
	wait(t, d, "Katalog")
	must(t, d.Launch(ctx, iossim.ListBundle, true))
	wait(t, d, "Katalog") // for the rest of the test
	must(t, d.Locale(ctx, iossim.ListBundle, ""))
	wait(t, d, "Catalogue")
}

func TestNothingIsLeftOnThePhoneWhenACallIsCancelled(t *testing.T) {
	t.Parallel()
	d, b := opened(t, small(iossim.DeviceOptions{}))
	b.lab.Fail(iossim.Fault{Match: "simctl launch", Kind: iossim.Hang})
	ctx, cancel := context.WithCancel(t.Context())
	context.AfterFunc(ctx, b.lab.Heal)
	go cancelOn(cancel, b, "simctl launch")
	if err := d.Launch(ctx, iossim.LoginBundle, true); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
}

// cancelOn cancels once the lab has noted something.
func cancelOn(cancel context.CancelFunc, b *bench, text string) {
	for b.lab.Noted(text) == 0 {
		if drivers.Pause(context.Background(), 1e6) != nil {
			return
		}
	}
	cancel()
}

// TestKeychain: it outlives the data of an app, and is emptied on request; on an iPhone it cannot be.
func TestKeychain(t *testing.T) {
	t.Parallel()
	d, b := opened(t, small(iossim.DeviceOptions{}))
	s := &action.Performer{Device: d, Platform: dsl.IOS, Timeout: patience}
	phone := b.lab.Device(0)
	must(t, d.Launch(t.Context(), iossim.ListBundle, true))
	must(t, action.Perform(t.Context(), s, dsl.ClearApp{Package: iossim.ListBundle}))
	if phone.Secrets() == 0 {
		t.Error("the keychain went with the app's data")
	}
	must(t, action.Perform(t.Context(), s, dsl.ClearApp{Package: iossim.ListBundle, Keychain: true}))
	if n := phone.Secrets(); n != 0 {
		t.Errorf("%d secrets", n)
	}
	b.lab.Fail(iossim.Fault{Match: "keychain", Kind: iossim.Refuse, Text: "Invalid device state", Code: 149})
	if err := d.ClearKeychain(t.Context()); err == nil || drivers.AppIsWrong(err) {
		t.Errorf("refused: %v", err)
	}
	far, _ := opened(t, small(iossim.DeviceOptions{Phone: true}))
	if err := far.ClearKeychain(t.Context()); !errors.Is(err, drivers.ErrUnsupported) {
		t.Errorf("an iPhone: %v", err)
	}
}
