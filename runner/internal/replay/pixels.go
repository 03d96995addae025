package replay

import (
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg" // screenshots are in one of these formats
	_ "image/png"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/filetree"
	"github.com/taproot-dev/taproot/internal/result/event"
)

const (
	maxImage    = 64 << 20  // bytes of a screenshot
	maxPixels   = 100 << 20 // of one
	printSide   = 24        // cells of an imprint, in each direction
	printPoints = 3         // pixels that are read of a cell, in each direction
	leastInk    = 4         // the least deviation of brightness, of 255, in a part that shows something
	leastLike   = 0.95      // of two imprints, to be of the same thing
	mostTint    = 24        // how far the mean colours of the same thing may differ, of 255
	mostGrowth  = 1.1       // how much larger the same thing may be drawn
)

// picture is the screenshot of a screen.
type picture struct {
	img   image.Image
	scale float64 // its pixels for one of the screen's tree
}

// picture reads a screenshot of the report; nil where there is none that can be used.
func (r *Report) picture(name string, size image.Point) *picture {
	if name == "" || size.X <= 0 || size.Y <= 0 {
		return nil
	}
	img, err := readImage(r.Dir, name)
	if err != nil {
		return nil
	}
	scale := float64(img.Bounds().Dx()) / float64(size.X)
	if other := float64(img.Bounds().Dy()) / float64(size.Y); math.Abs(scale-other) > 0.05*scale {
		return nil // it is not of the same screen
	}
	return &picture{img: img, scale: scale}
}

func readImage(dir, name string) (image.Image, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	data, err := filetree.ReadCapped(root, filepath.FromSlash(name), maxImage)
	if err := errors.Join(err, root.Close()); err != nil {
		return nil, err
	}
	head, _, err := image.DecodeConfig(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	if head.Width < 1 || head.Height < 1 || head.Width > maxPixels/head.Height {
		return nil, fmt.Errorf("%s: %d×%d pixels are too many", name, head.Width, head.Height)
	}
	img, _, err := image.Decode(bytes.NewReader(data))
	return img, err
}

// imprint is what a part of a screenshot shows, reduced: the brightness of its cells, from their mean on, with a length
// of 1, and its mean colour.
type imprint struct {
	cells [printSide * printSide]float64
	mean  [3]float64
}

// imprint returns the imprint of an element; nil where the screenshot does not have all of it, or shows nothing there.
func (p *picture) imprint(n *screen.Node) *imprint {
	if p == nil || n.Bounds.Empty() {
		return nil
	}
	at := p.img.Bounds().Min
	area := image.Rect(int(float64(n.Bounds.Min.X)*p.scale), int(float64(n.Bounds.Min.Y)*p.scale),
		int(float64(n.Bounds.Max.X)*p.scale), int(float64(n.Bounds.Max.Y)*p.scale)).Add(at)
	if area.Dx() < 4 || area.Dy() < 4 || !area.In(p.img.Bounds()) {
		return nil
	}
	f := &imprint{}
	const side, points = printSide, printPoints
	sum := 0.0
	for i := range side * side {
		for k := range points * points {
			x := area.Min.X + (area.Dx()*((i%side)*2*points+2*(k%points)+1))/(2*side*points)
			y := area.Min.Y + (area.Dy()*((i/side)*2*points+2*(k/points)+1))/(2*side*points)
			c := color.RGBAModel.Convert(p.img.At(x, y)).(color.RGBA)
			f.cells[i] += (0.3*float64(c.R) + 0.59*float64(c.G) + 0.11*float64(c.B)) / (points * points)
			for j, v := range [3]uint8{c.R, c.G, c.B} {
				f.mean[j] += float64(v) / (side * side * points * points)
			}
		}
		sum += f.cells[i]
	}
	length := 0.0
	for i := range f.cells {
		f.cells[i] -= sum / (side * side)
		length += f.cells[i] * f.cells[i]
	}
	length = math.Sqrt(length)
	if length < leastInk*side { // a plain colour
		return nil
	}
	for i := range f.cells {
		f.cells[i] /= length
	}
	return f
}

// like reports whether two imprints are of the same thing.
func (f *imprint) like(o *imprint) bool {
	if f == nil || o == nil {
		return false
	}
	sum := 0.0
	for i := range f.cells {
		sum += f.cells[i] * o.cells[i]
	}
	for j := range f.mean {
		if math.Abs(f.mean[j]-o.mean[j]) > mostTint {
			return false
		}
	}
	return sum >= leastLike
}

// looksLike reports whether two elements have the same pixels, where both screens have a screenshot.
func (f *traits) looksLike(o *traits) bool {
	if f.survey.pic == nil || o.survey.pic == nil || !sameSize(f.node, o.node) {
		return false
	}
	return f.printed().like(o.printed())
}

func (f *traits) printed() *imprint {
	if !f.drawn {
		f.drawn, f.imprint = true, f.survey.pic.imprint(f.node)
	}
	return f.imprint
}

func sameSize(a, b *screen.Node) bool {
	x, y := a.Bounds.Size(), b.Bounds.Size()
	near := func(m, n int) bool { return float64(max(m, n)) <= mostGrowth*float64(min(m, n)) }
	return near(x.X, y.X) && near(x.Y, y.Y)
}

// alone reports whether no other element of the screen looks like it.
func (f *traits) alone() bool {
	for n := range f.survey.tree.All {
		if n == f.node || !isThing(n) || n.Hidden || n.Within(f.node) || f.node.Within(n) || kindOf(n) != f.kind {
			continue
		}
		if f.looksLike(f.survey.traits(n)) {
			return false
		}
	}
	return true
}

// shotBefore is the last screenshot that was taken ahead of a step, "" where there is none: that of a step shows what
// the step left.
func (r *Report) shotBefore(step int) string {
	for i := len(r.Result.Steps) - 1; i >= 0; i-- {
		if s := &r.Result.Steps[i]; s.N > 0 && s.N < step {
			if name := shotOf(s); name != "" {
				return name
			}
		}
	}
	return ""
}

// shotOfFailure is the screenshot of the screen on which a step did not find its element.
func (r *Report) shotOfFailure(s *event.StepResult) string {
	if s.Detail != nil {
		for _, note := range s.Detail.Notes {
			if strings.HasPrefix(note, "continued with a repair") { // its own shows what came of that
				return r.shotBefore(s.N)
			}
		}
	}
	return shotOf(s)
}

// shotOf is the screenshot of a step, "" where there is none.
func shotOf(s *event.StepResult) string {
	for _, a := range s.Attachments {
		if a.Kind == event.KindScreenshot || a.Kind == event.KindFailure {
			return a.Path
		}
	}
	return ""
}

// inRun is a file of the report, from the folder of the runs on.
func (r *Report) inRun(name string) string {
	if name == "" {
		return ""
	}
	return r.run() + "/" + r.Pack + "/" + name
}
