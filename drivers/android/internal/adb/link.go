package adb

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/shellerr"
)

const (
	CommandLimit = 15 * time.Second
	outputLimit  = 8 << 20
	StderrLimit  = 64 << 10
)

// Link reaches one device through the adb server, with one connection per command.
type Link struct {
	Server *Server
	Serial string

	mu        sync.Mutex
	Features  map[string]bool // nil until asked for
	transport string          // the number of the connection, of a device that shares its serial; "" until asked for
	noExec    bool            // the device has neither shell v2 nor exec
	away      bool            // it was waited for in vain, and has not answered since
}

// Command is one line for the device's shell.
type Command struct {
	Name     string // replaces it in messages: the line may hold what a user types
	Line     string
	Limit    time.Duration   // zero means CommandLimit
	Max      int             // of standard output, in bytes; zero means outputLimit
	Hint     int             // how many bytes to expect
	Seen     func(int) error // gets how many bytes came so far; its error ends the command
	ReadOnly bool            // it changes nothing on the phone, so that it may be asked again
}

// Output is what a command left. A device without shell v2 returns all of it in out.
type Output struct {
	Out, Errs []byte
	Code      int
}

// Text returns everything that was printed, errors first.
func (o Output) Text() string { return string(o.Errs) + "\n" + string(o.Out) }

// Reason is the line that best says why a command failed.
func (o Output) Reason() string {
	if line := shellerr.Line(o.Text()); line != "" {
		return line
	}
	return fmt.Sprintf("it ended with code %d and printed nothing", o.Code)
}

// Has reports whether the device's adbd offers a feature.
func (l *Link) Has(ctx context.Context, feature string) (bool, error) {
	l.mu.Lock()
	known := l.Features
	l.mu.Unlock()
	if known != nil {
		return known[feature], nil
	}
	answer, err := l.Query(ctx, "features")
	if err != nil {
		if refused := new(refusal); !errors.As(err, &refused) || l.lostBy(refused.message) != "" {
			return false, l.Fault(ctx, "features", err)
		}
		answer = "" // a server from before features
	}
	known = map[string]bool{}
	for f := range strings.SplitSeq(strings.TrimSpace(answer), ",") {
		known[f] = true
	}
	l.mu.Lock()
	l.Features = known
	l.mu.Unlock()
	return known[feature], nil
}

// Service opens a service of the device. The connection lives no longer than ctx.
func (l *Link) Service(ctx context.Context, name string) (*Conn, error) {
	c, err := l.Server.connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := l.choose(ctx, c); err != nil {
		c.Close()
		return nil, err
	}
	if err := c.request(name); err != nil {
		c.Close()
		return nil, err
	}
	return c, nil
}

// choose makes a connection one to this device.
func (l *Link) choose(ctx context.Context, c *Conn) error {
	request, err := l.toDevice(ctx)
	if err != nil {
		return err
	}
	if err = c.request(request); err != nil {
		l.forget()
	}
	return err
}

// Start starts a shell command. Its end is seen by process.wait, which the caller must call.
func (l *Link) Start(ctx context.Context, line string) (*Process, error) {
	v2, err := l.Has(ctx, "shell_v2")
	if err != nil {
		return nil, err
	}
	if v2 {
		c, err := l.Service(ctx, "shell,v2,raw:"+line)
		if err != nil {
			return nil, err
		}
		// Standard input stays open and empty: a packet that closes it may arrive after a short command has ended, and the
		// reset that follows would take the command's output with it.
		return &Process{c: c, v2: true}, nil
	}
	return l.startLegacy(ctx, line)
}

// startLegacy is for devices before Android 7: exec returns raw bytes, shell goes through a terminal.
func (l *Link) startLegacy(ctx context.Context, line string) (*Process, error) {
	l.mu.Lock()
	noExec := l.noExec
	l.mu.Unlock()
	if !noExec {
		c, err := l.Service(ctx, "exec:"+line)
		if err == nil {
			return &Process{c: c}, nil
		}
		if refused := new(refusal); !errors.As(err, &refused) || l.lostBy(refused.message) != "" {
			return nil, err
		}
		l.mu.Lock()
		l.noExec = true
		l.mu.Unlock()
	}
	c, err := l.Service(ctx, "shell:"+line)
	if err != nil {
		return nil, err
	}
	return &Process{c: c}, nil
}

const exitMark = "taproot-exit:"

// Run runs a command to its end. An exit code other than zero is not an error here: many of Android's commands err in
// both. A read is repeated once when the connection breaks and the device comes back; input never is, for it
// may have happened.
func (l *Link) Run(ctx context.Context, cmd Command) (Output, error) {
	o, err := l.runOnce(ctx, cmd)
	if cmd.ReadOnly && Dropped(err) && l.Returns(ctx) {
		l.Server.Log.Info("the connection broke, asking again", "device", l.Serial, "command", cmd.Name)
		o, err = l.runOnce(ctx, cmd)
	}
	return o, err
}

func (l *Link) runOnce(ctx context.Context, cmd Command) (Output, error) {
	limit := cmd.Limit
	if limit == 0 {
		limit = CommandLimit
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, l.TooSlow(cmd.Name, limit))
	defer cancel()
	v2, err := l.Has(ctx, "shell_v2")
	if err != nil {
		return Output{}, err
	}
	line := cmd.Line
	if !v2 {
		line += "; echo " + exitMark + "$?"
	}
	p, err := l.Start(ctx, line)
	if err != nil {
		return Output{}, l.Fault(ctx, cmd.Name, err)
	}
	out := &Capped{Max: cmd.Max}
	if out.Max == 0 {
		out.Max = outputLimit
	}
	out.buf.Grow(min(cmd.Hint, out.Max))
	errs := &Capped{Max: StderrLimit, Quiet: true}
	watched := &seenWriter{Capped: out, seen: cmd.Seen}
	code, err := p.Wait(watched, errs)
	if watched.stopped != nil {
		return Output{}, watched.stopped
	}
	if err != nil {
		return Output{}, l.Fault(ctx, cmd.Name, err)
	}
	l.setAway(false)
	if p.v2 {
		return Output{out.Bytes(), errs.Bytes(), code}, nil
	}
	o, ok := splitExit(out.Bytes())
	if !ok {
		return Output{}, l.Fault(ctx, cmd.Name, io.ErrUnexpectedEOF)
	}
	return o, nil
}

// splitExit takes the exit code from the end of what a device without shell v2 sent. Without it the reply was cut.
func splitExit(all []byte) (Output, bool) {
	i := bytes.LastIndex(all, []byte(exitMark))
	if i < 0 {
		return Output{}, false
	}
	code, err := strconv.Atoi(strings.TrimSpace(string(all[i+len(exitMark):])))
	return Output{Out: all[:i], Code: code}, err == nil
}

// State queries the adb server for the state of the device.
func (l *Link) State(ctx context.Context) (drivers.State, error) {
	answer, err := l.Query(ctx, "get-state")
	if err != nil {
		return "", l.Fault(ctx, "get-state", err)
	}
	return drivers.State(strings.TrimSpace(answer)), nil
}

// Feed opens a service, sends it what is in r, and reads its response to the end.
func (l *Link) Feed(ctx context.Context, service string, r io.Reader) (string, error) {
	c, err := l.Service(ctx, service)
	if err != nil {
		return "", err
	}
	defer c.Close()
	_, wrote := io.Copy(c, r)
	answer := &Capped{Max: installReply, Quiet: true}
	_, err = io.Copy(answer, c)
	said := string(answer.Bytes())
	if strings.TrimSpace(said) != "" {
		return said, nil // it may have answered before it had everything
	}
	if err = errors.Join(wrote, err); err == nil {
		err = io.ErrUnexpectedEOF
	}
	return "", err
}

// QueryOptional queries what a phone can be used without.
func (l *Link) QueryOptional(ctx context.Context, cmd Command) string {
	cmd.Limit, cmd.ReadOnly = tellLimit, true
	o, err := l.Run(ctx, cmd)
	if err != nil && ctx.Err() == nil {
		l.Server.Log.Warn("the phone does not report it", "device", l.Serial, "command", cmd.Name, "error", err)
	}
	return string(o.Out)
}

// tellLimit is for what a phone can be used without.
const tellLimit = 5 * time.Second

// Failed reports whether a command did not do what it was for. Old tools end with code 0 whatever happens.
func (o Output) Failed() bool {
	if o.Code != 0 {
		return true
	}
	said := o.Text()
	for _, word := range []string{"Exception", "Security exception", "Error: ", "Can't find service",
		"Operation not allowed"} {
		if strings.Contains(said, word) {
			return true
		}
	}
	return false
}

var unknownCommand = lazyregexp.New(
	`(?i)can't find service|no shell command implementation|inaccessible or not found|` +
		`cmd: (input: )?not found|failure calling service input|unknown command`)

func NoSuchCommand(o Output) bool {
	return o.Code == 127 || o.Code != 0 && unknownCommand.MatchString(o.Text())
}

func HasLine(text, want string) bool {
	for line := range strings.Lines(text) {
		if strings.TrimSpace(line) == want {
			return true
		}
	}
	return false
}

// Killed finds the shell's word on a process that got SIGKILL.
func Killed(said string) bool {
	for line := range strings.Lines(said) {
		if line = strings.TrimSpace(line); line == "Killed" || strings.HasSuffix(line, ": Killed") ||
			strings.HasPrefix(line, "Killed ") {
			return true
		}
	}
	return false
}

const installReply = 64 << 10
