package observe

import (
	"context"
	"errors"
	"fmt"
	"hash/fnv"
	"image"
	"strconv"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/pixels"
	"github.com/taproot-dev/taproot/runner/internal/decide"
)

// Options are what a Screen needs in addition to its device.
type Options struct {
	Page   bool // a page, not a phone
	Vision bool // the pixels can be read
	// Texts are those that the trees must not leave out.
	Texts []string
	// Moving remembers from step to step that the screen was refused because it never stops moving.
	Moving *bool
	// Touched is the screenshot before the touch of the step before, nil: none. Its id is 1.
	Touched image.Image
}

// Screen is the screen of one device during one step. It is used by one goroutine.
type Screen struct {
	Reads int           // of elements
	Taken []image.Image // the screenshots that were taken
	// Notes are remarks; Warnings say what cannot be known.
	Notes, Warnings []string

	dev       drivers.Device
	o         Options
	rest      *pixels.Rest
	shots     map[int]image.Image
	last      decide.Shot // the newest
	ids       int
	protected *drivers.ProtectedError // what the newest screenshot, or the one that could not be taken, does not show
	noPixels  string
	failed    error // of the last frame
}

// New starts to observe a device.
func New(dev drivers.Device, o Options) *Screen {
	s := &Screen{dev: dev, o: o, rest: &pixels.Rest{StatusBar: !o.Page}, shots: map[int]image.Image{}}
	if d, ok := dev.(drivers.TextHinter); ok && o.Texts != nil {
		d.HintTexts(o.Texts...)
	}
	if o.Touched != nil {
		s.ids++
		s.shots[s.ids] = o.Touched
	}
	return s
}

// TouchedShot is the screenshot of Options.Touched.
func TouchedShot(img image.Image) decide.Shot {
	if img == nil {
		return decide.Shot{}
	}
	return decide.Shot{ID: 1, Size: img.Bounds()}
}

// Next reads the screen. A screen that cannot be read now is a frame that says so (Frame.Failed); any other error ends
// the step.
func (s *Screen) Next(ctx context.Context, need decide.Need) (decide.Frame, error) {
	f, err := s.read(ctx, need)
	if errors.Is(err, drivers.ErrNotReady) {
		s.failed = err
		f.Failed = err.Error()
		err = nil
	}
	return f, err
}

// Failure is the error behind the newest frame's Failed.
func (s *Screen) Failure() error { return s.failed }

func (s *Screen) read(ctx context.Context, need decide.Need) (decide.Frame, error) {
	if need.Quick {
		return s.quick(ctx)
	}
	var f decide.Frame
	if need.Before && s.noPixels == "" {
		if err := s.tryPixels(ctx); err != nil {
			return f, err
		}
	}
	f.Before = s.last
	if err := s.tree(ctx, &f, need); err != nil {
		return f, err
	}
	if need.After && s.noPixels == "" && !f.PixelsOnly {
		if err := s.tryPixels(ctx); err != nil {
			return f, err
		}
	}
	s.fill(&f)
	return f, nil
}

// fill puts what is known of the pixels into a frame.
func (s *Screen) fill(f *decide.Frame) {
	f.Last, f.NoPixels, f.Still, f.Protected = s.last, s.noPixels, s.rest.Since(), nil
	if !f.After.Taken() && f.Tree != nil && s.last.Taken() && !s.last.At.Before(f.Tree.Taken) {
		f.After = s.last
	}
	if s.protected != nil {
		for _, p := range s.protected.Parts {
			f.Protected = append(f.Protected, p.Bounds)
		}
	}
}

// tree reads the elements into a frame.
func (s *Screen) tree(ctx context.Context, f *decide.Frame, need decide.Need) error {
	if d, ok := s.dev.(drivers.PartReader); ok {
		d.ReadParts(need.Parts...)
	}
	t, err := s.elements(ctx, need)
	if s.onlyPixels(err, need) {
		s.note("the elements of the screen cannot be read, so only its pixels are looked at: %v", err)
		return s.pixelsAlone(ctx, f)
	}
	if err != nil {
		return err
	}
	s.Reads++
	f.Tree, f.Digest = t, Digest(t)
	return nil
}

// quick reads a quick tree; one that cannot be had leaves the frame without a tree.
func (s *Screen) quick(ctx context.Context) (decide.Frame, error) {
	f := decide.Frame{Quick: true}
	d, ok := s.dev.(drivers.QuickTreeReader)
	if !ok {
		return f, nil
	}
	t, err := d.QuickTree(ctx)
	if errors.Is(err, drivers.ErrDeviceLost) {
		return f, err
	}
	if err == nil && t != nil {
		s.Reads++
		f.Tree = t
	}
	s.fill(&f)
	return f, nil
}

// pixelsAlone replaces a tree where none can be read: the screen as one empty area.
func (s *Screen) pixelsAlone(ctx context.Context, f *decide.Frame) error {
	if err := s.Shoot(ctx); err != nil {
		return err
	}
	f.PixelsOnly = true
	f.Tree = screen.NewTree(nil, s.rest.Last().Bounds().Size(), time.Now())
	return nil
}

// Shoot takes a screenshot and compares it with the one before. A *drivers.ProtectedError: it shows nothing of a window
// on the screen, or there is none.
func (s *Screen) Shoot(ctx context.Context) error {
	began := time.Now()
	s.protected = nil
	img, err := s.dev.Screenshot(ctx)
	if err != nil {
		errors.As(err, &s.protected)
		return err
	}
	s.rest.See(began, img)
	s.ids++
	s.last = decide.Shot{ID: s.ids, At: began, Size: img.Bounds()}
	s.shots[s.ids] = s.rest.Last()
	s.Taken = append(s.Taken, img)
	if s.protected, err = Protection(ctx, s.dev, img); err == nil && s.protected != nil {
		return s.protected
	}
	return err
}

// tryPixels takes a screenshot where the search can do without: of a window of which none may be taken, the trees alone
// have it.
func (s *Screen) tryPixels(ctx context.Context) error {
	err := s.Shoot(ctx)
	var p *drivers.ProtectedError
	if errors.As(err, &p) {
		s.noPixels = fmt.Sprintf("the app forbids screenshots of the window %s: its elements alone were looked at",
			p.Parts[0].Window)
		return nil
	}
	return err
}

// Forget forgets all screenshots but those of the list and that of the step before.
func (s *Screen) Forget(keep []int) {
	for id := range s.shots {
		kept := id == 1 && s.o.Touched != nil || id == s.last.ID
		for _, k := range keep {
			kept = kept || k == id
		}
		if !kept {
			delete(s.shots, id)
		}
	}
}

// Rest watches since when the screenshots rest.
func (s *Screen) Rest() *pixels.Rest { return s.rest }

// Last is the newest screenshot, nil before the first.
func (s *Screen) Last() image.Image { return s.rest.Last() }

// Pictured reports whether screenshots are compared: no app has forbidden them.
func (s *Screen) Pictured() bool { return s.noPixels == "" }

func (s *Screen) note(format string, args ...any) {
	s.Notes = append(s.Notes, fmt.Sprintf(format, args...))
}

func (s *Screen) doubt(format string, args ...any) {
	s.Warnings = append(s.Warnings, fmt.Sprintf(format, args...))
}

// Digest sums up what a tree shows and where: two trees of one digest are alike.
func Digest(t *screen.Tree) string {
	h := fnv.New64a()
	var buf []byte
	text := func(s string) { buf = append(append(buf, s...), 0) }
	for n := range t.All {
		buf = buf[:0]
		text(n.Type)
		text(n.Text)
		text(n.Desc)
		for _, v := range [4]int{n.Bounds.Min.X, n.Bounds.Min.Y, n.Bounds.Max.X, n.Bounds.Max.Y} {
			buf = append(strconv.AppendInt(buf, int64(v), 36), ',')
		}
		for _, on := range [5]bool{n.Hidden, n.Disabled, n.Checked, n.Selected, n.Offscreen} {
			buf = strconv.AppendBool(buf, on)
		}
		_, _ = h.Write(buf) // never fails
	}
	return strconv.FormatUint(h.Sum64(), 16)
}

// Protected is what the newest screenshot, or the one that could not be taken, does not show; nil: it shows all.
func (s *Screen) Protected() *drivers.ProtectedError { return s.protected }

// Fail makes a frame one that could not be read, and reports whether the error is one that may pass.
func (s *Screen) Fail(f *decide.Frame, err error) bool {
	if !errors.Is(err, drivers.ErrNotReady) {
		return false
	}
	s.failed, f.Failed = err, err.Error()
	return true
}

// Frame is the frame of a tree that was read elsewhere.
func (s *Screen) Frame(t *screen.Tree) decide.Frame {
	f := decide.Frame{Tree: t, Digest: Digest(t)}
	s.fill(&f)
	return f
}
