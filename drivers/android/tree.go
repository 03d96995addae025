package android

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

const (
	dumpLimit   = 20 * time.Second // idle is waited for up to 10 s, and refused after 11.4
	dumpBytes   = 50 << 20
	dumpTries   = 5
	dumpPause   = 150 * time.Millisecond
	rivalTries  = 3
	rivalPause  = 700 * time.Millisecond
	treeBudget  = 30 * time.Second // for all tries together
	dumpCommand = "uiautomator dump %[1]s >/dev/null && cat %[1]s; rm -f %[1]s"
)

// Tree dumps the elements of the screen with uiautomator. What the tool fails at for a moment is tried again here; a screen that
// never stands still is not, because each try costs ten seconds: that error wraps ErrNotReady and the caller has the pixels.
func (d *Device) Tree(ctx context.Context) (*drivers.Tree, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, treeBudget, d.link.tooSlow("uiautomator dump", treeBudget))
	defer cancel()
	for try := 1; ; try++ {
		taken := time.Now()
		got, err := d.dump(ctx)
		if err == nil {
			return d.newTree(got, taken), nil
		}
		again := new(dumpError)
		if !errors.As(err, &again) || try >= again.tries {
			return nil, err
		}
		d.log.Debug("dump failed, trying again", "try", try, "error", err)
		if err := pause(ctx, again.pause); err != nil {
			return nil, d.link.fault(ctx, "uiautomator dump", err)
		}
	}
}

// dumpError is one of the ways in which a dump goes wrong.
type dumpError struct {
	serial, what string
	tries        int // how many are worth making
	pause        time.Duration
	kind         error
}

func (e *dumpError) Error() string {
	if e.kind == nil {
		return fmt.Sprintf("device %s: %s", e.serial, e.what)
	}
	return fmt.Sprintf("device %s: %s: %v", e.serial, e.what, e.kind)
}

func (e *dumpError) Unwrap() error { return e.kind }

func (d *Device) dump(ctx context.Context) (*dump, error) {
	file := d.tempFile(".xml")
	o, err := d.run(ctx, command{
		name: "uiautomator dump", line: fmt.Sprintf(dumpCommand, file), limit: dumpLimit, max: dumpBytes,
	})
	if err != nil {
		return nil, err
	}
	d.removed(file)
	return d.readDump(o)
}

// readDump tells a tree from uiautomator's many failures. It ends with 0 after most of them and says so on stderr only.
func (d *Device) readDump(o output) (*dump, error) {
	noise, doc := splitDump(o.out)
	said := string(o.errs) + "\n" + string(noise)
	fail := func(tries int, pause time.Duration, kind error, what string) (*dump, error) {
		return nil, &dumpError{d.link.serial, what, tries, pause, kind}
	}
	switch {
	case len(doc) == 0 && strings.Contains(said, "could not get idle state"):
		return fail(1, 0, drivers.ErrNotReady, "the screen never stood still for uiautomator (an animation, a video, a running clock)")
	case len(doc) == 0 && strings.Contains(said, "already registered"):
		return fail(rivalTries, rivalPause, nil, "another automation server holds uiautomator: "+
			"stop it (Appium, uiautomator2, a running instrumentation) or restart the phone")
	case len(doc) == 0 && strings.Contains(said, "null root node"):
		return fail(dumpTries, dumpPause, drivers.ErrNotReady, "uiautomator saw no window")
	case len(doc) == 0 && killed(said):
		return fail(rivalTries, rivalPause, drivers.ErrNotReady,
			"uiautomator was killed on the phone: another automation server runs, or memory is short")
	case len(doc) == 0 && strings.Contains(said, "not found") && !strings.Contains(said, "Exception"):
		return fail(1, 0, drivers.ErrUnsupported, "it has no uiautomator: "+output{errs: []byte(said)}.reason())
	case len(doc) == 0:
		return fail(dumpTries, dumpPause, drivers.ErrNotReady, "uiautomator gave nothing: "+output{errs: []byte(said), code: o.code}.reason())
	}
	tree, err := parseDump(doc)
	switch {
	case errors.Is(err, errTooBig):
		return fail(1, 0, nil, err.Error())
	case err != nil:
		return fail(rivalTries, dumpPause, drivers.ErrNotReady, "the dump cannot be read: "+err.Error())
	case len(tree.windows) == 0:
		return fail(dumpTries, dumpPause, drivers.ErrNotReady, "uiautomator saw no window")
	}
	return tree, nil
}

// killed finds the shell's word on a process that got SIGKILL.
func killed(said string) bool {
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); line == "Killed" || strings.HasSuffix(line, ": Killed") || strings.HasPrefix(line, "Killed ") {
			return true
		}
	}
	return false
}

// splitDump parts what a device without a separate stderr wrote in front of the document from the document.
func splitDump(out []byte) (noise, doc []byte) {
	start := -1
	for _, begin := range []string{"<?xml", "<hierarchy", "<displays"} {
		if i := bytes.Index(out, []byte(begin)); i >= 0 && (start < 0 || i < start) {
			start = i
		}
	}
	if start < 0 {
		return out, nil
	}
	return out[:start], out[start:]
}

// newTree gives the dump the size of the screenshot, whose coordinates it has: the last screenshot's, or what `wm size` said,
// turned as the screen was when it was dumped.
func (d *Device) newTree(from *dump, taken time.Time) *drivers.Tree {
	d.mu.Lock()
	size := d.shot
	d.mu.Unlock()
	natural := image.Pt(d.info.Width, d.info.Height)
	if size == (image.Point{}) {
		size = natural
	}
	if natural != (image.Point{}) && from.rotation >= 0 {
		wide := natural.X > natural.Y
		if from.rotation%2 == 1 {
			wide = !wide
		}
		if size.X != size.Y && wide != (size.X > size.Y) {
			size = image.Pt(size.Y, size.X)
		}
	}
	if size == (image.Point{}) {
		size = extent(from.windows)
	}
	return drivers.NewTree(from.windows, size, taken)
}

// extent is the far corner of the windows: the screen, for want of anything better.
func extent(windows []*drivers.Node) image.Point {
	var p image.Point
	for _, w := range windows {
		p.X, p.Y = max(p.X, w.Bounds.Max.X), max(p.Y, w.Bounds.Max.Y)
	}
	return p
}
