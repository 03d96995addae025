package android

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

const (
	hideLimit = 1500 * time.Millisecond // for a keyboard to go down after its key
	hidePoll  = 100 * time.Millisecond
)

// HideKeyboard sends escape, and back where a keyboard stays in spite of it. Each key is sent only while the keyboard is shown,
// because without one both leave the screen.
func (d *Device) HideKeyboard(ctx context.Context) error {
	shown, err := d.KeyboardShown(ctx)
	for _, key := range []int{keyEscape, keyBack} {
		if err != nil || !shown {
			return err
		}
		if _, err := d.inputs(ctx, "hide the keyboard", []string{keyEvents([]int{key})}); err != nil {
			return err
		}
		shown, err = d.keyboardStays(ctx)
	}
	if err == nil && shown {
		err = fmt.Errorf("device %s: the keyboard stays on the screen after escape and back", d.link.serial)
	}
	return err
}

// errStillUp is why the wait for a keyboard ended.
var errStillUp = errors.New("the keyboard is still shown")

// keyboardStays waits for the keyboard to go.
func (d *Device) keyboardStays(ctx context.Context) (bool, error) {
	wait, cancel := context.WithTimeoutCause(ctx, hideLimit, errStillUp)
	defer cancel()
	for {
		shown, err := d.KeyboardShown(ctx)
		if err != nil || !shown {
			return shown, err
		}
		if err := drivers.Pause(wait, hidePoll); errors.Is(err, errStillUp) {
			return true, nil
		} else if err != nil {
			return true, d.link.fault(ctx, "hide the keyboard", err)
		}
	}
}
