package drivers_test

import (
	"slices"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// TestPace: pictures come fast while they differ, more and more slowly while they do not, and fast again.
func TestPace(t *testing.T) {
	p := drivers.Pace{Fast: 60, Slow: 200}
	var got []time.Duration
	for _, differs := range []bool{true, true, false, false, false, true, false} {
		got = append(got, p.Pause(differs))
	}
	if want := []time.Duration{60, 60, 120, 200, 200, 60, 120}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
	if p := (drivers.Pace{Fast: 60, Slow: 200}); p.Pause(false) != 60 {
		t.Error("the first one that shows nothing new")
	}
}
