package runner_test

import (
	"context"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/pool"
)

// TestPitfallParallelRunsShareAPhone: two runs at once do not install on one phone; the second waits until the first
// releases it.
func TestPitfallParallelRunsShareAPhone(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	one := pool.New(drivers2(), pool.Options{Getenv: locksIn(dir)})
	two := pool.New(drivers2(), pool.Options{Getenv: locksIn(dir)})
	a, b := lease(t, one, dsl.Android), lease(t, two, dsl.Android)
	if a.Info.ID == b.Info.ID {
		t.Fatalf("both runs have %s", a.Info.ID)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if third, err := one.Lease(ctx, dsl.Android, "a third"); err == nil {
		t.Errorf("a third case got %s, which is in use", third.Info.ID)
	}
	b.Release()
	if again := lease(t, one, dsl.Android); again.Info.ID != b.Info.ID {
		t.Errorf("got %s", again.Info.ID)
	}
	a.Release()
}
