package testdevice

import (
	"time"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/engine"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// Option selects the device of a test, and configures its report.
type Option struct {
	apply func(c *plan.Case, hide *[]string)
}

// OnAndroid selects an Android device, which is the default unless TAPROOT_PLATFORM is set.
func OnAndroid() Option { return on(dsl.Android) }

// OnIOS selects an iOS device.
func OnIOS() Option { return on(dsl.IOS) }

// OnWeb selects a browser page.
func OnWeb() Option { return on(dsl.Web) }

func on(p dsl.Platform) Option {
	return Option{apply: func(c *plan.Case, _ *[]string) { c.Platform = p }}
}

// Needing excludes devices that are not what the test needs, as the key device does in YAML.
func Needing(need dsl.Need) Option {
	return Option{apply: func(c *plan.Case, _ *[]string) { c.Test.Device = need }}
}

// Hiding keeps values out of the report: texts are masked, screenshots blanked, and nothing is recorded.
func Hiding(values ...string) Option {
	return Option{apply: func(_ *plan.Case, hide *[]string) { *hide = append(*hide, values...) }}
}

// StepOption is an option of one step: a limit, a name, or what the element is next to.
type StepOption struct {
	call   func(*engine.Call)
	refine func(*dsl.Selector)
	unused bool // refine was given to a step without a label
}

// Within waits at most that long, instead of ten seconds.
func Within(limit time.Duration) StepOption {
	return StepOption{call: func(c *engine.Call) { c.Timeout = limit }}
}

// Named sets the step's name in reports.
func Named(name string) StepOption {
	return StepOption{call: func(c *engine.Call) { c.Step.Options.Name = name }}
}

// Below picks the element below the one with the label.
func Below(label string) StepOption {
	return beside(label, func(s *dsl.Selector, other *dsl.Selector) { s.Below = other })
}

// Above picks the element above the one with the label.
func Above(label string) StepOption {
	return beside(label, func(s *dsl.Selector, other *dsl.Selector) { s.Above = other })
}

// LeftOf picks the element to the left of the one with the label.
func LeftOf(label string) StepOption {
	return beside(label, func(s *dsl.Selector, other *dsl.Selector) { s.LeftOf = other })
}

// RightOf picks the element to the right of the one with the label.
func RightOf(label string) StepOption {
	return beside(label, func(s *dsl.Selector, other *dsl.Selector) { s.RightOf = other })
}

// Near picks the element that is closest to the one with the label.
func Near(label string) StepOption {
	return beside(label, func(s *dsl.Selector, other *dsl.Selector) { s.Near = other })
}

// Inside picks the element inside of the one with the label.
func Inside(label string) StepOption {
	return beside(label, func(s *dsl.Selector, other *dsl.Selector) { s.Inside = other })
}

// First picks the first of several elements that match, from the top.
func First() StepOption { return StepOption{refine: func(s *dsl.Selector) { s.First = true }} }

func beside(label string, set func(s, other *dsl.Selector)) StepOption {
	return StepOption{refine: func(s *dsl.Selector) { set(s, &dsl.Selector{Label: label}) }}
}

// selector is a label with the options that refine it.
func selector(label string, how []StepOption) dsl.Selector {
	s := dsl.Selector{Label: label}
	for _, o := range how {
		if o.refine != nil {
			o.refine(&s)
		}
	}
	return s
}

// unlabelled are the options of a step with an argument that has no label of its own.
func unlabelled(how []StepOption) []StepOption {
	all := make([]StepOption, len(how))
	for i, o := range how {
		o.unused = o.refine != nil
		all[i] = o
	}
	return all
}
