package action

import (
	"cmp"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/reporters/event"
)

// Photograph takes a screenshot in which passwords and the elements that show a secret of the mask are painted over.
// What shows them is looked for before and after, because the screen may change in between. While a dialog stops a page
// there is no screenshot: reading the elements would close it.
func Photograph(ctx context.Context, dev drivers.Device, mask *event.Mask) (image.Image, error) {
	if err := stoppedByDialog(ctx, dev); err != nil {
		return nil, err
	}
	before, err := dev.Tree(ctx)
	if err != nil {
		return nil, fmt.Errorf("what a screenshot would show of the secrets is unknown: %w", err)
	}
	img, err := dev.Screenshot(ctx)
	if err != nil {
		return nil, err
	}
	after, err := dev.Tree(ctx)
	if err != nil {
		return nil, fmt.Errorf("what a screenshot would show of the secrets is unknown: %w", err)
	}
	var boxes []image.Rectangle
	for _, t := range []*screen.Tree{before, after} {
		for n := range t.All {
			if n.Password || mask.Shows(n.Text) || mask.Shows(n.Desc) || mask.Shows(n.Hint) {
				boxes = append(boxes, n.Bounds)
			}
		}
	}
	return painted(img, boxes), nil
}

// painted returns a screenshot with places that are painted over. Where there are none, it is the screenshot itself, so
// that the file that it came as need be neither read nor written again.
func painted(img image.Image, boxes []image.Rectangle) image.Image {
	boxes = slices.DeleteFunc(boxes, func(b image.Rectangle) bool { return b.Intersect(img.Bounds()).Empty() })
	if len(boxes) == 0 {
		return img
	}
	if p, ok := img.(*drivers.Image); ok { // of which the pixels are copied at once, not one by one
		img = p.Decoded()
	}
	out := image.NewRGBA(img.Bounds())
	draw.Draw(out, out.Rect, img, img.Bounds().Min, draw.Src)
	for _, b := range boxes {
		draw.Draw(out, b, image.NewUniform(color.Gray{128}), image.Point{}, draw.Src)
	}
	return out
}

// stoppedByDialog returns an error while a dialog of a page is open. On phones dialogs are elements like others.
func stoppedByDialog(ctx context.Context, dev drivers.Device) error {
	_, page := dev.(drivers.Navigator)
	alerter, ok := dev.(drivers.Alerter)
	if !page || !ok {
		return nil
	}
	open, err := alerter.Alert(ctx)
	if open != nil && err == nil {
		err = fmt.Errorf("%w: an open dialog stops the page", drivers.ErrNotReady)
	}
	return err
}

// screenshot leaves an image for a caller without screenshots of its steps; in a test, the screenshot of the step is
// named after it.
func screenshot(ctx context.Context, s *Session, a dsl.Screenshot) error {
	if a.Element != nil {
		return pictureOf(ctx, s, a)
	}
	if s.StepPictures {
		return nil
	}
	img, err := s.host().Photograph(ctx, s.Device)
	if err != nil {
		return err
	}
	if why := Unseen(ctx, s.Device, img); why != "" {
		s.note("%s", why)
	}
	name := pictureName(cmp.Or(a.Name, "screenshot"))
	path := filepath.Join(s.Work, name)
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("keep a screenshot: %w", err)
	}
	err = png.Encode(f, img)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		_, err = s.host().Keep(name, path)
	}
	return err
}

// maxPictureName is how many characters of a name the file of a screenshot has.
const maxPictureName = 60

// pictureName makes a name one that a file can have in any folder.
func pictureName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || strings.ContainsRune(`/\:`, r) {
			return '-'
		}
		return r
	}, name)
	if all := []rune(name); len(all) > maxPictureName {
		name = string(all[:maxPictureName-1]) + "…"
	}
	return name + ".png"
}
