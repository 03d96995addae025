package runner_test

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/pack"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/runner/internal/engine"
	"github.com/taproot-dev/taproot/runner/plan"
)

// tapsInARow runs taps on two fields in turns as a test, and returns how long each of them took, without the first.
func tapsInARow(t *testing.T, dev drivers.Device, p *androidsim.Phone, options string, taps int) (list []time.Duration,
	asked map[string]int) {
	t.Helper()
	if err := dev.(drivers.Apps).Launch(t.Context(), androidsim.LoginPackage, true); err != nil {
		t.Fatal(err)
	}
	if _, err := measured(t.Context(), dev, p, dsl.WaitStable{}); err != nil {
		t.Fatal(err)
	}
	text := "id: taps\nplatform: android\nsteps:\n"
	for i := range taps {
		text += fmt.Sprintf("  - tap: {label: %s%s}\n", []string{"E-mail", "Password"}[i%2], options)
	}
	tests, err := dsl.Parse("taps.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	dir, err := pack.NewRunDir(t.TempDir(), time.Now())
	if err != nil {
		t.Fatal(err)
	}
	defer dir.Close()
	sink, err := dir.NewPack(event.Case{ID: "taps", Pack: "taps"}, pack.PackOptions{})
	if err != nil {
		t.Fatal(err)
	}
	before := p.Counts()
	result, err := engine.Run(t.Context(), plan.Case{Test: tests[0], Platform: dsl.Android, Pack: "taps"}, dev, sink,
		engine.Options{NoVideo: true})
	if err != nil || result != event.Pass {
		t.Fatalf("%s, %v", result, err)
	}
	folded, err := sink.Finish(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	asked = map[string]int{}
	for name, n := range p.Counts() {
		if n -= before[name]; n > 0 {
			asked[name] = n
		}
	}
	began := time.Time{}
	for i, s := range folded.Steps {
		if i > 0 {
			list = append(list, s.Started.Sub(began))
		}
		began = s.Started
	}
	slices.Sort(list)
	return list, asked
}

// TestTapsByTheAgentAndTheirScreenshots: through the agent, a tap costs the phone one screenshot in a test with
// screenshots, and none in a test without.
func TestTapsByTheAgentAndTheirScreenshots(t *testing.T) {
	const taps = 6
	dev, phone := openWay(t, android.AgentRequire)
	alone, asked := tapsInARow(t, dev, phone, ", screenshot: false", taps)
	if asked["screencap"] != 0 {
		t.Errorf("without screenshots: %v", asked)
	}
	pictured, asked := tapsInARow(t, dev, phone, "", taps)
	if asked["screencap"] != taps {
		t.Errorf("with screenshots: %v", asked)
	}
	t.Logf("a tap takes %s without screenshots, %s with them (medians)", alone[len(alone)/2], pictured[len(pictured)/2])
}
