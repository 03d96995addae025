package vocabulary

import (
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/expr"
	"github.com/taproot-dev/taproot/internal/source"
)

// FieldType is the type of an action's argument or of a step option; nil when there is none of that name.
func FieldType(def *Def, key string) reflect.Type {
	for _, t := range []reflect.Type{reflect.TypeOf(def.Args), reflect.TypeFor[StepOptions]()} {
		s := ShapeOf(t)
		if i, known := s.ByKey[key]; known {
			return s.Fields[i].Typ
		}
	}
	if holdsBranches(reflect.TypeOf(def.Args)) {
		return StepsType
	}
	return nil
}

// Exprs returns the expressions of a step, those of its inner steps not.
func (s *Step) Exprs() []expr.Expr {
	var all []expr.Expr
	if s.Options.When != nil {
		all = append(all, *s.Options.When)
	}
	if s.Args.Kind != source.Map {
		if sh := ShapeOf(reflect.TypeOf(s.Def.Args)); sh.Scalar >= 0 && sh.Fields[sh.Scalar].Typ == ExprType &&
			s.Args.Kind != source.Null {
			all = append(all, expr.Expr{Text: s.Args.Text, Pos: s.Args.Pos})
		}
		return all
	}
	for _, f := range s.Args.Fields {
		typ := FieldType(s.Def, f.Key)
		if f.Key != "when" && typ == ExprType || typ == ItemsType && f.Value.Kind == source.String {
			all = append(all, expr.Expr{Text: f.Value.Text, Pos: f.Value.Pos})
		}
		if typ == ExprsType {
			for _, x := range f.Value.Fields {
				all = append(all, expr.Expr{Text: x.Value.Text, Pos: x.Value.Pos})
			}
		}
	}
	return all
}

// Saves returns the names under which a step saves something.
func (s *Step) Saves() []string {
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
		for _, f := range s.Args.Fields {
			if FieldType(s.Def, f.Key) == nil {
				names = append(names, f.Key)
			}
		}
	}
	return names
}

// LoopVar is the variable of a forEach.
func (s *Step) LoopVar() string {
	if _, loop := s.Def.Args.(ForEach); !loop {
		return ""
	}
	if f, given := s.Args.Get("var"); given {
		return f.Value.Text
	}
	return "item"
}

// TextNames returns the variables in the texts of a value.
func TextNames(v source.Value) map[string]bool {
	names := map[string]bool{}
	var walk func(source.Value)
	walk = func(v source.Value) {
		if v.Kind == source.String && strings.Contains(v.Text, "${") {
			all, _, _, _ := expr.Pieces(v.Text)
			for _, p := range all {
				if root, _, _ := strings.Cut(p.Name, "."); root != "" {
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

// Uses returns the names that a step's texts and expressions ask for, those of inner steps not.
func (s *Step) Uses() map[string]bool {
	v := s.Args
	v.Fields = slices.DeleteFunc(slices.Clone(v.Fields), func(f source.Field) bool {
		return FieldType(s.Def, f.Key) == StepsType
	})
	names := TextNames(v)
	for _, e := range s.Exprs() {
		for _, n := range e.Names() {
			names[n.Name] = true
		}
	}
	return names
}

// Uses returns the names that a block's vars and steps ask for.
func (b *Block) Uses() map[string]bool {
	names := map[string]bool{}
	for _, v := range b.Vars {
		maps.Copy(names, TextNames(source.Value{Kind: source.String, Text: v.Value}))
	}
	for step := range b.Steps.All {
		maps.Copy(names, step.Uses())
	}
	return names
}
