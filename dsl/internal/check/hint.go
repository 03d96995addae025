package check

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/foreign"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// severalKeys explains a step with more than one key: an argument that is not indented, or a forgotten "- ".
func (d *reader) severalKeys(fields []source.Field, def *vocabulary.Def) {
	for _, f := range fields[1:] {
		hint := `start a new step with "- ", or indent this line`
		of := def
		if of == nil {
			of = &vocabulary.Def{Args: vocabulary.Paste{}} // its options are those of every step
		}
		argument := of.Takes(f.Key)
		action := slices.Contains(d.names(), f.Key)
		near := phrase.Nearest(f.Key, d.names())
		switch {
		case argument && fields[0].Value.Kind == source.Null:
			hint = fmt.Sprintf("indent it by two more spaces, so that it belongs to %q", fields[0].Key)
		case argument && def != nil:
			hint = fmt.Sprintf("put everything that belongs to %q into its map: %s", fields[0].Key, together(fields[0], f, def))
		case f.Key == "if" && def != nil:
			when := source.Field{Key: "when", Value: f.Value}
			hint = fmt.Sprintf("a condition of one step is its key when: %s", together(fields[0], when, def))
		case action:
			hint = fmt.Sprintf(`start a new step: "- %s: …"`, f.Key)
		case near != "":
			hint = fmt.Sprintf(`did you mean a new step, "- %s: …"?`, near)
		}
		d.Fail(f.Pos, len([]rune(f.Key)), fmt.Sprintf("a step has one action, and %q is a second key next to %q",
			phrase.LimitRunes(f.Key, 60), phrase.LimitRunes(fields[0].Key, 60)), hint)
	}
}

// together shows an action and a stray argument as they should be written.
func together(action, stray source.Field, def *vocabulary.Def) string {
	v := source.Value{Kind: source.Map}
	s := vocabulary.ShapeOf(reflect.TypeOf(def.Args))
	switch {
	case action.Value.Kind == source.Map:
		v.Fields = append(v.Fields, action.Value.Fields...)
	case s.Scalar >= 0:
		v.Fields = append(v.Fields, source.Field{Key: s.Fields[s.Scalar].Name, Value: action.Value})
	}
	v.Fields = append(v.Fields, stray)
	return action.Key + ": " + source.Flow(v)
}

// notAStep explains an entry of the list that is not a map.
func (d *reader) notAStep(v source.Value) {
	switch v.Kind {
	case source.Null, source.Map:
		d.Fail(v.Pos, 0, "this step is empty", "write an action, or remove the line")
	case source.List:
		d.Fail(v.Pos, 0, "a list where a step should be", `start each step with one "- "`)
	default:
		d.bareText(v)
	}
}

func (d *reader) bareText(v source.Value) {
	word, rest, colon := strings.Cut(v.Text, ":")
	if nbsp := strings.ContainsRune(v.Text, '\u00a0'); nbsp && colon {
		pos := source.Locate(d.Source, v.Pos, "\u00a0")
		d.Fail(pos, 1, "a no-break space (U+00A0) where a plain space should be", "replace it by a space")
		return
	}
	if def, known := d.lookup(source.Field{Key: word, Pos: v.Pos}); known && def != nil {
		hint := fmt.Sprintf(`write "- %s:"`, word)
		switch {
		case colon && strings.ContainsAny(string(source.FirstRune(d.Source.Line(v.Pos.Line), v.Pos.Col)), `"'`):
			hint = fmt.Sprintf(`remove the quotes around it: "- %s: %s"`, word, strings.TrimSpace(rest))
		case colon:
			hint = fmt.Sprintf(`a space is missing after ":"; write "- %s: %s"`, word, strings.TrimSpace(rest))
		case def.NeedsArgument():
			hint = fmt.Sprintf(`write "- %s"`, def.Example)
		default: // as in a flow of Maestro
			d.refusals = append(d.refusals, Refusal{Step: v, Fix: foreign.Bare(word)})
		}
		d.Wrong(v, fmt.Sprintf("%q is a text, not an action with its argument", phrase.LimitRunes(v.Text, 60)), hint)
		return
	}
	if colon && d.alone(v, word, withoutQuotes(strings.TrimSpace(rest))) { // "click:Buy"
		return
	}
	hint := "start with an action: " + frequent
	first, argument, _ := strings.Cut(strings.TrimSpace(v.Text), " ")
	argument = withoutQuotes(strings.TrimSpace(argument))
	if d.alone(v, strings.TrimSuffix(first, ":"), argument) {
		return
	}
	if def, known := vocabulary.Lookup(phrase.Nearest(first, vocabulary.ActionNames())); known {
		hint = fmt.Sprintf(`did you mean "- %s"?`, shortest(def))
		if argument != "" && vocabulary.ShapeOf(reflect.TypeOf(def.Args)).Scalar >= 0 {
			hint = fmt.Sprintf(`did you mean "- %s: %s"?`, def.Name,
				source.Flow(source.Value{Kind: source.String, Text: argument}))
		}
	}
	d.Wrong(v, fmt.Sprintf("the text %q is not a step", phrase.LimitRunes(v.Text, 60)), hint)
}

// withoutQuotes is a text without the quotes around it, if there are any.
func withoutQuotes(text string) string {
	if n := len(text); n > 1 && (text[0] == '"' || text[0] == '\'') && text[n-1] == text[0] {
		return text[1 : n-1]
	}
	return text
}

// shortest writes the action with as little as it needs.
func shortest(def *vocabulary.Def) string {
	if def.NeedsArgument() {
		return def.Example
	}
	return def.Name + ":"
}

func (d *reader) unknownAction(v source.Value, f source.Field) {
	if fix, is := foreign.Refused(f, d.place()); is {
		d.refuse(v, f.Pos, fix)
		return
	}
	hint := "frequent actions are " + frequent
	var inGo map[string]string
	if own, _ := d.own.(*Own); own != nil && own.InGo != nil {
		inGo = own.InGo()
	}
	if f.Key == "true" && f.Value.Kind == source.Map { // as tools of YAML 1.1 write the key on
		hint = `for several devices, write "on:", and in tools that change it, "on" in quotation marks`
	}
	names := slices.Concat(d.names(), slices.Sorted(maps.Keys(inGo)))
	if near := phrase.Nearest(f.Key, names); near != "" {
		hint = fmt.Sprintf("did you mean %q?", near)
	}
	if place := inGo[f.Key]; place != "" {
		hint = fmt.Sprintf("%s defines it in Go, and only that suite has the function: run the tests with ginkgo or go test",
			place)
	}
	d.Fail(f.Pos, len([]rune(f.Key)), fmt.Sprintf("unknown action %q", phrase.LimitRunes(f.Key, 60)), hint)
}

// frequent names the actions that a first test needs.
const frequent = `tap, input, assert, waitFor, launch, openBrowser; "taproot docs" lists all`
