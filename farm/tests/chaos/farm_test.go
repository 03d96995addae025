package chaos

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/runner/run"
)

// summary returns what a run reports, without times and devices.
func summary(t testing.TB, r *run.Runner, outcomes []run.Outcome) (list []string) {
	t.Helper()
	for _, o := range outcomes {
		problem := ""
		if o.CaseResult != nil && o.CaseResult.Problem != nil {
			problem = o.CaseResult.Problem.Message
		}
		list = append(list, fmt.Sprintf("%s %s %d %s %v", filepath.Base(o.Dir), o.Result(), o.Failed, problem, o.Err))
	}
	must(t, fs.WalkDir(os.DirFS(r.Dir.Path()), ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			list = append(list, name)
		}
		return err
	}))
	return list
}

// await waits until a condition is met.
func await(t testing.TB, what string, is func() bool) {
	t.Helper()
	for until := time.Now().Add(time.Minute); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("%s: not within a minute", what)
		}
	}
}

// TestFarm checks that a hub and three hosts run a suite as this machine does, with the same results, order, folder and
// events, and that secrets are not stored as plain text.
func TestFarm(t *testing.T) {
	dir := suite(t, 10)
	local, _, cases := client(t, dir, "", &phones{host: "local", n: 2})
	want := summary(t, local, local.All(t.Context(), cases))
	must(t, local.End())
	database := storetest.SQLite(t)
	folder := t.TempDir()
	h, err := startHub(folder, database, "127.0.0.1:0", "127.0.0.1:0")
	must(t, err)
	defer func() { must(t, h.stop()) }()
	for i := range 3 {
		login, err := h.login(fmt.Sprintf("host%d", i))
		must(t, err)
		_, stop, err := startHost(t.Context(), login, t.TempDir(),
			&phones{host: login.Host, n: 2, cost: 5 * time.Millisecond})
		must(t, err)
		defer func() { must(t, stop()) }()
	}
	r, farm, cases := client(t, dir, h.url, nil)
	await(t, "all phones", func() bool { n, err := farm.Usable(t.Context(), dsl.Android); return err == nil && n == 6 })
	var mu sync.Mutex
	starts := map[string]time.Time{}
	late := time.Duration(0)
	r.Observe = func(c event.Case, e event.Event) {
		mu.Lock()
		defer mu.Unlock()
		if e.Kind == event.CaseStarted {
			starts[c.Pack] = time.Now()
			late = max(late, time.Since(e.Time))
		}
	}
	outcomes := r.All(t.Context(), cases)
	if got := summary(t, r, outcomes); !slices.Equal(got, want) {
		t.Errorf("on the hub:\n%s\n\non this machine:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if code := run.ExitCode(outcomes, false); code != run.ExitFail {
		t.Error(code)
	}
	hosts := map[string]int{}
	for _, o := range outcomes {
		if o.CaseResult != nil && o.Result() == event.Pass {
			hosts[strings.Split(o.CaseResult.Case.Device, "-")[0]]++
		}
	}
	if len(hosts) != 3 {
		t.Errorf("which hosts ran cases: %v", hosts)
	}
	t.Logf("the slowest event arrived after %v", late)
	must(t, h.db.Each(t.Context(), "SELECT sealed FROM farm_runs", nil, func(scan func(...any) error) error {
		var sealed string
		err := scan(&sealed)
		if strings.Contains(sealed, "12345-secret") {
			t.Error("a secret is stored as plain text in the database")
		}
		return err
	}))
	must(t, farm.Close())
	must(t, r.End())
	for _, in := range []string{r.Dir.Path(), folder} { // packs, the stream, the bucket
		must(t, filepath.WalkDir(in, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			if data, err := os.ReadFile(name); err == nil && strings.Contains(string(data), "12345-secret") {
				t.Errorf("%s contains a secret as plain text", name)
			}
			return nil
		}))
	}
}

// TestInterruptedFarm checks that an interrupted client gets the packs of running cases, and that nothing starts any
// more.
func TestInterruptedFarm(t *testing.T) {
	h, err := startHub(t.TempDir(), storetest.SQLite(t), "127.0.0.1:0", "127.0.0.1:0")
	must(t, err)
	defer func() { must(t, h.stop()) }()
	login, err := h.login("slow")
	must(t, err)
	_, stop, err := startHost(t.Context(), login, t.TempDir(), &phones{host: "slow", n: 1, cost: time.Minute})
	must(t, err)
	defer func() { must(t, stop()) }()
	r, farm, cases := client(t, suite(t, 2), h.url, nil)
	ctx, cancel := context.WithCancel(t.Context())
	r.Observe = func(_ event.Case, e event.Event) {
		if e.Kind == event.StepStarted {
			cancel()
		}
	}
	outcomes := r.All(ctx, cases)
	packs := 0
	for _, o := range outcomes {
		if o.CaseResult != nil {
			packs++
			if o.Result() != event.Interrupted || o.CaseResult.Case.Device != "slow-0" {
				t.Errorf("%s: %s on %s", o.Case.Pack, o.Result(), o.CaseResult.Case.Device)
			}
		}
	}
	if packs != 1 || run.ExitCode(outcomes, false) != run.ExitInterrupted {
		t.Errorf("%d packs, exit code %d", packs, run.ExitCode(outcomes, false))
	}
	must(t, farm.Close())
	must(t, r.End())
}

// TestCancelledBeforeItBegins checks that a case that was withdrawn before its host starts it does not keep its device.
func TestCancelledBeforeItBegins(t *testing.T) {
	h, err := startHub(t.TempDir(), storetest.SQLite(t), "127.0.0.1:0", "127.0.0.1:0")
	must(t, err)
	defer func() { must(t, h.stop()) }()
	for _, what := range []string{"CREATE TABLE chaos_seen (n BIGINT NOT NULL)",
		"CREATE TRIGGER chaos_cancel AFTER UPDATE OF state ON farm_cases WHEN NEW.state = 'running' BEGIN INSERT INTO " +
			"chaos_seen VALUES (NEW.n); UPDATE farm_cases SET cancel = 1 WHERE run = NEW.run AND n = NEW.n; END"} {
		_, err := h.db.Exec(t.Context(), what)
		must(t, err)
	}
	login, err := h.login("a")
	must(t, err)
	_, stop, err := startHost(t.Context(), login, t.TempDir(), &phones{host: "a", n: 1})
	must(t, err)
	defer func() { must(t, stop()) }()
	r, farm, cases := client(t, suite(t, 1), h.url, nil)
	ctx, cancel := context.WithCancel(t.Context())
	over := make(chan struct{})
	go func() { defer close(over); r.All(ctx, cases) }()
	await(t, "the device is free again", func() bool {
		var seen, running int
		must(t, h.db.One(t.Context(),
			"SELECT (SELECT COUNT(*) FROM chaos_seen), (SELECT COUNT(*) FROM farm_cases WHERE state = "+
				"'running')", nil, &seen, &running))
		return seen > 0 && running == 0
	})
	cancel()
	<-over
	must(t, farm.Close())
	must(t, r.End())
}
