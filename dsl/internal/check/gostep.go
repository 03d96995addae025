package check

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/source"
)

// NewStep makes a step of an argument struct, or of a pointer to one, for tests that are written in Go. The argument is
// checked as in a YAML file, where ${NAME} would have a meaning; full is the argument with its defaults filled in. The
// error says what is wrong with it; the step is nil only when it is not an action at all.
func NewStep(args any, pos source.Pos, src *source.Source) (step *vocabulary.Step, full any, err error) {
	def := vocabulary.DefOf(args)
	if v := reflect.ValueOf(args); def == nil && v.Kind() == reflect.Pointer && !v.IsNil() {
		args = v.Elem().Interface()
		def = vocabulary.DefOf(args)
	}
	if def == nil {
		return nil, nil, fmt.Errorf("%s is not an action: give a struct of package dsl, such as dsl.Tap{…}",
			strings.Replace(fmt.Sprintf("%T", args), "vocabulary.", "dsl.", 1))
	}
	step = &vocabulary.Step{Pos: pos, Def: def, File: src}
	if _, expression := args.(vocabulary.AssertTrue); expression || def.Control() {
		return step, nil, fmt.Errorf("%s is for YAML: Go has loops and conditions of its own", def.Name)
	}
	data, err := json.Marshal(args)
	if err == nil {
		step.Args, err = source.FromJSON(data)
	}
	if set, is := args.(vocabulary.Set); is {
		step.Args.Fields = append(step.Args.Fields, source.ValueOf(map[string]any(set.More)).Fields...)
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

// NamedStep makes a step that is not an action of the vocabulary, for reports: an expectation of a test that is written
// in Go.
func NamedStep(name, text string, pos source.Pos, src *source.Source) *vocabulary.Step {
	return &vocabulary.Step{
		Pos:  pos,
		Def:  &vocabulary.Def{Name: name, Args: vocabulary.Log{}},
		Args: source.Value{Kind: source.String, Text: text},
		File: src,
	}
}
