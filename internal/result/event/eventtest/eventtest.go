// Package eventtest is shared by the tests of packs and of runs: a case, a time, recorded events, and helpers that
// write and list files.
package eventtest

import (
	"bytes"
	"image"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
)

// Epoch is the time at which the runs of tests start.
var Epoch = time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)

// Case is a case of three steps. Its pack and its id are the same.
func Case(pack string) event.Case {
	return event.Case{ID: pack, Pack: pack, Platform: "android", Solver: "dsl", Device: "emulator-5554",
		Steps: []event.Step{{N: 1, Action: "launch", Args: "x"}, {N: 2, Action: "tap", Args: "y"},
			{N: 3, Action: "assert", Args: "z"}}}
}

// Emit sends the events.
func Emit(t testing.TB, to interface{ Emit(event.Event) error }, events ...event.Event) {
	t.Helper()
	for _, e := range events {
		if err := to.Emit(e); err != nil {
			t.Fatal(err)
		}
	}
}

// Recorded reads the recorded events of that name from the testdata of package event.
func Recorded(t testing.TB, name string) []event.Event {
	t.Helper()
	data, err := os.ReadFile(File(name))
	if err != nil {
		t.Fatal(err)
	}
	events, err := event.ReadEvents(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return events
}

// File is the path of recorded events.
func File(name string) string {
	return filepath.Join(Folder(), "event", "testdata", "events", name+".ndjson")
}

// Folder is internal/result of this module, whatever package the test is in.
func Folder() string {
	dir := "."
	for range 10 {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		dir = filepath.Join(dir, "..")
	}
	return filepath.Join(dir, "internal", "result")
}

// Noise is an image that does not compress.
func Noise(w, h int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for i := range img.Pix {
		img.Pix[i] = uint8(rand.Uint32())
	}
	return img
}

// Names lists all files and folders below dir, with slashes.
func Names(t testing.TB, dir string) []string {
	t.Helper()
	var list []string
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err == nil && p != dir {
			rel, _ := filepath.Rel(dir, p)
			list = append(list, filepath.ToSlash(rel))
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// Entries lists the names right in dir.
func Entries(t testing.TB, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// Put writes a file and the folders above it.
func Put(t testing.TB, file, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}
