// Package adbd implements the device's side of adb's protocol over a connection: it opens a service of the device for
// each stream that adb opens. With it, `adb connect` works for a phone that is attached to another machine.
package adbd

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// The commands of the protocol.
const (
	cnxn = 0x4e584e43
	open = 0x4e45504f
	okay = 0x59414b4f
	clse = 0x45534c43
	wrte = 0x45545257
)

const (
	version    = 0x01000000
	maxPayload = 256 << 10
	header     = 24
	maxStreams = 256
)

// Device is the device that a connection leads to.
type Device struct {
	Model    string
	Features []string // of the device; Serve leaves out those that change the protocol
	// Open opens a service of the device, such as "shell:ls".
	Open func(service string) (io.ReadWriteCloser, error)
}

// refused are services that would change how the device is reached, or connect back to the machine that it is attached
// to.
var refused = []string{"reverse:", "root:", "unroot:", "tcpip:", "usb:", "host"}

// errProtocol means that the peer is not adb.
var errProtocol = errors.New("the other end does not speak adb's protocol")

type message struct {
	command, arg0, arg1 uint32
	data                []byte
}

// session is a connection.
type session struct {
	device Device
	in     *bufio.Reader
	out    io.Writer
	ready  bool

	sending sync.Mutex
	mu      sync.Mutex
	next    uint32
	streams map[uint32]*stream
	working sync.WaitGroup
}

// stream is an open service. The peer acknowledges each write before the next.
type stream struct {
	own, peer uint32
	service   io.ReadWriteCloser
	taken     chan struct{} // receives when the peer has acknowledged a write
	writes    chan []byte   // at most one: the peer sends the next after the acknowledgement
	over      chan struct{}
	once      sync.Once
}

func (s *stream) end() {
	s.once.Do(func() {
		close(s.over)
		_ = s.service.Close() // the stream has ended, so an error does not matter
	})
}

// Serve serves a connection until it ends, and closes the services that it opened. It returns nil when the peer
// disconnects.
func Serve(conn io.ReadWriteCloser, d Device) error {
	s := &session{device: d, in: bufio.NewReaderSize(conn, 64<<10), out: conn, streams: map[uint32]*stream{}}
	err := s.receive()
	_ = conn.Close() // ends goroutines that still write to it
	s.mu.Lock()
	for _, one := range s.streams {
		one.end()
	}
	s.mu.Unlock()
	s.working.Wait()
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}

func (s *session) receive() error {
	for {
		m, err := read(s.in)
		if err == nil {
			err = s.take(m)
		}
		if err != nil {
			return err
		}
	}
}

func read(r io.Reader) (m message, err error) {
	var h [header]byte
	if _, err := io.ReadFull(r, h[:]); err != nil {
		return m, err
	}
	word := func(i int) uint32 { return binary.LittleEndian.Uint32(h[4*i:]) }
	m = message{command: word(0), arg0: word(1), arg1: word(2)}
	if word(5) != m.command^0xffffffff || word(3) > maxPayload {
		return m, errProtocol
	}
	m.data = make([]byte, word(3))
	_, err = io.ReadFull(r, m.data)
	return m, err
}

func (s *session) send(m message) error {
	out := make([]byte, header, header+len(m.data))
	sum := uint32(0)
	for _, b := range m.data {
		sum += uint32(b)
	}
	for i, v := range []uint32{m.command, m.arg0, m.arg1, uint32(len(m.data)), sum, m.command ^ 0xffffffff} {
		binary.LittleEndian.PutUint32(out[4*i:], v)
	}
	s.sending.Lock()
	defer s.sending.Unlock()
	_, err := s.out.Write(append(out, m.data...))
	return err
}

func (s *session) take(m message) error {
	if m.command == cnxn {
		s.ready = true
		return s.send(message{cnxn, version, maxPayload, []byte(s.banner())})
	}
	if !s.ready {
		return errProtocol
	}
	switch m.command {
	case open:
		return s.open(m)
	case okay, wrte, clse:
		s.mu.Lock()
		one := s.streams[m.arg1]
		s.mu.Unlock()
		if one == nil || one.peer != m.arg0 && m.arg0 != 0 {
			if m.command == wrte {
				return s.send(message{command: clse, arg1: m.arg0})
			}
			return nil // the stream has ended meanwhile
		}
		return s.deliver(one, m)
	}
	return nil // a message of a newer adb, which can be ignored
}

func (s *session) deliver(one *stream, m message) error {
	switch m.command {
	case okay:
		select {
		case one.taken <- struct{}{}:
		default:
		}
	case clse:
		one.end()
	case wrte:
		select {
		case one.writes <- m.data:
		default:
			return errProtocol // it did not wait for the acknowledgement
		}
	}
	return nil
}

// banner describes the device.
func (s *session) banner() string {
	var features []string
	for _, f := range s.device.Features {
		if f != "delayed_ack" && !strings.HasPrefix(f, "openscreen") {
			features = append(features, f)
		}
	}
	clean := strings.NewReplacer(";", "_", "=", "_", " ", "_").Replace(s.device.Model)
	return fmt.Sprintf("device::ro.product.name=%s;ro.product.model=%s;ro.product.device=%s;features=%s", clean, clean,
		clean, strings.Join(features, ","))
}

func (s *session) open(m message) error {
	name := strings.TrimRight(string(m.data), "\x00")
	no := m.arg0 == 0
	for _, prefix := range refused {
		no = no || strings.HasPrefix(name, prefix)
	}
	s.mu.Lock()
	no = no || len(s.streams) >= maxStreams
	s.mu.Unlock()
	if no {
		return s.send(message{command: clse, arg1: m.arg0})
	}
	s.working.Go(func() { s.run(name, m.arg0) })
	return nil
}

// run opens a service and copies data in both directions until one end closes.
func (s *session) run(name string, peer uint32) {
	service, err := s.device.Open(name)
	if err != nil {
		_ = s.send(message{command: clse, arg1: peer}) // fails only if the connection has ended
		return
	}
	one := &stream{peer: peer, service: service, taken: make(chan struct{}, 1), writes: make(chan []byte, 1),
		over: make(chan struct{})}
	s.mu.Lock()
	s.next++
	one.own = s.next
	s.streams[one.own] = one
	s.mu.Unlock()
	defer func() {
		one.end()
		s.mu.Lock()
		delete(s.streams, one.own)
		s.mu.Unlock()
		_ = s.send(message{clse, one.own, peer, nil})
	}()
	if s.send(message{okay, one.own, peer, nil}) != nil {
		return
	}
	s.working.Go(func() { s.copyToService(one) })
	s.copyToPeer(one)
}

// copyToService writes to the service what the peer sends.
func (s *session) copyToService(one *stream) {
	for {
		select {
		case <-one.over:
			return
		case data := <-one.writes:
			if _, err := one.service.Write(data); err != nil {
				one.end()
				return
			}
			if s.send(message{okay, one.own, one.peer, nil}) != nil {
				one.end()
				return
			}
		}
	}
}

// copyToPeer sends to the peer what the service writes.
func (s *session) copyToPeer(one *stream) {
	buffer := make([]byte, 64<<10)
	for {
		n, err := one.service.Read(buffer)
		if n > 0 {
			if s.send(message{wrte, one.own, one.peer, buffer[:n]}) != nil {
				return
			}
			select {
			case <-one.taken:
			case <-one.over:
				return
			}
		}
		if err != nil {
			return
		}
	}
}
