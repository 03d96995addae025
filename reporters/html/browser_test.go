package html

import (
	"bytes"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/internal/toolchain/chromiumtest"
)

// patience is for what a busy machine has no time for, in milliseconds.
const patience = chromiumtest.Patience

// chromium is the one browser of this package's tests.
var chromium chromiumtest.Browser

// tab is a page of ours in the browser. Anything on its console, and any request that leaves the disk, fails the test.
type tab struct {
	playwright.Page
	t testing.TB
}

type screen struct {
	width, height int
	dark          bool
}

// seat is a page of the browser that tests sit on one after the other: to make one costs more than most tests do.
type seat struct {
	playwright.Page
	mu   sync.Mutex
	said []string
}

// seats are the free ones.
var seats = struct {
	sync.Mutex
	free map[screen][]*seat
}{free: map[screen][]*seat{}}

func (s *seat) say(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said = append(s.said, what)
}

// takeSeat gives an empty page.
func takeSeat(t testing.TB, s screen) *seat {
	t.Helper()
	seats.Lock()
	if free := seats.free[s]; len(free) > 0 {
		seats.free[s] = free[:len(free)-1]
		seats.Unlock()
		return free[len(free)-1]
	}
	seats.Unlock()
	context, err := chromium.Start(t).NewContext(playwright.BrowserNewContextOptions{
		Viewport: &playwright.Size{Width: s.width, Height: s.height}, ColorScheme: s.scheme(), Offline: playwright.Bool(true)})
	if err != nil {
		t.Fatal(err)
	}
	page, err := context.NewPage()
	if err != nil {
		t.Fatal(err)
	}
	made := &seat{Page: page}
	page.OnConsole(func(m playwright.ConsoleMessage) { made.say("console: " + m.Text()) })
	page.OnPageError(func(err error) { made.say("error: " + err.Error()) })
	page.OnRequest(func(r playwright.Request) {
		if !strings.HasPrefix(r.URL(), "file:") && !strings.HasPrefix(r.URL(), "data:") {
			made.say("request: " + r.URL())
		}
	})
	return made
}

// leave fails the test for what the page said, and empties the page for the next one.
func (s *seat) leave(t testing.TB, of screen) {
	_, err := s.Evaluate(`localStorage.clear()`) // a colour scheme that was chosen
	if err == nil {
		_, err = s.Goto("about:blank")
	}
	if err == nil {
		err = s.SetViewportSize(of.width, of.height)
	}
	if err == nil {
		err = s.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: of.scheme()})
	}
	if err != nil {
		t.Error(err)
	}
	s.mu.Lock()
	said := s.said
	s.said = nil
	s.mu.Unlock()
	if len(said) > 0 {
		t.Errorf("the page said:\n%s", strings.Join(said, "\n"))
	}
	if t.Failed() || len(s.Context().Pages()) > 1 {
		if err := s.Context().Close(); err != nil {
			t.Error(err)
		}
		return
	}
	seats.Lock()
	defer seats.Unlock()
	seats.free[of] = append(seats.free[of], s)
}

func (s screen) scheme() *playwright.ColorScheme {
	if s.dark {
		return playwright.ColorSchemeDark
	}
	return playwright.ColorSchemeLight
}

func openTab(t testing.TB, file, hash string, s screen) *tab {
	t.Helper()
	if s.width == 0 {
		s.width, s.height = 1440, 900
	}
	page := takeSeat(t, s)
	t.Cleanup(func() { page.leave(t, s) })
	address := (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String() + hash
	if _, err := page.Goto(address, playwright.PageGotoOptions{Timeout: playwright.Float(patience)}); err != nil {
		t.Fatal(err)
	}
	return &tab{Page: page.Page, t: t}
}

// js gives what an expression is, as JSON would have it.
func (p *tab) js(expression string) any {
	p.t.Helper()
	v, err := p.Evaluate(expression)
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// is waits until the expression is want. On the way from page to page it may not make sense for a moment.
func (p *tab) is(expression string, want any) {
	p.t.Helper()
	var encoded bytes.Buffer
	enc := json.NewEncoder(&encoded)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(want); err != nil {
		p.t.Fatal(err)
	}
	_, err := p.WaitForFunction("want => { try { return JSON.stringify("+expression+") === want.trim() } catch { return false } }", encoded.String(), playwright.PageWaitForFunctionOptions{Timeout: playwright.Float(patience)})
	if err != nil {
		p.t.Errorf("%s is %v, not %s", expression, p.js(expression), encoded.String())
	}
}

func (p *tab) press(keys ...string) {
	p.t.Helper()
	for _, key := range keys {
		if err := p.Keyboard().Press(key); err != nil {
			p.t.Fatal(err)
		}
	}
}

// accessible fails the test for everything that axe-core finds, whatever its weight.
func (p *tab) accessible() {
	p.t.Helper()
	list, err := chromiumtest.Violations(p.Page)
	if err != nil {
		p.t.Fatal(err)
	}
	for _, v := range list {
		p.t.Error(v)
	}
}
