package runtest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/taproot-dev/taproot/reporters"
)

// Recorded is the run of all recorded events, read by a test in a package beside this one.
func Recorded(t testing.TB) *reporters.Run {
	t.Helper()
	files := append(Glob(t, "../testdata/run/*.ndjson"), Glob(t, "../testdata/events/*.ndjson")...)
	run, err := reporters.LoadRun(Lay(t, files...))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// Events gives the events that package reporters keeps for its own tests under a name, such as pass or fail.
func Events(t testing.TB, name string) []reporters.Event {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "events", name+".ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	events, err := reporters.ReadEvents(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return events
}
