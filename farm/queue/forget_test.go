package queue_test

import (
	"testing"
	"time"

	"github.com/taproot-dev/taproot/farm/queue"
	"github.com/taproot-dev/taproot/internal/store"
	"github.com/taproot-dev/taproot/internal/store/storetest"
)

// TestForget checks that a run is ended when no hub has seen its client for two minutes while a hub was checking.
// Clocks that are wrong by an hour, and a time without checks, must not end a run with a waiting client.
func TestForget(t *testing.T) {
	db, err := store.Open(t.Context(), storetest.SQLite(t))
	must(t, err)
	defer db.Close()
	_, _, err = db.Migrate(t.Context())
	must(t, err)
	now := time.Now()
	clock := func(wrong time.Duration) func() time.Time { return func() time.Time { return now.Add(wrong) } }
	hubs := []*queue.Queue{queue.New(db, clock(0)), queue.New(db, clock(time.Hour)), queue.New(db, clock(-time.Hour))}
	check := func(what string, want int) {
		t.Helper()
		for i, q := range hubs {
			runs, err := q.Forget(t.Context(), 2*time.Minute)
			must(t, err)
			if len(runs) != want && i == 0 || i > 0 && len(runs) > 0 {
				t.Errorf("%s: hub %d ends %q", what, i, runs)
			}
		}
	}
	must(t, hubs[2].StartRun(t.Context(), queue.Run{ID: "run", Project: "p"}))
	check("just started", 0)
	for i := range 20 { // alternating hubs see the client
		now = now.Add(30 * time.Second)
		if i%3 == 0 {
			must(t, hubs[i%2].Seen(t.Context(), "run"))
		}
		check("seen", 0)
	}
	now = now.Add(time.Hour)
	check("no check for an hour", 0)
	for range 4 {
		now = now.Add(30 * time.Second)
		check("not for long", 0)
	}
	now = now.Add(30 * time.Second)
	check("not seen for more than two minutes", 1)
}
