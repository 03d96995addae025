package android

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/apps"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

var testTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func TestParseStart(t *testing.T) {
	t.Parallel()
	const starting = "Starting: Intent { act=android.intent.action.MAIN cmp=com.a/.B }\n"
	cases := []struct {
		name    string
		o       adb.Output
		status  string
		problem string
	}{
		{"cold", adb.Output{
			Out: []byte(starting + "Status: ok\nLaunchState: COLD\nActivity: com.a/.B\nTotalTime: 357\nWaitTime: 377\n" +
				"Complete\n")}, "ok", ""},
		{"brought to the front", adb.Output{Out: []byte(starting +
			"Warning: Activity not started, its current task has been brought to the front\nStatus: ok\nComplete\n")}, "ok",
			""},
		{"delivered to the top", adb.Output{Out: []byte(starting +
			"Warning: Activity not started, intent has been delivered to currently running top-most instance.\n"), Code: 0},
			"ok", ""},
		{"slow", adb.Output{Out: []byte(starting + "Status: timeout\nComplete\n")}, "timeout", ""},
		{"no class, on stdout",
			adb.Output{Out: []byte(starting + "Error type 3\nError: Activity class {com.a/com.a.B} does not exist.\n"),
				Code: 1}, "",
			"Error: Activity class {com.a/com.a.B} does not exist."},
		{"no class, on stderr with code 0", adb.Output{Out: []byte(starting), Errs: []byte("Error type 3\n")}, "",
			"Error type 3"},
		{"not exported", adb.Output{Out: []byte(starting),
			Errs: []byte(
				"\nException occurred while executing 'start':\njava.lang.SecurityException: Permission Denial: starting " +
					"Intent\n"), Code: 255},
			"", "java.lang.SecurityException: Permission Denial: starting Intent"},
		{"an error in the intent's own text",
			adb.Output{Out: []byte("Starting: Intent { dat=x://Error: nothing Error type 3 }\nStatus: ok\nComplete\n")}, "ok",
			""},
		{"silence", adb.Output{Out: []byte(starting), Code: 1}, "",
			"status Starting: Intent { act=android.intent.action.MAIN cmp=com.a/.B }"},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			if status, problem := apps.ParseStart(c.o); status != c.status || problem != c.problem {
				t.Errorf("status %q, problem %q", status, problem)
			}
		})
	}
}

// TestPhonesThatLackAProgram takes away, one at a time, what vendors and old Androids leave out or forbid. The phone is
// listed, opened and used all the same.
func TestPhonesThatLackAProgram(t *testing.T) {
	t.Parallel()
	for _, lacks := range []string{"date", "ls ", "wm size", "wm density", "dumpsys battery", "dumpsys power",
		"dumpsys window displays",
		"dumpsys window", "dumpsys input_method", "getprop", "pidof", "cmd package", "cmd input", "pm list", "logcat",
		"grep"} {
		for _, how := range []androidsim.Fault{
			{Kind: androidsim.Error, Code: 127, Output: "/system/bin/sh: " + lacks + ": inaccessible or not found"},
			{Kind: androidsim.Error, Code: 20, Output: "cmd: Can't find service: " + lacks},
		} {
			t.Run(fmt.Sprintf("%s/%d", lacks, how.Code), func(t *testing.T) {
				t.Parallel()
				driver, phones, _ := newPhones(t, androidsim.Options{LoginLoading: 1, Width: 360, Height: 640, Density: 140,
					Transition: 1})
				how.Match = lacks
				phones[0].Fail(how)
				if list, err := driver.Devices(t.Context()); err != nil || len(list) != 1 || list[0].State != drivers.Ready {
					t.Errorf("%+v, %v", list, err)
				}
				dev, err := driver.Open(t.Context(), phones[0].Serial())
				if err != nil {
					t.Fatal(err)
				}
				if err := useAll(t.Context(), dev.(*Device)); err != nil {
					t.Error(err)
				}
				if n := len(phones[0].Taps()); n != 1 || !phones[0].Running(androidsim.LoginPackage) {
					t.Errorf("%d taps", n)
				}
			})
		}
	}
}

// useAll does what nearly every test does.
func useAll(ctx context.Context, d *Device) error {
	launch := d.Launch(ctx, androidsim.LoginPackage, true)
	tree, err := d.Tree(ctx)
	if err == nil && tree.Size != image.Pt(360, 640) {
		err = fmt.Errorf("a tree of %v", tree.Size)
	}
	img, shot := d.Screenshot(ctx)
	if shot == nil && img.Bounds().Size() != image.Pt(360, 640) {
		shot = fmt.Errorf("a picture of %v", img.Bounds())
	}
	tap := d.Tap(ctx, image.Pt(300, 300))
	_, front := d.Foreground(ctx)
	_, crash := d.Crashed(ctx)
	// a phone without a log or a clock cannot know, and says so
	if crash != nil && strings.Contains(crash.Error(), "not checked") {
		crash = nil
	}
	_, keyboard := d.KeyboardShown(ctx)
	_, cost := d.Measure(ctx)
	return errors.Join(launch, err, shot, tap, front, crash, keyboard, cost)
}
