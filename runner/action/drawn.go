package action

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// An element tree does not tell what is opaque. Where something is drawn over all of an element, the pixels of the screen tell whether
// a person can see it.

// findDrawn runs a query over the tree that was read last, and leaves out what lies under something opaque. For an action that finds
// nothing else, such an element stays, as covered: the report tells what was meant, and what covers it.
func (w *screenReader) findDrawn(ctx context.Context, q screen.Query) ([]screen.Match, error) {
	w.hiddenUnder = ""
	var failed error
	covers := map[*screen.Node]*screen.Node{}
	q.Drawn = func(n *screen.Node, seen image.Rectangle, over []*screen.Node) bool {
		cover, err := w.coverOf(ctx, screen.Match{Node: n, Seen: seen, Over: over})
		if err != nil {
			failed = err
		}
		if cover != nil {
			covers[n] = cover
			w.hiddenUnder = fmt.Sprintf("%s is there, but hidden under %s", n, cover)
		}
		return cover == nil
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

// reachable gives the elements that are on the screen, or that the device can bring there.
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

// coverOf gives what hides the match from a person; nil when it can be seen.
func (w *screenReader) coverOf(ctx context.Context, m screen.Match) (*screen.Node, error) {
	if len(m.Over) == 0 {
		return nil, nil
	}
	if w.shotAt.Before(w.tree.Taken) {
		err := w.picture(ctx)
		var p *drivers.ProtectedError
		if err != nil && !errors.As(err, &p) {
			if errors.Is(err, drivers.ErrDeviceLost) || ctx.Err() != nil {
				return nil, err
			}
			w.s.doubt("whether %s can be seen under %s could not be told: %v", m.Node, m.Over[0], err)
			return nil, nil
		}
	}
	if w.protected != nil && w.protected.At(m.Seen) {
		return nil, w.unprovenBehind(m)
	}
	shot := w.rest.Last()
	top := m.Over[len(m.Over)-1]
	part := m.Seen.Intersect(shot.Bounds())
	switch {
	case part.Empty() || dark(shot):
		return nil, nil
	case smooth(shot, part):
		return top, nil
	}
	other := contentOver(m, part)
	if other == nil {
		return nil, nil
	}
	if readable, known := w.readable(ctx, shot, m); known && readable {
		return nil, nil
	}
	return other, nil
}

// unprovenBehind is the error of an element that something lies over which shows something, where no pixels tell whether one sees it all the same. What
// shows nothing is taken for clear, as most such layers are, and doubted.
func (w *screenReader) unprovenBehind(m screen.Match) error {
	if other := contentOver(m, m.Seen); other != nil {
		return fmt.Errorf("whether %s can be seen under %s cannot be told: %w", m.Node, other, w.protected)
	}
	w.s.doubtOnce("whether %s can be seen under %s could not be told: the app forbids pictures of its window", m.Node, m.Over[0])
	return nil
}

// contentOver gives what the elements over the match show in its place; nil when they show nothing there.
func contentOver(m screen.Match, part image.Rectangle) *screen.Node {
	var found *screen.Node
	var walk func(n *screen.Node)
	walk = func(n *screen.Node) {
		if n.Hidden || !n.Bounds.Overlaps(part) {
			return
		}
		shows := n.Text != "" || len(n.Children) == 0 && (n.Desc != "" || strings.Contains(n.Type, "Image") || strings.Contains(n.Type, "Video") ||
			strings.Contains(n.Type, "Surface") || strings.Contains(n.Type, "WebView"))
		if shows && n.Bounds.Intersect(part).Size().X*2 >= part.Dx() {
			found = n
		}
		for _, c := range n.Children {
			walk(c)
		}
	}
	for _, n := range m.Over {
		walk(n)
	}
	return found
}

// readable tells whether the text of the match can be read where it stands; known: somebody could look.
func (w *screenReader) readable(ctx context.Context, shot image.Image, m screen.Match) (readable, known bool) {
	if w.s.Vision == nil || m.Node.Text == "" {
		return false, false
	}
	part := m.Seen.Inset(-standMargin).Intersect(shot.Bounds())
	lines, err := w.s.Vision.OCR(ctx, cut(shot, part, nil))
	if err != nil {
		return false, false
	}
	return len(drivers.FindText(lines, m.Node.Text)) > 0, true
}

// sharpEdge is the least difference in brightness, of 255, between two neighbouring pixels that a letter or an icon makes. A gradient
// stays below it.
const sharpEdge = 12

// smooth tells whether nothing is drawn in a part of a picture but a plain colour or a gradient.
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

// dark tells whether a picture is black all over, as those are that show nothing of a screen: such a picture tells nothing.
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
