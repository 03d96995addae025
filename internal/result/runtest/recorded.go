package runtest

import (
	"testing"

	"github.com/taproot-dev/taproot/internal/result/history"
)

// Recorded is the run of all recorded events.
func Recorded(t testing.TB) *history.Run {
	t.Helper()
	files := append(Glob(t, "history/testdata/run/*.ndjson"), Glob(t, "event/testdata/events/*.ndjson")...)
	run, err := history.LoadRun(Lay(t, files...))
	if err != nil {
		t.Fatal(err)
	}
	return run
}
