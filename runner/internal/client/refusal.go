package client

import (
	"fmt"
	"strings"
)

// Nearest is how many elements a refusal names.
const Nearest = 3

// Refusal is a negative answer: what failed, similar elements, what to try.
type Refusal struct {
	What    string
	Near    []string // elements, best first
	Try     string
	Kind    string   // of a problem of a step
	Missing bool     // an element was not found
	Failed  bool     // an assertion did not hold
	Prefix  string   // comes before What, outside of the fence
	Fence   *Fence   // around What and Near, when they contain texts of pages or screens
	Done    string   // what was done before; may be empty
	News    []string // what happened on the device since the last answer
	Err     error    // for programs, may be nil
}

func (r *Refusal) Error() string {
	var b strings.Builder
	what := r.What
	if len(r.Near) > 0 {
		what += "\nnearest: " + strings.Join(r.Near, "\n         ")
	}
	if r.Fence != nil {
		what = r.Fence.Inline(what)
	}
	b.WriteString(r.Prefix + what)
	if r.Done != "" {
		b.WriteString("\n" + r.Done)
	}
	for _, line := range r.News {
		b.WriteString("\n" + line)
	}
	if r.Try != "" {
		b.WriteString("\ntry: " + r.Try)
	}
	return b.String()
}

func (r *Refusal) Unwrap() error { return r.Err }

// Stale refuses a reference without an element; next describes the element that probably replaced it.
func Stale(ref, words, next string) error {
	what := fmt.Sprintf("%s is stale: no snapshot of this session contains it, or the screen has changed a lot since", ref)
	if words != "" {
		what = fmt.Sprintf("%s is stale: %s is gone from the screen or has changed, so nothing was touched", ref, words)
	}
	if next != "" {
		return &Refusal{Missing: true, What: what, Try: "likely it is now " + next + "; or call `snapshot` again"}
	}
	return &Refusal{Missing: true, What: what, Try: "call `snapshot` again and use the new ref, or use its label"}
}
