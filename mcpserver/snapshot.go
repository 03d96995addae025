package mcpserver

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
	// maxSnapshot caps the text of a snapshot, in characters.
	maxSnapshot = 40_000
	// maxLabel caps one label in it.
	maxLabel = 160
)

// refs hands out references to elements and remembers what they mean. A number is used once in a session; an element that is still the
// same in the next snapshot keeps its own.
type refs struct {
	seed  maphash.Seed
	next  int
	known map[string]known
	last  map[string]*shot // the last snapshot of each device
}

// shot is one snapshot.
type shot struct {
	scene *identifiedTree
	order []string // references, in the order of the tree
	lines map[string]string
	nodes map[string]*screen.Node
	refs  map[*screen.Node]string
}

// maxRefs bounds what is remembered: the oldest snapshot's references of a long session are forgotten first.
const maxRefs = 50_000

func newRefs() *refs {
	return &refs{seed: maphash.MakeSeed(), known: map[string]known{}, last: map[string]*shot{}}
}

// take makes a snapshot of all elements. before is the one that the device had, nil when there was none.
func (r *refs) take(device string, t *screen.Tree, words func(string) string) (now, before *shot) {
	before = r.last[device]
	sc := identify(t, r.seed)
	now = &shot{scene: sc, lines: map[string]string{}, nodes: map[string]*screen.Node{}, refs: map[*screen.Node]string{}}
	old := before.byIdentity()
	for n := range t.All {
		if !sc.listed(n) {
			continue
		}
		id, path := sc.ids[n], sc.paths[n]
		ref, same := old[place{id, path}]
		if !same {
			if candidates := old[place{identity: id}]; sc.twins[id] == 1 && candidates != "" {
				ref, same = candidates, true
			}
		}
		if !same || now.nodes[ref] != nil {
			r.next++
			ref = "e" + strconv.Itoa(r.next)
		}
		r.known[ref] = known{identity: id, device: device, path: path, twins: sc.twins[id], words: words(n.String())}
		now.order = append(now.order, ref)
		now.nodes[ref], now.refs[n] = n, ref
	}
	for _, ref := range now.order {
		now.lines[ref] = line(now.nodes[ref], t, words)
	}
	r.last[device] = now
	r.forget()
	return now, before
}

// place is an identity with its path; the path is empty where the identity alone decides.
type place struct {
	identity
	path string
}

// byIdentity gives the references of a snapshot.
func (s *shot) byIdentity() map[place]string {
	all := map[place]string{}
	if s == nil {
		return all
	}
	for ref, n := range s.nodes {
		id := s.scene.ids[n]
		all[place{id, s.scene.paths[n]}] = ref
		if s.scene.twins[id] == 1 {
			all[place{identity: id}] = ref
		}
	}
	return all
}

// forget drops references that no last snapshot holds, when there are too many.
func (r *refs) forget() {
	if len(r.known) <= maxRefs {
		return
	}
	for ref, k := range r.known {
		if last := r.last[k.device]; last == nil || last.nodes[ref] == nil {
			delete(r.known, ref)
		}
	}
}

// drop forgets the snapshots of a device; its references become stale.
func (r *refs) drop(device string) { delete(r.last, device) }

// called gives an element's role and label.
func called(n *screen.Node, words func(string) string) string {
	label := ownLabel(n)
	if n.Editable {
		label = cmp.Or(strings.TrimSpace(n.Desc), strings.TrimSpace(n.Hint))
	} else if label == "" && n.Clickable {
		label = strings.TrimSpace(n.Label())
		if label == idOf(n) {
			label = ""
		}
	}
	if label == "" {
		return role(n)
	}
	return role(n) + " " + quoted(words(label))
}

// line shows one element: role, label, state, bounds.
func line(n *screen.Node, t *screen.Tree, words func(string) string) string {
	var b strings.Builder
	b.WriteString(called(n, words))
	if n.Editable {
		switch {
		case n.Password && n.Text != "":
			b.WriteString(" value=•••")
		case n.Text != "":
			b.WriteString(" value=" + quoted(words(n.Text)))
		}
	}
	if id := idOf(n); id != "" {
		b.WriteString(" #" + plain(words(id)))
	}
	for _, state := range []struct {
		on   bool
		word string
	}{{n.Disabled, "disabled"}, {n.Checked, "checked"}, {n.Selected, "selected"}, {n.Focused, "focused"}, {n.Scrollable, "scrollable"},
		{n.Clickable && role(n) != "button" && role(n) != "link" && !n.Editable, "clickable"}, {n.Offscreen || !n.Bounds.Overlaps(image.Rectangle{Max: t.Size}), "offscreen"}} {
		if state.on {
			b.WriteByte(' ')
			b.WriteString(state.word)
		}
	}
	fmt.Fprintf(&b, " [%d,%d][%d,%d]", n.Bounds.Min.X, n.Bounds.Min.Y, n.Bounds.Max.X, n.Bounds.Max.Y)
	return b.String()
}

// idOf is the part of an element's id that a selector needs.
func idOf(n *screen.Node) string {
	return cmp.Or(n.ID[strings.LastIndex(n.ID, "/")+1:], n.TestID)
}

// quoted shows foreign text: on one line, cut.
func quoted(s string) string {
	if r := []rune(s); len(r) > maxLabel {
		s = string(r[:maxLabel-1]) + "…"
	}
	return strconv.Quote(s)
}

// plain shows foreign text that is one word as it is; in quotes what could be taken for something else, such as a line of its own.
func plain(s string) string {
	odd := func(r rune) bool { return r <= ' ' || r == '"' || r == '[' || !strconv.IsPrint(r) }
	if strings.ContainsFunc(s, odd) || len(s) > maxLabel {
		return quoted(s)
	}
	return s
}

// role is what kind of element it is, in the words of accessibility.
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

// snapshotArgs are those of the tool snapshot.
type snapshotArgs struct {
	Find  string `json:"find,omitempty" minLength:"1" doc:"Only elements whose label, value or id contains this."`
	Under string `json:"under,omitempty" minLength:"1" doc:"Only what is inside of this element: a ref or a label."`
	Max   int    `json:"max,omitempty" minimum:"1" maximum:"2000" default:"500" doc:"How many elements at most."`
	Diff  bool   `json:"diff,omitempty" doc:"Only what changed since the last snapshot: + new, ~ changed, - gone, = has a new ref."`
}

// text writes the snapshot as it was asked for.
func (s *shot) text(before *shot, a snapshotArgs, words func(string) string) (string, error) {
	show := s.order
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
			return strings.Contains(screen.Normalise(words(strings.Join([]string{n.Label(), n.Text, n.Desc, n.Hint, n.ID, n.TestID}, "\n"))), want)
		})
		if len(show) == 0 {
			return "", s.nothing(a.Find, words)
		}
	}
	var lines []string
	if a.Diff && before != nil {
		lines = s.changes(before, show, a, words)
		if len(lines) == 0 {
			return "nothing changed since the last snapshot\n", nil
		}
	}
	all := s.listing(show)
	switch {
	case len(lines) == 0:
		lines = all
	case bytesOf(lines) > bytesOf(all): // another screen: what it is not is no news
		lines = append([]string{anotherScreen}, all...)
	}
	return capped(lines, a.Max), nil
}

// anotherScreen stands above a difference that would be longer than the whole.
const anotherScreen = "almost everything changed since the last snapshot; all of it:"

// listing gives the lines of elements.
func (s *shot) listing(refs []string) []string {
	var lines []string
	for _, ref := range refs {
		lines = append(lines, ref+" "+s.lines[ref])
	}
	return lines
}

func bytesOf(lines []string) (n int) {
	for _, l := range lines {
		n += len(l) + 1
	}
	return n
}

func (s *shot) filter(list []string, keep func(*screen.Node) bool) []string {
	var kept []string
	for _, ref := range list {
		if keep(s.nodes[ref]) {
			kept = append(kept, ref)
		}
	}
	return kept
}

// box finds the element that under names.
func (s *shot) box(under string, words func(string) string) (*screen.Node, error) {
	if n := s.nodes[under]; n != nil {
		return n, nil
	}
	if isRef(under) {
		return nil, staleRef(under, "")
	}
	matches, err := s.scene.tree.Find(screen.Query{Selector: dsl.Selector{Label: under}, Action: true, Reveal: true})
	if err != nil {
		return nil, err
	}
	if len(matches) == 0 {
		return nil, s.nothing(under, words)
	}
	for n := matches[0].Node; n != nil; n = n.Parent { // a title names the box that it stands in
		if len(n.Children) > 0 {
			return n, nil
		}
	}
	return matches[0].Node, nil
}

func (s *shot) nothing(what string, words func(string) string) error {
	f := &refusal{what: fmt.Sprintf("nothing on the screen matches %s", screen.Quote(what)), try: "call snapshot without find and under"}
	for _, n := range s.scene.tree.Nearest(dsl.Selector{Label: what}, 3) {
		f.near = append(f.near, words(n.String()))
	}
	return f
}

// changes lists the differences to an earlier snapshot. An element that looks as before and stands in other company has a new reference,
// and no line of its own but "e15 was e7".
func (s *shot) changes(before *shot, show []string, a snapshotArgs, words func(string) string) []string {
	gone := map[string][]string{} // by line
	for _, ref := range before.order {
		if s.nodes[ref] == nil {
			gone[before.lines[ref]] = append(gone[before.lines[ref]], ref)
		}
	}
	var lines []string
	again := map[string]bool{}
	for _, ref := range show {
		line := s.lines[ref]
		was, same := before.lines[ref]
		switch old := gone[line]; {
		case same && was == line:
		case same:
			lines = append(lines, "~ "+ref+" "+line)
		case len(old) > 0:
			gone[line], again[old[0]] = old[1:], true
			lines = append(lines, "= "+ref+" was "+old[0])
		default:
			lines = append(lines, "+ "+ref+" "+line)
		}
	}
	if a.Find != "" || a.Under != "" {
		return lines
	}
	for _, ref := range before.order {
		if s.nodes[ref] == nil && !again[ref] {
			lines = append(lines, "- "+ref+" "+called(before.nodes[ref], words))
		}
	}
	return lines
}

// capped joins lines up to the limits and tells what is left out.
func capped(lines []string, limit int) string {
	var b strings.Builder
	size := 0
	for i, l := range lines {
		if n := len([]rune(l)) + 1; i < limit && size+n <= maxSnapshot-100 {
			size += n
			b.WriteString(l + "\n")
			continue
		}
		fmt.Fprintf(&b, "%d more, use under= or find=\n", len(lines)-i)
		break
	}
	return b.String()
}

// isRef tells whether a text has the form of a reference.
func isRef(s string) bool {
	digits, ok := strings.CutPrefix(s, "e")
	if !ok || digits == "" || len(digits) > 9 {
		return false
	}
	return strings.Trim(digits, "0123456789") == ""
}
