package action

import (
	"context"
	"errors"
	"fmt"
	"image"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
)

// What a tree has is not yet what a person sees: the keyboard of a phone lies over it and is in no tree, and a text may have the colour of its
// ground.

// onlyVisible leaves out what nobody sees of the elements that an assertion of something's presence has found.
func (w *screenReader) onlyVisible(ctx context.Context, sel dsl.Selector, matches []screen.Match) ([]screen.Match, error) {
	if !w.s.onPhone() || needsVision(sel) {
		return matches, nil
	}
	var kept []screen.Match
	for _, m := range matches {
		why, err := w.unseen(ctx, sel, m)
		if err != nil {
			w.unsure(matches)
			return nil, err
		}
		if why == "" {
			kept = append(kept, m)
		} else {
			w.hiddenUnder = fmt.Sprintf("%s is there, but %s", m.Node, why)
		}
	}
	return kept, nil
}

// unsure says of what was found, if the time is over before the next look, that it was not known to be there for a person.
func (w *screenReader) unsure(matches []screen.Match) {
	if len(matches) > 0 && w.hiddenUnder == "" {
		w.hiddenUnder = fmt.Sprintf("%s is there, but the time was over before it was seen to stay, and not to be hidden, as by the keyboard", matches[0].Node)
	}
}

// shownAs is a selector that also asks for a text.
func shownAs(sel dsl.Selector, text *string) dsl.Selector {
	if text != nil {
		sel.Text = *text
	}
	return sel
}

// unseen says why an element is not to be seen, "" when it is.
func (w *screenReader) unseen(ctx context.Context, sel dsl.Selector, m screen.Match) (string, error) {
	if m.Node.Type == seenType || m.Node.Earlier || m.Seen.Empty() {
		return "", nil
	}
	if under, err := w.behindKeyboard(ctx, m); under || err != nil {
		return "under the keyboard", err
	}
	if w.s.Platform == dsl.IOS && !strings.HasSuffix(m.Node.Type, "StaticText") { // the text of a button may be its name alone
		return "", nil
	}
	if sel.Label == "" && sel.Text == "" || m.Node.Text == "" || m.Node.Desc != "" || m.Node.Editable || m.Node.InPage || m.Node.Type == toastType {
		return "", nil
	}
	shot, err := w.newerPicture(ctx)
	if err != nil || shot == nil {
		return "", err
	}
	part := m.Seen.Intersect(shot.Bounds())
	if part.Empty() || w.protected != nil && w.protected.At(part) || !blank(shot, part) || dark(shot) {
		return "", nil
	}
	return "nothing is drawn in its place", nil
}

// toastType is the element of a toast, whose place is an estimate.
const toastType = "android.widget.Toast"

// newerPicture gives a picture that was taken behind the newest tree; nil: none can be had, and nothing follows.
func (w *screenReader) newerPicture(ctx context.Context) (image.Image, error) {
	if w.shotAt.Before(w.tree.Taken) {
		err := w.picture(ctx)
		var p *drivers.ProtectedError
		if err != nil && !errors.As(err, &p) {
			if errors.Is(err, drivers.ErrDeviceLost) || ctx.Err() != nil {
				return nil, err
			}
			w.s.doubtOnce("whether it is drawn could not be told: %v", err)
			return nil, nil
		}
		if w.shotAt.Before(w.tree.Taken) {
			return nil, nil // none may be taken
		}
	}
	return w.rest.Last(), nil
}

// behindKeyboard tells whether the keyboard lies over all that could be seen of an element. The device is asked only while a field has the focus,
// about what lies below the beginning of that field.
func (w *screenReader) behindKeyboard(ctx context.Context, m screen.Match) (bool, error) {
	d, ok := w.s.Device.(drivers.KeyboardArea)
	field := w.tree.Focused()
	if !ok || field == nil || !field.Editable || m.Node == field || m.Seen.Min.Y <= field.Bounds.Min.Y {
		return false, nil
	}
	area, err := d.KeyboardArea(ctx)
	return err == nil && m.Seen.In(area), err
}

// faint is the least difference of a colour, of 255, between two neighbouring pixels that a person may still see as an edge.
const faint = 4

// blank tells whether a part of a picture has no edge at all, in whatever colour: nothing is drawn there but its ground.
func blank(img image.Image, r image.Rectangle) bool {
	edges := 0
	differ := func(a, b [3]int) bool {
		return slices.Max([]int{abs(a[0] - b[0]), abs(a[1] - b[1]), abs(a[2] - b[2])}) >= faint
	}
	var above [][3]int
	for y := r.Min.Y; y < r.Max.Y; y++ {
		row := make([][3]int, 0, r.Dx())
		for x := r.Min.X; x < r.Max.X; x++ {
			row = append(row, colourAt(img, x, y))
			n := len(row) - 1
			if n > 0 && differ(row[n], row[n-1]) || above != nil && differ(row[n], above[n]) {
				if edges++; edges > 2 {
					return false
				}
			}
		}
		above = row
	}
	return true
}

func colourAt(img image.Image, x, y int) [3]int {
	if p, ok := img.(*image.RGBA); ok {
		at := p.PixOffset(x, y)
		return [3]int{int(p.Pix[at]), int(p.Pix[at+1]), int(p.Pix[at+2])}
	}
	r, g, b, _ := img.At(x, y).RGBA()
	return [3]int{int(r >> 8), int(g >> 8), int(b >> 8)}
}

func abs(n int) int { return max(n, -n) }
