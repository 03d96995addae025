package web

import (
	"context"
	"fmt"
	"image"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
)

// maxNodes caps the elements of a tree, all frames together; maxFrames the frames in it.
const (
	maxNodes  = 20000
	maxFrames = 100
	maxDepth  = 8 // of frames in frames
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
	Inner   []float64  `json:"o"` // of a frame: where its page begins, and the part of it that can be seen
	Kids    []*element `json:"k"`
}

type document struct {
	documentState
	W, H  float64
	Zoom  zoom
	Note  string
	Count int
	Root  *element

	Undrawn bool // the browser has not drawn the page since it was read before
}

// Tree reads the elements of the current page, those in frames and open shadow roots too.
func (d *Device) Tree(ctx context.Context) (*drivers.Tree, error) {
	taken := time.Now().UTC()
	return read(ctx, d, func(page playwright.Page) (*drivers.Tree, error) {
		r := treeReader{page: page, gen: strconv.FormatInt(d.gen.Add(1), 36), left: maxNodes}
		doc, root, err := r.document(nil, "")
		if err != nil {
			return nil, err
		}
		if doc.failed() {
			return nil, errorPage()
		}
		if root == nil {
			return nil, fmt.Errorf("%w: the page has no elements yet", drivers.ErrNotReady)
		}
		for _, dialog := range d.Dialogs() {
			root.Children = append(root.Children, &drivers.Node{Type: "dialog-note", Desc: dialog, Hidden: true})
		}
		for _, note := range r.notes {
			root.Children = append(root.Children, &drivers.Node{Type: "reading-note", Desc: note, Hidden: true})
		}
		tree := drivers.NewTree([]*drivers.Node{root}, doc.Zoom.apply(root, doc.W, doc.H), taken)
		tree.HitTested = true
		return tree, nil
	})
}

// treeReader reads one tree, document by document.
type treeReader struct {
	page   playwright.Page
	gen    string
	left   int // elements that may still be read
	frames int
	still  bool // the documents around the one that is read have not been drawn since they were read before
	notes  []string
}

// frame is an iframe that was met in a document.
type frame struct {
	node  *drivers.Node
	ref   int
	inner []float64
}

// document reads the document that chain leads to, in its own coordinates, then the frames in it.
func (r *treeReader) document(chain []string, view string) (*document, *drivers.Node, error) {
	var doc document
	if err := ask(r.page, chain, fmt.Sprintf("tree.%s.%d%s", r.gen, max(r.left, 0), view), &doc); err != nil {
		return nil, nil, err
	}
	r.left -= doc.Count
	if doc.Note != "" {
		r.notes = append(r.notes, doc.Note)
	}
	if doc.Root == nil {
		return &doc, nil, nil
	}
	around := r.still
	defer func() { r.still = around }()
	r.still = around || doc.Undrawn
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
	if f.node.Hidden || len(f.inner) != 6 || r.left <= 0 {
		return nil
	}
	r.frames++
	if r.frames > maxFrames || len(chain) >= maxDepth {
		r.notes = append(r.notes, "the page has too many frames: the rest is left out")
		return nil
	}
	x, y := f.inner[0], f.inner[1]
	view := fmt.Sprintf(".%d.%d.%d.%d.%d.%d.%d.%d", clamp(-x), clamp(-y), clamp(doc.W-x), clamp(doc.H-y),
		clamp(f.inner[2]-x), clamp(f.inner[3]-y), clamp(f.inner[4]-x), clamp(f.inner[5]-y))
	inside := append(chain[:len(chain):len(chain)], fmt.Sprintf("ref.%s.%d", r.gen, f.ref))
	_, root, err := r.document(inside, view)
	if err != nil {
		return fmt.Errorf("%w: the frame %s cannot be read: %s", drivers.ErrNotReady, f.node, plain(err))
	}
	if root == nil {
		return nil
	}
	f.node.Children = append(f.node.Children, root)
	offset := image.Pt(clamp(x), clamp(y))
	var visible []*drivers.Node
	screen := image.Rect(0, 0, clamp(doc.W), clamp(doc.H))
	each(root, func(n *drivers.Node) {
		n.Bounds = n.Bounds.Add(offset)
		if !n.Hidden && !n.Offscreen && n.Covered == "" && n.Bounds.Overlaps(screen) {
			visible = append(visible, n)
		}
	})
	return r.cover(chain, f.ref, visible, screen)
}

// cover asks the document around frame ref what lies over the elements inside the frame.
func (r *treeReader) cover(chain []string, ref int, nodes []*drivers.Node, screen image.Rectangle) error {
	for len(nodes) > 0 {
		part := nodes[:min(len(nodes), 500)]
		nodes = nodes[len(part):]
		points := make([]string, len(part))
		for i, n := range part {
			seen := n.Bounds.Intersect(screen)
			p := seen.Min.Add(seen.Size().Div(2))
			points[i] = fmt.Sprintf("%d,%d", p.X, p.Y)
		}
		var over []string
		if err := ask(r.page, chain, fmt.Sprintf("hit.%s.%d.%s", r.gen, ref, strings.Join(points, ";")), &over); err != nil {
			return err
		}
		for i, what := range over {
			if i < len(part) {
				part[i].Covered = what
			}
		}
	}
	return nil
}

func each(n *drivers.Node, f func(*drivers.Node)) {
	f(n)
	for _, c := range n.Children {
		each(c, f)
	}
}

func (r *treeReader) node(e *element, chain []string, frames *[]frame) *drivers.Node {
	is := func(flag int) bool { return e.Flags&flag != 0 }
	n := &drivers.Node{
		Ref: r.ref(chain, e.Ref), Type: e.Type, Role: e.Role, ID: e.ID, TestID: e.TestID,
		Text: e.Text, Desc: e.Desc, Hint: e.Hint, Covered: e.Covered,
		Bounds: image.Rect(clamp(e.Box[0]), clamp(e.Box[1]), clamp(e.Box[2]), clamp(e.Box[3])),
		Hidden: is(flagHidden), Offscreen: is(flagOffscreen), Disabled: is(flagDisabled), Checked: is(flagChecked), Selected: is(flagSelected),
		Focused: is(flagFocused), Password: is(flagPassword), Editable: is(flagEditable),
		Clickable: is(flagClickable), Scrollable: is(flagScrollable), Undrawn: r.still,
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

// ref is the way to an element: the tree's generation, the frames around it, its number: "g3/17/4".
func (r *treeReader) ref(chain []string, number int) string {
	parts := []string{r.gen}
	for _, frame := range chain {
		parts = append(parts, frame[strings.LastIndexByte(frame, '.')+1:])
	}
	return strings.Join(append(parts, strconv.Itoa(number)), "/")
}

// Reveal scrolls the element into the middle of the view, and the frames that it is in.
func (d *Device) Reveal(ctx context.Context, n *drivers.Node) error {
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
			return "", nil, fmt.Errorf("%w: %s is no element of a page", drivers.ErrNotReady, drivers.Quote(ref))
		}
		path = append(path, number)
	}
	if _, err := strconv.ParseInt(parts[0], 36, 64); err != nil || len(path) == 0 || len(path) > maxDepth+1 {
		return "", nil, fmt.Errorf("%w: %s is no element of a page", drivers.ErrNotReady, drivers.Quote(ref))
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
