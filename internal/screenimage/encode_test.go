package screenimage

import (
	"bytes"
	"errors"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"math/rand/v2"
	"testing"
)

// screen makes an image like a phone's screen: flat, with some detail.
func screen(size image.Rectangle) *image.NRGBA {
	img := image.NewNRGBA(size)
	draw.Draw(img, size, image.NewUniform(color.NRGBA{250, 250, 252, 255}), image.Point{}, draw.Src)
	for i := range 400 {
		at := size.Min.Add(image.Pt(i*197%max(size.Dx(), 1), i*397%max(size.Dy(), 1)))
		fill := color.NRGBA{uint8(i), uint8(i * 7), 120, 255}
		draw.Draw(img, image.Rectangle{Min: at, Max: at.Add(image.Pt(8+i%70, 4+i%40))}, image.NewUniform(fill), image.Point{},
			draw.Src)
	}
	return img
}

func noise(size image.Rectangle, alpha bool) *image.RGBA {
	img, r := image.NewRGBA(size), rand.New(rand.NewPCG(1, 2))
	for i := range img.Pix {
		if img.Pix[i] = uint8(r.Uint32()); i%4 == 3 && !alpha {
			img.Pix[i] = 255
		} else if i%4 == 3 {
			img.Pix[i], img.Pix[i-1], img.Pix[i-2], img.Pix[i-3] = 128, img.Pix[i-1]/2, img.Pix[i-2]/2, img.Pix[i-3]/2
		}
	}
	return img
}

// TestEncode checks that each kind of image is read back with the same pixels.
func TestEncode(t *testing.T) {
	whole := screen(image.Rect(0, 0, 300, 900))
	pictures := map[string]image.Image{
		"phone": screen(image.Rect(0, 0, 1080, 2400)), "part": whole.SubImage(image.Rect(10, 20, 200, 850)),
		"shifted": screen(image.Rect(-30, -40, 70, 3000)),
		"one":     screen(image.Rect(0, 0, 1, 1)), "column": screen(image.Rect(0, 0, 1, 2000)),
		"row":   screen(image.Rect(0, 0, 3000, 1)),
		"noise": noise(image.Rect(0, 0, 333, 1777), false), "glass": noise(image.Rect(0, 0, 50, 900), true),
		"gray": image.NewGray(image.Rect(0, 0, 20, 900)), "colours": image.NewPaletted(image.Rect(0, 0, 9, 9),
			color.Palette{color.Black, color.White}),
	}
	for name, img := range pictures {
		var out bytes.Buffer
		if err := EncodePNG(&out, img); err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		back, err := png.Decode(&out)
		if err != nil {
			t.Errorf("%s is not a PNG: %v", name, err)
			continue
		}
		b, off := back.Bounds(), img.Bounds().Min
		if b.Size() != img.Bounds().Size() {
			t.Errorf("%s is %v, not %v", name, b.Size(), img.Bounds().Size())
			continue
		}
		for y := range b.Dy() {
			for x := range b.Dx() {
				have, want := color.NRGBAModel.Convert(back.At(x, y)), color.NRGBAModel.Convert(img.At(off.X+x, off.Y+y))
				if have != want {
					t.Fatalf("%s at %d,%d: %v, not %v", name, x, y, have, want)
				}
			}
		}
	}
}

type full struct{ left int }

func (f *full) Write(p []byte) (int, error) {
	if f.left -= len(p); f.left < 0 {
		return 0, errors.New("no space left")
	}
	return len(p), nil
}

func TestEncodeTellsOfAFullDisk(t *testing.T) {
	for left := range 60 {
		if err := EncodePNG(&full{left}, screen(image.Rect(0, 0, 100, 100))); err == nil {
			t.Errorf("%d bytes were enough", left)
		}
	}
}

func BenchmarkEncode(b *testing.B) {
	img := screen(image.Rect(0, 0, 1080, 2400))
	for name, encode := range map[string]func(*bytes.Buffer) error{
		"here": func(out *bytes.Buffer) error { return EncodePNG(out, img) },
		"image/png": func(out *bytes.Buffer) error {
			return (&png.Encoder{CompressionLevel: png.BestSpeed}).Encode(out,
				img)
		},
	} {
		b.Run(name, func(b *testing.B) {
			var out bytes.Buffer
			for b.Loop() {
				out.Reset()
				if err := encode(&out); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(out.Len()), "bytes")
		})
	}
}
