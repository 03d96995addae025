package runner_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers/android"
	"github.com/taproot-dev/taproot/internal/result/event"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// TestWhatAPhoneRefusesIsInTheReport: on a phone with a system that does not allow adb's shell to change settings and
// permissions, the test passes, and the report of the case and of the step name the setting to change.
func TestWhatAPhoneRefusesIsInTheReport(t *testing.T) {
	t.Parallel()
	server, _ := androidsim.Start(t, androidsim.Options{Maker: "OPPO", Guard: androidsim.GuardRefuses, LoginLoading: 1})
	driver := android.New(android.Options{NotesDir: t.TempDir(), Getenv: server.Getenv, FindADB: androidsim.NoADB})
	t.Cleanup(func() { _ = driver.Close() })
	c := parseCase(t,
		"id: guarded\nplatform: android\nsteps:\n  - launch: {package: com.example.login, permissions: {all: allow}}\n")
	o := newRunner(t, run.Config{NoVideo: true}, driver).Run(t.Context(), c)
	if o.Err != nil || o.CaseResult.Result != event.Pass {
		t.Fatalf("%v %+v", o.Err, o.CaseResult)
	}
	const name = `"Disable permission monitoring"`
	said := strings.Join(o.CaseResult.Warnings, "\n")
	if len(o.CaseResult.Warnings) != 2 || !strings.Contains(said, "animations stay on") || strings.Count(said, name) != 2 {
		t.Errorf("warnings %q", o.CaseResult.Warnings)
	}
	if d := o.CaseResult.Steps[0].Detail; d == nil || !strings.Contains(strings.Join(d.Warnings, "\n"),
		"permissions of com.example.login stay") {
		t.Errorf("the step says %+v", d)
	}
	page, err := os.ReadFile(filepath.Join(o.Dir, "run.md"))
	if err != nil || strings.Count(string(page), name) < 2 {
		t.Errorf("run.md: %v\n%s", err, page)
	}
}
