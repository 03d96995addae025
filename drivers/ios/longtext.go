package ios

import (
	"context"
	"errors"
	"fmt"

	"github.com/taproot-dev/taproot/drivers/screen"
)

// mostLong is for how many elements of a source the whole text is requested.
const mostLong = 8

// longTexts requests the whole texts of those elements of which the source may contain only the start. Where
// one cannot be had, the reading says that it is cut: nothing is known not to be in it.
func (d *Device) longTexts(ctx context.Context, seen reading) error {
	for i, n := range seen.long {
		whole := ""
		if i < mostLong {
			var err error
			if whole, err = d.wholeText(ctx, n); err != nil {
				return err
			}
		}
		if whole == "" {
			seen.cut(fmt.Sprintf("the text of %s may be longer than the %d bytes that WebDriverAgent returns of it", n.Type,
				mostOfValue))
			continue
		}
		n.Text = whole
	}
	return nil
}

// wholeText finds an element of the source again by its type and place, and requests its whole text; "" where it is
// not found, or is one of several there.
func (d *Device) wholeText(ctx context.Context, n *screen.Node) (string, error) {
	all, err := d.ofType(ctx, n.Type)
	if err != nil {
		return "", unlessRefused(err)
	}
	e, ok := onlyAt(all, n.Bounds, activeElement.box)
	if !ok {
		return "", nil
	}
	text, err := d.textOf(ctx, e.ID)
	return text, unlessRefused(err)
}

// textOf is all that an element says.
func (d *Device) textOf(ctx context.Context, id string) (string, error) {
	var text *string
	err := d.do(ctx, get("the whole text of an element", "/element/"+id+"/text"), &text)
	if err != nil || text == nil {
		return "", err
	}
	return *text, nil
}

// unlessRefused drops what WebDriverAgent refused.
func unlessRefused(err error) error {
	if errors.As(err, new(*wdaError)) {
		return nil
	}
	return err
}
