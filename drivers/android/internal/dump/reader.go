package dump

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/treexml"
)

// Reader reads the screen by uiautomator.
type Reader struct {
	Phone *phone.Phone

	mu         sync.Mutex
	oneWindow  bool // this phone's dumps of all windows cannot be read
	allWindows bool // they have been read
}

const (
	dumpLimit   = 20 * time.Second // idle is waited for up to 10 s, and refused after 11.4
	dumpBytes   = 50 << 20
	Tries       = 5
	dumpPause   = 150 * time.Millisecond
	rivalTries  = 3
	rivalPause  = 700 * time.Millisecond
	TreeBudget  = 30 * time.Second // for all attempts together
	dumpCommand = "uiautomator dump %[2]s%[1]s >/dev/null && cat %[1]s; rm -f %[1]s"
)

// Read reads the elements with uiautomator; choose leaves out windows.
func (u *Reader) Read(ctx context.Context, choose func(*Dump)) (*Dump, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, TreeBudget, u.Phone.Link.TooSlow("uiautomator dump", TreeBudget))
	defer cancel()
	all := true // windows
	for try := 1; ; try++ {
		taken := time.Now()
		got, err := u.dump(ctx, all, choose)
		if err == nil {
			got.Taken = taken
			return got, nil
		}
		again := new(Error)
		if !errors.As(err, &again) || try >= again.tries {
			return nil, err
		}
		all = all && !again.silent
		u.Phone.Log.Debug("dump failed, trying again", "try", try, "error", err)
		if err := drivers.Pause(ctx, again.pause); err != nil {
			return nil, u.Phone.Link.Fault(ctx, "uiautomator dump", err)
		}
	}
}

// Error is one of the ways in which a dump goes wrong.
type Error struct {
	serial, what string
	tries        int // how many are worth making
	pause        time.Duration
	kind         error
	unreadable   bool // something came, and it is not a tree
	silent       bool // nothing came, and no reason
}

func (e *Error) Error() string {
	if e.kind == nil {
		return fmt.Sprintf("device %s: %s", e.serial, e.what)
	}
	return fmt.Sprintf("device %s: %s: %v", e.serial, e.what, e.kind)
}

func (e *Error) Unwrap() error { return e.kind }

func (u *Reader) dump(ctx context.Context, all bool, choose func(*Dump)) (*Dump, error) {
	file, option := u.Phone.TempFile(".xml"), ""
	if all {
		option = u.windowsOption()
	}
	o, err := u.Phone.Run(ctx, adb.Command{
		Name: "uiautomator dump", ReadOnly: true, Line: fmt.Sprintf(dumpCommand, file, option), Limit: dumpLimit,
		Max: dumpBytes,
	})
	if err != nil {
		return nil, err
	}
	u.Phone.Removed(file)
	tree, err := u.Parsed(o)
	if err == nil {
		if choose(tree); len(tree.Windows) > 0 {
			u.windowsTold(option, all)
			return tree, nil
		}
		if option != "" {
			return u.dump(ctx, false, choose)
		}
		return nil, &Error{serial: u.Phone.Link.Serial, what: "uiautomator saw no window of an app", tries: Tries,
			pause: dumpPause, kind: drivers.ErrNotReady}
	}
	if u.withoutWindows(err) {
		return u.dump(ctx, false, choose)
	}
	if len(bytes.TrimSpace(o.Out)) == 0 && !strings.Contains(string(o.Errs), "ERROR: ") {
		// It reports success for a file that it could not write.
		if full, askErr := u.storageFull(ctx); askErr != nil || full {
			return nil, errors.Join(askErr, u.whenFull(full))
		}
	}
	return tree, err
}

// windowsTold notes what kind of dump worked: a phone that returned all windows once is not to blame for one that
// failed, and one that returned only a dump of one window gets no other request.
func (u *Reader) windowsTold(option string, all bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.allWindows = u.allWindows || option != ""
	u.oneWindow = u.oneWindow || !all && !u.allWindows
}

// windowsOption requests all windows: the list that a field drops down is in a window of its own, which a plain dump
// may not see. Phones that know only one window pass the option over.
func (u *Reader) windowsOption() string {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.oneWindow {
		return ""
	}
	return "--windows "
}

// withoutWindows notes a phone with unreadable dumps of all windows, so that one window is requested from now on. It
// is true when that is news.
func (u *Reader) withoutWindows(err error) bool {
	broken := new(Error)
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.oneWindow || !errors.As(err, &broken) || !broken.unreadable {
		return false
	}
	u.oneWindow = true
	u.Phone.Log.Debug("the dump of all windows cannot be read, asking for one from now on", "error", err)
	return true
}

// whenFull is the error about a phone that cannot write another file.
func (u *Reader) whenFull(full bool) error {
	if !full {
		return nil
	}
	return fmt.Errorf("device %s: its storage is full, so that nothing can be dumped: delete something on it",
		u.Phone.Link.Serial)
}

// storageFull reads how much disk space there is where dumps are written.
func (u *Reader) storageFull(ctx context.Context) (bool, error) {
	o, err := u.Phone.Run(ctx, adb.Command{Name: "df", ReadOnly: true, Line: "df " + phone.TempDir})
	return parseFull(string(o.Out)), err
}

// freeKB is less than any dump needs.
const freeKB = 64

// parseFull reads df: the column before the percentage is the space that is left, in KB.
func parseFull(text string) bool {
	fields := strings.Fields(text)
	for i := len(fields) - 1; i > 0; i-- {
		if percent, ok := strings.CutSuffix(fields[i], "%"); ok && percent != "" &&
			strings.Trim(percent, "0123456789") == "" {
			left, err := strconv.Atoi(fields[i-1])
			return err == nil && left < freeKB
		}
	}
	return false
}

// Parsed distinguishes a tree from uiautomator's many failures. It ends with 0 after most of them and says so on
// stderr only.
func (u *Reader) Parsed(o adb.Output) (*Dump, error) {
	noise, doc := splitDump(o.Out)
	said := string(o.Errs) + "\n" + string(noise)
	fail := func(tries int, pause time.Duration, kind error, what string) (*Dump, error) {
		return nil, &Error{serial: u.Phone.Link.Serial, what: what, tries: tries, pause: pause, kind: kind}
	}
	switch {
	case len(doc) == 0 && strings.Contains(said, "could not get idle state"):
		return fail(1, 0, drivers.ErrNeverIdle,
			"the screen never stopped moving for uiautomator (an animation, a video, a running clock)")
	case len(doc) == 0 && strings.Contains(said, "already registered"):
		return fail(rivalTries, rivalPause, nil, "another automation server holds uiautomator: "+
			"stop it (Appium, uiautomator2, a running instrumentation) or restart the phone")
	case len(doc) == 0 && strings.Contains(said, "null root node"):
		return fail(Tries, dumpPause, drivers.ErrNotReady, "uiautomator saw no window")
	case len(doc) == 0 && adb.Killed(said):
		return fail(rivalTries, rivalPause, drivers.ErrNotReady,
			"uiautomator was killed on the phone: another automation server runs, or memory is short")
	case len(doc) == 0 && strings.Contains(said, "not found") && !strings.Contains(said, "Exception"):
		return fail(1, 0, drivers.ErrUnsupported, "it has no uiautomator: "+adb.Output{Errs: []byte(said)}.Reason())
	case len(doc) == 0:
		return nil, &Error{serial: u.Phone.Link.Serial, what: "uiautomator returned nothing: " +
			adb.Output{Errs: []byte(said),
				Code: o.Code}.Reason(),
			tries: Tries, pause: dumpPause, kind: drivers.ErrNotReady, silent: true}
	}
	tree, err := Parse(doc)
	switch {
	case errors.Is(err, treexml.ErrTooBig):
		return fail(1, 0, nil, err.Error())
	case err != nil:
		_, err := fail(rivalTries, dumpPause, drivers.ErrNotReady, "the dump cannot be read: "+err.Error())
		return nil, unreadable(err)
	case len(tree.Windows) == 0:
		_, err := fail(Tries, dumpPause, drivers.ErrNotReady, "uiautomator saw no window")
		return nil, unreadable(err)
	}
	return tree, nil
}

// unreadable marks the failure of a dump that came.
func unreadable(err error) error {
	if d := new(Error); errors.As(err, &d) {
		d.unreadable = true
	}
	return err
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

// ParseTree reads a dump that was saved: by uiautomator, by `adb shell` behind or in front of a status line, or by an
// automation server. size is that of the screenshot that belongs to it; zero: what the dump says and what its elements
// reach.
func ParseTree(saved []byte, size image.Point) (*screen.Tree, error) {
	noise, doc := splitDump(treexml.UTF8(saved))
	if len(doc) == 0 {
		doc = noise // for want of a beginning that is known
	}
	from, err := Parse(doc)
	if err != nil {
		return nil, err
	}
	if size == (image.Point{}) {
		size = from.whole()
	}
	return screen.NewTree(from.Windows, size, time.Time{}), nil
}

// Extent is the far corner of the windows: the screen, for want of anything better.
func Extent(windows []*screen.Node) image.Point {
	var p image.Point
	for _, w := range windows {
		p.X, p.Y = max(p.X, w.Bounds.Max.X), max(p.Y, w.Bounds.Max.Y)
	}
	return p
}

// whole is the screen of a dump: what an automation server says of it leaves the bars out, but not their elements.
func (d *Dump) whole() image.Point {
	size := Extent(d.Windows)
	if d.size == (image.Point{}) {
		return size
	}
	size = d.size
	var reach func(n *screen.Node)
	reach = func(n *screen.Node) {
		// What starts beyond the edge has been scrolled away.
		if b := n.Bounds; !n.Hidden && !b.Empty() && b.Min.X <= d.size.X && b.Min.Y <= d.size.Y {
			size.X, size.Y = max(size.X, b.Max.X), max(size.Y, b.Max.Y)
		}
		for _, c := range n.Children {
			reach(c)
		}
	}
	for _, w := range d.Windows {
		reach(w)
	}
	return size
}
