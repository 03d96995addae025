package server_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/server"
)

// TestNumbersThatAreNone: numbers that JSON allows but no type can represent are rejected in every place.
func TestNumbersThatAreNone(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	for _, c := range [][2]string{
		{"/devices/SIM1/tap", `{"near":1e999}`},
		{"/devices/SIM1/tap", `{"label": "Login", "near":1e999}`},
		{"/devices/SIM1/tap", `{"label": "Login", "timeoutMs": 1e999}`},
		{"/devices/SIM1/tap", `{"label": "Login", "index": -1e999}`},
		{"/devices/SIM1/tap", `{"label": "Login", "timeoutMs": 1.5}`},
		{"/devices/SIM1/tap", `{"label": "Login", "timeoutMs": 99999999999999999999}`},
		{"/devices/SIM1/assert", `{"near": {"label": 1e999}}`},
		{"/devices/SIM1/lease", `{"ttlSeconds": 1e999}`},
		{"/runs", `{"yaml": "x", "timeoutMs": 1e999}`},
		{"/web/launch", `{"url": "http://localhost", "timeoutMs": 1e999}`},
	} {
		if a := l.ask("POST", c[0], c[1]); a.status != 400 || a.code() != "invalid_request" {
			t.Errorf("%s %s: %s", c[0], c[1], a)
		}
	}
	if n := len(l.phones[0].Taps()); n > 0 {
		t.Errorf("%d taps were made", n)
	}
}

// TestWrongImages: an image that does not exist, is not an image, or is not for clients, is an error of the client for
// every action, and never a failed assertion. The response contains no paths of this machine.
func TestWrongImages(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	for name, text := range map[string]string{"text.png": "no picture", "empty.png": "",
		"cut.png": "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR"} {
		if err := os.WriteFile(filepath.Join(l.dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	asked := 0
	for _, def := range dsl.Vocabulary() {
		if def.Interfaces&dsl.REST == 0 || !def.On(dsl.Android) || !takesSelector(def.Name) {
			continue
		}
		for _, image := range []string{"none.png", "text.png", "empty.png", "cut.png", "../outside.png", "/etc/passwd", "",
			"a\x00b.png"} {
			body := map[string]any{"image": image, "timeoutMs": 1}
			if def.Name == "waitFor" {
				body = map[string]any{"visible": map[string]any{"image": image}, "timeoutMs": 1}
			}
			asked++
			a := l.ask("POST", "/devices/SIM1/"+server.Kebab(def.Name), body)
			if a.status < 400 || a.status >= 500 || strings.Contains(string(a.body), `"passed"`) ||
				strings.Contains(string(a.body), l.dir) {
				t.Errorf("%s %q: %s", def.Name, image, a)
			}
		}
	}
	if asked < 40 {
		t.Errorf("%d requests only", asked)
	}
	if n := len(l.phones[0].Taps()); n > 0 {
		t.Errorf("%d taps were made", n)
	}
}

// takesSelector reports whether the body of an action is a selector, for touches and assertions.
func takesSelector(name string) bool {
	for _, one := range []string{"tap", "doubleTap", "longPress", "assert", "assertNot", "waitFor"} {
		if one == name {
			return true
		}
	}
	return false
}

// TestPathsWithASlash: a path with a slash at the end is not a file, at any URL.
func TestPathsWithASlash(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0)
	body, kind := form(t, "pack", "x.tar.gz", foreignPack(t, "hello"))
	a := l.ask("POST", "/reports/upload", body, "Content-Type", kind)
	if a.status != 201 {
		t.Fatal(a)
	}
	at := a.json(t)["url"].(string)
	if a := l.ask("GET", at+"/summary.json", nil); a.status != 200 {
		t.Fatal(a)
	}
	for _, path := range []string{at + "/summary.json/", at + "/summary.json/x", at + "/summary.json//",
		at + "//summary.json", at + "/./summary.json", strings.TrimSuffix(at, "/hello") + "/index.html/", at + ".tar.gz/"} {
		for _, prefix := range []string{"", "/api"} {
			if a := l.ask("GET", prefix+path, nil); a.status != 404 {
				t.Errorf("%s%s: %s", prefix, path, a)
			}
		}
	}
	for name, archive := range map[string][]byte{
		"a file below a file": tarOf(t, map[string]string{"p/summary.json": "{}", "p/summary.json/x": "x"})} {
		body, kind := form(t, "pack", "x.tar.gz", archive)
		if a := l.ask("POST", "/reports/upload", body, "Content-Type", kind); a.status != 400 {
			t.Errorf("%s: %s", name, a)
		}
	}
}

// TestPagesThatAreNotOpen: a URL that may not be opened leaves no page in the list of devices, which contains only open
// ones.
func TestPagesThatAreNotOpen(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0)
	for _, url := range []string{"file:///etc/passwd", "chrome://version", "nonsense", "http://169.254.169.254/"} {
		if a := l.ask("POST", "/web/launch", map[string]any{"url": url}); a.status < 400 || a.status >= 500 {
			t.Errorf("%s: %s", url, a)
		}
	}
	if a := l.ask("GET", "/devices", nil); strings.Contains(string(a.body), `"web`) {
		t.Errorf("no page is open: %s", a)
	}
	if a := l.ask("POST", "/web/launch", map[string]any{"url": l.http.URL}); a.status != 200 {
		t.Fatal(a)
	}
	if a := l.ask("GET", "/devices", nil); strings.Count(string(a.body), `"web-`) != 1 {
		t.Errorf("one page is open: %s", a)
	}
}

// TestRefusedAddressesStartNoBrowser: the browser is a script that records each start. It is not started for a URL that
// may not be opened, but for one that may.
func TestRefusedAddressesStartNoBrowser(t *testing.T) {
	dir := t.TempDir()
	started, program := filepath.Join(dir, "started"), filepath.Join(dir, "chromium")
	testutil.WriteProgram(t, program, "#!/bin/sh\n"+
		"[ \"$1\" = --version ] && echo Chromium 140.0.0.0 && exit\necho \"$@\" >> "+started+"\nexit 1\n", 0o700)
	t.Setenv("TAPROOT_CHROMIUM", program)
	t.Setenv("TAPROOT_HEADLESS_SHELL", program)
	l := newLab(t, 0, func(o *server.Options) { o.Network = guard.Policy{} })
	starts := func() string {
		said, err := os.ReadFile(started)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		return string(said)
	}
	for _, url := range []string{"http://127.0.0.1/", "http://localhost:3210/", "http://10.0.0.1/",
		"http://169.254.169.254/", "http://2130706433/", "http://[::1]/", "https://user@192.168.1.1/",
		"file:///etc/passwd", "javascript:alert(1)", "chrome://version", "ftp://example.com/", "nonsense", ""} {
		if a := l.ask("POST", "/web/launch", map[string]any{"url": url}); a.status < 400 || a.status >= 500 {
			t.Errorf("%q: %s", url, a)
		}
	}
	if said := starts(); said != "" {
		t.Errorf("a browser was started for an address that is refused: %s", said)
	}
	if a := l.ask("POST", "/web/launch", map[string]any{"url": "http://1.1.1.1/"}); a.status < 400 {
		t.Error(a)
	}
	if starts() == "" {
		t.Error("this test would not see a browser start")
	}
}

// TestPathsOfTheMachine: the server's owner sees why a browser does not start; clients do not see the paths of
// programs.
func TestPathsOfTheMachine(t *testing.T) {
	for what, script := range map[string]string{
		"no browser at all": "exit 3\n",
		"did not start": "[ \"$1\" = --version ] && echo Chromium 140.0.0.0 && exit\necho cannot open /opt/hidden.so >&2\n" +
			"exit 1\n",
	} {
		dir := t.TempDir()
		program := filepath.Join(dir, "chromium")
		testutil.WriteProgram(t, program, "#!/bin/sh\n"+script, 0o700)
		t.Setenv("TAPROOT_CHROMIUM", program)
		t.Setenv("TAPROOT_HEADLESS_SHELL", program)
		l := newLab(t, 0, func(o *server.Options) { o.Config.Browser = "chromium" }) // a browser of its own
		a := l.ask("POST", "/web/launch", map[string]any{"url": "http://127.0.0.1/"})
		if said := string(a.body); a.status != 502 || a.code() != "device_error" || !strings.Contains(said, "start") ||
			strings.Contains(said, dir) || strings.Contains(said, "/opt/") {
			t.Errorf("%s: %s", what, a)
		}
		if !strings.Contains(l.log.String(), program) {
			t.Errorf("%s: the log does not say which program: %s", what, l.log)
		}
	}
}
