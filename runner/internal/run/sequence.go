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
