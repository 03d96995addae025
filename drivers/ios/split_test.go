package ios

import (
	"image"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/runner/action"
)

// TestAppsThatShareAScreen: an app that has a part of an iPad's screen is touched where it is drawn, on each side of it
// and under a scale. The iPad is half as large as the smallest, so that its screenshots are cheap.
func TestAppsThatShareAScreen(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		part   image.Rectangle
		lies   bool
		landed image.Point
	}{
		"right, lying":   {image.Rect(344, 0, 683, 512), true, image.Pt(1366, 1024)},
		"left, lying":    {image.Rect(0, 0, 339, 512), true, image.Pt(1366, 1024)},
		"right, upright": {image.Rect(254, 0, 512, 683), false, image.Pt(1024, 1366)},
		"a window":       {image.Rect(100, 75, 350, 475), false, image.Pt(1024, 1366)},
	} {
		t.Run(name, func(t *testing.T) {
			if name != "right, lying" {
				testutil.Leave(t, "the other sides and a window")
			}
			t.Parallel()
			b := newBench(t,
				iossim.Options{Devices: []iossim.DeviceOptions{{Width: 512, Height: 683, Scale: 2, Part: c.part}}})
			phone := b.lab.Device(0)
			phone.Lie(c.lies)
			d, _ := b.open(t)
			paid := false
			phone.ShowScene(func(now iossim.Moment) []piece {
				said := "Checkout"
				if paid {
					said = "Paid"
				}
				at := func(y int) image.Rectangle { return image.Rect(20, y, now.Size.X-20, y+60) }
				return []piece{text(said, at(100)), {Kind: "Button", Label: "Pay", Bounds: at(250), Fill: scenePlum,
					Tapped: func() { paid = true },
					Parts:  []piece{{Label: "Pay", Bounds: at(250).Inset(6), Ink: white}}}}
			})
			must(t, d.LaunchWith(t.Context(), iossim.SceneBundle, drivers.LaunchOptions{Force: true}))
			s := &action.Performer{Device: d, Platform: dsl.IOS, Timeout: patience}
			for _, do := range []any{tapLabel("Pay"), sees("Paid")} {
				if v, err := doStep(t, s, do); v != event.Pass {
					t.Errorf("%+v: %s, %v", do, v, err)
				}
			}
			tree, err := d.Tree(t.Context())
			must(t, err)
			if tree.Size != c.landed {
				t.Errorf("the screen has %v", tree.Size)
			}
		})
	}
}
