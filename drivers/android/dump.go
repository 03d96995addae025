package android

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"image"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/treexml"
)

// dump is a parsed window dump.
type dump struct {
	windows  []*drivers.Node // the topmost last
	rotation int             // in quarter turns; -1 when the dump does not say
	size     image.Point     // of the screen, where the dump says it
	facts    []windowFacts   // of each window
}

// windowFacts is what `--windows` says of a window.
type windowFacts struct {
	layer  int
	kind   string // TYPE_APPLICATION, …; "" in a dump of the active window alone
	active bool   // the user works in it
	bounds image.Rectangle
}

// parseDump reads uiautomator's XML, the form with several windows (`--windows`), and the one of automation servers that use
// the class as the tag. What follows the document is ignored: a status line may.
func parseDump(doc []byte) (*dump, error) {
	p := &dumpParser{dump: dump{rotation: -1}}
	if err := treexml.Read(doc, treexml.Visitor{Begin: p.begin, End: p.finish}); err != nil {
		return nil, err
	}
	p.sort()
	return &p.dump, nil
}

// dumpParser builds the tree from the elements that are open. A frame without a node is a wrapper: hierarchy, displays, window.
type dumpParser struct {
	dump
	open   []*drivers.Node
	window windowFacts // that is being read
	below  int         // the layer of a window that does not give its own: they are listed from the top

	elsewhere bool // on another display than the one that screenshots show and taps reach
}

func (p *dumpParser) begin(e xml.StartElement) error {
	tag := e.Name.Local
	bounded := treexml.Attr(e, "bounds") != ""
	if len(p.open) == 0 && tag != "hierarchy" && tag != "displays" && tag != "AppiumAUT" && !bounded {
		return fmt.Errorf("it begins with <%s>", clip(tag, 40))
	}
	switch tag {
	case "AppiumAUT":
	case "hierarchy":
		p.size = sizeOf(e)
		if r, err := strconv.Atoi(treexml.Attr(e, "rotation")); err == nil && !p.elsewhere {
			p.rotation = r & 3
		}
	case "window":
		p.below--
		p.window = windowFacts{layer: p.below, kind: treexml.Attr(e, "type"), bounds: parseBounds(treexml.Attr(e, "bounds")),
			active: treexml.Attr(e, "active") == "true" || treexml.Attr(e, "focused") == "true"}
		if layer, err := strconv.Atoi(treexml.Attr(e, "layer")); err == nil {
			p.window.layer = layer
		}
	case "display":
		id := treexml.Attr(e, "id")
		p.elsewhere = id != "" && id != "0"
	case "displays":
	default:
		p.add(e)
		return nil
	}
	p.open = append(p.open, nil)
	return nil
}

func (p *dumpParser) add(e xml.StartElement) {
	n := newNode(e)
	var parent *drivers.Node
	if len(p.open) > 0 {
		parent = p.open[len(p.open)-1]
	}
	if parent != nil {
		parent.Children = append(parent.Children, n)
	} else if !p.elsewhere {
		p.windows = append(p.windows, n)
		p.facts = append(p.facts, p.window)
	}
	p.open = append(p.open, n)
}

// finish closes the innermost element.
func (p *dumpParser) finish() { p.open = p.open[:len(p.open)-1] }

// sizeOf reads what automation servers write of the screen.
func sizeOf(e xml.StartElement) image.Point {
	w, _ := strconv.Atoi(treexml.Attr(e, "width"))
	h, _ := strconv.Atoi(treexml.Attr(e, "height"))
	if w <= 0 || h <= 0 {
		return image.Point{}
	}
	return image.Pt(w, h)
}

// sort brings the windows into the order in which they lie on each other. `--windows` lists the topmost first, with layers.
func (p *dumpParser) sort() {
	type window struct {
		node  *drivers.Node
		facts windowFacts
	}
	all := make([]window, len(p.windows))
	for i, n := range p.windows {
		all[i] = window{n, p.facts[i]}
	}
	slices.SortStableFunc(all, func(a, b window) int { return cmp.Compare(a.facts.layer, b.facts.layer) })
	for i, w := range all {
		p.windows[i], p.facts[i] = w.node, w.facts
	}
}

// reachable leaves the windows that a touch can reach and a test means: the one in which the user works, what lies on it (a list that has
// dropped down, a popup), and what lies beside it (a split screen). What lies under it may not be touched, because it may ask a question
// first; bars and keyboards of the system are not the app's.
func (d *dump) reachable() {
	at := -1
	for i, f := range d.facts {
		if f.active {
			at = i
		}
	}
	active := windowFacts{layer: -1 << 30} // none: every window of an app counts
	if at >= 0 {
		active = d.facts[at]
	}
	var windows []*drivers.Node
	var facts []windowFacts
	for i, f := range d.facts {
		app := f.kind == "" || strings.HasSuffix(f.kind, "APPLICATION")
		if i == at || app && (f.layer > active.layer || !f.bounds.Overlaps(active.bounds)) {
			windows, facts = append(windows, d.windows[i]), append(facts, f)
		}
	}
	d.windows, d.facts = windows, facts
}

// newNode reads an element's attributes. Those that are missing are what a plain visible element has; unknown ones are ignored.
func newNode(e xml.StartElement) *drivers.Node {
	n := &drivers.Node{}
	if e.Name.Local != "node" {
		n.Type = e.Name.Local
	}
	var showingHint, showingKnown bool
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
			n.Hint = a.Value
		case "showing-hint-text", "showing-hint", "showingHintText":
			showingHint, showingKnown = on, true
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
		case "clickable", "long-clickable", "checkable":
			n.Clickable = n.Clickable || on
		case "scrollable":
			n.Scrollable = on
		}
	}
	n.Editable = n.Editable || isTextField(n.Type)
	if showingHint && n.Hint == "" {
		n.Hint = n.Text
	}
	// An empty field gives its hint as its text.
	if n.Editable && n.Hint == n.Text && (showingHint || !showingKnown) {
		n.Text = ""
	}
	return n
}

func isTextField(class string) bool {
	return strings.HasSuffix(class, "EditText") || strings.HasSuffix(class, "AutoCompleteTextView")
}

// parseBounds reads "[left,top][right,bottom]" as it stands, negative and inverted ones too: what cannot be seen is for the
// matching to drop.
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
