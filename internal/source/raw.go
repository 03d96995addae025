package source

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/token"

	"github.com/taproot-dev/taproot/internal/phrase"
)

// Raw is one value of a YAML file in a language that reads its scalars in its own way: the text as it is written, and
// whether quotes or a block say that it is a text.
type Raw struct {
	Pos    Pos
	Kind   Kind   // List, Map, Null (nothing is there) or String
	Text   string // of a String, without quotes and escapes
	Quoted bool   // it is a text, whatever it looks like
	Width  int    // of the text as it is written, on its first line
	Items  []Raw
	Fields []RawField // a key that is given twice is listed twice
}

// RawField is one entry of a Raw Map.
type RawField struct {
	Key   string
	Pos   Pos
	Value Raw
}

// Get finds a field by its key; of several the last counts.
func (r Raw) Get(key string) (RawField, bool) {
	for i := len(r.Fields) - 1; i >= 0; i-- {
		if r.Fields[i].Key == key {
			return r.Fields[i], true
		}
	}
	return RawField{}, false
}

// Resolved is what YAML 1.2 makes of the value: Bool, Int, Float, Null, String, List or Map.
func (r Raw) Resolved() Kind {
	if r.Kind != String || r.Quoted {
		return r.Kind
	}
	return Resolve(r.Text)
}

// ReadRaw reads the documents of a YAML file, with the bounds of a test file, as they are written: aliases are texts,
// keys may be repeated, merge keys are keys. The error is an Errors.
func ReadRaw(file string, src []byte) (docs []Raw, from *Source, err error) {
	text, from, bad := Readable(file, src)
	if bad != nil {
		return nil, from, Errors{bad}
	}
	nodes, bad := ParseYAML(text, from)
	if bad != nil {
		return nil, from, Errors{bad}
	}
	t := &Tree{Source: from, Behind: Pos{File: file, Line: 1, Col: 1}, Tabs: map[int]bool{}}
	for i, line := range from.Lines {
		if strings.Contains(line, "\t") {
			t.Tabs[i+1] = true
		}
	}
	defer func() {
		if r := recover(); r != nil { // the library may build a tree with holes
			docs, err = nil, Errors{{Pos: Pos{File: file, Line: 1, Col: 1}, Source: from,
				Msg: "the YAML in this file cannot be read", Hint: "look for a mistake in indentation, quotes or brackets"}}
		}
	}()
	for _, n := range nodes {
		if _, comment := n.(*ast.CommentGroupNode); comment {
			continue
		}
		docs = append(docs, t.raw(n, 1))
	}
	return docs, from, t.Errs.Err()
}

func (t *Tree) raw(n ast.Node, depth int) Raw {
	if t.Count++; t.Count > MaxValues || t.Full {
		t.Overflow(t.Pos(n), "")
		return Raw{Pos: t.Pos(n)}
	}
	if depth > MaxDepth {
		t.Fail(t.Pos(n), 0, fmt.Sprintf("nested too deeply: more than %d lists and maps inside one another", MaxDepth), "")
		return Raw{Pos: t.Pos(n)}
	}
	switch n := n.(type) {
	case *ast.MappingNode:
		return t.rawMap(t.Pos(n), n.Values, depth)
	case *ast.MappingValueNode:
		return t.rawMap(t.Pos(n), []*ast.MappingValueNode{n}, depth)
	case *ast.SequenceNode:
		r := Raw{Pos: t.Pos(n), Kind: List}
		for _, item := range n.Values {
			r.Items = append(r.Items, t.raw(item, depth+1))
		}
		return r
	case *ast.AnchorNode:
		return t.raw(n.Value, depth)
	case *ast.AliasNode:
		name := n.Value.GetToken().Value
		return Raw{Pos: t.Pos(n), Kind: String, Text: name, Quoted: true, Width: len([]rune(name)) + 1}
	case *ast.LiteralNode:
		r := Raw{Pos: t.Pos(n), Kind: String, Quoted: true}
		if n.Value != nil {
			r.Text = n.Value.Value
		}
		return r
	case nil:
		return Raw{}
	}
	v := t.Scalar(n)
	r := Raw{Pos: v.Pos, Kind: String, Text: v.Text, Width: len([]rune(phrase.FirstLine(v.Text)))}
	switch n.GetToken().Type {
	case token.SingleQuoteType, token.DoubleQuoteType:
		r.Quoted, r.Width = true, r.Width+2
	default:
		if Resolve(v.Text) == Null {
			r.Kind = Null
		}
	}
	return r
}

func (t *Tree) rawMap(pos Pos, entries []*ast.MappingValueNode, depth int) Raw {
	r := Raw{Pos: pos, Kind: Map}
	for _, e := range entries {
		key, at, ok := t.Key(e.Key)
		value := t.raw(e.Value, depth+1)
		if value.Pos.Line == 0 || value.Kind == Null {
			value.Pos = at
		}
		if ok {
			r.Fields = append(r.Fields, RawField{Key: key, Pos: at, Value: value})
		}
	}
	if len(r.Fields) > 0 {
		r.Pos = FirstPos(r.Pos, r.Fields[0].Pos)
	}
	return r
}
