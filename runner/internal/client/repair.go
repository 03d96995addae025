package client

import (
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
)

// Repair is a step with another selector, which matches only one element of the screen.
type Repair struct {
	Line  string `json:"line"`  // the step as it is written in a test
	Words string `json:"words"` // the element, as a snapshot shows it
}

// maxRepairs limits the elements that are offered instead of a missing one.
const maxRepairs = 4

// Repairs returns corrections of a step that found no element, or several: with the elements that its selector matches,
// or the most similar ones, the nearest first. It does not repair selectors with variables, and those of pixels.
func Repairs(t *screen.Tree, step *dsl.Step, preferID bool) (list []Repair) {
	put, selector, ok := selectorIn(step.Def, step.Args)
	if !ok {
		return nil
	}
	sel, ok := readSelector(selector)
	if _, place := selector.Get("point"); place || !ok || Unfindable(sel) != "" || hasVariable(selector) {
		return nil
	}
	var near []*screen.Node
	if matches, err := t.Candidates(screen.Query{Selector: sel, Action: true, Reveal: t.HitTested}); err == nil {
		for _, m := range matches {
			near = append(near, m.Node)
		}
	}
	elements := NewRefs().Identify(t)
	for _, n := range append(near, t.Nearest(sel, maxRepairs)...) {
		ranked := elements.Ranked(n, preferID)
		best := slices.IndexFunc(ranked, func(c Candidate) bool { return c.Picks })
		args := put(ranked[best].Selector) // the last one is the position, which always matches
		if _, place := ranked[best].Selector.Get("point"); place {
			continue
		}
		r := Repair{Line: StepLine(step.Def, args), Words: elements.Words(n)}
		if _, _, err := dsl.DecodeStep(step.Def, args); err == nil &&
			!slices.ContainsFunc(list, func(o Repair) bool { return o.Line == r.Line }) && len(list) < maxRepairs &&
			r.Line != StepLine(step.Def, step.Args) {
			list = append(list, r)
		}
	}
	return list
}

// selectorIn finds the selector in the arguments of a step, and returns a function that replaces it.
func selectorIn(def *dsl.Def, args source.Value) (put func(source.Value) source.Value, selector source.Value, ok bool) {
	if args.Kind == source.String {
		long := source.Value{Kind: source.Map, Fields: []source.Field{{Key: "label", Value: args}}}
		_, err := dsl.Decode(def, long)
		return func(v source.Value) source.Value { return v }, long, err == nil
	}
	if args.Kind != source.Map {
		return nil, selector, false
	}
	for _, key := range []string{"into", "visible", "notVisible", "enabled"} {
		f, given := args.Get(key)
		if given && (f.Value.Kind == source.Map || f.Value.Kind == source.String) &&
			!(key == "enabled" && def.Name != "waitFor") {
			if selector = f.Value; selector.Kind == source.String {
				selector = source.Value{Kind: source.Map, Fields: []source.Field{{Key: "label", Value: selector}}}
			}
			return func(v source.Value) source.Value { return args.With(key, v) }, selector, key != "notVisible"
		}
	}
	selector.Kind = source.Map
	rest := source.Value{Kind: source.Map}
	for _, f := range args.Fields {
		if def.Name != "input" && dsl.SelectorKey(f.Key) {
			selector.Fields = append(selector.Fields, f)
		} else {
			rest.Fields = append(rest.Fields, f)
		}
	}
	if len(selector.Fields) == 0 {
		return nil, selector, false
	}
	return func(v source.Value) source.Value {
		v.Fields = append(slices.Clone(v.Fields), rest.Fields...)
		return v
	}, selector, true
}

// hasVariable reports whether a text of a value uses a variable.
func hasVariable(v source.Value) bool {
	if v.Kind == source.String && strings.Contains(strings.ReplaceAll(v.Text, "$${", ""), "${") {
		return true
	}
	return slices.ContainsFunc(v.Items, hasVariable) || slices.ContainsFunc(v.Fields, func(f source.Field) bool {
		return hasVariable(f.Value)
	})
}
