package web

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers/screen"
)

// noFrame is the error of a frame that cannot be entered because nothing on the page matches it.
type noFrame struct {
	outer string  // CSS of the frames around it, as in drivers.WebTarget
	part  string  // its own CSS
	in    *report // of the document in which it was looked up
}

func (e *noFrame) Error() string {
	return fmt.Sprintf("%v: nothing on the page matches %s", errNoFrame, screen.Quote(e.part))
}

func (e *noFrame) Unwrap() error { return errNoFrame }

// KnownFrames are the frames that were on the pages of a session, by CSS as in drivers.WebTarget. The zero value is
// ready.
type KnownFrames struct {
	mu     sync.Mutex
	frames map[string]bool
}

func (k *KnownFrames) enter(frame string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.frames == nil {
		k.frames = map[string]bool{}
	}
	k.frames[frame] = true
}

func (k *KnownFrames) has(frame string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.frames[frame]
}

// lookOrGone calls look for a wait that may be for absence. A frame that is not on the page holds no element: where
// that meets the wait, the result is a report without elements, with a warning when the frame was never on the page
// either.
func (rd *Reader) lookOrGone(ctx context.Context, look func() (*report, error), meets func(*report) bool) (r *report,
	warning string, err error) {
	r, err = look()
	var gone *noFrame
	if !errors.As(err, &gone) {
		return r, "", err
	}
	empty := &report{State: gone.in.State, Rest: gone.in.Rest, Loaded: gone.in.Loaded}
	if !meets(empty) {
		return nil, "", err
	}
	if !rd.knowsFrame(ctx, gone) {
		warning = fmt.Sprintf("the frame %s was never seen on the page: check its selector", screen.Quote(gone.part))
	}
	return empty, warning, nil
}

// lookIn takes one fresh look at what selector picks in a frame, "" for the page itself.
func (rd *Reader) lookIn(ctx context.Context, frame, selector string) (*report, error) {
	r, err := rd.look(ctx, scoped(frame, selector), frame != "")
	if frame == "" {
		return r, err
	}
	if errors.Is(err, errSlice) {
		if err := rd.missingFrame(ctx, frame); !errors.Is(err, errSlice) {
			return nil, err
		}
		r, err = rd.lookFor(ctx, frameLimit, scoped(frame, selector), true)
	}
	if err != nil {
		return nil, err
	}
	rd.entered(frame)
	if r.Visible == 0 {
		return r, nil
	}
	return r, rd.hideIn(ctx, frame, r)
}

// hideIn makes all elements of a report hidden when a frame around them is: their own document does not know.
func (rd *Reader) hideIn(ctx context.Context, frame string, r *report) error {
	outer := ""
	for part := range strings.SplitSeq(frame, " >> ") {
		around, err := rd.lookFor(ctx, frameLimit, scoped(outer, part), outer != "")
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

// missingFrame says which frame could not be entered, and why; errSlice: they are all there.
func (rd *Reader) missingFrame(ctx context.Context, frame string) error {
	outer, limit := "", callLimit-time.Second
	for part := range strings.SplitSeq(frame, " >> ") {
		r, err := rd.lookFor(ctx, limit, scoped(outer, part), outer != "")
		switch {
		case err != nil:
			return err
		case r.Count == 0:
			return &noFrame{outer: outer, part: part, in: r}
		case r.Count > 1:
			return &screen.AmbiguousError{What: "the frame " + screen.Quote(part), Candidates: r.What}
		}
		outer, limit = joinFrames(outer, part), frameLimit
	}
	return errSlice
}

func joinFrames(outer, part string) string {
	if outer == "" {
		return part
	}
	return outer + " >> " + part
}

// entered keeps that a frame, and those around it, were on a page of the session.
func (rd *Reader) entered(frame string) {
	s, _, err := rd.slot.page()
	if err != nil {
		return
	}
	outer := ""
	for part := range strings.SplitSeq(frame, " >> ") {
		outer = joinFrames(outer, part)
		s.frames.enter(outer)
	}
}

// knowsFrame reports whether a frame that is not on the page was there before: a step has entered it, or the page was
// read while it was there.
func (rd *Reader) knowsFrame(ctx context.Context, gone *noFrame) bool {
	s, _, err := rd.slot.page()
	if err != nil {
		return false
	}
	known := s.frames.has(joinFrames(gone.outer, gone.part))
	if known {
		return true
	}
	known, err = read(ctx, rd.slot, func(page playwright.Page) (bool, error) {
		var answer struct{ Known bool }
		command := "taproot=framed." + hex.EncodeToString([]byte(strings.TrimPrefix(gone.part, "css=")))
		err := askSelector(page.Locator(scoped(gone.outer, command)), &answer, frameLimit)
		return answer.Known, err
	})
	return err == nil && known
}
