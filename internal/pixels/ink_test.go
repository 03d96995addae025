package pixels_test

import (
	"image"
	"image/color"
	"image/draw"
	"testing"

	"github.com/taproot-dev/taproot/internal/pixels"
)

// sheet is a white image with black boxes.
func sheet(boxes ...image.Rectangle) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, 200, 100))
	draw.Draw(img, img.Rect, image.White, image.Point{}, draw.Src)
	for _, b := range boxes {
		draw.Draw(img, b, image.Black, image.Point{}, draw.Src)
	}
	return img
}

// What is outside a round corner of a box does not count as ink, and what is inside does: a letter that shows in the
// corner of a clear bar.
func TestInkInCorners(t *testing.T) {
	t.Parallel()
	box := image.Rect(0, 0, 180, 90)
	for _, c := range []struct {
		at   image.Rectangle
		want bool
	}{
		{image.Rect(2, 2, 6, 6), false}, {image.Rect(174, 84, 178, 88), false}, {image.Rect(14, 14, 20, 22), true},
		{image.Rect(160, 70, 166, 76), true}, {image.Rect(60, 40, 70, 50), true},
	} {
		ink := pixels.NewInk(sheet(c.at), box)
		ink.WithoutCorners(box)
		if got := ink.Any(); got != c.want {
			t.Errorf("%v: %v", c.at, got)
		}
	}
	round := image.NewRGBA(image.Rect(0, 0, 200, 100)) // a panel with round corners and a border of its own
	draw.Draw(round, round.Rect, image.White, image.Point{}, draw.Src)
	for y := range 90 {
		for x := range 180 {
			dx, dy := max(20-x, x-159, 0), max(20-y, y-69, 0)
			switch d := dx*dx + dy*dy; {
			case d <= 18*18:
				round.Set(x, y, color.RGBA{0xee, 0xee, 0xff, 0xff})
			case d <= 20*20:
				round.Set(x, y, color.Black)
			}
		}
	}
	ink := pixels.NewInk(round, box)
	ink.WithoutEdges(box)
	if ink.Any() {
		t.Error("a round border counts as ink")
	}
}

// The lower ends of characters that a box leaves free are characters; the box's own border is none.
func TestInkBelowABox(t *testing.T) {
	t.Parallel()
	part, box := image.Rect(0, 0, 200, 60), image.Rect(20, 0, 180, 40)
	var ends []image.Rectangle
	for x := 60; x < 120; x += 7 {
		ends = append(ends, image.Rect(x, 20, x+3, 43))
	}
	for name, c := range map[string]struct {
		boxes []image.Rectangle
		want  bool
	}{
		"ends":     {append(ends, box), true},
		"a border": {[]image.Rectangle{box, image.Rect(20, 40, 180, 42)}, false},
	} {
		ink := pixels.NewInk(sheet(c.boxes...), part)
		ink.Without(box)
		ink.WithoutSides(box)
		if got := ink.HasCharacters(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}

// A line is as long as the part, and longer than any character has one.
func TestLine(t *testing.T) {
	t.Parallel()
	img := sheet(image.Rect(20, 0, 180, 40))
	for _, c := range []struct {
		part image.Rectangle
		want bool
	}{
		{image.Rect(30, 39, 170, 41), true}, {image.Rect(19, 5, 21, 35), true}, {image.Rect(30, 29, 170, 31), false},
		{image.Rect(100, 39, 199, 41), false}, {image.Rect(30, 39, 50, 41), false},
	} {
		if got := pixels.NewInk(img, c.part).Line(); got != c.want {
			t.Errorf("%v: %v", c.part, got)
		}
	}
}
