package history

import (
	"encoding/json"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/event/eventtest"
	"github.com/taproot-dev/taproot/internal/result/pack"
)

func newRun(t testing.TB) *pack.RunDir {
	t.Helper()
	run, err := pack.NewRunDir(t.TempDir(), eventtest.Epoch)
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

func newPack(t testing.TB, run *pack.RunDir, name string, o pack.PackOptions) *pack.Pack {
	t.Helper()
	p, err := run.NewPack(eventtest.Case(name), o)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// checkPack fails when a file under a final name is incomplete. It returns the summary and the number of screenshots.
func checkPack(t *testing.T, dir string) (sum pack.Summary, shots int) {
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

func readSummary(dir string) (pack.Summary, error) {
	data, err := os.ReadFile(filepath.Join(dir, event.SummaryFile))
	if err != nil {
		return pack.Summary{}, err
	}
	var s pack.Summary
	return s, json.Unmarshal(data, &s)
}
