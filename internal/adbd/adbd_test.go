package adbd

import (
	"bytes"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/taproot-dev/taproot/internal/testutil"
)

func TestMain(m *testing.M) { testutil.NoLeaks(m) }

// peer is adb's side.
type peer struct {
	t    *testing.T
	conn net.Conn
	s    *session
	end  chan error
}

// connect connects a peer. Services are an echo, unless the test passes a function that opens them.
func connect(t *testing.T, open func(string) (io.ReadWriteCloser, error)) *peer {
	t.Helper()
	near, far := net.Pipe()
	p := &peer{t: t, conn: near, s: &session{out: near}, end: make(chan error, 1)}
	go func() {
		p.end <- Serve(far, Device{Model: "Pixel 8;x", Features: []string{"shell_v2", "delayed_ack", "cmd"}, Open: open})
	}()
	_ = near.SetDeadline(time.Now().Add(time.Minute))
	t.Cleanup(func() { _ = near.Close() })
	p.send(message{cnxn, version, maxPayload, []byte("host::features=shell_v2\x00")})
	if m := p.read(); m.command != cnxn ||
		string(m.data) != "device::ro.product.name=Pixel_8_x;ro.product.model=Pixel_8_x;ro.product.device=Pixel_8_x;"+
			"features=shell_v2,cmd" {
		t.Fatalf("%x %s", m.command, m.data)
	}
	return p
}

func (p *peer) send(m message) {
	p.t.Helper()
	if err := p.s.send(m); err != nil {
		p.t.Fatal(err)
	}
}

func (p *peer) read() message {
	p.t.Helper()
	m, err := read(p.conn)
	if err != nil {
		p.t.Fatal(err)
	}
	return m
}

func echo(string) (io.ReadWriteCloser, error) {
	near, far := net.Pipe()
	go func() { _, _ = io.Copy(far, far); _ = far.Close() }()
	return near, nil
}

// TestStreams uses two services at once, each with its own data, until one end closes.
func TestStreams(t *testing.T) {
	p := connect(t, echo)
	own := map[uint32]uint32{}
	for id := uint32(1); id <= 2; id++ {
		p.send(message{open, id, 0, []byte("shell:cat\x00")})
		m := p.read()
		if m.command != okay || m.arg1 != id {
			t.Fatalf("%+v", m)
		}
		own[id] = m.arg0
	}
	for id := uint32(1); id <= 2; id++ {
		text := bytes.Repeat([]byte{byte('a' + id)}, 1000)
		p.send(message{wrte, id, own[id], text})
		taken, received := false, []byte(nil)
		for !taken || len(received) < len(text) {
			switch m := p.read(); m.command {
			case okay:
				taken = true
			case wrte:
				received = append(received, m.data...)
				p.send(message{okay, id, own[id], nil})
			default:
				t.Fatalf("%+v", m)
			}
		}
		if !bytes.Equal(received, text) {
			t.Errorf("%q", received)
		}
	}
	p.send(message{clse, 1, own[1], nil})
	if m := p.read(); m.command != clse || m.arg1 != 1 {
		t.Errorf("%+v", m)
	}
	_ = p.conn.Close()
	if err := <-p.end; err != nil && !errors.Is(err, io.ErrClosedPipe) {
		t.Error(err)
	}
}

// TestRefusedServices checks that services that connect back, change the connection, or do not exist are refused.
func TestRefusedServices(t *testing.T) {
	p := connect(t, func(name string) (io.ReadWriteCloser, error) {
		if name != "nosuch:" {
			t.Errorf("%s was opened", name)
		}
		return nil, errors.New("no")
	})
	for _, name := range []string{"reverse:forward:tcp:1;tcp:22", "root:", "tcpip:5555", "usb:", "host:kill", "nosuch:"} {
		p.send(message{open, 7, 0, []byte(name + "\x00")})
		if m := p.read(); m.command != clse || m.arg1 != 7 {
			t.Errorf("%s: %+v", name, m)
		}
	}
}

// TestNoADB checks that a peer with another protocol is disconnected.
func TestNoADB(t *testing.T) {
	for _, text := range []string{"GET / HTTP/1.1\r\nHost: x\r\n\r\n", strings.Repeat("\x00", header),
		strings.Repeat("\xff", header)} {
		near, far := net.Pipe()
		end := make(chan error, 1)
		go func() { end <- Serve(far, Device{Open: echo}) }()
		_, _ = io.WriteString(near, text)
		if err := <-end; !errors.Is(err, errProtocol) {
			t.Errorf("%q: %v", text[:3], err)
		}
		_ = near.Close()
	}
}

func FuzzSession(f *testing.F) {
	f.Add([]byte("CNXN"))
	f.Fuzz(func(t *testing.T, text []byte) {
		var out bytes.Buffer
		_ = Serve(struct {
			io.Reader
			io.Writer
			io.Closer
		}{bytes.NewReader(text), &out, io.NopCloser(nil)}, Device{Open: func(string) (io.ReadWriteCloser, error) {
			return nil, errors.New("no")
		}})
	})
}
