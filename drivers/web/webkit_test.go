package web

import (
	"context"
	"errors"
	"image"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/drivertest"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// openWebKit returns a device with pages of WebKit. Where it is not installed, the test is skipped: its packages are
// Debian's.
func openWebKit(t *testing.T) *device {
	t.Helper()
	d := open(t)
	err := d.UseBrowser(t.Context(), dsl.WebKit)
	if missing := new(drivers.Unavailable); errors.As(err, &missing) {
		t.Skipf("taproot setup --platform webkit installs it: %v", err)
	}
	Must(t, err)
	return d
}

// leftToWebKit skips a test in the short mode, which starts WebKit once, for TestWebKitOnPages.
func leftToWebKit(t *testing.T) {
	t.Helper()
	testutil.Leave(t, "left to make webkit: TestWebKitOnPages is a part of it")
}

// webkits is the shared driver, with each device's pages in WebKit.
type webkits struct{ kept }

func (w webkits) Open(ctx context.Context, id string) (drivers.Device, error) {
	opened, err := w.kept.Open(ctx, id)
	if err != nil {
		return nil, err
	}
	return opened, opened.(*device).UseBrowser(ctx, dsl.WebKit)
}

// TestWebKitContract: WebKit keeps the promises of package drivers as Chromium does.
func TestWebKitContract(t *testing.T) {
	leftToWebKit(t)
	openWebKit(t)
	pages := httptest.NewServer(http.FileServer(http.Dir("../../suites/pages")))
	t.Cleanup(pages.Close)
	drivertest.Run(t, drivertest.Subject[*testing.T]{
		Driver: func(*testing.T) drivers.Driver { return webkits{kept{shared}} },
		ID:     "web-2",
		Login: func(ctx context.Context, dev drivers.Device) error {
			return dev.(drivers.Browser).OpenPage(ctx, pages.URL+"/login.html", drivers.PageOptions{})
		},
		Patience: patience,
	})
}

// What the table refuses is refused before a page opens, by name.
func TestWebKitRefusesBeforeAPageOpens(t *testing.T) {
	leftToWebKit(t)
	d := openWebKit(t)
	if info := d.Info(); !strings.HasPrefix(info.Model, "WebKit") {
		t.Errorf("%+v", info)
	}
	for want, opts := range map[string]drivers.PageOptions{
		"connect does not work in WebKit":                    {Browser: dsl.WebKit, Connect: "http://127.0.0.1:1"},
		"colorScheme: no-preference does not work in WebKit": {ColorScheme: "no-preference"},
		"device does not work in WebKit":                     {DeviceName: "Pixel 7"},
		"permissions does not work in WebKit":                {Permissions: []string{"camera"}},
		"headless: false does not work in WebKit":            {Headed: true},
	} {
		WantError(t, d.OpenPage(t.Context(), site.Page("index.html"), opts), drivers.ErrUnsupported, want)
		_, _, err := d.slot.Page()
		WantError(t, err, drivers.ErrPage, "no page is open")
	}
	Must(t, d.OpenPage(t.Context(), site.Page("index.html"), drivers.PageOptions{}))
	for want, err := range map[string]error{
		"setLocation does not work in WebKit": d.SetLocation(t.Context(), drivers.Coordinates{}),
		"swipe does not work in WebKit": d.Swipe(t.Context(), image.Pt(300, 400), image.Pt(300, 100),
			100*time.Millisecond),
		"the left button": d.Click(t.Context(), image.Pt(300, 400), drivers.WebClick{Button: "right"}),
	} {
		WantError(t, err, drivers.ErrUnsupported, want)
	}
}

// syncBuffer is a log that is written and read at once.
type syncBuffer struct {
	mu   sync.Mutex
	text strings.Builder
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// What pages write to the console, and errors that nothing catches, are in the log and seen by assertions, also right
// after the step that leads to them.
func TestWebKitConsole(t *testing.T) {
	leftToWebKit(t)
	d := openWebKit(t)
	var log syncBuffer
	stop, err := d.StartLog(t.Context(), &log)
	Must(t, err)
	Must(t, d.OpenPage(t.Context(), site.Made(`<h1>Quiet</h1><script>console.log('hello', 1)</script>
		<button id=a onclick="console.error('bad thing')">A</button>
		<button id=b onclick="nothing.at.all">B</button>`), drivers.PageOptions{}))
	want := drivers.WebCondition{NoConsoleErrors: true}
	seen, err := d.Look(t.Context(), "h1", want, 10*time.Second)
	if err != nil || !seen.Met {
		t.Errorf("a page without errors: %+v, %v", seen, err)
	}
	for i, button := range []string{"#a", "#b"} {
		Must(t, d.ClickOn(t.Context(), drivers.WebTarget{Selector: button}, drivers.WebClick{}))
		Must(t, d.SettleLog(t.Context()))
		if text := []string{"bad thing", "nothing"}[i]; !strings.Contains(log.String(), text) {
			t.Errorf("%q is not in the log: %s", text, log.String())
		}
		seen, err = d.Look(t.Context(), "h1", want, time.Millisecond)
		if err != nil || seen.Met || len(seen.ConsoleErrors) != i+1 {
			t.Errorf("after %s: %+v, %v", button, seen, err)
		}
	}
	Must(t, stop())
	for _, text := range []string{"hello", "bad thing", "nothing"} {
		if !strings.Contains(log.String(), text) {
			t.Errorf("%q is not in the log:\n%s", text, log.String())
		}
	}
}

// Capitals, signs and characters that the American keyboard lacks arrive as they are typed; frames, dialogs and
// selectors of Playwright work.
func TestWebKitOnPages(t *testing.T) {
	d := openWebKit(t)
	Must(t, d.OpenPage(t.Context(), site.Made(`<title>One</title><input id=field autofocus>
		<button onclick="out.textContent = 'clicked ' + field.value">Go</button><p id=out></p>
		<button onclick="out.textContent = 'said ' + confirm('Sure?')">Ask</button>
		<iframe srcdoc="<button onclick='this.textContent = &quot;pressed&quot;'>inner</button>"></iframe>`),
		drivers.PageOptions{}))
	Must(t, d.ClickOn(t.Context(), drivers.WebTarget{Selector: "#field"}, drivers.WebClick{}))
	Must(t, d.Type(t.Context(), "AbC!?@ 12é漢🎉"))
	Must(t, d.ClickOn(t.Context(), drivers.WebTarget{Selector: "text=Go"}, drivers.WebClick{}))
	mustShow(t, d, "#out", "clicked AbC!?@ 12é漢🎉")
	if testing.Short() {
		return
	}
	Must(t, d.ClickOn(t.Context(), drivers.WebTarget{Selector: "text=inner", Frame: "iframe"}, drivers.WebClick{}))
	text, err := d.TextOf(t.Context(), drivers.WebTarget{Selector: "button", Frame: "iframe"})
	if err != nil || text != "pressed" {
		t.Errorf("%q, %v", text, err)
	}
	Must(t, d.ClickOn(t.Context(), drivers.WebTarget{Selector: "text=Ask"}, drivers.WebClick{}))
	alert, err := d.Alert(t.Context())
	if err != nil || alert == nil || alert.Text != "Sure?" {
		t.Fatalf("%+v, %v", alert, err)
	}
	Must(t, d.AnswerAlert(t.Context(), alert.Accept, ""))
	mustShow(t, d, "#out", "said true")
}

// What is in a closed shadow root is read where a script has made it; the page sees no root. A tree says when the HTML
// declares one, of which nothing can be read.
func TestWebKitClosedRoots(t *testing.T) {
	leftToWebKit(t)
	d := openWebKit(t)
	Must(t, d.OpenPage(t.Context(), site.Made(`<div id=h></div><p id=out></p><script>
		h.attachShadow({mode: 'closed'}).innerHTML = '<b>In secret</b>'; out.textContent = 'root ' + h.shadowRoot;
		</script>`), drivers.PageOptions{}))
	tree, err := d.Tree(t.Context())
	Must(t, err)
	if texts := strings.Join(tree.Texts(20), " "); !strings.Contains(texts, "In secret") ||
		!strings.Contains(texts, "root null") || notesOf(tree) != "" {
		t.Errorf("%q, %q", texts, notesOf(tree))
	}
	Must(t, d.OpenPage(t.Context(), site.Made(`<div><template shadowrootmode=closed><b>Declared</b></template></div>`),
		drivers.PageOptions{}))
	tree, err = d.Tree(t.Context())
	Must(t, err)
	if !strings.Contains(notesOf(tree), "WebKit does not report their content") {
		t.Errorf("%q, %q", tree.Texts(20), notesOf(tree))
	}
}

// notesOf are the notes that a tree is not whole.
func notesOf(tree *screen.Tree) (notes string) {
	for n := range tree.All {
		if n.Type == screen.CutNote {
			notes += n.Desc
		}
	}
	return notes
}

// A page that does not open is never taken for the one before, nor the one before for it.
func TestWebKitNavigates(t *testing.T) {
	leftToWebKit(t)
	d := openWebKit(t)
	tls := httptest.NewTLSServer(http.NotFoundHandler())
	t.Cleanup(tls.Close)
	Must(t, d.OpenPage(t.Context(), site.Page("index.html"), drivers.PageOptions{}))
	for address, want := range map[string]string{
		"http://127.0.0.1:9/":          "refused",
		tls.URL + "/":                  "certificate",
		"http://no-such-host.invalid/": "no such host",
		"file:///no/such/file.html":    "no such file",
	} {
		err := d.Navigate(t.Context(), address, 20*time.Second)
		WantError(t, err, drivers.ErrPage, want)
		Must(t, d.Navigate(t.Context(), site.Page("index.html"), 20*time.Second))
	}
	Must(t, d.Navigate(t.Context(), site.Made("<title>Two</title>"), 0))
	Must(t, d.Navigate(t.Context(), "back", 0))
	mustShow(t, d, "h1", "Sample pages")
	Must(t, d.Navigate(t.Context(), "forward", 0))
	if _, title, err := d.Location(t.Context()); err != nil || title != "Two" {
		t.Errorf("%q, %v", title, err)
	}
	WantError(t, d.Navigate(t.Context(), "forward", 0), drivers.ErrNotActionable, "no page to go forward to")
	Must(t, d.OpenPage(t.Context(), tls.URL+"/", drivers.PageOptions{AnyCert: true})) // 404 is a page
}

// The processes of a page are gone with it, also when it hangs; the display, and a browser that was started ahead, are
// gone with the driver.
func TestWebKitLeavesNothing(t *testing.T) {
	leftToWebKit(t)
	Must(t, openWebKit(t).ClosePage(t.Context()))
	others, err := shared.launcher.For(t.Context(), drivers.PageOptions{Browser: dsl.WebKit})
	Must(t, err)
	Must(t, others.Browser.Close()) // with what it has started ahead
	before := drivertest.Descendants(os.Getpid())
	own := New(Options{Browser: dsl.WebKit})
	t.Cleanup(func() { _ = own.Close() })
	opened, err := own.Open(t.Context(), "web-1")
	Must(t, err)
	d := opened.(*device)
	started := func() (list []drivertest.Process) {
		for _, p := range drivertest.Descendants(os.Getpid()) {
			if !slices.Contains(before, p) {
				list = append(list, p)
			}
		}
		return list
	}
	Must(t, d.OpenPage(t.Context(), site.Made("<button onclick='for (;;);'>Hang</button>"), drivers.PageOptions{}))
	mine := started()
	if len(mine) < 4 {
		t.Fatalf("%d processes were started", len(mine))
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
	defer cancel()
	_ = d.ClickOn(ctx, drivers.WebTarget{Selector: "button", Timeout: time.Second}, drivers.WebClick{})
	_, err = d.Tree(drivers.WithStepDeadline(ctx, time.Now().Add(time.Second)))
	if err == nil || drivers.AppIsWrong(err) {
		t.Errorf("a page that hangs: %v", err)
	}
	Must(t, d.ClosePage(t.Context()))
	for _, left := range drivertest.Alive(mine) {
		if strings.Contains(left, "MiniBrowser") || strings.Contains(left, "WebKit") {
			t.Errorf("after the page's end there is %s", left)
		}
	}
	for range 3 { // the second of them, and the third, have a browser started ahead
		Must(t, d.OpenPage(t.Context(), site.Page("index.html"), drivers.PageOptions{}))
	}
	mine = append(mine, started()...)
	Must(t, own.Close())
	for _, left := range drivertest.Alive(mine) {
		if !strings.Contains(left, "chromium") { // which other tests have started
			t.Errorf("after the driver's end there is %s", left)
		}
	}
}

// miniBrowsers lists the processes of the windows that this test's process has opened.
func miniBrowsers(t *testing.T) (pids []int) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	Must(t, err)
	for _, name := range stats {
		text, err := os.ReadFile(name)
		fields := strings.Fields(string(text))
		if err == nil && len(fields) > 3 && fields[1] == "(MiniBrowser)" && fields[3] == strconv.Itoa(os.Getpid()) {
			pid, err := strconv.Atoi(fields[0])
			Must(t, err)
			pids = append(pids, pid)
		}
	}
	if len(pids) == 0 {
		t.Fatal("no MiniBrowser runs")
	}
	return pids
}

// What one page keeps is not there in the next one. Its browser was started ahead, on a display that was used before.
// One of another kind is not mistaken for it, and one that has died is not used.
func TestWebKitStartsAhead(t *testing.T) {
	leftToWebKit(t)
	openWebKit(t)
	own := New(Options{Browser: dsl.WebKit})
	t.Cleanup(func() { _ = own.Close() })
	opened, err := own.Open(t.Context(), "web-1")
	Must(t, err)
	d := opened.(*device)
	const page = `<p id=out></p><script>out.textContent = [document.cookie || 'none', localStorage.a || 'none',
		navigator.language, (1.5).toLocaleString(), innerWidth + 'x' + innerHeight,
		navigator.userAgent == 'Mine' ? 'mine' : 'own', document.hasFocus(), history.length < 3].join(' ');
		document.cookie = 'a=1'; localStorage.a = 1</script>`
	for _, one := range []struct {
		opts drivers.PageOptions
		want string
	}{
		{drivers.PageOptions{}, "none none en-US 1.5 1280x720 own true true"},
		{drivers.PageOptions{}, "none none en-US 1.5 1280x720 own true true"},
		{drivers.PageOptions{}, "none none en-US 1.5 1280x720 own true true"},
		{drivers.PageOptions{UserAgent: "Mine", Locale: "de-DE"}, "none none de-DE 1,5 1280x720 mine true true"},
		{drivers.PageOptions{Viewport: image.Pt(800, 600)}, "none none en-US 1.5 800x600 own true true"},
		{drivers.PageOptions{}, "none none en-US 1.5 1280x720 own true true"},
	} {
		Must(t, d.OpenPage(t.Context(), site.Made(page), one.opts))
		mustShow(t, d, "#out", one.want)
	}
	for _, pid := range miniBrowsers(t) { // the one that is used, and the one that was started ahead
		process, err := os.FindProcess(pid)
		Must(t, err)
		Must(t, process.Kill())
	}
	WantError(t, d.Tap(t.Context(), image.Pt(10, 10)), drivers.ErrDeviceLost, "")
	Must(t, d.OpenPage(t.Context(), site.Made(page), drivers.PageOptions{}))
	mustShow(t, d, "#out", "none none en-US 1.5 1280x720 own true true")
}

// What fades out is read as it fades or as hidden, never as if it stayed: between two frames, the time of WebKit's
// animations continues without the styles that follow from it. A page at rest is known to be.
func TestWebKitReadsPagesInFrames(t *testing.T) {
	leftToWebKit(t)
	d := openWebKit(t)
	Must(t, d.OpenPage(t.Context(), dataPage(`<p id=p>Saved</p><script>
		const show = () => { p.style.cssText = ''; return getComputedStyle(p).opacity; };
		const busy = ms => { for (const end = performance.now() + ms; performance.now() < end;); };
		const fade = () => {
			p.style.cssText = 'transition: opacity .3s; opacity: 0';
			setTimeout(() => busy(500), 100);
			return getComputedStyle(p).opacity;
		};</script>`), drivers.PageOptions{}))
	for range 8 {
		_, err := d.Eval(t.Context(), "show()", patience)
		Must(t, err)
		if !until(t.Context(), patience, func() bool { return tree(t, d).Rest == screen.Quiet }) {
			t.Fatal("the page is not known to rest")
		}
		_, err = d.Eval(t.Context(), "fade()", patience)
		Must(t, err)
		// the page is busy until the animation has ended
		Must(t, drivers.Pause(t.Context(), 200*time.Millisecond))
		for n := range tree(t, d).All {
			if n.Text == "Saved" && !n.Hidden && !n.Leaving {
				t.Errorf("what fades out is read as %v", n)
			}
		}
	}
}
