package vocabulary

import (
	"fmt"
	"slices"
	"strings"
)

// ruled is implemented by structs with keys that need or exclude each other. The check, the schemas and the reference
// are made of its rules.
type ruled interface{ rules() []Rule }

// Rule is one thing that must hold between the keys of a map. Its terms are keys, or key=value for a key with that
// value; a key that is left out has its default.
type Rule struct {
	Kind  ruleKind
	Keys  []Term
	Peers []Term
	What  string // the message; empty: it is made of the terms. A %s in it is the name of the map
	How   string // the hint; empty: the example of the map, or what the kind of rule suggests
}

type ruleKind int

const (
	One      ruleKind = iota // exactly one of the keys is given
	Some                     // at least one of the keys is given; without keys, any key
	Needs                    // each of the keys needs one of the peers
	Excludes                 // none of the keys may be combined with a peer
)

// exactlyOne wants one of the keys and no more.
func exactlyOne(keys string) Rule { return Rule{Kind: One, Keys: Terms(keys)} }

// atLeastOne wants one of the keys or more; with "", any.
func atLeastOne(keys string) Rule { return Rule{Kind: Some, Keys: Terms(keys)} }

// belongs says that keys have a meaning only together with one of their peers.
func belongs(keys, peers string) Rule {
	return Rule{Kind: Needs, Keys: Terms(keys), Peers: Terms(peers)}
}

// exclude says that keys cannot be combined with any of their peers. A mistake is reported at one of the keys.
func exclude(keys, peers string) Rule {
	return Rule{Kind: Excludes, Keys: Terms(keys), Peers: Terms(peers)}
}

// says sets the message and the hint of a rule; an empty one stays as it is.
func (r Rule) says(what, how string) Rule {
	r.What, r.How = what, how
	return r
}

// Term is a key, or a key with a value.
type Term struct{ Key, Value string }

func Terms(text string) []Term {
	var all []Term
	for _, word := range strings.Fields(text) {
		key, value, _ := strings.Cut(word, "=")
		all = append(all, Term{Key: key, Value: value})
	}
	return all
}

func (t Term) String() string {
	if t.Value == "" {
		return fmt.Sprintf("%q", t.Key)
	}
	return fmt.Sprintf("%q", t.Key+": "+t.Value)
}

func KeysOf(all []Term) []string {
	keys := make([]string, len(all))
	for i, t := range all {
		keys[i] = t.Key
	}
	return keys
}

// rulesOf returns the rules of a struct of any type.
func rulesOf(args any) []Rule {
	if r, ok := args.(ruled); ok {
		return r.rules()
	}
	return nil
}

// HasShort reports whether something that is not a map can stand for one.
func (s *Shape) HasShort() bool {
	if s.Scalar < 0 {
		return false
	}
	key := s.Fields[s.Scalar].Name
	for i, f := range s.Fields {
		if f.Required && i != s.Scalar {
			return false
		}
	}
	for _, r := range s.Rules {
		has := len(r.Keys) == 0 || slices.Contains(KeysOf(r.Keys), key)
		if (r.Kind == One || r.Kind == Some) && !has || r.Kind == Needs && slices.Contains(KeysOf(r.Keys), key) {
			return false
		}
	}
	return true
}
