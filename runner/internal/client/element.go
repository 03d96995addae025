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

// identity identifies an element across screen reads: by its kind, its ID and label, and the texts around it. A
// "Delete" next to another item is another element.
type identity struct {
	kind    string // type, role, package
	id      string // ID and test ID
	label   string // without what typing changes
	context uint64 // hash of the other texts in the nearest box
}

// Identified is one screen read with the identities of its elements.
type Identified struct {
	tree  *screen.Tree
	ids   map[*screen.Node]identity
	paths map[*screen.Node]string // indexes from the root
	twins map[identity]int
	names map[identity][]*screen.Node // by identities without context
	byID  map[string][]*screen.Node
	title map[*screen.Node]string // names of controls: the texts next to them
	seed  maphash.Seed
}

// Tree returns the screen tree.
func (s *Identified) Tree() *screen.Tree { return s.tree }

// textSums are hashes of the texts of a part of the tree, which do not depend on their order: of all texts, and of
// those that do not change by themselves.
type textSums struct {
	texts, fixed  int
	sum, fixedSum uint64
}

// plus adds the texts of another part; minus removes them.
func (a textSums) plus(b textSums) textSums {
	return textSums{a.texts + b.texts, a.fixed + b.fixed, a.sum + b.sum, a.fixedSum + b.fixedSum}
}

func (a textSums) minus(b textSums) textSums {
	return textSums{a.texts - b.texts, a.fixed - b.fixed, a.sum - b.sum, a.fixedSum - b.fixedSum}
}

// context returns the hash for the context of an element. A clock or a percentage counts only when there is no other
// text.
func (a textSums) context() uint64 {
	if a.fixed > 0 {
		return a.fixedSum
	}
	return a.sum
}

// ticking matches texts that change by themselves.
var ticking = lazyregexp.New(`^\s*([0-9]{1,2}:[0-9]{2}(:[0-9]{2})?([.,][0-9]+)?|[0-9]{1,3} ?%)\s*$`)

func identify(t *screen.Tree, seed maphash.Seed) *Identified {
	s := &Identified{tree: t, ids: map[*screen.Node]identity{}, paths: map[*screen.Node]string{},
		twins: map[identity]int{}, names: map[identity][]*screen.Node{},
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

// add sums the texts below a node, without the values of fields.
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

// fixedLabel returns the part of an element's label that typing does not change.
func fixedLabel(n *screen.Node) string {
	switch {
	case n.Editable:
		return n.Desc + "|" + n.Hint
	case n.Clickable:
		return n.Label() // the text of a button is its name
	}
	return OwnLabel(n)
}

// visible reports whether an element is on the screen, or can be scrolled to.
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
	twins   int  // elements of its screen read with the same identity, including itself
	named   bool // no other element had its kind, ID and label
	only    bool // no other element had its ID
	company map[uint64]bool
	Words   string // describes the element in messages
}

// maxTextsAround limits how many texts around an element are stored.
const maxTextsAround = 48

// reference stores everything by which an element is found again.
func (s *Identified) reference(n *screen.Node, device, words string) ReferencedElement {
	id := s.ids[n]
	return ReferencedElement{identity: id, Device: device, path: s.paths[n], bounds: n.Bounds, twins: s.twins[id],
		named: len(s.names[id.name()]) == 1,
		only:  id.id != noID && len(s.byID[id.id]) == 1, company: s.textsAround(n), Words: words}
}

// name returns the identity without the context.
func (i identity) name() identity { i.context = 0; return i }

// noID is the ID of elements without an ID.
const noID = "|"

// textsAround returns the texts next to an element in the nearest box with texts.
func (s *Identified) textsAround(n *screen.Node) map[uint64]bool {
	said := map[uint64]bool{}
	for box := n.Parent; box != nil && len(said) == 0; box = box.Parent {
		s.addTexts(box, n, said)
	}
	return said
}

func (s *Identified) addTexts(box, but *screen.Node, said map[uint64]bool) {
	if box == but || box.Hidden || len(said) >= maxTextsAround {
		return
	}
	if text := cmp.Or(box.Text, box.Desc); text != "" && !box.Editable && !ticking.MatchString(text) && !but.Within(box) {
		said[maphash.String(s.seed, text)] = true
	}
	for _, c := range box.Children {
		s.addTexts(c, but, said)
	}
}

// Locate finds an element of an earlier screen read. It returns nil when the element is gone, has changed, or cannot be
// distinguished from others any more. The full identity must occur as often as before; of several equal elements the
// path decides. If only the context has changed, the element is found by its kind, ID and label, or its ID, when these
// were unique before and are unique now: a new error message on the page must not invalidate the references of other
// elements.
func (s *Identified) Locate(was ReferencedElement) *screen.Node {
	if s.twins[was.identity] == was.twins {
		for n, id := range s.ids {
			if id == was.identity && (was.twins == 1 || s.paths[n] == was.path) {
				return n
			}
		}
	}
	return s.locateByName(was)
}

// locateByName finds an element with a changed context.
func (s *Identified) locateByName(was ReferencedElement) *screen.Node {
	if now := s.names[was.name()]; was.named && len(now) == 1 && s.isSame(was, now[0]) {
		return now[0]
	}
	if now := s.byID[was.id]; was.only && len(now) == 1 && s.ids[now[0]].kind == was.kind && s.isSame(was, now[0]) {
		return now[0]
	}
	return nil
}

// isSame reports whether an element with the same name is still the same one. On a page IDs are unique. The rows of a
// list on a phone share an ID, and a label may occur in several places, so at least one text around the element must be
// the same.
func (s *Identified) isSame(was ReferencedElement, n *screen.Node) bool {
	if was.only && s.tree.HitTested {
		return true
	}
	now := s.textsAround(n)
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

// successor returns the element that probably replaced a missing one: one with its ID, or its kind and label, or its
// position.
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

// Listed reports whether an element belongs to a snapshot: it has a text, reacts, or can be scrolled. A text that is
// the whole content of a button is not listed again.
func (s *Identified) Listed(n *screen.Node) bool {
	if _, ok := s.ids[n]; !ok {
		return false
	}
	if n.Clickable || n.Editable || n.Scrollable || n.Type == "canvas" || n.Type == "iframe" {
		return true
	}
	if n.Type == screen.BareText && s.isPartOfOther(n) {
		return false
	}
	if OwnLabel(n) == "" || s.hasLabelInside(n, OwnLabel(n)) || s.isRedundant(n) {
		return false
	}
	for p := n.Parent; p != nil; p = p.Parent {
		switch {
		case p.Clickable || p.Editable:
			return OwnLabel(p) != "" && OwnLabel(p) != OwnLabel(n) || OwnLabel(p) == "" && firstLabeled(p) != n
		case OwnLabel(p) != "":
			return true
		}
	}
	return true
}

// isPartOfOther reports whether a text without its own element is listed with another one: its container, the control
// that it names, or the elements that it consists of.
func (s *Identified) isPartOfOther(n *screen.Node) bool {
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

// hasLabelInside reports whether an element in the box has this label.
func (s *Identified) hasLabelInside(box *screen.Node, label string) bool {
	for _, c := range box.Children {
		if _, ok := s.ids[c]; ok && c.Type != screen.BareText && OwnLabel(c) == label || s.hasLabelInside(c, label) {
			return true
		}
	}
	return false
}

// isRedundant reports whether a text contains nothing new: it names a control, or all of it occurs in the elements
// inside.
func (s *Identified) isRedundant(n *screen.Node) bool {
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

// without removes the text of an element and its children from a text.
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

// nameOf returns the name of a control, without its value.
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

// OwnLabel returns the label of the element itself.
func OwnLabel(n *screen.Node) string {
	return cmp.Or(strings.TrimSpace(n.Text), strings.TrimSpace(n.Desc), strings.TrimSpace(n.Hint))
}

// firstLabeled returns the first element with a text inside of a box, which is the box's label.
func firstLabeled(box *screen.Node) *screen.Node {
	for _, c := range box.Children {
		if OwnLabel(c) != "" {
			return c
		}
		if n := firstLabeled(c); n != nil {
			return n
		}
	}
	return nil
}
