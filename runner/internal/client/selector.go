package client

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/source"
)

// Selector returns a selector that matches only this element on this screen: its label or its ID, a relation to another
// text, its kind; only when these are not unique, its index among the matches.
func (s *Identified) Selector(n *screen.Node) (source.Value, bool) {
	offers := s.offers(n)
	for _, o := range offers {
		if s.picks(o.value, n) {
			return o.value, true
		}
	}
	for _, o := range offers {
		if o.kind == byRelation {
			continue
		}
		if at, ok := s.index(o.value, n); ok {
			return o.value.With("index", source.Value{Kind: source.Int, Text: strconv.Itoa(at)}), true
		}
	}
	return source.Value{}, false
}

func textField(key, text string) source.Field {
	return source.Field{Key: key, Value: source.Value{Kind: source.String, Text: strings.ReplaceAll(text, "${", "$${")}}
}

// maxAnchors limits how many neighbors are tried.
const maxAnchors = 6

// anchors returns relations to texts next to an element that occur only once, those of the nearest box first.
func (s *Identified) anchors(n *screen.Node) (list []source.Field) {
	seen := map[*screen.Node]bool{}
	for box, up := n.Parent, 0; box != nil && up < 4 && len(list) < maxAnchors; box, up = box.Parent, up+1 {
		s.addAnchors(box, n, seen, &list)
	}
	return list
}

func (s *Identified) addAnchors(box, n *screen.Node, seen map[*screen.Node]bool, list *[]source.Field) {
	if box == n || len(*list) >= maxAnchors || len(seen) > 200 {
		return
	}
	for _, c := range box.Children {
		s.addAnchors(c, n, seen, list)
	}
	if seen[box] || n.Within(box) {
		return
	}
	seen[box] = true
	_, shown := s.ids[box]
	label := OwnLabel(box)
	if !shown || box.Editable || box.Offscreen || label == "" || len(label) > 80 || ticking.MatchString(label) {
		return
	}
	relation := ""
	a, b := n.Bounds, box.Bounds
	switch row := a.Min.Y < b.Max.Y && b.Min.Y < a.Max.Y; {
	case row && a.Min.X >= b.Max.X:
		relation = "rightOf"
	case row && a.Max.X <= b.Min.X:
		relation = "leftOf"
	case a.Min.Y >= b.Max.Y:
		relation = "below"
	case a.Max.Y <= b.Min.Y:
		relation = "above"
	default:
		return
	}
	if own := textField("label", label); s.picks(source.Value{Kind: source.Map, Fields: []source.Field{own}}, box) {
		*list = append(*list, source.Field{Key: relation, Value: own.Value})
	}
}

// labels returns the labels by which tests can name an element, without very long ones.
func (s *Identified) labels(n *screen.Node) []string {
	labels := []string{n.Label(), s.title[n]}
	switch {
	case n.Editable || n.Holds != nil:
		labels = []string{strings.TrimSpace(n.Desc), strings.TrimSpace(n.Hint), s.title[n]}
	case OwnLabel(n) == "" && n.Label() == idOf(n):
		labels = labels[1:]
	}
	return slices.DeleteFunc(labels, func(l string) bool { return l == "" || len(l) > 300 })
}

// maxIndex limits the index of an element among equal ones.
const maxIndex = 300

// index returns the index of the element among the matches of a selector.
func (s *Identified) index(v source.Value, n *screen.Node) (int, bool) {
	for i := range maxIndex {
		at := v.With("index", source.Value{Kind: source.Int, Text: strconv.Itoa(i)})
		if s.picks(at, n) {
			return i, true
		}
		if !s.picks(at, nil) {
			return 0, false
		}
	}
	return 0, false
}

// picks reports whether an action with the selector would touch the element; with nil, whether it would touch any.
func (s *Identified) picks(v source.Value, n *screen.Node) bool {
	found := s.found(v)
	return len(found) == 1 && (n == nil || found[0].Node == n || found[0].Target == n)
}

// found returns what an action with the selector would touch.
func (s *Identified) found(v source.Value) []screen.Match {
	sel, ok := readSelector(v)
	if !ok {
		return nil
	}
	found, err := s.tree.Find(screen.Query{Selector: sel, Action: true, Reveal: s.tree.HitTested})
	if err != nil {
		return nil
	}
	return found
}

// one returns the only element that a selector matches; for a label, the control that it names.
func (s *Identified) one(v source.Value) *screen.Node {
	found := s.found(v)
	switch {
	case len(found) != 1:
		return nil
	case found[0].Target != nil:
		return found[0].Target
	}
	return found[0].Node
}

// simpleID matches IDs that need no escaping in CSS.
var simpleID = lazyregexp.New(`^[A-Za-z][A-Za-z0-9_-]*$`)

// Control returns a CSS selector for the one control that a selector matches, if it has a unique ID, or is a list that
// only its name identifies; otherwise "".
func (s *Identified) Control(v source.Value) string {
	n := s.one(v)
	switch {
	case n == nil:
	case simpleID.MatchString(n.ID) && len(s.byID[n.ID+"|"+n.TestID]) == 1:
		return "#" + n.ID
	case n.Type == "select" && s.title[n] != "" && !strings.ContainsAny(s.title[n], "\"\\"):
		return fmt.Sprintf(`role=%s[name="%s"]`, n.Role, s.title[n])
	}
	return ""
}

// unescaped resolves the escapes in a selector's texts.
func unescaped(v source.Value) source.Value {
	v.Text = strings.ReplaceAll(v.Text, "$${", "${")
	v.Fields = slices.Clone(v.Fields)
	for i := range v.Fields {
		v.Fields[i].Value = unescaped(v.Fields[i].Value)
	}
	return v
}
