package android

import (
	"testing"

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
