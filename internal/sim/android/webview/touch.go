package webview

import (
	"context"
	"image"
	"time"
	"unicode"

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

// point is the place of a pixel of the screen in the page, in CSS pixels.
func (t *webTab) point(at image.Point, finger int) map[string]any {
	b, ratio := t.place()
	at = at.Sub(b.Min)
	return map[string]any{"x": float64(at.X) / ratio, "y": float64(at.Y) / ratio, "id": finger}
}

func (t *webTab) fingers(ctx context.Context, kind string, at ...image.Point) {
	points := []any{}
	for i, p := range at {
		points = append(points, t.point(p, i))
	}
	_ = t.ask(ctx, "Input.dispatchTouchEvent", map[string]any{"type": kind, "touchPoints": points}, nil)
}

// Touched is a finger on the page that does not move.
func (t *webTab) Touched(at image.Point, held time.Duration) {
	t.later(func(ctx context.Context) {
		if t.trailing {
			t.lifted(ctx)
		}
		t.trailing = t.app.config().Trails
		t.fingers(ctx, "touchStart", at)
		kernel.Pause(ctx, held)
		if !t.trailing {
			t.lifted(ctx)
		}
	})
}

// lifted is the end of a touch.
func (t *webTab) lifted(ctx context.Context) {
	t.fingers(ctx, "touchEnd")
	t.raiseKeyboard(ctx)
}

const (
	webSteps = 10
	// webStep is the time between two events of a finger that moves, webRest how long it rests at the end: the page
	// is not flung.
	webStep = 16 * time.Millisecond
	webRest = 100 * time.Millisecond
)

// Moved is one finger or more that move over the page.
func (t *webTab) Moved(from, to []image.Point, held time.Duration) {
	t.later(func(ctx context.Context) {
		t.fingers(ctx, "touchStart", from...)
		kernel.Pause(ctx, held)
		for step := 1; step <= webSteps; step++ {
			var at []image.Point
			for i := range from {
				at = append(at, from[i].Add(to[i].Sub(from[i]).Mul(step).Div(webSteps)))
			}
			t.fingers(ctx, "touchMove", at...)
			kernel.Pause(ctx, webStep)
		}
		kernel.Pause(ctx, webRest)
		t.fingers(ctx, "touchEnd")
	})
}

// editsScript reports whether what has the focus is edited with a keyboard; what is in a frame of another site counts
// as edited.
const editsScript = `(() => {
	let e = document.activeElement;
	for (;;) {
		if (e && e.shadowRoot && e.shadowRoot.activeElement) e = e.shadowRoot.activeElement;
		else if (e && e.tagName === 'IFRAME' && e.contentDocument) e = e.contentDocument.activeElement;
		else break;
	}
	if (!e || e.readOnly || e.disabled) return false;
	if (e.isContentEditable || e.tagName === 'TEXTAREA' || e.tagName === 'IFRAME') return true;
	return e.tagName === 'INPUT' && !/^(button|checkbox|color|file|hidden|image|radio|range|reset|submit)$/.test(e.type);
})()`

// raiseKeyboard shows the keyboard when the page has a field to type into, and hides it when not.
func (t *webTab) raiseKeyboard(ctx context.Context) {
	var edits bool
	if t.eval(ctx, editsScript, &edits) != nil {
		return
	}
	p := t.app.sys
	p.Mu.Lock()
	defer p.Mu.Unlock()
	if p.UI.Web == ui.RemoteView(t) {
		p.UI.Keyboard = edits
	}
}

// webKey is a key as pages know it.
type webKey struct {
	key, code string
	number    int
	text      string
}

// webKeys are the keys of phones that pages take, by Android's numbers.
func webKeys() map[int]webKey {
	return map[int]webKey{
		19: {"ArrowUp", "ArrowUp", 38, ""}, 20: {"ArrowDown", "ArrowDown", 40, ""}, 21: {"ArrowLeft", "ArrowLeft", 37, ""},
		22: {"ArrowRight", "ArrowRight", 39, ""},
		61: {"Tab", "Tab", 9, ""}, 62: {" ", "Space", 32, " "}, 66: {"Enter", "Enter", 13, "\r"},
		160: {"Enter", "NumpadEnter", 13, "\r"},
		67:  {"Backspace", "Backspace", 8, ""}, 112: {"Delete", "Delete", 46, ""}, 122: {"Home", "Home", 36, ""},
		123: {"End", "End", 35, ""},
	}
}

// press is a key that goes down and up.
func (t *webTab) press(ctx context.Context, k webKey, commands ...string) {
	down := map[string]any{"type": "keyDown", "key": k.key, "code": k.code, "windowsVirtualKeyCode": k.number}
	if k.text != "" {
		down["text"] = k.text
	}
	if len(commands) > 0 {
		down["commands"], down["modifiers"] = commands, 2 // control
	}
	_ = t.ask(ctx, "Input.dispatchKeyEvent", down, nil)
	_ = t.ask(ctx, "Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": k.key, "code": k.code,
		"windowsVirtualKeyCode": k.number}, nil)
}

// Key takes a key that is the page's; The phone's lock is held.
func (t *webTab) Key(code int) bool {
	k, ok := webKeys()[code]
	switch {
	case ok:
	case code >= 29 && code <= 54:
		t.Typed(string(rune('a' + code - 29)))
		return true
	case code >= 7 && code <= 16:
		t.Typed(string(rune('0' + code - 7)))
		return true
	case code == 279:
		t.Typed(t.screen.Clipboard)
		return true
	default:
		return false
	}
	t.later(func(ctx context.Context) {
		t.press(ctx, k)
		if code == 61 || k.number == 13 {
			t.raiseKeyboard(ctx)
		}
	})
	return true
}

// Typed is text of the keyboard: ASCII comes as keys, all else as text.
func (t *webTab) Typed(text string) {
	for _, r := range text {
		t.later(func(ctx context.Context) {
			switch upper := unicode.ToUpper(r); {
			case r == '\n':
				t.press(ctx, webKeys()[66])
			case r > unicode.MaxASCII:
				_ = t.ask(ctx, "Input.insertText", map[string]any{"text": string(r)}, nil)
			case upper >= 'A' && upper <= 'Z':
				t.press(ctx, webKey{string(r), "Key" + string(upper), int(upper), string(r)})
			default:
				t.press(ctx, webKey{key: string(r), text: string(r)})
			}
		})
	}
}

// Together takes keys of which all but the last are held; The phone's lock is held.
func (t *webTab) Together(keys []int) {
	last := keys[len(keys)-1]
	control := keys[0] == 113 || keys[0] == 114
	letter := webKey{string(rune('a' + last - 29)), "Key" + string(rune('A'+last-29)), 'A' + last - 29, ""}
	switch {
	case len(keys) != 2:
	case keys[0] == 59 && last >= 29 && last <= 54: // shift
		t.Typed(string(rune('A' + last - 29)))
	case !control:
	case last == 29:
		t.later(func(ctx context.Context) { t.press(ctx, letter, "selectAll") })
	case last == 31 || last == 52: // C, X
		t.later(func(ctx context.Context) { t.copied(ctx, letter, last == 52) })
	case last == 50:
		t.Typed(t.screen.Clipboard)
	}
}

// selectionScript is what is selected in the page or in the field that has the focus.
const selectionScript = `(() => {
	const e = document.activeElement;
	return e && typeof e.selectionStart === 'number' ? e.value.slice(e.selectionStart, e.selectionEnd) : ` +
	`String(getSelection());
})()`

func (t *webTab) copied(ctx context.Context, letter webKey, cut bool) {
	var text string
	if t.eval(ctx, selectionScript, &text) != nil || text == "" {
		return
	}
	if cut {
		t.press(ctx, letter, "delete")
	}
	t.app.sys.Mu.Lock()
	defer t.app.sys.Mu.Unlock()
	t.screen.Clipboard = text
}
