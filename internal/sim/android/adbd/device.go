package adbd

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
)

// serialRequest handles host requests about one phone; the empty serial means the only one.
func (s *Server) serialRequest(conn net.Conn, serial, what string) {
	if state, ok := strings.CutPrefix(what, "wait-for-"); ok {
		s.waitFor(conn, serial, state)
		return
	}
	if what == "killforward-all" || what == "list-forward" || strings.HasPrefix(what, "killforward:") {
		s.forwarding(conn, what)
		return
	}
	if what == "get-state" && serial != "" {
		if p := s.find(serial); p != nil && p.Cable.State() == kernel.StateOffline {
			okay(conn, hex4("offline"))
			return
		}
	}
	p, problem := s.acquire(serial)
	if p == nil {
		fail(conn, problem)
		return
	}
	s.hostRequest(conn, p, what)
}

// hostRequest handles a host request about a chosen phone.
func (s *Server) hostRequest(conn net.Conn, p *Daemon, what string) {
	switch {
	case what == "get-state":
		okay(conn, hex4(string(p.Cable.State())))
	case what == "get-serialno":
		okay(conn, hex4(p.Serial()))
	case what == "get-devpath":
		okay(conn, hex4("usb:1-1"))
	case what == "features":
		okay(conn, hex4(strings.Join(p.Sys.Prof.Features, ",")))
	case what == "reconnect":
		okay(conn, hex4("reconnecting "+p.Serial()+" [device]\n"))
		p.Cable.DropAll()
	case strings.HasPrefix(what, "forward:"):
		s.forward(conn, p, strings.TrimPrefix(what, "forward:"))
	default:
		fail(conn, "unknown host service")
	}
}

// waitFor handles wait-for-<transport>-<state>: OKAY at once, and OKAY again when it came true.
func (s *Server) waitFor(conn net.Conn, serial, spec string) {
	_, state, ok := strings.Cut(spec, "-")
	if !ok || state == "" {
		fail(conn, "malformed wait-for: "+spec)
		return
	}
	okay(conn, "")
	s.changes(conn, func() bool {
		found := false
		all := s.plugged()
		for _, p := range all {
			if serial == "" || p.Serial() == serial {
				found = true
				if state == "any" || state == string(p.Cable.State()) {
					okay(conn, "")
					return true
				}
			}
		}
		if state == "disconnect" && !found {
			okay(conn, "")
			return true
		}
		return false
	})
}

// forward listens on the host and opens the remote service for each connection.
func (s *Server) forward(conn net.Conn, p *Daemon, spec string) {
	spec, norebind := strings.CutPrefix(spec, "norebind:")
	local, remote, ok := strings.Cut(spec, ";")
	if !ok || !strings.HasPrefix(local, "tcp:") {
		fail(conn, "bad forward: "+spec)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if old := s.forwards[local]; old != nil && local != "tcp:0" {
		if norebind {
			fail(conn, "cannot rebind existing socket")
			return
		}
		old.listener.Close()
	}
	l, err := Listen(s.ctx, "127.0.0.1:"+strings.TrimPrefix(local, "tcp:"))
	if err != nil {
		fail(conn, fmt.Sprintf("cannot bind listener: %v", err))
		return
	}
	port := fmt.Sprint(l.Addr().(*net.TCPAddr).Port)
	answer := ""
	if local == "tcp:0" {
		local, answer = "tcp:"+port, hex4(port)
	}
	s.forwards[local] = &forward{serial: p.Serial(), local: local, remote: remote, listener: l}
	s.work.Go(func() { s.serveForward(l, p, remote) })
	okay(conn, "OKAY"+answer)
}

func (s *Server) serveForward(l net.Listener, p *Daemon, remote string) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		s.work.Go(func() {
			defer c.Close()
			defer context.AfterFunc(s.ctx, func() { c.Close() })()
			if run, ok := p.service(remote); ok && p.Cable.State() == kernel.StateDevice {
				s.serve(c, p, run)
			}
		})
	}
}

func (s *Server) forwarding(conn net.Conn, what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case what == "list-forward":
		var b strings.Builder
		for _, f := range s.forwards {
			fmt.Fprintf(&b, "%s %s %s\n", f.serial, f.local, f.remote)
		}
		okay(conn, hex4(b.String()))
	case what == "killforward-all":
		for _, f := range s.forwards {
			f.listener.Close()
		}
		clear(s.forwards)
		okay(conn, "OKAY")
	default:
		local := strings.TrimPrefix(what, "killforward:")
		f := s.forwards[local]
		if f == nil {
			fail(conn, "listener '"+local+"' not found")
			return
		}
		f.listener.Close()
		delete(s.forwards, local)
		okay(conn, "OKAY")
	}
}

func (s *Server) deviceServiceAny(conn net.Conn, name string) {
	p, problem := s.acquire("")
	if p == nil {
		fail(conn, problem)
		return
	}
	s.deviceService(conn, p, name)
}

// deviceService opens a service on the phone and joins it to the client's connection.
func (s *Server) deviceService(conn net.Conn, p *Daemon, name string) {
	if p.Cable.State() != kernel.StateDevice && p.Cable.State() != kernel.StateRecovery {
		fail(conn, "closed")
		return
	}
	run, ok := p.service(name)
	if !ok {
		fail(conn, "closed")
		return
	}
	okay(conn, "")
	s.serve(conn, p, run)
}

// serve runs a service over a connection; the client hanging up kills the device process.
func (s *Server) serve(conn net.Conn, p *Daemon, run kernel.ServiceFunc) {
	c, _, detach := p.Cable.Attach(conn)
	defer detach()
	ctx, cancel := context.WithCancelCause(s.ctx)
	defer cancel(nil)
	stop := context.AfterFunc(p.Sys.Ctx, func() { c.Drop() })
	defer stop()
	box := newMailbox()
	done := make(chan struct{})
	go func() {
		defer close(done)
		_, _ = io.Copy(box, conn)
		box.Close()
		cancel(kernel.Killed(kernel.SigHUP))
	}()
	run(ctx, &joined{Reader: box, conn: conn})
	box.Close()
	s.finish(conn, done)
	conn.Close()
	<-done
}

// lastRead is how long a client may take to hang up after a service has ended.
const lastRead = time.Second

// finish ends a connection so that all that was sent arrives. A connection that is closed while something of the client
// is unread is reset, and what was not yet on its way is lost.
func (s *Server) finish(conn net.Conn, done <-chan struct{}) {
	half, ok := conn.(interface{ CloseWrite() error })
	if !ok || half.CloseWrite() != nil || conn.SetReadDeadline(time.Now().Add(lastRead)) != nil {
		return
	}
	select {
	case <-done:
	case <-s.ctx.Done():
	}
}

// mailbox holds what the client sent and the service has not read, so that a hang-up is seen even when nothing reads.
type mailbox struct {
	mu     sync.Mutex
	cond   *sync.Cond
	buf    []byte
	closed bool
}

func newMailbox() *mailbox {
	m := &mailbox{}
	m.cond = sync.NewCond(&m.mu)
	return m
}

func (m *mailbox) Write(b []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.buf) > 4<<20 && !m.closed {
		m.cond.Wait()
	}
	if m.closed {
		return len(b), nil // nothing reads it any more
	}
	m.buf = append(m.buf, b...)
	m.cond.Broadcast()
	return len(b), nil
}

func (m *mailbox) Read(b []byte) (int, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for len(m.buf) == 0 {
		if m.closed {
			return 0, io.EOF
		}
		m.cond.Wait()
	}
	n := copy(b, m.buf)
	m.buf = m.buf[n:]
	m.cond.Broadcast()
	return n, nil
}

func (m *mailbox) Close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.closed = true
	m.cond.Broadcast()
}

type joined struct {
	io.Reader
	conn net.Conn
}

func (j *joined) Write(b []byte) (int, error) { return j.conn.Write(b) }
