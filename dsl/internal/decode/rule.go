package decode

import (
	"fmt"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
)

// given returns the field of a key. If v is a scalar (the short form), it is the value of the shape's scalar key.
func given(s *vocabulary.Shape, v source.Value, key string) (source.Field, bool) {
	if v.Kind == source.Map {
		return v.Get(key)
	}
	if v.Kind != source.Null && s.Scalar >= 0 && s.Fields[s.Scalar].Name == key {
		return source.Field{Key: key, Pos: v.Pos, Value: v}, true
	}
	return source.Field{}, false
}

// ruleCheck is a map while its rules are checked.
type ruleCheck struct {
	*Decoding
	shape *vocabulary.Shape
	value source.Value
	Object
}

// holds reports whether the map has the key, or the key with the value, of the term; known is false if that depends on
// a variable that has no value yet.
func (a ruleCheck) holds(t vocabulary.Term) (holds, known bool) {
	f, given := given(a.shape, a.value, t.Key)
	switch {
	case t.Value == "" && !given && a.shape.Other != nil && t.Key == "vars":
		return slices.ContainsFunc(a.value.Fields, a.isOther), true
	case t.Value == "":
		return given, true
	case !given:
		return a.shape.Has(t.Key) && a.shape.Fields[a.shape.ByKey[t.Key]].DefaultText == t.Value, true
	case a.UnknownYet(f.Value):
		return false, false
	case f.Value.Kind == source.Bool:
		return strings.EqualFold(f.Value.Text, t.Value), true
	}
	return f.Value.Text == t.Value, true
}

// isOther reports whether a key is neither the map's own nor an option.
func (a ruleCheck) isOther(f source.Field) bool {
	return !a.shape.Has(f.Key) && (a.Object.Options == nil || !a.Object.Options.Has(f.Key))
}

// Rules reports the rules that the map violates: each key at most once, and nothing after a violation of exactlyOne or
// atLeastOne.
func (d *Decoding) Rules(all []vocabulary.Rule, s *vocabulary.Shape, v source.Value, o Object) {
	a, reported := ruleCheck{Decoding: d, shape: s, value: v, Object: o}, map[source.Pos]bool{}
	for _, r := range all {
		switch r.Kind {
		case vocabulary.One:
			if !a.one(r) {
				return
			}
		case vocabulary.Some:
			if !a.some(r) {
				return
			}
		case vocabulary.Needs:
			a.needs(r, reported)
		case vocabulary.Excludes:
			a.apart(r, reported)
		}
	}
}

func (a ruleCheck) failOnce(told map[source.Pos]bool, f source.Field, msg, hint string) {
	if told[f.Pos] && f.Pos.Line > 0 {
		return
	}
	told[f.Pos] = true
	a.Fail(f.Pos, len([]rune(f.Word())), msg, hint)
}

// written is a term with the key as the author spells it.
func (a ruleCheck) written(t vocabulary.Term) vocabulary.Term {
	if f, given := given(a.shape, a.value, t.Key); given {
		t.Key = f.Word()
	}
	return t
}

// one reports whether exactly one of the keys is given.
func (a ruleCheck) one(r vocabulary.Rule) bool {
	var found []source.Field
	for _, f := range a.value.Fields {
		if slices.Contains(vocabulary.KeysOf(r.Keys), f.Key) {
			found = append(found, f)
		}
	}
	switch {
	case a.value.Kind != source.Map && a.value.Kind != source.Null:
		return true // the short form is one of them
	case len(found) == 0:
		a.lacks(r, fmt.Sprintf("%q needs one of %s", a.Name, phrase.Or(vocabulary.KeysOf(r.Keys))))
		return false
	case len(found) > 1:
		a.Fail(found[1].Pos, len([]rune(found[1].Word())), fmt.Sprintf("%q cannot be combined with %q", found[1].Word(),
			found[0].Word()), "remove one of the two")
		return false
	}
	return true
}

// some reports whether one of the keys is given.
func (a ruleCheck) some(r vocabulary.Rule) bool {
	if len(r.Keys) == 0 && len(a.value.Fields) > 0 {
		return true
	}
	for _, t := range r.Keys {
		if holds, known := a.holds(t); holds || !known {
			return true
		}
	}
	a.lacks(r, fmt.Sprintf("%q needs %s", a.Name, strings.Join(quoted(r.Keys), " or ")))
	return false
}

// lacks reports, at the name of the map, that something is missing.
func (a ruleCheck) lacks(r vocabulary.Rule, msg string) {
	if r.What != "" {
		msg = strings.ReplaceAll(r.What, "%s", phrase.LimitRunes(a.Name, 60))
	}
	hint := strings.ReplaceAll(r.How, "%s", a.Name)
	if hint == "" {
		hint = a.Decoding.hint(a.value, a.Object)
	}
	width := len([]rune(a.Name))
	if a.value.Kind == source.Map && a.At == a.value.Pos { // the map has no name of its own
		width = 0
	}
	a.Fail(a.At, width, msg, hint)
}

func (a ruleCheck) needs(r vocabulary.Rule, told map[source.Pos]bool) {
	for _, t := range r.Peers {
		if holds, known := a.holds(t); holds || !known {
			return
		}
	}
	for _, t := range r.Keys {
		f, given := given(a.shape, a.value, t.Key)
		if holds, _ := a.holds(t); !given || !holds {
			continue
		}
		msg := fmt.Sprintf("%s belongs to %s", a.written(t), strings.Join(quoted(r.Peers), " and "))
		hint := "remove it, or add " + r.Peers[0].Key
		if r.Peers[0].Value != "" {
			hint = "remove it"
		}
		if r.What != "" {
			msg = r.What
		}
		if r.How != "" {
			hint = r.How
		}
		a.failOnce(told, f, msg, hint)
	}
}

func (a ruleCheck) apart(r vocabulary.Rule, told map[source.Pos]bool) {
	for _, t := range r.Keys {
		f, given := given(a.shape, a.value, t.Key)
		if holds, _ := a.holds(t); !given || !holds {
			continue
		}
		for _, other := range r.Peers {
			if holds, _ := a.holds(other); !holds || other.Key == t.Key {
				continue
			}
			msg, hint := fmt.Sprintf("%s cannot be combined with %s", a.written(t), a.written(other)), "remove one of the two"
			if r.What != "" {
				msg = r.What
			}
			if r.How != "" {
				hint = r.How
			}
			a.failOnce(told, f, msg, hint)
			break
		}
	}
}

func quoted(all []vocabulary.Term) []string {
	out := make([]string, len(all))
	for i, t := range all {
		out[i] = t.String()
	}
	return out
}
