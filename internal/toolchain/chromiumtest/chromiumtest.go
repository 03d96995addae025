// Package chromiumtest gives tests a Chromium that Playwright drives, and axe-core, which finds what people without
// eyes or mouse cannot use.
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

// Patience is for what a busy machine has no time for, in milliseconds.
const Patience = 120_000

// Browser is the one browser of a package's tests. The zero value is ready; Close ends it.
type Browser struct {
	once sync.Once
	err  error
	pw   *playwright.Playwright
	b    playwright.Browser
}

// Start gives the browser, which is launched once.
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

// Program is the browser of tests: the whole Chromium, or where time is short its headless shell, which draws the same
// for two thirds of the processor's time.
func Program(setup *toolchain.PlaywrightSetup) string {
	if testing.Short() {
		return setup.Headless
	}
	return setup.Chromium
}

// Close ends it.
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

// Violations lists everything that axe-core finds on a page, whatever its weight.
func Violations(page playwright.Page) (list []string, err error) {
	script, err := axe()
	if err != nil {
		return nil, err
	}
	there, err := page.Evaluate(`typeof axe === "object"`) // of an earlier look at the same document
	if err == nil && there != true {
		_, err = page.Evaluate(script + "\n;0")
	}
	if err != nil {
		return nil, err
	}
	found, err := page.Evaluate(
		`axe.run(document, {resultTypes: ["violations"]}).then(r => r.violations.map(v => v.impact + " " + v.id + ": " + v.nodes.slice(0, 4).map(n => n.html.slice(0, 160) + " " + n.failureSummary).join(" | ")))`)
	if err != nil {
		return nil, err
	}
	all, ok := found.([]any)
	if !ok {
		return nil, fmt.Errorf("axe said %v", found)
	}
	for _, v := range all {
		list = append(list, fmt.Sprint(v))
	}
	return list, nil
}

// Axe gives axe-core's script, for tests that ask it themselves.
func Axe() (string, error) { return axe() }
