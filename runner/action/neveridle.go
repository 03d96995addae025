package action

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/drivers/vision/pixels"
	"github.com/taproot-dev/taproot/dsl"
)

// restlessPause is between the two screenshots that show whether a screen still moves.
const restlessPause = 120 * time.Millisecond

// labelOnly reports whether a selector requires only a label, which pixels can show when nothing else does.
func labelOnly(sel dsl.Selector) bool {
	plain := dsl.Selector{Label: sel.Label, Index: sel.Index, First: sel.First}
	return sel.Label != "" && reflect.DeepEqual(sel, plain)
}

// elements reads the tree. On a screen that was refused because it never stops moving, and that still moves, it does
// not ask again: each refusal costs a phone more than ten seconds. Where a label is looked for and there is vision, its
// pixels are read instead.
func (w *screenReader) elements(ctx context.Context) (*screen.Tree, error) {
	if w.s.neverIdle {
		moves, err := w.moves(ctx)
		if err != nil {
			return nil, err
		}
		if moves {
			return nil, w.neverIdle(drivers.ErrNeverIdle)
		}
		w.s.neverIdle = false
	}
	t, err := w.s.Device.Tree(ctx)
	if errors.Is(err, drivers.ErrNeverIdle) {
		w.s.neverIdle = true
		err = w.neverIdle(err)
	}
	return t, err
}

// neverIdle says what can be searched on a screen that never stops moving.
func (w *screenReader) neverIdle(err error) error {
	if w.labelled && w.s.Vision != nil || w.onlySeen {
		return err
	}
	return fmt.Errorf(
		"%w; its pixels can be looked for: a label, ocr:, image: (`taproot doctor` shows what reading them needs)", err)
}

// moves reports whether anything on the screen changes now.
func (w *screenReader) moves(ctx context.Context) (bool, error) {
	before, err := w.s.Device.Screenshot(ctx)
	var p *drivers.ProtectedError
	if errors.As(err, &p) {
		return false, nil // the elements are asked again
	}
	if err != nil {
		return false, err
	}
	if err := drivers.Pause(ctx, restlessPause); err != nil {
		return false, err
	}
	now, err := w.s.Device.Screenshot(ctx)
	if err != nil {
		return false, err
	}
	return !pixels.Changed(before, now, before.Bounds()).Empty(), nil
}

// onlyPixels reports whether the search continues without a tree.
func (w *screenReader) onlyPixels(err error) bool {
	if w.labelled && w.s.Vision != nil && errors.Is(err, drivers.ErrNeverIdle) {
		return true
	}
	return w.onlySeen && errors.Is(err, drivers.ErrNotReady)
}

// prepareFor notes how the watch may answer for a selector.
func (w *screenReader) prepareFor(sel dsl.Selector) {
	if d, ok := w.s.Device.(drivers.TextHinter); ok {
		d.HintTexts(soughtTexts(sel)...)
	}
	w.readsParts(sel)
	w.onlySeen, w.labelled = visionSuffices(sel), labelOnly(sel)
}

// soughtTexts are the texts that a selector, and those within it, speak of.
func soughtTexts(sel dsl.Selector) []string {
	var texts []string
	for _, text := range []string{sel.Label, sel.Text, sel.Desc, sel.Hint} {
		if text != "" && sel.Match != dsl.MatchRegex {
			texts = append(texts, text)
		}
	}
	for _, other := range sel.Relations() {
		texts = append(texts, soughtTexts(*other)...)
	}
	return texts
}
