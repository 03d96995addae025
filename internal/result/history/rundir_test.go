package history_test

import (
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// TestAlive: a run is alive while a process works on it, not while a process finalizes it.
func TestAlive(t *testing.T) {
	t.Parallel()
	dir, err := pack.NewRunDir(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if !pack.Alive(dir.Path()) {
		t.Error("an open run is dead")
	}
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	if pack.Alive(dir.Path()) {
		t.Error("a closed run is alive")
	}
	sealer := flock.New(filepath.Join(dir.Path(), ".live"))
	if err := sealer.Lock(); err != nil {
		t.Fatal(err)
	}
	if pack.Alive(dir.Path()) {
		t.Error("a run that is being sealed is alive")
	}
	if err := sealer.Close(); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	if pack.Alive(empty) {
		t.Error("a folder that is no run is alive")
	}
	if _, err := os.Lstat(filepath.Join(empty, ".live")); err == nil {
		t.Error("to ask has made a lock")
	}
}

// TestChecksDoNotBlockFinalizing: when many checks of a dead run's state run at once, none of them takes another for a
// process that works on it, and the run is finalized.
func TestChecksDoNotBlockFinalizing(t *testing.T) {
	t.Parallel()
	times := 20
	if testing.Short() {
		times = 5
	}
	for range times {
		reports := t.TempDir()
		run := filepath.Join(reports, "2026-01-31T12-00-00")
		if err := os.MkdirAll(filepath.Join(run, "login"), 0o755); err != nil {
			t.Fatal(err)
		}
		for _, file := range []string{".live", "login/events.ndjson"} {
			if err := os.WriteFile(filepath.Join(run, file), nil, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		done := make(chan struct{})
		var lookers sync.WaitGroup
		for range 4 {
			lookers.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
					}
					if pack.Alive(run) {
						t.Error("a dead run is alive")
						return
					}
				}
			})
		}
		sealed, err := history.Finalize(reports, time.Now())
		close(done)
		lookers.Wait()
		if err != nil || len(sealed) != 1 {
			t.Fatalf("sealed %v, %v", sealed, err)
		}
	}
}
