package web

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// maxNodes caps the elements of a tree, all frames together; maxFrames the frames in it.
const (
	maxNodes  = 20000
	maxFrames = 100
	maxDepth  = 8 // of frames in frames
	maxProbes = 4 // of what a page keeps to itself, in one look
)

// Flags of an element, as script/engine.js sets them.
const (
	flagHidden = 1 << iota
	flagDisabled
	flagChecked
	flagSelected
	flagFocused
	flagPassword
	flagEditable
	flagClickable
	flagScrollable
	flagFrame
	flagOffscreen
	flagCheckable
	flagUnselectable
	flagBuried
	flagLeaving
)

// element is a node as script/engine.js writes it.
type element struct {
	Type    string     `json:"t"`
	Ref     int        `json:"n"`
	Flags   int        `json:"f"`
	Box     [4]float64 `json:"b"`
	Role    string     `json:"r"`
	ID      string     `json:"i"`
	TestID  string     `json:"q"`
	Text    string     `json:"x"`
	Desc    string     `json:"d"`
	Hint    string     `json:"h"`
	Covered string     `json:"c"`
	Veiled  string     `json:"v"`
	Seen    []float64  `json:"s"`
	Letters []float64  `json:"y"`
	Press   []float64  `json:"p"`
	Holds   []string   `json:"w"`
	Spare   []float64  `json:"g"` // in a frame: points at which it can be seen and touched, as far as the frame's page knows
	Control *int       `json:"l"`
	Inner   []float64  `json:"o"` // of a frame: where its page begins, the part of it that can be seen, and its scale
	Kids    []*element `json:"k"`
}

type document struct {
	documentState
	W, H  float64
	Zoom  zoom
	Note  string
	Count int
	Root  *element

	Suspects int // elements that may keep something to themselves

	Undrawn bool // the browser has not drawn the page since it was read before
}

// Tree reads the elements of the current page, those in frames and open shadow roots too.
func (d *Device) Tree(ctx context.Context) (*screen.Tree, error) {
	taken := time.Now().UTC()
	return read(ctx, d, func(page playwright.Page) (*screen.Tree, error) {
		r, doc, root, err := d.readDocuments(page, false)
		if err != nil {
			return nil, err
		}
		for range maxProbes { // a root that was opened may hold others
			if s, _, gone := d.page(); r.suspects == 0 || gone != nil || !s.probe(page) {
				break
			}
			if r, doc, root, err = d.readDocuments(page, !doc.Undrawn); err != nil {
				return nil, err
			}
		}
		if doc.failed() {
			return nil, errorPage()
		}
		if root == nil {
			return nil, fmt.Errorf("%w: the page has no elements yet", drivers.ErrNotReady)
		}
		for _, dialog := range d.Dialogs() {
			root.Children = append(root.Children, &screen.Node{Type: "dialog-note", Desc: dialog, Hidden: true})
		}
		for _, note := range r.notes {
			root.Children = append(root.Children, &screen.Node{Type: "reading-note", Desc: note, Hidden: true})
		}
		tree := screen.NewTree([]*screen.Node{root}, doc.Zoom.apply(root, doc.W, doc.H), taken)
		tree.HitTested = true
		return tree, nil
	})
}

// readDocuments reads the page and the frames in it once. drawn: the page has been drawn since the tree before.
func (d *Device) readDocuments(page playwright.Page, drawn bool) (*treeReader, *document, *screen.Node, error) {
	r := &treeReader{page: page, gen: strconv.FormatInt(d.gen.Add(1), 36), left: maxNodes, drawn: drawn, spare: map[*screen.Node][]image.Point{}}
	if texts := d.soughtTexts(); len(texts) > 0 {
		var err error
		if r.sought, err = json.Marshal(texts); err != nil {
			return nil, nil, nil, err
		}
	}
	doc, root, err := r.document(nil, "")
	return r, doc, root, err
}

// treeReader reads one tree, document by document.
type treeReader struct {
	page     playwright.Page
	gen      string
	left     int // elements that may still be read
	frames   int
	suspects int
	drawn    bool
	still    bool // the documents around the one that is read have not been drawn since they were read before
	notes    []string
	sought   []byte                         // the texts that must not be left out, as JSON
	spare    map[*screen.Node][]image.Point // in frames: where an element can be seen and touched, best first
}

// frame is an iframe that was met in a document.
type frame struct {
	node  *screen.Node
	ref   int
	inner []float64
}

// document reads the document that chain leads to, in its own coordinates, then the frames in it.
func (r *treeReader) document(chain []string, view string) (*document, *screen.Node, error) {
	var doc document
	if err := ask(r.page, chain, fmt.Sprintf("tree.%s.%d.%x%s", r.gen, max(r.left, 0), r.sought, view), &doc); err != nil {
		return nil, nil, err
	}
	r.left -= doc.Count
	r.suspects += doc.Suspects
	if doc.Note != "" {
		r.notes = append(r.notes, doc.Note)
	}
	if doc.Root == nil {
		return &doc, nil, nil
	}
	around := r.still
	defer func() { r.still = around }()
	r.still = around || doc.Undrawn && !r.drawn
	var frames []frame
	root := r.node(doc.Root, chain, &frames)
	for _, f := range frames {
		if err := r.frame(&doc, chain, f); err != nil {
			return nil, nil, err
		}
	}
	return &doc, root, nil
}

// frame reads the document in f and hangs it under f's node. A frame that can be seen and not be read makes the tree
// incomplete, which nobody may draw conclusions from.
func (r *treeReader) frame(doc *document, chain []string, f frame) error {
	if f.node.Hidden || len(f.inner) != 8 || r.left <= 0 {
		return nil
	}
	r.frames++
	if r.frames > maxFrames || len(chain) >= maxDepth {
		r.notes = append(r.notes, "the page has too many frames: the rest is left out")
		return nil
	}
	inside := append(chain[:len(chain):len(chain)], fmt.Sprintf("ref.%s.%d", r.gen, f.ref))
	m := placement{x: f.inner[0], y: f.inner[1], kx: f.inner[6], ky: f.inner[7]}
	_, root, err := r.document(inside, m.view(doc, f.inner))
	if err != nil {
		return fmt.Errorf("%w: the frame %s cannot be read: %s", drivers.ErrNotReady, f.node, plain(err))
	}
	if root == nil {
		return nil
	}
	f.node.Children = append(f.node.Children, root)
	var visible []*screen.Node
	shown := image.Rect(0, 0, clamp(doc.W), clamp(doc.H))
	each(root, func(n *screen.Node) {
		moveNode(n, m.rect, m.point)
		spare := r.spare[n]
		for i := range spare {
			spare[i] = m.point(spare[i])
		}
		if len(spare) > 0 && !n.Hidden && !n.Offscreen && n.Bounds.Overlaps(shown) {
			visible = append(visible, n)
		}
	})
	return r.cover(chain, f.ref, visible)
}

// placement is how the page of a frame lies in the document around it.
type placement struct{ x, y, kx, ky float64 }

// view is what the page of a frame is told of the window around it, in its own coordinates: all of the window, and the part of it that
// shows the frame.
func (m placement) view(doc *document, inner []float64) string {
	var b strings.Builder
	for i, v := range [...]float64{0, 0, doc.W, doc.H, inner[2], inner[3], inner[4], inner[5]} {
		if i%2 == 0 {
			v = (v - m.x) / m.kx
		} else {
			v = (v - m.y) / m.ky
		}
		fmt.Fprintf(&b, ".%d", clamp(v))
	}
	return b.String()
}

func (m placement) point(p image.Point) image.Point {
	return image.Pt(clamp(math.Round(m.x+float64(p.X)*m.kx)), clamp(math.Round(m.y+float64(p.Y)*m.ky)))
}

func (m placement) rect(r image.Rectangle) image.Rectangle {
	return image.Rectangle{Min: m.point(r.Min), Max: m.point(r.Max)}
}

// moveNode puts all that an element says of places into other coordinates.
func moveNode(n *screen.Node, rect func(image.Rectangle) image.Rectangle, point func(image.Point) image.Point) {
	n.Bounds = rect(n.Bounds)
	for _, part := range []*image.Rectangle{n.Seen, n.TextBounds} {
		if part != nil {
			*part = rect(*part)
		}
	}
	if n.Press != nil {
		*n.Press = point(*n.Press)
	}
}

// cover asks the document around frame ref what lies over the elements inside the frame.
func (r *treeReader) cover(chain []string, ref int, nodes []*screen.Node) error {
	for len(nodes) > 0 {
		part := nodes[:min(len(nodes), 300)]
		nodes = nodes[len(part):]
		groups := make([]string, len(part))
		for i, n := range part {
			points := make([]string, len(r.spare[n]))
			for j, p := range r.spare[n] {
				points[j] = fmt.Sprintf("%d,%d", p.X, p.Y)
			}
			groups[i] = strings.Join(points, ",")
		}
		var raw [][3]any
		if err := ask(r.page, chain, fmt.Sprintf("hit.%s.%d.%s", r.gen, ref, strings.Join(groups, ";")), &raw); err != nil {
			return err
		}
		for i, answer := range raw[:min(len(raw), len(part))] {
			free, _ := answer[0].(float64)
			covers, _ := answer[1].(string)
			hides, _ := answer[2].(string)
			r.meet(part[i], int(free), covers, hides)
		}
	}
	return nil
}

// meet notes what the document around a frame says of an element in it: which of its points a touch reaches, or what covers and hides
// it.
func (r *treeReader) meet(n *screen.Node, free int, covers, hides string) {
	if n.Obscured == "" {
		n.Obscured = hides
	}
	switch spare := r.spare[n]; {
	case covers != "":
		n.Press, n.Covered = nil, covers
	case n.Press != nil && free >= 0 && free < len(spare):
		press := spare[free]
		n.Press = &press
	}
}

func each(n *screen.Node, f func(*screen.Node)) {
	f(n)
	for _, c := range n.Children {
		each(c, f)
	}
}

func (r *treeReader) node(e *element, chain []string, frames *[]frame) *screen.Node {
	is := func(flag int) bool { return e.Flags&flag != 0 }
	n := &screen.Node{
		Ref: r.ref(chain, e.Ref), Type: e.Type, Role: e.Role, ID: e.ID, TestID: e.TestID,
		Text: e.Text, Desc: e.Desc, Hint: e.Hint, Covered: e.Covered,
		Bounds: image.Rect(clamp(e.Box[0]), clamp(e.Box[1]), clamp(e.Box[2]), clamp(e.Box[3])),
		Hidden: is(flagHidden), Offscreen: is(flagOffscreen), Disabled: is(flagDisabled), Checked: is(flagChecked), Selected: is(flagSelected),
		Focused: is(flagFocused), Password: is(flagPassword), Editable: is(flagEditable),
		Clickable: is(flagClickable), Scrollable: is(flagScrollable), Undrawn: r.still,
		Checkable: is(flagCheckable), Unselectable: is(flagUnselectable), Obscured: e.Veiled, Buried: is(flagBuried), Leaving: is(flagLeaving),
		Seen: rectangle(e.Seen), TextBounds: rectangle(e.Letters),
	}
	if len(e.Holds) == 2 {
		n.Holds = &screen.Holding{Value: e.Holds[0], Form: e.Holds[1]}
	}
	if len(e.Press) == 2 {
		n.Press = &image.Point{X: clamp(e.Press[0]), Y: clamp(e.Press[1])}
	}
	for i := 0; i+1 < len(e.Spare); i += 2 {
		r.spare[n] = append(r.spare[n], image.Pt(clamp(e.Spare[i]), clamp(e.Spare[i+1])))
	}
	if e.Control != nil {
		n.ControlRef = r.ref(chain, *e.Control)
	}
	if is(flagFrame) {
		*frames = append(*frames, frame{n, e.Ref, e.Inner})
	}
	for _, kid := range e.Kids {
		if kid != nil {
			n.Children = append(n.Children, r.node(kid, chain, frames))
		}
	}
	return n
}

func rectangle(b []float64) *image.Rectangle {
	if len(b) != 4 {
		return nil
	}
	r := image.Rect(clamp(b[0]), clamp(b[1]), clamp(b[2]), clamp(b[3]))
	return &r
}

// Seek names texts that the trees to come must not leave out, on pages with more elements than a tree holds.
func (d *Device) Seek(texts ...string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.sought = slices.Clone(texts)
}

func (d *Device) soughtTexts() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.sought
}

// ref is the way to an element: the tree's generation, the frames around it, its number: "g3/17/4".
func (r *treeReader) ref(chain []string, number int) string {
	parts := []string{r.gen}
	for _, frame := range chain {
		parts = append(parts, frame[strings.LastIndexByte(frame, '.')+1:])
	}
	return strings.Join(append(parts, strconv.Itoa(number)), "/")
}

// Reveal scrolls the element into the middle of the view, and the frames that it is in.
func (d *Device) Reveal(ctx context.Context, n *screen.Node) error {
	gen, path, err := parseRef(n.Ref)
	if err != nil {
		return err
	}
	return act(ctx, d, func(page playwright.Page) error {
		for i, chain := range chains(gen, path) {
			var nothing struct{}
			if err := ask(page, chain, fmt.Sprintf("reveal.%s.%d", gen, path[i]), &nothing); err != nil {
				return err
			}
		}
		return nil
	})
}

// chains gives the way to each document that a ref leads through: the page's own, then those of the frames.
func chains(gen string, path []int) [][]string {
	list := make([][]string, len(path))
	for i := 1; i < len(path); i++ {
		list[i] = append(slices.Clone(list[i-1]), fmt.Sprintf("ref.%s.%d", gen, path[i-1]))
	}
	return list
}

func parseRef(ref string) (gen string, path []int, err error) {
	parts := strings.Split(ref, "/")
	for _, p := range parts[1:] {
		number, err := strconv.Atoi(p)
		if err != nil || number < 0 {
			return "", nil, fmt.Errorf("%w: %s is no element of a page", drivers.ErrNotReady, screen.Quote(ref))
		}
		path = append(path, number)
	}
	if _, err := strconv.ParseInt(parts[0], 36, 64); err != nil || len(path) == 0 || len(path) > maxDepth+1 {
		return "", nil, fmt.Errorf("%w: %s is no element of a page", drivers.ErrNotReady, screen.Quote(ref))
	}
	return parts[0], path, nil
}

// clamp makes a coordinate of a page, which may be anything, an int that can be reckoned with.
func clamp(f float64) int {
	switch {
	case f != f:
		return 0
	case f > 1e7:
		return 1e7
	case f < -1e7:
		return -1e7
	}
	return int(f)
}
