package dsl

import (
	"github.com/taproot-dev/taproot/dsl/source"
	"iter"
	"reflect"
)

// Steps are the steps inside of another one. Parse checks them like those of the test; Bind leaves them alone: they are
// bound when they are run.
type Steps []*Step

func (s *Steps) fromValue(d *decoding, v source.Value, name string) {
	if d.bound != nil {
		for _, b := range d.bound.nested {
			if b.key == name {
				*s = b.steps
			}
		}
		return
	}
	*s = d.steps(source.Field{Key: name, Pos: v.Pos, Value: v})
}

// nestedSteps are the steps that stand under one key of an action.
type nestedSteps struct {
	key   string
	steps Steps
}

var (
	stepsType    = reflect.TypeFor[Steps]()
	exprType     = reflect.TypeFor[Expr]()
	exprsType    = reflect.TypeFor[Exprs]()
	itemsType    = reflect.TypeFor[Items]()
	valueType    = reflect.TypeFor[source.Value]()
	selectorType = reflect.TypeFor[Selector]()
)

// nest collects the steps inside of an action's filled struct, in the order of the file.
func (s *Step) nest(args reflect.Value) {
	shape := shapeOf(args.Type())
	for _, f := range s.Args.Fields {
		if i, known := shape.byKey[f.Key]; known && shape.fields[i].typ == stepsType {
			s.nested = append(s.nested, nestedSteps{f.Key, args.FieldByIndex(shape.fields[i].index).Interface().(Steps)})
		}
	}
}

// Control reports whether the action only says how other steps are run. It is not a leaf.
func (d *Def) Control() bool {
	return reflect.TypeOf(d.Args) == reflect.TypeFor[Run]() || d.HoldsSteps()
}

// HoldsSteps reports whether the action itself has inner steps.
func (d *Def) HoldsSteps() bool {
	t := reflect.TypeOf(d.Args)
	for i := range t.NumField() {
		if t.Field(i).Type == stepsType {
			return true
		}
	}
	return false
}

// Nested returns the lists of steps inside of this one with the keys under which they stand (then, else, steps, …), in
// the order of the file. Of a linked run step it is the block's, under the key steps.
func (s *Step) Nested() iter.Seq2[string, Steps] {
	return func(yield func(string, Steps) bool) {
		for _, n := range s.nested {
			if !yield(n.key, n.steps) {
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
		fresh.nested = make([]nestedSteps, len(step.nested))
		for j, n := range step.nested {
			fresh.nested[j] = nestedSteps{n.key, n.steps.Clone()}
		}
		out[i] = &fresh
	}
	return out
}

// Source is the file of the step, which messages show.
func (s *Step) Source() *source.Source { return s.source }

func (Steps) schema(*schemas) schema { return schema{"$ref": "#/$defs/steps"} }

func (Steps) words() string { return "steps" }
