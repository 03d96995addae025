package queue_test

import (
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/farm/internal/queue"
	"github.com/taproot-dev/taproot/internal/store/storetest"
)

// TestArchiveGoesOrIsUsed checks that when a run starts and its archive is removed at the same moment, exactly one of
// the two succeeds.
func TestArchiveGoesOrIsUsed(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		c := &clock{time.Unix(1e9, 0)}
		q := queue.New(open(t, address), c.now)
		began := 0
		const rounds = 20
		for i := range rounds {
			blob := fmt.Sprint("blob", i)
			must(t, errors.Join(q.Archives().Add(t.Context(), "p", blob, blob), q.Archives().Ready(t.Context(), blob)))
		}
		c.at = c.at.Add(time.Hour)
		old := c.at.Add(-time.Minute)
		for i := range rounds {
			blob := fmt.Sprint("blob", i)
			var gone []string
			var beginErr, expireErr error
			var both sync.WaitGroup
			one := func() { beginErr = q.StartRun(t.Context(), queue.Run{ID: blob, Project: "p", Archive: blob}) }
			two := func() { gone, expireErr = q.Archives().Expire(t.Context(), "p", old) }
			both.Go(one)
			both.Go(two)
			both.Wait()
			must(t, expireErr)
			file, err := q.Archives().File(t.Context(), "p", blob)
			switch {
			case beginErr == nil && (err != nil || file != blob || slices.Contains(gone, blob)):
				t.Fatalf("a run has started, and its archive is gone: %v", err)
			case beginErr != nil && (!errors.Is(beginErr, queue.ErrNoArchive) || !errors.Is(err, queue.ErrNoArchive)):
				t.Fatalf("%v, %v", beginErr, err)
			case beginErr == nil:
				began++
			}
			for j := i + 1; j < rounds; j++ { // those that were removed with it
				other := fmt.Sprint("blob", j)
				if slices.Contains(gone, other) {
					c.at = c.at.Add(-time.Hour)
					must(t, errors.Join(q.Archives().Add(t.Context(), "p", other, other), q.Archives().Ready(t.Context(), other)))
					c.at = c.at.Add(time.Hour)
				}
			}
		}
		t.Logf("%d of %d runs started", began, rounds)
		must(t, q.Archives().Add(t.Context(), "p", "broken", "off")) // an upload that never ended
		for _, hours := range []time.Duration{23, 2} {
			c.at = c.at.Add(hours * time.Hour)
			gone, err := q.Archives().Expire(t.Context(), "p", c.at)
			if must(t, err); slices.Contains(gone, "off") != (hours == 2) {
				t.Errorf("%q", gone)
			}
		}
		if err := q.Archives().Ready(t.Context(), "off"); !errors.Is(err, queue.ErrNoArchive) {
			t.Error(err)
		}
	})
}
