package decide

import "time"

// SettleTiming are the waiting rules of Settling.
type SettleTiming struct {
	// Rests is how long the pixels must not have changed.
	Rests time.Duration
	// Clock takes its place once the pixels have changed while the elements were read: it is long enough to know a clock
	// by its ticks.
	Clock time.Duration
	// Shots is how many screenshots in a row must show no movement.
	Shots int
	// Pace is the pause between two screenshots: only frequent ones distinguish a blink from a turn.
	Pace time.Duration
}

// Settles returns the timing of waitStable and of images that become baselines.
func Settles() SettleTiming {
	return SettleTiming{Rests: 400 * time.Millisecond, Clock: 1300 * time.Millisecond, Shots: 2,
		Pace: 60 * time.Millisecond}
}

// Settling decides when a screen has settled: its pixels have rested, its elements can be read, and the pixels have not
// changed meanwhile, since a read takes seconds on some phones. It neither reads nor takes screenshots.
type Settling struct {
	Timing SettleTiming

	moved   bool      // while the elements were read
	reading bool      // the elements had to be read
	since   time.Time // when the pixels had changed last, before they were
}

// Settled is what Settling decides.
type Settled int

const (
	// SettleWaits means that the screen has not settled: take the next screenshot after SettleTiming.Pace.
	SettleWaits Settled = iota
	// SettleReads means that the elements have to be read, and one more screenshot taken.
	SettleReads
	// SettleDone means that the screen has settled.
	SettleDone
)

// Next decides after a screenshot: how many screenshots in a row have shown no movement, since when, and whether the
// elements have been read after the decision SettleReads.
func (s *Settling) Next(shots int, since, now time.Time, read bool) Settled {
	reading := s.reading
	s.reading = false
	if reading && read {
		if since.Equal(s.since) {
			return SettleDone
		}
		s.moved = true
		return SettleWaits
	}
	if shots < s.Timing.Shots || !s.Rested(since, now) {
		return SettleWaits
	}
	s.reading, s.since = true, since
	return SettleReads
}

// Rested reports whether what has not changed since a moment has rested for long enough.
func (s *Settling) Rested(since, now time.Time) bool {
	rests := s.Timing.Rests
	if s.moved {
		rests = s.Timing.Clock
	}
	return now.Sub(since) >= rests
}
