package toolchain

import (
	"cmp"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// findDriver reads the version from the driver's package.json, which is fast and needs no Node.
func findDriver(h Host) Finding {
	if dir := h.Getenv("PLAYWRIGHT_DRIVER_PATH"); dir != "" {
		f := probeDriver(h, dir)
		f.Pinned = "PLAYWRIGHT_DRIVER_PATH"
		return f
	}
	first := Finding{Problem: "not found"}
	for _, dir := range []string{h.driverDir(), playwrightGoDir(h)} {
		if dir == "" {
			continue
		}
		f := probeDriver(h, dir)
		if f.Problem == "" {
			return f
		}
		if first.Version == "" && f.Version != "" {
			first = f
		}
	}
	return first
}

func probeDriver(h Host, dir string) Finding {
	f := Finding{Path: dir}
	if _, err := h.Stat(filepath.Join(dir, "package", "cli.js")); err != nil {
		f.Problem = "package/cli.js is missing"
		return f
	}
	raw, err := h.ReadFile(filepath.Join(dir, "package", "package.json"))
	if err != nil {
		f.Problem = "package/package.json cannot be read: " + err.Error()
		return f
	}
	var manifest struct {
		Version string `json:"version"`
	}
	if err := json.Unmarshal(raw, &manifest); err != nil || manifest.Version == "" {
		f.Problem = "package/package.json names no version"
		return f
	}
	f.Version = manifest.Version
	if f.Version != DriverVersion {
		f.Problem = fmt.Sprintf("version %s does not fit, exactly %s is needed", f.Version, DriverVersion)
	}
	return f
}

// driverDir is where Taproot itself puts the driver.
func (h Host) driverDir() string {
	if h.CacheDir == "" {
		return ""
	}
	return filepath.Join(h.CacheDir, "playwright-driver", DriverVersion)
}

// playwrightGoDir is where playwright-go puts the driver by default.
func playwrightGoDir(h Host) string {
	home := h.Getenv("HOME")
	if h.GOOS == "windows" {
		home = h.Getenv("USERPROFILE")
	}
	if home == "" {
		return ""
	}
	cache := filepath.Join(home, ".cache")
	switch h.GOOS {
	case "darwin":
		cache = filepath.Join(home, "Library", "Caches")
	case "windows":
		cache = filepath.Join(home, "AppData", "Local")
	}
	return filepath.Join(cache, "ms-playwright-go", DriverVersion)
}

// browsersDirs returns the folders where Playwright keeps the browsers that it has installed. The default one is
// included even if a variable names another: PlaywrightSetup.Env sets that variable, and child processes inherit it.
func (h Host) browsersDirs() []string {
	var out []string
	if dir := h.Getenv("PLAYWRIGHT_BROWSERS_PATH"); filepath.IsAbs(dir) {
		out = append(out, dir)
	}
	if h.CacheDir != "" {
		out = append(out, filepath.Join(filepath.Dir(h.CacheDir), "ms-playwright"))
	}
	return out
}

// headlessPlaces lists Playwright's own headless shells, the newest of a folder first.
func headlessPlaces(h Host) []string {
	names := map[string][]string{
		"linux":   {"chrome-headless-shell-linux*/chrome-headless-shell", "chrome-linux/headless_shell"},
		"darwin":  {"chrome-headless-shell-mac*/chrome-headless-shell", "chrome-mac/headless_shell"},
		"windows": {"chrome-headless-shell-win*/chrome-headless-shell.exe", "chrome-win/headless_shell.exe"},
	}
	var out []string
	for _, dir := range h.browsersDirs() {
		var below []string
		for _, name := range names[h.GOOS] {
			if found, err := h.Glob(filepath.Join(escapeGlob(dir), "chromium_headless_shell-*",
				filepath.FromSlash(name))); err == nil {
				below = append(below, found...)
			}
		}
		slices.SortStableFunc(below, func(a, b string) int { return cmp.Compare(revision(dir, b), revision(dir, a)) })
		out = append(out, below...)
	}
	return out
}

// playwrightChromium lists Playwright's own Chromiums, the newest of a folder first.
func playwrightChromium(h Host) []string {
	var out []string
	for _, dir := range h.browsersDirs() {
		out = append(out, chromiumsBelow(h, dir)...)
	}
	return out
}

func chromiumsBelow(h Host, dir string) []string {
	mac := []string{"Contents", "MacOS"}
	below := map[string][][]string{
		"linux":   {{"chrome-linux64", "chrome"}, {"chrome-linux", "chrome"}},
		"windows": {{"chrome-win64", "chrome.exe"}, {"chrome-win", "chrome.exe"}},
		"darwin": {
			slices.Concat([]string{"chrome-mac*", "Google Chrome for Testing.app"}, mac, []string{"Google Chrome for Testing"}),
			slices.Concat([]string{"chrome-mac*", "Chromium.app"}, mac, []string{"Chromium"}),
		},
	}
	var out []string
	for _, path := range below[h.GOOS] {
		found, err := h.Glob(filepath.Join(slices.Concat([]string{escapeGlob(dir), "chromium-*"}, path)...))
		if err != nil {
			continue
		}
		out = append(out, found...)
	}
	slices.SortStableFunc(out, func(a, b string) int { return cmp.Compare(revision(dir, b), revision(dir, a)) })
	return out
}

// revision is the N of <browsers>/chromium-N/…
func revision(dir, path string) int {
	rel, err := filepath.Rel(dir, path)
	if err != nil {
		return 0
	}
	folder, _, _ := strings.Cut(filepath.ToSlash(rel), "/")
	n, err := strconv.Atoi(strings.TrimPrefix(folder, "chromium-"))
	if err != nil {
		return 0
	}
	return n
}
