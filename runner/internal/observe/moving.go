package observe

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/pixels"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// restlessPause is between the two screenshots that show whether a screen still moves.
const restlessPause = 120 * time.Millisecond

// elements reads the tree. On a screen that was refused because it never stops moving, and that still moves, it does
// not ask again: each refusal costs a phone more than ten seconds. Where a label is looked for and there is vision, its
// pixels are read instead.
func (s *Screen) elements(ctx context.Context, need decide.Need) (*screen.Tree, error) {
	if s.o.Moving != nil && *s.o.Moving {
		moves, err := s.moves(ctx)
		if err != nil {
			return nil, err
		}
		if moves {
			return nil, s.neverIdle(drivers.ErrNeverIdle, need)
		}
		*s.o.Moving = false
	}
	t, err := s.dev.Tree(ctx)
	if errors.Is(err, drivers.ErrNeverIdle) {
		if s.o.Moving != nil {
			*s.o.Moving = true
		}
		err = s.neverIdle(err, need)
	}
	return t, err
}

// neverIdle says what can be searched on a screen that never stops moving.
func (s *Screen) neverIdle(err error, need decide.Need) error {
	if need.Label && s.o.Vision || need.PixelsOnly {
		return err
	}
	return fmt.Errorf(
		"%w; its pixels can be looked for: a label, ocr:, image: (`taproot doctor` shows what reading them needs)", err)
}

// moves reports whether anything on the screen changes now.
func (s *Screen) moves(ctx context.Context) (bool, error) {
	before, err := s.dev.Screenshot(ctx)
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
	now, err := s.dev.Screenshot(ctx)
	if err != nil {
		return false, err
	}
	return !pixels.Changed(before, now, before.Bounds()).Empty(), nil
}

// onlyPixels reports whether the search continues without a tree.
func (s *Screen) onlyPixels(err error, need decide.Need) bool {
	if need.Label && s.o.Vision && errors.Is(err, drivers.ErrNeverIdle) {
		return true
	}
	return need.PixelsOnly && errors.Is(err, drivers.ErrNotReady)
}
