package drivers_test

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
)

func TestPictureIsItsFile(t *testing.T) {
	img := image.NewNRGBA(image.Rect(0, 0, 5, 3))
	img.Set(4, 2, color.NRGBA{R: 200, G: 100, B: 50, A: 128})
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		t.Fatal(err)
	}
	p, err := drivers.NewImage(b.Bytes(), 15)
	if err != nil || p.Bounds() != img.Bounds() || !bytes.Equal(p.PNG(), b.Bytes()) {
		t.Fatalf("%v, %v", p, err)
	}
	want, got := image.NewRGBA(img.Rect), image.NewRGBA(img.Rect)
	draw.Draw(want, want.Rect, img, image.Point{}, draw.Src)
	draw.Draw(got, got.Rect, p, image.Point{}, draw.Src)
	if !bytes.Equal(want.Pix, got.Pix) || p.At(4, 2) != img.At(4, 2) || p.ColorModel() != color.NRGBAModel {
		t.Error("its pixels are others")
	}
	if _, err := drivers.NewImage(b.Bytes(), 14); err == nil {
		t.Error("a picture that is too large is taken")
	}
	if _, err := drivers.NewImage([]byte("GIF89a"), 15); err == nil {
		t.Error("what is no picture is taken")
	}
	broken, err := drivers.NewImage(b.Bytes()[:b.Len()-20], 15)
	if err != nil || broken.At(4, 2) != (color.RGBA{}) {
		t.Errorf("a cut file: %v", err)
	}
}

// A screen that does not change returns one file again and again: it is read once.
func TestTheSameFileIsTheSamePicture(t *testing.T) {
	file := func(grey uint8) []byte {
		img := image.NewGray(image.Rect(0, 0, 5, 3))
		img.Pix[0] = grey
		var b bytes.Buffer
		if err := png.Encode(&b, img); err != nil {
			t.Fatal(err)
		}
		return b.Bytes()
	}
	var screen drivers.ImageCache
	of := func(file []byte) *drivers.Image {
		p, err := screen.Of(file, 15)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	first := of(file(1))
	if of(file(1)) != first {
		t.Error("an equal file is another picture")
	}
	if other := of(file(2)); other == first || !bytes.Equal(other.PNG(), file(2)) {
		t.Error("another file is the same picture")
	}
	if _, err := screen.Of([]byte("GIF89a"), 15); err == nil {
		t.Error("what is no picture is taken")
	}
}
