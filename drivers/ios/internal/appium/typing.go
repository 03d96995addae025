package appium

import (
	"context"
	"errors"
	"fmt"
	"image"
	"net/url"
	"strings"
	"unicode"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/drivers/ios/internal/source"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
)

// fieldAttributes is what the server returns of an element in addition to its id.
const fieldAttributes = "type,rect,attribute/name,attribute/value,attribute/placeholderValue"

// field is the element with the focus.
type field struct {
	ID   string `json:"element-6066-11e4-a52e-4f735466cecf"`
	Type string `json:"type"`
	Name string `json:"attribute/name"`
	Rect struct{ X, Y, Width, Height float64 }

	Value       *string `json:"attribute/value"`
	Placeholder *string `json:"attribute/placeholderValue"`
}

// text is what the field holds; false: that is not known.
func (f *field) text() (string, bool) {
	switch {
	case f.Type == "" || f.Type == source.Prefix+"SecureTextField":
		return "", false
	case f.Value == nil || f.Placeholder != nil && *f.Value == *f.Placeholder:
		return "", true
	}
	return *f.Value, !source.MaybeCut(*f.Value)
}

func (f *field) place() image.Rectangle {
	return image.Rect(int(f.Rect.X), int(f.Rect.Y), int(f.Rect.X+f.Rect.Width), int(f.Rect.Y+f.Rect.Height))
}

// focused returns the field that takes text.
func (a *Agent) focused(ctx context.Context, what string) (*field, error) {
	var f field
	err := a.perform(ctx, wda.Get(what, "/element/active"), active(), &f)
	if errors.Is(err, screen.ErrNotFound) || err == nil && f.ID == "" {
		return nil, fmt.Errorf("device %s: %w: no text field has the focus", a.Device, drivers.ErrNotActionable)
	}
	return &f, err
}

// typeText types into the field with the focus. When the answer is lost, the field decides whether all has arrived.
func (a *Agent) typeText(ctx context.Context, r wda.Request, body map[string]any) error {
	characters, _ := body["value"].([]string)
	text := strings.Join(characters, "")
	was, err := a.focused(ctx, r.What)
	if errors.Is(err, drivers.ErrNotActionable) && a.inPage != nil && a.inPage() {
		return fmt.Errorf("%w: accessibility has nothing of the field in the page, and the server of the remote %s types "+
			"into what accessibility has", err, a.Remote)
	}
	if err != nil {
		return err
	}
	c := command{Command: webdriver.Command{Method: "POST", Path: "/element/" + url.PathEscape(was.ID) + "/value",
		Body: map[string]any{"text": text}}}
	_, err = a.send(ctx, r, c)
	if err == nil || webdriver.MayHaveHappened(err) && ctx.Err() == nil && a.holds(ctx, was, text) {
		return nil
	}
	return a.refused(r, c, err)
}

// holds reports whether a field holds, after what it held, a text.
func (a *Agent) holds(ctx context.Context, was *field, text string) bool {
	before, known := was.text()
	if !known || strings.ContainsFunc(text, unicode.IsControl) {
		return false
	}
	now, err := a.focused(ctx, "whether the text has arrived")
	if err != nil || now.Type != was.Type || now.Name != was.Name || now.place() != was.place() {
		return false
	}
	after, known := now.text()
	return known && after == before+text
}
