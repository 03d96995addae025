package visit

import (
	"context"
	"fmt"
	"slices"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
)

// Alerter answers the dialogs of the current page.
type Alerter struct{ slot *pages.Slot }

// NewAlerter answers the dialogs of a slot.
func NewAlerter(slot *pages.Slot) *Alerter { return &Alerter{slot: slot} }

// Alert returns the dialog that is open.
func (a *Alerter) Alert(ctx context.Context) (*drivers.Alert, error) {
	s, _, err := a.slot.Page()
	if err != nil {
		return nil, err
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.Dialogs.Alert(), nil
}

// AnswerAlert closes the dialog that is open.
func (a *Alerter) AnswerAlert(ctx context.Context, button, text string) error {
	s, _, err := a.slot.Page()
	if err != nil {
		return err
	}
	open, err := a.Alert(ctx)
	if err == nil && open != nil && !slices.Contains(open.Buttons, button) {
		return fmt.Errorf("%w: the dialog has the buttons %q, not %s", screen.ErrNotFound, open.Buttons, screen.Quote(button))
	}
	there, err := s.Dialogs.Settle(ctx, open != nil && button == open.Accept, text)
	if !there && err == nil {
		return fmt.Errorf("%w: no dialog is open", screen.ErrNotFound)
	}
	return err
}
