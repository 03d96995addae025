package android

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// keyboard is the keyboard on the screen.
type keyboard struct {
	phone *phone
	input *injector
}

const (
	hideLimit = 1500 * time.Millisecond // for a keyboard to go down after its key
	hidePoll  = 100 * time.Millisecond
)

// hideTries is how often the back key is pressed: the first one may close what a keyboard has opened of its own.
const hideTries = 2

// HideKeyboard sends the back key, which an open keyboard takes for itself, and only while it is shown, because without
// one it leaves the screen. Escape would do that on some phones although the keyboard is open.
func (k *keyboard) HideKeyboard(ctx context.Context) error {
	shown, err := k.KeyboardShown(ctx)
	for range hideTries {
		if err != nil || !shown {
			return err
		}
		if _, err := k.input.inputs(ctx, "hide the keyboard", []string{keyEvents([]int{keyBack})}); err != nil {
			return err
		}
		shown, err = k.keyboardStays(ctx)
	}
	if err == nil && shown {
		err = fmt.Errorf("device %s: the keyboard stays on the screen after the back key", k.phone.link.serial)
	}
	return err
}

// errStillUp is why the wait for a keyboard ended.
var errStillUp = errors.New("the keyboard is still shown")

// keyboardStays waits for the keyboard to go.
func (k *keyboard) keyboardStays(ctx context.Context) (bool, error) {
	wait, cancel := context.WithTimeoutCause(ctx, hideLimit, errStillUp)
	defer cancel()
	for {
		shown, err := k.KeyboardShown(ctx)
		if err != nil || !shown {
			return shown, err
		}
		if err := drivers.Pause(wait, hidePoll); errors.Is(err, errStillUp) {
			return true, nil
		} else if err != nil {
			return true, k.phone.link.fault(ctx, "hide the keyboard", err)
		}
	}
}
