package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
)

var (
	// ErrDead means that the other end was silent for three beats: its process stopped or died, or the way to it is cut.
	ErrDead = errors.New("wire: the other end does not answer any more")
	// ErrDisconnected means that this process lost its connection with NATS.
	ErrDisconnected = errors.New("wire: the connection with NATS is lost")
	// ErrPeerClosed is what writing to a connection gives whose other end is closed.
	ErrPeerClosed = errors.New("wire: the other end has closed the connection")
)

// Addr is an end of a connection: the host, and the connection's name.
type Addr struct{ Host, Conn string }

// Network is "nats".
func (Addr) Network() string { return "nats" }

func (a Addr) String() string { return a.Host + "/" + a.Conn }

// Conn is a connection over NATS. It can be closed for writing alone (CloseWrite), as one of TCP can. Safe for
// concurrent use.
type Conn struct {
	nc    *nats.Conn
	addr  Addr
	send  string // subject
	sub   *nats.Subscription
	ended func() // of the listener; may be nil
	pace  time.Duration

	reading, writing sync.Mutex // one Read and one Write at a time
	readBy, writeBy  *deadline
	news, room       chan struct{} // a token: something to read came, or credit
	over             chan struct{} // closed when the connection is of no use any more

	out struct { // numbers of frames must be published in their order
		sync.Mutex
		number uint32
		last   time.Time
		shut   bool
	}
	mu       sync.Mutex // for all below
	in       [][]byte   // what came and was not read
	expected uint32     // number of the next frame
	heard    time.Time
	held     int   // of the window, by what lies in in
	unacked  int   // of the window, by what was read and is not yet given back
	credit   int   // what the other end has room for
	eof      bool  // nothing comes any more
	gone     bool  // the other end is closed
	finished bool  // CloseWrite was called
	err      error // why it is over
	closed   bool
}

var _ net.Conn = (*Conn)(nil)

func newConn(nc *nats.Conn, addr Addr, pace time.Duration) *Conn {
	c := &Conn{nc: nc, addr: addr, pace: pace, readBy: newDeadline(), writeBy: newDeadline(), news: make(chan struct{}, 1),
		room: make(chan struct{}, 1), over: make(chan struct{}), heard: time.Now()}
	c.out.last = c.heard
	return c
}

// start begins to hear what comes; keep follows when the other end is there.
func (c *Conn) start(hear, send string) error {
	c.send = send
	var err error
	if c.sub, err = c.nc.Subscribe(hear, func(m *nats.Msg) { c.take(m.Data) }); err == nil {
		err = c.sub.SetPendingLimits(-1, 4*maxWindow) // it never comes near: the windows are smaller
	}
	return err
}

// keep ends the connection when the other end is silent or NATS is lost. The credit is what the other end has room for.
func (c *Conn) keep(room int) {
	c.mu.Lock()
	c.credit += room
	c.mu.Unlock()
	signal(c.room)
	state := c.nc.StatusChanged(nats.DISCONNECTED, nats.RECONNECTING, nats.CLOSED)
	if !c.nc.IsConnected() {
		c.fail(ErrDisconnected, false)
	}
	go func() {
		defer c.nc.RemoveStatusListener(state)
		tick := time.NewTicker(c.pace / 2)
		defer tick.Stop()
		for {
			select {
			case <-c.over:
				return
			case <-state:
				c.fail(ErrDisconnected, false)
			case <-tick.C:
				c.mu.Lock()
				silent := !c.gone && time.Since(c.heard) > 3*c.pace
				c.mu.Unlock()
				if silent {
					c.fail(ErrDead, true)
				}
				c.alive()
			}
		}
	}()
}

// alive tells the other end that this one is there, if it has not heard of it for half a beat.
func (c *Conn) alive() {
	c.out.Lock()
	idle := time.Since(c.out.last) >= c.pace/2
	c.out.Unlock()
	if idle {
		_ = c.publish(beat, nil) // a NATS that is gone shows by its state
	}
}

// publish sends a frame. After ended and failed, none is sent.
func (c *Conn) publish(k kind, payload []byte) error {
	c.out.Lock()
	defer c.out.Unlock()
	if c.out.shut {
		return net.ErrClosed
	}
	c.out.shut = k == ended || k == failed
	if err := c.nc.Publish(c.send, frame(k, c.out.number, payload)); err != nil {
		return fmt.Errorf("wire: %w", err)
	}
	c.out.number++
	c.out.last = time.Now()
	return nil
}

// take gets a frame of the other end. NATS calls it for one after the other.
func (c *Conn) take(message []byte) {
	k, number, payload, err := parse(message)
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err != nil || c.closed {
		return
	}
	if err == nil && number != c.expected {
		err = errGap
	}
	if err == nil && c.gone {
		err = errFrame
	}
	if err == nil {
		c.expected, c.heard = number+1, time.Now()
		err = c.apply(k, payload)
	}
	if err != nil {
		go c.fail(err, true) // NATS must not wait for what it is to send
	}
}

func (c *Conn) apply(k kind, payload []byte) error {
	switch k {
	case data:
		c.held += cost(len(payload))
		if c.eof || c.held+c.unacked > window {
			return errFrame
		}
		c.in = append(c.in, payload)
		signal(c.news)
	case credit:
		n := binary.BigEndian.Uint32(payload)
		if n > maxWindow || c.credit+int(n) > maxWindow {
			return errFrame
		}
		c.credit += int(n)
		signal(c.room)
	case finish:
		c.eof = true
		signal(c.news)
	case ended:
		c.eof, c.gone = true, true
		signal(c.news)
		signal(c.room)
	case failed:
		return fmt.Errorf("wire: the other end gave up: %q", payload)
	}
	return nil
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Read waits for bytes, the end (io.EOF), the deadline or a failure. What came before a failure is read first.
func (c *Conn) Read(p []byte) (int, error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	for {
		past := c.readBy.wait()
		if isClosed(past) {
			return 0, os.ErrDeadlineExceeded
		}
		n, back, err := c.next(p)
		if back > 0 {
			// the other end, if it is there, is dead without it soon enough
			_ = c.publish(credit, binary.BigEndian.AppendUint32(nil, uint32(back)))
		}
		if n > 0 || err != nil || len(p) == 0 {
			return n, err
		}
		select {
		case <-c.news:
		case <-c.over:
		case <-past:
		}
	}
}

// next copies what is there. back is what the other end may send once more.
func (c *Conn) next(p []byte) (n, back int, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return 0, 0, net.ErrClosed
	}
	for n < len(p) && len(c.in) > 0 {
		part := copy(p[n:], c.in[0])
		n += part
		c.held -= part
		c.unacked += part
		if c.in[0] = c.in[0][part:]; len(c.in[0]) == 0 {
			c.in = c.in[1:]
			c.held -= overhead
			c.unacked += overhead
		}
	}
	switch {
	case n > 0:
		if c.unacked >= window/4 && !c.eof {
			back, c.unacked = c.unacked, 0
		}
	case len(p) == 0:
	case c.err != nil:
		err = c.err
	case c.eof:
		err = io.EOF
	}
	return n, back, err
}

// Write waits until the other end has room for all of p, the deadline, or a failure.
func (c *Conn) Write(p []byte) (int, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	done := 0
	for {
		past := c.writeBy.wait()
		if isClosed(past) {
			return done, os.ErrDeadlineExceeded
		}
		n, err := c.reserve(len(p) - done)
		if err == nil && n > 0 {
			if err = c.publish(data, p[done:done+n]); err != nil {
				c.fail(err, false)
			} else {
				done += n
			}
		}
		if err != nil || done == len(p) {
			return done, err
		}
		if n > 0 {
			continue
		}
		select {
		case <-c.room:
		case <-c.over:
		case <-past:
		}
	}
}

// reserve takes room for a chunk of at most want bytes; 0: there is none now.
func (c *Conn) reserve(want int) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.closed || c.finished:
		return 0, net.ErrClosed
	case c.err != nil:
		return 0, c.err
	case c.gone:
		return 0, ErrPeerClosed
	}
	n := min(want, maxChunk, c.credit-overhead)
	if n <= 0 {
		return 0, nil
	}
	c.credit -= cost(n)
	return n, nil
}

// CloseWrite tells the other end that nothing comes any more; reading goes on.
func (c *Conn) CloseWrite() error {
	c.writing.Lock()
	defer c.writing.Unlock()
	c.mu.Lock()
	done, err := c.finished, c.err
	if c.closed {
		err = net.ErrClosed
	}
	c.finished = true
	c.mu.Unlock()
	if done || err != nil {
		return err
	}
	return c.publish(finish, nil)
}

// Close ends both directions. The other end still reads what was written before.
func (c *Conn) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return net.ErrClosed
	}
	c.closed = true
	c.in = nil
	c.mu.Unlock()
	_ = c.publish(ended, nil) // who does not hear it learns of it by silence
	c.end()
	return nil
}

// fail ends the connection for a reason; the other end is told if it may be there.
func (c *Conn) fail(err error, tell bool) {
	c.mu.Lock()
	first := c.err == nil && !c.closed
	if first {
		c.err = err
	}
	c.mu.Unlock()
	if !first {
		return
	}
	if tell {
		_ = c.publish(failed, []byte(err.Error()))
	}
	c.end()
}

// end gives back what the connection holds of the process.
func (c *Conn) end() {
	c.mu.Lock()
	first := !isClosed(c.over)
	if first {
		close(c.over)
	}
	c.mu.Unlock()
	if !first {
		return
	}
	_ = c.sub.Unsubscribe() // of a connection with NATS that is gone: there is nothing to take back
	if c.ended != nil {
		c.ended()
	}
}

// LocalAddr is the same as RemoteAddr.
func (c *Conn) LocalAddr() net.Addr { return c.addr }

// RemoteAddr names the host's end.
func (c *Conn) RemoteAddr() net.Addr { return c.addr }

// SetDeadline bounds Read and Write.
func (c *Conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetReadDeadline bounds Read, also one that waits.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.setDeadline(c.readBy, t) }

// SetWriteDeadline bounds Write, also one that waits.
func (c *Conn) SetWriteDeadline(t time.Time) error { return c.setDeadline(c.writeBy, t) }

func (c *Conn) setDeadline(d *deadline, t time.Time) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return net.ErrClosed
	}
	d.set(t)
	return nil
}
