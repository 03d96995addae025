package server_test

import (
	"bytes"
	"mime/multipart"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mime"

	"github.com/taproot-dev/taproot/internal/webtest"
	"github.com/taproot-dev/taproot/server"
)

// sendApp uploads a file to be installed.
func (l *lab) sendApp(device, name, content string) answer {
	l.t.Helper()
	body := &bytes.Buffer{}
	form := multipart.NewWriter(body)
	part, err := form.CreateFormFile("app", name)
	if err != nil {
		l.t.Fatal(err)
	}
	if _, err := part.Write([]byte(content)); err != nil {
		l.t.Fatal(err)
	}
	if err := form.Close(); err != nil {
		l.t.Fatal(err)
	}
	r := l.request("POST", "/devices/"+device+"/apps", body)
	r.Header.Set("Content-Type", form.FormDataContentType())
	return l.send(r)
}

// TestApps: an uploaded app is installed and listed. A file that is not an app, is too large, or is for no phone
// changes nothing, and no file is left.
func TestApps(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	l := newLab(t, 1, func(o *server.Options) { o.Upload.Archive = 1000 })
	apps := func() (names []string) {
		t.Helper()
		a := l.ask("GET", "/devices/SIM1/apps", nil)
		list, ok := a.json(t)["apps"].([]any)
		if a.status != 200 || !ok {
			t.Fatal(a)
		}
		for _, one := range list {
			names = append(names, one.(string))
		}
		return names
	}
	const app = "PK\x03\x04\npackage=com.example.sent\n"
	before := apps()
	for what, c := range map[string]struct {
		device, name, content string
		status                int
	}{
		"no app":             {"SIM1", "app.apk", "no app", 422},
		"a name of no app":   {"SIM1", "app.exe", app, 400},
		"too large":          {"SIM1", "app.apk", app + strings.Repeat("x", 1000), 413},
		"an unknown device":  {"SIM9", "app.apk", app, 404},
		"a name that climbs": {"SIM1", "../../app", app, 400},
	} {
		a := l.sendApp(c.device, c.name, c.content)
		if a.status != c.status || strings.Contains(string(a.body), temp) {
			t.Errorf("%s: %s", what, a)
		}
	}
	if now := apps(); !slices.Equal(now, before) {
		t.Errorf("%v, before %v", now, before)
	}
	if a := l.sendApp("SIM1", "My App.APK", app); a.status != 200 {
		t.Fatal(a)
	}
	if now := apps(); !slices.Contains(now, "com.example.sent") {
		t.Errorf("%v", now)
	}
	if left, err := filepath.Glob(filepath.Join(temp, "taproot-app-*")); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}

// TestPullFile: a file of the shared storage is copied unchanged. A path that is not a file, is elsewhere or too large
// is an error that does not affect the device, and leaves no copy on the server.
func TestPullFile(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	l := newLab(t, 1, func(o *server.Options) { o.Upload.Archive = 300_000 })
	content := bytes.Repeat([]byte("0123456789\x00\xff\r\n"), 20_000) // more than one packet
	for name, data := range map[string][]byte{"/sdcard/Download/a \"report\" ü.pdf": content, "/sdcard/empty": nil,
		"/data/local/tmp/large": make([]byte, 300_001)} {
		if err := l.phones[0].WriteFile(name, data); err != nil {
			t.Fatal(err)
		}
	}
	// otherwise it is closed after two idle seconds, while the requests below fail
	l.hold("SIM1")
	a := l.ask("GET", "/devices/SIM1/file?path=/sdcard/Download/a%20%22report%22%20%C3%BC.pdf", nil)
	if a.status != 200 || !bytes.Equal(a.body, content) {
		t.Errorf("%d, %d bytes", a.status, len(a.body))
	}
	if _, params, err := mime.ParseMediaType(a.header.Get("Content-Disposition")); err != nil ||
		params["filename"] != `a "report" ü.pdf` {
		t.Errorf("%v %v", params, err)
	}
	if a := l.ask("GET", "/api/devices/SIM1/file?path=/sdcard/empty", nil); a.status != 200 || len(a.body) > 0 {
		t.Errorf("an empty file: %s", a)
	}
	for path, want := range map[string]struct {
		status int
		code   string
	}{
		"SIM1/file?path=/sdcard/none":                             {404, "not_found"},
		"SIM1/file?path=/sdcard/Download":                         {404, "not_found"},
		"SIM1/file?path=/system/build.prop":                       {404, "not_found"},
		"SIM1/file?path=/sdcard/%2e%2e/system/build.prop":         {400, "invalid_request"},
		"SIM1/file?path=/sdcard/../system/build.prop":             {400, "invalid_request"},
		"SIM1/file?path=//sdcard/empty":                           {400, "invalid_request"},
		"SIM1/file?path=sdcard/empty":                             {400, "invalid_request"},
		"SIM1/file?path=":                                         {400, "invalid_request"},
		"SIM1/file":                                               {400, "invalid_request"},
		"SIM1/file?path=/sdcard/a%00b":                            {400, "invalid_request"},
		"SIM1/file?path=/sdcard/%ff":                              {400, "invalid_request"},
		"SIM1/file?path=/sdcard/$(reboot)%3B%60reboot%60":         {404, "not_found"},
		"SIM1/file?path=/sdcard/" + strings.Repeat("x", 1100):     {400, "invalid_request"},
		"SIM1/file?path=/data/local/tmp/large":                    {422, "action_failed"},
		"SIM9/file?path=/sdcard/empty":                            {404, "device_not_found"},
		"SIM1/file?path=/sdcard/empty&path=/system/build.prop":    {400, "invalid_request"},
		"SIM1/file?path=/sdcard/empty&other=1":                    {400, "invalid_request"},
		"SIM1/file?path=/sdcard/Download/%C3%BC%20nothing%22.pdf": {404, "not_found"},
	} {
		if a := l.ask("GET", "/devices/"+path, nil); a.status != want.status || a.code() != want.code ||
			strings.Contains(string(a.body), temp) {
			t.Errorf("%.80s: %s", path, a)
		}
	}
	if a := l.ask("GET", "/devices/SIM1", nil).json(t); a["open"] != true {
		t.Errorf("a file that is not there closed the device: %v", a)
	}
	if left, err := filepath.Glob(filepath.Join(temp, "taproot-file-*")); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}

// TestNoFilesOfPages: pages have no files; actions return their downloads.
func TestNoFilesOfPages(t *testing.T) {
	t.Parallel()
	site := webtest.New(t)
	l := newLab(t, 0)
	if a := l.ask("POST", "/web/launch", map[string]any{"url": site.Page("login.html"),
		"headless": true}); a.status != 200 {
		t.Fatal(a)
	}
	if a := l.ask("GET", "/devices/web-1/file?path=/etc/passwd", nil); a.status != 422 || a.code() != "unsupported" {
		t.Error(a)
	}
}
