package devices

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/client"
	"github.com/taproot-dev/taproot/runner/live"
	"github.com/taproot-dev/taproot/runner/record"
	"github.com/taproot-dev/taproot/server/internal/rest"
)

const inspectDoc = `With "point" ("50%,30%" or pixels): the element there, and selectors for it, the best first, each
with what it is based on and the steps that can be written with it; with "read" the text in the pixels of a part of the
screen; with "controls" of a page also what takes more than a tap there, such as a list. With "selector": what a step
with it would act on, as taproot find prints. With "state": the tabs of a browser. With none of these: the elements of
the screen. While a page's dialog is open, the response is only that dialog, because any other query of the page would
dismiss it. A device that another client has leased can be inspected.`

// Box is a rectangle on the screen, in pixels of a screenshot.
type Box struct {
	Left   int `json:"left"`
	Top    int `json:"top"`
	Width  int `json:"width"`
	Height int `json:"height"`
}

func boxOf(r image.Rectangle) Box {
	return Box{Left: r.Min.X, Top: r.Min.Y, Width: r.Dx(), Height: r.Dy()}
}

// Inspection is what was found on a screen.
type Inspection struct {
	Width    int             `json:"width"`
	Height   int             `json:"height"`
	Elements []ElementLine   `json:"elements,omitempty" nullable:"false" doc:"The elements of the screen, without other parameters."`
	Element  *ElementInfo    `json:"element,omitempty" doc:"What is at the point."`
	Found    *client.Found   `json:"found,omitempty" doc:"What the selector picks."`
	Control  *record.Control `json:"control,omitempty" doc:"What of a page is at the point, when controls are asked for."`
	Lines    []string        `json:"lines,omitempty" nullable:"false" doc:"With read: the text, line by line."`
	State    *PageState      `json:"state,omitempty" doc:"When it is asked for, and while a dialog is open."`
}

// PageState is the state of a page in addition to its elements.
type PageState struct {
	Dialog     *Dialog `json:"dialog,omitempty"`
	Tabs       []Tab   `json:"tabs" nullable:"false"`
	FilesAsked bool    `json:"filesAsked,omitempty" doc:"The page has opened a file chooser since its controls were read."`
}

// Dialog is an alert, confirm or prompt that is open.
type Dialog struct {
	Text    string   `json:"text"`
	Buttons []string `json:"buttons" nullable:"false"`
	Field   bool     `json:"field,omitempty" doc:"It is a prompt for a text."`
}

// Tab is a tab of the browser.
type Tab struct {
	Title string        `json:"title"`
	URL   string        `json:"url"`
	Front bool          `json:"front,omitempty"`
	Steps []WrittenStep `json:"steps" nullable:"false" doc:"Steps that go to it, the best first."`
}

// ElementLine is one element in a list.
type ElementLine struct {
	Words string `json:"words" example:"button \"Sign in\" #submit"`
	Box   Box    `json:"box"`
	Depth int    `json:"depth" doc:"How many listed elements contain it."`
}

// ElementInfo is an element with selectors that match it.
type ElementInfo struct {
	Words      string              `json:"words"`
	Box        Box                 `json:"box"`
	Editable   bool                `json:"editable,omitempty"`
	Password   bool                `json:"password,omitempty"`
	Attributes map[string]string   `json:"attributes"`
	Path       []string            `json:"path" nullable:"false" doc:"The elements that contain it, the window first."`
	Selectors  []SelectorCandidate `json:"selectors" nullable:"false"`
}

// SelectorCandidate is one selector for an element.
type SelectorCandidate struct {
	YAML    string                 `json:"yaml" doc:"As it is written in a test."`
	Matches int                    `json:"matches" doc:"Elements that fit it on this screen."`
	Picks   bool                   `json:"picks" doc:"A step with it acts on this element, and on no other."`
	Robust  bool                   `json:"robust"`
	Why     string                 `json:"why"`
	Steps   map[string]WrittenStep `json:"steps" doc:"By name: tap, doubleTap, longPress, assert, assertValue, waitGone, extract."`
}

// WrittenStep is a step in both its forms.
type WrittenStep struct {
	Line string         `json:"line" doc:"As it is written in a test." example:"tap: Sign in"`
	Do   map[string]any `json:"do" doc:"As a message of the WebSocket takes it."`
}

type inspectInput struct {
	ID   string `path:"id" doc:"The device." example:"emulator-5554"`
	Body *struct {
		Point    string `json:"point,omitempty" maxLength:"40" doc:"A place on the screen." example:"50%,30%"`
		Selector string `json:"selector,omitempty" maxLength:"2000" doc:"A label, or a YAML selector." example:"{id: email, below: E-mail}"`
		Read     *Box   `json:"read,omitempty" doc:"Reads the text in this part of the screen, in pixels of a screenshot."`
		Controls bool   `json:"controls,omitempty" doc:"With point: also what takes more than a tap there."`
		State    bool   `json:"state,omitempty" doc:"The tabs of a browser, and nothing else."`
		PreferID bool   `json:"preferId,omitempty" doc:"Prefer ids to texts."`
	}
}

type inspection struct{ Body Inspection }

// inspectQuery is what a request queries; without a point and a selector, that is all elements.
type inspectQuery struct {
	point    *dsl.Point
	selector *dsl.Selector
	preferID bool
	controls bool
	state    bool
	read     *Box
}

func (in *inspectInput) ask() (a inspectQuery, err error) {
	b := in.Body
	if b == nil {
		return a, nil
	}
	a.preferID, a.controls, a.state, a.read = b.PreferID, b.Controls, b.State, b.Read
	switch {
	case b.Read != nil && (b.Point != "" || b.Selector != "" || b.State):
		return a, rest.Invalid("body: read cannot be combined with other parameters")
	case b.Read != nil && (b.Read.Width < 1 || b.Read.Height < 1):
		return a, rest.Invalid("body.read: a part of the screen has a width and a height")
	case b.State && (b.Point != "" || b.Selector != ""):
		return a, rest.Invalid("body: state cannot be combined with other parameters")
	case b.Point != "" && b.Selector != "":
		return a, rest.Invalid("body: send a point or a selector, not both")
	case b.Selector != "":
		sel, err := dsl.ParseSelector("selector", b.Selector)
		if err != nil {
			return a, rest.Invalid(err.Error())
		}
		if what := client.Unfindable(sel); what != "" {
			return a, rest.Invalid(what)
		}
		a.selector = &sel
	case b.Point != "":
		def, _ := dsl.Lookup("tap")
		args, err := dsl.Decode(def,
			source.Value{Kind: source.Map, Fields: []source.Field{
				{Key: "point", Value: source.Value{Kind: source.String, Text: b.Point}}}})
		tap, ok := args.(dsl.Tap)
		if err != nil || !ok || tap.Point == nil {
			return a, rest.Invalid(`body.point: write "120,340" for pixels or "50%,80%" for per cent`)
		}
		a.point = tap.Point
	}
	return a, nil
}

func (s *screens) inspect(ctx context.Context, in *inspectInput) (*inspection, error) {
	if err := checkDeviceID(in.ID); err != nil {
		return nil, err
	}
	ask, err := in.ask()
	if err != nil {
		return nil, err
	}
	ctx, cancel := s.deadline(ctx)
	defer cancel()
	out, tree := &inspection{}, (*screen.Tree)(nil)
	err = s.devices.Look(ctx, in.ID, func(ctx context.Context, session *action.Performer) (err error) {
		open, err := client.OpenDialog(ctx, session.Device)
		if open != nil || ask.state && err == nil {
			out.Body.State, err = pageState(ctx, session.Device)
		}
		if err != nil || out.Body.State != nil {
			return err
		}
		if ask.read != nil {
			out.Body.Width, out.Body.Height, out.Body.Lines, err = readPixels(ctx, session, *ask.read)
			return err
		}
		if tree, err = session.Device.Tree(ctx); err != nil || ask.point == nil || !ask.controls {
			return err
		}
		x, y := placeOf(*ask.point, tree)
		out.Body.Control, err = record.At(
			ctx,
			session.Device,
			x/float64(max(1, tree.Size.X)),
			y/float64(max(1, tree.Size.Y)),
			ask.preferID,
		)
		return err
	})
	if err != nil {
		return nil, rest.AsDeviceError(err)
	}
	if tree == nil {
		return out, s.maskSecrets(&out.Body)
	}
	out.Body.Width, out.Body.Height = tree.Size.X, tree.Size.Y
	elements := client.NewRefs().Identify(tree)
	switch {
	case ask.selector != nil:
		found := client.Find(tree, *ask.selector)
		out.Body.Found = &found
	case ask.point != nil:
		x, y := placeOf(*ask.point, tree)
		if n := elements.At(int(x), int(y)); n != nil {
			info := elementInfo(elements, n, ask.preferID)
			out.Body.Element = &info
		}
	default:
		for _, n := range elements.All() {
			out.Body.Elements = append(out.Body.Elements, ElementLine{Words: elements.Words(n), Box: boxOf(n.Bounds),
				Depth: depthOf(elements, n)})
		}
	}
	return out, s.maskSecrets(&out.Body)
}

// readPixels reads the text in a part of the screen. It recognizes the whole screen, as steps with "ocr" do, so that
// steps find the text that is found here.
func readPixels(
	ctx context.Context,
	session *action.Performer,
	part Box,
) (width, height int, lines []string, err error) {
	vision := session.Settings.Vision
	if vision == nil {
		return 0, 0, nil, &action.VisionError{Err: errors.New("read the screen: no text recognition is available")}
	}
	img, err := session.Device.Screenshot(ctx)
	if err != nil {
		return 0, 0, nil, err
	}
	within := image.Rect(part.Left, part.Top, part.Left+part.Width, part.Top+part.Height).
		Add(img.Bounds().Min).
		Intersect(
			img.Bounds())
	if within.Empty() {
		return 0, 0, nil, &live.InvalidError{Err: errors.New("body.read: this part is outside of the screen")}
	}
	read, err := vision.OCR(ctx, img)
	if err != nil {
		return 0, 0, nil, &action.VisionError{Err: fmt.Errorf("read the screen: %w", err)}
	}
	lines = []string{}
	for _, line := range read {
		var words []string
		parts := line.Words
		if len(parts) == 0 {
			parts = []drivers.TextLine{line}
		}
		for _, word := range parts {
			if middle := word.Bounds.Min.Add(word.Bounds.Size().Div(2)); middle.In(within.Sub(img.Bounds().Min)) {
				words = append(words, word.Text)
			}
		}
		if len(words) > 0 {
			lines = append(lines, strings.Join(words, " "))
		}
	}
	return img.Bounds().Dx(), img.Bounds().Dy(), lines, nil
}

// placeOf converts a point to pixels of the screen.
func placeOf(p dsl.Point, tree *screen.Tree) (x, y float64) {
	if p.Percent {
		return p.X * float64(tree.Size.X) / 100, p.Y * float64(tree.Size.Y) / 100
	}
	return p.X, p.Y
}

func pageState(ctx context.Context, d drivers.Device) (*PageState, error) {
	now, err := record.StateOf(ctx, d)
	if err != nil {
		return nil, err
	}
	out := &PageState{Tabs: []Tab{}, FilesAsked: now.FilesAsked}
	if open := now.Dialog; open != nil {
		out.Dialog = &Dialog{Text: open.Text, Buttons: append([]string{}, open.Buttons...), Field: open.Field}
	}
	def, _ := dsl.Lookup("webTab")
	for i, tab := range now.Tabs {
		one := Tab{Title: tab.Title, URL: tab.URL, Front: tab.Front, Steps: []WrittenStep{}}
		for _, v := range record.Picking(now.Tabs, i) {
			one.Steps = append(
				one.Steps,
				WrittenStep{Line: client.StepLine(def, v), Do: map[string]any{def.Name: v.Go()}},
			)
		}
		out.Tabs = append(out.Tabs, one)
	}
	return out, nil
}

// maskSecrets masks secrets in a response.
func (s *desk) maskSecrets(answer any) error {
	if s.mask.Empty() {
		return nil
	}
	data, err := json.Marshal(answer)
	if err != nil {
		return err
	}
	return json.Unmarshal([]byte(s.mask.Text(string(data))), answer)
}

func depthOf(elements *client.Identified, n *screen.Node) (depth int) {
	for p := n.Parent; p != nil; p = p.Parent {
		if elements.Listed(p) {
			depth++
		}
	}
	return depth
}

func elementInfo(elements *client.Identified, n *screen.Node, preferID bool) ElementInfo {
	info := ElementInfo{Words: elements.Words(n), Box: boxOf(n.Bounds), Editable: n.Editable, Password: n.Password,
		Attributes: map[string]string{}, Path: []string{}, Selectors: []SelectorCandidate{}}
	text := n.Text
	if n.Password {
		text = strings.Repeat("•", min(len(text), 3))
	}
	for name, value := range map[string]string{"type": n.Type, "role": n.Role, "id": n.ID, "test id": n.TestID,
		"text": text, "description": n.Desc, "hint": n.Hint, "package": n.Package} {
		if value != "" {
			info.Attributes[name] = value
		}
	}
	for p := n.Parent; p != nil; p = p.Parent {
		info.Path = append([]string{elements.Words(p)}, info.Path...)
	}
	for _, c := range elements.Ranked(n, preferID) {
		info.Selectors = append(info.Selectors, withSteps(c, n))
	}
	return info
}

// withSteps returns a candidate with the steps that a user may want.
func withSteps(c client.Candidate, n *screen.Node) SelectorCandidate {
	tap, _ := dsl.Lookup("tap")
	_, yaml, _ := strings.Cut(client.StepLine(tap, c.Selector), ": ")
	out := SelectorCandidate{YAML: yaml, Matches: c.Matches, Picks: c.Picks, Robust: c.Robust, Why: c.Why,
		Steps: map[string]WrittenStep{}}
	add := func(name, action string, v source.Value) {
		def, _ := dsl.Lookup(action)
		if _, err := dsl.Decode(def, v); err == nil {
			out.Steps[name] = WrittenStep{Line: client.StepLine(def, v), Do: map[string]any{action: v.Go()}}
		}
	}
	for _, action := range []string{"tap", "doubleTap", "longPress"} {
		add(action, action, c.Selector)
	}
	if _, place := c.Selector.Get("point"); place {
		return out
	}
	field := func(key, text string) source.Value {
		return c.Selector.With(key, source.Value{Kind: source.String, Text: strings.ReplaceAll(text, "${", "$${")})
	}
	add("assert", "assert", c.Selector)
	add("waitGone", "waitFor", source.Value{Kind: source.Map,
		Fields: []source.Field{{Key: "notVisible", Value: c.Selector}}})
	if !n.Password {
		if n.Editable {
			add("assertValue", "assert", field("value", n.Text))
		} else if text := n.Label(); text != "" {
			add("assertValue", "assert", field("text", text))
		}
		out.Steps["extract"] = WrittenStep{Line: "extract: " + source.Flow(field("as", "value")),
			Do: map[string]any{"extract": c.Selector.Go()}}
	}
	return out
}
