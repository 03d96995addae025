package jobs

import (
	"os"
	"path/filepath"
	"slices"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// packEvents reads the events of a pack up to the first invalid one.
func packEvents(folder, run, pack string) []event.Event {
	root, err := os.OpenRoot(filepath.Join(folder, run, pack))
	if err != nil {
		return nil
	}
	defer root.Close() // only read
	f, err := root.Open("events.ndjson")
	if err != nil {
		return nil
	}
	defer f.Close()
	events, err := event.ReadEvents(f)
	if err != nil && len(events) == 0 {
		return nil
	}
	return events
}

// names lists the runs in the folder of reports, newest first.
func names(folder string) []string {
	entries, err := os.ReadDir(folder)
	if err != nil {
		return nil
	}
	var list []string
	for _, e := range entries {
		if e.IsDir() && pack.IsRunName(e.Name()) {
			list = append(list, e.Name())
		}
	}
	slices.Sort(list)
	slices.Reverse(list)
	return list
}
