package replay

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"

	"github.com/taproot-dev/taproot/internal/result/event"
	found "github.com/taproot-dev/taproot/internal/result/finding"
	"github.com/taproot-dev/taproot/internal/result/format"
)

// maxEarlier is how many earlier runs are searched for one in which a test passed.
const maxEarlier = 50

// Repairs offers repairs for failed report packs: a step that did not find its element is compared with the last report
// in which the same test passed. The best comes first; the list is empty where nothing is clearly the same element.
func (rs Reports) Repairs(dirs []string) (found.Repairs, error) {
	all := found.Repairs{Format: format.Repairs, Repairs: []found.Repair{}}
	for _, dir := range dirs {
		list, err := rs.repairsOf(dir)
		if err != nil {
			return all, inPack(dir, err)
		}
		all.Repairs = append(all.Repairs, list...)
	}
	slices.SortStableFunc(all.Repairs, func(a, b found.Repair) int { return b.Score - a.Score })
	return all, nil
}

func (rs Reports) repairsOf(dir string) ([]found.Repair, error) {
	if !mayHaveFailed(dir) {
		return nil, nil
	}
	failed, err := Open(dir)
	if err != nil {
		return nil, err
	}
	defer failed.Close()
	if failed.Result.Result != event.Fail {
		return nil, nil
	}
	passed := lastPassed(filepath.Dir(dir), filepath.Base(dir))
	if passed == nil {
		return nil, nil
	}
	return repair(failed, passed, rs.Dir), nil
}

// mayHaveFailed reports whether a pack need be read: its summary does not say that it has another result.
func mayHaveFailed(dir string) bool {
	data, err := os.ReadFile(filepath.Join(dir, event.SummaryFile))
	var s struct {
		Result event.Result `json:"result"`
	}
	return err != nil || json.Unmarshal(data, &s) != nil || s.Result == event.Fail
}
