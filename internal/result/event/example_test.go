package event_test

import (
	"fmt"

	"github.com/taproot-dev/taproot/internal/result/event"
)

func ExampleFold() {
	c := event.Case{ID: "login", Platform: "web", Steps: []event.Step{{N: 1, Action: "tap", Args: "Sign in"}}}
	begun := []event.Event{{Kind: event.CaseStarted, Case: &c}, {Kind: event.StepStarted, Step: 1}}
	fmt.Println(event.Fold(begun).Result) // its end is missing: the run was killed

	whole := append(begun, event.Event{Kind: event.StepEnded, Step: 1, Result: event.Pass},
		event.Event{Kind: event.CaseEnded, Result: event.Pass})
	fmt.Println(event.Fold(whole).Result)
	// Output:
	// interrupted
	// pass
}
