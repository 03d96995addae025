package ios

import (
	"context"
	"errors"
	"fmt"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// Alert gives the alert of the system or the app that is open.
func (d *Device) Alert(ctx context.Context) (*drivers.Alert, error) {
	ctx, cancel := drivers.Bound(ctx, d.life)
	defer cancel()
	return d.alert(ctx)
}

func (d *Device) alert(ctx context.Context) (*drivers.Alert, error) {
	var text *string
	err := d.wda.in(ctx, get("the alert", "/alert/text"), &text)
	if errors.Is(err, screen.ErrNotFound) || err == nil && text == nil {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	a := &drivers.Alert{Text: *text}
	err = d.wda.in(ctx, get("the alert's buttons", "/wda/alert/buttons"), &a.Buttons)
	switch {
	case errors.Is(err, screen.ErrNotFound): // it was closed meanwhile
		return nil, nil
	case err != nil && !unknownCommand(err):
		return nil, err
	}
	return a, nil
}

// AnswerAlert fills the alert's field and presses the button that accepts, or dismisses.
func (d *Device) AnswerAlert(ctx context.Context, accept bool, text string) error {
	if text != "" {
		if err := d.do(ctx, post("text for the alert", "/alert/text", map[string]any{"value": text}), nil); err != nil {
			var refused *wdaError
			if errors.As(err, &refused) && refused.Code == "unsupported operation" {
				return fmt.Errorf("device %s: %w: %w", d.info.ID, drivers.ErrNotActionable, err)
			}
			return err
		}
	}
	if accept {
		return d.do(ctx, post("accepting the alert", "/alert/accept", nil), nil)
	}
	return d.do(ctx, post("dismissing the alert", "/alert/dismiss", nil), nil)
}
