package ios

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// Type types the text into the element with the focus. WebDriverAgent types 60 characters a second.
func (d *Device) Type(ctx context.Context, text string) error {
	if text == "" {
		return nil
	}
	ask := post("typing", "/wda/keys", map[string]any{"value": strings.Split(text, "")})
	ask.limit = callLimit + time.Duration(utf8.RuneCountInString(text))*50*time.Millisecond
	return d.do(ctx, ask, nil)
}

// Erase takes characters away from the end of the field with the focus, wherever the caret is, and makes sure that it
// did.
func (d *Device) Erase(ctx context.Context, n int) error {
	if n == 0 {
		return nil
	}
	for again := true; ; again = false {
		err := d.erase(ctx, n)
		if !again || !errors.Is(err, screen.ErrNotFound) {
			return err
		}
	} // the field was drawn again between two calls: nothing was erased yet
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
	if err != nil || had.text == "" {
		return err
	}
	length := utf8.RuneCountInString(had.text)
	if n < 0 || n >= length {
		return d.clearField(ctx, field, length)
	}
	want := string([]rune(had.text)[:length-n])
	if err := d.backspace(ctx, n); err != nil {
		return err
	}
	secret := field.Type == elementPrefix+"SecureTextField"
	for again := !secret && !had.unsure; ; again = false {
		has, err := d.held(ctx, field)
		if err != nil || has.text == want || secret && utf8.RuneCountInString(has.text) == length-n || had.unsure &&
			has == had {
			return err
		}
		if !again {
			return fmt.Errorf("device %s: %w: the field held %s, and after %d characters were erased %s", d.info.ID,
				drivers.ErrNotActionable,
				screen.Quote(had.text), n, screen.Quote(has.text))
		}
		if err := d.clearField(ctx, field, length); err != nil { // the caret was elsewhere
			return err
		}
		if err := d.Type(ctx, want); err != nil {
			return err
		}
	}
}

func (d *Device) clearField(ctx context.Context, field *activeElement, length int) error {
	ask := post("clearing a field", "/element/"+field.ID+"/clear", nil)
	ask.limit = callLimit + time.Duration(length)*100*time.Millisecond
	return d.do(ctx, ask, nil)
}

// backspace takes characters from the end of the field with the focus. The caret goes there by the key of a keyboard
// that is plugged in, where iOS knows that: a tap at the field's end may meet the button that clears it.
func (d *Device) backspace(ctx context.Context, n int) error {
	err := d.keyboard(ctx, map[string]any{"key": hardKeys()["down"].char, "modifierFlags": modifierFlag("meta")})
	if err != nil && !errors.Is(err, drivers.ErrUnsupported) {
		return err
	}
	return d.Type(ctx, strings.Repeat("\b", n))
}

// content is what a field shows; unsure: that is its placeholder, or a text that reads like it.
type content struct {
	text   string
	unsure bool
}

func (d *Device) held(ctx context.Context, field *activeElement) (content, error) {
	var value, placeholder *string
	if err := d.do(ctx, get("the text of a field", "/element/"+field.ID+"/attribute/value"), &value); err != nil {
		return content{}, err
	}
	if value == nil || *value == "" {
		return content{}, nil
	}
	if maybeCut(*value) {
		text, err := d.textOf(ctx, field.ID)
		return content{text: text}, err
	}
	err := d.do(ctx, get("the placeholder of a field", "/element/"+field.ID+"/attribute/placeholderValue"), &placeholder)
	var refused *wdaError
	// an old WebDriverAgent knows no placeholders
	if err != nil && !(errors.As(err, &refused) && refused.Code == "invalid argument") {
		return content{}, err
	}
	return content{*value, placeholder != nil && *placeholder == *value}, nil
}
