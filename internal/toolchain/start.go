package toolchain

import (
	"context"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

//go:embed start.js
var startScript string

//go:embed recording.js
var recordingScript string

//go:embed bidi.js
var bidiScript string

//go:embed compiled.js
var compiledScript string

// quickStart makes a driver folder for playwright-go that starts the driver in a third of the time. If it cannot be
// made, the driver is started directly.
func (h Host) quickStart(driver string) string {
	core := filepath.Join(driver, "package")
	if h.CacheDir == "" || !isFile(h, filepath.Join(core, "lib", "cli", "driver.js")) {
		return driver
	}
	quoted, err := json.Marshal(filepath.ToSlash(core))
	if err != nil {
		return driver
	}
	script := strings.NewReplacer("'{{core}}'", string(quoted), "{{prefix}}", folderPrefix).Replace(startScript)
	// another script, or another driver, has another folder
	sum := sha256.Sum256([]byte(script + recordingScript + bidiScript + compiledScript))
	dir := filepath.Join(h.CacheDir, "playwright-start", fmt.Sprintf("%x", sum[:8]))
	for _, f := range [][2]string{{"recording.js", recordingScript}, {"bidi.js", bidiScript},
		{"compiled.js", compiledScript},
		{"cli.js", script}} {
		if err := putFile(filepath.Join(dir, "package", f[0]), f[1]); err != nil {
			return driver
		}
	}
	return dir
}

const folderPrefix = "taproot-playwright-"

// BrowsersDir is where the driver process with that number keeps the profiles of its browsers. The process removes it
// at its end, unless it is killed or a browser still writes there.
func BrowsersDir(pid int) string {
	return filepath.Join(os.TempDir(), folderPrefix+strconv.Itoa(pid))
}

func isFile(h Host, path string) bool {
	info, err := h.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// putFile writes a file unless it exists with this text.
func putFile(path, text string) error {
	if have, err := os.ReadFile(path); err == nil && string(have) == text {
		return nil
	}
	return replaceFile(path, []byte(text))
}

// replaceFile writes a file atomically: to a temporary file, which is renamed.
func replaceFile(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(path), ".new-")
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if closed := f.Close(); err == nil {
		err = closed
	}
	if err == nil {
		err = os.Rename(f.Name(), path)
	}
	if err != nil {
		_ = os.Remove(f.Name())
	}
	return err
}

// windowFeatures are features for which Chromium starts processes with each window, which takes longer than a test's
// page: parts of the window that are pages themselves, and a spare renderer.
var windowFeatures = []string{"WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup",
	"SpareRendererForSitePerProcess"}

// playwrightFeatures are the features that this version of Playwright disables. Chromium uses only the last such list,
// so ours must repeat them.
var playwrightFeatures = []string{"AcceptCHFrame", "AvoidUnnecessaryBeforeUnloadCheckSync",
	"DestroyProfileOnBrowserClose",
	"DialMediaRouteProvider", "GlobalMediaControls", "HttpsUpgrades", "LensOverlay", "MediaRouter", "PaintHolding",
	"ThirdPartyStoragePartitioning", "Translate", "AutoDeElevate", "RenderDocument", "OptimizationHints"}

// ChromiumArgs returns the arguments for every Chromium, in addition to Playwright's.
func ChromiumArgs() []string {
	return []string{"--disable-features=" + strings.Join(slices.Concat(windowFeatures, playwrightFeatures), ","),
		"--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"}
}

// TraceViewer finds Playwright's trace viewer, a static site within the driver's npm package.
func TraceViewer(ctx context.Context, h Host) (dir string, err error) {
	driver, err := Need(ctx, h, Driver)
	if err != nil {
		return "", err
	}
	dir = filepath.Join(driver.Path, "package", "lib", "vite", "traceViewer")
	if _, err := h.ReadFile(filepath.Join(dir, "index.html")); err != nil {
		return "", errors.New("the Playwright driver at " + driver.Path + " has no trace viewer")
	}
	return dir, nil
}
