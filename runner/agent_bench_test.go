package runner_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android"
	"github.com/taproot-dev/taproot/dsl"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
)

// openWay opens a phone with the speed of real ones, with or without the agent.
func openWay(tb testing.TB, mode android.AgentMode) (drivers.Device, *androidsim.Phone) {
	tb.Helper()
	o := slowPhones()[0].Options
	o.Latency.Input = 43 * time.Millisecond
	server, phones := androidsim.Start(tb, o)
	dir := tb.TempDir()
	for name, text := range androidsim.AgentAPKs("10.6.6", 278) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			tb.Fatal(err)
		}
	}
	getenv := func(name string) string {
		if name == "TAPROOT_AGENT_APKS" {
			return dir
		}
		return server.Getenv(name)
	}
	driver := android.New(android.Options{NotesDir: tb.TempDir(), Getenv: getenv, FindADB: androidsim.NoADB,
		Agent: string(mode)})
	dev, err := driver.Open(tb.Context(), phones[0].Serial())
	if err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		if err := driver.Close(); err != nil {
			tb.Error(err)
		}
	})
	return dev, phones[0]
}

// agentFlow is a list and a tap in it, or a login.
type agentFlow struct {
	name, app string
	steps     []any
	taps      int
}

func agentFlows() []agentFlow {
	return []agentFlow{
		{"list and tap", androidsim.ListPackage, []any{dsl.Assert{Selector: label("Payments")},
			dsl.Tap{Selector: label("Payments")}}, 1},
		{"login", androidsim.LoginPackage, []any{dsl.Tap{Selector: label("E-mail")}, dsl.Input{Text: "ada@example.com"},
			dsl.Tap{Selector: label("Password")},
			dsl.Input{Text: "lovelace"}, dsl.Tap{Selector: label("Sign in")}, dsl.Assert{Selector: label("Welcome, Ada")}}, 3},
	}
}

// flowCost is what a flow took, and the taps of it alone.
type flowCost struct{ all, taps cost }

func (c *cost) add(other cost) {
	c.wall, c.own = c.wall+other.wall, c.own+other.own
	c.dumps, c.screens, c.touches = c.dumps+other.dumps, c.screens+other.screens, c.touches+other.touches
}

func runFlow(ctx context.Context, tb testing.TB, dev drivers.Device, p *androidsim.Phone, f agentFlow) flowCost {
	tb.Helper()
	if err := dev.(drivers.Apps).Launch(ctx, f.app, true); err != nil {
		tb.Fatal(err)
	}
	if f.taps > 1 || !testing.Short() { // else its first step waits for the app
		if _, err := measured(ctx, dev, p, f.steps[0]); err != nil {
			tb.Fatal(err)
		}
	}
	var c flowCost
	for _, step := range f.steps {
		one, err := measured(ctx, dev, p, step)
		if err != nil {
			tb.Fatalf("%s: %T: %v", f.name, step, err)
		}
		c.all.add(one)
		if _, ok := step.(dsl.Tap); ok {
			c.taps.add(one)
		}
	}
	return c
}

// results are the results of the best rounds of a flow: other work on this machine slows single rounds.
type results struct {
	faster     float64 // a tap by the agent against one without it
	stockShare float64 // what of a tap without it is our own, in per cent
	asked      int     // how many dumps, screenshots and touches the taps without it cost, more than one, two and one each
}

// oneLook is a dump and its two screenshots: a caret or a keyboard that is drawn while a busy machine reads the screen
// costs another screen read.
const oneLook = 3

// good reports whether the metrics are within their limits. In the short mode, which runs in parallel with other tests,
// only the number of requests to the phone counts.
func (f results) good() bool {
	return f.asked <= oneLook && (testing.Short() || f.faster >= 8 && f.stockShare < 5)
}

// TestAgentIsFast: with the speed of real phones a tap by the agent takes an eighth of its time without it, or less;
// without it, a tap takes one dump, two screenshots and one touch, in a whole flow at most one screen read more, and
// hardly any time of Taproot itself.
func TestAgentIsFast(t *testing.T) {
	const rounds = 3
	flows := agentFlows()
	if testing.Short() {
		flows = flows[:1]
	}
	for _, f := range flows {
		t.Run(f.name, func(t *testing.T) {
			stock, stockPhone := openWay(t, android.AgentOff)
			agent, agentPhone := openWay(t, android.AgentRequire)
			l := androidsim.RealLatency()
			least, n := l.Dump+l.Screencap+l.Input, time.Duration(f.taps)
			best := results{stockShare: 100, asked: 100}
			for round := 0; round < rounds && !best.good(); round++ {
				slow, fast := runFlow(t.Context(), t, stock, stockPhone, f), runFlow(t.Context(), t, agent, agentPhone, f)
				best.faster = max(best.faster, float64(slow.taps.wall)/float64(fast.taps.wall))
				best.stockShare = min(best.stockShare, slow.taps.share())
				best.asked = min(best.asked, slow.taps.dumps+slow.taps.screens+slow.taps.touches-4*f.taps)
				t.Logf("%s: without the agent %v, with it %v; a tap without it: %v (%.2f times one dump, picture and touch; own "+
					"%.1f %%; %d dumps, %d pictures, %d touches "+
					"in %d taps), with it: %v (own %v); %.1f times as fast", f.name, slow.all.wall.Round(time.Millisecond),
					fast.all.wall.Round(time.Millisecond),
					(slow.taps.wall / n).Round(time.Millisecond), float64(slow.taps.wall/n)/float64(least), slow.taps.share(),
					slow.taps.dumps, slow.taps.screens, slow.taps.touches,
					n, (fast.taps.wall / n).Round(time.Millisecond), (fast.taps.own / n).Round(time.Millisecond),
					float64(slow.taps.wall)/float64(fast.taps.wall))
			}
			if !best.good() {
				t.Errorf("%s: %+v", f.name, best)
			}
		})
	}
}
