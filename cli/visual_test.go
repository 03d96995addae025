package cli_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/result/event"
)

// model is an endpoint that responds with yes and cites a text of the screen.
type model struct {
	mu     sync.Mutex
	bodies []string
	cites  string
}

func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	m.mu.Lock()
	m.bodies = append(m.bodies, string(body))
	m.mu.Unlock()
	answer, _ := json.Marshal(map[string]any{"passed": true, "reason": "the title says so",
		"evidence": []any{map[string]any{"text": m.cites, "box": []int{10, 10, 100, 40}}}})
	_ = json.NewEncoder(w).Encode(map[string]any{
		"model":   "m",
		"choices": []any{map[string]any{"finish_reason": "stop", "message": map[string]any{"content": string(answer)}}},
		"usage":   map[string]int{"prompt_tokens": 700, "completion_tokens": 20}})
}

// TestVisualAssertionIsKeptAndReplayed checks that the prompt, the exact response and the image are in the pack, and
// that the same question is answered from there, also without a key. Without either, and for a false citation, the
// result is error.
func TestVisualAssertionIsKeptAndReplayed(t *testing.T) {
	t.Parallel()
	useBrowser(t)
	l := newLab(t, 1)
	m := &model{cites: "Your basket"}
	endpoint := httptest.NewServer(m)
	defer endpoint.Close()
	l.write("page.html",
		"<!doctype html><meta charset=utf-8><title>x</title><h1>Your basket</h1><p>of s3cr3t-word</p><input type=password "+
			"value=hunter2>")
	l.write("look.yaml", `
id: look
platform: web
secrets: [WORD]
vars: {WORD: s3cr3t-word}
steps:
  - openBrowser: {url: page.html}
  - assertVisual: {prompt: "it is the basket of ${WORD}", as: why}
  - log: ${why}
`)
	l.write("phone.yaml", `
id: phone
platform: android
steps:
  - launch: {package: com.example.list, force: true}
  - assertVisual: it is a list of apps
`)
	bare := append([]string(nil), l.env...)
	l.taproot("run", "look.yaml", "--ai", "nonsense").exits(t, 2)
	e := l.taproot("run", "phone.yaml")
	e.exits(t, 3)
	has(t, "stdout", e.stdout, "visual assertions need an AI model", "OPENAI_API_KEY")

	l.env = append(bare, "OPENAI_API_KEY=sk-lab-0123456789", "OPENAI_BASE_URL="+endpoint.URL)
	l.taproot("run", "look.yaml").exits(t, 0)
	if len(m.bodies) != 1 || strings.Contains(m.bodies[0], "s3cr3t") ||
		!strings.Contains(m.bodies[0], "it is the basket of") {
		t.Fatalf("%d requests", len(m.bodies))
	}
	runs := l.runs()
	pack := filepath.Join(runs[len(runs)-1], "look")
	kept, err := filepath.Glob(filepath.Join(pack, "artifacts", "visual-02-*"))
	if err != nil || len(kept) != 2 || filepath.Ext(kept[1]) != ".png" {
		t.Fatalf("kept %q, %v", kept, err)
	}
	var asked drivers.ModelCall
	if err := json.Unmarshal([]byte(read(t, kept[0])), &asked); err != nil || !strings.Contains(asked.Answers[0].Text,
		`"reason":"the title says so"`) || !strings.Contains(asked.Prompt, "•••") {
		t.Errorf("kept %+v, %v", asked, err)
	}
	for _, name := range []string{"run.md", "events.ndjson", "report.html", "artifacts/" + filepath.Base(kept[0])} {
		if text := read(t, pack, name); strings.Contains(text, "sk-lab-") || strings.Contains(text, "s3cr3t") {
			t.Errorf("%s shows a secret", name)
		}
	}
	has(t, "events.ndjson", read(t, pack, "events.ndjson"), `"prompt_tokens":700`, `"calls":1`)
	has(t, "metrics.json", read(t, pack, event.MetricsPath), `"prompt_tokens": 700`, `"calls": 1`,
		`"name": "gpt-4.1-mini"`)

	// The image is the same, so the model is not used.
	l.env = append(bare, "TAPROOT_AI=replay")
	l.taproot("run", "look.yaml").exits(t, 0)
	off := "look.yaml"
	if testing.Short() { // drivers/vision tests that a kept response with a false citation is not used either
		off = "phone.yaml"
	} else {
		l.taproot("run", off, "--ai", "off").exits(t, 3)
	}
	l.env = append(bare, "TAPROOT_AI=off", "OPENAI_API_KEY=sk-lab-0123456789", "OPENAI_BASE_URL="+endpoint.URL)
	l.taproot("run", off, "--ai", "live").exits(t, 3)
	if len(m.bodies) != 1 {
		t.Errorf("%d requests", len(m.bodies))
	}
	if !testing.Short() { // A response in a pack of another user is not used; runner/run tests that, too.
		for _, run := range l.runs() {
			if err := os.WriteFile(filepath.Join(run, "upload.json"), []byte("{}"), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		l.env = append(bare, "TAPROOT_AI=replay")
		l.taproot("run", "look.yaml").exits(t, 3)
	}
	// A model that cites a text that is not on the screen.
	m.cites = "Order paid"
	l.env = append(bare, "OPENAI_API_KEY=sk-lab-0123456789", "OPENAI_BASE_URL="+endpoint.URL)
	e = l.taproot("run", "phone.yaml")
	e.exits(t, 3)
	has(t, "stdout", e.stdout, "cannot be trusted")
}
