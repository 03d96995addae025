package action_test

import (
	"context"
	"image"
	"image/color"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/runner/internal/action"
)

// toastAt is where a toast is drawn.
var toastAt = image.Rect(200, 1700, 800, 1800)

// toastReader reads "Saved" where something is drawn.
type toastReader struct{ drivers.Vision }

func (toastReader) OCR(_ context.Context, img image.Image) ([]drivers.TextLine, error) {
	p := toastAt.Min.Add(image.Pt(5, 5))
	if color.RGBAModel.Convert(img.At(p.X, p.Y)) == (color.RGBA{}) {
		return nil, nil
	}
	return []drivers.TextLine{{Text: "Saved", Bounds: toastAt, Confidence: 1}}, nil
}

// toasting is a phone with toasts that are in no tree.
type toasting struct{ *fake }

func (d toasting) Tree(ctx context.Context) (*screen.Tree, error) {
	t, err := d.fake.Tree(ctx)
	if err == nil {
		t = screen.NewTree([]*screen.Node{{Type: "root", Bounds: image.Rectangle{Max: size}}}, size, t.Taken)
	}
	return t, err
}

// TestToastIsReadInThePixels, although it is gone before the first tree is there; a toast that never came is not.
func TestToastIsReadInThePixels(t *testing.T) {
	for _, comes := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			f := &fake{
				began:       time.Now(),
				cheap:       true,
				treeCost:    2200 * time.Millisecond,
				pictureCost: 250 * time.Millisecond,
				show: func(at time.Duration, _ []image.Point) []*screen.Node {
					if comes && at < 2*time.Second {
						return []*screen.Node{el("Saved", toastAt.Min.X, toastAt.Min.Y, toastAt.Max.X, toastAt.Max.Y)}
					}
					return nil
				},
			}
			s := &action.Performer{
				Device:   toasting{f},
				Timeout:  5 * time.Second,
				Settings: action.Settings{Vision: toastReader{}},
			}
			err := action.Perform(t.Context(), s, dsl.Assert{Selector: dsl.Selector{Label: "Saved", Fallback: "ocr"}})
			if comes && err != nil {
				t.Error(err)
			}
			if !comes {
				wantFail(t, err, true, "Saved")
			}
		})
	}
}
