package history

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/event/eventtest"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// lay writes files under a new root: their names, with slashes, and what is in them.
func lay(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		file := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func lines(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(eventtest.File(name))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

const run1 = "2026-01-02T03-04-05/"

func TestSeal(t *testing.T) {
	t.Parallel()
	root := lay(t, map[string]string{
		run1 + "killed/events.ndjson":              lines(t, "interrupted"),
		run1 + "killed/.work/aside-01-launch.png":  "half",
		run1 + "killed/.work/logcat.txt":           "E/App: last words\n",
		run1 + "ended/events.ndjson":               lines(t, "fail"),
		run1 + "empty/events.ndjson":               "",
		run1 + "garbage/events.ndjson":             "{\"event\":\"case_ended\",\"result\":\"pass\"}\nnot json\n{}\n",
		run1 + "whole/events.ndjson":               lines(t, "pass"),
		run1 + "whole/summary.json":                "not touched",
		run1 + "untidy/events.ndjson":              lines(t, "pass"),
		run1 + "untidy/summary.json":               "not touched",
		run1 + "untidy/.work/x":                    "x",
		run1 + "no-pack/file":                      "x",
		run1 + ".hidden/events.ndjson":             lines(t, "interrupted"),
		"2026-01-02T03-04-06/a/summary.json":       "x",
		"2026-01-02T03-04-05-mine/a/events.ndjson": lines(t, "interrupted"),
		"notes/a/events.ndjson":                    lines(t, "interrupted"),
	})
	sealed, err := Finalize(root, eventtest.Epoch)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]event.Result{}
	for _, s := range sealed {
		got[filepath.Base(s.Dir)] = s.CaseResult.Result
		sum, _ := checkPack(t, s.Dir)
		if sum.Result != s.CaseResult.Result || sum.ID == "" || len(sum.Notes) == 0 || sum.Recording.Why == "" {
			t.Errorf("%s: %+v", s.Dir, sum)
		}
		if _, err := os.Stat(filepath.Join(s.Dir, event.ArtifactsDir)); err != nil {
			t.Error(err)
		}
	}
	want := map[string]event.Result{"killed": event.Interrupted, "ended": event.Fail, "empty": event.Interrupted,
		"garbage": event.Interrupted}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("sealed %v", got)
	}
	killed := filepath.Join(root, run1, "killed")
	md, err := os.ReadFile(filepath.Join(killed, event.RunFile))
	if err != nil || !strings.Contains(string(md), "⏹️ INTERRUPTED") ||
		!strings.Contains(string(md), "in step 2 \\(input)") && !strings.Contains(string(md), "in step 2 (input)") {
		t.Errorf("%v\n%s", err, md)
	}
	if data, err := os.ReadFile(filepath.Join(killed, event.LogcatFile)); err != nil ||
		string(data) != "E/App: last words\n" || !strings.Contains(string(md), "(logcat.txt)") {
		t.Errorf("the log is not rescued: %q, %v", data, err)
	}
	if sum, _ := readSummary(filepath.Join(root, run1, "garbage")); !strings.Contains(sum.Problem.Message,
		"events line 2") {
		t.Errorf("%+v", sum.Problem)
	}
	after := eventtest.Names(t, root)
	for _, name := range after {
		if strings.Contains(name, "/"+event.WorkDir) || strings.HasSuffix(name, pack.LiveFile) && name != run1+pack.LiveFile {
			t.Errorf("%s is there", name)
		}
		if !strings.HasPrefix(name, run1) && strings.HasSuffix(name, event.RunFile) {
			t.Errorf("%s was made", name)
		}
	}
	if data, _ := os.ReadFile(filepath.Join(root, run1, "whole", event.SummaryFile)); string(data) != "not touched" {
		t.Errorf("a whole pack was sealed: %s", data)
	}
	if again, err := Finalize(root, eventtest.Epoch); err != nil || len(again) != 0 ||
		!slices.Equal(eventtest.Names(t, root),
			after) {
		t.Errorf("sealed twice: %v, %v", again, err)
	}
}

// A run may die between a screenshot and its event: the screenshot is a part of the report all the same. In the pack of
// a run that ended normally, an image without an event is a foreign file.
func TestSealAdoptsScreenshots(t *testing.T) {
	t.Parallel()
	const orphan, failed = "screenshots/02-assert.png", "screenshots/02-assert-failed.png"
	root := lay(t, map[string]string{
		run1 + "killed/events.ndjson":             lines(t, "interrupted"),
		run1 + "killed/" + orphan:                 "a picture",
		run1 + "killed/" + failed:                 "a picture",
		run1 + "killed/screenshots/notes.png":     "no name of ours",
		run1 + "killed/screenshots/03-x.png/file": "no file",
		run1 + "ended/events.ndjson":              lines(t, "pass"),
		run1 + "ended/screenshots/02-other.png":   "a picture",
	})
	before := event.Fold(eventtest.Recorded(t, "interrupted"))
	if _, err := Finalize(root, eventtest.Epoch); err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(root, filepath.FromSlash(run1))
	sum, err := readSummary(filepath.Join(dir, "killed"))
	if err != nil || sum.Screenshots != pack.Summarize(before).Screenshots+2 {
		t.Errorf("%d screenshots, of the events %d; %v", sum.Screenshots, pack.Summarize(before).Screenshots, err)
	}
	page, err := os.ReadFile(filepath.Join(dir, "killed", event.RunFile))
	if err != nil || !strings.Contains(string(page), orphan) || strings.Contains(string(page), "notes.png") ||
		strings.Contains(string(page), "03-x") {
		t.Errorf("%v\n%s", err, page)
	}
	if sum, err := readSummary(filepath.Join(dir, "ended")); err != nil ||
		sum.Screenshots != pack.Summarize(event.Fold(eventtest.Recorded(t, "pass"))).Screenshots {
		t.Errorf("%d screenshots, %v", sum.Screenshots, err)
	}
	run, err := LoadRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range run.Cases {
		if c.Pack == "killed" && !slices.ContainsFunc(c.CaseResult.Step(2).Attachments, func(a event.Attachment) bool {
			return a.Path == failed && a.Kind == event.KindFailure
		}) {
			t.Errorf("step 2 has %v", c.CaseResult.Step(2).Attachments)
		}
	}
}

func TestSealNothing(t *testing.T) {
	t.Parallel()
	if sealed, err := Finalize(filepath.Join(t.TempDir(), "none"), eventtest.Epoch); err != nil || sealed != nil {
		t.Error(sealed, err)
	}
}

// Nothing outside the root is read, written or locked, whatever links there are.
func TestSealLinks(t *testing.T) {
	t.Parallel()
	outside := lay(t, map[string]string{"pack/events.ndjson": lines(t, "interrupted"), "secret": "s"})
	root := lay(t, map[string]string{
		run1 + "a/events.ndjson":                 lines(t, "interrupted"),
		"2026-01-02T03-04-07/a/events.ndjson":    lines(t, "interrupted"),
		"2026-01-02T03-04-08/b/placeholder":      "x",
		"2026-01-02T03-04-09/good/events.ndjson": lines(t, "interrupted"),
	})
	for link, to := range map[string]string{
		"2026-01-02T03-04-06":                        outside,
		run1 + "linked":                              filepath.Join(outside, "pack"),
		run1 + "a/.work":                             outside,
		run1 + "a/screenshots":                       outside,
		"2026-01-02T03-04-07/" + pack.LiveFile:       filepath.Join(outside, "lock"),
		"2026-01-02T03-04-08/b/events.ndjson":        filepath.Join(outside, "pack", "events.ndjson"),
		"2026-01-02T03-04-09/good/.work-not-of-ours": outside,
	} {
		if err := os.Symlink(to, filepath.Join(root, filepath.FromSlash(link))); err != nil {
			t.Fatal(err)
		}
	}
	sealed, err := Finalize(root, eventtest.Epoch)
	if err == nil {
		t.Error("the links went by unsaid")
	}
	if got := eventtest.Names(t, outside); !slices.Equal(got, []string{"pack", "pack/events.ndjson", "secret"}) {
		t.Errorf("outside: %q", got)
	}
	var good bool
	for _, s := range sealed {
		good = good || filepath.Base(s.Dir) == "good"
		if s.CaseResult.Case.ID == "killed" && filepath.Base(s.Dir) == "b" {
			t.Error("events were read through a link")
		}
	}
	if !good {
		t.Errorf("one bad run kept another from being sealed: %v, %v", sealed, err)
	}
}

func TestSealTwoAtOnce(t *testing.T) {
	t.Parallel()
	files := map[string]string{}
	for i := range 40 {
		files[fmt.Sprintf("2026-01-02T03-04-%02d/p%d/events.ndjson", i%4, i)] = lines(t, "interrupted")
	}
	root := lay(t, files)
	var mu sync.Mutex
	count := map[string]int{}
	var wg sync.WaitGroup
	for range 4 {
		wg.Go(func() {
			sealed, err := Finalize(root, eventtest.Epoch)
			if err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			for _, s := range sealed {
				count[s.Dir]++
			}
		})
	}
	wg.Wait()
	if _, err := Finalize(root, eventtest.Epoch); err != nil {
		t.Error(err)
	}
	for name := range files {
		dir := filepath.Join(root, filepath.FromSlash(filepath.Dir(name)))
		checkPack(t, dir)
		if count[dir] > 1 {
			t.Errorf("%s was sealed %d times", dir, count[dir])
		}
	}
}

func TestRunDirJoined(t *testing.T) {
	t.Parallel()
	run := newRun(t)
	other, err := pack.OpenRunDir(run.Path())
	if err != nil {
		t.Fatal(err)
	}
	newPack(t, other, "a", pack.PackOptions{})
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	if sealed, err := Finalize(filepath.Dir(run.Path()), eventtest.Epoch); err != nil || len(sealed) != 0 {
		t.Errorf("a run that is alive was sealed: %v, %v", sealed, err)
	}
	if _, err := pack.OpenRunDir(filepath.Join(run.Path(), "none")); err == nil {
		t.Error("joined a run that is not there")
	}
}
