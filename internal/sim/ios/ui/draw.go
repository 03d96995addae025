package ui

import (
	"image"
	"image/color"
	"image/draw"
	"sync"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// parsedFont is what everything is written in.
var parsedFont = sync.OnceValues(func() (*opentype.Font, error) { return opentype.Parse(goregular.TTF) })

// Canvas draws views in pixels.
type Canvas struct {
	Img   *image.RGBA
	Scale int
	face  font.Face
}

// NewCanvas returns a black screen of so many points.
func NewCanvas(points image.Point, scale int) (*Canvas, error) {
	f, err := parsedFont()
	if err != nil {
		return nil, err
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: float64(16 * scale), DPI: 72})
	if err != nil {
		return nil, err
	}
	return &Canvas{image.NewRGBA(image.Rectangle{Max: points.Mul(scale)}), scale, face}, nil
}

// Moved draws a view outside of its frame, as an animation has it, or an app that has a part of the screen.
func (c *Canvas) Moved(v *View, focused *Field, by image.Point) {
	by = by.Add(v.Shift)
	b := v.B.Add(by)
	b = image.Rectangle{Min: b.Min.Mul(c.Scale), Max: b.Max.Mul(c.Scale)}
	if v.Fill != nil {
		draw.Draw(c.Img, b, image.NewUniform(v.Fill), image.Point{}, draw.Src)
	}
	if v.Picture != nil {
		draw.Draw(c.Img, b, v.Picture, v.Picture.Bounds().Min, draw.Src)
	}
	if v.Kind == "Image" { // it shows something: no plain colour
		for x := b.Min.X; x < b.Max.X; x += 24 * c.Scale {
			draw.Draw(c.Img, image.Rect(x, b.Min.Y, x+9*c.Scale, b.Max.Y-4*c.Scale).Intersect(b),
				image.NewUniform(RGB(0xa08060)), image.Point{}, draw.Src)
		}
	}
	text, ink := v.Label, v.Ink
	if v.Field != nil {
		if text = v.Value; text == "" {
			text, ink = v.Placeholder, color.Gray{0x88}
		}
	}
	if text != "" && ink != nil {
		c.Text(b, text, ink, v.centred)
	}
	if v.Field != nil && v.Field == focused { // a caret that does not blink
		x := b.Min.X + 4*c.Scale + font.MeasureString(c.face, v.Value).Ceil()
		draw.Draw(c.Img, image.Rect(x, b.Min.Y+6, x+c.Scale, b.Max.Y-6).Intersect(b), image.NewUniform(RGB(0x3060f0)),
			image.Point{}, draw.Src)
	}
	for _, child := range v.Children {
		c.Moved(child, focused, by)
	}
}

// Text writes into a rectangle of pixels.
func (c *Canvas) Text(b image.Rectangle, text string, ink color.Color, centred bool) {
	clipped, ok := c.Img.SubImage(b).(*image.RGBA)
	if !ok || clipped.Rect.Empty() {
		return
	}
	x := b.Min.X + 4*c.Scale
	if centred {
		x = b.Min.X + (b.Dx()-font.MeasureString(c.face, text).Ceil())/2
	}
	d := font.Drawer{Dst: clipped, Src: image.NewUniform(ink), Face: c.face,
		Dot: fixed.P(x, (b.Min.Y+b.Max.Y)/2+6*c.Scale)}
	d.DrawString(text)
}
