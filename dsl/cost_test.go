package dsl

import (
	"testing"
	"time"
)

// A step that moves on has longer than one that only waits, unless it says how long.
func TestLimitOfSteps(t *testing.T) {
	short := 300
	for _, c := range []struct {
		name  string
		args  any
		opts  StepOptions
		usual time.Duration
		want  time.Duration
	}{
		{name: "a step that waits", args: Tap{}, opts: StepOptions{}, usual: StepTimeout, want: StepTimeout},
		{name: "a step that moves", args: ScrollTo{}, opts: StepOptions{}, usual: StepTimeout, want: 30 * time.Second},
		{name: "of a patient test", args: ScrollTo{}, opts: StepOptions{}, usual: time.Minute, want: time.Minute},
		{name: "that names its time", args: ScrollTo{}, opts: StepOptions{TimeoutMs: &short}, usual: StepTimeout, want: 300 * time.Millisecond},
	} {
		if got := c.opts.Limit(c.args, c.usual); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
