package truth_test

import (
	"image"
	"strings"
	"testing"
	"time"

	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
)

// TestOneScreenshotForAStepAndTheNext: the screenshot by which an assertion sees that its text is drawn is the one that
// the report shows of the step before.
func TestOneScreenshotForAStepAndTheNext(t *testing.T) {
	t.Parallel()
	count := func(steps string) (n int) {
		last := time.Duration(-1)
		c := &trap{name: "pictures", steps: steps, want: pass, taps: "Pay",
			show: func(s *stage, now androidsim.Moment) androidsim.Shown {
				if now.Screenshot && now.Since != last { // a frame queries more than once
					n, last = n+1, now.Since
				}
				return page(label("Your order", image.Rect(16, 40, 384, 88)), s.press("Pay", at(3)))
			}}
		w := &showing{trap: c, name: steps, agent: true}
		w.run(t)
		for _, p := range w.problems {
			t.Error(p)
		}
		return n
	}
	// An assertion takes one, not two: one for itself and one for the report. The first looks after a touch may come too
	// soon to count, and show what the touch has led to.
	const asserts = 8
	few := count("- tap: Pay")
	if more := count("- tap: Pay" + strings.Repeat("\n- assert: Your order\n- assert: Pay",
		asserts/2)); more > few+asserts*3/2 {
		t.Errorf("%d pictures of a tap, %d with %d assertions", few, more, asserts)
	}
}
