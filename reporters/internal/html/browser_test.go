package html

import (
	"bytes"
	"encoding/json"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

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
	t     testing.TB
	moved bool // its size or colours were changed
}

// SetViewportSize is Playwright's.
func (p *tab) SetViewportSize(width, height int) error {
	p.moved = true
	return p.Page.SetViewportSize(width, height)
}

// EmulateMedia is Playwright's.
func (p *tab) EmulateMedia(options ...playwright.PageEmulateMediaOptions) error {
	p.moved = true
	return p.Page.EmulateMedia(options...)
}

type screen struct {
	width, height int
	dark          bool
}

// seat is a page of the browser that tests sit on one after the other: to make one costs more than most tests do.
type seat struct {
	playwright.Page
	screen screen // its size and colours
	mu     sync.Mutex
	said   []string
}

// seats are the free ones.
var seats = struct {
	sync.Mutex
	free []*seat
}{}

func (s *seat) say(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.said = append(s.said, what)
}

// takeSeat returns an empty page.
func takeSeat(t testing.TB, s screen) *seat {
	t.Helper()
	seats.Lock()
	defer seats.Unlock()
	if n := len(seats.free); n > 0 {
		free := seats.free[n-1]
		seats.free = seats.free[:n-1]
		if err := free.turn(s); err != nil {
			t.Fatal(err)
		}
		return free
	}
	return newSeat(t, s)
}

// turn changes the size and the colours of the page.
func (s *seat) turn(to screen) error {
	if s.screen == to {
		return nil
	}
	err := s.SetViewportSize(to.width, to.height)
	if err == nil {
		err = s.EmulateMedia(playwright.PageEmulateMediaOptions{ColorScheme: to.scheme()})
	}
	s.screen = to
	return err
}

func newSeat(t testing.TB, s screen) *seat {
	t.Helper()
	context, err := chromium.Start(t).NewContext(playwright.BrowserNewContextOptions{
		Viewport: &playwright.Size{Width: s.width, Height: s.height}, ColorScheme: s.scheme(),
		Offline: playwright.Bool(true)})
	if err != nil {
		t.Fatal(err)
	}
	page, err := context.NewPage()
	if err != nil {
		t.Fatal(err)
	}
	made := &seat{Page: page, screen: s}
	page.OnConsole(func(m playwright.ConsoleMessage) { made.say("console: " + m.Text()) })
	page.OnPageError(func(err error) { made.say("error: " + err.Error()) })
	page.OnRequest(func(r playwright.Request) {
		if !strings.HasPrefix(r.URL(), "file:") && !strings.HasPrefix(r.URL(), "data:") {
			made.say("request: " + r.URL())
		}
	})
	return made
}

// leave fails the test if the page reported errors, and empties the page for the next test. moved means that the test
// has changed its size or colours.
func (s *seat) leave(t testing.TB, moved bool) {
	_, err := s.Evaluate(`localStorage.clear()`) // a colour scheme that was chosen
	if err == nil {
		_, err = s.Goto("about:blank")
	}
	if moved {
		s.screen = screen{}
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
	seats.free = append(seats.free, s)
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
	p := &tab{Page: page.Page, t: t}
	t.Cleanup(func() { page.leave(t, p.moved) })
	address := (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String() + hash
	if _, err := page.Goto(address, playwright.PageGotoOptions{Timeout: playwright.Float(patience)}); err != nil {
		t.Fatal(err)
	}
	return p
}

// js returns the value of an expression as decoded JSON.
func (p *tab) js(expression string) any {
	p.t.Helper()
	v, err := p.Evaluate(expression)
	if err != nil {
		p.t.Fatalf("%s: %v", expression, err)
	}
	return v
}

// is waits until the expression equals want. While a page loads, the expression may fail. is polls fifty times a
// second: WaitForFunction polls sixty times, and has the page drawn each time.
func (p *tab) is(expression string, want any) {
	p.t.Helper()
	var encoded bytes.Buffer
	enc := json.NewEncoder(&encoded)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(want); err != nil {
		p.t.Fatal(err)
	}
	holds := `async ([want, ms]) => {
		for (const end = Date.now() + ms; ; await new Promise((done) => setTimeout(done, 20))) {
			try { if (JSON.stringify(` + expression + `) === want) return true } catch {}
			if (Date.now() > end) return false;
		}
	}`
	end := time.Now().Add(patience * time.Millisecond)
	yes, err := p.Evaluate(holds, []any{strings.TrimSpace(encoded.String()), patience})
	// the page that was asked is gone
	for err != nil && strings.Contains(err.Error(), "context") && time.Now().Before(end) {
		yes, err = p.Evaluate(holds, []any{strings.TrimSpace(encoded.String()), patience})
	}
	if err != nil || yes != true {
		p.t.Errorf("%s is %v, not %s: %v", expression, p.js(expression), encoded.String(), err)
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

// inFull is accessible where time is not short: for a state that differs little from one that is always looked at.
func (p *tab) inFull() {
	p.t.Helper()
	if !testing.Short() {
		p.accessible()
	}
}
