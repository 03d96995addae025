package ios

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
	"github.com/taproot-dev/taproot/runner/action"
)

// TestWaitsAskForLess: while what is waited for is not there, the app is not asked of each element whether it can be
// seen; once it is there, in the end, and where something hidden has its name, it is.
func TestWaitsAskForLess(t *testing.T) {
	t.Parallel()
	d, b := opened(t, iossim.DeviceOptions{Width: 300, Height: 640, Scale: 1})
	phone := b.lab.Device(0)
	s := &action.Performer{Device: d, Platform: dsl.IOS}
	for name, c := range map[string]struct {
		do    any
		comes bool // after a while
		gone  bool // it is there, hidden, until then
		want  event.Result
		least int // quick looks
	}{
		"comes":              {tapLabel("Pay"), true, false, event.Pass, 2},
		"is seen":            {sees("Pay"), true, false, event.Pass, 2},
		"does not come":      {tapLabel("Pay"), false, false, event.Fail, 2},
		"is hidden at first": {tapLabel("Pay"), true, true, event.Pass, 0},
		"stays hidden":       {sees("Pay"), false, true, event.Fail, 0},
		"is absent":          {seesNo("Pay"), false, false, event.Pass, 0},
		"is hidden, absent":  {seesNo("Pay"), false, true, event.Pass, 0},
	} {
		if testing.Short() && (name == "is seen" || name == "is hidden, absent" || name == "stays hidden") {
			continue
		}
		took := ""
		var came atomic.Bool
		phone.ShowScene(func(now iossim.Moment) []piece {
			pay := piece{Kind: "Button", Label: "Pay", Bounds: line(3), Fill: scenePlum, Ink: white,
				Tapped: func() { took += "Pay" }}
			there := c.comes && now.Since > 400*msec && came.Load()
			if pay.Unseen = c.gone && !there; pay.Unseen {
				pay.Fill, pay.Ink = nil, nil
			}
			if there || c.gone {
				return []piece{text("Checkout", line(0)), pay}
			}
			return []piece{text("Checkout", line(0))}
		})
		must(t, d.LaunchWith(t.Context(), iossim.SceneBundle, drivers.LaunchOptions{Force: true}))
		before := len(phone.Noted())
		looks := func() (quick, whole int, last string) {
			for _, n := range phone.Noted()[before:] {
				if strings.HasPrefix(n, "GET /source?") {
					if last = n; strings.Contains(n, "visible") {
						quick++
					} else {
						whole++
					}
				}
			}
			return quick, whole, last
		}
		s.Timeout = 20 * time.Second
		if c.want == event.Fail {
			s.Timeout = 2 * time.Second
		}
		done := make(chan struct{})
		go func() { // it comes when enough has been asked, however slowly that goes
			for quick := -1; quick < c.least; quick, _, _ = looks() {
				select {
				case <-done:
					return
				case <-time.After(20 * msec):
				}
			}
			came.Store(true)
		}()
		v, err := doStep(t, s, c.do)
		close(done)
		if v != c.want {
			t.Errorf("%s: %s, %v", name, v, err)
		}
		quick, whole, last := looks()
		if quick < c.least || c.gone && quick > 1 || strings.Contains(last, "visible") {
			t.Errorf("%s: %d quick and %d whole looks, the last was %s", name, quick, whole, last)
		}
		if want := map[bool]string{true: "Pay"}[c.want == event.Pass && c.comes && strings.Contains(name, "comes") ||
			name == "is hidden at first"]; took != want {
			t.Errorf("%s: touched %q", name, took)
		}
	}
}
