package action

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/pixels"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/screenimage"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// assertScreenshot compares the screen, or an element of it, with the image that a run
// with --update-baselines left next to the test.
func assertScreenshot(ctx context.Context, s *Performer, a dsl.AssertScreenshot) error {
	if a.File != "" {
		return assertFile(ctx, s, a)
	}
	if s.Dir == "" {
		return &Failure{problem("baselines are next to the test: only a test in a file has some")}
	}
	var now *image.RGBA
	var compared pixels.Comparison
	var baseline image.Image
	var path string
	var why error // that the screenshot cannot be compared yet
	var resting pictureStability
	err := poll(ctx, s.Timeout, func() (err error) {
		if now, why = shoot(ctx, s, a); why != nil {
			return awaitApp(why)
		}
		if path, err = s.path(fmt.Sprintf("baselines/%s.png",
			baselineName(a.Name, shownBy(s), now.Rect.Size()))); err != nil {
			return err
		}
		if s.UpdateBaselines {
			return resting.see(now)
		}
		if baseline, compared, err = compare(path, now); errors.Is(err, fs.ErrNotExist) {
			why = err
			return awaitSize(s, path, a.Name, err)
		} else if err != nil {
			return err
		}
		if compared.Percent > a.Threshold {
			return errWait
		}
		return nil
	})
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errWait) && errors.Is(why, fs.ErrNotExist):
		kept := s.evidence(a.Name+"-actual.png", now)
		s.Detail.Compared = &event.Compared{Name: a.Name, Actual: kept}
		return &Failure{problem("there is no baseline %s%s; %s run once more with --update-baselines", path,
			others(path, a.Name), lookAt(kept))}
	case errors.Is(err, errWait) && why != nil:
		return why
	case errors.Is(err, errWait) && s.UpdateBaselines:
		return &Failure{problem("the screenshot kept changing, so that no baseline was written: mask what moves")}
	case errors.Is(err, errWait):
		return s.different(a, compared, baseline, now)
	case err != nil:
		return err
	case s.UpdateBaselines:
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		s.note("the baseline %s was written", filepath.Base(path))
		return writePNG(path, now)
	}
	s.Detail.Compared = &event.Compared{Name: a.Name, Pixels: compared.Different, Percent: compared.Percent}
	s.note("%d pixels, %.4f %%, differ from the baseline", compared.Different, compared.Percent)
	return nil
}

// shownBy is what draws the screen: the platform, and for pages the browser when it is not Chromium. Each draws text in
// its own way.
func shownBy(s *Performer) string {
	if d, ok := s.Device.(drivers.BrowserChooser); ok {
		if name, _ := d.PageBrowser(); name != dsl.Chromium {
			return name
		}
	}
	return string(s.Platform)
}

// baselineName is that of the image of one platform, or browser, and size.
func baselineName(name, on string, size image.Point) string {
	return fmt.Sprintf("%s-%s-%dx%d", name, on, size.X, size.Y)
}

// awaitApp makes an error of the app one that is waited out: the element may come.
func awaitApp(err error) error {
	var app *Failure
	if errors.As(err, &app) {
		return errWait
	}
	return err
}

// awaitSize waits when there are baselines of other sizes on this platform: what is compared may still grow, or the
// screen turn.
func awaitSize(s *Performer, path, name string, err error) error {
	for _, other := range baselines(path, name) {
		if strings.HasPrefix(other, name+"-"+shownBy(s)+"-") {
			return errWait
		}
	}
	return err
}

// pictureStability waits until screenshots are alike for a while: a baseline must not show a movement.
type pictureStability struct {
	last  *image.RGBA
	since time.Time
}

func (r *pictureStability) see(now *image.RGBA) error {
	if r.last == nil || !pixels.Changed(r.last, now, now.Rect).Empty() {
		r.last, r.since = now, time.Now()
	}
	if time.Since(r.since) < decide.Settles().Rests {
		return errWait
	}
	return nil
}

// shoot takes the screenshot that is compared: cropped to the element, masked elements painted over.
func shoot(ctx context.Context, s *Performer, a dsl.AssertScreenshot) (*image.RGBA, error) {
	crop, masks, err := comparedParts(ctx, s, a)
	if err != nil {
		return nil, err
	}
	img, err := s.photograph(ctx)
	if err != nil {
		return nil, err
	}
	if a.Element == nil {
		crop = img.Bounds()
	}
	if crop = crop.Intersect(img.Bounds()); crop.Empty() {
		return nil, &Failure{problem("%s is not on the screen, but outside of it: scroll to it first",
			screen.Describe(*a.Element))}
	}
	if s.Platform != dsl.Web { // its clock and battery are none of the app
		masks = append(masks, pixels.StatusBar(img.Bounds().Size()))
	}
	out := cut(img, crop, masks)
	if err := judgeable(ctx, s, out); err != nil {
		return nil, err
	}
	if covered(out) {
		return nil, &Failure{problem("the masks cover all of the screenshot: nothing is left to compare")}
	}
	return out, nil
}

// comparedParts looks for the element that is compared and for those that are masked.
func comparedParts(ctx context.Context, s *Performer, a dsl.AssertScreenshot) (crop image.Rectangle,
	masks []image.Rectangle, err error) {
	if a.Element == nil && len(a.Mask) == 0 {
		return crop, nil, nil
	}
	w := newReader(s, decide.Want{Purpose: decide.See, UnseenToo: true})
	if err := w.read(ctx, false); err != nil {
		return crop, nil, err
	}
	if a.Element != nil {
		found, err := w.find(ctx, *a.Element, false)
		if err != nil {
			return crop, nil, err
		}
		if len(found) == 0 {
			return crop, nil, w.missing(*a.Element, true)
		}
		crop = found[0].Node.Bounds
	}
	for _, m := range a.Mask {
		found, err := w.find(ctx, m, false)
		if err != nil {
			return crop, nil, err
		}
		for _, f := range found {
			masks = append(masks, f.Node.Bounds)
		}
	}
	return crop, masks, nil
}

func lookAt(picture string) string {
	if picture == "" {
		return "when the screen is right,"
	}
	return "look at " + picture + ", and when it is right"
}

// others names the baselines that there are for other platforms and sizes.
func others(path, name string) string {
	found := baselines(path, name)
	if len(found) == 0 {
		return ""
	}
	return " (there is " + strings.Join(found[:min(3, len(found))], ", ") + ")"
}

// baselines lists those of one name next to a path.
func baselines(path, name string) []string {
	of := regexp.MustCompile("^" + regexp.QuoteMeta(name) + `-[a-z]+-\d+x\d+\.png$`)
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil {
		return nil // there is none
	}
	var found []string
	for _, e := range entries {
		if of.MatchString(e.Name()) {
			found = append(found, e.Name())
		}
	}
	return found
}

// maskColour is what masked parts get.
var maskColour = color.RGBA{255, 0, 255, 255}

// cut returns a copy of a part of a screenshot in which the masked rectangles have one colour.
func cut(img image.Image, crop image.Rectangle, masks []image.Rectangle) *image.RGBA {
	out := image.NewRGBA(image.Rectangle{Max: crop.Size()})
	draw.Draw(out, out.Rect, img, crop.Min, draw.Src)
	for _, m := range masks {
		draw.Draw(out, m.Sub(crop.Min), image.NewUniform(maskColour), image.Point{}, draw.Src)
	}
	return out
}

// covered reports whether nothing of a screenshot is left next to masks.
func covered(img *image.RGBA) bool {
	for i := 0; i < len(img.Pix); i += 4 {
		if img.Pix[i] != maskColour.R || img.Pix[i+1] != maskColour.G || img.Pix[i+2] != maskColour.B {
			return false
		}
	}
	return true
}

// compare reads the baseline and compares.
func compare(path string, now *image.RGBA) (image.Image, pixels.Comparison, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, pixels.Comparison{}, err
	}
	baseline, err := readPicture(path)
	if err != nil {
		return nil, pixels.Comparison{}, err
	}
	compared, err := pixels.Compare(baseline, now)
	if errors.Is(err, pixels.ErrSize) {
		return nil, compared, &Failure{problem("the baseline %s is %v, not %v", path, baseline.Bounds().Size(),
			now.Rect.Size())}
	}
	if err != nil {
		return nil, compared, fmt.Errorf("compare with %s: %w", path, err)
	}
	return baseline, compared, nil
}

// different keeps the three images and says how far they are apart, and where.
func (s *Performer) different(
	a dsl.AssertScreenshot,
	c pixels.Comparison,
	baseline image.Image,
	now *image.RGBA,
) error {
	s.Detail.Compared = &event.Compared{Name: a.Name, Pixels: c.Different, Percent: c.Percent,
		Expected:   s.evidence(a.Name+"-expected.png", baseline),
		Actual:     s.evidence(a.Name+"-actual.png", now),
		Difference: s.evidence(a.Name+"-diff.png", c.Picture)}
	p := problem(
		"the screen differs from the baseline %q in %d pixels (%.4f %%) within %d,%d to %d,%d, and %g %% are "+
			"allowed", a.Name, c.Different, c.Percent,
		c.Box.Min.X, c.Box.Min.Y, c.Box.Max.X, c.Box.Max.Y, a.Threshold)
	p.Assertion, p.Expected, p.Actual = true, fmt.Sprintf("at most %g %% of the pixels differ", a.Threshold),
		fmt.Sprintf("%d pixels (%.4f %%) differ", c.Different, c.Percent)
	return &Failure{p}
}

// evidence keeps an image as an artifact and returns its name in the report; that it cannot be kept is reported by the
// report itself.
func (s *Performer) evidence(name string, img image.Image) string {
	if img == nil || s.Work == "" || s.NoPictures {
		return ""
	}
	if s.kept == nil {
		s.kept = map[string]int{}
	}
	if s.kept[name]++; s.kept[name] > 1 {
		ext := filepath.Ext(name)
		name = fmt.Sprintf("%s-%d%s", strings.TrimSuffix(name, ext), s.kept[name], ext)
	}
	path := filepath.Join(s.Work, name)
	if err := writePNG(path, img); err != nil {
		s.note("%s was not kept: %v", name, err)
		return ""
	}
	kept, err := s.Support.keep("artifacts/"+name, path)
	if err != nil {
		s.note("%s was not kept: %v", name, err)
		return ""
	}
	return kept
}

func writePNG(path string, img image.Image) error {
	f, err := os.CreateTemp(filepath.Dir(path), ".png-*")
	if err != nil {
		return err
	}
	err = errors.Join(screenimage.EncodePNG(f, img), f.Close())
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
