// Package dump reads the screen by uiautomator, and parses window dumps of any origin.
package dump

import (
	"encoding/xml"
	"fmt"
	"image"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/treexml"
)

// Dump is a parsed window dump.
type Dump struct {
	Windows  []*screen.Node    // the topmost last
	Rotation int               // in quarter turns; -1 when the dump does not say
	size     image.Point       // of the screen, where the dump says it
	Facts    []windowFacts     // of each window
	Bars     []*screen.Node    // see screen.Tree
	Edges    []image.Rectangle // screen.Tree.SwipeEdges
	Taken    time.Time         // when its reading started
}

// Parse reads uiautomator's XML, the form with several windows (`--windows`), and the one of automation servers
// that use the class as the tag. What follows the document is ignored: a status line may.
func Parse(doc []byte) (*Dump, error) {
	p := &dumpParser{Dump: Dump{Rotation: -1}, full: map[string]int{}}
	if err := treexml.Read(doc, treexml.Visitor{Begin: p.begin, End: p.finish}); err != nil {
		return nil, err
	}
	p.sort()
	return &p.Dump, nil
}

// dumpParser builds the tree from the elements that are open.
type dumpParser struct {
	Dump
	open    []opened
	elems   int            // windows that started so far
	full    map[string]int // by the id of a window that had elements: which of them it was
	display string         // that is being read
}

// opened is an element that has started and not ended. One without a node is a wrapper: hierarchy, displays, window.
type opened struct {
	node   *screen.Node
	window windowFacts // that it belongs to
}

func (p *dumpParser) begin(e xml.StartElement) error {
	tag := e.Name.Local
	bounded := treexml.Attr(e, "bounds") != ""
	if len(p.open) == 0 && tag != "hierarchy" && tag != "displays" && tag != "AppiumAUT" && !bounded {
		return fmt.Errorf("it starts with <%s>", phrase.LimitBytes(tag, 40))
	}
	var around opened
	if len(p.open) > 0 {
		around = p.open[len(p.open)-1]
	}
	now := opened{window: around.window}
	switch tag {
	case "AppiumAUT", "displays":
	case "hierarchy":
		p.size = sizeOf(e)
		if r, err := strconv.Atoi(treexml.Attr(e, "rotation")); err == nil && !p.elsewhere() {
			p.Rotation = r & 3
		}
	case "window":
		now.window = p.newWindow(e, around.window)
	case "display":
		p.display = treexml.Attr(e, "id")
	default:
		if around.node == nil && treexml.Attr(e, "window-id") != "" { // an agent's: each is the root of a window
			p.elems++
			now.window = windowFacts{Layer: -p.elems, elem: p.elems, ID: treexml.Attr(e, "window-id")}
		}
		now.node = newNode(e)
		p.add(now, around.node)
	}
	p.open = append(p.open, now)
	return nil
}

// elsewhere: on another display than the one that screenshots show and taps reach.
func (p *dumpParser) elsewhere() bool { return p.display != "" && p.display != "0" }

// add hangs an element into its parent. One without a parent is a window's root, unless that window has been read
// before: a dump may have it both inside the window that it belongs to and next to that.
func (p *dumpParser) add(n opened, parent *screen.Node) {
	w := n.window
	switch {
	case parent != nil:
		parent.Children = append(parent.Children, n.node)
	case p.elsewhere():
	case w.ID != "" && p.full[w.ID] != 0 && p.full[w.ID] != w.elem:
	default:
		p.full[w.ID] = w.elem
		p.Windows, p.Facts = append(p.Windows, n.node), append(p.Facts, w)
	}
}

// finish closes the innermost element.
func (p *dumpParser) finish() {
	if n := p.open[len(p.open)-1].node; n != nil {
		p.drawnFirst(n)
		listedByPlace(n)
	}
	p.open = p.open[:len(p.open)-1]
}

// ScreenSize is the size of the screen as it was held for the dump, by that of the last screenshot, zero before there
// was any, and the one that the upright device has.
func (d *Dump) ScreenSize(shot, natural image.Point) image.Point {
	size := shot
	if size == (image.Point{}) {
		size = natural
	}
	if natural != (image.Point{}) && d.Rotation >= 0 {
		wide := natural.X > natural.Y
		if d.Rotation%2 == 1 {
			wide = !wide
		}
		if size.X != size.Y && wide != (size.X > size.Y) {
			size = image.Pt(size.Y, size.X)
		}
	}
	if size == (image.Point{}) {
		size = Extent(d.Windows)
	}
	return size
}

// sizeOf reads what automation servers write of the screen.
func sizeOf(e xml.StartElement) image.Point {
	w, _ := strconv.Atoi(treexml.Attr(e, "width"))
	h, _ := strconv.Atoi(treexml.Attr(e, "height"))
	if w <= 0 || h <= 0 {
		return image.Point{}
	}
	return image.Pt(w, h)
}

// newNode reads an element's attributes. Those that are missing are what a plain visible element has; unknown ones are
// ignored.
func newNode(e xml.StartElement) *screen.Node {
	n := &screen.Node{}
	if e.Name.Local != "node" {
		n.Type = e.Name.Local
	}
	field, clickable := fieldFacts{}, false
	for _, a := range e.Attr {
		on := a.Value == "true"
		switch a.Name.Local {
		case "class":
			n.Type = a.Value
		case "resource-id":
			n.ID = a.Value
		case "text":
			n.Text = a.Value
		case "content-desc":
			n.Desc = a.Value
		case "hint", "hintText":
			n.Hint, field.hintKnown = a.Value, true
		case "showing-hint-text", "showing-hint", "showingHintText", "hint-showing":
			field.showing, field.showingKnown = on, true
		case "selection-end":
			field.selected = field.selected || a.Value != "" && a.Value != "0" && a.Value != "-1"
		case "drawing-order":
			n.DrawOrder, _ = strconv.Atoi(a.Value)
		case "checkable":
			n.Checkable = on
		case "package":
			n.Package = a.Value
		case "bounds":
			n.Bounds = parseBounds(a.Value)
		case "enabled":
			n.Disabled = a.Value == "false"
		case "visible-to-user", "displayed", "visible":
			n.Hidden = n.Hidden || a.Value == "false"
		case "checked":
			n.Checked = on
		case "selected":
			n.Selected = on
		case "focused":
			n.Focused = on
		case "password":
			n.Password = on
		case "editable":
			n.Editable = n.Editable || on
		case "clickable": // a touch ends at either; a switch that is checkable alone leaves it to its row
			n.Clickable, clickable = n.Clickable || on, on
		case "long-clickable":
			n.Clickable, n.HoldsLinks = n.Clickable || on, on
		case "scrollable":
			n.Scrollable = on
		}
	}
	n.LongOnly = n.Clickable && !clickable
	n.HoldsLinks = n.HoldsLinks && clickable && strings.HasSuffix(n.Type, "TextView") // Android makes a text with links so
	n.Editable = n.Editable || isTextField(n.Type)
	if n.Editable {
		field.settle(n)
	}
	return n
}

func isTextField(class string) bool {
	return strings.HasSuffix(class, "EditText") || strings.HasSuffix(class, "AutoCompleteTextView")
}

// parseBounds reads "[left,top][right,bottom]" as written, negative and inverted ones too: what cannot be seen is for
// the matching to drop.
func parseBounds(s string) image.Rectangle {
	var n [4]int
	rest := s
	for i, sep := range []string{"[", ",", "][", ","} {
		var ok bool
		if rest, ok = strings.CutPrefix(strings.TrimSpace(rest), sep); !ok {
			return image.Rectangle{}
		}
		end := strings.IndexAny(rest, ",]")
		if end < 0 {
			return image.Rectangle{}
		}
		f, err := strconv.ParseFloat(strings.TrimSpace(rest[:end]), 64)
		if err != nil || math.Abs(f) > 1<<30 || math.IsNaN(f) {
			return image.Rectangle{}
		}
		n[i], rest = int(f), rest[end:]
	}
	return image.Rectangle{Min: image.Pt(n[0], n[1]), Max: image.Pt(n[2], n[3])}
}
