package appium

import (
	"context"
	"errors"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/drivers/ios/internal/webview"
)

// The driver types into elements of accessibility. Fields of pages that it has nothing of are edited by a script.

// Type types the text into the element with the focus.
func (d *Device) Type(ctx context.Context, text string) error {
	field, err := d.onlyInPage(ctx)
	if err != nil || text == "" {
		return err
	}
	if field == nil {
		return d.Keyboard.Type(ctx, text)
	}
	return d.edit(ctx, field, webview.Edit{Text: text})
}

// Erase takes characters from the end of the field with the focus; n < 0: all.
func (d *Device) Erase(ctx context.Context, n int) error {
	field, err := d.onlyInPage(ctx)
	if err != nil || n == 0 {
		return err
	}
	if field == nil {
		return d.Keyboard.Erase(ctx, n)
	}
	return d.edit(ctx, field, webview.Edit{Erase: n})
}

// onlyInPage returns the field with the focus if it is one of a page that accessibility has nothing of; nil: it is not.
func (d *Device) onlyInPage(ctx context.Context) (*screen.Node, error) {
	if !d.agent.inPage() {
		return nil, nil
	}
	_, err := d.agent.focused(ctx, "the focus")
	if !errors.Is(err, drivers.ErrNotActionable) {
		return nil, err
	}
	return d.reader.Last().Focused(), nil
}

// edit edits a field of a page. When the answer is lost, the page decides whether it was done.
func (d *Device) edit(ctx context.Context, field *screen.Node, e webview.Edit) error {
	d.agent.WarnOnce("accessibility has nothing of a field in a page: it was edited by a script, and the page got no keys")
	err := d.web.Edit(ctx, field, e)
	if webdriver.MayHaveHappened(err) && ctx.Err() == nil && d.edited(ctx, field, e) {
		return nil
	}
	return d.agent.Changed("type", err)
}

// edited reports whether the page shows that a field was edited.
func (d *Device) edited(ctx context.Context, field *screen.Node, e webview.Edit) bool {
	held := []rune(field.Text)
	if e.Erase < 0 || e.Erase > len(held) {
		e.Erase = len(held)
	}
	want := string(held[:len(held)-e.Erase]) + e.Text
	tree, err := d.reader.Tree(ctx)
	if err != nil || field.Password || want == field.Text {
		return false
	}
	now := tree.Focused()
	return now != nil && now.InPage && now.ID == field.ID && now.Bounds == field.Bounds && now.Text == want
}
