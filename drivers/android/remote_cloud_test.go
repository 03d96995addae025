package android

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/testrun"
)

// phoneCloud is a cloud of phones that speaks as BrowserStack does, with the key of ada.
type phoneCloud struct {
	*httptest.Server
	phones *fakeAppium

	mu      sync.Mutex
	opened  []string // "app name build" of each session
	uploads []string // content
	results []string // of sessions
	refuses bool     // results
	errors  []string
}

func newPhoneCloud(t *testing.T) *phoneCloud {
	c := &phoneCloud{phones: newFakeAppium(t)}
	c.Server = httptest.NewServer(c)
	t.Cleanup(func() {
		c.Close()
		for _, e := range c.errors {
			t.Error(e)
		}
	})
	return c
}

// ServeHTTP takes apps, names and results, and has the phones perform the other commands.
func (c *phoneCloud) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if user, key, _ := r.BasicAuth(); user != "ada" || key != "s3cret" {
		c.errors = append(c.errors, r.Method+" "+r.URL.Path+" has no key")
	}
	if r.URL.Path == "/app-automate/upload" {
		c.upload(w, r)
		return
	}
	raw, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(raw))
	var body struct {
		Script       string
		Capabilities struct{ AlwaysMatch map[string]any }
	}
	_ = json.Unmarshal(raw, &body)
	command, executes := strings.CutPrefix(body.Script, "browserstack_executor: ")
	switch {
	case executes:
		c.execute(w, command)
		return
	case r.URL.Path == "/session":
		wanted := body.Capabilities.AlwaysMatch
		options, _ := wanted["bstack:options"].(map[string]any)
		app, _ := wanted["appium:app"].(string)
		if strings.HasPrefix(app, "bs://") && app != fmt.Sprint("bs://", len(c.uploads)) {
			w.WriteHeader(http.StatusInternalServerError)
			_ = json.NewEncoder(w).Encode(map[string]any{"value": failed("session not created", "no app "+app)})
			return
		}
		c.opened = append(c.opened, fmt.Sprint(app, " ", options["sessionName"], " ", options["buildName"]))
	}
	c.phones.ServeHTTP(w, r)
}

func (c *phoneCloud) upload(w http.ResponseWriter, r *http.Request) {
	file, _, err := r.FormFile("file")
	if err != nil {
		c.errors = append(c.errors, "upload: "+err.Error())
		return
	}
	text, _ := io.ReadAll(file)
	c.uploads = append(c.uploads, string(text))
	_ = json.NewEncoder(w).Encode(map[string]any{"app_url": fmt.Sprint("bs://", len(c.uploads))})
}

func (c *phoneCloud) execute(w http.ResponseWriter, command string) {
	var what struct {
		Action    string
		Arguments struct{ Status, Reason string }
	}
	if err := json.Unmarshal([]byte(command), &what); err != nil {
		c.errors = append(c.errors, "executor: "+command)
	}
	value := any(nil)
	switch {
	case what.Action == "getSessionDetails":
		value = fmt.Sprintf(`{"browser_url": "https://app-automate.browserstack.com/sessions/%d"}`, len(c.opened))
	case c.refuses:
		w.WriteHeader(http.StatusInternalServerError)
		value = failed("unknown error", "not now")
	default:
		c.results = append(c.results, what.Arguments.Status+" "+what.Arguments.Reason)
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"value": value})
}

func (c *phoneCloud) driver(t *testing.T, vendor, folder, app string) drivers.Driver {
	t.Helper()
	d, err := NewRemote(dsl.RemoteServer{Name: "cloud", URL: c.URL, User: "ada", Key: "s3cret", Platform: dsl.Android,
		Sessions: 1, Vendor: vendor, App: app}, folder)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// test opens a phone for a test, and sends its result.
func (c *phoneCloud) test(t *testing.T, d drivers.Driver, id string, passed bool, reason string) (page string,
	err error) {
	t.Helper()
	ctx := testrun.With(t.Context(), testrun.Test{ID: id, Build: "7"})
	dev, err := d.Open(ctx, "cloud-1")
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := dev.Close(); err != nil {
			t.Error(err)
		}
	}()
	session := dev.(drivers.CloudSession)
	return session.SessionURL(), session.ReportResult(ctx, passed, reason)
}

// TestCloudOfPhones: the app of a remote is uploaded once for its content, and again when the cloud no longer has it.
// Each test has a session of its own with that app and the test's id, and the session gets the test's result.
func TestCloudOfPhones(t *testing.T) {
	t.Parallel()
	c := newPhoneCloud(t)
	folder, app := t.TempDir(), filepath.Join(t.TempDir(), "app.apk")
	write := func(content string) {
		if err := os.WriteFile(app, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write("first")
	d := c.driver(t, "browserstack", folder, app)
	for i, passed := range []bool{true, false} {
		page, err := c.test(t, d, fmt.Sprint("test", i+1), passed, "fail: no cart")
		if want := fmt.Sprint("https://app-automate.browserstack.com/sessions/", i+1); err != nil || page != want {
			t.Errorf("%s, not %s: %v", page, want, err)
		}
		if c.phones.left() != 0 {
			t.Error("the session of a test is kept, and has its result")
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if c.phones.wanted["appium:enforceAppInstall"] != true {
		t.Errorf("an app of the same version stays: %v", c.phones.wanted)
	}
	write("second")
	d = c.driver(t, "browserstack", folder, app)
	_, _ = c.test(t, d, "test3", true, "")
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	write("first") // the record of an earlier run names an app that the cloud has no more
	d = c.driver(t, "browserstack", folder, app)
	c.refuses = true
	_, err := c.test(t, d, "test4", true, "")
	if err == nil || !strings.Contains(err.Error(), "BrowserStack did not take the result of the test") {
		t.Errorf("a result that the cloud refuses: %v", err)
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	for name, is := range map[string]struct{ got, want []string }{
		"sessions": {c.opened, []string{"bs://1 test1 7", "bs://1 test2 7", "bs://2 test3 7", "bs://3 test4 7"}},
		"uploads":  {c.uploads, []string{"first", "second", "first"}},
		"results":  {c.results, []string{"passed fail: no cart", "failed fail: no cart", "passed "}},
	} {
		if diff := cmp.Diff(is.want, is.got); diff != "" {
			t.Error(name, diff)
		}
	}
}

// TestAppOfAServerWithoutAVendor: the server gets the path of the app. No name or result is sent, and the session
// serves the next test.
func TestAppOfAServerWithoutAVendor(t *testing.T) {
	t.Parallel()
	c := newPhoneCloud(t)
	app := filepath.Join(t.TempDir(), "app.apk")
	d := c.driver(t, "", t.TempDir(), app)
	if _, err := d.Open(t.Context(), "cloud-1"); !errors.Is(err, os.ErrNotExist) || len(c.opened) != 0 {
		t.Errorf("a session without its app: %v", err)
	}
	if err := os.WriteFile(app, []byte("content"), 0o600); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if page, err := c.test(t, d, "test", true, ""); page != "" || err != nil {
			t.Errorf("%s: %v", page, err)
		}
	}
	if err := d.Close(); err != nil {
		t.Error(err)
	}
	if !slices.Equal(c.opened, []string{app + " <nil> <nil>"}) || len(c.uploads)+len(c.results) != 0 {
		t.Errorf("%q %q %q", c.opened, c.uploads, c.results)
	}
}
