package ios

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/shorten"
)

const (
	toolLimit  = 30 * time.Second // a program that responds at once when all is well
	toolOutput = 32 << 20
	saidBytes  = 8 << 10 // what is kept of a program that runs on
	// readLimit is for what a program wrote to be read once it has ended; it counts when something else holds its output
	// open, too.
	readLimit = 3 * time.Second
)

// tools are the programs of this machine that reach iOS devices; a path is "" where there is none.
type tools struct {
	xcrun, goios string
	webkit       string // ios_webkit_debug_proxy
	environ      []string
	log          *slog.Logger
}

// command is one start of a program.
type command struct {
	name  string // in messages: "simctl launch"
	path  string
	args  []string
	env   []string // added to the environment
	limit time.Duration
	spare bool // it is asked to end, but never killed
	// logged: it ends with 0 also when it fails, and reports that in its log alone.
	logged bool
}

func (t tools) simctl(args ...string) command {
	return command{name: "simctl " + args[0], path: t.xcrun, args: append([]string{"simctl"}, args...), limit: toolLimit}
}

func (t tools) devicectl(args ...string) command {
	return command{name: "devicectl " + strings.Join(args[:min(3, len(args))], " "), path: t.xcrun,
		args: append([]string{"devicectl"}, args...), limit: toolLimit}
}

func (t tools) ios(args ...string) command {
	return command{name: "ios " + args[0], path: t.goios, args: args, limit: toolLimit}
}

// toolError is a program that ended with an exit code other than 0.
type toolError struct {
	name   string
	code   int
	output string
}

func (e *toolError) Error() string {
	if e.output == "" {
		return fmt.Sprintf("%s ended with exit code %d", e.name, e.code)
	}
	return fmt.Sprintf("%s: %s (exit code %d)", e.name, shorten.Bytes(shorten.OneLine(e.output), 400), e.code)
}

// run starts a program and returns what it wrote to its standard output.
func (t tools) run(ctx context.Context, c command) ([]byte, error) {
	if c.path == "" {
		return nil, fmt.Errorf("%s: %w", c.name, exec.ErrNotFound)
	}
	bound, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	var out, errs capped
	cmd := exec.CommandContext(bound, c.path, c.args...)
	cmd.Env = append(append([]string(nil), t.environ...), c.env...)
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.WaitDelay = readLimit
	began := time.Now()
	err := cmd.Run()
	t.log.Debug("ran", "program", c.name, "took", time.Since(began), "error", err)
	var ended *exec.ExitError
	switch {
	case ctx.Err() != nil:
		return nil, fmt.Errorf("%s: %w", c.name, context.Cause(ctx))
	case bound.Err() != nil:
		return nil, fmt.Errorf("%w: %s did not end within %v", drivers.ErrDeviceLost, c.name, c.limit)
	case out.full:
		return nil, fmt.Errorf("%s wrote more than %d bytes", c.name, toolOutput)
	case errors.As(err, &ended):
		return out.buf.Bytes(), &toolError{c.name, ended.ExitCode(), failureText(errs.buf.String(), out.buf.String())}
	case err != nil:
		return nil, fmt.Errorf("%s: %w", c.name, err)
	case c.logged && len(errorsIn(errs.buf.String())) > 0:
		return out.buf.Bytes(), &toolError{c.name, 0, failureText(errs.buf.String(), "")}
	}
	return out.buf.Bytes(), nil
}

// failureText is what a program reported of its failure.
func failureText(errs, out string) string {
	if s := strings.TrimSpace(errs); s != "" {
		return complaints(s)
	}
	return complaints(strings.TrimSpace(out))
}

// capped keeps the first bytes of an output and reads on, so that the program never waits for us.
type capped struct {
	buf  bytes.Buffer
	full bool
}

func (c *capped) Write(p []byte) (int, error) {
	room := toolOutput - c.buf.Len()
	c.full = c.full || room < len(p)
	c.buf.Write(p[:min(max(room, 0), len(p))])
	return len(p), nil
}

// background is a program that runs on.
type background struct {
	name string
	cmd  *exec.Cmd
	done chan struct{} // closed when it has ended
	err  error         // of its end; read it after done

	mu    sync.Mutex
	said  []byte
	heard chan struct{} // closed and renewed when it says something
}

// start starts a program that runs on. Its standard output goes to out as well, when that is not nil.
func (t tools) start(c command, out io.Writer) (*background, error) {
	if c.path == "" {
		return nil, fmt.Errorf("%s: %w", c.name, exec.ErrNotFound)
	}
	b := &background{name: c.name, done: make(chan struct{}), heard: make(chan struct{})}
	b.cmd = exec.Command(c.path, c.args...)
	b.cmd.Env = append(append([]string(nil), t.environ...), c.env...)
	b.cmd.Stderr = b
	b.cmd.Stdout = b
	if out != nil {
		b.cmd.Stdout = out
	}
	b.cmd.WaitDelay = readLimit
	if err := b.cmd.Start(); err != nil {
		return nil, fmt.Errorf("%s: %w", c.name, err)
	}
	dismiss := t.guard(b.cmd.Process.Pid, c)
	go func() {
		b.err = b.cmd.Wait()
		dismiss()
		close(b.done)
	}()
	return b, nil
}

// Write keeps the end of what the program says.
func (b *background) Write(p []byte) (int, error) {
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

// text returns what it printed lately, and a channel that signals when there is more.
func (b *background) text() (string, <-chan struct{}) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return string(b.said), b.heard
}

// last returns the end of what it printed, for a message.
func (b *background) last() string {
	text, _ := b.text()
	return lastLines(complaints(strings.TrimSpace(text)))
}

// says waits until the program has printed something.
func (b *background) says(ctx context.Context, words string) error {
	for {
		text, heard := b.text()
		if strings.Contains(text, words) {
			return nil
		}
		select {
		case <-heard:
		case <-b.done:
			if text, _ := b.text(); strings.Contains(text, words) {
				return nil
			}
			return b.ended()
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// ended reports how a program ended that should have run on.
func (b *background) ended() error {
	if text := b.last(); text != "" {
		return fmt.Errorf("%s ended by itself (%v): %s", b.name, b.err, text)
	}
	return fmt.Errorf("%s ended by itself: %v", b.name, b.err)
}

// interrupt interrupts the program and waits for that.
func (b *background) interrupt(ctx context.Context) error {
	if err := b.cmd.Process.Signal(os.Interrupt); err != nil && !errors.Is(err, os.ErrProcessDone) {
		_ = b.cmd.Process.Kill() // there are no signals on Windows
	}
	select {
	case <-b.done:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("%s (process %d) does not end: %w", b.name, b.cmd.Process.Pid, context.Cause(ctx))
	}
}

// stop interrupts the program, and ends it when it does not within grace.
func (b *background) stop(grace time.Duration) {
	ctx, cancel := context.WithTimeout(context.Background(), grace)
	defer cancel()
	if b.interrupt(ctx) != nil {
		_ = b.cmd.Process.Kill()
		<-b.done
	}
}

// lastLines is the end of what a program printed, for a message.
func lastLines(s string) string {
	lines := strings.Split(strings.TrimSpace(s), "\n")
	return shorten.Bytes(shorten.OneLine(strings.Join(lines[max(0, len(lines)-6):], " ")), 600)
}
