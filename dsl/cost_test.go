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
		{"a step that waits", Tap{}, StepOptions{}, StepTimeout, StepTimeout},
		{"a step that moves", ScrollTo{}, StepOptions{}, StepTimeout, 30 * time.Second},
		{"of a patient test", ScrollTo{}, StepOptions{}, time.Minute, time.Minute},
		{"that names its time", ScrollTo{}, StepOptions{TimeoutMs: &short}, StepTimeout, 300 * time.Millisecond},
	} {
		if got := c.opts.Limit(c.args, c.usual); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}
