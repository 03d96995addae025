package webdriver

import (
	"context"
	"crypto/rand"
	"math"
	"strconv"
	"strings"
	"time"
)

// Action is one step of an input device: a movement, a button, a key, a pause.
type Action map[string]any

// Move moves the mouse to a place of the view, in CSS pixels.
func Move(x, y float64) Action {
	return Action{"type": "pointerMove", "duration": 0, "origin": "viewport", "x": math.Round(x), "y": math.Round(y)}
}

// The buttons of a mouse.
const (
	Left = iota
	Middle
	Right
)

// Press presses a button of the mouse.
func Press(button int) Action { return Action{"type": "pointerDown", "button": button} }

// Release releases a button of the mouse.
func Release(button int) Action { return Action{"type": "pointerUp", "button": button} }

// Pause is a time in which nothing happens.
func Pause(d time.Duration) Action {
	return Action{"type": "pause", "duration": d.Milliseconds()}
}

// KeyDown presses a key, by the character that it types, or the one that means it in the standard.
func KeyDown(key string) Action { return Action{"type": "keyDown", "value": key} }

// KeyUp releases a key.
func KeyUp(key string) Action { return Action{"type": "keyUp", "value": key} }

// Mouse performs actions of the mouse, one after the other. limit is for what they take in addition to their pauses.
func (s *Session) Mouse(ctx context.Context, actions ...Action) error {
	return s.Perform(ctx, []any{map[string]any{"type": "pointer", "id": "mouse",
		"parameters": map[string]any{"pointerType": "mouse"}, "actions": actions}}, 0)
}

// Keys performs actions of the keyboard, one after the other.
func (s *Session) Keys(ctx context.Context, actions ...Action) error {
	return s.Perform(ctx, []any{Keyboard(actions...)}, 0)
}

// Keyboard is a keyboard for Perform, with its actions.
func Keyboard(actions ...Action) any {
	return map[string]any{"type": "key", "id": "keyboard", "actions": actions}
}

// Wheel turns the mouse wheel at a place of the view. Each turn is of a wheel of its own: WebKitWebDriver turns one
// only by the difference from its last turn.
func (s *Session) Wheel(ctx context.Context, x, y, dx, dy float64) error {
	turn := Action{"type": "scroll", "origin": "viewport", "duration": 0, "x": math.Round(x), "y": math.Round(y),
		"deltaX": math.Round(dx), "deltaY": math.Round(dy)}
	wheel := map[string]any{"type": "wheel", "id": "wheel" + rand.Text(), "actions": []Action{turn}}
	return s.Perform(ctx, []any{wheel}, 0)
}

// upperSigns are those that the keys of lowerSigns type with Shift on the American keyboard.
const lowerSigns, upperSigns = "`1234567890-=[]\\;',./", `~!@#$%^&*()_+{}|:"<>?`

// Shifted returns what a key of the American keyboard types with Shift.
func Shifted(key string) string {
	if i := strings.Index(lowerSigns, key); i >= 0 && len(key) == 1 {
		return upperSigns[i : i+1]
	}
	return strings.ToUpper(key)
}

// Key returns the character that means a key, by the name of its key value or code in the DOM ("ArrowLeft",
// "KeyA"); "" for one that the standard does not have.
func Key(name string) string {
	names := map[string]string{"Enter": "\ue007", "Tab": "\ue004", "Backspace": "\ue003", "Delete": "\ue017",
		"Escape": "\ue00c", "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015",
		"Home": "\ue011", "End": "\ue010", "PageUp": "\ue00e", "PageDown": "\ue00f", "Insert": "\ue016",
		"Shift": "\ue008", "Control": "\ue009", "Alt": "\ue00a", "Meta": "\ue03d", "ControlOrMeta": "\ue009",
		"Space": " "}
	switch {
	case name == "\n" || name == "\r":
		return names["Enter"]
	case len([]rune(name)) == 1:
		return name
	}
	for _, code := range []string{"Key", "Digit"} {
		if rest, ok := strings.CutPrefix(name, code); ok && len(rest) == 1 {
			return strings.ToLower(rest)
		}
	}
	if n, err := strconv.Atoi(strings.TrimPrefix(name, "F")); err == nil && name[0] == 'F' && n >= 1 && n <= 12 {
		return string(rune(0xe030 + n))
	}
	return names[name]
}
