package cli_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/webtest"
)

// chromeHub is a cloud with the key of ada: real browsers of chromedriver, and the scripts of BrowserStack.
type chromeHub struct {
	*httptest.Server
	options map[string]any // of Chromium

	mu       sync.Mutex
	names    []string // of sessions, with the build
	results  []string // by session: status
	numbers  map[string]int
	lose     string // the first command of the first session that ends like this finds the session gone
	lost     int
	problems []string
}

// newChromeHub starts chromedriver. Where it is not installed, the test is skipped.
func newChromeHub(t *testing.T) *chromeHub {
	t.Helper()
	ports, err := drivers.FreePorts(2)
	if err != nil {
		t.Fatal(err)
	}
	forward := webtest.Driver(t, "chromedriver", ports)
	h := &chromeHub{options: webtest.ChromeOptions(t), numbers: map[string]int{}}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.serve(w, r, forward)
	}))
	t.Cleanup(func() {
		h.Close()
		for _, p := range h.problems {
			t.Error(p)
		}
	})
	return h
}

func (h *chromeHub) serve(w http.ResponseWriter, r *http.Request, forward http.Handler) {
	if user, key, _ := r.BasicAuth(); user != "ada" || key != "k3y-of-ada" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	raw, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(raw))
	var body struct {
		Script       string
		Capabilities struct{ AlwaysMatch map[string]any }
	}
	_ = json.Unmarshal(raw, &body)
	id, _, _ := strings.Cut(strings.TrimPrefix(r.URL.Path, "/session/"), "/")
	h.mu.Lock()
	n := h.numbers[id]
	gone := h.lose != "" && h.lost == 0 && n == 1 && strings.HasSuffix(r.Method+" "+r.URL.Path, h.lose)
	if gone {
		h.lost++
	}
	h.mu.Unlock()
	switch {
	case gone:
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, `{"value":{"error":"invalid session id","message":"it has timed out","stacktrace":""}}`)
	case r.URL.Path == "/session":
		h.open(w, r, body.Capabilities.AlwaysMatch, forward)
	case strings.HasPrefix(body.Script, "browserstack_executor: "):
		h.execute(w, n, strings.TrimPrefix(body.Script, "browserstack_executor: "))
	default:
		forward.ServeHTTP(w, r)
	}
}

// open opens a session, without the names that chromedriver does not know.
func (h *chromeHub) open(w http.ResponseWriter, r *http.Request, wanted map[string]any, forward http.Handler) {
	options, _ := wanted["bstack:options"].(map[string]any)
	name, _ := options["sessionName"].(string)
	build, _ := options["buildName"].(string)
	delete(wanted, "bstack:options")
	raw, _ := json.Marshal(map[string]any{"capabilities": map[string]any{"alwaysMatch": wanted}})
	r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(raw)), int64(len(raw))
	answer := httptest.NewRecorder()
	forward.ServeHTTP(answer, r)
	var opened struct{ Value struct{ SessionID string } }
	_ = json.Unmarshal(answer.Body.Bytes(), &opened)
	h.mu.Lock()
	h.names = append(h.names, name+" of "+build)
	h.results = append(h.results, "")
	h.numbers[opened.Value.SessionID] = len(h.names)
	h.mu.Unlock()
	w.WriteHeader(answer.Code)
	_, _ = w.Write(answer.Body.Bytes())
}

func (h *chromeHub) execute(w http.ResponseWriter, n int, text string) {
	var what struct {
		Action    string
		Arguments struct{ Status, Reason string }
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	if err := json.Unmarshal([]byte(text), &what); err != nil || n == 0 {
		h.problems = append(h.problems, "executor: "+text)
	}
	value := any(nil)
	if what.Action == "getSessionDetails" {
		value = `{"browser_url": "https://automate.browserstack.com/sessions/` + h.names[n-1][:3] + `"}`
	} else {
		h.results[n-1] += what.Arguments.Status
	}
	_ = json.NewEncoder(w).Encode(map[string]any{"value": value})
}

// lab writes tests that run in the cloud.
func (h *chromeHub) lab(t *testing.T, vendor string, tests map[string]string) *lab {
	l := newLab(t, 0)
	u, err := url.Parse(h.URL)
	if err != nil {
		t.Fatal(err)
	}
	u.User = url.UserPassword("${CLOUD_USER}", "${CLOUD_KEY}")
	address := strings.NewReplacer("%7B", "{", "%7D", "}").Replace(u.String())
	chrome, err := json.Marshal(h.options)
	if err != nil {
		l.t.Fatal(err)
	}
	l.write("taproot.yaml", "remotes:\n  cloud:\n    url: '"+address+"'\n"+vendor+"    capabilities:\n"+
		"      browserName: chrome\n      'goog:chromeOptions': "+string(chrome)+"\n")
	l.env = append(l.env, "CLOUD_USER=ada", "CLOUD_KEY=k3y-of-ada")
	for id, steps := range tests {
		l.write(id+".yaml", "id: "+id+"\n"+steps)
	}
	return l
}

// A cloud has a session for each test, by its name, and gets its result; tests that cannot run there are skipped with
// the reason. The key, which is in the URL, is nowhere.
func TestRemoteCloud(t *testing.T) {
	useBrowser(t)
	h := newChromeHub(t)
	page := "steps:\n  - openBrowser: 'data:text/html,<h1>Shop</h1>'\n  - assert: "
	l := h.lab(t, "    vendor: browserstack\n", map[string]string{
		"pass":  "platform: web\n" + page + "Shop\n",
		"fail":  "platform: web\n" + page + "{label: Nothing, timeoutMs: 500}\n",
		"twice": "platform: web\n" + page + "Shop\n  - openBrowser: 'data:text/html,<h1>Other</h1>'\n  - assert: Other\n",
		"fox":   "platform: web\nbrowsers: [firefox]\n" + page + "Shop\n",
		"phone": "platform: android\nsteps:\n  - assert: Shop\n",
	})
	l.env = append(l.env, "CIRCLECI=true", "CIRCLE_BUILD_NUM=7")
	end := l.start("taproot", "run", "--remote", "cloud", "--verbose", ".").wait()
	end.exits(t, 1)
	has(t, "skipped tests", end.stdout+end.stderr, "the remote cloud has no Firefox",
		"the remote cloud runs tests of the platform web, and this one is for android")
	var got []string
	for i, name := range h.names {
		got = append(got, name+": "+h.results[i])
	}
	slices.Sort(got)
	want := []string{"fail of CircleCI 7: failed", "pass of CircleCI 7: passed", "twice of CircleCI 7: passed"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	for file, want := range map[string]string{
		"pass/summary.json": `"session": "https://automate.browserstack.com/sessions/pas"`,
		"fail/run.md":       "- session: https://automate.browserstack.com/sessions/fai",
		"fail/report.html":  "https://automate.browserstack.com/sessions/fai"} {
		found, err := filepath.Glob(filepath.Join(l.reports, "20*", file))
		if err != nil || len(found) != 1 {
			t.Fatal(file, found, err)
		}
		text, err := os.ReadFile(found[0])
		if err != nil || !strings.Contains(string(text), want) {
			t.Errorf("%s lacks %s: %v", file, want, err)
		}
	}
	l.lacks(t, "k3y-of-ada")
	if strings.Contains(end.stdout+end.stderr, "k3y-of-ada") {
		t.Error("the key is shown")
	}
}

// lacks reports files of the run, of its reports and of its state that have a text.
func (l *lab) lacks(t *testing.T, secret string) {
	t.Helper()
	err := filepath.WalkDir(filepath.Dir(l.dir), func(path string, d os.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		if err == nil && bytes.Contains(text, []byte(secret)) {
			t.Errorf("%s has the secret", path)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
}

// A session that is lost is an error that names the remote, and the test is run once more in a new one.
func TestRemoteSessionIsLost(t *testing.T) {
	useBrowser(t)
	for retries, code := range map[string]int{"retries: 1\n": 0, "": 3} {
		h := newChromeHub(t)
		h.lose = "/actions"
		l := h.lab(t, "", map[string]string{"tap": "platform: web\n" + retries + "steps:\n" +
			"  - openBrowser: 'data:text/html,<button onclick=\"this.textContent=`Done`\">Go</button>'\n" +
			"  - tap: Go\n  - assert: Done\n"})
		end := l.start("taproot", "run", "--remote", "cloud", ".").wait()
		end.exits(t, code)
		if h.lost != 1 || len(h.names) != map[int]int{0: 2, 3: 1}[code] {
			t.Errorf("%d lost, sessions %v", h.lost, h.names)
		}
		reports, _ := filepath.Glob(filepath.Join(l.reports, "20*", "tap", "run.md"))
		if len(reports) != 1 {
			t.Fatal(reports)
		}
		text, _ := os.ReadFile(reports[0])
		has(t, "the first attempt", string(text), "result: ", "error", "the remote cloud", "it has timed out")
	}
}
