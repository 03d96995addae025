package action

import (
	"context"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
)

func press(ctx context.Context, s *Session, a dsl.Press) error {
	d, err := capability[drivers.Keys](s)
	if err != nil {
		return err
	}
	for _, chord := range a.Chords() {
		key := chord.Key
		if key == "recents" {
			key = "appSwitch"
		}
		if err := d.Press(ctx, append(append([]string{}, chord.Modifiers...), key)); err != nil {
			return err
		}
	}
	return nil
}

func hideKeyboard(ctx context.Context, s *Session, _ dsl.HideKeyboard) error {
	d, err := capability[drivers.KeyboardHider](s)
	if err != nil {
		return err
	}
	return d.HideKeyboard(ctx)
}
