package screen

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
)

// FieldOf writes a selector that picks the field that a text names which takes no text itself, as an element of this
// tree or of an earlier one shows it: the text left of it, above it, below it or right of it, whichever is the first
// that the field has. It is "" where no field has this name, and where no selector picks it alone.
func (t *Tree) FieldOf(named *Node) string {
	f := newFinder(t, Query{Action: true})
	c := newChooser(f)
	for field, s := range f.namedBy(named) {
		if c.picks(s, Match{Node: field}) {
			return selectorText(s)
		}
	}
	return ""
}

// NamesField reports whether a text of this tree or of an earlier one names a field of this tree by its place.
func (t *Tree) NamesField(text, field *Node) bool {
	for named := range newFinder(t, Query{Action: true}).namedBy(text) {
		if named == field {
			return true
		}
	}
	return false
}

// namedBy goes through the fields that a text, which takes no text itself, names by its place, each with the selector
// that says so.
func (f *finder) namedBy(named *Node) iter.Seq2[*Node, dsl.Selector] {
	return func(yield func(*Node, dsl.Selector) bool) {
		if named == nil || named.Editable {
			return
		}
		var fields, texts []*Node
		for n := range f.tree.All {
			switch {
			case !f.visible(n, false):
			case n.Editable:
				fields = append(fields, n)
			case anchorText(n) != "" && !isRepeated(n):
				texts = append(texts, n)
			}
		}
		for n := range (&Tree{Windows: []*Node{named}}).All {
			text := Normalise(anchorText(n))
			if text == "" {
				continue
			}
			for _, field := range fields {
				name, s := nameOf(field, texts)
				if name != nil && Normalise(anchorText(name)) == text && !yield(field, s) {
					return
				}
			}
		}
	}
}

// nameOf returns the text that names a field by its place, and the selector that says so.
func nameOf(field *Node, texts []*Node) (*Node, dsl.Selector) {
	at := field.place()
	texts = slices.SortedStableFunc(slices.Values(texts), func(a, b *Node) int {
		return cmp.Compare(distance(a.place(), at), distance(b.place(), at))
	})
	for _, way := range []struct {
		holds func(text *Node) bool
		set   func(s, to *dsl.Selector)
	}{
		{func(x *Node) bool { return rightOf(at, x.place()) }, func(s, to *dsl.Selector) { s.RightOf = to }},
		{func(x *Node) bool { return below(at, x.place()) && inColumn(x, field) },
			func(s, to *dsl.Selector) { s.Below = to }},
		{func(x *Node) bool { return below(x.place(), at) && inColumn(x, field) && !x.Clickable },
			func(s, to *dsl.Selector) { s.Above = to }},
		{func(x *Node) bool { return rightOf(x.place(), at) && !x.Clickable },
			func(s, to *dsl.Selector) { s.LeftOf = to }},
	} {
		if i := slices.IndexFunc(texts, way.holds); i >= 0 {
			s := dsl.Selector{Type: field.kind()}
			way.set(&s, &dsl.Selector{Label: anchorText(texts[i])})
			return texts[i], s
		}
	}
	return nil, dsl.Selector{}
}

// inColumn reports whether a text is in the column of a field, and no farther from it than one more line.
func inColumn(text, field *Node) bool {
	a, b := text.place(), field.place()
	return gap(a.Min.X, a.Max.X, b.Min.X, b.Max.X) == 0 &&
		gap(a.Min.Y, a.Max.Y, b.Min.Y, b.Max.Y) <= 2*max(a.Dy(), b.Dy())
}

// Shown is what the element shows: of a field, what it holds, whatever it is called; of all else its text, or its name
// where it has none.
func (n *Node) Shown() string {
	if n.field() {
		return n.held()
	}
	if n.Text != "" {
		return n.Text
	}
	var texts []string
	for _, c := range n.Children {
		if c.Type == BareText && !c.Hidden {
			texts = append(texts, c.Text)
		}
	}
	return cmp.Or(strings.Join(texts, "\n"), n.Desc)
}

// field reports whether the element holds a value in addition to its name.
func (n *Node) field() bool {
	switch n.Role {
	case "button", "checkbox", "radio", "switch":
		return false
	case "textbox", "searchbox", "combobox", "spinbutton", "slider", "progressbar", "meter", "scrollbar":
		return true
	}
	return n.Editable || slices.Contains([]string{"input", "textarea", "select", "output"}, n.Type)
}

// held is what a field holds: its value, or that of the field in it.
func (n *Node) held() string {
	if value := n.Value(); value != "" || n.Editable {
		return value
	}
	for _, c := range n.Children {
		if c.Editable {
			return c.Value()
		}
	}
	return ""
}
