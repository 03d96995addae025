package android

import (
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/appium"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// remotePage is a phone behind an Appium server that shows shopPage in an app.
type remotePage struct {
	t     *testing.T
	dev   *appium.Device
	phone *androidsim.Phone
}

// openRemotePage opens one, with the chromedriver that fits the pages unless it is left out.
func openRemotePage(t *testing.T, view androidsim.WebView, without ...string) *remotePage {
	t.Helper()
	program, err := exec.LookPath("chromedriver")
	if err != nil {
		t.Skip("chromedriver is not installed: it is Debian's chromium-driver")
	}
	l := newLab(t, small())
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, shopPage)
	}))
	t.Cleanup(site.Close)
	view.URL, view.DevTools = site.URL, chromium.Start(t)
	l.phone.InstallWebView(webApp, "Hybrid", view)
	more := map[string]any{"appium:chromedriverExecutable": program}
	for _, name := range without {
		delete(more, name)
	}
	driver, err := NewRemote(l.remote(l.URL, more), t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = driver.Close() })
	d, err := driver.Open(t.Context(), "lab-1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = d.Close()
		if t.Failed() {
			t.Log(l.Log())
		}
	})
	return &remotePage{t: t, dev: d.(*appium.Device), phone: l.phone}
}

func (r *remotePage) launch() {
	r.t.Helper()
	if err := r.dev.Launch(r.t.Context(), webApp, true); err != nil {
		r.t.Fatal(err)
	}
}

// find waits for what an action on a label would meet.
func (r *remotePage) find(label string) screen.Match {
	r.t.Helper()
	for limit := time.Now().Add(time.Minute); ; time.Sleep(50 * time.Millisecond) {
		tree, err := r.dev.Tree(r.t.Context())
		var found []screen.Match
		if err == nil {
			found, err = tree.Find(screen.Query{Selector: dsl.Selector{Label: label}, Action: true})
		}
		if err == nil && len(found) == 1 {
			return found[0]
		}
		if time.Now().After(limit) {
			if tree == nil {
				tree = &screen.Tree{}
			}
			r.t.Fatalf("no %q: %v\n%s", label, err, shown(tree))
		}
	}
}

func (r *remotePage) tap(label string) {
	r.t.Helper()
	m := r.find(label)
	r.dev.Aim(m.Node)
	if err := r.dev.Tap(r.t.Context(), m.Point); err != nil {
		r.t.Fatal(err)
	}
}

// TestPagesAtAppium: pages in WebViews are read, touched and typed into by the contexts of an Appium server, with the
// results of a phone that is connected here.
func TestPagesAtAppium(t *testing.T) {
	testutil.Leave(t, "TestPagesOfRemotePhones, with a server of our own")
	t.Parallel()
	r := openRemotePage(t, androidsim.WebView{Mute: true, Others: true})
	r.launch()
	r.tap("E-mail")
	if err := r.dev.Type(t.Context(), "ada é漢@example.com"); err != nil {
		t.Fatal(err)
	}
	r.tap("I agree")
	r.tap("Pay now")
	m := r.find("Paid by ada é漢@example.com who agreed")
	if !m.Node.InPage || m.Node.Package != webApp || !strings.HasSuffix(m.Node.ID, "done") {
		t.Errorf("%+v", m.Node)
	}
	r.tap("E-mail")
	if err := r.dev.Erase(t.Context(), 4); err != nil {
		t.Fatal(err)
	}
	if n := r.find("E-mail"); n.Target.Text != "ada é漢@example" && n.Node.Text != "ada é漢@example" {
		t.Errorf("%+v", n.Node)
	}
	r.tap("In the frame")
	r.find("Frame pressed")
	if n := r.find("Reload"); n.Node.InPage {
		t.Errorf("%+v", n.Node)
	}
	r.tap("Reload")
	r.find("Nothing paid")
	if m := r.find("Behind"); m.CoverText == "" {
		t.Errorf("covered: %+v", m)
	}

	m = r.find("Pay now")
	if err := r.phone.EvalWebView(t.Context(), webApp,
		`document.body.insertAdjacentHTML('beforeend', '<div style="position:fixed;inset:0;background:#fff" `+
			`onclick="done.textContent=this.textContent">Cookies</div>')`, nil); err != nil {
		t.Fatal(err)
	}
	r.dev.Aim(m.Node)
	if err := r.dev.Tap(t.Context(), m.Point); !errors.Is(err, drivers.ErrMissed) {
		t.Errorf("a touch on what has come over the element: %v", err)
	}
	var said string
	if err := r.phone.EvalWebView(t.Context(), webApp, `done.textContent`, &said); err != nil || said != "Nothing paid" {
		t.Errorf("%q, %v", said, err)
	}
	if w := r.dev.TakeWarnings(); len(w) != 0 {
		t.Error(w)
	}
}

// TestDialogOfAPageAtAppium: a dialog that a touch opens stays open: Appium would close it if the page were entered.
func TestDialogOfAPageAtAppium(t *testing.T) {
	testutil.Leave(t, "TestPagesOfRemotePhones, with a server of our own")
	t.Parallel()
	r := openRemotePage(t, androidsim.WebView{Mute: true})
	r.launch()
	for button, said := range map[string]string{"OK": "Left", "Cancel": "Stayed"} {
		r.tap("Leave")
		r.find("Sure?")
		tree, err := r.dev.FullTree(t.Context())
		if err != nil || findNode(tree, "Pay now") != nil {
			t.Errorf("%v", err)
		}
		r.tap(button)
		r.find(said)
	}
	if w := r.dev.TakeWarnings(); len(w) != 0 {
		t.Error(w)
	}
}

// TestHungPageAtAppium: a page that hangs blocks the server: the session is lost, and ends.
func TestHungPageAtAppium(t *testing.T) {
	testutil.Leave(t, "TestPagesOfRemotePhones, with a server of our own")
	t.Parallel()
	r := openRemotePage(t, androidsim.WebView{Mute: true})
	r.launch()
	r.find("Pay now")
	if err := r.phone.HangWebView(t.Context(), webApp); err != nil {
		t.Fatal(err)
	}
	_, err := r.dev.Tree(t.Context())
	if !errors.Is(err, drivers.ErrDeviceLost) || !strings.Contains(err.Error(), "does not respond") {
		t.Error(err)
	}
	if err := r.dev.Close(); err != nil && !strings.Contains(err.Error(), "the next start of taproot") {
		t.Error(err)
	}
}

// TestNoChromedriverAtAppium: a server without a chromedriver reads pages by accessibility as far as it goes, and says
// what to install where a test wants more.
func TestNoChromedriverAtAppium(t *testing.T) {
	testutil.Leave(t, "TestPagesOfRemotePhones, with a server of our own")
	t.Parallel()
	r := openRemotePage(t, androidsim.WebView{Mute: true}, "appium:chromedriverExecutable")
	r.launch()
	r.find("Reload")
	tree, err := r.dev.Tree(t.Context())
	if err != nil || !strings.Contains(tree.Cut(), "no chromedriver that fits") {
		t.Errorf("%v, %q", err, tree.Cut())
	}
	if err := r.dev.ReadWebViews("devtools"); err != nil {
		t.Fatal(err)
	}
	_, err = r.dev.Tree(t.Context())
	if !errors.Is(err, drivers.ErrUnsupported) || !strings.Contains(err.Error(), "remote lab") ||
		!strings.Contains(err.Error(), "appium:chromedriverExecutable") {
		t.Error(err)
	}
}

// TestDeadPagesAtAppium: an app that dies while its page is read leaves no session in the page.
func TestDeadPagesAtAppium(t *testing.T) {
	testutil.Leave(t, "TestPagesOfRemotePhones, with a server of our own")
	t.Parallel()
	r := openRemotePage(t, androidsim.WebView{Mute: true})
	r.launch()
	r.tap("Pay now")
	r.find("Paid by")
	m := r.find("I agree")
	r.launch()
	r.dev.Aim(m.Node)
	if err := r.dev.Tap(t.Context(), m.Point); !errors.Is(err, drivers.ErrMissed) {
		t.Errorf("a touch on a page that is gone: %v", err)
	}
	r.find("Nothing paid")
	r.tap("Pay now")
	r.find("Paid by")
}
