package dom

import (
	"image"
	"slices"

	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// Flags of an element; script/engine.js has the same.
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

// element is a node in the JSON of script/engine.js.
type element struct {
	Type       string     `json:"t"`
	Ref        int        `json:"n"`
	Flags      int        `json:"f"`
	Box        [4]float64 `json:"b"`
	Role       string     `json:"r"`
	ID         string     `json:"i"`
	TestID     string     `json:"q"`
	Text       string     `json:"x"`
	Desc       string     `json:"d"`
	Hint       string     `json:"h"`
	Covered    string     `json:"c"`
	Obscured   string     `json:"v"`
	Seen       []float64  `json:"s"`
	TextBounds []float64  `json:"y"`
	Press      []float64  `json:"p"`
	Value      []string   `json:"w"`
	// the area in which a canvas may draw it, then boxes over that, each with 1 for all of it and 0 for its edge
	Traced []float64 `json:"z"`
	// in a frame: points at which it is visible and can be touched, as far as the page in the frame can determine
	Points  []float64  `json:"g"`
	Control *int       `json:"l"`
	Inner   []float64  `json:"o"` // of a frame: the origin of its page, the visible part of it, and its scale
	Places  []place    `json:"m"`
	Kids    []*element `json:"k"`
}

// place is where a part of a text is drawn, in the JSON of script/parts.js.
type place struct {
	Part     int       `json:"k"` // index into How.Parts
	State    int       `json:"s"` // 0 in view, 1 scrolled away, 2 cut off
	Boxes    []float64 `json:"b"`
	Press    []float64 `json:"p"`
	Covered  string    `json:"c"`
	Obscured string    `json:"v"`
	Points   []float64 `json:"g"`
}

// node makes a node of an element, and of those in it; it collects the frames among them.
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
		Checkable: is(flagCheckable), Unselectable: is(flagUnselectable), Obscured: e.Obscured, Buried: is(flagBuried),
		Leaving: is(flagLeaving), Filled: is(flagFilled),
		Seen: rectangle(e.Seen), TextBounds: rectangle(e.TextBounds),
	}
	if len(e.Value) == 2 {
		n.Holds = &screen.ControlValue{Value: e.Value[0], Form: e.Value[1]}
	}
	if len(e.Press) == 2 {
		n.Press = &image.Point{X: Clamp(e.Press[0]), Y: Clamp(e.Press[1])}
	}
	if is(flagTraced) {
		n.Traced = tracing(e.Traced)
	}
	for i := 0; i+1 < len(e.Points); i += 2 {
		r.nodePoints[n] = append(r.nodePoints[n], image.Pt(Clamp(e.Points[i]), Clamp(e.Points[i+1])))
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

// places adds to an element the places of the parts of its text.
func (r *reader) places(n *screen.Node, places []place) {
	if len(places) == 0 {
		return
	}
	// with sufficient capacity: r.partPoints refers to its elements by their addresses
	n.Parts = make([]screen.PartPlace, 0, len(places))
	for _, e := range places {
		if e.Part < 0 || e.Part >= len(r.how.Parts) {
			continue
		}
		p := screen.PartPlace{Part: r.how.Parts[e.Part], Covered: e.Covered, Obscured: e.Obscured, Offscreen: e.State == 1,
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
		for xy := range slices.Chunk(e.Points, 2) {
			if at := &n.Parts[len(n.Parts)-1]; len(xy) == 2 {
				r.partPoints[at] = append(r.partPoints[at], image.Pt(Clamp(xy[0]), Clamp(xy[1])))
			}
		}
	}
}

// tracing decodes what script/traced.js reports of an element that a canvas may draw.
func tracing(numbers []float64) *screen.Tracing {
	if len(numbers) < 4 {
		return &screen.Tracing{}
	}
	t := screen.Tracing{Area: *rectangle(numbers[:4])}
	for over := range slices.Chunk(numbers[4:], 5) {
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
