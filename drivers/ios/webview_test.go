package ios

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
	iossim "github.com/taproot-dev/taproot/internal/sim/ios"
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
<div style="position:relative;height:40px"><button style="position:absolute;left:0;top:0;width:150px;height:40px" ` +
	`onclick="done.textContent='Behind pressed'">Behind</button>
<div style="position:absolute;left:0;top:0;width:160px;height:40px;background:#eee" onclick="done.textContent='Veil ` +
	`pressed'">Veil</div></div>
<iframe srcdoc="<button onclick=&quot;parent.document.getElementById('done').textContent='Frame pressed'&quot;>In ` +
	`the frame</button>" style="width:200px;height:60px"></iframe>
<div style="height:2000px"></div><p>Far below</p>`

const thanksPage = `<!doctype html><meta name=viewport content="width=device-width"><title>Thanks</title><body ` +
	`style="margin:0"><h1 id=thanks>Thank you</h1><button id=pay>Pay again</button>`

// webSite serves the pages.
func webSite(t *testing.T) string {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		page := shopPage
		if strings.Contains(r.URL.Path, "thanks") {
			page = thanksPage
		}
		fmt.Fprint(w, page)
	}))
	t.Cleanup(site.Close)
	return site.URL
}

// withWebView opens a simulator with an app that shows the page.
func withWebView(t *testing.T, view iossim.WebView) (*device, *iossim.Device) {
	t.Helper()
	return withWebViewOn(t, iossim.DeviceOptions{Scale: 2, AlertsApart: true}, view)
}

func withWebViewOn(t *testing.T, o iossim.DeviceOptions, view iossim.WebView) (*device, *iossim.Device) {
	t.Helper()
	view.URL, view.DevTools = webSite(t)+"/shop", chromium.Start(t)
	b := newBench(t, iossim.Options{Devices: []iossim.DeviceOptions{o}})
	if !o.Phone {
		b.env["TAPROOT_WDA_URL"] = b.lab.Device(0).StartAgent()
	}
	d, phone := b.open(t)
	phone.InstallWebView(webApp, "Hybrid", view)
	must(t, d.Launch(t.Context(), webApp, true))
	t.Cleanup(func() {
		for _, note := range phone.Noted() {
			if strings.Contains(note, "webinspectord refused") {
				t.Error(note)
			}
		}
	})
	return d, phone
}

func treeOf(t *testing.T, d *device) *screen.Tree {
	t.Helper()
	tree, err := d.Tree(t.Context())
	must(t, err)
	return tree
}

// labelled returns the elements that are called so.
func labelled(tree *screen.Tree, label string) (list []*screen.Node) {
	for n := range tree.All {
		if n.Label() == label {
			list = append(list, n)
		}
	}
	return list
}

// picked waits for what an action on a label would meet in the page.
func picked(t *testing.T, d *device, label string) screen.Match {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		tree := treeOf(t, d)
		found, err := tree.Find(screen.Query{Selector: dsl.Selector{Label: label}, Action: true})
		if err == nil && len(found) == 1 && found[0].Node.InPage {
			return found[0]
		}
		if pause := drivers.Pause(ctx, 20*time.Millisecond); pause != nil {
			t.Fatalf("no %q: %v, %v\n%s", label, err, pause, shown(tree))
		}
	}
}

// shown lists the elements of a tree.
func shown(tree *screen.Tree) string {
	var b strings.Builder
	for n := range tree.All {
		fmt.Fprintf(&b, "%s %v hidden %v offscreen %v in page %v: %s %s\n", n, n.Bounds, n.Hidden, n.Offscreen, n.InPage,
			n.Covered, n.Desc)
	}
	return b.String()
}

func press(t *testing.T, d *device, label string) {
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

// TestPageInAWebView: where accessibility has nothing of a page, Web Inspector does, and touches and the keyboard
// reach its elements.
func TestPageInAWebView(t *testing.T) {
	t.Parallel()
	d, _ := withWebView(t, iossim.WebView{Mute: true, Behind: true, Late: 100 * time.Millisecond})
	press(t, d, "E-mail")
	must(t, d.Type(t.Context(), "ada@example.com"))
	press(t, d, "I agree")
	press(t, d, "Pay now")
	m := picked(t, d, "Paid by ada@example.com who agreed")
	if m.Node.Package != webApp || m.Node.ID != "done" {
		t.Errorf("%+v", m.Node)
	}
	press(t, d, "In the frame")
	picked(t, d, "Frame pressed")
}

// TestWhatAPersonSeesOfAPage: what a page covers, hides or has below its edge is what it is in a browser, and so is
// what the app lays over it.
func TestWhatAPersonSeesOfAPage(t *testing.T) {
	t.Parallel()
	d, phone := withWebView(t, iossim.WebView{Mute: true, Chat: true, Parts: true})
	picked(t, d, "Pay now")
	tree := treeOf(t, d)
	if list := labelled(tree, "Never shown"); len(list) > 0 && !list[0].Hidden {
		t.Errorf("hidden: %+v", list[0])
	}
	if list := labelled(tree, "Far below"); len(list) == 0 || !list[0].Offscreen {
		t.Errorf("below: %v", list)
	}
	if m := picked(t, d, "Behind"); m.CoverText == "" {
		t.Errorf("covered: %+v", m)
	}
	if tree.Cut() != "" {
		t.Error(tree.Cut())
	}
	must(t, phone.EvalWebView(t.Context(), webApp, "scrollTo(0, 1e6)", nil))
	press(t, d, "Far below")
}

// TestPageThatAccessibilityHas: its elements are not there twice; devtools takes the page's own, where they are on
// the screen, accessibility never.
func TestPageThatAccessibilityHas(t *testing.T) {
	t.Parallel()
	d, phone := withWebView(t, iossim.WebView{Inset: 40, Behind: true})
	must(t, d.ReadWebViews("accessibility"))
	wait(t, d, "Pay now")
	must(t, d.ReadWebViews("devtools"))
	picked(t, d, "Pay now") // on a busy machine, the page is reported later than the driver waits for it
	for _, how := range []string{"auto", "devtools", "accessibility"} {
		must(t, d.ReadWebViews(how))
		tree, count := treeOf(t, d), 0
		for _, n := range labelled(tree, "Pay now") {
			if n.Clickable {
				count++
				if n.InPage != (how == "devtools") || n.InPage && n.ID != "pay" {
					t.Errorf("%s: %+v", how, n)
				}
			}
		}
		if count != 1 || tree.Cut() != "" {
			t.Errorf("%s: %d buttons, %q", how, count, tree.Cut())
		}
	}
	must(t, d.ReadWebViews("devtools"))
	press(t, d, "Pay now")
	picked(t, d, "Paid by")
	must(t, phone.EvalWebView(t.Context(), webApp, "scrollTo(0, 20)", nil))
	press(t, d, "I agree")
	press(t, d, "Pay now")
	picked(t, d, "Paid by who agreed")
}

// TestPageThatCannotBeRead: the tree says that it is not whole where something cannot be read. What Web Inspector has
// no page for is read by accessibility alone, and the report says so, unless the page's own elements were asked for.
func TestPageThatCannotBeRead(t *testing.T) {
	t.Parallel()
	const busy, taken = "its scripts may be busy", "another Web Inspector has the page open"
	const size = "has the size of the view"
	for name, c := range map[string]struct {
		view                iossim.WebView
		auto, warns, always string
	}{
		"not inspectable": {iossim.WebView{Mute: true, Shut: true}, "", "isInspectable", "isInspectable"},
		"silent":          {iossim.WebView{Mute: true, Silent: true}, busy, "", busy},
		"taken":           {iossim.WebView{Mute: true, Taken: true}, taken, "", taken},
		"somewhere":       {iossim.WebView{Mute: true, Inset: 40}, "", size, size},
		"told of, silent": {iossim.WebView{Silent: true}, "", "", busy},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d, _ := withWebView(t, c.view)
			if !c.view.Mute {
				must(t, d.ReadWebViews("accessibility"))
				wait(t, d, "Pay now")
			}
			for must(t, d.ReadWebViews("devtools")); !c.view.Shut && strings.Contains(treeOf(t, d).Cut(), "isInspectable"); {
				// on a busy machine, the page is reported later than the driver waits for it
				must(t, drivers.Pause(t.Context(), 20*time.Millisecond))
			}
			for how, want := range map[string]string{"auto": c.auto, "devtools": c.always} {
				must(t, d.ReadWebViews(how))
				if how == "auto" && c.warns != "" {
					if w := notListed(t, d, c.warns); !strings.Contains(w, webApp) {
						t.Error(w)
					}
				}
				tree := treeOf(t, d)
				if cut := tree.Cut(); want == "" && cut != "" || !strings.Contains(cut, want) || tree.Loading {
					t.Errorf("%s: %q, loading %v", how, cut, tree.Loading)
				}
				for n := range tree.All {
					if n.InPage {
						t.Errorf("%s: %v", how, n)
					}
				}
			}
		})
	}
}

// notListed reads screens with a page that nothing lists until a warning says so: until one does, the page may come. On
// a busy machine, one that is listed is listed late.
func notListed(t *testing.T, d drivers.Device, want string) (warned string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for !strings.Contains(warned, want) {
		tree, err := d.Tree(ctx)
		if err != nil || tree.Cut() != "" {
			t.Fatalf("%v, %q", err, tree.Cut())
		}
		warned += strings.Join(drivers.TakeWarnings(d), "\n")
		if tree.Loading == (warned != "") {
			t.Fatalf("loading %v, %q", tree.Loading, warned)
		}
		if err := drivers.Pause(ctx, 20*time.Millisecond); err != nil {
			t.Fatalf("%v, warned of %q", err, warned)
		}
	}
	return warned
}

// TestLoadingPageInAWebView: what is not on a page that is loading may come.
func TestLoadingPageInAWebView(t *testing.T) {
	t.Parallel()
	d, phone := withWebView(t, iossim.WebView{Mute: true})
	picked(t, d, "Pay now")
	for _, step := range []struct {
		script  string
		loading bool
	}{
		{`document.body.append(half = document.createElement('iframe')); half.contentDocument.open(); 0`, true},
		{`half.contentDocument.close(); 0`, false},
	} {
		must(t, phone.EvalWebView(t.Context(), webApp, step.script, nil))
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		for treeOf(t, d).Loading != step.loading {
			if err := drivers.Pause(ctx, 20*time.Millisecond); err != nil {
				t.Fatalf("after %s: %v", step.script, err)
			}
		}
		cancel()
	}
}

// TestHungPageIsLeftAlone: it costs time once, and is asked again after a start of its app.
func TestHungPageIsLeftAlone(t *testing.T) {
	t.Parallel()
	d, phone := withWebView(t, iossim.WebView{Mute: true})
	picked(t, d, "Pay now")
	phone.ChangeWebView(webApp, func(w *iossim.WebView) { w.Silent = true })
	for i := range 3 {
		began := phone.Inspected()
		if cut := treeOf(t, d).Cut(); !strings.Contains(cut, "may be busy") {
			t.Errorf("%q", cut)
		}
		if asked := phone.Inspected() > began; asked != (i == 0) {
			t.Errorf("look %d: asked %v", i, asked)
		}
	}
	phone.ChangeWebView(webApp, func(w *iossim.WebView) { w.Silent = false })
	must(t, d.Launch(t.Context(), webApp, true))
	picked(t, d, "Pay now")
}

// TestPageThatWasLeft: it has another target then. What the old one had is neither seen nor touched.
func TestPageThatWasLeft(t *testing.T) {
	t.Parallel()
	d, phone := withWebView(t, iossim.WebView{Mute: true})
	press(t, d, "In the frame")
	m := picked(t, d, "Pay now")
	must(t, phone.LeaveWebView(t.Context(), webApp, webSite(t)+"/thanks"))
	d.Aim(m.Node)
	if err := d.Tap(t.Context(), m.Point); !errors.Is(err, drivers.ErrMissed) {
		t.Errorf("%v", err)
	}
	picked(t, d, "Pay again") // the new target has been reported
	tree := treeOf(t, d)
	if again := labelled(tree, "Pay again"); len(again) != 1 || !again[0].InPage || len(labelled(tree, "Pay now")) > 0 ||
		tree.Cut() != "" {
		t.Errorf("%q\n%s", tree.Cut(), shown(tree))
	}
	press(t, d, "Pay again")
}

// TestTouchInAPageIsHeldBack: a page that puts something else under the finger between look and touch does not get the
// touch.
func TestTouchInAPageIsHeldBack(t *testing.T) {
	t.Parallel()
	d, phone := withWebView(t, iossim.WebView{Mute: true})
	m := picked(t, d, "Pay now")
	must(t, phone.EvalWebView(t.Context(), webApp,
		`document.body.insertAdjacentHTML('beforeend', '<div style="position:fixed;inset:0;background:#fff" `+
			`onclick="done.textContent=this.textContent">Cookies</div>')`, nil))
	d.Aim(m.Node)
	if err := d.Tap(t.Context(), m.Point); !errors.Is(err, drivers.ErrMissed) {
		t.Errorf("%v", err)
	}
	var said string
	if err := phone.EvalWebView(t.Context(), webApp, `done.textContent`, &said); err != nil || said != "Nothing paid" {
		t.Errorf("%q, %v", said, err)
	}
}

// TestInspectorThatIsStartedAgain: a connection that ends, and a process that ends, are followed by new ones.
func TestInspectorThatIsStartedAgain(t *testing.T) {
	testutil.Leave(t, "TestPageThatCannotBeRead loses the inspector too")
	t.Parallel()
	d, phone := withWebView(t, iossim.WebView{Mute: true})
	press(t, d, "Pay now")
	picked(t, d, "Paid by")
	phone.DropInspectors()
	press(t, d, "I agree")
	must(t, d.Launch(t.Context(), webApp, true))
	picked(t, d, "Nothing paid")
}

// TestDialogOverAPage: its scripts wait for the response, and are not queried; what is not on the page is unknown
// meanwhile.
func TestDialogOverAPage(t *testing.T) {
	t.Parallel()
	d, phone := withWebView(t, iossim.WebView{Mute: true})
	picked(t, d, "Pay now")
	phone.ShowSheet("Leave this page?", "Stay", "Leave")
	if cut := treeOf(t, d).Cut(); !strings.Contains(cut, "dialog") {
		t.Errorf("%q", cut)
	}
	must(t, d.AnswerAlert(t.Context(), "Stay", ""))
	press(t, d, "Pay now")
}

// TestPageOnAnIPhone: its Web Inspector is reached with ios_webkit_debug_proxy, which ends with the device.
func TestPageOnAnIPhone(t *testing.T) {
	testutil.Leave(t, "TestPageInAWebView looks at the same page on a simulator")
	t.Parallel()
	d, phone := withWebViewOn(t, iossim.DeviceOptions{Phone: true, Scale: 2}, iossim.WebView{Behind: true})
	must(t, d.ReadWebViews("devtools"))
	press(t, d, "In the frame")
	if m := picked(t, d, "Frame pressed"); m.Node.ID != "done" {
		t.Errorf("%+v", m.Node)
	}
	must(t, phone.LeaveWebView(t.Context(), webApp, webSite(t)+"/thanks"))
	press(t, d, "Pay again")
	must(t, d.Launch(t.Context(), webApp, true))
	press(t, d, "Pay now")
	picked(t, d, "Paid by")
}

// TestIPhoneWithoutTheProxy: accessibility has the page, and the failure how to get at the rest.
func TestIPhoneWithoutTheProxy(t *testing.T) {
	t.Parallel()
	b := newBench(t, iossim.Options{Devices: []iossim.DeviceOptions{{Phone: true, Scale: 1}}}).only(t, "xcrun", "ios")
	d, phone := b.open(t)
	phone.InstallWebView(webApp, "Hybrid", iossim.WebView{URL: webSite(t), DevTools: chromium.Start(t)})
	must(t, d.Launch(t.Context(), webApp, true))
	wait(t, d, "Pay now")
	if cut := treeOf(t, d).Cut(); cut != "" {
		t.Error(cut)
	}
	must(t, d.ReadWebViews("devtools"))
	wait(t, d, "Pay now")
	if cut := treeOf(t, d).Cut(); !strings.Contains(cut, "ios_webkit_debug_proxy") {
		t.Error(cut)
	}
}

// TestHandleOfAnotherDocument: WebKit counts handles again in each document. That of the script in a page that was left
// is something else in the next.
func TestHandleOfAnotherDocument(t *testing.T) {
	t.Parallel()
	d, phone := withWebView(t, iossim.WebView{Mute: true})
	picked(t, d, "Pay now")
	must(t, phone.EvalWebView(t.Context(), webApp, "location.href = '/thanks'; 0", nil))
	phone.ReuseHandles(webApp)
	picked(t, d, "Pay again")
}

// TestPageThatIsSilentAfterATouch: whether the touch has reached its element is unknown, and the report says so.
func TestPageThatIsSilentAfterATouch(t *testing.T) {
	t.Parallel()
	d, phone := withWebView(t, iossim.WebView{Mute: true})
	m := picked(t, d, "Pay now")
	_ = d.TakeWarnings() // on a busy machine, the page is listed late
	must(t, phone.EvalWebView(t.Context(), webApp,
		`pay.addEventListener('pointerdown', () => { for (const end = Date.now() + 20000; Date.now() < end;); })`, nil))
	d.Aim(m.Node)
	must(t, d.Tap(t.Context(), m.Point))
	if w := d.TakeWarnings(); len(w) != 1 || !strings.Contains(w[0], "has reached it is unknown") ||
		!strings.Contains(w[0], "Pay now") {
		t.Error(w)
	}
}
