// Package inspector has the WebViews of a simulated iPhone, and the Web Inspector that lists and opens their pages.
package inspector

import (
	"encoding/json"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/taproot-dev/taproot/internal/devtools"
	"github.com/taproot-dev/taproot/internal/sim/ios/device"
)

// partOf is how long a message may be that is sent in one part, where they are sent in parts.
const partOf = 7596

// Daemon is webinspectord of a simulator, with the part of WebKit that it speaks for:
// Source/JavaScriptCore/inspector/remote/cocoa, and the domain Target of its protocol. What the daemon does not
// understand it drops with the connection, which tests find in the notes.
type Daemon struct {
	device *device.Device

	mu       sync.Mutex
	listener net.Listener
	dir      string
	conns    map[*inspectorConn]struct{}
	pages    map[*webPage]struct{} // those that have reported themselves
	watched  map[string]*inspected // by Chromium's session
	asked    int                   // messages that were for pages

	webs map[string]*webApp // by bundle; the device's lock guards it
}

// New returns a daemon without connections.
func New(d *device.Device) *Daemon {
	return &Daemon{device: d, conns: map[*inspectorConn]struct{}{}, pages: map[*webPage]struct{}{},
		watched: map[string]*inspected{}, webs: map[string]*webApp{}}
}

// Inspected counts the messages that came to Web Inspector for pages.
func (i *Daemon) Inspected() int {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.asked
}

// Socket returns the path at which the daemon listens, and lets it.
func (i *Daemon) Socket() (string, error) {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.listener == nil {
		dir, err := os.MkdirTemp("", "rwi-") // paths of sockets are short
		if err != nil {
			return "", err
		}
		l, err := net.Listen("unix", filepath.Join(dir, "com.apple.webinspectord_sim.socket"))
		if err != nil {
			os.RemoveAll(dir)
			return "", err
		}
		i.listener, i.dir = l, dir
		i.device.Host.Work.Go(func() { i.serve(l) })
	}
	return i.listener.Addr().String(), nil
}

func (i *Daemon) serve(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		i.accept(conn)
	}
}

// accept speaks with a client.
func (i *Daemon) accept(conn net.Conn) {
	c := &inspectorConn{daemon: i, conn: conn}
	i.mu.Lock()
	i.conns[c] = struct{}{}
	i.mu.Unlock()
	i.device.Host.Work.Go(c.read)
}

// CloseAll ends the daemon, and the connections with it.
func (i *Daemon) CloseAll() {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.listener != nil {
		i.listener.Close()
		os.RemoveAll(i.dir)
	}
	for c := range i.conns {
		c.conn.Close()
	}
}

// DropInspectors ends the connections with Web Inspector, as a daemon that is started again does.
func (i *Daemon) DropInspectors() {
	i.mu.Lock()
	defer i.mu.Unlock()
	for c := range i.conns {
		c.conn.Close()
	}
}

// started: an app reports itself, and of its pages.
func (i *Daemon) started(w *webPage) {
	i.mu.Lock()
	i.pages[w] = struct{}{}
	conns := i.all()
	i.mu.Unlock()
	for _, c := range conns {
		if !w.app.how().Shut {
			c.send("_rpc_applicationConnected:", c.daemon.about(w))
		}
	}
}

func (i *Daemon) ended(w *webPage) {
	i.mu.Lock()
	_, told := i.pages[w]
	delete(i.pages, w)
	conns := i.all()
	i.mu.Unlock()
	for _, c := range conns {
		if told {
			c.send("_rpc_applicationDisconnected:", i.about(w))
		}
	}
}

// all are the connections; the lock is held.
func (i *Daemon) all() (list []*inspectorConn) {
	for c := range i.conns {
		list = append(list, c)
	}
	return list
}

func (w *webPage) id() string { return fmt.Sprintf("PID:%d", w.pid) }

func (i *Daemon) about(w *webPage) map[string]any {
	return map[string]any{"WIRApplicationIdentifierKey": w.id(), "WIRApplicationBundleIdentifierKey": w.app.bundle,
		"WIRApplicationNameKey":    w.app.name,
		"WIRIsApplicationProxyKey": false, "WIRIsApplicationActiveKey": 1, "WIRIsApplicationReadyKey": true,
		"WIRAutomationAvailabilityKey": "WIRAutomationAvailabilityUnknown"}
}

// page finds one by its number: those of an app count from 1.
func (i *Daemon) page(app string) *webPage {
	i.mu.Lock()
	defer i.mu.Unlock()
	for w := range i.pages {
		if w.id() == app && !w.app.how().Shut {
			return w
		}
	}
	return nil
}

// asleep is the number of a page that never responds, worker of a service worker.
const (
	asleep = 8
	worker = 9
)

// listing is what an app reports of its pages.
func (i *Daemon) listing(w *webPage) map[string]any {
	config, list := w.app.how(), map[string]any{}
	one := func(id int, kind, url string) {
		entry := map[string]any{"WIRPageIdentifierKey": id, "WIRTypeKey": kind, "WIRURLKey": url, "WIRTitleKey": "a page"}
		i.mu.Lock()
		for _, p := range i.watched {
			if p.tab.page == w && p.id == id {
				entry["WIRConnectionIdentifierKey"] = p.conn.name()
			}
		}
		i.mu.Unlock()
		if config.Taken && id == 1 {
			entry["WIRConnectionIdentifierKey"] = "0B5DB1E5-0000-4000-8000-000000000000"
		}
		list[strconv.Itoa(id)] = entry
	}
	for n, tab := range w.tabs {
		tab.mu.Lock()
		url := tab.url
		tab.mu.Unlock()
		one(n+1, "WIRTypeWebPage", url)
	}
	if config.Behind {
		one(asleep, "WIRTypeWebPage", config.URL)
		one(worker, "WIRTypeServiceWorker", config.URL)
	}
	return list
}

// apps are those that have reported themselves, with one that has no pages.
func (i *Daemon) apps() map[string]any {
	list := map[string]any{"PID:99": map[string]any{"WIRApplicationIdentifierKey": "PID:99",
		"WIRApplicationBundleIdentifierKey": "com.apple.Preferences",
		"WIRApplicationNameKey":             "Settings", "WIRIsApplicationProxyKey": false, "WIRIsApplicationActiveKey": 0}}
	i.mu.Lock()
	defer i.mu.Unlock()
	for w := range i.pages {
		if !w.app.how().Shut {
			list[w.id()] = i.about(w)
		}
	}
	return list
}

// inspected is a page that a connection has open.
type inspected struct {
	conn    *inspectorConn
	tab     *webTab
	id      int    // of the page
	sender  string // to which its responses go
	session string // Chromium's
	framed  bool   // Page is enabled, without which no contexts are reported
	enabled bool   // contexts are reported
	queue   chan []byte
}

// setup opens a page, unless another client has it open.
func (i *Daemon) setup(c *inspectorConn, w *webPage, number int, sender string) error {
	tab := w.tabs[number-1]
	i.mu.Lock()
	taken := w.app.how().Taken
	for _, p := range i.watched {
		taken = taken || p.tab == tab
	}
	i.mu.Unlock()
	if taken {
		return nil
	}
	session, err := tab.attach(w.ctx)
	if err != nil {
		return nil // the app has ended
	}
	p := &inspected{conn: c, tab: tab, id: number, sender: sender, session: session, queue: make(chan []byte, 256)}
	i.mu.Lock()
	i.watched[session] = p
	i.mu.Unlock()
	i.device.Host.Work.Go(p.serve)
	p.tell("Target.targetCreated", map[string]any{"targetInfo": map[string]any{"targetId": tab.name(0), "type": "page"}})
	return nil
}

// leave closes what is open.
func (i *Daemon) leave(which func(*inspected) bool) {
	i.mu.Lock()
	var list []*inspected
	for session, p := range i.watched {
		if which(p) {
			list = append(list, p)
			delete(i.watched, session)
			close(p.queue)
		}
	}
	i.mu.Unlock()
	for _, p := range list {
		p.tab.detach(p.session)
	}
}

// open are those who have a page open.
func (i *Daemon) open(t *webTab) (list []*inspected) {
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, p := range i.watched {
		if p.tab == t {
			list = append(list, p)
		}
	}
	return list
}

// provisional: a page starts to go to another site.
func (i *Daemon) provisional(t *webTab) {
	for _, p := range i.open(t) {
		p.tell("Target.targetCreated", map[string]any{"targetInfo": map[string]any{"targetId": t.name(1), "type": "page",
			"isProvisional": true}})
	}
}

// committed: it is there.
func (i *Daemon) committed(t *webTab) {
	for _, p := range i.open(t) {
		i.mu.Lock()
		p.enabled, p.framed = false, false
		i.mu.Unlock()
		p.tell("Target.didCommitProvisionalTarget", map[string]any{"oldTargetId": t.name(-1), "newTargetId": t.name(0)})
		p.tell("Target.targetDestroyed", map[string]any{"targetId": t.name(-1)})
	}
}

// name is that of WebKit's target of a page now, or so many later.
func (t *webTab) name(later int) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return fmt.Sprintf("page-%d", t.swaps+later+1)
}

// forwardContexts passes on the events of the contexts that a page makes.
func (i *Daemon) forwardContexts(e devtools.Event) {
	if e.Method != "Runtime.executionContextCreated" {
		return
	}
	i.mu.Lock()
	p := i.watched[e.Session]
	enabled := p != nil && p.enabled
	i.mu.Unlock()
	var made struct {
		Context struct {
			ID  int
			Aux struct {
				Own   bool   `json:"isDefault"`
				Frame string `json:"frameId"`
			} `json:"auxData"`
		}
	}
	if !enabled || json.Unmarshal(e.Params, &made) != nil {
		return
	}
	kind := map[bool]string{true: "normal", false: "user"}[made.Context.Aux.Own]
	p.fromTarget(map[string]any{"method": "Runtime.executionContextCreated", "params": map[string]any{
		"context": map[string]any{"id": made.Context.ID, "type": kind, "name": "", "frameId": made.Context.Aux.Frame}}})
}

func (p *inspected) tell(method string, params map[string]any) {
	p.send(map[string]any{"method": method, "params": params})
}

func (p *inspected) send(message any) {
	data, _ := json.Marshal(message)
	p.conn.send("_rpc_applicationSentData:", map[string]any{"WIRApplicationIdentifierKey": p.tab.page.id(),
		"WIRDestinationKey": p.sender, "WIRMessageDataKey": data,
		"WIRMessageDataTypeKey": "WIRMessageDataTypeFull"})
}

func (p *inspected) fromTarget(message any) {
	data, _ := json.Marshal(message)
	p.tell("Target.dispatchMessageFromTarget", map[string]any{"targetId": p.tab.name(0), "message": string(data)})
}
