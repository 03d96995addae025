package appium

import (
	"context"
	"errors"
	"fmt"
	"image"
	"strings"
	"unicode/utf8"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/input"
	"github.com/taproot-dev/taproot/drivers/android/internal/ui"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

const (
	keyEnter      = 66
	longestSecret = 64 // characters of a password that are removed one by one
)

// Type enters text behind what the field with the focus holds. The driver sets it as accessibility services do: any
// Unicode, at once, without keys. A new line is the key Enter.
func (u *Screen) Type(ctx context.Context, text string) error {
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\r\n", "\n"), "\r", "\n")
	if text == "" {
		return nil
	}
	field, err := u.focused(ctx)
	if err == nil && field.InPage {
		return u.typeInPage(ctx, field, text)
	}
	for i, line := range strings.Split(text, "\n") {
		if i > 0 {
			if err := u.key(ctx, keyEnter, 0); err != nil {
				return err
			}
		}
		if line == "" {
			continue
		}
		if i > 0 {
			field, err = u.focused(ctx)
		}
		if err != nil {
			return err
		}
		if field.Password && field.Text != "" {
			return fmt.Errorf("device %s: %w: what the password field holds already cannot be read, so that nothing can be "+
				"added to it: clear it before", u.Device, drivers.ErrUnsupported)
		}
		if err := u.typeOn(ctx, field, line); err != nil {
			return err
		}
	}
	return nil
}

// typeOn types a line into a field, and what that does not take into those to which it moves the focus, as keys would:
// a code may have a field for each of its digits.
func (u *Screen) typeOn(ctx context.Context, field *screen.Node, line string) error {
	for {
		if err := u.setText(ctx, field, field.Text+line); err != nil || utf8.RuneCountInString(line) < 2 {
			return err
		}
		tree, err := u.FullTree(ctx)
		if errors.Is(err, drivers.ErrDeviceLost) || ctx.Err() != nil {
			return err
		}
		if err != nil {
			return nil // the text was typed; the caller reads the screen
		}
		next := tree.Focused()
		taken := takenBy(tree, field)
		if next == nil || !next.Editable || next.InPage || sameField(next, field) || taken == "" || taken == line ||
			!strings.HasPrefix(line, taken) {
			return nil
		}
		field, line = next, line[len(taken):]
	}
}

func sameField(a, b *screen.Node) bool {
	return a.ID == b.ID && a.Type == b.Type && a.Bounds == b.Bounds
}

// takenBy is what a field that was typed into holds more than before; "": nothing, or that is unknown.
func takenBy(tree *screen.Tree, field *screen.Node) string {
	for n := range tree.All {
		if sameField(n, field) {
			taken, _ := strings.CutPrefix(n.Text, field.Text)
			return taken
		}
	}
	return ""
}

// focused returns the field that takes text.
func (u *Screen) focused(ctx context.Context) (*screen.Node, error) {
	tree, err := u.FullTree(ctx)
	if err != nil {
		return nil, err
	}
	field := tree.Focused()
	if field == nil || !field.Editable {
		return nil, fmt.Errorf("device %s: %w: no text field has the focus", u.Device, drivers.ErrNotActionable)
	}
	for n := range tree.All {
		if n.Focused && n.Editable && (n.InPage || field.InPage) && !n.Within(field) && !field.Within(n) {
			return nil, fmt.Errorf("device %s: %w: both %s and %s have the focus, and one of them is on a page", u.Device,
				drivers.ErrNotActionable, n, field)
		}
	}
	return field, nil
}

// setText sets what the field with the focus holds. When the answer is lost, the screen decides whether it has arrived.
func (u *Screen) setText(ctx context.Context, field *screen.Node, text string) error {
	element, err := u.handle(ctx, field)
	if err != nil {
		return err
	}
	enters := strings.HasSuffix(text, `\n`) // the driver would press Enter for it
	if enters {
		return fmt.Errorf("device %s: %w: a text that ends with a backslash and an n", u.Device, drivers.ErrUnsupported)
	}
	err = u.Mobile(ctx, "replaceElementValue", map[string]any{"elementId": string(element), "text": text}, nil)
	switch {
	case webdriver.Is(err, webdriver.ElementState):
		return fmt.Errorf("%w: the field takes no text from accessibility services: %w", drivers.ErrUnsupported, err)
	case err != nil && webdriver.MayHaveHappened(err) && ctx.Err() == nil && u.holds(ctx, field, text):
		return nil
	}
	return u.Changed("type", err)
}

// holds reports whether the screen shows that a field has a text.
func (u *Screen) holds(ctx context.Context, field *screen.Node, text string) bool {
	now, err := u.focused(ctx)
	return err == nil && now.ID == field.ID && now.Type == field.Type && !now.Password && now.Text == text
}

// handle returns the driver's name of the field that takes text. A view around it may have the focus, too: then nothing
// is typed.
func (u *Screen) handle(ctx context.Context, field *screen.Node) (element webdriver.Element, err error) {
	err = u.Do(ctx, "find the focus", func(ctx context.Context) (err error) {
		element, err = u.Lease.Active(ctx, readLimit)
		return err
	})
	if webdriver.Is(err, webdriver.NoSuchElement) {
		return "", fmt.Errorf("%w: no text field has the focus: %w", drivers.ErrNotActionable, err)
	}
	if err != nil || !u.shares(field) {
		return element, err
	}
	var at image.Rectangle
	err = u.Do(ctx, "find the focus", func(ctx context.Context) error {
		x, y, w, h, err := u.Lease.Rect(ctx, element, readLimit)
		at = image.Rect(x, y, x+w, y+h)
		return err
	})
	if err == nil && at.Min != field.Bounds.Min && at.Max != field.Bounds.Max {
		err = fmt.Errorf("device %s: %w: more than one element has the focus, and the server names another one than %s",
			u.Device, drivers.ErrUnsupported, field)
	}
	return element, err
}

// shares reports whether an element around the field has the focus as well.
func (u *Screen) shares(field *screen.Node) bool {
	for n := field.Parent; n != nil; n = n.Parent {
		if n.Focused {
			return true
		}
	}
	return false
}

// Erase takes characters from the end of the field.
func (u *Screen) Erase(ctx context.Context, n int) error {
	field, err := u.focused(ctx)
	if err != nil || n == 0 {
		return err
	}
	text := []rune(field.Text)
	switch {
	case field.InPage:
		return u.WebViews.erase(ctx, field, n)
	case n < 0 || !field.Password && n >= len(text):
		if field.Text == "" && !field.Password {
			return nil
		}
		return u.setText(ctx, field, "")
	case !field.Password:
		return u.setText(ctx, field, string(text[:len(text)-n]))
	}
	if err := u.key(ctx, input.KeyMoveEnd, 0); err != nil {
		return err
	}
	for range min(n, utf8.RuneCountInString(field.Text), longestSecret) {
		if err := u.key(ctx, input.KeyBackspace, 0); err != nil {
			return err
		}
	}
	return nil
}

// key presses a key.
func (u *Screen) key(ctx context.Context, code, meta int) error {
	args := map[string]any{"keycode": code}
	if meta != 0 {
		args["metastate"] = meta
	}
	return u.Changed("press a key", u.Mobile(ctx, "pressKey", args, nil))
}

// metaState are the modifiers as the flags of a key, by their codes.
func metaState(code int) (flag int, ok bool) {
	flag, ok = map[int]int{input.KeyShift: 0x1 | 0x40, 57: 0x2 | 0x10, input.KeyControl: 0x1000 | 0x2000,
		117: 0x10000 | 0x20000}[code]
	return flag, ok
}

// Press presses keys. A single character is typed as text.
func (u *Screen) Press(ctx context.Context, keys []string) error {
	if text, ok := ui.AsText(keys); ok {
		return u.Type(ctx, text)
	}
	codes, err := ui.KeyCodes(keys)
	if err != nil {
		return fmt.Errorf("device %s: %w", u.Device, err)
	}
	meta, last := 0, codes[len(codes)-1]
	for _, code := range codes[:len(codes)-1] {
		flag, ok := metaState(code)
		if !ok {
			return fmt.Errorf("device %s: %w: %s: only shift, control, alt and meta are held on a remote", u.Device,
				drivers.ErrUnsupported, strings.Join(keys, "+"))
		}
		meta |= flag
	}
	return u.key(ctx, last, meta)
}

// needsSettings explains why a command failed that the app io.appium.settings performs.
func (s *Session) needsSettings(what string, err error) error {
	if errors.Is(err, drivers.ErrDeviceLost) || !webdriver.Is(err, webdriver.UnknownError) {
		return s.Unsupported(what, err)
	}
	return fmt.Errorf("%w: to %s, the app io.appium.settings must be on the phone (the server installs it, unless the "+
		"capability appium:skipDeviceInitialization is set): %w", drivers.ErrUnsupported, what, err)
}
