package host

import (
	"net"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/farm/hub"
	"github.com/taproot-dev/taproot/server/service/store/storetest"
)

// cable is the way between a host and NATS, which can be cut: nothing arrives any more, and nobody is told.
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
	t.Cleanup(func() { _ = l.Close(); c.mend(); working.Wait() })
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

// mend ends the connections that lost something, as a router that begins anew does; the next ones work.
func (c *cable) mend() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.is = false
	for _, one := range c.conns {
		_ = one.Close() // it may be closed
	}
	c.conns = nil
}

// TestCutConnection: a host whose connection is cut without a word is offline soon, requests under way end, and it is
// back when the way is.
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
		t.Error("a request is answered through a way that is cut")
	}
	t.Logf("a request learned of the cut after %s", time.Since(began))
	await(t, "it is offline", func() bool { return l.uses("") == "A blocked" })
	way.mend()
	await(t, "it is back", func() bool { return l.uses("") == "A free" && get() == nil })
}
