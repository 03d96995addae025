package dsl

import (
	"maps"
	"slices"

	"github.com/taproot-dev/taproot/dsl/source"
)

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
	Vars      []Var
	Secrets   []string // names of variables with values that no report may show
	Device    Need
	TimeoutMs *int // of every step that names none
	Retries   *int // how often a test that failed is run again
	Data      Data
	Before    Steps // before the steps
	Steps     Steps
	OnFailure Steps  // when a step failed, before After
	After     Steps  // at the end, however it went
	Blocks    Blocks // that its run steps name
	Source    *source.Source
	// Warnings are what a reader of another language has to say; see Lint.
	Warnings []*source.Error
}

// lists are all steps of the test's own file: its own, its hooks', and those of its named blocks.
func (t *Test) lists() []Steps {
	all := []Steps{t.Before, t.Steps, t.OnFailure, t.After}
	for _, name := range slices.Sorted(maps.Keys(t.Blocks)) {
		all = append(all, t.Blocks[name].Steps)
	}
	return all
}

// Property is a name and a value that junit.xml says of a test.
type Property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// Var is one entry of a test's vars, in the order of the file.
type Var struct {
	Name  string
	Value string     // may hold ${NAME}
	Pos   source.Pos // of the value

	kind   source.Kind    // as it is written: a number stays one in expressions
	source *source.Source // nil: the test's
}

// Step is one action of a test, with what every step can have.
type Step struct {
	Pos     source.Pos // of the action's name
	Def     *Def
	Args    source.Value // checked by Parse; ${NAME} still in place
	Options StepOptions
	// Block is what a run step runs; see Link.
	Block *Block

	nested  []nestedSteps
	source  *source.Source // its file
	foreign Foreign        // of a step of another language
	args    any            // its argument's struct, when no variable and no other step is in it; else nil
}

// StepOptions are the keys that every step takes in addition to its own arguments.
type StepOptions struct {
	Name       string `json:"name,omitempty" minLength:"1"`
	TimeoutMs  *int   `json:"timeoutMs,omitempty" minimum:"0" maximum:"3600000"`
	Optional   bool   `json:"optional,omitempty"`
	Soft       bool   `json:"soft,omitempty"`
	When       *Expr  `json:"when,omitempty"`
	Retries    int    `json:"retries,omitempty" minimum:"0" maximum:"100"`
	As         string `json:"as,omitempty" minLength:"1" fixed:"write the name itself" format:"variable"`
	BudgetMs   *int   `json:"budgetMs,omitempty" minimum:"1" maximum:"3600000"`
	Screenshot *bool  `json:"screenshot,omitempty"`
}

func (StepOptions) rules() []rule {
	return []rule{exclude("soft=true", "optional=true").says(`"soft" cannot be combined with "optional"`,
		"soft fails the test at its end, optional never does: remove one of the two")}
}
