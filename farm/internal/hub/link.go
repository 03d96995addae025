package hub

import (
	"context"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/farm/internal/wire"
)

// link keeps connections to a host for the next request. All of them are closed when the host is known to be gone.
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

// cut closes all connections; the next request makes new ones.
func (l *link) cut() {
	l.http.CloseIdleConnections()
	l.mu.Lock()
	all := l.conns
	l.conns = map[*linked]struct{}{}
	l.mu.Unlock()
	for c := range all {
		_ = c.Close() // may be closed already
	}
}

// dialLimit is how long a host may take to accept a connection. After that it is offline, or about to be.
const dialLimit = wire.HostGone

// offline reports whether a host is known to be unreachable.
func (h *Hub) offline(host string) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	one := h.hosts[host]
	return one == nil || one.revoked || one.state() == Offline
}

// Transport returns a transport for requests to a host, or nil if no host has that name.
func (h *Hub) Transport(host string) http.RoundTripper {
	h.mu.Lock()
	defer h.mu.Unlock()
	if one := h.hosts[host]; one != nil && !one.revoked {
		return one.link.http
	}
	return nil
}
