package run

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// caseScheduler assigns the slots of a run, at most limit at once, to the first ready case of the plan. Safe for
// concurrent use.
//
// Each worker has a device and runs the cases of one platform. Without a common order, the platform with the fastest
// devices would use up all slots, and the plan's order would be lost. So a case first requests a slot (next, leave),
// which makes it ready, and a free slot is always granted to the ready case with the lowest index. A case with a phone
// that is leased by another process is not ready: yieldSlot releases its slot while it waits, so that it blocks no
// other case.
type caseScheduler struct {
	limit int // 0: none

	mu     sync.Mutex
	busy   int
	queues map[dsl.Platform][]int // cases that no worker runs yet, in order
	ready  map[int]chan struct{}  // closed when it is the case's turn
}

func newCaseScheduler(cases []plan.Case, limit int) *caseScheduler {
	t := &caseScheduler{limit: limit, queues: map[dsl.Platform][]int{}, ready: map[int]chan struct{}{}}
	for i, c := range cases {
		t.queues[c.Platform] = append(t.queues[c.Platform], i)
	}
	return t
}

// platforms are those of the cases, in the order of their first cases.
func (t *caseScheduler) platforms() []dsl.Platform {
	return slices.SortedFunc(maps.Keys(t.queues), func(a, b dsl.Platform) int {
		return cmp.Compare(t.queues[a][0], t.queues[b][0])
	})
}

// queued is how many cases of the platform no worker runs yet.
func (t *caseScheduler) queued(p dsl.Platform) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.queues[p])
}

// next takes the platform's next case out of its queue and requests a slot for it. ok is false when there is none.
func (t *caseScheduler) next(p dsl.Platform) (i int, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pop(p)
}

// pop needs t.mu.
func (t *caseScheduler) pop(p dsl.Platform) (i int, ok bool) {
	queue := t.queues[p]
	if len(queue) == 0 {
		return 0, false
	}
	t.queues[p] = queue[1:]
	t.ready[queue[0]] = make(chan struct{})
	return queue[0], true
}

// grant assigns free slots to ready cases. It needs t.mu.
func (t *caseScheduler) grant() {
	for len(t.ready) > 0 && (t.limit == 0 || t.busy < t.limit) {
		first := slices.Min(slices.Collect(maps.Keys(t.ready)))
		close(t.ready[first])
		delete(t.ready, first)
		t.busy++
	}
}

// open grants free slots after workers were added, once they have all requested one.
func (t *caseScheduler) open() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.grant()
}

// await waits for the slot that the case requested; the case has it if there is no error.
func (t *caseScheduler) await(ctx context.Context, i int) error {
	t.mu.Lock()
	turn, waits := t.ready[i]
	t.mu.Unlock()
	if !waits {
		return nil // it was granted already
	}
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if _, waits := t.ready[i]; !waits {
		return nil // at the same moment
	}
	delete(t.ready, i)
	return context.Cause(ctx)
}

// leave releases the slot of a case. The platform's next case requests it before other goroutines can, so that the
// order of cases does not depend on which goroutine is faster.
func (t *caseScheduler) leave(p dsl.Platform) (i int, ok bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.busy--
	i, ok = t.pop(p)
	t.grant()
	return i, ok
}

// yieldSlot releases the slot of case i while wait lasts, and waits for another one.
func (t *caseScheduler) yieldSlot(ctx context.Context, i int, wait func() error) error {
	t.mu.Lock()
	t.busy--
	t.grant()
	t.mu.Unlock()
	err := wait()
	t.mu.Lock()
	if err == nil {
		t.ready[i] = make(chan struct{})
		t.grant()
	} else {
		t.busy++ // the caller calls leave also after an error
	}
	t.mu.Unlock()
	if err != nil {
		return err
	}
	if err := t.await(ctx, i); err != nil {
		t.mu.Lock()
		defer t.mu.Unlock()
		t.busy++
		return err
	}
	return nil
}
