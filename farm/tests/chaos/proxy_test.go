package chaos

import (
	"io"
	"net"
	"sync"
	"testing"
	"time"
)

// The directions of a proxy.
const (
	forth = iota // from the client
	back
)

// proxy is a connection between processes that can be interrupted. Then no data arrives, and neither end notices, as
// when packets are lost. The data arrives when the connection works again. With several targets it is a load balancer
// that skips those that refuse.
type proxy struct {
	l       net.Listener
	targets []target
	all     sync.WaitGroup

	mu      sync.Mutex
	turn    int
	cut     [2]bool
	changed chan struct{} // closed when cut changes
	over    bool
	conns   map[net.Conn]bool
}

type target struct{ network, address string }

func newProxy(t testing.TB, listen string, targets ...target) *proxy {
	t.Helper()
	l, err := net.Listen("tcp", listen)
	must(t, err)
	p := &proxy{l: l, targets: targets, changed: make(chan struct{}), conns: map[net.Conn]bool{}}
	p.all.Go(func() {
		for {
			conn, err := l.Accept()
			if err != nil {
				return
			}
			p.all.Go(func() { p.serve(conn) })
		}
	})
	return p
}

func (p *proxy) address() string { return p.l.Addr().String() }

// set interrupts directions, or restores them.
func (p *proxy) set(cut bool, directions ...int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, d := range directions {
		p.cut[d] = cut
	}
	close(p.changed)
	p.changed = make(chan struct{})
}

// open waits until directions are not interrupted. It returns false when the proxy was closed.
func (p *proxy) open(directions ...int) bool {
	for {
		p.mu.Lock()
		whole, over, changed := true, p.over, p.changed
		for _, d := range directions {
			whole = whole && !p.cut[d]
		}
		p.mu.Unlock()
		if whole || over {
			return !over
		}
		<-changed
	}
}

func (p *proxy) dial() (net.Conn, error) {
	p.mu.Lock()
	p.turn++
	first := p.turn
	p.mu.Unlock()
	var err error
	for i := range p.targets {
		to := p.targets[(first+i)%len(p.targets)]
		var conn net.Conn
		if conn, err = net.DialTimeout(to.network, to.address, time.Second); err == nil {
			return conn, nil
		}
	}
	return nil, err
}

func (p *proxy) serve(in net.Conn) {
	defer in.Close()
	if !p.keep(in) || !p.open(forth, back) { // the client receives nothing until the connection works again
		return
	}
	defer p.drop(in)
	out, err := p.dial()
	if err != nil {
		return
	}
	defer out.Close()
	if !p.keep(out) {
		return
	}
	defer p.drop(out)
	var both sync.WaitGroup
	both.Go(func() { p.copy(out, in, forth) })
	both.Go(func() { p.copy(in, out, back) })
	both.Wait()
}

func (p *proxy) keep(c net.Conn) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.conns[c] = true
	return !p.over
}

func (p *proxy) drop(c net.Conn) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.conns, c)
}

// copy copies data in one direction. It forwards the end of the connection when the direction is open.
func (p *proxy) copy(to, from net.Conn, way int) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		if !p.open(way) {
			return
		}
		if n > 0 {
			if _, bad := to.Write(buffer[:n]); bad != nil {
				err = bad
			}
		}
		if err == io.EOF {
			if half, ok := to.(interface{ CloseWrite() error }); ok {
				_ = half.CloseWrite()
				return
			}
		}
		if err != nil {
			_, _ = to.Close(), from.Close()
			return
		}
	}
}

func (p *proxy) close() {
	_ = p.l.Close()
	p.mu.Lock()
	p.over = true
	for c := range p.conns {
		_ = c.Close()
	}
	p.mu.Unlock()
	p.set(false, forth, back)
	p.all.Wait()
}
