package queue_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/farm/internal/queue"
	"github.com/taproot-dev/taproot/internal/store"
	"github.com/taproot-dev/taproot/internal/store/storetest"
)

func TestMain(m *testing.M) {
	code := m.Run()
	storetest.Stop()
	os.Exit(code)
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, address string) *store.DB {
	t.Helper()
	db, err := store.Open(context.Background(), address)
	must(t, err)
	_, _, err = db.Migrate(context.Background())
	must(t, err)
	t.Cleanup(func() { _ = db.Close() })
	return db
}

// clock is the time of a test. It advances only when the test sets it.
type clock struct{ at time.Time }

func (c *clock) now() time.Time { return c.at }

func android() queue.Needs { return queue.Needs{Platform: dsl.Android} }

func phones(host string, n int) (list []queue.Device) {
	for i := range n {
		list = append(list, queue.Device{Host: host, ID: fmt.Sprintf("%s-%d", host, i), Platform: dsl.Android,
			Model: "Pixel 7", OS: "14"})
	}
	return list
}

func begin(t testing.TB, q *queue.Queue, id, project string, priority, cases int, needs queue.Needs) {
	t.Helper()
	must(t, errors.Join(q.Archives().Add(t.Context(), project, "a", id), q.Archives().Ready(t.Context(), id)))
	must(t, q.StartRun(t.Context(), queue.Run{ID: id, Project: project, Priority: priority, Archive: "a", Sealed: "s"}))
	add(t, q, id, 0, cases, needs)
}

func add(t testing.TB, q *queue.Queue, run string, from, n int, needs queue.Needs) {
	t.Helper()
	var list []queue.Case
	for i := range n {
		list = append(list, queue.Case{N: from + i, Needs: needs,
			What: json.RawMessage(fmt.Sprintf(`{"pack":"p%d"}`, from+i))})
	}
	must(t, q.Add(t.Context(), run, list))
}

func pick(t testing.TB, q *queue.Queue, free, all []queue.Device) []queue.Assignment {
	t.Helper()
	list, err := q.Pick(t.Context(), free, all)
	must(t, err)
	return list
}

func resultOf(a queue.Assignment) queue.Result {
	return queue.Result{Run: a.Run, N: a.N, Attempt: a.Attempt, Host: a.Host, Blob: "b"}
}

func accept(t testing.TB, q *queue.Queue, list ...queue.Result) []bool {
	t.Helper()
	ok, err := q.Accept(t.Context(), list)
	must(t, err)
	return ok
}

// TestOneResultIsAccepted checks that only the current attempt of a case is accepted, and only once.
func TestOneResultIsAccepted(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		q := queue.New(open(t, address), nil)
		all := append(phones("h1", 1), phones("h2", 1)...)
		begin(t, q, "r", "p", 0, 1, android())
		first := pick(t, q, all[:1], all)
		if len(first) != 1 || first[0].Attempt != 1 || first[0].Device != "h1-0" || string(first[0].What) != `{"pack":"p0"}` {
			t.Fatalf("%+v", first)
		}
		if again := pick(t, q, all, all); len(again) != 0 {
			t.Fatalf("given twice: %+v", again)
		}
		n, err := q.Lost(t.Context(), "h1")
		if must(t, err); n != 1 {
			t.Fatal(n)
		}
		if accept(t, q, resultOf(first[0]))[0] {
			t.Error("the result of a lost host was accepted while the case waits")
		}
		second := pick(t, q, all, all)
		if len(second) != 1 || second[0].Attempt != 2 || second[0].Host != "h2" {
			t.Fatalf("%+v", second)
		}
		forged := resultOf(second[0])
		forged.Host = "h1"
		if got := accept(t, q, resultOf(first[0]), forged, resultOf(second[0]), resultOf(second[0]),
			resultOf(first[0])); fmt.Sprint(got) != "[false false true false false]" {
			t.Error(got)
		}
		if n, err := q.Lost(t.Context(), "h2"); err != nil || n != 0 {
			t.Errorf("a case that has ended started again: %d %v", n, err)
		}
		if ok, err := q.Accepted(t.Context(), "r", 0, 2); !ok || err != nil {
			t.Error(ok, err)
		}
		if ended, err := q.Ended(t.Context(), "r", 10); err != nil || len(ended) != 1 || ended[0].Attempt != 2 {
			t.Errorf("%+v %v", ended, err)
		}
		if blobs, err := q.Take(t.Context(), "r", []int{0}); err != nil || len(blobs) != 1 || blobs[0] != "b" {
			t.Error(blobs, err)
		}
		must(t, q.End(t.Context(), "r"))
		if err := q.Add(t.Context(), "r", nil); !errors.Is(err, queue.ErrNoRun) {
			t.Error(err)
		}
	})
}

// TestAttemptsAreBounded checks that a case that loses each host ends with an error that says why, and that returns
// without a fault of the device do not count.
func TestAttemptsAreBounded(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		q := queue.New(open(t, address), nil)
		all := phones("h", 1)
		begin(t, q, "r", "p", 0, 1, android())
		for i := range 10 {
			a := pick(t, q, all, all)[0]
			if ok, err := q.Return(t.Context(), resultOf(a), true); !ok || err != nil || a.Attempt != i+1 {
				t.Fatal(ok, err, a)
			}
		}
		for i := range queue.MaxLost {
			a := pick(t, q, all, all)
			if len(a) != 1 || a[0].Attempt != 11+i {
				t.Fatalf("%d: %+v", i, a)
			}
			_, err := q.Lost(t.Context(), "h")
			must(t, err)
		}
		ended, err := q.Ended(t.Context(), "r", 10)
		if err != nil || len(ended) != 1 || !strings.Contains(ended[0].Error, "host was lost: h") ||
			len(pick(t, q, all, all)) != 0 {
			t.Errorf("%+v %v", ended, err)
		}
	})
}

// TestDeviceThatCannotBeginIsPassedBy checks that the case moves to another device if there is one.
func TestDeviceThatCannotBeginIsPassedBy(t *testing.T) {
	q := queue.New(open(t, storetest.SQLite(t)), nil)
	all := phones("h", 2)
	begin(t, q, "r", "p", 0, 1, android())
	a := pick(t, q, all, all)[0]
	bad := resultOf(a)
	bad.Error = "it cannot be opened"
	_, err := q.Return(t.Context(), bad, false)
	must(t, err)
	if again := pick(t, q, all[:1], all); len(again) != 0 && again[0].Device == a.Device {
		t.Errorf("the same device at once: %+v", again)
	}
	if again := pick(t, q, all, all); len(again) != 1 || again[0].Device == a.Device {
		t.Errorf("%+v", again)
	}
}

// TestWhyItWaits checks the explanations of Why.
func TestWhyItWaits(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		q := queue.New(open(t, address), nil)
		all := phones("h", 1)
		begin(t, q, "r", "p", 0, 2, android())
		pixel := android()
		pixel.Need.Model, pixel.Pool = "Galaxy *", ""
		add(t, q, "r", 2, 1, pixel)
		add(t, q, "r", 3, 1, queue.Needs{Platform: dsl.IOS})
		why := func(n int, words string) {
			t.Helper()
			p, err := q.Why(t.Context(), "r", n, all, nil)
			if err != nil || !strings.Contains(p.Why, words) {
				t.Errorf("%d: %q %v, want %q", n, p.Why, err, words)
			}
		}
		lines, err := q.Lines(t.Context(), "p")
		must(t, err)
		waiting := map[string]int{}
		for _, l := range lines {
			waiting[fmt.Sprintf("%s %d", l.Needs.Platform, l.N)] = l.Waiting
		}
		if len(lines) != 3 || waiting["android 0"] != 2 || waiting["android 2"] != 1 || waiting["ios 3"] != 1 {
			t.Errorf("waiting: %+v", lines)
		}
		if none, err := q.Lines(t.Context(), "another"); err != nil || len(none) > 0 {
			t.Errorf("another project: %v, %v", none, err)
		}
		why(0, "it starts next, or after other projects and cases that can use fewer devices: 1 of the 1 devices that suit "+
			"it are free")
		why(1, "before it: 1 case of its project")
		pick(t, q, all, all)
		why(0, "runs on h-0 of host h")
		why(1, "the device that suits it is in use, by its project; before it: 0 cases of its project")
		why(2, "h-0: model Galaxy * is wanted, and it is Pixel 7")
		why(3, "no host has a device that it needs (ios)")
		must(t, q.Share(t.Context(), "p", 1, 1))
		why(1, "its project has 1 case running, and the operator's limit is 1 at once")
		if _, err := q.Why(t.Context(), "r", 99, all, nil); !errors.Is(err, queue.ErrNoRun) {
			t.Error(err)
		}
	})
}

// TestThreeHubsPickAtOnce checks that each case and each device is assigned once, whatever the hubs report as free.
func TestThreeHubsPickAtOnce(t *testing.T) {
	storetest.Each(t, func(t *testing.T, address string) {
		const cases, devices = 120, 12
		all := phones("h", devices)
		first := queue.New(open(t, address), nil)
		begin(t, first, "r1", "p1", 0, cases/2, android())
		begin(t, first, "r2", "p2", 0, cases/2, android())
		var mu sync.Mutex
		given, held := map[string]int{}, map[string]string{}
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		var hubs sync.WaitGroup
		ended := 0
		for range 3 {
			q := queue.New(open(t, address), nil)
			hubs.Go(func() {
				for ctx.Err() == nil {
					list, err := q.Pick(ctx, all, all) // each hub reports all devices as free
					if err != nil {
						t.Error(err)
						return
					}
					var results []queue.Result
					mu.Lock()
					for _, a := range list {
						name := fmt.Sprintf("%s/%d", a.Run, a.N)
						if given[name]++; given[name] > 1 || held[a.Device] != "" {
							t.Errorf("%s was assigned %d times, %s is used by %q", name, given[name], a.Device, held[a.Device])
						}
						held[a.Device] = name
						results = append(results, resultOf(a))
					}
					done := ended >= cases
					mu.Unlock()
					mu.Lock()
					for _, a := range list { // before Accept, as another hub may assign the device right after it
						held[a.Device] = ""
					}
					mu.Unlock()
					ok, err := q.Accept(ctx, results)
					if err != nil {
						t.Error(err)
						return
					}
					mu.Lock()
					for _, yes := range ok {
						if !yes {
							t.Error("a valid result was not accepted")
						}
						ended++
					}
					mu.Unlock()
					if done {
						return
					}
				}
			})
		}
		hubs.Wait()
		if len(given) != cases || ended != cases {
			t.Errorf("%d of %d cases were assigned, %d ended", len(given), cases, ended)
		}
	})
}

// TestSharesAreFair runs three projects with the weights 1, 2 and 3, and one with a limit of two cases at once.
func TestSharesAreFair(t *testing.T) {
	c := &clock{time.Unix(1e9, 0)}
	q := queue.New(open(t, storetest.SQLite(t)), c.now)
	for i, p := range []string{"one", "two", "three", "few"} {
		must(t, q.Share(t.Context(), p, min(i+1, 3), map[string]int{"few": 2}[p]))
		begin(t, q, "run-"+p, p, 0, 400, android()) // the first project came first
		c.at = c.at.Add(time.Second)
	}
	all := phones("h", 12)
	got := map[string]int{}
	for range 50 {
		list := pick(t, q, all, all)
		at := map[string]int{}
		var results []queue.Result
		for _, a := range list {
			got[a.Project]++
			at[a.Project]++
			results = append(results, resultOf(a))
		}
		if len(list) != 12 || at["few"] > 2 {
			t.Fatalf("%d of 12 devices are used, %d by the limited one", len(list), at["few"])
		}
		accept(t, q, results...)
	}
	shares, err := q.Shares(t.Context(), "")
	must(t, err)
	for _, s := range shares {
		if want := (queue.Share{Project: s.Project, Weight: map[string]int{"one": 1, "two": 2, "three": 3,
			"few": 3}[s.Project], Limit: map[string]int{"few": 2}[s.Project], Waiting: 400 - got[s.Project]}); s != want {
			t.Errorf("%+v, want %+v", s, want)
		}
	}
	if own, err := q.Shares(t.Context(), "nobody"); len(shares) != 4 || err != nil || len(own) != 1 ||
		own[0] != (queue.Share{Project: "nobody", Weight: 1}) {
		t.Errorf("%d shares; of a project without any: %+v %v", len(shares), own, err)
	}
	for _, bad := range [][2]int{{0, 0}, {1, -1}, {queue.MostWeight + 1, 0}} {
		if q.Share(t.Context(), "one", bad[0], bad[1]) == nil {
			t.Errorf("%v was taken", bad)
		}
	}
	if got["few"] != 100 || got["three"] < 245 || got["three"] > 255 || got["two"] < 160 || got["two"] > 173 ||
		got["one"] < 80 || got["one"] > 87 {
		t.Errorf("%v", got)
	}
}

// TestPriorityIsWorthSomeTime checks that a level of priority is worth ten minutes, so that no case waits forever.
func TestPriorityIsWorthSomeTime(t *testing.T) {
	c := &clock{time.Unix(1e9, 0)}
	q := queue.New(open(t, storetest.SQLite(t)), c.now)
	begin(t, q, "usual", "p", 0, 1, android())
	c.at = c.at.Add(9 * time.Minute)
	begin(t, q, "urgent", "p", 1, 1, android())
	c.at = c.at.Add(2 * time.Minute)
	begin(t, q, "urgent-later", "p", 1, 1, android())
	all := phones("h", 1)
	var order []string
	for range 3 {
		a := pick(t, q, all, all)[0]
		order = append(order, a.Run)
		accept(t, q, resultOf(a))
	}
	if fmt.Sprint(order) != "[urgent usual urgent-later]" {
		t.Error(order)
	}
}

// BenchmarkThousandDevices measures the queue alone: 20,000 cases that end at once, on 1,000 devices.
func BenchmarkThousandDevices(b *testing.B) {
	for _, kind := range []string{"sqlite", "postgres"} {
		b.Run(kind, func(b *testing.B) {
			for b.Loop() {
				address := ""
				if kind == "sqlite" {
					address = storetest.SQLite(b)
				} else {
					address = storetest.Postgres(b)
				}
				q := queue.New(open(b, address), nil)
				var all []queue.Device
				for h := range 20 {
					all = append(all, phones(fmt.Sprintf("h%d", h), 50)...)
				}
				began := time.Now()
				begin(b, q, "r", "p", 0, 20_000, android())
				added := time.Since(began)
				ended := 0
				for ended < 20_000 {
					list := pick(b, q, all, all)
					var results []queue.Result
					for _, a := range list {
						results = append(results, resultOf(a))
					}
					for _, ok := range accept(b, q, results...) {
						if ok {
							ended++
						}
					}
				}
				b.ReportMetric(float64(ended)/time.Since(began).Seconds(), "cases/s")
				b.ReportMetric(float64(added.Milliseconds()), "ms-to-add")
			}
		})
	}
}

// TestForget checks that a run is ended when no hub has seen its client for two minutes while a hub was checking.
// Clocks that are wrong by an hour, and a time without checks, must not end a run with a waiting client.
func TestForget(t *testing.T) {
	db, err := store.Open(t.Context(), storetest.SQLite(t))
	must(t, err)
	defer db.Close()
	_, _, err = db.Migrate(t.Context())
	must(t, err)
	now := time.Now()
	clock := func(wrong time.Duration) func() time.Time { return func() time.Time { return now.Add(wrong) } }
	hubs := []*queue.Queue{queue.New(db, clock(0)), queue.New(db, clock(time.Hour)), queue.New(db, clock(-time.Hour))}
	check := func(what string, want int) {
		t.Helper()
		for i, q := range hubs {
			runs, err := q.Forget(t.Context(), 2*time.Minute)
			must(t, err)
			if len(runs) != want && i == 0 || i > 0 && len(runs) > 0 {
				t.Errorf("%s: hub %d ends %q", what, i, runs)
			}
		}
	}
	must(t, hubs[2].StartRun(t.Context(), queue.Run{ID: "run", Project: "p"}))
	check("just started", 0)
	for i := range 20 { // alternating hubs see the client
		now = now.Add(30 * time.Second)
		if i%3 == 0 {
			must(t, hubs[i%2].Seen(t.Context(), "run"))
		}
		check("seen", 0)
	}
	now = now.Add(time.Hour)
	check("no check for an hour", 0)
	for range 4 {
		now = now.Add(30 * time.Second)
		check("not for long", 0)
	}
	now = now.Add(30 * time.Second)
	check("not seen for more than two minutes", 1)
}
