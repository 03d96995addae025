package client

import (
	"cmp"
	"fmt"
	"hash/maphash"
	"image"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

const (
	// MaxText limits the characters of a snapshot.
	MaxText = 40_000
	// maxLabel limits the characters of a label in it.
	maxLabel = 160
)

// Refs assigns references to elements and remembers their elements. A number is used once in a session; an element that
// is the same in the next snapshot keeps its reference.
type Refs struct {
	seed  maphash.Seed
	next  int
	known map[string]ReferencedElement
	last  map[string]*Snapshot // the last screen read of each device
	shown map[string]*Snapshot // the last snapshot that was shown
}

// Snapshot is one snapshot.
type Snapshot struct {
	elements *Identified
	Order    []string // references, in the order of the tree
	Lines    map[string]string
	facts    map[string]string // the lines without bounds
	Nodes    map[string]*screen.Node
	refs     map[*screen.Node]string
}

// maxRefs limits how many references are remembered: in a long session those of the oldest snapshots are removed first.
const maxRefs = 50_000

// NewRefs returns the references of a new session.
func NewRefs() *Refs {
	return &Refs{seed: maphash.MakeSeed(), known: map[string]ReferencedElement{}, last: map[string]*Snapshot{},
		shown: map[string]*Snapshot{}}
}

// Take creates a snapshot of all elements that will be shown. before is the one that was shown last, or nil.
func (r *Refs) Take(device string, t *screen.Tree, words func(string) string) (now, before *Snapshot) {
	before = r.shown[device]
	now = r.read(device, t, words)
	r.shown[device] = now
	return now, before
}

// read assigns a reference to every element. An element that is the same keeps its reference.
func (r *Refs) read(device string, t *screen.Tree, words func(string) string) *Snapshot {
	before := r.last[device]
	sc := r.Identify(t)
	now := &Snapshot{elements: sc, Lines: map[string]string{}, facts: map[string]string{},
		Nodes: map[string]*screen.Node{}, refs: map[*screen.Node]string{}}
	old := before.byIdentity()
	var unknown []*screen.Node
	var listed []*screen.Node
	give := func(n *screen.Node, ref string) { now.Nodes[ref], now.refs[n] = n, ref }
	for n := range t.All {
		if !sc.Listed(n) {
			continue
		}
		listed = append(listed, n)
		id := sc.ids[n]
		ref := old[place{id, sc.paths[n]}]
		if ref == "" && sc.twins[id] == 1 {
			ref = old[place{identity: id}]
		}
		if ref == "" || now.Nodes[ref] != nil {
			unknown = append(unknown, n)
			continue
		}
		give(n, ref)
	}
	r.recognise(before, now, unknown, give)
	for _, n := range listed {
		if now.refs[n] == "" {
			r.next++
			give(n, "e"+strconv.Itoa(r.next))
		}
		ref := now.refs[n]
		r.known[ref] = sc.reference(n, device, words(n.String()))
		now.Order = append(now.Order, ref)
	}
	for _, ref := range now.Order {
		now.facts[ref], now.Lines[ref] = sc.line(now.Nodes[ref], words)
	}
	r.last[device] = now
	r.forget()
	return now
}

// recognise assigns the earlier references to elements of which only the context has changed.
func (r *Refs) recognise(before, now *Snapshot, unknown []*screen.Node, give func(*screen.Node, string)) {
	if before == nil || len(unknown) == 0 {
		return
	}
	wanted := map[*screen.Node]bool{}
	for _, n := range unknown {
		wanted[n] = true
	}
	for _, ref := range before.Order {
		if now.Nodes[ref] != nil {
			continue
		}
		if n := now.elements.locateByName(r.known[ref]); wanted[n] && now.refs[n] == "" {
			give(n, ref)
		}
	}
}

// Successor returns the reference and description of the element that probably replaced a missing one, or "".
func (r *Refs) Successor(device string, was ReferencedElement, t *screen.Tree, words func(string) string) (ref,
	what string) {
	if was.Device != device {
		return "", ""
	}
	now := r.read(device, t, words)
	n := now.elements.successor(was)
	if n == nil || now.refs[n] == "" {
		return "", ""
	}
	return now.refs[n], words(n.String())
}

// place is an identity with its path; the path is empty where the identity alone decides.
type place struct {
	identity
	path string
}

// Identify returns a screen read in which elements of earlier ones can be found.
func (r *Refs) Identify(t *screen.Tree) *Identified { return identify(t, r.seed) }

// Known returns the element of a reference of any snapshot of the session.
func (r *Refs) Known(ref string) (ReferencedElement, bool) {
	k, ok := r.known[ref]
	return k, ok
}

// byIdentity returns the references of a snapshot.
func (s *Snapshot) byIdentity() map[place]string {
	all := map[place]string{}
	if s == nil {
		return all
	}
	for ref, n := range s.Nodes {
		id := s.elements.ids[n]
		all[place{id, s.elements.paths[n]}] = ref
		if s.elements.twins[id] == 1 {
			all[place{identity: id}] = ref
		}
	}
	return all
}

// forget removes references that no last snapshot contains, when there are too many.
func (r *Refs) forget() {
	if len(r.known) <= maxRefs {
		return
	}
	for ref, k := range r.known {
		if last := r.last[k.Device]; last == nil || last.Nodes[ref] == nil &&
			(r.shown[k.Device] == nil || r.shown[k.Device].Nodes[ref] == nil) {
			delete(r.known, ref)
		}
	}
}

// Last returns the newest tree of a device, or nil.
func (r *Refs) Last(device string) *screen.Tree {
	if last := r.last[device]; last != nil {
		return last.elements.tree
	}
	return nil
}

// lines lists the references of the newest screen read of a device.
func (r *Refs) lines(device string) []string {
	last := r.last[device]
	if last == nil {
		return nil
	}
	return last.listing(last.Order)
}

// Drop removes the snapshots of a device; its references become stale.
func (r *Refs) Drop(device string) {
	delete(r.last, device)
	delete(r.shown, device)
}

// roleAndLabel returns an element's role and label.
func (s *Identified) roleAndLabel(n *screen.Node, words func(string) string) string {
	if label := s.nameOf(n); label != "" {
		return role(n) + " " + Quoted(words(label))
	}
	return role(n)
}

// line describes one element: facts is its role, label, value and state; whole adds its bounds.
func (s *Identified) line(n *screen.Node, words func(string) string) (facts, whole string) {
	var b strings.Builder
	b.WriteString(s.roleAndLabel(n, words))
	holds := n.Editable
	if h := n.Holds; h != nil {
		holds = holds || h.Value == ""
		if h.Value != "" {
			b.WriteString(" value=" + plain(words(h.Value)))
		}
	}
	switch {
	case holds && n.Password && n.Text != "":
		b.WriteString(" value=•••")
	case holds && n.Text != "":
		b.WriteString(" value=" + Quoted(words(n.Text)))
	}
	if h := n.Holds; h != nil && h.Form != "" {
		b.WriteString(" of=" + Quoted(words(h.Form)))
	}
	if id := idOf(n); id != "" {
		b.WriteString(" #" + plain(words(id)))
	}
	for _, state := range []struct {
		on   bool
		word string
	}{{n.Disabled, "disabled"}, {n.Checked, "checked"}, {n.Selected, "selected"}, {n.Focused, "focused"},
		{n.Scrollable, "scrollable"},
		{n.Clickable && n.Holds == nil && role(n) != "button" && role(n) != "link" && !n.Editable, "clickable"},
		{n.Offscreen || !n.Bounds.Overlaps(image.Rectangle{Max: s.tree.Size}), "offscreen"}} {
		if state.on {
			b.WriteByte(' ')
			b.WriteString(state.word)
		}
	}
	facts = b.String()
	return facts, fmt.Sprintf("%s [%d,%d][%d,%d]", facts, n.Bounds.Min.X, n.Bounds.Min.Y, n.Bounds.Max.X, n.Bounds.Max.Y)
}

// idOf returns the part of an element's ID that a selector needs.
func idOf(n *screen.Node) string {
	return cmp.Or(n.ID[strings.LastIndex(n.ID, "/")+1:], n.TestID)
}

// Quoted writes a text of the app in quotes, on one line, shortened.
func Quoted(s string) string {
	if r := []rune(s); len(r) > maxLabel {
		s = string(r[:maxLabel-1]) + "…"
	}
	return strconv.Quote(s)
}

// plain writes a text of the app without quotes if it is one word, and otherwise in quotes, so that it cannot be
// mistaken for other parts of the line.
func plain(s string) string {
	odd := func(r rune) bool { return r <= ' ' || r == '"' || r == '[' || !strconv.IsPrint(r) }
	if strings.ContainsFunc(s, odd) || len(s) > maxLabel {
		return Quoted(s)
	}
	return s
}

// role returns the kind of an element in terms of accessibility.
func role(n *screen.Node) string {
	if n.Role != "" {
		return plain(n.Role)
	}
	kind := n.Type[strings.LastIndexAny(n.Type, ".$")+1:]
	switch kind {
	case "TextView", "StaticText", "XCUIElementTypeStaticText":
		return "text"
	case "EditText", "XCUIElementTypeTextField", "XCUIElementTypeSecureTextField":
		return "textbox"
	case "ImageView", "XCUIElementTypeImage":
		return "img"
	case "ImageButton":
		return "button"
	case "":
		return "element"
	}
	return plain(strings.ToLower(strings.TrimPrefix(kind, "XCUIElementType")))
}

// View are the arguments of the tool snapshot.
type View struct {
	Find  string `json:"find,omitempty" minLength:"1" doc:"Only elements with this text in the label, value or id."`
	Under string `json:"under,omitempty" minLength:"1" doc:"Only what is inside of this element: a ref or a label."`
	Max   int    `json:"max,omitempty" minimum:"1" maximum:"2000" default:"500" doc:"How many elements at most."`
	Diff  bool   `json:"diff,omitempty" doc:"Changes since the last snapshot: + new, ~ changed, - gone, = has a new ref."`
}

// Text writes the snapshot according to the view.
func (s *Snapshot) Text(before *Snapshot, a View, words func(string) string) (string, error) {
	show := s.Order
	if a.Under != "" {
		box, err := s.box(a.Under, words)
		if err != nil {
			return "", err
		}
		show = s.filter(show, func(n *screen.Node) bool { return n != box && n.Within(box) })
	}
	if a.Find != "" {
		want := screen.Normalise(a.Find)
		show = s.filter(show, func(n *screen.Node) bool {
			return strings.Contains(
				screen.Normalise(words(strings.Join([]string{n.Label(), n.Text, n.Desc, n.Hint, n.ID, n.TestID}, "\n"))), want)
		})
		if len(show) == 0 {
			return "", s.nothing(a.Find, words)
		}
	}
	all := s.listing(show)
	if !a.Diff || before == nil {
		return Capped(all, a.Max), nil
	}
	lines, moved := s.changes(before, show, a, words)
	switch {
	case len(lines) == 0 && moved == 0:
		return "nothing changed since the last snapshot\n", nil
	case len(lines) == 0:
		return fmt.Sprintf("nothing changed since the last snapshot; %d moved\n", moved), nil
	case bytesOf(lines) > bytesOf(all): // on another screen, the list of changes is longer than the snapshot
		return Capped(append([]string{anotherScreen}, all...), a.Max+1), nil
	case moved > 0:
		lines[len(lines)-1] += fmt.Sprintf("; %d others moved", moved)
	}
	return Capped(lines, a.Max), nil
}

// anotherScreen is the heading of a snapshot that is shorter than the list of changes.
const anotherScreen = "almost everything changed since the last snapshot; all of it:"

// listing returns the lines of elements.
func (s *Snapshot) listing(refs []string) []string {
	var lines []string
	for _, ref := range refs {
		lines = append(lines, ref+" "+s.Lines[ref])
	}
	return lines
}

func bytesOf(lines []string) (n int) {
	for _, l := range lines {
		n += len(l) + 1
	}
	return n
}

func (s *Snapshot) filter(list []string, keep func(*screen.Node) bool) []string {
	var kept []string
	for _, ref := range list {
		if keep(s.Nodes[ref]) {
			kept = append(kept, ref)
		}
	}
	return kept
}

// box finds the element that the argument under names.
func (s *Snapshot) box(under string, words func(string) string) (*screen.Node, error) {
	if n := s.Nodes[under]; n != nil {
		return n, nil
	}
	if IsRef(under) {
		return nil, Stale(under, "", "")
	}
	matches, err := s.elements.tree.Find(screen.Query{Selector: dsl.Selector{Label: under}, Action: true, Reveal: true})
	if err != nil {
		return nil, err
	}
	if len(matches) == 0 {
		return nil, s.nothing(under, words)
	}
	for n := matches[0].Node; n != nil; n = n.Parent { // a title names the box that contains it
		if len(n.Children) > 0 {
			return n, nil
		}
	}
	return matches[0].Node, nil
}

func (s *Snapshot) nothing(what string, words func(string) string) error {
	f := &Refusal{Missing: true, What: fmt.Sprintf("nothing on the screen matches %s", screen.Quote(what)),
		Try: "call `snapshot` without find and under"}
	if why := s.elements.tree.Cut(); why != "" {
		f.What += "; not all of it could be read: " + why
		f.Try = "`scrollTo` looks for it row by row; `webAssert` queries the page by CSS"
	}
	for _, n := range s.elements.tree.Nearest(dsl.Selector{Label: what}, 3) {
		f.Near = append(f.Near, words(n.String()))
	}
	return f
}

// changes lists the differences to an earlier snapshot, and counts the elements of which only the position has changed.
// An element that looks as before but has another context gets a new reference; its line is only "e15 was e7".
func (s *Snapshot) changes(before *Snapshot, show []string, a View, words func(string) string) (lines []string,
	moved int) {
	gone := map[string][]string{} // by line
	for _, ref := range before.Order {
		if s.Nodes[ref] == nil {
			gone[before.facts[ref]] = append(gone[before.facts[ref]], ref)
		}
	}
	again := map[string]bool{}
	for _, ref := range show {
		was, same := before.facts[ref]
		switch old := gone[s.facts[ref]]; {
		case same && was == s.facts[ref]:
			if s.Nodes[ref].Bounds != before.Nodes[ref].Bounds {
				moved++
			}
		case same:
			lines = append(lines, "~ "+ref+" "+s.Lines[ref])
		case len(old) > 0:
			gone[s.facts[ref]], again[old[0]] = old[1:], true
			lines = append(lines, "= "+ref+" was "+old[0])
		default:
			lines = append(lines, "+ "+ref+" "+s.Lines[ref])
		}
	}
	if a.Find != "" || a.Under != "" {
		return lines, moved
	}
	for _, ref := range before.Order {
		if s.Nodes[ref] == nil && !again[ref] {
			lines = append(lines, "- "+ref+" "+before.elements.roleAndLabel(before.Nodes[ref], words))
		}
	}
	return lines, moved
}

// Capped joins lines up to the limits and appends how many are left out.
func Capped(lines []string, limit int) string {
	var b strings.Builder
	size := 0
	for i, l := range lines {
		if n := len([]rune(l)) + 1; i < limit && size+n <= MaxText-100 {
			size += n
			b.WriteString(l + "\n")
			continue
		}
		fmt.Fprintf(&b, "%d more, use under= or find=\n", len(lines)-i)
		break
	}
	return b.String()
}

// IsRef reports whether a text has the form of a reference.
func IsRef(s string) bool {
	digits, ok := strings.CutPrefix(s, "e")
	if !ok || digits == "" || len(digits) > 9 {
		return false
	}
	return strings.Trim(digits, "0123456789") == ""
}
