package remote

import (
	"archive/tar"
	"compress/gzip"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/upload"
	"github.com/taproot-dev/taproot/runner/internal/order"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// startedRun returns a run on a hub. h handles its requests.
func startedRun(h http.Handler) *Farm {
	f := &Farm{o: Options{Hub: Inside(h), Log: slog.New(slog.DiscardHandler)}, id: "r", tries: map[int]*try{},
		wake: make(chan struct{}, 1)}
	f.life, f.end = context.WithCancel(context.Background())
	f.both.Go(f.follow)
	f.both.Go(f.post)
	return f
}

// TestPackThatCannotBeKept checks that a pack that cannot be stored here, for example on a full disk, is requested
// once, and that an interrupted download is repeated.
func TestPackThatCannotBeKept(t *testing.T) {
	requests := 0
	f := &Farm{id: "r", o: Options{Hub: Inside(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		requests++
		zip := gzip.NewWriter(w)
		out := tar.NewWriter(zip)
		if err := out.WriteHeader(&tar.Header{Name: "../above", Size: 1, Mode: 0o644}); err != nil {
			t.Error(err)
		}
		_, _ = out.Write([]byte("x"))
		if requests == 1 {
			_ = zip.Flush()
			panic(http.ErrAbortHandler)
		}
		_, _ = out.Close(), zip.Close()
	}))}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	_, err := f.home(ctx, run.Attempt{Spool: t.TempDir()}, order.Ended{N: 1, Attempt: 1})
	var refused *upload.Refused
	if !errors.As(err, &refused) || ctx.Err() != nil || requests > 2 {
		t.Errorf("%d requests: %v", requests, err)
	}
}

// TestHubThatDoesNotComeBack checks that cases end when the hub refuses to stream the run's events, for example to a
// revoked key, or was unreachable for too long, and that later cases fail at once.
func TestHubThatDoesNotComeBack(t *testing.T) {
	for code, want := range map[int]string{http.StatusUnauthorized: "the hub has ended the run",
		http.StatusServiceUnavailable: "has not responded"} {
		synctest.Test(t, func(t *testing.T) {
			f := startedRun(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !strings.HasSuffix(r.URL.Path, "/events") {
					w.WriteHeader(http.StatusNoContent)
					return
				}
				w.WriteHeader(code)
				_, _ = w.Write([]byte(`{"error": "x", "message": "no such key"}`))
			}))
			ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
			defer cancel()
			one := run.Attempt{Case: plan.Case{Test: &dsl.Test{ID: "a"}}, Spool: t.TempDir()}
			for i := range 2 {
				began := time.Now()
				_, err := f.Try(ctx, one)
				if err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%d: %v", code, err)
				}
				if i == 1 && time.Since(began) > 0 {
					t.Errorf("%d: a second case took %v", code, time.Since(began))
				}
			}
			f.end()
			f.both.Wait()
		})
	}
}
