package keyboard

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
)

// typed are the keys that the keyboard on the screen has.
func typed(key string) (string, bool) {
	text, ok := map[string]string{"enter": "\n", "space": " ", "backspace": "\b"}[key]
	if ok || utf8.RuneCountInString(key) != 1 {
		return text, ok
	}
	return key, true
}

// hardKey is a key of a keyboard that is plugged in: its name in XCTest, and its character.
type hardKey struct{ name, char string }

func hardKeys() map[string]hardKey {
	keys := map[string]hardKey{
		"enter": {"Return", "\r"}, "tab": {"Tab", "\t"}, "space": {"Space", " "}, "backspace": {"Delete", "\b"},
		"delete": {"ForwardDelete", "\uf728"}, "escape": {"Escape", "\x1b"}, "up": {"UpArrow", "\uf700"},
		"down": {"DownArrow", "\uf701"},
		"left": {"LeftArrow", "\uf702"}, "right": {"RightArrow", "\uf703"}, "home": {"Home", "\uf729"},
		"end":    {"End", "\uf72b"},
		"pageUp": {"PageUp", "\uf72c"}, "pageDown": {"PageDown", "\uf72d"},
	}
	for i := range 12 {
		keys[fmt.Sprintf("f%d", i+1)] = hardKey{fmt.Sprintf("F%d", i+1), string(rune(0xf704 + i))}
	}
	return keys
}

// modifierFlag returns XCTest's bit of a key that is held.
func modifierFlag(key string) int {
	return map[string]int{"shift": 1 << 1, "control": 1 << 2, "alt": 1 << 3, "meta": 1 << 4}[key]
}

// Press presses keys: those of the keyboard on the screen by typing them, those of the phone's frame by name, and all
// others as on a keyboard that is plugged in, which iOS knows since version 17.
func (k *Keyboard) Press(ctx context.Context, keys []string) error {
	if len(keys) == 0 {
		return k.link.Unsupported("no key to press")
	}
	for _, key := range keys {
		if utf8.RuneCountInString(key) != 1 && !slices.Contains(drivers.KeyNames(), key) {
			return k.link.Unsupported(fmt.Sprintf("no key %q; there are single characters, %s", key,
				strings.Join(drivers.KeyNames(), ", ")))
		}
	}
	held, key := keys[:len(keys)-1], keys[len(keys)-1]
	if len(held) > 0 {
		return k.chord(ctx, held, key)
	}
	if press, ok := k.frame()[key]; ok {
		return press(ctx)
	}
	if text, ok := typed(key); ok {
		return k.Type(ctx, text)
	}
	if hard, ok := hardKeys()[key]; ok {
		return k.keyboard(ctx, "XCUIKeyboardKey"+hard.name)
	}
	return k.link.Unsupported(fmt.Sprintf("an iPhone has no key %q", key))
}

// frame are the buttons around the screen, and their substitutes.
func (k *Keyboard) frame() map[string]func(context.Context) error {
	button := func(name string) func(context.Context) error {
		return func(ctx context.Context) error {
			err := k.link.Do(ctx, wda.Post("the button "+name, "/wda/pressButton", map[string]any{"name": name}), nil)
			var refused *wda.Error
			if errors.As(err, &refused) && strings.Contains(refused.Message, "is not supported") {
				return fmt.Errorf("%w: %w", drivers.ErrUnsupported, err)
			}
			return err
		}
	}
	none := func(why string) func(context.Context) error {
		return func(context.Context) error { return k.link.Unsupported(why) }
	}
	return map[string]func(context.Context) error{
		"home": func(ctx context.Context) error {
			return k.link.Alone(ctx, wda.Post("the home button", "/wda/homescreen", nil))
		},
		"volumeUp":   button("volumeup"),
		"volumeDown": button("volumedown"),
		"power":      k.power,
		"back":       none("an iPhone has no back button: tap the one of the app"),
		"appSwitch":  none("an iPhone has no button for the list of apps"),
		"menu":       none("an iPhone has no menu button"),
		"search":     none("an iPhone has no search button"),
	}
}

// power locks the screen, or wakes it.
func (k *Keyboard) power(ctx context.Context) error {
	locked, err := k.link.Locked(ctx)
	if err != nil {
		return err
	}
	if locked {
		return k.link.Do(ctx, wda.Post("unlocking", "/wda/unlock", nil), nil)
	}
	return k.link.Do(ctx, wda.Post("locking", "/wda/lock", nil), nil)
}

// chord presses a key while others are held. Control means Command where a tester who knows another system's
// keyboard means it.
func (k *Keyboard) chord(ctx context.Context, held []string, key string) error {
	flags := 0
	for _, h := range held {
		flag := modifierFlag(h)
		if h == "control" && strings.Contains("acvxz", strings.ToLower(key)) {
			flag = modifierFlag("meta")
		}
		if flag == 0 {
			return k.link.Unsupported(fmt.Sprintf("the key %q cannot be held", h))
		}
		flags |= flag
	}
	char := key
	if hard, ok := hardKeys()[key]; ok {
		char = hard.char
	} else if utf8.RuneCountInString(key) != 1 {
		return k.link.Unsupported(fmt.Sprintf("%s cannot be pressed together", strings.Join(append(held, key), "+")))
	}
	if flags == modifierFlag("shift") && char == key {
		return k.Type(ctx, strings.ToUpper(key))
	}
	return k.keyboard(ctx, map[string]any{"key": char, "modifierFlags": flags})
}

// keyboard presses one key of a plugged-in keyboard.
func (k *Keyboard) keyboard(ctx context.Context, key any) error {
	return k.link.Do(ctx, wda.Post("a key", "/wda/element/0/keyboardInput", map[string]any{"keys": []any{key}}), nil)
}
