package history

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/event/eventtest"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// layRuns makes n runs, a day apart, the newest a day before now; each had a lock.
func layRuns(t *testing.T, now time.Time, n int) (string, []string) {
	t.Helper()
	root := t.TempDir()
	var runs []string
	for i := range n {
		run := now.Add(-time.Duration(n-i) * 24 * time.Hour).Format(pack.RunLayout)
		eventtest.Put(t, filepath.Join(root, run, pack.LiveFile), "")
		eventtest.Put(t, filepath.Join(root, run, "login", event.SummaryFile), "{}")
		runs = append(runs, run)
	}
	return root, runs
}

func prune(t *testing.T, root string, l Limits, dry bool) []string {
	t.Helper()
	gone, err := Prune(root, l, eventtest.Epoch, dry)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, p := range gone {
		names = append(names, p.Run)
	}
	return names
}

func TestPrune(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		limits Limits
		gone   int
	}{
		{Limits{Days: 30, Runs: 100}, 10},
		{Limits{Days: 1000, Runs: 15}, 25},
		{Limits{Days: 10, Runs: 15}, 30},
		{Limits{Days: 1000, Runs: 100}, 0},
		{Limits{Days: 1, Runs: 1}, 39},
	} {
		root, runs := layRuns(t, eventtest.Epoch, 40)
		if got := prune(t, root, c.limits, true); !slices.Equal(got, runs[:c.gone]) || len(eventtest.Entries(t, root)) != 40 {
			t.Errorf("%+v, dry: %q", c.limits, got)
		}
		if got := prune(t, root, c.limits, false); !slices.Equal(got, runs[:c.gone]) {
			t.Errorf("%+v: %q", c.limits, got)
		}
		if got := eventtest.Entries(t, root); !slices.Equal(got, runs[c.gone:]) {
			t.Errorf("%+v leaves %q", c.limits, got)
		}
	}
}

// What is kept, live, spared, linked, or not exactly a run, stays whatever its age.
func TestPruneSpares(t *testing.T) {
	t.Parallel()
	root, runs := layRuns(t, eventtest.Epoch, 10)
	eventtest.Put(t, filepath.Join(root, runs[1], keepFile), "")
	live, err := pack.OpenRunDir(filepath.Join(root, runs[2]))
	if err != nil {
		t.Fatal(err)
	}
	outside := t.TempDir()
	eventtest.Put(t, filepath.Join(outside, "precious"), "x")
	stay := []string{runs[1], runs[2], runs[3], "2020-01-01T00-00-00x", "2020-13-01T00-00-00", "notes", historyFile,
		"latest", ".trash-mine",
		"2020-01-02T00-00-00", ".trash-2020-01-01T00-00-00-ABCDEFGH"}
	for _, name := range []string{"2020-01-01T00-00-00x/a", "2020-13-01T00-00-00/a", "notes/a", historyFile,
		".trash-mine/a", ".trash-2020-01-01T00-00-00-AAAAAAAA/b/c"} {
		eventtest.Put(t, filepath.Join(root, filepath.FromSlash(name)), "x")
	}
	for link, to := range map[string]string{"latest": runs[2], "2020-01-02T00-00-00": outside,
		".trash-2020-01-01T00-00-00-ABCDEFGH": outside, runs[0] + "/login/out": outside} {
		if err := os.Symlink(to, filepath.Join(root, filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
	}
	l := Limits{Days: 1, Runs: 1, Keep: []string{runs[3]}}
	want := append([]string{runs[0]}, runs[4:9]...)
	if got := prune(t, root, l, false); !slices.Equal(got, want) {
		t.Errorf("pruned %q", got)
	}
	stay = append(stay, runs[9])
	slices.Sort(stay)
	if got := eventtest.Entries(t, root); !slices.Equal(got, stay) {
		t.Errorf("left %q\nwant %q", got, stay)
	}
	if got := eventtest.Names(t, outside); !slices.Equal(got, []string{"precious"}) {
		t.Errorf("outside: %q", got)
	}
	if err := live.Close(); err != nil {
		t.Fatal(err)
	}
	if got := prune(t, root, l, false); !slices.Equal(got, []string{runs[2]}) {
		t.Errorf("after its end: %q", got)
	}
	if slices.Contains(eventtest.Entries(t, root), "latest") {
		t.Error("latest leads nowhere")
	}
}

// A run that was just made may not have its lock yet.
func TestPruneYoung(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for _, run := range []string{"2020-01-01T00-00-00", "2020-01-02T00-00-00"} {
		eventtest.Put(t, filepath.Join(root, run, "login", event.EventsFile), "")
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(root, "2020-01-01T00-00-00"), old, old); err != nil {
		t.Fatal(err)
	}
	gone, err := Prune(root, Limits{Days: 1, Runs: 1}, time.Now(), false)
	if err != nil || len(gone) != 1 || gone[0].Run != "2020-01-01T00-00-00" {
		t.Error(gone, err)
	}
}

func TestPruneWrongLimits(t *testing.T) {
	t.Parallel()
	root, runs := layRuns(t, eventtest.Epoch, 40)
	for _, l := range []Limits{{}, {Days: 30}, {Runs: 100}, {Days: -1, Runs: 5}, {Days: 5, Runs: 1 << 40}} {
		if gone, err := Prune(root, l, eventtest.Epoch, false); err == nil || gone != nil {
			t.Errorf("%+v: %v", l, gone)
		}
	}
	if got := eventtest.Entries(t, root); !slices.Equal(got, runs) {
		t.Errorf("left %q", got)
	}
	if gone, err := Prune(filepath.Join(root, "none"), Limits{Days: 1, Runs: 1}, eventtest.Epoch, false); err != nil ||
		gone != nil {
		t.Error(gone, err)
	}
}

func TestLimitsFromEnv(t *testing.T) {
	t.Parallel()
	const secret = "hunter2-very-secret"
	for _, c := range []struct {
		env  map[string]string
		file string
		want Limits
		err  string
	}{
		{nil, "", Limits{Days: 30, Runs: 100}, ""},
		{map[string]string{"REPORT_MAX_DAYS": "7"}, "REPORT_MAX_DAYS=8\nREPORT_MAX_RUNS=9 # few\n",
			Limits{Days: 7, Runs: 9}, ""},
		{map[string]string{"REPORT_MAX_DAYS": ""}, "export REPORT_MAX_DAYS='8'", Limits{Days: 8, Runs: 100}, ""},
		{map[string]string{"REPORT_MAX_DAYS": "0"}, "", Limits{}, `REPORT_MAX_DAYS="0": use a whole number`},
		{map[string]string{"REPORT_MAX_RUNS": "-1"}, "", Limits{}, "REPORT_MAX_RUNS"},
		{map[string]string{"REPORT_MAX_DAYS": "30d"}, "", Limits{}, "30d"},
		{map[string]string{"REPORT_MAX_DAYS": "1e3"}, "", Limits{}, "1e3"},
		{map[string]string{"REPORT_MAX_RUNS": "99999999999999999999"}, "", Limits{}, "99999"},
		{nil, "REPORT_MAX_RUNS=many", Limits{}, `"many" in .env`},
		{nil, "KEY=" + secret + "\n}{ not an env file\n", Limits{}, ".env cannot be parsed"},
		{nil, strings.Repeat("#", maxEnvFile+1), Limits{}, "larger than"},
	} {
		dir := t.TempDir()
		if c.file != "" {
			eventtest.Put(t, filepath.Join(dir, envFile), c.file)
		}
		got, err := LimitsFromEnv(func(name string) string { return c.env[name] }, dir)
		if fmt.Sprint(got) != fmt.Sprint(c.want) || (err == nil) != (c.err == "") || err != nil &&
			!strings.Contains(err.Error(), c.err) {
			t.Errorf("%v %.40q: %+v, %v", c.env, c.file, got, err)
		}
		if err != nil && strings.Contains(err.Error(), secret) {
			t.Errorf("a secret is in %v", err)
		}
	}
	if os.Getenv("REPORT_MAX_DAYS") != "" {
		t.Error(".env was loaded into the process")
	}
}
