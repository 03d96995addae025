package cli

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/internal/result/runtest"
	"github.com/taproot-dev/taproot/reporters"
	"github.com/taproot-dev/taproot/runner/run"
)

// lateCase was planned and never started.
const lateCase = `[{"id":"late","pack":"late","platform":"web","place":{"file":"suites/zz.yaml","line":3,"col":1}}]`

// shards distributes the packs of a run to folders as CI jobs leave them.
func shards(t *testing.T, run string, count int) []string {
	t.Helper()
	packs, err := pack.Packs(run)
	if err != nil || len(packs) < 2*count {
		t.Fatal(packs, err)
	}
	var dirs []string
	for i := range count {
		dir := filepath.Join(t.TempDir(), fmt.Sprintf("shard-%d", i+1))
		at := filepath.Join(dir, filepath.Base(run))
		putReportFile(t, filepath.Join(at, "choice.json"), fmt.Sprintf(`{"shard":"%d/%d","labels":"smoke"}`, i+1, count))
		dirs = append(dirs, dir)
	}
	deal := 0
	of := map[string]int{} // the attempts of a case are in one shard
	for _, pack := range packs {
		key := history.CaseKey(filepath.Base(pack))
		if _, known := of[key]; !known {
			of[key], deal = deal%count, deal+1
		}
		if err := os.CopyFS(filepath.Join(dirs[of[key]], filepath.Base(run), filepath.Base(pack)),
			os.DirFS(pack)); err != nil {
			t.Fatal(err)
		}
	}
	putReportFile(t, filepath.Join(dirs[count-1], filepath.Base(run), "plan.json"), lateCase)
	return dirs
}

func TestReportMerge(t *testing.T) {
	t.Parallel()
	whole := runtest.Lay(t, append(runtest.Glob(t, "history/testdata/run/*.ndjson"),
		runtest.Glob(t, "event/testdata/events/*.ndjson")...)...)
	putReportFile(t, filepath.Join(whole, "plan.json"), lateCase)
	putReportFile(t, filepath.Join(whole, "choice.json"), `{"labels":"smoke"}`)
	if _, err := run.Merged(t.Context(), whole, reporters.Options{Quiet: true}); err != nil {
		t.Fatal(err)
	}
	dirs := shards(t, whole, 3)
	p := &reportProject{dir: t.TempDir(), env: map[string]string{}}
	slices.Reverse(dirs) // the order of the arguments does not matter
	p.want(t, 0, "14 tests of 3 shards, 2 passed, 5 failed", append([]string{"merge", "--reports", "all"}, dirs...)...)
	merged := filepath.Join(p.dir, "all", filepath.Base(whole))
	for _, name := range []string{"junit.xml", "ctrf.json", "run.json", "summary.md", "index.html", "../history.jsonl"} {
		want, err := os.ReadFile(filepath.Join(whole, name))
		if err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(merged, name))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(strings.ReplaceAll(string(want), filepath.Dir(whole), filepath.Dir(merged)),
			string(got)); diff != "" {
			t.Errorf("%s of three shards is not that of the whole run (-whole +merged):\n%s", name, diff)
		}
	}
	if _, err := os.Stat(filepath.Join(merged, "login", "report.html")); err != nil {
		t.Error(err)
	}
	p.want(t, 0, "14 tests", "export", "--reports", "all", "--format", "summary")
}

func TestReportMergeRefuses(t *testing.T) {
	t.Parallel()
	whole := runtest.Lay(t, runtest.Glob(t, "event/testdata/events/*.ndjson")...)
	dirs := shards(t, whole, 3)
	p := &reportProject{dir: t.TempDir(), env: map[string]string{}}
	p.want(t, 2, "name the runs to merge", "merge")
	p.want(t, 2, "shard 2/3 is missing: name its run too, or leave it out with --partial", "merge", dirs[0], dirs[2])
	p.want(t, 2, "merge only the shards of one run", "merge", dirs[0], dirs[1], dirs[2], dirs[1])
	p.want(t, 2, "there is no run", "merge", t.TempDir())
	putReportFile(t, filepath.Join(dirs[1], filepath.Base(whole), "choice.json"), `{"shard":"2/3","labels":"other"}`)
	p.want(t, 2, "ran other tests than", append([]string{"merge"}, dirs...)...)
	if _, err := os.Stat(filepath.Join(p.dir, "tests")); err == nil {
		t.Error("a merge that was refused left something behind")
	}
	p.want(t, 0, "tests of 2 shards", "merge", "--partial", "--reports", "part", dirs[0], dirs[2])
	if out := p.want(t, 0, "", "export", "--reports", "part", "--format", "summary"); !strings.Contains(out,
		"shard 1/3, 3/3") {
		t.Errorf("the report does not say which shards it is of:\n%s", out)
	}
}

// A link to a run works like the run: latest, and links of the user.
func TestReportMergeOfLinks(t *testing.T) {
	t.Parallel()
	whole := runtest.Lay(t, runtest.Glob(t, "event/testdata/events/*.ndjson")...)
	dirs := shards(t, whole, 3)
	p := &reportProject{dir: t.TempDir(), env: map[string]string{}}
	for i, dir := range dirs {
		link := filepath.Join(dir, []string{"latest", "newest", "latest"}[i])
		if err := os.Symlink(filepath.Base(whole), link); err != nil {
			t.Skip(err)
		}
		dirs[i] = link
	}
	p.want(t, 0, "tests of 3 shards", append([]string{"merge", "--reports", "all"}, dirs...)...)
	p.want(t, 2, "merge only the shards of one run", "merge", dirs[0], dirs[1], dirs[2],
		filepath.Join(filepath.Dir(dirs[1]), filepath.Base(whole)))
}
