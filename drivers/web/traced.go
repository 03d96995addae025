package web

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// lookDrawn is lookIn where pixels say what the canvases of the page draw of the elements: once a canvas may draw
// something of them, the tree says where, and they are looked at again with what drawn has decided. Without drawn, what
// a canvas draws does not count.
func (rd *Reader) lookDrawn(ctx context.Context, frame, selector string, drawn drivers.DrawnBelow) (*report, error) {
	r, err := rd.lookIn(ctx, frame, selector)
	if err != nil || drawn == nil || !r.Canvas {
		return r, err
	}
	tree, err := rd.Tree(ctx)
	if err != nil {
		return nil, err
	}
	way, err := rd.wayInto(ctx, tree, frame)
	if err != nil {
		return nil, err
	}
	proof := proof{gen: way[:strings.IndexByte(way, '/')]}
	for n := range tree.All {
		number, inWay := strings.CutPrefix(n.Ref, way)
		if !inWay || strings.Contains(number, "/") || n.Traced == nil || n.Hidden || n.Offscreen || n.Obscured != "" {
			continue
		}
		shown, err := drawn(ctx, tree, n)
		if err != nil {
			return nil, err
		}
		if shown {
			proof.drawn = append(proof.drawn, number)
		}
	}
	limit := callLimit - time.Second
	if frame != "" {
		limit = frameLimit
	}
	again, err := rd.lookProven(ctx, limit, scoped(frame, selector), frame != "", proof)
	switch {
	case err != nil:
		return nil, err
	case again.Gen != proof.gen:
		return nil, fmt.Errorf("%w: the page was read again or changed meanwhile", drivers.ErrNotReady)
	case frame == "" || again.Visible == 0:
		return again, nil
	}
	return again, rd.hideIn(ctx, frame, again)
}

// proof is what the pixels say: which elements of one document of the tree gen the canvases below them draw.
type proof struct {
	gen   string
	drawn []string // numbers in the document
}

// wayInto is the start of those references of a tree that are of elements in a frame, "" for the page itself.
func (rd *Reader) wayInto(ctx context.Context, tree *screen.Tree, frame string) (string, error) {
	gen := ""
	for n := range tree.All {
		if n.Ref != "" {
			gen, _, _ = strings.Cut(n.Ref, "/")
			break
		}
	}
	way, outer := gen+"/", ""
	if frame == "" {
		return way, nil
	}
	for part := range strings.SplitSeq(frame, " >> ") {
		r, err := rd.lookFor(ctx, frameLimit, scoped(outer, part), outer != "")
		switch {
		case err != nil:
			return "", err
		case r.Gen != gen || len(r.Refs) != 1:
			return "", fmt.Errorf("%w: the frame %s changed meanwhile", drivers.ErrNotReady, screen.Quote(part))
		}
		way += fmt.Sprintf("%d/", r.Refs[0])
		outer = joinFrames(outer, part)
	}
	return way, nil
}
