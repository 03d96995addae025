package dsl

import (
	"errors"

	"github.com/taproot-dev/taproot/dsl/source"
)

// Foreign is what a step of another test language says, of which this package knows nothing: dsl/maestro makes such
// steps, and the engine runs them. Bind and the checks of variables leave them alone.
type Foreign any

// ForeignStep makes a step of another language. def names it in reports; args is what they show of it; nested are the
// steps that it holds, by the keys under which they stand.
func ForeignStep(def *Def, pos source.Pos, source *source.Source, args source.Value, says Foreign) *Step {
	return &Step{Pos: pos, Def: def, Args: args, source: source, foreign: says}
}

// Foreign is what a step of another language says; nil: it is one of this language.
func (s *Step) Foreign() Foreign { return s.foreign }

// Hold puts steps into a step of another language.
func (s *Step) Hold(key string, steps Steps) {
	if len(steps) > 0 {
		s.nested = append(s.nested, nestedSteps{key, steps})
	}
}

// BlockReader reads a file that a run step names when it is in another language; nil, nil: it is not.
type BlockReader func(file string, src []byte) (*Block, error)

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

// Texts returns every variable in scope as a text.
func (s *Scope) Texts() map[string]string {
	texts := map[string]string{}
	for name, x := range s.all() {
		texts[name] = Show(x)
	}
	return texts
}
