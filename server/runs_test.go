package server_test

import (
	"bufio"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

const passing = `id: hello
platform: android
steps:
  - launch: {package: com.example.login, force: true}
  - assert: E-mail
`

const endless = `id: endless
platform: android
steps:
  - sleep: 10m
`

// ended waits until a run has ended.
func (l *lab) ended(id string) map[string]any {
	l.t.Helper()
	var run map[string]any
	eventually(l.t, "the run ends", func() bool {
		run = l.ask("GET", "/runs/"+id, nil).json(l.t)
		return run["state"] == "ended"
	})
	return run
}

func TestRuns(t *testing.T) {
	t.Parallel()
	l := newLab(t, 2)
	if err := os.WriteFile(filepath.Join(l.dir, "hello.yaml"), []byte(passing), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(l.dir, "broken.yaml"), []byte("id: broken\nsteps:\n  - tapp: x\n"),
		0o600); err != nil {
		t.Fatal(err)
	}
	list := l.ask("GET", "/tests", nil)
	if text := string(list.body); !strings.Contains(text, `"id":"hello"`) || !strings.Contains(text, `unknown action`) ||
		!strings.Contains(text, `did you mean`) {
		t.Error(list)
	}
	started := l.ask("POST", "/api/runs", map[string]any{"tests": []string{"hello"}}, "Idempotency-Key", "once")
	id, _ := started.json(t)["id"].(string)
	if started.status != 202 || id == "" || started.header.Get("Location") != "/runs/"+id {
		t.Fatal(started)
	}
	again := l.ask("POST", "/runs", map[string]any{"tests": []string{"hello"}}, "Idempotency-Key", "once")
	if again.status != 200 || again.json(t)["id"] != id {
		t.Errorf("the same request again: %s", again)
	}
	if a := l.ask("POST", "/runs", map[string]any{"yaml": passing}, "Idempotency-Key", "once"); a.status != 400 {
		t.Errorf("another request with the same key: %s", a)
	}
	run := l.ended(id)
	if run["result"] != "pass" {
		t.Fatalf("%v", run)
	}
	if a := l.ask("GET", "/runs", nil); !strings.Contains(string(a.body), id) {
		t.Error(a)
	}
	l.reports(id)
	if a := l.ask("DELETE", "/runs/"+id, nil); a.status != 200 || a.json(t)["result"] != "pass" {
		t.Errorf("to cancel what has ended: %s", a)
	}
	pair := "id: pair\ndevices: {alice: {platform: android}, carol: {platform: android}}\nsteps:\n" +
		"  - on: {alice: [{press: back}], carol: [{press: home}]}\n"
	both := l.ask("POST", "/runs", map[string]any{"yaml": pair}).json(t)
	bothID, _ := both["id"].(string)
	if run := l.ended(bothID); run["result"] != "pass" {
		t.Errorf("a test with two devices: %v", run)
	}
	if a := l.ask("GET", "/reports/"+bothID+"/pair/summary.json", nil); !strings.Contains(string(a.body),
		`"name": "carol"`) {
		t.Errorf("the summary of a test with two devices: %s", a)
	}
	if a := l.ask("POST", "/runs", map[string]any{"yaml": pair, "device": "SIM1"}); a.status != 400 ||
		!strings.Contains(string(a.body), "the test pair names its devices itself") {
		t.Errorf("one device for a test with two: %s", a)
	}
	for body, want := range map[string]string{
		`{}`: "say what to run", `{"tests": ["nobody"]}`: "no test has the id", `{"tests": ["../hello"]}`: "ids of tests",
		`{"tests": ["hello.yaml"]}`:                  "no test has the id",
		`{"tests": ["hello"], "yaml": "x"}`:          "exclude each other",
		`{"yaml": "id: x\nsteps:\n  - tapp: y\n"}`:   `unknown action`,
		`{"tests": ["hello"], "vars": {"a b": "x"}}`: "name of a variable",
		`{"tests": ["hello"], "platform": "web"}`:    "nothing to run",
		`{"tests": ["hello"], "platform": "palm"}`:   "platform",
		`{"tests": ["hello"], "labelFilter": "(("}`:  "label filter",
		`{"tests": ["broken"]}`:                      "tapp", `{"tests": []}`: "say what to run",
		`{"tests": [""]}`: "ids of tests",
		`{"yaml": " "}`:   "say what to run",
	} {
		if a := l.ask("POST", "/runs", body); a.status != 400 || !strings.Contains(string(a.body), want) {
			t.Errorf("%s: %s", body, a)
		}
	}
	for _, path := range []string{"/runs/nothing", "/runs/2001-01-01T00-00-00", "/runs/..%2f..%2fetc",
		"/runs/2001-01-01T00-00-00/events"} {
		if a := l.ask("GET", path, nil); a.status != 404 {
			t.Errorf("%s: %s", path, a)
		}
	}
}

// TestRunsOfABrokenProject: an error in the server's own taproot.yaml is reported with its file and line, and not as
// the client's error.
func TestRunsOfABrokenProject(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	config := filepath.Join(l.dir, "suites", "taproot.yaml")
	if err := os.MkdirAll(filepath.Dir(config), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"an unknown key": "exclude: [x]\nretrys: 2\n", "a wrong type": "retries: many\n", "no YAML": "exclude: [\n",
		"a typo in a list": "tags: {a: b\n",
	} {
		if err := os.WriteFile(config, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(filepath.Dir(config), "x.yaml"),
			[]byte("id: x\nplatform: android\nsteps:\n  - press: back\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		a := l.ask("POST", "/runs", map[string]any{"tests": []string{"x"}})
		if a.status != 422 || a.code() != "invalid_project" || !strings.Contains(string(a.body), "suites/taproot.yaml:") {
			t.Errorf("%s: %s", name, a)
		}
	}
}

// reports checks the reports of a run of the test hello.
func (l *lab) reports(run string) {
	l.t.Helper()
	if a := l.ask("GET", "/reports", nil); !strings.Contains(string(a.body), run) ||
		!strings.Contains(string(a.body), `"hello"`) || !strings.Contains(string(a.body), "junit.xml") {
		l.t.Error(a)
	}
	files := l.ask("GET", "/reports/"+run+"/hello", nil)
	for _, name := range []string{"run.md", "summary.json", "screenshots/01-", "report.html"} {
		if !strings.Contains(string(files.body), name) {
			l.t.Errorf("%s is not listed: %s", name, files)
		}
	}
	if a := l.ask("GET", "/reports/"+run+"/hello/summary.json", nil); a.status != 200 || a.json(l.t)["result"] != "pass" {
		l.t.Error(a)
	}
	page := l.ask("GET", "/reports/"+run+"/hello/report.html", nil)
	if page.status != 200 || !strings.HasPrefix(page.header.Get("Content-Security-Policy"), "sandbox") ||
		page.header.Get("X-Content-Type-Options") != "nosniff" {
		l.t.Errorf("%v", page.header)
	}
	part := l.ask("GET", "/reports/"+run+"/hello/run.md", nil, "Range", "bytes=0-6")
	if part.status != 206 && part.status != 200 || !strings.HasPrefix(string(part.body), "# hello") {
		l.t.Error(part)
	}
	if a := l.ask("GET", "/reports/"+run+"/hello/run.md", nil, "Range", "bytes=9999999-"); a.status != 416 {
		l.t.Error(a)
	}
	archive := l.ask("GET", "/reports/"+run+"/hello.tar.gz", nil)
	if archive.status != 200 || archive.header.Get("Content-Type") != "application/gzip" || len(archive.body) < 500 {
		l.t.Errorf("%d, %v", archive.status, archive.header)
	}
	l.upload(archive.body)
	for _, path := range []string{"/hello/..%2f..%2f..%2fsecret", "/hello/%2e%2e/x", "/hello/.work", "/.live",
		"/request.json/x", "/hello/nothing.png", "/nothing", "/nothing.tar.gz", "/hello/screenshots", "/..%2f.env"} {
		if a := l.ask("GET", "/reports/"+run+path, nil); a.status != 404 {
			l.t.Errorf("%s: %s", path, a)
		}
	}
}

// TestEvents: a client that was disconnected gets the events that it missed, each once.
func TestEvents(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	id, _ := l.ask("POST", "/runs", map[string]any{"yaml": passing}).json(t)["id"].(string)
	l.ended(id)
	all := l.events(id, "")
	if len(all) < 8 || all[len(all)-1].name != "run" || !strings.Contains(all[len(all)-1].data, `"result":"pass"`) {
		t.Fatalf("%+v", all)
	}
	for i, e := range all {
		rest := l.events(id, e.id)
		if len(rest) != len(all)-i-1 || len(rest) > 0 && rest[0] != all[i+1] {
			t.Errorf("after %s there are %d events of %d", e.id, len(rest), len(all))
		}
	}
	if other := l.events(id, "AAAAAAAA-7"); len(other) != len(all) {
		t.Errorf("an id of another life gives %d events of %d", len(other), len(all))
	}
}

type event struct{ id, name, data string }

// events reads a stream to its end.
func (l *lab) events(run, after string) (all []event) {
	l.t.Helper()
	r := l.request("GET", "/runs/"+run+"/events", nil)
	if after != "" {
		r.Header.Set("Last-Event-ID", after)
	}
	res, err := l.client.Do(r)
	if err != nil {
		l.t.Fatal(err)
	}
	defer res.Body.Close()
	if res.StatusCode != 200 || res.Header.Get("Content-Type") != "text/event-stream" {
		l.t.Fatalf("%d, %v", res.StatusCode, res.Header)
	}
	in := bufio.NewScanner(res.Body)
	in.Buffer(nil, 4<<20)
	var e event
	for in.Scan() {
		kind, text, _ := strings.Cut(in.Text(), ": ")
		switch kind {
		case "id":
			e.id = text
		case "event":
			e.name = text
		case "data":
			e.data = text
		case "":
			if e.id != "" {
				all = append(all, e)
			}
			e = event{}
		}
	}
	return all
}

// TestCancel: a canceled run ends soon, with a complete pack, and its phone is free.
func TestCancel(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	id, _ := l.ask("POST", "/runs", map[string]any{"yaml": endless}).json(t)["id"].(string)
	eventually(t, "the run has begun", func() bool {
		return strings.Contains(string(l.ask("GET", "/runs/"+id, nil).body), `"state":"running","device"`)
	})
	waiting, _ := l.ask("POST", "/runs", map[string]any{"yaml": strings.Replace(endless, "id: endless", "id: waiting",
		1)}).json(t)["id"].(string)
	if a := l.ask("POST", "/devices/SIM1/tap", map[string]any{"label": "Login"}); a.status != 409 ||
		a.code() != "device_busy" || !strings.Contains(string(a.body), "endless") {
		t.Errorf("the phone of a run: %s", a)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 3*time.Minute)
	defer cancel()
	stream := make(chan []event, 1)
	go func() { stream <- l.events(id, "") }()
	for _, run := range []string{waiting, id} {
		r := l.request("DELETE", "/runs/"+run, nil).WithContext(ctx)
		if a := l.send(r); a.status != 200 || a.json(t)["result"] != "interrupted" {
			t.Errorf("%s", a)
		}
	}
	if all := <-stream; len(all) == 0 || !strings.Contains(all[len(all)-1].data, "interrupted") {
		t.Errorf("%+v", all)
	}
	if a := l.ask("GET", "/reports/"+id+"/endless/summary.json", nil); a.status != 200 ||
		a.json(t)["result"] != "interrupted" {
		t.Error(a)
	}
	if a := l.ask("POST", "/devices/SIM1/tap", map[string]any{"label": "Login"}); a.status != 200 {
		t.Errorf("the phone is not free: %s", a)
	}
}

func TestValidate(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0)
	if a := l.ask("POST", "/tests/validate", map[string]any{"yaml": passing}); a.status != 200 ||
		a.json(t)["valid"] != true {
		t.Error(a)
	}
	a := l.ask("POST", "/tests/validate",
		map[string]any{"yaml": "id: x\nplatform: web\nsteps:\n  - tapp: y\n  - assert: ${NOBODY}\n"})
	problem, _ := a.json(t)["problems"].([]any)
	if a.status != 200 || a.json(t)["valid"] != false || len(problem) == 0 || problem[0].(map[string]any)["line"] != 4. ||
		!strings.Contains(string(a.body), "did you mean") {
		t.Error(a)
	}
	if a := l.ask("POST", "/tests/validate",
		map[string]any{"yaml": "id: x\nplatform: web\nvars: {A: \"${TAPROOT_JWT_SECRET}\"}\nsteps:\n  - assert: " +
			"${A}\n"}); a.json(t)["valid"] != false || strings.Contains(string(a.body), secret) {
		t.Errorf("the environment is open: %s", a)
	}
}
