package cli_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// TestRunLeavesWhatCIAndPeopleRead checks the files of a run with one passing and one failing test, the line in
// GitHub's annotation, and the single message to the chat. None of them changes the exit code.
func TestRunLeavesWhatCIAndPeopleRead(t *testing.T) {
	t.Parallel()
	var mu sync.Mutex
	var posts []string
	chat := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(io.LimitReader(r.Body, 1<<20))
		if err != nil {
			t.Error(err)
		}
		mu.Lock()
		posts = append(posts, string(body))
		mu.Unlock()
		_, _ = io.WriteString(w, "ok")
	}))
	defer chat.Close()
	l := newLab(t, 1)
	summary := filepath.Join(l.tmp, "step-summary.md")
	l.env = append(l.env, "GITHUB_ACTIONS=true", "GITHUB_STEP_SUMMARY="+summary, "SLACK_WEBHOOK_URL="+chat.URL+
		"/services/T0/B0/secret")
	l.write("good.yaml", "id: good\nplatform: android\nsteps:\n  - launch: com.example.list\n  - assert: Catalogue\n")
	l.write("bad.yaml", "# A comment.\nid: bad\nplatform: android\ntags: [smoke]\nsteps:\n  - launch: com.example.list\n"+
		"  - assert: Catalogue\n  - assert: {label: Nowhere, timeoutMs: 200}\n")
	e := l.taproot("run", ".")
	e.exits(t, 1)
	has(t, "stdout", e.stdout, "::error file=bad.yaml,line=8")
	run := l.runs()[0]
	has(t, "junit.xml", read(t, run, "junit.xml"), `tests="2"`, `failures="1"`, "bad.yaml:8")
	has(t, "summary.md", read(t, run, "summary.md"), "bad.yaml:8", "Nowhere")
	has(t, "index.html", read(t, run, "index.html"), "</html>", "Nowhere")
	has(t, "report.html", read(t, run, "bad", "report.html"), "</html>", "bad.yaml:8")
	has(t, "the job summary", read(t, summary), "Nowhere")
	for _, name := range []string{"run.json", "ctrf.json", "notify.json"} {
		if !json.Valid([]byte(read(t, run, name))) {
			t.Errorf("%s is no JSON", name)
		}
	}
	has(t, "ctrf.json", read(t, run, "ctrf.json"), "bad.yaml:8")
	has(t, "history.jsonl", read(t, l.reports, "history.jsonl"), `"good"`, `"bad"`)
	if latest, err := filepath.EvalSymlinks(filepath.Join(l.reports, "latest")); err != nil ||
		filepath.Base(latest) != filepath.Base(run) {
		t.Errorf("latest is %s, %v", latest, err)
	}
	if len(posts) != 1 || !strings.Contains(posts[0], "Nowhere") || strings.Contains(posts[0], "secret") {
		t.Errorf("the chat got %q", posts)
	}
	if all := e.stdout + e.stderr + read(t, run, "notify.json"); strings.Contains(all, "/services/") {
		t.Error("the webhook's address was printed")
	}
	v := l.taproot("report", "verify")
	v.exits(t, 0)
}
