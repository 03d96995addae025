package client

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	_ "image/jpeg"
	_ "image/png"
	"strings"
	"testing"
)

// TestScaling: converting a point of the screenshot to the device and back returns the same pixel, within the precision
// of the scale.
func TestScaling(t *testing.T) {
	for _, c := range []struct {
		screen image.Point
		maxPx  int
		want   image.Point
	}{{image.Pt(1080, 2400), 1024, image.Pt(461, 1024)}, {image.Pt(540, 1200), 1920, image.Pt(540, 1200)},
		{image.Pt(3000, 10), 64, image.Pt(64, 1)},
		{image.Pt(1280, 720), 1024, image.Pt(1024, 576)}, {image.Pt(1, 1), 64, image.Pt(1, 1)}} {
		s := fit(c.screen, c.maxPx)
		if s.sent != c.want {
			t.Errorf("%v at %d gives %v", c.screen, c.maxPx, s.sent)
		}
		for _, p := range []image.Point{{}, s.sent.Sub(image.Pt(1, 1)), s.sent.Div(2)} {
			x, y := s.toDevice(float64(p.X), float64(p.Y))
			at := image.Pt(int(x), int(y))
			if !at.In(image.Rectangle{Max: c.screen}) {
				t.Errorf("%v of %v becomes %v, which is off the screen", p, s.sent, at)
			}
			back := s.toPicture(image.Rectangle{Min: at, Max: at})
			if d := back.Min.Sub(p); max(d.X, -d.X, d.Y, -d.Y) > 1 {
				t.Errorf("%v becomes %v and back %v", p, at, back.Min)
			}
		}
	}
}

// TestPoints: a point is converted by its scale, and the description says so.
func TestPoints(t *testing.T) {
	s := fit(image.Pt(1080, 2400), 1024)
	for _, c := range []struct {
		s           scaling
		text, scale string
		want, words string
		wrong       string
	}{
		{scaling{}, "100,200", "", "100,200", "", ""},
		{s, "50%,80%", "", "50%,80%", "", ""},
		{s, "100,200", "", "235,469", "screenshot's pixels: 235,469 on the device", ""},
		{s, "100,200", "device", "100,200", "device's pixels", ""},
		{s, "1000,2000", "", "1000,2000", "device's pixels", ""},
		{s, "1000,2000", "picture", "", "", "outside the screenshot"},
		{scaling{}, "1,1", "picture", "", "", "no screenshot yet"},
		{s, "1;1", "", "", "", "two numbers"},
	} {
		point, words, err := c.s.pointOf(c.text, c.scale)
		if c.wrong != "" {
			if err == nil || !strings.Contains(Plainly(err).Error(), c.wrong) {
				t.Errorf("%s %s: %v", c.text, c.scale, err)
			}
			continue
		}
		if err != nil || point != c.want || !strings.Contains(words, c.words) {
			t.Errorf("%s %s: %s %q %v", c.text, c.scale, point, words, err)
		}
	}
}

// TestEncoding: the response is an image of that size and format, with marks in it.
func TestEncoding(t *testing.T) {
	screen := image.NewRGBA(image.Rect(0, 0, 540, 1200))
	draw.Draw(screen, screen.Rect, image.NewUniform(color.White), image.Point{}, draw.Src)
	s := fit(screen.Rect.Size(), 512)
	out := s.resize(screen)
	mark(out, s.toPicture(image.Rect(50, 100, 250, 200)), "12")
	mark(out, image.Rect(225, 510, 240, 520), "999") // partly outside
	mark(out, image.Rect(9000, 0, 9001, 1), "1")     // outside
	for _, format := range []string{"png", "jpeg"} {
		data, kind, err := encode(out, format)
		if err != nil || kind != "image/"+format {
			t.Fatal(kind, err)
		}
		img, name, err := image.Decode(bytes.NewReader(data))
		if err != nil || name != format || img.Bounds().Size() != s.sent {
			t.Fatalf("%s %v %v", name, img.Bounds(), err)
		}
		edge, inside := img.At(21, 60), img.At(60, 66)
		if r, g, _, _ := edge.RGBA(); format == "png" && (r>>8 < 150 || g>>8 > 100) { // jpeg blurs thin lines
			t.Errorf("%s: no edge at the box: %v", format, edge)
		}
		if r, g, b, _ := inside.RGBA(); r>>8 < 240 || g>>8 < 240 || b>>8 < 240 {
			t.Errorf("%s: the box is filled: %v", format, fmt.Sprint(inside))
		}
	}
}
