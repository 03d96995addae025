package hub

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/farm/wire"
)

// link is the way to a host: connections that are kept for the next request, and all ended when the host is known to be
// gone.
type link struct {
	http *http.Transport
	dial func(context.Context) (*wire.Conn, error)

	mu    sync.Mutex
	conns map[*linked]struct{}
}

type linked struct {
	*wire.Conn
	of *link
}

func (c *linked) Close() error {
	c.of.mu.Lock()
	delete(c.of.conns, c)
	c.of.mu.Unlock()
	return c.Conn.Close()
}

func (h *Hub) newLink(host string) *link {
	l := &link{conns: map[*linked]struct{}{}, dial: func(ctx context.Context) (*wire.Conn, error) {
		if h.offline(host) {
			return nil, wire.ErrNoHost
		}
		return wire.Config{Wait: dialLimit}.Dial(ctx, h.o.Broker.Conn(), host)
	}}
	l.http = &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return l.connect(ctx)
	}, MaxIdleConnsPerHost: 64, IdleConnTimeout: 90 * time.Second,
		DisableCompression: true}
	return l
}

func (l *link) connect(ctx context.Context) (net.Conn, error) {
	conn, err := l.dial(ctx)
	if err != nil {
		return nil, err
	}
	c := &linked{conn, l}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns[c] = struct{}{}
	return c, nil
}

// cut ends all connections; the next request makes new ones.
func (l *link) cut() {
	l.http.CloseIdleConnections()
	l.mu.Lock()
	all := l.conns
	l.conns = map[*linked]struct{}{}
	l.mu.Unlock()
	for c := range all {
		_ = c.Close() // it may be over already
	}
}

// dialLimit is how long a host may take to take a connection: after that it is offline, or about to be.
const dialLimit = wire.HostGone

// offline tells whether a host is known not to answer.
func (h *Hub) offline(host string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.hosts[host]
	return one == nil || one.revoked || one.state() == Offline
}

// Transport sends requests to a host; nil: there is none of that name.
func (h *Hub) Transport(host string) http.RoundTripper {
	h.mu.Lock()
	defer h.mu.Unlock()
	if one := h.hosts[host]; one != nil && !one.revoked {
		return one.link.http
	}
	return nil
}
