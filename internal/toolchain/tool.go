package toolchain

import (
	"fmt"
	"path/filepath"
	"slices"
)

// Names of the tools.
const (
	ADB       = "adb"
	Agent     = "uiautomator2-server"
	Chromium  = "chromium"
	Headless  = "chromium-headless-shell"
	Firefox   = "firefox"
	Node      = "node"
	Driver    = "playwright-driver"
	FFmpeg    = "ffmpeg"
	FFprobe   = "ffprobe"
	Tesseract = "tesseract"
	Xcrun     = "xcrun"
	Go        = "go"
	CC        = "cc"
	Postgres  = "postgresql"
	Dovecot   = "dovecot"
	NPM       = "npm"

	WebKitDriver = "WebKitWebDriver"
	MiniBrowser  = "MiniBrowser"
	Xvfb         = "Xvfb"
)

// DriverVersion is the version of the Playwright driver that the playwright-go in go.mod requires.
const DriverVersion = "1.57.0"

// nodeVersion is the Node from the npm registry, for systems without one that is new enough; npmVersion is its npm.
const (
	nodeMajor   = "22"
	nodeVersion = nodeMajor + ".23.3"
	npmVersion  = "10.9.4"
)

// The purposes of tools: platforms, and five more.
const (
	Android = "android"
	IOS     = "ios"
	Web     = "web"
	// InFirefox is tests of pages in Firefox.
	InFirefox = "firefox"
	// InWebKit is tests of pages in WebKit.
	InWebKit = "webkit"
	// Development is work on Taproot itself.
	Development = "development"
	// Database is tests of the service on PostgreSQL, and those with a mail server.
	Database = "database"
	// Packages is tests of Taproot itself that compare with programs of the npm registry.
	Packages = "packages"
)

// Tool describes one external program.
type Tool struct {
	Name string
	// For lists the platforms with tests that need the tool, InFirefox, or Development; nil: all platforms.
	For []string
	// Required tools are those without which no test runs on these platforms.
	Required bool
	// Purpose says what needs the tool or, for an optional one, what is missing without it.
	Purpose string
	// Minimum is the oldest supported version.
	Minimum string
	// OnlyOn is the only GOOS that has or needs the tool; empty for all.
	OnlyOn string

	env      []string // variables that name the program; such a program is used even if it has a problem
	names    []string // names on PATH
	args     []string // to print its version
	patterns versionPatterns
}

const noWebKit = "without it tests for `browser: webkit` cannot run"

// Tools lists every tool in the order in which `taproot doctor` shows them.
func Tools() []Tool {
	return []Tool{
		{
			Name: ADB, For: []string{Android}, Required: true, Purpose: "drives Android phones", Minimum: "1.0.39",
			env: []string{"TAPROOT_ADB"}, names: []string{"adb"}, args: []string{"--version"},
			patterns: patterns(`Android Debug Bridge version (\d[\w.]*)`),
		},
		{
			// Older Chromiums lack DevTools methods that the driver calls at start.
			Name: Chromium, For: []string{Web}, Required: true, Purpose: "runs web tests", Minimum: "120",
			env:   []string{"TAPROOT_CHROMIUM"},
			names: []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome"},
			args:  []string{"--version"}, patterns: patterns(`(?m)^(?:Chromium|Google Chrome[\w ]*) (\d[\d.]*)`),
		},
		{
			Name: Headless, For: []string{Web},
			Purpose: "without it pages that have no window take about twice the processor time", Minimum: "120",
			env:   []string{"TAPROOT_HEADLESS_SHELL"},
			names: []string{"chromium-headless-shell", "chrome-headless-shell"},
			args:  []string{"--version"}, patterns: patterns(`(?m)^(?:Chromium|Google Chrome[\w ]*) (\d[\d.]*)`),
		},
		{
			// The oldest that was tested with WebDriver BiDi: older ones lack parts of it.
			Name: Firefox, For: []string{InFirefox}, Purpose: "without it tests for `browser: firefox` cannot run",
			Minimum: "153",
			env:     []string{"TAPROOT_FIREFOX"}, names: []string{"firefox", "firefox-esr"},
			args: []string{"--version"}, patterns: patterns(`(?m)^Mozilla Firefox (\d[\w.]*)`),
		},
		{
			Name: WebKitDriver, For: []string{InWebKit}, Purpose: noWebKit, OnlyOn: "linux",
			env: []string{"TAPROOT_WEBKIT_DRIVER"}, names: []string{"WebKitWebDriver"},
		},
		{
			Name: MiniBrowser, For: []string{InWebKit}, Purpose: noWebKit, OnlyOn: "linux",
			env: []string{"TAPROOT_MINIBROWSER"}, names: []string{"MiniBrowser"},
		},
		{
			Name: Xvfb, For: []string{InWebKit}, Purpose: noWebKit, OnlyOn: "linux",
			env: []string{"TAPROOT_XVFB"}, names: []string{"Xvfb"},
		},
		{
			Name: Node, For: []string{Web}, Required: true, Purpose: "runs the Playwright driver", Minimum: "20",
			env: []string{"TAPROOT_NODE", "PLAYWRIGHT_NODEJS_PATH"}, names: []string{"node", "nodejs"},
			args: []string{"--version"}, patterns: patterns(`(?m)^v(\d[\w.+-]*)\s*$`),
		},
		{Name: Driver, For: []string{Web}, Required: true, Purpose: "drives browsers", Minimum: DriverVersion},
		{
			Name: FFmpeg, Purpose: "without it recording.mp4 will be missing", Minimum: "4",
			env: []string{"TAPROOT_FFMPEG"}, names: []string{"ffmpeg"}, args: []string{"-hide_banner", "-version"},
			patterns: patterns(`(?m)^ffmpeg version (\S+)`),
		},
		{
			Name: FFprobe, Purpose: "without it recordings cannot be checked", Minimum: "4",
			env: []string{"TAPROOT_FFPROBE"}, names: []string{"ffprobe"}, args: []string{"-hide_banner", "-version"},
			patterns: patterns(`(?m)^ffprobe version (\S+)`),
		},
		{
			Name: Tesseract, Purpose: "without it text in images (ocr) cannot be read", Minimum: "4",
			env: []string{"TAPROOT_TESSERACT"}, names: []string{"tesseract"}, args: []string{"--version"},
			patterns: patterns(`(?m)^tesseract v?(\d\S*)`),
		},
		{Name: Agent, For: []string{Android},
			Purpose: "without it the screens of phones are read with uiautomator dump, which takes ten times as " +
				"long", Minimum: AgentVersion},
		{
			Name: Xcrun, For: []string{IOS}, Purpose: "without it there are no iOS devices", OnlyOn: "darwin",
			names: []string{"xcrun"}, args: []string{"--version"}, patterns: patterns(`xcrun version (\d[\w.]*?)\.?\s*$`),
		},
		{
			Name: Go, For: []string{Development},
			Purpose: "without it make and `go tool ginkgo` do not work; taproot itself does", Minimum: "1.26",
			names: []string{"go"}, args: []string{"version"}, patterns: patterns(`go version go(\d[\w.]*)`),
		},
		{
			// Go's race detector is linked by a C compiler on Linux; on a Mac it is not.
			Name: CC, For: []string{Development}, Purpose: "without a C compiler `make race` cannot watch for data races",
			Minimum: "4.9", OnlyOn: "linux",
			names: []string{"gcc"}, args: []string{"--version"}, patterns: patterns(`(?m)^\S*gcc.*? (\d+\.\d[\w.]*)`),
		},
		{
			Name: Postgres, For: []string{Database}, Required: true, Purpose: "tests the service with its database",
			Minimum: "12", names: []string{"initdb"}, args: []string{"--version"},
			patterns: patterns(`^initdb \(PostgreSQL\) (\d[\w.]*)`),
		},
		{
			Name: Dovecot, For: []string{Database}, Purpose: "tests waitForMail with a mail server", Minimum: "2.3",
			OnlyOn: "linux", names: []string{"dovecot"}, args: []string{"--version"}, patterns: patterns(`^(\d[\w.]*)`),
		},
		{
			Name: NPM, For: []string{Packages}, Required: true, Purpose: "fetches the programs that tests compare with",
			Minimum: "9", names: []string{"npm"}, args: []string{"--version"}, patterns: patterns(`(?m)^(\d+\.\d[\w.-]*)$`),
		},
	}
}

// NeededFor reports whether tests on one of the platforms need the tool.
func (t Tool) NeededFor(platforms ...string) bool {
	return slices.ContainsFunc(platforms, func(p string) bool {
		return slices.Contains(t.For, p) ||
			t.For == nil && !slices.Contains([]string{Development, InFirefox, InWebKit, Database, Packages}, p)
	})
}

func toolNamed(name string) (Tool, error) {
	for _, t := range Tools() {
		if t.Name == name {
			return t, nil
		}
	}
	return Tool{}, fmt.Errorf("unknown tool %q", name)
}

// candidates returns the paths in addition to PATH where an installation may be, best first.
func (t Tool) candidates(h Host) []string {
	switch t.Name {
	case ADB:
		return adbPlaces(h)
	case Chromium:
		return chromiumPlaces(h)
	case Headless:
		return headlessPlaces(h)
	case Firefox:
		return firefoxPlaces(h)
	case MiniBrowser:
		return miniBrowserPlaces(h)
	case Node:
		return nodePlaces(h)
	case Postgres:
		return postgresPlaces(h)
	case Dovecot:
		return []string{"/usr/sbin/dovecot"}
	case NPM:
		return npmPlaces(h)
	}
	return nil
}

func adbPlaces(h Host) []string {
	var out []string
	for _, sdk := range []string{h.Getenv("ANDROID_HOME"), h.Getenv("ANDROID_SDK_ROOT")} {
		if sdk != "" {
			out = append(out, filepath.Join(sdk, "platform-tools", h.executable("adb")))
		}
	}
	home := h.Getenv("HOME")
	switch {
	case h.GOOS == "darwin" && home != "":
		out = append(out, filepath.Join(home, "Library", "Android", "sdk", "platform-tools", "adb"))
	case h.GOOS == "windows" && h.Getenv("LocalAppData") != "":
		out = append(out, filepath.Join(h.Getenv("LocalAppData"), "Android", "Sdk", "platform-tools", "adb.exe"))
	case home != "":
		out = append(out, filepath.Join(home, "Android", "Sdk", "platform-tools", "adb"))
	}
	return out
}

func chromiumPlaces(h Host) []string {
	var out []string
	switch h.GOOS {
	case "darwin":
		for _, root := range []string{"/Applications", filepath.Join(h.Getenv("HOME"), "Applications")} {
			out = append(out, filepath.Join(root, "Google Chrome.app", "Contents", "MacOS", "Google Chrome"),
				filepath.Join(root, "Chromium.app", "Contents", "MacOS", "Chromium"))
		}
	case "windows":
		for _, name := range []string{"ProgramFiles", "ProgramFiles(x86)", "LocalAppData"} {
			if root := h.Getenv(name); root != "" {
				out = append(out, filepath.Join(root, "Google", "Chrome", "Application", "chrome.exe"),
					filepath.Join(root, "Chromium", "Application", "chrome.exe"))
			}
		}
	}
	return append(out, playwrightChromium(h)...)
}

func firefoxPlaces(h Host) []string {
	var out []string
	switch h.GOOS {
	case "darwin":
		for _, root := range []string{"/Applications", filepath.Join(h.Getenv("HOME"), "Applications")} {
			out = append(out, filepath.Join(root, "Firefox.app", "Contents", "MacOS", "firefox"))
		}
	case "windows":
		for _, name := range []string{"ProgramFiles", "ProgramFiles(x86)", "LocalAppData"} {
			if root := h.Getenv(name); root != "" {
				out = append(out, filepath.Join(root, "Mozilla Firefox", "firefox.exe"))
			}
		}
	}
	return out
}

// miniBrowserPlaces lists where the packages of systems have it, which is not on PATH; that of GTK 3 first, which draws
// its pages by itself.
func miniBrowserPlaces(h Host) (out []string) {
	for _, api := range []string{"webkit2gtk-4.1", "webkit2gtk-4.0", "webkitgtk-6.0"} {
		for _, dir := range []string{"/usr/lib/*", "/usr/lib", "/usr/libexec", "/usr/lib64"} {
			if found, err := h.Glob(dir + "/" + api + "/MiniBrowser"); err == nil {
				out = append(out, found...)
			}
		}
	}
	return out
}

// postgresPlaces lists Debian's versions, which are not on PATH, the newest first.
func postgresPlaces(h Host) []string {
	found, err := h.Glob("/usr/lib/postgresql/*/bin/initdb")
	if err != nil {
		return nil
	}
	slices.Reverse(found)
	return found
}

func nodePlaces(h Host) []string {
	if h.CacheDir == "" {
		return nil
	}
	if h.GOOS == "windows" {
		return []string{filepath.Join(h.nodeDir(), "package", "bin", "node.exe")}
	}
	return []string{filepath.Join(h.nodeDir(), "package", "bin", "node")}
}

func npmPlaces(h Host) []string {
	if h.CacheDir == "" || h.GOOS == "windows" {
		return nil
	}
	return []string{filepath.Join(h.npmDir(), "npm")}
}

func (h Host) npmDir() string { return filepath.Join(h.CacheDir, "npm-cli", npmVersion) }

func (h Host) nodeDir() string { return filepath.Join(h.CacheDir, "node", nodeMajor) }

func (h Host) executable(name string) string {
	if h.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}
