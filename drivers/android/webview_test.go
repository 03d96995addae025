package android

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/input"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/testutil"
)

const webApp = "com.example.hybrid"

// shopPage is what the WebView shows: a form, a frame, something covered, something hidden, and something below.
const shopPage = `<!doctype html><meta name=viewport content="width=device-width"><title>Shop</title><body ` +
	`style="margin:0;font:16px sans-serif">
<h1 style="margin:8px">Checkout</h1>
<label>E-mail <input id=mail name=mail></label>
<label><input type=checkbox id=terms> I agree</label>
<p style="display:none">Never shown</p>
<button id=pay onclick="done.textContent='Paid by '+mail.value+(terms.checked?' who agreed':'')">Pay now</button>
<p id=done>Nothing paid</p>
<button onclick="done.textContent=confirm('Sure?')?'Left':'Stayed'">Leave</button>
<div style="position:relative;height:40px"><button style="position:absolute;left:0;top:0;width:150px;height:40px" ` +
	`onclick="done.textContent='Behind pressed'">Behind</button>
<div style="position:absolute;left:0;top:0;width:160px;height:40px;background:#eee" onclick="done.textContent='Veil ` +
	`pressed'">Veil</div></div>
<iframe srcdoc="<button onclick=&quot;parent.document.getElementById('done').textContent='Frame pressed'&quot;>In ` +
	`the frame</button>" style="width:200px;height:60px"></iframe>
<div style="height:2000px"></div><p>Far below</p>`

// onWebView opens a phone with an app that shows the page, in each way of reading the screen; in the short mode by the
// agent alone, because the page itself is read in one way.
func onWebView(t *testing.T, view androidsim.WebView, do func(t *testing.T, d *Device, p *androidsim.Phone)) {
	t.Helper()
	if testing.Short() {
		readBy(t, view, []string{"agent"}, do)
		return
	}
	readBy(t, view, []string{"stock", "agent"}, do)
}

// readBy opens a phone with an app that shows the page, for each of the ways: "stock" or "agent".
func readBy(t *testing.T, view androidsim.WebView, ways []string,
	do func(t *testing.T, d *Device, p *androidsim.Phone)) {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		fmt.Fprint(w, shopPage)
	}))
	t.Cleanup(site.Close)
	view.URL, view.DevTools = site.URL, chromium.Start(t)
	open := map[string]func(*testing.T, androidsim.Options) (*Device, *androidsim.Phone){"stock": openPhone,
		"agent": openAgent}
	for _, way := range ways {
		t.Run(way, func(t *testing.T) {
			d, p := open[way](t, small())
			p.InstallWebView(webApp, "Hybrid", view)
			launch(t, d, webApp)
			do(t, d, p)
		})
	}
}

// picked waits for what an action on a label would meet.
func picked(t *testing.T, d *Device, label string) screen.Match {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		tree := agentTree(t, d)
		found, err := tree.Find(screen.Query{Selector: dsl.Selector{Label: label}, Action: true})
		if err == nil && len(found) == 1 {
			return found[0]
		}
		if pause := drivers.Pause(ctx, input.KeyboardPoll); pause != nil {
			t.Fatalf("no %q: %v, %v\n%s", label, err, pause, shown(tree))
		}
	}
}

// shown lists the elements of a tree.
func shown(tree *screen.Tree) string {
	var b strings.Builder
	for n := range tree.All {
		fmt.Fprintf(&b, "%s hidden %v offscreen %v in page %v: %s\n", n, n.Hidden, n.Offscreen, n.InPage, n.Covered)
	}
	return b.String()
}

func press(t *testing.T, d *Device, label string) {
	t.Helper()
	for try := 1; ; try++ {
		m := picked(t, d, label)
		d.Aim(m.Node)
		err := d.Tap(t.Context(), m.Point)
		if err == nil {
			return
		}
		// that one came too late, on a busy machine, and was blocked
		if try == 5 || !strings.Contains(err.Error(), "reached nothing in the page") {
			t.Fatal(err)
		}
	}
}

// TestPageInAWebView: where accessibility has nothing of a page, DevTools do, and touches and the keyboard reach its
// elements.
func TestPageInAWebView(t *testing.T) {
	t.Parallel()
	readBy(t, androidsim.WebView{Mute: true, Others: true, Stale: true}, []string{"stock", "agent"},
		func(t *testing.T, d *Device, p *androidsim.Phone) {
			press(t, d, "E-mail")
			if err := d.Type(t.Context(), "ada@example.com"); err != nil {
				t.Fatal(err)
			}
			press(t, d, "I agree")
			press(t, d, "Pay now")
			m := picked(t, d, "Paid by ada@example.com who agreed")
			if !m.Node.InPage || m.Node.Package != webApp || !strings.HasSuffix(m.Node.ID, "done") {
				t.Errorf("%+v", m.Node)
			}
			press(t, d, "In the frame")
			picked(t, d, "Frame pressed")
		})
}

// TestTouchesInAWebViewOneAfterAnother: the end of a touch comes to the page when the next one is already aimed; it is
// not taken for that.
func TestTouchesInAWebViewOneAfterAnother(t *testing.T) {
	t.Parallel()
	onWebView(t, androidsim.WebView{Mute: true, Trails: true}, func(t *testing.T, d *Device, p *androidsim.Phone) {
		press(t, d, "I agree")
		p.ChangeWebView(webApp, func(w *androidsim.WebView) { w.Trails = false })
		press(t, d, "Pay now")
		picked(t, d, "Paid by who agreed")
	})
}

// TestWhatAPersonSeesOfAWebView: what a page covers, hides or has below its edge is what it is in a browser, and so is
// what the app lays over it.
func TestWhatAPersonSeesOfAWebView(t *testing.T) {
	t.Parallel()
	onWebView(t, androidsim.WebView{Mute: true, Chat: true}, func(t *testing.T, d *Device, _ *androidsim.Phone) {
		picked(t, d, "Pay now")
		tree := agentTree(t, d)
		if n := findNode(tree, "Never shown"); n != nil && !n.Hidden {
			t.Errorf("hidden: %+v", n)
		}
		if n := findNode(tree, "Far below"); n == nil || !n.Offscreen {
			t.Errorf("below: %+v", n)
		}
		if m := picked(t, d, "Behind"); m.CoverText == "" {
			t.Errorf("covered: %+v", m)
		}
		if tree.Cut() != "" {
			t.Error(tree.Cut())
		}
	})
}

// TestWebViewThatAccessibilityTellsOf: its elements are not there twice; devtools takes the page's own, accessibility
// never does.
func TestWebViewThatAccessibilityTellsOf(t *testing.T) {
	t.Parallel()
	onWebView(t, androidsim.WebView{}, func(t *testing.T, d *Device, _ *androidsim.Phone) {
		if err := d.ReadWebViews("accessibility"); err != nil {
			t.Fatal(err)
		}
		waitNode(t, d, "Pay now") // until then auto takes the page's own
		for how, inPage := range map[string]bool{"auto": false, "devtools": true, "accessibility": false} {
			if err := d.ReadWebViews(how); err != nil {
				t.Fatal(err)
			}
			count := 0
			for n := range agentTree(t, d).All {
				if n.Label() == "Pay now" && n.Clickable {
					count++
					if n.InPage != inPage {
						t.Errorf("%s: %+v", how, n)
					}
				}
			}
			if count != 1 {
				t.Errorf("%s: %d buttons", how, count)
			}
		}
	})
}

// TestWebViewThatCannotBeRead: the tree says that it is not whole where something cannot be read. Of an app that cannot
// be debugged, it has what Android reports, and the report says so.
func TestWebViewThatCannotBeRead(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		view  androidsim.WebView
		hang  bool
		cut   string
		warns string
	}{
		"hidden":  {androidsim.WebView{Mute: true, Hidden: true}, false, "", "does not let its WebViews be debugged"},
		"garbage": {androidsim.WebView{Mute: true, Garbage: "<html>no list"}, false, "not its JSON", ""},
		"busy":    {androidsim.WebView{Mute: true}, true, "its scripts may be busy", ""},
	} {
		t.Run(name, func(t *testing.T) {
			onWebView(t, c.view, func(t *testing.T, d *Device, p *androidsim.Phone) {
				waitNode(t, d, "Reload")
				whole := func(tree *screen.Tree) bool {
					return findNode(tree, "Reload") != nil && findNode(tree, "Pay now") == nil
				}
				if c.warns != "" {
					if w := notListed(t, d, whole); !strings.Contains(w, c.warns) || !strings.Contains(w, webApp) {
						t.Error(w)
					}
					return
				}
				if c.hang {
					if err := p.HangWebView(t.Context(), webApp); err != nil {
						t.Fatal(err)
					}
				}
				tree := agentTree(t, d)
				if !strings.Contains(tree.Cut(), c.cut) || !whole(tree) {
					t.Errorf("%q\n%s", tree.Cut(), shown(tree))
				}
			})
		})
	}
}

// TestTouchInAWebViewIsHeldBack: a page that puts something else under the finger between look and touch does not get
// the touch.
func TestTouchInAWebViewIsHeldBack(t *testing.T) {
	t.Parallel()
	onWebView(t, androidsim.WebView{Mute: true}, func(t *testing.T, d *Device, p *androidsim.Phone) {
		m := picked(t, d, "Pay now")
		if err := p.EvalWebView(t.Context(), webApp,
			`document.body.insertAdjacentHTML('beforeend', '<div style="position:fixed;inset:0;background:#fff" `+
				`onclick="done.textContent=this.textContent">Cookies</div>')`, nil); err != nil {
			t.Fatal(err)
		}
		d.Aim(m.Node)
		if err := d.Tap(t.Context(), m.Point); !errors.Is(err, drivers.ErrMissed) {
			t.Errorf("%v", err)
		}
		var said string
		if err := p.EvalWebView(t.Context(), webApp, `done.textContent`, &said); err != nil || said != "Nothing paid" {
			t.Errorf("%q, %v", said, err)
		}
	})
}

// TestDialogOfAWebView: a dialog of a page is one of the phone. The page under it is not read until it is closed.
func TestDialogOfAWebView(t *testing.T) {
	t.Parallel()
	onWebView(t, androidsim.WebView{Mute: true}, func(t *testing.T, d *Device, _ *androidsim.Phone) {
		press(t, d, "Leave")
		waitNode(t, d, "Sure?")
		tree := agentTree(t, d)
		if tree.Cut() != "" || findNode(tree, "Pay now") != nil {
			t.Errorf("%q\n%s", tree.Cut(), shown(tree))
		}
		tapOn(t, d, "OK")
		picked(t, d, "Left")
		if w := d.TakeWarnings(); len(w) != 0 {
			t.Error(w)
		}
	})
}

// TestPageThatIsSilentAfterATouch: whether the touch has reached its element is unknown, and the report says so.
func TestPageThatIsSilentAfterATouch(t *testing.T) {
	t.Parallel()
	onWebView(t, androidsim.WebView{Mute: true}, func(t *testing.T, d *Device, p *androidsim.Phone) {
		m := picked(t, d, "Pay now")
		if err := p.EvalWebView(t.Context(), webApp,
			`pay.addEventListener('pointerdown', () => { for (const end = Date.now() + 20000; Date.now() < end;); })`,
			nil); err != nil {
			t.Fatal(err)
		}
		d.Aim(m.Node)
		if err := d.Tap(t.Context(), m.Point); err != nil {
			t.Fatal(err)
		}
		if w := d.TakeWarnings(); len(w) != 1 || !strings.Contains(w[0], "has reached it is unknown") ||
			!strings.Contains(w[0], "Pay now") {
			t.Error(w)
		}
	})
}

// TestLoadingPageInAWebView: what is not on a page that is loading may come.
func TestLoadingPageInAWebView(t *testing.T) {
	t.Parallel()
	onWebView(t, androidsim.WebView{Mute: true}, func(t *testing.T, d *Device, p *androidsim.Phone) {
		picked(t, d, "Pay now")
		for _, step := range []struct {
			script  string
			loading bool
		}{
			{`document.body.append(half = document.createElement('iframe')); half.contentDocument.open(); 0`, true},
			{`half.contentDocument.close(); 0`, false},
		} {
			if err := p.EvalWebView(t.Context(), webApp, step.script, nil); err != nil {
				t.Fatal(err)
			}
			err := eventually(t, func() error {
				if tree := agentTree(t, d); tree.Loading != step.loading {
					return fmt.Errorf("after %s, loading: %v", step.script, tree.Loading)
				}
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		}
	})
}

// TestWebViewOfAnotherProcess: an app that was started again is read through its new process's socket.
func TestWebViewOfAnotherProcess(t *testing.T) {
	testutil.Leave(t, "TestPageInAWebView and TestWebViewThatCannotBeRead look at views of the app's own process")
	t.Parallel()
	onWebView(t, androidsim.WebView{Mute: true}, func(t *testing.T, d *Device, _ *androidsim.Phone) {
		press(t, d, "Pay now")
		picked(t, d, "Paid by")
		launch(t, d, webApp)
		picked(t, d, "Nothing paid")
	})
}
