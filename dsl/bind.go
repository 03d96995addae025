package dsl

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/suggest"
)

// Bind fills in the variables of a step and checks it again, now with every type. args is the action's struct by value,
// for example a Tap. The steps inside of a control step and all expressions stay as they are: they wait until they are
// run. The error is an Errors.
func Bind(step *Step, s *Scope) (args any, opts StepOptions, err error) {
	return s.bind(step, nil)
}

// bind is Bind; values that depend on a promised variable are left out of the checks.
func (s *Scope) bind(step *Step, promised map[string]bool) (args any, opts StepOptions, err error) {
	if step.foreign != nil {
		return step.Def.Args, step.Options, nil
	}
	if step.args != nil { // read by Parse, and final; nothing changes what it points to
		return step.args, step.Options, nil
	}
	f := filling{scope: s, source: step.source, promised: promised}
	v := f.arguments(step, true)
	if err := f.errs.Err(); err != nil {
		return nil, StepOptions{}, err
	}
	d := &decoding{source: step.source, bound: step}
	args, opts = d.arguments(step.Def, v, step.Pos)
	if err := d.errs.Err(); err != nil {
		return nil, StepOptions{}, err
	}
	return args, opts, nil
}

// Args returns the argument of a step for reports: Flow with the variables filled in, without the steps inside of it.
// What cannot be filled in stays as it is written.
func Args(step *Step, s *Scope) string {
	if step.foreign != nil {
		return source.Flow(step.Args)
	}
	f := filling{scope: s, source: step.source}
	return source.Flow(f.arguments(step, false))
}

// filling replaces variables by their values.
type filling struct {
	scope    *Scope
	source   *source.Source
	promised map[string]bool // variables that steps before this one will have saved
	errs     source.Errors
}

// arguments fills in a step's argument. Inner steps are kept untouched, or left out.
func (f *filling) arguments(step *Step, inner bool) source.Value {
	v := step.Args
	if v.Kind != source.Map {
		if s := shapeOf(reflect.TypeOf(step.Def.Args)); s.scalar >= 0 && keepsVariables(s.fields[s.scalar].typ) {
			return v
		}
		return f.value(v)
	}
	fields := make([]source.Field, 0, len(v.Fields))
	for _, x := range v.Fields {
		typ := fieldType(step.Def, x.Key)
		switch {
		case typ == stepsType && !inner:
			continue
		case typ == stepsType, typ == exprType, typ == exprsType, typ == itemsType && x.Value.Kind == source.String:
		default:
			x.Value = f.value(x.Value)
		}
		fields = append(fields, x)
	}
	v.Fields = fields
	return v
}

// fieldType is the type of an action's argument or of a step option; nil when there is none of that name.
func fieldType(def *Def, key string) reflect.Type {
	for _, t := range []reflect.Type{reflect.TypeOf(def.Args), reflect.TypeFor[StepOptions]()} {
		s := shapeOf(t)
		if i, known := s.byKey[key]; known {
			return s.fields[i].typ
		}
	}
	return nil
}

// value replaces the variables in all texts of a value. The keys of maps stay as they are.
func (f *filling) value(v source.Value) source.Value {
	switch v.Kind {
	case source.String:
		return f.text(v)
	case source.List:
		items := make([]source.Value, len(v.Items))
		for i, item := range v.Items {
			items[i] = f.value(item)
		}
		v.Items = items
	case source.Map:
		fields := make([]source.Field, len(v.Fields))
		for i, x := range v.Fields {
			fields[i] = source.Field{Key: x.Key, Pos: x.Pos, Value: f.value(x.Value)}
		}
		v.Fields = fields
	}
	return v
}

func (f *filling) text(v source.Value) source.Value {
	if !strings.Contains(v.Text, "${") {
		return v
	}
	open := false
	text, err := f.scope.expand(f.source, v.Text, v.Pos, func(name string) (string, *miss) {
		if root, _, _ := strings.Cut(name, "."); f.promised[root] {
			open = true
			return "x", nil
		}
		text, missed := f.scope.lookup(name)
		if missed != nil && missed.undefined {
			f.suggest(name, missed)
		}
		return text, missed
	})
	switch {
	case err != nil:
		f.errs = append(f.errs, err)
	case open:
		v.Open = true
	case text != v.Text:
		v.Typed = f.scope.whole(v.Text)
		v.Text, v.Written = text, v.Text
	}
	return v
}

// suggest names a variable that a step saves when it was probably meant.
func (f *filling) suggest(name string, missed *miss) {
	root, _, _ := strings.Cut(name, ".")
	if _, known := f.scope.Value(root); known {
		return
	}
	if near := suggest.Nearest(root, slices.Sorted(maps.Keys(f.promised))); near != "" {
		missed.hint = fmt.Sprintf("did you mean ${%s}?", near+strings.TrimPrefix(name, root))
	}
}

// whole returns the value of the variable that is all of a text, when it is not a text itself.
func (s *Scope) whole(text string) any {
	if !strings.HasPrefix(text, "${") || strings.IndexByte(text, '}') != len(text)-1 {
		return nil
	}
	all, _, _, msg := pieces(text)
	if msg != "" || len(all) != 1 || all[0].raw != text {
		return nil
	}
	x, _ := s.Value(all[0].name)
	if _, isText := x.(string); isText {
		return nil
	}
	return x
}

// all returns every variable by its name.
func (s *Scope) all() map[string]any {
	env := make(map[string]any, len(s.values)+len(s.saved)+3)
	for name, text := range s.values {
		env[name] = text
	}
	maps.Copy(env, s.typed)
	maps.Copy(env, s.saved)
	return env
}

// Decode checks a value as the argument of an operation and returns its struct by value. The text is final: ${NAME} has
// no meaning in it. The keys of StepOptions are unknown to it; see DecodeStep. The error is an Errors.
func Decode(def *Def, v source.Value) (args any, err error) {
	d := &decoding{}
	args = d.bare(def, v)
	if err := d.errs.Err(); err != nil {
		return nil, err
	}
	return args, nil
}

// DecodeStep is Decode for a map that may hold the keys of StepOptions in addition to the arguments.
func DecodeStep(def *Def, v source.Value) (args any, opts StepOptions, err error) {
	d := &decoding{single: true}
	args, opts = d.arguments(def, v, v.Pos)
	if err := d.errs.Err(); err != nil {
		return nil, StepOptions{}, err
	}
	return args, opts, nil
}
