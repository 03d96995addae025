package androidsim

import (
	"bytes"
	"io"
	"net"
	"testing"
	"time"
)

// pack makes one message of the transport.
func pack(t testing.TB, cmd, arg0, arg1 uint32, data string) []byte {
	t.Helper()
	a, b := net.Pipe()
	defer a.Close()
	done := make(chan []byte)
	go func() {
		all, _ := io.ReadAll(a)
		done <- all
	}()
	if err := (&transport{conn: b}).send(cmd, arg0, arg1, []byte(data)); err != nil {
		t.Fatal(err)
	}
	b.Close()
	return <-done
}

// FuzzTransport feeds the phone's daemon with whatever a host might send; it must end with the connection.
func FuzzTransport(f *testing.F) {
	hello := pack(f, cmdCNXN, adbVersion, 0x100000, "host::\x00")
	f.Add(hello)
	f.Add(append(bytes.Clone(hello), pack(f, cmdOPEN, 1, 0, "shell,v2,raw:echo hi\x00")...))
	f.Add(append(bytes.Clone(hello), pack(f, cmdOPEN, 1, 0, "sync:\x00")...))
	f.Add(pack(f, cmdWRTE, 1, 99, "to nobody"))
	f.Add([]byte("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := NewPhone(Options{})
		defer p.Close()
		a, b := net.Pipe()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			p.daemon.serveADBD(t.Context(), b)
		}()
		go func() { _, _ = io.Copy(io.Discard, a) }()
		if err := a.SetWriteDeadline(time.Now().Add(time.Second)); err != nil {
			t.Fatal(err)
		}
		_, _ = a.Write(data)
		a.Close()
		<-ended
	})
}

// dialADBD connects with the phone's daemon, as an adb server does.
func dialADBD(t *testing.T, p *Phone) net.Conn {
	t.Helper()
	addr, err := p.ListenADBD(t.Context(), "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close() })
	return conn
}

func TestTransportRefusesUnknownServices(t *testing.T) {
	t.Parallel()
	p := NewPhone(Options{})
	defer p.Close()
	conn := dialADBD(t, p)
	for _, m := range [][]byte{pack(t, cmdCNXN, adbVersion, 0x100000, "host::"), pack(t, cmdOPEN, 7, 0, "nosuch:\x00")} {
		if _, err := conn.Write(m); err != nil {
			t.Fatal(err)
		}
	}
	banner, err := readMessage(conn)
	if err != nil || banner.cmd != cmdCNXN ||
		!bytes.HasPrefix(banner.data, []byte("device::ro.product.name=panther;ro.product.model=Pixel 7;")) {
		t.Errorf("banner: %+v %v", banner, err)
	}
	if m, err := readMessage(conn); err != nil || m.cmd != cmdCLSE || m.arg0 != 0 || m.arg1 != 7 {
		t.Errorf("refusal: %+v %v", m, err)
	}
}

// TestServiceThatWaitsForThePhone: a port that cannot be opened yet delays no other service of the connection, of which
// the acknowledgements the phone may be waiting for.
func TestServiceThatWaitsForThePhone(t *testing.T) {
	t.Parallel()
	p := NewPhone(Options{})
	defer p.Close()
	conn := dialADBD(t, p)
	send := func(m []byte) {
		t.Helper()
		if _, err := conn.Write(m); err != nil {
			t.Fatal(err)
		}
	}
	answer := func(cmd uint32) {
		t.Helper()
		if m, err := readMessage(conn); err != nil || m.cmd != cmd {
			t.Errorf("%+v %v, not %#x", m, err, cmd)
		}
	}
	hello := pack(t, cmdCNXN, adbVersion, 0x100000, "host::")
	send(hello)
	answer(cmdCNXN)
	p.system.mu.Lock()
	send(pack(t, cmdOPEN, 7, 0, "tcp:6790\x00"))
	send(hello)
	answer(cmdCNXN)
	p.system.mu.Unlock()
	answer(cmdCLSE)
}

func TestOfflinePhoneSaysNothing(t *testing.T) {
	t.Parallel()
	p := NewPhone(Options{})
	defer p.Close()
	p.SetState(StateOffline)
	conn := dialADBD(t, p)
	if _, err := conn.Write(pack(t, cmdCNXN, adbVersion, 0x100000, "host::")); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if n, err := conn.Read(make([]byte, 1)); n != 0 || err == io.EOF {
		t.Errorf("it answered: %d %v", n, err)
	}
}
