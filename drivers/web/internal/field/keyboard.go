package field

import (
	"runtime"
	"strings"
	"unicode"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
)

// keyboard presses the keys of characters as a person does: capitals and the upper signs of a key with Shift held, and
// characters that Playwright's keyboard lacks (é, ß, Cyrillic) as keys of their own.
type keyboard struct {
	page playwright.Page
	keys playwright.Keyboard
	cdp  playwright.CDPSession // nil: the browser makes key events of any character by itself
	// types: it presses the keys of a text that is to be typed
	types bool
	// written is called after each part of a text.
	written func()
}

func NewKeyboard(s *pages.BrowserContext, page playwright.Page) keyboard {
	k := keyboard{page: page, keys: page.Keyboard(), types: s.Browser.Brand.Silent, written: func() {}}
	if s.Browser.Brand.Devtools {
		if client := s.Clients.DevtoolsOf(page); client != nil {
			k.cdp = client.Cdp
		}
	}
	return k
}

// shiftMask is Shift among the modifiers of Input.dispatchKeyEvent.
const shiftMask = 8

// upperSigns need Shift on the keyboard that Playwright has, the American one.
const upperSigns = `~!@#$%^&*()_+{}|:"<>?`

// stroke is how the key of a character is pressed.
type stroke struct{ shift, foreign bool }

func strokeOf(r rune) stroke {
	switch {
	case r == '\n' || r == '\r' || r >= ' ' && r <= '~':
		return stroke{shift: r >= 'A' && r <= 'Z' || strings.ContainsRune(upperSigns, r)}
	}
	return stroke{shift: unicode.IsUpper(r) || unicode.IsTitle(r), foreign: true}
}

// partLength is how many keys are pressed by one call at most: a page that needs long for each key, and responds to it,
// takes a long text, too.
const partLength = 8

// write presses the keys of a text.
func (k keyboard) write(text string) error {
	runes := []rune(text)
	for start := 0; start < len(runes); {
		how, end := strokeOf(runes[start]), start+1
		for end < len(runes) && end-start < partLength && strokeOf(runes[end]) == how {
			end++
		}
		if err := k.strokes(string(runes[start:end]), how); err != nil {
			return err
		}
		k.written()
		start = end
	}
	return nil
}

// strokes presses the keys of characters that are pressed alike.
func (k keyboard) strokes(text string, how stroke) (err error) {
	if how.shift {
		if err := k.keys.Down("Shift"); err != nil {
			return err
		}
		defer func() {
			if up := k.keys.Up("Shift"); err == nil {
				err = up
			}
		}()
	}
	if !how.foreign {
		return k.plain(text)
	}
	for _, r := range text {
		if err := k.foreign(r, how.shift); err != nil {
			return err
		}
	}
	return nil
}

// plain presses keys that Playwright's keyboard has. Its Type for Go inserts the text as a whole, so that the call is
// made by the channel.
func (k keyboard) plain(text string) error {
	if len(text) == 1 {
		return k.keys.Press(text)
	}
	if k.types {
		return k.keys.Type(text)
	}
	sender, err := browser.ChannelOf(k.page)
	if err != nil {
		return err
	}
	_, err = sender.Send("keyboardType", map[string]any{"text": text})
	return err
}

// foreign presses the key of a character that Playwright's keyboard lacks.
func (k keyboard) foreign(r rune, shift bool) error {
	if k.cdp == nil || unicode.IsControl(r) {
		return k.keys.InsertText(string(r))
	}
	event := map[string]any{"type": "keyDown", "key": string(r), "text": string(r), "unmodifiedText": string(r)}
	if shift {
		event["modifiers"] = shiftMask
	}
	if _, err := k.cdp.Send("Input.dispatchKeyEvent", event); err != nil {
		return err
	}
	delete(event, "text")
	delete(event, "unmodifiedText")
	event["type"] = "keyUp"
	_, err := k.cdp.Send("Input.dispatchKeyEvent", event)
	return err
}

// combination presses a combination that ends in a character which Playwright's keyboard lacks.
func (k keyboard) combination(held []string, r rune) (err error) {
	mask := 0
	for _, name := range held {
		if err := k.keys.Down(name); err != nil {
			return err
		}
		defer func() {
			if up := k.keys.Up(name); err == nil {
				err = up
			}
		}()
		mask |= maskOf(name)
	}
	switch mask {
	case 0:
		return k.strokes(string(r), strokeOf(r))
	case shiftMask:
		return k.foreign(unicode.ToUpper(r), true)
	}
	if k.cdp == nil {
		return k.keys.InsertText(string(r)) // the browser holds the modifiers
	}
	for _, kind := range []string{"rawKeyDown", "keyUp"} {
		event := map[string]any{"type": kind, "key": string(r), "modifiers": mask}
		if _, err := k.cdp.Send("Input.dispatchKeyEvent", event); err != nil {
			return err
		}
	}
	return nil
}

// maskOf is a modifier among those of Input.dispatchKeyEvent.
func maskOf(name string) int {
	if name == "ControlOrMeta" {
		name = map[bool]string{true: "Meta", false: "Control"}[runtime.GOOS == "darwin"]
	}
	return map[string]int{"Alt": 1, "Control": 2, "Meta": 4, "Shift": shiftMask}[name]
}
