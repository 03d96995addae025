package runner_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/pool"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// away is another machine: it runs the cases by a Runner of its own, in a folder of its own.
type away struct {
	t     *testing.T
	other *run.Runner
	quiet bool // no event is received while a case runs
	fails func(t run.Attempt) error

	mu    sync.Mutex
	heard map[string][]event.Event
}

func newAway(t *testing.T, c run.Config, list ...drivers.Driver) *away {
	a := &away{t: t, heard: map[string][]event.Event{}}
	a.other = newRunner(t, c, list...)
	a.other.Observe = func(of event.Case, e event.Event) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.heard[of.Pack] = append(a.heard[of.Pack], e)
	}
	return a
}

func (a *away) Usable(ctx context.Context, p dsl.Platform) (int, error) {
	infos, err := a.other.Pool.Usable(ctx, p)
	return len(infos), err
}

func (a *away) Try(ctx context.Context, t run.Attempt) (string, error) {
	if a.fails != nil {
		if err := a.fails(t); err != nil {
			return "", err
		}
	}
	o, err := a.once(ctx, t)
	if err != nil {
		return "", err
	}
	if o.Dir == "" {
		return "", errors.Join(o.Err, context.Cause(ctx))
	}
	a.mu.Lock()
	heard := a.heard[t.Case.Pack]
	a.mu.Unlock()
	for n, e := range heard[:len(heard)/2] { // the others get lost on their way, and some come twice
		if !a.quiet {
			t.Received(n, e)
			t.Received(n, e)
		}
	}
	to := filepath.Join(t.Spool, t.Case.Pack)
	return to, os.Rename(o.Dir, to)
}

// once runs the case on any device but that which it has lost.
func (a *away) once(ctx context.Context, t run.Attempt) (run.Outcome, error) {
	if t.Avoid == "" {
		return a.other.Once(ctx, t.Case), nil
	}
	infos, err := a.other.Pool.Usable(ctx, t.Case.Platform)
	for _, info := range infos {
		if info.ID != t.Avoid {
			return a.other.OnDevice(ctx, t.Case, info.ID)
		}
	}
	return run.Outcome{}, errors.Join(err, &pool.NoDeviceError{Platform: t.Case.Platform, Reason: "no other device"})
}

// files are all files of a folder, with what they hold.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		all[name] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// manyKinds are cases that end in every way.
func manyKinds(t *testing.T) []plan.Case {
	retried := parseCase(t,
		"id: retried\nplatform: android\nretries: 2\nsteps:\n  - assert: {label: Missing, timeoutMs: 0}\n")
	skipped := parseCase(t, "id: skipped\nplatform: android\nskip: not today\nsteps:\n  - assert: {label: Ready}\n")
	rows := parseCase(t,
		"id: rows\nplatform: android\ndata: [{text: Ready}, {text: Missing}]\nsteps:\n  - assert: {label: \"${text}\", "+
			"timeoutMs: 0}\n")
	list := []plan.Case{newCase(t, "passes", dsl.Android, "Ready"), newCase(t, "fails", dsl.Android, "Missing"), retried,
		skipped}
	values, err := rows.Test.Rows(nil)
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range values {
		c := rows
		c.Row, c.Pack = row, fmt.Sprintf("rows--row-%d", i+1)
		list = append(list, c)
	}
	for i, text := range []string{"Ready", "Missing", "Ready"} {
		c := newCase(t, fmt.Sprintf("flow-%d", i+1), dsl.Android, text)
		c.Test.Sequence = ".maestro"
		list = append(list, c)
	}
	return append(list, newCase(t, "no-device", dsl.IOS, "Ready"), newCase(t, "breaks", dsl.Android, "Ready"),
		newCase(t, "last", dsl.Android, "Ready"))
}

type told struct {
	Pack string
	Kind event.Kind
	Step int
}

// TestRunElsewhereIsTheSameRun: what another machine runs leaves the same folder, the same outcomes in the same order
// and the same news.
func TestRunElsewhereIsTheSameRun(t *testing.T) {
	type result struct {
		Files   map[string]string
		Results []string
		Told    []told
		Code    int
	}
	for _, conf := range []run.Config{{}, {FailFast: true}, {RequireDevices: true}} {
		of := func(here bool) (r result) {
			synctest.Test(t, func(t *testing.T) {
				f := phones("A")
				f.cost = time.Second
				opens := 0
				f.onOpen = func(string) error {
					if opens++; opens == 10 || opens == 11 { // the case "breaks", and its second attempt to open the phone
						return fmt.Errorf("%w: gone", drivers.ErrDeviceLost)
					}
					return nil
				}
				local := newRunner(t, conf, f)
				if !here {
					local = newRunner(t, conf)
					local.Remote = newAway(t, conf, f)
				}
				var mu sync.Mutex // cases of several platforms run at once
				local.Observe = func(c event.Case, e event.Event) {
					mu.Lock()
					defer mu.Unlock()
					r.Told = append(r.Told, told{c.Pack, e.Kind, e.Step})
				}
				outcomes := local.All(t.Context(), manyKinds(t))
				for _, o := range outcomes {
					r.Results = append(r.Results, fmt.Sprintf("%s %s %s %d %v", o.Case.Pack, filepath.Base(o.Dir), o.Result(),
						o.Failed, o.Err))
				}
				r.Files, r.Code = files(t, local.Dir.Path()), run.ExitCode(outcomes, false)
				picturesLast(r.Files)
				slices.SortStableFunc(r.Told, func(a, b told) int { return strings.Compare(a.order(), b.order()) })
			})
			return r
		}
		if diff := cmp.Diff(of(true), of(false)); diff != "" {
			t.Errorf("%+v: here -, elsewhere +\n%s", conf, diff)
		}
	}
}

// picturesLast puts the events of screenshots after all others of their packs: a screenshot is reported when it is on
// the disk, which may be after the end of its step.
func picturesLast(all map[string]string) {
	sum := func(text string) string { return fmt.Sprintf("%x", sha256.Sum256([]byte(text))) }
	for name, text := range all {
		if path.Base(name) != "events.ndjson" {
			continue
		}
		var lines, pictures []string
		for line := range strings.Lines(text) {
			if strings.Contains(line, `"event":"attached"`) && strings.Contains(line, `"path":"screenshots/`) {
				pictures = append(pictures, line)
			} else {
				lines = append(lines, line)
			}
		}
		all[name] = strings.Join(append(lines, pictures...), "")
		manifest := path.Dir(name) + "/manifest.json"
		all[manifest] = strings.ReplaceAll(all[manifest], sum(text), sum(all[name]))
	}
}

// order is by pack, and what was attached behind the other news of it.
func (t told) order() string {
	if t.Kind == event.Attached { // files are written next to each other
		return fmt.Sprintf("%s true %04d", t.Pack, t.Step)
	}
	return t.Pack + " false"
}

// TestInterruptedElsewhere: a run that is interrupted ends as it does here, whether the pack still comes or not.
func TestInterruptedElsewhere(t *testing.T) {
	of := func(here, silent bool) (results []string, names []string) {
		synctest.Test(t, func(t *testing.T) {
			f := phones("A")
			f.cost = time.Second
			conf := run.Config{}
			local := newRunner(t, conf, f)
			if !here {
				local = newRunner(t, conf)
				local.Remote = newAway(t, conf, f)
			}
			ctx, cancel := context.WithCancel(t.Context())
			time.AfterFunc(1500*time.Millisecond, cancel)
			if silent {
				local.Remote.(*away).fails = heardOnly(ctx)
			}
			long := parseCase(t,
				"id: long\nplatform: android\nsteps:\n  - assert: {label: Ready}\n  - assert: {label: Ready}\n  - assert: {label: "+
					"Ready}\n  - assert: {label: Ready}\n")
			for _, o := range local.All(ctx, []plan.Case{long, newCase(t, "next", dsl.Android, "Ready")}) {
				results = append(results, fmt.Sprintf("%s %s", o.Case.Pack, o.Result()))
			}
			for name := range files(t, local.Dir.Path()) {
				names = append(names, name)
			}
			slices.Sort(names)
		})
		return results, names
	}
	wantResults, wantNames := of(true, false)
	for _, silent := range []bool{false, true} {
		results, names := of(false, silent)
		if !slices.Equal(results, wantResults) || !silent && !slices.Equal(names, wantNames) {
			t.Errorf("silent %v: %q %q, want %q %q", silent, results, names, wantResults, wantNames)
		}
	}
}

// heardOnly is a machine that sends nothing any more once a case has started.
func heardOnly(ctx context.Context) func(run.Attempt) error {
	return func(t run.Attempt) error {
		t.Received(0, event.Event{Time: time.Now(), Kind: event.CaseStarted, Case: &event.Case{ID: t.Case.Test.ID,
			Pack: t.Case.Pack}})
		<-ctx.Done()
		return context.Cause(ctx)
	}
}

// TestCaseStartsAgainElsewhere: a second attempt replaces the first one, of which half was received.
func TestCaseStartsAgainElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		other := newAway(t, run.Config{}, phones("A"))
		other.fails = func(try run.Attempt) error {
			for n, kind := range []event.Kind{event.CaseStarted, event.StepStarted, event.Logged} {
				e := event.Event{Time: time.Now().Add(-time.Minute), Kind: kind, Step: min(n, 1)}
				if n == 0 {
					e.Case = &event.Case{ID: try.Case.Test.ID, Pack: try.Case.Pack}
				}
				try.Received(n, e)
			}
			return nil
		}
		r := newRunner(t, run.Config{})
		r.Remote = other
		var kinds []event.Kind
		r.Observe = func(_ event.Case, e event.Event) { kinds = append(kinds, e.Kind) }
		o := r.Run(t.Context(), newCase(t, "sample", dsl.Android, "Ready"))
		wantResult(t, o, event.Pass)
		want := []event.Kind{event.CaseStarted, event.StepStarted, event.Logged, event.CaseStarted, event.StepStarted}
		if !slices.Equal(kinds[:5], want) || kinds[len(kinds)-1] != event.Recorded {
			t.Errorf("%q", kinds)
		}
	})
}

// TestNoDeviceElsewhere: the hub knows of no device that would do.
func TestNoDeviceElsewhere(t *testing.T) {
	for require, want := range map[bool]event.Result{false: event.Skipped, true: event.Error} {
		other := newAway(t, run.Config{}, phones("A"))
		other.fails = func(run.Attempt) error { return &pool.NoDeviceError{Reason: "no host has a phone of that model"} }
		r := newRunner(t, run.Config{RequireDevices: require})
		r.Remote = other
		wantResult(t, r.Run(t.Context(), newCase(t, "sample", dsl.Android, "Ready")), want,
			"no host has a phone of that model")
	}
}

// TestSpecInGoWithAHub: it needs a device of this machine, whatever the hub has.
func TestSpecInGoWithAHub(t *testing.T) {
	r := newRunner(t, run.Config{}, phones())
	r.Remote = newAway(t, run.Config{}, phones("A"))
	_, _, none := r.Open(t.Context(), newCase(t, "sample", dsl.Android, "Ready"), pool.Sleep)
	wantResult(t, *none, event.Skipped, "no Android device is attached", "a spec in Go uses those of this machine")
}

// TestAsManyAtOnceAsThereAreDevicesElsewhere: also when devices are attached during the run.
func TestAsManyAtOnceAsThereAreDevicesElsewhere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := phones("A")
		f.cost = 20 * time.Second
		time.AfterFunc(30*time.Second, func() {
			f.set(func() {
				for _, id := range []string{"B", "C"} {
					f.infos = append(f.infos, drivers.Info{ID: id, Platform: dsl.Android, State: drivers.Ready})
				}
			})
		})
		r := newRunner(t, run.Config{})
		r.Remote = newAway(t, run.Config{}, f)
		began := time.Now()
		for _, o := range r.All(t.Context(), cases(t, dsl.Android, 10)) {
			wantResult(t, o, event.Pass)
		}
		if took := time.Since(began); f.most != 3 || took > 3*time.Minute {
			t.Errorf("%d at once, %v", f.most, took)
		}
	})
}
