package iossim

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/coder/websocket"
	"howett.net/plist"
)

// webkitProxy is ios_webkit_debug_proxy 1.9: github.com/google/ios-webkit-debug-proxy, src/ios_webkit_debug_proxy.c. It
// is a client of the daemon of one device, numbers the pages of all apps as they are reported, and passes on what they
// say, to one WebSocket for each.
type webkitProxy struct {
	device *Device
	conn   net.Conn

	mu    sync.Mutex
	last  int
	pages map[string]*proxiedPage // by app and page
}

type proxiedPage struct {
	number   int
	app, url string
	id       uint64
	to       *websocket.Conn
	sender   string
}

const proxyID = "17858421-36EF-4752-89F7-7A13ED5782C5"

// webkitProxy is the program.
func (l *Lab) webkitProxy(p *process) int {
	i := slices.Index(p.args, "-c")
	if i < 0 || i+1 == len(p.args) {
		p.warn("Usage: ios_webkit_debug_proxy [OPTIONS]\n")
		return 1
	}
	udid, port, _ := strings.Cut(p.args[i+1], ":")
	d := l.find(udid)
	if d == nil || !d.opts.Phone || d.opts.Away {
		p.wait() // for a device to come
		return 0
	}
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		p.warn("Unable to bind %s on port %s\n", udid, port)
		return 1
	}
	ours, theirs := net.Pipe()
	w := &webkitProxy{device: d, conn: ours, pages: map[string]*proxiedPage{}}
	d.inspector.accept(theirs)
	server := &http.Server{Handler: http.HandlerFunc(w.answer)}
	l.work.Go(func() { _ = server.Serve(listener) })
	l.work.Go(w.read)
	w.send("_rpc_reportIdentifier:", map[string]any{})
	w.send("_rpc_getConnectedApplications:", map[string]any{})
	p.print("Connected :%s to %s (%s)\n", port, d.opts.Name, udid)
	p.wait()
	server.Close()
	ours.Close()
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, page := range w.pages {
		if page.to != nil {
			page.to.CloseNow() //nolint:errcheck // the program ends
		}
	}
	return 0
}

func (w *webkitProxy) send(selector string, argument map[string]any) {
	argument["WIRConnectionIdentifierKey"] = proxyID
	body, err := plist.Marshal(map[string]any{"__selector": selector, "__argument": argument}, plist.BinaryFormat)
	if err == nil {
		_, _ = w.conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...))
	}
}

// read takes what the daemon says.
func (w *webkitProxy) read() {
	for {
		var head [4]byte
		if _, err := io.ReadFull(w.conn, head[:]); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(head[:]))
		if _, err := io.ReadFull(w.conn, body); err != nil {
			return
		}
		var m struct {
			Selector string         `plist:"__selector"`
			Argument map[string]any `plist:"__argument"`
		}
		if _, err := plist.Unmarshal(body, &m); err == nil {
			w.take(m.Selector, m.Argument)
		}
	}
}

func (w *webkitProxy) take(selector string, argument map[string]any) {
	app, _ := argument["WIRApplicationIdentifierKey"].(string)
	switch selector {
	case "_rpc_reportConnectedApplicationList:":
		list, _ := argument["WIRApplicationDictionaryKey"].(map[string]any)
		for id := range list {
			w.device.lab.work.Go(func() { w.send("_rpc_forwardGetListing:", map[string]any{"WIRApplicationIdentifierKey": id}) })
		}
	case "_rpc_applicationConnected:":
		w.device.lab.work.Go(func() { w.send("_rpc_forwardGetListing:", map[string]any{"WIRApplicationIdentifierKey": app}) })
	case "_rpc_applicationDisconnected:":
		w.list(app, nil)
	case "_rpc_applicationSentListing:":
		list, _ := argument["WIRListingKey"].(map[string]any)
		w.list(app, list)
	case "_rpc_applicationSentData:":
		data, _ := argument["WIRMessageDataKey"].([]byte)
		w.mu.Lock()
		var to *websocket.Conn
		for _, page := range w.pages {
			if page.sender != "" && page.sender == argument["WIRDestinationKey"] {
				to = page.to
			}
		}
		w.mu.Unlock()
		if to != nil {
			_ = to.Write(w.device.lab.ctx, websocket.MessageText, data)
		}
	}
}

// list notes the pages of an app, of every kind.
func (w *webkitProxy) list(app string, told map[string]any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for key, page := range w.pages {
		if _, there := told[strconv.FormatUint(page.id, 10)]; page.app == app && !there {
			delete(w.pages, key)
			if page.to != nil {
				page.to.CloseNow() //nolint:errcheck // the page is gone
			}
		}
	}
	for id, about := range told {
		about, _ := about.(map[string]any)
		if w.pages[app+id] == nil {
			w.last++
			w.pages[app+id] = &proxiedPage{number: w.last, app: app}
		}
		page := w.pages[app+id]
		page.id, _ = about["WIRPageIdentifierKey"].(uint64)
		page.url, _ = about["WIRURLKey"].(string)
	}
}

// answer serves the list and the WebSockets.
func (w *webkitProxy) answer(out http.ResponseWriter, in *http.Request) {
	if in.URL.Path == "/json" {
		w.mu.Lock()
		list := []map[string]any{}
		for _, page := range w.pages {
			list = append(list, map[string]any{"devtoolsFrontendUrl": "", "faviconUrl": "", "thumbnailUrl": "/thumb/" + page.url,
				"title": "a page", "url": page.url,
				"webSocketDebuggerUrl": fmt.Sprintf("ws://%s/devtools/page/%d", in.Host, page.number), "appId": page.app})
		}
		w.mu.Unlock()
		slices.SortFunc(list, func(a, b map[string]any) int {
			return strings.Compare(fmt.Sprint(a["webSocketDebuggerUrl"]), fmt.Sprint(b["webSocketDebuggerUrl"]))
		})
		data, _ := json.Marshal(list)
		_, _ = out.Write(data)
		return
	}
	number, _ := strconv.Atoi(strings.TrimPrefix(in.URL.Path, "/devtools/page/"))
	w.mu.Lock()
	var page *proxiedPage
	for _, p := range w.pages {
		if p.number == number {
			page = p
		}
	}
	w.mu.Unlock()
	if page == nil {
		http.NotFound(out, in)
		return
	}
	w.inspect(out, in, page)
}

// inspect passes what a client says on to a page. A page that another client has is taken from that one.
func (w *webkitProxy) inspect(out http.ResponseWriter, in *http.Request, page *proxiedPage) {
	conn, err := websocket.Accept(out, in, nil)
	if err != nil {
		return
	}
	conn.SetReadLimit(64 << 20)
	defer conn.CloseNow() //nolint:errcheck // it has ended
	to := func() map[string]any {
		return map[string]any{"WIRApplicationIdentifierKey": page.app, "WIRPageIdentifierKey": page.id,
			"WIRSenderKey": page.sender}
	}
	w.mu.Lock()
	before := page.to
	w.last++
	page.to, page.sender = conn, fmt.Sprintf("%08d-36EF-4752-89F7-7A13ED5782C5", w.last)
	w.mu.Unlock()
	if before != nil {
		before.CloseNow() //nolint:errcheck // it is taken away
	}
	w.send("_rpc_forwardSocketSetup:", to())
	for {
		_, data, err := conn.Read(w.device.lab.ctx)
		if err != nil {
			break
		}
		message := to()
		message["WIRSocketDataKey"] = data
		w.send("_rpc_forwardSocketData:", message)
	}
	w.send("_rpc_forwardDidClose:", to())
	w.mu.Lock()
	defer w.mu.Unlock()
	if page.to == conn {
		page.to = nil
	}
}
