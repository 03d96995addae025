package ui

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/agent"
	"github.com/taproot-dev/taproot/drivers/android/internal/input"
)

// Type enters text. ASCII is typed by the phone itself, key by key; anything else is set by the agent, or needs the
// keyboard app ADBKeyboard, and without these nothing is typed at all.
func (u *Screen) Type(ctx context.Context, text string) error {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	if text == "" {
		return nil
	}
	r, ok := input.Untypable(text)
	switch {
	case !ok:
		return u.Input.Text(ctx, text)
	case u.Agent.Running():
		return u.write(ctx, text, r)
	}
	return u.Input.TypeByKeyboard(ctx, text, r)
}

// write sets the text of the field with the focus by the agent: what it holds, which its tree has without its hint, and
// the new text behind it. first is the first character without a key.
func (u *Screen) write(ctx context.Context, text string, first rune) error {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if i > 0 {
			if err := u.Input.Text(ctx, "\n"); err != nil {
				return err
			}
		}
		if line == "" {
			continue
		}
		if _, ok := input.Untypable(line); !ok {
			if err := u.Input.Text(ctx, line); err != nil {
				return err
			}
			continue
		}
		err := u.append(ctx, line)
		if errors.Is(err, agent.ErrFallback) {
			return u.Input.TypeByKeyboard(ctx, strings.Join(lines[i:], "\n"), first)
		}
		if agent.Answered(err, "invalid element state") {
			return fmt.Errorf("device %s: %w: the field takes no text from accessibility services, and %q (%U) has no key",
				u.Phone.Link.Serial, drivers.ErrUnsupported, first, first)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// append writes one line behind what the field holds.
func (u *Screen) append(ctx context.Context, line string) error {
	serial := u.Phone.Link.Serial
	tree, err := u.FullTree(ctx)
	if err != nil {
		return err
	}
	if !u.Agent.Running() {
		return agent.ErrFallback
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
	return u.Agent.SetText(ctx, field, field.Text+line)
}
