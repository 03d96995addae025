// Package chromiumtest provides tests with a Chromium that Playwright drives, and with axe-core, which finds
// accessibility problems.
package chromiumtest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/playwright-community/playwright-go"

	"github.com/taproot-dev/taproot/internal/toolchain"
)

// Patience is a timeout in milliseconds that suffices on a busy machine.
const Patience = 120_000

// Browser is the browser that the tests of a package share. The zero value is ready; Close ends it.
type Browser struct {
	once sync.Once
	err  error
	pw   *playwright.Playwright
	b    playwright.Browser
}

// Start returns the browser, which is launched once.
func (c *Browser) Start(t testing.TB) playwright.Browser {
	t.Helper()
	c.once.Do(func() { c.err = c.launch(t) })
	if c.err != nil {
		t.Fatal("start Chromium: ", c.err)
	}
	return c.b
}

func (c *Browser) launch(t testing.TB) error {
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
		ExecutablePath: playwright.String(Program(setup)), ChromiumSandbox: playwright.Bool(setup.Sandbox),
		Args: toolchain.ChromiumArgs(), Headless: playwright.Bool(true),
		Timeout: playwright.Float(Patience)})
	return err
}

// Program returns the browser for tests: the whole Chromium, or in the short mode its headless shell, which renders the
// same in two thirds of the processor time.
func Program(setup *toolchain.PlaywrightSetup) string {
	if testing.Short() || setup.Chromium == "" {
		return setup.Headless
	}
	return setup.Chromium
}

// Close ends the browser.
func (c *Browser) Close() error {
	var errs []error
	if c.b != nil {
		errs = append(errs, c.b.Close())
	}
	if c.pw != nil {
		errs = append(errs, c.pw.Stop())
	}
	return errors.Join(errs...)
}

const (
	axeVersion = "4.11.0"
	axeSHA512  = "ilYanEU8vxxBexpJd8cWM4ElSQq4QctCLKih0TSfjIfCQTeyH/6zVrmIJfLPrKTKJRbiG+cfnZbQIjAlJmF1jQ=="
)

// axe returns axe-core's script from the cache, where the first run of these tests puts it.
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
		return nil, fmt.Errorf(
			"axe-core %s, which checks that the pages are accessible, is not at %s and npm cannot fetch it (%w); run the "+
				"tests once with a network: %s", axeVersion, file, err, out)
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

// Violations lists everything that axe-core finds on a page, whatever its severity.
func Violations(page playwright.Page) (list []string, err error) {
	script, err := axe()
	if err != nil {
		return nil, err
	}
	there, err := page.Evaluate(`typeof axe === "object"`) // from an earlier call for the same document
	if err == nil && there != true {
		_, err = page.Evaluate(script + "\n;0")
	}
	if err != nil {
		return nil, err
	}
	found, err := page.Evaluate(
		`axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.map(v => v.impact + " " + v.id + ": " + ` +
			`v.nodes.slice(0, 4).map(n => n.html.slice(0, 160) + " " + n.failureSummary).join(" | ")))`)
	if err != nil {
		return nil, err
	}
	all, ok := found.([]any)
	if !ok {
		return nil, fmt.Errorf("axe-core returned %v", found)
	}
	for _, v := range all {
		list = append(list, fmt.Sprint(v))
	}
	return list, nil
}

// Axe returns axe-core's script, for tests that use it themselves.
func Axe() (string, error) { return axe() }
