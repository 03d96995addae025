package vocabulary

import (
	"iter"
	"reflect"
	"time"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/internal/source"
)

// Foreign is what a step of another test language says, of which this package knows nothing: a reader of that language
// makes such steps, and the engine runs them. Bind and the checks of variables leave them alone.
type Foreign any

// ForeignStep makes a step of another language. def names it in reports; args is what they show of it; nested are the
// steps that it holds, by the keys under which they stand.
func ForeignStep(def *Def, pos source.Pos, source *source.Source, args source.Value, says Foreign) *Step {
	return &Step{Pos: pos, Def: def, Args: args, File: source, Says: says}
}

// Foreign is what a step of another language says; nil: it is one of this language.
func (s *Step) Foreign() Foreign { return s.Says }

// Hold puts steps into a step of another language.
func (s *Step) Hold(key string, steps Steps) {
	if len(steps) > 0 {
		s.Inner = append(s.Inner, InnerSteps{Key: key, Steps: steps})
	}
}

// Steps are the steps inside of another one. Parse checks them like those of the test; Bind leaves them alone: they are
// bound when they are run.
type Steps []*Step

// InnerSteps are the steps that stand under one key of an action.
type InnerSteps struct {
	Key   string
	Steps Steps
}

var (
	StepsType    = reflect.TypeFor[Steps]()
	ExprType     = reflect.TypeFor[expr.Expr]()
	ExprsType    = reflect.TypeFor[Exprs]()
	ItemsType    = reflect.TypeFor[Items]()
	valueType    = reflect.TypeFor[source.Value]()
	SelectorType = reflect.TypeFor[Selector]()
)

// Nest collects the steps inside of an action's filled struct, in the order of the file.
func (s *Step) Nest(args reflect.Value) {
	shape := ShapeOf(args.Type())
	if holdsBranches(args.Type()) {
		for _, b := range args.FieldByIndex(shape.Other).Interface().(Branches) {
			s.Inner = append(s.Inner, InnerSteps{Key: b.Device, Steps: b.Steps})
		}
	}
	for _, f := range s.Args.Fields {
		if i, known := shape.ByKey[f.Key]; known && shape.Fields[i].Typ == StepsType {
			s.Inner = append(
				s.Inner,
				InnerSteps{Key: f.Key, Steps: args.FieldByIndex(shape.Fields[i].Index).Interface().(Steps)},
			)
		}
	}
}

// Control reports whether the action only says how other steps are run. It is not a leaf.
func (d *Def) Control() bool {
	return d.Own != nil && d.Own.Script == nil || reflect.TypeOf(d.Args) == reflect.TypeFor[Run]() || d.HoldsSteps()
}

// HoldsSteps reports whether the action itself has inner steps.
func (d *Def) HoldsSteps() bool {
	t := reflect.TypeOf(d.Args)
	for i := range t.NumField() {
		if t.Field(i).Type == StepsType || t.Field(i).Type == BranchesType {
			return true
		}
	}
	return false
}

// Nested returns the lists of steps inside of this one with the keys under which they are (then, else, steps, …), in
// the order of the file. Of a linked run step it is the block's, under the key steps.
func (s *Step) Nested() iter.Seq2[string, Steps] {
	return func(yield func(string, Steps) bool) {
		for _, n := range s.Inner {
			if !yield(n.Key, n.Steps) {
				return
			}
		}
		if s.Block != nil {
			yield("steps", s.Block.Steps)
		}
	}
}

// Leaves returns the steps that do something, in the order of the file: also those inside of control steps and of
// linked blocks, the control steps themselves not.
func (s Steps) Leaves(yield func(*Step) bool) {
	s.walk(func(step *Step) bool { return step.Def.Control() || yield(step) })
}

// All returns every step, control steps before what they hold.
func (s Steps) All(yield func(*Step) bool) { s.walk(yield) }

func (s Steps) walk(yield func(*Step) bool) bool {
	for _, step := range s {
		if !yield(step) {
			return false
		}
		for _, inner := range step.Nested() {
			if !inner.walk(yield) {
				return false
			}
		}
	}
	return true
}

// Leaves returns the leaf steps of the test's steps, in the order of the file. Hooks are not among them: see
// Steps.Leaves.
func (t *Test) Leaves(yield func(*Step) bool) { t.Steps.Leaves(yield) }

// Clone copies the steps, those inside of them too, so that each has its own Block. What no one changes is shared.
func (s Steps) Clone() Steps {
	out := make(Steps, len(s))
	for i, step := range s {
		fresh := *step
		fresh.Inner = make([]InnerSteps, len(step.Inner))
		for j, n := range step.Inner {
			fresh.Inner[j] = InnerSteps{Key: n.Key, Steps: n.Steps.Clone()}
		}
		out[i] = &fresh
	}
	return out
}

// Source is the file of the step, which messages show.
func (s *Step) Source() *source.Source { return s.File }

// Step is one action of a test, with what every step can have.
type Step struct {
	Pos     source.Pos // of the action's name
	Def     *Def
	Args    source.Value // checked by Parse; ${NAME} still in place
	Options StepOptions
	// Block is what a run step runs; see Link.
	Block *Block

	Inner []InnerSteps
	File  *source.Source // its file
	Says  Foreign        // of a step of another language
	Made  any            // what the check has made of the argument; see package check
	// Device is the device that its branch of on is for, in its file; "": it is outside of on
	Device string
	On     Platform // where its conditions let it run; "" when the test's platform was not known
}

// StepOptions are the keys that every step takes in addition to its own arguments.
type StepOptions struct {
	Name       string     `json:"name,omitempty" minLength:"1"`
	TimeoutMs  *int       `json:"timeout,omitempty" spelling:"timeoutMs" format:"duration" minimum:"0" maximum:"3600000"`
	Optional   bool       `json:"optional,omitempty"`
	Soft       bool       `json:"soft,omitempty"`
	When       *expr.Expr `json:"when,omitempty"`
	Retries    int        `json:"retries,omitempty" minimum:"0" maximum:"100"`
	As         string     `json:"as,omitempty" minLength:"1" fixed:"write the name itself" format:"variable"`
	BudgetMs   *int       `json:"budget,omitempty" spelling:"budgetMs" format:"duration" minimum:"1" maximum:"3600000"`
	Screenshot *bool      `json:"screenshot,omitempty"`
}

func (StepOptions) rules() []Rule {
	return []Rule{exclude("soft=true", "optional=true").says(`"soft" cannot be combined with "optional"`,
		"soft fails the test at its end, optional never does: remove one of the two")}
}

// Cost is the longest that steps can take.
type Cost struct {
	Time  time.Duration
	AtMin bool // at least Time: a loop's length is only known at run time, and one round of it was counted
}

// StepTimeout is how long a step waits when nothing says it.
const StepTimeout = 10 * time.Second

// searchTimeout is the least that a step which moves through content has when it names no time of its own: it does not
// wait in vain, it gets on.
const searchTimeout = 30 * time.Second

// programTimeout is the least that a program on this machine may take when its step names no time.
const programTimeout = time.Minute

// mailTimeout is the least that a mail may take when its step names no time.
const mailTimeout = time.Minute

// Limit is how long a step with these arguments and options may take; usual is what a step waits that names no time.
func (o StepOptions) Limit(args any, usual time.Duration) time.Duration {
	if o.TimeoutMs != nil {
		return time.Duration(*o.TimeoutMs) * time.Millisecond
	}
	switch args.(type) {
	case ScrollTo:
		return max(usual, searchTimeout)
	case Exec:
		return max(usual, programTimeout)
	case WaitForMail:
		return max(usual, mailTimeout)
	}
	return usual
}

// Longest keeps products of loops from overflowing.
const Longest = 10 * 365 * 24 * time.Hour

func (c Cost) Plus(o Cost) Cost {
	return Cost{Time: min(c.Time+o.Time, Longest), AtMin: c.AtMin || o.AtMin}
}

func (c Cost) Times(n int) Cost {
	if n > 0 && c.Time > Longest/time.Duration(n) {
		return Cost{Time: Longest, AtMin: c.AtMin}
	}
	return Cost{Time: c.Time * time.Duration(n), AtMin: c.AtMin}
}

// priced is what an argument struct implements when its operation takes another time than waiting until the step's
// limit.
type priced interface {
	cost(inside func(Steps) Cost, limit time.Duration) Cost
}

// OwnCost is the cost of one attempt; inside is that of inner steps.
func OwnCost(args any, inside func(Steps) Cost, limit time.Duration) Cost {
	if p, ok := args.(priced); ok {
		return p.cost(inside, limit)
	}
	return Cost{Time: limit}
}
