package screen

import (
	"cmp"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Things returns what a person sees on the screen, each thing once and in reading order: what has a text or a name, and
// the controls without one.
func (t *Tree) Things() []Match {
	f := newFinder(t, Query{})
	var nodes []*Node
	for n := range t.All {
		control := n.Editable || n.hasCheck() || n.Clickable && n.unit() == n
		if f.visible(n, false) && (n.ownLabel() != "" || control && n.Label() != "") && !isRepeated(n) {
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

// selectorText writes a selector as a test does: the keys in the order of the test syntax, a relation to a label as its
// text alone.
func selectorText(s dsl.Selector) string {
	var fields []string
	v := reflect.ValueOf(s)
	for i := range v.NumField() {
		key, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("json"), ",")
		if text := valueText(v.Field(i)); text != "" {
			fields = append(fields, key+": "+text)
		}
	}
	return written(fields...)
}

// valueText is one value of a selector, "" for one that is not given.
func valueText(v reflect.Value) string {
	if v.IsZero() {
		return ""
	}
	switch x := v.Interface().(type) {
	case dsl.Selector:
		if reflect.DeepEqual(x, dsl.Selector{Label: x.Label}) {
			return yamlText(x.Label)
		}
		return selectorText(x)
	case dsl.Point:
		return yamlText(pointText(x))
	case dsl.Size:
		var fields []string
		for _, side := range []struct {
			key string
			n   *int
		}{{"width", x.Width}, {"height", x.Height}} {
			if side.n != nil {
				fields = append(fields, side.key+": "+strconv.Itoa(*side.n))
			}
		}
		if x.Tolerance > 0 {
			fields = append(fields, "tolerance: "+strconv.Itoa(x.Tolerance))
		}
		return written(fields...)
	}
	switch v.Kind() {
	case reflect.Pointer:
		if v.Elem().Kind() == reflect.Struct {
			return valueText(v.Elem())
		}
		return fmt.Sprint(v.Elem().Interface())
	case reflect.Slice:
		var list []string
		for i := range v.Len() {
			list = append(list, valueText(v.Index(i)))
		}
		if len(list) == 1 {
			return list[0]
		}
		return "[" + strings.Join(list, ", ") + "]"
	case reflect.String:
		return yamlText(v.String())
	}
	return fmt.Sprint(v.Interface())
}

func written(fields ...string) string { return "{" + strings.Join(fields, ", ") + "}" }

// plainText is what YAML reads as a text also within braces, without quotes.
var plainText = lazyregexp.New(`^[\pL_][\pL\pN_ ./+-]*[\pL\pN_.+]$|^[\pL_]$`)

// yamlText writes a text as YAML within braces.
func yamlText(s string) string {
	if plainText.MatchString(s) && !slices.Contains([]string{"true", "false", "null", "yes", "no", "on", "off", "y", "n"},
		strings.ToLower(s)) {
		return s
	}
	return strconv.Quote(s)
}
