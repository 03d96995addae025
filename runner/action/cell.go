package action

import (
	"context"
	"errors"
	"strings"
	"time"
	"unicode"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// cellOpens is how long a cell may take to open its field, and to show the key that has opened it.
const cellOpens = 500 * time.Millisecond

// openCell presses the first key of text when a cell of a grid has the focus and no field is on its way to it: many
// grids open a field then. It returns what is still to be typed, the whole text where no field has opened; key is what
// was pressed, "" when nothing was.
func (t typist) openCell(ctx context.Context, text string) (opened bool, key, rest string,
	err error) {
	cells, ok := t.d.(screen.CellTypist)
	keys, can := t.s.Device.(drivers.Keys)
	if !ok || !can || text == "" || text[0] > unicode.MaxASCII || !unicode.IsGraphic(rune(text[0])) {
		return false, "", text, nil
	}
	err = poll(ctx, min(t.s.Timeout, focusGrace), func() error {
		in, err := cells.CellInFocus(ctx)
		if err == nil && in {
			err = errWait
		}
		return err
	})
	if !errors.Is(err, errWait) {
		return false, "", text, err
	}
	key, rest = text[:1], text
	if err := keys.Press(ctx, []string{key}); err != nil {
		return false, key, text, err
	}
	err = poll(ctx, cellOpens, func() error {
		field, _, err := t.d.Field(ctx)
		t.s.Detail.ScreenReads++
		if err == nil && field == nil {
			err = errWait
		}
		if err != nil {
			return err
		}
		if opened = true; !strings.HasSuffix(field.Text, key) {
			return errWait
		}
		rest = text[1:]
		return nil
	})
	if errors.Is(err, errWait) {
		err = nil // it shows nothing of the key, or has opened nothing
	}
	if opened {
		t.openedBy(key)
	}
	return opened, key, rest, err
}

func (t typist) openedBy(key string) {
	t.s.note("the cell opened a field at the key %s", screen.Quote(key))
}
