package keyboard

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/ios/internal/source"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
)

// Type types the text into the element with the focus. WebDriverAgent types 60 characters a second.
func (k *Keyboard) Type(ctx context.Context, text string) error {
	if text == "" {
		return nil
	}
	ask := wda.Post("typing", "/wda/keys", map[string]any{"value": strings.Split(text, "")})
	ask.Limit = wda.CallLimit + time.Duration(utf8.RuneCountInString(text))*50*time.Millisecond
	return k.link.Do(ctx, ask, nil)
}

// Erase takes characters away from the end of the field with the focus, wherever the caret is, and makes sure that it
// did.
func (k *Keyboard) Erase(ctx context.Context, n int) error {
	if n == 0 {
		return nil
	}
	for again := true; ; again = false {
		err := k.erase(ctx, n)
		if !again || !errors.Is(err, screen.ErrNotFound) {
			return err
		}
	} // the field was drawn again between two calls: nothing was erased yet
}

func (k *Keyboard) erase(ctx context.Context, n int) error {
	field, err := k.link.Active(ctx)
	if err != nil {
		return err
	}
	if field == nil {
		return fmt.Errorf("device %s: %w: no text field has the focus", k.link.ID, drivers.ErrNotActionable)
	}
	had, err := k.held(ctx, field)
	if err != nil || had.text == "" {
		return err
	}
	length := utf8.RuneCountInString(had.text)
	if n < 0 || n >= length {
		return k.clearField(ctx, field, length)
	}
	want := string([]rune(had.text)[:length-n])
	if err := k.backspace(ctx, n); err != nil {
		return err
	}
	secret := field.Type == source.Prefix+"SecureTextField"
	for again := !secret && !had.unsure; ; again = false {
		has, err := k.held(ctx, field)
		if err != nil || has.text == want || secret && utf8.RuneCountInString(has.text) == length-n || had.unsure &&
			has == had {
			return err
		}
		if !again {
			return fmt.Errorf("device %s: %w: the field held %s, and after %d characters were erased %s", k.link.ID,
				drivers.ErrNotActionable,
				screen.Quote(had.text), n, screen.Quote(has.text))
		}
		if err := k.clearField(ctx, field, length); err != nil { // the caret was elsewhere
			return err
		}
		if err := k.Type(ctx, want); err != nil {
			return err
		}
	}
}

func (k *Keyboard) clearField(ctx context.Context, field *wda.Element, length int) error {
	ask := wda.Post("clearing a field", "/element/"+field.ID+"/clear", nil)
	ask.Limit = wda.CallLimit + time.Duration(length)*100*time.Millisecond
	return k.link.Do(ctx, ask, nil)
}

// backspace takes characters from the end of the field with the focus. The caret goes there by the key of a keyboard
// that is plugged in, where iOS knows that: a tap at the field's end may meet the button that clears it.
func (k *Keyboard) backspace(ctx context.Context, n int) error {
	err := k.keyboard(ctx, map[string]any{"key": hardKeys()["down"].char, "modifierFlags": modifierFlag("meta")})
	if err != nil && !errors.Is(err, drivers.ErrUnsupported) {
		return err
	}
	return k.Type(ctx, strings.Repeat("\b", n))
}

// content is what a field shows; unsure: that is its placeholder, or a text that reads like it.
type content struct {
	text   string
	unsure bool
}

func (k *Keyboard) held(ctx context.Context, field *wda.Element) (content, error) {
	var value, placeholder *string
	if err := k.link.Do(ctx, wda.Get("the text of a field", "/element/"+field.ID+"/attribute/value"), &value); err != nil {
		return content{}, err
	}
	if value == nil || *value == "" {
		return content{}, nil
	}
	if source.MaybeCut(*value) {
		text, err := k.link.TextOf(ctx, field.ID)
		return content{text: text}, err
	}
	err := k.link.Do(
		ctx,
		wda.Get("the placeholder of a field", "/element/"+field.ID+"/attribute/placeholderValue"),
		&placeholder,
	)
	var refused *wda.Error
	// an old WebDriverAgent knows no placeholders
	if err != nil && !(errors.As(err, &refused) && refused.Code == "invalid argument") {
		return content{}, err
	}
	return content{*value, placeholder != nil && *placeholder == *value}, nil
}
