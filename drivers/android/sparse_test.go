package android

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

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
