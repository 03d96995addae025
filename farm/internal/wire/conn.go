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
	// ErrDead means that the other end was silent for three beats: its process stopped, or the network is interrupted.
	ErrDead = errors.New("wire: the other end does not respond any more")
	// ErrDisconnected means that this process lost its connection to NATS.
	ErrDisconnected = errors.New("wire: the connection to NATS is lost")
	// ErrPeerClosed is returned by Write when the other end is closed.
	ErrPeerClosed = errors.New("wire: the other end has closed the connection")
)

// Addr is one end of a connection: the host, and the connection's name.
type Addr struct{ Host, Conn string }

// Network returns "nats".
func (Addr) Network() string { return "nats" }

func (a Addr) String() string { return a.Host + "/" + a.Conn }

// Conn is a byte stream over NATS. Like a TCP connection it can be closed for writing alone (CloseWrite). Safe for
// concurrent use.
//
// NATS delivers messages at most once and in order for each publisher. It drops messages, without an error, when a
// subscriber is slow or a connection breaks. TCP's guarantees are restored in three ways:
//
//   - Order and loss. Each frame has a number, and the publish mutex (out) assigns it in the order of publishing. The
//     receiver expects the numbers without a gap. A gap means that bytes are missing, and the connection fails. Nothing
//     is sent again: HTTP clients above handle a failed connection, and retransmission would need an acknowledgement of
//     each frame.
//   - Flow control. Each end announces a window when the connection opens. A writer subtracts the cost of a frame from
//     its credit and waits when none is left. The reader returns credit only for bytes that Read has handed out, in
//     steps of a quarter of the window, to send fewer frames. A writer cannot get stuck: when everything was read, at
//     least three quarters of the window are available. So the memory for a connection is bounded, and NATS never sees
//     a slow subscriber that it would disconnect. Each frame costs a constant in addition to its bytes; otherwise many
//     tiny frames would exceed the bound.
//   - Liveness. NATS does not report that a subscriber has disappeared. Each end sends a beat when it has sent nothing
//     else for half of the interval, and fails with ErrDead after three intervals of silence. A lost connection to NATS
//     fails at once, because frames that were published in the meantime are gone.
//
// The callback take runs on the goroutine of the subscription and must not block on NATS. Therefore it only queues
// data, wakes Read or Write through a channel of capacity one, and starts fail in a new goroutine.
type Conn struct {
	nc    *nats.Conn
	addr  Addr
	send  string // the subject for frames to the other end
	sub   *nats.Subscription
	ended func() // of the listener; may be nil
	pace  time.Duration

	reading, writing   sync.Mutex // one Read and one Write at a time
	readBy, writeBy    *deadline
	hasData, hasCredit chan struct{} // of capacity one: wakes Read for data, wakes Write for credit
	over               chan struct{} // closed when the connection has ended

	out struct { // frames must be published in the order of their numbers
		sync.Mutex
		number uint32
		last   time.Time
		shut   bool
	}
	mu        sync.Mutex // protects all fields below
	in        [][]byte   // received, not yet read
	expected  uint32     // number of the next frame
	lastFrame time.Time
	held      int   // the part of the window that in takes
	unacked   int   // the part of the window that was read, for which no credit was sent yet
	credit    int   // how much this end may still send
	eof       bool  // the other end sends no more data
	gone      bool  // the other end is closed
	finished  bool  // CloseWrite was called
	err       error // why the connection has failed
	closed    bool
}

var _ net.Conn = (*Conn)(nil)

func newConn(nc *nats.Conn, addr Addr, pace time.Duration) *Conn {
	c := &Conn{nc: nc, addr: addr, pace: pace, readBy: newDeadline(), writeBy: newDeadline(),
		hasData:   make(chan struct{}, 1),
		hasCredit: make(chan struct{}, 1), over: make(chan struct{}), lastFrame: time.Now()}
	c.out.last = c.lastFrame
	return c
}

// start subscribes to the frames of the other end. keep must be called when the other end is known to exist.
func (c *Conn) start(receive, send string) error {
	c.send = send
	var err error
	if c.sub, err = c.nc.Subscribe(receive, func(m *nats.Msg) { c.take(m.Data) }); err == nil {
		err = c.sub.SetPendingLimits(-1, 4*maxWindow) // never reached: the windows are smaller
	}
	return err
}

// keep adds the first credit, and fails the connection when the other end is silent or NATS is lost.
func (c *Conn) keep(room int) {
	c.mu.Lock()
	c.credit += room
	c.mu.Unlock()
	signal(c.hasCredit)
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
				silent := !c.gone && time.Since(c.lastFrame) > 3*c.pace
				c.mu.Unlock()
				if silent {
					c.fail(ErrDead, true)
				}
				c.alive()
			}
		}
	}()
}

// alive sends a beat if nothing else was sent for half a beat.
func (c *Conn) alive() {
	c.out.Lock()
	idle := time.Since(c.out.last) >= c.pace/2
	c.out.Unlock()
	if idle {
		_ = c.publish(beat, nil) // a lost NATS is reported by its status
	}
}

// publish sends a frame. After a frame ended or failed it sends none.
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

// take processes a frame of the other end. NATS calls it for one frame after the other.
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
		c.expected, c.lastFrame = number+1, time.Now()
		err = c.apply(k, payload)
	}
	if err != nil {
		go c.fail(err, true) // publishes, which must not happen in a callback of NATS
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
		signal(c.hasData)
	case credit:
		n := binary.BigEndian.Uint32(payload)
		if n > maxWindow || c.credit+int(n) > maxWindow {
			return errFrame
		}
		c.credit += int(n)
		signal(c.hasCredit)
	case finish:
		c.eof = true
		signal(c.hasData)
	case ended:
		c.eof, c.gone = true, true
		signal(c.hasData)
		signal(c.hasCredit)
	case failed:
		return fmt.Errorf("wire: the other end has failed: %q", payload)
	}
	return nil
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Read waits for bytes, the end (io.EOF), the deadline or a failure. Bytes that arrived before a failure are read
// first.
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
			// an error needs no handling here: without credit the connection soon fails anyway
			_ = c.publish(credit, binary.BigEndian.AppendUint32(nil, uint32(back)))
		}
		if n > 0 || err != nil || len(p) == 0 {
			return n, err
		}
		select {
		case <-c.hasData:
		case <-c.over:
		case <-past:
		}
	}
}

// next copies the bytes that have arrived. back is the credit to send to the other end.
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

// Write waits until the other end has space for all of p, the deadline, or a failure.
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
		case <-c.hasCredit:
		case <-c.over:
		case <-past:
		}
	}
}

// reserve takes credit for a chunk of at most want bytes. It returns 0 when there is none.
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

// CloseWrite sends the end of the stream to the other end; reading continues.
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
	_ = c.publish(ended, nil) // if it gets lost, the other end notices the silence
	c.end()
	return nil
}

// fail ends the connection with an error. With notify it also sends the error to the other end.
func (c *Conn) fail(err error, notify bool) {
	c.mu.Lock()
	first := c.err == nil && !c.closed
	if first {
		c.err = err
	}
	c.mu.Unlock()
	if !first {
		return
	}
	if notify {
		_ = c.publish(failed, []byte(err.Error()))
	}
	c.end()
}

// end releases the resources of the connection.
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
	_ = c.sub.Unsubscribe() // fails only without NATS, and then there is no subscription
	if c.ended != nil {
		c.ended()
	}
}

// LocalAddr returns the same as RemoteAddr.
func (c *Conn) LocalAddr() net.Addr { return c.addr }

// RemoteAddr returns the address of the host's end.
func (c *Conn) RemoteAddr() net.Addr { return c.addr }

// SetDeadline sets the deadline of Read and Write.
func (c *Conn) SetDeadline(t time.Time) error {
	return errors.Join(c.SetReadDeadline(t), c.SetWriteDeadline(t))
}

// SetReadDeadline sets the deadline of Read, including a call that is waiting.
func (c *Conn) SetReadDeadline(t time.Time) error { return c.setDeadline(c.readBy, t) }

// SetWriteDeadline sets the deadline of Write, including a call that is waiting.
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
