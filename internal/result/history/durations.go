package history

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/format"
)

// maxRunJSON limits a run.json that is read, in bytes.
const maxRunJSON = 256 << 20

// Durations returns the median time of each case in the last runs that it passed, from the history in a folder of
// reports. A key is that of CaseKey without the number of the repetition. Without a history there are none.
func Durations(reports string) (map[string]time.Duration, error) {
	root, err := os.OpenRoot(reports)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	runs := map[string][]HistoryEntry{}
	err = eachEntry(root, func(e HistoryEntry) {
		if e.Result == event.Pass && e.DurationMS > 0 {
			key := PlannedKey(e.Pack)
			runs[key] = remember(runs[key], e)
		}
	})
	if err = errors.Join(err, root.Close()); err != nil {
		return nil, err
	}
	took := map[string][]int64{}
	for key, list := range runs {
		for _, e := range list {
			took[key] = append(took[key], e.DurationMS)
		}
	}
	return medians(took), nil
}

// DurationsOf returns the times of the cases of one run: of its folder, or of its run.json.
func DurationsOf(report string) (map[string]time.Duration, error) {
	info, err := os.Stat(report)
	if err != nil {
		return nil, err
	}
	took := map[string][]int64{}
	if info.IsDir() {
		run, err := LoadRun(report)
		if err != nil {
			return nil, err
		}
		for _, c := range run.Cases {
			if c.CaseResult.Duration > 0 {
				key := withoutRep(c.Key)
				took[key] = append(took[key], c.CaseResult.Duration.Milliseconds())
			}
		}
		if len(run.Cases) > 0 {
			return medians(took), nil
		}
		report = filepath.Join(report, "run.json")
	}
	f, err := os.Open(report)
	if err != nil {
		return nil, err
	}
	data, err := io.ReadAll(io.LimitReader(f, maxRunJSON))
	if err = errors.Join(err, f.Close()); err != nil {
		return nil, err
	}
	var run runJSON
	if err := json.Unmarshal(data, &run); err != nil {
		return nil, fmt.Errorf("read %s: %w", report, err)
	}
	if err := format.Check(report, run.Format, format.Run); err != nil {
		return nil, fmt.Errorf("read %s: %w", report, err)
	}
	for _, c := range run.Results {
		if c.Pack != "" && c.DurationMS > 0 {
			key := withoutRep(CaseKey(c.Pack))
			took[key] = append(took[key], c.DurationMS)
		}
	}
	return medians(took), nil
}

func medians(took map[string][]int64) map[string]time.Duration {
	all := map[string]time.Duration{}
	for key, list := range took {
		slices.Sort(list)
		all[key] = event.Millis(list[(len(list)-1)/2])
	}
	return all
}
