package received_test

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/internal/result/runtest"
	"github.com/taproot-dev/taproot/internal/upload"
	"github.com/taproot-dev/taproot/server/internal/received"
)

// record makes a pack as a run does.
func record(t *testing.T, name string, result event.Result) string {
	t.Helper()
	run, err := pack.NewRunDir(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	c := event.Case{ID: strings.Split(name, "--")[0], Pack: name, Platform: "web", Solver: "dsl", Steps: []event.Step{
		{N: 1, Action: "tap", Args: "x"}}}
	pack, err := run.NewPack(c, pack.PackOptions{})
	if err != nil {
		t.Fatal(err)
	}
	problem := &event.Problem{Message: "it broke"}
	if result == event.Pass {
		problem = nil
	}
	for _, e := range []event.Event{{Kind: event.CaseStarted, Case: &c}, {Kind: event.StepStarted, Step: 1},
		{Kind: event.StepEnded, Step: 1, Result: result, Problem: problem}, {Kind: event.CaseEnded, Result: result,
			Problem: problem}} {
		if err := pack.Emit(e); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := pack.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := run.Close(); err != nil {
		t.Fatal(err)
	}
	return pack.Dir()
}

// TestOurOwnPacks checks that the packs of Taproot's own client are accepted, and that the same pack is stored once.
func TestOurOwnPacks(t *testing.T) {
	packs := []string{record(t, "login", event.Pass), record(t, "pay", event.Fail), record(t, "pay--row-2", event.Error)}
	reports := t.TempDir()
	finished := 0
	store := &received.Store{Reports: reports, Finish: func(_ context.Context, dir string) error {
		finished++
		_, err := os.Stat(filepath.Join(dir, "upload.json"))
		return err
	}}
	for _, p := range packs {
		var b bytes.Buffer
		if err := pack.Archive(p, &b); err != nil {
			t.Fatal(err)
		}
		first, err := store.Put(t.Context(), bytes.NewReader(b.Bytes()))
		if err != nil || first.Known {
			t.Fatalf("%s: %+v, %v", p, first, err)
		}
		again, err := store.Put(t.Context(), bytes.NewReader(b.Bytes()))
		if err != nil || !again.Known || again.Run != first.Run || again.Digest != first.Digest {
			t.Fatalf("%s: %+v, then %+v, %v", p, first, again, err)
		}
		runtest.ValidFile(t, filepath.Join(reports, first.Run, "upload.json"))
	}
	if finished != len(packs) {
		t.Errorf("%d runs were finished, %d packs sent", finished, len(packs))
	}
}

func TestOnePackFromMany(t *testing.T) {
	reports := t.TempDir()
	data := archive(t, good()...)
	var all sync.WaitGroup
	for range 16 {
		store := &received.Store{Reports: reports} // as in another process
		all.Go(func() {
			if _, err := store.Put(context.Background(), bytes.NewReader(data)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	runs, err := filepath.Glob(filepath.Join(reports, "*", "login"))
	if err != nil || len(runs) != 1 {
		t.Errorf("%q, %v", runs, err)
	}
}

// TestUploadsBesideSweepers checks that an upload can start while other processes sweep: none of them takes its lock.
func TestUploadsBesideSweepers(t *testing.T) {
	reports := t.TempDir()
	data := archive(t, good()...)
	done := make(chan struct{})
	var sweepers sync.WaitGroup
	others, times := 4, 100
	if testing.Short() {
		others, times = 2, 20
	}
	for range others {
		sweepers.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				if err := upload.Sweep(reports); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	store := &received.Store{Reports: reports}
	for range times {
		if _, err := store.Put(t.Context(), bytes.NewReader(data)); err != nil {
			t.Error(err)
			break
		}
	}
	close(done)
	sweepers.Wait()
}

func TestInterruptedUploads(t *testing.T) {
	reports := t.TempDir()
	store := &received.Store{Reports: reports}
	ctx, cancel := context.WithCancel(t.Context())
	in, out := io.Pipe()
	go func() {
		_, _ = out.Write(archive(t, good()...)[:60])
		cancel()
		_ = out.CloseWithError(io.ErrUnexpectedEOF)
	}()
	if _, err := store.Put(ctx, in); err == nil {
		t.Fatal("an incomplete archive was stored")
	}
	if left := tree(t, reports); len(left) > 0 {
		t.Errorf("left behind: %q", left)
	}
}

// TestSweep checks that the next upload removes what a killed process has left, and nothing that is in use.
func TestSweep(t *testing.T) {
	reports := t.TempDir()
	dead := filepath.Join(reports, ".incoming-"+strings.Repeat("A", 26))
	for _, d := range []string{dead, filepath.Join(reports, ".incoming-mine")} {
		if err := os.MkdirAll(filepath.Join(d, "files"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dead, ".live"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := upload.Sweep(reports); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dead, "files")); err != nil {
		t.Errorf("a folder that may be about to be locked: %v", err)
	}
	hour := time.Now().Add(-time.Hour)
	if err := os.Chtimes(dead, hour, hour); err != nil {
		t.Fatal(err)
	}
	if err := upload.Sweep(reports); err != nil {
		t.Fatal(err)
	}
	if left := tree(t, reports); len(left) != 2 || left[0] != ".incoming-mine" {
		t.Errorf("%q", left)
	}
}
