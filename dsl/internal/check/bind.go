package check

import (
	"reflect"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/dsl/source"
)

// Bind fills in the variables of a step and checks it again, now with every type. args is the action's struct by value,
// for example a Tap. The steps inside of a control step and all expressions stay as they are: they wait until they are
// run. The error is an Errors.
func Bind(step *vocabulary.Step, s *expr.Scope) (args any, opts vocabulary.StepOptions, err error) {
	return bind(step, s, nil)
}

// bind is Bind; values that depend on a promised variable are left out of the checks.
func bind(
	step *vocabulary.Step,
	s *expr.Scope,
	promised map[string]bool,
) (args any, opts vocabulary.StepOptions, err error) {
	if step.Says != nil {
		return step.Def.Args, step.Options, nil
	}
	if step.Decoded != nil { // read by Parse, and final; nothing changes what it points to
		return step.Decoded, step.Options, nil
	}
	f := expr.Filling{Scope: s, Source: step.File, Promised: promised}
	v := fillArguments(&f, step, true)
	if err := f.Errs.Err(); err != nil {
		return nil, vocabulary.StepOptions{}, err
	}
	d := NewReader(step.File, expr.Literal, "")
	d.Bound = step
	args, opts = d.arguments(step.Def, v, step.Pos)
	if err := d.Errs.Err(); err != nil {
		return nil, vocabulary.StepOptions{}, err
	}
	return args, opts, nil
}

// Args returns the argument of a step for reports: Flow with the variables filled in, without the steps inside of it.
// What cannot be filled in stays as it is written.
func Args(step *vocabulary.Step, s *expr.Scope) string {
	if step.Says != nil {
		return source.Flow(step.Args)
	}
	f := expr.Filling{Scope: s, Source: step.File}
	return source.Flow(fillArguments(&f, step, false))
}

// arguments fills in a step's argument. Inner steps are kept untouched, or left out.
func fillArguments(f *expr.Filling, step *vocabulary.Step, inner bool) source.Value {
	v := step.Args
	if v.Kind != source.Map {
		if s := vocabulary.ShapeOf(reflect.TypeOf(step.Def.Args)); s.Scalar >= 0 &&
			vocabulary.KeepsVariables(s.Fields[s.Scalar].Typ) {
			return v
		}
		return f.Value(v)
	}
	fields := make([]source.Field, 0, len(v.Fields))
	for _, x := range v.Fields {
		typ := vocabulary.FieldType(step.Def, x.Key)
		switch {
		case typ == vocabulary.StepsType && !inner:
			continue
		case typ == vocabulary.StepsType,
			typ == vocabulary.ExprType,
			typ == vocabulary.ExprsType,
			typ == vocabulary.ItemsType && x.Value.Kind == source.String:
		default:
			x.Value = f.Value(x.Value)
		}
		fields = append(fields, x)
	}
	v.Fields = fields
	return v
}

// Decode checks a value as the argument of an operation and returns its struct by value. The text is final: ${NAME} has
// no meaning in it. The keys of StepOptions are unknown to it; see DecodeStep. The error is an Errors.
func Decode(def *vocabulary.Def, v source.Value) (args any, err error) {
	d := NewReader(nil, expr.Literal, "")
	args = d.bare(def, v)
	if err := d.Errs.Err(); err != nil {
		return nil, err
	}
	return args, nil
}

// DecodeStep is Decode for a map that may hold the keys of StepOptions in addition to the arguments.
func DecodeStep(def *vocabulary.Def, v source.Value) (args any, opts vocabulary.StepOptions, err error) {
	d := NewReader(nil, expr.Literal, "")
	d.single = true
	args, opts = d.arguments(def, v, v.Pos)
	if err := d.Errs.Err(); err != nil {
		return nil, vocabulary.StepOptions{}, err
	}
	return args, opts, nil
}

// Secrets returns the values in a step's argument that no report may show, with the variables filled in that have
// values now.
func Secrets(step *vocabulary.Step, s *expr.Scope) []string {
	if step.Says != nil || len(SecretsIn(step.Args)) == 0 {
		return nil
	}
	f := expr.Filling{Scope: s, Source: step.File}
	return SecretsIn(fillArguments(&f, step, false))
}

// SecretsIn is Secrets for an argument.
func SecretsIn(args source.Value) []string {
	if args.Kind != source.Map {
		return nil
	}
	credentials, ok := args.Get("httpCredentials")
	if !ok || credentials.Value.Kind != source.Map {
		return nil
	}
	password, _ := credentials.Value.Get("password")
	if strings.TrimSpace(password.Value.Text) == "" {
		return nil
	}
	return []string{password.Value.Text}
}
