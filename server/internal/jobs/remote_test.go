package jobs_test

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
	"github.com/taproot-dev/taproot/server/internal/jobs"
)

// away is another machine on which cases run until they are canceled.
type away struct {
	jobs.Placement
	began  chan plan.Case
	closed chan bool
}

func (a *away) Usable(context.Context, dsl.Platform) (int, error) { return 2, nil }

func (a *away) Try(ctx context.Context, t run.Attempt) (string, error) {
	t.Received(0, event.Event{Kind: event.CaseStarted, Case: &event.Case{ID: t.Case.Test.ID, Pack: t.Case.Pack,
		Device: "there"}})
	a.began <- t.Case
	<-ctx.Done()
	return "", context.Cause(ctx)
}

func (a *away) Close() error { a.closed <- true; return nil }

// full is another machine on which a case waits until free is closed.
type full struct {
	away
	came, free chan bool
}

func (f *full) Try(ctx context.Context, t run.Attempt) (string, error) {
	f.came <- true
	<-f.free
	return f.away.Try(ctx, t)
}

func (f *full) Why(context.Context, string) string { return "no phone is free" }

// TestQueuedUntilACaseBegins: a run is queued while its cases wait for a device, or while it waits for another run, and
// reports the reason.
func TestQueuedUntilACaseBegins(t *testing.T) {
	f := &full{away{began: make(chan plan.Case, 2), closed: make(chan bool, 2)}, make(chan bool, 2), make(chan bool)}
	m := manage(t, jobs.Options{Config: config(t), Running: 1, Remote: func(*run.Config, jobs.Placement) jobs.Opening {
		return func(context.Context, run.Config, *plan.Plan) (jobs.RemoteRunner, error) { return f, nil }
	}})
	get := func(id string) jobs.Record {
		rec, err := m.Get(id)
		if err != nil {
			t.Fatal(err)
		}
		return m.Explain(t.Context(), rec)
	}
	first := start(t, m, quick)
	<-f.came
	if rec := get(first.ID); rec.State != jobs.Queued || !rec.Started.IsZero() || rec.Cases[0].State != jobs.Queued ||
		rec.Cases[0].Why != "no phone is free" {
		t.Errorf("%+v", rec)
	}
	second := start(t, m, quick)
	if rec := get(second.ID); rec.State != jobs.Queued ||
		!strings.Contains(rec.Why, "as many runs are under way as may be at once (1)") {
		t.Errorf("%+v", rec)
	}
	close(f.free)
	<-f.began
	follow(t, m, first.ID, "", func(e jobs.Event) bool {
		return e.Name == "run" && strings.Contains(string(e.Data), `"state":"running"`)
	})
	if rec := get(first.ID); rec.State != jobs.Running || rec.Started.IsZero() || rec.Why != "" || rec.Cases[0].Why != "" {
		t.Errorf("%+v", rec)
	}
}

// TestRunsElsewhere: with Options.Remote no case runs here; when it cannot be reached, each ends with an error.
func TestRunsElsewhere(t *testing.T) {
	conf := config(t)
	a := &away{began: make(chan plan.Case, 2), closed: make(chan bool, 1)}
	broken := errors.New("the farm is closed")
	m := manage(t, jobs.Options{Config: conf, Remote: func(c *run.Config, at jobs.Placement) jobs.Opening {
		c.Parallel, a.Placement = 1, at
		return func(_ context.Context, c run.Config, p *plan.Plan) (jobs.RemoteRunner, error) {
			if len(p.Cases) > 1 {
				return nil, broken
			}
			if c.Parallel != 1 {
				t.Error("the configuration is another one than that of the planning")
			}
			return a, nil
		}
	}})
	rec, _, err := m.Start(t.Context(), jobs.Request{YAML: quick, Place: jobs.Placement{Pool: "lab", Priority: 3}})
	if err != nil {
		t.Fatal(err)
	}
	if c := <-a.began; c.Test.ID != "quick" || a.Pool != "lab" || a.Priority != 3 {
		t.Errorf("%+v %+v", c, a.Placement)
	}
	follow(t, m, rec.ID, "", func(e jobs.Event) bool { return e.Name == string(event.CaseStarted) })
	if rec, err := m.Cancel(t.Context(), rec.ID); err != nil || rec.Result != event.Interrupted ||
		rec.Cases[0].Device != "there" {
		t.Errorf("%+v, %v", rec, err)
	}
	<-a.closed
	if left := pack.Verify(filepath.Join(conf.Reports, rec.ID, "quick")); len(left) > 0 {
		t.Errorf("the pack is not whole: %v", left)
	}
	rec = ended(t, m, start(t, m, quick+"---\n"+strings.ReplaceAll(quick, "quick", "other")).ID)
	if rec.Result != event.Error || len(rec.Cases) != 2 || rec.Cases[1].Problem != broken.Error() {
		t.Errorf("%+v", rec)
	}
}
