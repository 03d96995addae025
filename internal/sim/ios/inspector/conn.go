package inspector

import (
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"sync"

	"howett.net/plist"
)

// inspectorConn is a connection with the daemon.
type inspectorConn struct {
	daemon *Daemon
	conn   net.Conn

	mu    sync.Mutex
	id    string // that it has given itself
	parts bool
}

func (c *inspectorConn) name() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.id
}

// send sends a message.
func (c *inspectorConn) send(selector string, argument map[string]any) {
	body, err := plist.Marshal(map[string]any{"__selector": selector, "__argument": argument}, plist.BinaryFormat)
	if err != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.parts || len(body) <= partOf {
		c.write(body)
		return
	}
	for len(body) > 0 {
		n, key := min(len(body), partOf), "WIRPartialMessageKey"
		if n == len(body) {
			key = "WIRFinalMessageKey"
		}
		part, _ := plist.Marshal(map[string]any{key: body[:n]}, plist.BinaryFormat)
		c.write(part)
		body = body[n:]
	}
}

func (c *inspectorConn) write(body []byte) {
	// one that is gone receives nothing
	_, _ = c.conn.Write(append(binary.BigEndian.AppendUint32(nil, uint32(len(body))), body...))
}

// read takes messages until the connection ends.
func (c *inspectorConn) read() {
	defer func() {
		c.conn.Close()
		c.daemon.mu.Lock()
		delete(c.daemon.conns, c)
		c.daemon.mu.Unlock()
		c.daemon.leave(func(p *inspected) bool { return p.conn == c })
	}()
	for {
		var head [4]byte
		if _, err := io.ReadFull(c.conn, head[:]); err != nil {
			return
		}
		body := make([]byte, binary.BigEndian.Uint32(head[:]))
		if _, err := io.ReadFull(c.conn, body); err != nil {
			return
		}
		var m struct {
			Selector string         `plist:"__selector"`
			Argument map[string]any `plist:"__argument"`
		}
		if _, err := plist.Unmarshal(body, &m); err != nil {
			c.refuse("a message of %d bytes: %v", len(body), err)
			return
		}
		if err := c.take(m.Selector, m.Argument); err != nil {
			c.refuse("%s: %v", m.Selector, err)
			return
		}
	}
}

// refuse notes what is not a message that Safari would send.
func (c *inspectorConn) refuse(format string, args ...any) {
	c.daemon.device.Note("webinspectord refused "+format, args...)
}

// take does what a message requests.
func (c *inspectorConn) take(selector string, argument map[string]any) error {
	id, _ := argument["WIRConnectionIdentifierKey"].(string)
	if selector == "_rpc_reportIdentifier:" {
		c.mu.Lock()
		c.id = id
		c.mu.Unlock()
	}
	if known := c.name(); id == "" || id != known {
		return fmt.Errorf("from %q, and this is the connection of %q", id, known)
	}
	app, _ := argument["WIRApplicationIdentifierKey"].(string)
	w := c.daemon.page(app)
	switch selector {
	case "_rpc_reportIdentifier:":
		c.send("_rpc_reportSetup:", map[string]any{"WIRSimulatorNameKey": c.daemon.device.Opts.Name,
			"WIRSimulatorProductVersionKey": c.daemon.device.Opts.Version, "WIRSimulatorBuildKey": "22B81"})
		c.send("_rpc_reportCurrentState:", map[string]any{"WIRAutomationAvailabilityKey": "WIRAutomationAvailabilityUnknown"})
		c.send("_rpc_reportConnectedDriverList:", map[string]any{"WIRDriverDictionaryKey": map[string]any{}})
	case "_rpc_getConnectedApplications:":
		c.send("_rpc_reportConnectedApplicationList:", map[string]any{"WIRApplicationDictionaryKey": c.daemon.apps()})
	case "_rpc_forwardGetListing:":
		if w != nil {
			c.mu.Lock()
			c.parts = w.app.how().Parts
			c.mu.Unlock()
			late := w.app.how().Late
			c.daemon.device.Host.Work.Go(func() {
				if c.daemon.device.Host.Rest(w.ctx, late) {
					c.send("_rpc_applicationSentListing:", map[string]any{"WIRApplicationIdentifierKey": app,
						"WIRListingKey": c.daemon.listing(w)})
				}
			})
		}
	case "_rpc_forwardSocketSetup:", "_rpc_forwardSocketData:", "_rpc_forwardDidClose:":
		return c.forward(w, selector, argument)
	default:
		return fmt.Errorf("unknown message")
	}
	return nil
}

// forward passes on what is addressed to a page. WebKit says nothing about what it does not take.
func (c *inspectorConn) forward(w *webPage, selector string, argument map[string]any) error {
	if selector != "_rpc_forwardDidClose:" {
		c.daemon.mu.Lock()
		c.daemon.asked++
		c.daemon.mu.Unlock()
	}
	number, numbered := argument["WIRPageIdentifierKey"].(uint64)
	sender, _ := argument["WIRSenderKey"].(string)
	if !numbered || sender == "" {
		return fmt.Errorf("no page, or no sender")
	}
	if w == nil || int(number) > len(w.tabs) {
		return nil // it is gone, or asleep
	}
	i := c.daemon
	switch selector {
	case "_rpc_forwardSocketSetup:":
		return i.setup(c, w, int(number), sender)
	case "_rpc_forwardDidClose:":
		i.leave(func(p *inspected) bool { return p.conn == c && p.tab == w.tabs[number-1] })
		return nil
	}
	data, ok := argument["WIRSocketDataKey"].([]byte)
	if !ok {
		return fmt.Errorf("no data")
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	for _, p := range i.watched {
		if p.conn == c && p.tab == w.tabs[number-1] {
			p.queue <- data
		}
	}
	return nil
}
