package console

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
)

// TestStepsOfLoopsHaveNames covers steps that the plan does not list: those of loops, conditions and flows.
func TestStepsOfLoopsHaveNames(t *testing.T) {
	var b bytes.Buffer
	c := New(&b, Options{Verbose: true})
	of := event.Case{ID: "cart", Pack: "cart", Steps: []event.Step{{Action: "forEach"}, {Action: "tap", Args: "Pay"}}}
	c.Event(of, event.Event{Time: epoch, Kind: event.CaseStarted, Case: &of})
	for n, in := range []string{"forEach 1/2: Bread", "forEach 2/2: Milk", ""} {
		info := event.Step{N: n + 1, Action: "tap", Args: "Buy", In: in}
		c.Event(of, event.Event{Time: epoch, Kind: event.StepStarted, Step: n + 1, Info: &info})
		c.Event(of, event.Event{Time: epoch.Add(time.Second), Kind: event.StepEnded, Step: n + 1, Result: event.Pass,
			DurationMS: 100})
	}
	if err := c.End(Run{Dir: "reports"}); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"✓ cart 1 forEach 1/2: Bread › tap Buy · 0.1s\n",
		"✓ cart 2 forEach 2/2: Milk › tap Buy · 0.1s\n",
		"✓ cart 3 tap Buy · 0.1s\n"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no line %q in\n%s", want, b.String())
		}
	}
}
