package wire

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"golang.org/x/net/nettest"

	"github.com/taproot-dev/taproot/internal/testutil"
)

func TestMain(m *testing.M) { testutil.NoLeaks(m) }

// lab is a NATS server with a hub's and a host's connection.
type lab struct {
	t         *testing.T
	server    *server.Server
	hub, host *nats.Conn
	listener  *Listener
}

func newLab(t *testing.T, c Config) *lab {
	t.Helper()
	return startLab(t, c, server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT})
}

// byFakeClock runs a test in a synctest bubble. The NATS library keeps its timers in a sync.Pool, and a timer of this
// fake clock must not reach another test: two garbage collections empty the pool.
func byFakeClock(t *testing.T, test func(t *testing.T)) {
	t.Helper()
	empty := func() { runtime.GC(); runtime.GC() }
	empty()
	defer empty()
	synctest.Test(t, test)
}

// pipedLab returns a lab without a network: a goroutine that waits for the network would stop the fake clock.
func pipedLab(t *testing.T, c Config) *lab {
	t.Helper()
	return startLab(t, c, server.Options{DontListen: true})
}

func startLab(t *testing.T, c Config, o server.Options) *lab {
	t.Helper()
	o.NoLog, o.NoSigs, o.MaxPayload = true, true, MaxMessage
	s, err := server.NewServer(&o)
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	if !s.ReadyForConnections(time.Minute) {
		t.Fatal("the server does not start")
	}
	l := &lab{t: t, server: s}
	l.hub = l.connect(nats.InProcessServer(s))
	if o.DontListen {
		l.host = l.connect(nats.InProcessServer(s))
	} else {
		l.host = l.connect()
	}
	if l.listener, err = c.Listen(l.host, "a"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = l.listener.Close()
		l.hub.Close()
		l.host.Close()
		s.Shutdown()
		s.WaitForShutdown()
	})
	return l
}

func (l *lab) connect(o ...nats.Option) *nats.Conn {
	l.t.Helper()
	nc, err := nats.Connect(l.server.ClientURL(), append(o, nats.ReconnectWait(10*time.Millisecond),
		nats.MaxReconnects(-1))...)
	if err != nil {
		l.t.Fatal(err)
	}
	return nc
}

// pair returns the two ends of a connection.
func (l *lab) pair(c Config) (hub, host *Conn) {
	l.t.Helper()
	hub, err := c.Dial(l.t.Context(), l.hub, "a")
	if err != nil {
		l.t.Fatal(err)
	}
	got, err := l.listener.Accept()
	if err != nil {
		l.t.Fatal(err)
	}
	host = got.(*Conn)
	l.t.Cleanup(func() { _, _ = hub.Close(), host.Close() })
	return hub, host
}

// TestIsANetConn runs the tests of Go's nettest package for any net.Conn.
func TestIsANetConn(t *testing.T) {
	l := newLab(t, Config{})
	nettest.TestConn(t, func() (c1, c2 net.Conn, stop func(), err error) {
		a, b := l.pair(Config{})
		return a, b, func() { _, _ = a.Close(), b.Close() }, nil
	})
}

// TestStreams sends megabytes both ways at once, in writes and reads of random sizes, and compares each byte.
func TestStreams(t *testing.T) {
	l := newLab(t, Config{})
	a, b := l.pair(Config{})
	size := 16 << 20
	if testing.Short() {
		size = 4 << 20
	}
	text := make([]byte, size)
	for i := range text {
		text[i] = byte(rand.Uint32())
	}
	errs := make(chan error, 4)
	send := func(c *Conn, seed uint64) {
		r := rand.New(rand.NewPCG(seed, 1))
		for rest := text; len(rest) > 0; {
			n := min(len(rest), 1+r.IntN(200_000))
			if r.IntN(2) == 0 {
				n = min(n, 1+r.IntN(100))
			}
			if _, err := c.Write(rest[:n]); err != nil {
				errs <- err
				return
			}
			rest = rest[n:]
		}
		errs <- c.CloseWrite()
	}
	receive := func(c *Conn) {
		got, err := io.ReadAll(c)
		if err == nil && !bytes.Equal(got, text) {
			err = errors.New("the bytes received differ from those sent")
		}
		errs <- err
	}
	go send(a, 1)
	go send(b, 2)
	go receive(a)
	go receive(b)
	for range 4 {
		if err := <-errs; err != nil {
			t.Error(err)
		}
	}
}

// TestSlowReaderHoldsTheWriterBack checks that unread data takes no more memory than the window.
func TestSlowReaderHoldsTheWriterBack(t *testing.T) {
	l := newLab(t, Config{})
	for _, chunk := range []int{1, 100_000} {
		a, b := l.pair(Config{})
		_ = a.SetWriteDeadline(time.Now().Add(300 * time.Millisecond))
		sent := 0
		for {
			n, err := a.Write(make([]byte, chunk))
			sent += n
			if errors.Is(err, os.ErrDeadlineExceeded) {
				break
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		if sent > window {
			t.Errorf("in writes of %d bytes, %d bytes were accepted without a reader", chunk, sent)
		}
		_ = a.Close()
		if got, err := io.ReadAll(b); err != nil || len(got) != sent {
			t.Errorf("%d bytes of %d were read after the end: %v", len(got), sent, err)
		}
	}
}

// TestBacklog checks that connections above the limit are refused, and that Close drops those that wait.
func TestBacklog(t *testing.T) {
	l := newLab(t, Config{Backlog: 2})
	var waiting []*Conn
	for range 2 {
		c, err := Dial(t.Context(), l.hub, "a")
		if err != nil {
			t.Fatal(err)
		}
		defer c.Close()
		waiting = append(waiting, c)
	}
	var refused *RefusedError
	if _, err := Dial(t.Context(), l.hub, "a"); !errors.As(err, &refused) {
		t.Errorf("a third one: %v", err)
	}
	_ = l.listener.Close()
	for _, c := range waiting {
		if got, err := io.ReadAll(c); len(got) > 0 || err != nil {
			t.Errorf("%q, %v", got, err)
		}
	}
	if _, err := l.listener.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Error(err)
	}
}

// TestServesHTTP sends HTTP requests over kept-alive connections, as a hub does.
func TestServesHTTP(t *testing.T) {
	l := newLab(t, Config{})
	s := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body) // an incomplete body shows in the response
		_, _ = w.Write(body)
	})}
	served := make(chan error, 1)
	go func() { served <- s.Serve(l.listener) }()
	dials := 0
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		dials++
		return Dial(ctx, l.hub, "a")
	}}
	for range 20 {
		body := bytes.Repeat([]byte("taproot "), 50_000)
		a, err := (&http.Client{Transport: transport}).Post("http://a/", "text/plain", bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		got, err := io.ReadAll(a.Body)
		_ = a.Body.Close()
		if err != nil || !bytes.Equal(got, body) {
			t.Fatalf("%d bytes of %d came back: %v", len(got), len(body), err)
		}
	}
	if dials != 1 {
		t.Errorf("%d connections were made for requests one after the other", dials)
	}
	transport.CloseIdleConnections()
	if err := s.Shutdown(t.Context()); err != nil {
		t.Error(err)
	}
	if err := <-served; !errors.Is(err, http.ErrServerClosed) {
		t.Error(err)
	}
}

// TestAskAndServe covers responses, errors, and a subject without a subscriber.
func TestAskAndServe(t *testing.T) {
	l := newLab(t, Config{})
	stop, err := Serve(l.hub, ToHub("*", "echo"), "hubs", func(subject string, body []byte) (any, error) {
		if string(body) == `"bad"` {
			return nil, errors.New("no")
		}
		return From(subject) + string(body), nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var got string
	if err := Ask(t.Context(), l.host, ToHub("a", "echo"), 5, &got); err != nil || got != "a5" {
		t.Errorf("%q, %v", got, err)
	}
	var refused *RefusedError
	if err := Ask(t.Context(), l.host, ToHub("a", "echo"), "bad", &got); !errors.As(err, &refused) ||
		refused.Message != "no" {
		t.Error(err)
	}
	stop()
	if err := Ask(t.Context(), l.host, ToHub("a", "echo"), 5, &got); !errors.Is(err, ErrNoHost) {
		t.Error(err)
	}
}

// TestServeEachStops checks that stop waits for running calls, and that a call that was waiting for a slot does not
// start.
func TestServeEachStops(t *testing.T) {
	byFakeClock(t, func(t *testing.T) {
		l := pipedLab(t, Config{})
		goOn := make(chan struct{})
		var started, ended atomic.Int32
		stop, err := ServeEach(l.hub, ToHub("*", "echo"), "hubs", 1, func(string, []byte) (any, error) {
			started.Add(1)
			<-goOn
			ended.Add(1)
			return nil, nil
		})
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := l.host.Publish(ToHub("a", "echo"), nil); err != nil {
				t.Fatal(err)
			}
		}
		stopped := make(chan struct{})
		synctest.Wait() // one call is running, the next waits for a slot
		go func() { defer close(stopped); stop() }()
		synctest.Wait() // until stop waits for the first call
		select {
		case <-stopped:
			t.Error("stop returned before a call had ended")
		default:
		}
		close(goOn)
		<-stopped
		synctest.Wait()
		if started.Load() != 1 || ended.Load() != 1 {
			t.Errorf("%d calls started, %d ended", started.Load(), ended.Load())
		}
	})
}

// TestVersions checks that the message names the older side as the one to update.
func TestVersions(t *testing.T) {
	if err := Fits(Version); err != nil {
		t.Error(err)
	}
	if err := Fits(Version - 1); err == nil || !strings.HasSuffix(err.Error(), "on the host") {
		t.Error(err)
	}
	if err := Fits(Version + 1); err == nil || !strings.HasSuffix(err.Error(), "on the hub") {
		t.Error(err)
	}
}
