package action

import (
	"context"
	"errors"
	"fmt"
	"image"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// unsure says of what was found, if the time ends before the next read, that it was not known to be there for a
// person.
func (w *screenReader) unsure(matches []screen.Match) {
	if len(matches) > 0 && w.hiddenUnder == "" {
		w.hiddenUnder = fmt.Sprintf(
			"%s is there, but the time ended before it was seen to stay, and not to be hidden, as by the "+
				"keyboard", matches[0].Node)
	}
}

// shownAs is a selector that also requires a text.
func shownAs(sel dsl.Selector, text *string) dsl.Selector {
	if text != nil {
		sel.Text = *text
	}
	return sel
}

// toastType is the element of a toast, of which the place is an estimate.
const toastType = "android.widget.Toast"

// newerPicture returns a screenshot that was taken after the newest tree; nil: none can be had, and nothing follows.
func (w *screenReader) newerPicture(ctx context.Context) (image.Image, error) {
	if w.shotAt.Before(w.tree.Taken) {
		err := w.takeScreenshot(ctx)
		var p *drivers.ProtectedError
		if err != nil && !errors.As(err, &p) {
			if errors.Is(err, drivers.ErrDeviceLost) || ctx.Err() != nil {
				return nil, err
			}
			w.s.doubtOnce("whether it is drawn is unknown: %v", err)
			return nil, nil
		}
		if w.shotAt.Before(w.tree.Taken) {
			return nil, nil // none may be taken
		}
	}
	return w.rest.Last(), nil
}

// behindKeyboard reports whether the keyboard covers all that could be seen of an element: it covers the page and is in
// no tree. The device is queried only while a field has the focus, about what is below the beginning of that field.
func (w *screenReader) behindKeyboard(ctx context.Context, c candidate) (bool, error) {
	d, ok := w.s.Device.(drivers.KeyboardArea)
	field := w.tree.Focused()
	if !ok || field == nil || !field.Editable || c.n == field || c.seen.Min.Y <= field.Bounds.Min.Y {
		return false, nil
	}
	area, err := d.KeyboardArea(ctx)
	return err == nil && c.seen.In(area), err
}
