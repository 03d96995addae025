package check

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/source"
)

// maxExpanded bounds the steps of a test, those of all the blocks and own actions that it runs included.
const maxExpanded = 50_000

// ownBody is the steps of an own action as they are on a platform.
type ownBody struct {
	action   *vocabulary.OwnAction
	platform vocabulary.Platform
}

// ownCalls returns the steps that are own actions with steps, those of linked blocks not.
func ownCalls(steps vocabulary.Steps) (calls []*vocabulary.Step) {
	for step := range steps.All {
		if step.Def.Own != nil && step.Block == nil {
			calls = append(calls, step)
		}
	}
	return calls
}

// call sets the block of a step that is an own action. All calls of an action share its steps.
func (l *linker) call(step *vocabulary.Step, chain []string) {
	a := step.Def.Own
	if i := slices.Index(chain, a.Name); i >= 0 {
		circle := strings.Join(append(slices.Clone(chain[i:]), a.Name), " → ")
		l.errs = append(l.errs, &source.Error{Pos: step.Pos, Source: step.File, Width: len(a.Name),
			Msg:  "the actions use each other in a circle: " + circle,
			Hint: "remove one of the steps; to do something again, write repeat"})
		return
	}
	l.fileOf(a.File)
	if a.Script != nil {
		l.fileOf(a.Script.File)
	}
	if !a.HasSteps() {
		return
	}
	at := ownBody{a, cmp.Or(step.On, l.platform)}
	if b, linked := l.bodies[at]; linked {
		step.Block = b
		return
	}
	if b := l.body(a, at.platform); b != nil {
		step.Block, l.bodies[at] = b, b
		l.list(b.Steps, nil, append(slices.Clone(chain), a.Name))
	}
}

// body returns the steps of an own action, a copy of its own; nil: they are wrong, which is noted.
func (l *linker) body(a *vocabulary.OwnAction, p vocabulary.Platform) *vocabulary.Block {
	b, err := a.Body()
	if err != nil {
		l.errs = append(l.errs, errorsOf(err)...)
		return nil
	}
	if p != "" {
		l.errs = append(l.errs, checkPlatform(b.Steps, p)...)
	}
	linked := *b
	linked.Steps = b.Steps.Clone()
	return &linked
}

// text reads the file that a run step names. An own action names files of the project, and not only of the suite.
func (l *linker) text(r Ref) ([]byte, error) {
	own, is := l.own.(*Own)
	if !is || own == nil || own.Read == nil || !slices.Contains(l.files, r.From) {
		return l.read(r.Path())
	}
	l.fileOf(r.Path())
	return own.Read(r.Path())
}

// fileOf notes a file of own actions.
func (l *linker) fileOf(file string) {
	if file != "" && !slices.Contains(l.files, file) {
		l.files = append(l.files, file)
	}
}

// size refuses tests that are too large when everything that they run is counted.
func (l *linker) size(t *vocabulary.Test) {
	known := map[*vocabulary.Block]int{}
	var count func(vocabulary.Steps) int
	count = func(steps vocabulary.Steps) int {
		n := 0
		for _, step := range steps {
			for _, inner := range step.Inner {
				n = min(n+count(inner.Steps), maxExpanded+1)
			}
			if b := step.Block; b != nil {
				if _, counted := known[b]; !counted {
					known[b] = count(b.Steps)
				}
				n = min(n+known[b], maxExpanded+1)
			}
			n++
		}
		return n
	}
	n := 0
	for _, steps := range []vocabulary.Steps{t.Before, t.Steps, t.OnFailure, t.After} {
		n += count(steps)
	}
	if n > maxExpanded {
		l.errs = append(l.errs, &source.Error{Pos: t.Pos, Source: t.Source, Width: 1,
			Msg:  fmt.Sprintf("the test has more than %d steps, those of its blocks and own actions included", maxExpanded),
			Hint: "split it; to do something again, write repeat"})
	}
}

// ownDefs are the own actions that steps are.
type ownDefs map[string]*vocabulary.Def

func ownDefsOf(steps vocabulary.Steps) ownDefs {
	defs := ownDefs{}
	for step := range steps.All {
		if step.Def.Own != nil {
			defs[step.Def.Name] = step.Def
		}
	}
	return defs
}

// Lookup returns an own action of the steps.
func (o ownDefs) Lookup(name string) (*vocabulary.Def, error) { return o[name], nil }

// Names returns none: the steps have been read before.
func (o ownDefs) Names() []string { return nil }
