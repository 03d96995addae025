package wire

import (
	"bytes"
	"context"
	"encoding/json"
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

	"github.com/taproot-dev/taproot/internal/leaktest"
)

func TestMain(m *testing.M) { leaktest.Main(m) }

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

// TestHalfClose checks that an end can read, and the other end write, after CloseWrite.
func TestHalfClose(t *testing.T) {
	l := newLab(t, Config{})
	a, b := l.pair(Config{})
	if _, err := a.Write([]byte("question")); err != nil {
		t.Fatal(err)
	}
	if err := a.CloseWrite(); err != nil {
		t.Fatal(err)
	}
	if _, err := a.Write([]byte("more")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("writing after CloseWrite: %v", err)
	}
	if got, err := io.ReadAll(b); string(got) != "question" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
	if _, err := b.Write([]byte("answer")); err != nil {
		t.Fatal(err)
	}
	_ = b.Close()
	if got, err := io.ReadAll(a); string(got) != "answer" || err != nil {
		t.Fatalf("%q, %v", got, err)
	}
}

// waitFor reads until the connection fails.
func waitFor(t *testing.T, c *Conn, want error) {
	t.Helper()
	_ = c.SetReadDeadline(time.Now().Add(30 * time.Second))
	if _, err := io.ReadAll(c); !errors.Is(err, want) {
		t.Errorf("%v, want %v", err, want)
	}
	if _, err := c.Write([]byte("x")); !errors.Is(err, want) {
		t.Errorf("writing afterwards: %v, want %v", err, want)
	}
}

// TestPeerIsClosed checks that writing to a closed end fails.
func TestPeerIsClosed(t *testing.T) {
	l := newLab(t, Config{})
	a, b := l.pair(Config{})
	_ = b.Close()
	if got, err := io.ReadAll(a); len(got) > 0 || err != nil {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := a.Write([]byte("x")); !errors.Is(err, ErrPeerClosed) {
		t.Error(err)
	}
}

// TestPeerIsDead checks that both ends notice when one becomes silent, as a stopped process does.
func TestPeerIsDead(t *testing.T) {
	byFakeClock(t, func(t *testing.T) {
		l := pipedLab(t, Config{})
		a, b := l.pair(Config{})
		if err := b.sub.Unsubscribe(); err != nil { // it receives nothing, therefore it fails and sends that
			t.Fatal(err)
		}
		waitFor(t, b, ErrDead)
		_ = a.SetReadDeadline(time.Now().Add(30 * time.Second))
		if _, err := io.ReadAll(a); err == nil || !strings.Contains(err.Error(), "has failed") {
			t.Error(err)
		}
		a, b = l.pair(Config{})
		b.out.Lock()
		b.out.shut = true // it can send nothing
		b.out.Unlock()
		waitFor(t, a, ErrDead)
	})
}

// TestBeatsKeepASilentConnection checks that beats keep a connection that transfers no data.
func TestBeatsKeepASilentConnection(t *testing.T) {
	byFakeClock(t, func(t *testing.T) {
		l := pipedLab(t, Config{})
		a, b := l.pair(Config{})
		time.Sleep(20 * Config{}.filled().Beat)
		a.mu.Lock()
		frames, err := a.expected, a.err
		a.mu.Unlock()
		if err != nil || frames < 7 {
			t.Fatalf("%d beats were received: %v", frames, err)
		}
		if _, err := b.Write([]byte("x")); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(a, make([]byte, 1)); err != nil {
			t.Fatal(err)
		}
	})
}

// TestNATSIsLost checks that both ends notice, and that the listener of the host works again afterwards.
func TestNATSIsLost(t *testing.T) {
	byFakeClock(t, func(t *testing.T) {
		l := pipedLab(t, Config{})
		a, b := l.pair(Config{})
		id, err := l.host.GetClientID()
		if err == nil {
			err = l.server.DisconnectClientByID(id)
		}
		if err != nil {
			t.Fatal(err)
		}
		waitFor(t, b, ErrDisconnected)
		_ = a.SetReadDeadline(time.Now().Add(30 * time.Second))
		if _, err := io.ReadAll(a); err == nil || errors.Is(err, os.ErrDeadlineExceeded) {
			t.Error(err)
		}
		for until := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
			c, err := Dial(t.Context(), l.hub, "a")
			if err == nil {
				_ = c.Close()
				break
			}
			if time.Now().After(until) {
				t.Fatal(err)
			}
		}
	})
}

// TestNoConnection: a host that is not there is known at once, and one that does not answer after the caller's
// patience.
func TestNoConnection(t *testing.T) {
	l := newLab(t, Config{})
	for _, host := range []string{"b", "*", ">", "", "a.b", strings.Repeat("x", 65)} {
		if _, err := Dial(t.Context(), l.hub, host); !errors.Is(err, ErrNoHost) {
			t.Errorf("%q: %v", host, err)
		}
	}
	if _, err := l.host.SubscribeSync(ToHost("mute", "dial")); err != nil {
		t.Fatal(err)
	}
	settle(l.host)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := Dial(ctx, l.hub, "mute"); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
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

// TestHostileOpenings checks that the listener refuses invalid requests and continues.
func TestHostileOpenings(t *testing.T) {
	l := newLab(t, Config{})
	good := opening{Version: Version, Conn: "x", Window: window, Beat: time.Second}
	for what, ask := range map[string]opening{
		"another version": {Version: 99, Conn: "x", Window: window, Beat: time.Second},
		"a subject":       {Version: Version, Conn: "x.>", Window: window, Beat: time.Second},
		"no room":         {Version: Version, Conn: "x", Beat: time.Second},
		"too much space":  {Version: Version, Conn: "x", Window: 1 << 30, Beat: time.Second},
		"no beat":         {Version: Version, Conn: "x", Window: window},
	} {
		var refused *RefusedError
		if err := Ask(t.Context(), l.hub, ToHost("a", "dial"), ask, nil); !errors.As(err, &refused) {
			t.Errorf("%s: %v", what, err)
		}
	}
	for _, text := range []string{"", "{", "[]", `"x"`, strings.Repeat("[", 100_000)} {
		m, err := l.hub.Request(ToHost("a", "dial"), []byte(text), 10*time.Second)
		var response answer
		if err != nil || json.Unmarshal(m.Data, &response) != nil || response.Error == "" {
			t.Errorf("%.20q: %v, %v", text, response, err)
		}
	}
	if err := Ask(t.Context(), l.hub, ToHost("a", "dial"), good, nil); err != nil {
		t.Fatal(err)
	}
	var refused *RefusedError
	if err := Ask(t.Context(), l.hub, ToHost("a", "dial"), good, nil); !errors.As(err, &refused) {
		t.Errorf("a name that is taken: %v", err)
	}
}

// TestHostileFrames checks that invalid frames end their connection, and no other one.
func TestHostileFrames(t *testing.T) {
	l := newLab(t, Config{})
	other, _ := l.pair(Config{})
	for what, messages := range map[string][][]byte{
		"nothing":          {{}},
		"half a header":    {{1, 0, 0}},
		"an unknown kind":  {frame(99, 0, nil)},
		"no bytes":         {frame(data, 0, nil)},
		"too many bytes":   {frame(data, 0, make([]byte, maxChunk+1))},
		"a gap":            {frame(data, 1, []byte("x"))},
		"the same twice":   {frame(data, 0, []byte("x")), frame(data, 0, []byte("x"))},
		"endless credit":   {frame(credit, 0, []byte{255, 255, 255, 255})},
		"half a credit":    {frame(credit, 0, []byte{1})},
		"bytes after fin":  {frame(finish, 0, nil), frame(data, 1, []byte("x"))},
		"frames after end": {frame(ended, 0, nil), frame(beat, 1, nil)},
		"a long reason":    {frame(failed, 0, make([]byte, 2000))},
		"a flood":          flood(),
	} {
		_, b := l.pair(Config{})
		for _, m := range messages {
			if err := l.hub.Publish(ToHost("a", "down", b.addr.Conn), m); err != nil {
				t.Fatal(err)
			}
		}
		_ = b.SetReadDeadline(time.Now().Add(30 * time.Second))
		<-b.over
		if b.err == nil {
			t.Errorf("%s: the connection continues", what)
		}
	}
	if _, err := other.Write([]byte("x")); err != nil {
		t.Errorf("another connection: %v", err)
	}
}

// flood returns frames with more data than the window.
func flood() (out [][]byte) {
	for i := range uint32(window/maxChunk + 1) {
		out = append(out, frame(data, i, make([]byte, maxChunk)))
	}
	return out
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

func FuzzFrames(f *testing.F) {
	f.Add([]byte{}, []byte{})
	f.Add(frame(data, 0, []byte("x")), frame(ended, 1, nil))
	f.Add(frame(credit, 0, []byte{0, 0, 1, 0}), frame(finish, 1, nil))
	f.Fuzz(func(t *testing.T, first, second []byte) {
		for _, m := range [][]byte{first, second} {
			k, number, payload, err := parse(m)
			if err == nil && !bytes.Equal(frame(k, number, payload), m) {
				t.Errorf("%v is read as %d, %d, %v", m, k, number, payload)
			}
		}
	})
}
