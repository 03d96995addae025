package mcpserver

import (
	"strings"
	"testing"

	"github.com/taproot-dev/taproot/internal/webtest"
)

// TestDialogs checks that a page's dialog is reported and stays open until the client closes it by a key or a text. No
// other call closes it, and a screenshot that cannot be taken does not close the page.
func TestDialogs(t *testing.T) {
	t.Parallel()
	site := webtest.New(t)
	conf := newLab(t, 0).config(t)
	conf.Drivers = pages()
	s := connect(t, conf)
	s.ok("open_browser", `{"url": "`+site.Page("dialog.html")+`"}`)

	seen := s.ok("web_click", `{"selector": "#confirm"}`)
	if !strings.Contains(bare(seen), `dialog "Really?" is open`) ||
		!strings.HasSuffix(seen, `step: - webClick: "#confirm"`) {
		t.Errorf("web_click says\n%s", seen)
	}
	for _, tool := range []string{"snapshot", "web_snapshot", "device_info"} {
		if text := s.ok(tool, `{}`); !strings.Contains(text, "Really?") || !strings.Contains(text, "escape") {
			t.Errorf("%s says\n%s", tool, text)
		}
	}
	for _, call := range [][2]string{{"screenshot", `{}`}, {"screenshot", `{"marks": true}`}, {"ocr", `{}`},
		{"tap", `{"label": "Alert"}`}, {"assert", `{"label": "Alert"}`},
		{"tap", `{"ref": "e1"}`}, {"press", `{"keys": ["tab"]}`}, {"press", `{"keys": ["enter", "enter"]}`},
		{"input", `{"text": "x"}`}} {
		s.refused(call[0], call[1], "waits for an answer", "Really?", "enter")
	}
	if answer := s.ok("press", `{"keys": ["enter"]}`); !strings.HasSuffix(answer, "step: - alert: accept") {
		t.Errorf("press says\n%s", answer)
	}
	s.ok("web_assert", `{"selector": "#log", "text": "confirm true"}`)
	s.ok("web_click", `{"selector": "#confirm"}`)
	s.ok("press", `{"keys": "escape"}`)
	s.ok("web_assert", `{"selector": "#log", "text": "confirm false"}`)

	s.ok("tap", `{"label": "Prompt"}`)
	if answer := s.ok("input", `{"text": "Ada"}`); !strings.HasSuffix(answer,
		"step: - alert: {answer: accept, text: Ada}") {
		t.Errorf("input says\n%s", answer)
	}
	s.ok("web_assert", `{"selector": "#log", "text": "prompt Ada"}`)

	s.ok("tap", `{"label": "Alert"}`)
	s.ok("web_navigate", `{"to": "reload"}`)
	s.ok("tap", `{"label": "Alert"}`)
	if text := s.ok("validate_test", `{"yaml": `+quotedJSON(s.ok("get_report", `{"as": "yaml"}`))+`}`); !strings.Contains(
		text, `"valid":true`) {
		t.Errorf("validate_test says %s", text)
	}
	s.ok("close_browser", `{}`)
}
