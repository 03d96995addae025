package runpage

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/toolchain/chromiumtest"
)

// chromium is the browser of this package's tests.
var chromium chromiumtest.Browser

func TestMain(m *testing.M) {
	code := m.Run()
	if err := chromium.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(testutil.CheckLeaks(code))
}

// lab is a page that is served.
type lab struct {
	*suite
	t    *testing.T
	page *Page
	done chan error
	end  context.CancelFunc
}

func newLab(t *testing.T, s *suite) *lab {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	page, err := New(ctx, Options{Tests: s, Reports: s.reports, Title: "shop"})
	if err != nil {
		t.Fatal(err)
	}
	l := &lab{suite: s, t: t, page: page, done: make(chan error, 1), end: cancel}
	go func() { l.done <- page.Serve(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-l.done; err != nil {
			t.Errorf("serve: %v", err)
		}
	})
	return l
}

// tab is the page in a browser.
type tab struct {
	playwright.Page
	l *lab
}

func (l *lab) open(width int, dark bool) *tab {
	l.t.Helper()
	scheme := playwright.ColorSchemeLight
	if dark {
		scheme = playwright.ColorSchemeDark
	}
	browser, err := chromium.Start(l.t).NewContext(playwright.BrowserNewContextOptions{
		Viewport: &playwright.Size{Width: width, Height: 900}, ColorScheme: scheme})
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { _ = browser.Close() })
	l.page.mu.Lock()
	l.page.linkBy = time.Now().Add(linkLimit)
	l.page.mu.Unlock()
	return l.tabOf(browser, l.page.Link())
}

func (l *lab) tabOf(browser playwright.BrowserContext, address string) *tab {
	l.t.Helper()
	page, err := browser.NewPage()
	if err != nil {
		l.t.Fatal(err)
	}
	page.SetDefaultTimeout(chromiumtest.Patience)
	page.OnPageError(func(err error) { l.t.Errorf("the page: %v", err) })
	p := &tab{page, l}
	_, err = page.Goto(address)
	p.must(err)
	return p
}

func (p *tab) must(err error) {
	p.l.t.Helper()
	if err != nil {
		p.shot("failed-" + p.l.t.Name())
		p.l.t.Fatal(err)
	}
}

func (p *tab) sees(selector string) {
	p.l.t.Helper()
	if err := p.Locator(selector).First().WaitFor(); err != nil {
		p.must(fmt.Errorf("%s is not there: %w", selector, err))
	}
}

func (p *tab) press(keys ...string) {
	p.l.t.Helper()
	for _, key := range keys {
		p.must(p.Keyboard().Press(key))
	}
}

// focus is the label of the focused row of the tree.
func (p *tab) focus() string {
	p.l.t.Helper()
	text, err := p.Evaluate(`document.activeElement.matches("[role=treeitem]") ?
		document.activeElement.querySelector(".name").textContent :
		document.activeElement.id || document.activeElement.tagName`)
	p.must(err)
	return fmt.Sprint(text)
}

func (p *tab) focusIs(want string) {
	p.l.t.Helper()
	if got := p.focus(); got != want {
		p.l.t.Errorf("the focus is on %q, not %q", got, want)
	}
}

func (p *tab) click(role playwright.AriaRole, name string) {
	p.l.t.Helper()
	p.must(p.GetByRole(role, playwright.PageGetByRoleOptions{Name: name}).Click())
}

// shot saves a screenshot when RUNPAGE_SHOTS names a folder.
func (p *tab) shot(name string) {
	if dir := os.Getenv("RUNPAGE_SHOTS"); dir != "" {
		_, _ = p.Screenshot(playwright.PageScreenshotOptions{Path: playwright.String(filepath.Join(dir, name+".png"))})
	}
}

// accessible fails the test for all that axe-core finds, and for a page that is wider than the window.
func (p *tab) accessible(what string) {
	p.l.t.Helper()
	_, err := p.Evaluate(`Promise.allSettled(document.getAnimations().filter((a) => a.effect.getTiming().iterations === 1)
		.map((a) => a.finished))`)
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

// TestWhoGetsIn: the link works once; a request without the session, for another host name or of another page is
// rejected; reports have a secret path.
func TestWhoGetsIn(t *testing.T) {
	t.Parallel()
	l := newLab(t, newSuite(t, 3))
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		Transport: &http.Transport{DisableKeepAlives: true}}
	base := strings.TrimSuffix(l.page.Link(), "/enter?token="+l.page.token)
	ask := func(method, path, body string, headers ...string) (int, http.Header) {
		t.Helper()
		r, err := http.NewRequestWithContext(t.Context(), method, base+path, strings.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(headers); i += 2 {
			if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
				r.Host = headers[i+1]
			}
		}
		res, err := client.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		defer res.Body.Close()
		_, _ = io.Copy(io.Discard, io.LimitReader(res.Body, 100))
		return res.StatusCode, res.Header
	}
	enter := strings.TrimPrefix(l.page.Link(), base)
	status, header := ask("GET", enter, "")
	cookie, _, _ := strings.Cut(header.Get("Set-Cookie"), ";")
	if status != http.StatusSeeOther || !strings.Contains(header.Get("Set-Cookie"), "SameSite=Strict") {
		t.Fatalf("the link: %d %v", status, header)
	}
	in := []string{"Cookie", cookie, "Content-Type", "application/json"}
	for _, c := range []struct {
		method, path, body string
		want               int
		headers            []string
	}{
		{"GET", enter, "", 403, nil},
		{"GET", enter, "", 303, in},
		{"GET", "/enter?token=x", "", 403, nil},
		{"GET", "/", "", 401, nil},
		{"GET", "/", "", 200, in},
		{"GET", "/", "", 403, append([]string{"Host", "evil.example"}, in...)},
		{"GET", "/events", "", 401, nil},
		{"GET", "/events", "", 403, append([]string{"Sec-Fetch-Site", "same-site"}, in...)},
		{"GET", "/case?key=x", "", 404, in},
		{"POST", "/run", `{"cases": ["test-000"]}`, 401, []string{"Content-Type", "application/json"}},
		{"POST", "/run", `{"cases": ["test-000"]}`, 403, append([]string{"Origin", "http://127.0.0.1:1"}, in...)},
		{"POST", "/run", `{"cases": ["test-000"]}`, 403, append([]string{"Sec-Fetch-Site", "cross-site"}, in...)},
		{"POST", "/run", `{"cases": []}`, 409, in},
		{"POST", "/run", `{"cases":`, 400, in},
		{"POST", "/run", `{"cases": ["test-000"]}`, 400, in[:2]},
		{"POST", "/nothing", `{}`, 404, in},
		{"GET", "/reports/x/", "", 401, nil},
		{"GET", l.page.reports(), "", 200, nil},
		{"GET", "/trace/index.html", "", 404, in},
	} {
		if got, _ := ask(c.method, c.path, c.body, c.headers...); got != c.want {
			t.Errorf("%s %s %s %v: %d, want %d", c.method, c.path, c.body, c.headers, got, c.want)
		}
	}
	if n := len(l.runs()); n != 0 {
		t.Errorf("%d runs were started", n)
	}
}

// TestKeyboard: 300 tests are found, chosen and run with the keyboard alone, by the pattern of ARIA for trees; the
// steps, their screenshots and the report appear next to the tree. Nothing is inaccessible.
func TestKeyboard(t *testing.T) {
	t.Parallel()
	l := newLab(t, newSuite(t, 300))
	p := l.open(1440, false)
	p.sees(`[role=treeitem]`)
	p.accessible("before the first run")
	p.shot("start-1440")
	p.press("/")
	p.must(p.Keyboard().Type("test-007"))
	p.sees(`#count:text("1 of 300 tests")`)
	p.press("ArrowDown")
	p.focusIs("test-007")
	p.press("Enter")
	p.sees(`#status:has-text("1 test done in"):has-text("1 did not pass")`)
	p.sees(`.problem:has-text("In the cart is not on the screen")`)
	p.sees(`.problem:has-text("Empty cart")`)
	p.sees(`.yamlpart:has-text("6 |   - assert: In the cart")`)
	p.sees(`.dframe img[alt="The screen after step 3"]`)
	p.accessible("a failure")
	p.shot("failed-1440")
	p.press("Tab", "Tab", "Tab") // the tabs, the steps
	p.must(p.Locator(".steplist [aria-current]").Focus())
	p.press("ArrowUp", "ArrowUp")
	p.sees(`.dframe img[alt="The screen after step 1"]`)
	p.must(p.GetByRole("tab", playwright.PageGetByRoleOptions{Name: "Steps"}).Focus())
	p.press("ArrowRight")
	p.must(p.FrameLocator(".dreport iframe").Locator(".badge:has-text('Failed')").WaitFor())
	p.shot("report-1440")
	p.press("ArrowLeft")

	p.press("/")
	p.press("Control+a", "Delete")
	p.sees(`#count:text-is("300 tests")`)
	took, err := p.Evaluate(`async () => {
		const search = document.getElementById("search"), count = document.getElementById("count"), began = performance.now();
		search.value = "test-1";
		search.dispatchEvent(new Event("input"));
		while (!count.textContent.startsWith("100 of")) await new Promise((done) => setTimeout(done, 1));
		const filtered = performance.now() - began;
		search.value = "";
		search.dispatchEvent(new Event("input"));
		while (count.textContent !== "300 tests") await new Promise((done) => setTimeout(done, 1));
		return [filtered, performance.now() - began - filtered].map(Math.round).join(" and ");
	}`)
	p.must(err)
	t.Logf("to filter 300 tests and to show all again took %v ms, 60 of each are waited for the next character", took)
	p.must(p.Locator("#tree [aria-current]").Focus())
	p.press("Home")
	p.focusIs("suites")
	p.press("ArrowLeft", "ArrowDown")
	p.focusIs("suites")
	p.press("ArrowRight", "ArrowRight")
	p.focusIs("shop-0")
	p.press("ArrowRight")
	p.focusIs("test-000")
	p.press("ArrowLeft")
	p.focusIs("shop-0")
	p.press("ArrowLeft", "ArrowDown")
	p.focusIs("shop-1")
	p.press("s") // the next one that starts with it
	p.focusIs("shop-2")
	p.press("*", "End")
	p.focusIs("test-299")
	p.press("ArrowUp", " ", "Shift+ArrowDown")
	p.sees(`#choice:text-is("2 chosen tests")`)
	if n, err := p.Locator(`[role=treeitem][aria-checked=true]`).Count(); err != nil || n != 2 {
		t.Errorf("%d rows are chosen, %v", n, err)
	}
	p.sees(`[role=treeitem][aria-checked=mixed]`)
	p.press("Control+Enter")
	p.sees(`#status:has-text("2 tests done in")`)
	if runs := l.runs(); fmt.Sprint(runs) != "[[test-007] [test-298 test-299]]" {
		t.Errorf("the runs: %v", runs)
	}
	for _, size := range []int{1440, 390} {
		p.must(p.SetViewportSize(size, 900))
		for _, scheme := range []*playwright.ColorScheme{playwright.ColorSchemeLight, playwright.ColorSchemeDark} {
			p.must(p.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: scheme}))
			p.accessible(fmt.Sprint(size, " ", *scheme))
			p.shot(fmt.Sprint("tree-", size, "-", *scheme))
		}
	}
}

// TestRunAll: all tests run from the button; results come live and in all open pages; filters narrow what runs.
func TestRunAll(t *testing.T) {
	t.Parallel()
	l := newLab(t, newSuite(t, 40))
	p := l.open(1440, true)
	other := l.tabOf(p.Context(), strings.TrimSuffix(l.page.Link(), "/enter?token="+l.page.token))
	p.sees(`#choice:text-is("all 40 tests, 41 cases")`)
	p.click("button", "Run")
	for _, page := range []*tab{p, other} {
		page.sees(`#status:has-text("41 tests done in"):has-text("4 did not pass")`)
		page.sees(`#chips button:text-is("Failed 4")`)
		page.sees(`#chips button:text-is("Passed 36")`)
	}
	p.click("button", "Failed 4")
	p.sees(`#choice:text-is("4 tests shown")`)
	p.must(p.Locator("#search").Fill("@slow"))
	p.sees(`#choice:text-is("4 tests shown")`)
	p.shot("filtered-1440-dark")
	p.must(p.Locator("#search").Fill("@slow test-01"))
	p.sees(`#choice:text-is("1 test shown")`)
	p.click("button", "Run")
	p.sees(`#status:has-text("1 test done in")`)
	if runs := l.runs(); len(runs) != 2 || len(runs[0]) != 41 || fmt.Sprint(runs[1]) != "[test-017]" {
		t.Errorf("the runs: %v", runs)
	}
	other.must(other.Locator(`[data-key="test:test-003"]`).Focus())
	other.press("ArrowRight", "ArrowDown")
	other.focusIs("row-1")
	other.sees(`.dhead:has-text("test-003--row-1")`)

	l.page.state.mu.Lock() // the connection of every page is cut
	for stream := range l.page.state.streams {
		delete(l.page.state.streams, stream)
		close(stream)
	}
	l.page.state.mu.Unlock()
	for _, page := range []*tab{p, other} {
		page.sees(`body[data-connected="2"]`)
		if hidden, err := page.Locator("#lost").IsHidden(); err != nil || !hidden {
			t.Errorf("the page says that the connection is lost, %v", err)
		}
	}
	p.must(p.Locator("#search").Fill("test-020"))
	p.sees(`#choice:text-is("0 tests shown")`) // it passed, and failures are shown
	p.click("button", "Failed 4")
	p.sees(`#choice:text-is("1 test shown")`)
	p.press("Control+Enter")
	for _, page := range []*tab{p, other} {
		page.sees(`#status:has-text("all passed or skipped")`)
	}
}

// TestStop: a run that is stopped reports the test as interrupted; tests that had not started keep their results, and
// the next run can start.
func TestStop(t *testing.T) {
	t.Parallel()
	l := newLab(t, newSuite(t, 6))
	p := l.open(1440, false)
	p.sees(`#choice:text-is("all 6 tests, 7 cases")`)
	p.click("button", "Run")
	p.sees(`#status:has-text("7 tests done in")`)
	open := l.hold()
	defer open()
	p.click("button", "Run")
	p.sees(`[data-key="test:test-000"] .i-running`)
	p.sees(`[data-key="test:test-001"] .i-waiting`)
	p.must(p.Locator(`[data-key="test:test-000"]`).Focus())
	p.sees(`.steplist .s-running[aria-current]`)
	p.sees(`.dframe img[alt="The screen before step 2"]`)
	p.shot("running-1440")
	p.accessible("a run")
	if busy, err := p.Locator("#run").IsDisabled(); err != nil || !busy {
		t.Errorf("Run is enabled during a run, %v", err)
	}
	p.must(p.Locator("#search").Fill("test-00")) // filters work during a run
	p.press("ArrowDown", "Enter")
	p.sees(`#status:text-is("A run is in progress: stop it first.")`)
	p.click("button", "Stop")
	p.sees(`#status:has-text("Ended after 1 of 7 tests")`)
	p.sees(`[data-key="test:test-000"] .i-interrupted`)
	p.sees(`[data-key="test:test-001"] .i-pass`)
	p.sees(`.dhead .meta:has-text("Interrupted")`)
	open()
	p.press("Control+Enter")
	p.sees(`#status:has-text("7 tests done in")`)
	p.sees(`[data-key="test:test-000"] .i-pass`)
	p.must(p.Locator("#messages summary").Click())
	p.sees(`#printed:text-is("a message of the run")`)

	// the results of earlier runs are there when the page starts
	again := newLab(t, l.suite)
	q := again.open(1440, false)
	q.sees(`#chips button:text-is("Passed 6")`)
	q.must(q.Locator(`[data-key="test:test-002"]`).Focus())
	q.sees(`.steplist .s-pass`)
	q.sees(`.dframe img[alt="The screen after step 3"]`)
}

// TestWatch: tests that depend on a saved file run again, also those of a file that is saved during a run; a file with
// an error is shown with its message, and its tests when it is fixed.
func TestWatch(t *testing.T) {
	t.Parallel()
	s := newSuite(t, 6)
	s.depend = []string{"test-004"}
	l := newLab(t, s)
	p := l.open(390, false)
	p.sees(`#choice:text-is("all 6 tests, 7 cases")`)
	save := func() { s.saved <- []string{"suites/shop-0/test-004.yaml"} }
	save() // Watch is off
	p.click("button", "Watch")
	p.sees(`#watch[aria-pressed=true]`)
	open := l.hold()
	defer open()
	save()
	p.sees(`[data-key="test:test-004"] .i-running`)
	s.depend = []string{"test-005"}
	save()
	save()
	open()
	p.sees(`[data-key="test:test-005"] .i-pass`)
	p.sees(`[data-key="test:test-004"] .i-pass`)
	if runs := s.runs(); fmt.Sprint(runs) != "[[test-004] [test-005]]" {
		t.Errorf("the runs: %v", runs)
	}
	p.accessible("watching at 390")
	p.shot("watch-390")

	s.mu.Lock()
	whole := s.tests
	s.tests, s.broken = whole[:5], []Broken{{File: "suites/shop-0/test-005.yaml",
		Message: "suites/shop-0/test-005.yaml:4:5: unknown action \"tapp\"\n  4 |   - tapp: Buy\n" +
			"          ^^^^ did you mean \"tap\"?"}}
	s.mu.Unlock()
	s.depend = nil
	save()
	p.must(p.Locator(`[data-key="file:suites/shop-0/test-005.yaml"]`).Click())
	p.sees(`#details pre:has-text("did you mean")`)
	p.sees(`#chips button:text-is("Failed 1")`)
	p.accessible("a file with an error")
	p.shot("broken-390")
	s.mu.Lock()
	s.tests, s.broken = whole, nil
	s.mu.Unlock()
	save()
	p.sees(`[data-key="test:test-005"] .i-pass`)
	p.click("button", "Watch")
	p.sees(`#watch[aria-pressed=false]`)
}
