package run

import (
	"context"
	"sync"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// sequences are cases that run one after another, until one does not pass. Safe for concurrent use.
type sequences struct {
	before map[int]int           // the case before a case
	done   map[int]chan struct{} // closed when a case has ended; only for cases of sequences

	mu     *sync.Mutex
	failed map[string]string // the case that ended a sequence
}

func sequencesOf(cases []plan.Case) sequences {
	s := sequences{before: map[int]int{}, done: map[int]chan struct{}{}, mu: &sync.Mutex{}, failed: map[string]string{}}
	last := map[string]int{}
	for i, c := range cases {
		name := c.Test.Sequence
		if name == "" {
			continue
		}
		s.done[i] = make(chan struct{})
		if at, ok := last[name]; ok {
			s.before[i] = at
		}
		last[name] = i
	}
	return s
}

// await waits for the case before case i, and releases the slot of case i meanwhile. It returns the case that ended the
// sequence, if one did.
func (s sequences) await(ctx context.Context, a *batch, i int) (failed string, err error) {
	at, follows := s.before[i]
	if !follows {
		return "", nil
	}
	err = a.turns.yieldSlot(ctx, i, func() error {
		select {
		case <-s.done[at]:
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	})
	if err != nil {
		return "", err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if v := a.outcomes[at].Result(); s.failed[a.cases[i].Test.Sequence] == "" && (v == event.Fail || v == event.Error) {
		s.failed[a.cases[i].Test.Sequence] = a.cases[at].Pack
	}
	return s.failed[a.cases[i].Test.Sequence], nil
}

// ended lets the case after case i start.
func (s sequences) ended(i int) {
	if over := s.done[i]; over != nil {
		close(over)
	}
}

// needs are the needed cases of a batch, by their packs; a channel is closed when its case has ended.
type needs map[string]chan struct{}

func needsOf(cases []plan.Case) needs {
	n := needs{}
	for _, c := range cases {
		if c.Needed {
			n[c.Pack] = make(chan struct{})
		}
	}
	return n
}

// await waits for the cases that case i needs, and releases the slot of case i meanwhile. They are before it in the
// plan, so one of them always runs.
func (n needs) await(ctx context.Context, a *batch, i int) error {
	for _, pack := range a.cases[i].NeedsOf() {
		ended := n[pack]
		if ended == nil {
			continue
		}
		select {
		case <-ended:
			continue
		default:
		}
		err := a.turns.yieldSlot(ctx, i, func() error {
			select {
			case <-ended:
				return nil
			case <-ctx.Done():
				return context.Cause(ctx)
			}
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// ended lets the cases that need a case start.
func (n needs) ended(pack string) {
	if ended := n[pack]; ended != nil {
		close(ended)
	}
}
