package input

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strconv"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// Keyboard is the keyboard on the screen.
type Keyboard struct {
	Phone *phone.Phone
	Input *Injector
}

const (
	hideLimit = 1500 * time.Millisecond // for a keyboard to go down after its key
	hidePoll  = 100 * time.Millisecond
)

// hideTries is how often the back key is pressed: the first one may close what a keyboard has opened of its own.
const hideTries = 2

// HideKeyboard sends the back key, which an open keyboard takes for itself, and only while it is shown, because without
// one it leaves the screen. Escape would do that on some phones although the keyboard is open.
func (k *Keyboard) HideKeyboard(ctx context.Context) error {
	shown, err := k.KeyboardShown(ctx)
	for range hideTries {
		if err != nil || !shown {
			return err
		}
		if _, err := k.Input.Inputs(ctx, "hide the keyboard", []string{KeyEvents([]int{KeyBack})}); err != nil {
			return err
		}
		shown, err = k.keyboardStays(ctx)
	}
	if err == nil && shown {
		err = fmt.Errorf("device %s: the keyboard stays on the screen after the back key", k.Phone.Link.Serial)
	}
	return err
}

// errStillUp is why the wait for a keyboard ended.
var errStillUp = errors.New("the keyboard is still shown")

// keyboardStays waits for the keyboard to go.
func (k *Keyboard) keyboardStays(ctx context.Context) (bool, error) {
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
			return true, k.Phone.Link.Fault(ctx, "hide the keyboard", err)
		}
	}
}

var (
	inputShown = lazyregexp.New(`\bmInputShown=(true|false)`)
	viewShown  = lazyregexp.New(`\bmIsInputViewShown=(true|false)`)
)

// KeyboardShown queries the input method service.
func (k *Keyboard) KeyboardShown(ctx context.Context) (bool, error) {
	o, err := k.Phone.Run(ctx, adb.Command{Name: "dumpsys input_method", ReadOnly: true, Line: "dumpsys input_method"})
	if err != nil {
		return false, err
	}
	return parseKeyboard(string(o.Out)), nil
}

// parseKeyboard prefers what the service says to what the keyboard itself says, which stays true for a while after it
// was hidden.
func parseKeyboard(dumpsys string) bool {
	for _, line := range []*lazyregexp.Regexp{inputShown, viewShown} {
		if m := line.FindStringSubmatch(dumpsys); m != nil {
			return m[1] == "true"
		}
	}
	return false
}

var (
	keyboardWindow = lazyregexp.New(`(?m)^\s*Window #\d+ Window\{[^}]*\bInputMethod\}:`)
	anyWindow      = lazyregexp.New(`(?m)^\s*Window #\d+ `)
	touchable      = lazyregexp.New(`touchable region=SkRegion\(((?:\(-?\d+,-?\d+,-?\d+,-?\d+\))+)`)
	regionPart     = lazyregexp.New(`\((-?\d+),(-?\d+),(-?\d+),(-?\d+)\)`)

	givenInsets = lazyregexp.New(`mGiven(?:Content|Visible)Insets=\[\d+,(\d+)\]`)
)

// KeyboardArea queries the input method service for whether there is one, and the window manager where it takes
// touches: its window is often as large as the screen. Where that is not reported it is assumed to be two fifths of the
// screen.
func (k *Keyboard) KeyboardArea(ctx context.Context) (image.Rectangle, error) {
	o, err := k.Phone.Run(ctx, adb.Command{Name: "dumpsys input_method", ReadOnly: true,
		Line: "dumpsys input_method; dumpsys window windows"})
	if err != nil || !parseKeyboard(string(o.Out)) {
		return image.Rectangle{}, err
	}
	if area := parseKeyboardArea(string(o.Out)); !area.Empty() {
		return area, nil
	}
	size := k.Phone.ScreenSize()
	return image.Rect(0, size.Y*3/5, size.X, size.Y), nil
}

func parseKeyboardArea(dumpsys string) image.Rectangle {
	at := keyboardWindow.FindStringIndex(dumpsys)
	if at == nil {
		return image.Rectangle{}
	}
	section := dumpsys[at[1]:]
	if next := anyWindow.FindStringIndex(section); next != nil {
		section = section[:next[0]]
	}
	var area image.Rectangle
	if m := touchable.FindStringSubmatch(section); m != nil {
		for _, part := range regionPart.FindAllStringSubmatch(m[1], -1) {
			area = area.Union(phone.Rectangle(part[1:]))
		}
		return area
	}
	frame, insets := phone.WindowFrame.FindStringSubmatch(section), givenInsets.FindStringSubmatch(section)
	if frame == nil || insets == nil {
		return area
	}
	area = phone.Rectangle(frame[1:])
	top, _ := strconv.Atoi(insets[1])
	area.Min.Y += top
	return area
}
