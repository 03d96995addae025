// Package keyboard types text and presses keys of one device, and hides its keyboard.
package keyboard

import (
	"context"
	"errors"
	"fmt"
	"image"
	"net/http"
	"slices"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/ios/internal/source"
	"github.com/taproot-dev/taproot/drivers/ios/internal/touch"
	"github.com/taproot-dev/taproot/drivers/ios/internal/view"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
)

// Keyboard types text and presses keys of one device. Its methods are called one at a time.
type Keyboard struct {
	link    *wda.Link
	reader  *view.Reader
	fingers *touch.Fingers
}

// New returns the Keyboard of the device that r reads.
func New(l *wda.Link, r *view.Reader, f *touch.Fingers) *Keyboard {
	return &Keyboard{link: l, reader: r, fingers: f}
}

// KeyboardShown looks for the keyboard among the elements.
func (k *Keyboard) KeyboardShown(ctx context.Context) (bool, error) {
	var element struct{}
	ask := wda.Request{What: "the keyboard", Method: http.MethodPost, Path: "/element", Body: map[string]any{
		"using": "class name", "value": source.Prefix + "Keyboard"}}
	err := k.link.Do(ctx, ask, &element)
	if errors.Is(err, screen.ErrNotFound) {
		return false, nil
	}
	return err == nil, err
}

// hidingKeys are what the keys are called that hide a keyboard, and do nothing else: a key "Done" of it sends a form.
func hidingKeys() []string { return []string{"Hide keyboard", "Dismiss"} }

// HideKeyboard presses the key that hides the keyboard, where it has one, else the button "Done" of the bar on top of
// it, else it taps a place next to the field at which nothing reacts, as a person would: never what may send a form.
func (k *Keyboard) HideKeyboard(ctx context.Context) error {
	shown, err := k.KeyboardShown(ctx)
	if err != nil || !shown {
		return err
	}
	tree, err := k.reader.Tree(ctx)
	if err != nil {
		return err
	}
	board := find(tree, func(n *screen.Node) bool { return n.Type == source.Prefix+"Keyboard" && !n.Hidden })
	if board == nil {
		return nil // it went away meanwhile
	}
	how := "a tap next to the field"
	key := find(tree, func(n *screen.Node) bool { return n.Within(board) && slices.Contains(hidingKeys(), n.Label()) })
	switch at, bar := nextToField(tree, board.Bounds.Min.Y), barButton(tree, board); {
	case key != nil:
		how = "its key " + screen.Quote(key.Label())
		ask := wda.Post("hiding the keyboard", "/wda/keyboard/dismiss", map[string]any{"keyNames": hidingKeys()})
		if err = k.link.Do(ctx, ask, nil); !errors.Is(err, drivers.ErrUnsupported) {
			return err
		}
		err = k.fingers.Tap(ctx, centreOf(key)) // a server in between does not have it
	case bar != nil:
		how, err = "the button "+screen.Quote(bar.Label())+" over it", k.fingers.Tap(ctx, centreOf(bar))
	case at != nil:
		err = k.fingers.Tap(ctx, *at)
	default:
		how = "no place next to the field at which nothing reacts"
	}
	if err != nil {
		return err
	}
	k.link.Log.Info("hiding the keyboard", "by", how)
	if shown, err = k.KeyboardShown(ctx); err != nil || !shown {
		return err
	}
	return fmt.Errorf(
		"device %s: %w: the keyboard has no key that hides it, and it stayed after %s: do what a person would do in this app",
		k.link.ID, drivers.ErrNotActionable, how)
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
		if n.Type != source.Prefix+"Button" || n.Hidden || n.Label() != "Done" || n.Within(board) ||
			n.Bounds.Max.Y > board.Bounds.Min.Y {
			return false
		}
		for p := n.Parent; p != nil; p = p.Parent {
			if p.Type == source.Prefix+"Toolbar" {
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
