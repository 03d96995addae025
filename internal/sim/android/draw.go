package androidsim

import (
	"image"
	"image/color"
	"image/draw"
	"strings"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// minText is the smallest text that is drawn, so that OCR and people can read it.
const minText = 28

// painter draws frames; it caches faces, which are not safe for concurrent use, so its owner holds the phone's lock.
type painter struct {
	font  *opentype.Font
	faces map[int]font.Face
}

func newPainter() *painter {
	f, err := opentype.Parse(goregular.TTF)
	if err != nil {
		f = nil // the font is compiled in; without it text is drawn as boxes
	}
	return &painter{font: f, faces: map[int]font.Face{}}
}

func (p *painter) face(size int) font.Face {
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

// frame draws everything that is visible.
func (p *painter) frame(f *frame) *image.RGBA {
	img := image.NewRGBA(image.Rectangle{Max: f.size})
	fill(img, img.Rect, color.Black)
	for _, w := range f.windows {
		if w.dim {
			draw.Draw(img, img.Rect, image.NewUniform(color.RGBA{A: 0x70}), image.Point{}, draw.Over)
		}
		if w.secure && f.captured {
			fill(img, w.root.b, color.Black)
			continue
		}
		p.view(img, w.root, f)
	}
	return img
}

func fill(img *image.RGBA, b image.Rectangle, c color.Color) {
	draw.Draw(img, b, image.NewUniform(c), image.Point{}, draw.Src)
}

func (p *painter) view(img *image.RGBA, v *view, f *frame) {
	if v.b.Empty() || v.clear {
		return // inverted and empty views paint nothing
	}
	if v.fill != nil {
		fill(img, v.b, v.fill)
		if v.round {
			for _, corner := range corners(v.b, 6) {
				fill(img, corner, rgb(0xfefbff))
			}
		}
	}
	if v.image {
		fill(img, v.b.Inset(v.b.Dx()/5), v.ink)
	}
	if v.webImage != nil {
		draw.Draw(img, v.b, v.webImage, image.Point{}, draw.Src)
	}
	if text := v.shown(); text != "" && v.size > 0 {
		p.text(img, v, text)
	}
	if v.field != nil {
		p.caret(img, v, f)
	}
	for _, c := range v.painted {
		p.view(img, c, f)
	}
	if v.scroll != nil { // what is scrolled away is not drawn beyond the list
		part, ok := img.SubImage(v.b).(*image.RGBA)
		if !ok || part.Rect.Empty() {
			return
		}
		img = part
	}
	for _, c := range v.drawn() {
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

// shown is the text on the glass: the hint while a field is empty.
func (v *view) shown() string {
	if v.text == "" {
		return v.hint
	}
	return v.text
}

func (p *painter) text(img *image.RGBA, v *view, text string) {
	face := p.face(v.size)
	if face == nil {
		return
	}
	ink := v.ink
	switch {
	case ink == nil:
		ink = rgb(0x1c1b1f)
	case v.text == "" && v.hint != "":
		ink = rgb(0x79747e)
	}
	size := max(v.size, minText)
	lines := strings.Split(text, "\n")
	y := v.b.Min.Y + (v.b.Dy()-len(lines)*size*5/4)/2 + size
	clip, ok := img.SubImage(v.b).(*image.RGBA)
	if !ok {
		return
	}
	for _, line := range lines {
		x := v.b.Min.X + size/4
		if v.center {
			x = v.b.Min.X + (v.b.Dx()-p.measure(face, line, size))/2
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
func (p *painter) line(img *image.RGBA, face font.Face, pen pen, text string) {
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
		fill(img, box.Inset(3).Intersect(img.Rect), rgb(0xfefbff))
		d.Dot.X += fixed.I(w)
	}
}

func (p *painter) has(r rune) bool {
	i, err := p.font.GlyphIndex(nil, r)
	return err == nil && i != 0
}

func (p *painter) measure(face font.Face, text string, size int) int {
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
func (p *painter) caret(img *image.RGBA, v *view, f *frame) {
	fill(img, image.Rect(v.b.Min.X, v.b.Max.Y-3, v.b.Max.X, v.b.Max.Y), rgb(0x79747e))
	if !v.focused || f.at.UnixMilli()/500%2 == 1 {
		return
	}
	size := max(v.size, minText)
	x := v.b.Min.X + size/4
	if face := p.face(v.size); face != nil {
		x += p.measure(face, v.text, size)
	}
	mid := (v.b.Min.Y + v.b.Max.Y) / 2
	fill(img, image.Rect(x+2, mid-size*3/5, x+6, mid+size*3/5).Intersect(v.b), rgb(0x6750a4))
}
