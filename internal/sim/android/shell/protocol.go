package shell

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"sync"

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
)

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

// ShellV1 is shell: and exec:, one stream for everything and no exit code.
func (u *Userland) ShellV1(ctx context.Context, s kernel.Stream, script string, exec bool) {
	out := lockedWriter{mu: &sync.Mutex{}, w: s}
	u.Run(ctx, Streams{In: s, Out: out, Err: out, exec: exec}, script)
}

// Streams are the standard streams of a script.
type Streams struct {
	In       io.Reader
	Out, Err io.Writer
	exec     bool
}

// Run runs a script with its standard input from a pipe from the host; without a script the input is the script.
func (u *Userland) Run(ctx context.Context, streams Streams, script string) int {
	u.sys.Mu.Lock()
	u.shells++
	u.sys.Mu.Unlock()
	pr, pw, err := os.Pipe()
	if err != nil {
		return 1
	}
	stop := context.AfterFunc(ctx, func() { pw.Close() })
	pumped := make(chan struct{})
	go func() {
		defer close(pumped)
		_, _ = io.Copy(pw, streams.In)
		pw.Close()
	}()
	if script == "" {
		text, _ := io.ReadAll(io.LimitReader(pr, 1<<20))
		script = string(text)
	}
	sh := &shell{
		sys: u.sys, land: u, pid: u.sys.Procs.PID(), dir: "/", in: pr, out: streams.Out,
		err: &complaints{w: streams.Err}, exec: streams.exec,
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

// ShellV2 is the shell protocol, version 2: packets for each stream, and an exit code.
func (u *Userland) ShellV2(ctx context.Context, s kernel.Stream, script string) {
	mu := &sync.Mutex{}
	streams := Streams{
		In:  &stdinPackets{r: s},
		Out: packetWriter{mu: mu, w: s, id: idStdout},
		Err: packetWriter{mu: mu, w: s, id: idStderr},
	}
	code := u.Run(ctx, streams, script)
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
