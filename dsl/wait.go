package dsl

import "time"

// WaitStable is the argument of waitStable. Its time limit is the step option timeoutMs.
type WaitStable struct{}

// WaitFor is the argument of waitFor: exactly one of its fields. Its time limit is the step option timeoutMs.
type WaitFor struct {
	Visible *Selector `json:"visible,omitempty" scalar:"true" doc:"Until that element is on the screen."`
	Gone    *Selector `json:"gone,omitempty" doc:"Until that element is not on the screen any more."`
	Enabled *Selector `json:"enabled,omitempty" doc:"Until that element is there and enabled."`
	Text    string    `json:"text,omitempty" minLength:"1" doc:"Until the screen shows this text: the same as visible with a label."`
	URL     string    `json:"url,omitempty" minLength:"1" format:"address" platforms:"web" doc:"Until the page has this address (web only): whole, with * and ** for any part, or a regular expression between slashes."`
}

func (WaitFor) rules() []rule { return []rule{exactlyOne("visible gone enabled text url")} }

// Sleep is the argument of sleep.
type Sleep struct {
	Ms Millis `json:"ms" required:"true" scalar:"true" doc:"How long: milliseconds, or a text such as \"1.5s\". Prefer waitFor: it takes no longer than it must."`
}

func (s Sleep) cost(costing, *Step, time.Duration) Cost { return Cost{Time: s.Ms.Duration()} }
