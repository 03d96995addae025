package android

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// write sets the text of the field with the focus: what it holds, which its tree has without its hint, and the new
// text behind it.
func (a *agentAccess) write(ctx context.Context, text string, first rune) error {
	serial := a.d.link.serial
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			if _, err := a.d.inputs(ctx, "text", []string{keyEnter}); err != nil {
				return err
			}
		}
		if line == "" {
			continue
		}
		if _, ok := untypable(line); !ok {
			for _, batch := range batches(typing(line), textLine) {
				if _, err := a.d.inputs(ctx, "text", batch); err != nil {
					return err
				}
			}
			continue
		}
		err := a.append(ctx, line)
		if errors.Is(err, errFallback) {
			return stockAccess{a.d}.write(ctx, line, first)
		}
		if answered(err, "invalid element state") {
			return fmt.Errorf("device %s: %w: the field takes no text from accessibility services, and %q (%U) has no key",
				serial, drivers.ErrUnsupported, first, first)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// append writes one line behind what the field holds.
func (a *agentAccess) append(ctx context.Context, line string) error {
	serial := a.d.link.serial
	tree, err := a.readTree(ctx, func(*dump) {})
	if err != nil {
		return err
	}
	if a.d.backend() != screenAccess(a) {
		return errFallback
	}
	field := tree.Focused()
	if field == nil || !field.Editable {
		return fmt.Errorf("device %s: %w: no text field has the focus", serial, drivers.ErrNotActionable)
	}
	if field.Password && field.Text != "" {
		return fmt.Errorf(
			"device %s: %w: what the password field holds already cannot be read, so that only ASCII can be added to "+
				"it: clear it before",
			serial, drivers.ErrUnsupported)
	}
	element, err := a.focused(ctx, field)
	if err != nil {
		return err
	}
	key := strings.HasSuffix(line, `\n`) // it would be read as Enter
	body := map[string]any{"text": field.Text + strings.TrimSuffix(line, tail(key)), "replace": true}
	if err := a.ask(ctx, agentRequest{method: "POST", path: "element/" + element + "/value", body: body,
		limit: touchLimit}, nil); err != nil {
		return err
	}
	if key {
		_, err = a.d.inputs(ctx, "text", typing("n"))
	}
	return err
}

// focused returns the agent's handle of the field that takes text. The agent returns the first element with the focus,
// and a view around the field may have it, too: then the field is asked for by what it alone has.
func (a *agentAccess) focused(ctx context.Context, field *screen.Node) (string, error) {
	serial := a.d.link.serial
	var found struct {
		Element string `json:"ELEMENT"`
		W3C     string `json:"element-6066-11e4-a52e-4f735466cecf"`
	}
	if err := a.ask(ctx, agentRequest{method: "GET", path: "element/active"}, &found); err != nil {
		if answered(err, "no such element") {
			err = fmt.Errorf("device %s: %w: no text field has the focus", serial, drivers.ErrNotActionable)
		}
		return "", err
	}
	element := cmp.Or(found.W3C, found.Element)
	place, err := a.rect(ctx, element)
	if err != nil || place == field.Bounds {
		return element, err
	}
	if strategy, value, ok := a.selector(field); ok {
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

func (a *agentAccess) copied(ctx context.Context) (string, error) {
	var content string
	if err := a.ask(ctx, agentRequest{method: "POST", path: "appium/device/get_clipboard", body: map[string]any{
		"contentType": "PLAINTEXT"}}, &content); err != nil {
		return "", err
	}
	if content == "" && a.d.info.APILevel >= 29 {
		return "", fmt.Errorf("device %s: %w: from Android 10 on only the app in the foreground may read the clipboard",
			a.d.link.serial, drivers.ErrUnsupported)
	}
	text, err := base64.StdEncoding.DecodeString(strings.TrimSpace(content))
	return string(text), err
}

func (a *agentAccess) copy(ctx context.Context, text string) error {
	return a.ask(ctx, agentRequest{method: "POST", path: "appium/device/set_clipboard", body: map[string]any{
		"content": base64.StdEncoding.EncodeToString([]byte(text)), "contentType": "PLAINTEXT", "label": "taproot"}}, nil)
}

// Clipboard returns what was copied last, where Android lets it be read.
func (d *Device) Clipboard(ctx context.Context) (string, error) { return d.backend().copied(ctx) }

// SetClipboard puts a text where a paste takes it from.
func (d *Device) SetClipboard(ctx context.Context, text string) error {
	return d.backend().copy(ctx, text)
}

func (d *Device) noClipboard() error {
	return fmt.Errorf("device %s: %w: the clipboard needs the agent: %s", d.link.serial, drivers.ErrUnsupported,
		d.TreeReadBy())
}
