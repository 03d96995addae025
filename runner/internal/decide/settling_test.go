package decide_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// settles plays waitStable on a screen that changes at some moments, in milliseconds; a read of the elements takes a
// second. It returns when the screen has settled, and after how many reads.
func settles(timing decide.SettleTiming, changes ...int) string {
	s := decide.Settling{Timing: timing}
	shots, reads := 0, 0
	last := -1
	shoot := func(now int, read bool) decide.Settled { // a screenshot shows a change since the one before
		since := last
		for _, c := range changes {
			if c <= now {
				since = max(since, c)
			}
		}
		if shots++; since != last {
			last, shots = since, 0
		}
		return s.Next(shots, at(max(last, 0)), at(now), read)
	}
	for now := 0; now < 20_000; now += int(timing.Pace.Milliseconds()) {
		if shoot(now, false) != decide.SettleReads {
			continue
		}
		reads++
		now += 1000
		if shoot(now, true) == decide.SettleDone {
			return fmt.Sprint(now, " ms, reads: ", reads)
		}
	}
	return "never"
}

// TestSettling: a screen has settled after its pixels have rested, also while its elements were read. One that changes
// while they are read has to rest for longer; a clock that ticks in between is not taken for a screen at rest.
func TestSettling(t *testing.T) {
	t.Parallel()
	clock := make([]int, 30)
	for i := range clock {
		clock[i] = i * 1000
	}
	for name, c := range map[string]struct {
		changes []int
		want    string
	}{
		"at rest":                {nil, "1420 ms, reads: 1"},
		"changes until 1 s":      {[]int{300, 600, 1000}, "2440 ms, reads: 1"},
		"changes during a read":  {[]int{700}, "3020 ms, reads: 2"},
		"ticks once in a second": {clock, "never"},
	} {
		if got := settles(decide.Settles(), c.changes...); got != c.want {
			t.Errorf("%s: %s, want %s", name, got, c.want)
		}
	}
}

// TestEachRuleOfSettlingMatters: a value of the table that is halved or doubled changes when a screen has settled.
func TestEachRuleOfSettlingMatters(t *testing.T) {
	t.Parallel()
	scenes := [][]int{nil, {300, 600, 1000}, {700}, {0, 450, 455, 460, 470, 480, 490}}
	table := reflect.TypeFor[decide.SettleTiming]()
	for i := range table.NumField() {
		for _, factor := range []float64{0.5, 2} {
			differs := false
			for _, changes := range scenes {
				timing := decide.Settles()
				scale(reflect.ValueOf(&timing).Elem().Field(i), factor)
				if table.Field(i).Name == "Shots" { // decides where screenshots take longer than the rest
					timing.Pace = time.Second
				}
				usual := decide.Settles()
				usual.Pace = timing.Pace
				if table.Field(i).Name == "Pace" {
					usual.Pace = decide.Settles().Pace
				}
				differs = differs || settles(timing, changes...) != settles(usual, changes...)
			}
			if !differs {
				t.Errorf("%s times %g changes nothing", table.Field(i).Name, factor)
			}
		}
	}
}

// TestSettlingNeedsTheElements: pixels at rest are not enough where the elements could not be read.
func TestSettlingNeedsTheElements(t *testing.T) {
	t.Parallel()
	s := decide.Settling{Timing: decide.Settles()}
	for now := 1000; now < 5000; now += 60 {
		if d := s.Next(20, at(0), at(now), false); d != decide.SettleReads {
			t.Fatalf("at %d ms: %d", now, d)
		}
	}
	if d := s.Next(20, at(0), at(5000), true); d != decide.SettleDone {
		t.Error(d)
	}
}
