package dsl

import "time"

// WaitStable is the argument of waitStable. Its time limit is the step option timeoutMs.
type WaitStable struct{}

// WaitFor is the argument of waitFor: exactly one of its fields. Its time limit is the step option timeoutMs.
type WaitFor struct {
	Visible *Selector `json:"visible,omitempty" scalar:"true"`
	Gone    *Selector `json:"gone,omitempty"`
	Enabled *Selector `json:"enabled,omitempty"`
	Text    string    `json:"text,omitempty" minLength:"1"`
	URL     string    `json:"url,omitempty" minLength:"1" format:"address" platforms:"web"`
}

func (WaitFor) rules() []rule { return []rule{exactlyOne("visible gone enabled text url")} }

// Sleep is the argument of sleep.
type Sleep struct {
	Ms Millis `json:"ms" required:"true" scalar:"true"`
}

func (s Sleep) cost(costing, *Step, time.Duration) Cost { return Cost{Time: s.Ms.Duration()} }
