package client

import (
	"cmp"
	"hash/maphash"
	"image"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// identity is what makes an element of one reading of the screen the same as one of another: what it is, what it is
// called, and what stands around it. "Delete" beside another item is another element.
type identity struct {
	kind    string // type, role, package
	id      string // id and test id
	label   string // without what typing changes
	context uint64 // sum of the texts that the nearest box says beside it
}

// Identified is one reading of the screen with the identities of its elements.
type Identified struct {
	tree  *screen.Tree
	ids   map[*screen.Node]identity
	paths map[*screen.Node]string // indexes from the root
	twins map[identity]int
	names map[identity][]*screen.Node // by identities without what is around
	byID  map[string][]*screen.Node
	title map[*screen.Node]string // of controls: what stands beside them names them
	seed  maphash.Seed
}

// Tree is the reading itself.
func (s *Identified) Tree() *screen.Tree { return s.tree }

// textSums is what a part of the tree says: sums that do not depend on the order, of all texts and of those that do not
// tick.
type textSums struct {
	texts, fixed  int
	sum, fixedSum uint64
}

// plus adds the texts of another part; minus takes them away.
func (a textSums) plus(b textSums) textSums {
	return textSums{a.texts + b.texts, a.fixed + b.fixed, a.sum + b.sum, a.fixedSum + b.fixedSum}
}

func (a textSums) minus(b textSums) textSums {
	return textSums{a.texts - b.texts, a.fixed - b.fixed, a.sum - b.sum, a.fixedSum - b.fixedSum}
}

// context is the sum that tells the company of an element: a clock or a percentage in it counts only when there is
// nothing else.
func (a textSums) context() uint64 {
	if a.fixed > 0 {
		return a.fixedSum
	}
	return a.sum
}

// ticking is a text that changes by itself.
var ticking = lazyregexp.New(`^\s*([0-9]{1,2}:[0-9]{2}(:[0-9]{2})?([.,][0-9]+)?|[0-9]{1,3} ?%)\s*$`)

func identify(t *screen.Tree, seed maphash.Seed) *Identified {
	s := &Identified{tree: t, ids: map[*screen.Node]identity{}, paths: map[*screen.Node]string{}, twins: map[identity]int{}, names: map[identity][]*screen.Node{},
		byID: map[string][]*screen.Node{}, title: map[*screen.Node]string{}, seed: seed}
	sums := map[*screen.Node]textSums{}
	for _, w := range t.Windows {
		add(w, sums, seed)
	}
	for i, w := range t.Windows {
		s.name(w, strconv.Itoa(i), sums)
	}
	return s
}

// add sums the texts below a node up; what a field holds is not among them.
func add(n *screen.Node, sums map[*screen.Node]textSums, seed maphash.Seed) textSums {
	var all textSums
	if n.Hidden {
		return all
	}
	if text := cmp.Or(n.Text, n.Desc); text != "" && !n.Editable {
		sum := maphash.String(seed, text)
		all = textSums{texts: 1, sum: sum}
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

func (s *Identified) name(n *screen.Node, path string, sums map[*screen.Node]textSums) {
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
		s.names[id.name()] = append(s.names[id.name()], n)
		s.byID[id.id] = append(s.byID[id.id], n)
		if c := n.Control; c != nil && c != n && OwnLabel(n) != "" && s.title[c] == "" {
			s.title[c] = OwnLabel(n)
		}
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
	return OwnLabel(n)
}

// visible tells whether an element has a place on the screen, or one that can be scrolled to.
func visible(n *screen.Node, t *screen.Tree) bool {
	if n.Hidden || n.Bounds.Empty() {
		return false
	}
	return t.HitTested || n.Bounds.Overlaps(image.Rectangle{Max: t.Size})
}

// ReferencedElement is an element that has a reference.
type ReferencedElement struct {
	identity
	Device  string
	path    string
	bounds  image.Rectangle
	twins   int  // elements of its reading with the same identity, itself included
	named   bool // none of the others was of its kind with its id and its label
	only    bool // none of the others had its id
	company map[uint64]bool
	Words   string // the element in a message
}

// maxCompany bounds the texts by which the company of an element is told.
const maxCompany = 48

// know notes all by which an element is found again.
func (s *Identified) know(n *screen.Node, device, words string) ReferencedElement {
	id := s.ids[n]
	return ReferencedElement{identity: id, Device: device, path: s.paths[n], bounds: n.Bounds, twins: s.twins[id],
		named: len(s.names[id.name()]) == 1,
		only:  id.id != noID && len(s.byID[id.id]) == 1, company: s.company(n), Words: words}
}

// name is an identity whatever stands around.
func (i identity) name() identity { i.context = 0; return i }

// noID is what elements have in place of an id that have none.
const noID = "|"

// company gives the texts that the nearest box says beside an element.
func (s *Identified) company(n *screen.Node) map[uint64]bool {
	said := map[uint64]bool{}
	for box := n.Parent; box != nil && len(said) == 0; box = box.Parent {
		s.around(box, n, said)
	}
	return said
}

func (s *Identified) around(box, but *screen.Node, said map[uint64]bool) {
	if box == but || box.Hidden || len(said) >= maxCompany {
		return
	}
	if text := cmp.Or(box.Text, box.Desc); text != "" && !box.Editable && !ticking.MatchString(text) && !but.Within(box) {
		said[maphash.String(s.seed, text)] = true
	}
	for _, c := range box.Children {
		s.around(c, but, said)
	}
}

// Locate finds an element of an earlier reading; nil when it is gone, has changed, or cannot be told from others any
// more. What is around it may change as long as its kind, id and label, or its id alone, are its own before and after:
// a new row of an error renumbers nothing.
func (s *Identified) Locate(was ReferencedElement) *screen.Node {
	if s.twins[was.identity] == was.twins {
		for n, id := range s.ids {
			if id == was.identity && (was.twins == 1 || s.paths[n] == was.path) {
				return n
			}
		}
	}
	return s.again(was)
}

// again finds an element whose company has changed.
func (s *Identified) again(was ReferencedElement) *screen.Node {
	if now := s.names[was.name()]; was.named && len(now) == 1 && s.keeps(was, now[0]) {
		return now[0]
	}
	if now := s.byID[was.id]; was.only && len(now) == 1 && s.ids[now[0]].kind == was.kind && s.keeps(was, now[0]) {
		return now[0]
	}
	return nil
}

// keeps tells whether an element of the same name is still the same one. On a page an id is an element's own; an id of
// a phone belongs to each row of a list, and a label alone to whatever it stands beside: of that, something has to be
// there still.
func (s *Identified) keeps(was ReferencedElement, n *screen.Node) bool {
	if was.only && s.tree.HitTested {
		return true
	}
	now := s.company(n)
	if len(now) == 0 || len(was.company) == 0 {
		return was.only
	}
	for text := range was.company {
		if now[text] {
			return true
		}
	}
	return false
}

// successor gives what likely is in the place of an element that is gone: one with its id, or its kind and label, or
// its place.
func (s *Identified) successor(was ReferencedElement) *screen.Node {
	var best *screen.Node
	most, near := 0, 0
	for n, id := range s.ids {
		score := 0
		switch {
		case id.kind != was.kind || !s.Listed(n):
		case id.name() == was.name():
			score = 4
		case id.id != noID && id.id == was.id:
			score = 3
		case id.label != "" && id.label == was.label:
			score = 2
		case n.Bounds.Min == was.bounds.Min:
			score = 1
		}
		gap := n.Bounds.Min.Sub(was.bounds.Min)
		far := gap.X*gap.X + gap.Y*gap.Y
		if score > most || score > 0 && score == most && (far < near || far == near && s.paths[n] < s.paths[best]) {
			best, most, near = n, score, far
		}
	}
	return best
}

// listed tells whether an element belongs into a snapshot: it says something, reacts, or can be scrolled. A text that
// is all that a button says is not listed again.
func (s *Identified) Listed(n *screen.Node) bool {
	if _, ok := s.ids[n]; !ok {
		return false
	}
	if n.Clickable || n.Editable || n.Scrollable || n.Type == "canvas" || n.Type == "iframe" {
		return true
	}
	if n.Type == screen.BareText && s.quoted(n) {
		return false
	}
	if OwnLabel(n) == "" || s.says(n, OwnLabel(n)) || s.repeats(n) {
		return false
	}
	for p := n.Parent; p != nil; p = p.Parent {
		switch {
		case p.Clickable || p.Editable:
			return OwnLabel(p) != "" && OwnLabel(p) != OwnLabel(n) || OwnLabel(p) == "" && firstSaying(p) != n
		case OwnLabel(p) != "":
			return true
		}
	}
	return true
}

// quoted reports whether a text without an element of its own is listed with something else: what holds it, what it
// names, or the elements that it consists of.
func (s *Identified) quoted(n *screen.Node) bool {
	p := n.Parent
	if n.Quoted() || p.Control != nil && s.nameOf(p.Control) == OwnLabel(n) {
		return true
	}
	rest := strings.Join(strings.Fields(OwnLabel(n)), "")
	for _, c := range p.Children {
		if c.Type != screen.BareText {
			rest = s.without(c, rest)
		}
	}
	return rest == ""
}

// says tells whether something inside of the box is called that.
func (s *Identified) says(box *screen.Node, label string) bool {
	for _, c := range box.Children {
		if _, ok := s.ids[c]; ok && c.Type != screen.BareText && OwnLabel(c) == label || s.says(c, label) {
			return true
		}
	}
	return false
}

// repeats tells whether a text says nothing that others do not say: it names a control, or all of it stands in what it
// holds.
func (s *Identified) repeats(n *screen.Node) bool {
	if c := n.Control; c != nil && c != n && s.ids[c] != (identity{}) && s.nameOf(c) == OwnLabel(n) {
		return true
	}
	if len(n.Children) == 0 {
		return false
	}
	rest := strings.Join(strings.Fields(OwnLabel(n)), "")
	for _, c := range n.Children {
		rest = s.without(c, rest)
	}
	return rest == ""
}

// without takes away from a text what an element says, and what is in it.
func (s *Identified) without(n *screen.Node, rest string) string {
	if _, ok := s.ids[n]; ok && n.Type != screen.BareText {
		for _, text := range []string{OwnLabel(n), s.nameOf(n)} {
			if text = strings.Join(strings.Fields(text), ""); text != "" {
				rest = strings.Replace(rest, text, "", 1)
			}
		}
	}
	for _, c := range n.Children {
		rest = s.without(c, rest)
	}
	return rest
}

// nameOf is what a control is called, beside what it holds.
func (s *Identified) nameOf(n *screen.Node) string {
	if n.Editable || n.Holds != nil {
		return cmp.Or(strings.TrimSpace(n.Desc), strings.TrimSpace(n.Hint), s.title[n])
	}
	if label := cmp.Or(OwnLabel(n), s.title[n]); label != "" || !n.Clickable {
		return label
	}
	if label := strings.TrimSpace(n.Label()); label != idOf(n) {
		return label
	}
	return ""
}

// OwnLabel is what an element itself says.
func OwnLabel(n *screen.Node) string {
	return cmp.Or(strings.TrimSpace(n.Text), strings.TrimSpace(n.Desc), strings.TrimSpace(n.Hint))
}

// firstSaying is the first element inside of a box that says something: it gives the box its label.
func firstSaying(box *screen.Node) *screen.Node {
	for _, c := range box.Children {
		if OwnLabel(c) != "" {
			return c
		}
		if n := firstSaying(c); n != nil {
			return n
		}
	}
	return nil
}
