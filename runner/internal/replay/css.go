package replay

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// errCSS says that a selector is beyond what is asked of a snapshot: types, ids, classes, attributes, the four
// combinators, :not, and the first and last child.
var errCSS = errors.New("a CSS selector of a kind that a snapshot is not asked for")

// selectorList are alternatives, with commas between them.
type selectorList []complexSelector

// complexSelector is a chain of compounds, the last one first; each has the combinator to the one before it in the
// text.
type complexSelector []compound

type compound struct {
	combinator byte // ' ', '>', '+' or '~'; 0: the first of the text
	tests      []func(d *document, i int) bool
}

// matches reports whether one of the selectors picks a node.
func (s selectorList) matches(d *document, i int) bool {
	return slices.ContainsFunc(s, func(c complexSelector) bool { return c.matches(d, i) })
}

func (c complexSelector) matches(d *document, i int) bool {
	for _, test := range c[0].tests {
		if !test(d, i) {
			return false
		}
	}
	rest := c[1:]
	switch c[0].combinator {
	case 0:
		return true
	case '>':
		up := d.up(i)
		return up >= 0 && rest.matches(d, up)
	case ' ':
		for up := d.up(i); up >= 0; up = d.up(up) {
			if rest.matches(d, up) {
				return true
			}
		}
		return false
	}
	before := d.siblingsBefore(i)
	if c[0].combinator == '+' {
		return len(before) > 0 && rest.matches(d, before[len(before)-1])
	}
	return slices.ContainsFunc(before, func(b int) bool { return rest.matches(d, b) })
}

// up is the parent in the same document, or -1.
func (d *document) up(i int) int {
	up := d.Nodes[i].Parent
	if up >= 0 && d.Nodes[i].Tag == "html" {
		return -1 // of a frame
	}
	return up
}

func (d *document) siblingsBefore(i int) []int {
	up := d.up(i)
	if up < 0 {
		return nil
	}
	all := d.children[up]
	return all[:max(0, slices.Index(all, i))]
}

// parseCSS reads a selector.
func parseCSS(text string) (selectorList, error) {
	p := &cssParser{rest: strings.TrimSpace(text)}
	list, err := p.list()
	if err == nil && p.rest != "" {
		err = errCSS
	}
	return list, err
}

type cssParser struct{ rest string }

func (p *cssParser) list() (selectorList, error) {
	var list selectorList
	for {
		c, err := p.complex()
		if err != nil {
			return nil, err
		}
		list = append(list, c)
		p.space()
		if !p.take(",") {
			return list, nil
		}
		p.space()
	}
}

func (p *cssParser) space() bool {
	trimmed := strings.TrimLeft(p.rest, " \t\n\r\f")
	was := len(trimmed) < len(p.rest)
	p.rest = trimmed
	return was
}

func (p *cssParser) take(prefix string) bool {
	rest, found := strings.CutPrefix(p.rest, prefix)
	if found {
		p.rest = rest
	}
	return found
}

func (p *cssParser) complex() (complexSelector, error) {
	var chain complexSelector
	combinator := byte(0)
	for {
		tests, err := p.compound()
		if err != nil {
			return nil, err
		}
		chain = append(chain, compound{combinator, tests})
		spaced := p.space()
		switch {
		case p.rest == "" || p.rest[0] == ',' || p.rest[0] == ')':
			slices.Reverse(chain)
			return chain, nil
		case strings.ContainsRune(">+~", rune(p.rest[0])):
			combinator = p.rest[0]
			p.rest = p.rest[1:]
			p.space()
		case spaced:
			combinator = ' '
		default:
			return nil, errCSS
		}
	}
}

func (p *cssParser) compound() (tests []func(d *document, i int) bool, err error) {
	start := p.rest
	if !p.take("*") {
		if name := p.name(); name != "" {
			name = strings.ToLower(name)
			tests = append(tests, func(d *document, i int) bool { return d.Nodes[i].Tag == name })
		}
	}
	for p.rest != "" {
		switch p.rest[0] {
		case '#', '.':
			kind := p.rest[0]
			p.rest = p.rest[1:]
			name := p.name()
			if name == "" {
				return nil, errCSS
			}
			tests = append(tests, func(d *document, i int) bool {
				if kind == '#' {
					id, _ := d.Nodes[i].attr("id")
					return id == name
				}
				classes, _ := d.Nodes[i].attr("class")
				return slices.Contains(strings.Fields(classes), name)
			})
		case '[':
			test, err := p.attribute()
			if err != nil {
				return nil, err
			}
			tests = append(tests, test)
		case ':':
			test, err := p.pseudo()
			if err != nil {
				return nil, err
			}
			tests = append(tests, test)
		default:
			if p.rest == start {
				return nil, errCSS
			}
			return tests, nil
		}
	}
	if p.rest == start {
		return nil, errCSS
	}
	return tests, nil
}

// name reads an identifier.
func (p *cssParser) name() string {
	var b strings.Builder
	for p.rest != "" {
		r, size := utf8.DecodeRuneInString(p.rest)
		switch {
		case r == '\\' && len(p.rest) > size && !strings.ContainsRune("0123456789abcdefABCDEF\n", rune(p.rest[1])):
			p.rest = p.rest[1:]
			r, size = utf8.DecodeRuneInString(p.rest)
		case r == '-' || r == '_' || r > 127 || r >= '0' && r <= '9' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z':
		default:
			return b.String()
		}
		b.WriteRune(r)
		p.rest = p.rest[size:]
	}
	return b.String()
}

// attribute reads [name], or one of the comparisons.
func (p *cssParser) attribute() (func(d *document, i int) bool, error) {
	p.rest = p.rest[1:]
	p.space()
	name := p.name()
	p.space()
	if name == "" {
		return nil, errCSS
	}
	if p.take("]") {
		return func(d *document, i int) bool { _, has := d.Nodes[i].attr(name); return has }, nil
	}
	op := ""
	for _, o := range []string{"^=", "$=", "*=", "~=", "|=", "="} {
		if op == "" && p.take(o) {
			op = o
		}
	}
	p.space()
	value, err := p.value()
	if err != nil || op == "" {
		return nil, errCSS
	}
	p.space()
	fold := p.take("i") || p.take("I")
	p.space()
	if !p.take("]") || strings.HasSuffix(value, "…") {
		return nil, errCSS
	}
	return func(d *document, i int) bool {
		have, has := d.Nodes[i].attr(name)
		return has && compares(op, have, value, fold)
	}, nil
}

func compares(op, have, value string, fold bool) bool {
	if fold {
		have, value = strings.ToLower(have), strings.ToLower(value)
	}
	switch op {
	case "^=":
		return value != "" && strings.HasPrefix(have, value)
	case "$=":
		return value != "" && strings.HasSuffix(have, value)
	case "*=":
		return value != "" && strings.Contains(have, value)
	case "~=":
		return slices.Contains(strings.Fields(have), value)
	case "|=":
		return have == value || strings.HasPrefix(have, value+"-")
	}
	return have == value
}

func (p *cssParser) value() (string, error) {
	if p.rest == "" {
		return "", errCSS
	}
	quote := p.rest[0]
	if quote != '"' && quote != '\'' {
		return p.name(), nil
	}
	end := strings.IndexByte(p.rest[1:], quote)
	if end < 0 || strings.Contains(p.rest[1:1+end], `\`) {
		return "", errCSS
	}
	value := p.rest[1 : 1+end]
	p.rest = p.rest[end+2:]
	return value, nil
}

// pseudo reads the classes that the structure of a page decides.
func (p *cssParser) pseudo() (func(d *document, i int) bool, error) {
	p.rest = p.rest[1:]
	name := strings.ToLower(p.name())
	switch name {
	case "first-child":
		return func(d *document, i int) bool { return d.up(i) >= 0 && len(d.siblingsBefore(i)) == 0 }, nil
	case "last-child":
		return func(d *document, i int) bool {
			up := d.up(i)
			return up >= 0 && d.children[up][len(d.children[up])-1] == i
		}, nil
	case "not", "is", "nth-child":
	default:
		return nil, errCSS
	}
	if !p.take("(") {
		return nil, errCSS
	}
	p.space()
	if name == "nth-child" {
		n, err := strconv.Atoi(p.name())
		p.space()
		if err != nil || !p.take(")") {
			return nil, errCSS
		}
		return func(d *document, i int) bool { return d.up(i) >= 0 && len(d.siblingsBefore(i)) == n-1 }, nil
	}
	list, err := p.list()
	if err != nil || !p.take(")") {
		return nil, errCSS
	}
	return func(d *document, i int) bool { return list.matches(d, i) == (name == "is") }, nil
}
