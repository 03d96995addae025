package reporters_test

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/gofrs/flock"

	"github.com/taproot-dev/taproot/reporters"
)

// TestAlive: a run is alive while somebody works on it, not while somebody seals it.
func TestAlive(t *testing.T) {
	dir, err := reporters.NewRunDir(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	if !reporters.Alive(dir.Path()) {
		t.Error("an open run is dead")
	}
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	if reporters.Alive(dir.Path()) {
		t.Error("a closed run is alive")
	}
	sealer := flock.New(filepath.Join(dir.Path(), ".live"))
	if err := sealer.Lock(); err != nil {
		t.Fatal(err)
	}
	if reporters.Alive(dir.Path()) {
		t.Error("a run that is being sealed is alive")
	}
	if err := sealer.Close(); err != nil {
		t.Fatal(err)
	}
	empty := t.TempDir()
	if reporters.Alive(empty) {
		t.Error("a folder that is no run is alive")
	}
	if _, err := os.Lstat(filepath.Join(empty, ".live")); err == nil {
		t.Error("to ask has made a lock")
	}
}
