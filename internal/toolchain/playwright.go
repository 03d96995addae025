package toolchain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/playwright-community/playwright-go"
)

// PlaywrightSetup is what the web driver needs to start Playwright and a browser.
type PlaywrightSetup struct {
	// Options are for playwright.Run.
	Options *playwright.RunOptions
	// Chromium is the whole browser, for BrowserType.Launch's ExecutablePath; empty where only the headless shell is
	// installed.
	Chromium string
	// Headless is the browser for pages without a window, for BrowserType.Launch's ExecutablePath: the headless shell of
	// the same version, or else Chromium.
	Headless string
	// Version of Chromium, or of the headless shell where that is the only one.
	Version string
	Node    string
	// Driver is the folder of Playwright's driver, from which Options start what is needed.
	Driver string
	// FFmpeg is empty if there is none: then Playwright cannot record videos.
	FFmpeg string
	// BiDi reports whether Firefox can be driven, which requires that Taproot's own script starts Playwright.
	BiDi bool
	// Sandbox reports whether Chromium may keep its sandbox; false requires --no-sandbox.
	Sandbox bool
	// Env must be in the process's environment when playwright.Run is called: playwright-go has no option for these.
	Env map[string]string

	chromium Finding
}

// Windowed returns the path of Chromium, for pages with a window. A *MissingError says how to install it.
func (s *PlaywrightSetup) Windowed() (string, error) {
	if s.Chromium == "" {
		return "", &MissingError{Findings: []Finding{s.chromium}}
	}
	return s.Chromium, nil
}

// MissingError lists the tools that are needed and not usable.
type MissingError struct{ Findings []Finding }

func (e *MissingError) Error() string {
	var parts []string
	for _, f := range e.Findings {
		parts = append(parts, f.Tool.Name+" "+f.where()+": "+f.Advice)
	}
	return strings.Join(parts, "; ")
}

func (f Finding) where() string {
	if f.Path == "" {
		return f.Problem
	}
	return f.Path + ": " + f.Problem
}

// Need finds the tool of that name, or fails with a *MissingError with the advice.
func Need(ctx context.Context, h Host, name string) (Finding, error) {
	f, err := Find(ctx, h, name)
	switch {
	case err != nil:
		return f, err
	case f.NotHere:
		return f, fmt.Errorf("%s exists on %s only", name, f.Tool.OnlyOn)
	case !f.OK():
		return f, &MissingError{Findings: []Finding{f}}
	}
	return f, nil
}

// Playwright finds what a browser test needs. A *MissingError lists what is missing.
func Playwright(ctx context.Context, h Host) (*PlaywrightSetup, error) {
	names := []string{Chromium, Node, Driver, FFmpeg, Headless}
	found := make([]Finding, len(names))
	errs := make([]error, len(names))
	var wait sync.WaitGroup
	for i, name := range names {
		wait.Go(func() { found[i], errs[i] = Find(ctx, h, name) })
	}
	wait.Wait()
	if err := errors.Join(errs...); err != nil {
		return nil, err
	}
	shellSuffices(found)
	missing := slices.DeleteFunc(slices.Clone(found), func(f Finding) bool { return f.OK() || !f.Tool.Required })
	if len(missing) > 0 {
		return nil, &MissingError{Findings: missing}
	}
	chromium, node, driver, ffmpeg := found[0], found[1], found[2], found[3]
	headless := chromium
	if shell := found[4]; shell.OK() && (!chromium.OK() || shell.Pinned != "" || chromium.Pinned == "" &&
		majorOf(shell.Version) == majorOf(chromium.Version)) {
		headless = shell
	}
	whole, version := chromium.Path, chromium.Version
	if !chromium.OK() {
		whole, version = "", headless.Version
	}
	setup := &PlaywrightSetup{
		Headless: headless.Path,
		Options:  &playwright.RunOptions{DriverDirectory: h.quickStart(driver.Path), SkipInstallBrowsers: true},
		Chromium: whole, chromium: chromium, Version: version, Node: node.Path, Driver: driver.Path,
		Sandbox: h.ChromiumSandbox(),
		Env:     map[string]string{"PLAYWRIGHT_NODEJS_PATH": node.Path},
	}
	setup.BiDi = setup.Options.DriverDirectory != driver.Path
	if ffmpeg.OK() && h.CacheDir != "" {
		dir, err := h.videoDir(driver.Path, ffmpeg.Path)
		if err != nil {
			return nil, fmt.Errorf("prepare ffmpeg for Playwright: %w", err)
		}
		setup.FFmpeg, setup.Env["PLAYWRIGHT_BROWSERS_PATH"] = ffmpeg.Path, dir
	}
	return setup, nil
}

// videoDir makes a browsers folder in which Playwright finds the system's ffmpeg instead of its own. Chromium is
// started by its path, so nothing else is looked up there.
func (h Host) videoDir(driver, ffmpeg string) (string, error) {
	revisions, err := browserRevisions(h, driver, "ffmpeg")
	if err != nil {
		return "", err
	}
	names := map[string]string{"darwin": "ffmpeg-mac", "windows": "ffmpeg-win64.exe"}
	name, known := names[h.GOOS]
	if !known {
		name = "ffmpeg-linux"
	}
	dir := filepath.Join(h.CacheDir, "playwright-browsers")
	for _, revision := range revisions {
		if err := linkTo(ffmpeg, filepath.Join(dir, "ffmpeg-"+revision, name)); err != nil {
			return "", err
		}
	}
	return dir, nil
}

// browserRevisions returns the folder numbers of a browser, or of ffmpeg, that the driver may look for; old systems
// have numbers of their own.
func browserRevisions(h Host, driver, name string) ([]string, error) {
	raw, err := h.ReadFile(filepath.Join(driver, "package", "browsers.json"))
	if err != nil {
		return nil, err
	}
	var file struct {
		Browsers []struct {
			Name, Revision    string
			RevisionOverrides map[string]string
		}
	}
	if err := json.Unmarshal(raw, &file); err != nil {
		return nil, fmt.Errorf("read browsers.json: %w", err)
	}
	var out []string
	for _, b := range file.Browsers {
		if b.Name != name {
			continue
		}
		out = append(out, b.Revision)
		for _, r := range b.RevisionOverrides {
			out = append(out, r)
		}
	}
	slices.Sort(out)
	out = slices.Compact(out)
	if i := slices.IndexFunc(out, func(r string) bool { return r == "" || !filepath.IsLocal(name+"-"+r) }); i >= 0 ||
		len(out) == 0 {
		return nil, fmt.Errorf("browsers.json names no usable %s", name)
	}
	return out, nil
}

// linkTo makes link a symbolic link to target, or a copy where links are not permitted (Windows). It is atomic, so
// several processes may call it at once.
func linkTo(target, link string) error {
	if have, err := os.Readlink(link); err == nil && have == target {
		return nil
	}
	dir := filepath.Dir(link)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	aside, err := os.MkdirTemp(dir, ".new-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(aside)
	fresh := filepath.Join(aside, filepath.Base(link))
	if err := os.Symlink(target, fresh); err != nil {
		if same, statErr := sameSize(target, link); statErr == nil && same {
			return nil
		}
		if err := copyProgram(target, fresh); err != nil {
			return err
		}
	}
	return os.Rename(fresh, link)
}

func sameSize(a, b string) (bool, error) {
	one, errA := os.Stat(a)
	two, errB := os.Stat(b)
	if err := errors.Join(errA, errB); err != nil {
		return false, err
	}
	return one.Size() == two.Size(), nil
}

func copyProgram(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, fs.FileMode(0o755))
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close())
}
