package ios

import (
	"context"
	"errors"
	"fmt"
	"image"
	"net/http"
	"slices"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// KeyboardShown looks for the keyboard among the elements.
func (d *Device) KeyboardShown(ctx context.Context) (bool, error) {
	var element struct{}
	ask := request{what: "the keyboard", method: http.MethodPost, path: "/element", body: map[string]any{
		"using": "class name", "value": elementPrefix + "Keyboard"}}
	err := d.do(ctx, ask, &element)
	if errors.Is(err, screen.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// hidingKeys are what the keys are called that hide a keyboard, and do nothing else: a key "Done" of it sends a form.
func hidingKeys() []string { return []string{"Hide keyboard", "Dismiss"} }

// HideKeyboard presses the key that hides the keyboard, where it has one, else the button "Done" of the bar on top of
// it, else it taps a place next to the field at which nothing reacts, as a person would: never what may send a form.
func (d *Device) HideKeyboard(ctx context.Context) error {
	shown, err := d.KeyboardShown(ctx)
	if err != nil || !shown {
		return err
	}
	tree, err := d.Tree(ctx)
	if err != nil {
		return err
	}
	board := find(tree, func(n *screen.Node) bool { return n.Type == elementPrefix+"Keyboard" && !n.Hidden })
	if board == nil {
		return nil // it went away meanwhile
	}
	how := "a tap next to the field"
	switch at, bar := nextToField(tree, board.Bounds.Min.Y), barButton(tree, board); {
	case find(tree, func(n *screen.Node) bool {
		return n.Within(board) &&
			slices.Contains(hidingKeys(), n.Label())
	}) != nil:
		return d.do(ctx, post("hiding the keyboard", "/wda/keyboard/dismiss", map[string]any{"keyNames": hidingKeys()}), nil)
	case bar != nil:
		how, err = "the button "+screen.Quote(bar.Label())+" over it", d.Tap(ctx, centreOf(bar))
	case at != nil:
		err = d.Tap(ctx, *at)
	default:
		how = "no place next to the field at which nothing reacts"
	}
	if err != nil {
		return err
	}
	d.log.Info("hiding the keyboard", "by", how)
	if shown, err = d.KeyboardShown(ctx); err != nil || !shown {
		return err
	}
	return fmt.Errorf(
		"device %s: %w: the keyboard has no key that hides it, and it stayed after %s: do what a person would do in this app",
		d.info.ID, drivers.ErrNotActionable, how)
}

func find(t *screen.Tree, is func(*screen.Node) bool) *screen.Node {
	for n := range t.All {
		if is(n) {
			return n
		}
	}
	return nil
}

func centreOf(n *screen.Node) image.Point { return n.Bounds.Min.Add(n.Bounds.Size().Div(2)) }

// barButton is the button "Done" of the bar on top of the keyboard.
func barButton(t *screen.Tree, board *screen.Node) *screen.Node {
	return find(t, func(n *screen.Node) bool {
		if n.Type != elementPrefix+"Button" || n.Hidden || n.Label() != "Done" || n.Within(board) ||
			n.Bounds.Max.Y > board.Bounds.Min.Y {
			return false
		}
		for p := n.Parent; p != nil; p = p.Parent {
			if p.Type == elementPrefix+"Toolbar" {
				return board.Bounds.Min.Y-p.Bounds.Max.Y < p.Bounds.Dy()
			}
		}
		return false
	})
}

// nextToField is a place over the keyboard at which nothing reacts and nothing is written; nil when there is none.
func nextToField(t *screen.Tree, below int) *image.Point {
	for y := t.Size.Y / 8; y < below; y += max(t.Size.Y/40, 1) {
		for _, x := range []int{t.Size.X / 2, t.Size.X / 12, t.Size.X * 11 / 12} {
			p := image.Pt(x, y)
			if find(t, func(n *screen.Node) bool {
				return !n.Hidden && p.In(n.Bounds) && (n.Clickable || n.Editable || n.Blocks || n.Text != "" || n.Desc != "" ||
					n.Hint != "")
			}) == nil {
				return &p
			}
		}
	}
	return nil
}
