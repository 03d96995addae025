package remote

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taproot-dev/taproot/internal/testrun"
)

// cloud is a hub with the REST API of a vendor. It notes what is sent, as it is sent.
type cloud struct {
	*httptest.Server

	mu       sync.Mutex
	opened   []map[string]any // capabilities
	scripts  []string
	uploads  []string // "path field name content"
	known    map[string]bool
	ended    int
	answer   string // to an upload; "" as the vendor's own
	status   int    // of it
	details  string
	refusals string // the response to a script, with its status
	errors   []string
}

func newCloud(t *testing.T) *cloud {
	c := &cloud{known: map[string]bool{}}
	c.Server = httptest.NewServer(c)
	t.Cleanup(func() {
		c.Close()
		for _, e := range c.errors {
			t.Error(e)
		}
	})
	return c
}

// ServeHTTP wants the key with each request, and JSON or a form as the protocols write them.
func (c *cloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if user, key, _ := r.BasicAuth(); user != "ada" || key != "s3cret" {
		c.errors = append(c.errors, r.URL.Path+" has no key")
	}
	say := func(value any) { _ = json.NewEncoder(w).Encode(map[string]any{"value": value}) }
	parts := strings.Split(strings.TrimPrefix(r.URL.EscapedPath(), "/wd/hub"), "/")
	var body struct {
		Script       string
		Args         []any
		Capabilities struct{ AlwaysMatch map[string]any }
	}
	if strings.HasPrefix(r.URL.Path, "/wd/hub") && r.Method == "POST" {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil ||
			!strings.HasPrefix(r.Header.Get("Content-Type"), "application/json") {
			c.errors = append(c.errors, fmt.Sprint(r.URL.Path, " is no JSON: ", err))
		}
	}
	switch {
	case !strings.HasPrefix(r.URL.Path, "/wd/hub"):
		c.upload(w, r)
	case r.Method == "DELETE":
		c.ended++
		say(nil)
	case len(parts) == 2:
		app, wanted := body.Capabilities.AlwaysMatch["appium:app"].(string)
		if wanted && !c.known[app] {
			w.WriteHeader(http.StatusInternalServerError)
			say(map[string]any{"error": "session not created", "message": "no app " + app})
			return
		}
		c.opened = append(c.opened, body.Capabilities.AlwaysMatch)
		say(map[string]any{"sessionId": fmt.Sprint("s/", len(c.opened)), "capabilities": struct{}{}})
	case parts[3] == "execute" && strings.Contains(body.Script, "getSessionDetails"):
		say(c.details)
	case parts[3] == "execute" && c.refusals != "":
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = io.WriteString(w, c.refusals)
	case parts[3] == "execute":
		if body.Args == nil || len(body.Args) > 0 {
			c.errors = append(c.errors, "a script without args")
		}
		c.scripts = append(c.scripts, body.Script)
		say(nil)
	}
}

func (c *cloud) upload(w http.ResponseWriter, r *http.Request) {
	form, err := r.MultipartReader()
	if err != nil {
		c.errors = append(c.errors, "no form: "+err.Error())
		return
	}
	said := r.Method + " " + r.URL.Path
	for {
		part, err := form.NextPart()
		if err != nil {
			break
		}
		text, _ := io.ReadAll(part)
		said += fmt.Sprintf(" %s(%s)=%s", part.FormName(), part.FileName(), text)
	}
	c.uploads = append(c.uploads, said)
	if c.status != 0 {
		w.WriteHeader(c.status)
	}
	if c.answer != "" {
		_, _ = io.WriteString(w, c.answer)
		return
	}
	id := fmt.Sprint("app", len(c.uploads))
	scheme := map[string]string{"/app-automate/upload": "bs://", "/app/upload/realDevice": "lt://",
		"/v1/storage": "tb://"}[r.URL.Path]
	answer := map[string]any{"app_url": scheme + id}
	if scheme == "" {
		scheme, answer = "storage:", map[string]any{"item": map[string]any{"id": id}}
	}
	c.known[scheme+id] = true
	w.WriteHeader(http.StatusCreated)
	_ = json.NewEncoder(w).Encode(answer)
}

func (c *cloud) sessions(t *testing.T, vendor, folder, app string) *Sessions {
	t.Helper()
	s, err := New(Server{Name: "cloud", URL: c.URL + "/wd/hub", User: "ada", Key: "s3cret", Sessions: 1, Folder: folder,
		Vendor: vendor, App: app})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// Each vendor gets the names and the results as it documents them.
func TestVendors(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]struct {
		options map[string]any
		scripts []string
		page    string
	}{
		"browserstack": {map[string]any{"bstack:options": map[string]any{"sessionName": "login", "buildName": "CI 7",
			"os": "Windows"}}, []string{
			`browserstack_executor: {"action":"setSessionStatus","arguments":{"reason":"pass","status":"passed"}}`,
			`browserstack_executor: {"action":"setSessionStatus","arguments":` +
				`{"reason":"fail: no \"Hello\"","status":"failed"}}`},
			"https://automate.browserstack.com/builds/1/sessions/2"},
		"saucelabs": {map[string]any{"sauce:options": map[string]any{"name": "login", "build": "CI 7", "os": "Windows"}},
			[]string{"sauce:job-result=passed", "sauce:job-result=failed"}, "https://app.saucelabs.com/tests/s%2F1"},
		"lambdatest": {map[string]any{"LT:Options": map[string]any{"name": "login", "build": "CI 7", "os": "Windows"}},
			[]string{"lambda-status=passed", "lambda-status=failed"},
			"https://automation.lambdatest.com/logs/?sessionID=s%2F1"},
		"testingbot": {map[string]any{"tb:options": map[string]any{"name": "login", "build": "CI 7", "os": "Windows"}},
			[]string{"tb:test-result=passed", "tb:test-result=failed"}, "https://testingbot.com/members/tests/s%2F1"},
	} {
		c := newCloud(t)
		c.details = `{"browser_url": "https://automate.browserstack.com/builds/1/sessions/2", "x": 1}`
		s := c.sessions(t, name, t.TempDir(), "")
		options := slices.Collect(maps.Keys(want.options))[0]
		ctx := testrun.With(t.Context(), testrun.Test{ID: "login", Build: "CI 7"})
		own := map[string]any{options: map[string]any{"os": "Windows"}}
		lease, err := s.Take(ctx, own)
		if err != nil {
			t.Fatal(err)
		}
		if lease.Page() != want.page {
			t.Errorf("%s: the page is %s", name, lease.Page())
		}
		for _, passed := range []bool{true, false} {
			reason := map[bool]string{true: "pass", false: "fail: no\n \"Hello\""}[passed]
			if err := lease.Report(t.Context(), passed, reason); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		lease.Keep() // each test has its own
		if again, err := s.Take(t.Context(), nil); err != nil || again.ID == lease.ID {
			t.Errorf("%s: %v", name, err)
		} else if err := again.End(); err != nil {
			t.Error(err)
		}
		want.options[webSocketURL] = true
		if diff := cmp.Diff(want.options, c.opened[0]); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if diff := cmp.Diff(want.scripts, c.scripts); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
		if len(own[options].(map[string]any)) != 1 {
			t.Errorf("%s: the user's capabilities were changed: %v", name, own)
		}
		if c.ended != 2 {
			t.Errorf("%s: %d sessions were ended", name, c.ended)
		}
	}
}

// What the user has written stays, and the name of a session always has the id of its test.
func TestNamesOfTheUser(t *testing.T) {
	t.Parallel()
	v := vendors()["lambdatest"]
	for _, is := range []struct{ own, want map[string]any }{
		{map[string]any{"lt:options": map[string]any{"name": "Nightly", "build": "mine"}},
			map[string]any{"lt:options": map[string]any{"name": "Nightly: login", "build": "mine"}}},
		{map[string]any{"LT:Options": map[string]any{"name": "run of login"}},
			map[string]any{"LT:Options": map[string]any{"name": "run of login", "build": "run-1"}}},
		{map[string]any{"LT:Options": "nonsense", "browserName": "x"},
			map[string]any{"LT:Options": map[string]any{"name": "login", "build": "run-1"}, "browserName": "x"}},
	} {
		got := v.named(is.own, testrun.Test{ID: "login", Build: "run-1"})
		if diff := cmp.Diff(is.want, got); diff != "" {
			t.Error(diff)
		}
	}
	for host, want := range map[string]string{"https://hub-cloud.browserstack.com/wd/hub": "BrowserStack",
		"https://ondemand.eu-central-1.saucelabs.com:443/wd/hub": "Sauce Labs",
		"https://mobile-hub.LambdaTest.com":                      "LambdaTest",
		"https://hub.testingbot.com/wd/hub":                      "TestingBot",
		"https://notbrowserstack.com":                            "", "http://grid:4444": "",
		"https://browserstack.com.example.org": ""} {
		got := ""
		if v := vendorOf(Server{URL: host}); v != nil {
			got = v.title
		}
		if got != want {
			t.Errorf("%s is taken for %q", host, got)
		}
	}
	for hub, want := range map[string]string{"127.0.0.1": "", "ondemand.eu-central-1.saucelabs.com": "eu-central-1.",
		"ondemand.us-west-1.saucelabs.com": "", "ondemand.saucelabs.com": ""} {
		if got := vendors()["saucelabs"].page(hub, false, "7"); got != "https://app."+want+"saucelabs.com/tests/7" {
			t.Errorf("%s: %s", hub, got)
		}
	}
	api := vendors()["saucelabs"].upload.host
	if api("ondemand.us-west-1.saucelabs.com") != "api.us-west-1.saucelabs.com" ||
		api("ondemand.eu-central-1.saucelabs.com") != "api.eu-central-1.saucelabs.com" {
		t.Error(api("ondemand.eu-central-1.saucelabs.com"))
	}
}

// The page of a session is one of the cloud, whatever the server says.
func TestPageIsTheClouds(t *testing.T) {
	t.Parallel()
	for _, said := range []string{"", "null", "<html>", `{"browser_url": 7}`,
		`{"browser_url": "javascript:alert(1)//browserstack.com"}`,
		`{"browser_url": "http://automate.browserstack.com/1"}`, `{"browser_url": "https://browserstack.com.evil.example/1"}`,
		`{"browser_url": "https://ada:s3cret@automate.browserstack.com/1"}`,
		`{"browser_url": "https://xbrowserstack.com/"}`} {
		c := newCloud(t)
		c.details = said
		lease := take(t, c.sessions(t, "browserstack", t.TempDir(), ""))
		if lease.Page() != "" {
			t.Errorf("%s: %s", said, lease.Page())
		}
		_ = lease.End()
	}
}

// A result that the cloud does not take is an error without a secret.
func TestResultIsNotTaken(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]string{
		`{"value":{"error":"unknown error","message":"status s3cret not allowed"}}`: "status *** not allowed",
		`<html>s3cret</html>`: "a web page instead of WebDriver", `{}`: "instead of WebDriver",
		"\n": "nothing instead of WebDriver"} {
		c := newCloud(t)
		c.refusals = answer
		lease := take(t, c.sessions(t, "saucelabs", t.TempDir(), ""))
		err := lease.Report(t.Context(), true, "pass")
		if err == nil || !strings.Contains(err.Error(), "Sauce Labs did not take the result") ||
			!strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%s: %v", answer, err)
		}
		_ = lease.End()
	}
}

// An app is uploaded once for its content and the hub, as each vendor documents it, and again when the cloud has lost
// it.
func TestApps(t *testing.T) {
	t.Parallel()
	for vendor, want := range map[string][2]string{
		"browserstack": {"POST /app-automate/upload file(shop.apk)=%s", "bs://app%d"},
		"saucelabs":    {"POST /v1/storage/upload name()=shop.apk payload(shop.apk)=%s", "storage:app%d"},
		"lambdatest":   {"POST /app/upload/realDevice name()=shop.apk appFile(shop.apk)=%s", "lt://app%d"},
		"testingbot":   {"POST /v1/storage file(shop.apk)=%s", "tb://app%d"},
	} {
		c, folder := newCloud(t), t.TempDir()
		app := filepath.Join(t.TempDir(), "shop.apk")
		use := func(content string) string {
			if err := os.WriteFile(app, []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
			s := c.sessions(t, vendor, folder, app) // another run
			for range 2 {
				if err := take(t, s).End(); err != nil {
					t.Error(err)
				}
			}
			return c.opened[len(c.opened)-1]["appium:app"].(string)
		}
		got := []string{use("one"), use("one"), use("two"), use("one")}
		c.known = map[string]bool{}
		got = append(got, use("two"), use("two"))
		var refs, uploads []string
		for _, n := range []int{1, 1, 2, 1, 3, 3} {
			refs = append(refs, fmt.Sprintf(want[1], n))
		}
		for _, content := range []string{"one", "two", "two"} {
			uploads = append(uploads, fmt.Sprintf(want[0], content))
		}
		if diff := cmp.Diff(refs, got); diff != "" {
			t.Errorf("%s: %s", vendor, diff)
		}
		if diff := cmp.Diff(uploads, c.uploads); diff != "" {
			t.Errorf("%s: %s", vendor, diff)
		}
		records, _ := filepath.Glob(filepath.Join(folder, "*.app"))
		for _, record := range records {
			text, _ := os.ReadFile(record)
			info, _ := os.Stat(record)
			if strings.Contains(string(text), "s3cret") || info.Mode().Perm() != 0o600 {
				t.Errorf("%s %v", text, info.Mode())
			}
		}
		if len(records) != 2 {
			t.Errorf("%s: %v", vendor, records)
		}
		if _, err := EndLeft(t.Context(), folder, func() []Server { return nil }); err != nil {
			t.Error(err)
		}
	}
}

// An app that is not taken, or not named in the response, is a clear error, and no session is opened.
func TestAppIsNotTaken(t *testing.T) {
	t.Parallel()
	app := filepath.Join(t.TempDir(), "shop.apk")
	if err := os.WriteFile(app, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, is := range []struct {
		status       int
		answer, want string
	}{
		{401, "<html>s3cret</html>", "the user or the key is not accepted, status 401"},
		{422, `{"error": "s3cret: not an\n APK"}`, "status 422: ***: not an APK"},
		{502, "<html>bad gateway</html>", "status 502"},
		{200, "<html>welcome</html>", "the response does not name the app"},
		{200, `{"app_url": "http://elsewhere/x"}`, "the response does not name the app"},
		{200, `{"app_url": "bs://a b"}`, "the response does not name the app"},
		{200, `{"app_url": "bs://` + strings.Repeat("x", 400) + `"}`, "the response does not name the app"},
		{200, `{"app_url": 7}`, "the response does not name the app"},
	} {
		c := newCloud(t)
		c.status, c.answer = is.status, is.answer
		s := c.sessions(t, "browserstack", t.TempDir(), app)
		_, err := s.Take(t.Context(), nil)
		if err == nil || !strings.Contains(err.Error(), "the remote cloud: BrowserStack did not take the app shop.apk: ") ||
			!strings.Contains(err.Error(), is.want) || strings.Contains(err.Error(), "s3cret") ||
			strings.Contains(err.Error(), "<") || len(c.opened) > 0 {
			t.Errorf("%d %s: %v, %d sessions", is.status, is.answer, err, len(c.opened))
		}
	}
	c := newCloud(t)
	s := c.sessions(t, "browserstack", t.TempDir(), filepath.Join(t.TempDir(), "none.apk"))
	if _, err := s.Take(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "none.apk") {
		t.Error(err)
	}
}
