package web

import (
	"context"
	"errors"
	"image"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/drivertest"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/internal/testutil"
)

func TestDevicesStartNoBrowser(t *testing.T) {
	d := New(Options{Slots: 3})
	defer d.Close()
	list, err := d.Devices(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 3 || list[0].ID != "web-1" || list[2].ID != "web-3" || list[0].State != drivers.Ready ||
		!strings.HasPrefix(list[0].Model, "Chromium ") || list[0].Width != 1280 {
		t.Errorf("devices: %+v", list)
	}
	if d.launcher.Pid() != 0 {
		t.Error("listing devices started a browser")
	}
	if _, err := d.Open(t.Context(), "web-4"); err == nil {
		t.Error("web-4 of 3 was opened")
	}
}

func TestBeforeAPageIsOpen(t *testing.T) {
	d := open(t)
	_, treeErr := d.Tree(t.Context())
	_, shotErr := d.Screenshot(t.Context())
	_, lookErr := d.Look(t.Context(), "h1", drivers.WebCondition{Hidden: true}, time.Second)
	for what, err := range map[string]error{
		"tree": treeErr, "screenshot": shotErr, "look": lookErr, "tap": d.Tap(t.Context(), image.Pt(5, 5)),
		"type": d.Type(t.Context(), "x"), "fill": d.Fill(t.Context(), "#x", "x", patience),
	} {
		t.Run(what, func(t *testing.T) { WantError(t, err, drivers.ErrPage, "start with openBrowser") })
	}
}

// opensAfterAll: a page that did not open may be sent to another address, and each error is about its own.
func opensAfterAll(t *testing.T, d *device) {
	t.Helper()
	WantError(t, d.Navigate(t.Context(), "back", patience), drivers.ErrPage, "refused")
	WantError(t, d.Navigate(t.Context(), "/login", patience), drivers.ErrPage, "give the whole address")
	WantError(t, d.Navigate(t.Context(), "http://no-such-host.invalid/", patience), drivers.ErrPage, "no such host")
	_, err := d.Tree(t.Context())
	WantError(t, err, drivers.ErrPage, "no such host")
	Must(t, d.Navigate(t.Context(), site.Page("list.html"), patience))
	mustShow(t, d, "h1", "Contacts")
}

// In the short mode, one page goes to all that a browser has to try but the first of them.
func TestAddressesThatDoNotOpen(t *testing.T) {
	ports, err := drivers.FreePorts(1)
	Must(t, err)
	refused := "http://127.0.0.1:" + ports[0] + "/" // nothing listens there
	for _, c := range []struct {
		name, address, words string
		loads                bool
	}{
		{"refused", refused, "refused", false},
		{"no such host", "http://no-such-host.invalid/", "no such host", true},
		{"no such file", "file:///no/such/file.html", "no such file", true},
		{"no scheme", "example.com/login", "start with https://", false},
		{"no host", "http:///x", "names no host", false},
		{"script", "javascript:alert(1)", "only http, https", false},
		{"browser's own", "chrome://settings", "only http, https", false},
		// its call outlives it, and a page is released without calls
		{"too slow", site.Page("hang"), "did not load within", false},
		{"download", site.Page("download"), "download", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			if c.name == "too slow" {
				testutil.Leave(t, "TestNavigate remains")
			}
			limit := patience
			if c.name == "too slow" {
				limit = time.Second
			}
			var d *device
			if testing.Short() && c.loads {
				d = browse(t, "blank.html")
				err = d.Navigate(t.Context(), c.address, limit)
			} else {
				d = open(t)
				err = d.OpenPage(t.Context(), c.address, drivers.PageOptions{Timeout: limit})
			}
			WantError(t, err, drivers.ErrPage, c.words)
			if c.address == refused {
				if _, err := d.Screenshot(t.Context()); err != nil {
					t.Errorf("no picture of the failure: %v", err)
				}
			}
			if seen, err := d.Look(t.Context(), "#anything", drivers.WebCondition{Hidden: true}, time.Second); !c.loads &&
				(err == nil || seen.Met) {
				t.Error("something counts as hidden on a page that did not open")
			}
			if c.address == refused {
				opensAfterAll(t, d)
			}
		})
	}
}

func TestAddressesThatOpen(t *testing.T) {
	file := filepath.Join(t.TempDir(), "page.html")
	if err := os.WriteFile(file, []byte("<h1>From a file</h1>"), 0o600); err != nil {
		t.Fatal(err)
	}
	var d *device
	if testing.Short() {
		d = browse(t, "blank.html")
	} else {
		d = open(t)
	}
	for _, c := range []struct{ address, text string }{
		{"file://" + filepath.ToSlash(file), "From a file"},
		{"data:text/html,<h1>From an address</h1>", "From an address"},
		{site.Page("status/503"), "Status 503"},
		{site.Page("redirect?to=/login.html"), "Sign in"},
		{site.Page("slow?ms=300"), "Slow"},
		{"about:blank", ""},
	} {
		visit := func() error { return d.OpenPage(t.Context(), c.address, drivers.PageOptions{}) }
		if testing.Short() {
			visit = func() error { return d.Navigate(t.Context(), c.address, patience) }
		}
		if err := visit(); err != nil {
			t.Errorf("%s: %v", c.address, err)
		} else if c.text != "" {
			mustShow(t, d, "h1", c.text)
		}
	}
}

func TestEveryOpeningIsAFreshContext(t *testing.T) {
	d := visitPage(t, "index.html")
	setCookie := func() {
		_, page, err := d.slot.Page()
		if err != nil {
			t.Fatal(err)
		}
		if _, err := page.Evaluate(
			`() => { document.cookie = 'seen=yes'; localStorage.setItem('seen', 'yes') }`); err != nil {
			t.Fatal(err)
		}
	}
	setCookie()
	if err := d.OpenPage(t.Context(), site.Page("index.html"), drivers.PageOptions{}); err != nil {
		t.Fatal(err)
	}
	_, page, err := d.slot.Page()
	if err != nil {
		t.Fatal(err)
	}
	kept, err := page.Evaluate(`() => document.cookie + localStorage.length`)
	if err != nil || kept != "0" {
		t.Errorf("the second context knows %v (%v)", kept, err)
	}
}

func TestAClickToADeadAddressProvesNothing(t *testing.T) {
	d := display(t, `<a id=go href="http://127.0.0.1:9/">Go</a>`)
	tap(t, d, byID(t, tree(t, d), "go"))
	var err error
	if !until(t.Context(), patience,
		func() bool { _, err = d.Tree(t.Context()); return errors.Is(err, drivers.ErrPage) }) {
		t.Errorf("tree: %v", err)
	}
	seen, err := d.Look(t.Context(), "#go", drivers.WebCondition{Hidden: true}, time.Second)
	if seen.Met || !errors.Is(err, drivers.ErrPage) {
		t.Errorf("hidden on an error page: %+v, %v", seen, err)
	}
}

func TestPopupsBecomeTheCurrentPageUntilTheyClose(t *testing.T) {
	testutil.Leave(t, "TestPagesArePicked remains")
	d := browse(t, "popup.html")
	tap(t, d, byID(t, tree(t, d), "window"))
	mustShow(t, d, "h1", "New window")
	tap(t, d, byID(t, tree(t, d), "close"))
	mustShow(t, d, "h1", "Popups")
	tap(t, d, byID(t, tree(t, d), "tab"))
	mustShow(t, d, "#where", "Inside tab")
}

// A touch or click that closes its page before it has ended was made all the same: made again, it would meet the page
// behind.
func TestATouchThatClosesItsPageIsMade(t *testing.T) {
	testutil.Leave(t, "TestPagesArePicked remains")
	d := browse(t, "popup.html")
	for name, touch := range map[string]func() error{
		"tap":   func() error { return d.Tap(t.Context(), centre(byID(t, tree(t, d), "close"))) },
		"click": func() error { return d.ClickOn(t.Context(), target("#close"), drivers.WebClick{}) },
	} {
		tap(t, d, byID(t, tree(t, d), "window"))
		mustShow(t, d, "h1", "New window")
		_, err := d.Eval(t.Context(), "document.getElementById('close').onmousedown = () => window.close(); null", patience)
		Must(t, err)
		if err := touch(); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		mustShow(t, d, "h1", "Popups")
	}
}

func TestDialogsDoNotHang(t *testing.T) {
	d := browse(t, "dialog.html")
	for _, c := range []struct{ id, log, dialog string }{
		{"alert", "alert closed", `alert dialog "Saved"`},
		{"confirm", "confirm false", `confirm dialog "Really?"`},
		{"prompt", "prompt null", `prompt dialog "Your name?"`},
	} {
		tap(t, d, byID(t, tree(t, d), c.id))
		mustShow(t, d, "#log", c.log)
		if note := find(tree(t, d), func(n *screen.Node) bool { return strings.Contains(n.Desc, c.dialog) }); note == nil ||
			!note.Hidden {
			t.Errorf("the tree does not tell of the %s: %v", c.id, note)
		}
	}
}

func TestACancelledOpeningEnds(t *testing.T) {
	d := open(t)
	ctx, cancel := context.WithCancel(t.Context())
	begun := make(chan error, 1)
	go func() { begun <- d.OpenPage(ctx, site.Page("hang"), drivers.PageOptions{}) }()
	until(t.Context(), patience, func() bool { _, _, err := d.slot.Page(); return err == nil })
	cancel()
	select {
	case err := <-begun:
		if !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
	case <-time.After(patience):
		t.Fatal("OpenPage goes on after its context was cancelled")
	}
}

func TestACrashedPageIsAnErrorAndTheNextOpenWorks(t *testing.T) {
	d := visitPage(t, "index.html")
	_, page, err := d.slot.Page()
	if err != nil {
		t.Fatal(err)
	}
	_, _ = page.Goto("chrome://crash")
	_, err = d.Tree(t.Context())
	WantError(t, err, drivers.ErrDeviceLost, "crashed")
	again := visitPage(t, "index.html")
	mustShow(t, again, "h1", "Sample pages")
}

// TestLostProcesses continues with one driver after the other harm: signals to Playwright's process, which it does not
// heed, the end of its browser, and its own end.
func TestLostProcesses(t *testing.T) {
	dir := t.TempDir()
	t.Setenv("TMPDIR", dir)
	own := New(Options{})
	t.Cleanup(func() {
		Must(t, own.Close())
		if left, err := filepath.Glob(filepath.Join(dir, "*playwright*")); err != nil || len(left) != 0 {
			t.Errorf("left: %v, %v", left, err)
		}
	})
	reopen := func() *device {
		t.Helper()
		opened, err := own.Open(t.Context(), "web-1")
		Must(t, err)
		d := opened.(*device)
		Must(t, d.OpenPage(t.Context(), site.Page("index.html"), drivers.PageOptions{}))
		return d
	}
	isLost := func(d *device) {
		t.Helper()
		_, err := d.Tree(t.Context())
		WantError(t, err, drivers.ErrDeviceLost)
		if drivers.AppIsWrong(err) {
			t.Error("a lost browser is blamed on the app")
		}
		_, err = d.Look(t.Context(), "h1", drivers.WebCondition{Hidden: true}, time.Second)
		WantError(t, err, drivers.ErrDeviceLost)
		Must(t, d.Close())
	}
	d := reopen()
	ignoresSignals(t, own, d)
	lost, err := own.launcher.For(t.Context(), drivers.PageOptions{})
	Must(t, err)
	Must(t, lost.Browser.Close())
	isLost(d)
	d = reopen()
	pid := own.launcher.Pid()
	family := drivertest.Descendants(pid)
	node, err := os.FindProcess(pid)
	Must(t, err)
	Must(t, node.Kill())
	if !until(t.Context(), patience, func() bool { return len(drivertest.Alive(family)) == 0 }) {
		t.Errorf("the browser outlives Playwright: %v", drivertest.Alive(family))
	}
	isLost(d)
	if testing.Short() { // it is opened again after the end of its browser
		return
	}
	Must(t, reopen().Close())
	pid = own.launcher.Pid()
	Must(t, own.Close())
	if !until(t.Context(), patience, func() bool { return !runs(pid) }) {
		t.Error("Playwright's process is left")
	}
}

func TestAWindowNeedsADisplay(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("every session has a display there")
	}
	beside := display(t, `<h1>Here</h1>`)
	t.Setenv("DISPLAY", "")
	t.Setenv("WAYLAND_DISPLAY", "")
	err := open(t).OpenPage(t.Context(), site.Page("index.html"), drivers.PageOptions{Headed: true})
	WantError(t, err, drivers.ErrUnsupported, "display")
	mustShow(t, beside, "h1", "Here") // pages of the driver's other browsers stay open
}

func TestPagesOfSeveralSlotsAtOnce(t *testing.T) {
	type result struct {
		seen drivers.WebObservation
		err  error
	}
	results := make(chan result)
	testutil.Leave(t, "tests of this package that run in parallel remain")
	for i := range 6 {
		id := "web-" + string(rune('1'+i))
		go func() {
			opened, err := shared.Open(t.Context(), id)
			if err != nil {
				results <- result{err: err}
				return
			}
			d := opened.(*device)
			defer d.Close()
			text := "Chosen: row " + string(rune('1'+i))
			err = d.OpenPage(t.Context(), site.Page("list.html"), drivers.PageOptions{})
			if err == nil {
				_, err = d.Tree(t.Context())
			}
			if err == nil {
				_, page, _ := d.slot.Page()
				err = page.Locator("li").Nth(i).Click()
			}
			var seen drivers.WebObservation
			if err == nil {
				seen, err = d.Look(t.Context(), "#chosen", drivers.WebCondition{Text: &text}, patience)
			}
			results <- result{seen, err}
		}()
	}
	for range 6 {
		if r := <-results; r.err != nil || !r.seen.Met {
			t.Errorf("%+v", r)
		}
	}
}

func TestCloseIsFinal(t *testing.T) {
	d := visitPage(t, "index.html")
	for range 2 {
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
	_, err := d.Tree(t.Context())
	WantError(t, err, drivers.ErrDeviceLost, "closed")
	own := New(Options{})
	for range 2 {
		if err := own.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := own.Open(t.Context(), "web-1"); err == nil {
		t.Error("a closed driver opens a device")
	}
}
