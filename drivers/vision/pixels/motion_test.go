package pixels

import (
	"image"
	"image/color"
	"image/draw"
	"testing"
)

// painted gives a button with strokes of a label in it.
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
