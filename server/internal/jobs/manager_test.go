package jobs_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/internal/result/runtest"
	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/runner/plan"
	"github.com/taproot-dev/taproot/runner/run"
	"github.com/taproot-dev/taproot/server/internal/jobs"
)

func TestMain(m *testing.M) { testutil.NoLeaks(m) }

const (
	quick = "id: quick\nplatform: android\nsteps:\n  - assert: Login\n"
	long  = "id: long\nplatform: android\nsteps:\n  - sleep: 10m\n"
)

// config returns a configuration for runs on a simulated phone.
func config(t *testing.T) run.Config {
	t.Helper()
	adb, _ := androidsim.Start(t, androidsim.Options{Width: 270, Height: 600, Density: 105})
	root := t.TempDir()
	vars := map[string]string{"ADB_SERVER_SOCKET": "tcp:" + adb.Addr(), "XDG_RUNTIME_DIR": root, "XDG_STATE_HOME": root,
		"TAPROOT_NO_VIDEO":    "true",
		"TAPROOT_REPORTS_DIR": filepath.Join(root, "reports")}
	conf, err := run.FromEnv(root, func(name string) (string, bool) { value, ok := vars[name]; return value, ok })
	if err != nil {
		t.Fatal(err)
	}
	return conf
}

// manage creates a manager that is closed at the end of the test.
func manage(t *testing.T, o jobs.Options) *jobs.Manager {
	t.Helper()
	m := jobs.New(o)
	t.Cleanup(m.Close)
	return m
}

func start(t *testing.T, m *jobs.Manager, yaml string) jobs.Record {
	t.Helper()
	rec, known, err := m.Start(t.Context(), jobs.Request{YAML: yaml})
	if err != nil || known {
		t.Fatalf("%v, known %t", err, known)
	}
	return rec
}

// follow reads the events of a run until want returns false, or until the end of the run.
func follow(t *testing.T, m *jobs.Manager, id, after string, want func(jobs.Event) bool) (all []jobs.Event) {
	t.Helper()
	enough := errors.New("enough")
	err := m.Follow(t.Context(), id, after, func(e jobs.Event) error {
		if all = append(all, e); want != nil && want(e) {
			return enough
		}
		return nil
	})
	if err != nil && !errors.Is(err, enough) {
		t.Fatal(err)
	}
	return all
}

func ended(t *testing.T, m *jobs.Manager, id string) jobs.Record {
	t.Helper()
	follow(t, m, id, "", nil)
	rec, err := m.Get(id)
	if err != nil || rec.State != jobs.Ended {
		t.Fatalf("%+v, %v", rec, err)
	}
	return rec
}

func stepping(e jobs.Event) bool { return e.Name == string(event.StepStarted) }

// TestAnotherLife: another manager reads from the disk what the first one knew of a run: the record, the events, the
// key.
func TestAnotherLife(t *testing.T) {
	conf := config(t)
	told := make(chan jobs.Record, 1)
	m := manage(t, jobs.Options{Config: conf, Ended: func(r jobs.Record) { told <- r }})
	request := jobs.Request{YAML: quick, By: "ada", Key: "once", Content: "a"}
	rec, known, err := m.Start(t.Context(), request)
	if err != nil || known || rec.By != "ada" || len(rec.Cases) != 1 || rec.Cases[0].Test != "quick" {
		t.Fatalf("%+v, known %t, %v", rec, known, err)
	}
	was := ended(t, m, rec.ID)
	if was.Result != event.Pass || was.Cases[0].Result != event.Pass || was.Cases[0].Device != "SIM1" ||
		(<-told).ID != rec.ID {
		t.Errorf("%+v", was)
	}
	events := follow(t, m, rec.ID, "", nil)
	m.Close()
	for _, name := range []string{"request.json", "run.json", "plan.json"} {
		runtest.ValidFile(t, filepath.Join(conf.Reports, rec.ID, name))
	}

	m = manage(t, jobs.Options{Config: conf})
	is, err := m.Get(rec.ID)
	if err != nil || is.Result != was.Result || is.By != "ada" || len(is.Cases) != 1 || is.Cases[0] != was.Cases[0] {
		t.Errorf("%+v, %v", is, err)
	}
	again := follow(t, m, rec.ID, "", nil)
	if len(again) == 0 || again[len(again)-1].Name != "run" || len(again) > len(events) {
		t.Errorf("%d events, then %d", len(events), len(again))
	}
	for i, e := range again {
		if rest := follow(t, m, rec.ID, e.ID, nil); len(rest) != len(again)-i-1 {
			t.Errorf("after %s there are %d events of %d", e.ID, len(rest), len(again))
		}
	}
	if same, known, err := m.Start(t.Context(), request); err != nil || !known || same.ID != rec.ID {
		t.Errorf("the same key: %+v, known %t, %v", same, known, err)
	}
	request.Content = "b"
	if _, _, err := m.Start(t.Context(), request); !errors.Is(err, jobs.ErrOtherKey) {
		t.Errorf("the same key for another request: %v", err)
	}
	request.By = "bob"
	if other, known, err := m.Start(t.Context(), request); err != nil || known {
		t.Errorf("the same key of somebody else: %+v, known %t, %v", other, known, err)
	}
	if list := m.List(10, ""); len(list) != 2 || list[1].ID != rec.ID {
		t.Errorf("%+v", list)
	}
	if list := m.List(1, m.List(1, "")[0].ID); len(list) != 1 || list[0].ID != rec.ID {
		t.Errorf("the next page: %+v", list)
	}
	if rec, err := m.Cancel(t.Context(), rec.ID); err != nil || rec.Result != event.Pass {
		t.Errorf("to cancel what has ended: %+v, %v", rec, err)
	}
}

// TestRunsWaitTheirTurn: beyond the limit runs wait, beyond the next limit they are rejected. One that is canceled
// while it waits never starts.
func TestRunsWaitTheirTurn(t *testing.T) {
	m := manage(t, jobs.Options{Config: config(t), Running: 1, Waiting: 1})
	first := start(t, m, long)
	follow(t, m, first.ID, "", stepping)
	second := start(t, m, quick)
	if _, _, err := m.Start(t.Context(), jobs.Request{YAML: quick}); !errors.Is(err, jobs.ErrFull) {
		t.Errorf("a third one: %v", err)
	}
	if n := m.Count(); n[jobs.Running] != 1 || n[jobs.Queued] != 1 {
		t.Errorf("%v", n)
	}
	rec, err := m.Cancel(t.Context(), second.ID)
	if err != nil || rec.State != jobs.Ended || rec.Result != event.Interrupted || !rec.Started.IsZero() ||
		rec.Cases[0].Result != event.Interrupted {
		t.Errorf("cancelled while it waited: %+v, %v", rec, err)
	}
	for _, e := range follow(t, m, second.ID, "", nil) {
		if strings.Contains(string(e.Data), `"running"`) {
			t.Errorf("it says that it ran: %s", e.Data)
		}
	}
	third := start(t, m, quick)
	if rec, err := m.Cancel(t.Context(), first.ID); err != nil || rec.Result != event.Interrupted {
		t.Errorf("cancelled at work: %+v, %v", rec, err)
	}
	if rec := ended(t, m, third.ID); rec.Result != event.Pass {
		t.Errorf("the one that waited: %+v", rec)
	}
}

// TestImpatientCancel: a client that does not wait for the end of a run has canceled it all the same.
func TestImpatientCancel(t *testing.T) {
	m := manage(t, jobs.Options{Config: config(t)})
	rec := start(t, m, long)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := m.Cancel(gone, rec.ID); err != nil && !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if rec := ended(t, m, rec.ID); rec.Result != event.Interrupted {
		t.Errorf("%+v", rec)
	}
}

// TestClose: it interrupts running and waiting runs, leaves complete packs, and nothing starts afterwards.
func TestClose(t *testing.T) {
	conf := config(t)
	m := manage(t, jobs.Options{Config: conf, Running: 1})
	first := start(t, m, long)
	follow(t, m, first.ID, "", stepping)
	second := start(t, m, quick)
	m.Close()
	for _, id := range []string{first.ID, second.ID} {
		if rec, err := m.Get(id); err != nil || rec.State != jobs.Ended || rec.Result != event.Interrupted {
			t.Errorf("%+v, %v", rec, err)
		}
	}
	if left := pack.Verify(filepath.Join(conf.Reports, first.ID, "long")); len(left) > 0 {
		t.Errorf("the pack is not whole: %v", left)
	}
	if _, _, err := m.Start(t.Context(), jobs.Request{YAML: quick}); !errors.Is(err, jobs.ErrClosing) {
		t.Error(err)
	}
}

// TestRunsOfOthers: a run of another process is running until that process ends or is killed, and only that process can
// cancel it.
func TestRunsOfOthers(t *testing.T) {
	conf := config(t)
	p, err := conf.PlanSent(nil, plan.Source{Name: "a.yaml", Text: []byte(quick)},
		plan.Source{Name: "b.yaml", Text: []byte(long)})
	if err != nil {
		t.Fatal(err)
	}
	m := manage(t, jobs.Options{Config: conf})
	other, _, err := run.Start(conf, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := other.Announce(p.Cases); err != nil {
		t.Fatal(err)
	}
	id := filepath.Base(other.Dir.Path())
	if rec, err := m.Get(id); err != nil || rec.State != jobs.Queued || rec.Result != "" || len(rec.Cases) != 2 ||
		rec.Cases[0].State != jobs.Queued {
		t.Errorf("%+v, %v", rec, err)
	}
	for _, o := range other.All(t.Context(), p.Cases[:1]) {
		if o.Result() != event.Pass {
			t.Fatalf("%+v", o)
		}
	}
	rec, err := m.Get(id)
	if err != nil || rec.State != jobs.Running || len(rec.Cases) != 2 || rec.Started.IsZero() {
		t.Fatalf("%+v, %v", rec, err)
	}
	for _, c := range rec.Cases {
		if c.Test == "quick" && c.Result != event.Pass || c.Test == "long" && c.State != jobs.Queued {
			t.Errorf("%+v", c)
		}
	}
	if rec, err := m.Cancel(t.Context(), id); !errors.Is(err, jobs.ErrNotOurs) {
		t.Errorf("%+v, %v", rec, err)
	}
	if err := other.End(); err != nil { // without a report, as if it had been killed
		t.Fatal(err)
	}
	rec, err = m.Get(id)
	if err != nil || rec.State != jobs.Ended || rec.Result != event.Interrupted || len(rec.Cases) != 2 ||
		len(rec.Problems) != 1 {
		t.Errorf("%+v, %v", rec, err)
	}
}

// TestRunsOfOthersThatEnd: a query at the moment when a run ends does not report it as interrupted.
func TestRunsOfOthersThatEnd(t *testing.T) {
	conf := config(t)
	m := manage(t, jobs.Options{Config: conf})
	for range 100 {
		other, err := pack.NewRunDir(conf.Reports, time.Now())
		if err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() {
			ended <- errors.Join(filetree.WriteFile(other.Path(), "run.json", []byte(`{"format": "`+
				history.RunFormat+`", "result": "pass"}`)), other.Close())
		}()
		rec := jobs.Record{}
		for rec.State != jobs.Ended && err == nil {
			rec, err = m.Get(filepath.Base(other.Path()))
		}
		if err = errors.Join(err, <-ended); err != nil || rec.Result != event.Pass {
			t.Fatalf("%+v, %v", rec, err)
		}
	}
}

// TestWhatCannotRun: the client gets an error, and no folder is left.
func TestWhatCannotRun(t *testing.T) {
	conf := config(t)
	m := manage(t, jobs.Options{Config: conf})
	for yaml, want := range map[string]string{"id: x\nsteps:\n  - tapp: y\n": "unknown action",
		"id: x\nplatform: web\nsteps:\n  - assert: ${NOBODY}\n": "NOBODY"} {
		if _, _, err := m.Start(t.Context(), jobs.Request{YAML: yaml}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", yaml, err)
		}
	}
	narrow := func(c *run.Config) { c.Platform = "ios" }
	if _, _, err := m.Start(t.Context(), jobs.Request{YAML: quick, Change: narrow}); !errors.Is(err, jobs.ErrNothing) {
		t.Error(err)
	}
	if list := m.List(10, ""); len(list) > 0 {
		t.Errorf("%+v", list)
	}
}

// TestWhatLiesAmongTheReports: broken and hostile folders are not runs, or runs with few details.
func TestWhatLiesAmongTheReports(t *testing.T) {
	conf := config(t)
	if err := os.MkdirAll(conf.Reports, 0o755); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(conf.Reports, "secret")
	if err := os.WriteFile(secret, []byte(`{"result": "pass", "by": "mallory"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for run, files := range map[string]map[string]string{
		"2001-01-01T00-00-00": {},
		"2001-01-01T00-00-01": {"run.json": "{", "request.json": "{"},
		"2001-01-01T00-00-02": {"run.json": "-> " + secret, "request.json": "-> " + secret},
		"2001-01-01T00-00-04": {"run.json": `{"format": "taproot.run/9", "verdict": "pass"}`},
		"2001-01-01T00-00-03": {"hello/events.ndjson": "not an event\n", "plan.json": "[{}]"},
		"nonsense":            {},
	} {
		for name, text := range files {
			path := filepath.Join(conf.Reports, run, name)
			err := os.MkdirAll(filepath.Dir(path), 0o755)
			if to, link := strings.CutPrefix(text, "-> "); err == nil && link {
				err = os.Symlink(to, path)
			} else if err == nil {
				err = os.WriteFile(path, []byte(text), 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if err := os.MkdirAll(filepath.Join(conf.Reports, run), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	m := manage(t, jobs.Options{Config: conf})
	list := m.List(10, "")
	if len(list) != 5 {
		t.Errorf("%d runs: %+v", len(list), list)
	}
	for _, rec := range list {
		if rec.State != jobs.Ended || rec.Result == event.Pass || rec.By != "" {
			t.Errorf("%+v", rec)
		}
		follow(t, m, rec.ID, "", nil)
	}
	old, err := m.Get("2001-01-01T00-00-04")
	if text := strings.Join(old.Problems, "; "); err != nil || old.Result != event.Error ||
		!strings.Contains(text, `"taproot.run/9"`) || !strings.Contains(text, strconv.Quote(history.RunFormat)) {
		t.Errorf("a run of a later version: %+v, %v", old, err)
	}
	for _, id := range []string{"", "..", "nonsense", "2001-01-01T00-00-09", "2001-01-01T00-00-00/..", "\x00"} {
		if rec, err := m.Get(id); !errors.Is(err, jobs.ErrUnknown) {
			t.Errorf("%q: %+v, %v", id, rec, err)
		}
		if err := m.Follow(t.Context(), id, "", nil); !errors.Is(err, jobs.ErrUnknown) {
			t.Errorf("%q: %v", id, err)
		}
	}
}

// TestQueuedRunsWaitOn: a run that waits when the process ends keeps its ID and starts in the next one; a running one
// is interrupted, and one that was canceled while it waited does not come back.
func TestQueuedRunsWaitOn(t *testing.T) {
	conf := config(t)
	o := jobs.Options{Config: conf, Running: 1, Again: func(content string) (jobs.Request, error) {
		if content == "forgotten" {
			return jobs.Request{}, errors.New("nobody knows")
		}
		return jobs.Request{YAML: content}, nil
	}}
	ask := func(m *jobs.Manager, yaml, content string) jobs.Record {
		t.Helper()
		rec, _, err := m.Start(t.Context(), jobs.Request{YAML: yaml, Content: content, By: "ada"})
		if err != nil {
			t.Fatal(err)
		}
		return rec
	}
	first := jobs.New(o)
	running := ask(first, long, long)
	follow(t, first, running.ID, "", stepping)
	waits, gone, lost := ask(first, quick, quick), ask(first, quick, quick), ask(first, quick, "forgotten")
	if _, err := first.Cancel(t.Context(), gone.ID); err != nil {
		t.Fatal(err)
	}
	first.Close()

	second := manage(t, o)
	if rec := ended(t, second, waits.ID); rec.Result != event.Pass || rec.By != "ada" ||
		!rec.Created.Equal(waits.Created) {
		t.Errorf("the run that waited: %+v", rec)
	}
	for what, id := range map[string]string{"that ran": running.ID, "that was cancelled": gone.ID,
		"of which nobody knows": lost.ID} {
		if rec, err := second.Get(id); err != nil || rec.State != jobs.Ended || rec.Result != event.Interrupted {
			t.Errorf("the run %s: %+v %v", what, rec, err)
		}
	}
	if jobs.AnyQueued(conf.Reports) {
		t.Error("a run still waits on the disk")
	}
}
