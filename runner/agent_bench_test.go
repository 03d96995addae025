package runner_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android"
	"github.com/taproot-dev/taproot/drivers/android/androidtest"
	"github.com/taproot-dev/taproot/dsl"
)

// openWay opens a phone with the speed of real ones, with or without the agent.
func openWay(tb testing.TB, mode android.AgentMode) (drivers.Device, *androidtest.Phone) {
	tb.Helper()
	o := slowPhones()[0].Options
	o.Latency.Input = 43 * time.Millisecond
	server, phones := androidtest.Start(tb, o)
	dir := tb.TempDir()
	for name, text := range androidtest.AgentAPKs("10.6.6", 278) {
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
	driver := android.New(android.Options{NotesDir: tb.TempDir(), Getenv: getenv, FindADB: androidtest.NoADB, Agent: string(mode)})
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
		{"list and tap", androidtest.ListPackage, []any{dsl.Assert{Selector: label("Payments")}, dsl.Tap{Selector: label("Payments")}}, 1},
		{"login", androidtest.LoginPackage, []any{dsl.Tap{Selector: label("E-mail")}, dsl.Input{Text: "ada@example.com"}, dsl.Tap{Selector: label("Password")},
			dsl.Input{Text: "lovelace"}, dsl.Tap{Selector: label("Sign in")}, dsl.Assert{Selector: label("Welcome, Ada")}}, 3},
	}
}

// flowCost is what a flow took, and the taps of it alone.
type flowCost struct{ all, taps cost }

func runFlow(ctx context.Context, tb testing.TB, dev drivers.Device, p *androidtest.Phone, f agentFlow) flowCost {
	tb.Helper()
	if err := dev.(drivers.Apps).Launch(ctx, f.app, true); err != nil {
		tb.Fatal(err)
	}
	if _, err := measured(ctx, dev, p, f.steps[0]); err != nil { // the app has started
		tb.Fatal(err)
	}
	var c flowCost
	for _, step := range f.steps {
		one, err := measured(ctx, dev, p, step)
		if err != nil {
			tb.Fatalf("%s: %T: %v", f.name, step, err)
		}
		c.all.wall, c.all.own = c.all.wall+one.wall, c.all.own+one.own
		if _, ok := step.(dsl.Tap); ok {
			c.taps.wall, c.taps.own = c.taps.wall+one.wall, c.taps.own+one.own
		}
	}
	return c
}

// TestAgentIsFast: with the speed of real phones a tap by the agent takes an eighth of what it takes without it, or less.
func TestAgentIsFast(t *testing.T) {
	const least, rounds = 8.0, 3 // the best of so many rounds counts, for this machine has other things to do
	for _, f := range agentFlows() {
		t.Run(f.name, func(t *testing.T) {
			best := 0.0
			stock, stockPhone := openWay(t, android.AgentOff)
			agent, agentPhone := openWay(t, android.AgentRequire)
			slow := runFlow(t.Context(), t, stock, stockPhone, f)
			for round := 0; round < rounds && best < least; round++ {
				fast := runFlow(t.Context(), t, agent, agentPhone, f)
				best = max(best, float64(slow.taps.wall)/float64(fast.taps.wall))
				n := time.Duration(f.taps)
				t.Logf("%s: stock %v, agent %v; a tap: stock %v (own %.1f %%), agent %v (own %v); %.1f times as fast", f.name, slow.all.wall.Round(time.Millisecond),
					fast.all.wall.Round(time.Millisecond), (slow.taps.wall / n).Round(time.Millisecond), slow.taps.share(), (fast.taps.wall / n).Round(time.Millisecond),
					(fast.taps.own / n).Round(time.Millisecond), best)
			}
			if best < least {
				t.Errorf("%s: a tap by the agent is %.1f times as fast as one without it, not %.0f", f.name, best, least)
			}
		})
	}
}
