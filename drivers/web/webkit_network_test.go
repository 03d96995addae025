package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
)

// requestLog is a server for the tests of the network, which notes what reaches it.
type requestLog struct {
	*httptest.Server
	mu   sync.Mutex
	seen []string
}

func newRequestLog(t *testing.T) *requestLog {
	l := &requestLog{}
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		cookie, _ := r.Cookie("who")
		said := fmt.Sprintf("%s %s header=%s cookie=%v", r.Method, r.URL, r.Header.Get("X-Test"), cookie)
		l.mu.Lock()
		l.seen = append(l.seen, said)
		l.mu.Unlock()
		switch r.URL.Path {
		case "/json":
			w.Header().Set("Content-Type", "application/json")
			_, _ = fmt.Fprintf(w, `{"said": %q, "n": 12345678901234567890}`, said)
		case "/login":
			http.SetCookie(w, &http.Cookie{Name: "who", Value: "me", HttpOnly: true})
			http.Redirect(w, r, "/page", http.StatusFound)
		case "/missing":
			http.Error(w, "<h1>Missing</h1>", http.StatusNotFound)
		case "/popup":
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprint(w, `<a href="/other" target=_blank>Other</a>`)
		default:
			w.Header().Set("Content-Type", "text/html")
			_, _ = fmt.Fprintf(w, `<!doctype html><title>Page</title><h1>Page</h1><p id=out></p><script>
				const ask = (url, how) => fetch(url, how).then(async r => out.textContent = r.status + ' ' +
					(r.headers.get('x-made') || '') + ' ' + await r.text(), e => out.textContent = 'failed ' + navigator.onLine);
				const sync = url => { const x = new XMLHttpRequest(); x.open('GET', url, false); x.send();
					out.textContent = x.responseText };
				</script>`)
		}
	}))
	t.Cleanup(l.Close)
	return l
}

func (l *requestLog) all() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return append([]string{}, l.seen...)
}

// saw reports whether a request with text in its description has reached the server.
func (l *requestLog) saw(text string) bool {
	return strings.Contains(strings.Join(l.all(), "\n"), text)
}

// TestWebKitStatus: the status of a page, the one that redirects lead to, and of one that is gone to.
func TestWebKitStatus(t *testing.T) {
	leftToWebKit(t)
	d, server := openWebKit(t), newRequestLog(t)
	opening := func(want int, at string) {
		t.Helper()
		o, err := d.Opening(t.Context())
		if err != nil || o.Status != want || at != "" && o.URL != server.URL+at {
			t.Errorf("%+v, %v; not %d of %s", o, err, want, at)
		}
	}
	Must(t, d.OpenPage(t.Context(), server.URL+"/missing", drivers.PageOptions{}))
	opening(404, "/missing")
	if status, address := d.PageAnswer(); status != 404 || address != server.URL+"/missing" {
		t.Errorf("%d, %s", status, address)
	}
	Must(t, d.Navigate(t.Context(), server.URL+"/login", 0))
	opening(200, "/page")
	Must(t, d.Navigate(t.Context(), "#part", 0))
	opening(0, "")
	Must(t, d.Navigate(t.Context(), "/missing", 0))
	opening(404, "/missing")
	Must(t, d.Navigate(t.Context(), "reload", 0))
	opening(404, "/missing")
	Must(t, d.OpenPage(t.Context(), site.Page("index.html"), drivers.PageOptions{}))
	opening(200, "")
}

// TestWebKitTraffic: requests and responses are waited for and in the archive of the network, those of frames too.
func TestWebKitTraffic(t *testing.T) {
	leftToWebKit(t)
	d, server := openWebKit(t), newRequestLog(t)
	dir := t.TempDir()
	evidence, err := d.StartEvidence(t.Context(), drivers.WebEvidenceOptions{Dir: dir})
	Must(t, err)
	Must(t, d.OpenPage(t.Context(), server.URL+"/page", drivers.PageOptions{}))
	_, err = d.Eval(t.Context(), "void setTimeout(() => ask('/json?late', {method: 'POST', body: 'Grüße'}), 300)", 0)
	Must(t, err)
	Must(t, d.WaitPage(t.Context(), drivers.WebEvent{Request: "/json"}, patience))
	Must(t, d.WaitPage(t.Context(), drivers.WebEvent{Response: "/json"}, patience))
	err = d.WaitPage(t.Context(), drivers.WebEvent{Response: "/never"}, time.Millisecond)
	WantError(t, err, screen.ErrNotFound, "200 POST "+server.URL+"/json?late")
	_, err = d.Eval(t.Context(), "ask('/missing?fetched')", 0)
	Must(t, err)
	Must(t, d.WaitPage(t.Context(), drivers.WebEvent{Load: "networkidle"}, patience))
	if troubles := strings.Join(evidence.Troubles(), "\n"); !strings.Contains(troubles, "404 GET") {
		t.Errorf("troubles: %s", troubles)
	}
	path, _, err := evidence.Stop(t.Context())
	Must(t, err)
	text, err := os.ReadFile(path)
	Must(t, err)
	var har struct {
		Log struct {
			Entries []struct {
				Request struct {
					Method, URL string
					PostData    struct{ Text string }
				}
				Response struct{ Status int }
			}
		}
	}
	Must(t, json.Unmarshal(text, &har))
	var found []string
	for _, e := range har.Log.Entries {
		found = append(found, fmt.Sprintf("%s %s %s %d", e.Request.Method, strings.TrimPrefix(e.Request.URL, server.URL),
			e.Request.PostData.Text, e.Response.Status))
	}
	want := "GET /page  200, POST /json?late Grüße 200, GET /missing?fetched  404"
	if got := strings.Join(found, ", "); got != want {
		t.Errorf("%s; not %s", got, want)
	}
}

// TestWebKitRoutes: responses of a test, blocked and changed requests, and changed responses reach the page; what is
// routed does not reach the server.
func TestWebKitRoutes(t *testing.T) {
	leftToWebKit(t)
	d, server := openWebKit(t), newRequestLog(t)
	route := func(r drivers.WebRoute) { t.Helper(); Must(t, d.Route(t.Context(), r)) }
	route(drivers.WebRoute{URL: "/made", Body: "<!doctype html><title>Made</title><h1>Grüße 漢</h1>",
		Headers: map[string]string{"Set-Cookie": "who=made"}})
	Must(t, d.OpenPage(t.Context(), server.URL+"/made", drivers.PageOptions{}))
	mustShow(t, d, "h1", "Grüße 漢")
	if server.saw("/made") {
		t.Errorf("the server has seen %q", server.all())
	}
	Must(t, d.Navigate(t.Context(), "/page", 0))
	if !server.saw("GET /page header= cookie=who=made") {
		t.Errorf("the server has seen %q", server.all())
	}
	ask := func(script, want string) {
		t.Helper()
		_, err := d.Eval(t.Context(), script, 0)
		Must(t, err)
		mustShow(t, d, "#out", want)
	}
	route(drivers.WebRoute{URL: "/json", Status: 503, JSON: map[string]any{"é": "漢"},
		Headers: map[string]string{"X-Made": "here"}})
	ask("ask('/json?1')", `503 here {"é":"漢"}`)
	ask("ask('/json?2', {method: 'POST', body: 'x'})", `503 here {"é":"漢"}`)
	ask(`void new Worker(URL.createObjectURL(new Blob(["fetch('`+server.URL+
		`/json?3').then(r => r.text()).then(t => postMessage(t))"]))).addEventListener('message',
		e => out.textContent = 'worker ' + e.data)`, `worker {"é":"漢"}`)
	route(drivers.WebRoute{URL: "/json", Block: true, Times: 1})
	ask("ask('/json?4')", "failed true")
	ask("ask('/json?5')", `503 here {"é":"漢"}`)
	if server.saw("/json") {
		t.Errorf("the server has seen %q", server.all())
	}
	route(drivers.WebRoute{URL: "/json", Request: map[string]string{"X-Test": "changed"}})
	route(drivers.WebRoute{URL: "/json", Times: 1, Modify: &drivers.WebModify{Status: 201, Merge: map[string]any{"a": 1},
		Headers: map[string]string{"X-Made": "half"}}, Request: map[string]string{"X-Test": "fetched"}})
	ask("ask('/json?6')", `201 half {"a":1,"n":12345678901234567890,"said":"GET /json?6 header=fetched cookie=who=made"}`)
	Must(t, d.Navigate(t.Context(), server.URL+"/login", 0)) // no route is for it
	seen, err := d.Look(t.Context(), "h1", drivers.WebCondition{NoConsoleErrors: true}, time.Millisecond)
	if err != nil || seen.Met || !strings.Contains(strings.Join(seen.ConsoleErrors, " "), "ERR_BLOCKED_BY_CLIENT") {
		t.Errorf("a blocked request is no error of the console: %+v, %v", seen, err)
	}
	route(drivers.WebRoute{URL: "/blocked", Block: true})
	WantError(t, d.Navigate(t.Context(), "/blocked", patience), drivers.ErrPage, "")
}

// TestWebKitRoutesThatDoNotHold: a request that WebKit does not let wait, and a response that it does not take, are
// errors: what the page shows is not what the test has asked for.
func TestWebKitRoutesThatDoNotHold(t *testing.T) {
	leftToWebKit(t)
	server := newRequestLog(t)
	for name, c := range map[string]struct {
		route  drivers.WebRoute
		script string
		want   string
	}{
		"synchronous": {drivers.WebRoute{URL: "/json", Body: "made"}, "sync('/json')", "went out without the changes"},
		"redirect": {drivers.WebRoute{URL: "/json", Status: 302, Headers: map[string]string{"Location": "/page"}},
			"void ask('/json')", "no redirect"},
		"window": {drivers.WebRoute{URL: "/other", Body: "made"}, "", "went out without the changes"},
	} {
		d := openWebKit(t)
		Must(t, d.Route(t.Context(), c.route))
		Must(t, d.OpenPage(t.Context(), server.URL+"/popup", drivers.PageOptions{}))
		if c.script == "" {
			_ = d.ClickOn(t.Context(), drivers.WebTarget{Selector: "a"}, drivers.WebClick{})
		} else {
			Must(t, d.Navigate(t.Context(), "/page", 0))
			_, _ = d.Eval(t.Context(), c.script, 0)
		}
		var err error
		for range 100 {
			if _, err = d.Tree(t.Context()); err != nil {
				break
			}
			time.Sleep(20 * time.Millisecond)
		}
		if WantError(t, err, drivers.ErrUnsupported, c.want); t.Failed() {
			t.Fatal(name)
		}
	}
}

// TestWebKitHeaders: the headers of a test go out with each request, those of frames of other sites too.
func TestWebKitHeaders(t *testing.T) {
	leftToWebKit(t)
	d, server := openWebKit(t), newRequestLog(t)
	other := newRequestLog(t)
	Must(t, d.OpenPage(t.Context(), server.URL+"/page", drivers.PageOptions{Headers: map[string]string{"X-Test": "yes"}}))
	_, err := d.Eval(t.Context(), `document.body.append(Object.assign(document.createElement('iframe'),
		{src: '`+strings.Replace(other.URL, "127.0.0.1", "localhost", 1)+`/page'})), ask('/json')`, 0)
	Must(t, err)
	Must(t, d.WaitPage(t.Context(), drivers.WebEvent{Load: "networkidle"}, patience))
	for _, seen := range append(server.all(), other.all()...) {
		if !strings.Contains(seen, "header=yes") && !strings.Contains(seen, "favicon") {
			t.Errorf("a request without the header: %s", seen)
		}
	}
	if !other.saw("/page") || !server.saw("/json") {
		t.Errorf("%q, %q", server.all(), other.all())
	}
}

// TestWebKitOffline: requests fail until the page is connected again.
func TestWebKitOffline(t *testing.T) {
	leftToWebKit(t)
	d, server := openWebKit(t), newRequestLog(t)
	Must(t, d.OpenPage(t.Context(), server.URL+"/page", drivers.PageOptions{Offline: true}))
	_, err := d.Eval(t.Context(), "ask('/json')", 0)
	Must(t, err)
	mustShow(t, d, "#out", "failed false")
	WantError(t, d.Navigate(t.Context(), "/page?again", patience), drivers.ErrPage, "")
	if server.saw("/json") || server.saw("again") {
		t.Errorf("the server has seen %q", server.all())
	}
	Must(t, d.Airplane(t.Context(), false))
	Must(t, d.Navigate(t.Context(), "/page?again", patience))
	_, err = d.Eval(t.Context(), "ask('/missing')", 0)
	Must(t, err)
	mustShow(t, d, "#out", "404 <h1>Missing</h1>")
}

// TestWebKitColours: light and dark are chosen while a page is open, for pages to come too.
func TestWebKitColours(t *testing.T) {
	leftToWebKit(t)
	d := openWebKit(t)
	Must(t, d.OpenPage(t.Context(), site.Page("index.html"), drivers.PageOptions{}))
	for _, dark := range []bool{true, false, true} {
		Must(t, d.DarkMode(t.Context(), dark))
		if is, err := d.IsDark(t.Context()); err != nil || is != dark {
			t.Errorf("dark is %v, %v; not %v", is, err, dark)
		}
	}
	Must(t, d.Navigate(t.Context(), site.Made("<h1>Two</h1>"), 0))
	if is, err := d.IsDark(t.Context()); err != nil || !is {
		t.Errorf("after another page: %v, %v", is, err)
	}
}

// TestWebKitRecording: a recording shows the page, from its opening to its end, and a window that it opens.
func TestWebKitRecording(t *testing.T) {
	leftToWebKit(t)
	d := openWebKit(t)
	recording, err := d.StartRecording(t.Context(), t.TempDir())
	if errors.Is(err, drivers.ErrUnsupported) {
		t.Skip(err)
	}
	Must(t, err)
	Must(t, d.OpenPage(t.Context(), site.Made(`<body style="margin:0;background:#00f">
		<button onclick="document.body.style.background='#f00'">Red</button>`), drivers.PageOptions{}))
	Must(t, d.ClickOn(t.Context(), drivers.WebTarget{Selector: "button"}, drivers.WebClick{}))
	time.Sleep(time.Second) // of the recording
	clips, err := recording.Stop(t.Context())
	Must(t, err)
	if len(clips) != 1 {
		t.Fatalf("%+v", clips)
	}
	raw, err := exec.Command("ffmpeg", "-loglevel", "error", "-sseof", "-0.3", "-i", clips[0].Path, "-frames:v", "1", "-f",
		"rawvideo", "-pix_fmt", "rgb24", "-").Output()
	Must(t, err)
	if len(raw) != 3*1280*720 {
		t.Fatalf("%d bytes are no image of the page", len(raw))
	}
	for _, at := range []image.Point{{2, 718}, {1277, 2}, {640, 400}} {
		if pixel := raw[3*(at.Y*1280+at.X):]; pixel[0] < 200 || pixel[1] > 60 || pixel[2] > 60 {
			t.Errorf("at %v is %v, not red", at, pixel[:3])
		}
	}
}
