package dsl

import (
	"strings"
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

// WorstCase returns the longest that one run of a test can take, everything late and every wait in vain: time limits,
// loops and retries of steps, hooks included; those of the whole test not. scope knows the variables before the run.
func WorstCase(t *Test, scope *Scope, timeout time.Duration) Cost {
	if t.TimeoutMs != nil {
		timeout = time.Duration(*t.TimeoutMs) * time.Millisecond
	}
	c := costing{scope: scope, timeout: timeout}
	var sum Cost
	for _, steps := range []Steps{t.Before, t.Steps, t.OnFailure, t.After} {
		sum = sum.plus(c.steps(steps))
	}
	return sum
}

type costing struct {
	scope   *Scope
	timeout time.Duration
}

// longest keeps products of loops from overflowing.
const longest = 10 * 365 * 24 * time.Hour

func (c Cost) plus(o Cost) Cost {
	return Cost{min(c.Time+o.Time, longest), c.AtMin || o.AtMin}
}

func (c Cost) times(n int) Cost {
	if n > 0 && c.Time > longest/time.Duration(n) {
		return Cost{longest, c.AtMin}
	}
	return Cost{c.Time * time.Duration(n), c.AtMin}
}

func (c costing) steps(steps Steps) Cost {
	var sum Cost
	for _, s := range steps {
		sum = sum.plus(c.step(s))
	}
	return sum
}

func (c costing) step(s *Step) Cost {
	args, opts, err := Bind(s, c.scope)
	unsure := err != nil // a value that only the run knows
	if unsure {
		d := &decoding{variables: deferred, bound: s}
		args, opts = d.arguments(s.Def, s.Args, s.Pos)
	}
	limit := opts.Limit(args, c.timeout)
	cost := c.own(s, args, limit)
	if s.Def.Control() {
		cost.AtMin = cost.AtMin || unsure
		if opts.TimeoutMs != nil {
			cost = c.limited(cost, args, limit)
		}
	}
	cost = cost.times(1 + opts.Retries)
	for _, e := range s.exprs() {
		cost.Time += time.Duration(strings.Count(e.Text, "visible(")) * time.Second
	}
	return cost
}

// limited is a cost that a time limit bounds. That of an attempt is for its steps, and not for what deals with their
// failure.
func (c costing) limited(cost Cost, args any, limit time.Duration) Cost {
	try, ok := args.(Try)
	if !ok {
		return Cost{Time: min(cost.Time, limit)}
	}
	steps := Cost{Time: min(c.steps(try.Steps).Time, limit)}
	return steps.plus(c.steps(try.OnFailure)).plus(c.steps(try.Always))
}

// priced is what an argument struct implements when its operation takes another time than waiting until the step's
// limit.
type priced interface {
	cost(c costing, s *Step, limit time.Duration) Cost
}

// own is the cost of one attempt.
func (c costing) own(s *Step, args any, limit time.Duration) Cost {
	if p, ok := args.(priced); ok {
		return p.cost(c, s, limit)
	}
	return Cost{Time: limit}
}

func (c costing) block(s *Step, run Run) Cost {
	if s.Block == nil {
		return Cost{AtMin: true}
	}
	inner, err := c.scope.Block(s.Block, run.With)
	if err != nil {
		return c.steps(s.Block.Steps).plus(Cost{AtMin: true})
	}
	return costing{inner, c.timeout}.steps(s.Block.Steps)
}
