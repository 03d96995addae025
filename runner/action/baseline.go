package action

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/orisano/pixelmatch"

	"github.com/taproot-dev/taproot/dsl"
)

// sensitivity is how different the colour of one pixel may be, from 0 to 1, and count as the same: what a font rasteriser may change.
const sensitivity = 0.1

// assertScreenshot compares the screen, or an element of it, with the picture that a run with --update-baselines left beside the test.
func assertScreenshot(ctx context.Context, s *Session, a dsl.AssertScreenshot) error {
	if s.Dir == "" {
		return &Failure{problem("baselines lie beside the test: only a test in a file has some")}
	}
	var now *image.RGBA
	var compared comparison
	var path string
	err := poll(ctx, s.Timeout, func() (err error) {
		if now, err = s.shoot(ctx, a); err != nil {
			return err
		}
		path = filepath.Join(s.Dir, "baselines", fmt.Sprintf("%s-%s-%dx%d.png", a.Name, s.Platform, now.Rect.Dx(), now.Rect.Dy()))
		if s.UpdateBaselines {
			return s.resting(ctx, a, now)
		}
		if compared, err = compare(path, now); err != nil {
			return err
		}
		if compared.percent > a.Threshold {
			return errWait
		}
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist):
		kept := s.evidence(a.Name+"-actual.png", now)
		return &Failure{problem("there is no baseline %s: look at %s, and when it is right run once more with --update-baselines", path, kept)}
	case errors.Is(err, errWait) && !s.UpdateBaselines:
		return s.different(a, compared, now)
	case err != nil && !errors.Is(err, errWait):
		return err
	case s.UpdateBaselines:
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		s.note("the baseline %s was written", filepath.Base(path))
		return writePNG(path, now)
	}
	s.note("%.3f %% of the pixels differ from the baseline", compared.percent)
	return nil
}

// resting waits until two pictures in a row are alike: a baseline must not show a movement.
func (s *Session) resting(ctx context.Context, a dsl.AssertScreenshot, now *image.RGBA) error {
	again, err := s.shoot(ctx, a)
	if err == nil && !changed(now, again, now.Rect).Empty() {
		err = errWait
	}
	return err
}

// shoot takes the picture that is compared: cropped to the element, masked elements painted over.
func (s *Session) shoot(ctx context.Context, a dsl.AssertScreenshot) (*image.RGBA, error) {
	crop := image.Rectangle{}
	var masks []image.Rectangle
	if a.Element != nil || len(a.Mask) > 0 {
		w := newWatch(s)
		if err := w.read(ctx, false); err != nil {
			return nil, err
		}
		if a.Element != nil {
			found, err := w.find(ctx, *a.Element, false)
			if err != nil {
				return nil, err
			}
			if len(found) == 0 {
				return nil, missing(s, *a.Element, w.tree, true)
			}
			crop = found[0].Node.Bounds
		}
		for _, m := range a.Mask {
			found, err := w.find(ctx, m, false)
			if err != nil {
				return nil, err
			}
			for _, f := range found {
				masks = append(masks, f.Node.Bounds)
			}
		}
	}
	img, err := s.Device.Screenshot(ctx)
	if err != nil {
		return nil, err
	}
	return cut(img, crop, masks), nil
}

// cut gives a copy of a part of a picture, all of it when crop is empty, in which the masked rectangles have one colour.
func cut(img image.Image, crop image.Rectangle, masks []image.Rectangle) *image.RGBA {
	if crop = crop.Intersect(img.Bounds()); crop.Empty() {
		crop = img.Bounds()
	}
	out := image.NewRGBA(image.Rectangle{Max: crop.Size()})
	draw.Draw(out, out.Rect, img, crop.Min, draw.Src)
	for _, m := range masks {
		draw.Draw(out, m.Sub(crop.Min), image.NewUniform(color.RGBA{255, 0, 255, 255}), image.Point{}, draw.Src)
	}
	return out
}

// comparison is how a picture differs from its baseline.
type comparison struct {
	percent  float64
	baseline image.Image
	diff     image.Image
}

// compare counts the pixels that differ, leaving out those that anti-aliasing explains.
func compare(path string, now *image.RGBA) (comparison, error) {
	f, err := os.Open(path)
	if err != nil {
		return comparison{}, err
	}
	defer f.Close()
	baseline, err := png.Decode(f)
	if err != nil {
		return comparison{}, &Failure{problem("the baseline %s cannot be read: %v", path, err)}
	}
	if baseline.Bounds().Size() != now.Rect.Size() {
		return comparison{}, &Failure{problem("the baseline %s is %v, not %v", path, baseline.Bounds().Size(), now.Rect.Size())}
	}
	var diff image.Image
	n, err := pixelmatch.MatchPixel(baseline, now, pixelmatch.Threshold(sensitivity), pixelmatch.WriteTo(&diff))
	if err != nil {
		return comparison{}, fmt.Errorf("compare with %s: %w", path, err)
	}
	return comparison{percent: 100 * float64(n) / float64(now.Rect.Dx()*now.Rect.Dy()), baseline: baseline, diff: diff}, nil
}

// different keeps the three pictures and says how far they are apart.
func (s *Session) different(a dsl.AssertScreenshot, c comparison, now *image.RGBA) error {
	s.evidence(a.Name+"-expected.png", c.baseline)
	s.evidence(a.Name+"-actual.png", now)
	kept := s.evidence(a.Name+"-diff.png", c.diff)
	p := problem("the screen differs from the baseline %q in %.3f %% of its pixels, and %g %% are allowed; see %s", a.Name, c.percent, a.Threshold, kept)
	p.Assertion, p.Expected, p.Actual = true, fmt.Sprintf("at most %g %% of the pixels differ", a.Threshold), fmt.Sprintf("%.3f %% differ", c.percent)
	return &Failure{p}
}

// evidence keeps a picture as an artifact and gives its name in the report; that it cannot be kept is told by the report itself.
func (s *Session) evidence(name string, img image.Image) string {
	if img == nil || s.Keep == nil || s.NoPictures {
		return name
	}
	path := filepath.Join(s.Work, name)
	if err := writePNG(path, img); err != nil {
		s.note("%s was not kept: %v", name, err)
		return name
	}
	kept, err := s.Keep("artifacts/"+name, path)
	if err != nil {
		s.note("%s was not kept: %v", name, err)
		return name
	}
	return kept
}

func writePNG(path string, img image.Image) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".png-*")
	if err != nil {
		return err
	}
	encoder := png.Encoder{CompressionLevel: png.BestSpeed}
	err = errors.Join(encoder.Encode(f, img), f.Close())
	if err == nil {
		err = os.Chmod(f.Name(), 0o644)
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return nil
}
