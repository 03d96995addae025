package history

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/event/eventtest"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

// TestOtherFormats changes the format of each file of a run to a later one: reading it names both, and nothing passes.
func TestOtherFormats(t *testing.T) {
	t.Parallel()
	for file, text := range map[string]string{
		"plan.json":              `{"format": "taproot.plan/2", "cases": []}`,
		"choice.json":            `{"format": "taproot.choice/2"}`,
		"environment.json":       `{"format": "taproot.environment/2"}`,
		"../history.jsonl":       `{"format": "taproot.history/2", "run": "2026-01-01T00-00-00"}` + "\n",
		"login-ok/summary.json":  `{"format": "taproot.summary/2", "result": "pass", "id": "login-ok"}`,
		"login-ok/events.ndjson": `{"format": "taproot.events/2", "event": "case_started"}` + "\n",
		"uploads.json":           `{"format": "taproot.uploads/2", "uploads": []}`,
		"login-ok/manifest.json": `{"format": "taproot.manifest/2", "files": []}`,
	} {
		dir := layRun(t)
		path := filepath.Join(dir, filepath.FromSlash(file))
		eventtest.Put(t, path, text)
		if file == "login-ok/manifest.json" { // a pack without a summary is not complete
			eventtest.Put(t, filepath.Join(dir, "login-ok", "summary.json"),
				`{"format": "taproot.summary/1", "result": "pass", "id": "login-ok"}`)
		}
		name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		var said []string
		run, err := LoadRun(dir)
		if err != nil {
			said = append(said, err.Error())
		} else {
			for _, c := range run.Cases {
				if c.Pack == "login-ok" && name != "manifest" && name != "uploads" && c.CaseResult.Result == event.Pass &&
					c.Broken == "" && strings.HasPrefix(file, "login-ok") {
					t.Errorf("%s: the case passed", file)
				}
				said = append(said, c.Broken)
			}
			said = append(said, run.Notes...)
			if err := AppendHistory(run); err != nil {
				said = append(said, err.Error())
			}
		}
		if _, err := pack.ReadUploads(dir); err != nil {
			said = append(said, err.Error())
		}
		if name == "manifest" {
			said = append(said, verified(t, filepath.Join(dir, "login-ok"))...)
		}
		all := strings.Join(said, "\n")
		if !strings.Contains(all, `"taproot.`+name+`/2"`) || !strings.Contains(all, `"taproot.`+name+`/1"`) {
			t.Errorf("%s: it says %q", file, all)
		}
	}
}

func verified(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	for _, d := range pack.Verify(dir) {
		all = append(all, d.Text)
	}
	return all
}

// TestFilesWithoutFormat reads the lists that plan.json and uploads.json were before.
func TestFilesWithoutFormat(t *testing.T) {
	t.Parallel()
	dir := layRun(t)
	eventtest.Put(t, filepath.Join(dir, "plan.json"), `[{"id": "late", "pack": "late", "platform": "web", "steps": []}]`)
	eventtest.Put(t, filepath.Join(dir, "uploads.json"), `[{"pack": "login-ok", "host": "example.com"}]`)
	run, err := LoadRun(dir)
	if err != nil {
		t.Fatal(err)
	}
	if c := find(t, run, "late"); c.CaseResult.Result != event.Interrupted {
		t.Errorf("%+v", c)
	}
	list, err := pack.ReadUploads(dir)
	if err != nil || len(list) != 1 || list[0].Host != "example.com" {
		t.Errorf("%v, %v", list, err)
	}
	if err := pack.NoteUpload(dir, pack.Uploaded{Pack: "checkout", Host: "example.com"}); err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(dir, "uploads.json"))
	if list, again := pack.ReadUploads(dir); err != nil || again != nil || len(list) != 2 ||
		!strings.Contains(string(data), "taproot.uploads/1") {
		t.Errorf("%s, %v", data, err)
	}
}
