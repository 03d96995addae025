package runner_test

import (
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// lostTry is how a case ended that may have lost its device.
type lostTry struct {
	Tries  []string // result and device
	Lost   string
	Failed int
	Flaky  string
}

// TestLostDevice: a test that says retries is run once more, on another device, when it loses its device, here and
// elsewhere alike. That does not make it flaky.
func TestLostDevice(t *testing.T) {
	for name, is := range map[string]struct {
		platform  dsl.Platform
		retries   int
		text      string
		has, lose []string // devices; of those to lose, each loses its first test
		want      lostTry
	}{
		"another phone": {dsl.Android, 1, "Ready", []string{"A", "B"}, []string{"A"}, lostTry{[]string{"error A", "pass B"},
			"A", 0, ""}},
		"no retries": {dsl.Android, 0, "Ready", []string{"A", "B"}, []string{"A"},
			lostTry{[]string{"error A"}, "", 0, ""}},
		"no other phone": {dsl.Android, 2, "Ready", []string{"A"}, []string{"A"}, lostTry{[]string{"error A"}, "", 0, ""}},
		"lost twice": {dsl.Android, 3, "Ready", []string{"A", "B", "C"}, []string{"A", "B"},
			lostTry{[]string{"error A", "error B"}, "A", 0, ""}},
		"fails elsewhere": {dsl.Android, 2, "Missing", []string{"A", "B"}, []string{"A"},
			lostTry{[]string{"error A", "fail B", "fail A"}, "A", 1, ""}},
		"a browser": {dsl.Web, 1, "Ready", []string{"web-1"}, []string{"web-1"},
			lostTry{[]string{"error web-1", "pass web-1"}, "web-1", 0, ""}},
	} {
		for _, here := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, here %v", name, here), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := phones(is.has...)
					var driver drivers.Driver = f
					if is.platform == dsl.Web {
						p := newPages(len(is.has))
						f, driver = p.fleet, p
					}
					f.cost = time.Second
					f.onLook = losing(is.lose)
					c := newCase(t, "sample", is.platform, is.text)
					c.Test.Retries = &is.retries
					if diff := cmp.Diff(is.want, tried(t, c, driver, here)); diff != "" {
						t.Error(diff)
					}
				})
			})
		}
	}
}

// losing lets each of some devices be lost once.
func losing(ids []string) func(id string) error {
	left := slices.Clone(ids)
	return func(id string) error {
		i := slices.Index(left, id)
		if i < 0 {
			return nil
		}
		left = slices.Delete(left, i, i+1)
		return fmt.Errorf("%w: %s", drivers.ErrDeviceLost, id)
	}
}

// tried runs a case, and holds what the runner says of it against the report.
func tried(t *testing.T, c plan.Case, driver drivers.Driver, here bool) lostTry {
	t.Helper()
	r := newRunner(t, run.Config{}, driver)
	if !here {
		r = newRunner(t, run.Config{})
		r.Remote = newAway(t, run.Config{}, driver)
	}
	r.Last = true
	o := r.All(t.Context(), []plan.Case{c})[0]
	loaded, err := history.LoadRun(r.Dir.Path())
	if err != nil || len(loaded.Cases) != 1 {
		t.Fatal(err, loaded)
	}
	last := loaded.Cases[0]
	if o.Result() != last.CaseResult.Result || o.Flaky() {
		t.Errorf("%s, the report says %s; flaky: %v", o.Result(), last.CaseResult.Result, o.Flaky())
	}
	got := lostTry{Lost: o.Lost, Failed: o.Failed, Flaky: last.Flaky()}
	for _, try := range append(last.Attempts, history.Attempt{CaseResult: last.CaseResult}) {
		got.Tries = append(got.Tries, fmt.Sprintf("%s %s", try.CaseResult.Result, try.CaseResult.Case.Device))
	}
	return got
}
