package expr

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/expr-lang/expr"
	"github.com/expr-lang/expr/types"
	"github.com/expr-lang/expr/vm"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// Eval computes an expression over the variables, which go by their names, and extra, which holds what only a run
// knows: platform, device, and the function visible. The error is an *Error at pos.
func (s *Scope) Eval(text string, pos source.Pos, extra map[string]any) (any, error) {
	return s.EvalExpr(Expr{Text: text, Pos: pos}, s.source, extra)
}

// EvalExpr is Eval with the file of the expression; messages show its lines.
func (s *Scope) EvalExpr(e Expr, source *source.Source, extra map[string]any) (any, error) {
	if bad := CheckExpr(e, source); bad != nil {
		return nil, bad
	}
	env := s.all()
	maps.Copy(env, extra)
	for _, n := range e.Names() {
		if _, known := env[n.Name]; !known {
			return nil, s.unknownName(e, source, n)
		}
	}
	out, err := s.codes.evaluate(e.Text, env)
	if err != nil {
		return nil, fromExpr(e, source, err)
	}
	return out, nil
}

func (s *Scope) unknownName(e Expr, source *source.Source, n exprName) *source.Error {
	names := slices.Sorted(maps.Keys(s.all()))
	hint := fmt.Sprintf("add \"%s: …\" under vars, or save it with as: %s in an earlier step", n.Name, n.Name)
	if s.ended[n.Name] {
		hint = loopOver
	} else if near := phrase.Nearest(n.Name, names); near != "" {
		hint = fmt.Sprintf("did you mean %s?", near)
	} else if s.caller != nil {
		hint = s.callerHint(n.Name)
	}
	bad := exprError(e, source, n.at, fmt.Sprintf("the variable %s is not defined", n.Name), hint)
	bad.Width = len(n.Name)
	return bad
}

// maxLoop bounds the elements that an expression makes, so that it ends soon whatever it says.
const maxLoop = 100_000

// evaluate computes an expression. It is compiled twice: with the types of the variables, which finds what cannot work
// in the words of the library, then with exact numbers. Without the optimizer a range such as 1..9 counts each time
// that it is made.
func (c codes) evaluate(text string, env map[string]any) (any, error) {
	typed, known := make(map[string]any, len(env)), make(types.Map, len(env))
	for name, x := range env {
		if typed[name], known[name] = x, types.Any; kindOfValue(x) == "a number" {
			typed[name] = 0 // whether % or a range takes it depends on its value
		}
	}
	own := c.options()
	if _, err := expr.Compile(text, append(own, expr.Env(typed), expr.Optimize(false))...); err != nil {
		return nil, err
	}
	maps.Copy(known, types.Map{"visible": ownNames()["visible"]})
	program, err := expr.Compile(text, slices.Concat(own, exactNumbers(), []expr.Option{
		expr.Env(known), expr.Optimize(false)})...)
	if err != nil {
		return nil, err
	}
	machine := vm.VM{MemoryBudget: maxLoop}
	return machine.Run(program, env)
}

// UnknownNames returns an error for each variable of an expression that is neither in the scope nor promised.
func UnknownNames(s *Scope, e Expr, src *source.Source, promised map[string]bool) source.Errors {
	var errs source.Errors
	known := s.all()
	for _, n := range e.Names() {
		if _, is := known[n.Name]; !is && !promised[n.Name] {
			with := *s
			with.saved = maps.Clone(with.saved)
			for name := range promised {
				with.saved[name] = nil
			}
			errs = append(errs, with.unknownName(e, src, n))
		}
	}
	return errs
}

// Knows reports whether the scope has a variable of the name.
func Knows(s *Scope, name string) bool {
	_, known := s.all()[name]
	return known
}

// ConstantOf evaluates an expression that depends on nothing but the known names.
func ConstantOf(e Expr, known map[string]any) (is, constant bool) {
	tree := exprNames{}
	if strings.Contains(e.Text, "now(") || !tree.read(e) || tree.loops > 0 || len(tree.codes) > 0 {
		return false, false
	}
	env := map[string]any{}
	for _, n := range tree.found {
		value, given := known[n.Name]
		switch {
		case given:
			env[n.Name] = value
		case slices.Contains(tree.declared, n.Name):
		default:
			return false, false
		}
	}
	out, err := codes{}.evaluate(e.Text, env)
	is, isBool := out.(bool)
	return is, err == nil && isBool
}
