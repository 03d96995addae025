package adb

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/internal/shellerr"
)

const (
	dialLimit  = 5 * time.Second
	startLimit = 20 * time.Second
	queryLimit = 10 * time.Second

	defaultServerPort = 5037
)

// Server is the adb server: where it listens, and how it is started when no server does.
type Server struct {
	network string // "tcp" or "unix"
	addr    string
	local   bool  // it may be started from here
	wrong   error // why the environment names no usable address
	Find    func(ctx context.Context) (string, error)
	Dial    func(ctx context.Context, network, addr string) (net.Conn, error)
	Log     *slog.Logger
	Home    string // of the user, where emulators keep the word that opens their console

	starting chan struct{} // holds one: who starts the server and brings its devices back
	friends  knownDevices
}

// ServerFrom reads the variables that adb itself obeys, in adb's own order of preference.
func ServerFrom(getenv func(string) string) *Server {
	s := &Server{Dial: (&net.Dialer{Timeout: dialLimit}).DialContext, starting: make(chan struct{}, 1),
		Home: getenv("HOME")}
	if spec := getenv("ADB_SERVER_SOCKET"); spec != "" {
		s.network, s.addr, s.wrong = parseSocket(spec)
	} else {
		host, port := getenv("ANDROID_ADB_SERVER_ADDRESS"), getenv("ANDROID_ADB_SERVER_PORT")
		s.network, s.addr, s.wrong = joinAddr(host, port)
	}
	s.local = s.network == "unix" || isLoopback(s.addr)
	return s
}

// Through makes dial connect to the server, which messages call by a name. It is never started from here.
func (s *Server) Through(name string, dial func(ctx context.Context) (net.Conn, error)) {
	s.network, s.addr, s.wrong, s.local = "tcp", name, nil, false
	s.Dial = func(ctx context.Context, _, _ string) (net.Conn, error) { return dial(ctx) }
}

// Device returns the link to a device of this server.
func (s *Server) Device(serial string) *Link { return &Link{Server: s, Serial: serial} }

// Track opens the stream of lists of the devices, each of which counted reads.
func (s *Server) Track(ctx context.Context) (*Conn, error) {
	c, err := s.connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.request("host:track-devices"); err != nil {
		c.Close()
		return nil, fmt.Errorf("host:track-devices: %w", err)
	}
	return c, nil
}

// parseSocket understands tcp:port, tcp:host:port, tcp:[host]:port, localfilesystem:path and localabstract:name.
func parseSocket(spec string) (network, addr string, err error) {
	kind, rest, _ := strings.Cut(spec, ":")
	switch kind {
	case "localfilesystem":
		return "unix", rest, nil
	case "localabstract":
		return "unix", "@" + rest, nil
	case "tcp":
		if !strings.Contains(rest, ":") {
			return joinAddr("", rest)
		}
		host, port, err := net.SplitHostPort(rest)
		if err != nil {
			break
		}
		return joinAddr(host, port)
	}
	return "", "", &drivers.Unavailable{
		What: fmt.Sprintf("ADB_SERVER_SOCKET is %q", spec),
		Fix:  "give it the form tcp:host:port",
	}
}

func joinAddr(host, port string) (network, addr string, err error) {
	if host == "" {
		host = "127.0.0.1"
	}
	if port == "" {
		port = strconv.Itoa(defaultServerPort)
	}
	if n, err := strconv.Atoi(port); err != nil || n < 1 || n > 65535 {
		return "", "", &drivers.Unavailable{
			What: fmt.Sprintf("the adb server's port is %q", port),
			Fix:  "set ANDROID_ADB_SERVER_PORT to a number from 1 to 65535, or leave it out",
		}
	}
	return "tcp", net.JoinHostPort(strings.Trim(host, "[]"), port), nil
}

func isLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	return err == nil && guard.IsLoopback(host)
}

// connect dials the server and starts it first when nothing listens there. The connection is closed when ctx ends.
func (s *Server) connect(ctx context.Context) (*Conn, error) {
	if s.wrong != nil {
		return nil, s.wrong
	}
	// A server that was just started does not know all its devices yet: wait until it does.
	if err := s.enter(ctx); err != nil {
		return nil, err
	}
	s.leave()
	c, err := s.dialed(ctx)
	if err != nil && notListening(err) && s.local && ctx.Err() == nil {
		if err := s.start(ctx); err != nil {
			return nil, err
		}
		return s.dialed(ctx)
	}
	return c, err
}

// dialed connects to a server that runs.
func (s *Server) dialed(ctx context.Context) (*Conn, error) {
	nc, err := s.Dial(ctx, s.network, s.addr)
	if err != nil {
		return nil, fmt.Errorf("reach the adb server at %s: %w", s.addr, err)
	}
	return newConn(ctx, nc), nil
}

func (s *Server) enter(ctx context.Context) error {
	select {
	case s.starting <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (s *Server) leave() { <-s.starting }

func notListening(err error) bool {
	return errors.Is(err, syscall.ECONNREFUSED) || errors.Is(err, fs.ErrNotExist)
}

// start runs `adb start-server` and connects the devices that the server before it was connected to, once for all
// callers that wait for it. adb itself copes with another process doing the same: the loser of that race fails although
// a server runs, so what counts is whether a server listens in the end.
func (s *Server) start(ctx context.Context) error {
	if err := s.enter(ctx); err != nil {
		return err
	}
	defer s.leave()
	if s.answers(ctx) {
		return nil
	}
	path, err := s.Find(ctx)
	if err != nil {
		return err
	}
	starting, cancel := context.WithTimeout(ctx, startLimit)
	defer cancel()
	s.Log.Info("starting the adb server", "addr", s.addr, "adb", path)
	cmd := exec.CommandContext(starting, path, append(s.flags(), "start-server")...)
	cmd.WaitDelay = time.Second // the server that it leaves behind may hold our pipes
	said, err := cmd.CombinedOutput()
	if s.answers(starting) {
		s.bringBack(ctx, s.friends.everybody())
		return nil
	}
	return fmt.Errorf("start the adb server at %s: %w: %s", s.addr, orElse(err, errSilent), shellerr.Line(string(said)))
}

var errSilent = errors.New("nothing listens there although `adb start-server` ended well")

func orElse(err, otherwise error) error {
	if err != nil && !errors.Is(err, exec.ErrWaitDelay) {
		return err
	}
	return otherwise
}

func (s *Server) answers(ctx context.Context) bool {
	nc, err := s.Dial(ctx, s.network, s.addr)
	if err != nil {
		return false
	}
	nc.Close()
	return true
}

// flags point the adb program at this server, whatever the environment says.
func (s *Server) flags() []string {
	switch {
	case s.network == "tcp":
		_, port, _ := net.SplitHostPort(s.addr)
		return []string{"-P", port}
	case strings.HasPrefix(s.addr, "@"):
		return []string{"-L", "localabstract:" + s.addr[1:]}
	default:
		return []string{"-L", "localfilesystem:" + s.addr}
	}
}

// query sends a request to the server itself (a "host" service) and returns its response.
func (s *Server) query(ctx context.Context, request string) (string, error) {
	return s.ask(ctx, request, s.connect)
}

func (s *Server) ask(ctx context.Context, request string, connect func(context.Context) (*Conn, error)) (string,
	error) {
	ctx, cancel := context.WithTimeoutCause(ctx, queryLimit,
		fmt.Errorf("the adb server at %s did not answer %s within %v", s.addr, request, queryLimit))
	defer cancel()
	c, err := connect(ctx)
	if err != nil {
		return "", orCause(ctx, err)
	}
	defer c.Close()
	if err := c.request(request); err != nil {
		return "", orCause(ctx, err)
	}
	answer, err := c.Counted()
	if err != nil {
		return "", orCause(ctx, fmt.Errorf("read the adb server's answer to %s: %w", request, err))
	}
	return answer, nil
}

// orCause returns the reason why ctx ended, where that is what made a call fail.
func orCause(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
