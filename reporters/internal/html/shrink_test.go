package html

import (
	"image"
	"image/color"
	"math/rand/v2"
	"testing"

	"golang.org/x/image/draw"
)

// TestShrink compares with package draw, of which the preview differs by no more than the filters do.
func TestShrink(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 2))
	for _, size := range []image.Point{{1280, 720}, {1281, 719}, {1080, 2400}, {360, 101}, {1440, 1080}, {360, 800}} {
		img := image.NewRGBA(image.Rect(0, 0, size.X, size.Y))
		for y := range size.Y { // slopes with squares on them
			for x := range size.X {
				img.SetRGBA(x, y, color.RGBA{uint8(255 * x / size.X), uint8(255 * y / size.Y), uint8(x/40%2) * 200, 255})
			}
		}
		small := image.NewRGBA(image.Rect(0, 0, size.X/4+random.IntN(2), size.Y/4))
		if size == (image.Point{360, 800}) { // of a small screen
			small = image.NewRGBA(image.Rect(0, 0, 162, 360))
		}
		if !shrink(small, img) {
			t.Fatalf("%v is not shrunk", size)
		}
		want := image.NewRGBA(small.Bounds())
		draw.BiLinear.Scale(want, want.Bounds(), img, img.Bounds(), draw.Over, nil)
		far, off := 0, 0
		for i := range want.Pix {
			d := int(want.Pix[i]) - int(small.Pix[i])
			d = max(d, -d)
			far += d
			if d > 70 {
				off++
			}
		}
		if mean := float64(far) / float64(len(want.Pix)); mean > 5 || off > 0 {
			t.Errorf("%v: the mean difference is %.1f, %d values are far off", size, mean, off)
		}
	}
}

// TestShrinkPart shrinks a part of a larger image: its pixels start elsewhere than those of the larger one.
func TestShrinkPart(t *testing.T) {
	t.Parallel()
	img := image.NewNRGBA(image.Rect(0, 0, 100, 100))
	for i := range img.Pix {
		img.Pix[i] = 0xff
	}
	part := image.Rect(50, 50, 90, 90)
	for y := part.Min.Y; y < part.Max.Y; y++ {
		for x := part.Min.X; x < part.Max.X; x++ {
			img.SetNRGBA(x, y, color.NRGBA{10, 20, 30, 255})
		}
	}
	small := image.NewRGBA(image.Rect(0, 0, 10, 10))
	if !shrink(small, img.SubImage(part)) {
		t.Fatal("a part is not shrunk")
	}
	for y := range 10 {
		for x := range 10 {
			if c := small.RGBAAt(x, y); c != (color.RGBA{10, 20, 30, 255}) {
				t.Fatalf("%d,%d is %v", x, y, c)
			}
		}
	}
}

// TestShrinkLeaves leaves to package draw what it would do badly.
func TestShrinkLeaves(t *testing.T) {
	t.Parallel()
	small := image.NewRGBA(image.Rect(0, 0, 30, 30))
	clear := image.NewNRGBA(image.Rect(0, 0, 300, 300))
	for name, img := range map[string]image.Image{
		"lower": opaqueOf(80, 29), "smaller": opaqueOf(10, 10), "empty": opaqueOf(0, 0), "transparent": clear,
		"grey": image.NewGray(clear.Rect),
	} {
		if shrink(small, img) {
			t.Errorf("%s: it was shrunk", name)
		}
	}
}

func opaqueOf(width, height int) image.Image {
	img := image.NewRGBA(image.Rect(0, 0, width, height))
	for i := range img.Pix {
		img.Pix[i] = 0xff
	}
	return img
}

func BenchmarkPreview(b *testing.B) {
	for _, size := range []image.Point{{1280, 720}, {1080, 2400}, {360, 800}} {
		img := opaqueOf(size.X, size.Y)
		b.Run(size.String(), func(b *testing.B) {
			for b.Loop() {
				if _, err := preview(img, smallSide); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
