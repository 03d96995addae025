package server_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"mime/multipart"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/result/pack"
	"github.com/taproot-dev/taproot/internal/upload"
	"github.com/taproot-dev/taproot/server"
)

// form returns a multipart body with one file.
func form(t testing.TB, part, file string, data []byte) (body *bytes.Buffer, kind string) {
	t.Helper()
	body = &bytes.Buffer{}
	w := multipart.NewWriter(body)
	var to io.Writer
	var err error
	if file == "" {
		to, err = w.CreateFormField(part)
	} else {
		to, err = w.CreateFormFile(part, file)
	}
	if err == nil {
		_, err = to.Write(data)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return body, w.FormDataContentType()
}

// upload sends an archive twice, and damaged in several ways.
func (l *lab) upload(archive []byte) {
	l.t.Helper()
	send := func(path, part, file string, data []byte) answer {
		body, kind := form(l.t, part, file, data)
		return l.ask("POST", path, body, "Content-Type", kind)
	}
	first := send("/api/reports/upload", "pack", "hello.tar.gz", archive)
	if first.status != http.StatusCreated || first.json(l.t)["pack"] != "hello" ||
		first.header.Get("Location") != first.json(l.t)["url"] {
		l.t.Fatal(first)
	}
	again := send("/reports/upload", "pack", "x.tar.gz", archive)
	if again.status != http.StatusOK || again.json(l.t)["run"] != first.json(l.t)["run"] {
		l.t.Errorf("the same pack again: %s", again)
	}
	run := first.json(l.t)["run"].(string)
	if a := l.ask("GET", "/reports/"+run+"/index.html", nil); a.status != 200 {
		l.t.Errorf("the run of an upload has no page: %s", a)
	}
	if a := l.ask("GET", "/runs/"+run, nil); a.status != 200 || a.json(l.t)["result"] != "pass" {
		l.t.Error(a)
	}
	before := l.ask("GET", "/reports", nil)
	for name, a := range map[string]answer{
		"another part":  send("/reports/upload", "file", "x.tar.gz", archive),
		"no file":       send("/reports/upload", "pack", "", archive),
		"a cut archive": send("/reports/upload", "pack", "x.tar.gz", archive[:len(archive)/2]),
		"no archive":    send("/reports/upload", "pack", "x.tar.gz", []byte("hello")),
		"nothing":       send("/reports/upload", "pack", "x.tar.gz", nil),
		"a cut form": l.ask("POST", "/reports/upload",
			strings.NewReader("--x\r\nContent-Disposition: form-data; name=\"pack\"; filename=\"x\"\r\n\r\n"+
				"abc"), "Content-Type", "multipart/form-data; boundary=x"),
		"no boundary": l.ask("POST", "/reports/upload", strings.NewReader("x"), "Content-Type", "multipart/form-data"),
		"an empty form": l.ask("POST", "/reports/upload", strings.NewReader("--x--\r\n"), "Content-Type",
			"multipart/form-data; boundary=x"),
		"a large before": send("/reports/upload", "other", "", bytes.Repeat([]byte("x"), 1<<20)),
	} {
		if a.status != 400 || a.code() != "invalid_request" {
			l.t.Errorf("%s: %s", name, a)
		}
	}
	if a := l.ask("POST", "/reports/upload", nil); a.status != 400 && a.status != 415 {
		l.t.Errorf("no body: %s", a)
	}
	if after := l.ask("GET", "/reports", nil); !bytes.Equal(before.body, after.body) {
		l.t.Errorf("broken uploads left something behind: %s, then %s", before, after)
	}
}

// TestUploadByOurClient: uploads of taproot report upload are accepted, with a key only, and rejected if too large.
func TestUploadByOurClient(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0, withAuth, func(o *server.Options) { o.Upload = upload.Limits{Archive: 20_000} })
	p := filepath.Join(t.TempDir(), "login")
	if err := os.Mkdir(p, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"run.md": "# login\n",
		"summary.json": `{"id":"login","result":"fail","duration_ms":1,"steps":1,"steps_passed":0,"steps_failed":1,` +
			`"screenshots":0,"artifacts":[]}`} {
		if err := os.WriteFile(filepath.Join(p, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	o := pack.UploadOptions{URL: l.http.URL, Key: key, Pack: p, Spool: t.TempDir()}
	for range 2 {
		if done, err := pack.Upload(t.Context(), o); err != nil || done.Attempts != 1 {
			t.Fatalf("%+v, %v", done, err)
		}
	}
	runs, err := filepath.Glob(filepath.Join(filepath.Dir(l.dir), "reports", "20*", "login"))
	if err != nil || len(runs) != 1 {
		t.Errorf("%q, %v", runs, err)
	}
	o.Key = "wrong"
	if _, err := pack.Upload(t.Context(), o); err == nil || !strings.Contains(err.Error(), "401: invalid_token") {
		t.Errorf("%v", err)
	}
	noise := make([]byte, 40_000)
	_, _ = rand.NewChaCha8([32]byte{}).Read(noise)
	if err := os.WriteFile(filepath.Join(p, "noise.bin"), noise, 0o644); err != nil {
		t.Fatal(err)
	}
	o.Key = key
	if _, err := pack.Upload(t.Context(), o); err == nil || !strings.Contains(err.Error(), "413: payload_too_large") {
		t.Errorf("%v", err)
	}
}
