package truth_test

import (
	"image"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers/android/androidtest"
)

// TestOnePictureForAStepAndTheNext: the picture by which an assertion sees that its text is drawn is the one that the report shows of the step before.
func TestOnePictureForAStepAndTheNext(t *testing.T) {
	t.Parallel()
	count := func(steps string) (n int) {
		last := time.Duration(-1)
		c := &trap{name: "pictures", steps: steps, want: pass, taps: "Pay", show: func(s *stage, now androidtest.Moment) androidtest.Shown {
			if now.Picture && now.Since != last { // a frame asks more than once
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
	// The first look after a touch may come too soon to count, and shows what the touch has led to.
	few := count("- tap: Pay")
	if more := count("- tap: Pay\n- assert: Your order\n- assert: Pay\n- assert: Your order"); more > few+4 {
		t.Errorf("%d pictures of a tap, %d with three assertions", few, more)
	}
}
