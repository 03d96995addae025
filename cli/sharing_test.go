package cli_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// The comment of a pull request is created once and then edited, with a section for each job; outside of a request
// there is none, and the exit code is 0.
func TestReportComment(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.slowTests(1, "log: quick")
	l.write("bad.yaml", "id: bad\nplatform: android\nsteps:\n  - "+failingStep+"\n")
	l.taproot("run", ".").exits(t, 1)
	e := l.taproot("report", "comment")
	e.exits(t, 0)
	has(t, "stdout", e.stdout, "no comment: this is not a job of a pull or merge request")
	const token = "ghs_very-secret-token"
	var mu sync.Mutex
	body, requests := "", []string{}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		mu.Lock()
		defer mu.Unlock()
		requests = append(requests, r.Method+" "+r.URL.Path)
		var sent struct{ Body string }
		switch {
		case r.Header.Get("Authorization") != "Bearer "+token:
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"message": "Bad credentials %s"}`, r.Header.Get("Authorization"))
			return
		case r.Method == http.MethodPost, r.Method == http.MethodPatch:
			if err := json.NewDecoder(r.Body).Decode(&sent); err != nil {
				t.Error(err)
			}
			body = sent.Body
		}
		comment := map[string]any{"id": 5, "body": body, "user": map[string]string{"type": "Bot"}}
		var answer any = comment
		if r.Method == http.MethodGet {
			list := []any{}
			if body != "" {
				list = append(list, comment)
			}
			answer = list
		}
		if err := json.NewEncoder(w).Encode(answer); err != nil {
			t.Error(err)
		}
	}))
	defer site.Close()
	event := filepath.Join(l.dir, "event.json")
	if err := os.WriteFile(event, []byte(`{"pull_request": {"number": 12}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	l.env = append(l.env, "GITHUB_EVENT_PATH="+event, "GITHUB_API_URL="+site.URL, "GITHUB_REPOSITORY=shop/app",
		"GITHUB_JOB=web", "GITHUB_SHA=0123456789abcdef", "GITHUB_SERVER_URL=https://git.example", "GITHUB_RUN_ID=99")
	e = l.taproot("report", "comment")
	e.exits(t, 2)
	has(t, "stderr", e.stderr, "GITHUB_TOKEN", "pull-requests: write")
	l.env = append(l.env, "GITHUB_TOKEN="+token)
	e = l.taproot("report", "comment")
	e.exits(t, 0)
	has(t, "stdout", e.stdout, "commented on pull request 12 of shop/app")
	e = l.taproot("report", "comment", "--job", "phones")
	e.exits(t, 0)
	has(t, "stdout", e.stdout, "updated the comment of pull request 12 of shop/app")
	l.taproot("run", "t0").exits(t, 0)
	l.taproot("report", "comment").exits(t, 0)
	has(t, "the comment", body, "### phones\n\n**❌ 1 of 2 tests failed**", "bad.yaml:4:5",
		"### web\n\n**✅ The test passed**", "commit `012345678",
		"[open the report](https://git.example/shop/app/actions/runs/99)")
	if posts := strings.Count(strings.Join(requests, "\n"), "POST "); posts != 1 {
		t.Errorf("%d comments were created: %q", posts, requests)
	}
	e = l.taproot("report", "comment", "--dry-run")
	e.exits(t, 0)
	has(t, "stdout", e.stdout, "**✅ The test passed**")
	l.env = append(l.env, "GITHUB_TOKEN=ghs_wrong-token")
	e = l.taproot("report", "comment")
	e.exits(t, 3)
	has(t, "stderr", e.stderr, "comment on pull request 12 of shop/app: ", "401 Unauthorized: Bad credentials Bearer •••")
	if strings.Contains(e.stdout+e.stderr, "wrong-token") {
		t.Error("the token is printed")
	}
}

// Allure results are written at the end of a run or later, into a folder that may hold those of other runs.
func TestAllureResults(t *testing.T) {
	t.Parallel()
	l := newLab(t, 1)
	l.write("a.yaml", "id: a\nplatform: android\nretries: 1\nsteps:\n  - "+failingStep+"\n")
	l.write("b.yaml", "id: b\nplatform: android\nfails: {because: X-1}\nsteps:\n  - "+failingStep+"\n")
	count := func(folder string, want int) []string {
		t.Helper()
		files, err := filepath.Glob(filepath.Join(l.dir, folder, "*-result.json"))
		if err != nil || len(files) != want {
			t.Errorf("%s has %d results, not %d", folder, len(files), want)
		}
		return files
	}
	l.taproot("run", ".", "--format", "allure").exits(t, 1)
	count("allure-results", 3)
	l.taproot("run", ".", "--format", "allure", "--output", "out/allure").exits(t, 1)
	count("out/allure", 3)
	e := l.taproot("report", "export", "--format", "allure", "--out", "allure-results")
	e.exits(t, 0)
	has(t, "stdout", e.stdout, "3 results in ")
	all := ""
	for _, file := range count("allure-results", 6) {
		all += read(t, file)
	}
	for text, n := range map[string]int{`"value": "expected"`: 2, `"known": true`: 2, `"status": "failed"`: 10} {
		if got := strings.Count(all, text); got != n {
			t.Errorf("%s occurs %d times, not %d", text, got, n)
		}
	}
	for _, args := range [][]string{{"report", "export", "--format", "allure", "-o", "-"},
		{"report", "export", "--format", "allure", "-o", "a.yaml"}, {"run", ".", "--output", "x"}} {
		l.taproot(args...).exits(t, 2)
	}
}
