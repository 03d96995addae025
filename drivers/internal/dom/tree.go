package dom

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// MaxNodes limits the elements of a page, all frames together, maxFrames the frames in it, and MaxDepth the nesting of
// frames.
const (
	MaxNodes  = 20000
	maxFrames = 100
	MaxDepth  = 8 // of frames in frames
)

// A page is read up to maxAttempts times while images are loaded, or its response to a touch or a key is not drawn yet,
// and for mostWaiting at most: each read of WebKit waits for a frame.
const (
	maxAttempts    = 25
	mostWaiting    = 5 * time.Second
	readAgainDelay = 20 * time.Millisecond
)

// Document is the result of the script for one document.
type Document struct {
	State
	W, H  float64
	Zoom  Zoom
	Note  string
	Count int
	Root  *element

	// elements that may hide something from the script; for a page that was read, including those of its frames
	Suspects int

	Undrawn bool // the browser has drawn no frame since the page was last read
	Rest    screen.Activity
	// an image is about to be loaded, or the animation frame with the page's response to a touch or a key is pending
	Waiting bool
}

// ErrForeign is the error of an Asker that never runs scripts in a frame: what is in it is missing in the page.
var ErrForeign = errors.New("its scripts cannot be run")

// Asker runs a command of the script in the document that chain leads to, and decodes the JSON of its answer. chain is
// a list of iframes, outermost first, each as the script's own ref command.
type Asker interface {
	Ask(chain []string, command string, into any) error
}

// How defines how a page is read.
type How struct {
	Gen   string             // identifies the elements of this reading: a number in base 36
	Texts []string           // texts that must be found even in a page with more elements than MaxNodes
	Parts []screen.TextPart  // parts of texts: the elements report where these are drawn
	Most  int                // limit of elements; 0: MaxNodes
	Drawn bool               // the page has been drawn since it was last read
	Plain func(error) string // formats an error of the Asker in one line
}

// Page is a page that was read.
type Page struct {
	*Document
	Top   *screen.Node      // nil: it has no elements yet
	Notes []string          // what is missing, and why
	Parts []screen.TextPart // the parts of texts that its elements report

	Rest    screen.Activity // of all its documents
	Loading bool            // a document of it, its own or that of a frame, is not complete yet
}

// Read reads a page and the frames in it once, in pixels of CSS.
func Read(a Asker, how How) (*Page, error) {
	r := &reader{rest: screen.Quiet, asker: a, how: how, left: cmp.Or(how.Most, MaxNodes),
		nodePoints: map[*screen.Node][]image.Point{}, partPoints: map[*screen.PartPlace][]image.Point{}}
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
	still    bool // no frame has been drawn in the documents around this one since the last reading
	notes    []string
	sought   []byte // the texts that must be found, and the parts of texts, as JSON
	// in frames: points at which an element is visible and can be touched, best first
	nodePoints map[*screen.Node][]image.Point
	partPoints map[*screen.PartPlace][]image.Point
}

// frame is an iframe in a document.
type frame struct {
	node  *screen.Node
	ref   int
	inner []float64
}

// document reads the document that chain leads to, in its own coordinates, and the frames in it.
func (r *reader) document(chain []string, view string) (*Document, *screen.Node, error) {
	var doc Document
	began := time.Now()
	for attempt := 0; attempt == 0 || doc.Waiting && attempt < maxAttempts && time.Since(began) < mostWaiting; attempt++ {
		if attempt > 0 {
			time.Sleep(readAgainDelay)
		}
		was := doc.Undrawn
		doc = Document{}
		if err := r.asker.Ask(chain, fmt.Sprintf("tree.%s.%d.%x%s", r.how.Gen, max(r.left, 0), r.sought, view),
			&doc); err != nil {
			return nil, nil, err
		}
		doc.Undrawn = doc.Undrawn && (attempt == 0 || was)
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

// frame reads the document in f and adds it to the children of f's node. A visible frame that cannot be read is an
// error: conclusions from an incomplete tree would be wrong.
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
	if errors.Is(err, ErrForeign) {
		r.notes = append(r.notes, fmt.Sprintf("the frame %s cannot be read: %s", f.node, r.how.Plain(err)))
		return nil
	}
	if err != nil {
		return fmt.Errorf("%w: the frame %s cannot be read: %s", drivers.ErrNotReady, f.node, r.how.Plain(err))
	}
	if root == nil {
		return nil
	}
	f.node.Children = append(f.node.Children, root)
	var visible []coverable
	shown := image.Rect(0, 0, Clamp(doc.W), Clamp(doc.H))
	Each(root, func(n *screen.Node) {
		moveNode(n, m.rect, m.point)
		spare := r.nodePoints[n]
		for i := range spare {
			spare[i] = m.point(spare[i])
		}
		if len(spare) > 0 && !n.Hidden && !n.Offscreen && n.Bounds.Overlaps(shown) {
			visible = append(visible, coverable{spare, &n.Press, &n.Covered, &n.Obscured})
		}
		for i := range n.Parts {
			p := &n.Parts[i]
			points := r.partPoints[p]
			for j := range points {
				points[j] = m.point(points[j])
			}
			if len(points) > 0 {
				visible = append(visible, coverable{points, &p.Press, &p.Covered, &p.Obscured})
			}
		}
	})
	return r.cover(chain, f.ref, visible)
}

// placement is the position and scale of a page within its surroundings: the document around its frame, or a screen.
type placement struct{ x, y, kx, ky float64 }

// view returns the argument that informs the page in a frame about the window around it, in the coordinates of that
// page: the whole window, and the part of it that shows the frame.
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

// moveNode converts all positions of an element to other coordinates.
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

// coverable is an element in a frame that the documents around the frame may cover.
type coverable struct {
	// points at which it is visible and can be touched, as far as the page in the frame can determine
	points            []image.Point
	press             **image.Point
	covered, obscured *string
}

// cover queries the document around frame ref for what covers the elements in the frame.
func (r *reader) cover(chain []string, ref int, all []coverable) error {
	for len(all) > 0 {
		part := all[:min(len(all), 300)]
		all = all[len(part):]
		groups := make([]string, len(part))
		for i, n := range part {
			points := make([]string, len(n.points))
			for j, p := range n.points {
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

// by records which of the points a touch reaches, or what covers or hides all of them.
func (n coverable) by(free int, covers, hides string) {
	if *n.obscured == "" {
		*n.obscured = hides
	}
	switch {
	case covers != "":
		*n.press, *n.covered = nil, covers
	case *n.press != nil && free >= 0 && free < len(n.points):
		press := n.points[free]
		*n.press = &press
	}
}

// Each calls f for a node and all its descendants.
func Each(n *screen.Node, f func(*screen.Node)) {
	f(n)
	for _, c := range n.Children {
		Each(c, f)
	}
}

// ref returns the reference of an element: the generation of the tree, the frames around it, its number: "g3/17/4".
func (r *reader) ref(chain []string, number int) string {
	parts := []string{r.how.Gen}
	for _, frame := range chain {
		parts = append(parts, frame[strings.LastIndexByte(frame, '.')+1:])
	}
	return strings.Join(append(parts, strconv.Itoa(number)), "/")
}

// Chains returns the chain of frames to each document on the path of a ref: the page itself, then its frames.
func Chains(gen string, path []int) [][]string {
	list := make([][]string, len(path))
	for i := 1; i < len(path); i++ {
		list[i] = append(slices.Clone(list[i-1]), fmt.Sprintf("ref.%s.%d", gen, path[i-1]))
	}
	return list
}

// ParseRef returns the generation and the path of numbers in a ref. Its error wraps ErrNotReady.
func ParseRef(ref string) (gen string, path []int, err error) {
	parts := strings.Split(ref, "/")
	for _, p := range parts[1:] {
		number, err := strconv.Atoi(p)
		if err != nil || number < 0 {
			return "", nil, fmt.Errorf("%w: %s is not an element of a page", drivers.ErrNotReady, screen.Quote(ref))
		}
		path = append(path, number)
	}
	if _, err := strconv.ParseInt(parts[0], 36, 64); err != nil || len(path) == 0 || len(path) > MaxDepth+1 {
		return "", nil, fmt.Errorf("%w: %s is not an element of a page", drivers.ErrNotReady, screen.Quote(ref))
	}
	return parts[0], path, nil
}

// Clamp converts a coordinate of a page, which may have any value, to an int in a range without overflows.
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
