package check

import (
	"path"
	"path/filepath"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/dsl/internal/foreign"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// Refusal is a step with a word that the test syntax refuses, and what it becomes.
type Refusal struct {
	Step source.Value // a map, or a text alone
	Fix  foreign.Fix
}

// place is what the meaning of a foreign word depends on, at the step that is read.
func (d *reader) place() foreign.Place {
	return foreign.Place{Platform: d.Platform, Opened: d.opened}
}

// refuse reports a step with a refused word, and the line to write instead.
func (d *reader) refuse(step source.Value, at source.Pos, fix foreign.Fix) {
	fix = d.judged(fix)
	d.report(at, fix)
	d.refusals = append(d.refusals, Refusal{Step: step, Fix: fix})
}

func (d *reader) report(at source.Pos, fix foreign.Fix) {
	d.Fail(at, len([]rune(fix.Word)), fix.Message(), fix.Hint())
	if fix.Certain() {
		d.Errs[len(d.Errs)-1].Fix = strings.TrimSpace(fix.Lines())
	}
}

// judged reads the steps of a translation. What is wrong with them makes it uncertain; what is wrong with the steps
// inside of them is reported.
func (d *reader) judged(fix foreign.Fix) foreign.Fix {
	for _, f := range fix.Steps {
		probe := &reader{probing: true}
		probe.Source, probe.Variables, probe.Platform = d.Source, d.Variables, d.Platform
		probe.Inner, probe.own = d.steps, d.own
		probe.step(source.Value{Kind: source.Map, Pos: f.Pos, Fields: []source.Field{f}})
		if len(probe.Errs) > 0 && fix.Why == "" && !fix.Renamed {
			fix.Why = probe.Errs[0].Msg
		}
		d.follow(f.Key)
	}
	return fix
}

// follow notes what a step does to the browser.
func (d *reader) follow(action string) {
	switch {
	case action == "openBrowser":
		d.opened = foreign.Open
	case action == "run" && d.opened == foreign.NotYet:
		d.opened = foreign.Unknown
	}
}

// otherForm replaces the errors of a step with an argument that is written as in another tool; before is how many there
// were ahead of it.
func (d *reader) otherForm(v source.Value, action source.Field, before int) {
	if d.probing || len(d.Errs) == before {
		return
	}
	fix, is := foreign.Form(action, d.place())
	if !is {
		return
	}
	errs, refusals := d.Errs, d.refusals
	d.Errs = d.Errs[:before:before]
	if fix = d.judged(fix); !fix.Certain() {
		d.Errs, d.refusals = errs, refusals
		return
	}
	d.report(action.Pos, fix)
	d.refusals = append(d.refusals, Refusal{Step: v, Fix: fix})
}

// Refusals finds the steps with refused words in the documents of a file: tests, blocks, or a taproot.yaml.
func Refusals(from *source.Source, docs []source.Value) []Refusal {
	d := NewReader(from, expr.Literal, "")
	for _, v := range docs {
		if v.Kind != source.Map {
			continue
		}
		_, id := v.Get("id")
		_, platform := v.Get("platform")
		switch {
		case path.Base(filepath.ToSlash(from.File)) == "taproot.yaml":
			d.Variables, d.Platform, d.opened = expr.Deferred, "", foreign.NotYet
			for _, key := range []string{"before", "onFailure", "after"} {
				d.stepsUnder(v, key)
			}
		case id || platform:
			d.Test(v)
		default:
			d.Variables, d.Platform, d.opened = expr.Deferred, "", foreign.Unknown
			d.stepsUnder(v, "steps")
			d.blocks(v, from.File)
		}
	}
	return d.refusals
}

// onlyOnPages reports whether an action works on pages alone, by its own name or by that of another tool.
func onlyOnPages(f source.Field) bool {
	def, known := vocabulary.Lookup(f.Key)
	if !known {
		fix, is := foreign.Refused(f, foreign.Place{})
		if !is || len(fix.Steps) == 0 {
			return false
		}
		def, known = vocabulary.Lookup(fix.Steps[0].Key)
	}
	return known && len(def.Platforms) == 1 && def.On(vocabulary.Web)
}

// alone reads a text that is a step of its own in another tool, such as back or "tapOn Sign in".
func (d *reader) alone(v source.Value, first, argument string) bool {
	if fix, is := foreign.Refused(source.Field{Key: v.Text, Pos: v.Pos}, d.place()); is {
		d.refuse(v, v.Pos, fix)
		return true
	}
	for _, name := range vocabulary.ActionNames() { // hide keyboard
		if def, _ := vocabulary.Lookup(name); phrase.Fold(name) == phrase.Fold(v.Text) && !def.NeedsArgument() {
			d.refuse(v, v.Pos, foreign.Bare(name))
			return true
		}
	}
	f := source.Field{Key: first, Pos: v.Pos}
	if argument != "" {
		f.Value = source.Value{Kind: source.String, Text: argument}
	}
	fix, is := foreign.Refused(f, d.place())
	if is {
		d.refuse(v, v.Pos, fix)
	}
	return is
}
