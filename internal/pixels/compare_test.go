package pixels

import (
	"image"
	"image/color"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// page is a screen with a button, a line and a text.
type page struct {
	button image.Point // where it is moved to
	text   string
	hint   font.Hinting
	nudge  fixed.Int26_6 // of the text, part of a pixel
	bold   bool
	size   float64
}

func (p page) draw(t *testing.T) *image.RGBA {
	t.Helper()
	img := image.NewRGBA(image.Rect(0, 0, 720, 400))
	fill(img, img.Rect, color.RGBA{254, 251, 255, 255})
	fill(img, image.Rect(0, 60, 720, 61), color.RGBA{121, 116, 126, 255})
	fill(img, image.Rect(100, 200, 400, 280).Add(p.button), color.RGBA{103, 80, 164, 255})
	data := goregular.TTF
	if p.bold {
		data = gobold.TTF
	}
	parsed, err := opentype.Parse(data)
	if err != nil {
		t.Fatal(err)
	}
	size := p.size
	if size == 0 {
		size = 28
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: size, DPI: 72, Hinting: p.hint})
	if err != nil {
		t.Fatal(err)
	}
	write := func(ink color.Color, x, y int, text string) {
		for _, r := range text { // each at its place: two rasterisers of one layout
			d := font.Drawer{Dst: img, Src: image.NewUniform(ink), Face: face, Dot: fixed.P(x, y)}
			d.Dot.X += p.nudge
			d.DrawString(string(r))
			x += int(size * 0.6)
		}
	}
	write(color.Black, 100, 120, p.text)
	write(color.White, 140+p.button.X, 250+p.button.Y, "Sign in")
	return img
}

const sentence = "Total: 42.50 EUR, welcome back"

func TestCompareIgnoresHowFontsAreDrawn(t *testing.T) {
	for _, size := range []float64{16, 20, 28, 40} {
		base := page{text: sentence, size: size}
		for name, other := range map[string]page{
			"full hinting":     {hint: font.HintingFull},
			"vertical hinting": {hint: font.HintingVertical},
			"a quarter pixel":  {nudge: 16},
			"half a pixel":     {nudge: 32},
		} {
			other.text, other.size = sentence, size
			c, err := Compare(base.draw(t), other.draw(t))
			if err != nil || c.Different > 0 {
				t.Errorf("%s at %g pixels: %d pixels differ in %v, %v", name, size, c.Different, c.Box, err)
			}
		}
	}
}

func TestCompareSeesWhatHasChanged(t *testing.T) {
	for _, size := range []float64{16, 20, 28, 40} {
		base := page{text: sentence, size: size}
		for name, other := range map[string]page{
			"button 3 pixels to the right": {text: sentence, button: image.Pt(3, 0)},
			"button 3 pixels down":         {text: sentence, button: image.Pt(0, 3)},
			"button 3 pixels to the left":  {text: sentence, button: image.Pt(-3, 0)},
			"button 2 pixels up":           {text: sentence, button: image.Pt(0, -2)},
			"6 for 5":                      {text: "Total: 42.60 EUR, welcome back"},
			"8 for 0":                      {text: "Total: 42.58 EUR, welcome back"},
			"c for e":                      {text: "Total: 42.50 EUR, welcomc back"},
			"G for T":                      {text: "Gotal: 42.50 EUR, welcome back"},
			"text 2 pixels beside":         {text: sentence, nudge: 128},
			"bold":                         {text: sentence, bold: true},
			"no text":                      {},
		} {
			other.size = size
			c, err := Compare(base.draw(t), other.draw(t))
			if err != nil || c.Different == 0 || c.Picture == nil || c.Box.Empty() {
				t.Errorf("%s at %g pixels: %d pixels differ in %v, %v", name, size, c.Different, c.Box, err)
			}
		}
	}
}

func TestCompareFaintAndColoured(t *testing.T) {
	flat := func(c color.Color, x int) *image.RGBA {
		img := image.NewRGBA(image.Rect(5, 5, 305, 205)) // bounds need not start at zero
		fill(img, img.Rect, color.RGBA{240, 240, 240, 255})
		fill(img, image.Rect(50+x, 50, 150+x, 100), c)
		return img
	}
	gray := color.RGBA{200, 200, 200, 255}
	for name, pair := range map[string][2]*image.RGBA{
		"a faint button 3 pixels away": {flat(gray, 0), flat(gray, 3)},
		"red for green":                {flat(color.RGBA{180, 0, 0, 255}, 0), flat(color.RGBA{0, 92, 0, 255}, 0)},
		"a button that is gone":        {flat(gray, 0), flat(color.RGBA{240, 240, 240, 255}, 0)},
	} {
		if c, err := Compare(pair[0], pair[1]); err != nil || c.Different == 0 {
			t.Errorf("%s: %d pixels differ, %v", name, c.Different, err)
		}
	}
	if c, err := Compare(flat(gray, 0), flat(color.RGBA{203, 198, 201, 255}, 0)); err != nil || c.Different > 0 {
		t.Errorf("dithering: %d pixels differ, %v", c.Different, err)
	}
	if _, err := Compare(flat(gray, 0), image.NewRGBA(image.Rect(0, 0, 10, 10))); err != ErrSize {
		t.Errorf("another size: %v", err)
	}
	if c, err := Compare(flat(gray, 0), flat(gray, 0)); err != nil || c.Different > 0 || c.Picture != nil {
		t.Errorf("the same: %+v, %v", c, err)
	}
}

// TestCompareSeesOneCharacter: in the size of ordinary text, one other digit, a lost sign, point or dot was taken for
// another rasteriser.
func TestCompareSeesOneCharacter(t *testing.T) {
	for _, size := range []float64{12, 14, 16} {
		for _, pair := range [][2]string{{"Buy 1", "Buy 7"}, {"42.50", "42.60"}, {"42.50", "42 50"}, {"-5", " 5"}, {"3", "8"},
			{"0", "8"}, {"6", "8"},
			{"5", "6"}, {"9", "8"}, {"O", "Q"}, {"c", "e"}, {"i", "l"}, {"n", "h"}, {"E", "F"}, {"a.b", "a,b"}, {":", "."},
			{"Paid", "Raid"}} {
			c, err := Compare(page{text: pair[0], size: size}.draw(t), page{text: pair[1], size: size}.draw(t))
			corner := c.Box.Min.Sub(image.Pt(7, 7))
			if c.Different > 0 && RGBA(c.Picture).RGBAAt(corner.X, corner.Y) != (color.RGBA{255, 0, 0, 255}) {
				t.Errorf("%q for %q: the difference is not framed", pair[1], pair[0])
			}
			if err != nil || c.Different == 0 {
				t.Errorf("%q was taken for %q at %g pixels, %v", pair[1], pair[0], size, err)
			}
		}
	}
}

// TestCompareSeesThinLines: a line of one pixel, an underline or the edge of a field, may not go unnoticed.
func TestCompareSeesThinLines(t *testing.T) {
	line := func(gray uint8, y int) *image.RGBA {
		img := image.NewRGBA(image.Rect(0, 0, 200, 60))
		fill(img, img.Rect, color.White)
		fill(img, image.Rect(20, y, 180, y+1), color.Gray{gray})
		return img
	}
	for _, gray := range []uint8{0, 120, 200, 235} {
		for name, other := range map[string]*image.RGBA{"gone": line(255, 30), "two pixels lower": line(gray, 32)} {
			if c, err := Compare(line(gray, 30), other); err != nil || c.Different == 0 {
				t.Errorf("a line of grey %d that is %s: %d pixels differ, %v", gray, name, c.Different, err)
			}
		}
	}
}
