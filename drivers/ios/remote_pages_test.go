package ios

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
	"github.com/taproot-dev/taproot/internal/sim/ios/appium"
)

// remotePage is an iPhone behind an Appium server that shows a page in an app. What the server does follows the sources
// of the XCUITest driver: internal/sim/ios/appium/contexts.go lists what.
type remotePage struct {
	*served
	t      *testing.T
	dev    drivers.Device
	driver drivers.Driver
	folder string
}

func openRemotePage(t *testing.T, view iossim.WebView) *remotePage {
	t.Helper()
	r := &remotePage{served: serve(t, iossim.DeviceOptions{Phone: true, Scale: 2, AlertsApart: true}), t: t}
	if view.URL == "" {
		view.URL = webSite(t) + "/shop"
	}
	view.DevTools = chromium.Start(t)
	r.Web = r.phone
	r.phone.InstallWebView(webApp, "Hybrid", view)
	r.driver, r.folder = r.remote(t)
	t.Cleanup(func() { _ = r.driver.Close() })
	var err error
	r.dev, err = r.driver.Open(t.Context(), "lab-1")
	must(t, err)
	t.Cleanup(func() { _ = r.dev.Close() })
	must(t, r.dev.(drivers.Apps).Launch(t.Context(), webApp, true))
	return r
}

func (r *remotePage) read(how string) {
	r.t.Helper()
	must(r.t, r.dev.(drivers.WebViewReader).ReadWebViews(how))
}

func (r *remotePage) tree() *screen.Tree {
	r.t.Helper()
	tree, err := r.dev.Tree(r.t.Context())
	must(r.t, err)
	return tree
}

// find waits for what an action on a label would meet in the page.
func (r *remotePage) find(label string) screen.Match {
	r.t.Helper()
	ctx, cancel := context.WithTimeout(r.t.Context(), patience)
	defer cancel()
	for {
		tree := r.tree()
		found, err := tree.Find(screen.Query{Selector: dsl.Selector{Label: label}, Action: true})
		if err == nil && len(found) == 1 && found[0].Node.InPage {
			return found[0]
		}
		if pause := drivers.Pause(ctx, 20*time.Millisecond); pause != nil {
			r.t.Fatalf("no %q: %v, %v, %q\n%s", label, err, pause, tree.Cut(), shown(tree))
		}
	}
}

// touch taps once what was found.
func (r *remotePage) touch(m screen.Match) error {
	r.dev.(drivers.Aimer).Aim(m.Node)
	return r.dev.Tap(r.t.Context(), m.Point)
}

func (r *remotePage) press(label string) {
	r.t.Helper()
	for try := 1; ; try++ {
		err := r.touch(r.find(label))
		if err == nil {
			return
		}
		// that one came too late, on a busy machine, and was blocked
		if try == 5 || !strings.Contains(err.Error(), "reached nothing in the page") {
			r.t.Fatal(err)
		}
	}
}

// done is the text at the end of the page.
func (r *remotePage) done() (text string) {
	r.t.Helper()
	must(r.t, r.phone.EvalWebView(r.t.Context(), webApp, `done.textContent`, &text))
	return text
}

// back: the session is in NATIVE_APP, and no command for the phone came while it was in a page.
func (r *remotePage) back() {
	r.t.Helper()
	if in, strays := r.Chosen(), r.Strays(); in != "NATIVE_APP" || len(strays) != 0 {
		r.t.Errorf("in %s, to the page instead of the phone: %q", in, strays)
	}
}

// TestPagesOfRemoteIPhones: where accessibility has nothing of a page, it is read by its context, and touched by the
// phone at its place.
func TestPagesOfRemoteIPhones(t *testing.T) {
	t.Parallel()
	r := openRemotePage(t, iossim.WebView{Mute: true})
	r.find("Pay now")
	_ = drivers.TakeWarnings(r.dev) // on a busy machine, the page is listed late
	r.press("I agree")
	r.press("Pay now")
	if m := r.find("Paid by who agreed"); m.Node.Package != webApp || m.Node.ID != "done" {
		t.Errorf("%+v", m.Node)
	}
	r.press("In the frame")
	r.find("Frame pressed")
	if m := r.find("Behind"); m.CoverText == "" {
		t.Errorf("covered: %+v", m)
	}
	if tree := r.tree(); tree.Cut() != "" {
		t.Error(tree.Cut())
	}
	if w := drivers.TakeWarnings(r.dev); len(w) != 0 {
		t.Error(w)
	}
	r.back()
}

// TestPageThatAccessibilityHasOnARemote: its elements are not there twice; devtools takes the page's own, where they
// are on the screen, the other ways ask for no contexts. What is typed arrives.
func TestPageThatAccessibilityHasOnARemote(t *testing.T) {
	t.Parallel()
	r := openRemotePage(t, iossim.WebView{Inset: 40})
	r.read("devtools")
	r.find("Pay now")
	for _, how := range []string{"auto", "devtools", "accessibility"} {
		r.read(how)
		before := r.Count("mobile: getContexts") + r.Count("POST /context")
		count := 0
		for _, n := range labelled(r.tree(), "Pay now") {
			if n.Clickable {
				count++
				if n.InPage != (how == "devtools") || n.InPage && n.ID != "pay" {
					t.Errorf("%s: %+v", how, n)
				}
			}
		}
		if asked := r.Count("mobile: getContexts")+r.Count("POST /context") > before; count != 1 ||
			asked != (how == "devtools") {
			t.Errorf("%s: %d buttons, asked for contexts: %v", how, count, asked)
		}
	}
	r.read("devtools")
	r.press("E-mail")
	must(t, r.dev.Type(t.Context(), "ada@example.com"))
	r.press("Pay now")
	r.find("Paid by ada@example.com")
	r.back()
}

// TestFewCallsToRemotePages: no context is requested for a screen without a WebView; one with a page takes five calls
// more.
func TestFewCallsToRemotePages(t *testing.T) {
	t.Parallel()
	r := openRemotePage(t, iossim.WebView{Mute: true, URL: webSite(t) + "/thanks"})
	r.find("Pay again")
	before := len(r.Calls())
	r.tree()
	calls := func() []string { // without those of the screen, which are the same as ever
		return slices.DeleteFunc(r.Calls()[before:], func(c string) bool {
			return c == "GET /screenshot" || c == "GET /alert/text"
		})
	}
	want := []string{"mobile: source", "mobile: getContexts", "POST /context", "script", "script", "POST /context"}
	if got := calls(); !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	m := r.find("Pay again")
	before = len(r.Calls())
	must(t, r.touch(m))
	want = []string{"POST /context", "script", "POST /context", "mobile: tap", "POST /context", "script", "POST /context"}
	got := slices.CompactFunc(calls(), func(a, b string) bool { return a == "script" && b == "script" }) // until it came
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	must(t, r.dev.(drivers.Apps).Launch(t.Context(), iossim.ListBundle, true))
	before = r.Count("mobile: getContexts")
	r.read("devtools")
	for range 3 {
		r.tree()
	}
	if n := r.Count("mobile: getContexts") - before; n != 0 {
		t.Errorf("asked for contexts %d times without a WebView", n)
	}
	r.back()
}

// TestRemotePageThatCannotBeRead: what the server lacks is an error where a test wants pages, and otherwise an
// incomplete screen. Where the server lists no page, accessibility alone has it, and the report has a warning.
func TestRemotePageThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		view           iossim.WebView
		server         func(*appium.Server)
		warns          string // auto, where the screen is complete
		cut            string // auto
		fails, noWhole string // devtools: an error, or an incomplete screen
	}{
		"not inspectable": {view: iossim.WebView{Mute: true, Shut: true}, warns: "isInspectable", noWhole: "isInspectable"},
		"another place": {view: iossim.WebView{Mute: true, Inset: 40}, warns: "has the size of the view",
			noWhole: "has the size of the view"},
		"no Web Inspector": {view: iossim.WebView{Mute: true}, server: func(s *appium.Server) { s.NoInspector = true },
			cut: "needs usbmuxd or RemoteXPC", fails: "needs usbmuxd or RemoteXPC"},
		"an old driver": {view: iossim.WebView{Mute: true},
			server: func(s *appium.Server) { s.Lacks = "mobile: getContexts" },
			cut:    "unknown command", fails: "unknown command"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := openRemotePage(t, c.view)
			if c.server != nil {
				r.Set(func() { c.server(r.Server) })
			}
			tree := r.tree()
			if c.warns != "" {
				if w := notListed(t, r.dev, c.warns); strings.Count(w, c.warns) != 1 || !strings.Contains(w, webApp) {
					t.Errorf("%q", w)
				}
				tree = r.tree()
			}
			for n := range tree.All {
				if n.InPage {
					t.Errorf("%v", n)
				}
			}
			if !strings.Contains(tree.Cut(), c.cut) || c.cut == "" && tree.Cut() != "" || tree.Loading {
				t.Errorf("%q, loading %v", tree.Cut(), tree.Loading)
			}
			if w := drivers.TakeWarnings(r.dev); len(w) > 0 {
				t.Errorf("%q", w)
			}
			r.read("devtools")
			tree, err := r.dev.Tree(t.Context())
			switch {
			case c.fails != "":
				if !errors.Is(err, drivers.ErrUnsupported) || !strings.Contains(err.Error(), c.fails) ||
					!strings.Contains(err.Error(), "remote lab") {
					t.Error(err)
				}
			case err != nil || !strings.Contains(tree.Cut(), c.noWhole):
				t.Errorf("%v, %q", err, tree.Cut())
			}
			r.back()
			asked := r.Count("mobile: getContexts")
			if must(t, r.dev.Close()); c.fails == "" {
				return
			}
			// the next test in the session: the server lists nothing by then, and does not say why
			r.dev, err = r.driver.Open(t.Context(), "lab-1")
			must(t, err)
			r.read("devtools")
			if _, err = r.dev.Tree(t.Context()); !errors.Is(err, drivers.ErrUnsupported) ||
				r.Count("mobile: getContexts") != asked || r.Count("POST /session") != 1 {
				t.Errorf("%v, asked %d times more", err, r.Count("mobile: getContexts")-asked)
			}
		})
	}
}

// TestRemotePageWithADialog: the page under a dialog is not entered. One that opens in the moment in which a page is
// read stays open, and the screen is incomplete.
func TestRemotePageWithADialog(t *testing.T) {
	t.Parallel()
	r := openRemotePage(t, iossim.WebView{Mute: true})
	m := r.find("Pay now")
	r.phone.ShowSheet("Leave this page?", "Stay", "Leave")
	before := r.Count("POST /context")
	if cut := r.tree().Cut(); !strings.Contains(cut, "a dialog is over it") || r.Count("POST /context") != before {
		t.Errorf("%q", cut)
	}
	r.Set(func() { r.Dialog = true })
	if err := r.touch(m); !errors.Is(err, drivers.ErrMissed) || r.Count("mobile: tap") != 0 {
		t.Errorf("%v, %d touches", err, r.Count("mobile: tap"))
	}
	text, err := r.dev.(drivers.Alerter).Alert(t.Context())
	if err != nil || text == nil {
		t.Errorf("the dialog: %v, %v", text, err)
	}
	r.Set(func() { r.Dialog = false })
	must(t, r.dev.(drivers.Alerter).AnswerAlert(t.Context(), "Stay", ""))
	r.press("Pay now")
	r.back()
}

// TestBusyRemotePageOfAnIPhone: a page that does not respond costs time once; the screen is incomplete meanwhile.
func TestBusyRemotePageOfAnIPhone(t *testing.T) {
	t.Parallel()
	r := openRemotePage(t, iossim.WebView{Mute: true})
	r.find("Pay now")
	r.Set(func() { r.AtomWait = 100 * time.Millisecond })
	r.phone.ChangeWebView(webApp, func(w *iossim.WebView) { w.Silent = true })
	for i := range 3 {
		before := r.Count("script")
		if cut := r.tree().Cut(); !strings.Contains(cut, "may be busy") {
			t.Errorf("%q", cut)
		}
		if asked := r.Count("script") > before; asked != (i == 0) {
			t.Errorf("read %d: asked %v", i, asked)
		}
	}
	r.phone.ChangeWebView(webApp, func(w *iossim.WebView) { w.Silent = false })
	r.Set(func() { r.AtomWait = 0 })
	must(t, r.dev.(drivers.Apps).Launch(t.Context(), webApp, true))
	r.find("Pay now")
	r.back()
}

// TestRemotePageThatWasLeft: what a page had before it went elsewhere is neither seen nor touched, nor is that of a
// page which the driver has chosen by itself.
func TestRemotePageThatWasLeft(t *testing.T) {
	t.Parallel()
	r := openRemotePage(t, iossim.WebView{Mute: true})
	m := r.find("Pay now")
	must(t, r.phone.LeaveWebView(t.Context(), webApp, webSite(t)+"/thanks"))
	if err := r.touch(m); !errors.Is(err, drivers.ErrMissed) || r.Count("mobile: tap") != 0 {
		t.Errorf("%v", err)
	}
	m = r.find("Pay again")
	if tree := r.tree(); len(labelled(tree, "Pay now")) > 0 || tree.Cut() != "" {
		t.Errorf("%q\n%s", tree.Cut(), shown(tree))
	}
	must(t, r.dev.(drivers.Apps).Launch(t.Context(), webApp, true))
	if err := r.touch(m); !errors.Is(err, drivers.ErrMissed) || r.Count("mobile: tap") != 0 {
		t.Errorf("a touch on a page that is closed: %v", err)
	}
	r.press("Pay now")
	r.back()
}

// TestPageThatTheServerChooses: the driver goes to a page that has just opened by itself: what that has is not taken
// for the page that was meant.
func TestPageThatTheServerChooses(t *testing.T) {
	t.Parallel()
	r := openRemotePage(t, iossim.WebView{Mute: true, Behind: true})
	r.phone.ChangeWebView(webApp, func(w *iossim.WebView) { w.Behind = false }) // the page that is asleep is not listed
	r.find("Pay now")
	other := fmt.Sprintf("%d.2", r.phone.Listed()[0].PID)
	for range 2 {
		r.Set(func() { r.Jump = other })
		tree := r.tree()
		for n := range tree.All {
			if n.InPage {
				t.Fatalf("%v is of another page", n)
			}
		}
	}
	m := r.find("Pay now")
	r.Set(func() { r.Jump = other })
	if err := r.touch(m); !errors.Is(err, drivers.ErrMissed) || r.Count("mobile: tap") != 0 {
		t.Errorf("%v", err)
	}
	r.press("Pay now")
	r.find("Paid by")
	r.back()
}

// TestTouchInARemotePageIsHeldBack: a page that puts something else under the finger between read and touch does not
// get the touch.
func TestTouchInARemotePageIsHeldBack(t *testing.T) {
	t.Parallel()
	r := openRemotePage(t, iossim.WebView{Mute: true})
	m := r.find("Pay now")
	must(t, r.phone.EvalWebView(t.Context(), webApp,
		`document.body.insertAdjacentHTML('beforeend', '<div style="position:fixed;inset:0;background:#fff" `+
			`onclick="done.textContent=this.textContent">Cookies</div>')`, nil))
	if err := r.touch(m); !errors.Is(err, drivers.ErrMissed) || r.done() != "Nothing paid" {
		t.Errorf("%v, %q", err, r.done())
	}
	r.back()
}

// TestFrameOfAnotherSiteOnARemote: the driver runs scripts in frames of the page's own site alone; with another one,
// the screen is incomplete.
func TestFrameOfAnotherSiteOnARemote(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		if q.URL.Path == "/frame" {
			fmt.Fprint(w, `<button>In the frame</button>`)
			return
		}
		_, port, _ := strings.Cut(q.Host, ":")
		fmt.Fprintf(w, `<!doctype html><meta name=viewport content="width=device-width"><body style="margin:0">`+
			`<button>Pay now</button><iframe src="http://localhost:%s/frame"></iframe>`, port)
	}))
	t.Cleanup(site.Close)
	r := openRemotePage(t, iossim.WebView{Mute: true, URL: site.URL + "/shop"})
	r.find("Pay now")
	if cut := r.tree().Cut(); !strings.Contains(cut, "another site") {
		t.Errorf("%q", cut)
	}
	r.back()
}
