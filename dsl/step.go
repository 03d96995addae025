package dsl

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/shorten"
	"github.com/taproot-dev/taproot/internal/suggest"
)

// steps reads a list of actions.
func (d *decoding) steps(f source.Field) Steps {
	switch {
	case f.Value.Kind == source.List && len(f.Value.Items) > 0:
	case f.Value.Kind == source.Map:
		d.fail(f.Value.Pos, 0, fmt.Sprintf("%q must be a list, not a map", f.Key), `start each step with "- "`)
		return nil
	case f.Value.Kind == source.List || f.Value.Kind == source.Null && f.Value.Text == "":
		msg := fmt.Sprintf("%q holds no steps", f.Key)
		if f.Key == "steps" {
			msg = "there are no steps"
		}
		d.fail(f.Pos, len(f.Key), msg, fmt.Sprintf(`write the actions under "%s:", for example "  - tap: Sign in"`, f.Key))
		return nil
	default:
		d.wrong(f.Value, fmt.Sprintf("%q must be a list, not %s", f.Key, describe(f.Value)), `start each step with "- "`)
		return nil
	}
	steps := make(Steps, 0, len(f.Value.Items))
	for _, item := range f.Value.Items {
		if s := d.step(item); s != nil {
			steps = append(steps, s)
		}
	}
	return steps
}

// step reads one action; nil when it is not one.
func (d *decoding) step(v source.Value) *Step {
	if v.Kind != source.Map || len(v.Fields) == 0 {
		d.notAStep(v)
		return nil
	}
	action := v.Fields[0]
	def, known := Lookup(action.Key)
	known = known && def.Interfaces&YAML != 0
	if len(v.Fields) > 1 {
		d.severalKeys(v.Fields, def)
	}
	if !known {
		d.unknownAction(action)
		return nil
	}
	if d.platform != "" && !def.On(d.platform) {
		d.fail(action.Pos, len(action.Key), fmt.Sprintf("%q does not work on %s", action.Key, d.platform.words()),
			"it works on "+platforms(def))
	}
	step := &Step{Pos: action.Pos, Def: def, Args: action.Value, source: d.source}
	if len(v.Fields) == 1 || action.Value.Kind != source.Null {
		before := len(d.errs)
		args, opts := d.arguments(def, action.Value, action.Pos)
		step.Options = opts
		step.nest(reflect.ValueOf(args))
		if len(d.errs) == before && len(step.nested) == 0 && !holdsVariable(action.Value) {
			step.args = args
		}
	}
	return step
}

// holdsVariable reports whether any text of a value contains ${.
func holdsVariable(v source.Value) bool {
	return v.Kind == source.String && strings.Contains(v.Text, "${") || slices.ContainsFunc(v.Items, holdsVariable) ||
		slices.ContainsFunc(v.Fields, func(f source.Field) bool { return holdsVariable(f.Value) })
}

// arguments fills the action's struct and the step options.
func (d *decoding) arguments(def *Def, v source.Value, at source.Pos) (args any, opts StepOptions) {
	options := shapeOf(reflect.TypeFor[StepOptions]())
	filled := reflect.New(reflect.TypeOf(def.Args)).Elem()
	d.structure(filled, v, object{name: def.Name, at: at, options: options, example: def.Example})
	for _, f := range v.Fields {
		if i, option := options.byKey[f.Key]; option {
			d.field(reflect.ValueOf(&opts).Elem().FieldByIndex(options.fields[i].index), f.Value, options.fields[i])
		}
	}
	d.options(def, v, at)
	return filled.Interface(), opts
}

// options checks what the tags of the step options cannot say.
func (d *decoding) options(def *Def, v source.Value, at source.Pos) {
	if v.Kind == source.Null {
		return
	}
	if as, given := v.Get("as"); given {
		if def.Saves == "" {
			d.fail(as.Pos, len("as"), fmt.Sprintf("%q has no result that %q could save", def.Name, "as"), "remove it")
		}
	}
	if _, saved := v.Get("as"); def.MustSave && !saved && !d.single {
		d.fail(at, len([]rune(def.Name)), fmt.Sprintf("%q needs %q", def.Name, "as"),
			"name the variable that takes the result: as: total")
	}
	options := shapeOf(reflect.TypeFor[StepOptions]())
	d.rules(options.rules, options, v, object{name: def.Name, at: at})
	if f, given := v.Get("screenshot"); given && def.Control() {
		d.fail(f.Pos, len("screenshot"), fmt.Sprintf("%q has no screenshot of its own", def.Name),
			"write screenshot: false on the steps inside of it")
	}
}

// bare fills the action's struct from a map in which no step options may stand.
func (d *decoding) bare(def *Def, v source.Value) any {
	filled := reflect.New(reflect.TypeOf(def.Args)).Elem()
	d.structure(filled, v, object{name: def.Name, at: v.Pos, example: def.Example})
	return filled.Interface()
}

// severalKeys explains a step with more than one key: an argument that is not indented, or a forgotten "- ".
func (d *decoding) severalKeys(fields []source.Field, def *Def) {
	for _, f := range fields[1:] {
		hint := `start a new step with "- ", or indent this line`
		arguments := shapeOf(reflect.TypeFor[StepOptions]()).keys()
		if def != nil {
			arguments = append(arguments, shapeOf(reflect.TypeOf(def.Args)).keys()...)
		}
		_, action := Lookup(f.Key)
		near := suggest.Nearest(f.Key, vocabulary().names)
		switch {
		case slices.Contains(arguments, f.Key) && fields[0].Value.Kind == source.Null:
			hint = fmt.Sprintf("indent it by two more spaces, so that it belongs to %q", fields[0].Key)
		case slices.Contains(arguments, f.Key) && def != nil:
			hint = fmt.Sprintf("put everything that belongs to %q into its map: %s", fields[0].Key, together(fields[0], f, def))
		case f.Key == "if" && def != nil:
			when := source.Field{Key: "when", Value: f.Value}
			hint = fmt.Sprintf("a condition of one step is its key when: %s", together(fields[0], when, def))
		case action:
			hint = fmt.Sprintf(`start a new step: "- %s: …"`, f.Key)
		case near != "":
			hint = fmt.Sprintf(`did you mean a new step, "- %s: …"?`, near)
		}
		d.fail(f.Pos, len([]rune(f.Key)), fmt.Sprintf("a step has one action, and %q is a second key next to %q",
			shorten.Runes(f.Key, 60), shorten.Runes(fields[0].Key, 60)), hint)
	}
}

// together shows an action and a stray argument as they should be written.
func together(action, stray source.Field, def *Def) string {
	v := source.Value{Kind: source.Map}
	s := shapeOf(reflect.TypeOf(def.Args))
	switch {
	case action.Value.Kind == source.Map:
		v.Fields = append(v.Fields, action.Value.Fields...)
	case s.scalar >= 0:
		v.Fields = append(v.Fields, source.Field{Key: s.fields[s.scalar].key, Value: action.Value})
	}
	v.Fields = append(v.Fields, stray)
	return action.Key + ": " + source.Flow(v)
}

// notAStep explains an entry of the list that is not a map.
func (d *decoding) notAStep(v source.Value) {
	switch v.Kind {
	case source.Null, source.Map:
		d.fail(v.Pos, 0, "this step is empty", "write an action, or remove the line")
	case source.List:
		d.fail(v.Pos, 0, "a list where a step should be", `start each step with one "- "`)
	default:
		d.bareText(v)
	}
}

func (d *decoding) bareText(v source.Value) {
	word, rest, colon := strings.Cut(v.Text, ":")
	if nbsp := strings.ContainsRune(v.Text, '\u00a0'); nbsp && colon {
		pos := source.Locate(d.source, v.Pos, "\u00a0")
		d.fail(pos, 1, "a no-break space (U+00A0) where a plain space should be", "replace it by a space")
		return
	}
	if def, known := Lookup(word); known {
		hint := fmt.Sprintf(`write "- %s:"`, word)
		switch {
		case colon && strings.ContainsAny(string(source.FirstRune(d.source.Line(v.Pos.Line), v.Pos.Col)), `"'`):
			hint = fmt.Sprintf(`remove the quotes around it: "- %s: %s"`, word, strings.TrimSpace(rest))
		case colon:
			hint = fmt.Sprintf(`a space is missing after ":"; write "- %s: %s"`, word, strings.TrimSpace(rest))
		case def.NeedsArgument():
			hint = fmt.Sprintf(`write "- %s"`, def.Example)
		}
		d.wrong(v, fmt.Sprintf("%q is a text, not an action with its argument", shorten.Runes(v.Text, 60)), hint)
		return
	}
	hint := "start with an action: " + frequent
	first, argument, _ := strings.Cut(strings.TrimSpace(v.Text), " ")
	foreign, how := foreignAction(first, d.platform)
	meant := cmp.Or(foreign, suggest.Nearest(first, vocabulary().names))
	if def, known := Lookup(meant); how != "" {
		hint = how
	} else if known {
		hint = fmt.Sprintf(`did you mean "- %s"?`, shortest(def))
		if argument = withoutQuotes(strings.TrimSpace(argument)); argument != "" &&
			shapeOf(reflect.TypeOf(def.Args)).scalar >= 0 {
			hint = fmt.Sprintf(`did you mean "- %s: %s"?`, def.Name,
				source.Flow(source.Value{Kind: source.String, Text: argument}))
		}
	}
	d.wrong(v, fmt.Sprintf("the text %q is not a step", shorten.Runes(v.Text, 60)), hint)
}

// withoutQuotes is a text without the quotes around it, if there are any.
func withoutQuotes(text string) string {
	if n := len(text); n > 1 && (text[0] == '"' || text[0] == '\'') && text[n-1] == text[0] {
		return text[1 : n-1]
	}
	return text
}

// shortest writes the action with as little as it needs.
func shortest(def *Def) string {
	if def.NeedsArgument() {
		return def.Example
	}
	return def.Name + ":"
}

// NeedsArgument reports whether the operation needs an argument.
func (def *Def) NeedsArgument() bool {
	d := &decoding{}
	d.arguments(def, source.Value{}, source.Pos{})
	return len(d.errs) > 0
}

func (d *decoding) unknownAction(f source.Field) {
	names := vocabulary().names
	hint := "frequent actions are " + frequent
	own, how := foreignAction(f.Key, d.platform)
	if near := cmp.Or(own, suggest.Nearest(f.Key, names)); how != "" {
		hint = how
	} else if near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	d.fail(f.Pos, len([]rune(f.Key)), fmt.Sprintf("unknown action %q", shorten.Runes(f.Key, 60)), hint)
}

// frequent names the actions that a first test needs.
const frequent = `tap, input, assert, waitFor, launch, openBrowser; "taproot docs" lists all`

func platforms(def *Def) string {
	return names(def.Platforms)
}

// names joins platforms.
func names(all []Platform) string {
	words := make([]string, len(all))
	for i, p := range all {
		words[i] = string(p)
	}
	return strings.ReplaceAll(oneOf(words), " or ", " and ")
}
