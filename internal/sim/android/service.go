package androidsim

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"strings"
	"sync"
	"time"
)

// daemon is adbd, the phone's end of adb: it opens services for hosts.
type daemon struct {
	sys    *system
	cable  *cable
	faults *faultList
	land   *userland
	agents *agents
	views  *views
	air    air
}

// serial is the serial number of the phone.
func (p *daemon) serial() string { return p.sys.opts.Serial }

// session is an opened service: reads come from the host, writes go to it.
type session interface {
	io.Reader
	io.Writer
}

type serviceFunc func(ctx context.Context, s session)

var errHostGone = errors.New("the host closed the stream")

// service finds the service of a name such as "shell,v2,raw:id"; ok is false when adbd would refuse it.
func (p *daemon) service(name string) (run serviceFunc, ok bool) {
	kind, arg, _ := strings.Cut(name, ":")
	switch base, opts, _ := strings.Cut(kind, ","); base {
	case "shell":
		if strings.Contains(","+opts+",", ",v2,") {
			run = func(ctx context.Context, s session) { p.land.shellV2(ctx, s, arg) }
		} else {
			run = func(ctx context.Context, s session) { p.land.shellV1(ctx, s, arg, false) }
		}
	case "exec":
		run = func(ctx context.Context, s session) { p.land.shellV1(ctx, s, arg, true) }
	case "sync":
		run = p.syncService
	case "framebuffer":
		run = p.framebuffer
	case "reverse":
		run = func(_ context.Context, s session) { p.reverse(s, arg) }
	case "tcp":
		found := false
		if run, found = p.agents.tcpService(arg); !found {
			return nil, false
		}
	case "localabstract":
		found := false
		if run, found = p.views.abstractSocket(arg); !found {
			return nil, false
		}
	case "reboot":
		run = func(ctx context.Context, s session) { p.dropAway(2 * time.Second) }
	case "tcpip", "usb", "root", "unroot", "remount":
		run = func(_ context.Context, s session) { adminService(s, base, arg) }
	default:
		return nil, false
	}
	run = p.slowed(run)
	// the agent counts its own work
	if !strings.HasPrefix(name, "tcp:") && !strings.HasPrefix(name, "localabstract:") &&
		!strings.Contains(name, "am instrument") {
		run = p.counted(run)
	}
	f, found := p.faults.match(name, false)
	if !found {
		return run, true
	}
	if f.Kind == Refuse {
		return nil, false
	}
	return p.broken(run, f), true
}

// slowed sends no faster than the phone's connection.
func (p *daemon) slowed(run serviceFunc) serviceFunc {
	if p.sys.opts.Bandwidth <= 0 {
		return run
	}
	return func(ctx context.Context, s session) {
		run(ctx, &slowSession{session: s, ctx: ctx, link: &p.air, rate: p.sys.opts.Bandwidth})
	}
}

// air is the connection that all services of a phone share.
type air struct {
	mu   sync.Mutex
	free time.Time // when all that was sent has arrived
}

// take waits until n bytes more have gone through.
func (a *air) take(ctx context.Context, n, rate int) bool {
	a.mu.Lock()
	now := time.Now()
	if a.free.Before(now) {
		a.free = now
	}
	a.free = a.free.Add(time.Duration(n) * time.Second / time.Duration(rate))
	wait := a.free.Sub(now)
	a.mu.Unlock()
	return pause(ctx, wait)
}

type slowSession struct {
	session
	ctx  context.Context
	link *air
	rate int
}

// Write sends small pieces, so that the host sees what has arrived so far.
func (s *slowSession) Write(b []byte) (int, error) {
	for rest := b; len(rest) > 0; {
		n := min(len(rest), 32<<10)
		if !s.link.take(s.ctx, n, s.rate) {
			return len(b) - len(rest), errHostGone
		}
		if _, err := s.session.Write(rest[:n]); err != nil {
			return len(b) - len(rest), err
		}
		rest = rest[n:]
	}
	return len(b), nil
}

// broken wraps a service with a fault.
func (p *daemon) broken(run serviceFunc, f Fault) serviceFunc {
	switch f.Kind {
	case Hang:
		return func(ctx context.Context, _ session) { <-ctx.Done() }
	case Slow:
		return func(ctx context.Context, s session) {
			if pause(ctx, f.Delay) {
				run(ctx, s)
			}
		}
	case Garbage:
		return func(_ context.Context, s session) {
			noise := make([]byte, max(f.Bytes, 64))
			rng := rand.New(rand.NewPCG(1, 2))
			for i := range noise {
				noise[i] = byte(rng.Uint32())
			}
			_, _ = s.Write(noise)
		}
	case Drop:
		return func(ctx context.Context, s session) {
			if f.Bytes > 0 {
				p.cutAfter(ctx, run, s, f.Bytes)
			}
			p.dropAway(f.Away)
		}
	default:
		return func(ctx context.Context, s session) { p.cutAfter(ctx, run, s, f.Bytes) }
	}
}

// cutAfter runs a service with output that ends after so many bytes.
func (p *daemon) cutAfter(ctx context.Context, run serviceFunc, s session, limit int) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	run(ctx, &cutSession{session: s, left: limit, cut: func() { cancel(killed(sigHUP)) }})
}

type cutSession struct {
	session
	mu   sync.Mutex
	left int
	cut  func()
}

func (c *cutSession) Write(b []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if len(b) < c.left {
		c.left -= len(b)
		return c.session.Write(b)
	}
	if c.left > 0 {
		_, _ = c.session.Write(b[:c.left])
	}
	c.left = 0
	c.cut()
	return 0, errHostGone
}

// lockedWriter lets several writers of a process share a stream.
type lockedWriter struct {
	mu *sync.Mutex
	w  io.Writer
}

func (l lockedWriter) Write(b []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(b)
}

// shellV1 is shell: and exec:, one stream for everything and no exit code.
func (p *userland) shellV1(ctx context.Context, s session, script string, exec bool) {
	out := lockedWriter{mu: &sync.Mutex{}, w: s}
	p.runShell(ctx, shellIO{in: s, out: out, err: out, exec: exec}, script)
}

type shellIO struct {
	in       io.Reader
	out, err io.Writer
	exec     bool
}

// runShell runs a script with its standard input from a pipe from the host; without a script the input is the script.
func (p *userland) runShell(ctx context.Context, streams shellIO, script string) int {
	p.sys.mu.Lock()
	p.shells++
	p.sys.mu.Unlock()
	pr, pw, err := os.Pipe()
	if err != nil {
		return 1
	}
	stop := context.AfterFunc(ctx, func() { pw.Close() })
	pumped := make(chan struct{})
	go func() {
		defer close(pumped)
		_, _ = io.Copy(pw, streams.in)
		pw.Close()
	}()
	if script == "" {
		text, _ := io.ReadAll(io.LimitReader(pr, 1<<20))
		script = string(text)
	}
	sh := &shell{
		sys: p.sys, land: p, pid: p.sys.procs.pid(), dir: "/", in: pr, out: streams.out,
		err: &complaints{w: streams.err}, exec: streams.exec,
	}
	code := sh.run(ctx, script)
	stop()
	pw.Close()
	pr.Close()
	// The pump may still wait for the host; its read ends when the stream closes, which the caller does.
	return code
}

// The packets of the shell protocol, version 2.
const (
	idStdin      = 0
	idStdout     = 1
	idStderr     = 2
	idExit       = 3
	idCloseStdin = 4
	idWindowSize = 5
)

func (p *userland) shellV2(ctx context.Context, s session, script string) {
	mu := &sync.Mutex{}
	streams := shellIO{
		in:  &stdinPackets{r: s},
		out: packetWriter{mu: mu, w: s, id: idStdout},
		err: packetWriter{mu: mu, w: s, id: idStderr},
	}
	code := p.runShell(ctx, streams, script)
	if ctx.Err() == nil {
		_, _ = packetWriter{mu: mu, w: s, id: idExit}.Write([]byte{byte(code)})
	}
}

type packetWriter struct {
	mu *sync.Mutex
	w  io.Writer
	id byte
}

func (p packetWriter) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	packet := make([]byte, 0, 5+min(len(b), 32<<10))
	for rest := b; len(rest) > 0; {
		n := min(len(rest), 32<<10)
		packet = binary.LittleEndian.AppendUint32(append(packet[:0], p.id), uint32(n))
		if _, err := p.w.Write(append(packet, rest[:n]...)); err != nil {
			return 0, err
		}
		rest = rest[n:]
	}
	return len(b), nil
}

// stdinPackets reads what is inside the stdin packets until the host closes stdin.
type stdinPackets struct {
	r    io.Reader
	buf  bytes.Buffer
	done bool
}

func (s *stdinPackets) Read(b []byte) (int, error) {
	for s.buf.Len() == 0 {
		if s.done {
			return 0, io.EOF
		}
		var head [5]byte
		if _, err := io.ReadFull(s.r, head[:]); err != nil {
			return 0, err
		}
		n := binary.LittleEndian.Uint32(head[1:])
		if n > 1<<20 {
			return 0, errors.New("shell packet too large")
		}
		body := make([]byte, n)
		if _, err := io.ReadFull(s.r, body); err != nil {
			return 0, err
		}
		switch head[0] {
		case idStdin:
			s.buf.Write(body)
		case idCloseStdin:
			s.done = true
		case idWindowSize: // there is no terminal to resize
		}
	}
	return s.buf.Read(b)
}

func adminService(s session, name, arg string) {
	switch name {
	case "tcpip":
		_, _ = io.WriteString(s, "restarting in TCP mode port: "+arg+"\n")
	case "usb":
		_, _ = io.WriteString(s, "restarting in USB mode\n")
	case "root":
		_, _ = io.WriteString(s, "adbd cannot run as root in production builds\n")
	case "unroot":
		_, _ = io.WriteString(s, "adbd not running as root\n")
	case "remount":
		_, _ = io.WriteString(s, "remount failed\n")
	}
}

// reverse refuses what it cannot give, with the messages of adbd.
func (p *daemon) reverse(s session, arg string) {
	switch cmd, _, _ := strings.Cut(arg, ":"); cmd {
	case "list-forward":
		_, _ = io.WriteString(s, "OKAY0000")
	case "killforward-all":
		_, _ = io.WriteString(s, "OKAY")
	case "killforward":
		_, _ = io.WriteString(s, "FAIL"+hex4("listener '"+strings.TrimPrefix(arg, "killforward:")+"' not found"))
	case "forward":
		_, _ = io.WriteString(s, "FAIL"+hex4("cannot bind listener: Permission denied"))
	default:
		_, _ = io.WriteString(s, "FAIL"+hex4("not a reverse forwarding command"))
	}
}

// counted wraps a service so that its time counts as the phone's.
func (p *daemon) counted(run serviceFunc) serviceFunc {
	return func(ctx context.Context, s session) {
		defer p.sys.busy.work()()
		run(ctx, s)
	}
}
