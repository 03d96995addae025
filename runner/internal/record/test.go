package record

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
)

// test is what was recorded so far.
type test struct {
	id    string
	steps []step
	names []string // of passwords
}

// step is the result of one action: usually one test step.
type step struct {
	lines    []string     // without "- "
	field    string       // ID in the page, of the clicked or typed field
	selector source.Value // by which it was found
	control  *Control     // the clicked control
	typed    bool         // it changes while a person types
}

func (t *test) add(s step) { t.steps = append(t.steps, s) }

// drop removes the newest step.
func (t *test) drop() {
	if len(t.steps) > 0 {
		t.steps = t.steps[:len(t.steps)-1]
	}
}

// last returns the newest step.
func (t *test) last() step {
	if len(t.steps) == 0 {
		return step{}
	}
	return t.steps[len(t.steps)-1]
}

// password returns a variable for one more password.
func (t *test) password() string {
	name := "PASSWORD"
	for n := 2; slices.Contains(t.names, name); n++ {
		name = fmt.Sprintf("PASSWORD_%d", n)
	}
	t.names = append(t.names, name)
	return name
}

// yaml writes the test. An error would be a bug of the recorder.
func (t *test) yaml() (string, error) {
	var b strings.Builder
	fmt.Fprintf(&b, "id: %s\nplatform: web\n", t.id)
	if len(t.names) > 0 {
		b.WriteString("vars:\n")
		for _, name := range t.names {
			fmt.Fprintf(&b, "  %s: ${%s}\n", name, name)
		}
		fmt.Fprintf(&b, "secrets: [%s]\n", strings.Join(t.names, ", "))
	}
	b.WriteString("steps:\n")
	for _, s := range t.steps {
		for _, line := range s.lines {
			fmt.Fprintf(&b, "  - %s\n", line)
		}
	}
	if _, err := dsl.Parse(t.id+".yaml", []byte(b.String())); err != nil {
		return b.String(), fmt.Errorf("what was recorded is not a valid test: %w", err)
	}
	return b.String(), nil
}
