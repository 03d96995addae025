package server_test

import (
	"bytes"
	"mime"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers/web/webtest"
	"github.com/taproot-dev/taproot/server"
)

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
