package adbd

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
)

// The messages between an adb server and adbd.
const (
	cmdCNXN = 0x4e584e43
	cmdOPEN = 0x4e45504f
	cmdOKAY = 0x59414b4f
	cmdCLSE = 0x45534c43
	cmdWRTE = 0x45545257
	cmdAUTH = 0x48545541

	adbVersion = 0x01000001
	maxPayload = 256 << 10
	authToken  = 1
)

type message struct {
	cmd, arg0, arg1 uint32
	data            []byte
}

// Listen lets adb servers connect to an address, until the context ends or the phone is closed.
func (d *Daemon) Listen(ctx context.Context, addr string) (string, error) {
	l, err := Listen(ctx, addr)
	if err != nil {
		return "", fmt.Errorf("listen for adb on %s: %w", addr, err)
	}
	stop := context.AfterFunc(ctx, func() { l.Close() })
	stopPhone := context.AfterFunc(d.Sys.Ctx, func() { l.Close() })
	d.Sys.Work.Run(func() {
		defer stop()
		defer stopPhone()
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			if !d.Sys.Work.Enter() {
				conn.Close()
				return
			}
			go func() {
				defer d.Sys.Work.Done()
				d.Serve(ctx, conn)
			}()
		}
	})
	return l.Addr().String(), nil
}

// Listen avoids the ports in which every adb server looks for emulators.
func Listen(ctx context.Context, addr string) (net.Listener, error) {
	for {
		l, err := (&net.ListenConfig{}).Listen(ctx, "tcp", addr)
		if err != nil {
			return nil, err
		}
		port := l.Addr().(*net.TCPAddr).Port
		if !strings.HasSuffix(addr, ":0") || port < 5555 || port > 5586 {
			return l, nil
		}
		l.Close()
	}
}

// transport is one connection from an adb server.
type transport struct {
	phone *Daemon
	conn  net.Conn
	ctx   context.Context

	write sync.Mutex

	mu      sync.Mutex
	next    uint32
	streams map[uint32]*stream
	work    sync.WaitGroup
}

// Serve speaks with an adb server until the connection ends.
func (d *Daemon) Serve(ctx context.Context, conn net.Conn) {
	defer conn.Close()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(kernel.Killed(kernel.SigHUP))
	defer context.AfterFunc(d.Sys.Ctx, func() { conn.Close() })()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	c, state, detach := d.Cable.Attach(conn)
	defer detach()
	if state == kernel.StateAbsent {
		return
	}
	t := &transport{phone: d, conn: c.Conn, ctx: ctx, streams: map[uint32]*stream{}}
	for {
		m, err := readMessage(conn)
		if err != nil || state != kernel.StateOffline && !t.handle(m, state) {
			break
		}
	}
	cancel(kernel.Killed(kernel.SigHUP))
	t.closeAll()
	t.work.Wait()
}

func readMessage(r io.Reader) (message, error) {
	var head [24]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return message{}, err
	}
	le := binary.LittleEndian
	m := message{cmd: le.Uint32(head[0:]), arg0: le.Uint32(head[4:]), arg1: le.Uint32(head[8:])}
	n := le.Uint32(head[12:])
	if le.Uint32(head[20:]) != m.cmd^0xffffffff || n > 1<<20 {
		return message{}, errors.New("malformed adb message")
	}
	m.data = make([]byte, n)
	_, err := io.ReadFull(r, m.data)
	return m, err
}

func (t *transport) send(cmd, arg0, arg1 uint32, data []byte) error {
	le := binary.LittleEndian
	sum := uint32(0)
	for _, b := range data {
		sum += uint32(b)
	}
	buf := make([]byte, 0, 24+len(data))
	for _, v := range []uint32{cmd, arg0, arg1, uint32(len(data)), sum, cmd ^ 0xffffffff} {
		buf = le.AppendUint32(buf, v)
	}
	t.write.Lock()
	defer t.write.Unlock()
	_, err := t.conn.Write(append(buf, data...))
	return err
}

// banner is what the phone reports of itself when a host connects.
func (d *Daemon) banner(state kernel.State) string {
	return fmt.Sprintf("%s::ro.product.name=%s;ro.product.model=%s;ro.product.device=%s;features=%s",
		state, d.Sys.Prof.Product, d.Sys.Prof.Model, d.Sys.Prof.Product, strings.Join(d.Sys.Prof.Features, ","))
}

func (t *transport) handle(m message, state kernel.State) bool {
	switch {
	case state == kernel.StateUnauthorized && (m.cmd == cmdCNXN || m.cmd == cmdAUTH && m.arg0 != 3):
		// Signatures are answered with another token; after the public key (3) the phone waits for its user for ever.
		return t.send(cmdAUTH, authToken, 0, bytes.Repeat([]byte{0x5a}, 20)) == nil
	case state == kernel.StateUnauthorized:
		return true
	case m.cmd == cmdCNXN:
		return t.send(cmdCNXN, adbVersion, maxPayload, []byte(t.phone.banner(state))) == nil
	case m.cmd == cmdOPEN:
		t.work.Go(func() { t.open(m) }) // a service may wait for the phone, which waits for acknowledgements
	case m.cmd == cmdAUTH:
	default:
		t.mu.Lock()
		s := t.streams[m.arg1]
		t.mu.Unlock()
		if s != nil {
			s.handle(m)
		}
	}
	return true
}

// open starts a service, and returns when it ends.
func (t *transport) open(m message) {
	name := strings.TrimRight(string(m.data), "\x00")
	run, ok := t.phone.service(name)
	if !ok {
		_ = t.send(cmdCLSE, 0, m.arg0, nil)
		return
	}
	s := &stream{t: t, remote: m.arg0, acked: make(chan struct{}, 1)}
	s.cond = sync.NewCond(&s.mu)
	s.ctx, s.cancel = context.WithCancelCause(t.ctx)
	t.mu.Lock()
	t.next++
	s.local = t.next
	t.streams[s.local] = s
	t.mu.Unlock()
	if t.ctx.Err() != nil { // closeAll may have been here already
		s.hangUp()
	}
	if t.send(cmdOKAY, s.local, s.remote, nil) != nil {
		return
	}
	run(s.ctx, s)
	s.finish()
}

func (t *transport) closeAll() {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, s := range t.streams {
		s.hangUp()
	}
}

// stream is one service over a transport: at most one unacknowledged write each way.
type stream struct {
	t             *transport
	local, remote uint32
	ctx           context.Context
	cancel        context.CancelCauseFunc
	acked         chan struct{}

	mu     sync.Mutex
	cond   *sync.Cond
	buf    []byte
	unread bool // a write was received and is not acknowledged yet
	closed bool
}

func (s *stream) handle(m message) {
	switch m.cmd {
	case cmdOKAY:
		select {
		case s.acked <- struct{}{}:
		default: // an acknowledgement that was not requested
		}
	case cmdWRTE:
		s.mu.Lock()
		if len(s.buf) > 4*maxPayload { // a host that does not wait for its acknowledgements
			s.mu.Unlock()
			s.hangUp()
			return
		}
		s.buf = append(s.buf, m.data...)
		s.unread = true
		s.cond.Broadcast()
		s.mu.Unlock()
	case cmdCLSE:
		s.hangUp()
	}
}

// hangUp is the host going away: the process behind the stream gets SIGHUP.
func (s *stream) hangUp() {
	s.mu.Lock()
	s.closed = true
	s.cond.Broadcast()
	s.mu.Unlock()
	s.cancel(kernel.Killed(kernel.SigHUP))
}

func (s *stream) Read(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.buf) == 0 {
		if s.closed {
			return 0, io.EOF
		}
		s.cond.Wait()
	}
	n := copy(b, s.buf)
	s.buf = s.buf[n:]
	if len(s.buf) == 0 && s.unread {
		s.unread = false
		if err := s.t.send(cmdOKAY, s.local, s.remote, nil); err != nil {
			return n, err
		}
	}
	return n, nil
}

func (s *stream) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		if s.ctx.Err() != nil {
			return 0, kernel.ErrHostGone
		}
		n := min(len(rest), maxPayload)
		if err := s.t.send(cmdWRTE, s.local, s.remote, rest[:n]); err != nil {
			return 0, err
		}
		select {
		case <-s.acked:
		case <-s.ctx.Done():
			return 0, kernel.ErrHostGone
		}
		rest = rest[n:]
	}
	return len(b), nil
}

// finish closes the stream from the phone's side.
func (s *stream) finish() {
	s.t.mu.Lock()
	delete(s.t.streams, s.local)
	s.t.mu.Unlock()
	s.mu.Lock()
	closed := s.closed
	s.closed = true
	s.cond.Broadcast()
	s.mu.Unlock()
	if !closed {
		_ = s.t.send(cmdCLSE, s.local, s.remote, nil)
	}
	s.cancel(nil)
}
