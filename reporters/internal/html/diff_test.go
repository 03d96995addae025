package html

import (
	"bytes"
	"encoding/base64"
	"image"
	"image/color"
	"image/png"
	"strings"
	"testing"
)

func plain(w, h int, c color.Color) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	for y := range h {
		for x := range w {
			img.Set(x, y, c)
		}
	}
	return img
}

func TestOneChangedPixelIsSeen(t *testing.T) {
	t.Parallel()
	a, b := plain(1080, 2400, color.White), plain(1080, 2400, color.White)
	b.Set(700, 1900, color.Black)
	b.Set(10, 10, color.RGBA{250, 250, 250, 255}) // compression
	d, err := compare(a, b)
	if err != nil || d.Changed != 1.0/(1080*2400) {
		t.Fatal(d.Changed, err)
	}
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(d.Picture, "data:image/png;base64,"))
	if err != nil {
		t.Fatal(err)
	}
	img, err := png.Decode(bytes.NewReader(raw))
	if err != nil || img.Bounds().Dy() > diffSide || len(raw) > 20<<10 {
		t.Fatal(img.Bounds(), len(raw), err)
	}
	marked := 0
	for y := range img.Bounds().Dy() {
		for x := range img.Bounds().Dx() {
			if r, g, _, _ := img.At(x, y).RGBA(); r != g {
				marked++
				if x != 700/4 || y != 1900/4 {
					t.Errorf("marked at %d, %d", x, y)
				}
			}
		}
	}
	if marked != 1 {
		t.Errorf("%d are marked", marked)
	}
}

func TestDifferentSizesAreNotCompared(t *testing.T) {
	t.Parallel()
	if _, err := compare(plain(3, 4, color.White), plain(4, 3, color.White)); err == nil ||
		!strings.Contains(err.Error(), "3×4 and 4×3") {
		t.Error(err)
	}
}

// An image with bounds that do not start at zero, of another colour model.
func TestImagesOfAllKindsAreCompared(t *testing.T) {
	t.Parallel()
	a := image.NewGray(image.Rect(5, 5, 15, 15))
	if d, err := compare(a, plain(10, 10, color.Black)); err != nil || d.Changed != 0 {
		t.Error(d.Changed, err)
	}
}
