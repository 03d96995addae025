package history_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/finding"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/runtest"
)

// TestHistoryHasFindings: history.jsonl counts the weak assertions of a test, and says that a repair was offered, and
// later that it was applied. Repairs that are applied at the same time are all recorded.
func TestHistoryHasFindings(t *testing.T) {
	t.Parallel()
	dir := runtest.Lay(t, runtest.Glob(t, "event/testdata/events/fail.ndjson")...)
	const test = "login-wrong"
	offered := finding.Repair{File: "a.yaml", Line: 8, Old: "- tap: In", New: "- tap: Enter", Score: 90,
		Evidence: finding.Evidence{Test: test, Pack: test, Step: 4}}
	err := errors.Join(history.WriteWeak(dir, finding.Weakness{Findings: []finding.Weak{{Kind: "held-before", Test: test},
		{Kind: finding.NoAssertion, Test: test}, {Kind: "held-before", Test: "other"}}}),
		history.WriteRepairs(dir, finding.Repairs{Repairs: []finding.Repair{offered}}))
	if err != nil {
		t.Fatal(err)
	}
	run, err := history.LoadRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := history.AppendHistory(run); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(filepath.Dir(dir), "history.jsonl")
	says := func(want string) {
		t.Helper()
		data, err := os.ReadFile(file)
		lines := strings.Split(strings.TrimSpace(string(data)), "\n")
		if last := lines[len(lines)-1]; err != nil || !strings.Contains(last, want) {
			t.Errorf("history.jsonl ends with %s, want %s; %v", last, want, err)
		}
	}
	says(`"weak":1,"repair":"offered"`)
	var all sync.WaitGroup
	for i := range 8 {
		one := offered
		one.Line, one.Applied = 8+i, "2026-03-04T06:00:00Z"
		all.Go(func() {
			if err := history.RecordApplied(dir, []finding.Repair{one}); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	says(`"weak":1,"repair":"applied"`)
	if _, repairs := history.Findings(dir); len(repairs) != 8 || repairs[0].Applied == "" {
		t.Errorf("%d repairs are recorded: %+v", len(repairs), repairs)
	}
	runtest.ValidFile(t, file)
	runtest.ValidFile(t, filepath.Join(dir, finding.RepairFile))
	runtest.ValidFile(t, filepath.Join(dir, finding.WeakFile))
	newer := []byte(`{"format": "taproot.repairs/2"}`)
	if err := os.WriteFile(filepath.Join(dir, finding.RepairFile), newer, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := history.RecordApplied(dir, []finding.Repair{offered}); err == nil {
		t.Error("a file of another format was overwritten")
	}
}
