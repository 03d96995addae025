// Package source reads the sources that WebDriverAgent returns: XML or JSON goes in, elements in points come out, with
// what covers them and what may be cut off.
package source

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// What a source may be at most. XCTest itself fails far below.
const (
	sourceBytes    = 32 << 20
	sourceElements = 50_000
	sourceDepth    = 500
)

// errSource says that a text is not a source of WebDriverAgent, or not all of it.
var errSource = errors.New("not a whole WebDriverAgent source")

// Prefix is what the types of all elements start with.
const Prefix = "XCUIElementType"

// ReadTree makes a tree of what WebDriverAgent returns for GET /source: its XML, alone, in its JSON response, or in
// Appium's <AppiumAUT>, or its JSON (?format=json). It counts in points; pixels is the size of the screenshot that
// belongs to it; the tree is converted to its pixels. Without one, a point counts as a pixel. A source that is cut
// off is an error: what is missing in half a tree proves nothing.
func ReadTree(data []byte, pixels image.Point, taken time.Time) (*screen.Tree, error) {
	seen, err := Read(data)
	if err != nil {
		return nil, err
	}
	tree, _ := seen.Tree(pixels, taken, nil)
	return tree, nil
}

// Reading is what a source contains, in points.
type Reading struct {
	App     string          // the app of these elements, where it is reported
	PID     int             // of its process, where it is reported
	Bounds  image.Rectangle // of the application
	Screen  image.Point     // the size of it
	Windows []*screen.Node  // the application, then what is over it
	Traits  bool            // they are reported
	Long    []*screen.Node  // with a text that may continue beyond what is reported
}

// Read reads a source in any of its forms, as ReadTree does, and leaves the elements in points.
func Read(data []byte) (Reading, error) {
	var r sourceReader
	root, err := r.elements(data)
	if err != nil {
		return Reading{}, err
	}
	if root.Bounds.Dx() <= 0 || root.Bounds.Dy() <= 0 {
		return Reading{}, fmt.Errorf("%w: the application has no size", errSource)
	}
	jointTexts(root)
	seenByContent(root)
	innerSwitches(root)
	fieldNames(root)
	keysOf(root, false)
	busyLayers(root, root.Bounds)
	return Reading{App: root.Package, PID: r.pid, Bounds: root.Bounds, Screen: root.Bounds.Size(),
		Windows: hoistAlerts(root), Traits: r.traits, Long: r.long}, nil
}

// keysOf marks what is in the keyboard.
func keysOf(n *screen.Node, inside bool) {
	n.Key = inside
	for _, c := range n.Children {
		keysOf(c, inside || n.Type == Prefix+"Keyboard")
	}
}

// Tree puts what was read into pixels, of which a point has as many as it reports. Once it is, pages put their elements
// in, unless that is nil.
func (r Reading) Tree(pixels image.Point, taken time.Time, pages func(scale float64)) (*screen.Tree, float64) {
	size := r.Screen
	if pixels == (image.Point{}) {
		pixels = size
	}
	scale := factor(size, pixels)
	for _, w := range r.Windows {
		ToPixels(w, scale)
	}
	if pages != nil {
		pages(scale)
	}
	return screen.NewTree(r.Windows, upright(pixels, size), taken), scale
}

// Depth is how many elements lie inside one another.
func (r Reading) Depth() int {
	var of func(n *screen.Node) int
	of = func(n *screen.Node) int {
		deepest := 0
		for _, c := range n.Children {
			deepest = max(deepest, of(c))
		}
		return deepest + 1
	}
	deepest := of(r.Windows[0])
	for _, w := range r.Windows[1:] { // they were hoisted from one of the windows of the application
		deepest = max(deepest, of(w)+2)
	}
	return deepest
}

// Cut says that there may be more on the screen than was read.
func (r Reading) Cut(why string) {
	root := r.Windows[0]
	root.Children = append(root.Children, &screen.Node{Type: screen.CutNote, Hidden: true, Desc: why})
}

// Alerts are the alerts and sheets.
func (r Reading) Alerts() []*screen.Node {
	var found []*screen.Node
	for _, w := range r.Windows {
		if w.Type == Prefix+"Alert" || w.Type == Prefix+"Sheet" {
			found = append(found, w)
		}
	}
	return found
}

// elements reads either form.
func (r *sourceReader) elements(data []byte) (root *screen.Node, err error) {
	if form := jsonForm(data); form != nil {
		return form.node(r, 1)
	}
	if data, err = unwrapSource(data); err != nil {
		return nil, err
	}
	return r.parse(data)
}

// unwrapSource takes the XML out of WebDriverAgent's JSON answer.
func unwrapSource(data []byte) ([]byte, error) {
	data = bytes.TrimSpace(bytes.TrimPrefix(data, []byte("\ufeff")))
	if len(data) > sourceBytes {
		return nil, fmt.Errorf("%w: it has more than %d bytes", errSource, sourceBytes)
	}
	if !bytes.HasPrefix(data, []byte("{")) {
		return data, nil
	}
	var answer struct {
		Value string `json:"value"`
	}
	if err := json.Unmarshal(data, &answer); err != nil {
		return nil, fmt.Errorf("%w: %w", errSource, err)
	}
	return []byte(answer.Value), nil
}

// sourceReader builds the elements as the XML goes by.
type sourceReader struct {
	open  []*screen.Node // from the root to the element that is open
	root  *screen.Node
	app   string
	pid   int
	count int

	traits bool           // some element has them
	long   []*screen.Node // with a text that may be longer
}

func (r *sourceReader) parse(data []byte) (*screen.Node, error) {
	d := xml.NewDecoder(bytes.NewReader(bytes.ToValidUTF8(data, []byte("\ufffd"))))
	// it was made UTF-8 on its way here
	d.CharsetReader = func(_ string, in io.Reader) (io.Reader, error) { return in, nil }
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%w: %w", errSource, err)
		}
		if err := r.take(token); err != nil {
			return nil, err
		}
	}
	if r.root == nil {
		return nil, fmt.Errorf("%w: no element in it starts with %s", errSource, Prefix)
	}
	return r.root, nil
}

func (r *sourceReader) take(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		if !strings.HasPrefix(t.Name.Local, Prefix) {
			return nil // <AppiumAUT>, or the scope that a caller asked for
		}
		if r.count++; r.count > sourceElements || len(r.open) >= sourceDepth {
			return fmt.Errorf("%w: it has more than %d elements, or more than %d inside one another", errSource, sourceElements,
				sourceDepth)
		}
		n := r.node(t)
		switch {
		case len(r.open) > 0:
			parent := r.open[len(r.open)-1]
			parent.Children = append(parent.Children, n)
		case r.root == nil:
			r.root = n
		default:
			return fmt.Errorf("%w: it has two applications", errSource)
		}
		r.open = append(r.open, n)
	case xml.EndElement:
		if strings.HasPrefix(t.Name.Local, Prefix) {
			r.open = r.open[:len(r.open)-1]
		}
	}
	return nil
}

// node makes one element of its attributes, in points.
func (r *sourceReader) node(t xml.StartElement) *screen.Node {
	e := sourceElement{kind: strings.TrimPrefix(t.Name.Local, Prefix)}
	var x, y, width, height float64
	for _, a := range t.Attr {
		switch a.Name.Local {
		case "name":
			e.name = meant(a.Value)
		case "label":
			e.label = meant(a.Value)
		case "value":
			e.value = meant(a.Value)
		case "placeholderValue":
			e.placeholder = meant(a.Value)
		case "traits":
			e.traits, e.told, r.traits = a.Value, true, true
		case "enabled":
			e.disabled = a.Value == "false"
		case "visible":
			e.hidden = a.Value == "false"
		case "accessible":
			e.accessible = a.Value == "true"
		case "bundleId":
			r.app = a.Value
		case "processId":
			r.pid = Whole(number(a.Value))
		case "x":
			x = number(a.Value)
		case "y":
			y = number(a.Value)
		case "width":
			width = number(a.Value)
		case "height":
			height = number(a.Value)
		}
	}
	n := r.make(e)
	n.Package = r.app
	n.Bounds = image.Rect(Whole(x), Whole(y), Whole(x+width), Whole(y+height))
	return n
}

// make makes the node of an element, and notes it when its text may be longer than what is reported.
func (r *sourceReader) make(e sourceElement) *screen.Node {
	if MaybeCut(e.value) && strings.HasPrefix(e.label, e.value) {
		e.value = e.label // which is not cut
	}
	n := e.node()
	if MaybeCut(n.Text) {
		r.long = append(r.long, n)
	}
	return n
}

// meant drops what XCTest writes where it has no text: the mark of an embedded object, and its own error codes.
func meant(text string) string {
	if strings.HasPrefix(text, "AX error ") || strings.Trim(text, "\ufffc") == "" {
		return ""
	}
	return text
}

func number(text string) float64 {
	f, err := strconv.ParseFloat(text, 64)
	if err != nil || math.IsNaN(f) {
		return 0
	}
	return f
}

// ToPixels scales the bounds of an element, and of those in it, by a factor.
func ToPixels(n *screen.Node, factor float64) {
	scale := func(v int) int { return int(math.Round(float64(v) * factor)) }
	n.Bounds = image.Rect(scale(n.Bounds.Min.X), scale(n.Bounds.Min.Y), scale(n.Bounds.Max.X), scale(n.Bounds.Max.Y))
	for _, c := range n.Children {
		ToPixels(c, factor)
	}
}

// hoistAlerts makes windows of their own of alerts and sheets, which are over all else wherever they are in the tree.
func hoistAlerts(root *screen.Node) []*screen.Node {
	windows := []*screen.Node{root}
	var walk func(n *screen.Node)
	walk = func(n *screen.Node) {
		kept := n.Children[:0]
		for _, c := range n.Children {
			walk(c)
			if c.Type == Prefix+"Alert" || c.Type == Prefix+"Sheet" {
				windows = append(windows, c)
			} else {
				kept = append(kept, c)
			}
		}
		n.Children = kept
	}
	walk(root)
	return windows
}

// ShowsAbove reports whether the middle of something that reacts, or shows a text, is above a line.
func (r Reading) ShowsAbove(y int) bool {
	tree := screen.Tree{Windows: r.Windows}
	for n := range tree.All {
		middle := (n.Bounds.Min.Y + n.Bounds.Max.Y) / 2
		if !n.Hidden && middle < y && n.Bounds.Max.Y > 0 && !n.Bounds.Empty() &&
			(n.Clickable || n.Editable || n.Text != "" || n.Desc != "") {
			return true
		}
	}
	return false
}

// HasKeyboard reports whether the keyboard is on the screen.
func (r *Reading) HasKeyboard() bool {
	has := func(root *screen.Node) (found bool) {
		dom.Each(root, func(n *screen.Node) { found = found || n.Type == Prefix+"Keyboard" && !n.Hidden })
		return found
	}
	return slices.ContainsFunc(r.Windows, has)
}

// Shows reports whether one of the alerts in the source says a text: its lines are labels.
func (r Reading) Shows(text string) bool {
	first, _, _ := strings.Cut(text, "\n")
	for _, a := range r.Alerts() {
		if says(a, first) {
			return true
		}
	}
	return false
}

func says(n *screen.Node, text string) bool {
	if n.Text == text || n.Desc == text {
		return true
	}
	for _, c := range n.Children {
		if says(c, text) {
			return true
		}
	}
	return false
}

// Whole keeps a coordinate within what a screen and all that can be scrolled into it may have.
func Whole(f float64) int { return int(math.Round(min(max(f, -1e6), 1e6))) }

// upright rotates the size of the screenshot in such a way that it fits the application's.
func upright(pixels, points image.Point) image.Point {
	if (pixels.X > pixels.Y) != (points.X > points.Y) {
		return image.Pt(pixels.Y, pixels.X)
	}
	return pixels
}

// factor is how many pixels a point has. Widths are compared with widths: a phone may lie on its side in one of the
// two.
func factor(points, pixels image.Point) float64 {
	return float64(max(pixels.X, pixels.Y)) / float64(max(points.X, points.Y))
}
