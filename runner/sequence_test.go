package runner_test

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// TestSequenceEndsWithItsFirstFailure: its cases are run one after another, whatever devices there are; all others are
// run.
func TestSequenceEndsWithItsFirstFailure(t *testing.T) {
	for _, parallel := range []int{0, 1} {
		synctest.Test(t, func(t *testing.T) {
			f, p := phones("A", "B", "C"), newPages(1)
			f.cost, p.cost = time.Second, time.Second
			list := []plan.Case{newCase(t, "first", dsl.Android, "Ready"), newCase(t, "second", dsl.Web, "Ready"),
				newCase(t, "third", dsl.Android, "Missing"),
				newCase(t, "fourth", dsl.Web, "Ready"), newCase(t, "fifth", dsl.Android, "Ready")}
			for _, c := range list {
				c.Test.Sequence = ".maestro"
			}
			list = append(list, newCase(t, "free", dsl.Android, "Ready"), newCase(t, "page", dsl.Web, "Ready"))
			outcomes := newRunner(t, run.Config{Parallel: parallel}, f, p).All(t.Context(), list)
			for i, want := range []event.Result{event.Pass, event.Pass, event.Fail, event.Skipped, event.Skipped, event.Pass,
				event.Pass} {
				if want == event.Skipped {
					wantResult(t, outcomes[i], want, "third did not pass", ".maestro", "continueOnFailure")
					continue
				}
				wantResult(t, outcomes[i], want)
			}
			for i := range 2 {
				if end := outcomes[i].CaseResult.Started.Add(
					outcomes[i].CaseResult.Duration); outcomes[i+1].CaseResult.Started.Before(end) {
					t.Errorf("%s began before %s had ended", outcomes[i+1].Case.Pack, outcomes[i].Case.Pack)
				}
			}
			if order := startOrder(outcomes); parallel == 0 && slices.Index(order, "free") > slices.Index(order, "third") {
				t.Errorf("what is in no sequence waited for one: %q", order)
			}
		})
	}
}
