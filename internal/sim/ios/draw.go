package iossim

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

// canvas draws views in pixels.
type canvas struct {
	img   *image.RGBA
	scale int
	face  font.Face
}

func newCanvas(points image.Point, scale int) (*canvas, error) {
	f, err := parsedFont()
	if err != nil {
		return nil, err
	}
	face, err := opentype.NewFace(f, &opentype.FaceOptions{Size: float64(16 * scale), DPI: 72})
	if err != nil {
		return nil, err
	}
	return &canvas{image.NewRGBA(image.Rectangle{Max: points.Mul(scale)}), scale, face}, nil
}

// moved draws a view outside of its frame, as an animation has it, or an app that has a part of the screen.
func (c *canvas) moved(v *view, focused *field, by image.Point) {
	by = by.Add(v.shift)
	b := v.b.Add(by)
	b = image.Rectangle{Min: b.Min.Mul(c.scale), Max: b.Max.Mul(c.scale)}
	if v.fill != nil {
		draw.Draw(c.img, b, image.NewUniform(v.fill), image.Point{}, draw.Src)
	}
	if v.picture != nil {
		draw.Draw(c.img, b, v.picture, v.picture.Bounds().Min, draw.Src)
	}
	if v.kind == "Image" { // it shows something: no plain colour
		for x := b.Min.X; x < b.Max.X; x += 24 * c.scale {
			draw.Draw(c.img, image.Rect(x, b.Min.Y, x+9*c.scale, b.Max.Y-4*c.scale).Intersect(b),
				image.NewUniform(rgb(0xa08060)), image.Point{}, draw.Src)
		}
	}
	text, ink := v.label, v.ink
	if v.field != nil {
		if text = v.value; text == "" {
			text, ink = v.placeholder, color.Gray{0x88}
		}
	}
	if text != "" && ink != nil {
		c.text(b, text, ink, v.centred)
	}
	if v.field != nil && v.field == focused { // a caret that does not blink
		x := b.Min.X + 4*c.scale + font.MeasureString(c.face, v.value).Ceil()
		draw.Draw(c.img, image.Rect(x, b.Min.Y+6, x+c.scale, b.Max.Y-6).Intersect(b), image.NewUniform(rgb(0x3060f0)),
			image.Point{}, draw.Src)
	}
	for _, child := range v.children {
		c.moved(child, focused, by)
	}
}

func (c *canvas) text(b image.Rectangle, text string, ink color.Color, centred bool) {
	clipped, ok := c.img.SubImage(b).(*image.RGBA)
	if !ok || clipped.Rect.Empty() {
		return
	}
	x := b.Min.X + 4*c.scale
	if centred {
		x = b.Min.X + (b.Dx()-font.MeasureString(c.face, text).Ceil())/2
	}
	d := font.Drawer{Dst: clipped, Src: image.NewUniform(ink), Face: c.face,
		Dot: fixed.P(x, (b.Min.Y+b.Max.Y)/2+6*c.scale)}
	d.DrawString(text)
}
