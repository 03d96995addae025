package androidsim

import (
	"context"
	"encoding/json"
	"fmt"
	"image"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/taproot-dev/taproot/internal/sim/android/adbd"
)

func TestWebViewListsMoreThanItShows(t *testing.T) {
	t.Parallel()
	b := newHybrid(t, WebView{Others: true, Stale: true})
	socket := b.socket()
	if lines := b.sh("grep -c webview_devtools_remote /proc/net/unix").out; lines != "3\n" {
		t.Errorf("%q sockets of WebViews are listed, want one of this process, a stale one of it, and one of a process "+
			"that has died", lines)
	}
	var kinds []string
	for _, one := range b.pages(socket) {
		var at where
		if one.Description != "" {
			if err := json.Unmarshal([]byte(one.Description), &at); err != nil {
				t.Fatal(err)
			}
		}
		kinds = append(kinds, fmt.Sprint(one.Type, " ", at.Attached, " ", at.Visible, " ", at.Width > 0))
	}
	want := "page false false false, page true true true, page false false false, service_worker false false false"
	if got := strings.Join(kinds, ", "); got != want {
		t.Errorf("listed %s, want %s", got, want)
	}
}

func TestAHiddenWebViewListensNowhere(t *testing.T) {
	t.Parallel()
	b := newHybrid(t, WebView{Hidden: true})
	if names := b.sockets(); len(names) != 0 {
		t.Errorf("%q listen", names)
	}
	name := "localabstract:webview_devtools_remote_" + strings.TrimSpace(b.sh("pidof "+hybrid).out)
	if _, problem := ask(t, b.server, "host:tport:serial:"+b.phone.Serial(), name); problem != "closed" {
		t.Errorf("%s says %q", name, problem)
	}
}

func TestTwoAppsWithWebViews(t *testing.T) {
	t.Parallel()
	b := newHybrid(t, WebView{})
	b.phone.InstallWebView("com.example.news", "News", WebView{DevTools: chromium.Start(t),
		URL: htmlPage("<title>News</title><p>Late edition")})
	b.launch("com.example.news")
	visible := map[string]bool{}
	for _, socket := range b.sockets() {
		for _, one := range b.pages(socket) {
			visible[one.Title] = strings.Contains(one.Description, `"visible":true`)
		}
	}
	if len(visible) != 2 || visible["Shop"] || !visible["News"] {
		t.Errorf("visible: %v", visible)
	}
	// What belongs to the other process is not to be found.
	first, second := b.sockets()[0], b.sockets()[1]
	foreign := b.pages(second)[0].ID
	_, resp, err := websocket.Dial(t.Context(), "ws://localhost/devtools/page/"+foreign, &websocket.DialOptions{
		HTTPClient: b.client(first)})
	if err == nil || resp == nil || resp.StatusCode != http.StatusInternalServerError {
		t.Errorf("a page of the other app: %v, %+v", err, resp)
	}
	if code, _ := b.get(second, "/json/list"); code != http.StatusOK {
		t.Errorf("status %d", code)
	}
}

func TestAWebViewThatHangsIsShownAsItWas(t *testing.T) {
	t.Parallel()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, shopPage)
	}))
	t.Cleanup(site.Close) // a page without an address of its own may wait for none, and would hang in a loop
	b := newHybrid(t, WebView{URL: site.URL})
	b.wait("Buy now")
	before := b.phone.Screen()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := b.phone.HangWebView(ctx, hybrid); err != nil {
		t.Fatal(err)
	}
	view := rectOf(t, b.webView().Bounds)
	after := b.phone.Screen()
	for _, at := range []image.Point{view.Min.Add(image.Pt(5, 5)), view.Min.Add(view.Size().Div(2))} {
		if before.At(at.X, at.Y) != after.At(at.X, at.Y) {
			t.Errorf("the picture changed at %v", at)
		}
	}
	if !b.sees("Buy now") {
		t.Error("the nodes are gone")
	}
	if list := b.pages(b.socket()); len(list) != 1 || list[0].Title != "Shop" { // the browser's process responds on
		t.Errorf("/json: %+v", list)
	}
	quick, stop := context.WithTimeout(ctx, 300*time.Millisecond)
	defer stop()
	if err := b.phone.EvalWebView(quick, hybrid, "1", nil); err == nil {
		t.Error("the page answers")
	}
	b.sh("am force-stop " + hybrid)
	b.launch(hybrid)
	if got := eval[int](b, "6 * 7"); got != 42 {
		t.Errorf("the new page says %d", got)
	}
}

func TestASocketThatClosesInTheMiddleOfAnAnswer(t *testing.T) {
	t.Parallel()
	b := newHybrid(t, WebView{})
	socket := b.socket()
	b.phone.Fail(Fault{Match: "localabstract:webview", Nth: 1, Kind: Cut, Bytes: 200})
	resp, err := b.client(socket).Get("http://localhost/json")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if body, err := io.ReadAll(resp.Body); err == nil || len(body) == 0 {
		t.Errorf("%d bytes, %v; want the beginning alone", len(body), err)
	}
	if list := b.pages(socket); len(list) != 1 {
		t.Errorf("afterwards: %+v", list)
	}
}

func TestAListThatIsGarbage(t *testing.T) {
	t.Parallel()
	b := newHybrid(t, WebView{Garbage: "<html>Not what you think</html>"})
	socket := b.socket()
	if code, body := b.get(socket, "/json"); code != http.StatusOK || body != "<html>Not what you think</html>" {
		t.Errorf("%d %s", code, body)
	}
	b.phone.ChangeWebView(hybrid, func(w *WebView) { w.Garbage = "" })
	if list := b.pages(socket); len(list) != 1 {
		t.Errorf("afterwards: %+v", list)
	}
}

func TestWhatOldAndNewWebViewsRefuse(t *testing.T) {
	t.Parallel()
	b := newHybrid(t, WebView{Chrome: "58.0.3029.125"})
	socket := b.socket()
	list := b.pages(socket)
	from := &websocket.DialOptions{HTTPClient: b.client(socket), HTTPHeader: http.Header{"Origin": {"http://localhost"}}}
	conn, _, err := websocket.Dial(t.Context(), list[0].WebSocketDebuggerURL, from)
	if err != nil {
		t.Fatal("an old version asks nobody where he comes from: ", err)
	}
	defer conn.CloseNow()
	if again := b.pages(socket); again[0].WebSocketDebuggerURL != "" {
		t.Errorf("a second client is told %s", again[0].WebSocketDebuggerURL)
	}
	if second, _, err := websocket.Dial(t.Context(), list[0].WebSocketDebuggerURL, from); err == nil {
		second.CloseNow()
		t.Error("an old version lets a second client in")
	}
	b.phone.ChangeWebView(hybrid, func(w *WebView) { w.Chrome = "124.0.6367.82" })
	req, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "http://phone.example/json", nil)
	if err != nil {
		t.Fatal(err)
	}
	resp, err := b.client(socket).Do(req)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusInternalServerError {
		t.Errorf("a host by name: %s", resp.Status)
	}
}

func TestTheStorageOfAWebViewLivesUntilItIsCleared(t *testing.T) {
	t.Parallel()
	site := http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<title>Shop</title>")
	})}
	at, err := adbd.Listen(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = site.Serve(at)
	}()
	t.Cleanup(func() { site.Close(); <-done })
	b := newHybrid(t, WebView{URL: "http://" + at.Addr().String() + "/"})
	eval[any](b, "localStorage.seen = 'yes'; document.cookie = 'signed=in'")
	b.sh("am force-stop " + hybrid)
	b.launch(hybrid)
	if got := eval[string](b, "localStorage.seen + document.cookie"); got != "yessigned=in" {
		t.Errorf("after a restart: %q", got)
	}
	b.sh("am force-stop " + hybrid)
	b.sh("pm clear " + hybrid)
	b.launch(hybrid)
	if got := eval[string](b, "localStorage.seen + document.cookie"); got != "undefined" {
		t.Errorf("after pm clear: %q", got)
	}
}

func TestAWebViewBeyondTheScreenIsListedWhole(t *testing.T) {
	t.Parallel()
	b := newHybrid(t, WebView{Bounds: image.Rect(0, 300, 540, 2000)})
	if d := b.pages(b.socket())[0].Description; !strings.Contains(d, `"height":1700`) ||
		!strings.Contains(d, `"screenY":300`) {
		t.Error(d)
	}
	if got := b.webView().Bounds; got != "[0,300][540,1200]" {
		t.Errorf("the tree has it at %s", got)
	}
}

func TestBackClosesThePageOfAWebView(t *testing.T) {
	t.Parallel()
	b := newHybrid(t, WebView{})
	socket := b.socket()
	b.sh("input keyevent BACK")
	until(t, "an empty list", func() bool { return len(b.pages(socket)) == 0 })
	if !b.phone.Running(hybrid) {
		t.Error("the process is gone, too")
	}
}
