package maestro

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
)

// commands reads a list of commands.
func (r *reader) commands(list source.Raw) dsl.Steps {
	var steps dsl.Steps
	for _, item := range list.Items {
		if step := r.command(item); step != nil {
			steps = append(steps, step)
		}
	}
	return steps
}

func (r *reader) command(v source.Raw) *dsl.Step {
	switch {
	case v.Kind == source.String:
		return r.word(v)
	case v.Kind != source.Map || len(v.Fields) == 0:
		r.fail(v.Pos, 0, fmt.Sprintf("a command is a word or a map, not %s", kindName(v)), `write "- tapOn: Sign in"`)
		return nil
	}
	first := v.Fields[0]
	width := len([]rune(first.Key))
	read, known := table()[first.Key]
	switch {
	case !known:
		r.unknown(first.Pos, first.Key)
		return nil
	case first.Value.Kind == source.Null || first.Value.Kind == source.String && !first.Value.Quoted &&
		nullForm.MatchString(first.Value.Text):
		hint := "give it what it needs, or remove it"
		if slices.Contains(bareWords, first.Key) {
			hint = fmt.Sprintf(`without options it is written "- %s"`, first.Key)
		}
		r.fail(first.Pos, width, fmt.Sprintf("%q has no options behind its colon", first.Key), hint)
		return nil
	}
	for _, f := range v.Fields[1:] {
		r.fail(f.Pos, len([]rune(f.Key)), fmt.Sprintf("%q is a second key next to the command %q", short(f.Key), first.Key),
			`indent it, or start a new command with "- "`)
		return nil
	}
	return r.make(first, read)
}

// make reads one command with its options.
func (r *reader) make(f source.RawField, read func(*reader, source.RawField, *Command) Do) *dsl.Step {
	c := &Command{Name: f.Key}
	c.Do = read(r, f, c)
	if c.Do == nil {
		return nil
	}
	return r.step(c, f.Pos, f.Value)
}

func (r *reader) step(c *Command, pos source.Pos, args source.Raw) *dsl.Step {
	step := dsl.ForeignStep(defOf(c), pos, r.source, valueOf(args), c)
	step.Options.Optional, step.Options.Name = c.Optional, c.Label
	switch do := c.Do.(type) {
	case RunFlow:
		hold(step, do)
	case Retry:
		hold(step, do.RunFlow)
	case Repeat:
		step.Hold("commands", do.Steps)
	}
	return step
}

func hold(step *dsl.Step, do RunFlow) {
	step.Hold("commands", do.Steps)
	if do.Flow != nil {
		step.Hold("onFlowStart", do.Flow.Start)
		step.Hold("commands", do.Flow.Steps)
		step.Hold("onFlowComplete", do.Flow.Complete)
	}
}

// bareWords are the commands that can be written without options.
var bareWords = append(
	words("launchApp stopApp killApp clearState clearKeychain eraseText inputRandomText inputRandomNumber "+
		"inputRandomEmail "+
		"inputRandomPersonName inputRandomCityName inputRandomCountryName inputRandomColorName back hideKeyboard pasteText "+
		"scroll "+
		"waitForAnimationToEnd stopRecording toggleAirplaneMode toggleDarkMode assertDarkMode assertLightMode "+
		"assertNoDefectsWithAI"), "hide keyboard")

func (r *reader) word(v source.Raw) *dsl.Step {
	name := v.Text
	_, known := table()[name]
	switch {
	case slices.Contains(bareWords, name):
		if name == "hide keyboard" {
			name = "hideKeyboard"
		}
		empty := source.RawField{Key: name, Pos: v.Pos, Value: source.Raw{Pos: v.Pos, Kind: source.Map}}
		return r.make(empty, table()[name])
	case known:
		r.fail(v.Pos, len([]rune(name)), fmt.Sprintf("the command %q needs options", name),
			fmt.Sprintf("write %s: and what it needs", name))
	default:
		r.unknown(v.Pos, name)
	}
	return nil
}

func (r *reader) unknown(pos source.Pos, name string) {
	r.fail(pos, len([]rune(name)), fmt.Sprintf("unknown command %q", short(name)), cmp.Or(invented[name], foreign(name),
		near(name, Commands())))
}

// options reads the keys of a map that every command has, and refuses those that are neither among them nor among its
// own.
func (r *reader) options(f source.RawField, c *Command, own string) {
	r.keys(f.Value, f.Key, append(words(own), "label", "optional"), true)
	if x, given := f.Value.Get("optional"); given {
		c.Optional = r.truth(x, c.Optional)
	}
	r.label(f, c)
}

func (r *reader) label(f source.RawField, c *Command) {
	if x, given := f.Value.Get("label"); given {
		if text := r.written(x); text != nil {
			c.Label = *text
		}
	}
}

// loose reads the label of a map; Maestro accepts its other keys in silence: optional is one of them.
func (r *reader) loose(f source.RawField, c *Command, own string) {
	r.keys(f.Value, f.Key, append(words(own), "label"), false)
	r.label(f, c)
}

// text reads what a command needs: the whole value, or the field of a map.
func (r *reader) text(f source.RawField, c *Command, key, own string) (string, bool) {
	if f.Value.Kind == source.String {
		return f.Value.Text, true
	}
	if !r.isMap(f) {
		return "", false
	}
	r.options(f, c, key+" "+own)
	return r.required(f, key)
}

// none is for commands that take nothing but a label and optional.
func none(do Do) func(*reader, source.RawField, *Command) Do {
	return func(r *reader, f source.RawField, c *Command) Do {
		if r.isMap(f) {
			r.options(f, c, "")
		}
		return do
	}
}
