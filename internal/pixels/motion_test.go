package pixels

import (
	"image"
	"image/color"
	"image/draw"
	"testing"
)

// painted returns a button with strokes of a label in it.
func painted(at image.Point, more func(img *image.RGBA, button image.Rectangle)) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, 400, 600))
	draw.Draw(img, img.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	button := image.Rect(0, 0, 200, 60).Add(at)
	fill := func(r image.Rectangle, c color.Color) {
		draw.Draw(img, r, image.NewUniform(c), image.Point{}, draw.Src)
	}
	fill(button, color.RGBA{40, 60, 160, 255})
	for i := range 6 {
		fill(image.Rect(0, 0, 3+i, 20).Add(button.Min).Add(image.Pt(60+13*i, 20)), color.White)
	}
	if more != nil {
		more(img, button)
	}
	return img
}

func TestMotionOf(t *testing.T) {
	spinner := func(frame int) func(*image.RGBA, image.Rectangle) {
		return func(img *image.RGBA, b image.Rectangle) {
			dot := image.Rect(0, 0, 8, 8).Add(b.Min).Add(image.Pt(10+8*(frame%3), 20+8*(frame/3)))
			draw.Draw(img, dot, image.NewUniform(color.RGBA{250, 200, 0, 255}), image.Point{}, draw.Src)
		}
	}
	replaced := func(img *image.RGBA, b image.Rectangle) {
		draw.Draw(img, b, image.NewUniform(color.RGBA{0, 200, 0, 255}), image.Point{}, draw.Src)
	}
	home := image.Pt(50, 200)
	for _, c := range []struct {
		name string
		a, b *image.RGBA
		want Motion
	}{
		{"nothing", painted(home, nil), painted(home, nil), Rests},
		{"a spinner beside the label", painted(home, spinner(0)), painted(home, spinner(4)), Within},
		{"down", painted(home, nil), painted(home.Add(image.Pt(0, 9)), nil), Elsewhere},
		{"sideways by little", painted(home, nil), painted(home.Add(image.Pt(3, 0)), nil), Elsewhere},
		{"far", painted(home, nil), painted(home.Add(image.Pt(100, -150)), nil), Elsewhere},
		{"a spinner in what moves", painted(home, spinner(0)), painted(home.Add(image.Pt(0, 20)), spinner(5)), Elsewhere},
		{"something else in its place", painted(home, nil), painted(home, replaced), Unlike},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := MotionOf(c.a, c.b, image.Rect(0, 0, 200, 60).Add(home)); got != c.want {
				t.Errorf("%d, want %d", got, c.want)
			}
		})
	}
}

func BenchmarkMotionOf(b *testing.B) {
	x, y := painted(image.Pt(50, 200), nil), painted(image.Pt(50, 200), func(img *image.RGBA, r image.Rectangle) {
		draw.Draw(img, r, image.NewUniform(color.Black), image.Point{}, draw.Src)
	})
	for b.Loop() {
		MotionOf(x, y, image.Rect(50, 200, 250, 260))
	}
}

// lazy is an image with its pixels behind an interface, as drivers.Image's are.
type lazy struct{ image.Image }

func (l lazy) Decoded() image.Image { return l.Image }

// The pixels of a file are taken as they were decoded, and not drawn one by one.
func TestDecodedPicturesAreNotDrawn(t *testing.T) {
	shown := image.NewRGBA(image.Rect(0, 0, 5, 3))
	if RGBA(lazy{shown}) != shown {
		t.Error("it is a copy")
	}
	clear := image.NewNRGBA(image.Rect(0, 0, 2, 1))
	for x, alpha := range []uint8{255, 128} {
		clear.SetNRGBA(x, 0, color.NRGBA{R: 200, G: 100, B: 50, A: alpha})
	}
	if got := RGBA(lazy{clear}); got.RGBAAt(0, 0) != (color.RGBA{200, 100, 50, 255}) ||
		got.RGBAAt(1, 0) != (color.RGBA{100, 50, 25, 128}) {
		t.Errorf("with alpha: %v", got.Pix)
	}
	clear.Pix[7] = 255
	if got := RGBA(lazy{clear}); &got.Pix[0] != &clear.Pix[0] || got.RGBAAt(1, 0) != (color.RGBA{200, 100, 50, 255}) {
		t.Errorf("opaque: %v", got.Pix)
	}
}

func BenchmarkRGBA(b *testing.B) {
	whole := image.Rect(0, 0, 1280, 800)
	full := image.NewNRGBA(whole)
	draw.Draw(full, whole, image.White, image.Point{}, draw.Src)
	for name, img := range map[string]image.Image{"opaque": lazy{image.NewRGBA(whole)},
		"with alpha": lazy{image.NewNRGBA(whole)}, "opaque NRGBA": lazy{full}} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				RGBA(img)
			}
		})
	}
}
