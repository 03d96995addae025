package pack

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/event/eventtest"
)

func wholePack(t testing.TB) string {
	t.Helper()
	p := newPack(t, newRun(t), "login", PackOptions{})
	c := eventtest.Case("login")
	eventtest.Emit(t, p, event.Event{Kind: event.CaseStarted, Case: &c}, event.Event{Kind: event.StepStarted, Step: 1})
	if err := p.Screenshot(t.Context(), event.Shot{Image: picture(8, 8), Step: 1, Label: "launch"}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{event.LogcatFile, "metrics.json"} {
		from := filepath.Join(p.Dir(), event.WorkDir, name)
		eventtest.Put(t, from, "{}")
		a := event.Attachment{Path: name, Kind: event.KindLog}
		if name != event.LogcatFile {
			a = event.Attachment{Path: "artifacts/" + name, Kind: event.KindArtifact}
		}
		if err := p.Add(a, 1, from); err != nil {
			t.Fatal(err)
		}
	}
	eventtest.Emit(t, p, event.Event{Kind: event.StepEnded, Step: 1, Result: event.Pass},
		event.Event{Kind: event.CaseEnded, Result: event.Pass, DurationMS: 5})
	if _, err := p.Finish(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p.Dir()
}

func TestVerify(t *testing.T) {
	t.Parallel()
	if found := Verify(wholePack(t)); len(found) != 0 {
		t.Errorf("a whole pack: %v", found)
	}
	edit := func(name string, change func(string) string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			t.Helper()
			data, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			eventtest.Put(t, filepath.Join(dir, name), change(string(data)))
		}
	}
	remove := func(name string) func(t *testing.T, dir string) {
		return func(t *testing.T, dir string) {
			t.Helper()
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name string
		harm func(t *testing.T, dir string)
		want string
	}{
		{"no summary", remove(event.SummaryFile), "summary.json: is missing"},
		{"no events", remove(event.EventsFile), "events.ndjson: is missing"},
		{"no manifest", remove(manifestFile), "manifest.json: is missing"},
		{"no picture", remove("screenshots/01-launch.png"),
			"screenshots/01-launch.png: is missing, but named in the events"},
		{"no artifact", remove("artifacts/metrics.json"), "artifacts/metrics.json: is missing, but listed in the manifest"},
		{"changed log", edit(event.LogcatFile, func(s string) string { return strings.Repeat("x", len(s)) }),
			"logcat.txt: was changed"},
		{"longer page", edit(event.RunFile, func(s string) string { return s + "x" }), "run.md: has "},
		{"cut picture", edit("screenshots/01-launch.png", func(s string) string { return s[:len(s)/2] }),
			"screenshots/01-launch.png: cannot be decoded"},
		{"better result", edit(event.EventsFile, func(s string) string {
			return strings.Replace(s, `"case_ended","result":"pass"`, `"case_ended","result":"fail"`, 1)
		}), `summary.json: result is "pass", by the events "fail"`},
		{"other count",
			edit(event.SummaryFile, func(s string) string { return strings.Replace(s, `"steps": 3`, `"steps": 4`, 1) }),
			"summary.json: steps is 4, by the events 3"},
		{"bad events", edit(event.EventsFile, func(s string) string { return "x\n" + s }), "events.ndjson: events line 1"},
		{"left over", func(t *testing.T, dir string) { eventtest.Put(t, filepath.Join(dir, event.WorkDir, "x"), "x") },
			".work: is left over"},
		{"a link", func(t *testing.T, dir string) {
			if err := os.Symlink("/etc/hostname", filepath.Join(dir, "artifacts", "x.json")); err != nil {
				t.Fatal(err)
			}
		}, "artifacts/x.json: is not a regular file"},
		{"a manifest that leads out",
			edit(manifestFile, func(s string) string { return strings.Replace(s, "logcat.txt", "../../x", 1) }),
			`manifest.json: "../../x" is outside of the pack`},
		{"a manifest of garbage", edit(manifestFile, func(string) string { return "[" }), "manifest.json: cannot be read"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := wholePack(t)
			c.harm(t, dir)
			found := Verify(dir)
			if !slices.ContainsFunc(found, func(d Defect) bool { return strings.HasPrefix(d.String(), c.want) }) {
				t.Errorf("%q is not among %q", c.want, found)
			}
		})
	}
	if found := Verify(filepath.Join(t.TempDir(), "none")); len(found) != 1 {
		t.Error(found)
	}
}

// Files that are added to a pack later are not defects.
func TestVerifyPages(t *testing.T) {
	t.Parallel()
	dir := wholePack(t)
	eventtest.Put(t, filepath.Join(dir, event.PageFile), "<html>")
	if found := Verify(dir); len(found) != 0 {
		t.Error(found)
	}
}

func TestManifest(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile(filepath.Join(wholePack(t), manifestFile))
	if err != nil {
		t.Fatal(err)
	}
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range m.Files {
		got = append(got, f.Path)
		if len(f.SHA256) != 64 {
			t.Errorf("%+v", f)
		}
	}
	if want := []string{"artifacts/metrics.json", event.EventsFile, event.LogcatFile, event.RunFile,
		"screenshots/01-launch.png"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
