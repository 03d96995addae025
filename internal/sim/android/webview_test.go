package androidsim

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"net"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

const hybrid = "com.example.hybrid"

// shopPage fills the view with one colour, says what was tapped, and has a field and more than fits.
const shopPage = `<!doctype html><meta name=viewport content="width=device-width,initial-scale=1"><title>Shop</title>
<style>body{margin:0;background:#0a7;height:3000px}
button,input{position:absolute;left:40px;width:200px;height:50px}</style>
<button id=buy style="top:100px" onclick="said=(window.said||'')+'buy '+event.pointerType+';'">Buy now</button>
<input id=mail style="top:200px" placeholder="Your e-mail" onkeydown="keys=(window.keys||'')+event.key">
<script>addEventListener('touchstart',e=>{touches=(window.touches||0)+1})</script>`

func htmlPage(html string) string { return "data:text/html;charset=utf-8," + url.PathEscape(html) }

// newHybrid is a phone with an app of one WebView that has been opened.
func newHybrid(t *testing.T, w WebView) *bench {
	t.Helper()
	w.DevTools = chromium.Start(t)
	if w.URL == "" {
		w.URL = htmlPage(shopPage)
	}
	b := newBench(t, Small)
	b.phone.InstallWebView(hybrid, "Shop", w)
	b.launch(hybrid)
	return b
}

// launch opens an app and waits until its page has been loaded.
func (b *bench) launch(pkg string) {
	b.t.Helper()
	b.start(pkg + "/.MainActivity")
	until(b.t, "the page of "+pkg, func() bool {
		var state string
		return b.phone.EvalWebView(b.t.Context(), pkg, "location.href + document.readyState", &state) == nil &&
			!strings.HasPrefix(state, "about:blank") && strings.HasSuffix(state, "complete")
	})
}

// eval runs an expression in the page.
func eval[T any](b *bench, expression string) T {
	b.t.Helper()
	var got T
	if err := b.phone.EvalWebView(b.t.Context(), hybrid, expression, &got); err != nil {
		b.t.Fatal(expression, ": ", err)
	}
	return got
}

var listening = regexp.MustCompile(`(?m)^[0-9a-f]+: \d+ \d+ 00010000 \d+ 01 \d+ @(webview_devtools_remote_\d+)$`)

// sockets are those on which WebViews listen, as the shell finds them.
func (b *bench) sockets() []string {
	b.t.Helper()
	var names []string
	for _, m := range listening.FindAllStringSubmatch(b.sh("cat /proc/net/unix").out, -1) {
		names = append(names, m[1])
	}
	return names
}

func (b *bench) socket() string {
	b.t.Helper()
	names := b.sockets()
	if len(names) != 1 {
		b.t.Fatalf("sockets %q, want one", names)
	}
	return names[0]
}

// get sends an HTTP request to a socket of the phone.
func (b *bench) get(socket, path string) (int, string) {
	b.t.Helper()
	client := b.client(socket)
	resp, err := client.Get("http://localhost" + path)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return resp.StatusCode, string(body)
}

// client reaches a socket of the phone through its adb server.
func (b *bench) client(socket string) *http.Client {
	return &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(context.Context, string,
		string) (net.Conn, error) {
		return b.open("localabstract:" + socket), nil
	}}}
}

type debuggable struct{ Type, ID, Title, URL, Description, WebSocketDebuggerURL string }

// where is the description of a page.
type where struct {
	Attached, Visible bool
	ScreenX, ScreenY  int
	Width, Height     int
}

func (b *bench) pages(socket string) []debuggable {
	b.t.Helper()
	_, body := b.get(socket, "/json")
	var list []debuggable
	if err := json.Unmarshal([]byte(body), &list); err != nil {
		b.t.Fatal(err, body)
	}
	return list
}

func TestWebViewIsFoundThroughItsSocket(t *testing.T) {
	t.Parallel()
	b := newHybrid(t, WebView{Chrome: "124.0.6367.82"})
	socket := b.socket()
	if want := "webview_devtools_remote_" + strings.TrimSpace(b.sh("pidof "+hybrid).out); socket != want {
		t.Errorf("the socket is called %s, want %s", socket, want)
	}
	var about map[string]string
	if _, body := b.get(socket, "/json/version"); json.Unmarshal([]byte(body), &about) != nil ||
		about["Android-Package"] != hybrid ||
		about["Browser"] != "Chrome/124.0.6367.82" || !strings.HasSuffix(about["webSocketDebuggerUrl"], "/devtools/browser") {
		t.Errorf("/json/version: %s", body)
	}
	list := b.pages(socket)
	if len(list) != 1 || list[0].Title != "Shop" || list[0].Type != "page" ||
		!strings.HasPrefix(list[0].URL, "data:text/html") {
		t.Fatalf("/json: %+v", list)
	}
	var at where
	if err := json.Unmarshal([]byte(list[0].Description), &at); err != nil {
		t.Fatal(err)
	}
	view := rectOf(t, b.webView().Bounds)
	if got := image.Rect(at.ScreenX, at.ScreenY, at.ScreenX+at.Width, at.ScreenY+at.Height); got != view || !at.Attached ||
		!at.Visible {
		t.Errorf("the view is at %v, %+v; the tree has it at %v", got, at, view)
	}
}

func (b *bench) webView() node {
	b.t.Helper()
	for _, n := range parseDump(b.t, b.phone.Tree()) {
		if n.Class == ui.ClassWebView {
			return n
		}
	}
	b.t.Fatal("no WebView in the tree")
	return node{}
}

func TestWebViewSpeaksWebSocket(t *testing.T) {
	t.Parallel()
	b := newHybrid(t, WebView{})
	socket := b.socket()
	list := b.pages(socket)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	options := &websocket.DialOptions{HTTPClient: b.client(socket)}
	conn, _, err := websocket.Dial(ctx, list[0].WebSocketDebuggerURL, options)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.CloseNow()
	if err := conn.Write(ctx, websocket.MessageText,
		[]byte(`{"id":7,"method":"Runtime.evaluate","params":{"expression":"innerWidth + ' ' + devicePixelRatio + ' ' + /; `+
			`wv/.test(navigator.userAgent)"}}`)); err != nil {
		t.Fatal(err)
	}
	_, answer, err := conn.Read(ctx)
	if want := fmt.Sprintf(`"%d %v true"`, 412, 1.3125); err != nil || !strings.Contains(string(answer), want) ||
		!strings.Contains(string(answer), `"id":7`) {
		t.Errorf("%s, %v; want %s", answer, err, want)
	}
	// A page of another site must not be able to connect.
	options.HTTPHeader = http.Header{"Origin": {"https://example.com"}}
	if _, resp, err := websocket.Dial(ctx, list[0].WebSocketDebuggerURL, options); err == nil || resp == nil ||
		resp.StatusCode != http.StatusForbidden {
		t.Errorf("with an origin: %v, %+v", err, resp)
	}
}

// at is the pixel of the screen where an element of the page has its middle.
func (b *bench) at(id string) image.Point {
	b.t.Helper()
	p := eval[[]float64](b,
		fmt.Sprintf("(r => [r.x + r.width / 2, r.y + r.height / "+
			"2])(document.getElementById(%q).getBoundingClientRect())", id))
	ratio := float64(Small.Density) / 160
	return rectOf(b.t, b.webView().Bounds).Min.Add(image.Pt(int(p[0]*ratio), int(p[1]*ratio)))
}

func (b *bench) tapAt(at image.Point) {
	b.t.Helper()
	if res := b.sh(fmt.Sprintf("input tap %d %d", at.X, at.Y)); res.code != 0 {
		b.t.Fatalf("tap at %v: %+v", at, res)
	}
}

func TestWebViewIsTouchedAndTypedInto(t *testing.T) {
	t.Parallel()
	b := newHybrid(t, WebView{})
	b.tapAt(b.at("buy"))
	until(t, "the button", func() bool { return eval[string](b, "window.said || ''") == "buy touch;" })
	if n := eval[int](b, "touches"); n != 1 {
		t.Errorf("%d touches", n)
	}
	b.tapAt(b.at("mail"))
	until(t, "the keyboard", func() bool { return strings.Contains(b.sh("dumpsys input_method").out, "mInputShown=true") })
	b.sh("input text 'Ada%s1'; input keyevent DEL; input text @x.org")
	until(t, "the text", func() bool { return eval[string](b, "mail.value") == "Ada @x.org" })
	if keys := eval[string](b, "keys"); keys != "Ada 1Backspace@x.org" {
		t.Errorf("keys %q", keys)
	}
	b.sh("input keyevent BACK")
	if eval[int](b, "scrollY"); strings.Contains(b.sh("dumpsys input_method").out, "mInputShown=true") {
		t.Error("the keyboard is still there")
	}
	b.sh("input swipe 270 900 270 500 100")
	until(t, "the scrolled page", func() bool { y := eval[float64](b, "scrollY"); return y > 250 && y < 310 })
}

func TestWebViewIsDrawn(t *testing.T) {
	t.Parallel()
	b := newHybrid(t, WebView{Chat: true})
	view := rectOf(t, b.webView().Bounds)
	want := color.RGBA{R: 0, G: 0xaa, B: 0x77, A: 0xff}
	var shot image.Image
	until(t, "the page's colour", func() bool {
		var err error
		if shot, err = png.Decode(bytes.NewReader(b.exec("screencap -p"))); err != nil {
			t.Fatal(err)
		}
		return color.RGBAModel.Convert(shot.At(view.Min.X+5, view.Min.Y+5)) == want
	})
	if got := color.RGBAModel.Convert(shot.At(view.Max.X-2, view.Max.Y-2)); got != want {
		t.Errorf("the lower right corner is %v", got)
	}
	if got := color.RGBAModel.Convert(shot.At(view.Max.X-40, view.Min.Y-5)); got == want {
		t.Error("the page is drawn over the toolbar")
	}
	b.tap("Chat", 0)
	if taps := b.phone.Taps(); taps[len(taps)-1].Label != "Chat" || eval[int](b, "window.touches || 0") != 0 {
		t.Errorf("%+v: the page saw a touch of the button over it", taps)
	}
}

func TestWebViewDiesWithItsApp(t *testing.T) {
	t.Parallel()
	b := newHybrid(t, WebView{})
	eval[any](b, "document.title = 'Changed'")
	first := b.socket()
	old := b.pages(first)
	b.sh("am force-stop " + hybrid)
	if names := b.sockets(); len(names) != 0 {
		t.Errorf("%q still listen", names)
	}
	if _, problem := ask(t, b.server, "host:tport:serial:"+b.phone.Serial(), "localabstract:"+first); problem != "closed" {
		t.Errorf("the socket of a dead app says %q", problem)
	}
	b.launch(hybrid)
	second := b.socket()
	if list := b.pages(second); second == first || len(list) != 1 || list[0].ID == old[0].ID || list[0].Title != "Shop" {
		t.Errorf("%s after %s: %+v", second, first, list)
	}
}

func TestWebViewAccessibility(t *testing.T) {
	t.Parallel()
	b := newHybrid(t, WebView{})
	if b.sees("Buy now") {
		t.Error("the page had nodes before anybody had looked")
	}
	b.wait("Buy now")
	var field node
	for _, n := range parseDump(t, b.phone.Tree()) {
		if n.ID == "mail" {
			field = n
		}
	}
	if field.Class != ui.ClassEdit || !b.at("mail").In(rectOf(t, field.Bounds)) {
		t.Errorf("the field is %+v", field)
	}
	b.tap("Buy now", 0)
	until(t, "the button", func() bool { return eval[string](b, "window.said || ''") != "" })
	if taps := b.phone.Taps(); taps[len(taps)-1].Label != "Buy now" || taps[len(taps)-1].ID != "buy" {
		t.Errorf("%+v", taps)
	}
	b.phone.ChangeWebView(hybrid, func(w *WebView) { w.Mute = true })
	if b.sees("Buy now") {
		t.Error("a mute page has nodes")
	}
}
