package source

import (
	"fmt"
	"slices"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/taproot-dev/taproot/internal/phrase"
)

// Tree turns a document's nodes into Values: scalars resolved by the YAML 1.2 core schema, aliases and merge keys
// (<<) filled in, every place that of the key's or the value's own token.
type Tree struct {
	Source  *Source
	anchors map[string]anchor
	open    map[string]bool // anchors of which the value is being read: an alias to one is a cycle
	Count   int             // values, those that aliases repeat included
	Errs    Errors
	Full    bool         // the limit was reached and reported
	Tabs    map[int]bool // the lines that hold a tab
	Behind  Pos          // just behind the last key or scalar
}

type anchor struct {
	value Value
	count int
}

// value never fails: it records what is wrong, and returns a Null in its place.
func (t *Tree) value(n ast.Node, depth int) Value {
	if t.Count++; t.Count > MaxValues || t.Full {
		t.Overflow(t.Pos(n), "")
		return Value{Pos: t.Pos(n)}
	}
	if depth > MaxDepth {
		t.Fail(t.Pos(n), 0, fmt.Sprintf("nested too deeply: more than %d lists and maps inside one another", MaxDepth), "")
		return Value{Pos: t.Pos(n)}
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return t.mapping(t.Pos(n), n.Values, depth)
	case *ast.MappingValueNode:
		return t.mapping(t.Pos(n), []*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		v := Value{Pos: t.Pos(n), Kind: List}
		for _, item := range n.Values {
			entry := t.value(item, depth+1)
			if entry.Kind == Null && entry.Text == "" && !n.IsFlowStyle && entry.Pos.Col > 1 {
				entry.Pos.Col-- // nothing is there: messages point at the dash
			}
			v.Items = append(v.Items, entry)
		}
		return v
	case *ast.AnchorNode:
		return t.anchor(n, depth)
	case *ast.AliasNode:
		return t.alias(n)
	case *ast.TagNode:
		t.Fail(t.Pos(n), len(n.Start.Value), fmt.Sprintf("YAML tags such as %s are not supported", n.Start.Value),
			"remove it; put a text in quotes to keep it a text")
		return Value{Pos: t.Pos(n)}
	case *ast.LiteralNode:
		v := Value{Pos: t.Pos(n), Kind: String}
		if n.Value != nil {
			v.Text = n.Value.Value
		}
		return v
	case nil:
		return Value{}
	default:
		return t.Scalar(n)
	}
}

func (t *Tree) Scalar(n ast.Node) Value {
	tk := n.GetToken()
	v := Value{Pos: t.Pos(n)}
	switch n.(type) {
	case *ast.StringNode, *ast.NullNode, *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode:
	default:
		t.Fail(v.Pos, 0, "this does not belong in a test file", "remove it")
		return v
	}
	switch tk.Type {
	case token.ImplicitNullType:
		return v
	case token.SingleQuoteType, token.DoubleQuoteType:
		v.Kind, v.Text = String, tk.Value
	default:
		v.Text = strings.TrimSpace(tk.Value)
		v.Kind = Resolve(v.Text)
		v.Pos = t.correctPos(v.Pos, v.Text)
	}
	t.Behind = v.Pos
	t.Behind.Col++
	return v
}

func (t *Tree) mapping(pos Pos, entries []*ast.MappingValueNode, depth int) Value {
	v := Value{Pos: pos, Kind: Map}
	var merged []Value
	first := map[string]Pos{}
	for _, e := range entries {
		key, at, ok := t.Key(e.Key)
		value := t.value(e.Value, depth+1)
		if value.Pos.Line == 0 || value.Kind == Null && value.Text == "" {
			value.Pos = at // nothing is there: messages point at the key
		}
		if !ok {
			continue
		}
		if before, twice := first[key]; twice {
			t.Fail(at, len([]rune(key)), fmt.Sprintf("%q is given twice", phrase.LimitRunes(key, 60)),
				fmt.Sprintf("the first is on line %d", before.Line))
			continue
		}
		first[key] = at
		if _, merge := e.Key.(*ast.MergeKeyNode); merge {
			merged = t.merge(value, merged)
			continue
		}
		v.Fields = append(v.Fields, Field{Key: key, Pos: at, Value: value})
	}
	for _, m := range merged {
		for _, f := range m.Fields {
			if _, given := v.Get(f.Key); !given {
				v.Fields = append(v.Fields, f)
			}
		}
	}
	if len(v.Fields) > 0 {
		v.Pos = FirstPos(v.Pos, v.Fields[0].Pos)
	}
	return v
}

// FirstPos takes the earlier place: a block map starts at its first key, one in braces at its brace.
func FirstPos(a, b Pos) Pos {
	if b.Line < a.Line || b.Line == a.Line && b.Col < a.Col {
		return b
	}
	return a
}

func (t *Tree) merge(v Value, merged []Value) []Value {
	maps := []Value{v}
	if v.Kind == List {
		maps = v.Items
	}
	for _, m := range maps {
		if m.Kind != Map {
			t.Fail(m.Pos, 0, "<< takes a map, or a list of maps", "name an anchor of a map: \"<<: *name\"")
			continue
		}
		merged = append(merged, m)
		if t.Count += len(m.Fields); t.Count > MaxValues {
			t.Overflow(m.Pos, "")
		}
	}
	return merged
}

// Key returns the text of a key and its place. A number or a word such as true is a key as it is written.
func (t *Tree) Key(n ast.MapKeyNode) (string, Pos, bool) {
	var node ast.Node = n
	if wrapped, ok := n.(*ast.MappingKeyNode); ok {
		node = wrapped.Value
	}
	switch k := node.(type) {
	case *ast.StringNode:
		pos := t.Pos(k)
		t.Behind = Pos{File: pos.File, Line: pos.Line, Col: pos.Col + len([]rune(k.Value))}
		return k.Value, pos, true
	case *ast.NullNode, *ast.BoolNode, *ast.IntegerNode, *ast.FloatNode, *ast.InfinityNode, *ast.NanNode,
		*ast.MergeKeyNode:
		return strings.TrimSpace(k.GetToken().Value), t.Pos(k), true
	case nil:
		return "", t.Pos(n), false
	default:
		t.Fail(t.Pos(node), 0, "a key must be a plain word", "put it in quotes if it is meant as a text")
		return "", t.Pos(node), false
	}
}

func (t *Tree) anchor(n *ast.AnchorNode, depth int) Value {
	name := n.Name.GetToken().Value
	was, before := t.open[name], t.Count
	t.open[name] = true
	v := t.value(n.Value, depth)
	t.open[name] = was
	t.anchors[name] = anchor{v, t.Count - before}
	return v
}

func (t *Tree) alias(n *ast.AliasNode) Value {
	pos, name := t.Pos(n), n.Value.GetToken().Value
	width := len([]rune(name)) + 1
	if t.open[name] {
		t.Fail(pos, width, fmt.Sprintf("*%s is inside what it repeats", name), "an anchor cannot contain itself")
		return Value{Pos: pos}
	}
	a, known := t.anchors[name]
	if !known {
		names := make([]string, 0, len(t.anchors))
		for k := range t.anchors {
			names = append(names, k)
		}
		hint := fmt.Sprintf("put the text in quotes, or name a place further up with &%s", name)
		if near := phrase.Nearest(name, names); near != "" {
			hint = fmt.Sprintf("did you mean *%s?", near)
		}
		t.Fail(pos, width, fmt.Sprintf("nothing above is named &%s", name), hint)
		return Value{Pos: pos}
	}
	if t.Count += a.count; t.Count > MaxValues {
		t.Overflow(pos, fmt.Sprintf("*%s repeats too much: ", name))
		return Value{Pos: pos}
	}
	return a.value
}

func (t *Tree) Overflow(pos Pos, why string) {
	if !t.Full {
		t.Full = true
		t.Fail(pos, 0, fmt.Sprintf("%sthe document would hold more than %d values", why, MaxValues), "split the file")
	}
}

func (t *Tree) Fail(pos Pos, width int, msg, hint string) {
	t.Errs = append(t.Errs, &Error{Pos: pos, Msg: msg, Hint: hint, Width: width, Source: t.Source})
}

// Pos is the place of the node's own token: of a map its first key, not the colon that the library names.
func (t *Tree) Pos(n ast.Node) Pos {
	switch n := n.(type) {
	case nil:
		return Pos{}
	case *ast.MappingNode:
		if !n.IsFlowStyle && len(n.Values) > 0 {
			return t.Pos(n.Values[0])
		}
	case *ast.MappingValueNode:
		if n.Key != nil {
			return t.Pos(n.Key)
		}
	case *ast.LiteralNode:
		return t.tokenPos(n.Start)
	}
	return t.tokenPos(n.GetToken())
}

// tokenPos fixes the columns of the library, which go wrong behind a tab.
func (t *Tree) tokenPos(tk *token.Token) Pos {
	pos := tokenPos(t.Source.File, tk)
	if tk == nil || !t.Tabs[pos.Line] {
		return pos
	}
	if found := Locate(t.Source, pos, phrase.FirstLine(strings.TrimSpace(tk.Origin))); found.Line == pos.Line {
		return found
	}
	return pos
}

// correctPos corrects the place of a text without quotes: the library errs when it continues over several lines, ends
// in blanks or starts with a colon.
func (t *Tree) correctPos(pos Pos, text string) Pos {
	word, _, _ := strings.Cut(text, " ")
	word = phrase.FirstLine(word)
	line, want := t.Source.Chars(pos.Line), []rune(word)
	if end := pos.Col - 1 + len(want); end <= len(line) && slices.Equal(line[pos.Col-1:end], want) {
		return pos
	}
	if found := Locate(t.Source, t.Behind, word); found != t.Behind {
		return found
	}
	return pos
}
