package field

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
)

// maxErase caps the Backspaces of one Erase.
const maxErase = 100000

// KeyNames are Playwright's words for those keys of drivers.KeyNames that a browser has, in lower case.
func KeyNames() map[string]string {
	names := map[string]string{
		"enter": "Enter", "tab": "Tab", "space": "Space", "backspace": "Backspace", "delete": "Delete", "escape": "Escape",
		"up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight", "home": "Home", "end": "End",
		"pageup": "PageUp", "pagedown": "PageDown", "menu": "ContextMenu", "shift": "Shift", "control": "Control",
		"alt":  "Alt",
		"meta": "Meta",
		// Playwright's own words, and what keyboards are labelled with.
		"arrowup": "ArrowUp", "arrowdown": "ArrowDown", "arrowleft": "ArrowLeft", "arrowright": "ArrowRight",
		"contextmenu": "ContextMenu", "insert": "Insert", "capslock": "CapsLock", "controlormeta": "ControlOrMeta",
		"ctrl": "Control", "esc": "Escape", "del": "Delete", "return": "Enter", "cmd": "Meta", "command": "Meta",
	}
	for i := 1; i <= 12; i++ {
		names[fmt.Sprintf("f%d", i)] = fmt.Sprintf("F%d", i)
	}
	return names
}

// SplitKeys takes a combination apart: "Control+Shift+a", "Control++".
func SplitKeys(key string) []string {
	if key == "+" || key == "" {
		return []string{key}
	}
	if rest, ok := strings.CutSuffix(key, "++"); ok && rest != "" {
		return append(SplitKeys(rest), "+")
	}
	return strings.Split(key, "+")
}

// Combine puts keys into Playwright's words.
func Combine(keys []string) ([]string, error) {
	if len(keys) == 0 {
		return nil, fmt.Errorf("%w: no key was given to press", drivers.ErrUnsupported)
	}
	names := KeyNames()
	parts := make([]string, 0, len(keys)+1)
	held, shift := false, false
	for i, key := range keys {
		name := names[strings.ToLower(key)]
		switch {
		case key == " ":
			name = "Space"
		case utf8.RuneCountInString(key) == 1:
			name = character(key, held, shift)
		case name == "":
			return nil, noKey(key)
		}
		shift = shift || name == "Shift"
		held = held || slices.Contains([]string{"Control", "Alt", "Meta", "ControlOrMeta"}, name)
		if !shift && i > 0 && i == len(keys)-1 && strings.Contains(upperSigns, name) {
			parts = append(parts, "Shift") // without it, there is no such key
		}
		parts = append(parts, name)
	}
	return parts, nil
}

// PressTogether presses keys in Playwright's words, the last of which may be a character that no key of Playwright's
// has.
func (k keyboard) PressTogether(names []string) error {
	last := []rune(names[len(names)-1])
	switch {
	case len(last) == 1 && strokeOf(last[0]).foreign:
		return k.combination(names[:len(names)-1], last[0])
	case len(last) == 1 && len(names) == 1:
		return k.write(string(last))
	}
	return k.keys.Press(strings.Join(names, "+"))
}

// character names a key by what is on it. By their codes, keys give what they give together with Shift; Control+A is
// the key A, not a capital letter.
func character(key string, held, shift bool) string {
	r, _ := utf8.DecodeRuneInString(key)
	switch lower := strings.ToLower(key); {
	case shift && len(key) == 1 && lower >= "a" && lower <= "z":
		return "Key" + strings.ToUpper(key)
	case shift && unicode.IsDigit(r):
		return "Digit" + key
	case held:
		return lower
	}
	return key
}

func noKey(key string) error {
	if key == "back" {
		return fmt.Errorf("%w: back cannot be combined with other keys in a browser", drivers.ErrUnsupported)
	}
	for _, known := range drivers.KeyNames() {
		if strings.EqualFold(known, key) {
			return fmt.Errorf("%w: a browser has no key %s", drivers.ErrUnsupported, screen.Quote(key))
		}
	}
	return fmt.Errorf("%w: there is no key %s; keys are called %s, or are single characters", drivers.ErrUnsupported,
		screen.Quote(key), strings.Join(drivers.KeyNames(), ", "))
}

// Press presses keys together. "back" is the browser's own.
func (ty *Typist) Press(ctx context.Context, keys []string) error {
	if len(keys) == 1 && strings.EqualFold(keys[0], "back") {
		return ty.nav.Navigate(ctx, "back", 0)
	}
	names, err := Combine(keys)
	if err != nil {
		return err
	}
	s, _, err := ty.slot.Page()
	if err != nil {
		return err
	}
	if !leavesCaret(keys) {
		ty.Caret.setCaret(caretKeep)
	}
	return pages.Act(ctx, ty.slot, func(page playwright.Page) error { return NewKeyboard(s, page).PressTogether(names) })
}

// leavesCaret reports whether a key is one that moves the focus to something else, or that no field takes for itself.
func leavesCaret(keys []string) bool {
	switch last := strings.ToLower(keys[len(keys)-1]); last {
	case "tab", "enter", "return", "escape", "esc":
		return true
	default:
		return len(last) > 1 && last[0] == 'f' && last[1] >= '1' && last[1] <= '9'
	}
}

// Erase removes the last n characters of the field that has the focus; n < 0 removes everything.
func (ty *Typist) Erase(ctx context.Context, n int) error {
	return pages.Act(ctx, ty.slot, func(page playwright.Page) error {
		field, err := ty.place(page, caretLast)
		if err != nil {
			return err
		}
		if n < 0 {
			return field.empty(page)
		}
		for range min(n, field.length, maxErase) {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := page.Keyboard().Press("Backspace"); err != nil {
				return err
			}
		}
		return nil
	})
}

// empty takes all text out of the field; out of an editor as a person does, so that its own model receives it.
func (f placed) empty(page playwright.Page) error {
	if f.kind == "editor" || f.kind == "surface" {
		if err := f.selectAll(page); err != nil {
			return err
		}
		return page.Keyboard().Press("Delete")
	}
	if f.parts > 1 {
		return f.emptyParts(page)
	}
	return page.Locator(typingSelector(f.chain, "focus")).Fill("", playwright.LocatorFillOptions{
		Timeout: browser.Milliseconds(browser.CallLimit / 2)})
}

// selectAll selects all that an editor holds: by the key for that, unless it is in another editor, of which the text
// the key would select, too.
func (f placed) selectAll(page playwright.Page) error {
	if !f.inner {
		return page.Keyboard().Press("ControlOrMeta+a")
	}
	var nothing struct{}
	return askTyping(page, f.chain, "whole", &nothing)
}

// emptyParts empties every box of a field of several and focuses the first one.
func (f placed) emptyParts(page playwright.Page) error {
	limit := browser.Milliseconds(browser.CallLimit / 2)
	for i := f.parts - 1; i >= 0; i-- {
		part := page.Locator(typingSelector(f.chain, fmt.Sprintf("member.%d", i)))
		if err := part.Focus(playwright.LocatorFocusOptions{Timeout: limit}); err != nil {
			return err
		}
		if f.picker != "" { // an <input>; a segment of a date has no value of its own
			if err := part.Fill("", playwright.LocatorFillOptions{Timeout: limit}); err != nil {
				return err
			}
			continue
		}
		for range maxSegment {
			if err := page.Keyboard().Press("Backspace"); err != nil {
				return err
			}
		}
	}
	return page.Locator(typingSelector(f.chain, "member.0")).Focus(playwright.LocatorFocusOptions{Timeout: limit})
}

// maxSegment is how many characters a segment of a date has at most.
const maxSegment = 4

// Paste pastes the clipboard where the focus is. The page receives it first, as a person's paste, and may refuse it
// or put the text in by itself.
func (ty *Typist) Paste(ctx context.Context) error {
	text, err := ty.journal.Clipboard(ctx)
	if err != nil {
		return err
	}
	return pages.Act(ctx, ty.slot, func(page playwright.Page) error {
		field, err := ty.place(page, ty.Caret.caretNow())
		if err != nil {
			return err
		}
		var r struct{ Open bool }
		command := "paste." + base64.RawURLEncoding.EncodeToString([]byte(text))
		if err := askTyping(page, field.chain, command, &r); err != nil || !r.Open {
			return err
		}
		if field.kind == "picked" {
			value, ok := screen.PickedValue(field.picker, text, field.order)
			if !ok && spelled(field.picker, text) {
				value, ok = text, true
			}
			if !ok {
				return fmt.Errorf("%w: a field of the type %s takes no %s", drivers.ErrNotActionable, field.picker,
					screen.Quote(text))
			}
			return field.fill(page, value)
		}
		return page.Keyboard().InsertText(text)
	})
}
