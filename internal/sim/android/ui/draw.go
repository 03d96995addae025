package ui

import (
	"image"
	"image/color"
	"image/draw"
	"strings"

	xdraw "golang.org/x/image/draw"
	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// minText is the smallest text that is drawn, so that OCR and people can read it.
const minText = 28

// Painter draws frames; it caches faces, which are not safe for concurrent use, so its owner holds the phone's lock.
type Painter struct {
	font  *opentype.Font
	faces map[int]font.Face
}

// NewPainter returns a painter without cached faces.
func NewPainter() *Painter {
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		f = nil // the font is compiled in; without it text is drawn as boxes
	}
	return &Painter{font: f, faces: map[int]font.Face{}}
}

func (p *Painter) face(size int) font.Face {
	size = max(size, minText)
	if f, ok := p.faces[size]; ok {
		return f
	}
	if p.font == nil {
		return nil
	}
	f, err := opentype.NewFace(p.font, &opentype.FaceOptions{Size: float64(size), DPI: 72, Hinting: font.HintingFull})
	if err != nil {
		return nil
	}
	p.faces[size] = f
	return f
}

// Frame draws everything that is visible.
func (p *Painter) Frame(f *Frame) *image.RGBA {
	img := image.NewRGBA(image.Rectangle{Max: f.Size})
	fill(img, img.Rect, color.Black)
	for _, w := range f.Windows {
		if w.Dim {
			draw.Draw(img, img.Rect, image.NewUniform(color.RGBA{A: 0x70}), image.Point{}, draw.Over)
		}
		if w.Secure && f.Captured {
			fill(img, w.Root.B, color.Black)
			continue
		}
		p.view(img, w.Root, f)
	}
	return img
}

func fill(img *image.RGBA, b image.Rectangle, c color.Color) {
	draw.Draw(img, b, image.NewUniform(c), image.Point{}, draw.Over) // a colour may be translucent, as that of a scrim
}

func (p *Painter) view(img *image.RGBA, v *View, f *Frame) {
	if v.B.Empty() || v.Clear {
		return // inverted and empty views paint nothing
	}
	if v.Fill != nil {
		fill(img, v.B, v.Fill)
		if v.round {
			for _, corner := range corners(v.B, 6) {
				fill(img, corner, RGB(0xfefbff))
			}
		}
	}
	if v.Image {
		fill(img, v.B.Inset(v.B.Dx()/5), v.Ink)
	}
	if v.WebImage != nil {
		draw.Draw(img, v.B, v.WebImage, image.Point{}, draw.Src)
	}
	if text := v.Shown(); text != "" && v.Size > 0 {
		p.text(img, v, text)
	}
	if v.Field != nil {
		p.caret(img, v, f)
	}
	for _, c := range v.Painted {
		p.view(img, c, f)
	}
	if v.Scroll != nil { // what is scrolled away is not drawn beyond the list
		part, ok := img.SubImage(v.B).(*image.RGBA)
		if !ok || part.Rect.Empty() {
			return
		}
		img = part
	}
	for _, c := range v.Drawn() {
		p.view(img, c, f)
	}
}

func corners(b image.Rectangle, n int) []image.Rectangle {
	return []image.Rectangle{
		image.Rect(b.Min.X, b.Min.Y, b.Min.X+n, b.Min.Y+n),
		image.Rect(b.Max.X-n, b.Min.Y, b.Max.X, b.Min.Y+n),
		image.Rect(b.Min.X, b.Max.Y-n, b.Min.X+n, b.Max.Y),
		image.Rect(b.Max.X-n, b.Max.Y-n, b.Max.X, b.Max.Y),
	}
}

// Shown is the text on the glass: the hint while a field is empty.
func (v *View) Shown() string {
	if v.Text == "" {
		return v.Hint
	}
	return v.Text
}

func (p *Painter) text(img *image.RGBA, v *View, text string) {
	face := p.face(v.Size)
	if face == nil {
		return
	}
	ink := v.Ink
	switch {
	case ink == nil:
		ink = RGB(0x1c1b1f)
	case v.Text == "" && v.Hint != "":
		ink = RGB(0x79747e)
	}
	size := max(v.Size, minText)
	lines := strings.Split(text, "\n")
	y := v.B.Min.Y + (v.B.Dy()-len(lines)*size*5/4)/2 + size
	clip, ok := img.SubImage(v.B).(*image.RGBA)
	if !ok {
		return
	}
	for _, line := range lines {
		x := v.B.Min.X + size/4
		if v.Center {
			x = v.B.Min.X + (v.B.Dx()-p.measure(face, line, size))/2
		}
		p.line(clip, face, pen{at: fixed.P(x, y), ink: ink, size: size}, line)
		y += size * 5 / 4
	}
}

type pen struct {
	at   fixed.Point26_6
	ink  color.Color
	size int
}

// line draws runes; one that the font lacks becomes an empty box.
func (p *Painter) line(img *image.RGBA, face font.Face, pen pen, text string) {
	d := font.Drawer{Dst: img, Src: image.NewUniform(pen.ink), Face: face, Dot: pen.at}
	for _, r := range text {
		if r == '\u00a0' {
			r = ' '
		}
		if p.has(r) {
			d.DrawString(string(r))
			continue
		}
		x, y, w := d.Dot.X.Round(), d.Dot.Y.Round(), pen.size*3/4
		box := image.Rect(x+2, y-pen.size*3/4, x+w-2, y)
		fill(img, box.Intersect(img.Rect), pen.ink)
		fill(img, box.Inset(3).Intersect(img.Rect), RGB(0xfefbff))
		d.Dot.X += fixed.I(w)
	}
}

func (p *Painter) has(r rune) bool {
	i, err := p.font.GlyphIndex(nil, r)
	return err == nil && i != 0
}

func (p *Painter) measure(face font.Face, text string, size int) int {
	width := 0
	for _, r := range text {
		if a, ok := face.GlyphAdvance(r); ok && p.has(r) {
			width += a.Round()
		} else {
			width += size * 3 / 4
		}
	}
	return width
}

// caret blinks at the end of a focused field, half a second on and half a second off.
func (p *Painter) caret(img *image.RGBA, v *View, f *Frame) {
	fill(img, image.Rect(v.B.Min.X, v.B.Max.Y-3, v.B.Max.X, v.B.Max.Y), RGB(0x79747e))
	if !v.Focused || f.At.UnixMilli()/500%2 == 1 {
		return
	}
	size := max(v.Size, minText)
	x := v.B.Min.X + size/4
	if face := p.face(v.Size); face != nil {
		x += p.measure(face, v.Text, size)
	}
	mid := (v.B.Min.Y + v.B.Max.Y) / 2
	fill(img, image.Rect(x+2, mid-size*3/5, x+6, mid+size*3/5).Intersect(v.B), RGB(0x6750a4))
}

// Scaled fits an image into a size, black around it.
func Scaled(img *image.RGBA, size image.Point) *image.RGBA {
	if img.Rect.Size() == size {
		return img
	}
	out := image.NewRGBA(image.Rectangle{Max: size})
	from := img.Rect.Size()
	w, h := size.X, from.Y*size.X/from.X
	if h > size.Y {
		w, h = from.X*size.Y/from.Y, size.Y
	}
	at := image.Pt((size.X-w)/2, (size.Y-h)/2)
	xdraw.ApproxBiLinear.Scale(out, image.Rectangle{Min: at, Max: at.Add(image.Pt(w, h))}, img, img.Rect, xdraw.Src, nil)
	for i := 3; i < len(out.Pix); i += 4 {
		out.Pix[i] = 0xff
	}
	return out
}
