package web

import (
	"archive/zip"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/drivertest"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/testutil"
	"github.com/taproot-dev/taproot/internal/webtest"
)

// hub is a chromedriver or a geckodriver behind a proxy, which notes the commands and can spoil the answer to one.
type hub struct {
	*httptest.Server
	firefox bool // it is a geckodriver

	mu       sync.Mutex
	commands []string
	spoil    string // of the commands that end like this, the first is spoiled
	how      string
	spoiled  int
	touches  int
	plain    bool // it is not a driver of Chromium
	phone    bool // it is an Appium server: see asPhone
	seen     map[string]any
	old      bool // it has no WebDriver BiDi
	sockets  []net.Conn
	files    string // the folder of the files that it passes on, as Selenium Grid does; "": it passes none on
}

// newHub starts chromedriver. Where it is not installed, the test is skipped.
func newHub(t *testing.T) *hub { return startHub(t, "chromedriver") }

// inBrowsers runs a test with chromedriver and, where it is installed, with geckodriver.
func inBrowsers(t *testing.T, test func(t *testing.T, h *hub)) {
	for _, program := range []string{"chromedriver", "geckodriver"} {
		t.Run(program, func(t *testing.T) { test(t, startHub(t, program)) })
	}
}

func startHub(t *testing.T, name string) *hub {
	t.Helper()
	h := &hub{firefox: name == "geckodriver"}
	ports, err := drivers.FreePorts(2)
	Must(t, err)
	forward := webtest.Driver(t, name, ports)
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.serve(w, r, forward)
	}))
	t.Cleanup(h.Close)
	h.Config.ConnState = func(c net.Conn, state http.ConnState) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if state == http.StateHijacked {
			h.sockets = append(h.sockets, c)
		}
	}
	return h
}

func (h *hub) serve(w http.ResponseWriter, r *http.Request, forward http.Handler) {
	h.mu.Lock()
	h.commands = append(h.commands, r.Method+" "+r.URL.Path)
	if strings.HasSuffix(r.URL.Path, "/actions") {
		h.touches++
	}
	spoil := h.spoil != "" && h.spoiled == 0 && strings.HasSuffix(r.Method+" "+r.URL.Path, h.spoil)
	if spoil {
		h.spoiled++
	}
	how, plain := h.how, h.plain
	done := h.phone && asPhone(w, r, &h.seen) || h.files != "" && asGrid(w, r, h.files)
	h.mu.Unlock()
	if done {
		return
	}
	if plain && strings.HasSuffix(r.URL.Path, "/goog/cdp/execute") {
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"value":{"error":"unknown command","message":"","stacktrace":""}}`))
		return
	}
	if !spoil {
		forward.ServeHTTP(w, r)
		return
	}
	real := httptest.NewRecorder()
	if how != "gone" {
		forward.ServeHTTP(real, r)
	}
	switch how {
	case "dropped":
		conn, _, _ := w.(http.Hijacker).Hijack()
		_ = conn.Close()
	case "cut":
		w.Header().Set("Content-Length", "9000")
		_, _ = w.Write(real.Body.Bytes()[:1])
	case "500":
		w.WriteHeader(http.StatusInternalServerError)
	case "html":
		w.Header().Set("Content-Type", "text/html")
		_, _ = w.Write([]byte("<html>wait</html>"))
	case "null":
		_, _ = w.Write([]byte(`{"value":null}`))
	case "error":
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write([]byte(`{"value":{"error":"unknown error","message":"the node is away","stacktrace":""}}`))
	case "gone":
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"value":{"error":"invalid session id","message":"expired","stacktrace":""}}`))
	}
}

// asGrid passes files on, as a Selenium Grid does.
func asGrid(w http.ResponseWriter, r *http.Request, folder string) bool {
	switch {
	case strings.HasSuffix(r.URL.Path, "/se/files"):
		var asked struct{ Name string }
		_ = json.NewDecoder(r.Body).Decode(&asked)
		data, err := os.ReadFile(filepath.Join(folder, filepath.Base(asked.Name)))
		if err != nil {
			w.WriteHeader(http.StatusInternalServerError)
			_, _ = w.Write([]byte(`{"value":{"error":"unknown error","message":"Cannot find file","stacktrace":""}}`))
			return true
		}
		var out bytes.Buffer
		archive := zip.NewWriter(&out)
		file, _ := archive.Create(asked.Name)
		_, _ = file.Write(data)
		_ = archive.Close()
		_ = json.NewEncoder(w).Encode(map[string]any{"value": map[string]any{"filename": asked.Name,
			"contents": out.Bytes()}})
		return true
	case r.Method == http.MethodPost && r.URL.Path == "/session": // the driver of a browser does not know the capability
		body, _ := io.ReadAll(r.Body)
		body = bytes.Replace(body, []byte(`"se:downloadsEnabled":true,`), nil, 1)
		r.Body, r.ContentLength = io.NopCloser(bytes.NewReader(body)), int64(len(body))
	}
	return false
}

func (h *hub) count(command string) (n int) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, c := range h.commands {
		if strings.HasPrefix(c, strings.Fields(command)[0]) && strings.HasSuffix(c, strings.Fields(command)[1]) {
			n++
		}
	}
	return n
}

// open counts the sessions that are open.
func (h *hub) open() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	n := 0
	for _, c := range h.commands {
		if c == "POST /session" {
			n++
		}
		if strings.HasPrefix(c, "DELETE /session/") && strings.Count(c, "/") == 2 {
			n--
		}
	}
	return n
}

func (h *hub) driver(t *testing.T, sessions int) drivers.Driver {
	t.Helper()
	more := map[string]any{}
	if h.old {
		more["webSocketUrl"] = false
	}
	if h.files != "" {
		more["se:downloadsEnabled"] = true
	}
	maps.Copy(more, h.browser(t))
	d, err := NewRemote(Options{}, dsl.RemoteServer{Name: "lab", URL: h.URL, Platform: dsl.Web, Sessions: sessions,
		Capabilities: more}, t.TempDir())
	Must(t, err)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		if n := h.open(); n > 0 {
			t.Errorf("%d sessions are open", n)
		}
	})
	return d
}

// browser returns the capabilities of a browser without a window, which saves files in the folder of the hub.
func (h *hub) browser(t *testing.T) map[string]any {
	if h.firefox {
		prefs := map[string]any{}
		if h.files != "" {
			prefs = map[string]any{"browser.download.folderList": 2, "browser.download.dir": h.files}
		}
		return map[string]any{"browserName": "firefox",
			"moz:firefoxOptions": map[string]any{"args": []string{"-headless"}, "prefs": prefs}}
	}
	options := webtest.ChromeOptions(t)
	if h.files != "" {
		options["prefs"] = map[string]any{"download.default_directory": h.files, "download.prompt_for_download": false}
	}
	return map[string]any{"browserName": "chrome", "goog:chromeOptions": options}
}

func openRemote(t *testing.T, d drivers.Driver) *remoteDevice {
	t.Helper()
	dev, err := d.Open(t.Context(), "lab-1")
	Must(t, err)
	return dev.(*remoteDevice)
}

// A browser of a remote keeps the promises of package drivers.
func TestRemoteContract(t *testing.T) {
	testutil.Leave(t, "it runs without -short")
	inBrowsers(t, remoteContract)
}

func remoteContract(t *testing.T, h *hub) {
	d := h.driver(t, 2)
	pages := httptest.NewServer(http.FileServer(http.Dir("../../suites/pages")))
	t.Cleanup(pages.Close)
	drivertest.Run(t, drivertest.Subject[*testing.T]{
		Driver: func(*testing.T) drivers.Driver { return keptRemote{d} },
		ID:     "lab-1",
		Login: func(ctx context.Context, dev drivers.Device) error {
			return dev.(drivers.Browser).OpenPage(ctx, pages.URL+"/login.html", drivers.PageOptions{})
		},
		Patience: patience,
	})
}

type keptRemote struct{ drivers.Driver }

func (keptRemote) Close() error { return nil }

// One session serves one test after the other, and nothing of a test is left to the next.
func TestRemoteSessionsForgetTests(t *testing.T) {
	h := newHub(t)
	d := h.driver(t, 1)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Cache-Control", "max-age=1000")
		if r.URL.Path == "/set" {
			http.SetCookie(w, &http.Cookie{Name: "who", Value: "ada", MaxAge: 1000})
			_, _ = w.Write([]byte(`<h1>Set</h1><script>localStorage.a = 1; sessionStorage.b = 2; window.name = 'kept';
				indexedDB.open('d')</script>`))
			return
		}
		_, _ = w.Write([]byte("<h1>Cookie: " + r.Header.Get("Cookie") + "</h1>"))
	}))
	t.Cleanup(server.Close)
	for _, entries := range []int{3, 2} { // the first window of a session may have one more, for the page it starts with
		dev := openRemote(t, d)
		Must(t, dev.OpenPage(t.Context(), server.URL+"/get", drivers.PageOptions{}))
		left, err := dev.Eval(t.Context(), fmt.Sprintf(`async () => JSON.stringify([document.body.innerText.trim(),
			localStorage.length, sessionStorage.length, window.name, history.length <= %d,
			(await indexedDB.databases()).length])`, entries), patience)
		if err != nil || left != `["Cookie:",0,0,"",true,0]` {
			t.Errorf("of the test before, this is left: %v %v", left, err)
		}
		Must(t, dev.OpenPage(t.Context(), server.URL+"/set", drivers.PageOptions{}))
		Must(t, dev.Close())
	}
	if n := h.count("POST /session"); n != 1 {
		t.Errorf("%d sessions were opened", n)
	}
	if err := d.Close(); err != nil || h.open() != 0 {
		t.Errorf("%v, %d open", err, h.open())
	}
}

// Without the DevTools of Chromium each test has a session of its own, and elements that may hide their content are
// noted in the tree: what is not found may be in them.
func TestRemoteOfAnotherKind(t *testing.T) {
	h := newHub(t)
	h.plain, h.old = true, true
	d := h.driver(t, 1)
	page := site.Made(`<h1>Shop</h1><x-price></x-price><script>customElements.define('x-price', class extends HTMLElement {
		connectedCallback() { this.attachShadow({mode: 'closed'}).innerHTML = '<p>42 euros</p>'; }})</script>`)
	for i, address := range []string{site.Page("index.html"), page} {
		dev := openRemote(t, d)
		Must(t, dev.OpenPage(t.Context(), address, drivers.PageOptions{}))
		tree, err := dev.Tree(t.Context())
		Must(t, err)
		noted := find(tree, func(n *screen.Node) bool {
			return n.Type == screen.CutNote && strings.Contains(n.Desc, "closed shadow roots")
		}) != nil
		if noted != (i == 1) {
			t.Errorf("page %d: the note is there: %v", i, noted)
		}
		Must(t, dev.Close())
	}
	if n := h.count("POST /session"); n != 2 || h.open() != 0 {
		t.Errorf("%d sessions were opened, %d are open", n, h.open())
	}
}

// Each kind of command with each fault: what cannot be known is an error, no touch is sent twice, and no session stays.
func TestRemoteFaults(t *testing.T) {
	testutil.Leave(t, "it runs without -short; drivers/internal/webdriver and remote try faults, too")
	h := newHub(t)
	page := site.Made(`<h1>Counter</h1><button onclick="n.textContent = +n.textContent + 1">Add</button><p id=n>0</p>`)
	for _, command := range []string{"/actions", "/execute/sync", "GET", "/url", "/window/rect"} {
		faults := []string{"dropped", "cut", "500", "html", "error", "gone"}
		if command == "GET" {
			faults = append(faults, "null")
		}
		for _, how := range faults {
			d := h.driver(t, 1)
			dev := openRemote(t, d)
			if command == "/actions" || command == "GET" {
				Must(t, dev.OpenPage(t.Context(), page, drivers.PageOptions{}))
			}
			h.mu.Lock()
			h.spoil, h.how, h.spoiled, h.touches = command, how, 0, 0
			if command == "GET" {
				h.spoil = "/window/handles"
			}
			h.mu.Unlock()
			var err error
			if command == "/actions" {
				err = dev.ClickOn(t.Context(), drivers.WebTarget{Selector: "button"}, drivers.WebClick{})
				if !errors.Is(err, drivers.ErrDeviceLost) {
					t.Errorf("%s %s: %v", command, how, err)
				}
			} else if command == "GET" {
				time.Sleep(300 * time.Millisecond)
				_, err = dev.Tree(t.Context())
			} else {
				err = dev.OpenPage(t.Context(), page, drivers.PageOptions{})
			}
			h.mu.Lock()
			spoiled, touches := h.spoiled, h.touches
			h.spoil = ""
			h.mu.Unlock()
			if drivers.AppIsWrong(err) {
				t.Errorf("%s %s: the page is blamed: %v", command, how, err)
			}
			repeatable := command == "GET" && how != "gone" && how != "error"
			if spoiled == 0 || err == nil && !repeatable || err != nil && repeatable {
				t.Errorf("%s %s: spoiled %d, error %v", command, how, spoiled, err)
			}
			if err != nil && strings.Contains(err.Error(), "<html") {
				t.Errorf("%s %s: %v", command, how, err)
			}
			if touches > 1 {
				t.Errorf("%s %s: %d touches", command, how, touches)
			}
			_ = dev.Close()
			Must(t, d.Close())
			if n := h.open(); n != 0 {
				t.Errorf("%s %s: %d sessions are open", command, how, n)
			}
		}
	}
}

// What a session of WebDriver cannot do is refused by name, before a page opens.
func TestRemoteRefuses(t *testing.T) {
	testutil.Leave(t, "it runs without -short")
	h := newHub(t)
	h.old = true
	d := h.driver(t, 1)
	dev := openRemote(t, d)
	const without = " does not work in a remote browser without WebDriver BiDi"
	for want, opts := range map[string]drivers.PageOptions{
		"locale" + without:            {Locale: "de-DE"},
		"ignoreHttpsErrors" + without: {AnyCert: true},
		"userAgent" + without:         {UserAgent: "x"},
		"timezone" + without:          {Timezone: "Europe/Berlin"},
		"colorScheme" + without:       {ColorScheme: "dark"},
		"device" + without:            {DeviceName: "Pixel 7"},
	} {
		WantError(t, dev.OpenPage(t.Context(), site.Page("index.html"), opts), drivers.ErrUnsupported, want)
	}
	missing := new(drivers.Unavailable)
	if err := dev.UseBrowser(t.Context(), dsl.Firefox); !errors.As(err, &missing) {
		t.Errorf("another browser: %v", err)
	}
	Must(t, dev.OpenPage(t.Context(), site.Page("index.html"), drivers.PageOptions{}))
	_, err := dev.Look(t.Context(), "h1", drivers.WebCondition{NoConsoleErrors: true}, time.Second)
	WantError(t, err, drivers.ErrUnsupported, "noConsoleErrors"+without)
	const lacks = "the session at the remote lab has no WebDriver BiDi: the server offers none"
	WantError(t, dev.CheckActions(t.Context(), []string{"openBrowser", "webRoute"}), drivers.ErrUnsupported, lacks)
	Must(t, dev.CheckActions(t.Context(), []string{"openBrowser", "tap", "webAssert", "alert"}))
	_ = dev.Close()
}

// A page that does not open is an error with the reason, not the page before.
func TestRemotePagesThatDoNotOpen(t *testing.T) {
	testutil.Leave(t, "it runs without -short")
	ports, err := drivers.FreePorts(1)
	Must(t, err)
	closed := "http://127.0.0.1:" + ports[0] + "/"
	inBrowsers(t, func(t *testing.T, h *hub) {
		dev := openRemote(t, h.driver(t, 1))
		Must(t, dev.OpenPage(t.Context(), site.Page("index.html"), drivers.PageOptions{}))
		for address, want := range map[string]string{closed: "ERR_CONNECTION_REFUSED",
			"http://nosuchhost.invalid/": "ERR_NAME_NOT_RESOLVED"} {
			err := dev.OpenPage(t.Context(), address, drivers.PageOptions{Timeout: 20 * time.Second})
			if err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v", address, err)
			}
		}
		_ = dev.Close()
	})
}

// doctor opens a session, reads, and ends it.
func TestCheckRemote(t *testing.T) {
	h := newHub(t)
	d := h.driver(t, 1).(*remoteDriver)
	checked, err := NewRemote(Options{}, d.server, t.TempDir())
	calls, browser := CheckRemote(t.Context(), checked, err)
	text, _ := json.Marshal(calls)
	if len(calls) != 6 || strings.Contains(string(text), "problem") || !strings.HasPrefix(browser, "Chromium 1") {
		t.Errorf("%s %s", text, browser)
	}
	if h.open() != 0 || h.count("POST /actions") != 0 {
		t.Errorf("%d open", h.open())
	}
	h.Close()
	checked, err = NewRemote(Options{}, d.server, t.TempDir())
	calls, _ = CheckRemote(t.Context(), checked, err)
	if len(calls) != 1 || !strings.Contains(calls[0].Said, "the remote lab") ||
		!strings.Contains(calls[0].Said, "nothing listens there") {
		t.Errorf("%+v", calls)
	}
}
