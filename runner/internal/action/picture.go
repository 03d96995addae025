package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/draw"
	"image/png"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/pixels"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/runner/internal/observe"
)

// Wanted is what the report lacks of the screen as it is before a step. The step's first read of the screen serves the
// report, too: a screenshot that the step takes anyway is used, and where it reads the elements alone, one is taken
// next to them.
type Wanted struct {
	Shot bool // a screenshot
	Page bool // the elements of the page
	Own  bool // a screenshot of the step itself, where it has time for one
	// Taps are those of the steps before, which the screenshot will be of; Earlier are those of steps before them.
	Taps, Earlier []*Tapped
}

// any reports whether the report lacks anything.
func (w *Wanted) any() bool { return w.Shot || w.Page }

// Picture is the screen at one moment.
type Picture struct {
	Image   image.Image // nil: none was wanted, or there is none
	Err     error       // why there is none
	Unseen  string      // why the image is black, "" when it is not
	Page    []byte      // the elements of a page
	PageErr error       // why they are missing
}

// saw takes what the step sees before it changes anything: a screenshot, or nil where it read the elements. It fills in
// what the report wants, once, and judges the taps of earlier steps. The error is a panic.
func (s *Performer) saw(ctx context.Context, img image.Image) error {
	if s.NoPictures {
		img = nil
	}
	if s.capture != nil && s.Before == nil {
		s.capture.Captured()
		return nil
	}
	if s.Wanted.any() && s.Before == nil {
		s.Before = s.TakePicture(ctx, img)
		if img = s.Before.Image; StackOf(s.Before.Err) != "" {
			return s.Before.Err
		}
	}
	if img == nil {
		return nil
	}
	s.judgeTaps(img, time.Now())
	return nil
}

// judgeTaps judges the taps of earlier steps by a screenshot.
func (s *Performer) judgeTaps(img image.Image, taken time.Time) {
	taps := s.Wanted.Earlier
	if s.Before != nil {
		taps = s.Wanted.Taps
	}
	for _, t := range taps {
		t.Judge(img, taken)
	}
}

// startCapture starts to take the screenshot that the report wants while the elements are read, where the device can do
// both at once.
func (s *Performer) startCapture(ctx context.Context) {
	d, ok := s.Device.(observe.Capturer)
	if ok && s.Wanted.Shot && s.Before == nil && s.capture == nil && !s.NoPictures && s.Conceal == nil {
		s.capture = observe.StartCapture(func(captured func()) (img image.Image, err error) {
			err = Guard(func() (err error) {
				img, err = d.Capture(ctx, captured)
				return err
			})
			return img, err
		})
	}
}

// endCapture waits for the screenshot that was taken while the elements were read.
func (s *Performer) endCapture(ctx context.Context) {
	if s.capture == nil {
		return
	}
	img, taken, err := s.capture.Image()
	s.capture = nil
	if err == nil && (img == nil || img.Bounds().Empty()) {
		err = errEmptyImage
	}
	if s.Before = s.picture(ctx, img, err); err == nil {
		s.judgeTaps(img, taken)
	}
}

var errEmptyImage = errors.New("the device returned an empty image")

// TakePicture takes what the report wants of the screen: a screenshot, unless there is one, and the elements of a page.
func (s *Performer) TakePicture(ctx context.Context, img image.Image) *Picture {
	var err error
	if img == nil && s.Wanted.Shot {
		img, err = s.shoot(ctx)
	}
	return s.picture(ctx, img, err)
}

// picture adds to a screenshot, or the reason why there is none, what else the report wants of the screen.
func (s *Performer) picture(ctx context.Context, img image.Image, err error) *Picture {
	p := &Picture{Image: img, Err: err}
	if err != nil {
		p.Image = nil
	}
	if p.Image != nil {
		p.Unseen = Unseen(ctx, s.Device, p.Image)
	}
	page, ok := s.Device.(drivers.PageSnapshotter)
	if s.Wanted.Page && ok && p.Err == nil && ctx.Err() == nil {
		p.PageErr = Guard(func() (err error) {
			p.Page, err = page.PageSnapshot(ctx)
			return err
		})
	}
	return p
}

// shoot takes a screenshot for the report.
func (s *Performer) shoot(ctx context.Context) (img image.Image, err error) {
	err = Guard(func() (err error) {
		img, err = s.photograph(ctx)
		if err == nil && (img == nil || img.Bounds().Empty()) {
			err = errEmptyImage
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	return img, nil
}

// takeOwn takes the screenshot of the step while it only waits, if the report wants it and screenshots are known to be
// quick. Without one, the report's is taken as usual, which reports the error.
func (s *Performer) takeOwn(ctx context.Context) {
	missing := s.Wanted.any() && s.Before == nil
	if !s.Wanted.Own || missing || s.shotTook == 0 || s.shotTook > quickScreenshot {
		return
	}
	if img, err := s.photograph(ctx); err == nil && img != nil && !img.Bounds().Empty() {
		s.Own = img
	}
}

// photograph takes a screenshot that shows no secrets.
func (s *Performer) photograph(ctx context.Context) (image.Image, error) {
	defer func(began time.Time) { s.shotTook = time.Since(began) }(time.Now())
	switch {
	case !s.NoPictures && s.Conceal == nil:
		return s.Device.Screenshot(ctx)
	case !s.NoPictures && s.Conceal.Empty():
		if err := stoppedByDialog(ctx, s.Device); err != nil {
			return nil, err
		}
		return s.Device.Screenshot(ctx)
	}
	return Photograph(ctx, s.Device, s.Conceal)
}

// Tapped is what the screen looked like just before a tap. The screenshots that come later show whether the tap has
// changed anything; nothing that they show changes the result, as an app may do its work out of sight.
type Tapped struct {
	picture image.Image
	at      time.Time
	hit     string
	judged  bool
	without time.Duration // after the tap, when nothing had changed
	doubt   string        // the warning about a tap that changes nothing; "": none
}

// Judge compares a screenshot with the one before the tap. The first one that differs, or comes
// after ProofGrace, decides.
func (t *Tapped) Judge(now image.Image, taken time.Time) {
	switch age := taken.Sub(t.at); {
	case t.judged:
	case !same(t.picture, now):
		t.judged = true
	case age >= ProofGrace:
		t.judged, t.without = true, age
	}
}

// Left is how long a screenshot that shows no change does not decide yet.
func (t *Tapped) Left() time.Duration { return max(ProofGrace-time.Since(t.at), 0) }

// NoEffect is the proof of a tap that has changed nothing, a note about it and a warning; "" for any other. It is false
// as long as that is not known.
func (t *Tapped) NoEffect() (proof, note, warning string, known bool) {
	if t.without == 0 {
		return "", "", "", t.judged
	}
	note = fmt.Sprintf("nothing on the screen had changed %s after the tap", t.without.Round(10*time.Millisecond))
	return event.ProofNoEffect + ": " + t.hit, note, t.doubt, true
}

// Tapped returns what the step's tap is to be judged by, nil when there is nothing.
func (s *Performer) Tapped() *Tapped { return s.aimed }

// same compares two screenshots below the status bar, as its clock changes whatever is tapped.
func same(a, b image.Image) bool {
	region := a.Bounds()
	region.Min.Y = pixels.StatusBar(region.Size()).Max.Y
	return pixels.Changed(a, b, region).Empty()
}

// Photograph takes a screenshot in which passwords and the elements that show a secret of the mask are painted over.
// What shows them is looked for before and after, because the screen may change in between. While a dialog stops a page
// there is no screenshot: reading the elements would close it.
func Photograph(ctx context.Context, dev drivers.Device, mask *event.Mask) (image.Image, error) {
	if err := stoppedByDialog(ctx, dev); err != nil {
		return nil, err
	}
	before, err := dev.Tree(ctx)
	if err != nil {
		return nil, fmt.Errorf("what a screenshot would show of the secrets is unknown: %w", err)
	}
	img, err := dev.Screenshot(ctx)
	if err != nil {
		return nil, err
	}
	after, err := dev.Tree(ctx)
	if err != nil {
		return nil, fmt.Errorf("what a screenshot would show of the secrets is unknown: %w", err)
	}
	var boxes []image.Rectangle
	for _, t := range []*screen.Tree{before, after} {
		for n := range t.All {
			if n.Password || mask.Shows(n.Text) || mask.Shows(n.Desc) || mask.Shows(n.Hint) {
				boxes = append(boxes, n.Bounds)
			}
		}
	}
	return painted(img, boxes), nil
}

// painted returns a screenshot with places that are painted over. Where there are none, it is the screenshot itself, so
// that the file that it came as need be neither read nor written again.
func painted(img image.Image, boxes []image.Rectangle) image.Image {
	boxes = slices.DeleteFunc(boxes, func(b image.Rectangle) bool { return b.Intersect(img.Bounds()).Empty() })
	if len(boxes) == 0 {
		return img
	}
	if p, ok := img.(*drivers.Image); ok { // of which the pixels are copied at once, not one by one
		img = p.Decoded()
	}
	out := image.NewRGBA(img.Bounds())
	draw.Draw(out, out.Rect, img, img.Bounds().Min, draw.Src)
	for _, b := range boxes {
		draw.Draw(out, b, image.NewUniform(color.Gray{128}), image.Point{}, draw.Src)
	}
	return out
}

// stoppedByDialog returns an error while a dialog of a page is open. On phones dialogs are elements like others.
func stoppedByDialog(ctx context.Context, dev drivers.Device) error {
	_, page := dev.(drivers.Navigator)
	alerter, ok := dev.(drivers.Alerter)
	if !page || !ok {
		return nil
	}
	open, err := alerter.Alert(ctx)
	if open != nil && err == nil {
		err = fmt.Errorf("%w: an open dialog stops the page", drivers.ErrNotReady)
	}
	return err
}

// screenshot leaves an image for a caller without screenshots of its steps; in a test, the screenshot of the step is
// named after it.
func screenshot(ctx context.Context, s *Performer, a dsl.Screenshot) error {
	if a.Element != nil {
		return pictureOf(ctx, s, a)
	}
	if s.StepPictures {
		return nil
	}
	img, err := s.photograph(ctx)
	if err != nil {
		return err
	}
	if why := Unseen(ctx, s.Device, img); why != "" {
		s.note("%s", why)
	}
	name := pictureName(cmp.Or(a.Name, "screenshot"))
	path := filepath.Join(s.Work, name)
	f, err := os.Create(path)
	if err != nil {
		return fmt.Errorf("keep a screenshot: %w", err)
	}
	err = png.Encode(f, img)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		_, err = s.Support.keep(name, path)
	}
	return err
}

// maxPictureName is how many characters of a name the file of a screenshot has.
const maxPictureName = 60

// pictureName makes a name one that a file can have in any folder.
func pictureName(name string) string {
	name = strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || strings.ContainsRune(`/\:`, r) {
			return '-'
		}
		return r
	}, name)
	if all := []rune(name); len(all) > maxPictureName {
		name = string(all[:maxPictureName-1]) + "…"
	}
	return name + ".png"
}

// judgeable makes a screenshot that shows nothing of what it is judged by an error.
func judgeable(ctx context.Context, s *Performer, img image.Image) error {
	p, err := observe.Protection(ctx, s.Device, img)
	if err == nil && p != nil {
		err = p
	}
	return err
}

// Unseen says in a sentence, for the report, why a screenshot of the device is black; "" when it is not, or shows what
// there is.
func Unseen(ctx context.Context, dev drivers.Device, img image.Image) string {
	if p, err := observe.Protection(ctx, dev, img); err == nil && p != nil {
		return "the screenshot is black where the window " + p.Parts[0].Window +
			" is: its app forbids screenshots of it (FLAG_SECURE)"
	}
	return ""
}
