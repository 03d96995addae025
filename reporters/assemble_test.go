package reporters

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/xml"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/event/eventtest"
	"github.com/taproot-dev/taproot/internal/result/history"
	"github.com/taproot-dev/taproot/internal/result/runtest"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/reporters/internal/webhook"
)

func TestMain(m *testing.M) { testutil.NoLeaks(m) }

var epoch = time.Date(2026, 3, 4, 6, 0, 0, 0, time.UTC)

func lay(t *testing.T) string {
	t.Helper()
	files := append(runtest.Glob(t, "history/testdata/run/*.ndjson"), runtest.Glob(t, "event/testdata/events/*.ndjson")...)
	return runtest.Lay(t, files...)
}

func options(env map[string]string) Options {
	return Options{Getenv: func(name string) string { return env[name] }, Now: func() time.Time { return epoch }}
}

func read(t *testing.T, path ...string) string {
	t.Helper()
	data, err := os.ReadFile(filepath.Join(path...))
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.Name())
	}
	return list
}

func TestRun(t *testing.T) {
	dir := lay(t)
	run, err := Finish(t.Context(), dir, options(nil))
	if err != nil {
		t.Fatal(err)
	}
	if run.Result() != event.Interrupted || len(run.Cases) != 13 {
		t.Error(run.Result(), len(run.Cases))
	}
	var files []string
	for _, name := range names(t, dir) {
		if info, err := os.Stat(filepath.Join(dir, name)); err == nil && !info.IsDir() {
			files = append(files, name)
		}
	}
	if !slices.Equal(files, []string{"ctrf.json", "junit.xml", "run.json", "summary.md"}) {
		t.Errorf("%q", files)
	}
	if err := xml.Unmarshal([]byte(read(t, dir, "junit.xml")), new(struct{})); err != nil {
		t.Error(err)
	}
	for _, name := range []string{"ctrf.json", "run.json"} {
		if !json.Valid([]byte(read(t, dir, name))) {
			t.Errorf("%s is no JSON", name)
		}
	}
	// Each of them names the place of a failure.
	for _, name := range []string{"junit.xml", "ctrf.json", "run.json", "summary.md"} {
		if !strings.Contains(read(t, dir, name), "suites/failing/login.yaml:7") {
			t.Errorf("%s does not say where", name)
		}
	}
	root := filepath.Dir(dir)
	if got := names(t, root); !slices.Equal(got, []string{".history.lock", runtest.Name, "history.jsonl", "latest"}) {
		t.Errorf("%q", got)
	}
	if to, err := os.Readlink(filepath.Join(root, "latest")); err != nil || to != runtest.Name {
		t.Error(to, err)
	}
	// Again: the same files.
	before, history := read(t, dir, "run.json"), read(t, root, "history.jsonl")
	if _, err := Finish(t.Context(), dir, options(nil)); err != nil {
		t.Fatal(err)
	}
	if read(t, dir, "run.json") != before || read(t, root, "history.jsonl") != history {
		t.Error("another time, other files")
	}
}

func TestGitHub(t *testing.T) {
	dir := lay(t)
	step := filepath.Join(t.TempDir(), "step.md")
	var out bytes.Buffer
	o := options(map[string]string{"GITHUB_ACTIONS": "true", "GITHUB_STEP_SUMMARY": step, "GITHUB_WORKSPACE": "/w",
		"TAPROOT_REPORT_URL": "https://ci.example/{run}/"})
	o.Stdout, o.Dir = &out, "/w/app"
	if _, err := Finish(t.Context(), dir, o); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), "::error file=app/suites/failing/login.yaml,line=7,") {
		t.Error(out.String())
	}
	if page := read(t, step); !strings.Contains(page, "## What went wrong") ||
		!strings.Contains(page, "](https://ci.example/"+runtest.Name+"/login-wrong/screenshots/03-welcome-failed.png)") {
		t.Error(page)
	}
	// An address that is not that of a folder is linked, and nothing below it.
	for address, want := range map[string]string{"https://ci.example/jobs/7": "",
		"https://ci.example/{run}/index.html": "https://ci.example/r/", "": ""} {
		get := func(string) string { return address }
		link, err := ReportURL(get, "r")
		if got := folderOf(get, link); err != nil || got != want {
			t.Errorf("%s: %q, %v", address, got, err)
		}
	}
	// A file that cannot be written hinders nothing else.
	o = options(map[string]string{"GITHUB_STEP_SUMMARY": t.TempDir()})
	if run, err := Finish(t.Context(), dir, o); err == nil || run == nil {
		t.Error(run, err)
	}
	// Nothing is printed outside of GitHub Actions.
	out.Reset()
	o = options(nil)
	o.Stdout = &out
	if _, err := Finish(t.Context(), dir, o); err != nil || out.Len() != 0 {
		t.Error(out.String(), err)
	}
}

// slack is a chat that takes, or refuses, what it gets.
func slack(t *testing.T, answer string) (url string, got func() []string) {
	t.Helper()
	var mu sync.Mutex
	var bodies []string
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		defer mu.Unlock()
		bodies = append(bodies, string(body))
		io.WriteString(w, answer)
	}))
	t.Cleanup(s.Close)
	t.Cleanup(http.DefaultTransport.(*http.Transport).CloseIdleConnections)
	return s.URL + "/services/T0KEN-T0KEN", func() []string {
		mu.Lock()
		defer mu.Unlock()
		return slices.Clone(bodies)
	}
}

func TestChat(t *testing.T) {
	good, told := slack(t, "ok")
	bad, _ := slack(t, "no_service")
	dir := lay(t)
	o := options(map[string]string{"SLACK_WEBHOOK_URL": good, "FEISHU_WEBHOOK_URL": bad + "#product=slack",
		"TAPROOT_REPORT_URL": "https://ci.example/x"})
	o.Notify = &webhook.Options{Wait: time.Millisecond}
	run, err := Finish(t.Context(), dir, o)
	if run == nil || err == nil ||
		!strings.Contains(err.Error(), "the message to slack (FEISHU_WEBHOOK_URL) failed: 200, but not accepted: "+
			"no_service") || strings.Contains(err.Error(), "T0KEN") {
		t.Errorf("%v", err)
	}
	if got := told(); len(got) != 1 || !strings.Contains(got[0], "https://ci.example/x") ||
		!strings.Contains(got[0], "login.yaml:7:5") {
		t.Errorf("%q", got)
	}
	runtest.ValidFile(t, filepath.Join(dir, NotifyFile))
	note := read(t, dir, NotifyFile)
	if strings.Contains(note, "T0KEN") || strings.Contains(note, "127.0.0.1") || strings.Count(note, `"ok": true`) != 1 ||
		strings.Count(note, `"ok": false`) != 1 {
		t.Error(note)
	}
	// A run without failures, and one that is assembled again, send no notifications.
	o.Quiet = true
	if _, err := Finish(t.Context(), dir, o); err != nil {
		t.Error(err)
	}
	o.Quiet = false
	fine := runtest.Lay(t, eventtest.File("pass"), eventtest.File("skipped"))
	if _, err := Finish(t.Context(), fine, o); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(fine, NotifyFile)); !errors.Is(err, os.ErrNotExist) || len(told()) != 1 {
		t.Errorf("%v, %d messages", err, len(told()))
	}
	// An interrupted run does not wait for a chat.
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if run, err := Finish(ctx, dir, o); run == nil || err == nil || len(told()) != 1 {
		t.Error(err)
	}
}

// Retention keeps the run that ends; wrong limits delete nothing and are reported; the pages are made after the old
// runs were removed.
func TestRetention(t *testing.T) {
	dir := lay(t)
	root := filepath.Dir(dir)
	old := filepath.Join(root, "2020-01-01T00-00-00")
	if err := os.MkdirAll(filepath.Join(old, "login"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(old, ".live"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	o := options(map[string]string{"REPORT_MAX_DAYS": "0"})
	if _, err := Finish(t.Context(), dir, o); err == nil || !strings.Contains(err.Error(), "REPORT_MAX_DAYS") {
		t.Error(err)
	}
	if _, err := os.Stat(old); err != nil {
		t.Error("wrong limits delete:", err)
	}
	o = options(nil)
	o.Now = func() time.Time { return epoch.AddDate(3, 0, 0) } // this run is too old, too
	var seen []string
	o.Pages = func(runDir string) error {
		seen = names(t, root)
		return os.WriteFile(filepath.Join(runDir, "login-ok", event.PageFile), []byte("x"), 0o600)
	}
	if _, err := Finish(t.Context(), dir, o); err != nil {
		t.Fatal(err)
	}
	if slices.Contains(seen, filepath.Base(old)) || !slices.Contains(seen, runtest.Name) {
		t.Errorf("%q", seen)
	}
	if !strings.Contains(read(t, dir, "summary.md"), "(login-ok/report.html)") {
		t.Error("the summary does not know the pages")
	}
	o.Pages = func(string) error { return errors.New("no room") }
	if run, err := Finish(t.Context(), dir, o); run == nil || err == nil ||
		!strings.Contains(err.Error(), "index.html could not be written: no room") {
		t.Error(err)
	}
}

func TestSealed(t *testing.T) {
	dir := lay(t)
	if _, err := Finish(t.Context(), dir, options(nil)); err != nil {
		t.Fatal(err)
	}
	sealed, err := history.Finalize(filepath.Dir(dir), epoch)
	if err != nil || len(sealed) == 0 {
		t.Fatal(sealed, err)
	}
	if err := FinishFinalized(t.Context(), sealed, options(nil)); err != nil {
		t.Error(err)
	}
	if !strings.Contains(read(t, dir, "summary.md"), "(killed/run.md)") {
		t.Error("the summary does not know the packs that were sealed")
	}
	if err := FinishFinalized(t.Context(), []history.Finalized{{Dir: filepath.Join(dir, "no", "pack")}},
		options(nil)); err == nil {
		t.Error("no error of a run that is not there")
	}
}

func TestReportURL(t *testing.T) {
	for address, want := range map[string]string{"": "", "https://x/{run}/index.html": "https://x/r%201/index.html",
		"https://x/y": "https://x/y"} {
		if got, err := ReportURL(func(string) string { return address }, "r 1"); err != nil || got != want {
			t.Errorf("%s: %s, %v", address, got, err)
		}
	}
	for _, address := range []string{"x", "javascript:alert(1)", "file:///etc", "https://%zz"} {
		if got, err := ReportURL(func(string) string { return address }, "r"); err == nil {
			t.Errorf("%s: %s", address, got)
		}
	}
}

func TestNoRun(t *testing.T) {
	if run, err := Finish(t.Context(), filepath.Join(t.TempDir(), "none"), Options{}); run != nil || err == nil {
		t.Error(run, err)
	}
}

// TestTraceIsSent once: a run that is assembled again was sent already.
func TestTraceIsSent(t *testing.T) {
	requests := 0
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if body, err := io.ReadAll(r.Body); err == nil && r.URL.Path == "/v1/traces" &&
			bytes.Contains(body, []byte(`"taproot run"`)) {
			requests++
		}
	}))
	defer s.Close()
	dir := lay(t)
	o := options(map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": s.URL})
	for _, quiet := range []bool{false, true} {
		o.Quiet = quiet
		if _, err := Finish(t.Context(), dir, o); err != nil {
			t.Fatal(err)
		}
	}
	if requests != 1 {
		t.Errorf("it was sent %d times", requests)
	}
	http.DefaultTransport.(*http.Transport).CloseIdleConnections()
}
