package plan

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// labelFilter reports whether a test with these labels is chosen.
type labelFilter func(labels []string) bool

// parseLabels reads a filter in the syntax of Ginkgo's --label-filter, so that the same filter selects suites in YAML
// and in Go: labels, &&, || or a comma, !, parentheses, /regular expressions/, and sets as in `env: containsAny {dev,
// test}`. Ginkgo's own parser is not linked: it would add all of Ginkgo's types to the program.
func parseLabels(text string) (labelFilter, error) {
	if text == "" {
		return func([]string) bool { return true }, nil
	}
	p := &labelParser{rest: text}
	f, err := p.either()
	if err == nil && p.rest != "" {
		err = p.unexpected()
	}
	return f, err
}

type labelParser struct{ rest string }

// accept consumes one of these tokens if it is next.
func (p *labelParser) accept(tokens ...string) bool {
	p.rest = strings.TrimLeft(p.rest, " ")
	for _, t := range tokens {
		if rest, ok := strings.CutPrefix(p.rest, t); ok {
			p.rest = strings.TrimLeft(rest, " ")
			return true
		}
	}
	return false
}

func (p *labelParser) unexpected() error {
	for _, single := range []string{"&", "|"} {
		if strings.HasPrefix(p.rest, single) && !strings.HasPrefix(p.rest, single+single) {
			return fmt.Errorf("invalid token %q: did you mean %q?", single, single+single)
		}
	}
	switch {
	case p.rest == "":
		return errors.New("it ends where a label is expected")
	case p.rest[0] == ')':
		return errors.New("a ')' has no '('")
	case strings.ContainsRune("&|,", rune(p.rest[0])):
		return fmt.Errorf("there is nothing before %q", p.rest)
	}
	return fmt.Errorf("an operator is missing before %q: && or ||", p.rest)
}

func (p *labelParser) either() (labelFilter, error) {
	left, err := p.both()
	for err == nil && p.accept("||", ",") {
		var right labelFilter
		before := left
		right, err = p.both()
		left = func(labels []string) bool { return before(labels) || right(labels) }
	}
	return left, err
}

func (p *labelParser) both() (labelFilter, error) {
	left, err := p.one()
	for err == nil && p.accept("&&") {
		var right labelFilter
		before := left
		right, err = p.one()
		left = func(labels []string) bool { return before(labels) && right(labels) }
	}
	return left, err
}

func (p *labelParser) one() (labelFilter, error) {
	switch {
	case p.accept("!"):
		f, err := p.one()
		return func(labels []string) bool { return !f(labels) }, err
	case p.accept("("):
		f, err := p.either()
		if err == nil && !p.accept(")") {
			if p.rest != "" {
				return nil, p.unexpected()
			}
			return nil, errors.New("a '(' has no ')'")
		}
		return f, err
	case strings.HasPrefix(p.rest, "/"):
		text, rest, _ := strings.Cut(p.rest[1:], "/")
		p.rest = strings.TrimLeft(rest, " ")
		r, err := regexp.Compile(text)
		if err != nil {
			return nil, err
		}
		return func(labels []string) bool { return slices.ContainsFunc(labels, r.MatchString) }, nil
	}
	return p.label()
}

// notInLabels are the characters that end a label.
const notInLabels = "&|!,()/"

// take reads up to the first of these characters.
func (p *labelParser) take(until string) string {
	end := strings.IndexAny(p.rest, until)
	if end < 0 {
		end = len(p.rest)
	}
	text := p.rest[:end]
	p.rest = p.rest[end:]
	return strings.TrimSpace(text)
}

func (p *labelParser) label() (labelFilter, error) {
	before := p.rest
	text := p.take(notInLabels)
	if key, _, ok := strings.Cut(text+" ", ": "); ok && !strings.Contains(key, ":") {
		p.rest = before[strings.Index(before, ":")+1:]
		return p.set(strings.TrimSpace(key))
	}
	if text == "" || text == ":" {
		p.rest = before
		return nil, p.unexpected()
	}
	for op := range setOperations {
		if strings.Contains(strings.ToLower(text), " "+op) {
			return nil, fmt.Errorf("%q is not a label: is a ':' missing after the name of the set?", text)
		}
	}
	return func(labels []string) bool {
		return slices.ContainsFunc(labels, func(l string) bool { return strings.EqualFold(l, text) })
	}, nil
}

// setOperations report whether the values of the labels `key:value` fit the wanted ones. Keys are in lower case: the
// filter ignores case.
var setOperations = map[string]func(have, want map[string]bool) bool{
	"containsany": func(have, want map[string]bool) bool {
		for v := range want {
			if have[v] {
				return true
			}
		}
		return false
	},
	"containsall": func(have, want map[string]bool) bool { return within(want, have) },
	"consistsof":  func(have, want map[string]bool) bool { return within(want, have) && within(have, want) },
	"issubsetof":  within,
	"isempty":     func(have, _ map[string]bool) bool { return len(have) == 0 },
}

func within(part, whole map[string]bool) bool {
	for v := range part {
		if !whole[v] {
			return false
		}
	}
	return true
}

// set reads the text after `key:`.
func (p *labelParser) set(key string) (labelFilter, error) {
	p.accept()
	name := p.take(" )")
	fits := setOperations[strings.ToLower(name)]
	if key == "" || fits == nil {
		return nil, fmt.Errorf(
			"%q is not an operation on the set %q: use containsAny, containsAll, consistsOf, isSubsetOf or isEmpty", name, key)
	}
	want, err := p.values(name)
	if err != nil {
		return nil, err
	}
	return func(labels []string) bool {
		have := map[string]bool{}
		for _, l := range labels {
			if k, v, ok := strings.Cut(l, ":"); ok && strings.EqualFold(strings.TrimSpace(k), key) {
				have[strings.ToLower(strings.TrimSpace(v))] = true
			}
		}
		return fits(have, want)
	}, nil
}

// values reads the values of an operation: one, or several in braces.
func (p *labelParser) values(operation string) (map[string]bool, error) {
	var text string
	if p.accept("{") {
		inside, rest, closed := strings.Cut(p.rest, "}")
		if !closed {
			return nil, errors.New("a '{' has no '}'")
		}
		text, p.rest = strings.TrimSpace(inside), strings.TrimLeft(rest, " ")
	} else {
		text = p.take(notInLabels)
	}
	if empty := strings.EqualFold(operation, "isEmpty"); empty != (text == "") {
		if empty {
			return nil, fmt.Errorf("isEmpty takes no value: %q", text)
		}
		return nil, fmt.Errorf("%s needs a value, or several in braces", operation)
	}
	values := map[string]bool{}
	for _, v := range strings.Split(text, ",") {
		v = strings.ToLower(strings.TrimSpace(v))
		if text != "" && (v == "" || strings.ContainsAny(v, notInLabels)) {
			return nil, fmt.Errorf("%q is not a value for %s", v, operation)
		}
		values[v] = true
	}
	return values, nil
}
