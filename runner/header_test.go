package runner_test

import (
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

func TestTestThatIsSkippedSaysWhyAndTakesNoDevice(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := phones("A")
		c := newCase(t, "sample", dsl.Android, "Ready")
		c.Test.Skip = "waits for bug 4711"
		o := newRunner(t, run.Config{RequireDevices: true}, f).Run(t.Context(), c)
		wantResult(t, o, event.Skipped)
		if o.CaseResult.Problem.Message != "waits for bug 4711" || len(f.opened) != 0 {
			t.Errorf("reason %q, opened %v", o.CaseResult.Problem.Message, f.opened)
		}
	})
}

func TestFailedTestIsRunAgainAsOftenAsItSays(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := phones("A")
		c, twice := newCase(t, "sample", dsl.Android, "Missing"), 2
		c.Test.Retries = &twice
		o := newRunner(t, run.Config{}, f).Run(t.Context(), c)
		wantResult(t, o, event.Fail)
		if len(f.opened) != 3 || filepath.Base(o.Dir) != "sample--attempt-3" {
			t.Errorf("opened %v, the last pack is %s", f.opened, o.Dir)
		}
	})
}

func TestDeviceThatIsNotWhatTheTestNeedsIsPassedBy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := phones("A", "B")
		f.infos[1].Model = "Two"
		c := newCase(t, "sample", dsl.Android, "Ready")
		c.Test.Device.Model = "Two"
		r := newRunner(t, run.Config{}, f)
		o := r.Run(t.Context(), c)
		wantResult(t, o, event.Pass)
		if o.CaseResult.Case.Device != "B" {
			t.Errorf("ran on %s", o.CaseResult.Case.Device)
		}
		c.Test.Device.Model = "Three"
		c.Pack = "other"
		o = r.Run(t.Context(), c)
		wantResult(t, o, event.Skipped)
		if !strings.Contains(o.CaseResult.Problem.Message, "Three") {
			t.Errorf("reason %q", o.CaseResult.Problem.Message)
		}
	})
}
