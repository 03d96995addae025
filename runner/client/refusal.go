package client

import (
	"fmt"
	"strings"
)

// Nearest is how many elements a refusal names.
const Nearest = 3

// Refusal is an answer that says no: what is wrong, what is near, what to try.
type Refusal struct {
	What    string
	Near    []string // elements, best first
	Try     string
	Missing bool  // an element was not found
	Err     error // what it is for a program, may be nil
}

func (r *Refusal) Error() string {
	var b strings.Builder
	b.WriteString(r.What)
	if len(r.Near) > 0 {
		b.WriteString("\nnearest: " + strings.Join(r.Near, "\n         "))
	}
	if r.Try != "" {
		b.WriteString("\ntry: " + r.Try)
	}
	return b.String()
}

func (r *Refusal) Unwrap() error { return r.Err }

// Stale refuses a reference that no longer means anything.
func Stale(ref, words string) error {
	what := fmt.Sprintf("%s is stale: no snapshot of this session gave it, or the screen has changed a lot since", ref)
	if words != "" {
		what = fmt.Sprintf("%s is stale: %s is gone from the screen or has changed, so nothing was touched", ref, words)
	}
	return &Refusal{What: what, Try: "call snapshot again and use the new ref, or use its label"}
}
