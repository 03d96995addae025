package agent

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/input"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// SetText sets what the field with the focus holds. A last key is pressed apart, which the agent would read as Enter.
func (a *Agent) SetText(ctx context.Context, field *screen.Node, text string) error {
	element, err := a.focused(ctx, field)
	if err != nil {
		return err
	}
	key := strings.HasSuffix(text, `\n`) // it would be read as Enter
	body := map[string]any{"text": strings.TrimSuffix(text, tail(key)), "replace": true}
	if err := a.ask(ctx, Request{Method: "POST", Path: "element/" + element + "/value", Body: body,
		limit: touchLimit}, nil); err != nil {
		return err
	}
	if key {
		_, err = a.Input.Inputs(ctx, "text", input.Typing("n"))
	}
	return err
}

// focused returns the agent's handle of the field that takes text. The agent returns the first element with the focus,
// and a view around the field may have it, too: then the field is asked for by what it alone has.
func (a *Agent) focused(ctx context.Context, field *screen.Node) (string, error) {
	serial := a.Phone.Link.Serial
	var found struct {
		Element string `json:"ELEMENT"`
		W3C     string `json:"element-6066-11e4-a52e-4f735466cecf"`
	}
	if err := a.ask(ctx, Request{Method: "GET", Path: "element/active"}, &found); err != nil {
		if Answered(err, "no such element") {
			err = fmt.Errorf("device %s: %w: no text field has the focus", serial, drivers.ErrNotActionable)
		}
		return "", err
	}
	element := cmp.Or(found.W3C, found.Element)
	place, err := a.rect(ctx, element)
	if err != nil || place == field.Bounds {
		return element, err
	}
	if strategy, value, ok := a.Selector(field); ok {
		return a.handle(ctx, strategy, value)
	}
	if place.Min == field.Bounds.Min || place.Max == field.Bounds.Max { // the tree has the part of it that a list shows
		return element, nil
	}
	return "", fmt.Errorf(
		"device %s: %w: more than one element has the focus, and %s has no id or description of its own to write into "+
			"it", serial,
		drivers.ErrUnsupported, field)
}

func tail(key bool) string {
	if key {
		return "n"
	}
	return ""
}

func (a *Agent) Copied(ctx context.Context) (string, error) {
	var content string
	if err := a.ask(ctx, Request{Method: "POST", Path: "appium/device/get_clipboard", Body: map[string]any{
		"contentType": "PLAINTEXT"}}, &content); err != nil {
		return "", err
	}
	if content == "" && a.Phone.Info.APILevel >= 29 {
		return "", fmt.Errorf("device %s: %w: from Android 10 on only the app in the foreground may read the clipboard",
			a.Phone.Link.Serial, drivers.ErrUnsupported)
	}
	text, err := base64.StdEncoding.DecodeString(strings.TrimSpace(content))
	return string(text), err
}

func (a *Agent) Copy(ctx context.Context, text string) error {
	return a.ask(ctx, Request{Method: "POST", Path: "appium/device/set_clipboard", Body: map[string]any{
		"content": base64.StdEncoding.EncodeToString([]byte(text)), "contentType": "PLAINTEXT", "label": "taproot"}}, nil)
}
