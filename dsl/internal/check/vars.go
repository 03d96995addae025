package check

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// Vars binds every step of the test, its hooks and linked blocks, and returns all errors: undefined variables, and
// values that do not fit. Names that a step saves (as, set) are known to the steps after it, the variable of a forEach
// to those in it. The error is an Errors.
func Vars(t *vocabulary.Test, s *expr.Scope) error {
	c := varCheck{scope: s, promised: map[string]bool{}}
	for _, steps := range []vocabulary.Steps{t.Before, t.Steps, t.OnFailure, t.After} {
		c.steps(steps)
	}
	return c.errs.Err()
}

// varCheck goes through the steps as a run would.
type varCheck struct {
	scope    *expr.Scope
	promised map[string]bool // saved by steps before
	anyBase  bool            // which site a path belongs to is not known yet
	errs     source.Errors
}

func (c *varCheck) steps(steps vocabulary.Steps) {
	for _, step := range steps {
		c.step(step)
	}
}

func (c *varCheck) step(step *vocabulary.Step) {
	if step.Says != nil {
		return
	}
	args, _, err := bind(step, c.scope, c.promised)
	if err != nil {
		c.errs = append(c.errs, err.(source.Errors)...)
	}
	if open, ok := args.(vocabulary.OpenBrowser); ok && open.OnBase() && !c.anyBase {
		c.baseURL(step, open.URL)
	}
	for _, e := range step.Exprs() {
		c.errs = append(c.errs, expr.UnknownNames(c.scope, e, step.File, c.promised)...)
	}
	loop, known := step.LoopVar(), false
	if loop != "" {
		known = expr.Knows(c.scope, loop)
		known = known || c.promised[loop]
		c.promised[loop] = true
	}
	if len(step.Inner) > 1 && step.Def.Splits() {
		c.branches(step)
		return
	}
	for _, inner := range step.Inner {
		c.steps(inner.Steps)
	}
	if loop != "" && !known {
		delete(c.promised, loop)
		c.scope.Unset(loop)
	}
	if run, ok := args.(vocabulary.Run); ok && step.Block != nil {
		c.block(step, run)
	}
	if call, ok := args.(vocabulary.OwnCall); ok && step.Block != nil {
		c.action(step, call)
	}
	for _, name := range step.Saves() {
		c.promised[name] = true
	}
}

// block checks the steps of a linked file with its own variables.
func (c *varCheck) block(step *vocabulary.Step, run vocabulary.Run) {
	inner := varCheck{promised: maps.Clone(c.promised)}
	for _, v := range step.Block.Vars {
		delete(inner.promised, v.Name)
	}
	with := maps.Clone(run.With)
	given, _ := step.Args.Get("with")
	for _, f := range given.Value.Fields {
		delete(inner.promised, f.Key)
		if c.open(f.Value) {
			inner.promised[f.Key] = true
			with[f.Key] = ""
		}
	}
	scope, err := c.scope.Block(step.Block, with)
	if err != nil {
		c.errs = append(c.errs, err.(source.Errors)...)
		return
	}
	inner.scope = scope
	inner.steps(step.Block.Steps)
	c.errs = append(c.errs, inner.errs...)
}

// action checks the steps of an own action with the values of its parameters.
func (c *varCheck) action(step *vocabulary.Step, call vocabulary.OwnCall) {
	scope, err := c.scope.Action(step.Block, call.Values)
	if err != nil {
		c.errs = append(c.errs, err.(source.Errors)...)
		return
	}
	inner := varCheck{scope: scope, promised: map[string]bool{}, anyBase: c.anyBase}
	inner.steps(step.Block.Steps)
	c.errs = append(c.errs, inner.errs...)
}

// baseURL wants a baseUrl for the path that a step opens.
func (c *varCheck) baseURL(step *vocabulary.Step, path string) {
	base, err := c.scope.BaseURL()
	var bad *source.Error
	switch {
	case errors.As(err, &bad):
		if !slices.ContainsFunc(c.errs, func(e *source.Error) bool { return e.Error() == bad.Error() }) {
			c.errs = append(c.errs, bad)
		}
	case base == "":
		v := step.Args
		if f, given := v.Get("url"); given {
			v = f.Value
		}
		c.errs = append(c.errs, &source.Error{Pos: v.Pos, Source: step.File, Width: len([]rune(v.Text)),
			Msg:  fmt.Sprintf("%q is a path, and no baseUrl says of which site", phrase.LimitRunes(path, 60)),
			Hint: `add "baseUrl: http://localhost:8080" to taproot.yaml, or write the whole URL`})
	}
}

// open reports whether a value hangs on a variable that is saved at run time.
func (c *varCheck) open(v source.Value) bool {
	for name := range vocabulary.TextNames(v) {
		if c.promised[name] {
			return true
		}
	}
	return false
}
