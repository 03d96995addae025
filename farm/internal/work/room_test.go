package work

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"
)

// TestFullDiskIsTidied checks that a host with a full disk removes what earlier runs left there before it waits for a
// user to free space.
func TestFullDiskIsTidied(t *testing.T) {
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	a := tar.NewWriter(z)
	text := []byte("id: a\nplatform: android\nsteps:\n  - tap: x\n")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(a.WriteHeader(&tar.Header{Name: "a.yaml", Mode: 0o600, Size: int64(len(text))}))
	_, err := a.Write(text)
	must(err)
	must(a.Close())
	must(z.Close())
	sum := sha256.Sum256(packed.Bytes())
	name, dir := hex.EncodeToString(sum[:]), t.TempDir()
	must(os.MkdirAll(filepath.Join(cacheIn(dir), "archives"), 0o700))
	must(os.WriteFile(filepath.Join(cacheIn(dir), "archives", name), packed.Bytes(), 0o600))
	w, err := New(Options{Dir: dir})
	must(err)
	run, release, err := w.cache.Open(t.Context(), "run-1", name)
	must(err)
	release()
	w.full.Store(true)
	if w.stillFull() {
		t.Error("there is space, and the disk still counts as full")
	}
	if _, err := os.Stat(run); !os.IsNotExist(err) || w.cache.Bytes() != 0 {
		t.Errorf("%s is left, %d bytes: %v", run, w.cache.Bytes(), err)
	}
}
