package check

import (
	"bytes"
	"fmt"
	"maps"
	"reflect"
	"slices"

	"github.com/taproot-dev/taproot/dsl/internal/decode"
	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/dsl/internal/foreign"
	"github.com/taproot-dev/taproot/dsl/internal/form"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// blocks reads the named blocks under the key blocks of the top level.
func (d *reader) blocks(v source.Value, file string) vocabulary.Blocks {
	f, given := v.Get("blocks")
	if !given || f.Value.Kind != source.Map || len(f.Value.Fields) == 0 {
		return nil // which is reported
	}
	all := vocabulary.Blocks{}
	d.opened = foreign.Unknown
	for _, x := range f.Value.Fields {
		if !form.IdForm.MatchString(x.Key) {
			d.Fail(x.Pos, len([]rune(x.Key)), fmt.Sprintf("the block's name %q holds what no name can",
				phrase.LimitRunes(x.Key, 60)),
				"use letters without accents, digits, dots, hyphens and underscores, and start with a letter or a digit")
		}
		b := &vocabulary.Block{File: file, Name: x.Key, Pos: x.Pos, Source: d.Source}
		if x.Value.Kind != source.Map {
			d.Variables = expr.Deferred
			b.Steps = d.steps(x)
		} else {
			d.Variables = expr.Refused
			var h vocabulary.NamedBlock
			d.Structure(reflect.ValueOf(&h).Elem(), x.Value, decode.Object{Name: x.Key, At: x.Pos, Nested: true, Example: x.Key +
				": [{tap: Sign in}]"})
			b.Vars = h.Vars
			d.Variables = expr.Deferred
			b.Steps = d.stepsUnder(x.Value, "steps")
		}
		all[x.Key] = b
	}
	for _, b := range all {
		b.Blocks = all
	}
	return all
}

// ParseBlock reads a file for a run step: only vars and steps, or a whole test, of which vars and steps are taken.
// platform is that of the test that runs it; empty: not known yet. The error is an Errors.
// own are the actions of the project's own; nil: none.
func ParseBlock(file string, src []byte, platform vocabulary.Platform,
	own vocabulary.OwnActions) (*vocabulary.Block, error) {
	text, from, bad := source.Readable(file, src)
	if bad != nil {
		return nil, source.Errors{bad}
	}
	values, err := source.Read(text, from)
	if err != nil {
		return nil, err
	}
	if len(values) != 1 {
		e := &source.Error{Pos: source.Pos{File: file, Line: 1, Col: 1}, Msg: "a file for run holds one document",
			Hint: `write "steps:" and under it the actions`}
		if len(values) > 1 {
			e.Pos, e.Source, e.Msg = values[1].Pos, from, "a second document in a file for run"
		}
		return nil, source.Errors{e}
	}
	d := NewReader(from, expr.Literal, "")
	d.own = own
	b := &vocabulary.Block{File: file, Source: from}
	if _, isTest := values[0].Get("id"); isTest {
		if t := d.Test(values[0]); t != nil {
			b.Vars, b.Steps, b.Blocks = t.Vars, t.Steps, t.Blocks
			if platform != "" && platform != t.Platform && len(d.Errs) == 0 {
				d.Errs = append(d.Errs, checkBlock(b, platform)...)
			}
		}
		return b, d.Errs.Err()
	}
	d.Variables, d.Platform, d.opened = expr.Refused, platform, foreign.Unknown
	var h vocabulary.BlockFile
	d.Structure(reflect.ValueOf(&h).Elem(), values[0], decode.Object{Name: "the file", At: values[0].Pos,
		Example: "steps: [{tap: Sign in}]"})
	b.Vars = h.Vars
	d.Variables = expr.Deferred
	b.Steps = d.stepsUnder(values[0], "steps")
	b.Blocks = d.blocks(values[0], file)
	if err := d.Errs.Err(); err != nil {
		return nil, err
	}
	return b, nil
}

// checkBlock looks at the steps again for another platform.
func checkBlock(b *vocabulary.Block, p vocabulary.Platform) source.Errors {
	errs := checkPlatform(b.Steps, p)
	for _, name := range slices.Sorted(maps.Keys(b.Blocks)) {
		errs = append(errs, checkPlatform(b.Blocks[name].Steps, p)...)
	}
	return errs
}

// OnPlatform finds the steps that a platform cannot do: those of hooks and blocks, which were read before it was
// known. The error is an Errors.
func OnPlatform(steps vocabulary.Steps, p vocabulary.Platform) error {
	return checkPlatform(steps, p).Err()
}

func checkPlatform(steps vocabulary.Steps, p vocabulary.Platform) source.Errors {
	var errs source.Errors
	own := ownDefsOf(steps)
	for _, s := range steps {
		if s.Says != nil {
			continue
		}
		d := NewReader(s.File, expr.Deferred, p)
		d.own = own
		d.step(source.Value{Kind: source.Map, Pos: s.Pos, Fields: []source.Field{
			{Key: s.Def.Name, Pos: s.Pos, Value: s.Args}}})
		errs = append(errs, d.Errs...)
	}
	return errs
}

// HoldsBlocks reports whether a file is one of blocks for run steps, and not a test, wherever it is: it holds blocks,
// and neither an id nor steps nor a platform.
func HoldsBlocks(file string, src []byte) bool {
	if !bytes.Contains(src, []byte("blocks")) && !bytes.ContainsRune(src, '\\') {
		return false // no key of that name, not even one with an escape in it
	}
	text, from, bad := source.Readable(file, src)
	if bad != nil {
		return false
	}
	values, err := source.Read(text, from)
	if err != nil || len(values) != 1 {
		return false
	}
	if _, given := values[0].Get("blocks"); !given {
		return false
	}
	return !slices.ContainsFunc([]string{"id", "steps", "platform"}, func(key string) bool {
		_, given := values[0].Get(key)
		return given
	})
}
