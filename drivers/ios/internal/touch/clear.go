// Package touch touches the screen of one device: points go in, gestures of WebDriverAgent come out, unless something
// else would take them.
package touch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/ios/internal/source"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
	"github.com/taproot-dev/taproot/internal/pixels"
)

// A view of which nothing is drawn may take the touches of what is under it, and neither the elements nor the pixels
// show it: most such views let them through. XCTest reports, of one element at a time, whether a touch of its middle
// finds it.

var _ drivers.Aimer = (*Fingers)(nil)

const (
	// mostAsked is of how many elements around one that is touched, or over it, XCTest is asked whether they are found.
	mostAsked = 3
	// effectGrace is how long the screen may take to change after a touch of which XCTest does not know what it meets.
	effectGrace = 1500 * time.Millisecond
	effectPoll  = 50 * time.Millisecond
)

// Aim says what the next touch is meant for.
func (f *Fingers) Aim(n *screen.Node) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.aimed = n
}

// aim returns the target of the next touch, and the tree that it is in; nil: whatever is there.
func (f *Fingers) aim() (*screen.Node, *screen.Tree) {
	f.mu.Lock()
	n := f.aimed
	f.aimed = nil
	f.mu.Unlock()
	return n, f.parts.Reader.Last()
}

// touch makes a gesture that starts at a point, unless something that shows nothing takes it. A layer over a part of
// the element about which XCTest says nothing counts as one that takes it. Where XCTest finds neither the element nor
// what is over it, the touch must show.
func (f *Fingers) touch(ctx context.Context, p image.Point, gesture func() error) error {
	n, tree := f.aim()
	if n == nil || tree == nil {
		return gesture()
	}
	if f.parts.Reader.InStandIn(n) {
		return fmt.Errorf("device %s: %w: the elements of the alert cannot be read: of it, only buttons can be tapped",
			f.parts.Link.ID, drivers.ErrNotActionable)
	}
	if b := tree.BarAt(p); b != nil {
		return fmt.Errorf("device %s: %w: %s takes the touch of %s", f.parts.Link.ID, drivers.ErrCovered, b, n)
	}
	if n.InPage {
		return f.touchInPage(ctx, tree, n, p, gesture)
	}
	clear := layersOver(tree, n, p)
	if len(clear) == 0 {
		return gesture()
	}
	found, known, err := f.anyFound(ctx, tree, reacting(n, clear))
	if err != nil {
		return err
	}
	if found != nil {
		return orElse(f.refuseTaken(ctx, tree, n, besideMiddle(tree, found, clear)), gesture)
	}
	if err := f.refuseTaken(ctx, tree, n, clear); err != nil {
		return err
	}
	if known { // what was over it may have gone between the two questions
		if found, _, err = f.anyFound(ctx, tree, reacting(n, clear)); err != nil || found != nil {
			return orElse(err, gesture)
		}
	}
	before, err := f.parts.Camera.Screenshot(ctx)
	if err != nil {
		return err
	}
	if err := gesture(); err != nil {
		return err
	}
	return f.effect(ctx, before, n, clear[len(clear)-1])
}

// refuseTaken returns an error when XCTest finds one of the layers over the touched point of n, which then takes the
// touch. The same when XCTest says nothing of a layer that is over a part of n in view: a bar is like that, while a
// layer over all of n is mostly one that lets touches through.
func (f *Fingers) refuseTaken(ctx context.Context, tree *screen.Tree, n *screen.Node, layers []*screen.Node) error {
	var unsure *screen.Node
	whole := inView(tree, n)
	for i, l := range slices.Backward(layers) {
		var hit, told bool
		if len(layers)-i <= mostAsked {
			var err error
			if hit, told, err = f.hittable(ctx, tree, l); err != nil {
				return err
			}
		}
		if hit {
			return fmt.Errorf("device %s: %w: %s, of which nothing is drawn, takes the touch of %s", f.parts.Link.ID,
				drivers.ErrCovered, l, n)
		}
		if !told && unsure == nil && !whole.In(l.Bounds) {
			unsure = l
		}
	}
	if unsure == nil {
		return nil
	}
	return fmt.Errorf("device %s: %w: %s covers a part of %s, and XCTest does not report which of them takes the touch",
		f.parts.Link.ID, drivers.ErrCovered, unsure, n)
}

// inView is the part of an element that is on the screen and in the lists around it.
func inView(tree *screen.Tree, n *screen.Node) image.Rectangle {
	part := n.Bounds.Intersect(image.Rectangle{Max: tree.Size})
	for a := n.Parent; a != nil; a = a.Parent {
		if a.Scrollable {
			part = part.Intersect(a.Bounds)
		}
	}
	return part
}

// besideMiddle returns the layers that are not over the middle of n: what XCTest finds there says nothing of them.
func besideMiddle(tree *screen.Tree, n *screen.Node, layers []*screen.Node) []*screen.Node {
	part := inView(tree, n)
	middle := part.Min.Add(part.Size().Div(2))
	return slices.DeleteFunc(slices.Clone(layers), func(l *screen.Node) bool { return middle.In(l.Bounds) })
}

// orElse does something unless there is an error.
func orElse(err error, do func() error) error {
	if err != nil {
		return err
	}
	return do()
}

// layersOver are the elements over a point of n, lowest first, that may take its touches although they show nothing.
func layersOver(tree *screen.Tree, n *screen.Node, p image.Point) (list []*screen.Node) {
	above := false
	for c := range tree.All {
		if c == n {
			above = true
		}
		if above && p.In(c.Bounds) && !c.Hidden && !c.Clickable && !c.Editable && c.Window == n.Window && !c.Within(n) &&
			!n.Within(c) && !c.InPage && mayTakeTouches(c) {
			list = append(list, c)
		}
	}
	return list
}

// mayTakeTouches: what shows something of its own lets touches through, unless it says that it reacts.
func mayTakeTouches(n *screen.Node) bool {
	switch strings.TrimPrefix(n.Type, source.Prefix) {
	case "StaticText", "Image", "ActivityIndicator", "ProgressIndicator", "PageIndicator":
		return false
	}
	return n.Type != screen.CutNote
}

// reacting are n and the elements around it, up to the one that reacts, with the middle under one of the layers.
func reacting(n *screen.Node, layers []*screen.Node) []*screen.Node {
	list := []*screen.Node{n}
	for a := n; a.Parent != nil && !a.Clickable && !a.Editable && len(list) < mostAsked; {
		a = a.Parent
		at := a.Bounds.Min.Add(a.Bounds.Size().Div(2))
		if slices.ContainsFunc(layers, func(l *screen.Node) bool { return at.In(l.Bounds) }) {
			list = append(list, a)
		}
	}
	return list
}

// anyFound returns the first of some elements that XCTest finds at its middle, nil: none; known: it reported it of the
// first of the list.
func (f *Fingers) anyFound(ctx context.Context, tree *screen.Tree, list []*screen.Node) (found *screen.Node, known bool,
	err error) {
	for i, n := range list[:min(len(list), mostAsked)] {
		hit, told, err := f.hittable(ctx, tree, n)
		if err != nil {
			return nil, false, err
		}
		if hit {
			return n, true, nil
		}
		known = known || told && i == 0
	}
	return nil, known, nil
}

// hittable queries XCTest whether it finds an element at its middle; known: it responded. The element is found again by
// its type and place: the WebDriverAgents before 5.7 report none.
func (f *Fingers) hittable(ctx context.Context, tree *screen.Tree, n *screen.Node) (hit, known bool, err error) {
	ask := wda.Request{What: "what a touch meets", Method: http.MethodPost, Path: "/elements", Look: true,
		Body: map[string]any{"using": "predicate string", "value": placePredicate(n, f.parts.Geometry.Factor())}}
	var all []wda.Element
	if err := f.parts.Link.Do(ctx, ask, &all); err != nil {
		return false, false, unlessNotTold(err)
	}
	at, ok := sameAt(tree, n, len(all))
	if !ok {
		return false, false, nil
	}
	id := all[at].ID
	if id == "" {
		id = all[at].Old
	}
	var told json.RawMessage
	read := wda.Get("what a touch meets", "/element/"+id+"/attribute/hittable")
	if err := f.parts.Link.Do(ctx, read, &told); err != nil {
		return false, false, unlessNotTold(err)
	}
	switch strings.Trim(string(told), `"`) {
	case "true", "1":
		return true, true, nil
	case "false", "0":
		return false, true, nil
	}
	return false, false, nil
}

// sameAt returns which of the elements of n's type and place n is, in document order: the order in which WebDriverAgent
// lists what fits placePredicate. ok is false where the tree has not as many of them as were found, or has some in an
// alert, which it puts behind the rest: then the two lists cannot be compared.
func sameAt(tree *screen.Tree, n *screen.Node, found int) (at int, ok bool) {
	at, count := -1, 0
	for c := range tree.All {
		if c.Type != n.Type || c.Bounds != n.Bounds || c.InPage {
			continue
		}
		if c.Window != n.Window {
			return 0, false
		}
		if c == n {
			at = count
		}
		count++
	}
	return at, at >= 0 && count == found
}

// placePredicate finds the elements of n's type and place.
func placePredicate(n *screen.Node, scale float64) string {
	at := func(pixels int) int { return int(math.Round(float64(pixels) / scale)) }
	b := n.Bounds
	x, y := at(b.Min.X), at(b.Min.Y)
	return fmt.Sprintf("type == '%s' AND rect.x == %d AND rect.y == %d AND rect.width == %d AND rect.height == %d", n.Type,
		x, y, at(b.Max.X)-x, at(b.Max.Y)-y)
}

// unlessNotTold drops what WebDriverAgent refused, or was not ready for.
func unlessNotTold(err error) error {
	if errors.Is(err, drivers.ErrAppCrashed) {
		return err
	}
	if errors.Is(err, drivers.ErrNotReady) {
		return nil
	}
	return wda.UnlessRefused(err)
}

// effect waits until the screen, below its status bar, is another one than before a touch.
func (f *Fingers) effect(ctx context.Context, before image.Image, n, over *screen.Node) error {
	region := before.Bounds()
	region.Min.Y = pixels.StatusBar(region.Size()).Max.Y
	for began := time.Now(); ; {
		now, err := f.parts.Camera.Screenshot(ctx)
		if err != nil {
			return err
		}
		if now.Bounds() != before.Bounds() || !pixels.Changed(before, now, region).Empty() {
			return nil
		}
		if time.Since(began) >= effectGrace {
			return fmt.Errorf(
				"device %s: %w: nothing on the screen has changed after the touch of %s, and XCTest does not find it under %s",
				f.parts.Link.ID, drivers.ErrNotActionable, n, over)
		}
		if err := drivers.Pause(ctx, effectPoll); err != nil {
			return err
		}
	}
}

// touchInPage makes a gesture that starts on an element of a page, unless something of the app's that is clear takes
// it; the page holds it back when it would meet another element of the page.
func (f *Fingers) touchInPage(ctx context.Context, tree *screen.Tree, n *screen.Node, p image.Point,
	gesture func() error) error {
	if err := f.refuseTaken(ctx, tree, n, layersOver(tree, n, p)); err != nil {
		return err
	}
	return f.parts.Web.Touch(ctx, n, gesture)
}
