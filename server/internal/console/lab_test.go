package console_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/drivers/drivertest"
	"github.com/taproot-dev/taproot/internal/guard"
	androidsim "github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/store/storetest"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/toolchain/chromiumtest"
	"github.com/taproot-dev/taproot/runner/run"
	"github.com/taproot-dev/taproot/server"
	"github.com/taproot-dev/taproot/server/internal/service"
)

const (
	secret   = "a secret of the tests, with more than 32 characters"
	password = "four words make this good"
)

// chromium is the browser of this package's tests.
var chromium chromiumtest.Browser

func TestMain(m *testing.M) {
	code := m.Run()
	if err := chromium.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	storetest.Stop()
	os.Exit(testutil.CheckLeaks(code))
}

// lab is a server with accounts and simulated phones.
type lab struct {
	t       testing.TB
	service *service.Service
	server  *server.Server
	http    *httptest.Server
	root    string
	log     *drivertest.Log
}

// newLab starts a lab; change adapts the options of its accounts.
func newLab(t testing.TB, phones int, change ...func(*service.Options)) *lab {
	t.Helper()
	return newLabWith(t, phones, func(*server.Options, string) {}, change...)
}

// newLabWith also sets the options of the server, which depend on its own URL.
func newLabWith(t testing.TB, phones int, options func(o *server.Options, base string),
	change ...func(*service.Options)) *lab {
	t.Helper()
	adb, _ := androidsim.Start(t, slices.Repeat([]androidsim.Options{androidsim.Tiny}, phones)...)
	l := &lab{t: t, root: t.TempDir(), log: &drivertest.Log{}}
	for _, dir := range []string{"project", "run", "state"} {
		if err := os.Mkdir(filepath.Join(l.root, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	l.http = httptest.NewUnstartedServer(nil)
	so := service.Options{Database: storetest.SQLite(t), Secret: secret, OpenRegistration: true,
		CheapHashes: testing.Short(), PublicURL: "http://" + l.http.Listener.Addr().String()}
	for _, c := range change {
		c(&so)
	}
	var err error
	if l.service, err = service.Open(t.Context(), so); err != nil {
		t.Fatal(err)
	}
	vars := map[string]string{"ADB_SERVER_SOCKET": "tcp:" + adb.Addr(), "XDG_RUNTIME_DIR": filepath.Join(l.root, "run"),
		"XDG_STATE_HOME": filepath.Join(l.root, "state"), "TAPROOT_NO_VIDEO": "true"}
	conf, err := run.FromEnv(filepath.Join(l.root, "project"), func(name string) (string, bool) {
		value, ok := vars[name]
		return value, ok
	})
	if err != nil {
		t.Fatal(err)
	}
	conf.Timeout = time.Minute // a busy machine may be slow
	o := server.Options{Config: conf, Service: l.service, Projects: filepath.Join(l.root, "projects"), Pages: 3,
		Network: guard.Policy{AllowPrivate: true},
		Version: "test", Log: slog.New(slog.NewTextHandler(l.log, &slog.HandlerOptions{Level: slog.LevelInfo}))}
	options(&o, so.PublicURL)
	if l.server, err = server.New(o); err != nil {
		t.Fatal(err)
	}
	l.http.Config.Handler = l.server.Handler()
	l.http.Start()
	t.Cleanup(func() {
		if err := errors.Join(l.server.Close(), l.service.Close()); err != nil {
			t.Errorf("close the server: %v", err)
		}
		l.http.CloseClientConnections()
		l.http.Close()
		if t.Failed() {
			t.Logf("log of the server:\n%s", l.log.String())
		}
	})
	return l
}

// person creates an account with a large plan.
func (l *lab) person(email string, admin bool) *service.Person {
	l.t.Helper()
	op := l.service.Operator()
	if _, err := op.CreateAccount(l.t.Context(), email, password, admin); err != nil {
		l.t.Fatal(err)
	}
	if err := op.SetPlan(l.t.Context(), service.PlanChange{Account: email, Plan: service.PlanEnterprise}); err != nil {
		l.t.Fatal(err)
	}
	p, err := l.service.LogIn(l.t.Context(), service.LogIn{Email: email, Password: password})
	if err != nil {
		l.t.Fatal(err)
	}
	return p
}

// cookie logs a person in and returns the value of the cookie.
func (l *lab) cookie(p *service.Person) string {
	l.t.Helper()
	c, err := l.service.NewSession(l.t.Context(), p)
	if err != nil {
		l.t.Fatal(err)
	}
	return c
}

// answer is a response.
type answer struct {
	status int
	header http.Header
	body   string
}

func (a answer) String() string {
	return fmt.Sprintf("%d %v %.400s", a.status, a.header["Location"], a.body)
}

// ask sends a request as a browser on a page of the console does; a form makes it a POST. Headers are pairs.
func (l *lab) ask(cookie, method, path string, form url.Values, headers ...string) answer {
	l.t.Helper()
	var body io.Reader
	if form != nil {
		body = strings.NewReader(form.Encode())
	}
	r, err := http.NewRequestWithContext(l.t.Context(), method, l.http.URL+path, body)
	if err != nil {
		l.t.Fatal(err)
	}
	if form != nil {
		r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	if cookie != "" {
		r.AddCookie(&http.Cookie{Name: "taproot_session", Value: cookie})
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	for i := 0; i+1 < len(headers); i += 2 {
		if r.Header.Set(headers[i], headers[i+1]); headers[i] == "Host" {
			r.Host = headers[i+1]
		}
	}
	return l.do(r)
}

// do sends a request without following redirects.
func (l *lab) do(r *http.Request) answer {
	l.t.Helper()
	client := &http.Client{Transport: l.http.Client().Transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	res, err := client.Do(r)
	if err != nil {
		l.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	if res.StatusCode >= http.StatusInternalServerError {
		l.t.Errorf("%s %s: %d %.300s", r.Method, r.URL, res.StatusCode, data)
	}
	return answer{res.StatusCode, res.Header, string(data)}
}

// tab is a page in Chromium. Anything on its console, and any request that leaves the server, fails the test.
type tab struct {
	playwright.Page
	l *lab
}

type screen struct {
	width, height int
	dark, plain   bool // plain: without scripts
}

func (l *lab) open(s screen) *tab {
	l.t.Helper()
	if s.width == 0 {
		s.width, s.height = 1440, 900
	}
	scheme := playwright.ColorSchemeLight
	if s.dark {
		scheme = playwright.ColorSchemeDark
	}
	context, err := chromium.Start(l.t).NewContext(playwright.BrowserNewContextOptions{
		Viewport: &playwright.Size{Width: s.width, Height: s.height}, ColorScheme: scheme,
		JavaScriptEnabled: playwright.Bool(!s.plain)})
	if err != nil {
		l.t.Fatal(err)
	}
	page, err := context.NewPage()
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() {
		if err := context.Close(); err != nil {
			l.t.Error(err)
		}
	})
	return l.watch(page)
}

// watch fails the test for console errors of a page and for requests to other sites.
func (l *lab) watch(page playwright.Page) *tab {
	l.t.Helper()
	page.SetDefaultTimeout(chromiumtest.Patience)
	var mu sync.Mutex
	var said []string
	say := func(s string) { mu.Lock(); defer mu.Unlock(); said = append(said, s) }
	page.OnConsole(func(m playwright.ConsoleMessage) {
		// Ignore responses that the test checks; and a test may fill a field before the page's first frame, so that
		// autofocus is blocked.
		if !strings.Contains(m.Text(), "Failed to load resource") &&
			!strings.HasPrefix(m.Text(), "Autofocus processing was blocked") {
			say("console: " + m.Text())
		}
	})
	page.OnPageError(func(err error) { say("error: " + err.Error()) })
	page.OnRequest(func(r playwright.Request) {
		if !strings.HasPrefix(r.URL(), l.http.URL+"/") && !strings.HasPrefix(r.URL(), "data:") &&
			!strings.HasPrefix(r.URL(), "blob:") {
			say("request: " + r.URL())
		}
	})
	l.t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		if len(said) > 0 {
			l.t.Errorf("the pages said:\n%s", strings.Join(said, "\n"))
		}
	})
	return &tab{page, l}
}

// secondTab opens another page in the same browser, with the same login.
func (p *tab) secondTab() *tab {
	p.l.t.Helper()
	page, err := p.Context().NewPage()
	p.must(err)
	return p.l.watch(page)
}

func (p *tab) must(err error) {
	p.l.t.Helper()
	if err != nil {
		body, _ := p.Locator("body").InnerText()
		p.l.t.Fatalf("%v\nat %s:\n%.1500s", err, p.URL(), body)
	}
}

func (p *tab) goTo(path string) {
	p.l.t.Helper()
	_, err := p.Goto(p.l.http.URL + path)
	p.must(err)
}

func (p *tab) fill(label, text string) {
	p.l.t.Helper()
	field := p.Locator("main").GetByLabel(label, playwright.LocatorGetByLabelOptions{Exact: playwright.Bool(true)})
	p.must(field.First().Fill(text))
}

// press presses a button of the page, or follows a link.
func (p *tab) press(role, name string) {
	p.l.t.Helper()
	p.must(p.GetByRole(playwright.AriaRole(role), playwright.PageGetByRoleOptions{
		Name: name, Exact: playwright.Bool(true)}).First().Click())
}

// sees waits for a text.
func (p *tab) sees(text string) {
	p.l.t.Helper()
	p.must(p.GetByText(text).First().WaitFor())
}

// logIn logs in by the form.
func (p *tab) logIn(email string) {
	p.l.t.Helper()
	p.goTo("/console/login")
	p.fill("E-mail", email)
	p.fill("Password", password)
	p.press("button", "Log in")
	p.sees("Get started")
}

// accessible fails the test for everything that axe-core finds, and for a page that is wider than the window.
func (p *tab) accessible(what string) {
	p.l.t.Helper()
	list, err := chromiumtest.Violations(p.Page)
	p.must(err)
	for _, v := range list {
		p.l.t.Errorf("%s: %s", what, v)
	}
	p.fits(what)
}

// fits fails the test for a page that is wider than the window.
func (p *tab) fits(what string) {
	p.l.t.Helper()
	wide, err := p.Evaluate(`document.documentElement.scrollWidth - document.documentElement.clientWidth`)
	p.must(err)
	if n, ok := wide.(int); ok && n > 0 {
		p.l.t.Errorf("%s: the page is %d px wider than the window", what, n)
	}
}

// inFull calls accessible in full tests only: for a state of a page that differs little from one that is always
// checked.
func (p *tab) inFull(what string) {
	p.l.t.Helper()
	if !testing.Short() {
		p.accessible(what)
	}
}

// shot saves a screenshot of the page when CONSOLE_SHOTS names a folder.
func (p *tab) shot(name string) {
	p.l.t.Helper()
	dir := os.Getenv("CONSOLE_SHOTS")
	if dir == "" {
		return
	}
	_, err := p.Screenshot(playwright.PageScreenshotOptions{Path: playwright.String(filepath.Join(dir, name+".png")),
		FullPage: playwright.Bool(true)})
	p.must(err)
}

func decode(t testing.TB, text string, out any) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), out); err != nil {
		t.Fatalf("%v in %.300s", err, text)
	}
}

var projectInPath = regexp.MustCompile(`/console/p/(prj_\w+)/`)

// api calls the REST API with a key.
func (l *lab) api(key, method, path string, in any) answer {
	l.t.Helper()
	var body io.Reader
	if in != nil {
		data, err := json.Marshal(in)
		if err != nil {
			l.t.Fatal(err)
		}
		body = strings.NewReader(string(data))
	}
	r, err := http.NewRequestWithContext(l.t.Context(), method, l.http.URL+path, body)
	if err != nil {
		l.t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	res, err := l.http.Client().Do(r)
	if err != nil {
		l.t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		l.t.Fatal(err)
	}
	if res.StatusCode >= http.StatusBadRequest {
		l.t.Fatalf("%s %s: %d %s", method, path, res.StatusCode, data)
	}
	return answer{res.StatusCode, res.Header, string(data)}
}

// archiveOf creates a tar.gz.
func archiveOf(t testing.TB, files map[string]string) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	in := tar.NewWriter(zip)
	for name, text := range files {
		if err := in.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text)),
			Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(in, text); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(in.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}
