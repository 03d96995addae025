package drivers_test

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/taproot-dev/taproot/drivers"
)

func TestALifeEndsWithItsGoroutines(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		life := drivers.NewLifetime()
		may, ended := make(chan struct{}), make(chan bool, 1)
		if err := life.Go(func() {
			<-life.Done()
			if err := life.Go(func() { t.Error("started after the end") }); !errors.Is(err, drivers.ErrClosed) {
				t.Errorf("started in the end: %v", err)
			}
			<-may
		}); err != nil {
			t.Fatal(err)
		}
		ctx, free := drivers.Bound(t.Context(), life)
		defer free()
		go func() { ended <- life.End() }()
		<-ctx.Done()
		if !errors.Is(context.Cause(ctx), drivers.ErrClosed) || !errors.Is(context.Cause(life), drivers.ErrClosed) {
			t.Errorf("%v, %v", context.Cause(ctx), context.Cause(life))
		}
		if life.End() {
			t.Error("it ended twice")
		}
		synctest.Wait()
		if len(ended) > 0 {
			t.Error("it did not wait for its goroutine")
		}
		close(may)
		if !<-ended {
			t.Error("who ended it is told that somebody else did")
		}
	})
}

// What starts while the life ends is waited for, or does not start.
func TestALifeEndsWhileGoroutinesStart(t *testing.T) {
	t.Parallel()
	for range 200 {
		life := drivers.NewLifetime()
		var callers sync.WaitGroup
		var over atomic.Bool
		var ends atomic.Int32
		for range 4 {
			callers.Go(func() {
				for range 20 {
					_ = life.Go(func() {
						<-life.Done()
						if over.Load() {
							t.Error("a goroutine runs after the end")
						}
					})
				}
			})
		}
		for range 2 {
			callers.Go(func() {
				if life.End() {
					over.Store(true)
					ends.Add(1)
				}
			})
		}
		callers.Wait()
		if ends.Load() != 1 {
			t.Fatalf("it ended %d times", ends.Load())
		}
	}
}
