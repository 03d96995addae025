package toolchain

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// Outputs of real programs, cut after the lines that matter.
const (
	firefoxDebian = "Mozilla Firefox 153.7.0esr\n"
	adbDebian     = "Android Debug Bridge version 1.0.41\nVersion 29.0.6-debian\nInstalled as " +
		"/usr/lib/android-sdk/platform-tools/adb\n"
	adbOld      = "Android Debug Bridge version 1.0.32\nRevision 09a0d98bebce-android\n"
	chromiumDeb = "Chromium 156.0.8078.79 built on Debian GNU/Linux 12 (bookworm)/usr/bin/chromium: 9: [: " +
		"25276502016: unexpected operator\n"
	chromiumSnap = "\nCommand '/usr/bin/chromium-browser' requires the chromium snap to be installed.\nPlease install " +
		"it " +
		"with:\n\nsnap install chromium\n\n"
	ffmpegDebian = "ffmpeg version 5.1.9-0+deb12u1 Copyright (c) 2000-2026 the FFmpeg developers\nbuilt with gcc 12 " +
		"(Debian 12.2.0-14+deb12u1)\n"
	tesseract5 = "tesseract 5.3.0\n leptonica-1.82.0\n  libgif 5.2.1 : libjpeg 6b (libjpeg-turbo 2.1.2)\n"
	languages  = "List of available languages in \"/usr/share/tesseract-ocr/5/tessdata/\" (2):\neng\nosd\n"
)

func TestVersionsOfRealOutputs(t *testing.T) {
	for _, c := range []struct{ tool, output, version, problem string }{
		{ADB, adbDebian, "1.0.41", ""},
		{ADB, "* daemon not running\n" + adbDebian, "1.0.41", ""},
		{ADB, adbOld, "1.0.32", "version 1.0.32 is too old, 1.0.39 or newer is needed"},
		{Chromium, chromiumDeb, "156.0.8078.79", ""},
		{Chromium, "Google Chrome 143.0.7499.40 \n", "143.0.7499.40", ""},
		{Chromium, "Google Chrome for Testing 143.0.7499.4\n", "143.0.7499.4", ""},
		{Chromium, "Chromium 140.0.7339.207 snap\n", "140.0.7339.207", ""},
		{Chromium, "[0921/1:ERROR:dbus] no bus\nChromium 130.0.1.2\n", "130.0.1.2", ""},
		{Chromium, "Chromium 90.0.4430.212 built on Debian 10.9\n", "90.0.4430.212", "too old"},
		{Chromium, chromiumSnap, "", "requires the chromium snap"},
		{Node, "v20.20.2\n", "20.20.2", ""},
		{Node, "v18.20.4\n", "18.20.4", "version 18.20.4 is too old, 20 or newer is needed"},
		{Node, "v9.11.2\n", "9.11.2", "too old"},
		{Node, "v23.0.0-nightly20240914\n", "23.0.0-nightly20240914", ""},
		{FFmpeg, ffmpegDebian, "5.1.9-0+deb12u1", ""},
		{FFmpeg, "ffmpeg version n7.1 Copyright (c) 2000-2024 the FFmpeg developers\n", "n7.1", ""},
		{FFmpeg, "ffmpeg version N-109542-g2d7bf2e Copyright\n", "N-109542-g2d7bf2e", ""},
		{FFmpeg, "ffmpeg version 3.4.11-0ubuntu0.1 Copyright\n", "3.4.11-0ubuntu0.1", "too old"},
		{FFprobe, "ffprobe version 5.1.9-0+deb12u1 Copyright (c) 2007-2026\n", "5.1.9-0+deb12u1", ""},
		{Tesseract, tesseract5, "5.3.0", ""},
		{Tesseract, "tesseract v5.3.3.20231005\n leptonica-1.83.1\n", "5.3.3.20231005", ""},
		{Tesseract, "tesseract 3.04.01\n leptonica-1.74.1\n", "3.04.01", "too old"},
		{Tesseract, "tesseract 4.1.1-rc2-25-g9707\n", "4.1.1-rc2-25-g9707", ""},
		{Go, "go version go1.26.8 linux/amd64\n", "1.26.8", ""},
		{Go, "go version go1.9 linux/amd64\n", "1.9", "too old"},
		{CC, "gcc (Debian 12.2.0-14+deb12u1) 12.2.0\nCopyright (C) 2022\n", "12.2.0", ""},
	} {
		h := &fakeHost{onPath: map[string]string{c.tool: "/bin/it", "gcc": "/bin/it"}}
		h.programs = map[string]func(Command) (string, error){"/bin/it": func(cmd Command) (string, error) {
			if len(cmd.Args) == 1 && cmd.Args[0] == "--list-langs" {
				return languages, nil
			}
			return c.output, nil
		}}
		f, err := Find(t.Context(), h.host(), c.tool)
		if err != nil {
			t.Fatal(err)
		}
		if f.Version != c.version || (c.problem == "") != (f.Problem == "") || !strings.Contains(f.Problem, c.problem) {
			t.Errorf("%s %q:\n version %q problem %q, want %q %q", c.tool, c.output, f.Version, f.Problem, c.version, c.problem)
		}
		if f.OK() != (c.problem == "") || (f.Advice == "") != f.OK() {
			t.Errorf("%s %q: OK %v advice %q", c.tool, c.output, f.OK(), f.Advice)
		}
	}
}

func TestXcrun(t *testing.T) {
	h := &fakeHost{onPath: map[string]string{"xcrun": "/usr/bin/xcrun"},
		programs: map[string]func(Command) (string, error){"/usr/bin/xcrun": prints("xcrun version 70.\n")}}
	f, err := Find(t.Context(), h.host(), Xcrun)
	if err != nil || !f.NotHere || f.OK() || f.Problem != "" {
		t.Errorf("linux: %+v, %v", f, err)
	}
	h.goos = "darwin"
	if f, err = Find(t.Context(), h.host(), Xcrun); err != nil || !f.OK() || f.Version != "70" {
		t.Errorf("darwin: %+v, %v", f, err)
	}
}

func TestFindTakesTheFirstUsableProgram(t *testing.T) {
	old, cached := "/usr/bin/node", "/cache/taproot/node/22/package/bin/node"
	h := &fakeHost{cache: "/cache/taproot", onPath: map[string]string{"node": old},
		programs: map[string]func(Command) (string, error){
			old: prints("v18.20.4\n"), cached: prints("v22.1.0\n"),
		}}
	f, err := Find(t.Context(), h.host(), Node)
	if err != nil || f.Path != cached || !f.OK() {
		t.Errorf("the cached Node was not taken: %+v, %v", f, err)
	}
	delete(h.programs, cached)
	if f, err = Find(t.Context(), h.host(), Node); err != nil || f.Path != old || f.OK() {
		t.Errorf("the old Node must be named: %+v, %v", f, err)
	}
}

func TestAVariableIsTakenGoodOrBad(t *testing.T) {
	h := &fakeHost{
		env:      map[string]string{"TAPROOT_CHROMIUM": "/opt/gone"},
		onPath:   map[string]string{"chromium": "/usr/bin/chromium"},
		programs: map[string]func(Command) (string, error){"/usr/bin/chromium": prints(chromiumDeb)},
	}
	f, err := Find(t.Context(), h.host(), Chromium)
	if err != nil || f.OK() || f.Path != "/opt/gone" || f.Problem != "there is no such file" ||
		!strings.Contains(f.Advice, "unset TAPROOT_CHROMIUM") {
		t.Errorf("%+v, %v", f, err)
	}
	if names := (Installer{}).installable([]Finding{f}); len(names) != 0 {
		t.Errorf("installing cannot fix a variable, got %v", names)
	}
	h.env["TAPROOT_CHROMIUM"] = "chromium"
	if f, err = Find(t.Context(), h.host(), Chromium); err != nil || !f.OK() || f.Path != "/usr/bin/chromium" {
		t.Errorf("a bare name is looked up on PATH: %+v, %v", f, err)
	}
}

func TestFindSaysWhyAProgramDoesNotStart(t *testing.T) {
	h := &fakeHost{onPath: map[string]string{"tesseract": "/t", "adb": "/a"}, programs: map[string]func(Command) (string,
		error){
		"/t": func(cmd Command) (string, error) {
			if cmd.Args[0] == "--list-langs" {
				return "List of available languages (1):\nosd\n", nil
			}
			return tesseract5, nil
		},
		"/a": func(Command) (string, error) {
			return "error while loading shared libraries: libusb\n", errors.New("exit status 127")
		},
	}}
	f, err := Find(t.Context(), h.host(), Tesseract)
	if err != nil || !strings.Contains(f.Problem, "English (eng) is missing") {
		t.Errorf("%+v, %v", f, err)
	}
	f, err = Find(t.Context(), h.host(), ADB)
	if err != nil ||
		f.Problem != `does not start: exit status 127 (it prints "error while loading shared libraries: libusb")` {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestChromiumPlaces(t *testing.T) {
	for _, c := range []struct {
		goos, path, output, version string
		files                       map[string]string
	}{
		{"darwin", "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome", "Google Chrome 143.0.1.2\n",
			"143.0.1.2", nil},
		{"linux", "/h/.cache/ms-playwright/chromium-1200/chrome-linux64/chrome", "Google Chrome for Testing 143.0.7499.4\n",
			"143.0.7499.4", nil},
		{"darwin", "/h/.cache/ms-playwright/chromium-1200/chrome-mac-arm64/Google Chrome for " +
			"Testing.app/Contents/MacOS/Google Chrome for Testing",
			"Google Chrome for Testing 143.0.7499.4\n", "143.0.7499.4", nil},
		{"windows", "/pf/Google/Chrome/Application/chrome.exe", "", "143.0.7499.40", map[string]string{
			"/pf/Google/Chrome/Application/99.0.1.2": "", "/pf/Google/Chrome/Application/143.0.7499.40": "",
			"/pf/Google/Chrome/Application/chrome.VisualElements.man.if.est": "",
		}},
	} {
		h := &fakeHost{goos: c.goos, cache: "/h/.cache/taproot", files: c.files, env: map[string]string{
			"HOME": "/h", "ProgramFiles": "/pf"},
			programs: map[string]func(Command) (string, error){c.path: prints(c.output)}}
		f, err := Find(t.Context(), h.host(), Chromium)
		if err != nil || f.Path != c.path || f.Version != c.version || !f.OK() {
			t.Errorf("%s %s: %+v, %v", c.goos, c.path, f, err)
		}
		if c.goos == "windows" && len(h.ran) > 0 {
			t.Errorf("chrome.exe was started, which opens a window: %v", h.ran)
		}
	}
}

// TestWebKit: its programs print no version; that of the package is taken where Debian's list has it.
func TestWebKit(t *testing.T) {
	const mini = "/usr/lib/x86_64-linux-gnu/webkit2gtk-4.1/MiniBrowser"
	h := &fakeHost{goos: "linux", onPath: map[string]string{"WebKitWebDriver": "/usr/bin/WebKitWebDriver"},
		files: map[string]string{mini: "", "/usr/bin/WebKitWebDriver": "", "/var/lib/dpkg/status": "Package: bash\n" +
			"Version: 5.2\n\nPackage: webkit2gtk-driver\nStatus: install ok installed\nVersion: 2.50.6-1~deb12u1\n\n" +
			"Package: zip\nVersion: 3\n"}}
	for name, path := range map[string]string{WebKitDriver: "/usr/bin/WebKitWebDriver", MiniBrowser: mini} {
		f, err := Find(t.Context(), h.host(), name)
		if err != nil || !f.OK() || f.Path != path || f.Version != "2.50.6" {
			t.Errorf("%+v, %v", f, err)
		}
	}
	f, err := Find(t.Context(), h.host(), Xvfb)
	if err != nil || f.Problem != "not found" {
		t.Errorf("%+v, %v", f, err)
	}
	h.env = map[string]string{"TAPROOT_XVFB": "/no/such/xvfb"}
	f, err = Find(t.Context(), h.host(), Xvfb)
	if err != nil || f.Problem != "there is no such file" || f.Pinned != "TAPROOT_XVFB" {
		t.Errorf("%+v, %v", f, err)
	}
	h.goos = "darwin"
	if f, err = Find(t.Context(), h.host(), MiniBrowser); err != nil || !f.NotHere {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestFirefoxPlaces(t *testing.T) {
	for _, c := range []struct{ goos, path, output, version, problem string }{
		{"linux", "/usr/bin/firefox-esr", firefoxDebian, "153.7.0esr", ""},
		{"linux", "/usr/bin/firefox-esr", "Mozilla Firefox 140.2.0esr\n", "140.2.0esr",
			"version 140.2.0esr is too old, 153 or newer is needed"},
		{"darwin", "/Applications/Firefox.app/Contents/MacOS/firefox", "Mozilla Firefox 154.0\n", "154.0", ""},
		{"windows", "/pf/Mozilla Firefox/firefox.exe", "", "153.0.1", ""},
	} {
		h := &fakeHost{goos: c.goos, env: map[string]string{"HOME": "/h", "ProgramFiles": "/pf"}, onPath: map[string]string{},
			files:    map[string]string{"/pf/Mozilla Firefox/application.ini": "[App]\nName=Firefox\nVersion=153.0.1\n"},
			programs: map[string]func(Command) (string, error){c.path: prints(c.output)}}
		if c.goos == "linux" {
			h.onPath["firefox-esr"] = c.path
		}
		f, err := Find(t.Context(), h.host(), Firefox)
		if err != nil || f.Path != c.path || f.Version != c.version || f.Problem != c.problem {
			t.Errorf("%s %s: %+v, %v", c.goos, c.path, f, err)
		}
		if c.goos == "windows" && len(h.ran) > 0 {
			t.Errorf("firefox.exe was started, which opens a window: %v", h.ran)
		}
	}
}

func TestPlaywrightChromiumPrefersTheNewest(t *testing.T) {
	// The variable is what a process that has set PlaywrightSetup.Env passes to its children.
	h := &fakeHost{cache: "/h/.cache/taproot", programs: map[string]func(Command) (string, error){},
		env: map[string]string{"PLAYWRIGHT_BROWSERS_PATH": "/h/.cache/taproot/playwright-browsers"}}
	for _, n := range []string{"999", "1200", "1187"} {
		h.programs["/h/.cache/ms-playwright/chromium-"+n+"/chrome-linux/chrome"] = prints("")
	}
	got := playwrightChromium(h.host())
	if len(got) != 3 || !strings.Contains(got[0], "-1200/") || !strings.Contains(got[2], "-999/") {
		t.Errorf("%v", got)
	}
}

func TestFindDriver(t *testing.T) {
	files := func(dir, version string) map[string]string {
		return map[string]string{dir + "/package/cli.js": "",
			dir + "/package/package.json": `{"name":"playwright-core","version":"` + version + `"}`}
	}
	ours, theirs := "/h/.cache/taproot/playwright-driver/1.57.0", "/h/.cache/ms-playwright-go/1.57.0"
	for _, c := range []struct {
		name, path, problem string
		env                 string
		files               map[string]string
	}{
		{"ours", ours, "", "", files(ours, "1.57.0")},
		{"playwright-go's", theirs, "", "", files(theirs, "1.57.0")},
		{"another version", theirs, "version 1.56.1 does not fit, exactly 1.57.0 is needed", "", files(theirs, "1.56.1")},
		{"none", "", "not found", "", nil},
		{"variable", "/d", "", "/d", files("/d", "1.57.0")},
		{"variable to nothing", "/e", "package/cli.js is missing", "/e", files(ours, "1.57.0")},
		{"broken", ours, "", "", map[string]string{ours + "/package/cli.js": "", ours + "/package/package.json": "{"}},
	} {
		h := &fakeHost{cache: "/h/.cache/taproot", files: c.files, env: map[string]string{
			"HOME": "/h", "PLAYWRIGHT_DRIVER_PATH": c.env}}
		f, err := Find(t.Context(), h.host(), Driver)
		if c.name == "broken" {
			if err != nil || f.OK() {
				t.Errorf("%s: %+v, %v", c.name, f, err)
			}
			continue
		}
		if err != nil || f.Path != c.path || f.Problem != c.problem {
			t.Errorf("%s: %+v, %v", c.name, f, err)
		}
	}
}

func TestFindAllKeepsOrderAndEndsWithItsContext(t *testing.T) {
	h := &fakeHost{}
	got, err := FindAll(t.Context(), h.host())
	if err != nil {
		t.Fatal(err)
	}
	for i, tool := range Tools() {
		if got[i].Tool.Name != tool.Name || got[i].OK() {
			t.Errorf("%d: %+v, want a missing %s", i, got[i], tool.Name)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := FindAll(ctx, h.host()); !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	if _, err := Find(t.Context(), h.host(), "nonsense"); err == nil {
		t.Error("an unknown tool was found")
	}
}

func TestAdvice(t *testing.T) {
	ubuntu := map[string]string{"/etc/os-release": "NAME=\"Ubuntu\"\nID=ubuntu\nID_LIKE=debian\n"}
	for _, c := range []struct {
		goos, manager, tool, want string
		root                      bool
		files                     map[string]string
	}{
		{"linux", "apt-get", ADB, "`sudo apt-get install adb`", false, nil},
		{"linux", "apt-get", ADB, "`apt-get install adb`", true, nil},
		{"linux", "apt-get", Tesseract, "tesseract-ocr tesseract-ocr-eng", false, nil},
		{"linux", "apt-get", FFprobe, "apt-get install ffmpeg", false, nil},
		{"linux", "apt-get", Node, "takes Node 22 from the npm registry", false, nil},
		{"linux", "apt-get", Chromium, "chromium-sandbox", false, nil},
		{"linux", "apt-get", Chromium, "run `taproot setup`", false, ubuntu},
		{"linux", "apt-get", Firefox, "apt-get install firefox-esr", false, nil},
		{"linux", "apt-get", Firefox, "a snap cannot be driven", false, ubuntu},
		{"linux", "apt-get", MiniBrowser, "apt-get install webkit2gtk-driver", false, nil},
		{"linux", "apt-get", Xvfb, "apt-get install xvfb", false, ubuntu},
		{"linux", "dnf", WebKitDriver, "Taproot knows Debian's packages of them only", false, nil},
		{"linux", "dnf", ADB, "sudo dnf install android-tools", false, nil},
		{"linux", "pacman", ADB, "sudo pacman -S android-tools", false, nil},
		{"linux", "apk", Tesseract, "apk add tesseract-ocr tesseract-ocr-data-eng", false, nil},
		{"linux", "zypper", Tesseract, "tesseract-ocr-traineddata-english", false, nil},
		{"linux", "none", ADB, "no known package manager is here", false, nil},
		{"darwin", "brew", ADB, "`brew install android-platform-tools`", false, nil},
		{"darwin", "none", ADB, "https://brew.sh", false, nil},
		{"darwin", "brew", Xcrun, "xcode-select --install", false, nil},
		{"windows", "none", ADB, "winget install Google.PlatformTools", false, nil},
		{"linux", "apt-get", Driver, "taproot setup", false, nil},
		{"linux", "apt-get", Go, "https://go.dev/dl", false, nil},
		{"linux", "apt-get", CC, "apt-get install gcc libc6-dev", false, nil},
	} {
		h := &fakeHost{goos: c.goos, superuser: c.root, onPath: map[string]string{c.manager: "/bin/" + c.manager},
			files: c.files}
		f, err := Find(t.Context(), h.host(), c.tool)
		if err != nil || !strings.Contains(f.Advice, c.want) || f.OK() {
			t.Errorf("%s %s %s: advice %q, %v; want %q", c.goos, c.manager, c.tool, f.Advice, err, c.want)
		}
	}
}

func TestEveryManagerKnowsEveryTool(t *testing.T) {
	for _, m := range managers() {
		for _, name := range []string{ADB, Chromium, Firefox, Node, FFmpeg, FFprobe, Tesseract} {
			if len(m.packagesFor(name)) == 0 {
				t.Errorf("%s has no package for %s", m.program, name)
			}
		}
	}
}

func TestNeedTellsWhatToInstall(t *testing.T) {
	h := &fakeHost{onPath: map[string]string{"apt-get": "/usr/bin/apt-get"}}
	_, err := Need(t.Context(), h.host(), ADB)
	var missing *MissingError
	if !errors.As(err, &missing) || missing.Findings[0].Tool.Name != ADB ||
		!strings.Contains(err.Error(), "apt-get install adb") {
		t.Errorf("err = %v", err)
	}
	if _, err := Need(t.Context(), h.host(), Xcrun); err == nil || !strings.Contains(err.Error(), "darwin only") {
		t.Errorf("err = %v", err)
	}
	h.onPath["adb"] = "/usr/bin/adb"
	h.programs = map[string]func(Command) (string, error){"/usr/bin/adb": prints(adbDebian)}
	if f, err := Need(t.Context(), h.host(), ADB); err != nil || f.Path != "/usr/bin/adb" {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestADBPlaces(t *testing.T) {
	h := &fakeHost{env: map[string]string{"ANDROID_HOME": "/sdk"}, programs: map[string]func(Command) (string, error){
		filepath.Join("/sdk", "platform-tools", "adb"): prints(adbDebian),
	}}
	if f, err := Find(t.Context(), h.host(), ADB); err != nil || f.Path != "/sdk/platform-tools/adb" || !f.OK() {
		t.Errorf("%+v, %v", f, err)
	}
}
