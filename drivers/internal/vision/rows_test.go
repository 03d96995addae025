package vision_test

import (
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"os"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"

	"github.com/taproot-dev/taproot/drivers/internal/reading"
	"github.com/taproot-dev/taproot/drivers/internal/vision"
)

// canvas is a screen to write on.
type canvas struct{ *image.RGBA }

func (c canvas) fill(r image.Rectangle, ink color.Color) {
	draw.Draw(c, r, image.NewUniform(ink), image.Point{}, draw.Src)
}

func (c canvas) write(t *testing.T, text string, at image.Point, size float64, ink color.Color) {
	t.Helper()
	parsed, err := opentype.Parse(goregular.TTF)
	if err != nil {
		t.Fatal(err)
	}
	face, err := opentype.NewFace(parsed, &opentype.FaceOptions{Size: size, DPI: 72})
	if err != nil {
		t.Fatal(err)
	}
	d := font.Drawer{Dst: c, Src: image.NewUniform(ink), Face: face, Dot: fixed.P(at.X, at.Y)}
	d.DrawString(text)
}

// TestReadWhatTesseractLeavesOut: keys of one character, characters thicker than a margin with their points, and words
// in frames, next to text of ordinary size.
func TestReadWhatTesseractLeavesOut(t *testing.T) {
	ink, paper, line := color.RGBA{230, 225, 229, 255}, color.RGBA{18, 18, 18, 255}, color.RGBA{147, 143, 153, 255}
	c := canvas{image.NewRGBA(image.Rect(0, 0, 1080, 2000))}
	c.fill(c.Rect, paper)
	c.write(t, "Enter the amount", image.Pt(80, 120), 48, ink)
	c.write(t, "42.75", image.Pt(80, 360), 200, ink)
	for i, word := range []string{"Food", "Travel", "Rent"} {
		frame := image.Rect(80+i*300, 440, 330+i*300, 530)
		c.fill(frame, line)
		c.fill(frame.Inset(3), paper)
		c.write(t, word, image.Pt(125+i*300, 502), 44, ink)
	}
	for i := range 9 {
		c.write(t, fmt.Sprint(i+1), image.Pt(200+i%3*280, 800+i/3*260), 90, ink)
	}
	lines, err := vision.NewReader(os.Getenv).Read(t.Context(), c.RGBA)
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"Enter the amount", "42.75", "Food", "Travel", "Rent", "1", "2", "3", "4", "5", "6", "7", "8", "9"}
	for _, text := range texts {
		if found := reading.Find(lines, text); len(found) != 1 {
			t.Errorf("%q was read %d times: %v", text, len(found), found)
		}
	}
	if len(lines) != len(texts) {
		t.Errorf("%d texts were read, and %d stand there: %+v", len(lines), len(texts), lines)
	}
	if at := reading.Find(lines, "5"); len(at) == 1 && !at[0].Bounds.Overlaps(image.Rect(485, 990, 525, 1060)) {
		t.Errorf("the 5 is at %v", at[0].Bounds)
	}
}
