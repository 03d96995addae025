package server_test

import (
	"bytes"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/taproot-dev/taproot/internal/webtest"
	"github.com/taproot-dev/taproot/runner/run"
	"github.com/taproot-dev/taproot/server"
)

// needFFmpeg returns the path of ffmpeg.
func needFFmpeg(t *testing.T) string {
	t.Helper()
	path := run.FindFFmpeg(t.Context(), run.Config{Getenv: os.Getenv})
	if path == "" {
		t.Fatal("ffmpeg is needed; `make setup` installs it")
	}
	return path
}

// withTools lets the server find programs as this process does.
func withTools(o *server.Options) {
	getenv := o.Config.Getenv
	o.Config.Getenv = func(name string) string {
		if value := getenv(name); value != "" {
			return value
		}
		return os.Getenv(name)
	}
}

// recording returns the state of a device's recording.
func (l *lab) recording(device string) map[string]any {
	l.t.Helper()
	return l.ask("GET", "/devices/"+device+"/recording", nil).json(l.t)
}

// isFilm checks the content of a response with ffmpeg.
func isFilm(t *testing.T, film answer) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "film.mp4")
	if err := os.WriteFile(file, film.body, 0o600); err != nil {
		t.Fatal(err)
	}
	said, _ := exec.Command(needFFmpeg(t), "-hide_banner", "-i", file).CombinedOutput() // it fails: there is no output
	if film.status != 200 || film.header.Get("Content-Type") != "video/mp4" ||
		!bytes.Contains(said, []byte("Video: h264")) || bytes.Contains(said, []byte("Duration: 00:00:00.0")) {
		t.Errorf("no film: %d %v\n%s", film.status, film.header, said)
	}
}

// TestRecording: a screen is recorded while another client has leased the device, and the video is kept after the end
// of the recording, until it is deleted.
func TestRecording(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	l := newLab(t, 1, withTools)
	lease := l.ask("POST", "/devices/SIM1/lease", `{"holder": "ada"}`).json(t)["lease"].(string)
	if a := l.ask("POST", "/devices/SIM1/recording", nil); a.status != 201 || a.json(t)["state"] != "recording" {
		t.Fatal(a)
	}
	if a := l.ask("GET", "/devices/SIM1/recording/video", nil); a.status != 409 || a.code() != "conflict" {
		t.Errorf("the film of a recording under way: %s", a)
	}
	if a := l.ask("GET", "/devices", nil); !strings.Contains(string(a.body), `"state":"recording"`) {
		t.Errorf("the list of devices does not tell: %s", a)
	}
	eventually(t, "there is a first picture", func() bool { return l.recording("SIM1")["screenshots"].(float64) >= 1 })
	if a := l.ask("POST", "/devices/SIM1/launch", `{"package": "com.example.login", "force": true}`, "X-Lease",
		lease); a.status != 200 {
		t.Fatal(a)
	}
	eventually(t, "the app is on a picture", func() bool { return l.recording("SIM1")["screenshots"].(float64) >= 2 })
	for range 2 {
		if a := l.ask("POST", "/devices/SIM1/recording/stop", nil); a.status != 200 || a.json(t)["state"] != "ready" ||
			a.json(t)["size"].(float64) < 1000 {
			t.Fatal(a)
		}
	}
	film := l.ask("GET", "/devices/SIM1/recording/video", nil)
	isFilm(t, film)
	if old := l.ask("GET", "/devices/SIM1/recording/film", nil); old.status != 200 || !bytes.Equal(old.body, film.body) {
		t.Errorf("the older path: %d", old.status)
	}
	if name := film.header.Get("Content-Disposition"); !strings.HasPrefix(name, `attachment; filename="SIM1-2`) {
		t.Error(name)
	}
	if a := l.ask("GET", "/api/devices/SIM1/recording/video", nil, "Range",
		"bytes=4-7"); a.status != http.StatusPartialContent || string(a.body) != "ftyp" {
		t.Errorf("a part: %s", a)
	}
	if a := l.ask("GET", "/devices/SIM1/recording/video", nil, "Range", "bytes=999999999-"); a.status != 416 {
		t.Errorf("no part: %s", a)
	}
	if a := l.ask("POST", "/devices/SIM1/recording", `{"maxSeconds": 1}`); a.status != 201 {
		t.Fatal(a)
	}
	eventually(t, "it ends by itself", func() bool { return l.recording("SIM1")["state"] == "ready" })
	for _, status := range []int{204, 404} {
		if a := l.ask("DELETE", "/devices/SIM1/recording", nil); a.status != status {
			t.Error(a)
		}
	}
	for method, path := range map[string]string{"GET": "/devices/SIM1/recording/video",
		"POST": "/devices/SIM1/recording/stop"} {
		if a := l.ask(method, path, nil); a.status != 404 || a.code() != "not_found" {
			t.Errorf("%s %s of what was deleted: %s", method, path, a)
		}
	}
	if left, err := filepath.Glob(filepath.Join(temp, "taproot-film-*")); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
}

// TestRecordingOfAPage: an open page is recorded, and the video is kept when the page is closed meanwhile.
func TestRecordingOfAPage(t *testing.T) {
	t.Parallel()
	site := webtest.New(t)
	l := newLab(t, 0, withTools)
	if a := l.ask("POST", "/web/launch", map[string]any{"url": site.Page("login.html"),
		"headless": true}); a.status != 200 {
		t.Fatal(a)
	}
	if a := l.ask("POST", "/devices/web-1/recording", nil); a.status != 201 {
		t.Fatal(a)
	}
	eventually(t, "there is a picture", func() bool { return l.recording("web-1")["screenshots"].(float64) >= 1 })
	if a := l.ask("DELETE", "/web/web-1", nil); a.status != 204 {
		t.Fatal(a)
	}
	eventually(t, "the film is there", func() bool { return l.recording("web-1")["state"] == "ready" })
	if why := l.recording("web-1")["problem"]; why != "the device was released" {
		t.Errorf("%v", why)
	}
	isFilm(t, l.ask("GET", "/devices/web-1/recording/video", nil))
}

// TestRecordingsAtOnce: of many clients that start one at the same time one succeeds, and a device has one recording.
func TestRecordingsAtOnce(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1, withTools)
	var mu sync.Mutex
	count := map[int]int{}
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			a := l.ask("POST", "/devices/SIM1/recording", nil)
			mu.Lock()
			defer mu.Unlock()
			count[a.status]++
		})
	}
	all.Wait()
	if count[201] != 1 || count[409] != 7 {
		t.Errorf("%v", count)
	}
	all.Go(func() { l.ask("POST", "/devices/SIM1/recording/stop", nil) })
	all.Go(func() { l.ask("DELETE", "/devices/SIM1/recording", nil) })
	all.Go(func() { l.ask("POST", "/devices/SIM1/recording", nil) })
	all.Wait() // whatever came first: nothing hangs, and the server ends with all of it
}

// TestRecordingsThatAreRefused: rejected and failed recordings return the reason, without paths of the server.
func TestRecordingsThatAreRefused(t *testing.T) {
	temp := t.TempDir()
	t.Setenv("TMPDIR", temp)
	l := newLab(t, 1, withTools)
	for body, path := range map[string]string{`{"maxSeconds": 0}`: "SIM1", `{"maxSeconds": 1801}`: "SIM1",
		`{"maxSeconds": 1.5}`: "SIM1", `{"seconds": 5}`: "SIM1", `[]`: "SIM1"} {
		if a := l.ask("POST", "/devices/"+path+"/recording", body); a.status != 400 || a.code() != "invalid_request" {
			t.Errorf("%s: %s", body, a)
		}
	}
	for _, o := range []string{"GET ", "POST ", "DELETE ", "POST /stop", "GET /video"} {
		method, rest, _ := strings.Cut(o, " ")
		if a := l.ask(method, "/devices/SIM9/recording"+rest, nil); a.status != 404 || a.code() != "device_not_found" {
			t.Errorf("%s of an unknown device: %s", o, a)
		}
	}
	if a := l.ask("POST", "/devices/SIM1/recording", nil); a.status != 201 {
		t.Fatal(a)
	}
	folders, err := filepath.Glob(filepath.Join(temp, "taproot-film-*"))
	if err != nil || len(folders) != 1 {
		t.Fatal(folders, err)
	}
	eventually(t, "there is a picture", func() bool { return l.recording("SIM1")["screenshots"].(float64) >= 1 })
	if err := os.RemoveAll(folders[0]); err != nil { // as a disk that fails
		t.Fatal(err)
	}
	a := l.ask("POST", "/devices/SIM1/recording/stop", nil)
	if a.status != 502 || a.code() != "device_error" || strings.Contains(string(a.body), temp) {
		t.Error(a)
	}
	if a := l.ask("GET", "/devices/SIM1/recording/video", nil); a.status != 404 || strings.Contains(string(a.body), temp) {
		t.Error(a)
	}
	if a := fmt.Sprint(l.recording("SIM1")); !strings.Contains(a, "state:failed") || strings.Contains(a, temp) {
		t.Error(a)
	}
}

// TestNoFilmOfSecrets: a video could show variables that are exposed to callers.
func TestNoFilmOfSecrets(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1, func(o *server.Options) { o.Exposed = map[string]string{"PASSWORD": "hunter2hunter2"} })
	if a := l.ask("POST", "/devices/SIM1/recording", nil); a.status != 422 || a.code() != "unsupported" {
		t.Error(a)
	}
}
