package server_test

import (
	"bytes"
	"mime/multipart"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
