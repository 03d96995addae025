package action

import (
	"context"
	"fmt"
	"image"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// An element tree does not say what is opaque, nor what is drawn at all. The pixels of the screen decide it, in
// sightOf: that one result serves presence, absence, counts and conditions, so that of an assertion and its negation
// exactly one holds.

// findDrawn runs a query over the tree that was read last, and leaves out what a person cannot see. For an action that
// finds nothing else, what is under something opaque stays, as covered: the report says what was found, and what
// covers it.
func (w *screenReader) findDrawn(ctx context.Context, q screen.Query) ([]screen.Match, error) {
	w.hiddenUnder, w.undrawn = "", false
	var failed error
	covers := map[*screen.Node]*screen.Node{}
	q.Drawn = func(n *screen.Node, seen image.Rectangle, over []*screen.Node) bool {
		got, err := w.sightOf(ctx, candidate{n, seen, over}, q.Action || w.unseenToo)
		if err != nil && failed == nil {
			failed = err
		}
		if got.cover != nil {
			covers[n] = got.cover
		}
		if got.hidden != "" {
			w.hiddenUnder = fmt.Sprintf("%s is there, but %s", n, got.hidden)
			w.undrawn = w.undrawn || got.cover == nil
		}
		return got.hidden == ""
	}
	matches, err := w.tree.Find(q)
	if failed != nil {
		return nil, failed
	}
	if err != nil || len(matches) > 0 || !q.Action || len(covers) == 0 {
		return matches, err
	}
	q.Drawn = nil
	if matches, err = w.tree.Find(q); err != nil || len(matches) == 0 || covers[matches[0].Node] == nil {
		return nil, nil
	}
	matches[0].Cover = covers[matches[0].Node]
	matches[0].CoverText = matches[0].Cover.String()
	return matches[:1], nil
}

// reachable returns the elements that are on the screen, or that the device can bring there.
func (w *screenReader) reachable(ctx context.Context, sel dsl.Selector) ([]screen.Match, error) {
	matches, err := w.find(ctx, sel, toSee)
	if _, reveals := w.s.Device.(drivers.Revealer); err != nil || len(matches) > 0 || !reveals {
		return matches, err
	}
	q, err := w.query(ctx, sel, toAct)
	if err != nil {
		return nil, err
	}
	return w.tree.Candidates(q)
}

// readable reports whether the text of an element can be read in its place; known is false where there is no OCR.
func (w *screenReader) readable(ctx context.Context, shot image.Image, c candidate) (readable, known bool) {
	if w.s.Vision == nil || c.n.Text == "" {
		return false, false
	}
	part := c.seen.Inset(-standMargin).Intersect(shot.Bounds())
	lines, err := w.s.Vision.OCR(ctx, cut(shot, part, nil))
	if err != nil {
		return false, false
	}
	return len(drivers.FindText(lines, c.n.Text)) > 0, true
}

// sharpEdge is the least difference in brightness, of 255, between two neighbouring pixels that a character or an icon
// makes. A gradient stays below it.
const sharpEdge = 12

// smooth reports whether nothing is drawn in a part of a screenshot but a plain colour or a gradient.
func smooth(img image.Image, r image.Rectangle) bool {
	edges := 0
	for y := r.Min.Y; y < r.Max.Y; y++ {
		last := -1
		for x := r.Min.X; x < r.Max.X; x++ {
			now := brightness(img, x, y)
			if last >= 0 && max(now-last, last-now) >= sharpEdge {
				if edges++; edges > 2 {
					return false
				}
			}
			last = now
		}
	}
	return true
}

// dark reports whether a screenshot is black all over, as those are that show nothing of a screen: such a screenshot
// shows nothing.
func dark(img image.Image) bool {
	at := img.Bounds().Min.Add(img.Bounds().Size().Div(2))
	return brightness(img, at.X, at.Y) < sharpEdge && smooth(img, img.Bounds())
}

func brightness(img image.Image, x, y int) int {
	r, g, b, _ := img.At(x, y).RGBA()
	return int((299*r + 587*g + 114*b) / 1000 >> 8)
}

// notePart says in the report when only a part of what was looked for can be seen.
func (s *Session) notePart(m screen.Match) {
	if m.Node.Bounds == m.Seen || m.Seen.Empty() {
		return
	}
	r := m.Seen
	s.note("only a part of %s can be seen: [%d,%d][%d,%d]", m.Node, r.Min.X, r.Min.Y, r.Max.X, r.Max.Y)
}
