package adbd

import (
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
)

// Server is an adb server in this process: it speaks the host protocol for its phones, so that tests need no adb.
type Server struct {
	listener net.Listener
	ctx      context.Context
	cancel   context.CancelFunc
	work     sync.WaitGroup
	Home     string // of the user, for emulators

	mu       sync.Mutex
	phones   []*Daemon
	forwards map[string]*forward // by local spec
	conns    int
}

type forward struct {
	serial, local, remote string
	listener              net.Listener
}

// NewServer serves the phones on a free loopback port; Close ends it, and not the phones.
func NewServer(phones ...*Daemon) (*Server, error) {
	ctx, cancel := context.WithCancel(context.Background())
	l, err := Listen(ctx, "127.0.0.1:0")
	if err != nil {
		cancel()
		return nil, fmt.Errorf("listen for adb clients: %w", err)
	}
	s := &Server{listener: l, ctx: ctx, cancel: cancel, phones: phones, forwards: map[string]*forward{}}
	s.work.Go(s.accept)
	return s, nil
}

// Addr is host:port of the server; Port is its port.
func (s *Server) Addr() string { return s.listener.Addr().String() }

// Port is the port of the server on the loopback interface.
func (s *Server) Port() int { return s.listener.Addr().(*net.TCPAddr).Port }

// Connections is how many client connections were accepted so far.
func (s *Server) Connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.conns
}

// Close ends the server and every stream over it, as `adb kill-server` does.
func (s *Server) Close() {
	s.cancel()
	s.listener.Close()
	s.mu.Lock()
	for _, f := range s.forwards {
		f.listener.Close()
	}
	s.mu.Unlock()
	s.work.Wait()
}

func (s *Server) accept() {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.mu.Lock()
		s.conns++
		s.mu.Unlock()
		s.work.Go(func() {
			defer conn.Close()
			defer context.AfterFunc(s.ctx, func() { conn.Close() })()
			s.client(conn)
		})
	}
}

// client serves one connection: requests until one of them takes the connection over.
func (s *Server) client(conn net.Conn) {
	var phone *Daemon
	for {
		req, err := readHex4(conn)
		if err != nil {
			return
		}
		if phone != nil {
			if rest, ok := strings.CutPrefix(req, "host:"); ok {
				s.hostRequest(conn, phone, rest)
				return
			}
			s.deviceService(conn, phone, req)
			return
		}
		p, done := s.request(conn, req)
		if done {
			return
		}
		phone = p
	}
}

func readHex4(r io.Reader) (string, error) {
	var head [4]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return "", err
	}
	n, err := strconv.ParseUint(string(head[:]), 16, 16)
	if err != nil {
		return "", fmt.Errorf("malformed length %q", head)
	}
	body := make([]byte, n)
	_, err = io.ReadFull(r, body)
	return string(body), err
}

func hex4(s string) string { return fmt.Sprintf("%04x%s", len(s), s) }

func okay(w io.Writer, text string) { _, _ = io.WriteString(w, "OKAY"+text) }

func fail(w io.Writer, text string) { _, _ = io.WriteString(w, "FAIL"+hex4(text)) }

// request handles host requests; it returns the phone that a transport request chose.
func (s *Server) request(conn net.Conn, req string) (chosen *Daemon, done bool) {
	if rest, ok := strings.CutPrefix(req, "host-serial:"); ok {
		serial, what := s.splitSerial(rest)
		s.serialRequest(conn, serial, what)
		return nil, true
	}
	if rest, ok := strings.CutPrefix(req, "host-transport-id:"); ok {
		id, what, _ := strings.Cut(rest, ":")
		s.idRequest(conn, id, what)
		return nil, true
	}
	for _, prefix := range []string{"host-usb:", "host-local:", "host-any:"} {
		if rest, ok := strings.CutPrefix(req, prefix); ok {
			req = "host:" + rest
		}
	}
	what, ok := strings.CutPrefix(req, "host:")
	if !ok {
		s.deviceServiceAny(conn, req)
		return nil, true
	}
	switch {
	case what == "version":
		okay(conn, hex4("0029"))
	case what == "kill":
		okay(conn, "") // asked to die, it stays: tests close it themselves
	case what == "host-features":
		okay(conn, hex4("shell_v2,cmd,stat_v2,ls_v2,fixed_push_mkdir,apex,abb,fixed_push_symlink_timestamp,abb_exec"))
	case what == "devices" || what == "devices-l":
		okay(conn, hex4(s.devices(what == "devices-l")))
	case what == "track-devices" || what == "track-devices-l":
		s.track(conn, what == "track-devices-l")
	case strings.HasPrefix(what, "tport:"):
		return s.tport(conn, strings.TrimPrefix(what, "tport:"))
	case strings.HasPrefix(what, "transport-id:"):
		p, problem := s.byID(strings.TrimPrefix(what, "transport-id:"))
		if p == nil {
			fail(conn, problem)
			return nil, true
		}
		okay(conn, "")
		return p, false
	case strings.HasPrefix(what, "transport:"):
		return s.transport(conn, strings.TrimPrefix(what, "transport:"), false)
	case what == "transport-any" || what == "transport-local" || what == "transport-usb":
		return s.transport(conn, "", false)
	case strings.HasPrefix(what, "connect:"):
		addr := strings.TrimPrefix(what, "connect:")
		if p := s.find(addr); p != nil {
			okay(conn, hex4("already connected to "+addr))
		} else {
			okay(conn, hex4("failed to connect to '"+addr+"': Connection refused"))
		}
	case strings.HasPrefix(what, "disconnect:"):
		okay(conn, hex4("disconnected everything"))
	default:
		s.serialRequest(conn, "", what)
	}
	return nil, true
}

// splitSerial parts "S:request", where S itself may be host:port.
func (s *Server) splitSerial(rest string) (serial, what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.phones {
		if what, ok := strings.CutPrefix(rest, p.Serial()+":"); ok {
			return p.Serial(), what
		}
	}
	serial, what, _ = strings.Cut(rest, ":")
	return serial, what
}

func (s *Server) tport(conn net.Conn, arg string) (*Daemon, bool) {
	if serial, ok := strings.CutPrefix(arg, "serial:"); ok {
		return s.transport(conn, serial, true)
	}
	return s.transport(conn, "", true)
}

func (s *Server) transport(conn net.Conn, serial string, withID bool) (*Daemon, bool) {
	p, problem := s.acquire(serial)
	if p == nil {
		fail(conn, problem)
		return nil, true
	}
	okay(conn, "")
	if withID {
		_, _ = conn.Write(binary.LittleEndian.AppendUint64(nil, s.transportID(p)))
	}
	return p, false
}

func (s *Server) transportID(p *Daemon) uint64 {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i, q := range s.phones {
		if q == p {
			return uint64(i + 1)
		}
	}
	return 0
}

func (s *Server) plugged() []*Daemon {
	s.mu.Lock()
	defer s.mu.Unlock()
	var out []*Daemon
	for _, p := range s.phones {
		if p.Cable.State() != kernel.StateAbsent {
			out = append(out, p)
		}
	}
	return out
}

func (s *Server) find(serial string) *Daemon {
	for _, p := range s.plugged() {
		if p.Serial() == serial {
			return p
		}
	}
	return nil
}

// acquire finds the phone for a transport, or says in adb's words why there is none.
func (s *Server) acquire(serial string) (*Daemon, string) {
	var p *Daemon
	all := s.plugged()
	if serial != "" {
		all = slices.DeleteFunc(all, func(p *Daemon) bool {
			return p.Serial() != serial && (p.Sys.Opts.USB == "" || "usb:"+p.Sys.Opts.USB != serial)
		})
		switch len(all) {
		case 0:
			return nil, "device '" + serial + "' not found"
		case 1:
			p = all[0]
		default:
			return nil, "more than one device"
		}
	} else {
		switch len(all) {
		case 0:
			return nil, "no devices/emulators found"
		case 1:
			p = all[0]
		default:
			return nil, "more than one device/emulator"
		}
	}
	return usable(p)
}

// byID finds the phone behind the number of a connection.
func (s *Server) byID(id string) (*Daemon, string) {
	for _, p := range s.plugged() {
		if strconv.FormatUint(s.transportID(p), 10) == id {
			return usable(p)
		}
	}
	return nil, "no device with transport id '" + id + "'"
}

// idRequest handles a host request about the phone behind the number of a connection.
func (s *Server) idRequest(conn net.Conn, id, what string) {
	p, problem := s.byID(id)
	if p == nil {
		fail(conn, problem)
		return
	}
	s.hostRequest(conn, p, what)
}

// usable is the phone, or what adb says of its state.
func usable(p *Daemon) (*Daemon, string) {
	switch p.Cable.State() {
	case kernel.StateOffline:
		return nil, "device offline"
	case kernel.StateUnauthorized:
		return nil, "device unauthorized.\nThis adb server's $ADB_VENDOR_KEYS is not set\n" +
			"Try 'adb kill-server' if that seems wrong.\nOtherwise check for a confirmation dialog on your device."
	}
	return p, ""
}

func (s *Server) devices(long bool) string {
	var b strings.Builder
	for _, p := range s.plugged() {
		state, serial := p.Cable.State(), p.Serial()
		if p.Sys.Opts.Unnamed {
			serial = "(no serial number)"
		}
		if !long {
			fmt.Fprintf(&b, "%s\t%s\n", serial, state)
			continue
		}
		fmt.Fprintf(&b, "%-22s %s", serial, state)
		if p.Sys.Opts.USB != "" {
			fmt.Fprintf(&b, " usb:%s", p.Sys.Opts.USB)
		}
		if state == kernel.StateDevice || state == kernel.StateRecovery {
			fmt.Fprintf(&b, " product:%s model:%s device:%s",
				p.Sys.Prof.Product, strings.ReplaceAll(p.Sys.Prof.Model, " ", "_"), p.Sys.Prof.Product)
		}
		fmt.Fprintf(&b, " transport_id:%d\n", s.transportID(p))
	}
	return b.String()
}

// changes calls f now and after every change of a phone's state, until f says stop or the client goes away.
func (s *Server) changes(conn net.Conn, f func() (stop bool)) {
	notice := make(chan struct{}, 1)
	ctx, cancel := context.WithCancel(s.ctx)
	var work sync.WaitGroup
	defer work.Wait()
	defer cancel()
	s.mu.Lock()
	phones := append([]*Daemon(nil), s.phones...)
	s.mu.Unlock()
	for _, p := range phones {
		changed, stop := p.Cable.Watch()
		work.Go(func() {
			defer stop()
			for {
				select {
				case <-ctx.Done():
					return
				case <-changed:
					select {
					case notice <- struct{}{}:
					default:
					}
				}
			}
		})
	}
	work.Go(func() {
		defer cancel()
		_, _ = conn.Read(make([]byte, 1)) // the client says nothing more; this ends when it hangs up
	})
	for !f() {
		select {
		case <-ctx.Done():
			conn.Close()
			return
		case <-notice:
		}
	}
	conn.Close()
}

func (s *Server) track(conn net.Conn, long bool) {
	okay(conn, "")
	last := "\x00"
	s.changes(conn, func() bool {
		now := s.devices(long)
		if now == last {
			return false
		}
		last = now
		_, err := io.WriteString(conn, hex4(now))
		return err != nil
	})
}

// Forwards is how many ports of this machine lead to phones.
func (s *Server) Forwards() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.forwards)
}

// Getenv is the environment for what is to use this server and no other.
func (s *Server) Getenv(name string) string {
	if name == "ADB_SERVER_SOCKET" {
		return "tcp:" + s.Addr()
	}
	if name == "HOME" {
		return s.Home
	}
	return ""
}
