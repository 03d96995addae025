package dsl

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/shorten"
)

// ruled is implemented by structs with keys that need or exclude each other. The check, the schemas and the reference
// are made of its rules.
type ruled interface{ rules() []rule }

// rule is one thing that must hold between the keys of a map. Its terms are keys, or key=value for a key with that
// value; a key that is left out has its default.
type rule struct {
	kind  ruleKind
	keys  []term
	peers []term
	what  string // the message; empty: it is made of the terms. A %s in it is the name of the map
	how   string // the hint; empty: the example of the map, or what the kind of rule suggests
}

type ruleKind int

const (
	one   ruleKind = iota // exactly one of the keys is given
	some                  // at least one of the keys is given; without keys, any key
	needs                 // each of the keys needs one of the peers
	apart                 // none of the keys may be combined with a peer
)

// exactlyOne wants one of the keys and no more.
func exactlyOne(keys string) rule { return rule{kind: one, keys: terms(keys)} }

// atLeastOne wants one of the keys or more; with "", any.
func atLeastOne(keys string) rule { return rule{kind: some, keys: terms(keys)} }

// belongs says that keys have a meaning only together with one of their peers.
func belongs(keys, peers string) rule {
	return rule{kind: needs, keys: terms(keys), peers: terms(peers)}
}

// exclude says that keys cannot be combined with any of their peers. A mistake is reported at one of the keys.
func exclude(keys, peers string) rule {
	return rule{kind: apart, keys: terms(keys), peers: terms(peers)}
}

// says sets the message and the hint of a rule; an empty one stays as it is.
func (r rule) says(what, how string) rule {
	r.what, r.how = what, how
	return r
}

// term is a key, or a key with a value.
type term struct{ key, value string }

func terms(text string) []term {
	var all []term
	for _, word := range strings.Fields(text) {
		key, value, _ := strings.Cut(word, "=")
		all = append(all, term{key, value})
	}
	return all
}

func (t term) String() string {
	if t.value == "" {
		return fmt.Sprintf("%q", t.key)
	}
	return fmt.Sprintf("%q", t.key+": "+t.value)
}

func keysOf(all []term) []string {
	keys := make([]string, len(all))
	for i, t := range all {
		keys[i] = t.key
	}
	return keys
}

// rulesOf returns the rules of a struct of any type.
func rulesOf(args any) []rule {
	if r, ok := args.(ruled); ok {
		return r.rules()
	}
	return nil
}

// given returns the field of a key. If v is a scalar (the short form), it is the value of the shape's scalar key.
func (s *shape) given(v source.Value, key string) (source.Field, bool) {
	if v.Kind == source.Map {
		return v.Get(key)
	}
	if v.Kind != source.Null && s.scalar >= 0 && s.fields[s.scalar].key == key {
		return source.Field{Key: key, Pos: v.Pos, Value: v}, true
	}
	return source.Field{}, false
}

// ruleCheck is a map while its rules are checked.
type ruleCheck struct {
	*decoding
	shape *shape
	value source.Value
	object
}

// holds reports whether the map has the key, or the key with the value, of the term; known is false if that depends on
// a variable that has no value yet.
func (a ruleCheck) holds(t term) (holds, known bool) {
	f, given := a.shape.given(a.value, t.key)
	switch {
	case t.value == "":
		return given, true
	case !given:
		return a.shape.has(t.key) && a.shape.fields[a.shape.byKey[t.key]].defaultText == t.value, true
	case a.unknownYet(f.Value):
		return false, false
	case f.Value.Kind == source.Bool:
		return strings.EqualFold(f.Value.Text, t.value), true
	}
	return f.Value.Text == t.value, true
}

// rules reports the rules that the map violates: each key at most once, and nothing after a violation of exactlyOne or
// atLeastOne.
func (d *decoding) rules(all []rule, s *shape, v source.Value, o object) {
	a, reported := ruleCheck{d, s, v, o}, map[source.Pos]bool{}
	for _, r := range all {
		switch r.kind {
		case one:
			if !a.one(r) {
				return
			}
		case some:
			if !a.some(r) {
				return
			}
		case needs:
			a.needs(r, reported)
		case apart:
			a.apart(r, reported)
		}
	}
}

func (a ruleCheck) failOnce(told map[source.Pos]bool, f source.Field, msg, hint string) {
	if told[f.Pos] && f.Pos.Line > 0 {
		return
	}
	told[f.Pos] = true
	a.fail(f.Pos, len([]rune(f.Key)), msg, hint)
}

// one reports whether exactly one of the keys is given.
func (a ruleCheck) one(r rule) bool {
	var found []source.Field
	for _, f := range a.value.Fields {
		if slices.Contains(keysOf(r.keys), f.Key) {
			found = append(found, f)
		}
	}
	switch {
	case a.value.Kind != source.Map && a.value.Kind != source.Null:
		return true // the short form is one of them
	case len(found) == 0:
		a.lacks(r, fmt.Sprintf("%q needs one of %s", a.name, oneOf(keysOf(r.keys))))
		return false
	case len(found) > 1:
		a.fail(found[1].Pos, len([]rune(found[1].Key)), fmt.Sprintf("%q cannot be combined with %q", found[1].Key,
			found[0].Key),
			"remove one of the two")
		return false
	}
	return true
}

// some reports whether one of the keys is given.
func (a ruleCheck) some(r rule) bool {
	if len(r.keys) == 0 && len(a.value.Fields) > 0 {
		return true
	}
	for _, t := range r.keys {
		if holds, known := a.holds(t); holds || !known {
			return true
		}
	}
	a.lacks(r, fmt.Sprintf("%q needs %s", a.name, strings.Join(quoted(r.keys), " or ")))
	return false
}

// lacks reports, at the name of the map, that something is missing.
func (a ruleCheck) lacks(r rule, msg string) {
	if r.what != "" {
		msg = strings.ReplaceAll(r.what, "%s", shorten.Runes(a.name, 60))
	}
	hint := strings.ReplaceAll(r.how, "%s", a.name)
	if hint == "" {
		hint = a.decoding.hint(a.value, a.object)
	}
	width := len([]rune(a.name))
	if a.value.Kind == source.Map && a.at == a.value.Pos { // the map has no name of its own
		width = 0
	}
	a.fail(a.at, width, msg, hint)
}

func (a ruleCheck) needs(r rule, told map[source.Pos]bool) {
	for _, t := range r.peers {
		if holds, known := a.holds(t); holds || !known {
			return
		}
	}
	for _, t := range r.keys {
		f, given := a.shape.given(a.value, t.key)
		if holds, _ := a.holds(t); !given || !holds {
			continue
		}
		msg, hint := fmt.Sprintf("%s belongs to %s", t, strings.Join(quoted(r.peers), " and ")), "remove it, or add "+
			r.peers[0].key
		if r.peers[0].value != "" {
			hint = "remove it"
		}
		if r.what != "" {
			msg = r.what
		}
		if r.how != "" {
			hint = r.how
		}
		a.failOnce(told, f, msg, hint)
	}
}

func (a ruleCheck) apart(r rule, told map[source.Pos]bool) {
	for _, t := range r.keys {
		f, given := a.shape.given(a.value, t.key)
		if holds, _ := a.holds(t); !given || !holds {
			continue
		}
		for _, other := range r.peers {
			if holds, _ := a.holds(other); !holds || other.key == t.key {
				continue
			}
			msg, hint := fmt.Sprintf("%s cannot be combined with %s", t, other), "remove one of the two"
			if r.what != "" {
				msg = r.what
			}
			if r.how != "" {
				hint = r.how
			}
			a.failOnce(told, f, msg, hint)
			break
		}
	}
}

func quoted(all []term) []string {
	out := make([]string, len(all))
	for i, t := range all {
		out[i] = t.String()
	}
	return out
}

// hasShort reports whether something that is not a map can stand for one.
func (s *shape) hasShort() bool {
	if s.scalar < 0 {
		return false
	}
	key := s.fields[s.scalar].key
	for i, f := range s.fields {
		if f.required && i != s.scalar {
			return false
		}
	}
	for _, r := range s.rules {
		has := len(r.keys) == 0 || slices.Contains(keysOf(r.keys), key)
		if (r.kind == one || r.kind == some) && !has || r.kind == needs && slices.Contains(keysOf(r.keys), key) {
			return false
		}
	}
	return true
}

// words says a rule in the reference, with keys in code.
func (r rule) words() string {
	keys, peers := codes(r.keys), codes(r.peers)
	switch r.kind {
	case one:
		return "Exactly one of " + strings.Join(keys, ", ") + " is given."
	case some:
		if len(keys) == 0 {
			return "At least one key is given."
		}
		return "At least one of " + strings.Join(keys, ", ") + " is given."
	case needs:
		return oneOfAll(keys, "and") + plural(keys, " needs ", " need ") + oneOfAll(peers, "or") + "."
	default:
		return oneOfAll(keys, "and") + " cannot be combined with " + oneOfAll(peers, "or") + "."
	}
}

func codes(all []term) []string {
	out := make([]string, len(all))
	for i, t := range all {
		out[i] = "`" + t.key + "`"
		if t.value != "" {
			out[i] = "`" + t.key + ": " + t.value + "`"
		}
	}
	return out
}

func plural(words []string, one, more string) string {
	if len(words) == 1 {
		return one
	}
	return more
}

func oneOfAll(words []string, last string) string {
	return strings.ReplaceAll(oneOf(words), " or ", " "+last+" ")
}

// rules puts the rules of a struct into the schema of its map.
func (s *schemas) rules(sh *shape, out schema) {
	var must []any
	needed := map[string][]any{} // by the key that needs it
	if sh.selects {
		needed = selectorRules(sh.typ, out)
	}
	for _, r := range sh.rules {
		switch {
		case r.kind == one:
			must = append(must, schema{"oneOf": s.terms(r.keys, sh, false)})
		case r.kind == some && len(r.keys) == 0:
			out["minProperties"] = 1
		case r.kind == some:
			must = append(must, schema{"anyOf": s.terms(r.keys, sh, false)})
		case r.kind == needs:
			for _, t := range r.keys {
				needed[t.key] = append(needed[t.key], schema{"anyOf": s.terms(r.peers, sh, s.variables)})
			}
		default:
			for _, t := range r.keys {
				needed[t.key] = append(needed[t.key], s.apart(r, t, sh))
			}
		}
	}
	if _, taken := out["anyOf"]; len(must) == 1 && !taken { // without a list around it: more tools read it
		maps.Copy(out, must[0].(schema))
	} else if len(must) > 0 {
		out["allOf"] = must
	}
	dependent := schema{}
	for key, list := range needed {
		if dependent[key] = any(schema{"allOf": list}); len(list) == 1 {
			dependent[key] = list[0]
		}
	}
	if len(dependent) > 0 {
		out["dependentSchemas"] = dependent
	}
}

// apart is the schema of maps that hold t and nothing that t cannot be combined with.
func (s *schemas) apart(r rule, t term, sh *shape) schema {
	peers := slices.DeleteFunc(slices.Clone(r.peers), func(o term) bool { return o.key == t.key })
	not := schema{"not": schema{"anyOf": s.terms(peers, sh, false)}}
	if t.value != "" {
		return schema{"if": s.term(t, sh, false), "then": not}
	}
	return not
}

func (s *schemas) terms(all []term, sh *shape, orVariable bool) []any {
	out := make([]any, len(all))
	for i, t := range all {
		out[i] = s.term(t, sh, orVariable)
	}
	return out
}

// term is a schema for the maps of which a term is true, or, orVariable, may be once variables have values.
func (s *schemas) term(t term, sh *shape, orVariable bool) schema {
	if t.value == "" {
		return schema{"required": []string{t.key}}
	}
	value, defaultText := schema{"const": t.value}, ""
	if sh.has(t.key) {
		f := sh.fields[sh.byKey[t.key]]
		if defaultText = f.defaultText; f.is("bool") {
			value = schema{"const": t.value == "true"}
		}
	}
	if orVariable {
		value = s.orVariable(value)
	}
	out := schema{"properties": schema{t.key: value}}
	if defaultText != t.value {
		out["required"] = []string{t.key}
	}
	return out
}

// hidden reports whether the rule is redundant, because the rules of selectors already say the same.
func (r rule) hidden(s *shape) bool {
	return s.selects && r.kind == apart && slices.Equal(r.keys[:1], terms("label"))
}
