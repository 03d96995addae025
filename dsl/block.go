package dsl

import (
	"fmt"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/shorten"
	"github.com/taproot-dev/taproot/internal/suggest"
)

// Block is what a run step runs: the vars and steps of a file, or of one of its named blocks.
type Block struct {
	File   string
	Name   string     // empty: the file's own steps
	Pos    source.Pos // of the name
	Vars   []Var
	Steps  Steps
	Blocks Blocks // of its file
	Source *source.Source
}

// Blocks are the named blocks of a file.
type Blocks map[string]*Block

// block is the top level of a file that holds a block and no test.
type block struct {
	Vars   vars         `json:"vars,omitempty"`
	Steps  source.Value `json:"steps,omitempty"`
	Blocks table        `json:"blocks,omitempty"`
}

func (block) rules() []rule {
	return []rule{atLeastOne("steps blocks").says(`the file holds neither "steps" nor "blocks"`,
		`write "steps:" and under it the actions`)}
}

// named is one of the blocks under blocks:, when it has vars.
type named struct {
	Vars  vars         `json:"vars,omitempty"`
	Steps source.Value `json:"steps" required:"true"`
}

// table is a map that is read later, when it is known what its steps may do.
type table struct{}

func (*table) fromValue(d *decoding, v source.Value, name string) {
	if v.Kind != source.Map || len(v.Fields) == 0 {
		d.wrong(v, fmt.Sprintf("%q must be a map, not %s", name, describe(v)),
			`write the name of a block, and its steps under it: "sign-in: [{tap: Sign in}]"`)
	}
}

func (table) schema(s *schemas) schema {
	block := s.object(reflect.TypeFor[named]())
	return schema{"type": "object", "minProperties": 1, "propertyNames": schema{"pattern": idForm.String()},
		"additionalProperties": schema{"anyOf": []any{schema{"$ref": "#/$defs/steps"}, block}}}
}

func (table) words() string { return "map of blocks" }

// blocks reads the named blocks under the key blocks of the top level.
func (d *decoding) blocks(v source.Value, file string) Blocks {
	f, given := v.Get("blocks")
	if !given || f.Value.Kind != source.Map || len(f.Value.Fields) == 0 {
		return nil // which is reported
	}
	all := Blocks{}
	for _, x := range f.Value.Fields {
		if !idForm.MatchString(x.Key) {
			d.fail(x.Pos, len([]rune(x.Key)), fmt.Sprintf("the block's name %q holds what no name can",
				shorten.Runes(x.Key, 60)),
				"use letters without accents, digits, dots, hyphens and underscores, and start with a letter or a digit")
		}
		b := &Block{File: file, Name: x.Key, Pos: x.Pos, Source: d.source}
		if x.Value.Kind != source.Map {
			d.variables = deferred
			b.Steps = d.steps(x)
		} else {
			d.variables = refused
			var h named
			d.structure(reflect.ValueOf(&h).Elem(), x.Value, object{name: x.Key, at: x.Pos, nested: true, example: x.Key +
				": [{tap: Sign in}]"})
			b.Vars = h.Vars
			d.variables = deferred
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
func ParseBlock(file string, src []byte, platform Platform) (*Block, error) {
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
	d := &decoding{source: from}
	b := &Block{File: file, Source: from}
	if _, isTest := values[0].Get("id"); isTest {
		if t := d.test(values[0]); t != nil {
			b.Vars, b.Steps, b.Blocks = t.Vars, t.Steps, t.Blocks
			if platform != "" && platform != t.Platform && len(d.errs) == 0 {
				d.errs = append(d.errs, b.check(platform)...)
			}
		}
		return b, d.errs.Err()
	}
	d.variables, d.platform = refused, platform
	var h block
	d.structure(reflect.ValueOf(&h).Elem(), values[0], object{name: "the file", at: values[0].Pos,
		example: "steps: [{tap: Sign in}]"})
	b.Vars = h.Vars
	d.variables = deferred
	b.Steps = d.stepsUnder(values[0], "steps")
	b.Blocks = d.blocks(values[0], file)
	if err := d.errs.Err(); err != nil {
		return nil, err
	}
	return b, nil
}

// check looks at the steps again for another platform.
func (b *Block) check(p Platform) source.Errors {
	errs := checkPlatform(b.Steps, p)
	for _, name := range slices.Sorted(maps.Keys(b.Blocks)) {
		errs = append(errs, checkPlatform(b.Blocks[name].Steps, p)...)
	}
	return errs
}

// CheckPlatform finds the steps that a platform cannot do: those of hooks and blocks, which were read before it was
// known. The error is an Errors.
func CheckPlatform(steps Steps, p Platform) error { return checkPlatform(steps, p).Err() }

func checkPlatform(steps Steps, p Platform) source.Errors {
	var errs source.Errors
	for _, s := range steps {
		if s.foreign != nil {
			continue
		}
		d := &decoding{source: s.source, platform: p, variables: deferred}
		d.step(source.Value{Kind: source.Map, Pos: s.Pos, Fields: []source.Field{
			{Key: s.Def.Name, Pos: s.Pos, Value: s.Args}}})
		errs = append(errs, d.errs...)
	}
	return errs
}

// Ref is what a run step names: a file, one of its blocks, or a block of its own file.
type Ref struct {
	Step  *Step
	From  string     // the file that holds the step
	File  string     // the name in the step, relative to From; empty: From itself
	Block string     // empty: the file's own steps
	Pos   source.Pos // of the file's name, or else of the block's
}

// References returns what the steps run, hooks included, blocks that are linked already not.
func References(t *Test) []Ref {
	var refs []Ref
	for _, list := range []Steps{t.Before, t.Steps, t.OnFailure, t.After} {
		refs = append(refs, list.references()...)
	}
	return refs
}

func (s Steps) references() []Ref {
	var refs []Ref
	for step := range s.All {
		if _, run := step.Def.Args.(Run); !run || step.Block != nil {
			continue
		}
		r := Ref{Step: step, From: step.Pos.File, File: step.Args.Text, Pos: step.Args.Pos}
		if block, given := step.Args.Get("block"); given {
			r.Block, r.Pos = block.Value.Text, block.Value.Pos
		}
		if f, given := step.Args.Get("file"); given {
			r.File, r.Pos = f.Value.Text, f.Value.Pos
		}
		refs = append(refs, r)
	}
	return refs
}

// Path returns the file by the way that From goes: slashes, cleaned. It may lead out of the suite; who reads it looks
// to that.
func (r Ref) Path() string {
	if r.File == "" {
		return path.Clean(r.From)
	}
	return path.Join(path.Dir(r.From), r.File)
}

// what names the goal: a file, or a block of one.
func (r Ref) what() string {
	if r.Block == "" {
		return r.Path()
	}
	return r.Path() + " (" + r.Block + ")"
}

// Error is an error about the name of the file, or else of the block, at its place.
func (r Ref) Error(msg, hint string) *source.Error {
	width := len([]rune(r.File))
	if r.File == "" {
		width = len([]rune(r.Block))
	}
	return &source.Error{Pos: r.Pos, Msg: msg, Hint: hint, Width: width, Source: r.Step.source}
}

// maxLinks bounds the blocks that one test can run, those in blocks included.
const maxLinks = 500

// Link reads the blocks of all run steps of the test, those in blocks too, and sets Step.Block. read gets Ref.Path and
// has to refuse what is outside of the suite; its error is reported at the run step. The error is an Errors: files
// that cannot be read or are wrong, blocks that are not there, and those that run each other in a circle.
func Link(t *Test, read func(path string) ([]byte, error)) error { return LinkWith(t, read, nil) }

// LinkWith is Link for tests with run steps that may name files in another language; foreign may be nil.
func LinkWith(t *Test, read func(path string) ([]byte, error), foreign BlockReader) error {
	l := linker{platform: t.Platform, read: read, foreign: foreign}
	for _, ref := range References(t) {
		var own Blocks
		if ref.Step.source == t.Source {
			own = t.Blocks // a hook of the suite does not see them
		}
		l.link(ref, own, []string{path.Clean(t.Pos.File)})
	}
	return l.errs.Err()
}

type linker struct {
	platform Platform
	foreign  BlockReader
	read     func(path string) ([]byte, error)
	links    int
	errs     source.Errors
}

// link sets the block of one run step; own are the named blocks of the step's file.
func (l *linker) link(r Ref, own Blocks, chain []string) {
	goal := r.what()
	if i := slices.Index(chain, goal); i >= 0 {
		circle := strings.Join(append(slices.Clone(chain[i:]), goal), " → ")
		what := "the files run each other in a circle: "
		if r.Block != "" {
			what = "the blocks run each other in a circle: "
		}
		l.errs = append(l.errs, r.Error(what+circle, "remove one of the run steps; to do something again, write repeat"))
		return
	}
	if l.links++; l.links > maxLinks {
		if l.links == maxLinks+1 {
			l.errs = append(l.errs, r.Error(fmt.Sprintf("the test runs more than %d files and blocks", maxLinks), "split it"))
		}
		return
	}
	b := l.find(r, own)
	if b == nil {
		return
	}
	r.Step.Block = b
	l.with(r, b)
	for _, inner := range b.Steps.references() {
		l.link(inner, b.Blocks, append(slices.Clone(chain), goal))
	}
}

// find returns the block, a copy of its own; nil: there is none, which is noted.
func (l *linker) find(r Ref, own Blocks) *Block {
	if r.File == "" {
		return l.named(r, own)
	}
	src, err := l.read(r.Path())
	if err != nil {
		l.errs = append(l.errs, r.Error(fmt.Sprintf("%q cannot be run: %v", shorten.Runes(r.File, 60), err),
			meant(err, "the path is relative to this file")))
		return nil
	}
	if l.foreign != nil && r.Block == "" {
		if b, err := l.foreign(r.Path(), src); b != nil || err != nil {
			l.errs = append(l.errs, errorsOf(err)...)
			return b
		}
	}
	b, err := ParseBlock(r.Path(), src, l.platform)
	switch {
	case err != nil:
		l.errs = append(l.errs, err.(source.Errors)...)
		return nil
	case r.Block != "":
		return l.named(r, b.Blocks)
	case len(b.Steps) == 0:
		l.errs = append(l.errs, r.Error(fmt.Sprintf("%q holds no steps, only named blocks", shorten.Runes(r.File, 60)),
			"say which one: run: {file: "+shorten.Runes(r.File, 60)+", block: "+strings.Join(slices.Sorted(maps.Keys(b.Blocks)),
				" or ")+"}"))
		return nil
	}
	return b
}

// named picks a block by its name.
func (l *linker) named(r Ref, all Blocks) *Block {
	if b, known := all[r.Block]; known {
		own := *b
		own.Steps = b.Steps.Clone()
		return &own
	}
	names := slices.Sorted(maps.Keys(all))
	hint := `write it under "blocks:" at the top level`
	switch near := suggest.Nearest(r.Block, names); {
	case near != "":
		hint = fmt.Sprintf("did you mean %q?", near)
	case len(names) > 0:
		hint = "there are " + shorten.Runes(strings.Join(names, ", "), 60)
	}
	e := r.Error(fmt.Sprintf("%s has no block %q", r.Path(), shorten.Runes(r.Block, 60)), hint)
	if f, given := r.Step.Args.Get("block"); given {
		e.Pos, e.Width = f.Value.Pos, len([]rune(r.Block))
	}
	l.errs = append(l.errs, e)
	return nil
}

// with refuses values for variables that the block does not know.
func (l *linker) with(r Ref, b *Block) {
	f, given := r.Step.Args.Get("with")
	if !given || len(b.Steps) > 0 && b.Steps[0].foreign != nil {
		return
	}
	known := b.uses()
	for _, v := range b.Vars {
		known[v.Name] = true
	}
	for _, x := range f.Value.Fields {
		if known[x.Key] || l.deeper(b) {
			continue
		}
		names := make([]string, 0, len(known))
		for name := range known {
			names = append(names, name)
		}
		slices.Sort(names)
		hint := "it uses " + shorten.Runes(strings.Join(names, ", "), 60)
		if len(names) == 0 {
			hint = "it uses none"
		}
		if near := suggest.Nearest(x.Key, names); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		l.errs = append(l.errs, &source.Error{Pos: x.Pos, Width: len([]rune(x.Key)), Source: r.Step.source,
			Msg: fmt.Sprintf("%s knows no variable %q", b.called(), x.Key), Hint: hint})
	}
}

// called is how messages name the block.
func (b *Block) called() string {
	if b.Name == "" {
		return b.File
	}
	return fmt.Sprintf("the block %q", b.Name)
}

// deeper reports whether the block runs others, which may be the ones that use a variable.
func (l *linker) deeper(b *Block) bool { return len(b.Steps.references()) > 0 }
