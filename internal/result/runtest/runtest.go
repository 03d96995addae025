// Package runtest makes run directories of recorded events, for the tests of packages that read them.
package runtest

import (
	"bytes"
	"fmt"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/event/eventtest"
	"github.com/taproot-dev/taproot/internal/result/history"
)

// Name is the name of the runs that Lay makes.
const Name = "2026-03-04T05-06-07"

// Lay makes the directory of a run, in a reports folder of its own, with a pack for each recorded file. The pack has
// the name of its case, or the file's name when the file has none.
func Lay(t testing.TB, files ...string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), Name)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		events, _ := event.ReadEvents(bytes.NewReader(data)) // a broken file is copied as it is
		pack := strings.TrimSuffix(filepath.Base(file), ".ndjson")
		if len(events) > 0 && events[0].Case != nil {
			pack = events[0].Case.Pack
		}
		write(t, filepath.Join(dir, pack, "events.ndjson"), data)
		for _, e := range events {
			if e.Attachment != nil && strings.HasSuffix(e.Attachment.Path, ".png") {
				write(t, filepath.Join(dir, pack, filepath.FromSlash(e.Attachment.Path)), Picture())
			}
		}
	}
	return dir
}

// Glob returns the files that match a pattern, at least one.
func Glob(t testing.TB, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(eventtest.Folder(), pattern))
	if err != nil || len(files) == 0 {
		t.Fatalf("%s: %d files, %v", pattern, len(files), err)
	}
	return files
}

// Picture returns a small PNG image.
func Picture() []byte {
	var b bytes.Buffer
	if err := png.Encode(&b, image.NewGray(image.Rect(0, 0, 4, 8))); err != nil {
		return nil // it cannot fail
	}
	return b.Bytes()
}

func write(t testing.TB, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		t.Fatal(err)
	}
}

// Synthetic is a run of n cases that exists only in memory: one in ten failed, one in a hundred ended with an error.
func Synthetic(n int) *history.Run {
	events := func(i int) []event.Event {
		c := event.Case{ID: fmt.Sprintf("case-%05d", i), Pack: fmt.Sprintf("case-%05d", i), Platform: "android",
			Solver: "dsl",
			Device: "emulator-5554", Hash: fmt.Sprintf("%064x", i)}
		c.Place.File, c.Place.Line, c.Place.Col = fmt.Sprintf("suites/group%02d/case-%05d.yaml", i%40, i), 1, 1
		list := []event.Event{{Kind: event.CaseStarted, Case: &c}}
		result := event.Pass
		switch {
		case i%100 == 50:
			result = event.Error
		case i%10 == 5:
			result = event.Fail
		}
		for n := 1; n <= 5; n++ {
			s := event.Step{N: n, Action: "tap", Args: "Button", Source: "  - tap: Button"}
			s.Place = c.Place
			s.Place.Line = n + 3
			c.Steps = append(c.Steps, s)
			e := event.Event{Kind: event.StepEnded, Step: n, Result: event.Pass, DurationMS: 100}
			if n == 5 && result != event.Pass {
				e.Result, e.Problem = result, &event.Problem{Message: "no element is labelled Button", Expected: "Button",
					Actual: "Start\nStop"}
			}
			list = append(list, event.Event{Kind: event.StepStarted, Step: n}, e)
		}
		return append(list, event.Event{Kind: event.CaseEnded, Result: result, DurationMS: 500})
	}
	run := &history.Run{Name: Name, Dir: Name}
	for i := range n {
		res := event.Fold(events(i))
		run.Cases = append(run.Cases, history.RunCase{Pack: res.Case.Pack, Key: res.Case.Pack, CaseResult: res,
			Page: res.Case.Pack + "/run.md"})
	}
	return run
}
