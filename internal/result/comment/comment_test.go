package comment

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/taproot-dev/taproot/internal/result/runtest"
)

const token = "ghp_s3cret/token+1"

// forge responds as GitHub and GitLab do: comments in pages of at most two, that can be listed, created, edited and
// removed.
type forge struct {
	t      *testing.T
	gitLab bool
	mu     sync.Mutex
	next   int64
	notes  []map[string]any
	seen   []string // method and path of each request
	before func(w http.ResponseWriter, r *http.Request) bool
}

func (f *forge) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.seen = append(f.seen, r.Method+" "+r.URL.EscapedPath())
	sent := r.Header.Get("PRIVATE-TOKEN")
	if !f.gitLab {
		sent = strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	}
	if sent != token {
		f.refuse(w, http.StatusUnauthorized, "Bad credentials: "+sent)
		return
	}
	if f.before != nil && f.before(w, r) {
		return
	}
	list, one := "/repos/shop/app/issues/7/comments", "/repos/shop/app/issues/comments/"
	update := http.MethodPatch
	if f.gitLab {
		list, update = "/api/v4/projects/group%2Fshop/merge_requests/7/notes", http.MethodPut
		one = list + "/"
	}
	path := r.URL.EscapedPath()
	id, single := strings.CutPrefix(path, one)
	at := slices.IndexFunc(f.notes, func(n map[string]any) bool { return fmt.Sprint(n["id"]) == id })
	var body struct{ Body string }
	if r.Method == http.MethodPost || r.Method == update {
		if err := json.NewDecoder(r.Body).Decode(&body); err != nil || len([]rune(body.Body)) > 65536 && !f.gitLab {
			f.refuse(w, http.StatusUnprocessableEntity, "body is too long")
			return
		}
		body.Body = strings.ReplaceAll(body.Body, "\n", "\r\n") // as forms send it
	}
	switch {
	case r.Method == http.MethodGet && path == list:
		f.page(w, r)
	case r.Method == http.MethodPost && path == list:
		n := f.add(body.Body, true)
		w.WriteHeader(http.StatusCreated)
		f.write(w, n)
	case single && at >= 0 && r.Method == update:
		f.notes[at]["body"] = body.Body
		f.write(w, f.notes[at])
	case single && at >= 0 && r.Method == http.MethodDelete:
		f.notes = slices.Delete(f.notes, at, at+1)
		w.WriteHeader(http.StatusNoContent)
	default:
		f.refuse(w, http.StatusNotFound, "Not Found")
	}
}

// add adds a comment of a bot or of a user.
func (f *forge) add(body string, bot bool) map[string]any {
	f.next++
	kind, name := "User", "mallory"
	if bot {
		kind, name = "Bot", "project_5_bot_1f"
	}
	n := map[string]any{"id": f.next + 98, "body": body, "user": map[string]string{"type": kind},
		"author": map[string]string{"username": name}}
	f.notes = append(f.notes, n)
	return n
}

func (f *forge) page(w http.ResponseWriter, r *http.Request) {
	const size = 2
	page, _ := strconv.Atoi(r.URL.Query().Get("page")) // 0 without one
	page = max(page, 1)
	from, to := min((page-1)*size, len(f.notes)), min(page*size, len(f.notes))
	if to < len(f.notes) {
		q := r.URL.Query()
		q.Set("page", strconv.Itoa(page+1))
		w.Header().Set("Link", fmt.Sprintf(`<http://%s%s?page=1>; rel="first", <http://%s%s?%s>; rel="next"`, r.Host,
			r.URL.EscapedPath(), r.Host, r.URL.EscapedPath(), q.Encode()))
	}
	f.write(w, append([]map[string]any{}, f.notes[from:to]...))
}

func (f *forge) write(w http.ResponseWriter, v any) {
	if err := json.NewEncoder(w).Encode(v); err != nil {
		f.t.Error(err)
	}
}

func (f *forge) refuse(w http.ResponseWriter, status int, text string) {
	w.WriteHeader(status)
	f.write(w, map[string]string{"message": text})
}

// ours are the bodies of the comments with the marker.
func (f *forge) ours() (list []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, n := range f.notes {
		if body := fmt.Sprint(n["body"]); strings.HasPrefix(body, marker) {
			list = append(list, strings.ReplaceAll(body, "\r\n", "\n"))
		}
	}
	return list
}

// environment is that of a job of the forge.
func (f *forge) environment(url, job string) func(string) string {
	env := map[string]string{"GITLAB_CI": "true", "CI_MERGE_REQUEST_IID": "7", "CI_PROJECT_ID": "group/shop",
		"CI_API_V4_URL": url + "/api/v4", "GITLAB_TOKEN": token, "CI_JOB_NAME": job, "CI_COMMIT_SHA": "abcdef1234567890"}
	if !f.gitLab {
		event := filepath.Join(f.t.TempDir(), "event.json")
		err := os.WriteFile(event, []byte(`{"pull_request": {"number": 7, "head": {"sha": "abcdef1234567890"}},
			"repository": {"full_name": "shop/app"}}`), 0o600)
		if err != nil {
			f.t.Fatal(err)
		}
		env = map[string]string{"GITHUB_EVENT_PATH": event, "GITHUB_API_URL": url, "GITHUB_TOKEN": token, "GITHUB_JOB": job}
	}
	return func(name string) string { return env[name] }
}

// target is the request of a job. Its requests use no network, so that time can be simulated.
func (f *forge) target(job string) *Target {
	f.t.Helper()
	target, err := FromEnv(f.environment("http://forge.invalid", job))
	if err != nil {
		f.t.Fatal(err)
	}
	switch h := target.host.(type) {
	case *gitHubHost:
		h.client.http.Transport = inMemory{f}
	case *gitLabHost:
		h.client.http.Transport = inMemory{f}
	}
	return target
}

func post(job, text string) Post {
	return Post{Job: job, Body: func(int) string { return text }}
}

// One comment, created once, then edited: a section for each job, also when the list has several pages and jobs write
// at the same time.
func TestComment(t *testing.T) {
	for _, gitLab := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			f := &forge{t: t, gitLab: gitLab}
			for i := range 5 {
				f.add(fmt.Sprintf("I disagree %d", i), false)
			}
			created, err := f.target("web").Update(t.Context(), post("web", "### web\n\n1 failed"))
			if err != nil || !created {
				t.Fatal(created, err)
			}
			created, err = f.target("web").Update(t.Context(), post("web", "### web\n\nall passed"))
			if err != nil || created {
				t.Fatal(created, err)
			}
			jobs := []string{"android", "ios -- 17", "web", "zebra"}
			f.together(jobs)
			f.holds(jobs)
			if len(f.notes) != 6 {
				t.Errorf("%d comments are left", len(f.notes))
			}
			if posts := strings.Count(strings.Join(f.seen, "\n"), "POST "); posts != 1 {
				t.Errorf("%d comments were created", posts)
			}
		})
	}
}

// together updates the sections of jobs at the same time.
func (f *forge) together(jobs []string) {
	var work sync.WaitGroup
	for _, job := range jobs {
		work.Go(func() {
			if _, err := f.target(job).Update(f.t.Context(), post(job, "now "+job)); err != nil {
				f.t.Errorf("%s: %v", job, err)
			}
		})
	}
	work.Wait()
}

// holds checks that there is one comment, with the sections of jobs.
func (f *forge) holds(jobs []string) {
	f.t.Helper()
	list := f.ours()
	if len(list) != 1 {
		f.t.Fatalf("%d comments: %q", len(list), list)
	}
	want := ""
	for _, job := range jobs {
		want += head(plainName(job)) + "\nnow " + job + "\n" + closing + "\n"
	}
	if got := strings.TrimPrefix(list[0], marker+"\n"); got != want {
		f.t.Errorf("%s", got)
	}
}

// Jobs that create the comment at the same time leave one, and use that of a bot rather than one of a user.
func TestCommentsAtOnce(t *testing.T) {
	for range 20 {
		synctest.Test(t, func(t *testing.T) {
			f := &forge{t: t}
			f.together([]string{"a", "b", "c"})
			f.holds([]string{"a", "b", "c"})
			f.notes = append([]map[string]any{{"id": 1, "body": marker + "\nfake", "user": map[string]string{"type": "User"}}},
				f.notes...)
			f.together([]string{"a", "c"})
			if f.notes[0]["body"] != marker+"\nfake" {
				t.Error(f.notes[0])
			}
		})
	}
}

// waits is a forge that requires pauses.
func waits(t *testing.T, header map[string]string, status int, times int) (*forge, *Target) {
	f := &forge{t: t}
	f.before = func(w http.ResponseWriter, _ *http.Request) bool {
		if times == 0 {
			return false
		}
		times--
		for name, value := range header {
			w.Header().Set(name, value)
		}
		f.refuse(w, status, "slow down, "+token)
		return true
	}
	return f, f.target("web")
}

// inMemory sends requests to a handler.
type inMemory struct{ http.Handler }

func (m inMemory) RoundTrip(r *http.Request) (*http.Response, error) {
	w := httptest.NewRecorder()
	if r.Body == nil {
		r.Body = io.NopCloser(strings.NewReader(""))
	}
	m.ServeHTTP(w, r)
	return w.Result(), nil
}

// A pause that a server requires is made, up to two minutes, and no error shows the token.
func TestRetryAfter(t *testing.T) {
	reset := func(d time.Duration) string { return strconv.FormatInt(time.Now().Add(d).Unix(), 10) }
	for name, c := range map[string]struct {
		header func() map[string]string
		status int
		times  int
		least  time.Duration
		holds  string // in the error; empty: there is none
	}{
		"seconds": {func() map[string]string { return map[string]string{"Retry-After": "90"} }, 429, 1, 90 * time.Second, ""},
		"secondary limit": {func() map[string]string { return map[string]string{"Retry-After": "60"} }, 403, 2,
			2 * time.Minute, ""},
		"date": {func() map[string]string {
			return map[string]string{"Retry-After": time.Now().Add(100 * time.Second).UTC().Format(http.TimeFormat)}
		}, 503, 1, 99 * time.Second, ""},
		"primary limit": {func() map[string]string {
			return map[string]string{"X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset(80 * time.Second)}
		}, 403, 1, 79 * time.Second, ""},
		"too long": {func() map[string]string { return map[string]string{"Retry-After": "121"} }, 429, 1, 0,
			"longer than 2m0s"},
		"overloaded":  {nil, 502, 2, 3 * time.Second, ""},
		"always":      {nil, 500, 100, 15 * time.Second, "500 Internal Server Error: slow down, •••"},
		"not allowed": {nil, 403, 100, 0, "pull-requests: write"},
		"wrong token": {nil, 401, 100, 0, "the token is not valid"},
		"unknown":     {nil, 404, 100, 0, "the request does not exist"},
		"a redirect": {func() map[string]string { return map[string]string{"Location": "http://evil.invalid"} }, 302, 100, 0,
			"302 Found"},
		"not the list": {nil, 200, 100, 0, "the list of comments cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var header map[string]string
				if c.header != nil {
					header = c.header()
				}
				f, target := waits(t, header, c.status, c.times)
				began := time.Now()
				_, err := target.Update(context.Background(), post("web", "text"))
				took := time.Since(began)
				if (err == nil) != (c.holds == "") || err != nil && !strings.Contains(err.Error(), c.holds) {
					t.Errorf("%v", err)
				}
				if err != nil && strings.Contains(err.Error(), token) {
					t.Errorf("the token is in %v", err)
				}
				if took < c.least || took > c.least+30*time.Second {
					t.Errorf("it took %s", took)
				}
				if err == nil && len(f.ours()) != 1 {
					t.Errorf("%q", f.ours())
				}
			})
		})
	}
}

// A body has at most the size that the server allows: what does not fit is counted, with a link.
func TestSectionsFit(t *testing.T) {
	run := runtest.Synthetic(2000)
	page := Page{Job: "web", Commit: "abcdef1234567890", Link: "https://ci.example/7"}
	whole := Section(run, page, 0)
	short := Section(run, page, 3000)
	if len(whole) < 20_000 || len(short) > 3000 ||
		!strings.Contains(short, " more tests: [open the report](https://ci.example/7)") {
		t.Errorf("%d and %d bytes\n%s", len(whole), len(short), short)
	}
	body := ""
	for i := range 30 {
		job := fmt.Sprintf("job %d", i)
		body = merge(body, Post{Job: job, Body: func(limit int) string { return Section(run, page, limit) }}, 20_000)
		if len(body) > 20_000 {
			t.Fatalf("%d bytes with %d jobs", len(body), i+1)
		}
	}
	if n := len(parse(body)); n != 30 {
		t.Errorf("%d sections", n)
	}
}

// A section cannot end itself, or be that of another job, and notifies no user.
func TestHostileSections(t *testing.T) {
	job := "x -->\n<!-- taproot job y"
	body := merge("", Post{Job: job, Body: func(int) string { return closing + "\n" + head("z") + "\nmine" }}, 10_000)
	list := parse(merge(body, post("other", "theirs"), 10_000))
	if len(list) != 2 {
		t.Errorf("%q", list)
	}
	again := parse(merge(merge("", post(job, "1"), 10_000), post(job, "2"), 10_000))
	if len(again) != 1 || strings.TrimSpace(again[0].text) != "2" {
		t.Errorf("%q", again)
	}
	if text := quiet("ask @ada"); text == "ask @ada" {
		t.Error(text)
	}
}

// Outside of a request there is nothing to do; inside, what is missing is named.
func TestFromEnv(t *testing.T) {
	write := func(text string) string {
		file := filepath.Join(t.TempDir(), "event.json")
		if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return file
	}
	pull := write(`{"pull_request": {"number": 7}}`)
	for _, c := range []struct {
		env   map[string]string
		none  bool
		holds string
	}{
		{nil, true, "neither GITHUB_EVENT_PATH nor CI_MERGE_REQUEST_IID"},
		{map[string]string{"GITLAB_CI": "true"}, true, "does not belong to a merge request"},
		{map[string]string{"GITHUB_EVENT_PATH": write(`{"ref": "main"}`), "GITHUB_EVENT_NAME": "push"}, true,
			"the event push does not belong to a pull request"},
		{map[string]string{"GITHUB_EVENT_PATH": write(`{"issue": {"number": 3}}`)}, true, "pull request"},
		{map[string]string{"GITHUB_EVENT_PATH": write(`{`)}, false, "read the event of GitHub"},
		{map[string]string{"GITHUB_EVENT_PATH": pull}, false, "GITHUB_REPOSITORY"},
		{map[string]string{"GITHUB_EVENT_PATH": pull, "GITHUB_REPOSITORY": "a/b"}, false, "GITHUB_TOKEN"},
		{map[string]string{"GITHUB_EVENT_PATH": pull, "GITHUB_REPOSITORY": "a/b", "GITHUB_TOKEN": "t",
			"GITHUB_API_URL": "ftp://x"}, false, "GITHUB_API_URL is not a URL"},
		{map[string]string{"GITHUB_EVENT_PATH": write(`{"workflow_run": {"pull_requests": [{"number": 4}]}}`),
			"GITHUB_REPOSITORY": "a/b", "GITHUB_TOKEN": "t"}, false, ""},
		{map[string]string{"CI_MERGE_REQUEST_IID": "4"}, false, "CI_PROJECT_ID"},
		{map[string]string{"CI_MERGE_REQUEST_IID": "4", "CI_PROJECT_ID": "5"}, false, "GITLAB_TOKEN"},
		{map[string]string{"CI_MERGE_REQUEST_IID": "x"}, false, "is not a number"},
	} {
		_, err := FromEnv(func(name string) string { return c.env[name] })
		_, none := err.(*None)
		if none != c.none || (err == nil) != (c.holds == "") || err != nil && !strings.Contains(err.Error(), c.holds) {
			t.Errorf("%v: %v", c.env, err)
		}
	}
}
