package iossim

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
)

// socketVariable has the address of the lab for the programs.
const socketVariable = "TAPROOT_IOSTEST_SOCKET"

// Build puts the programs xcrun, ios and ios_webkit_debug_proxy into a folder.
func Build(ctx context.Context, dir string) error {
	built := filepath.Join(dir, "xcrun")
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-o", built,
		"github.com/taproot-dev/taproot/internal/sim/ios/faketool")
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("build the programs: %w: %s", err, out)
	}
	for _, name := range []string{"ios", "ios_webkit_debug_proxy"} {
		if err := os.Link(built, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// call is what a program sends: first its arguments, then the signals that it gets.
type call struct {
	Name   string   `json:"name,omitempty"`
	Args   []string `json:"args,omitempty"`
	Env    []string `json:"env,omitempty"`
	Signal string   `json:"signal,omitempty"`
}

// reply is what a program has to print, and its exit code at the end.
type reply struct {
	Out  []byte `json:"out,omitempty"`
	Err  []byte `json:"err,omitempty"`
	Exit *int   `json:"exit,omitempty"`
}

// Tool is the whole of a program: the lab does the work.
func Tool(args, environ []string) int {
	socket := os.Getenv(socketVariable)
	conn, err := net.Dial("unix", socket)
	if err != nil {
		fmt.Fprintln(os.Stderr, "no lab:", err)
		return 70
	}
	defer conn.Close()
	var mu sync.Mutex
	send := func(c call) {
		mu.Lock()
		defer mu.Unlock()
		_ = json.NewEncoder(conn).Encode(c)
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	send(call{Name: filepath.Base(args[0]), Args: args[1:], Env: environ})
	go func() {
		for s := range signals {
			send(call{Signal: s.String()})
		}
	}()
	for replies := json.NewDecoder(conn); ; {
		var r reply
		if err := replies.Decode(&r); err != nil {
			return 71
		}
		_, _ = os.Stdout.Write(r.Out)
		_, _ = os.Stderr.Write(r.Err)
		if r.Exit != nil {
			return *r.Exit
		}
	}
}

// process is a running program, as the lab sees it.
type process struct {
	args    []string
	env     map[string]string
	ctx     context.Context // ends when the program does
	signals chan string
	cut     bool // what it writes ends in the middle

	mu  sync.Mutex
	enc *json.Encoder
}

func (p *process) send(r reply) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.enc.Encode(r) // a program that is gone receives nothing
}

func (p *process) print(format string, args ...any) {
	p.send(reply{Out: fmt.Appendf(nil, format, args...)})
}

func (p *process) warn(format string, args ...any) {
	p.send(reply{Err: fmt.Appendf(nil, format, args...)})
}

// Write prints, so that a process can be a log's reader.
func (p *process) Write(b []byte) (int, error) {
	p.send(reply{Out: b})
	return len(b), nil
}

// wait runs until the program is interrupted or killed; it returns which.
func (p *process) wait() (interrupted bool) {
	select {
	case <-p.signals:
		return true
	case <-p.ctx.Done():
		return false
	}
}

// serve takes the calls of the programs.
func (l *Lab) serve() {
	for {
		conn, err := l.listener.Accept()
		if err != nil {
			return
		}
		l.work.Go(func() { l.attend(conn) })
	}
}

func (l *Lab) attend(conn net.Conn) {
	defer conn.Close()
	ctx, cancel := context.WithCancel(l.ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	calls := json.NewDecoder(conn)
	var first call
	if calls.Decode(&first) != nil {
		return
	}
	p := &process{args: first.Args, ctx: ctx, signals: make(chan string, 8), enc: json.NewEncoder(conn),
		env: map[string]string{}}
	for _, entry := range first.Env {
		name, value, _ := strings.Cut(entry, "=")
		p.env[name] = value
	}
	go func() {
		defer cancel()
		for {
			var c call
			if err := calls.Decode(&c); err != nil {
				return
			}
			select {
			case p.signals <- c.Signal:
			default:
			}
		}
	}()
	defer l.entered(first.Name + " " + strings.Join(first.Args, " "))()
	code := l.program(first.Name, p)
	p.send(reply{Exit: &code})
}

// program runs one, with the faults that are armed for it.
func (l *Lab) program(name string, p *process) int {
	line := name + " " + strings.Join(p.args, " ")
	l.note("%s", line)
	fault, armed := l.fault(line)
	if armed {
		switch fault.Kind {
		case Hang:
			p.wait()
			return 130
		case Slow:
			if !l.rest(p.ctx, fault.For) {
				return 130
			}
		case Refuse:
			p.warn("%s", fault.Text)
			return max(fault.Code, 1)
		case Garbage:
			p.print("\x00\xff not what anyone expects {")
			return 0
		case Cut:
			p.cut, p.enc = true, json.NewEncoder(&cutter{enc: p.enc})
		}
	}
	run := map[string]func(*process) int{"xcrun": l.xcrun, "ios": l.goios, "ios_webkit_debug_proxy": l.webkitProxy}[name]
	if run == nil {
		return 127
	}
	return run(p)
}

// cutter cuts what a program prints in half.
type cutter struct{ enc *json.Encoder }

func (c *cutter) Write(b []byte) (int, error) {
	var r reply
	if err := json.Unmarshal(b, &r); err != nil {
		return 0, err
	}
	r.Out = r.Out[:len(r.Out)/2]
	return len(b), c.enc.Encode(r)
}

var _ io.Writer = (*process)(nil)
