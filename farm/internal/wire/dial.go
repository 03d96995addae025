package wire

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

// ErrNoHost means that no host with that name is listening.
var ErrNoHost = errors.New("wire: the host is not connected")

// Config sets the timing of connections. The zero value is what Dial and Listen use.
type Config struct {
	Beat    time.Duration // interval of beats, of which three may be missing; default: 3 s
	Backlog int           // maximum of connections that wait for Accept; default: 128
	Wait    time.Duration // maximum time until the host accepts a connection; default: 10 s
	To      string        // which listener of the host; default: that of its server
}

func (c Config) filled() Config {
	if c.Beat == 0 {
		c.Beat = 3 * time.Second
	}
	if c.Backlog == 0 {
		c.Backlog = 128
	}
	if c.Wait == 0 {
		c.Wait = 10 * time.Second
	}
	if c.To == "" {
		c.To = "dial"
	}
	return c
}

// opening requests a connection from a host. opened is the response.
type opening struct {
	Version int           `json:"version"`
	Conn    string        `json:"conn"`
	Window  int           `json:"window"`
	Beat    time.Duration `json:"beat"` // both ends use that of the requester
}

type opened struct {
	Window int `json:"window"`
}

// Dial connects to a host that listens.
func Dial(ctx context.Context, nc *nats.Conn, host string) (*Conn, error) {
	return Config{}.Dial(ctx, nc, host)
}

// Listen accepts connections of hubs for a host.
func Listen(nc *nats.Conn, host string) (*Listener, error) { return Config{}.Listen(nc, host) }

// Dial connects to a host that listens.
func (c Config) Dial(ctx context.Context, nc *nats.Conn, host string) (*Conn, error) {
	c = c.filled()
	if !IsName(host) {
		return nil, fmt.Errorf("%w: %q is not a host id", ErrNoHost, host)
	}
	request := opening{Version: Version, Conn: rand.Text(), Window: window, Beat: c.Beat}
	conn := newConn(nc, Addr{host, request.Conn}, c.Beat)
	if err := conn.start(ToHost(host, "up", request.Conn), ToHost(host, "down", request.Conn)); err != nil {
		return nil, fmt.Errorf("wire: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, c.Wait)
	defer cancel()
	var response opened
	err := Ask(ctx, nc, ToHost(host, c.To), request, &response)
	if err == nil && (response.Window < maxChunk+overhead || response.Window > maxWindow) {
		err = errFrame
	}
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	conn.keep(response.Window)
	return conn, nil
}

// Listener accepts connections for a host. It continues after an interruption of NATS.
type Listener struct {
	nc   *nats.Conn
	host string
	o    Config
	sub  *nats.Subscription

	waiting chan *Conn
	over    chan struct{}
	mu      sync.Mutex
	conns   map[string]*Conn // the open ones, by name
}

var _ net.Listener = (*Listener)(nil)

// Listen accepts connections of hubs for a host.
func (c Config) Listen(nc *nats.Conn, host string) (*Listener, error) {
	if !IsName(host) {
		return nil, fmt.Errorf("wire: %q is not a host id", host)
	}
	c = c.filled()
	l := &Listener{nc: nc, host: host, o: c, waiting: make(chan *Conn, c.Backlog), over: make(chan struct{}),
		conns: map[string]*Conn{}}
	var err error
	if l.sub, err = nc.Subscribe(ToHost(host, c.To), l.take); err != nil {
		return nil, fmt.Errorf("wire: %w", err)
	}
	settle(nc)
	return l, nil
}

// take responds to a request for a connection. NATS calls it for one request after the other.
func (l *Listener) take(m *nats.Msg) {
	var request opening
	err := json.Unmarshal(m.Data, &request)
	var conn *Conn
	if err == nil {
		conn, err = l.open(request)
	}
	err = respond(m, opened{window}, err)
	if conn == nil {
		return
	}
	if err != nil {
		_ = conn.Close() // the requester received no response
		return
	}
	conn.keep(request.Window)
	l.waiting <- conn // does not block: open has checked the capacity
	if isClosed(l.over) {
		l.drop()
	}
}

func (l *Listener) open(request opening) (*Conn, error) {
	if request.Version != Version {
		return nil, &VersionError{request.Version, Version}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	_, taken := l.conns[request.Conn]
	switch {
	case !IsName(request.Conn) || taken || request.Window < maxChunk+overhead || request.Window > maxWindow ||
		request.Beat < 10*time.Millisecond || request.Beat > time.Minute:
		return nil, errors.New("the request is not valid")
	case isClosed(l.over):
		return nil, errors.New("the host is shutting down")
	case len(l.waiting) == cap(l.waiting):
		return nil, errors.New("too many connections are waiting")
	}
	conn := newConn(l.nc, Addr{l.host, request.Conn}, request.Beat)
	conn.ended = func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.conns, request.Conn)
	}
	if err := conn.start(ToHost(l.host, "down", request.Conn), ToHost(l.host, "up", request.Conn)); err != nil {
		return nil, err
	}
	l.conns[request.Conn] = conn
	return conn, nil
}

// Accept waits for a connection, or for Close.
func (l *Listener) Accept() (net.Conn, error) {
	if isClosed(l.over) {
		return nil, net.ErrClosed
	}
	select {
	case c := <-l.waiting:
		return c, nil
	case <-l.over:
		return nil, net.ErrClosed
	}
}

// Close stops listening. Accepted connections stay open.
func (l *Listener) Close() error {
	l.mu.Lock()
	if isClosed(l.over) {
		l.mu.Unlock()
		return net.ErrClosed
	}
	close(l.over)
	l.mu.Unlock()
	_ = l.sub.Unsubscribe() // fails only without NATS, and then there is no subscription
	l.drop()
	return nil
}

// drop closes the connections that wait for Accept.
func (l *Listener) drop() {
	for {
		select {
		case c := <-l.waiting:
			_ = c.Close()
		default:
			return
		}
	}
}

// Addr returns the address of the host.
func (l *Listener) Addr() net.Addr { return Addr{Host: l.host} }
