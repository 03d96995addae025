package ios

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// Type gives the text to whatever has the focus. WebDriverAgent types 60 characters a second.
func (d *Device) Type(ctx context.Context, text string) error {
	if text == "" {
		return nil
	}
	ask := post("typing", "/wda/keys", map[string]any{"value": strings.Split(text, "")})
	ask.limit = callLimit + time.Duration(utf8.RuneCountInString(text))*50*time.Millisecond
	return d.do(ctx, ask, nil)
}

// Erase takes characters away from the end of the field with the focus, wherever the caret is, and makes sure that it did.
func (d *Device) Erase(ctx context.Context, n int) error {
	if n == 0 {
		return nil
	}
	for again := true; ; again = false {
		err := d.erase(ctx, n)
		if !again || !errors.Is(err, screen.ErrNotFound) {
			return err
		}
	} // the field was drawn anew between two calls: nothing was erased yet
}

func (d *Device) erase(ctx context.Context, n int) error {
	field, err := d.active(ctx)
	if err != nil {
		return err
	}
	if field == nil {
		return fmt.Errorf("device %s: %w: no text field has the focus", d.info.ID, drivers.ErrNotActionable)
	}
	had, err := d.held(ctx, field)
	if err != nil || had == "" {
		return err
	}
	length := utf8.RuneCountInString(had)
	if n < 0 || n >= length {
		ask := post("clearing a field", "/element/"+field.ID+"/clear", nil)
		ask.limit = callLimit + time.Duration(length)*100*time.Millisecond
		return d.do(ctx, ask, nil)
	}
	// A tap at the far end of a field puts the caret behind its last character.
	end := map[string]any{"x": max(field.Rect.Width-3, 1), "y": max(field.Rect.Height-3, 1)}
	ask := post("a tap at the field's end", "/wda/element/"+field.ID+"/tap", end)
	ask.older = "/wda/tap/" + field.ID // before version 6
	if err := d.do(ctx, ask, nil); err != nil {
		return err
	}
	if err := d.Type(ctx, strings.Repeat("\b", n)); err != nil {
		return err
	}
	has, err := d.held(ctx, field)
	if err != nil {
		return err
	}
	want := string([]rune(had)[:length-n])
	if field.Type == elementPrefix+"SecureTextField" && utf8.RuneCountInString(has) == length-n {
		return nil
	}
	if has != want {
		return fmt.Errorf("device %s: %w: the field held %s, and after %d characters were erased %s", d.info.ID, drivers.ErrNotActionable,
			screen.Quote(had), n, screen.Quote(has))
	}
	return nil
}

// held is the text in a field; its placeholder is none.
func (d *Device) held(ctx context.Context, field *activeElement) (string, error) {
	var value, placeholder *string
	if err := d.do(ctx, get("the text of a field", "/element/"+field.ID+"/attribute/value"), &value); err != nil {
		return "", err
	}
	if value == nil || *value == "" {
		return "", nil
	}
	err := d.do(ctx, get("the placeholder of a field", "/element/"+field.ID+"/attribute/placeholderValue"), &placeholder)
	var refused *wdaError
	if err != nil && !(errors.As(err, &refused) && refused.Code == "invalid argument") { // an old WebDriverAgent knows no placeholders
		return "", err
	}
	if placeholder != nil && *placeholder == *value {
		return "", nil
	}
	return *value, nil
}

// KeyboardShown looks for the keyboard among the elements.
func (d *Device) KeyboardShown(ctx context.Context) (bool, error) {
	var element struct{}
	ask := request{what: "the keyboard", method: http.MethodPost, path: "/element", body: map[string]any{"using": "class name", "value": elementPrefix + "Keyboard"}}
	err := d.do(ctx, ask, &element)
	if errors.Is(err, screen.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// HideKeyboard presses the key that hides the keyboard, where it has one: never one that may send a form.
func (d *Device) HideKeyboard(ctx context.Context) error {
	shown, err := d.KeyboardShown(ctx)
	if err != nil || !shown {
		return err
	}
	err = d.do(ctx, post("hiding the keyboard", "/wda/keyboard/dismiss", map[string]any{"keyNames": []string{"Hide keyboard", "Dismiss", "Done"}}), nil)
	if errors.Is(err, drivers.ErrNotActionable) {
		return fmt.Errorf("%w; an iPhone's keyboard often has no key for that: tap beside the field, as a person would", err)
	}
	return err
}
