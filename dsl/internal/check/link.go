package check

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// Ref is what a run step names: a file, one of its blocks, or a block of its own file.
type Ref struct {
	Step  *vocabulary.Step
	From  string     // the file that holds the step
	File  string     // the name in the step, relative to From; empty: From itself
	Block string     // empty: the file's own steps
	Pos   source.Pos // of the file's name, or else of the block's
}

// References returns what the steps run, hooks included, blocks that are linked already not.
func References(t *vocabulary.Test) []Ref {
	var refs []Ref
	for _, list := range []vocabulary.Steps{t.Before, t.Steps, t.OnFailure, t.After} {
		refs = append(refs, ReferencesIn(list)...)
	}
	return refs
}

func ReferencesIn(s vocabulary.Steps) []Ref {
	var refs []Ref
	for step := range s.All {
		if _, run := step.Def.Args.(vocabulary.Run); !run || step.Block != nil {
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
	return &source.Error{Pos: r.Pos, Msg: msg, Hint: hint, Width: width, Source: r.Step.File}
}

// maxLinks bounds the blocks that one test can run, those in blocks included.
const maxLinks = 500

// Link reads the blocks of all run steps of the test, those in blocks too, and sets Step.Block. read gets Ref.Path and
// has to refuse what is outside of the suite; its error is reported at the run step. The error is an Errors: files
// that cannot be read or are wrong, blocks that are not there, and those that run each other in a circle.
func Link(t *vocabulary.Test, read func(path string) ([]byte, error)) error {
	return LinkWith(t, read, nil)
}

// LinkWith is Link for tests with run steps that may name files in another language; foreign may be nil.
func LinkWith(t *vocabulary.Test, read func(path string) ([]byte, error), foreign BlockReader) error {
	l := linker{platform: t.Platform, read: read, foreign: foreign, own: t.Own, bodies: map[ownBody]*vocabulary.Block{}}
	if len(t.Devices) > 0 {
		l.platform = "" // each of them has its own; see Several
	}
	for _, steps := range []vocabulary.Steps{t.Before, t.Steps, t.OnFailure, t.After} {
		l.list(steps, func(s *vocabulary.Step) vocabulary.Blocks {
			if s.File == t.Source {
				return t.Blocks // a hook of the suite does not see them
			}
			return nil
		}, []string{path.Clean(t.Pos.File)})
	}
	if len(l.errs) == 0 {
		l.size(t)
	}
	t.OwnFiles = l.files
	if len(l.errs) == 0 && holdsOn(t) {
		return Several(t)
	}
	return distinctErrors(l.errs).Err()
}

type linker struct {
	platform vocabulary.Platform
	foreign  BlockReader
	read     func(path string) ([]byte, error)
	links    int
	errs     source.Errors

	own    vocabulary.OwnActions
	bodies map[ownBody]*vocabulary.Block
	files  []string // of own actions
}

// list links the run steps and the own actions in a list; blocks returns the named blocks that a step sees.
func (l *linker) list(steps vocabulary.Steps, blocks func(*vocabulary.Step) vocabulary.Blocks, chain []string) {
	refs, calls := ReferencesIn(steps), ownCalls(steps)
	for _, ref := range refs {
		var own vocabulary.Blocks
		if blocks != nil {
			own = blocks(ref.Step)
		}
		l.link(ref, own, chain)
	}
	for _, call := range calls {
		l.call(call, chain)
	}
}

// link sets the block of one run step; own are the named blocks of the step's file.
func (l *linker) link(r Ref, own vocabulary.Blocks, chain []string) {
	goal := r.what()
	if i := slices.Index(chain, goal); i >= 0 {
		circle := strings.Join(append(slices.Clone(chain[i:]), goal), " → ")
		what := "the files run each other in a circle: "
		if r.Block != "" {
			what = "the blocks run each other in a circle: "
		}
		l.errs = append(
			l.errs,
			r.Error(what+circle, "remove one of the run steps; to do something again, write repeat"),
		)
		return
	}
	if l.links++; l.links > maxLinks {
		if l.links == maxLinks+1 {
			l.errs = append(
				l.errs,
				r.Error(fmt.Sprintf("the test runs more than %d files and blocks", maxLinks), "split it"),
			)
		}
		return
	}
	b := l.find(r, own)
	if b == nil {
		return
	}
	r.Step.Block = b
	l.with(r, b)
	l.list(b.Steps, func(*vocabulary.Step) vocabulary.Blocks { return b.Blocks }, append(slices.Clone(chain), goal))
}

// find returns the block, a copy of its own; nil: there is none, which is noted.
func (l *linker) find(r Ref, own vocabulary.Blocks) *vocabulary.Block {
	if r.File == "" {
		return l.named(r, own)
	}
	src, err := l.text(r)
	if err != nil {
		l.errs = append(l.errs, r.Error(fmt.Sprintf("%q cannot be run: %v", phrase.LimitRunes(r.File, 60), err),
			vocabulary.Meant(err, "the path is relative to this file")))
		return nil
	}
	if l.foreign != nil && r.Block == "" {
		if b, err := l.foreign(r.Path(), src); b != nil || err != nil {
			l.errs = append(l.errs, errorsOf(err)...)
			return b
		}
	}
	b, err := ParseBlock(r.Path(), src, cmp.Or(r.Step.On, l.platform), l.own)
	switch {
	case err != nil:
		l.errs = append(l.errs, err.(source.Errors)...)
		return nil
	case r.Block != "":
		return l.named(r, b.Blocks)
	case len(b.Steps) == 0:
		l.errs = append(
			l.errs,
			r.Error(
				fmt.Sprintf("%q holds no steps, only named blocks", phrase.LimitRunes(r.File, 60)),
				"say which one: run: {file: "+phrase.LimitRunes(
					r.File,
					60,
				)+", block: "+strings.Join(
					slices.Sorted(maps.Keys(b.Blocks)),
					" or ",
				)+"}",
			),
		)
		return nil
	}
	return b
}

// named picks a block by its name.
func (l *linker) named(r Ref, all vocabulary.Blocks) *vocabulary.Block {
	if b, known := all[r.Block]; known {
		own := *b
		own.Steps = b.Steps.Clone()
		return &own
	}
	names := slices.Sorted(maps.Keys(all))
	hint := `write it under "blocks:" at the top level`
	switch near := phrase.Nearest(r.Block, names); {
	case near != "":
		hint = fmt.Sprintf("did you mean %q?", near)
	case len(names) > 0:
		hint = "there are " + phrase.LimitRunes(strings.Join(names, ", "), 60)
	}
	e := r.Error(fmt.Sprintf("%s has no block %q", r.Path(), phrase.LimitRunes(r.Block, 60)), hint)
	if f, given := r.Step.Args.Get("block"); given {
		e.Pos, e.Width = f.Value.Pos, len([]rune(r.Block))
	}
	l.errs = append(l.errs, e)
	return nil
}

// with refuses values for variables that the block does not know.
func (l *linker) with(r Ref, b *vocabulary.Block) {
	f, given := r.Step.Args.Get("with")
	if !given || len(b.Steps) > 0 && b.Steps[0].Says != nil {
		return
	}
	known := b.Uses()
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
		hint := "it uses " + phrase.LimitRunes(strings.Join(names, ", "), 60)
		if len(names) == 0 {
			hint = "it uses none"
		}
		if near := phrase.Nearest(x.Key, names); near != "" {
			hint = fmt.Sprintf("did you mean %q?", near)
		}
		l.errs = append(l.errs, &source.Error{Pos: x.Pos, Width: len([]rune(x.Key)), Source: r.Step.File,
			Msg: fmt.Sprintf("%s knows no variable %q", called(b), x.Key), Hint: hint})
	}
}

// called is how messages name the block.
func called(b *vocabulary.Block) string {
	if b.Name == "" {
		return b.File
	}
	return fmt.Sprintf("the block %q", b.Name)
}

// deeper reports whether the block runs others, which may be the ones that use a variable.
func (l *linker) deeper(b *vocabulary.Block) bool { return len(ReferencesIn(b.Steps)) > 0 }

// BlockReader reads a file that a run step names when it is in another language; nil, nil: it is not.
type BlockReader func(file string, src []byte) (*vocabulary.Block, error)

// errorsOf makes Errors of what a BlockReader says.
func errorsOf(err error) source.Errors {
	var several source.Errors
	var one *source.Error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &several):
		return several
	case errors.As(err, &one):
		return source.Errors{one}
	}
	return source.Errors{{Msg: err.Error()}}
}
