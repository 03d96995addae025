package androidsim

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"testing"
	"time"
)

// The messages between an adb server and a phone's daemon.
const (
	wireCNXN    = 0x4e584e43
	wireOPEN    = 0x4e45504f
	wireCLSE    = 0x45534c43
	wireWRTE    = 0x45545257
	wireVersion = 0x01000001
)

// wireMessage is one of them, with its first two numbers.
type wireMessage struct {
	cmd, arg0, arg1 uint32
	data            []byte
}

// pack makes one message of the transport.
func pack(cmd, arg0, arg1 uint32, data string) []byte {
	sum := uint32(0)
	for _, b := range []byte(data) {
		sum += uint32(b)
	}
	var out []byte
	for _, v := range []uint32{cmd, arg0, arg1, uint32(len(data)), sum, cmd ^ 0xffffffff} {
		out = binary.LittleEndian.AppendUint32(out, v)
	}
	return append(out, data...)
}

func unpack(r io.Reader) (wireMessage, error) {
	var head [24]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return wireMessage{}, err
	}
	le := binary.LittleEndian
	m := wireMessage{cmd: le.Uint32(head[0:]), arg0: le.Uint32(head[4:]), arg1: le.Uint32(head[8:]),
		data: make([]byte, le.Uint32(head[12:]))}
	if le.Uint32(head[20:]) != m.cmd^0xffffffff {
		return m, errors.New("malformed adb message")
	}
	_, err := io.ReadFull(r, m.data)
	return m, err
}

// FuzzTransport feeds the phone's daemon with whatever a host might send; it must end with the connection.
func FuzzTransport(f *testing.F) {
	hello := pack(wireCNXN, wireVersion, 0x100000, "host::\x00")
	f.Add(hello)
	f.Add(append(bytes.Clone(hello), pack(wireOPEN, 1, 0, "shell,v2,raw:echo hi\x00")...))
	f.Add(append(bytes.Clone(hello), pack(wireOPEN, 1, 0, "sync:\x00")...))
	f.Add(pack(wireWRTE, 1, 99, "to nobody"))
	f.Add([]byte("GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p := NewPhone(Options{})
		defer p.Close()
		a, b := net.Pipe()
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			p.daemon.Serve(t.Context(), b)
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
	for _, m := range [][]byte{pack(wireCNXN, wireVersion, 0x100000, "host::"), pack(wireOPEN, 7, 0, "nosuch:\x00")} {
		if _, err := conn.Write(m); err != nil {
			t.Fatal(err)
		}
	}
	banner, err := unpack(conn)
	if err != nil || banner.cmd != wireCNXN ||
		!bytes.HasPrefix(banner.data, []byte("device::ro.product.name=panther;ro.product.model=Pixel 7;")) {
		t.Errorf("banner: %+v %v", banner, err)
	}
	if m, err := unpack(conn); err != nil || m.cmd != wireCLSE || m.arg0 != 0 || m.arg1 != 7 {
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
		if m, err := unpack(conn); err != nil || m.cmd != cmd {
			t.Errorf("%+v %v, not %#x", m, err, cmd)
		}
	}
	hello := pack(wireCNXN, wireVersion, 0x100000, "host::")
	send(hello)
	answer(wireCNXN)
	p.system.Mu.Lock()
	send(pack(wireOPEN, 7, 0, "tcp:6790\x00"))
	send(hello)
	answer(wireCNXN)
	p.system.Mu.Unlock()
	answer(wireCLSE)
}

func TestOfflinePhoneSaysNothing(t *testing.T) {
	t.Parallel()
	p := NewPhone(Options{})
	defer p.Close()
	p.SetState(StateOffline)
	conn := dialADBD(t, p)
	if _, err := conn.Write(pack(wireCNXN, wireVersion, 0x100000, "host::")); err != nil {
		t.Fatal(err)
	}
	if err := conn.SetReadDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if n, err := conn.Read(make([]byte, 1)); n != 0 || err == io.EOF {
		t.Errorf("it answered: %d %v", n, err)
	}
}
