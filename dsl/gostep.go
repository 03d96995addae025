package dsl

import (
	"encoding/json"
	"fmt"
	"github.com/taproot-dev/taproot/dsl/source"
	"reflect"
)

// Ptr returns the pointer that fields want which may be left out: dsl.Selector{Label: "News", Checked: dsl.Ptr(true)}.
func Ptr[T any](v T) *T { return &v }

// NewStep makes a step of an argument struct, or of a pointer to one, for tests that are written in Go. The argument is
// checked as in a YAML file, where ${NAME} would have a meaning; full is the argument with its defaults filled in. The
// error says what is wrong with it; the step is nil only when it is not an action at all.
func NewStep(args any, pos source.Pos, src *source.Source) (step *Step, full any, err error) {
	def := defOf(args)
	if v := reflect.ValueOf(args); def == nil && v.Kind() == reflect.Pointer && !v.IsNil() {
		args = v.Elem().Interface()
		def = defOf(args)
	}
	if def == nil {
		return nil, nil, fmt.Errorf("%T is not an action: give a struct of package dsl, such as dsl.Tap{…}", args)
	}
	step = &Step{Pos: pos, Def: def, source: src}
	if _, expression := args.(AssertTrue); expression || def.Control() {
		return step, nil, fmt.Errorf("%s is for YAML: Go has loops and conditions of its own", def.Name)
	}
	data, err := json.Marshal(args)
	if err == nil {
		step.Args, err = source.FromJSON(data)
	}
	if err == nil {
		full, err = Decode(def, step.Args)
	}
	if len(step.Args.Fields) == 0 && step.Args.Kind == source.Map {
		step.Args = source.Value{Kind: source.Null} // it is shown as nothing, not as {}
	}
	if err != nil {
		return step, nil, fmt.Errorf("%s: %w", def.Name, err)
	}
	return step, full, nil
}

func defOf(args any) *Def {
	for i, d := range vocabulary().defs {
		if reflect.TypeOf(d.Args) == reflect.TypeOf(args) {
			return &vocabulary().defs[i]
		}
	}
	return nil
}

// NamedStep makes a step that is not an action of the vocabulary, for reports: an expectation of a test that is written
// in Go.
func NamedStep(name, text string, pos source.Pos, src *source.Source) *Step {
	return &Step{Pos: pos, Def: &Def{Name: name, Args: Log{}}, Args: source.Value{Kind: source.String, Text: text},
		source: src}
}
