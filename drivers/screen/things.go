package screen

import (
	"cmp"
	"strconv"

	"github.com/taproot-dev/taproot/dsl"
)

// Things returns what a person sees on the screen, each thing once and in reading order: what has a text or a name, and
// the controls without one.
func (t *Tree) Things() []Match {
	f := newFinder(t, Query{})
	var nodes []*Node
	for n := range t.All {
		control := n.Editable || n.hasCheck() || n.Clickable && n.unit() == n
		if f.visible(n, false) && (n.ownLabel() != "" || control && n.Label() != "") && !n.repeated() {
			nodes = append(nodes, n)
		}
	}
	var matches []Match
	for _, n := range nodes {
		if named := n.unit(); named != nil && named != n && named.Label() == n.Label() {
			continue // the button is listed
		}
		matches = append(matches, f.match([]*Node{n}, fitted{}))
	}
	inReadingOrder(matches)
	return matches
}

// SelectorFor writes a selector, as in a test, that picks the match on this screen: by its label, its id, a text in its
// row, or an index.
func (t *Tree) SelectorFor(m Match) string {
	picks := func(s dsl.Selector) bool {
		found, err := newFinder(t, Query{Selector: s, Action: true}).search(s, true)
		return err == nil && len(found) == 1 && (found[0].Node == m.Node || found[0].Target == m.Target && m.Target == m.Node)
	}
	label := m.Node.Label()
	s := dsl.Selector{Label: label}
	switch id := idSuffix(m.Node.ID); {
	case label != "" && picks(s) && yamlText(label) == label:
		return label
	case label != "" && picks(s):
		return written("label: " + yamlText(label))
	case id != "" && picks(dsl.Selector{ID: id}):
		return written("id: " + yamlText(id))
	case label == "":
		return written("type: " + yamlText(cmp.Or(m.Node.kind(), m.Node.Role)))
	}
	f := newFinder(t, Query{Selector: s, Action: true})
	if related := f.relationTo(s, m); related != "" {
		return related
	}
	enabled := true
	if s.Enabled = &enabled; !m.Disabled() && picks(s) {
		return written("label: "+yamlText(label), "enabled: true")
	}
	s.Enabled = nil
	for i := range 300 {
		s.Index = &i
		if picks(s) {
			return written("label: "+yamlText(label), "index: "+strconv.Itoa(i))
		}
	}
	return written("point: " + yamlText(strconv.Itoa(m.Point.X)+","+strconv.Itoa(m.Point.Y)))
}
