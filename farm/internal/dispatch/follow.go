package dispatch

import (
	"sync"

	"github.com/taproot-dev/taproot/runner/remote/order"
)

// followers are the clients that follow runs on this hub. Safe for concurrent use.
type followers struct {
	mu      sync.Mutex
	runs    map[string]map[*follower]bool
	trusted map[string]string // the host of an attempt, by run and attempt, as the database has confirmed
}

// follower is one client.
type follower struct {
	news  chan order.RunEvent
	query chan struct{} // wakes the client's stream to query for results that are not among the news
}

// newsKept is how many messages a slow client may be behind. Of those that are dropped, events are in the pack, and
// results are queried.
const newsKept = 4096

func newFollowers() *followers {
	return &followers{runs: map[string]map[*follower]bool{}, trusted: map[string]string{}}
}

func (f *followers) join(run string) (one *follower, leave func()) {
	one = &follower{make(chan order.RunEvent, newsKept), make(chan struct{}, 1)}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.runs[run] == nil {
		f.runs[run] = map[*follower]bool{}
	}
	f.runs[run][one] = true
	return one, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if delete(f.runs[run], one); len(f.runs[run]) == 0 {
			delete(f.runs, run)
		}
		if len(f.runs) == 0 {
			clear(f.trusted)
		}
	}
}

func (f *followers) follows(run string) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.runs[run]) > 0
}

// trusts reports whether a host is known to have an attempt.
func (f *followers) trusts(host string, a order.Attempt) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.trusted[packName(a)] == host
}

func (f *followers) trust(host string, a order.Attempt) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if len(f.trusted) > 100_000 {
		clear(f.trusted)
	}
	f.trusted[packName(a)] = host
}

func (f *followers) forward(e order.Events) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for one := range f.runs[e.Run] {
		select {
		case one.news <- order.RunEvent{Events: &e}:
		default:
		}
	}
}

// results sends results to the followers of their runs, or wakes the followers to query them.
func (f *followers) results(list []order.Result) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, r := range list {
		for one := range f.runs[r.Run] {
			if r.Ended == nil {
				one.wake()
				continue
			}
			select {
			case one.news <- order.RunEvent{Ended: r.Ended}:
			default:
				one.wake()
			}
		}
	}
}

func (f *followers) all() {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, some := range f.runs {
		for one := range some {
			one.wake()
		}
	}
}

func (o *follower) wake() {
	select {
	case o.query <- struct{}{}:
	default:
	}
}
