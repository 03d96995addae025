package action

import (
	"context"
	"image"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/vision/pixels"
	"github.com/taproot-dev/taproot/reporters"
)

// proofGrace is how long a screen on which a tap has changed nothing is given before that counts.
const proofGrace = 400 * time.Millisecond

// aimed is what the screen looked like just before a tap.
type aimed struct {
	picture image.Image
	at      time.Time
}

// proves keeps that the element stood still and was not covered when it was touched.
func (s *Session) proves(w *watch) {
	s.Detail.Proof = reporters.ProofHit
	if last := w.rest.Last(); w.pixels && last != nil {
		s.aimed = &aimed{last, time.Now()}
	}
}

// disproves keeps why an element was not touched.
func (h *hunt) disproves(m drivers.Match) {
	switch {
	case m.CoverText != "":
		h.s.Detail.Proof = reporters.ProofOccluded
	case h.why == movesOn:
		h.s.Detail.Proof = reporters.ProofMoved
	default:
		return
	}
	h.s.matched(m)
	h.s.touched(m.Point)
}

// Prove looks whether the step's tap has changed the screen; shown is the picture after the step, nil when there is none. Nothing
// that it finds changes the verdict: an app may do its work where nobody sees it.
func (s *Session) Prove(ctx context.Context, shown image.Image) {
	before := s.aimed
	s.aimed = nil
	if before == nil || s.Detail.Proof != reporters.ProofHit || shown == nil || s.NoPictures {
		return
	}
	if !s.same(before.picture, shown) {
		return
	}
	if rest := proofGrace - time.Since(before.at); rest > 0 {
		if drivers.Pause(ctx, rest) != nil {
			return
		}
	}
	again, err := s.Device.Screenshot(ctx)
	if err != nil || !s.same(before.picture, again) {
		return
	}
	s.Detail.Proof = reporters.ProofNoEffect
	s.note("nothing on the screen had changed %s after the tap", time.Since(before.at).Round(10*time.Millisecond))
}

// same compares two pictures below the status bar, whose clock goes on whatever is tapped.
func (s *Session) same(a, b image.Image) bool {
	region := a.Bounds()
	region.Min.Y = pixels.StatusBar(region.Size()).Max.Y
	return pixels.Changed(a, b, region).Empty()
}
