package check

import (
	"reflect"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/decode"
	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/mailurl"
	"github.com/taproot-dev/taproot/internal/source"
)

// Bind fills in the variables of a step and checks their values, now with every type. args is the action's struct by
// value, for example a Tap. The steps inside of a control step and all expressions stay as they are: they wait until
// they are run. The error is an Errors.
func Bind(step *vocabulary.Step, s *expr.Scope) (args any, opts vocabulary.StepOptions, err error) {
	return bind(step, s, nil)
}

// bind is Bind; values that depend on a promised variable are left out of the checks.
func bind(step *vocabulary.Step, s *expr.Scope, promised map[string]bool) (any, vocabulary.StepOptions, error) {
	args, opts, err := bindArgs(step, s, promised)
	if err != nil || step.Def.Own == nil {
		return args, opts, err
	}
	f := expr.Filling{Scope: s, Source: step.File, Promised: promised}
	return vocabulary.OwnCall{Args: args, Values: step.Def.Own.Values(args, fillArguments(&f, step, true))}, opts, nil
}

// bindArgs is bind; values that depend on a promised variable are left out of the checks. The step was decoded when its
// file was read: only the values that waited for variables are decoded now, into a copy.
func bindArgs(step *vocabulary.Step, s *expr.Scope, promised map[string]bool) (any, vocabulary.StepOptions, error) {
	if step.Says != nil {
		return step.Def.Args, step.Options, nil
	}
	m, err := madeOf(step)
	if err != nil {
		return nil, vocabulary.StepOptions{}, err
	}
	if !m.argsWait.Waits() && !m.optionsWait.Waits() {
		return withInner(m.args, step), m.options, nil
	}
	f := expr.Filling{Scope: s, Source: step.File, Promised: promised}
	v := fillArguments(&f, step, true)
	if err := f.Errs.Err(); err != nil {
		return nil, vocabulary.StepOptions{}, err
	}
	d := NewReader(step.File, expr.Literal, "")
	v = d.named(step.Def, v)
	if f.Elements { // its maps are other ones than when the file was read
		return d.again(step, v)
	}
	args, options := m.args, m.options
	if m.argsWait.Waits() {
		filled := reflect.New(reflect.TypeOf(args)).Elem()
		filled.Set(reflect.ValueOf(args))
		d.Bind(filled, m.argsWait, v)
		args = filled.Interface()
	}
	if m.optionsWait.Waits() {
		before := len(d.Errs)
		d.BindFields(reflect.ValueOf(&options).Elem(), m.optionsWait, v)
		if _, sets := args.(vocabulary.Set); sets {
			decode.VariablesNotOptions(d.Errs[before:], v)
		}
		d.options(step.Def, v, step.Pos)
	}
	if err := d.Errs.Err(); err != nil {
		return nil, vocabulary.StepOptions{}, err
	}
	return withInner(args, step), options, nil
}

// again decodes the whole argument of a step, without the steps inside of it, which stay as they are.
func (d *reader) again(step *vocabulary.Step, v source.Value) (any, vocabulary.StepOptions, error) {
	d.Inner = func(source.Field) vocabulary.Steps { return nil }
	m := d.arguments(step.Def, v, step.Pos)
	if err := d.Errs.Err(); err != nil {
		return nil, vocabulary.StepOptions{}, err
	}
	return withInner(m.args, step), m.options, nil
}

// madeOf returns what a step was decoded to; a step that no file holds is decoded here.
func madeOf(step *vocabulary.Step) (*made, error) {
	if m, is := step.Made.(*made); is {
		return m, nil
	}
	d := NewReader(step.File, expr.Deferred, "")
	m := d.arguments(step.Def, d.named(step.Def, step.Args), step.Pos)
	return m, d.Errs.Err()
}

// withInner puts the steps inside of a step into its arguments: a clone of the step has its own.
func withInner(args any, step *vocabulary.Step) any {
	if len(step.Inner) == 0 {
		return args
	}
	filled := reflect.New(reflect.TypeOf(args)).Elem()
	filled.Set(reflect.ValueOf(args))
	shape := vocabulary.ShapeOf(filled.Type())
	if step.Def.Splits() {
		branches := make(vocabulary.Branches, len(step.Inner))
		for i, n := range step.Inner {
			branches[i] = vocabulary.Branch{Device: n.Key, Steps: n.Steps}
		}
		filled.FieldByIndex(shape.Other).Set(reflect.ValueOf(branches))
		return filled.Interface()
	}
	for _, n := range step.Inner {
		filled.FieldByIndex(shape.Fields[shape.ByKey[n.Key]].Index).Set(reflect.ValueOf(n.Steps))
	}
	return filled.Interface()
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
		case step.Def.Own != nil: // a parameter may be called label
			x.Value = f.Value(x.Value)
		default:
			fields = append(fields, f.Field(x)...)
			continue
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
	m := d.arguments(def, d.named(def, v), v.Pos)
	if err := d.Errs.Err(); err != nil {
		return nil, vocabulary.StepOptions{}, err
	}
	return m.args, m.options, nil
}

// Secrets returns the values in a step's argument that no report may show, with the variables filled in that have
// values now.
func Secrets(step *vocabulary.Step, s *expr.Scope) []string {
	server, _ := step.Args.Get("server")
	if step.Says != nil || len(SecretsIn(step.Args)) == 0 && server.Value.Kind != source.String {
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
	var secrets []string
	if server, given := args.Get("server"); given { // of mail: its URL has the password
		secrets = mailurl.Secrets(server.Value.Text)
	}
	credentials, _ := args.Get("httpCredentials")
	if credentials.Value.Kind == source.Map {
		password, _ := credentials.Value.Get("password")
		if strings.TrimSpace(password.Value.Text) != "" {
			secrets = append(secrets, password.Value.Text)
		}
	}
	return secrets
}

// MailServers returns the URLs of the mail servers that steps wait for mail of, also in the files and actions that they
// run, as far as their variables have values now.
func MailServers(s *expr.Scope, lists ...vocabulary.Steps) []string {
	var all []string
	for _, steps := range lists {
		for _, step := range steps {
			for _, n := range step.Inner {
				all = append(all, MailServers(s, n.Steps)...)
			}
			if step.Block != nil {
				if inner := inside(s, step); inner != nil {
					all = append(all, MailServers(inner, step.Block.Steps)...)
				}
			}
			if _, waits := step.Def.Args.(vocabulary.WaitForMail); !waits || step.Says != nil {
				continue
			}
			server, _ := step.Args.Get("server")
			f := expr.Filling{Scope: s, Source: step.File}
			if url := f.Value(server.Value).Text; len(f.Errs) == 0 && url != "" {
				all = append(all, url)
			}
		}
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// inside is the scope of the steps that a step runs; nil: it is not known yet.
func inside(s *expr.Scope, step *vocabulary.Step) *expr.Scope {
	args, _, err := Bind(step, s)
	if err != nil {
		return nil
	}
	inner := s
	switch a := args.(type) {
	case vocabulary.Run:
		inner, err = s.Block(step.Block, a.With)
	case vocabulary.OwnCall:
		inner, err = s.Action(step.Block, a.Params())
	}
	if err != nil {
		return nil
	}
	return inner
}
