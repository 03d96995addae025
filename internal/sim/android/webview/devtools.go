package webview

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/internal/devtools"
	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
)

// socketPrefix is how the sockets of debuggable WebViews are called, before the number of the process.
const socketPrefix = "webview_devtools_remote_"

// AbstractSocket is a socket of the abstract namespace of the phone: only WebViews listen there.
func (v *Views) AbstractSocket(name string) (kernel.ServiceFunc, bool) {
	for _, w := range v.webProcesses() {
		if name == w.socket() && !w.app.config().Hidden {
			return w.serve, true
		}
	}
	return nil, false
}

// webProcesses are those that have a WebView.
func (v *Views) webProcesses() []*webProcess {
	v.Sys.Mu.Lock()
	defer v.Sys.Mu.Unlock()
	var list []*webProcess
	for _, r := range v.Sys.UI.Apps {
		if w, ok := r.Web.(*webProcess); ok {
			list = append(list, w)
		}
	}
	slices.SortFunc(list, func(a, b *webProcess) int { return a.pid - b.pid })
	return list
}

func (w *webProcess) socket() string {
	if w.app.config().Browser {
		return "chrome_devtools_remote"
	}
	return fmt.Sprint(socketPrefix, w.pid)
}

// UnixSockets is /proc/net/unix.
func (v *Views) UnixSockets() string {
	const connected, listening = "00000000 0001 03", "00010000 0001 01"
	var b strings.Builder
	b.WriteString("Num       RefCount Protocol Flags    Type St Inode Path\n")
	inode := 23761
	line := func(state, name string) {
		inode += 17
		fmt.Fprintf(&b, "%s\n", strings.TrimSpace(fmt.Sprintf("0000000000000000: 00000002 00000000 %s %d %s", state, inode,
			name)))
	}
	line(listening, "/dev/socket/adbd")
	line("00000000 0002 01", "/dev/socket/logdw")
	line(connected, "")
	for _, w := range v.webProcesses() {
		config := w.app.config()
		if config.Stale {
			line(connected, fmt.Sprint("@", socketPrefix, w.pid-1))
			line(connected, "@"+w.socket())
		}
		if !config.Hidden {
			line(listening, "@"+w.socket())
		}
	}
	line(listening, "@jdwp-control")
	return b.String()
}

// serve is one connection to the DevTools of a WebView.
func (w *webProcess) serve(ctx context.Context, s kernel.Stream) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(w.ctx, cancel)()
	in, feed := io.Pipe()
	defer in.Close()
	defer context.AfterFunc(ctx, func() { feed.Close() })()
	go func() { // it ends when the host hangs up, or when the service has ended
		_, err := io.Copy(feed, s)
		feed.CloseWithError(err)
	}()
	for r := bufio.NewReader(in); ; {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		if strings.EqualFold(req.Header.Get("Upgrade"), "websocket") {
			w.webSocket(ctx, req, r, s)
			return
		}
		_, _ = io.Copy(io.Discard, req.Body)
		if _, err := io.WriteString(s, w.answer(ctx, req)); err != nil {
			return
		}
	}
}

func httpText(status int, kind, body string) string {
	return fmt.Sprintf("HTTP/1.1 %d %s\r\nContent-Length:%d\r\nContent-Type:%s; charset=UTF-8\r\n\r\n%s", status,
		http.StatusText(status), len(body), kind, body)
}

// answer is what Chromium's HTTP server says to a request.
func (w *webProcess) answer(ctx context.Context, req *http.Request) string {
	about := w.app.version(ctx)
	if !about.before(66) && !safeHost(req.Host) {
		return httpText(http.StatusInternalServerError, "text/html",
			"Host header is specified and is not an IP address or localhost.")
	}
	var answer any
	switch path := strings.TrimSuffix(req.URL.Path, "/"); path {
	case "/json/version":
		answer = map[string]string{
			"Android-Package": w.app.pkg, "Browser": about.Browser, "Protocol-Version": about.Protocol,
			"User-Agent": w.app.userAgent(about.chrome()),
			"V8-Version": about.V8, "WebKit-Version": about.WebKit, "webSocketDebuggerUrl": "ws://" + req.Host +
				"/devtools/browser",
		}
	case "/json", "/json/list":
		if garbage := w.app.config().Garbage; garbage != "" {
			return httpText(http.StatusOK, "application/json", garbage)
		}
		answer = w.pages(ctx, req.Host)
	case "/json/new":
		return httpText(http.StatusInternalServerError, "text/html", "Could not create new page")
	default:
		return httpText(http.StatusNotFound, "text/html", "Unknown command: "+strings.TrimPrefix(path, "/json/"))
	}
	body, err := json.MarshalIndent(answer, "", "   ")
	if err != nil {
		return httpText(http.StatusInternalServerError, "text/html", err.Error())
	}
	return httpText(http.StatusOK, "application/json", string(body)+"\n")
}

// safeHost says whether a page that was loaded from a name could not have made the request.
func safeHost(host string) bool {
	if h, _, err := net.SplitHostPort(host); err == nil {
		host = h
	}
	return host == "" || host == "localhost" || strings.HasSuffix(host, ".localhost") ||
		net.ParseIP(strings.Trim(host, "[]")) != nil
}

// pages is the list of what can be debugged.
func (w *webProcess) pages(ctx context.Context, host string) []map[string]string {
	list := []map[string]string{}
	t := w.shown()
	if t == nil {
		return list
	}
	var known []struct{ ID, Title, URL string }
	_ = devtools.Ask(ctx, w.app.config().DevTools, "/json/list", &known) // without an answer the page has no title yet
	entry := func(id, kind, description, title, address string) {
		one := map[string]string{
			"description": description, "id": id, "title": title, "type": kind, "url": address,
			"devtoolsFrontendUrl": "https://chrome-devtools-frontend.appspot.com/serve_rev/@0/inspector.html?ws=" + host +
				"/devtools/page/" + id,
		}
		// Old versions let one client in, and report their address to no other.
		if !w.app.version(ctx).before(63) || t.clients(id, 0) == 0 {
			one["webSocketDebuggerUrl"] = "ws://" + host + "/devtools/page/" + id
		}
		list = append(list, one)
	}
	const detached = `{"attached":false,"empty":true,"never_attached":%t,"screenX":0,"screenY":0,"visible":false}`
	for i, target := range slices.Backward(t.targets) {
		description := t.description()
		if i > 0 {
			description = fmt.Sprintf(detached, false)
		}
		title, address := "", "about:blank"
		for _, k := range known {
			if k.ID == target {
				title, address = k.Title, k.URL
			}
		}
		entry(target, "page", description, title, address)
	}
	if len(t.targets) > 1 {
		entry("5B1D6B7C2E9F4A55A1C3D4E5F6071829", "page", fmt.Sprintf(detached, true), "", "about:blank")
		entry("0C5E7A9B3D1F4826B0D2F4A6C8E01357", "service_worker", "", "Service Worker", w.app.config().URL+"/sw.js")
	}
	return list
}

// shown is the page of the process, once there is one.
func (w *webProcess) shown() *webTab {
	w.app.sys.Mu.Lock()
	t := w.tab
	w.app.sys.Mu.Unlock()
	if t == nil || t.ctx.Err() != nil {
		return nil
	}
	select {
	case <-t.ready:
		return t
	default:
		return nil
	}
}

// description is the place of the view, in pixels of the screen, whatever an ancestor shows of it.
func (t *webTab) description() string {
	b, _ := t.place()
	p := t.app.sys
	p.Mu.Lock()
	page, ok := p.UI.Top().Page.(*webPage)
	visible := ok && page.tab == t && !p.UI.Guard.Off
	p.Mu.Unlock()
	return fmt.Sprintf(
		`{"attached":true,"empty":false,"height":%d,"never_attached":false,"screenX":%d,`+
			`"screenY":%d,"visible":%t,"width":%d}`,
		b.Dy(), b.Min.X, b.Min.Y, visible, b.Dx())
}

// clients counts the WebSockets to a page, after one more or one less.
func (t *webTab) clients(target string, more int) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.attached[target] += more
	return t.attached[target]
}

// webSocket joins the client to the page of the Chromium. What is not this process's is not found.
func (w *webProcess) webSocket(ctx context.Context, req *http.Request, from io.Reader, to io.Writer) {
	about, t := w.app.version(ctx), w.shown()
	path := req.URL.Path
	if id, ok := strings.CutPrefix(path, "/devtools/page/"); ok {
		if t == nil || !slices.Contains(t.targets, id) {
			_, _ = io.WriteString(to, httpText(http.StatusInternalServerError, "text/html", "No such target id: "+id))
			return
		}
		if clients := t.clients(id, 1); clients > 1 && about.before(63) {
			t.clients(id, -1)
			_, _ = io.WriteString(to, httpText(http.StatusInternalServerError, "text/html",
				"Target with given id is being inspected: "+id))
			return
		}
		defer t.clients(id, -1)
	} else if path == "/devtools/browser" {
		if whole, err := url.Parse(about.URL); err == nil {
			path = whole.Path
		}
	}
	if about.before(111) {
		req.Header.Del("Origin")
	}
	conn, err := (&net.Dialer{}).DialContext(ctx, "tcp", w.app.config().DevTools)
	if err != nil {
		return
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\n", path, req.Host); err != nil ||
		req.Header.Write(conn) != nil {
		return
	}
	if _, err := io.WriteString(conn, "\r\n"); err != nil {
		return
	}
	go func() { // it ends with the service, which closes what it reads from
		_, _ = io.Copy(conn, from)
		conn.Close()
	}()
	_, _ = io.Copy(to, conn)
}
