package ui

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/input"
)

// keyCombinationAPI is the first API level with an input service that presses keys together.
const keyCombinationAPI = 31

// keyCode returns the code of one of drivers.KeyNames.
func keyCode(name string) (int, bool) {
	if n, ok := strings.CutPrefix(name, "f"); ok && n != "" {
		if n, err := strconv.Atoi(n); err == nil && n >= 1 && n <= 12 {
			return 130 + n, true
		}
	}
	code, ok := map[string]int{
		"enter": 66, "tab": 61, "space": 62, "backspace": input.KeyBackspace, "delete": input.KeyForwardDel,
		"escape": input.KeyEscape,
		"up":     19, "down": 20, "left": 21, "right": 22, "home": input.KeyHome, "end": input.KeyMoveEnd,
		"pageUp": 92, "pageDown": 93,
		"back": input.KeyBack, "appSwitch": 187, "menu": 82, "power": 26, "volumeUp": 24, "volumeDown": 25, "search": 84,
		"lock": 276, "select": 23, "playPause": 85, "mediaStop": 86, "mediaNext": 87, "mediaPrevious": 88, "rewind": 89,
		"fastForward": 90,
		"navigateUp":  280, "navigateDown": 281, "buttonA": 96, "buttonB": 97, "tvInput": 178, "hdmi1": 243, "hdmi2": 244,
		"hdmi3": 245,
		"shift": input.KeyShift, "control": input.KeyControl, "alt": 57, "meta": 117,
	}[name]
	return code, ok
}

// characterCode returns the code of the key that has a character on it.
func characterCode(r rune) (int, bool) {
	switch {
	case r >= 'a' && r <= 'z':
		return input.KeyA + int(r-'a'), true
	case r >= 'A' && r <= 'Z':
		return input.KeyA + int(r-'A'), true
	case r >= '0' && r <= '9':
		return 7 + int(r-'0'), true
	}
	code, ok := map[rune]int{
		'*': 17, '#': 18, ',': 55, '.': 56, ' ': 62, '`': 68, '-': 69, '=': 70, '[': 71, ']': 72, '\\': 73, ';': 74, '\'': 75,
		'/': 76, '@': 77, '+': 81,
	}[r]
	return code, ok
}

// Press presses keys. A single character is typed as text, so is a character with shift; all else that is pressed
// together needs Android 12. "home" alone is the phone's button; with other keys it goes to the beginning of the line.
func (u *Screen) Press(ctx context.Context, keys []string) error {
	if text, ok := AsText(keys); ok {
		return u.Type(ctx, text)
	}
	codes, err := KeyCodes(keys)
	switch {
	case err != nil:
		return fmt.Errorf("device %s: %w", u.Phone.Link.Serial, err)
	case len(keys) == 1:
		_, err := u.Input.Inputs(ctx, "keyevent", []string{input.KeyEvents(codes)})
		return err
	case u.Phone.Info.APILevel < keyCombinationAPI:
		return fmt.Errorf("device %s: %w: %s: keys are pressed together from Android 12 on, this is Android %s",
			u.Phone.Link.Serial,
			drivers.ErrUnsupported, strings.Join(keys, "+"), u.Phone.Info.OSVersion)
	}
	_, err = u.Input.Inputs(ctx, "keycombination", []string{input.KeyCombination(codes...)})
	return err
}

// KeyCodes returns the codes of keys that are pressed together.
func KeyCodes(keys []string) ([]int, error) {
	if len(keys) == 0 {
		return nil, fmt.Errorf("%w: no key to press", drivers.ErrUnsupported)
	}
	codes := make([]int, len(keys))
	for i, key := range keys {
		code, ok := keyCode(key)
		if r, size := utf8.DecodeRuneInString(key); !ok && size == len(key) {
			code, ok = characterCode(r)
		}
		if !ok {
			return nil, fmt.Errorf("%w: no key %q; there are single characters, %s", drivers.ErrUnsupported, key,
				strings.Join(drivers.KeyNames(), ", "))
		}
		if code == input.KeyHome && len(keys) > 1 {
			code = input.KeyMoveHome
		}
		codes[i] = code
	}
	return codes, nil
}

// AsText returns what keys type, if that is all they do.
func AsText(keys []string) (string, bool) {
	shift := len(keys) == 2 && keys[0] == "shift"
	if len(keys) != 1 && !shift {
		return "", false
	}
	key := keys[len(keys)-1]
	r, size := utf8.DecodeRuneInString(key)
	if key == "" || size != len(key) || r == utf8.RuneError || r < ' ' {
		return "", false
	}
	if !shift {
		return key, true
	}
	code, ok := characterCode(r)
	return strings.ToUpper(key), ok && code >= input.KeyA && code < input.KeyA+26
}

const (
	eraseChunk = 200 // keys in one command: each waits until the app has dealt with it
	eraseMost  = 100_000

	longestSecret = 64
)

// Erase takes characters from the end of the field, wherever the caret is. Everything goes by select-all and one key
// from Android 12 on; before, as many keys are sent as the field shows characters, and no more: an empty field may do
// something of its own with a backspace. (Old Androids give the hint of an empty field as its text.) Whether it came
// true is seen on the screen.
func (u *Screen) Erase(ctx context.Context, n int) error {
	combines := u.Phone.Info.APILevel >= keyCombinationAPI
	if n < 0 && combines {
		_, err := u.Input.Inputs(ctx, "erase", []string{input.KeyCombination(input.KeyControl, input.KeyA),
			input.KeyEvents([]int{input.KeyBackspace})})
		return err
	}
	forward := 0
	if n < 0 {
		tree, err := u.Tree(ctx)
		if err != nil {
			return err
		}
		field := tree.Focused()
		if field == nil || !field.Editable {
			return fmt.Errorf("device %s: %w: no text field has the focus", u.Phone.Link.Serial, drivers.ErrNotActionable)
		}
		n = utf8.RuneCountInString(field.Text)
		if field.Password {
			n = max(n, longestSecret) // some phones report nothing of a password, not even its length
		}
		if strings.Contains(field.Text, "\n") {
			forward = n // the end that the keyboard knows is that of the line
		}
	}
	if n = min(n, eraseMost); n == 0 {
		return nil
	}
	first := []string{input.KeyEvents([]int{input.KeyMoveEnd})}
	if combines {
		first = []string{input.KeyCombination(input.KeyControl, input.KeyMoveEnd)}
	}
	codes := append(slices.Repeat([]int{input.KeyBackspace}, n), slices.Repeat([]int{input.KeyForwardDel}, forward)...)
	for chunk := range slices.Chunk(codes, eraseChunk) {
		if _, err := u.Input.Inputs(ctx, "erase", append(first, input.KeyEvents(chunk))); err != nil {
			return err
		}
		first = nil
	}
	return nil
}
