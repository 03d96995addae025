package server_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/webtest"
)

// TestWeb calls the routes that a client uses with pages, in real Chromium.
func TestWeb(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0)
	site := webtest.New(t)
	if a := l.ask("GET", "/web", nil); string(a.body) != "[]\n" {
		t.Fatal(a)
	}
	if a := l.ask("POST", "/web/assert", map[string]any{"selector": "h1", "text": "x"}); a.status != 409 ||
		a.code() != "ambiguous_page" {
		t.Error(a)
	}
	first := l.ask("POST", "/web/launch", map[string]any{"url": site.Page("login.html"), "headless": true})
	page, _ := first.json(t)["id"].(string)
	if first.status != 200 || page == "" {
		t.Fatal(first)
	}
	if a := l.ask("POST", "/web/type", map[string]any{"selector": "#email", "text": webtest.User}); a.status != 200 ||
		a.json(t)["page"] != page {
		t.Error(a)
	}
	if a := l.ask("POST", "/web/assert", map[string]any{"selector": "#email", "value": webtest.User}); a.json(
		t)["passed"] != true {
		t.Error(a)
	}
	if a := l.ask("POST", "/web/assert", map[string]any{"selector": "h1", "text": "Nothing of that kind",
		"timeoutMs": 0}); a.status != 200 || a.json(t)["passed"] != false {
		t.Error(a)
	}
	if a := l.ask("POST", "/devices/"+page+"/tap", map[string]any{"label": "Sign in"}); a.status != 200 {
		t.Errorf("a page is a device: %s", a)
	}
	if a := l.ask("GET", "/devices/"+page+"/screenshot", nil); a.status != 200 ||
		a.header.Get("Content-Type") != "image/png" {
		t.Error(a)
	}
	if a := l.ask("POST", "/web/eval", map[string]any{"script": "1 + 1"}); a.status != 200 || a.json(t)["value"] != 2. {
		t.Error(a)
	}
	if a := l.ask("POST", "/web/eval", map[string]any{"script": "location.pathname + '/x'"}); a.json(
		t)["value"] != "/login.html/x" {
		t.Errorf("a text that looks like a path of this machine: %s", a)
	}
	second := l.ask("POST", "/api/web/launch", map[string]any{"url": site.Page("login.html")})
	if second.status != 200 {
		t.Fatal(second)
	}
	if a := l.ask("POST", "/web/click", map[string]any{"selector": "body"}); a.status != 409 ||
		a.code() != "ambiguous_page" || !strings.Contains(string(a.body), page) {
		t.Error(a)
	}
	if a := l.ask("POST", "/web/click", map[string]any{"selector": "body", "page": page}); a.status != 200 {
		t.Error(a)
	}
	if a := l.ask("POST", "/web/click", map[string]any{"selector": "body", "page": "web-77"}); a.status != 404 {
		t.Error(a)
	}
	if a := l.ask("POST", "/web/launch", map[string]any{"url": site.URL + "/status/200", "nonsense": 1}); a.status != 400 {
		t.Error(a)
	}
	if a := l.ask("POST", "/web/launch", map[string]any{"url": "http://127.0.0.1:1/"}); a.status != 422 {
		t.Errorf("a page that cannot be opened: %s", a)
	}
	if a := l.ask("GET", "/web", nil); strings.Count(string(a.body), `"id"`) != 2 {
		t.Errorf("pages that are open: %s", a)
	}
	for _, p := range []answer{first, second} {
		if a := l.ask("DELETE", "/web/"+p.json(t)["id"].(string), nil); a.status != 204 {
			t.Error(a)
		}
	}
	if a := l.ask("DELETE", "/web/"+page, nil); a.status != 404 {
		t.Error(a)
	}
	download := l.ask("POST", "/web/launch", map[string]any{"url": site.Page("login.html")})
	if a := l.ask("POST", "/web/eval",
		map[string]any{"script": "document.body.innerHTML = '<a id=x href=/download?name=a.csv>get</a>'"}); a.status != 200 {
		t.Fatal(a)
	}
	if a := l.ask("POST", "/web/download", map[string]any{"selector": "#x"}); a.status != 200 ||
		!strings.Contains(string(a.body), `"name":"a.csv"`) || strings.Contains(string(a.body), "/tmp") {
		t.Errorf("%s, %s", download, a)
	}
}

// TestCallsWithoutAPage: a call that needs a page while none is open is an error of the client, on every path, and not
// of the device.
func TestCallsWithoutAPage(t *testing.T) {
	t.Parallel()
	l := newLab(t, 0)
	kebab := regexp.MustCompile(`[A-Z]`)
	pageless := []string{"openBrowser", "closeBrowser", "sleep", "setClipboard", "paste", "webDialog", "webRoute",
		"webUpload"}
	asked := 0
	refused := func(method, path string, body any) {
		t.Helper()
		asked++
		a := l.ask(method, path, body)
		if a.status != 409 || a.code() != "ambiguous_page" || !strings.Contains(string(a.body), "no page is open") {
			t.Errorf("%s %s %v: %s", method, path, body, a)
		}
	}
	refused("GET", "/devices/web-1/screenshot", nil)
	refused("GET", "/devices/web-1/tree", nil)
	refused("POST", "/devices/web-1/inspect", map[string]any{"point": "1,1"})
	for _, def := range dsl.Vocabulary() {
		if def.On(dsl.Web) && def.Interfaces&dsl.REST != 0 && !slices.Contains(pageless, def.Name) {
			refused("POST", "/devices/web-1/"+kebab.ReplaceAllStringFunc(def.Name, func(c string) string {
				return "-" + strings.ToLower(c)
			}),
				def.ExampleBody())
		}
	}
	if a := l.ask("GET", "/web", nil); string(a.body) != "[]\n" {
		t.Errorf("no page is open, and these are listed: %s", a)
	}
	refused("POST", "/web/click", map[string]any{"selector": "#x"})
	refused("POST", "/web/assert", map[string]any{"selector": "#x", "text": "x"})
	if asked < 40 {
		t.Errorf("%d calls were tried", asked)
	}
}
