package runtest

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"

	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/reporters/history"
)

// Recorded is the run of all recorded events, read by a test in a package beside this one.
func Recorded(t testing.TB) *history.Run {
	t.Helper()
	files := append(Glob(t, "../history/testdata/run/*.ndjson"), Glob(t, "../event/testdata/events/*.ndjson")...)
	run, err := history.LoadRun(Lay(t, files...))
	if err != nil {
		t.Fatal(err)
	}
	return run
}

// Events gives the events that package reporters keeps for its own tests under a name, such as pass or fail.
func Events(t testing.TB, name string) []event.Event {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("..", "testdata", "events", name+".ndjson"))
	if err != nil {
		t.Fatal(err)
	}
	events, err := event.ReadEvents(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return events
}
