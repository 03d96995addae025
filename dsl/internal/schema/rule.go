package schema

import (
	"maps"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl/internal/vocabulary"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// sentence says a rule in the reference, with keys in code.
func sentence(r vocabulary.Rule) string {
	keys, peers := codes(r.Keys), codes(r.Peers)
	switch r.Kind {
	case vocabulary.One:
		return "Exactly one of " + strings.Join(keys, ", ") + " is given."
	case vocabulary.Some:
		if len(keys) == 0 {
			return "At least one key is given."
		}
		return "At least one of " + strings.Join(keys, ", ") + " is given."
	case vocabulary.Needs:
		return oneOfAll(keys, "and") + numbered(keys, " needs ", " need ") + oneOfAll(peers, "or") + "."
	default:
		return oneOfAll(keys, "and") + " cannot be combined with " + oneOfAll(peers, "or") + "."
	}
}

func codes(all []vocabulary.Term) []string {
	out := make([]string, len(all))
	for i, t := range all {
		out[i] = "`" + t.Key + "`"
		if t.Value != "" {
			out[i] = "`" + t.Key + ": " + t.Value + "`"
		}
	}
	return out
}

func numbered(words []string, one, more string) string {
	if len(words) == 1 {
		return one
	}
	return more
}

func oneOfAll(words []string, last string) string {
	return strings.ReplaceAll(phrase.Or(words), " or ", " "+last+" ")
}

// rules puts the rules of a struct into the schema of its map.
func (s *schemas) rules(sh *vocabulary.Shape, out Schema) {
	var must []any
	needed := map[string][]any{} // by the key that needs it
	if sh.Selects {
		needed = selectorRules(sh.Typ, out)
	}
	for _, f := range sh.Fields {
		if f.Required && len(f.Spellings) > 0 && !s.tool {
			must = append(must, Schema{"anyOf": someOf(s.namesOf(f.Name, f))})
		}
	}
	for _, r := range sh.Rules {
		switch {
		case r.Kind == vocabulary.One:
			must = append(must, Schema{"oneOf": s.terms(r.Keys, sh, false)})
		case r.Kind == vocabulary.Some && len(r.Keys) == 0:
			out["minProperties"] = 1
		case r.Kind == vocabulary.Some:
			must = append(must, Schema{"anyOf": s.terms(r.Keys, sh, false)})
		case r.Kind == vocabulary.Needs:
			for _, t := range r.Keys {
				needed[t.Key] = append(needed[t.Key], Schema{"anyOf": s.terms(r.Peers, sh, s.variables)})
			}
		default:
			for _, t := range r.Keys {
				needed[t.Key] = append(needed[t.Key], s.apart(r, t, sh))
			}
		}
	}
	if _, taken := out["anyOf"]; len(must) == 1 && !taken { // without a list around it: more tools read it
		maps.Copy(out, must[0].(Schema))
	} else if len(must) > 0 {
		out["allOf"] = must
	}
	dependent := Schema{}
	for key, list := range needed {
		all := any(Schema{"allOf": list})
		if len(list) == 1 {
			all = list[0]
		}
		f, _ := sh.Find(key)
		for _, name := range s.namesOf(key, f) {
			dependent[name] = all
		}
	}
	if len(dependent) > 0 {
		out["dependentSchemas"] = dependent
	}
	s.eitherSpelling(sh, out)
}

// eitherSpelling keeps a map from having a key in two spellings.
func (s *schemas) eitherSpelling(sh *vocabulary.Shape, out Schema) {
	if s.tool {
		return
	}
	for _, f := range sh.Fields {
		for _, name := range f.Spellings {
			dependent, _ := out["dependentSchemas"].(Schema)
			if dependent == nil {
				dependent = Schema{}
				out["dependentSchemas"] = dependent
			}
			list := []any{Schema{"not": Schema{"required": []string{f.Name}}}}
			if other, needed := dependent[name]; needed {
				list = append(list, other)
			}
			if dependent[name] = list[0]; len(list) > 1 {
				dependent[name] = Schema{"allOf": list}
			}
		}
	}
}

// apart is the schema of maps that hold t and nothing that t cannot be combined with.
func (s *schemas) apart(r vocabulary.Rule, t vocabulary.Term, sh *vocabulary.Shape) Schema {
	peers := slices.DeleteFunc(slices.Clone(r.Peers), func(o vocabulary.Term) bool { return o.Key == t.Key })
	not := Schema{"not": Schema{"anyOf": s.terms(peers, sh, false)}}
	if t.Value != "" {
		return Schema{"if": s.term(t, sh, false), "then": not}
	}
	return not
}

func (s *schemas) terms(all []vocabulary.Term, sh *vocabulary.Shape, orVariable bool) []any {
	out := make([]any, len(all))
	for i, t := range all {
		out[i] = s.term(t, sh, orVariable)
	}
	return out
}

// term is a schema for the maps of which a term is true, or, orVariable, may be once variables have values.
func (s *schemas) term(t vocabulary.Term, sh *vocabulary.Shape, orVariable bool) Schema {
	f, known := sh.Find(t.Key)
	if t.Value == "" && sh.Other != nil && t.Key == "vars" {
		return Schema{"anyOf": []any{Schema{"required": []string{t.Key}},
			Schema{"not": Schema{"propertyNames": Schema{"enum": knownKeys(sh)}}}}}
	}
	if t.Value == "" && len(f.Spellings) > 0 && !s.tool {
		return Schema{"anyOf": someOf(s.namesOf(t.Key, f))}
	}
	if t.Value == "" {
		return Schema{"required": []string{s.nameOf(t.Key, f)}}
	}
	value, defaultText := Schema{"const": t.Value}, ""
	if known {
		if defaultText = f.DefaultText; f.Is("bool") {
			value = Schema{"const": t.Value == "true"}
		}
	}
	if orVariable {
		value = s.orVariable(value)
	}
	out := Schema{"properties": Schema{t.Key: value}}
	if defaultText != t.Value {
		out["required"] = []string{t.Key}
	}
	return out
}

// nameOf is what a key is called in the schema.
func (s *schemas) nameOf(key string, f vocabulary.Key) string {
	if s.tool && len(f.Spellings) > 0 {
		return f.Spellings[0]
	}
	return key
}

// namesOf are the names that a key has in the schema.
func (s *schemas) namesOf(key string, f vocabulary.Key) []string {
	if s.tool {
		return []string{s.nameOf(key, f)}
	}
	return append([]string{key}, f.Spellings...)
}

// hidden reports whether the rule is redundant, because the rules of selectors already say the same.
func hidden(r vocabulary.Rule, s *vocabulary.Shape) bool {
	return s.Selects && r.Kind == vocabulary.Excludes && slices.Equal(r.Keys[:1], vocabulary.Terms("label"))
}
