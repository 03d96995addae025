package jobs_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/reporters/pack"
	"github.com/taproot-dev/taproot/runner/jobs"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
)

// away is another machine on which nothing ends before it is cancelled.
type away struct {
	jobs.Place
	began  chan plan.Case
	closed chan bool
}

func (a *away) Usable(context.Context, dsl.Platform) (int, error) { return 2, nil }

func (a *away) Try(ctx context.Context, t run.Try) (string, error) {
	t.Heard(0, event.Event{Kind: event.CaseStarted, Case: &event.Case{ID: t.Case.Test.ID, Pack: t.Case.Pack, Device: "there"}})
	a.began <- t.Case
	<-ctx.Done()
	return "", context.Cause(ctx)
}

func (a *away) Close() error { close(a.closed); return nil }

// TestRunsElsewhere: with Options.Elsewhere no case runs here; where it cannot be reached, each ends as an error.
func TestRunsElsewhere(t *testing.T) {
	conf := config(t)
	a := &away{began: make(chan plan.Case, 2), closed: make(chan bool)}
	broken := errors.New("the farm is closed")
	m := manage(t, jobs.Options{Config: conf, Elsewhere: func(c *run.Config, at jobs.Place) jobs.Opening {
		c.Parallel, a.Place = 1, at
		return func(_ context.Context, c run.Config, p *plan.Plan) (jobs.Elsewhere, error) {
			if len(p.Cases) > 1 {
				return nil, broken
			}
			if c.Parallel != 1 {
				t.Error("the configuration is another one than that of the planning")
			}
			return a, nil
		}
	}})
	rec, _, err := m.Start(t.Context(), jobs.Request{YAML: quick, Place: jobs.Place{Pool: "lab", Priority: 3}})
	if err != nil {
		t.Fatal(err)
	}
	if c := <-a.began; c.Test.ID != "quick" || a.Pool != "lab" || a.Priority != 3 {
		t.Errorf("%+v %+v", c, a.Place)
	}
	follow(t, m, rec.ID, "", func(e jobs.Event) bool { return e.Name == string(event.CaseStarted) })
	if rec, err := m.Cancel(t.Context(), rec.ID); err != nil || rec.Verdict != event.Interrupted || rec.Cases[0].Device != "there" {
		t.Errorf("%+v, %v", rec, err)
	}
	<-a.closed
	if left := pack.Verify(filepath.Join(conf.Reports, rec.ID, "quick")); len(left) > 0 {
		t.Errorf("the pack is not whole: %v", left)
	}
	rec = ended(t, m, start(t, m, quick+"---\n"+strings.ReplaceAll(quick, "quick", "other")).ID)
	if rec.Verdict != event.Error || len(rec.Cases) != 2 || rec.Cases[1].Problem != broken.Error() {
		t.Errorf("%+v", rec)
	}
}
