package allure

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/runtest"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// recorded writes the results of recorded cases.
func recorded(t *testing.T) (run *history.Run, dir string) {
	t.Helper()
	run = runtest.Recorded(t)
	dir = filepath.Join(t.TempDir(), "results")
	attempts := 0
	for _, c := range run.Cases {
		attempts += 1 + len(c.Attempts)
	}
	for range 2 { // again, it replaces them
		if n, err := Write(run, dir); err != nil || n != attempts {
			t.Fatalf("%d results of %d attempts, %v", n, attempts, err)
		}
	}
	return run, dir
}

func readAll(t *testing.T, dir string) map[string]result {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*-result.json"))
	if err != nil {
		t.Fatal(err)
	}
	all := map[string]result{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		var r result
		if err == nil {
			err = json.Unmarshal(data, &r)
		}
		if err != nil {
			t.Fatal(file, err)
		}
		all[filepath.Base(file)] = r
	}
	return all
}

// Each attempt has a result with steps and files of its own; the attempts of a case have its history id.
func TestWrite(t *testing.T) {
	run, dir := recorded(t)
	results := readAll(t, dir)
	used := map[string]bool{}
	use := func(list []attachment) {
		for _, a := range list {
			if _, err := os.Stat(filepath.Join(dir, a.Source)); err != nil || used[a.Source] || a.Type == "" {
				t.Errorf("%+v: %v, used before: %t", a, err, used[a.Source])
			}
			used[a.Source] = true
		}
	}
	var walk func(steps []*step)
	walk = func(steps []*step) {
		for _, s := range steps {
			if s.Name == "" || s.Status == "" || s.Stop < s.Start {
				t.Errorf("%+v", s)
			}
			use(s.Attachments)
			walk(s.Steps)
		}
	}
	ids := map[string][]string{}
	for i := range run.Cases {
		c := &run.Cases[i]
		for _, a := range append(slices.Clone(c.Attempts), history.Attempt{Pack: c.Pack, CaseResult: c.CaseResult}) {
			r, ok := results[uuid(run.Name, a.Pack)+"-result.json"]
			if !ok {
				t.Fatalf("no result of %s", a.Pack)
			}
			walk(r.Steps)
			use(r.Attachments)
			if r.Status != status(a.CaseResult.Result) || r.Stage != "finished" || r.Start == 0 {
				t.Errorf("%s: %+v", a.Pack, r)
			}
			if !slices.Contains(ids[c.Key], r.HistoryID) {
				ids[c.Key] = append(ids[c.Key], r.HistoryID)
			}
		}
	}
	all := map[string]bool{}
	for key, list := range ids {
		if len(list) != 1 || all[list[0]] {
			t.Errorf("%s has the history ids %q", key, list)
		}
		all[list[0]] = true
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.Contains(e.Name(), "-attachment") && !used[e.Name()] {
			t.Errorf("%s belongs to no result", e.Name())
		}
	}
}

// A known failure is skipped and known, an error is broken, and steps are in their blocks.
func TestStatuses(t *testing.T) {
	mark := &event.Fails{Because: "https://bugs.example/7"}
	v, p := mark.Judge(event.Fail, &event.Problem{Message: "no button", Expected: "Pay", Actual: "Buy"})
	c := &history.RunCase{Key: "a--row-2", CaseResult: &event.CaseResult{Case: event.Case{ID: "a", Fails: mark,
		Platform: "web", Properties: []event.Property{{Name: "severity", Value: "critical"}}}, Result: v, Problem: p}}
	d := detailsOf(c, c.CaseResult)
	if status(v) != skipped || !d.Known || d.Expected != "Pay" || !strings.Contains(d.Message, "no button") {
		t.Errorf("%s %+v", status(v), d)
	}
	if l := links(c.CaseResult.Case); len(l) != 1 || l[0].Type != "issue" {
		t.Errorf("%+v", l)
	}
	if l := labels(c.CaseResult.Case, v, nil); !slices.Contains(l, label{"taproot.result", "expected"}) ||
		!slices.Contains(l, label{"severity", "critical"}) {
		t.Errorf("%+v", l)
	}
	if ps := distinct(parameters(c, c.CaseResult.Case)); fmt.Sprint(ps) != "[{platform web false} {row 2 false}]" {
		t.Errorf("%v", ps)
	}
	top := &step{}
	for i, in := range [][]string{nil, {"group A"}, {"group A", "repeat 1/2"}, {"group A", "repeat 2/2"}, {"group B"},
		nil} {
		top.inside(in, &step{Name: fmt.Sprint(i), Status: []string{passed, passed, failed, skipped, passed, passed}[i],
			Start: int64(i + 1), Stop: int64(i + 2)})
	}
	var shape func(s *step) string
	shape = func(s *step) string {
		text := s.Name
		if len(s.Steps) > 0 {
			text += "("
			for _, inner := range s.Steps {
				text += " " + shape(inner)
			}
			text += " " + s.Status + fmt.Sprint(s.Start, "-", s.Stop) + ")"
		}
		return text
	}
	const want = "( 0 group A( 1 repeat 1/2( 2 failed3-4) repeat 2/2( 3 skipped4-5) failed2-5) group B( 4 passed5-6) 5 " +
		"failed1-7)"
	if got := shape(top); got != want {
		t.Errorf("%s", got)
	}
}

// The published program of Allure makes a report of the results, with all cases and the attempts as retries.
func TestAllureReadsIt(t *testing.T) {
	if testing.Short() {
		testutil.Leave(t, "TestWrite compares the results with the run")
	}
	run, dir := recorded(t)
	program := filepath.Join(runtest.NPMInstall(t, "allure@3.18.0"), "node_modules", ".bin", "allure")
	out := filepath.Join(t.TempDir(), "report")
	cmd := exec.CommandContext(t.Context(), program, "generate", dir, "--output", out)
	cmd.Dir = t.TempDir()
	if said, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	names := map[string]bool{}
	err := filepath.WalkDir(out, func(path string, d os.DirEntry, err error) error {
		if err != nil || filepath.Base(filepath.Dir(path)) != "test-results" {
			return err
		}
		data, err := os.ReadFile(path)
		var r struct {
			FullName string `json:"fullName"`
		}
		if err == nil {
			err = json.Unmarshal(data, &r)
		}
		names[r.FullName] = true
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range run.Cases {
		own := c.CaseResult.Case
		if name := own.Place.File + "#" + own.ID; own.Place.File != "" && !names[name] {
			t.Errorf("the report lacks %s", name)
		}
	}
}
