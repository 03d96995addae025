package action

import (
	"context"
	"fmt"
	"image"
	"image/color"
	"image/draw"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/reporters"
)

// Photograph takes a picture in which passwords and the elements that show a secret of the mask are painted over. What shows them is
// looked for before and after, because the screen may change in between.
func Photograph(ctx context.Context, dev drivers.Device, mask *reporters.Mask) (image.Image, error) {
	before, err := dev.Tree(ctx)
	if err != nil {
		return nil, fmt.Errorf("what a picture would show of the secrets cannot be told: %w", err)
	}
	img, err := dev.Screenshot(ctx)
	if err != nil {
		return nil, err
	}
	after, err := dev.Tree(ctx)
	if err != nil {
		return nil, fmt.Errorf("what a picture would show of the secrets cannot be told: %w", err)
	}
	out := image.NewRGBA(img.Bounds())
	draw.Draw(out, out.Rect, img, img.Bounds().Min, draw.Src)
	for _, t := range []*drivers.Tree{before, after} {
		for n := range t.All {
			if n.Password || mask.Shows(n.Text) || mask.Shows(n.Desc) || mask.Shows(n.Hint) {
				draw.Draw(out, n.Bounds, image.NewUniform(color.Gray{128}), image.Point{}, draw.Src)
			}
		}
	}
	return out, nil
}
