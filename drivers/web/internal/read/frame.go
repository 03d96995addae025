package read

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
)

// noFrame is the error of a frame that cannot be entered because nothing on the page matches it.
type noFrame struct {
	outer string  // CSS of the frames around it, as in drivers.WebTarget
	part  string  // its own CSS
	in    *Report // of the document in which it was looked up
}

func (e *noFrame) Error() string {
	return fmt.Sprintf("%v: nothing on the page matches %s", ErrNoFrame, screen.Quote(e.part))
}

func (e *noFrame) Unwrap() error { return ErrNoFrame }

// LookOrGone calls look for a wait that may be for absence. A frame that is not on the page holds no element: where
// that meets the wait, the result is a report without elements, with a warning when the frame was never on the page
// either.
func (rd *Reader) LookOrGone(ctx context.Context, look func() (*Report, error), meets func(*Report) bool) (r *Report,
	warning string, err error) {
	r, err = look()
	var gone *noFrame
	if !errors.As(err, &gone) {
		return r, "", err
	}
	empty := &Report{State: gone.in.State, Rest: gone.in.Rest, Loaded: gone.in.Loaded}
	if !meets(empty) {
		return nil, "", err
	}
	if !rd.knowsFrame(ctx, gone) {
		warning = fmt.Sprintf("the frame %s was never seen on the page: check its selector", screen.Quote(gone.part))
	}
	return empty, warning, nil
}

// LookIn takes one fresh look at what selector picks in a frame, "" for the page itself.
func (rd *Reader) LookIn(ctx context.Context, frame, selector string) (*Report, error) {
	r, err := rd.look(ctx, Scoped(frame, selector), frame != "")
	if frame == "" {
		return r, err
	}
	if errors.Is(err, pages.ErrSlice) {
		if err := rd.MissingFrame(ctx, frame); !errors.Is(err, pages.ErrSlice) {
			return nil, err
		}
		r, err = rd.lookFor(ctx, pages.FrameLimit, Scoped(frame, selector), true)
	}
	if err != nil {
		return nil, err
	}
	rd.Entered(frame)
	if r.Visible == 0 {
		return r, nil
	}
	return r, rd.hideIn(ctx, frame, r)
}

// hideIn makes all elements of a report hidden when a frame around them is: their own document does not know.
func (rd *Reader) hideIn(ctx context.Context, frame string, r *Report) error {
	outer := ""
	for part := range strings.SplitSeq(frame, " >> ") {
		around, err := rd.lookFor(ctx, pages.FrameLimit, Scoped(outer, part), outer != "")
		switch {
		case err != nil:
			return err
		case around.Count == 0: // it went away just now
			return &noFrame{outer: outer, part: part, in: around}
		case around.Visible == 0:
			r.Visible, r.Texts, r.Values, r.Able = 0, nil, nil, false
			return nil
		}
		outer = joinFrames(outer, part)
	}
	return nil
}

// MissingFrame says which frame could not be entered, and why; ErrSlice: they are all there.
func (rd *Reader) MissingFrame(ctx context.Context, frame string) error {
	outer, limit := "", browser.CallLimit-time.Second
	for part := range strings.SplitSeq(frame, " >> ") {
		r, err := rd.lookFor(ctx, limit, Scoped(outer, part), outer != "")
		switch {
		case err != nil:
			return err
		case r.Count == 0:
			return &noFrame{outer: outer, part: part, in: r}
		case r.Count > 1:
			return &screen.AmbiguousError{What: "the frame " + screen.Quote(part), Candidates: r.What}
		}
		outer, limit = joinFrames(outer, part), pages.FrameLimit
	}
	return pages.ErrSlice
}

func joinFrames(outer, part string) string {
	if outer == "" {
		return part
	}
	return outer + " >> " + part
}

// Entered keeps that a frame, and those around it, were on a page of the session.
func (rd *Reader) Entered(frame string) {
	s, _, err := rd.slot.Page()
	if err != nil {
		return
	}
	outer := ""
	for part := range strings.SplitSeq(frame, " >> ") {
		outer = joinFrames(outer, part)
		s.Frames.Enter(outer)
	}
}

// knowsFrame reports whether a frame that is not on the page was there before: a step has entered it, or the page was
// read while it was there.
func (rd *Reader) knowsFrame(ctx context.Context, gone *noFrame) bool {
	s, _, err := rd.slot.Page()
	if err != nil {
		return false
	}
	known := s.Frames.Has(joinFrames(gone.outer, gone.part))
	if known {
		return true
	}
	known, err = pages.Read(ctx, rd.slot, func(page playwright.Page) (bool, error) {
		var answer struct{ Known bool }
		command := "taproot=framed." + hex.EncodeToString([]byte(strings.TrimPrefix(gone.part, "css=")))
		err := pages.AskSelector(page.Locator(Scoped(gone.outer, command)), &answer, pages.FrameLimit)
		return answer.Known, err
	})
	return err == nil && known
}

// LookDrawn is LookIn where pixels say what the canvases of the page draw of the elements: once a canvas may draw
// something of them, the tree says where, and they are looked at again with what drawn has decided. Without drawn, what
// a canvas draws does not count.
func (rd *Reader) LookDrawn(ctx context.Context, frame, selector string, drawn drivers.DrawnBelow) (*Report, error) {
	r, err := rd.LookIn(ctx, frame, selector)
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
	limit := browser.CallLimit - time.Second
	if frame != "" {
		limit = pages.FrameLimit
	}
	again, err := rd.lookProven(ctx, limit, Scoped(frame, selector), frame != "", proof)
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
		r, err := rd.lookFor(ctx, pages.FrameLimit, Scoped(outer, part), outer != "")
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
