package toolchain

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

// probeTimeout limits one query for a version; a cold Chromium on a busy machine needs seconds.
const probeTimeout = 30 * time.Second

// Finding is what is known about one tool on one host.
type Finding struct {
	Tool Tool
	// Path and Version are empty unless a program was found. Both may be set in addition to a Problem.
	Path    string
	Version string
	// Problem is why the tool cannot be used; empty if it can.
	Problem string
	// Advice is what to do about a Problem on this system.
	Advice string
	// NotHere marks a tool that does not exist for this operating system.
	NotHere bool
	// Pinned is the environment variable that names Path, if there is one: installing cannot fix such a finding.
	Pinned string
}

// OK reports whether the tool can be used.
func (f Finding) OK() bool { return f.Problem == "" && !f.NotHere }

// Find looks for the tool of that name.
func Find(ctx context.Context, h Host, name string) (Finding, error) {
	t, err := toolNamed(name)
	if err != nil {
		return Finding{}, err
	}
	f := find(ctx, h, t)
	return f, ctx.Err()
}

// FindAll looks for every tool, as AskFor does.
func FindAll(ctx context.Context, h Host) ([]Finding, error) {
	return AskFor(ctx, h, Android, IOS, Web, InFirefox, InWebKit, Development, Database, Packages)
}

// AskFor is FindFor without the cache of versions: it runs each program.
func AskFor(ctx context.Context, h Host, platforms ...string) ([]Finding, error) {
	h.memory = nil
	return FindFor(ctx, h, platforms...)
}

// FindFor looks for the tools that tests on the platforms need, in parallel, and returns them in the order of Tools.
func FindFor(ctx context.Context, h Host, platforms ...string) ([]Finding, error) {
	tools := slices.DeleteFunc(Tools(), func(t Tool) bool { return !t.NeededFor(platforms...) })
	out := make([]Finding, len(tools))
	var wait sync.WaitGroup
	for i, t := range tools {
		wait.Go(func() { out[i] = find(ctx, h, t) })
	}
	wait.Wait()
	shellSuffices(out)
	return out, ctx.Err()
}

// shellSuffices makes Chromium optional, and its headless shell required, where only the shell is installed.
func shellSuffices(findings []Finding) {
	shell := slices.IndexFunc(findings, func(f Finding) bool { return f.Tool.Name == Headless && f.OK() })
	whole := slices.IndexFunc(findings, missingChromium)
	if shell < 0 || whole < 0 {
		return
	}
	findings[shell].Tool.Required = true
	findings[whole].Tool.Required = false
	findings[whole].Tool.Purpose = "without it no page can have a window (headless: false)"
}

func missingChromium(f Finding) bool {
	return f.Tool.Name == Chromium && f.Problem != "" && f.Pinned == ""
}

func find(ctx context.Context, h Host, t Tool) Finding {
	if t.OnlyOn != "" && t.OnlyOn != h.GOOS {
		return Finding{Tool: t, NotHere: true}
	}
	var f Finding
	switch t.Name {
	case Driver:
		f = findDriver(h)
	case Agent:
		f = findAgent(h)
	case WebKitDriver, MiniBrowser, Xvfb:
		f = findUnversioned(h, t)
	default:
		f = findProgram(ctx, h, t)
	}
	f.Tool = t
	if t.Name == Headless && f.Path == "" && !h.hasPackage(t.Name) {
		return Finding{Tool: t, NotHere: true} // the whole Chromium is used instead
	}
	if f.Problem != "" {
		f.Advice = advice(h, t)
		if f.Pinned != "" {
			f.Advice = fmt.Sprintf("unset %s, or let it name a good one", f.Pinned)
		}
	}
	return f
}

// findProgram returns the first usable program. If there is none, it returns the first problem, since it belongs to the
// program that the user expects to be used.
func findProgram(ctx context.Context, h Host, t Tool) Finding {
	for _, name := range t.env {
		if path := h.Getenv(name); path != "" {
			if found, err := h.LookPath(path); err == nil && filepath.Base(path) == path {
				path = found
			}
			f := probe(ctx, h, t, path)
			f.Pinned = name
			return f
		}
	}
	first := Finding{Problem: "not found"}
	for _, path := range places(h, t) {
		f := probe(ctx, h, t, path)
		if f.Problem == "" {
			return f
		}
		if first.Path == "" {
			first = f
		}
	}
	return first
}

// findUnversioned finds a program that prints no version: MiniBrowser needs a display for it. Where Debian's list of
// packages has it, that is taken.
func findUnversioned(h Host, t Tool) Finding {
	for _, name := range t.env {
		if path := h.Getenv(name); path != "" {
			f := Finding{Path: path, Pinned: name}
			if _, err := h.Stat(path); err != nil {
				f.Problem = "there is no such file"
			}
			return f
		}
	}
	list := places(h, t)
	if len(list) == 0 {
		return Finding{Problem: "not found"}
	}
	f := Finding{Path: list[0]}
	if t.Name != Xvfb {
		f.Version = h.debianVersion("webkit2gtk-driver")
	}
	return f
}

// debianVersion returns the version of an installed package without that of its packaging, "" where it is unknown.
func (h Host) debianVersion(name string) string {
	status, err := h.ReadFile("/var/lib/dpkg/status")
	if err != nil {
		return ""
	}
	_, entry, found := strings.Cut("\n"+string(status), "\nPackage: "+name+"\n")
	entry, _, _ = strings.Cut(entry, "\n\n")
	_, version, known := strings.Cut("\n"+entry, "\nVersion: ")
	if !found || !known {
		return ""
	}
	version, _, _ = strings.Cut(version, "\n")
	version, _, _ = strings.Cut(version, "-")
	return strings.TrimSpace(version)
}

func places(h Host, t Tool) []string {
	var out []string
	for _, name := range t.names {
		if path, err := h.LookPath(name); err == nil {
			out = append(out, path)
		}
	}
	for _, path := range t.candidates(h) {
		if info, err := h.Stat(path); err == nil && !info.IsDir() {
			out = append(out, path)
		}
	}
	return out
}

func probe(ctx context.Context, h Host, t Tool, path string) Finding {
	f := Finding{Path: path}
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	version, err := knownVersion(ctx, h, t, path)
	switch {
	case errors.Is(err, os.ErrNotExist):
		f.Problem = "there is no such file"
	case err != nil:
		f.Problem = err.Error()
	case !atLeast(version, t.Minimum):
		f.Problem = fmt.Sprintf("version %s is too old, %s or newer is needed", version, t.Minimum)
	case t.Name == Tesseract:
		f.Problem = missingLanguage(ctx, h, path)
	}
	f.Version = version
	return f
}

func programVersion(ctx context.Context, h Host, t Tool, path string) (string, error) {
	if t.Name == Chromium && h.GOOS == "windows" {
		return windowsChromeVersion(h, path)
	}
	if t.Name == Firefox && h.GOOS == "windows" {
		return windowsFirefoxVersion(h, path)
	}
	out, err := h.Run(ctx, Command{Path: path, Args: t.args})
	if version := t.patterns.parse(out); version != "" {
		return version, nil
	}
	if err != nil {
		return "", fmt.Errorf("does not start: %w%s", err, firstLine(out))
	}
	return "", fmt.Errorf("prints no version%s", firstLine(out))
}

// firstLine returns the first line of an output, quoted for an error.
func firstLine(out []byte) string {
	line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
	if line == "" {
		return ""
	}
	if runes := []rune(line); len(runes) > 120 {
		line = string(runes[:120]) + "…"
	}
	return fmt.Sprintf(" (it prints %q)", strings.TrimSpace(line))
}

// windowsChromeVersion reads the version from the folder next to chrome.exe: on Windows `--version` opens a window
// instead.
func windowsChromeVersion(h Host, path string) (string, error) {
	if _, err := h.Stat(path); err != nil {
		return "", err
	}
	// The folder's own name may contain characters with a meaning in patterns.
	dirs, err := h.Glob(filepath.Join(escapeGlob(filepath.Dir(path)), "*.*.*.*"))
	if err != nil {
		return "", err
	}
	best := ""
	for _, dir := range dirs {
		name := filepath.Base(dir)
		if chromeVersion.MatchString(name) && (best == "" || atLeast(name, best)) {
			best = name
		}
	}
	if best != "" {
		return best, nil
	}
	// Playwright's own Chromium has no such folder, only a revision, and it is never too old.
	if strings.Contains(path, "ms-playwright") {
		return "Playwright's own", nil
	}
	return "", errors.New("its version is unknown")
}

// windowsFirefoxVersion reads the version from a file next to firefox.exe, which cannot print on Windows.
func windowsFirefoxVersion(h Host, path string) (string, error) {
	raw, err := h.ReadFile(filepath.Join(filepath.Dir(path), "application.ini"))
	if err != nil {
		return "", err
	}
	if m := iniVersion.FindSubmatch(raw); m != nil {
		return string(m[1]), nil
	}
	return "", errors.New("its version is unknown")
}

var iniVersion = lazyregexp.New(`(?m)^Version=(\d[\w.]*)`)

var chromeVersion = lazyregexp.New(`^\d+\.\d+\.\d+\.\d+$`)

var globMeta = lazyregexp.New(`[*?\[]`)

func escapeGlob(path string) string { return globMeta.ReplaceAllString(path, "?") }

func missingLanguage(ctx context.Context, h Host, path string) string {
	out, err := h.Run(ctx, Command{Path: path, Args: []string{"--list-langs"}})
	if err != nil {
		return "cannot list its languages: " + err.Error()
	}
	for line := range strings.Lines(string(out)) {
		if strings.TrimSpace(line) == "eng" {
			return ""
		}
	}
	return "its language data for English (eng) is missing"
}
