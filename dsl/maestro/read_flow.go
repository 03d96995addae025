package maestro

import (
	"path"

	"github.com/taproot-dev/taproot/dsl/source"
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
