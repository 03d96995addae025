package toolchain

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const browsersJSON = `{"browsers":[{"name":"chromium","revision":"1200"},
	{"name":"firefox","revision":"1497"},{"name":"webkit","revision":"2227","revisionOverrides":{"mac14":"2251"}},
	{"name":"ffmpeg","revision":"1011","revisionOverrides":{"mac12":"1010","mac12-arm64":"1010"}}]}`

func webMachine(t *testing.T) *fakeHost {
	t.Helper()
	h := &fakeHost{
		cache:  filepath.Join(t.TempDir(), "taproot"),
		onPath: map[string]string{"chromium": "/usr/bin/chromium", "node": "/usr/bin/node", "ffmpeg": "/usr/bin/ffmpeg"},
		programs: map[string]func(Command) (string, error){
			"/usr/bin/chromium": prints(chromiumDeb), "/usr/bin/node": prints("v20.20.2\n"),
			"/usr/bin/ffmpeg": prints(ffmpegDebian),
		},
	}
	dir := h.host().driverDir()
	h.files = map[string]string{
		dir + "/package/cli.js": "", dir + "/package/package.json": `{"version":"1.57.0"}`,
		dir + "/package/browsers.json": browsersJSON,
	}
	return h
}

func TestPlaywrightSetup(t *testing.T) {
	for goos, name := range map[string]string{"linux": "ffmpeg-linux", "darwin": "ffmpeg-mac"} {
		h := webMachine(t)
		h.goos = goos
		var wait sync.WaitGroup
		for range 8 { // as many processes of one run do
			wait.Go(func() {
				if _, err := Playwright(t.Context(), h.host()); err != nil {
					t.Error(err)
				}
			})
		}
		wait.Wait()
		s, err := Playwright(t.Context(), h.host())
		if err != nil {
			t.Fatal(err)
		}
		if s.Driver != h.host().driverDir() || !s.Options.SkipInstallBrowsers || !s.Sandbox ||
			s.Chromium != "/usr/bin/chromium" || s.Env["PLAYWRIGHT_NODEJS_PATH"] != "/usr/bin/node" ||
			s.FFmpeg != "/usr/bin/ffmpeg" {
			t.Errorf("%+v", s)
		}
		for _, revision := range []string{"1010", "1011"} {
			dir := filepath.Join(s.Env["PLAYWRIGHT_BROWSERS_PATH"], "ffmpeg-"+revision)
			if to, err := os.Readlink(filepath.Join(dir, name)); err != nil || to != "/usr/bin/ffmpeg" {
				t.Errorf("%s: %q %v", dir, to, err)
			}
			if entries, err := os.ReadDir(dir); err != nil || len(entries) != 1 {
				t.Errorf("%s: %v %v", dir, entries, err)
			}
		}
	}
}

func TestPlaywrightFollowsAnFFmpegThatMoved(t *testing.T) {
	h := webMachine(t)
	if _, err := Playwright(t.Context(), h.host()); err != nil {
		t.Fatal(err)
	}
	h.onPath["ffmpeg"], h.programs["/opt/ffmpeg"] = "/opt/ffmpeg", prints(ffmpegDebian)
	s, err := Playwright(t.Context(), h.host())
	if err != nil {
		t.Fatal(err)
	}
	if to, err := os.Readlink(filepath.Join(s.Env["PLAYWRIGHT_BROWSERS_PATH"], "ffmpeg-1011",
		"ffmpeg-linux")); err != nil || to != "/opt/ffmpeg" {
		t.Errorf("%q %v", to, err)
	}
}

func TestPlaywrightWithoutFFmpegAndAsRoot(t *testing.T) {
	h := webMachine(t)
	h.superuser = true
	delete(h.onPath, "ffmpeg")
	s, err := Playwright(t.Context(), h.host())
	if err != nil {
		t.Fatal(err)
	}
	if _, set := s.Env["PLAYWRIGHT_BROWSERS_PATH"]; set || s.FFmpeg != "" || s.Sandbox {
		t.Errorf("%+v", s)
	}
}

func TestPlaywrightNamesAllThatIsMissing(t *testing.T) {
	h := webMachine(t)
	h.onPath = map[string]string{"node": "/usr/bin/node"}
	h.programs["/usr/bin/node"] = prints("v18.20.4\n")
	_, err := Playwright(t.Context(), h.host())
	var missing *MissingError
	if !errors.As(err, &missing) || len(missing.Findings) != 2 {
		t.Fatalf("err = %v", err)
	}
	for _, want := range []string{"chromium not found: ", "node /usr/bin/node: version 18.20.4 is too old"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q is not in %q", want, err)
		}
	}
}

func TestFFmpegRevisionsAreNotTrusted(t *testing.T) {
	for _, text := range []string{"{", "{}", `{"browsers":[{"name":"ffmpeg","revision":""}]}`,
		`{"browsers":[{"name":"ffmpeg","revision":"1/../../../x"}]}`} {
		h := webMachine(t)
		h.files[h.host().driverDir()+"/package/browsers.json"] = text
		if _, err := Playwright(t.Context(), h.host()); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
}

// TestHeadlessShell checks that pages without a window use the headless shell of Chromium's own version, unless the
// user has chosen a Chromium.
func TestHeadlessShell(t *testing.T) {
	for _, c := range []struct {
		name, version string
		env           map[string]string
		want          string
	}{
		{"none", "", nil, "/usr/bin/chromium"},
		{"of the same version", "156.0.8078.79", nil, "/usr/bin/chromium-headless-shell"},
		{"of another", "143.0.1.2", nil, "/usr/bin/chromium"},
		{"a Chromium was chosen", "156.0.8078.79", map[string]string{"TAPROOT_CHROMIUM": "/usr/bin/chromium"},
			"/usr/bin/chromium"},
		{"both were chosen", "143.0.1.2", map[string]string{"TAPROOT_CHROMIUM": "/usr/bin/chromium",
			"TAPROOT_HEADLESS_SHELL": "/usr/bin/chromium-headless-shell"},
			"/usr/bin/chromium-headless-shell"},
	} {
		h := webMachine(t)
		h.env = c.env
		if c.version != "" {
			h.onPath["chromium-headless-shell"] = "/usr/bin/chromium-headless-shell"
			h.programs["/usr/bin/chromium-headless-shell"] = prints("Chromium " + c.version + "\n")
		}
		s, err := Playwright(t.Context(), h.host())
		if err != nil {
			t.Fatal(err)
		}
		if s.Headless != c.want || s.Chromium != "/usr/bin/chromium" {
			t.Errorf("%s: headless %s, else %s; want %s", c.name, s.Headless, s.Chromium, c.want)
		}
	}
}

// TestHeadlessShellAlone checks that pages without a window need no other Chromium, and that those with one report how
// to install it. A Chromium that the user has chosen is never replaced.
func TestHeadlessShellAlone(t *testing.T) {
	h := webMachine(t)
	delete(h.onPath, "chromium")
	h.onPath["chromium-headless-shell"] = "/usr/bin/chromium-headless-shell"
	h.programs["/usr/bin/chromium-headless-shell"] = prints("Chromium 156.0.8078.79\n")
	s, err := Playwright(t.Context(), h.host())
	if err != nil {
		t.Fatal(err)
	}
	if s.Headless != "/usr/bin/chromium-headless-shell" || s.Chromium != "" || s.Version != "156.0.8078.79" {
		t.Errorf("%+v", s)
	}
	if path, err := s.Windowed(); path != "" || err == nil || !strings.HasPrefix(err.Error(), "chromium not found: ") {
		t.Errorf("%q %v", path, err)
	}
	findings, err := FindFor(t.Context(), h.host(), Web)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if f.Tool.Name == Chromium && (f.Tool.Required || f.OK()) {
			t.Errorf("%+v", f)
		}
	}
	h.env = map[string]string{"TAPROOT_CHROMIUM": "/opt/gone/chromium"}
	var missing *MissingError
	if _, err := Playwright(t.Context(), h.host()); !errors.As(err, &missing) {
		t.Errorf("%v", err)
	}
}

// TestShellInPlaceOfChromium checks that an installation without Chromium brings its headless shell and fonts, installs
// nothing twice, and falls back to Playwright's Chromium where the system has no package of either.
func TestShellInPlaceOfChromium(t *testing.T) {
	h := newBareMachine(t)
	var out strings.Builder
	in := Installer{Host: withUnpacked(h), Out: &out, FetchDriver: unreachable, archives: h.archives,
		Platforms: []string{Android, Web}, Without: []string{Chromium, FFmpeg, FFprobe, Tesseract}}
	findings, err := in.Install(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if f.OK() == slices.Contains(in.Without, f.Tool.Name) {
			t.Errorf("%s: %+v\n%s", f.Tool.Name, f, out.String())
		}
	}
	if !strings.Contains(out.String(), "fonts-noto-core") {
		t.Errorf("no fonts:\n%s", out.String())
	}
	out.Reset()
	if _, err := in.Install(t.Context()); err != nil || out.String() != "" {
		t.Errorf("again: %v\n%s", err, out.String())
	}
	h = newBareMachine(t)
	h.programs["/usr/bin/env"] = func(cmd Command) (string, error) {
		if slices.Contains(cmd.Args, "chromium-headless-shell") {
			return "", errors.New("no such package")
		}
		return h.apt(cmd)
	}
	in.Host, in.archives = withUnpacked(h), h.archives
	if _, err := in.Install(t.Context()); err != nil || !strings.Contains(out.String(), "install --with-deps chromium") {
		t.Errorf("%v\n%s", err, out.String())
	}
}
