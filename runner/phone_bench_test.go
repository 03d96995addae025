package runner_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/pack"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/failure"
	"github.com/taproot-dev/taproot/runner/internal/plan"
	"github.com/taproot-dev/taproot/runner/internal/pool"
	"github.com/taproot-dev/taproot/runner/internal/run"
)

// slowPhone is what was measured on phones: the new one takes input in a running service, the old one starts a VM for
// it.
type slowPhone struct {
	name string
	androidsim.Options
}

func slowPhones() []slowPhone {
	small := androidsim.Options{Width: 540, Height: 1200, Density: 210, LoginLoading: 1, LoginSpinner: 1}
	young, old := small, small
	young.API, young.Latency = 34, androidsim.RealLatency()
	old.API, old.Latency = 28, androidsim.Latency{Dump: 2200 * time.Millisecond, Screencap: 600 * time.Millisecond,
		Input: 550 * time.Millisecond, Start: 900 * time.Millisecond}
	return []slowPhone{{"cmd input", young}, {"input starts a VM", old}}
}

// openSlow opens a slow phone on the login form, which is stationary.
func openSlow(tb testing.TB, o androidsim.Options) (drivers.Device, *androidsim.Phone) {
	tb.Helper()
	server, phones := androidsim.Start(tb, o)
	p := phones[0]
	driver := android.New(android.Options{NotesDir: tb.TempDir(), Getenv: server.Getenv, FindADB: androidsim.NoADB})
	dev, err := driver.Open(tb.Context(), p.Serial())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := driver.Close(); err != nil {
			tb.Error(err)
		}
	})
	if err := dev.(drivers.Apps).Launch(tb.Context(), androidsim.LoginPackage, true); err != nil {
		tb.Fatal(err)
	}
	if _, err := measured(tb.Context(), dev, p, dsl.WaitStable{}); err != nil { // its loading spinner is gone
		tb.Fatal(err)
	}
	return dev, p
}

// cost is what an action took.
type cost struct {
	wall, own               time.Duration // own: while the phone had nothing to do
	calls                   int
	dumps, screens, touches int
}

func (c cost) share() float64 { return 100 * float64(c.own) / float64(c.wall) }

// measured performs an action and counts its requests to the phone.
func measured(ctx context.Context, dev drivers.Device, p *androidsim.Phone, args any) (cost, error) {
	before, calls, busy := p.Counts(), p.Shells(), p.Busy()
	began := time.Now()
	err := action.Perform(ctx, &action.Performer{Device: dev, Platform: dsl.Android, Timeout: 30 * time.Second}, args)
	c := cost{wall: time.Since(began), calls: p.Shells() - calls}
	c.own = c.wall - (p.Busy() - busy)
	after := p.Counts()
	c.dumps, c.screens = after["uiautomator"]-before["uiautomator"], after["screencap"]-before["screencap"]
	c.touches = after["input"] - before["input"]
	if via := after["cmd input"] - before["cmd input"]; via > 0 {
		c.touches = via
	}
	return c, err
}

func label(text string) dsl.Selector { return dsl.Selector{Label: text} }

// flow is a login, action by action.
func flow() []struct {
	name string
	args any
} {
	return []struct {
		name string
		args any
	}{
		{"tap", dsl.Tap{Selector: label("E-mail")}}, {"input", dsl.Input{Text: "ada@example.com"}},
		{"assert", dsl.Assert{Selector: label("Sign in")}},
		{"press", dsl.Press{Keys: []string{"tab"}}}, {"hideKeyboard", dsl.HideKeyboard{}},
		{"longPress", dsl.LongPress{Selector: label("Sign in")}},
		{"swipe", dsl.Swipe{Direction: dsl.Up}}, {"waitStable", dsl.WaitStable{}},
		{"launch", dsl.Launch{Package: androidsim.LoginPackage, Force: true}},
	}
}

// BenchmarkActions reports, per action, its requests to a phone as slow as real ones, and how much of its time is
// Taproot's own.
func BenchmarkActions(b *testing.B) {
	for _, phone := range slowPhones() {
		dev, p := openSlow(b, phone.Options)
		for _, step := range flow() {
			b.Run(phone.name+"/"+step.name, func(b *testing.B) {
				var all cost
				for b.Loop() {
					c, err := measured(b.Context(), dev, p, step.args)
					if err != nil {
						b.Fatal(err)
					}
					all.wall, all.own, all.calls = all.wall+c.wall, all.own+c.own, all.calls+c.calls
					all.dumps, all.screens, all.touches = all.dumps+c.dumps, all.screens+c.screens, all.touches+c.touches
				}
				n := float64(b.N)
				b.ReportMetric(float64(all.calls)/n, "calls/op")
				b.ReportMetric(float64(all.dumps)/n, "dumps/op")
				b.ReportMetric(float64(all.screens)/n, "screens/op")
				b.ReportMetric(float64(all.touches)/n, "inputs/op")
				b.ReportMetric(float64(all.own.Microseconds())/1000/n, "own-ms/op")
				b.ReportMetric(all.share(), "own-%")
			})
		}
	}
}

// TestOwnTimeIsSmall: on phones with the speed of real ones, most of the time of an action is the phone's. A tap on a
// stationary screen is one dump, two screenshots (the third is the report's) and one gesture.
func TestOwnTimeIsSmall(t *testing.T) {
	const most, rounds = 5.0, 3 // per cent; the best of so many rounds counts, for this machine has other things to do
	for _, phone := range slowPhones() {
		t.Run(phone.name, func(t *testing.T) {
			t.Parallel()
			dev, p := openSlow(t, phone.Options)
			for _, step := range flow()[:3] {
				best := cost{wall: 1, own: 1}
				for round := 0; round < rounds && best.share() >= most; round++ {
					c, err := measured(t.Context(), dev, p, step.args)
					if err != nil {
						t.Fatalf("%s: %v", step.name, err)
					}
					// From the second round on there is a caret, for which a busy machine may look once more.
					more := c.dumps - 1 + max(c.screens-2, 0)
					if step.name == "tap" && (c.touches != 1 || more != 0 && round == 0 || more > oneLook) {
						t.Errorf("tap: %d dumps, %d pictures, %d gestures", c.dumps, c.screens, c.touches)
					}
					if c.share() < best.share() {
						best = c
					}
				}
				t.Logf("%s: %v, of it our own %v (%.1f %%), %d calls", step.name, best.wall, best.own, best.share(), best.calls)
				if best.share() >= most {
					t.Errorf("%s: our own share is %.1f %%", step.name, best.share())
				}
			}
		})
	}
}

// BenchmarkSixteenPhones runs the same test on one phone, and on sixteen in one process at once, each as slow as a real
// one.
func BenchmarkSixteenPhones(b *testing.B) {
	const steps = "  - launch: {package: " + androidsim.LoginPackage +
		", force: true}\n  - tap: E-mail\n  - input: ada@example.com\n" +
		"  - tap: Password\n  - input: lovelace\n  - tap: Sign in\n  - assert: Welcome, Ada\n"
	wall := func(n int) time.Duration {
		var list []*androidsim.Phone
		for i := range n {
			o := slowPhones()[0].Options
			o.Serial, o.Width, o.Height, o.Density = fmt.Sprintf("SIM%02d", i+1), 360, 800, 140
			p := androidsim.NewPhone(o)
			defer p.Close()
			list = append(list, p)
		}
		server, err := androidsim.NewServer(list...)
		if err != nil {
			b.Fatal(err)
		}
		defer server.Close()
		driver := android.New(android.Options{NotesDir: b.TempDir(), Getenv: server.Getenv, FindADB: androidsim.NoADB})
		conf := run.Config{NoVideo: true, Getenv: locksIn(b.TempDir())}
		dir, err := pack.NewRunDir(b.TempDir(), time.Now())
		if err != nil {
			b.Fatal(err)
		}
		r := &run.Runner{Config: conf, Pool: pool.New([]drivers.Driver{driver}, conf.PoolOptions()), Dir: dir}
		defer r.End()
		began := time.Now()
		for _, o := range r.All(b.Context(), benchCases(b, n, steps)) {
			if o.Result() != event.Pass {
				b.Fatalf("%s: %s", o.Case.Pack, failure.Text(o))
			}
		}
		return time.Since(began)
	}
	var one, sixteen time.Duration
	for b.Loop() {
		one += wall(1)
		sixteen += wall(16)
	}
	b.ReportMetric(one.Seconds()/float64(b.N), "one-s/op")
	b.ReportMetric(sixteen.Seconds()/float64(b.N), "sixteen-s/op")
	b.ReportMetric(float64(sixteen)/float64(one), "ratio")
}

func benchCases(tb testing.TB, n int, steps string) []plan.Case {
	tb.Helper()
	var list []plan.Case
	for i := range n {
		tests, err := dsl.Parse("bench.yaml", fmt.Appendf(nil, "id: login-%d\nplatform: android\nsteps:\n%s", i+1, steps))
		if err != nil {
			tb.Fatal(err)
		}
		list = append(list, plan.Case{Test: tests[0], Platform: dsl.Android, Pack: tests[0].ID})
	}
	return list
}
