package studio_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android"
	"github.com/taproot-dev/taproot/internal/testutil"
)

// TestRecordTheLogin: a person sees the phone, logs in on its live screen, asserts the result, saves, and the recorded
// test passes: in Studio, and as a run.
func TestRecordTheLogin(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p := l.open(l.link("/studio/devices/"+l.phone.Serial()+"?file=suites/login.yaml"), 1440, false)
	p.connected()
	p.must(p.Locator("#record").Click())
	p.must(p.Locator("#what").Fill("com.example.login"))
	p.must(p.Locator("#launching button").Click())
	p.writes("launch: {package: com.example.login, force: true}")
	_, err := p.Evaluate(
		`document.getElementById("live-screen").addEventListener("pointerdown", () => { for (const end = performance.now() ` +
			`+ 800; performance.now() < end;); }, {once: true})`)
	p.must(err) // a page that was busy this long took a click for a long press
	p.click("E-mail")
	p.writes("tap: E-mail")
	p.must(p.Locator("#live-screen").PressSequentially(androidsim.LoginEmail))
	p.writes("input: " + androidsim.LoginEmail)
	p.click("Password")
	p.writes("tap: Password")
	p.must(p.Locator("#live-screen").PressSequentially(androidsim.LoginPassword))
	p.writes("input: ${PASSWORD}")
	p.click(`"Sign in"`)
	p.writes("tap: Sign in")
	p.must(p.Locator("#point").Click())
	p.click("Welcome, Ada")
	// The previously pinned element is shown until then.
	p.must(p.Locator("#element h2:has-text('Welcome, Ada')").WaitFor())
	p.must(p.Locator("#element button:text('Assert this')").First().Click())
	p.writes("assert: Welcome, Ada")
	for _, size := range []int{1440, 1024} {
		if testing.Short() && size == 1440 {
			continue
		}
		p.must(p.SetViewportSize(size, 900))
		p.accessible(fmt.Sprint("recorded at ", size))
		p.shot(fmt.Sprint("recorded-", size))
	}
	if text := p.yaml(); strings.Contains(text, androidsim.LoginPassword) ||
		!strings.Contains(text, "secrets: [PASSWORD]") {
		t.Errorf("the password is no secret:\n%s", text)
	}
	p.must(p.Locator("#point").Click())
	p.must(p.Locator("#run-all").Click())
	p.sees(`#outcome[data-passed]`)
	if passed, _ := p.Locator("#outcome").GetAttribute("data-passed"); passed != "true" {
		said, _ := p.Locator("#problems").TextContent()
		t.Fatalf("the recorded test does not pass: %s\n%s", said, p.yaml())
	}
	p.shot("run-1440")
	p.must(p.Locator("#saving button").Click())
	p.sees(`#outcome:text("Saved")`)
	saved, err := os.ReadFile(filepath.Join(l.dir, "suites", "login.yaml"))
	if err != nil || string(saved) != p.yaml() {
		t.Errorf("saved is %v\n%s", err, saved)
	}
	p.must(p.Context().Close())
	if !testing.Short() {
		l.passes(string(saved), map[string]string{"PASSWORD": androidsim.LoginPassword})
	}
	l.green("suites/login.yaml", "PASSWORD="+androidsim.LoginPassword)
}

// passes runs a test, and waits until its device is free and it has passed.
func (l *lab) passes(yaml string, vars map[string]string) {
	l.t.Helper()
	body, err := json.Marshal(map[string]any{"yaml": yaml, "vars": vars})
	if err != nil {
		l.t.Fatal(err)
	}
	status, text, _ := l.ask("POST", "/runs", string(body), "X-API-Key", key, "Content-Type", "application/json")
	var run struct{ ID, State, Result string }
	if json.Unmarshal([]byte(text), &run) != nil || status != http.StatusAccepted {
		l.t.Fatalf("%d %s", status, text)
	}
	for end := time.Now().Add(2 * time.Minute); time.Now().Before(end); time.Sleep(50 * time.Millisecond) {
		_, text, _ = l.ask("GET", "/runs/"+run.ID, "", "X-API-Key", key)
		if strings.Contains(text, `"result":"pass"`) {
			return
		}
		if strings.Contains(text, `"result":"fail"`) || strings.Contains(text, `"result":"error"`) {
			break
		}
	}
	l.t.Fatalf("the run: %s", text)
}

// TestPointAndSearch: an element's selectors are ranked, a search shows the matches of a selector, texts of the app are
// never HTML, and a watcher cannot act.
func TestPointAndSearch(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestRecordTheLogin points; the console's test of Studio searches")
	l := newLab(t)
	p := l.open(l.link("/studio/devices/"+l.phone.Serial()), 1440, true)
	p.connected()
	p.must(p.Locator("#what").Fill("com.example.login"))
	p.must(p.Locator("#launching button").Click())
	p.must(p.Locator("#point").Click())
	p.click(`"Sign in"`)
	first := p.Locator("#element li").First()
	p.sees("#element li code")
	for _, want := range []string{"Sign in", "1 match; robust", "Assert this", "Wait until gone"} {
		if text, err := first.TextContent(); err != nil || !strings.Contains(text, want) {
			t.Errorf("the best selector does not say %q: %q, %v", want, text, err)
		}
	}
	p.must(p.Locator("#selector").Fill("{type: EditText}"))
	p.must(p.Locator("#finding button").Click())
	p.sees("#boxes .found")
	if n, err := p.Locator("#boxes .found").Count(); err != nil || n != 2 {
		t.Errorf("%d boxes, %v", n, err)
	}
	p.must(p.Locator("#tree summary").Click())
	p.sees(`#tree button:has-text("Sign in")`)
	p.accessible("dark")
	p.shot("point-1440-dark")
	other := l.open(l.link("/studio/devices/"+l.phone.Serial()), 1024, true)
	other.sees(`canvas[data-frames]`)
	other.sees(`#holder:has-text("has the device since")`)
	other.accessible("held by another")
	other.shot("watching-1024-dark")
	other.must(other.Locator("#take").Click()) // the same person's
	other.connected()
	p.sees(`#holder:has-text("You do not have the device any more. the device was released, or another client has ` +
		`leased it")`)
	p.must(p.Locator("#take:not([hidden])").Click())
	p.connected()
	other.sees(`#holder:has-text("You do not have the device any more")`)
	p.must(p.Context().Close())
	other.must(other.Locator("#retry").Click())
	other.connected()
	if n := len(l.phone.Taps()); n != 0 {
		t.Errorf("%d taps were made by pointing", n)
	}
}

// TestWrongTests: the errors of validate are listed below the editor; a failed step is marked, with similar elements.
func TestWrongTests(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p := l.open(l.link("/studio/devices/"+l.phone.Serial()), 1440, false)
	p.connected()
	p.edits("id: x\nplatform: android\nsteps:\n  - tapp: Sign in\n")
	p.sees(`#problems button:has-text('line 4:5: unknown action "tapp"')`)
	p.edits("id: x\nplatform: android\nsteps:\n  - launch: com.example.login\n  - assert: Sign in\n  - tap: {label: " +
		"Sing " +
		"in, " +
		"timeout: 0s}\n  - tap: Sign in\n")
	p.must(p.Locator("#run-all").Click())
	p.sees(`#outcome[data-passed="false"]`)
	p.sees(`#yaml .mark-fail`)
	p.shot("failed-1440")
	p.inFull("repairs")
	p.must(p.Locator(`#problems button:has-text("use instead: tap: {label: Sign in, timeout: 0s}")`).Click())
	p.writes("  - assert: Sign in\n  - tap: {label: Sign in, timeout: 0s}\n  - tap: Sign in\n")
	if n := len(l.phone.Taps()); n != 0 {
		t.Errorf("%d taps were made behind the step that failed", n)
	}
}

// TestWordsOfOtherTools: a word of another tool is underlined, and a click on its message writes the step of Taproot
// with the author's arguments; everything else stays.
func TestWordsOfOtherTools(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	p := l.open(l.link("/studio/devices/"+l.phone.Serial()), 1440, false)
	p.connected()
	p.edits("id: x\nplatform: android\nsteps:\n  - tapOn: Sign in   # first\n  - expect: Welcome\n")
	p.sees(`#problems button.fix:has-text('line 4:5: "tapOn" is a word of Maestro; write: - tap: Sign in')`)
	p.sees(`#problems button:not(.fix):has-text('"expect" is a word of Playwright')`)
	p.must(p.Locator(`#problems button:has-text("tapOn")`).Click())
	p.writes("  - tap: Sign in   # first\n  - expect: Welcome\n")
}

// TestWhoGetsIn: a link works once; without a session there is a login form for a key; requests from another origin or
// for another host name are rejected.
func TestWhoGetsIn(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	link := strings.TrimPrefix(l.link("/studio"), l.url)
	status, _, h := l.ask("GET", link, "")
	cookie, _, _ := strings.Cut(h.Get("Set-Cookie"), ";")
	if status != http.StatusSeeOther || h.Get("Location") != "/studio" || !strings.Contains(h.Get("Set-Cookie"),
		"HttpOnly") || !strings.Contains(h.Get("Set-Cookie"), "SameSite=Strict") {
		t.Errorf("%d, %v", status, h)
	}
	if status, text, h := l.ask("GET", link, ""); status != http.StatusForbidden ||
		!strings.Contains(text, "has been used") || h.Get("Set-Cookie") != "" {
		t.Errorf("the link a second time: %d %s", status, text)
	}
	for name, c := range map[string]struct {
		method, path, body string
		headers            []string
		want               int
	}{
		"the page":          {"GET", "/studio", "", []string{"Cookie", cookie}, 200},
		"the API":           {"GET", "/devices", "", []string{"Cookie", cookie}, 200},
		"no session":        {"GET", "/studio", "", nil, 401},
		"a made-up session": {"GET", "/studio", "", []string{"Cookie", "taproot_studio=x"}, 401},
		"the link as a session": {"GET", "/devices", "",
			[]string{"Cookie", "taproot_studio=" + link[strings.Index(link, "=")+1:]}, 401},
		"a session as a link": {"GET", "/studio/enter?token=" + strings.TrimPrefix(cookie, "taproot_studio="), "",
			nil, 403},
		"another origin": {"GET", "/devices", "", []string{"Cookie", cookie, "Origin",
			"https://evil.example.com"}, 403},
		"another port of this machine": {"GET", "/devices", "", []string{"Cookie", cookie, "Origin", "http://127.0.0.1:1"},
			403},
		"a page of another site": {"GET", "/devices", "", []string{"Cookie", cookie, "Sec-Fetch-Site", "cross-site",
			"Sec-Fetch-Mode", "no-cors"}, 403},
		"another name": {"GET", "/studio", "", []string{"Cookie", cookie, "Host", "evil.example.com"}, 403},
		"another name, the API": {"GET", "/devices", "", []string{"Cookie", cookie, "Host", "evil.example.com"},
			403},
		"a wrong key": {"POST", "/studio/enter", "key=wrong",
			[]string{"Content-Type", "application/x-www-form-urlencoded"}, 401},
		"a key": {"POST", "/studio/enter", "key=" + key + "&next=//evil.example.com",
			[]string{"Content-Type", "application/x-www-form-urlencoded"}, 303},
		"a key from another site": {"POST", "/studio/enter", "key=" + key,
			[]string{"Content-Type", "application/x-www-form-urlencoded", "Origin", "https://evil.example.com"}, 403},
		"a file":                        {"GET", "/studio/file?path=new.yaml", "", []string{"Cookie", cookie}, 200},
		"a file without a session":      {"GET", "/studio/file?path=new.yaml", "", nil, 401},
		"a file outside of the project": {"GET", "/studio/file?path=../x.yaml", "", []string{"Cookie", cookie}, 400},
		"a file that is no test":        {"GET", "/studio/file?path=.env", "", []string{"Cookie", cookie}, 400},
		"a hidden folder":               {"GET", "/studio/file?path=.git/x.yaml", "", []string{"Cookie", cookie}, 400},
		"a write outside of the project": {"PUT", "/studio/file", `{"path": "../x.yaml", "text": "x"}`,
			[]string{"Cookie", cookie, "Content-Type", "application/json"}, 400},
		"a write by a form": {"PUT", "/studio/file", `{"path": "x.yaml", "text": "x"}`,
			[]string{"Cookie", cookie, "Content-Type", "text/plain"}, 400},
		"a write": {"PUT", "/studio/file", `{"path": "a/x.yaml", "text": "x"}`,
			[]string{"Cookie", cookie, "Content-Type", "application/json"}, 200},
		"a write from another origin": {"PUT", "/studio/file", `{"path": "y.yaml", "text": "x"}`,
			[]string{"Cookie", cookie, "Content-Type", "application/json", "Origin", "https://evil.example.com"}, 403},
	} {
		status, text, h := l.ask(c.method, c.path, c.body, c.headers...)
		if status != c.want || strings.Contains(h.Get("Location"), "evil") {
			t.Errorf("%s: %d %.200s %s", name, status, text, h.Get("Location"))
		}
	}
}

// TestSaveBesideAnotherEditor: a file that has changed on disk is not overwritten without asking, and a symbolic link
// does not lead out of the project.
func TestSaveBesideAnotherEditor(t *testing.T) {
	t.Parallel()
	l := newLab(t)
	_, _, h := l.ask("GET", strings.TrimPrefix(l.link("/studio"), l.url), "")
	cookie, _, _ := strings.Cut(h.Get("Set-Cookie"), ";")
	put := func(path, text, sum string) (int, string) {
		body, err := json.Marshal(map[string]string{"path": path, "text": text, "sum": sum})
		if err != nil {
			t.Fatal(err)
		}
		status, answer, _ := l.ask("PUT", "/studio/file", string(body), "Cookie", cookie, "Content-Type", "application/json")
		var file struct{ Sum, Text string }
		_ = json.Unmarshal([]byte(answer), &file)
		return status, file.Sum
	}
	status, sum := put("t.yaml", "one", "")
	if status != 200 {
		t.Fatal(status)
	}
	file := filepath.Join(l.dir, "t.yaml")
	if err := os.WriteFile(file, []byte("by another editor"), 0o600); err != nil {
		t.Fatal(err)
	}
	status, theirs := put("t.yaml", "two", sum)
	if data, err := os.ReadFile(file); status != 409 || err != nil || string(data) != "by another editor" {
		t.Errorf("%d, %q, %v", status, data, err)
	}
	if status, _ := put("t.yaml", "two", theirs); status != 200 {
		t.Errorf("after the person has chosen: %d", status)
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != "two\n" {
		t.Errorf("%q, %v", data, err)
	}
	outside := filepath.Join(t.TempDir(), "out.yaml")
	if err := os.WriteFile(outside, []byte("secret"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, filepath.Join(l.dir, "link.yaml")); err != nil {
		t.Fatal(err)
	}
	if status, text, _ := l.ask("GET", "/studio/file?path=link.yaml", "", "Cookie", cookie); status == 200 ||
		strings.Contains(text, "secret") {
		t.Errorf("a link out of the project: %d %s", status, text)
	}
	left, err := filepath.Glob(filepath.Join(l.dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("left behind: %v, %v", left, err)
	}
}

// TestTypedVariablesAreTexts: text that looks like a variable is typed unchanged, on the phone and by the recorded
// step.
func TestTypedVariablesAreTexts(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestRecordAPage asserts a text that looks like a variable")
	l := newLab(t)
	p := l.open(l.link("/studio/devices/"+l.phone.Serial()), 1440, false)
	p.connected()
	p.must(p.Locator("#record").Click())
	p.must(p.Locator("#what").Fill("com.example.login"))
	p.must(p.Locator("#launching button").Click())
	p.writes("launch: ")
	p.click("E-mail")
	p.writes("tap: E-mail")
	p.must(p.Locator("#live-screen").PressSequentially("${HOME} $${X}"))
	p.writes(`input: "$${HOME} $$${X}"`)
	p.place("${HOME} $${X}") // the phone has it
	p.must(p.Locator("#run-all").Click())
	p.sees(`#outcome[data-passed]`)
	if passed, _ := p.Locator("#outcome").GetAttribute("data-passed"); passed != "true" {
		said, _ := p.Locator("#problems").TextContent()
		t.Errorf("the recorded test does not pass: %s\n%s", said, p.yaml())
	}
	p.place("${HOME} $${X}")
}

// TestHostileLabels: texts of a page that are HTML and YAML are shown and recorded as plain text.
func TestHostileLabels(t *testing.T) {
	t.Parallel()
	testutil.Leave(t, "TestRecordAPage asserts such a text")
	l := newLab(t)
	hostile := `<img src=x onerror=alert()>: {"a": - ${HOME}`
	page := `<!doctype html><title>x</title><button id="b" style="width:300px;height:200px">` +
		strings.NewReplacer("<", "&lt;", `"`, "&quot;").Replace(hostile) + `</button>`
	mux := http.NewServeMux()
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte(page))
	})
	site := httptest.NewServer(mux)
	defer site.Close()
	p := l.open(l.link("/studio/devices/web-1?open="+site.URL), 1440, false)
	p.connected()
	p.writes("openBrowser")
	p.must(p.Locator("#point").Click())
	box, err := p.Locator("#live-screen").BoundingBox()
	p.must(err)
	p.must(p.Mouse().Click(box.X+60, box.Y+60))
	p.sees(`#element li code`)
	p.must(p.Locator("#element button:text('Assert this')").First().Click())
	p.writes("assert: ")
	text := p.yaml()
	if n, err := p.Locator("#element img").Count(); err != nil || n != 0 {
		t.Errorf("%d elements of the page's own", n)
	}
	if !strings.Contains(text, "$${HOME}") {
		t.Errorf("the label can be read as a variable:\n%s", text)
	}
	p.must(p.Locator("#run-all").Click())
	p.sees(`#outcome[data-passed]`)
	if passed, _ := p.Locator("#outcome").GetAttribute("data-passed"); passed != "true" {
		said, _ := p.Locator("#problems").TextContent()
		t.Errorf("the recorded test does not pass: %s\n%s", said, text)
	}
	p.shot("page-1440")
}
