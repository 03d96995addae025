package history

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/markdown"
)

const (
	trendRuns = 30 // maximum number of earlier runs in a trend
	fewRuns   = 5  // with fewer runs, durations are not compared
)

// Trend contains the results of a case in up to trendRuns runs before this one.
type Trend struct {
	Recent []HistoryEntry // oldest first
	Median time.Duration  // of those that passed; 0: none did
	P95    time.Duration
	Passes int // number of runs with a duration
	Flips  int // changes from pass to fail or back, this run's included, with the same test source
}

// addTrends reads history.jsonl next to the run. Only runs that started before this one count, so that the result for
// an old run is always the same.
func (r *Run) addTrends() {
	byKey := map[string]*RunCase{}
	for i := range r.Cases {
		byKey[r.Cases[i].Key] = &r.Cases[i]
	}
	root, err := os.OpenRoot(filepath.Dir(r.Dir))
	if err != nil {
		r.Notes = append(r.Notes, "the history cannot be read: "+err.Error())
		return
	}
	defer root.Close() // nothing was written
	runs := map[string][]HistoryEntry{}
	err = eachEntry(root, func(e HistoryEntry) {
		key := CaseKey(e.Pack)
		if e.Run >= r.Name || byKey[key] == nil {
			return
		}
		runs[key] = remember(runs[key], e)
	})
	if err != nil {
		r.Notes = append(r.Notes, "the history cannot be read: "+err.Error())
	}
	for key, c := range byKey {
		c.Trend = trend(runs[key], c)
	}
}

// remember keeps the last runs in their order; a later line of a run replaces an earlier one.
func remember(list []HistoryEntry, e HistoryEntry) []HistoryEntry {
	at, found := slices.BinarySearchFunc(list, e, func(a, b HistoryEntry) int { return cmp.Compare(a.Run, b.Run) })
	if found {
		list[at] = e
		return list
	}
	list = slices.Insert(list, at, e)
	if len(list) > trendRuns {
		list = slices.Delete(list, 0, 1)
	}
	return list
}

func trend(recent []HistoryEntry, c *RunCase) Trend {
	t := Trend{Recent: recent}
	var took []time.Duration
	for _, e := range recent {
		if e.Result == event.Pass && e.DurationMS >= 0 {
			took = append(took, event.Millis(e.DurationMS))
		}
	}
	slices.Sort(took)
	if t.Passes = len(took); t.Passes > 0 {
		t.Median, t.P95 = took[(len(took)-1)/2], took[(len(took)*95+99)/100-1]
	}
	hash := c.CaseResult.Case.Hash
	if hash == "" {
		return t
	}
	last := event.Result("")
	for _, e := range append(slices.Clone(recent), HistoryEntry{Result: c.CaseResult.Result, Hash: hash}) {
		if e.Hash != hash || e.Result != event.Pass && e.Result != event.Fail {
			continue // an error is the infrastructure's, not the test's
		}
		if last != "" && e.Result != last {
			t.Flips++
		}
		last = e.Result
	}
	return t
}

// Flaky says why the case cannot be trusted, or nothing: it passed only on a later attempt, or with the same YAML it
// changed from pass to fail and back (a single change is what tests are for). An attempt that lost its device does not
// count.
func (c *RunCase) Flaky() string {
	if c.CaseResult.Result == event.Pass &&
		slices.ContainsFunc(c.Attempts, func(t Attempt) bool {
			return t.CaseResult.Result != event.Pass &&
				!t.CaseResult.LostDevice()
		}) {
		return fmt.Sprintf("passed on attempt %d", len(c.Attempts)+1)
	}
	if c.Trend.Flips >= 2 {
		return fmt.Sprintf("changed between pass and fail %d times in %d runs, with the same test source", c.Trend.Flips,
			len(c.Trend.Recent)+1)
	}
	return ""
}

// Lost says that the case was run again because its device was lost, or nothing.
func (c *RunCase) Lost() string {
	for _, t := range c.Attempts {
		if t.CaseResult.LostDevice() {
			return "run again, because " + t.CaseResult.Case.Device + " was lost"
		}
	}
	return ""
}

// Slow says that the case passed, but took much longer than it usually does, or nothing.
func (c *RunCase) Slow() string {
	took := c.CaseResult.Duration
	if c.CaseResult.Result != event.Pass || c.Trend.Passes < fewRuns || took <= c.Trend.P95 ||
		took <= c.Trend.Median*3/2 ||
		took-c.Trend.Median < time.Second {
		return ""
	}
	return fmt.Sprintf("took %s, usually %s", markdown.StepTime(took), markdown.StepTime(c.Trend.Median))
}
