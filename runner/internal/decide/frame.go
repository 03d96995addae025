package decide

import (
	"image"
	"time"

	"github.com/taproot-dev/taproot/drivers/screen"
)

// Shot is a screenshot, without its pixels: these are asked about by a Question. The zero Shot is none.
type Shot struct {
	ID   int             `json:"id"` // unique in a step, from 1
	At   time.Time       `json:"at"` // when it was requested
	Size image.Rectangle `json:"size"`
}

// Taken reports whether there is one.
func (s Shot) Taken() bool { return s.ID != 0 }

// Frame is what one observation saw of a screen.
type Frame struct {
	// Tree is nil where the screen could not be read; see Failed.
	Tree *screen.Tree `json:"-"`
	// Taken is when the reading of Tree started, in a recorded frame.
	Taken time.Time `json:"taken,omitzero"`
	// Digest sums up what the tree shows and where: two trees of one digest are alike.
	Digest string `json:"digest"`
	// Loading: the page is still being loaded, in a frame without Tree: by the rules of Maestro there is a digest alone.
	Loading bool `json:"loading,omitempty"`
	// Quick: Tree is a quick tree, which is enough to see that an element is not there, and for nothing else.
	Quick bool `json:"quick,omitempty"`
	// PixelsOnly: no tree can be read, as the screen never stops moving. Tree is one empty area.
	PixelsOnly bool `json:"pixels_only,omitempty"`
	// Before is the newest screenshot that was requested before the tree, After the oldest of those after it, Last the
	// newest of all.
	Before Shot `json:"before"`
	After  Shot `json:"after,omitzero"`
	Last   Shot `json:"last"`
	// NoPixels says why no screenshots are compared any more: the app forbids them; "" as long as they are.
	NoPixels string `json:"no_pixels,omitempty"`
	// Still is when the screenshot was taken since which nothing has moved but carets, clocks and the status bar; zero:
	// not known.
	Still time.Time `json:"still"`
	// Protected are the parts of the screen that the last screenshot does not show; an empty one: all of it may be.
	Protected []image.Rectangle `json:"protected,omitempty"`
	// ShotFailed says that a screenshot after the tree was requested and cannot be had.
	ShotFailed bool `json:"shot_failed,omitempty"`
	// Failed says why the screen could not be read now; it may be readable later.
	Failed string `json:"failed,omitempty"`
	// Now is when the frame was decided on.
	Now time.Time `json:"now"`
	// Why says what the search waited for after the frame, "" where it did not wait. Nothing is decided by it.
	Why string `json:"why,omitempty"`
	// Evidence holds the answers to the questions of decisions, by Question.Key.
	Evidence map[string]Answer `json:"evidence,omitempty"`
}

// hides reports whether nothing is known of the pixels of a part of the screen.
func (f *Frame) hides(part image.Rectangle) bool {
	for _, p := range f.Protected {
		if p.Empty() || p.Overlaps(part) {
			return true
		}
	}
	return false
}
