package jobs

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
)

// TestFeedForgetsTheOldest: memory is limited, and IDs do not change.
func TestFeedForgetsTheOldest(t *testing.T) {
	f := newFeed()
	for i := range maxEvents + 10 {
		f.add("n", i)
	}
	kept, closed, _ := f.after("")
	if len(kept) > maxEvents || len(kept) < maxEvents/2 || closed {
		t.Fatalf("%d events are kept, closed %t", len(kept), closed)
	}
	if last := kept[len(kept)-1]; string(last.Data) != fmt.Sprint(maxEvents+9) || last.ID != fmt.Sprintf("%s-%d", f.name,
		maxEvents+10) {
		t.Errorf("the last one is %s: %s", last.ID, last.Data)
	}
	for id, want := range map[string]int{f.name + "-1": len(kept), kept[0].ID: len(kept) - 1, kept[len(kept)-1].ID: 0,
		f.name + "-99999999": 0, f.name + "--5": len(kept),
		f.name + "-x": len(kept), "AAAAAAAA-3": len(kept), "\x00": len(kept)} {
		if next, _, _ := f.after(id); len(next) != want {
			t.Errorf("after %q there are %d events, not %d", id, len(next), want)
		}
	}
}

// TestFeedIsFollowed: a follower gets each event once, and returns at the end, when send fails, and when its context
// ends.
func TestFeedIsFollowed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFeed()
		f.add("n", 1)
		var got []string
		ended := make(chan error)
		go func() {
			ended <- f.follow(t.Context(), "", func(e Event) error { got = append(got, string(e.Data)); return nil })
		}()
		synctest.Wait()
		f.add("n", 2)
		f.add("n", func() {}) // cannot be encoded
		f.add("n", 3)
		f.end()
		f.add("n", 4) // too late
		if err := <-ended; err != nil || fmt.Sprint(got) != "[1 2 3]" {
			t.Errorf("%v, %v", got, err)
		}
		enough := errors.New("enough")
		if err := f.follow(t.Context(), "", func(Event) error { return enough }); !errors.Is(err, enough) {
			t.Error(err)
		}
		open, gone := newFeed(), errors.New("gone")
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() { ended <- open.follow(ctx, "", func(Event) error { return nil }) }()
		synctest.Wait()
		cancel(gone)
		if err := <-ended; !errors.Is(err, gone) {
			t.Error(err)
		}
	})
}

// TestForget: the newest ended runs stay in memory, and all runs that have not ended.
func TestForget(t *testing.T) {
	m := &Manager{runs: map[string]*job{}}
	for i := range maxEndedRuns + 5 {
		id := fmt.Sprintf("%02d", i)
		m.runs[id], m.order = &job{record: Record{ID: id, State: Ended}}, append(m.order, id)
	}
	m.runs["00"].record.State = Running
	m.forget()
	if len(m.runs) != maxEndedRuns+1 || len(m.order) != maxEndedRuns+1 || m.find("00") == nil || m.find("01") != nil ||
		m.find("05") == nil || m.find(fmt.Sprint(maxEndedRuns+4)) == nil {
		t.Errorf("%d runs are kept: %v", len(m.runs), m.order)
	}
}
