package vocabulary

import (
	"time"
)

// Cost is the longest that steps can take.
type Cost struct {
	Time  time.Duration
	AtMin bool // at least Time: a loop's length is only known at run time, and one round of it was counted
}

// StepTimeout is how long a step waits when nothing says it.
const StepTimeout = 10 * time.Second

// searchTimeout is the least that a step which moves through content has when it names no time of its own: it does not
// wait in vain, it gets on.
const searchTimeout = 30 * time.Second

// Limit is how long a step with these arguments and options may take; usual is what a step waits that names no time.
func (o StepOptions) Limit(args any, usual time.Duration) time.Duration {
	if o.TimeoutMs != nil {
		return time.Duration(*o.TimeoutMs) * time.Millisecond
	}
	if _, moves := args.(ScrollTo); moves {
		return max(usual, searchTimeout)
	}
	return usual
}

// Longest keeps products of loops from overflowing.
const Longest = 10 * 365 * 24 * time.Hour

func (c Cost) Plus(o Cost) Cost {
	return Cost{Time: min(c.Time+o.Time, Longest), AtMin: c.AtMin || o.AtMin}
}

func (c Cost) Times(n int) Cost {
	if n > 0 && c.Time > Longest/time.Duration(n) {
		return Cost{Time: Longest, AtMin: c.AtMin}
	}
	return Cost{Time: c.Time * time.Duration(n), AtMin: c.AtMin}
}

// priced is what an argument struct implements when its operation takes another time than waiting until the step's
// limit.
type priced interface {
	cost(inside func(Steps) Cost, limit time.Duration) Cost
}

// OwnCost is the cost of one attempt; inside is that of inner steps.
func OwnCost(args any, inside func(Steps) Cost, limit time.Duration) Cost {
	if p, ok := args.(priced); ok {
		return p.cost(inside, limit)
	}
	return Cost{Time: limit}
}
