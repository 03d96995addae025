package html

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/event/eventtest"
	"github.com/taproot-dev/taproot/internal/result/finding"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// recorded folds a case that package reporters keeps for its own tests.
func recorded(t testing.TB, name string) *event.CaseResult {
	t.Helper()
	return event.Fold(eventtest.Recorded(t, name))
}

var (
	styleOfPage  = regexp.MustCompile(`(?s)<style>.*</style>`)
	scriptOfPage = regexp.MustCompile(`(?s)<script>.*?</script>`)
	hashOfPage   = regexp.MustCompile(`&#39;sha256-.*?&#39;`)
)

// bare is a page without what is the same on every one; the data a field on each line.
func bare(page []byte) []byte {
	s := styleOfPage.ReplaceAllString(string(page), "<style></style>")
	s = scriptOfPage.ReplaceAllString(s, "<script></script>")
	s = hashOfPage.ReplaceAllString(s, "'hash'")
	return []byte(strings.ReplaceAll(s, `,"`, ",\n\""))
}

func TestGoldenPacks(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"pass", "fail", "error", "interrupted", "skipped", "panic"} {
		t.Run(name, func(t *testing.T) {
			page := PackPage{CaseResult: recorded(t, name), Run: "2026-03-04T05-06-07", Up: "../index.html"}
			if name == "fail" {
				page.Cause = &CauseLink{N: 2, Others: 3, Link: "../index.html#cause=2"}
				page.History = []Past{{Run: "2026-03-03T05-06-07", Result: event.Pass, Duration: 2 * time.Second,
					Link: "../../2026-03-03T05-06-07/x/report.html"}, {Run: "2026-03-02T05-06-07", Result: event.Error}}
				page.Attempts = []Past{{Run: "login-wrong", Result: event.Fail}}
				page.Flaky, page.Slow = "passed on attempt 2", "took 9 s, usually 2 s"
			}
			var b bytes.Buffer
			if err := Pack(&b, page); err != nil {
				t.Fatal(err)
			}
			testutil.Golden(t, "golden/"+name+".html", bare(b.Bytes()))
		})
	}
}

// ofCases is a run of these results.
func ofCases(results ...*event.CaseResult) *history.Run {
	run := &history.Run{Name: "2026-03-04T05-06-07", Started: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC),
		Duration: 75 * time.Second}
	for _, r := range results {
		run.Cases = append(run.Cases, history.RunCase{Pack: r.Case.Pack, Key: r.Case.Pack, CaseResult: r, Page: r.Case.Pack +
			"/report.html"})
	}
	return run
}

func TestGoldenRun(t *testing.T) {
	t.Parallel()
	run := ofCases(recorded(t, "pass"), recorded(t, "fail"), recorded(t, "error"), recorded(t, "interrupted"),
		recorded(t, "skipped"), recorded(t, "panic"))
	run.Cases[0].Trend.Recent = []history.HistoryEntry{{Result: event.Pass}, {Result: event.Fail}, {Result: "<b>"}}
	run.Cases[0].Attempts = []history.Attempt{{Pack: "login-ok", CaseResult: recorded(t, "fail")}}
	run.Notes = []string{"a <note>"}
	run.Weak = &finding.Weakness{Assertions: 4, Weak: 1, Strength: 75, Findings: []finding.Weak{{Kind: "held-before",
		File: "suites/a.yaml", Line: 7, Test: "login-ok", Step: 2, Why: "assert: <Home> holds on 3 of 4 screens"}}}
	run.Repairs = []finding.Repair{{File: "suites/a.yaml", Line: 6, Old: "- tap: Pay", New: "- tap: Pay now", Score: 91,
		Evidence: finding.Evidence{Was: "button Pay", Now: "button Pay now"}}}
	var b bytes.Buffer
	if err := Run(&b, RunPage{Run: run, Up: "../index.html"}); err != nil {
		t.Fatal(err)
	}
	testutil.Golden(t, "golden/run-index.html", bare(b.Bytes()))
}

func TestGoldenRuns(t *testing.T) {
	t.Parallel()
	line := func(day, pack string, v event.Result, tries int) history.HistoryEntry {
		return history.HistoryEntry{Run: "2026-03-" + day + "T05-06-07", ID: pack, Pack: pack, Result: v, DurationMS: 1500,
			Hash: "h", Attempts: tries}
	}
	page := RunsPage{
		Entries: []history.HistoryEntry{
			line("01", "stable", event.Pass, 0), line("01", "flips", event.Pass, 0), line("01", "late", event.Pass, 0),
			line("02", "stable", event.Pass, 0), line("02", "flips", event.Fail, 0),
			line("02", "late--attempt-2", event.Pass, 2),
			line("02", "broke", event.Fail, 0),
			line("03", "stable", event.Error, 0), line("03", "stable", event.Pass, 0), line("03", "flips", event.Pass, 0),
			line("03", "<img>", event.Error, 0),
			{Run: "../../etc", Pack: "x", Result: event.Pass},
		},
		Present: []string{"2026-03-02T05-06-07", "2026-03-03T05-06-07"}, Paged: []string{"2026-03-03T05-06-07"},
	}
	var b bytes.Buffer
	if err := Runs(&b, page); err != nil {
		t.Fatal(err)
	}
	testutil.Golden(t, "golden/runs-index.html", bare(b.Bytes()))
	d := runsDataOf(page)
	why := map[string]string{}
	for _, test := range d.Tests {
		why[test.Key] = test.Flaky
	}
	want := map[string]string{"flips": "changed between pass and fail 2 times in 3 runs, with the same test source",
		"late": "passed only on a later attempt, in 1 of 2 runs", "broke": "", "<img>": ""}
	if diff := cmp.Diff(want, why); diff != "" || d.Stable != 1 {
		t.Errorf("%d stable; %s", d.Stable, diff)
	}
}
