package host

import (
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/farm/internal/hub"
	"github.com/taproot-dev/taproot/internal/store/storetest"
)

// cable is a proxy between a host and NATS. It can be cut: data is lost, and neither side gets an error.
type cable struct {
	net.Listener
	mu    sync.Mutex
	is    bool // cut
	conns []net.Conn
}

func newCable(t *testing.T, to string) *cable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	c := &cable{Listener: l}
	var working sync.WaitGroup
	working.Go(func() {
		for {
			near, err := l.Accept()
			if err != nil {
				return
			}
			far, err := net.Dial("tcp", to)
			if err != nil {
				_ = near.Close()
				continue
			}
			c.mu.Lock()
			c.conns = append(c.conns, near, far)
			c.mu.Unlock()
			working.Go(func() { c.carry(near, far) })
			working.Go(func() { c.carry(far, near) })
		}
	})
	t.Cleanup(func() { _ = l.Close(); c.restore(); working.Wait() })
	return c
}

// carry copies what arrives; while the cable is cut it is lost.
func (c *cable) carry(from, to net.Conn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		c.mu.Lock()
		lost := c.is
		c.mu.Unlock()
		if n > 0 && !lost {
			_, err = to.Write(buffer[:n])
		}
		if err != nil {
			_, _ = from.Close(), to.Close()
			return
		}
	}
}

func (c *cable) cut() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.is = true
}

// restore closes the connections that lost data, as a router that restarts does. New connections work.
func (c *cable) restore() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.is = false
	for _, one := range c.conns {
		_ = one.Close() // it may be closed already
	}
	c.conns = nil
}

// TestCutConnection checks that a host with a cut connection is soon offline, that pending requests end, and that it is
// back when the connection works again.
func TestCutConnection(t *testing.T) {
	t.Parallel()
	l := newLab(t, storetest.SQLite(t))
	way := newCable(t, l.listen)
	l.public = way.Addr().String()
	l.close()
	l.open()
	l.must(Options{Token: l.token(hub.HostPlacement{}), Name: "a"}, phone("A"))
	await(t, "it", func() bool { return l.uses("") == "A free" })
	client := &http.Client{Transport: l.hub.Transport("a")}
	get := func() error {
		a, err := client.Get("http://a/x")
		if err == nil {
			err = a.Body.Close()
		}
		return err
	}
	if err := get(); err != nil {
		t.Fatal(err)
	}
	way.cut()
	began := time.Now()
	if err := get(); err == nil {
		t.Error("a request succeeds over a cut connection")
	}
	t.Logf("a request failed %s after the cut", time.Since(began))
	await(t, "the host is offline", func() bool { return l.uses("") == "A blocked" })
	way.restore()
	await(t, "the host is back", func() bool { return l.uses("") == "A free" && get() == nil })
}
