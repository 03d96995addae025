package decide

import (
	"image"
	"slices"

	"github.com/taproot-dev/taproot/drivers/screen"
)

// isKey reports whether an element is a key of a bar of the system. The parts of an iPhone's status bar show something
// anywhere, not in their middle.
func (v sightView) isKey(n *screen.Node) bool {
	return !v.want.Device.IOS && n.Text == "" && slices.ContainsFunc(v.f.Tree.Bars, func(b *screen.Node) bool {
		return slices.Contains(b.Children, n)
	})
}

// middleOf is where a key of a bar shows its icon. The rest of the key is as clear as the bar.
func middleOf(key image.Rectangle) image.Rectangle {
	half := min(key.Dx(), key.Dy()) * 3 / 10
	middle := key.Min.Add(key.Max).Div(2)
	return image.Rectangle{Min: middle, Max: middle}.Inset(-half)
}

// iconOver is where a layer can show an icon over an element, and nothing above or below it: in its middle, no more
// than twice as high and as wide as the element is high.
func iconOver(seen, layer image.Rectangle) image.Rectangle {
	middle := layer.Min.Add(layer.Max).Div(2)
	return middleOf(layer).Intersect(image.Rectangle{Min: middle, Max: middle}.Inset(-seen.Dy()))
}

// showsThrough reports whether what is drawn over an element is clear: an edge of the element's own box, or of a box
// that it is in, runs through all of what is over it. A text in a clear panel is clear, too, where its box has no edge.
func (v sightView) showsThrough(c candidate, shot Shot) (bool, error) {
	through, err := v.lineThrough(c, c.over, shot)
	texts, panels := parted(c.over)
	if err != nil || through || len(panels) == 0 || len(texts) == 0 {
		return through, err
	}
	if through, err = v.lineThrough(c, panels, shot); err != nil || !through {
		return false, err
	}
	for _, o := range texts {
		for _, line := range linesOf(o.Bounds) {
			blank, err := v.ask(Question{Ask: AskBlank, A: shot.ID, Area: line.Intersect(shot.Size)})
			if err != nil || !blank.Yes {
				return false, err
			}
		}
	}
	return true, nil
}

// parted returns the plain texts among some elements, and the others.
func parted(list []*screen.Node) (texts, others []*screen.Node) {
	for _, o := range list {
		if o.Text != "" && len(o.Children) == 0 && !o.Clickable && !o.Editable {
			texts = append(texts, o)
		} else {
			others = append(others, o)
		}
	}
	return texts, others
}

// lineThrough reports whether an edge of the element's box, or of one that it is in, is drawn in what all of some
// elements over it have in common.
func (v sightView) lineThrough(c candidate, over []*screen.Node, shot Shot) (bool, error) {
	area := image.Rectangle{Max: v.f.Tree.Size}
	for _, o := range over {
		area = area.Intersect(o.Bounds.Inset(boxEdge))
	}
	for n := c.n; n != nil && !area.Empty(); n = n.Parent {
		if slices.ContainsFunc(c.over, func(o *screen.Node) bool { return o.Within(n) }) {
			break
		}
		for _, line := range linesOf(n.Bounds) {
			line = line.Intersect(area)
			if line.Dx() != 2 && line.Dy() != 2 || v.bordersOn(line, c) {
				continue
			}
			edge, err := v.ask(Question{Ask: AskLine, A: shot.ID, Area: line})
			if err != nil || edge.Yes {
				return edge.Yes, err
			}
		}
	}
	return false, nil
}

// mixedInk reports whether characters are drawn that are not those of the texts over an element: each of these is left
// out where it is read. One that cannot be read has other characters between its own. A layer that has a name alone, as
// the scrim of a drawer, can show an icon in its middle.
func (v sightView) mixedInk(c candidate, before Question) (bool, error) {
	texts, panels := parted(c.over)
	places := map[*screen.Node]image.Rectangle{}
	for _, o := range panels {
		if o.Text == "" && len(o.Children) == 0 && c.seen.In(o.Bounds) {
			places[o] = middleOf(o.Bounds)
		}
	}
	for _, o := range texts {
		got, err := v.ask(Question{Ask: AskReadable, A: before.A, Text: o.Text,
			Area: o.Bounds.Inset(-besideIt).Intersect(image.Rectangle{Max: v.f.Tree.Size})})
		if err != nil || got.Unknown {
			return false, err
		}
		places[o] = got.Box.Inset(-1)
		if !got.Yes {
			places[o] = image.Rectangle{}
		}
	}
	q := v.inkQuestion(c, before.Area, true, places)
	q.A = before.A
	ink, err := v.ask(q)
	return ink.Yes, err
}

// inkBehind reports whether an element is seen through layers that have a name alone, as the scrim of a drawer: such a
// layer shows an icon in its middle at most. Something is drawn in the place of the element, and nothing right next to
// it: what a picture as large as the screen shows does not end where the element does. An action does not need to know:
// such a layer takes the touch.
func (v sightView) inkBehind(c candidate, before Question) (bool, error) {
	places := map[*screen.Node]image.Rectangle{}
	for _, o := range c.over {
		switch {
		case !showsSomething(o):
		case v.isLayer(o):
			places[o] = iconOver(c.seen, o.Bounds)
		default:
			return false, nil
		}
	}
	if len(places) == 0 || c.n.Text == "" && c.n.Desc == "" || v.want.Purpose == Act {
		return false, nil
	}
	q := v.inkQuestion(c, before.Area, before.Text == Characters, places)
	q.A = before.A
	if ink, err := v.ask(q); err != nil || !ink.Yes {
		return false, err
	}
	free, all := 0, 0
	for _, strip := range around(c.seen) {
		strip = strip.Intersect(image.Rectangle{Max: v.f.Tree.Size})
		if strip.Dx() < boxEdge || strip.Dy() < boxEdge {
			continue
		}
		smooth, err := v.ask(Question{Ask: AskSmooth, A: before.A, Area: strip})
		if err != nil {
			return false, err
		}
		if all++; smooth.Yes {
			free++
		}
	}
	return free > 1 && free >= all-1, nil // a neighbour may be close on one side
}

// isLayer reports whether an element is a layer over a large part of the screen that has a name and no text.
func (v sightView) isLayer(n *screen.Node) bool {
	named := *n
	named.Desc, named.Hint = "", ""
	return n.Text == "" && !showsSomething(&named) && n.Bounds.Dx()*n.Bounds.Dy()*4 >= v.f.Tree.Size.X*v.f.Tree.Size.Y
}

// around returns the strips along the edges of a box, outside of it.
func around(b image.Rectangle) []image.Rectangle {
	return []image.Rectangle{
		image.Rect(b.Min.X, b.Min.Y-besideIt, b.Max.X, b.Min.Y), image.Rect(b.Min.X, b.Max.Y, b.Max.X, b.Max.Y+besideIt),
		image.Rect(b.Min.X-besideIt, b.Min.Y, b.Min.X, b.Max.Y), image.Rect(b.Max.X, b.Min.Y, b.Max.X+besideIt, b.Max.Y),
	}
}

// linesOf are the edges of a box, two pixels wide.
func linesOf(b image.Rectangle) []image.Rectangle {
	return []image.Rectangle{
		image.Rect(b.Min.X, b.Min.Y-1, b.Max.X, b.Min.Y+1), image.Rect(b.Min.X, b.Max.Y-1, b.Max.X, b.Max.Y+1),
		image.Rect(b.Min.X-1, b.Min.Y, b.Min.X+1, b.Max.Y), image.Rect(b.Max.X-1, b.Min.Y, b.Max.X+1, b.Max.Y),
	}
}

// bordersOn reports whether something that is drawn later may have drawn a line itself: it has an edge there.
func (v sightView) bordersOn(line image.Rectangle, c candidate) bool {
	later := false
	for n := range v.f.Tree.All {
		later = later || n == c.over[0]
		if !later || n.Within(c.n) {
			continue
		}
		for _, e := range linesOf(n.Bounds) {
			if e.Inset(-boxEdge).Overlaps(line) && (e.Dx() == 2) == (line.Dx() == 2) {
				return true
			}
		}
	}
	return false
}
