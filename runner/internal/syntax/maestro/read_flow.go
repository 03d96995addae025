package maestro

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/internal/source"
)

func evalScript(r *reader, f source.RawField, c *Command) Do {
	pos := f.Value.Pos
	if x, given := f.Value.Get("script"); given {
		pos = x.Value.Pos
	}
	return Script{Text: r.typed(f, c, "script", false), Pos: pos}
}

func runFlow(r *reader, f source.RawField, c *Command) Do {
	if f.Value.Kind == source.String {
		return RunFlow{Flow: r.call(f), Again: 1}
	}
	if !r.isMap(f) {
		return RunFlow{}
	}
	r.options(f, c, "file when env commands")
	do := r.body(f)
	if x, given := f.Value.Get("when"); given {
		do.When = r.condition(x)
	}
	return do
}

func retry(r *reader, f source.RawField, c *Command) Do {
	do := Retry{Max: "1"}
	if !r.isMap(f) {
		return do
	}
	r.options(f, c, "maxRetries file commands env")
	do.RunFlow = r.body(f)
	if text := r.optionalText(f.Value, "maxRetries"); text != nil {
		do.Max = *text
	}
	return do
}

func repeat(r *reader, f source.RawField, c *Command) Do {
	var do Repeat
	if !r.isMap(f) {
		return do
	}
	r.options(f, c, "times while commands")
	do.Times = r.optionalText(f.Value, "times")
	if x, given := f.Value.Get("while"); given {
		do.While = r.condition(x)
	}
	list, given := f.Value.Get("commands")
	switch {
	case !given || list.Value.Kind == source.Null:
		r.fail(f.Pos, len([]rune(f.Key)), `"repeat" needs "commands"`, "")
	case list.Value.Kind != source.List:
		r.fail(list.Value.Pos, list.Value.Width, `"commands" must be a list`, `start each command with "- "`)
	default:
		do.Steps = r.commands(list.Value)
	}
	return do
}

func runScript(r *reader, f source.RawField, c *Command) Do {
	file := source.RawField{Key: f.Key, Pos: f.Pos, Value: f.Value}
	var do Script
	if f.Value.Kind != source.String {
		if !r.isMap(f) {
			return do
		}
		r.options(f, c, "file env when")
		if x, given := f.Value.Get("env"); given {
			do.Env = r.pairs(x)
		}
		if x, given := f.Value.Get("when"); given {
			do.When = r.condition(x)
		}
		x, given := f.Value.Get("file")
		if !given || x.Value.Kind == source.Null {
			r.fail(f.Pos, len([]rune(f.Key)), `"runScript" needs "file"`, "")
			return do
		}
		file = x
	}
	name, src := r.open(file)
	if src == nil {
		return do
	}
	do.File, do.Dir, do.Text, do.Pos = name, path.Dir(name), string(src), source.Pos{File: name, Line: 1, Col: 1}
	return do
}

// condition reads when and while.
func (r *reader) condition(f source.RawField) *Condition {
	if f.Value.Kind == source.Null {
		return nil
	}
	c := &Condition{}
	if !r.isMap(f) {
		return c
	}
	r.keys(f.Value, f.Key, words("platform visible notVisible true label optional"), true)
	if x, given := f.Value.Get("platform"); given {
		if text := r.written(x); text != nil {
			c.Platform = strings.ToLower(*text)
			if !slices.Contains([]string{"android", "ios", "web"}, c.Platform) {
				r.fail(x.Value.Pos, x.Value.Width, fmt.Sprintf("there is no platform %q", short(*text)),
					"there are Android, iOS and Web")
			}
		}
	}
	if x, given := f.Value.Get("true"); given {
		if text := r.written(x); text != nil {
			trimmed := strings.TrimSpace(*text)
			c.True = &trimmed
		}
	}
	if x, given := f.Value.Get("visible"); given && x.Value.Kind != source.Null {
		c.Visible = r.selector(x.Value, x.Key)
	}
	if x, given := f.Value.Get("notVisible"); given && x.Value.Kind != source.Null {
		c.NotVisible = r.selector(x.Value, x.Key)
	}
	return c
}

// body reads the file or the commands of runFlow and retry.
func (r *reader) body(f source.RawField) (do RunFlow) {
	file, byFile := f.Value.Get("file")
	list, inline := f.Value.Get("commands")
	byFile, inline = byFile && file.Value.Kind != source.Null, inline && list.Value.Kind != source.Null
	width := len([]rune(f.Key))
	if env, given := f.Value.Get("env"); given {
		do.Env = r.pairs(env)
	}
	switch {
	case byFile && inline:
		r.fail(f.Pos, width, fmt.Sprintf("%q has both file and commands", f.Key), "remove one of the two")
	case byFile:
		do.Flow, do.Again = r.call(file), 1
	case !inline:
		r.fail(f.Pos, width, fmt.Sprintf("%q names no file and holds no commands", f.Key), "give file: or commands:")
	case list.Value.Kind != source.List:
		r.fail(list.Value.Pos, list.Value.Width, `"commands" must be a list`, `start each command with "- "`)
	default:
		do.Steps, do.Again = r.commands(list.Value), len(list.Value.Items)
	}
	return do
}
