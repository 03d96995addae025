package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/phrase"
)

const (
	toolLimit  = 30 * time.Second // a program that responds at once when all is well
	toolOutput = 32 << 20
	saidBytes  = 8 << 10 // what is kept of a program that runs on
	// readLimit is for what a program wrote to be read once it has ended; it counts when something else holds its output
	// open, too.
	readLimit = 3 * time.Second
	// StopGrace is for what was started to end; listenPoll is how often a port is tried until something listens there.
	StopGrace  = 10 * time.Second
	listenPoll = 20 * time.Millisecond
)

// Tools are the programs of this machine that reach iOS devices; a path is "" where there is none.
type Tools struct {
	Xcrun, GoIOS string
	Webkit       string // ios_webkit_debug_proxy
	Environ      []string
	Log          *slog.Logger
}

// Command is one start of a program.
type Command struct {
	Name  string // in messages: "simctl launch"
	Path  string
	Args  []string
	Env   []string // added to the environment
	Limit time.Duration
	spare bool // it is asked to end, but never killed
	// Logged: it ends with 0 also when it fails, and reports that in its log alone.
	Logged bool
}

// Simctl returns the start of one of simctl's commands.
func (t Tools) Simctl(args ...string) Command {
	return Command{Name: "simctl " + args[0], Path: t.Xcrun, Args: append([]string{"simctl"}, args...), Limit: toolLimit}
}

func (t Tools) devicectl(args ...string) Command {
	return Command{Name: "devicectl " + strings.Join(args[:min(3, len(args))], " "), Path: t.Xcrun,
		Args: append([]string{"devicectl"}, args...), Limit: toolLimit}
}

// GoIOSCommand returns the start of one of go-ios's commands.
func (t Tools) GoIOSCommand(args ...string) Command {
	return Command{Name: "ios " + args[0], Path: t.GoIOS, Args: args, Limit: toolLimit}
}

// ToolError is a program that ended with an exit code other than 0.
type ToolError struct {
	name   string
	code   int
	output string
}

func (e *ToolError) Error() string {
	if e.output == "" {
		return fmt.Sprintf("%s ended with exit code %d", e.name, e.code)
	}
	return fmt.Sprintf("%s: %s (exit code %d)", e.name, phrase.LimitBytes(phrase.OneLine(e.output), 400), e.code)
}

// Run starts a program and returns what it wrote to its standard output.
func (t Tools) Run(ctx context.Context, c Command) ([]byte, error) {
	if c.Path == "" {
		return nil, fmt.Errorf("%s: %w", c.Name, exec.ErrNotFound)
	}
	bound, cancel := context.WithTimeout(ctx, c.Limit)
	defer cancel()
	var out, errs capped
	cmd := exec.CommandContext(bound, c.Path, c.Args...)
	cmd.Env = append(append([]string(nil), t.Environ...), c.Env...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = readLimit
	began := time.Now()
	err := cmd.Run()
	t.Log.Debug("ran", "program", c.Name, "took", time.Since(began), "error", err)
	var ended *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s: %w", c.Name, context.Cause(ctx))
	case bound.Err() != nil:
		return nil, fmt.Errorf("%w: %s did not end within %v", drivers.ErrDeviceLost, c.Name, c.Limit)
	case out.full:
		return nil, fmt.Errorf("%s wrote more than %d bytes", c.Name, toolOutput)
	case errors.As(err, &ended):
		return out.buf.Bytes(), &ToolError{c.Name, ended.ExitCode(), failureText(errs.buf.String(), out.buf.String())}
	case err != nil:
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	case c.Logged && len(errorsIn(errs.buf.String())) > 0:
		return out.buf.Bytes(), &ToolError{c.Name, 0, failureText(errs.buf.String(), "")}
	}
	return out.buf.Bytes(), nil
}

// Process is a program that runs on.
type Process struct {
	Name string
	cmd  *exec.Cmd
	Done chan struct{} // closed when it has ended
	err  error         // of its end; read it after done

	mu    sync.Mutex
	said  []byte
	heard chan struct{} // closed and renewed when it says something
}

// Start starts a program that runs on. Its standard output goes to out as well, when that is not nil.
func (t Tools) Start(c Command, out io.Writer) (*Process, error) {
	if c.Path == "" {
		return nil, fmt.Errorf("%s: %w", c.Name, exec.ErrNotFound)
	}
	b := &Process{Name: c.Name, Done: make(chan struct{}), heard: make(chan struct{})}
	b.cmd = exec.Command(c.Path, c.Args...)
	b.cmd.Env = append(append([]string(nil), t.Environ...), c.Env...)
	b.cmd.Stderr = b
	b.cmd.Stdout = b
	if out != nil {
		b.cmd.Stdout = out
	}
	b.cmd.WaitDelay = readLimit
	if err := b.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	dismiss := t.guard(b.cmd.Process.Pid, c)
	go func() {
		b.err = b.cmd.Wait()
		dismiss()
		close(b.Done)
	}()
	return b, nil
}

// Write keeps the end of what the program says.
func (b *Process) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.said = append(b.said, p...)
	if over := len(b.said) - saidBytes; over > 0 {
		b.said = append([]byte(nil), b.said[over:]...)
	}
	close(b.heard)
	b.heard = make(chan struct{})
	return len(p), nil
}

// Text returns what it printed lately, and a channel that signals when there is more.
func (b *Process) Text() (string, <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return string(b.said), b.heard
}

// Last returns the end of what it printed, for a message.
func (b *Process) Last() string {
	text, _ := b.Text()
	return lastLines(complaints(strings.TrimSpace(text)))
}

// Says waits until the program has printed something.
func (b *Process) Says(ctx context.Context, words string) error {
	for {
		text, heard := b.Text()
		if strings.Contains(text, words) {
			return nil
		}
		select {
		case <-heard:
		case <-b.Done:
			if text, _ := b.Text(); strings.Contains(text, words) {
				return nil
			}
			return b.Ended()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// Ended reports how a program ended that should have run on.
func (b *Process) Ended() error {
	if text := b.Last(); text != "" {
		return fmt.Errorf("%s ended by itself (%v): %s", b.Name, b.err, text)
	}
	return fmt.Errorf("%s ended by itself: %v", b.Name, b.err)
}

// Interrupt interrupts the program and waits for that.
func (b *Process) Interrupt(ctx context.Context) error {
	if err := b.cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
		_ = b.cmd.Process.Kill() // there are no signals on Windows
	}
	select {
	case <-b.Done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s (process %d) does not end: %w", b.Name, b.cmd.Process.Pid, context.Cause(ctx))
	}
}

// Stop interrupts the program, and ends it when it does not within grace.
func (b *Process) Stop(grace time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if b.Interrupt(ctx) != nil {
		_ = b.cmd.Process.Kill()
		<-b.Done
	}
}

// outlived ends the process $1 when the standard input closes, which happens when we are killed: asked first, and after
// ten seconds by force, unless $2 says otherwise.
const outlived = `trap '' INT TERM HUP
read -r _
kill -INT "$1" || exit 0
[ "$2" = spare ] && exit 0
for i in 1 2 3 4 5 6 7 8 9 10; do sleep 1; kill -0 "$1" || exit 0; done
kill -KILL "$1"`

// guard sees to it that a program which runs on does not outlive us, even when we are killed: a test runner that is
// left behind keeps its device busy. Without a shell, as on Windows, there is none. The function that it returns is
// called once the program has ended.
func (t Tools) guard(pid int, c Command) (dismiss func()) {
	how := "kill"
	if c.spare {
		how = "spare"
	}
	cmd := exec.Command("/bin/sh", "-c", outlived, "guard", strconv.Itoa(pid), how)
	cmd.Env = []string{"PATH=/bin:/usr/bin"}
	alarm, err := cmd.StdinPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Log.Debug("nothing ends the program when this process is killed", "program", c.Name, "error", err)
		return func() {}
	}
	return func() {
		_ = cmd.Process.Kill() // before its alarm goes off: the number may be another process's by now
		_ = cmd.Wait()
		_ = alarm.Close()
	}
}

// Modified returns when a file was changed, the zero time where that is not known.
func Modified(file string) time.Time {
	info, err := os.Stat(file)
	if err != nil {
		return time.Time{}
	}
	return info.ModTime()
}

// EscapeGlob returns a pattern that only the path itself matches.
func EscapeGlob(path string) string {
	return strings.NewReplacer("*", `\*`, "?", `\?`, "[", `\[`).Replace(path)
}
