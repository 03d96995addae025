package history

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event/eventtest"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

func TestChoiceIsInTheReportsOfTheRun(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dir, err := pack.NewRunDir(root, time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC))
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	seed := int64(0)
	c := Choice{Labels: "a && |b|", RerunOf: "2026-03-04T05-06-06", Shard: "1/2", Repeat: 3, Seed: &seed, FailFast: true}
	if err := WriteChoice(dir, c); err != nil {
		t.Fatal(err)
	}
	run := loadRun(t, dir.Path())
	got := run.Choice
	if got.Seed == nil || *got.Seed != 0 {
		t.Fatalf("seed 0 was lost: %+v", got)
	}
	got.Seed = c.Seed
	if got != c {
		t.Errorf("%+v", got)
	}
	for _, text := range []string{string(RunSummary(run, PageOptions{})), string(RunJSON(run))} {
		for _, word := range []string{"1/2", "2026-03-04T05-06-06", "seed"} {
			if !strings.Contains(text, word) {
				t.Errorf("no %q in\n%s", word, text)
			}
		}
	}
	eventtest.Put(t, filepath.Join(dir.Path(), choiceFile), "{")
	if run := loadRun(t, dir.Path()); !run.Choice.Empty() || len(run.Notes) != 1 {
		t.Errorf("%+v, %q", run.Choice, run.Notes)
	}
}

func TestRunWithoutAChoice(t *testing.T) {
	t.Parallel()
	run := loadRun(t, layRun(t))
	if text := string(RunSummary(run, PageOptions{})) + string(RunJSON(run)); strings.Contains(text, "hosen") ||
		strings.Contains(text, `"choice"`) {
		t.Error(text)
	}
}

func TestFailedNamesWhatIsWorthAnotherTry(t *testing.T) {
	t.Parallel()
	dir := layRun(t)
	layPack(t, dir, "shaky--rep-1", eventtest.File("pass"))
	layPack(t, dir, "shaky--rep-2", eventtest.File("fail"))
	layPack(t, dir, "shaky--row-1--rep-3", eventtest.File("fail"))
	eventtest.Put(t, filepath.Join(dir, planFile),
		`[{"id":"late","pack":"late--rep-1","platform":"web"},{"id":"late","pack":"late--rep-2","platform":"web"}]`)
	got := loadRun(t, dir).Failed()
	for _, name := range []string{"login-wrong", "phone-lost", "killed", "shaky", "shaky--row-1", "late"} {
		if !slices.Contains(got, name) {
			t.Errorf("no %s in %q", name, got)
		}
	}
	if slices.Contains(got, "login-ok") || len(slices.Compact(slices.Clone(got))) != len(got) {
		t.Errorf("%q", got)
	}
}

func TestLastRunIsTheNewestThatIsOver(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if _, err := LastRun(root, time.Now()); err == nil || !strings.Contains(err.Error(), "no run") {
		t.Errorf("%v", err)
	}
	if _, err := LastRun(filepath.Join(root, "nowhere"), time.Now()); err == nil ||
		!strings.Contains(err.Error(), "no reports") {
		t.Errorf("%v", err)
	}
	for name, events := range map[string]string{"2026-01-01T00-00-01": "pass", "2026-01-01T00-00-02": "interrupted",
		"2026-01-01T00-00-04": "fail"} {
		layPack(t, filepath.Join(root, name), "some", eventtest.File(events))
		eventtest.Put(t, filepath.Join(root, name, pack.LiveFile), "")
	}
	if err := os.Mkdir(filepath.Join(root, "2026-01-01T00-00-03"), 0o755); err != nil { // no case, and it has just started
		t.Fatal(err)
	}
	live, err := pack.OpenRunDir(filepath.Join(root, "2026-01-01T00-00-04"))
	if err != nil {
		t.Fatal(err)
	}
	run, err := LastRun(root, time.Now().Add(time.Hour))
	if err != nil || run.Name != "2026-01-01T00-00-02" { // its process died, and it was not finalized
		t.Fatalf("%+v, %v", run, err)
	}
	if err := live.Close(); err != nil {
		t.Fatal(err)
	}
	if run, err = LastRun(root, time.Now()); err != nil || run.Name != "2026-01-01T00-00-04" {
		t.Errorf("%+v, %v", run, err)
	}
}
