package toolchain

import (
	"bufio"
	"bytes"
	"slices"
	"strings"
)

// groupFonts is a group of packages that is not a tool.
const groupFonts = "fonts"

// manager is a system's package manager.
type manager struct {
	program string
	// asRoot is set where installing needs root; brew refuses to run as root.
	asRoot  bool
	env     []string
	update  []string
	install []string
	// byHand is the command name that a user types.
	byHand string
	// packages has the names of each tool or group in this system.
	packages map[string][]string
}

func managers() []manager {
	return []manager{
		{
			program: "apt-get", asRoot: true, env: []string{"DEBIAN_FRONTEND=noninteractive"},
			// Another apt may be running, as for minutes after a Debian starts: wait for it.
			update:  []string{"-q", "-o", "DPkg::Lock::Timeout=300", "update"},
			install: []string{"-q", "-y", "-o", "DPkg::Lock::Timeout=300", "install", "--no-install-recommends"},
			byHand:  "install",
			packages: map[string][]string{
				ADB: {"adb"}, Chromium: {"chromium", "chromium-sandbox"}, Headless: {"chromium-headless-shell"}, FFmpeg: {"ffmpeg"},
				Firefox:      {"firefox-esr"},
				WebKitDriver: {"webkit2gtk-driver"}, MiniBrowser: {"webkit2gtk-driver"}, Xvfb: {"xvfb"},
				Tesseract: {"tesseract-ocr", "tesseract-ocr-eng"}, CC: {"gcc", "libc6-dev"}, Node: {"nodejs"},
				Postgres: {"postgresql"}, Dovecot: {"dovecot-imapd"},
				groupFonts: {"fonts-noto-core", "fonts-dejavu-core", "fonts-liberation"},
			},
		},
		{
			program: "dnf", asRoot: true, install: []string{"install", "-y"}, byHand: "install",
			packages: map[string][]string{
				ADB: {"android-tools"}, Chromium: {"chromium"}, Firefox: {"firefox"}, FFmpeg: {"ffmpeg-free"},
				Tesseract: {"tesseract", "tesseract-langpack-eng"}, CC: {"gcc"}, Node: {"nodejs"},
				Postgres: {"postgresql-server"}, Dovecot: {"dovecot"},
				groupFonts: {"google-noto-sans-fonts", "dejavu-sans-fonts", "liberation-fonts"},
			},
		},
		{
			program: "pacman", asRoot: true, install: []string{"-Sy", "--needed", "--noconfirm"}, byHand: "-S",
			packages: map[string][]string{
				ADB: {"android-tools"}, Chromium: {"chromium"}, Firefox: {"firefox"}, FFmpeg: {"ffmpeg"},
				Tesseract: {"tesseract", "tesseract-data-eng"}, CC: {"gcc"}, Node: {"nodejs"},
				Postgres: {"postgresql"}, Dovecot: {"dovecot"},
				groupFonts: {"noto-fonts", "ttf-dejavu", "ttf-liberation"},
			},
		},
		{
			program: "apk", asRoot: true, update: []string{"update"}, install: []string{"add"}, byHand: "add",
			packages: map[string][]string{
				ADB: {"android-tools"}, Chromium: {"chromium"}, Firefox: {"firefox"}, FFmpeg: {"ffmpeg"},
				Tesseract: {"tesseract-ocr", "tesseract-ocr-data-eng"}, CC: {"gcc", "musl-dev"}, Node: {"nodejs"},
				Postgres: {"postgresql"}, Dovecot: {"dovecot"},
				groupFonts: {"font-noto", "font-dejavu", "font-liberation"},
			},
		},
		{
			program: "zypper", asRoot: true, install: []string{"--non-interactive", "install"}, byHand: "install",
			packages: map[string][]string{
				ADB: {"android-tools"}, Chromium: {"chromium"}, Firefox: {"MozillaFirefox"}, FFmpeg: {"ffmpeg"},
				Tesseract: {"tesseract-ocr", "tesseract-ocr-traineddata-english"}, CC: {"gcc"}, Node: {"nodejs22"},
				Postgres: {"postgresql-server"}, Dovecot: {"dovecot"},
				groupFonts: {"noto-sans-fonts", "dejavu-fonts", "liberation-fonts"},
			},
		},
		{
			program: "brew", install: []string{"install"}, byHand: "install",
			packages: map[string][]string{
				ADB: {"android-platform-tools"}, Chromium: {"google-chrome"}, Firefox: {"firefox"}, FFmpeg: {"ffmpeg"},
				Tesseract: {"tesseract"}, Node: {"node"}, Postgres: {"postgresql"},
			},
		},
	}
}

// findManager returns this system's package manager and its path.
func findManager(h Host) (manager, string, bool) {
	for _, m := range managers() {
		// A Mac may have other managers as well; a Linux may have brew, which comes last in the list.
		if h.GOOS == "windows" || h.GOOS == "darwin" && m.program != "brew" {
			continue
		}
		path, err := h.LookPath(m.program)
		if err != nil {
			continue
		}
		if isUbuntu(h) {
			// Ubuntu's browsers are snaps: they start in no container, and see neither /tmp nor hidden folders.
			delete(m.packages, Chromium)
			delete(m.packages, Headless)
			delete(m.packages, Firefox)
		}
		return m, path, true
	}
	return manager{}, "", false
}

// packagesFor lists each package once, in the order of the names.
func (m manager) packagesFor(names ...string) []string {
	var out []string
	for _, name := range names {
		if name == FFprobe {
			name = FFmpeg
		}
		for _, p := range m.packages[name] {
			if !slices.Contains(out, p) {
				out = append(out, p)
			}
		}
	}
	return out
}

func isUbuntu(h Host) bool {
	if h.GOOS != "linux" {
		return false
	}
	raw, err := h.ReadFile("/etc/os-release")
	if err != nil {
		return false
	}
	lines := bufio.NewScanner(bytes.NewReader(raw))
	for lines.Scan() {
		if name, value, _ := strings.Cut(lines.Text(), "="); name == "ID" {
			return strings.Trim(value, `"'`) == "ubuntu"
		}
	}
	return false
}

// hasPackage reports whether this system's package manager has a tool.
func (h Host) hasPackage(tool string) bool {
	m, _, found := findManager(h)
	return found && len(m.packagesFor(tool)) > 0
}

func advice(h Host, t Tool) string {
	const setup = "run `taproot setup`"
	switch t.Name {
	case Driver:
		return setup
	case Agent:
		return "run `taproot setup --platform android`"
	case Xcrun:
		return "run `xcode-select --install`"
	case Go:
		return "install Go " + t.Minimum + " or newer from https://go.dev/dl"
	}
	m, _, found := findManager(h)
	packages := m.packagesFor(t.Name)
	switch {
	case h.GOOS == "windows":
		return windowsAdvice(t.Name)
	case h.GOOS == "darwin" && !found:
		return "install Homebrew (https://brew.sh), then " + setup
	case t.Name == Node:
		return setup + ", which takes Node " + nodeMajor +
			" from the npm registry where the system has none that is new enough"
	case !found:
		return "install " + t.Name + " " + t.Minimum + " or newer by hand: no known package manager is here"
	case len(packages) == 0 && t.Name == Firefox:
		return "install Firefox " + t.Minimum +
			" or newer from https://www.mozilla.org/firefox or its archive for apt; a snap cannot be driven"
	case len(packages) == 0 && slices.Contains(t.For, InWebKit):
		return "install WebKitWebDriver and MiniBrowser of WebKitGTK, and Xvfb: Taproot knows Debian's packages of them only"
	case len(packages) == 0:
		return setup
	}
	words := slices.Concat([]string{m.program, m.byHand}, packages)
	if m.asRoot && !h.Superuser {
		words = append([]string{"sudo"}, words...)
	}
	return setup + " or `" + strings.Join(words, " ") + "`"
}

func windowsAdvice(name string) string {
	packages := map[string]string{
		ADB: "Google.PlatformTools", Chromium: "Google.Chrome", Node: "OpenJS.NodeJS.LTS", FFmpeg: "Gyan.FFmpeg",
		FFprobe: "Gyan.FFmpeg", Firefox: "Mozilla.Firefox", Tesseract: "UB-Mannheim.TesseractOCR",
	}
	return "run `winget install " + packages[name] + "`"
}
