package ios

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
)

// What a source may be at most. XCTest itself fails far below.
const (
	sourceBytes    = 32 << 20
	sourceElements = 50_000
	sourceDepth    = 500
)

// errSource says that a text is not a source of WebDriverAgent, or not all of it.
var errSource = errors.New("not a whole WebDriverAgent source")

const elementPrefix = "XCUIElementType"

// ReadSource makes a tree of what WebDriverAgent returns for GET /source: its XML, alone, in its JSON response, or in
// Appium's <AppiumAUT>, or its JSON (?format=json). It counts in points; pixels is the size of the screenshot that
// belongs to it; the tree is converted to its pixels. Without one, a point counts as a pixel. A source that is cut
// off is an error: what is missing in half a tree proves nothing.
func ReadSource(data []byte, pixels image.Point, taken time.Time) (*screen.Tree, error) {
	seen, err := readSource(data)
	if err != nil {
		return nil, err
	}
	tree, _ := seen.tree(pixels, taken, nil)
	return tree, nil
}

// reading is what a source contains, in points.
type reading struct {
	app     string          // the app of these elements, where it is reported
	pid     int             // of its process, where it is reported
	bounds  image.Rectangle // of the application
	screen  image.Point     // the size of it
	windows []*screen.Node  // the application, then what is over it
	traits  bool            // they are reported
	long    []*screen.Node  // with a text that may continue beyond what is reported
}

func readSource(data []byte) (reading, error) {
	var r sourceReader
	root, err := r.elements(data)
	if err != nil {
		return reading{}, err
	}
	if root.Bounds.Dx() <= 0 || root.Bounds.Dy() <= 0 {
		return reading{}, fmt.Errorf("%w: the application has no size", errSource)
	}
	innerSwitches(root)
	keysOf(root, false)
	busyLayers(root, root.Bounds)
	return reading{app: root.Package, pid: r.pid, bounds: root.Bounds, screen: root.Bounds.Size(),
		windows: hoistAlerts(root), traits: r.traits, long: r.long}, nil
}

// keysOf marks what is in the keyboard.
func keysOf(n *screen.Node, inside bool) {
	n.Key = inside
	for _, c := range n.Children {
		keysOf(c, inside || n.Type == elementPrefix+"Keyboard")
	}
}

// tree puts what was read into pixels, of which a point has as many as it reports. Once it is, pages put their elements
// in, unless that is nil.
func (r reading) tree(pixels image.Point, taken time.Time, pages func(scale float64)) (*screen.Tree, float64) {
	size := r.screen
	if pixels == (image.Point{}) {
		pixels = size
	}
	scale := factor(size, pixels)
	for _, w := range r.windows {
		toPixels(w, scale)
	}
	if pages != nil {
		pages(scale)
	}
	return screen.NewTree(r.windows, upright(pixels, size), taken), scale
}

// depth is how many elements lie inside one another.
func (r reading) depth() int {
	var of func(n *screen.Node) int
	of = func(n *screen.Node) int {
		deepest := 0
		for _, c := range n.Children {
			deepest = max(deepest, of(c))
		}
		return deepest + 1
	}
	deepest := of(r.windows[0])
	for _, w := range r.windows[1:] { // they were hoisted from one of the windows of the application
		deepest = max(deepest, of(w)+2)
	}
	return deepest
}

// cut says that there may be more on the screen than was read.
func (r reading) cut(why string) {
	root := r.windows[0]
	root.Children = append(root.Children, &screen.Node{Type: screen.CutNote, Hidden: true, Desc: why})
}

// alerts are the alerts and sheets.
func (r reading) alerts() []*screen.Node {
	var found []*screen.Node
	for _, w := range r.windows {
		if w.Type == elementPrefix+"Alert" || w.Type == elementPrefix+"Sheet" {
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
		return nil, fmt.Errorf("%w: no element in it starts with %s", errSource, elementPrefix)
	}
	return r.root, nil
}

func (r *sourceReader) take(token xml.Token) error {
	switch t := token.(type) {
	case xml.StartElement:
		if !strings.HasPrefix(t.Name.Local, elementPrefix) {
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
		if strings.HasPrefix(t.Name.Local, elementPrefix) {
			r.open = r.open[:len(r.open)-1]
		}
	}
	return nil
}

// node makes one element of its attributes, in points.
func (r *sourceReader) node(t xml.StartElement) *screen.Node {
	e := sourceElement{kind: strings.TrimPrefix(t.Name.Local, elementPrefix)}
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
			r.pid = whole(number(a.Value))
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
	n.Bounds = image.Rect(whole(x), whole(y), whole(x+width), whole(y+height))
	return n
}

// make makes the node of an element, and notes it when its text may be longer than what is reported.
func (r *sourceReader) make(e sourceElement) *screen.Node {
	if maybeCut(e.value) && strings.HasPrefix(e.label, e.value) {
		e.value = e.label // which is not cut
	}
	n := e.node()
	if maybeCut(n.Text) {
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

// whole keeps a coordinate within what a screen and all that can be scrolled into it may have.
func whole(f float64) int { return int(math.Round(min(max(f, -1e6), 1e6))) }

// factor is how many pixels a point has. Widths are compared with widths: a phone may lie on its side in one of the
// two.
func factor(points, pixels image.Point) float64 {
	return float64(max(pixels.X, pixels.Y)) / float64(max(points.X, points.Y))
}

// upright rotates the size of the screenshot in such a way that it fits the application's.
func upright(pixels, points image.Point) image.Point {
	if (pixels.X > pixels.Y) != (points.X > points.Y) {
		return image.Pt(pixels.Y, pixels.X)
	}
	return pixels
}

func toPixels(n *screen.Node, factor float64) {
	scale := func(v int) int { return int(math.Round(float64(v) * factor)) }
	n.Bounds = image.Rect(scale(n.Bounds.Min.X), scale(n.Bounds.Min.Y), scale(n.Bounds.Max.X), scale(n.Bounds.Max.Y))
	for _, c := range n.Children {
		toPixels(c, factor)
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
			if c.Type == elementPrefix+"Alert" || c.Type == elementPrefix+"Sheet" {
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
