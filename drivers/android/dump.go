package android

import (
	"bytes"
	"cmp"
	"encoding/xml"
	"errors"
	"fmt"
	"image"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
)

const (
	maxDepth = 500
	maxNodes = 50_000
)

var errTooBig = errors.New("the tree is too big")

// dump is a parsed window dump.
type dump struct {
	windows  []*drivers.Node // the topmost last
	rotation int             // in quarter turns; -1 when the dump does not say
}

// parseDump reads uiautomator's XML, the form with several windows (`--windows`), and the one of automation servers that use
// the class as the tag. What follows the document is ignored: a status line may.
func parseDump(doc []byte) (*dump, error) {
	p := &dumpParser{dump: dump{rotation: -1}}
	dec := xml.NewDecoder(bytes.NewReader(cleanXML(doc)))
	dec.Entity = xml.HTMLEntity
	dec.CharsetReader = func(_ string, r io.Reader) (io.Reader, error) { return r, nil } // it is UTF-8, whatever it says
	for {
		token, err := dec.Token()
		if err == io.EOF {
			return nil, errors.New("it holds no tree")
		}
		if err != nil {
			return nil, err
		}
		switch t := token.(type) {
		case xml.StartElement:
			if err := p.begin(t); err != nil {
				return nil, err
			}
		case xml.EndElement:
			if p.finish() {
				p.sort()
				return &p.dump, nil
			}
		}
	}
}

// dumpParser builds the tree from the elements that are open. A frame without a node is a wrapper: hierarchy, displays, window.
type dumpParser struct {
	dump
	open   []*drivers.Node
	layers []int // of the windows, beside dump.windows
	layer  int   // of the window that is being read
	below  int   // the layer of a window that does not give its own: they are listed from the top
	nodes  int

	elsewhere bool // on another display than the one that screenshots show and taps reach
}

func (p *dumpParser) begin(e xml.StartElement) error {
	if len(p.open) >= maxDepth {
		return fmt.Errorf("%w: deeper than %d elements", errTooBig, maxDepth)
	}
	if p.nodes++; p.nodes > maxNodes {
		return fmt.Errorf("%w: more than %d elements", errTooBig, maxNodes)
	}
	tag := e.Name.Local
	if len(p.open) == 0 && tag != "hierarchy" && tag != "displays" {
		return fmt.Errorf("it begins with <%s>", clip(tag, 40))
	}
	switch tag {
	case "hierarchy":
		if r, err := strconv.Atoi(attr(e, "rotation")); err == nil && !p.elsewhere {
			p.rotation = r & 3
		}
	case "window":
		p.below--
		p.layer = p.below
		if layer, err := strconv.Atoi(attr(e, "layer")); err == nil {
			p.layer = layer
		}
	case "display":
		id := attr(e, "id")
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
		p.layers = append(p.layers, p.layer)
	}
	p.open = append(p.open, n)
}

// finish closes the innermost element and tells whether it was the outermost one too.
func (p *dumpParser) finish() bool {
	p.open = p.open[:len(p.open)-1]
	return len(p.open) == 0
}

// sort brings the windows into the order in which they lie on each other. `--windows` lists the topmost first, with layers.
func (p *dumpParser) sort() {
	type window struct {
		node  *drivers.Node
		layer int
	}
	all := make([]window, len(p.windows))
	for i, n := range p.windows {
		all[i] = window{n, p.layers[i]}
	}
	slices.SortStableFunc(all, func(a, b window) int { return cmp.Compare(a.layer, b.layer) })
	for i, w := range all {
		p.windows[i] = w.node
	}
}

func attr(e xml.StartElement, name string) string {
	for _, a := range e.Attr {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
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
