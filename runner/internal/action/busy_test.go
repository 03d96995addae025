package action_test

import (
	"image"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// TestWhatComesAndGoesIsThere: a text that blinks is not gone, in whatever moment the looks fall and whatever they
// cost.
func TestWhatComesAndGoesIsThere(t *testing.T) {
	passed, all := 0, 0
	for _, cost := range []time.Duration{20, 90, 150, 200} {
		for _, period := range []time.Duration{400, 450, 600} {
			for phase := time.Duration(0); phase < period; phase += 50 {
				all++
				synctest.Test(t, func(t *testing.T) {
					f := &fake{began: time.Now(), treeCost: cost * time.Millisecond, pictureCost: 100 * time.Millisecond,
						show: func(at time.Duration, _ []image.Point) []*screen.Node {
							nodes := []*screen.Node{el("Checkout", 0, 0, 900, 100)}
							if (at/time.Millisecond+phase)%period >= 150 {
								nodes = append(nodes, el("Error", 0, 200, 900, 300))
							}
							return nodes
						}}
					s := &action.Performer{Device: f, Timeout: 3 * time.Second, Platform: dsl.Android}
					if action.Perform(t.Context(), s, dsl.AssertNot{Selector: dsl.Selector{Label: "Error"}}) == nil {
						t.Logf("cost %d period %d phase %d: %s", cost, period, phase, s.Detail.Warnings)
						passed++
					}
				})
			}
		}
	}
	t.Log(passed, "of", all)
	if passed > 0 {
		t.Fail()
	}
}
