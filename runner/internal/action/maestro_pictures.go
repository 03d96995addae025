package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/png"
	"math"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/runner/internal/script"
	flows "github.com/taproot-dev/taproot/runner/internal/syntax/maestro"
)

// flowFile is the real path of a file that a flow names: it has been resolved against the flow already.
func (s maestroPerformer) flowFile(name string) (string, error) {
	if path.IsAbs(name) || s.Base == "" {
		return s.File(name)
	}
	return s.File(filepath.Join(s.Base, filepath.FromSlash(name)))
}

// cropped takes a screenshot of the screen, or of one element.
func (s maestroPerformer) cropped(ctx context.Context, of *dsl.Selector) (image.Image, error) {
	var area image.Rectangle
	if of != nil {
		v, n, err := s.want(ctx, *of)
		if err != nil {
			return nil, err
		}
		if n.Bounds.Dx() <= 0 || n.Bounds.Dy() <= 0 {
			return nil, &Failure{problem("%s has no size", called(n))}
		}
		area = n.Bounds.Intersect(image.Rectangle{Max: v.size})
	}
	img, err := s.photograph(ctx)
	if err != nil || of == nil {
		return img, err
	}
	return cut(img, area, nil), nil
}

var unsafeName = lazyregexp.New(`[^\p{L}\p{N}._ -]+`)

// artifact is the name in the report of an image or recording that a flow names by a path.
func artifact(name string) (string, error) {
	clean := path.Clean(filepath.ToSlash(name))
	if name == "" || path.IsAbs(clean) || clean == ".." || strings.HasPrefix(clean, "../") {
		return "", &Failure{problem("%q cannot be the name of a file in the report", name)}
	}
	return strings.Trim(unsafeName.ReplaceAllString(clean, "-"), "-. "), nil
}

func flowScreenshot(ctx context.Context, s maestroPerformer, a flows.Screenshot) error {
	name, err := artifact(a.Path)
	if err != nil {
		return err
	}
	var of *dsl.Selector
	if a.Crop != nil {
		sel, err := lower(a.Crop)
		if err != nil {
			return err
		}
		of = &sel
	}
	return s.keepPicture(ctx, name, a.Path, of)
}

// keepPicture moves a screenshot into the report, and keeps it for comparisons under the name in the flow.
func (s maestroPerformer) keepPicture(ctx context.Context, name, given string, of *dsl.Selector) error {
	img, err := s.cropped(ctx, of)
	if err != nil {
		return err
	}
	if s.flow.taken == nil {
		s.flow.taken = map[string]image.Image{}
	}
	s.flow.taken[given+".png"] = img
	return storePicture(s.Performer, name, img)
}

// storePicture moves an image into the report.
func storePicture(s *Performer, name string, img image.Image) error {
	if s.NoPictures || s.Work == "" {
		return nil
	}
	if err := os.MkdirAll(s.Work, 0o755); err != nil {
		return fmt.Errorf("keep a screenshot: %w", err)
	}
	file := filepath.Join(s.Work, name+".png")
	f, err := os.Create(file)
	if err != nil {
		return fmt.Errorf("keep a screenshot: %w", err)
	}
	err = png.Encode(f, img)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		_, err = s.Support.keep("artifacts/"+name+".png", file)
	}
	return err
}

func flowAssertScreenshot(ctx context.Context, s maestroPerformer, a flows.AssertScreenshot) error {
	threshold, err := strconv.ParseFloat(a.Threshold, 64)
	if err != nil {
		return &Failure{problem("the threshold %q is not a number", a.Threshold)}
	}
	want, err := s.baseline(a)
	if err != nil {
		return err
	}
	var of *dsl.Selector
	if a.Crop != nil {
		sel, err := lower(a.Crop)
		if err != nil {
			return err
		}
		of = &sel
	}
	have, err := s.cropped(ctx, of)
	if err == nil {
		err = judgeable(ctx, s.Performer, have)
	}
	if err != nil {
		return err
	}
	return s.alike(a.Path, want, have, threshold)
}

// assertFile compares the screen with an image that no run of Taproot made, as flows do.
func assertFile(ctx context.Context, s *Performer, a dsl.AssertScreenshot) error {
	file, err := s.File(a.File)
	if err != nil {
		return err
	}
	want, err := readPicture(file)
	if err != nil {
		return err
	}
	have, err := partOf(ctx, s, a.Element)
	if err == nil {
		err = judgeable(ctx, s, have)
	}
	if err != nil {
		return err
	}
	return s.alike(a.File, want, have, 100-a.Threshold)
}

// partOf takes a screenshot of the screen, or of one element of it.
func partOf(ctx context.Context, s *Performer, element *dsl.Selector) (image.Image, error) {
	if element == nil || byMaestro(*element) {
		return maestroPerformer{Performer: s}.cropped(ctx, element)
	}
	m, err := target(ctx, s, *element)
	if err != nil {
		return nil, err
	}
	s.Detail.Proof, s.aimed = "", nil // nothing is tapped
	img, err := s.photograph(ctx)
	if err != nil {
		return nil, err
	}
	return cut(img, m.Node.Bounds.Intersect(img.Bounds()), nil), nil
}

// alike fails when less than threshold per cent of the pixels are those of the image called name.
func (r *Outcome) alike(name string, want, have image.Image, threshold float64) error {
	if want.Bounds().Size() != have.Bounds().Size() {
		p := problem("the image %s is %v large, and the screen %v", name, want.Bounds().Size(), have.Bounds().Size())
		p.Assertion = true
		return &Failure{p}
	}
	equal := 100 * equalPart(want, have)
	r.note("%.2f %% of the pixels are equal", equal)
	if equal >= threshold {
		return nil
	}
	p := problem("%.2f %% of the pixels are those of %s, and %g %% must be", equal, name, threshold)
	p.Assertion, p.Expected, p.Actual = true, fmt.Sprintf("%g %% equal pixels", threshold), fmt.Sprintf("%.2f %%", equal)
	return &Failure{p}
}

// baseline is the image that a flow compares with: next to the flow, of those that were taken, or in the working
// folder.
func (s maestroPerformer) baseline(a flows.AssertScreenshot) (image.Image, error) {
	name := flows.PictureFile(a.Path)
	beside, err := s.flowFile(path.Join(a.Dir, filepath.ToSlash(name)))
	if err == nil {
		return readPicture(beside)
	}
	if img, taken := s.flow.taken[name]; taken {
		return img, nil
	}
	var none *Failure
	if !errors.As(err, &none) {
		return nil, err
	}
	if s.Base != "" {
		if here, err := s.File(filepath.Join(s.Base, filepath.FromSlash(name))); err == nil {
			return readPicture(here)
		}
	}
	p := problem(
		"there is no image %s: neither next to the flow, nor among those that were taken, nor in the working folder", name)
	p.Assertion = true
	return nil, &Failure{p}
}

// near is how far two colours may be apart and still be equal: a tenth of the way from black to white.
const near = 0.1

// equalPart is how much of two images of one size is equal, from 0 to 1.
func equalPart(a, b image.Image) float64 {
	size := a.Bounds().Size()
	if size.X == 0 || size.Y == 0 {
		return 1
	}
	equal, limit := 0, math.Pow(near*65535, 2)*3
	for y := range size.Y {
		for x := range size.X {
			r1, g1, b1, _ := a.At(a.Bounds().Min.X+x, a.Bounds().Min.Y+y).RGBA()
			r2, g2, b2, _ := b.At(b.Bounds().Min.X+x, b.Bounds().Min.Y+y).RGBA()
			d := func(p, q uint32) float64 { return (float64(p) - float64(q)) * (float64(p) - float64(q)) }
			if d(r1, r2)+d(g1, g2)+d(b1, b2) <= limit {
				equal++
			}
		}
	}
	return float64(equal) / float64(size.X*size.Y)
}

func flowStartRecording(_ context.Context, s maestroPerformer, a flows.StartRecording) error {
	name, err := artifact(a.Path)
	if err != nil {
		return err
	}
	return s.record(name)
}

func flowStopRecording(_ context.Context, s maestroPerformer, _ flows.StopRecording) error {
	err := s.record("")
	if err != nil && !errors.Is(err, drivers.ErrDeviceLost) {
		s.note("%v", err) // Maestro does not mind that nothing was started
		return nil
	}
	return err
}

// randomText is what inputRandom… types.
func (s maestroPerformer) randomText(kind string, length int) string {
	f := script.NewFaker(s.seed())
	switch kind {
	case "number":
		return f.Digits(length)
	case "email":
		return f.Email()
	case "name":
		return f.Name()
	case "city":
		return f.City()
	case "country":
		return f.Country()
	case "color":
		return f.Color()
	}
	return f.Text(length)
}

// elementPicture is the name of an element's screenshot that has none.
const elementPicture = "element"

// pictureOf keeps a screenshot of one element.
func pictureOf(ctx context.Context, s *Performer, a dsl.Screenshot) error {
	clean, err := artifact(cmp.Or(a.Name, elementPicture))
	if err != nil {
		return err
	}
	img, err := partOf(ctx, s, a.Element)
	if err != nil {
		return err
	}
	return storePicture(s, clean, img)
}
