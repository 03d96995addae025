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

// mixed are the cases of two platforms, in turns.
func mixed(t *testing.T, n int) (list []plan.Case) {
	phones, pages := cases(t, dsl.Android, n), cases(t, dsl.Web, n)
	for i := range n {
		list = append(list, phones[i], pages[i])
	}
	return list
}

// startOrder are the packs in the order in which their cases started.
func startOrder(outcomes []run.Outcome) (packs []string) {
	list := slices.Clone(outcomes)
	slices.SortStableFunc(list, func(a, b run.Outcome) int { return a.CaseResult.Started.Compare(b.CaseResult.Started) })
	for _, o := range list {
		packs = append(packs, o.Case.Pack)
	}
	return packs
}

// TestCasesOfSeveralPlatformsStartInTheirOrder: which goroutine is faster must not matter.
func TestCasesOfSeveralPlatformsStartInTheirOrder(t *testing.T) {
	rounds := 20
	if testing.Short() {
		rounds = 4
	}
	for range rounds {
		synctest.Test(t, func(t *testing.T) {
			f, p := phones("A", "B"), newPages(2)
			f.cost, p.cost = time.Second, time.Second
			list := mixed(t, 5)
			got := startOrder(newRunner(t, run.Config{Parallel: 1}, f, p).All(t.Context(), list))
			for i, c := range list {
				if got[i] != c.Pack {
					t.Fatalf("they began in the order %q", got)
				}
			}
		})
	}
}

// TestCaseThatWaitsForAPhoneHoldsNoSlot: the only phone is held elsewhere for minutes, and the pages have all of
// --parallel.
func TestCaseThatWaitsForAPhoneHoldsNoSlot(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, p := phones("A"), newPages(2)
		f.cost, p.cost = time.Second, time.Second
		r := newRunner(t, run.Config{Parallel: 1}, f, p)
		began := time.Now()
		held := lease(t, r.Pool, dsl.Android)
		time.AfterFunc(3*time.Minute, held.Release)
		outcomes := r.All(t.Context(), mixed(t, 4))
		for i, o := range outcomes {
			wantResult(t, o, event.Pass)
			late := o.CaseResult.Started.Sub(began)
			if web := i%2 == 1; web && late > time.Minute || !web && late < 3*time.Minute {
				t.Errorf("%s began after %v", o.Case.Pack, late)
			}
		}
	})
}

// TestSlotsAreNotExceededByCasesThatWaited: the phone becomes free while a page is at work.
func TestSlotsAreNotExceededByCasesThatWaited(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f, p := phones("A"), newPages(2)
		p.cost = 10 * time.Second
		most, now := 0, 0
		count := func(d int) { f.set(func() { now += d; most = max(most, now) }) }
		f.onOpen, p.onOpen = func(string) error { count(1); return nil }, func(string) error { count(1); return nil }
		f.onClose, p.onClose = func() { count(-1) }, func() { count(-1) }
		r := newRunner(t, run.Config{Parallel: 1}, f, p)
		held := lease(t, r.Pool, dsl.Android)
		time.AfterFunc(5*time.Second, held.Release)
		for _, o := range r.All(t.Context(), mixed(t, 3)) {
			wantResult(t, o, event.Pass)
		}
		if most != 1 {
			t.Errorf("%d at once with a limit of 1", most)
		}
	})
}

func TestFailFastStartsNothingMore(t *testing.T) {
	for name, bad := range map[string]func(*testing.T, *fleet) plan.Case{
		"fail": func(t *testing.T, _ *fleet) plan.Case { return newCase(t, "bad", dsl.Android, "Missing") },
		"error": func(t *testing.T, f *fleet) plan.Case {
			f.onOpen = func(string) error { <-time.After(time.Second); panic("boom") }
			return newCase(t, "bad", dsl.Android, "Ready")
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f, p := phones("A"), newPages(1)
				f.cost, p.cost = time.Second, 5*time.Second
				list := append([]plan.Case{bad(t, f)}, mixed(t, 2)...)
				outcomes := newRunner(t, run.Config{FailFast: true}, f, p).All(t.Context(), list)
				if v := outcomes[0].Result(); v != event.Result(name) {
					t.Fatalf("%s: %v", v, outcomes[0].Err)
				}
				wantResult(t, outcomes[1], event.Skipped, "bad did not pass")
				wantResult(t, outcomes[2], event.Pass) // it had started
				wantResult(t, outcomes[3], event.Skipped, "bad did not pass")
				wantResult(t, outcomes[4], event.Skipped, "bad did not pass")
				if code := run.ExitCode(outcomes, true); code == run.ExitPass {
					t.Error("it is a success")
				}
			})
		})
	}
}

// TestBrowsersEndWithTheirLastCase: a browser that is no longer needed ends while the phones still work, and not
// before.
func TestBrowsersEndWithTheirLastCase(t *testing.T) {
	for _, last := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			f, p := phones("A"), newPages(1)
			f.cost, p.cost = time.Minute, time.Second
			r := newRunner(t, run.Config{}, f, p)
			r.Last = last
			list := mixed(t, 2)
			retries := 2 // of which none is needed
			list[3].Test.Retries = &retries
			outcomes := r.All(t.Context(), list)
			synctest.Wait()
			if ends, early := p.ends(); ends > 0 != last || early > 0 {
				t.Errorf("last %v: the driver of pages ended %d times, %d with a page in use", last, ends, early)
			}
			for _, o := range outcomes {
				if o.Result() != event.Pass {
					t.Errorf("%s: %+v", o.Case.Pack, o)
				}
			}
		})
	}
}
