package kernel

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
)

// State is what adb says of a device.
type State string

// The states that a phone can be in.
const (
	StateDevice       State = "device"
	StateOffline      State = "offline"
	StateUnauthorized State = "unauthorized"
	StateRecovery     State = "recovery"
	StateAbsent       State = "absent" // not plugged in: not listed, no connection accepted
)

// Cable is the link between a phone and adb, with the connections over it.
type Cable struct {
	mu       sync.Mutex
	state    State
	conns    map[*connection]bool
	watchers map[chan struct{}]bool
}

// NewCable returns a link in a state, without connections.
func NewCable(s State) *Cable {
	return &Cable{state: s, conns: map[*connection]bool{}, watchers: map[chan struct{}]bool{}}
}

// State is the state of the link to adb.
func (c *Cable) State() State {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

// SetState changes what adb sees. Every open connection drops, since a phone cannot change its state on a live one.
func (c *Cable) SetState(s State) {
	c.mu.Lock()
	c.state = s
	for one := range c.conns {
		one.Drop()
	}
	for w := range c.watchers {
		select {
		case w <- struct{}{}:
		default: // one notice is pending already
		}
	}
	c.mu.Unlock()
}

// Disconnect pulls the cable until Reconnect.
func (c *Cable) Disconnect() { c.SetState(StateAbsent) }

// Reconnect plugs the cable in again.
func (c *Cable) Reconnect() { c.SetState(StateDevice) }

// Watch returns a channel that gets a notice when the state has changed.
func (c *Cable) Watch() (changed chan struct{}, stop func()) {
	w := make(chan struct{}, 1)
	c.mu.Lock()
	c.watchers[w] = true
	c.mu.Unlock()
	return w, func() {
		c.mu.Lock()
		delete(c.watchers, w)
		c.mu.Unlock()
	}
}

// connection is a transport that can be dropped as a whole.
type connection struct {
	Conn net.Conn
}

func (c *connection) Drop() { c.Conn.Close() }

// Attach registers a transport, and returns the state in which the phone is.
func (c *Cable) Attach(conn net.Conn) (*connection, State, func()) {
	one := &connection{Conn: conn}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.conns[one] = true
	return one, c.state, func() {
		c.mu.Lock()
		delete(c.conns, one)
		c.mu.Unlock()
	}
}

// DropAll cuts every transport at once, as a broken cable does, and leaves the state alone.
func (c *Cable) DropAll() {
	c.mu.Lock()
	defer c.mu.Unlock()
	for one := range c.conns {
		one.Drop()
	}
}

// Stream is an opened service: reads come from the host, writes go to it.
type Stream interface {
	io.Reader
	io.Writer
}

// ServiceFunc serves what a host has opened; the stream ends when it returns.
type ServiceFunc func(ctx context.Context, s Stream)

// ErrHostGone is the error of writes to a host that has hung up.
var ErrHostGone = errors.New("the host closed the stream")
