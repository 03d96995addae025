package drivers_test

import (
	"slices"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// TestPace: images come fast while they differ, more and more slowly while they do not, and fast again.
func TestPace(t *testing.T) {
	for keep, want := range map[time.Duration][]time.Duration{0: {60, 60, 90, 135, 200, 60, 90},
		120: {60, 60, 60, 90, 135, 60, 60}} {
		p := drivers.Pace{Fast: 60, Slow: 200, Keep: keep}
		var got []time.Duration
		for _, differs := range []bool{true, true, false, false, false, true, false} {
			got = append(got, p.Pause(differs))
		}
		if !slices.Equal(got, want) {
			t.Errorf("kept for %d: %v, want %v", keep, got, want)
		}
	}
	if p := (drivers.Pace{Fast: 60, Slow: 200}); p.Pause(false) != 60 {
		t.Error("the first one that shows nothing new")
	}
}
