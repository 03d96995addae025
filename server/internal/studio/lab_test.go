package studio_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/drivertest"
	"github.com/taproot-dev/taproot/drivers/web"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/toolchain/chromiumtest"
	"github.com/taproot-dev/taproot/runner/run"
	"github.com/taproot-dev/taproot/server"
	"github.com/taproot-dev/taproot/server/internal/auth"
)

const key = "tap_test_0123456789abcdef"

// chromium is the browser of this package's tests.
var chromium chromiumtest.Browser

func TestMain(m *testing.M) {
	code := m.Run()
	if err := errors.Join(chromium.Close(), pages().Close()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(testutil.CheckLeaks(code))
}

// inside is the network policy of the servers: their pages may open local URLs.
var inside = guard.Policy{AllowPrivate: true}

// pages is the browser in which the servers open pages in short tests; otherwise each has its own.
var pages = sync.OnceValue(func() *web.Driver { return web.New(web.Options{Slots: 3, Policy: &inside, NoFiles: true}) })

// sharedPages is not closed with a server, which closes its own pages.
type sharedPages struct{ *web.Driver }

func (sharedPages) Close() error { return nil }

// shared returns the drivers of a server; the web driver uses the browser of all tests.
func shared(conf run.Config) (list []drivers.Driver) {
	for _, d := range run.Drivers(conf) {
		if d.Platform() == dsl.Web {
			d = sharedPages{pages()}
		}
		list = append(list, d)
	}
	return list
}

// lab is a server with one simulated phone and a project.
type lab struct {
	t      testing.TB
	phone  *androidsim.Phone
	phones []*androidsim.Phone
	server *server.Server
	url    string
	dir    string            // of the project
	vars   map[string]string // the environment of the server
	client *http.Client
}

func newLab(t testing.TB) *lab { t.Helper(); return newLabOf(t, androidsim.Tiny) }

// newLabOf is a lab with these phones.
func newLabOf(t testing.TB, of ...androidsim.Options) *lab {
	t.Helper()
	adb, phones := androidsim.Start(t, of...)
	root := t.TempDir()
	l := &lab{t: t, phone: phones[0], phones: phones, dir: filepath.Join(root, "project")}
	for _, dir := range []string{"project", "run", "state"} {
		if err := os.Mkdir(filepath.Join(root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	vars := map[string]string{"ADB_SERVER_SOCKET": "tcp:" + adb.Addr(), "XDG_RUNTIME_DIR": filepath.Join(root, "run"),
		"XDG_STATE_HOME":      filepath.Join(root, "state"),
		"TAPROOT_REPORTS_DIR": filepath.Join(root, "reports"), "TAPROOT_NO_VIDEO": "true", "PATH": os.Getenv("PATH")}
	l.vars = vars
	conf, err := run.FromEnv(l.dir, func(name string) (string, bool) { value, ok := vars[name]; return value, ok })
	if err != nil {
		t.Fatal(err)
	}
	conf.Timeout = time.Minute // a busy machine may be slow
	gate, err := auth.New(auth.Config{Keys: []string{key}})
	if err != nil {
		t.Fatal(err)
	}
	log := &drivertest.Log{}
	o := server.Options{Config: conf, Project: l.dir, Auth: gate, Pages: 3, Network: inside,
		Log: slog.New(slog.NewTextHandler(log, nil))}
	if testing.Short() {
		o.Drivers = shared(conf)
	}
	if l.server, err = server.New(o); err != nil {
		t.Fatal(err)
	}
	web := httptest.NewServer(l.server.Handler())
	l.url = web.URL
	l.client = &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{DisableKeepAlives: true}}
	t.Cleanup(func() {
		if err := l.server.Close(); err != nil {
			t.Errorf("close the server: %v", err)
		}
		web.Close()
		if t.Failed() {
			t.Logf("log of the server:\n%.20000s", log.String())
		}
	})
	return l
}

// link returns a URL that logs in once.
func (l *lab) link(next string) string {
	l.t.Helper()
	path, err := l.server.StudioLink(next)
	if err != nil {
		l.t.Fatal(err)
	}
	return l.url + path
}

// ask sends a request and returns the status, the body and the headers of the response.
func (l *lab) ask(method, path, body string, headers ...string) (int, string, http.Header) {
	l.t.Helper()
	r, err := http.NewRequestWithContext(l.t.Context(), method, l.url+path, strings.NewReader(body))
	if err != nil {
		l.t.Fatal(err)
	}
	for i := 0; i+1 < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	res, err := l.client.Do(r)
	if err != nil {
		l.t.Fatal(err)
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	return res.StatusCode, string(text), res.Header
}

// tab is a page of Studio in a browser.
type tab struct {
	playwright.Page
	l      *lab
	device string
	canvas string // the id of its live screen
}

func (l *lab) open(address string, width int, dark bool) *tab {
	l.t.Helper()
	scheme := playwright.ColorSchemeLight
	if dark {
		scheme = playwright.ColorSchemeDark
	}
	context, err := chromium.Start(l.t).NewContext(playwright.BrowserNewContextOptions{
		Viewport: &playwright.Size{Width: width, Height: 900}, ColorScheme: scheme})
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = context.Close() })
	page, err := context.NewPage()
	if err != nil {
		l.t.Fatal(err)
	}
	page.SetDefaultTimeout(chromiumtest.Patience)
	page.OnPageError(func(err error) { l.t.Errorf("the page: %v", err) })
	page.OnDialog(func(d playwright.Dialog) { l.t.Errorf("a text ran: %s", d.Message()); _ = d.Dismiss() })
	p := &tab{page, l, l.phone.Serial(), "live-screen"}
	_, err = page.Goto(address)
	p.must(err)
	return p
}

func (p *tab) must(err error) {
	p.l.t.Helper()
	if err != nil {
		p.l.t.Fatal(err)
	}
}

// sees waits for a selector.
func (p *tab) sees(selector string) {
	p.l.t.Helper()
	if err := p.Locator(selector).First().WaitFor(playwright.LocatorWaitForOptions{
		Timeout: playwright.Float(chromiumtest.Patience)}); err != nil {
		said, _ := p.Locator("#message").TextContent()
		p.shot("missing-" + p.l.t.Name())
		p.l.t.Fatalf("%s is not there: %v; it says %q", selector, err, said)
	}
}

// connected waits until the page has leased the device and shows its screen.
func (p *tab) connected() {
	p.l.t.Helper()
	p.sees(`body[data-connected="true"]`)
	p.sees(`canvas[data-frames]`)
}

// yaml returns the text of the editor.
func (p *tab) yaml() string {
	p.l.t.Helper()
	text, err := p.Evaluate(`document.getElementById("yaml").value`)
	p.must(err)
	yaml, _ := text.(string)
	return yaml
}

// edits replaces the test, as a person who pastes it.
func (p *tab) edits(text string) {
	p.l.t.Helper()
	p.must(p.Locator("#yaml .cm-content").Fill(text))
}

// writes waits until the editor contains a text.
func (p *tab) writes(text string) {
	p.l.t.Helper()
	if err := p.until(`text => document.getElementById("yaml").value.includes(text)`, text); err != nil {
		said, _ := p.Locator("#message").TextContent()
		focus, _ := p.Evaluate(`document.activeElement.id`)
		p.shot("missing-" + p.l.t.Name())
		p.l.t.Fatalf("%q is not written: %v\nit says %q, the focus is on %v\n%s", text, err, said, focus, p.yaml())
	}
}

// until waits until a function returns true in the page. It polls twenty times per second: WaitForFunction polls sixty
// times, and makes the page draw each time.
func (p *tab) until(function string, arg any) error {
	yes, err := p.Evaluate(`async ([arg, ms]) => {
		const holds = `+function+`;
		for (const end = Date.now() + ms; !holds(arg); ) {
			if (Date.now() > end) return false;
			await new Promise((done) => setTimeout(done, 50));
		}
		return true;
	}`, []any{arg, chromiumtest.Patience})
	if err == nil && yes != true {
		err = fmt.Errorf("not within %d ms", chromiumtest.Patience)
	}
	return err
}

// place returns the position of an element on the live screen, in pixels of the window.
func (p *tab) place(words string) (x, y float64) {
	p.l.t.Helper()
	answer, err := p.Evaluate(`async ([device, words, canvas]) => {
		for (let i = 0; i < 600; i++) {
			const found = await (await fetch("/devices/" + encodeURIComponent(device) + "/inspect", {method: "POST", headers: `+
		`{"Content-Type": "application/json"}, body: "{}"})).json();
			const e = (found.elements || []).find((e) => e.words.includes(words));
			if (e) {
				const r = document.getElementById(canvas).getBoundingClientRect();
				return JSON.stringify({X: r.left + (e.box.left + e.box.width / 2) / found.width * r.width, Y: r.top + (e.box.top `+
		`+ e.box.height / 2) / found.height * r.height});
			}
			await new Promise((done) => setTimeout(done, 100));
		}
		return "";
	}`, []any{p.device, words, p.canvas})
	p.must(err)
	var at struct{ X, Y float64 }
	text, _ := answer.(string)
	if json.Unmarshal([]byte(text), &at) != nil {
		p.l.t.Fatalf("no element %q is on the screen", words)
	}
	return at.X, at.Y
}

// click clicks an element on the live screen.
func (p *tab) click(words string) {
	p.l.t.Helper()
	x, y := p.place(words)
	p.must(p.Mouse().Click(x, y))
}

// shot saves a screenshot of the page when STUDIO_SHOTS names a folder.
func (p *tab) shot(name string) {
	p.l.t.Helper()
	if dir := os.Getenv("STUDIO_SHOTS"); dir != "" {
		_, err := p.Screenshot(playwright.PageScreenshotOptions{Path: playwright.String(filepath.Join(dir, name+".png"))})
		p.must(err)
	}
}

// inFull calls accessible in full tests only: for a state of the page that differs little from one that is always
// checked.
func (p *tab) inFull(what string) {
	p.l.t.Helper()
	if !testing.Short() {
		p.accessible(what)
	}
}

// accessible fails the test for everything that axe-core finds, and for a page that is wider than the window.
func (p *tab) accessible(what string) {
	p.l.t.Helper()
	// The colors of a button that was just pressed are in transition.
	_, err := p.Evaluate(`Promise.allSettled(document.getAnimations().map((a) => a.finished))`)
	p.must(err)
	list, err := chromiumtest.Violations(p.Page)
	p.must(err)
	for _, v := range list {
		p.l.t.Errorf("%s: %s", what, v)
	}
	wide, err := p.Evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`)
	p.must(err)
	if n, ok := wide.(int); ok && n > 0 {
		p.l.t.Errorf("%s: the page is %d px wider than the window", what, n)
	}
}
