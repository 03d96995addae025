package mcpserver

import (
	"cmp"
	"hash/maphash"
	"image"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/dsl/source"
)

// identity is what makes an element of one reading of the screen the same as one of another: what it is, what it is called, and what
// stands around it. "Delete" beside another item is another element.
type identity struct {
	kind    string // type, role, package
	id      string // id and test id
	label   string // without what typing changes
	context uint64 // sum of the texts that the nearest box says beside it
}

// identifiedTree is one reading of the screen with the identities of its elements.
type identifiedTree struct {
	tree  *screen.Tree
	ids   map[*screen.Node]identity
	paths map[*screen.Node]string // indexes from the root
	twins map[identity]int
}

// said is what a part of the tree says: sums that do not depend on the order, of all texts and of those that do not tick.
type said struct {
	texts, fixed  int
	sum, fixedSum uint64
}

// plus adds the texts of another part; minus takes them away.
func (a said) plus(b said) said {
	return said{a.texts + b.texts, a.fixed + b.fixed, a.sum + b.sum, a.fixedSum + b.fixedSum}
}

func (a said) minus(b said) said {
	return said{a.texts - b.texts, a.fixed - b.fixed, a.sum - b.sum, a.fixedSum - b.fixedSum}
}

// context is the sum that tells the company of an element: a clock or a percentage in it counts only when there is nothing else.
func (a said) context() uint64 {
	if a.fixed > 0 {
		return a.fixedSum
	}
	return a.sum
}

// ticking is a text that changes by itself.
var ticking = regexp.MustCompile(`^\s*([0-9]{1,2}:[0-9]{2}(:[0-9]{2})?([.,][0-9]+)?|[0-9]{1,3} ?%)\s*$`)

func identify(t *screen.Tree, seed maphash.Seed) *identifiedTree {
	s := &identifiedTree{tree: t, ids: map[*screen.Node]identity{}, paths: map[*screen.Node]string{}, twins: map[identity]int{}}
	sums := map[*screen.Node]said{}
	for _, w := range t.Windows {
		add(w, sums, seed)
	}
	for i, w := range t.Windows {
		s.name(w, strconv.Itoa(i), sums)
	}
	return s
}

// add sums the texts below a node up; what a field holds is not among them.
func add(n *screen.Node, sums map[*screen.Node]said, seed maphash.Seed) said {
	var all said
	if n.Hidden {
		return all
	}
	if text := cmp.Or(n.Text, n.Desc); text != "" && !n.Editable {
		sum := maphash.String(seed, text)
		all = said{texts: 1, sum: sum}
		if !ticking.MatchString(text) {
			all.fixed, all.fixedSum = 1, sum
		}
	}
	for _, c := range n.Children {
		all = all.plus(add(c, sums, seed))
	}
	sums[n] = all
	return all
}

func (s *identifiedTree) name(n *screen.Node, path string, sums map[*screen.Node]said) {
	if visible(n, s.tree) {
		id := identity{kind: n.Type + "|" + n.Role + "|" + n.Package, id: n.ID + "|" + n.TestID, label: fixedLabel(n)}
		own := sums[n]
		for box := n.Parent; box != nil; box = box.Parent {
			if around := sums[box].minus(own); around.texts > 0 {
				id.context = around.context()
				break
			}
		}
		s.ids[n], s.paths[n] = id, path
		s.twins[id]++
	}
	for i, c := range n.Children {
		s.name(c, path+"/"+strconv.Itoa(i), sums)
	}
}

// fixedLabel is the part of an element's label that typing does not change.
func fixedLabel(n *screen.Node) string {
	switch {
	case n.Editable:
		return n.Desc + "|" + n.Hint
	case n.Clickable:
		return n.Label() // what stands in a button is its name
	}
	return ownLabel(n)
}

// visible tells whether an element has a place on the screen, or one that can be scrolled to.
func visible(n *screen.Node, t *screen.Tree) bool {
	if n.Hidden || n.Bounds.Empty() {
		return false
	}
	return t.HitTested || n.Bounds.Overlaps(image.Rectangle{Max: t.Size})
}

// known is an element that has a reference.
type known struct {
	identity
	device string
	path   string
	twins  int    // elements of its reading with the same identity, itself included
	words  string // the element in a message
}

// locate finds an element of an earlier reading; nil when it is gone, has changed, or cannot be told from others any more.
func (s *identifiedTree) locate(was known) *screen.Node {
	if s.twins[was.identity] != was.twins {
		return nil
	}
	for n, id := range s.ids {
		if id == was.identity && (was.twins == 1 || s.paths[n] == was.path) {
			return n
		}
	}
	return nil
}

// listed tells whether an element belongs into a snapshot: it says something, reacts, or can be scrolled. A text that is all that a
// button says is not listed again.
func (s *identifiedTree) listed(n *screen.Node) bool {
	if _, ok := s.ids[n]; !ok {
		return false
	}
	if n.Clickable || n.Editable || n.Scrollable {
		return true
	}
	if ownLabel(n) == "" || s.says(n, ownLabel(n)) {
		return false
	}
	for p := n.Parent; p != nil; p = p.Parent {
		switch {
		case p.Clickable || p.Editable:
			return ownLabel(p) != "" && ownLabel(p) != ownLabel(n) || ownLabel(p) == "" && firstSaying(p) != n
		case ownLabel(p) != "":
			return true
		}
	}
	return true
}

// says tells whether something inside of the box is called that.
func (s *identifiedTree) says(box *screen.Node, label string) bool {
	for _, c := range box.Children {
		if _, ok := s.ids[c]; ok && ownLabel(c) == label || s.says(c, label) {
			return true
		}
	}
	return false
}

func ownLabel(n *screen.Node) string {
	return cmp.Or(strings.TrimSpace(n.Text), strings.TrimSpace(n.Desc), strings.TrimSpace(n.Hint))
}

// firstSaying is the first element inside of a box that says something: it gives the box its label.
func firstSaying(box *screen.Node) *screen.Node {
	for _, c := range box.Children {
		if ownLabel(c) != "" {
			return c
		}
		if n := firstSaying(c); n != nil {
			return n
		}
	}
	return nil
}

// selector writes a selector that picks exactly this element on this screen: the shortest that a reader of a test would understand.
func (s *identifiedTree) selector(n *screen.Node) (source.Value, bool) {
	id := idOf(n)
	var tries []source.Value
	add := func(fields ...source.Field) {
		for _, f := range fields {
			if f.Value.Text == "" {
				return
			}
		}
		tries = append(tries, source.Value{Kind: source.Map, Fields: fields})
	}
	field := func(key, text string) source.Field {
		return source.Field{Key: key, Value: source.Value{Kind: source.String, Text: strings.ReplaceAll(text, "${", "$${")}}
	}
	for _, label := range selectorLabels(n) {
		add(field("label", label))
	}
	add(field("id", id))
	for _, label := range selectorLabels(n) {
		add(field("label", label), field("id", id))
	}
	kind := n.Type[strings.LastIndexAny(n.Type, ".$")+1:]
	add(field("type", kind))
	for _, v := range tries {
		if s.picks(v, n, nil) {
			return v, true
		}
	}
	for _, v := range tries {
		if i, ok := s.index(v, n); ok {
			v.Fields = append(v.Fields, source.Field{Key: "index", Value: source.Value{Kind: source.Int, Text: strconv.Itoa(i)}})
			return v, true
		}
	}
	return source.Value{}, false
}

// selectorLabels are the labels by which tests can name an element; very long ones are none.
func selectorLabels(n *screen.Node) []string {
	labels := []string{n.Label()}
	switch {
	case n.Editable:
		labels = []string{strings.TrimSpace(n.Desc), strings.TrimSpace(n.Hint)}
	case ownLabel(n) == "" && n.Label() == idOf(n):
		return nil
	}
	return slices.DeleteFunc(labels, func(l string) bool { return l == "" || len(l) > 300 })
}

// maxIndex bounds how many alike elements a selector counts through.
const maxIndex = 300

// index finds which of the elements that a selector picks this one is.
func (s *identifiedTree) index(v source.Value, n *screen.Node) (int, bool) {
	for i := range maxIndex {
		if s.picks(v, n, &i) {
			return i, true
		}
		if !s.picks(v, nil, &i) {
			return 0, false
		}
	}
	return 0, false
}

// picks tells whether an action with the selector would touch the element; with nil, whether it would touch any.
func (s *identifiedTree) picks(v source.Value, n *screen.Node, index *int) bool {
	sel := dsl.Selector{Index: index}
	for _, f := range v.Fields {
		text := strings.ReplaceAll(f.Value.Text, "$${", "${")
		switch f.Key {
		case "label":
			sel.Label = text
		case "id":
			sel.ID = text
		case "type":
			sel.Type = text
		}
	}
	found, err := s.tree.Find(screen.Query{Selector: sel, Action: true, Reveal: s.tree.HitTested})
	if err != nil || len(found) != 1 {
		return false
	}
	return n == nil || found[0].Node == n || found[0].Target == n
}
