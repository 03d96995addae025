package mcpserver

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/webtest"
)

// TestPage signs in on a page by label, by CSS selector and by reference.
func TestPage(t *testing.T) {
	t.Parallel()
	site := webtest.New(t)
	conf := newLab(t, 0).config(t)
	conf.Drivers = pages()
	s := connect(t, conf)
	s.refused("web_snapshot", `{}`, "no page is open", "open_browser")
	s.refused("open_browser", `{"url": "http://127.0.0.1:1/"}`)
	if open := s.server.Live.Open(); len(open) != 0 {
		t.Errorf("a page that could not be opened left %v", open)
	}
	t.Log(s.ok("open_browser", `{"url": "`+site.Page("login.html")+`"}`))
	t.Log(s.ok("wait_for", `{"visible": "Email"}`))
	seen := s.ok("web_snapshot", `{}`)
	t.Log(seen)
	t.Log(s.ok("web_type", `{"ref": "`+refOf(t, seen, "textbox", "Email")+`", "text": "ada@example.com"}`))
	t.Log(s.ok("web_type", `{"selector": "#password", "text": "lovelace"}`))
	t.Log(s.ok("web_assert", `{"ref": "`+refOf(t, seen, "textbox", "Email")+`", "value": "ada@example.com"}`))
	t.Log(s.ok("web_click", `{"ref": "`+refOf(t, seen, "button", "Sign in")+`"}`))
	t.Log(s.ok("web_assert", `{"selector": "#welcome", "text": "Welcome, Ada"}`))
	t.Log(s.ok("assert", `{"label": "Invoice 2041"}`))
	t.Log(s.refused("assert", `{"label": "Paid", "timeoutMs": 2000}`, "nearest:", "try:"))
	t.Log(s.refused("tap", `{"label": "Sgin out", "timeoutMs": 2000}`, "Sign out"))
	t.Log(s.ok("snapshot", `{"diff": true}`))
	t.Log(s.refused("tap", `{"ref": "`+refOf(t, seen, "textbox", "Email")+`"}`, "stale", "snapshot"))
	for _, c := range [][2]string{{`{"url": "` + site.Page("list.html") + `"}`, "list.html"},
		{`{"to": "back"}`, "login.html"}, {`{"to": "forward"}`, "list.html"}, {`{"to": "reload"}`, "list.html"}} {
		if s.ok("web_navigate", c[0]); !strings.Contains(s.ok("device_info", `{}`), c[1]) {
			t.Errorf("web_navigate %s does not lead to %s", c[0], c[1])
		}
	}
	s.fillsIn(site, conf.Runner.Dir)
	yaml := s.ok("get_report", `{"as": "yaml"}`)
	t.Log(yaml)
	t.Log(s.ok("close_browser", `{}`))
	if text := s.ok("validate_test", `{"yaml": `+quotedJSON(yaml)+`}`); !strings.Contains(text, `"valid":true`) {
		t.Errorf("validate_test says %s", text)
	}
	if strings.Contains(s.ok("list_devices", `{}`), `"open":true`) {
		t.Error("a page is still open")
	}
}

// fillsIn checks that web_type chooses from a list and sets a file field, each as the step of a test does.
func (s *session) fillsIn(site *webtest.Site, dir string) {
	s.t.Helper()
	if err := os.WriteFile(filepath.Join(dir, "a.txt"), []byte("hello"), 0o600); err != nil {
		s.t.Fatal(err)
	}
	for _, c := range []struct{ page, args, step, selector, text string }{
		{"form.html", `{"selector": "#size", "text": "Large"}`, `webSelect: {selector: "#size", label: Large}`, "#size",
			"Large"},
		{"files.html", `{"selector": "#plain", "text": "a.txt"}`, `webUpload: {selector: "#plain", files: [a.txt]}`, "#log",
			"plain a.txt=hello"},
	} {
		s.ok("web_navigate", `{"url": "`+site.Page(c.page)+`"}`)
		if answer := s.ok("web_type", c.args); !strings.HasSuffix(answer, "step: - "+c.step) {
			s.t.Errorf("web_type %s says\n%s", c.args, answer)
		}
		s.ok("web_assert", `{"selector": "`+c.selector+`", "text": "`+c.text+`"}`)
	}
	s.refused("web_type", `{"selector": "#plain", "text": "../a.txt"}`, "cannot be used")
	s.refused("web_type", `{"selector": "#plain", "text": "nowhere.txt"}`, "nowhere.txt")
	s.refused("web_type", `{"selector": "h1", "text": "x", "timeoutMs": 2000}`, "select")
}
