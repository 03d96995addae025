package dsl

import (
	"fmt"
	"path"
	"reflect"
	"slices"
	"strings"
)

// Block is what a run step runs: the vars and steps of a file.
type Block struct {
	File   string
	Vars   []Var
	Steps  Steps
	Source *Source
}

// block is the top level of a file that holds a block and no test.
type block struct {
	Vars  vars  `json:"vars,omitempty" doc:"Values for ${NAME} when the caller gives none."`
	Steps Value `json:"steps" required:"true" doc:"The actions, one after the other."`
}

// ParseBlock reads a file for a run step: only vars and steps, or a whole test, of which vars and steps are taken. platform is
// that of the test that runs it; empty: not known yet. The error is an Errors.
func ParseBlock(file string, src []byte, platform Platform) (*Block, error) {
	text, source, bad := readable(file, src)
	if bad != nil {
		return nil, Errors{bad}
	}
	values, err := read(text, source)
	if err != nil {
		return nil, err
	}
	if len(values) != 1 {
		e := &Error{Pos: Pos{File: file, Line: 1, Col: 1}, Msg: "a file for run holds one document", Hint: `write "steps:" and under it the actions`}
		if len(values) > 1 {
			e.Pos, e.Source, e.Msg = values[1].Pos, source, "a second document in a file for run"
		}
		return nil, Errors{e}
	}
	d := &decoding{source: source}
	b := &Block{File: file, Source: source}
	if _, isTest := values[0].Get("id"); isTest {
		if t := d.test(values[0]); t != nil {
			b.Vars, b.Steps = t.Vars, t.Steps
			if platform != "" && platform != t.Platform && len(d.errs) == 0 {
				d.errs = append(d.errs, b.check(platform)...)
			}
		}
		return b, d.errs.orNil()
	}
	d.variables, d.platform = refused, platform
	var h block
	d.structure(reflect.ValueOf(&h).Elem(), values[0], object{name: "the file", at: values[0].Pos, example: "steps: [{tap: Sign in}]"})
	b.Vars = h.Vars
	d.variables = deferred
	b.Steps = d.stepsUnder(values[0], "steps")
	if err := d.errs.orNil(); err != nil {
		return nil, err
	}
	return b, nil
}

// check looks at the steps again for another platform.
func (b *Block) check(p Platform) Errors { return checkPlatform(b.Steps, p) }

// CheckPlatform finds the steps that a platform cannot do: those of hooks and blocks, which were read before it was known. The
// error is an Errors.
func CheckPlatform(steps Steps, p Platform) error { return checkPlatform(steps, p).orNil() }

func checkPlatform(steps Steps, p Platform) Errors {
	var errs Errors
	for _, s := range steps {
		d := &decoding{source: s.source, platform: p, variables: deferred}
		d.step(Value{Kind: Map, Pos: s.Pos, Fields: []Field{{Key: s.Def.Name, Pos: s.Pos, Value: s.Args}}})
		errs = append(errs, d.errs...)
	}
	return errs
}

// Ref is the name of a file in a run step.
type Ref struct {
	Step *Step
	From string // the file that holds the step
	File string // the name in the step, relative to From
	Pos  Pos
}

// References gives the files that the steps run, hooks included, blocks that are linked already not.
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
		v := step.Args
		if f, given := v.Get("file"); given {
			v = f.Value
		}
		refs = append(refs, Ref{Step: step, From: step.Pos.File, File: v.Text, Pos: v.Pos})
	}
	return refs
}

// Path gives the file by the way that From goes: slashes, cleaned. It may lead out of the suite; who reads it looks to that.
func (r Ref) Path() string { return path.Join(path.Dir(r.From), r.File) }

// Error is an error about the name of the file, at its place.
func (r Ref) Error(msg, hint string) *Error {
	return &Error{Pos: r.Pos, Msg: msg, Hint: hint, Width: len([]rune(r.File)), Source: r.Step.source}
}

// maxLinks bounds the blocks that one test can run, those in blocks included.
const maxLinks = 500

// Link reads the blocks of all run steps of the test, those in blocks too, and sets Step.Block. read gets Ref.Path and has to refuse what
// lies outside of the suite; its error is told at the run step. The error is an Errors: files that cannot be read or are wrong,
// and those that run each other in a circle.
func Link(t *Test, read func(path string) ([]byte, error)) error {
	l := linker{platform: t.Platform, read: read}
	for _, ref := range References(t) {
		l.link(ref, []string{path.Clean(t.Pos.File)})
	}
	return l.errs.orNil()
}

type linker struct {
	platform Platform
	read     func(path string) ([]byte, error)
	links    int
	errs     Errors
}

func (l *linker) link(r Ref, chain []string) {
	file := r.Path()
	if i := slices.Index(chain, file); i >= 0 {
		circle := strings.Join(append(slices.Clone(chain[i:]), file), " → ")
		l.errs = append(l.errs, r.Error("the files run each other in a circle: "+circle, "remove one of the run steps; to do something again, write repeat"))
		return
	}
	if l.links++; l.links > maxLinks {
		if l.links == maxLinks+1 {
			l.errs = append(l.errs, r.Error(fmt.Sprintf("the test runs more than %d files", maxLinks), "split it"))
		}
		return
	}
	src, err := l.read(file)
	if err != nil {
		l.errs = append(l.errs, r.Error(fmt.Sprintf("%q cannot be run: %v", shorten(r.File), err), "the path is relative to this file"))
		return
	}
	b, err := ParseBlock(file, src, l.platform)
	if err != nil {
		l.errs = append(l.errs, err.(Errors)...)
		return
	}
	r.Step.Block = b
	l.with(r, b)
	for _, inner := range b.Steps.references() {
		l.link(inner, append(slices.Clone(chain), file))
	}
}

// with refuses values for variables that the block does not know.
func (l *linker) with(r Ref, b *Block) {
	f, given := r.Step.Args.Get("with")
	if !given {
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
		hint := "it uses " + shorten(strings.Join(names, ", "))
		if near := nearest(x.Key, names); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		l.errs = append(l.errs, &Error{Pos: x.Pos, Width: len([]rune(x.Key)), Source: r.Step.source,
			Msg: fmt.Sprintf("%s knows no variable %q", b.File, x.Key), Hint: hint})
	}
}

// deeper tells whether the block runs others, which may be the ones that use a variable.
func (l *linker) deeper(b *Block) bool { return len(b.Steps.references()) > 0 }
