package drivers

import (
	"context"
	"fmt"
	"image"
)

// Protected is a window, or a part of one, of which its app allows no screenshots: FLAG_SECURE on Android.
type Protected struct {
	Window string          // as the device calls it
	Bounds image.Rectangle // pixels of the screenshot; empty: not known, it may be all of the screen
}

// Protector is a Device with apps that can forbid screenshots of their windows. A screenshot of such a screen is black
// there or cannot be had, and shows nothing; the elements can be read and touched all the same.
type Protector interface {
	// Protected returns what of the screen screenshots do not show now, the topmost first; nil: they show all of it.
	Protected(ctx context.Context) ([]Protected, error)
}

// ProtectedError says that what pixels alone could show is unknown, because an app forbids screenshots. It is an
// ErrNotReady: what is on the screen next may be allowed.
type ProtectedError struct {
	Device string // its id
	Parts  []Protected
}

func (e *ProtectedError) Error() string {
	name := "what is on the screen"
	if len(e.Parts) > 0 {
		name = "the window " + e.Parts[0].Window
	}
	return fmt.Sprintf(
		"device %s: the app forbids screenshots of %s (FLAG_SECURE): what its pixels show is unknown; its elements can be "+
			"looked for", e.Device, name)
}

// Is makes it an ErrNotReady.
func (e *ProtectedError) Is(target error) bool { return target == ErrNotReady }

// Whole reports whether a screenshot of these bounds shows almost nothing of the screen.
func (e *ProtectedError) Whole(b image.Rectangle) bool {
	for _, p := range e.Parts {
		if part := p.Bounds.Intersect(b); p.Bounds.Empty() || part.Dx()*part.Dy()*10 >= b.Dx()*b.Dy()*9 {
			return true
		}
	}
	return false
}

// At reports whether nothing is known of the pixels of a part of the screen.
func (e *ProtectedError) At(part image.Rectangle) bool {
	for _, p := range e.Parts {
		if p.Bounds.Empty() || p.Bounds.Overlaps(part) {
			return true
		}
	}
	return false
}
