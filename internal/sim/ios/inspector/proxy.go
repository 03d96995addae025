package inspector

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

	"github.com/taproot-dev/taproot/internal/sim/ios/device"
	"github.com/taproot-dev/taproot/internal/sim/ios/host"
)

// webkitProxy is ios_webkit_debug_proxy 1.9: github.com/google/ios-webkit-debug-proxy, src/ios_webkit_debug_proxy.c. It
// is a client of the daemon of one device, numbers the pages of all apps as they are reported, and passes on what they
// say, to one WebSocket for each.
type webkitProxy struct {
	device *device.Device
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

// Proxy is the program, for one device, on a port of this machine.
func (i *Daemon) Proxy(p *host.Program, udid, port string) int {
	listener, err := net.Listen("tcp", "127.0.0.1:"+port)
	if err != nil {
		p.Warn("Unable to bind %s on port %s\n", udid, port)
		return 1
	}
	ours, theirs := net.Pipe()
	w := &webkitProxy{device: i.device, conn: ours, pages: map[string]*proxiedPage{}}
	i.accept(theirs)
	server := &http.Server{Handler: http.HandlerFunc(w.answer)}
	i.device.Host.Work.Go(func() { _ = server.Serve(listener) })
	i.device.Host.Work.Go(w.read)
	w.send("_rpc_reportIdentifier:", map[string]any{})
	w.send("_rpc_getConnectedApplications:", map[string]any{})
	p.Print("Connected :%s to %s (%s)\n", port, i.device.Opts.Name, udid)
	p.Wait()
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
			w.device.Host.Work.Go(
				func() { w.send("_rpc_forwardGetListing:", map[string]any{"WIRApplicationIdentifierKey": id}) },
			)
		}
	case "_rpc_applicationConnected:":
		w.device.Host.Work.Go(
			func() { w.send("_rpc_forwardGetListing:", map[string]any{"WIRApplicationIdentifierKey": app}) },
		)
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
			_ = to.Write(w.device.Host.Ctx, websocket.MessageText, data)
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
		_, data, err := conn.Read(w.device.Host.Ctx)
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
