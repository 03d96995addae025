package web

import (
	"context"
	"errors"
	"fmt"
	"image"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/web/internal/browser"
	"github.com/taproot-dev/taproot/drivers/web/internal/pages"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/webtest"
)

// shared is the one driver of this package's tests, so that Chromium starts once.
var shared = New(Options{Slots: 8, Browser: os.Getenv(browserVariable)})

// browserVariable names the browser that all tests of this package are run on: make firefox.
const browserVariable = "TAPROOT_TEST_BROWSER"

var site = webtest.Start()

// patience is for what comes, on a machine that is busy with much else, too.
const patience = time.Minute

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		os.Exit(child())
	}
	code := m.Run()
	for _, devices := range idle.devices {
		for _, d := range devices {
			if err := d.Close(); err != nil {
				fmt.Fprintln(os.Stderr, err)
				code = 1
			}
		}
	}
	for _, end := range []func() error{endOwn, shared.Close} {
		if err := end(); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	site.Close()
	os.Exit(testutil.CheckLeaks(code))
}

// open returns a device of the shared driver.
func open(t *testing.T) *device {
	t.Helper()
	opened, err := shared.Open(t.Context(), "web-1")
	if err != nil {
		t.Fatal(err)
	}
	d := opened.(*device)
	d.slot.Grace = patience // a busy machine needs more than a second to end a call
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// visitPage returns a device with a sample page open.
func visitPage(t *testing.T, name string) *device {
	t.Helper()
	d := open(t)
	if err := d.OpenPage(t.Context(), site.Page(name), drivers.PageOptions{}); err != nil {
		t.Fatal(err)
	}
	return d
}

// show returns a device with a page of the test's own making.
func show(t *testing.T, body string) *device {
	t.Helper()
	d := open(t)
	Must(t, d.OpenPage(t.Context(), site.Made(body), drivers.PageOptions{}))
	return d
}

// idle are devices with a page that the tests before have left as it was opened, but for its address, by the device
// that they emulate: a page of a new context costs Chromium four times what another address does. held are those that
// tests have.
var idle = struct {
	sync.Mutex
	devices map[string][]*device
	held    map[*testing.T]*device
}{devices: map[string][]*device{}, held: map[*testing.T]*device{}}

// browse is visitPage for tests to which it is all the same where the page and its mouse were before. A test that calls
// it again continues in the same page.
func browse(t *testing.T, name string) *device {
	t.Helper()
	return reach(t, site.Page(name), "")
}

// display is show for such tests.
func display(t *testing.T, body string) *device {
	t.Helper()
	return reach(t, site.Made(body), "")
}

// reach returns the test's own device, an idle one, or a new one, that shows the address; emulated names the device
// that it pretends to be.
func reach(t *testing.T, address, emulated string) *device {
	t.Helper()
	idle.Lock()
	d, mine := idle.held[t]
	if list := idle.devices[emulated]; !mine && len(list) > 0 {
		d, idle.devices[emulated] = list[len(list)-1], list[:len(list)-1]
	}
	idle.Unlock()
	if mine {
		Must(t, d.Navigate(t.Context(), address, patience))
		loads(t, d)
		return d
	}
	old := d != nil
	if !old {
		opened, err := shared.Open(t.Context(), "web-1")
		Must(t, err)
		d = opened.(*device)
		d.slot.Grace = patience
	}
	var s *pages.BrowserContext
	t.Cleanup(func() { giveBack(t, d, s, emulated) })
	if old {
		Must(t, d.Navigate(t.Context(), address, patience))
	} else {
		Must(t, d.OpenPage(t.Context(), address, drivers.PageOptions{DeviceName: emulated}))
	}
	loads(t, d)
	s, _ = d.slot.Opened()
	idle.Lock()
	idle.held[t] = d
	idle.Unlock()
	return d
}

// loads waits for what a page still loads: a busy machine takes longer than an opening waits.
func loads(t *testing.T, d *device) {
	t.Helper()
	opening, err := d.Opening(t.Context())
	Must(t, err)
	if len(opening.Loading) > 0 {
		Must(t, d.WaitPage(t.Context(), drivers.WebEvent{Load: "load"}, patience))
	}
}

// giveBack keeps the device for another test, or closes it.
func giveBack(t *testing.T, d *device, s *pages.BrowserContext, emulated string) {
	idle.Lock()
	defer idle.Unlock()
	delete(idle.held, t)
	if !t.Failed() && d.asOpened(s) {
		idle.devices[emulated] = append(idle.devices[emulated], d)
		return
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

// asOpened reports whether the device has the one page of a session still, and forgets what its tests printed and did.
func (d *device) asOpened(s *pages.BrowserContext) bool {
	if !browser.Within(browser.StopLimit, d.slot.Calls.Wait) {
		return false
	}
	if now, closed := d.slot.Opened(); closed || now != s || len(s.Tabs.All()) != 1 || s.Usable() != nil ||
		s.Mute.Load() || s.Dialogs.IsOpen() {
		return false
	}
	d.slot.Grace, d.slot.Limit = patience, browser.CallLimit
	d.Journal.ForgetDialogs()
	d.Journal.Put("")
	s.Console.Forget()
	*d = *assemble(d.slot, d.Journal, shared.launcher, d.Info())
	return true
}

// dataPage is the address of a page of the test's own making.
func dataPage(body string) string {
	return "data:text/html;charset=utf-8," + percent("<!doctype html><meta charset=utf-8><body>"+body)
}

func percent(s string) string {
	var b strings.Builder
	for i := range len(s) {
		fmt.Fprintf(&b, "%%%02X", s[i])
	}
	return b.String()
}

func tree(t *testing.T, d *device) *screen.Tree {
	t.Helper()
	got, err := d.Tree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// byID finds an element by its id attribute; it must be there.
func byID(t *testing.T, tr *screen.Tree, id string) *screen.Node {
	t.Helper()
	n := find(tr, func(n *screen.Node) bool { return n.ID == id })
	if n == nil {
		t.Fatalf("no element %q in the tree", id)
	}
	return n
}

func find(tr *screen.Tree, ok func(*screen.Node) bool) *screen.Node {
	for n := range tr.All {
		if ok(n) {
			return n
		}
	}
	return nil
}

func showing(text string) func(*screen.Node) bool {
	return func(n *screen.Node) bool { return n.Text == text && !n.Hidden && !n.Offscreen }
}

func centre(n *screen.Node) image.Point { return n.Bounds.Min.Add(n.Bounds.Size().Div(2)) }

func target(selector string) drivers.WebTarget {
	return drivers.WebTarget{Selector: selector, Timeout: patience}
}

// soon is target for what will not come.
func soon(selector string) drivers.WebTarget {
	return drivers.WebTarget{Selector: selector, Timeout: 700 * time.Millisecond}
}

func inFrame(frame, selector string) drivers.WebTarget {
	return drivers.WebTarget{Selector: selector, Frame: frame, Timeout: patience}
}

// Must ends the test on an error.
func Must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func tap(t *testing.T, d *device, n *screen.Node) {
	t.Helper()
	if err := d.Tap(t.Context(), centre(n)); err != nil {
		t.Fatal(err)
	}
}

func look(t *testing.T, d *device, selector string, want drivers.WebCondition,
	timeout time.Duration) drivers.WebObservation {
	t.Helper()
	seen, err := d.Look(t.Context(), selector, want, timeout)
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

// mustShow waits until a visible match of selector shows text.
func mustShow(t *testing.T, d *device, selector, text string) {
	t.Helper()
	if seen := look(t, d, selector, drivers.WebCondition{Text: &text}, patience); !seen.Met {
		t.Fatalf("%s does not show %q: %+v", selector, text, seen)
	}
}

// WantError checks the kind of an error and words that it must say.
func WantError(t *testing.T, err, kind error, words ...string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Fatalf("error %v, want one that wraps %q", err, kind)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error does not say %q: %v", w, err)
		}
	}
}

// pick finds the one element that an action on label would take.
func pick(tr *screen.Tree, label string, _ bool) ([]screen.Match, error) {
	return tr.Find(screen.Query{Selector: dsl.Selector{Label: label}, Action: true})
}

// until polls a condition of the outside world.
func until(ctx context.Context, limit time.Duration, ok func() bool) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for !ok() {
		if browser.Pause(ctx, 50*time.Millisecond) != nil {
			return false
		}
	}
	return true
}
