package html

import (
	"cmp"
	"fmt"
	"io"
	"path"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

const (
	maxRunsShown  = 100
	maxColumns    = 30   // runs in a test's history
	maxTestsShown = 2000 // that are not stable
)

// RunsPage is the input of the page of all runs.
type RunsPage struct {
	Entries []history.HistoryEntry // of all runs; several of one test in one run: the last one counts
	Present []string               // runs that are on the disk
	Paged   []string               // those of them that have a page
}

// Runs writes the page of all runs: how each ended, and which tests cannot be trusted.
func Runs(w io.Writer, in RunsPage) error {
	if err := render(w, view{Kind: "runs", Title: "Test runs", D: runsDataOf(in)}); err != nil {
		return fmt.Errorf("make page of all runs: %w", err)
	}
	return nil
}

type runsData struct {
	Page    string     `json:"page"`
	Runs    []runRow   `json:"runs"`    // newest first
	Older   int        `json:"older"`   // runs that are not shown
	Columns []string   `json:"columns"` // runs of the tests' histories, oldest first
	Tests   []testRow  `json:"tests"`
	Slowest []testRow  `json:"slowest,omitempty"` // by their median duration
	Slower  []testRow  `json:"slower,omitempty"`  // tests that became slower
	Weak    []testRow  `json:"weak,omitempty"`    // tests with weak assertions or repairs in their newest run
	Stable  int        `json:"stable"`            // tests that always passed
	More    int        `json:"more"`              // that are not stable and not shown
	Totals  runsTotals `json:"totals"`
}

type runsTotals struct {
	Runs  int `json:"runs"`
	Tests int `json:"tests"`
	Flaky int `json:"flaky"`
}

type runRow struct {
	Name     string       `json:"name"`
	Result   event.Result `json:"result"`
	Link     string       `json:"link,omitempty"`
	Gone     bool         `json:"gone,omitempty"`
	Pass     int          `json:"pass"`
	Fail     int          `json:"fail"`
	Error    int          `json:"error"`
	Other    int          `json:"other"`
	Expected int          `json:"expected,omitempty"`
	Took     string       `json:"took"`            // of all tests together
	Found    string       `json:"found,omitempty"` // weak assertions and repairs, in words
}

type testRow struct {
	Key     string  `json:"key"`
	Flaky   string  `json:"flaky,omitempty"` // why it cannot be trusted
	Score   float64 `json:"-"`
	History string  `json:"history"`           // a character for each column; a space: it did not run
	Retried string  `json:"retried"`           // of each column: the number of attempts, if more than one
	Rate    int     `json:"rate"`              // percent of its runs that passed
	Failing string  `json:"failing,omitempty"` // how often it failed, with the interval
	Usual   string  `json:"usual,omitempty"`   // median of those that passed
	Slower  string  `json:"slower,omitempty"`  // how much slower it became, in words
	Found   string  `json:"found,omitempty"`   // weak assertions and repairs of its newest run, in words
	median  int64
	growth  float64
	Last    string `json:"last,omitempty"`
	Link    string `json:"link,omitempty"` // its newest report
}

func runsDataOf(in RunsPage) *runsData {
	entries := lastOfEach(in.Entries)
	d := &runsData{Page: "runs", Runs: []runRow{}, Columns: []string{}, Tests: []testRow{}}
	byRun, byTest := map[string][]history.HistoryEntry{}, map[string][]history.HistoryEntry{}
	for _, e := range entries {
		byRun[e.Run] = append(byRun[e.Run], e)
		byTest[tryless(e.Pack)] = append(byTest[tryless(e.Pack)], e)
	}
	names := make([]string, 0, len(byRun))
	for name := range byRun {
		names = append(names, name)
	}
	for _, name := range in.Present {
		if byRun[name] == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	d.Totals.Runs, d.Totals.Tests = len(names), len(byTest)
	for _, name := range slices.Backward(names[max(0, len(names)-maxRunsShown):]) {
		d.Runs = append(d.Runs, runRowOf(name, byRun[name], in))
	}
	d.Older = max(0, len(names)-maxRunsShown)
	d.Columns = append(d.Columns, names[max(0, len(names)-maxColumns):]...)
	d.addTests(byTest, in)
	return d
}

// lastOfEach returns the last entry of each test in each run, in the order of the runs.
func lastOfEach(entries []history.HistoryEntry) []history.HistoryEntry {
	at := map[[2]string]int{}
	var out []history.HistoryEntry
	for _, e := range entries {
		if !pack.IsRunName(e.Run) || e.Pack == "" {
			continue
		}
		key := [2]string{e.Run, tryless(e.Pack)}
		if i, found := at[key]; found {
			out[i] = e
			continue
		}
		at[key] = len(out)
		out = append(out, e)
	}
	slices.SortStableFunc(out, func(a, b history.HistoryEntry) int { return cmp.Compare(a.Run, b.Run) })
	return out
}

func runRowOf(name string, entries []history.HistoryEntry, in RunsPage) runRow {
	r := runRow{Name: shown(name, maxLabel), Result: event.Pass}
	_, present := slices.BinarySearch(in.Present, name)
	r.Gone = !present
	if _, paged := slices.BinarySearch(in.Paged, name); paged {
		r.Link = link(name) + "/" + IndexFile
	}
	total, found := int64(0), foundCounts{}
	for _, e := range entries {
		total += max(0, e.DurationMS)
		found.add(e)
		switch result(e.Result) {
		case event.Pass:
			r.Pass++
		case event.Fail:
			r.Fail++
		case event.Expected:
			r.Expected++
		case event.Skipped, event.Interrupted:
			r.Other++
			if e.Result == event.Interrupted {
				r.Result = event.Interrupted
			}
		default:
			r.Error++
		}
	}
	switch {
	case r.Result == event.Interrupted:
	case r.Fail > 0:
		r.Result = event.Fail
	case r.Error > 0:
		r.Result = event.Error
	case r.Pass+r.Expected == 0:
		r.Result = event.Skipped
	}
	r.Took, r.Found = took(millis(total)), found.String()
	return r
}

// foundCounts are what was found in reports.
type foundCounts struct{ weak, offered, applied int }

func (n *foundCounts) add(e history.HistoryEntry) {
	n.weak += max(0, e.Weak)
	switch e.Repair {
	case history.Offered:
		n.offered++
	case history.Applied:
		n.applied++
	}
}

// String is the numbers in words, empty where there is nothing.
func (n foundCounts) String() string {
	repairs := repairSum(n.offered, n.applied)
	switch {
	case n.weak == 0:
		return repairs
	case repairs == "":
		return phrase.Plural(n.weak, "weak assertion")
	}
	return phrase.Plural(n.weak, "weak assertion") + ", " + repairs
}

func (d *runsData) addTests(byTest map[string][]history.HistoryEntry, in RunsPage) {
	column := map[string]int{}
	for i, name := range d.Columns {
		column[name] = i
	}
	var all []testRow
	for key, entries := range byTest {
		t := testRowOf(key, entries, column)
		newest := entries[len(entries)-1]
		if _, paged := slices.BinarySearch(in.Paged, newest.Run); paged {
			t.Link = link(path.Join(newest.Run, newest.Pack, PackFile))
		}
		found := foundCounts{}
		found.add(newest)
		t.Found = found.String()
		all = append(all, t)
		if t.Flaky != "" {
			d.Totals.Flaky++
		}
		if t.Score == 0 {
			d.Stable++
			continue
		}
		d.Tests = append(d.Tests, t)
	}
	d.addFound(all)
	d.addSlow(all)
	slices.SortFunc(d.Tests, func(a, b testRow) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Key, b.Key))
	})
	if over := len(d.Tests) - maxTestsShown; over > 0 {
		d.More = over
		d.Tests = d.Tests[:maxTestsShown]
	}
}

// testRowOf scores a test: 0 means that it passed, was skipped or failed as expected in all its runs and never needed a
// second attempt.
func testRowOf(key string, entries []history.HistoryEntry, column map[string]int) testRow {
	t := testRow{Key: shown(key, maxLabel)}
	h, retried := []byte(strings.Repeat(" ", len(column))), []byte(strings.Repeat(" ", len(column)))
	var passed []int64
	ran, bad, flips, saved := 0, 0, 0, 0
	last := history.HistoryEntry{}
	for _, e := range entries {
		if i, ok := column[e.Run]; ok {
			h[i] = resultCode(e.Result)[0]
			if e.Attempts > 1 {
				retried[i] = "0123456789"[min(e.Attempts, 9)]
			}
		}
		switch e.Result {
		case event.Skipped, event.Expected:
			continue
		case event.Pass:
			passed = append(passed, e.DurationMS)
			if e.Attempts > 1 {
				saved++
			}
		default:
			bad++
		}
		ran++
		if counts(e) {
			if counts(last) && e.Hash != "" && e.Hash == last.Hash && e.Result != last.Result {
				flips++
			}
			last = e
		}
	}
	t.History, t.Retried = string(h), string(retried)
	if ran > 0 {
		t.Rate = 100 * len(passed) / ran
	}
	if bad > 0 {
		t.Failing = history.NewRate(bad, ran).String()
	}
	if n := len(passed); n > 0 {
		t.Last = took(millis(passed[n-1]))
		t.compareDurations(passed)
		slices.Sort(passed)
		t.median = passed[(n-1)/2]
		t.Usual = took(millis(t.median))
	}
	t.Flaky = flakiness(flips, saved, ran)
	if bad+saved > 0 {
		t.Score = float64(bad+saved)/float64(ran) + 10*float64(saved) + 10*float64(max(0, flips-1))
	}
	return t
}

const (
	maxSlow   = 10 // tests of each list
	recentRun = 3  // runs that are compared with the earlier ones
	growthOf  = 1.25
)

// compareDurations compares the last runs that passed with those before, by their medians.
func (t *testRow) compareDurations(passed []int64) {
	if len(passed) < 2*recentRun {
		return
	}
	middle := func(list []int64) int64 {
		list = slices.Clone(list)
		slices.Sort(list)
		return list[(len(list)-1)/2]
	}
	before, now := middle(passed[:len(passed)-recentRun]), middle(passed[len(passed)-recentRun:])
	if before > 0 && float64(now) >= growthOf*float64(before) && now-before >= 500 {
		t.growth = float64(now) / float64(before)
		t.Slower = fmt.Sprintf("%s, was %s (+%.0f %%)", took(millis(now)), took(millis(before)), 100*(t.growth-1))
	}
}

// maxFound is how many tests with weak assertions or repairs are listed.
const maxFound = 50

// addFound lists the tests with weak assertions or repairs.
func (d *runsData) addFound(all []testRow) {
	for _, t := range all {
		if t.Found != "" {
			d.Weak = append(d.Weak, t)
		}
	}
	slices.SortFunc(d.Weak, func(a, b testRow) int { return cmp.Compare(a.Key, b.Key) })
	if over := len(d.Weak) - maxFound; over > 0 {
		d.Weak = append(d.Weak[:maxFound], testRow{Key: fmt.Sprintf("and %d more", over)})
	}
}

// addSlow lists the tests that take longest, and those that became slower.
func (d *runsData) addSlow(all []testRow) {
	slices.SortFunc(all, func(a, b testRow) int {
		return cmp.Or(cmp.Compare(b.median, a.median), cmp.Compare(a.Key, b.Key))
	})
	for _, t := range all[:min(len(all), maxSlow)] {
		if t.median > 0 {
			d.Slowest = append(d.Slowest, t)
		}
	}
	slices.SortFunc(all, func(a, b testRow) int {
		return cmp.Or(cmp.Compare(b.growth, a.growth), cmp.Compare(a.Key, b.Key))
	})
	for _, t := range all[:min(len(all), maxSlow)] {
		if t.growth > 0 {
			d.Slower = append(d.Slower, t)
		}
	}
}

// counts reports whether an entry counts for the test: an error is the infrastructure's.
func counts(e history.HistoryEntry) bool {
	return e.Result == event.Pass || e.Result == event.Fail
}

func flakiness(flips, saved, ran int) string {
	var why []string
	if saved > 0 {
		why = append(why, fmt.Sprintf("passed only on a later attempt, in %d of %d runs", saved, ran))
	}
	if flips >= 2 { // a single change is what tests are for
		why = append(why, fmt.Sprintf("changed between pass and fail %d times in %d runs, with the same test source",
			flips, ran))
	}
	return strings.Join(why, "; ")
}
