package console

import (
	"bytes"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/event"
)

// TestWarningsOfDevices: the warnings about devices are printed above the totals, each once, also in a quiet run.
func TestWarningsOfDevices(t *testing.T) {
	for _, quiet := range []bool{false, true} {
		var b bytes.Buffer
		c := New(&b, Options{Quiet: quiet})
		for _, pack := range []string{"a", "b"} {
			of := event.Case{ID: pack, Pack: pack, Steps: []event.Step{{N: 1, Action: "launch"}}}
			for _, e := range []event.Event{
				{Kind: event.CaseStarted, Case: &of}, {Kind: event.Logged, Message: "animations stay on: turn on X", Warning: true},
				{Kind: event.StepStarted, Step: 1}, {Kind: event.Logged, Message: "only a note"},
				{Kind: event.Logged, Step: 1, Message: "permissions of " + pack + " stay", Warning: true},
				{Kind: event.StepEnded, Step: 1, Result: event.Pass}, {Kind: event.CaseEnded, Result: event.Pass},
			} {
				e.Time = epoch
				c.Event(of, e)
			}
		}
		c.Warn("not given back")
		if err := c.End(Run{}); err != nil {
			t.Fatal(err)
		}
		want := "\nwarning: animations stay on: turn on X (2 times)\nwarning: permissions of a stay\nwarning: permissions " +
			"of " +
			"b stay\n" +
			"warning: not given back\n"
		if out := b.String(); !strings.Contains(out, want) || strings.Contains(out, "only a note") {
			t.Errorf("quiet %t:\n%s", quiet, out)
		}
	}
}
