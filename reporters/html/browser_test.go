package html

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/internal/toolchain"
)

// patience is for what a busy machine has no time for, in milliseconds.
const patience = 120_000

// chromium is the one browser of this package's tests.
var chromium browser

type browser struct {
	once sync.Once
	err  error
	pw   *playwright.Playwright
	b    playwright.Browser
}

func (c *browser) start(t testing.TB) playwright.Browser {
	t.Helper()
	c.once.Do(func() { c.err = c.launch(t) })
	if c.err != nil {
		t.Fatal("start Chromium: ", c.err)
	}
	return c.b
}

func (c *browser) launch(t testing.TB) error {
	setup, err := toolchain.Playwright(t.Context(), toolchain.System())
	if err != nil {
		return err
	}
	for name, value := range setup.Env {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	if c.pw, err = playwright.Run(setup.Options); err != nil {
		return err
	}
	c.b, err = c.pw.Chromium.Launch(playwright.BrowserTypeLaunchOptions{
		ExecutablePath: playwright.String(setup.Chromium), ChromiumSandbox: playwright.Bool(setup.Sandbox), Args: toolchain.ChromiumArgs(), Headless: playwright.Bool(true),
		Timeout: playwright.Float(patience)})
	return err
}

func (c *browser) close() error {
	var errs []error
	if c.b != nil {
		errs = append(errs, c.b.Close())
	}
	if c.pw != nil {
		errs = append(errs, c.pw.Stop())
	}
	return errors.Join(errs...)
}

// tab is a page of ours in the browser. Anything on its console, and any request that leaves the disk, fails the test.
type tab struct {
	playwright.Page
	t testing.TB
}

type screen struct {
	width, height int
	dark          bool
}

func openTab(t testing.TB, file, hash string, s screen) *tab {
	t.Helper()
	if s.width == 0 {
		s.width, s.height = 1440, 900
	}
	scheme := playwright.ColorSchemeLight
	if s.dark {
		scheme = playwright.ColorSchemeDark
	}
	context, err := chromium.start(t).NewContext(playwright.BrowserNewContextOptions{
		Viewport: &playwright.Size{Width: s.width, Height: s.height}, ColorScheme: scheme, Offline: playwright.Bool(true)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := context.Close(); err != nil {
			t.Error(err)
		}
	})
	page, err := context.NewPage()
	if err != nil {
		t.Fatal(err)
	}
	var mu sync.Mutex
	var said []string
	say := func(s string) { mu.Lock(); defer mu.Unlock(); said = append(said, s) }
	page.OnConsole(func(m playwright.ConsoleMessage) { say("console: " + m.Text()) })
	page.OnPageError(func(err error) { say("error: " + err.Error()) })
	page.OnRequest(func(r playwright.Request) {
		if !strings.HasPrefix(r.URL(), "file:") && !strings.HasPrefix(r.URL(), "data:") {
			say("request: " + r.URL())
		}
	})
	t.Cleanup(func() {
		mu.Lock()
		defer mu.Unlock()
		if len(said) > 0 {
			t.Errorf("the page said:\n%s", strings.Join(said, "\n"))
		}
	})
	address := (&url.URL{Scheme: "file", Path: filepath.ToSlash(file)}).String() + hash
	if _, err := page.Goto(address, playwright.PageGotoOptions{Timeout: playwright.Float(patience)}); err != nil {
		t.Fatal(err)
	}
	return &tab{Page: page, t: t}
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

const (
	axeVersion = "4.11.0"
	axeSHA512  = "ilYanEU8vxxBexpJd8cWM4ElSQq4QctCLKih0TSfjIfCQTeyH/6zVrmIJfLPrKTKJRbiG+cfnZbQIjAlJmF1jQ=="
)

// axe gives axe-core's script: of the cache, where the first run of these tests puts it.
var axe = sync.OnceValues(func() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	dir := filepath.Join(cache, "taproot", "npm")
	file := filepath.Join(dir, "axe-core-"+axeVersion+".tgz")
	raw, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		raw, err = fetchAxe(dir, file)
	}
	if err != nil {
		return "", err
	}
	if sum := sha512.Sum512(raw); base64.StdEncoding.EncodeToString(sum[:]) != axeSHA512 {
		return "", fmt.Errorf("%s is not axe-core %s: remove it", file, axeVersion)
	}
	return memberOf(raw, "package/axe.min.js")
})

func fetchAxe(dir, file string) ([]byte, error) {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	aside, err := os.MkdirTemp(dir, ".axe-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(aside)
	cmd := exec.Command("npm", "pack", "--silent", "--pack-destination", aside, "axe-core@"+axeVersion)
	cmd.Dir = aside
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("axe-core %s, which checks that the pages are accessible, is not at %s and npm cannot fetch it (%w); run the tests once with a network: %s", axeVersion, file, err, out)
	}
	fetched := filepath.Join(aside, "axe-core-"+axeVersion+".tgz")
	raw, err := os.ReadFile(fetched)
	if err != nil {
		return nil, err
	}
	return raw, os.Rename(fetched, file)
}

func memberOf(tgz []byte, name string) (string, error) {
	zipped, err := gzip.NewReader(bytes.NewReader(tgz))
	if err != nil {
		return "", err
	}
	for r := tar.NewReader(zipped); ; {
		head, err := r.Next()
		if err != nil {
			return "", fmt.Errorf("find %s in axe-core: %w", name, err)
		}
		if head.Name == name {
			text, err := io.ReadAll(r)
			return string(text), err
		}
	}
}

// accessible fails the test for everything that axe-core finds, whatever its weight.
func (p *tab) accessible() {
	p.t.Helper()
	script, err := axe()
	if err != nil {
		p.t.Fatal(err)
	}
	p.js(script + "\n;0")
	found := p.js(`axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.map(v => v.impact + " " + v.id + ": " + v.nodes.slice(0, 4).map(n => n.html.slice(0, 160) + " " + n.failureSummary).join(" | ")))`)
	list, ok := found.([]any)
	if !ok {
		p.t.Fatalf("axe said %v", found)
	}
	for _, v := range list {
		p.t.Error(v)
	}
}
