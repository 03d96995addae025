package dsl

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/source"
)

// CheckVars binds every step of the test, its hooks and linked blocks, and returns all errors: undefined variables, and
// values that do not fit. Names that a step saves (as, set) are known to the steps after it, the variable of a forEach
// to those in it. The error is an Errors.
func CheckVars(t *Test, s *Scope) error {
	c := varCheck{scope: s, promised: map[string]bool{}}
	for _, steps := range []Steps{t.Before, t.Steps, t.OnFailure, t.After} {
		c.steps(steps)
	}
	return c.errs.Err()
}

// varCheck goes through the steps as a run would.
type varCheck struct {
	scope    *Scope
	promised map[string]bool // saved by steps before
	errs     source.Errors
}

func (c *varCheck) steps(steps Steps) {
	for _, step := range steps {
		c.step(step)
	}
}

func (c *varCheck) step(step *Step) {
	if step.foreign != nil {
		return
	}
	args, _, err := c.scope.bind(step, c.promised)
	if err != nil {
		c.errs = append(c.errs, err.(source.Errors)...)
	}
	for _, e := range step.exprs() {
		c.expr(e, step.source)
	}
	loop, known := step.loopVar(), false
	if loop != "" {
		_, known = c.scope.all()[loop]
		known = known || c.promised[loop]
		c.promised[loop] = true
	}
	for _, inner := range step.nested {
		c.steps(inner.steps)
	}
	if loop != "" && !known {
		delete(c.promised, loop)
		c.scope.Unset(loop)
	}
	if run, ok := args.(Run); ok && step.Block != nil {
		c.block(step, run)
	}
	for _, name := range step.saves() {
		c.promised[name] = true
	}
}

func (c *varCheck) expr(e Expr, source *source.Source) {
	known := c.scope.all()
	for _, n := range e.names() {
		if _, is := known[n.name]; !is && !c.promised[n.name] {
			with := *c.scope
			with.saved = maps.Clone(with.saved)
			for name := range c.promised {
				with.saved[name] = nil
			}
			c.errs = append(c.errs, with.unknownName(e, source, n))
		}
	}
}

// block checks the steps of a linked file with its own variables.
func (c *varCheck) block(step *Step, run Run) {
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

// open reports whether a value hangs on a variable that is saved at run time.
func (c *varCheck) open(v source.Value) bool {
	for name := range textNames(v) {
		if c.promised[name] {
			return true
		}
	}
	return false
}

// exprs returns the expressions of a step, those of its inner steps not.
func (s *Step) exprs() []Expr {
	var all []Expr
	if s.Options.When != nil {
		all = append(all, *s.Options.When)
	}
	if s.Args.Kind != source.Map {
		if sh := shapeOf(reflect.TypeOf(s.Def.Args)); sh.scalar >= 0 && sh.fields[sh.scalar].typ == exprType &&
			s.Args.Kind != source.Null {
			all = append(all, Expr{s.Args.Text, s.Args.Pos})
		}
		return all
	}
	for _, f := range s.Args.Fields {
		typ := fieldType(s.Def, f.Key)
		if f.Key != "when" && typ == exprType || typ == itemsType && f.Value.Kind == source.String {
			all = append(all, Expr{f.Value.Text, f.Value.Pos})
		}
		if typ == exprsType {
			for _, x := range f.Value.Fields {
				all = append(all, Expr{x.Value.Text, x.Value.Pos})
			}
		}
	}
	return all
}

// saves returns the names under which a step saves something.
func (s *Step) saves() []string {
	var names []string
	if as, given := s.Args.Get("as"); given && s.Def.Saves != "" {
		names = append(names, as.Value.Text)
	}
	if _, set := s.Def.Args.(Set); set {
		for _, key := range []string{"vars", "expr"} {
			f, _ := s.Args.Get(key)
			for _, x := range f.Value.Fields {
				names = append(names, x.Key)
			}
		}
	}
	return names
}

// loopVar is the variable of a forEach.
func (s *Step) loopVar() string {
	if _, loop := s.Def.Args.(ForEach); !loop {
		return ""
	}
	if f, given := s.Args.Get("var"); given {
		return f.Value.Text
	}
	return "item"
}

// textNames returns the variables in the texts of a value.
func textNames(v source.Value) map[string]bool {
	names := map[string]bool{}
	var walk func(source.Value)
	walk = func(v source.Value) {
		if v.Kind == source.String && strings.Contains(v.Text, "${") {
			all, _, _, _ := pieces(v.Text)
			for _, p := range all {
				if root, _, _ := strings.Cut(p.name, "."); root != "" {
					names[root] = true
				}
			}
		}
		for _, item := range v.Items {
			walk(item)
		}
		for _, f := range v.Fields {
			walk(f.Value)
		}
	}
	walk(v)
	return names
}

// uses returns the names that a step's texts and expressions ask for, those of inner steps not.
func (s *Step) uses() map[string]bool {
	v := s.Args
	v.Fields = slices.DeleteFunc(slices.Clone(v.Fields), func(f source.Field) bool {
		return fieldType(s.Def, f.Key) == stepsType
	})
	names := textNames(v)
	for _, e := range s.exprs() {
		for _, n := range e.names() {
			names[n.name] = true
		}
	}
	return names
}

// uses returns the names that a block's vars and steps ask for.
func (b *Block) uses() map[string]bool {
	names := map[string]bool{}
	for _, v := range b.Vars {
		maps.Copy(names, textNames(source.Value{Kind: source.String, Text: v.Value}))
	}
	for step := range b.Steps.All {
		maps.Copy(names, step.uses())
	}
	return names
}
