package jobs

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"strconv"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// Event is one event of a run.
type Event struct {
	ID   string // to continue from
	Name string // "run", or the kind of a case's event
	Data json.RawMessage
}

// maxEvents limits the memory of one run; later events replace the oldest.
const maxEvents = 50_000

// feed keeps the events of a run for its followers.
type feed struct {
	name string // part of the IDs, so that those of another process are not valid here

	mu      sync.Mutex
	events  []Event
	dropped int
	closed  bool
	wake    chan struct{}
}

func newFeed() *feed { return &feed{name: rand.Text()[:8], wake: make(chan struct{})} }

// add appends an event. Data that cannot be encoded is ignored.
func (f *feed) add(name string, data any) {
	text, err := json.Marshal(data)
	if err != nil {
		return
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.closed {
		return
	}
	id := f.name + "-" + strconv.Itoa(f.dropped+len(f.events)+1)
	if len(f.events) == maxEvents {
		f.events = append(f.events[:0:0], f.events[maxEvents/2:]...)
		f.dropped += maxEvents / 2
	}
	f.events = append(f.events, Event{ID: id, Name: name, Data: text})
	f.wakeFollowers()
}

// end lets followers return after they have received all events.
func (f *feed) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.closed = true
	f.wakeFollowers()
}

func (f *feed) wakeFollowers() {
	close(f.wake)
	f.wake = make(chan struct{})
}

// after returns the events after an ID; an ID of another process means all events.
func (f *feed) after(id string) (next []Event, closed bool, wake <-chan struct{}) {
	f.mu.Lock()
	defer f.mu.Unlock()
	from := 0
	if n, ours := strings.CutPrefix(id, f.name+"-"); ours {
		if seen, err := strconv.Atoi(n); err == nil {
			from = min(max(seen-f.dropped, 0), len(f.events))
		}
	}
	return f.events[from:len(f.events):len(f.events)], f.closed, f.wake
}

// follow sends every event after an ID, until the run has ended or send fails.
func (f *feed) follow(ctx context.Context, after string, send func(Event) error) error {
	for {
		next, closed, wake := f.after(after)
		for _, e := range next {
			if err := send(e); err != nil {
				return err
			}
			after = e.ID
		}
		if len(next) > 0 {
			continue
		}
		if closed {
			return nil
		}
		select {
		case <-wake:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// caseEvent is an event of a case as followers get it.
type caseEvent struct {
	Pack string `json:"pack"`
	event.Event
}

// replay creates the feed of a run that ended before this process started, from its packs.
func replay(folder string, r Record) *feed {
	f := newFeed()
	f.name = hash(r.ID)[:8] // the same in every process
	for _, c := range r.Cases {
		if !pack.IsPackName(c.Pack) {
			continue
		}
		for _, e := range packEvents(folder, r.ID, c.Pack) {
			f.add(string(e.Kind), caseEvent{c.Pack, e})
		}
	}
	f.add("run", r)
	f.end()
	return f
}
