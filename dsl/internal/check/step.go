package check

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/taproot-dev/taproot/dsl/internal/decode"
	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/dsl/internal/foreign"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/source"
)

// reader reads files of tests, and the steps in them.
type reader struct {
	decode.Decoding
	lanes
	single bool         // it reads no step of a test: the result goes back to the caller
	cond   source.Value // of the if that is being read

	opened   foreign.Opened // whether a page is open where the step is that is read
	refusals []Refusal
	probing  bool // it reads a translation
	own      vocabulary.OwnActions
}

// NewReader returns a reader of a file's values.
func NewReader(from *source.Source, v expr.Variables, p vocabulary.Platform) *reader {
	d := &reader{}
	d.Source, d.Variables, d.Platform = from, v, p
	d.Inner = d.branch
	return d
}

// steps reads a list of actions.
func (d *reader) steps(f source.Field) vocabulary.Steps {
	switch {
	case f.Value.Kind == source.List && len(f.Value.Items) > 0:
	case f.Value.Kind == source.Map:
		d.Fail(f.Value.Pos, 0, fmt.Sprintf("%q must be a list, not a map", f.Key), `start each step with "- "`)
		return nil
	case f.Value.Kind == source.List || f.Value.Kind == source.Null && f.Value.Text == "":
		msg := fmt.Sprintf("%q holds no steps", f.Key)
		if f.Key == "steps" {
			msg = "there are no steps"
		}
		d.Fail(f.Pos, len(f.Key), msg, fmt.Sprintf(`write the actions under "%s:", for example "  - tap: Sign in"`, f.Key))
		return nil
	default:
		d.Wrong(
			f.Value,
			fmt.Sprintf("%q must be a list, not %s", f.Key, source.Describe(f.Value)),
			`start each step with "- "`,
		)
		return nil
	}
	steps := make(vocabulary.Steps, 0, len(f.Value.Items))
	for _, item := range f.Value.Items {
		if s := d.step(item); s != nil {
			steps = append(steps, s)
		}
	}
	return steps
}

// step reads one action; nil when it is not one.
func (d *reader) step(v source.Value) *vocabulary.Step {
	if v.Kind != source.Map || len(v.Fields) == 0 {
		d.notAStep(v)
		return nil
	}
	action := v.Fields[0]
	def, known := d.lookup(action)
	if def == nil && known {
		return nil // its own file is wrong, which is reported
	}
	if len(v.Fields) > 1 {
		d.severalKeys(v.Fields, def)
	}
	if !known {
		d.unknownAction(v, action)
		return nil
	}
	before := len(d.Errs)
	defer func() { d.otherForm(v, action, before) }()
	d.follow(def.Name)
	if def.Own != nil && d.opened == foreign.NotYet {
		d.opened = foreign.Unknown
	}
	all, outer, splits := d.Platform, d.cond, d.splits
	defer func() { d.Platform, d.cond, d.splits = all, outer, splits }()
	if d.splits = def.Splits(); d.splits {
		d.checkOn(action)
	}
	d.Platform = d.steppedOn(action.Value)
	cond, _ := action.Value.Get("cond")
	d.cond = cond.Value
	if d.Platform != "" && !def.On(d.Platform) {
		d.Fail(action.Pos, len(action.Key), fmt.Sprintf("%q does not work on %s", action.Key, d.Platform.Words()),
			"it works on "+vocabulary.Platforms(def))
	}
	step := &vocabulary.Step{Pos: action.Pos, Def: def, Args: d.named(def, action.Value), File: d.Source,
		On: d.Platform, Device: d.device}
	if len(v.Fields) == 1 || action.Value.Kind != source.Null {
		made := d.arguments(def, step.Args, action.Pos)
		step.Options, step.Made = made.options, made
		step.Nest(reflect.ValueOf(made.args))
	}
	return step
}

// lookup finds the action of a step, Taproot's or the project's own. Known without a definition: it cannot be used.
func (d *reader) lookup(action source.Field) (def *vocabulary.Def, known bool) {
	def, known = vocabulary.Lookup(action.Key)
	if known || d.own == nil {
		return def, known && def.Interfaces&vocabulary.YAML != 0
	}
	def, err := d.own.Lookup(action.Key)
	if err != nil {
		d.Fail(action.Pos, len([]rune(action.Key)), fmt.Sprintf("the action %q cannot be used", action.Key),
			"correct its own file, as the message about it says")
		d.Errs = append(d.Errs, errorsOf(err)...)
		return nil, true
	}
	return def, def != nil
}

// names are those of all actions, Taproot's and the project's own.
func (d *reader) names() []string {
	names := vocabulary.ActionNames()
	if d.own != nil {
		names = slices.Concat(names, d.own.Names())
	}
	return names
}

// made is what a step was decoded to. Nothing changes it: it is bound as a copy.
type made struct {
	args    any // the action's struct by value
	options vocabulary.StepOptions

	argsWait, optionsWait *decode.Pending // what in them waits for variables
}

// named returns the argument of a step with the documented names of its keys.
func (d *reader) named(def *vocabulary.Def, v source.Value) source.Value {
	return d.Named(v, vocabulary.ShapeOf(reflect.TypeOf(def.Args)),
		vocabulary.ShapeOf(reflect.TypeFor[vocabulary.StepOptions]()))
}

// arguments fills the action's struct and the step options. The keys have their documented names.
func (d *reader) arguments(def *vocabulary.Def, v source.Value, at source.Pos) *made {
	m := &made{}
	options := vocabulary.ShapeOf(reflect.TypeFor[vocabulary.StepOptions]())
	filled := reflect.New(reflect.TypeOf(def.Args)).Elem()
	o := decode.Object{Name: def.Name, At: at, Options: options, Example: def.Example}
	m.argsWait = d.Record(o, func() { d.Structure(filled, v, o) })
	m.args = filled.Interface()
	before := len(d.Errs)
	m.optionsWait = d.Record(decode.Object{}, func() { d.Options(reflect.ValueOf(&m.options).Elem(), v) })
	if _, sets := m.args.(vocabulary.Set); sets {
		decode.VariablesNotOptions(d.Errs[before:], v)
	}
	d.options(def, v, at)
	return m
}

// options checks what the tags of the step options cannot say.
func (d *reader) options(def *vocabulary.Def, v source.Value, at source.Pos) {
	if v.Kind == source.Null {
		return
	}
	if as, given := v.Get("as"); given {
		if def.Saves == "" {
			hint := "remove it"
			if def.Own.HasSteps() {
				hint = fmt.Sprintf("save it under %q in a step of %s, or remove it", "result", def.Own.File)
			}
			d.Fail(as.Pos, len("as"), fmt.Sprintf("%q has no result that %q could save", def.Name, "as"), hint)
		}
	}
	if _, saved := v.Get("as"); def.MustSave && !saved && !d.single {
		d.Fail(at, len([]rune(def.Name)), fmt.Sprintf("%q needs %q", def.Name, "as"),
			"name the variable that takes the result: as: total")
	}
	options := vocabulary.ShapeOf(reflect.TypeFor[vocabulary.StepOptions]())
	d.Rules(options.Rules, options, v, decode.Object{Name: def.Name, At: at})
	if f, given := v.Get("screenshot"); given && def.Control() {
		d.Fail(f.Pos, len("screenshot"), fmt.Sprintf("%q has no screenshot of its own", def.Name),
			"write screenshot: false on the steps inside of it")
	}
}

// bare fills the action's struct from a map in which no step options may stand.
func (d *reader) bare(def *vocabulary.Def, v source.Value) any {
	filled := reflect.New(reflect.TypeOf(def.Args)).Elem()
	v = d.Named(v, vocabulary.ShapeOf(filled.Type()))
	d.Structure(filled, v, decode.Object{Name: def.Name, At: v.Pos, Example: def.Example})
	return filled.Interface()
}
