package action

import (
	"context"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// underKeyboard reports whether a touch would hit the on-screen keyboard instead of the element: the keyboard is in no
// tree. A device is asked only while a field has the focus, because there is none otherwise.
func (h *targetSearch) underKeyboard(ctx context.Context, m screen.Match) bool {
	d, ok := h.s.Device.(drivers.KeyboardArea)
	field := h.tree.Focused()
	if !ok || field == nil || !field.Editable || m.Target == field || m.Point.Y <= field.Bounds.Min.Y {
		return false // a keyboard never covers the field that it types into, nor above it
	}
	area, err := d.KeyboardArea(ctx)
	return err == nil && m.Point.In(area)
}

// uncover hides the keyboard, once; the next read must find the element free.
func (h *targetSearch) uncover(ctx context.Context) error {
	h.why = "is covered by the keyboard"
	d, ok := h.s.Device.(drivers.KeyboardHider)
	if !ok || h.hid {
		return errWait
	}
	h.hid = true
	if err := d.HideKeyboard(ctx); err != nil {
		return err
	}
	h.s.note("the keyboard lay over it and was hidden")
	return errWait
}
