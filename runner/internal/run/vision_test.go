package run

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/runner/internal/engine"
)

// TestRecall: the responses in this machine's runs are found, the newest first; those of uploaded packs are not.
func TestRecall(t *testing.T) {
	t.Parallel()
	const key = "0123456789abcdef0123456789abcdef"
	reports := t.TempDir()
	for _, run := range []string{"2026-01-01T00-00-00", "2026-01-02T00-00-00"} {
		dir := filepath.Join(reports, run, "look", "artifacts")
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		asked, err := json.Marshal(drivers.ModelCall{Key: key, Answers: []drivers.Reply{{Text: run}}})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, engine.VisualName(2, key)+".json"), asked, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if got := recall(reports)(key); len(got) != 2 || got[0].Text != "2026-01-02T00-00-00" {
		t.Errorf("%+v", got)
	}
	if got := recall(reports)("f" + key[1:]); len(got) != 0 {
		t.Errorf("another question: %+v", got)
	}
	if err := os.WriteFile(filepath.Join(reports, "2026-01-02T00-00-00", uploadNote), []byte("{}"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got := recall(reports)(key); len(got) != 1 || got[0].Text != "2026-01-01T00-00-00" {
		t.Errorf("with an upload: %+v", got)
	}
}
