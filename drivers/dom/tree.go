package dom

import (
	"cmp"
	"encoding/json"
	"fmt"
	"image"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// MaxNodes caps the elements of a page, all frames together; maxFrames the frames in it, MaxDepth how deep they lie in
// each other.
const (
	MaxNodes  = 20000
	maxFrames = 100
	MaxDepth  = 8 // of frames in frames
)

// A page whose pictures are not known yet, or that has not drawn its answer to a touch or a key, is read up to maxTries
// times.
const (
	maxTries    = 25
	picturePoll = 20 * time.Millisecond
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
	flagRaw
	flagFilled
	flagTraced
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
	// where a canvas may draw it, then boxes over that, each with 1 for all of it and 0 for its edge
	Traced []float64 `json:"z"`
	// in a frame: points at which it can be seen and touched, as far as the frame's page knows
	Spare   []float64  `json:"g"`
	Control *int       `json:"l"`
	Inner   []float64  `json:"o"` // of a frame: where its page begins, the part of it that can be seen, and its scale
	Places  []place    `json:"m"`
	Kids    []*element `json:"k"`
}

// place is where a part of a text is drawn, as script/parts.js writes it.
type place struct {
	Part    int       `json:"k"` // index into How.Parts
	State   int       `json:"s"` // 0 in view, 1 scrolled away, 2 cut off
	Boxes   []float64 `json:"b"`
	Press   []float64 `json:"p"`
	Covered string    `json:"c"`
	Veiled  string    `json:"v"`
	Spare   []float64 `json:"g"`
}

// Document is what the script says of one document.
type Document struct {
	State
	W, H  float64
	Zoom  Zoom
	Note  string
	Count int
	Root  *element

	Suspects int // elements that may keep something to themselves; of a page that was read, those of its frames, too

	Undrawn bool // the browser has not drawn the page since it was read before
	Rest    screen.Activity
	// for pictures that the browser has and gives a moment later, or for the frame in which the page draws its answer to a
	// touch or a key
	Waiting bool
}

// Asker has the script answer a command in the document that chain leads to, as JSON: a list of iframes, outermost
// first, each as the script's own ref command.
type Asker interface {
	Ask(chain []string, command string, into any) error
}

// How says how a page is read.
type How struct {
	Gen   string             // tells the elements of this reading from those of others: a number in base 36
	Texts []string           // that must not be left out of a page with more elements than MaxNodes
	Parts []screen.TextPart  // of texts, whose places the elements are to have
	Most  int                // elements that are read; 0: MaxNodes
	Drawn bool               // the page has been drawn since it was read before
	Plain func(error) string // an error of the Asker in a line
}

// Page is a page that was read.
type Page struct {
	*Document
	Top   *screen.Node      // nil: it has no elements yet
	Notes []string          // what is not in it, and why
	Parts []screen.TextPart // whose places its elements have

	Rest    screen.Activity // of all its documents
	Loading bool            // a document of it, its own or that of a frame, has not come whole yet
}

// Read reads a page and the frames in it once, in pixels of CSS.
func Read(a Asker, how How) (*Page, error) {
	r := &reader{rest: screen.Quiet, asker: a, how: how, left: cmp.Or(how.Most, MaxNodes),
		spare: map[*screen.Node][]image.Point{}, spares: map[*screen.PartPlace][]image.Point{}}
	var sought []any
	for _, text := range how.Texts {
		sought = append(sought, text)
	}
	for _, part := range how.Parts {
		sought = append(sought, part)
	}
	if len(sought) > 0 {
		var err error
		if r.sought, err = json.Marshal(sought); err != nil {
			return nil, err
		}
	}
	doc, root, err := r.document(nil, "")
	if err != nil {
		return nil, err
	}
	doc.Suspects = r.suspects
	return &Page{Document: doc, Top: root, Notes: r.notes, Parts: how.Parts, Loading: r.loading, Rest: r.rest}, nil
}

// reader reads one page, document by document.
type reader struct {
	asker    Asker
	how      How
	left     int // elements that may still be read
	frames   int
	suspects int
	loading  bool
	rest     screen.Activity
	still    bool // the documents around the one that is read have not been drawn since they were read before
	notes    []string
	sought   []byte                         // the texts that must not be left out, and the parts of texts, as JSON
	spare    map[*screen.Node][]image.Point // in frames: where an element can be seen and touched, best first
	spares   map[*screen.PartPlace][]image.Point
}

// frame is an iframe that was met in a document.
type frame struct {
	node  *screen.Node
	ref   int
	inner []float64
}

// document reads the document that chain leads to, in its own coordinates, then the frames in it.
func (r *reader) document(chain []string, view string) (*Document, *screen.Node, error) {
	var doc Document
	for tries := 0; tries == 0 || doc.Waiting && tries < maxTries; tries++ {
		if tries > 0 {
			time.Sleep(picturePoll)
		}
		was := doc.Undrawn
		doc = Document{}
		if err := r.asker.Ask(chain, fmt.Sprintf("tree.%s.%d.%x%s", r.how.Gen, max(r.left, 0), r.sought, view),
			&doc); err != nil {
			return nil, nil, err
		}
		doc.Undrawn = doc.Undrawn && (tries == 0 || was)
	}
	r.left -= doc.Count
	r.suspects += doc.Suspects
	r.rest = r.rest.With(doc.Rest)
	r.loading = r.loading || doc.Ready == "loading" || doc.Ready == "stopped"
	if doc.Note != "" {
		r.notes = append(r.notes, doc.Note)
	}
	if doc.Root == nil {
		return &doc, nil, nil
	}
	around := r.still
	defer func() { r.still = around }()
	r.still = around || doc.Undrawn && !r.how.Drawn
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
func (r *reader) frame(doc *Document, chain []string, f frame) error {
	if f.node.Hidden || len(f.inner) != 8 || r.left <= 0 {
		return nil
	}
	r.frames++
	if r.frames > maxFrames || len(chain) >= MaxDepth {
		r.notes = append(r.notes, "the page has too many frames: the rest is left out")
		return nil
	}
	inside := append(chain[:len(chain):len(chain)], fmt.Sprintf("ref.%s.%d", r.how.Gen, f.ref))
	m := placement{x: f.inner[0], y: f.inner[1], kx: f.inner[6], ky: f.inner[7]}
	_, root, err := r.document(inside, m.view(doc, f.inner))
	if err != nil {
		return fmt.Errorf("%w: the frame %s cannot be read: %s", drivers.ErrNotReady, f.node, r.how.Plain(err))
	}
	if root == nil {
		return nil
	}
	f.node.Children = append(f.node.Children, root)
	var visible []met
	shown := image.Rect(0, 0, Clamp(doc.W), Clamp(doc.H))
	Each(root, func(n *screen.Node) {
		moveNode(n, m.rect, m.point)
		spare := r.spare[n]
		for i := range spare {
			spare[i] = m.point(spare[i])
		}
		if len(spare) > 0 && !n.Hidden && !n.Offscreen && n.Bounds.Overlaps(shown) {
			visible = append(visible, met{spare, &n.Press, &n.Covered, &n.Obscured})
		}
		for i := range n.Parts {
			p := &n.Parts[i]
			points := r.spares[p]
			for j := range points {
				points[j] = m.point(points[j])
			}
			if len(points) > 0 {
				visible = append(visible, met{points, &p.Press, &p.Covered, &p.Obscured})
			}
		}
	})
	return r.cover(chain, f.ref, visible)
}

// placement is how a page lies in what is around it: the document of its frame, or a screen.
type placement struct{ x, y, kx, ky float64 }

// view is what the page of a frame is told of the window around it, in its own coordinates: all of the window, and the
// part of it that shows the frame.
func (m placement) view(doc *Document, inner []float64) string {
	var b strings.Builder
	for i, v := range [...]float64{0, 0, doc.W, doc.H, inner[2], inner[3], inner[4], inner[5]} {
		if i%2 == 0 {
			v = (v - m.x) / m.kx
		} else {
			v = (v - m.y) / m.ky
		}
		fmt.Fprintf(&b, ".%d", Clamp(v))
	}
	return b.String()
}

func (m placement) point(p image.Point) image.Point {
	return image.Pt(Clamp(math.Round(m.x+float64(p.X)*m.kx)), Clamp(math.Round(m.y+float64(p.Y)*m.ky)))
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
	if n.Traced != nil {
		n.Traced.Area = rect(n.Traced.Area)
		for i := range n.Traced.Over {
			n.Traced.Over[i].Bounds = rect(n.Traced.Over[i].Bounds)
		}
	}
	for _, p := range n.Parts {
		for i := range p.Lines {
			p.Lines[i] = rect(p.Lines[i])
		}
		if p.Press != nil {
			*p.Press = point(*p.Press)
		}
	}
}

// met is what the documents around a frame have to say of something in it.
type met struct {
	spare             []image.Point // where it can be seen and touched, as far as the frame's page knows
	press             **image.Point
	covered, obscured *string
}

// cover asks the document around frame ref what lies over what is inside the frame.
func (r *reader) cover(chain []string, ref int, all []met) error {
	for len(all) > 0 {
		part := all[:min(len(all), 300)]
		all = all[len(part):]
		groups := make([]string, len(part))
		for i, n := range part {
			points := make([]string, len(n.spare))
			for j, p := range n.spare {
				points[j] = fmt.Sprintf("%d,%d", p.X, p.Y)
			}
			groups[i] = strings.Join(points, ",")
		}
		var raw [][3]any
		if err := r.asker.Ask(chain, fmt.Sprintf("hit.%s.%d.%s", r.how.Gen, ref, strings.Join(groups, ";")),
			&raw); err != nil {
			return err
		}
		for i, answer := range raw[:min(len(raw), len(part))] {
			free, _ := answer[0].(float64)
			covers, _ := answer[1].(string)
			hides, _ := answer[2].(string)
			part[i].by(int(free), covers, hides)
		}
	}
	return nil
}

// by notes which of the points a touch reaches, or what covers and hides all of them.
func (n met) by(free int, covers, hides string) {
	if *n.obscured == "" {
		*n.obscured = hides
	}
	switch {
	case covers != "":
		*n.press, *n.covered = nil, covers
	case *n.press != nil && free >= 0 && free < len(n.spare):
		press := n.spare[free]
		*n.press = &press
	}
}

func Each(n *screen.Node, f func(*screen.Node)) {
	f(n)
	for _, c := range n.Children {
		Each(c, f)
	}
}

func (r *reader) node(e *element, chain []string, frames *[]frame) *screen.Node {
	is := func(flag int) bool { return e.Flags&flag != 0 }
	n := &screen.Node{
		Ref: r.ref(chain, e.Ref), Type: e.Type, Role: e.Role, ID: e.ID, TestID: e.TestID,
		Text: e.Text, Desc: e.Desc, Hint: e.Hint, Covered: e.Covered,
		Bounds: image.Rect(Clamp(e.Box[0]), Clamp(e.Box[1]), Clamp(e.Box[2]), Clamp(e.Box[3])),
		Hidden: is(flagHidden), Offscreen: is(flagOffscreen), Disabled: is(flagDisabled), Checked: is(flagChecked),
		Selected: is(flagSelected),
		Focused:  is(flagFocused), Password: is(flagPassword), Editable: is(flagEditable),
		Clickable: is(flagClickable), Scrollable: is(flagScrollable), Undrawn: r.still || is(flagRaw),
		Checkable: is(flagCheckable), Unselectable: is(flagUnselectable), Obscured: e.Veiled, Buried: is(flagBuried),
		Leaving: is(flagLeaving), Filled: is(flagFilled),
		Seen: rectangle(e.Seen), TextBounds: rectangle(e.Letters),
	}
	if len(e.Holds) == 2 {
		n.Holds = &screen.ControlValue{Value: e.Holds[0], Form: e.Holds[1]}
	}
	if len(e.Press) == 2 {
		n.Press = &image.Point{X: Clamp(e.Press[0]), Y: Clamp(e.Press[1])}
	}
	if is(flagTraced) {
		n.Traced = tracing(e.Traced)
	}
	for i := 0; i+1 < len(e.Spare); i += 2 {
		r.spare[n] = append(r.spare[n], image.Pt(Clamp(e.Spare[i]), Clamp(e.Spare[i+1])))
	}
	r.places(n, e.Places)
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

// places gives an element the places of the parts of its text.
func (r *reader) places(n *screen.Node, places []place) {
	if len(places) == 0 {
		return
	}
	n.Parts = make([]screen.PartPlace, 0, len(places)) // of a fixed size: they are known by their addresses
	for _, e := range places {
		if e.Part < 0 || e.Part >= len(r.how.Parts) {
			continue
		}
		p := screen.PartPlace{Part: r.how.Parts[e.Part], Covered: e.Covered, Obscured: e.Veiled, Offscreen: e.State == 1,
			Cut: e.State == 2}
		for b := range slices.Chunk(e.Boxes, 4) {
			if line := rectangle(b); line != nil {
				p.Lines = append(p.Lines, *line)
			}
		}
		if len(e.Press) == 2 {
			p.Press = &image.Point{X: Clamp(e.Press[0]), Y: Clamp(e.Press[1])}
		}
		n.Parts = append(n.Parts, p)
		for xy := range slices.Chunk(e.Spare, 2) {
			if at := &n.Parts[len(n.Parts)-1]; len(xy) == 2 {
				r.spares[at] = append(r.spares[at], image.Pt(Clamp(xy[0]), Clamp(xy[1])))
			}
		}
	}
}

// tracing reads what script/traced.js writes of an element that a canvas may draw.
func tracing(said []float64) *screen.Tracing {
	if len(said) < 4 {
		return &screen.Tracing{}
	}
	t := screen.Tracing{Area: *rectangle(said[:4])}
	for over := range slices.Chunk(said[4:], 5) {
		if len(over) == 5 {
			t.Over = append(t.Over, screen.Drawn{Bounds: *rectangle(over[:4]), Whole: over[4] == 1})
		}
	}
	return &t
}

func rectangle(b []float64) *image.Rectangle {
	if len(b) != 4 {
		return nil
	}
	r := image.Rect(Clamp(b[0]), Clamp(b[1]), Clamp(b[2]), Clamp(b[3]))
	return &r
}

// ref is the way to an element: the tree's generation, the frames around it, its number: "g3/17/4".
func (r *reader) ref(chain []string, number int) string {
	parts := []string{r.how.Gen}
	for _, frame := range chain {
		parts = append(parts, frame[strings.LastIndexByte(frame, '.')+1:])
	}
	return strings.Join(append(parts, strconv.Itoa(number)), "/")
}

// Chains gives the way to each document that a ref leads through: the page's own, then those of the frames.
func Chains(gen string, path []int) [][]string {
	list := make([][]string, len(path))
	for i := 1; i < len(path); i++ {
		list[i] = append(slices.Clone(list[i-1]), fmt.Sprintf("ref.%s.%d", gen, path[i-1]))
	}
	return list
}

func ParseRef(ref string) (gen string, path []int, err error) {
	parts := strings.Split(ref, "/")
	for _, p := range parts[1:] {
		number, err := strconv.Atoi(p)
		if err != nil || number < 0 {
			return "", nil, fmt.Errorf("%w: %s is no element of a page", drivers.ErrNotReady, screen.Quote(ref))
		}
		path = append(path, number)
	}
	if _, err := strconv.ParseInt(parts[0], 36, 64); err != nil || len(path) == 0 || len(path) > MaxDepth+1 {
		return "", nil, fmt.Errorf("%w: %s is no element of a page", drivers.ErrNotReady, screen.Quote(ref))
	}
	return parts[0], path, nil
}

// Clamp makes a coordinate of a page, which may be anything, an int that can be reckoned with.
func Clamp(f float64) int {
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
