package host

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
	"sync"
	"syscall"
)

// SocketVariable has the address of the lab for the programs.
const SocketVariable = "TAPROOT_IOSSIM_SOCKET"

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

// Call is what a program sends: first its arguments, then the signals that it gets.
type Call struct {
	Name   string   `json:"name,omitempty"`
	Args   []string `json:"args,omitempty"`
	Env    []string `json:"env,omitempty"`
	Signal string   `json:"signal,omitempty"`
}

// Reply is what a program has to print, and its exit code at the end.
type Reply struct {
	Out  []byte `json:"out,omitempty"`
	Err  []byte `json:"err,omitempty"`
	Exit *int   `json:"exit,omitempty"`
}

// Tool is the whole of a program: the lab does the work.
func Tool(args, environ []string) int {
	socket := os.Getenv(SocketVariable)
	conn, err := net.Dial("unix", socket)
	if err != nil {
		fmt.Fprintln(os.Stderr, "no lab:", err)
		return 70
	}
	defer conn.Close()
	var mu sync.Mutex
	send := func(c Call) {
		mu.Lock()
		defer mu.Unlock()
		_ = json.NewEncoder(conn).Encode(c)
	}
	signals := make(chan os.Signal, 4)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	send(Call{Name: filepath.Base(args[0]), Args: args[1:], Env: environ})
	go func() {
		for s := range signals {
			send(Call{Signal: s.String()})
		}
	}()
	for replies := json.NewDecoder(conn); ; {
		var r Reply
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

// Program is a running program, as the lab sees it.
type Program struct {
	Args    []string
	Env     map[string]string
	Ctx     context.Context // ends when the program does
	Signals chan string
	Cut     bool // what it writes ends in the middle

	mu  sync.Mutex
	Enc *json.Encoder
}

// Send lets the program print, or end.
func (p *Program) Send(r Reply) {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.Enc.Encode(r) // a program that is gone receives nothing
}

// Print prints to the standard output.
func (p *Program) Print(format string, args ...any) {
	p.Send(Reply{Out: fmt.Appendf(nil, format, args...)})
}

// Warn prints to the standard error.
func (p *Program) Warn(format string, args ...any) {
	p.Send(Reply{Err: fmt.Appendf(nil, format, args...)})
}

// Write prints, so that a process can be a log's reader.
func (p *Program) Write(b []byte) (int, error) {
	p.Send(Reply{Out: b})
	return len(b), nil
}

// Wait runs until the program is interrupted or killed; it returns which.
func (p *Program) Wait() (interrupted bool) {
	select {
	case <-p.Signals:
		return true
	case <-p.Ctx.Done():
		return false
	}
}

// Cutter cuts what a program prints in half.
type Cutter struct{ Enc *json.Encoder }

func (c *Cutter) Write(b []byte) (int, error) {
	var r Reply
	if err := json.Unmarshal(b, &r); err != nil {
		return 0, err
	}
	r.Out = r.Out[:len(r.Out)/2]
	return len(b), c.Enc.Encode(r)
}

var _ io.Writer = (*Program)(nil)
