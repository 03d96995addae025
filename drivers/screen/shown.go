package screen

import (
	"cmp"
	"slices"
	"strings"
)

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
