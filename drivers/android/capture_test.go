package android

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

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
	d.shots.mu.Lock()
	defer d.shots.mu.Unlock()
	if d.shots.png == 0 || d.shots.png >= d.shots.raw || p.Count("screencap") != 4 {
		t.Errorf("%d screencaps for three pictures, raw %v, PNG %v", p.Count("screencap"), d.shots.raw, d.shots.png)
	}
}

// TestShotCosts: the kind that cost less is taken, the other is tried again now and then, and "cheap" is what was
// measured.
func TestShotCosts(t *testing.T) {
	t.Parallel()
	take := func(c *captureCosts, raw, png time.Duration) (kind string) {
		if c.takesPNG() {
			c.tookPNG(png)
			return "p"
		}
		c.tookRaw(raw)
		return "r"
	}
	for name, cost := range map[string]struct {
		raw, png time.Duration
		want     string
	}{
		"USB":                 {250 * time.Millisecond, time.Second, "rrrr"},
		"Wi-Fi":               {5 * time.Second, 600 * time.Millisecond, "rppp"},
		"slow encoder":        {900 * time.Millisecond, 2 * time.Second, "rprr"},
		"a slow one all over": {20 * time.Second, 4 * time.Second, "rppp"},
	} {
		c, got := &captureCosts{}, ""
		for range 4 {
			got += take(c, cost.raw, cost.png)
		}
		if got != cost.want {
			t.Errorf("%s: %s", name, got)
		}
	}
	c, got := &captureCosts{}, ""
	for range 60 {
		got += take(c, 5*time.Second, time.Second)
	}
	if got[0] != 'r' || got[1] != 'p' || countOf(got, 'r') != 3 {
		t.Errorf("the other kind is tried again: %s", got)
	}
}

func countOf(s string, r rune) (n int) {
	for _, c := range s {
		if c == r {
			n++
		}
	}
	return n
}

// TestPatience: a raw screenshot is cancelled as soon as its rate shows that the rest would take long, and not for its
// last bytes.
func TestPatience(t *testing.T) {
	for name, c := range map[string]struct {
		rate, expect int // bytes in 100 ms
		slow         bool
	}{
		"fast": {4 << 20, 10 << 20, false}, "slow": {200 << 10, 10 << 20, true}, "slow and small": {200 << 10, 1 << 20,
			false}, "of unknown size": {1 << 10, 0, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			costs := &captureCosts{}
			seen, came := costs.patience(c.expect), 0
			var err error
			for came < max(c.expect, 100<<10) && err == nil {
				came += c.rate
				err = seen(came)
				time.Sleep(100 * time.Millisecond)
			}
			if errors.Is(err, errSlowPixels) != c.slow {
				t.Errorf("%s: %v after %d bytes", name, err, came)
			}
			if c.slow && (costs.raw < 4*time.Second || came > c.expect/4) {
				t.Errorf("%s: %v, %d bytes", name, costs.raw, came)
			}
		})
	}
}
