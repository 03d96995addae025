package pack

import (
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/event/eventtest"
)

func newRun(t testing.TB) *RunDir {
	t.Helper()
	run, err := NewRunDir(t.TempDir(), eventtest.Epoch)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := run.Close(); err != nil {
			t.Error(err)
		}
	})
	return run
}

func newPack(t testing.TB, run *RunDir, name string, o PackOptions) *Pack {
	t.Helper()
	p, err := run.NewPack(eventtest.Case(name), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// checkPack fails when a file under a final name is incomplete. It returns the summary and the number of screenshots.
func checkPack(t *testing.T, dir string) (sum Summary, shots int) {
	t.Helper()
	for _, name := range eventtest.Names(t, dir) {
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		switch {
		case strings.HasPrefix(name, event.WorkDir):
			t.Errorf("%s is left over", name)
		case strings.HasSuffix(name, ".png"):
			shots++
			if _, err := png.Decode(strings.NewReader(string(data))); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		case name == event.RunFile && !strings.Contains(string(data), "\n## Files\n"):
			t.Errorf("%s: %v\n%s", name, err, data)
		}
	}
	s, err := readSummary(dir)
	if err != nil {
		t.Error(err)
	}
	return s, shots
}

func readSummary(dir string) (Summary, error) {
	data, err := os.ReadFile(filepath.Join(dir, event.SummaryFile))
	if err != nil {
		return Summary{}, err
	}
	var s Summary
	return s, json.Unmarshal(data, &s)
}
