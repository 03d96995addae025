package android

import (
	"errors"
	"fmt"
	"image"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/sim/android"
)

// TestScreenshotsOverASlowConnection: ten raw megabytes are not waited for where a PNG comes in a fraction of that, and
// only the first of them is started.
func TestScreenshotsOverASlowConnection(t *testing.T) {
	t.Parallel()
	d, p := openPhone(t, androidsim.Options{Bandwidth: 2 << 20})
	for range 3 {
		img, err := d.Screenshot(t.Context())
		if err != nil || img.Bounds() != p.Screen().Bounds() {
			t.Fatal(err)
		}
	}
	d.Shots.Mu.Lock()
	defer d.Shots.Mu.Unlock()
	if d.Shots.PNG == 0 || d.Shots.PNG >= d.Shots.Raw || p.Count("screencap") != 4 {
		t.Errorf("%d screencaps for three pictures, raw %v, PNG %v", p.Count("screencap"), d.Shots.Raw, d.Shots.PNG)
	}
}

// TestForbiddenScreenshots: a phone that refuses screenshots of a bank's app says why, and can be read and touched.
func TestForbiddenScreenshots(t *testing.T) {
	t.Parallel()
	for _, o := range []androidsim.Options{
		{API: 24}, {API: 24, Secure: androidsim.SecureZeros}, {API: 27}, {API: 30}, {API: 34},
		{API: 34, Secure: androidsim.SecureBlack}, {API: 36},
	} {
		t.Run(fmt.Sprint(o.API, o.Secure), func(t *testing.T) {
			t.Parallel()
			o.Width, o.Height, o.Density = androidsim.Small.Width, androidsim.Small.Height, androidsim.Small.Density
			d, _ := openPhone(t, o)
			if parts, err := d.Protected(t.Context()); err != nil || len(parts) != 0 {
				t.Errorf("at home: %v, %v", parts, err)
			}
			if err := d.Launch(t.Context(), androidsim.ListPackage+"/.SecureActivity", true); err != nil {
				t.Fatal(err)
			}
			img, err := d.Screenshot(t.Context())
			var forbidden *drivers.ProtectedError
			if black := o.API == 36 || o.Secure == androidsim.SecureBlack; black && (err != nil || img == nil) ||
				!black && (!errors.As(err, &forbidden) || !forbidden.At(image.Rect(0, 0, 1, 1)) ||
					!errors.Is(err, drivers.ErrNotReady)) {
				t.Errorf("picture: %v", err)
			}
			parts, err := d.Protected(t.Context())
			if err != nil || len(parts) != 1 || parts[0].Bounds != image.Rect(0, 0, o.Width, o.Height) {
				t.Errorf("%v, %v", parts, err)
			}
			tapOn(t, d, "Transfer")
			if got := status(t, d); got != "Transferred" {
				t.Errorf("%q", got)
			}
		})
	}
}
