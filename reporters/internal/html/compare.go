package html

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"slices"

	"github.com/taproot-dev/taproot/internal/result/event"
)

// comparedData is the evidence of a screenshot that was compared with its baseline: three images, if they were kept.
type comparedData struct {
	Name     string        `json:"name"`
	Said     string        `json:"said"` // how many pixels differ
	Pictures []comparedPic `json:"pictures"`
}

type comparedPic struct {
	Title string    `json:"title"`
	Shot  *shotData `json:"shot"`
}

// compared collects the images of a comparison, if they are files of the step.
func (b *builder) compared(s *event.StepResult) *comparedData {
	if s.Detail == nil || s.Detail.Compared == nil {
		return nil
	}
	c := s.Detail.Compared
	d := &comparedData{Name: shown(c.Name, maxLabel), Said: fmt.Sprintf("%d pixels differ, %.4f %%", c.Pixels, c.Percent)}
	for _, p := range []struct{ title, path string }{{"Expected", c.Expected}, {"Actual", c.Actual},
		{"Difference", c.Difference}} {
		if slices.ContainsFunc(s.Attachments, func(a event.Attachment) bool {
			return a.Path == p.path &&
				a.Type == "image/png"
		}) {
			d.Pictures = append(d.Pictures, comparedPic{p.title, &shotData{Src: b.link(p.path), path: p.path}})
		}
	}
	if len(d.Pictures) == 0 {
		return nil
	}
	return d
}

// comparedPreviews makes the previews of comparisons.
func (b *builder) comparedPreviews() {
	bytes := 0
	for _, s := range b.out.Steps {
		if s.Compared == nil {
			continue
		}
		for _, p := range s.Compared.Pictures {
			if bytes > maxPreviewBytes {
				b.measure(p.Shot)
			} else if b.preview(p.Shot, s.N) {
				bytes += len(p.Shot.Small)
			}
		}
	}
}

const (
	diffSide  = 720
	diffLevel = 24 // of 255: a smaller change of a channel is from compression or anti-aliasing
	grays     = 15
)

// difference is what differs between two images of the same size.
type difference struct {
	Picture string  `json:"src"`     // the second image, pale, with the changes marked; a data URL
	Changed float64 `json:"changed"` // part of the pixels, 0 to 1
}

// compare marks on b what differs from a. The result is smaller than b, but a single changed pixel is still visible.
func compare(a, b image.Image) (difference, error) {
	size := b.Bounds().Size()
	if a.Bounds().Size() != size {
		was := a.Bounds().Size()
		return difference{}, fmt.Errorf("the screens have different sizes: %d×%d and %d×%d", was.X, was.Y, size.X, size.Y)
	}
	x, y := flat(a), flat(b)
	step := max(1, (max(size.X, size.Y)+diffSide-1)/diffSide)
	out := image.NewPaletted(image.Rect(0, 0, (size.X+step-1)/step, (size.Y+step-1)/step), diffPalette())
	changed := 0
	for row := range out.Rect.Dy() {
		for col := range out.Rect.Dx() {
			c := cell{x: x, y: y, area: image.Rect(col*step, row*step, (col+1)*step, (row+1)*step).Intersect(y.Rect)}
			n, gray := c.look()
			changed += n
			if n > 0 {
				gray = grays
			}
			out.Pix[row*out.Stride+col] = gray
		}
	}
	var buf bytes.Buffer
	enc := png.Encoder{CompressionLevel: png.BestCompression}
	if err := enc.Encode(&buf, out); err != nil {
		return difference{}, err
	}
	return difference{Picture: dataAddress("image/png", buf.Bytes()), Changed: float64(changed) / float64(size.X*size.Y)},
		nil
}

// cell is a square of pixels that becomes one pixel.
type cell struct {
	x, y *image.RGBA
	area image.Rectangle
}

// look counts the pixels that changed, and returns the shade that represents all of them.
func (c cell) look() (changed int, shade uint8) {
	sum, n := 0, 0
	for row := c.area.Min.Y; row < c.area.Max.Y; row++ {
		at := c.y.PixOffset(c.area.Min.X, row)
		for range c.area.Dx() {
			p, q := c.x.Pix[at:at+3:at+3], c.y.Pix[at:at+3:at+3]
			if far(p[0], q[0]) || far(p[1], q[1]) || far(p[2], q[2]) {
				changed++
			}
			sum += 2*int(q[0]) + 5*int(q[1]) + int(q[2])
			at += 4
			n++
		}
	}
	return changed, uint8(sum / 8 / max(n, 1) * (grays - 1) / 255)
}

func far(a, b uint8) bool { return max(a, b)-min(a, b) > diffLevel }

// diffPalette is pale shades of gray, and the colour of a change.
func diffPalette() color.Palette {
	var p color.Palette
	for i := range grays {
		v := uint8(150 + i*105/(grays-1))
		p = append(p, color.RGBA{v, v, v, 255})
	}
	return append(p, color.RGBA{214, 20, 140, 255})
}

// flat returns the image with its origin at (0, 0), 8 bits a channel.
func flat(img image.Image) *image.RGBA {
	if rgba, ok := img.(*image.RGBA); ok && rgba.Rect.Min == (image.Point{}) && rgba.Stride == 4*rgba.Rect.Dx() {
		return rgba
	}
	out := image.NewRGBA(image.Rectangle{Max: img.Bounds().Size()})
	draw.Draw(out, out.Rect, img, img.Bounds().Min, draw.Src)
	return out
}
