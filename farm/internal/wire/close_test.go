package wire

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"strings"
	"testing"
	"time"
)

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
