package browser

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/remote"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/dsl"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func wantError(t *testing.T, err, kind error, words ...string) {
	t.Helper()
	if !errors.Is(err, kind) {
		t.Errorf("%v, want %v", err, kind)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			t.Errorf("%v, want %q", err, word)
		}
	}
}

// saver returns the files of a session at a server.
func saver(t *testing.T, at, folder string) *savedFiles {
	t.Helper()
	server := dsl.RemoteServer{Name: "lab", URL: at, Platform: dsl.Web, Sessions: 1}
	sessions, err := remote.New(remote.Of(server, t.TempDir()))
	must(t, err)
	client, err := webdriver.New(webdriver.Options{URL: at})
	must(t, err)
	return &savedFiles{remoteInstance: &remoteInstance{folder: folder,
		remote: &Remote{RemoteServer: server, Sessions: sessions}, lease: &remote.Lease{Session: client.Resume("1")}}}
}

// A file keeps its content when the browser saves another one of the same name.
func TestSavedFilesOfOneName(t *testing.T) {
	folder := t.TempDir()
	s := saver(t, "http://127.0.0.1:1", folder)
	var takes []func(context.Context) (string, error)
	for _, content := range []string{"first", "second"} {
		at := filepath.Join(folder, "report.csv")
		must(t, os.WriteFile(at, []byte(content), 0o600))
		takes = append(takes, s.saved(at))
	}
	for i, content := range []string{"first", "second"} {
		path, err := takes[i](t.Context())
		must(t, err)
		if got, err := os.ReadFile(path); err != nil || string(got) != content {
			t.Errorf("%q, %v", got, err)
		}
	}
}

// What a browser saves elsewhere, as one in a container, is an error of the test. Files of this machine that it names
// stay where they are.
func TestSavedFilesOfAnotherMachine(t *testing.T) {
	own := filepath.Join(t.TempDir(), "own")
	must(t, os.WriteFile(own, []byte("mine"), 0o600))
	folder := t.TempDir()
	s := saver(t, "http://127.0.0.1:1", folder)
	for _, there := range []string{own, "/home/seluser/Downloads/report.csv", filepath.Join(folder, "none"),
		filepath.Join(folder, "..", "own"), ""} {
		_, err := s.saved(there)(t.Context())
		wantError(t, err, drivers.ErrUnsupported, "lab", "container", "se:downloadsEnabled")
	}
	if _, err := os.Stat(own); err != nil {
		t.Error(err)
	}
	err := saver(t, "http://grid.example", "").remote.savesFiles()
	wantError(t, err, drivers.ErrUnsupported, "lab", "another machine", "se:downloadsEnabled")
}

// A Grid passes files on, and may send anything.
func TestFilesOfAGrid(t *testing.T) {
	archive := func(files ...string) []byte {
		var out bytes.Buffer
		z := zip.NewWriter(&out)
		for _, name := range files {
			f, err := z.Create(name)
			must(t, err)
			_, _ = f.Write([]byte("content of " + name))
		}
		must(t, z.Close())
		return out.Bytes()
	}
	contents := map[string]any{"a.txt": archive("a.txt"), "evil": archive("../../evil"), "two": archive("a", "b"),
		"none": archive(), "text": []byte("no archive"), "number": 5, "broken": "&&"}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct{ Name string }
		_ = json.NewDecoder(r.Body).Decode(&asked)
		if r.URL.Path != "/session/1/se/files" || contents[asked.Name] == nil {
			w.WriteHeader(http.StatusNotFound)
			_, _ = w.Write([]byte(`{"value":{"error":"unknown command","message":"no ` + asked.Name + `","stacktrace":""}}`))
			return
		}
		_ = json.NewEncoder(w).Encode(map[string]any{"value": map[string]any{"contents": contents[asked.Name]}})
	}))
	defer server.Close()
	dir := t.TempDir()
	s := saver(t, server.URL, dir)
	for there, want := range map[string]string{"/home/u/a.txt": "content of a.txt",
		`C:\Users\u\evil`: "content of ../../evil"} {
		path, err := s.fetched(there)(t.Context())
		must(t, err)
		if got, err := os.ReadFile(path); err != nil || string(got) != want {
			t.Errorf("%s: %q, %v", there, got, err)
		}
	}
	for _, there := range []string{"two", "none", "text", "number", "broken"} {
		_, err := s.fetched(there)(t.Context())
		wantError(t, err, drivers.ErrDeviceLost, "lab")
	}
	_, err := s.fetched("missing")(t.Context())
	wantError(t, err, drivers.ErrUnsupported, "lab", "passes no files on")
	if list, err := os.ReadDir(dir); err != nil || len(list) != 2 {
		t.Errorf("%v, %v", list, err)
	}
}
