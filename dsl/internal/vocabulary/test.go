package vocabulary

import (
	"maps"
	"slices"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
)

// Names returns the variables that the test itself defines or saves.
func (t *Test) Names() []string {
	var names []string
	for _, v := range t.Vars {
		names = append(names, v.Name)
	}
	for _, row := range t.Data.rows {
		names = slices.AppendSeq(names, maps.Keys(row.Values))
	}
	for _, steps := range t.Lists() {
		for step := range steps.All {
			names = append(names, step.Saves()...)
			if name := step.LoopVar(); name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// Test is one YAML document.
type Test struct {
	Pos         source.Pos // of the document's first key
	ID          string
	IDPos       source.Pos
	Name        string // for people; empty: the id
	Description string
	Platform    Platform
	Browsers    []string // a case in each; none: what the run says
	Tags        []string
	Owner       string
	Links       []string
	Properties  []Property
	// Sequence is what tests have in common that are run one after another, none behind one that did not pass; empty:
	// nothing.
	Sequence  string
	Skip      string // why the test is not run; empty: it is
	Needs     []Needed
	Fails     *event.Fails // it is known to fail; nil: it is not
	Vars      []expr.Var
	Secrets   []string // names of variables with values that no report may show
	Device    Need
	Devices   []Entry // several devices for one case, the first for the steps outside of on; none: one device
	TimeoutMs *int    // of every step that names none
	Retries   *int    // how often a test that failed is run again
	Data      Data
	Before    Steps // before the steps
	Steps     Steps
	OnFailure Steps  // when a step failed, before After
	After     Steps  // at the end, however it went
	Blocks    Blocks // that its run steps name
	Source    *source.Source
	// Own are the own actions that its steps may be; nil: none. OwnFiles are the files of those that they are, as
	// places name them; see Link.
	Own      OwnActions
	OwnFiles []string
	// Warnings are what a reader of another language has to say; see Lint.
	Warnings []*source.Error
}

// Needed is a test that must have passed before another one starts.
type Needed struct {
	ID  string
	Pos source.Pos // where the other one names it
}

// Promised are the names that the steps save, with placeholders for their values.
func (t *Test) Promised() map[string]any {
	names := map[string]any{}
	for _, steps := range t.Lists() {
		for step := range steps.All {
			for _, name := range step.Saves() {
				names[name] = expr.Open{}
			}
		}
	}
	return names
}

// Lists are all steps of the test's own file: its own, its hooks', and those of its named blocks.
func (t *Test) Lists() []Steps {
	all := []Steps{t.Before, t.Steps, t.OnFailure, t.After}
	for _, name := range slices.Sorted(maps.Keys(t.Blocks)) {
		all = append(all, t.Blocks[name].Steps)
	}
	return all
}

// Property is a name and a value that junit.xml says of a test.
type Property = event.Property

// NewScope resolves the test's vars: Scope with overrides and environment alone. The error is an Errors.
func NewScope(t *Test, overrides map[string]string, env func(string) (string, bool)) (*expr.Scope, error) {
	return t.Scope(expr.ScopeOptions{Overrides: overrides, Env: env})
}

// Scope resolves the test's vars. The error is an Errors.
func (t *Test) Scope(o expr.ScopeOptions) (*expr.Scope, error) {
	return expr.ResolveScope(t.Source, t.Vars, o)
}
