package android

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
	"github.com/taproot-dev/taproot/internal/shellerr"
)

const (
	commandLimit = 15 * time.Second
	outputLimit  = 8 << 20
	stderrLimit  = 64 << 10
)

// link reaches one device through the adb server, with one connection per command.
type link struct {
	srv    *server
	serial string

	mu        sync.Mutex
	features  map[string]bool // nil until asked for
	transport string          // the number of the connection, of a device that shares its serial; "" until asked for
	noExec    bool            // the device has neither shell v2 nor exec
	away      bool            // it was waited for in vain, and has not answered since
}

// command is one line for the device's shell.
type command struct {
	name     string // replaces it in messages: the line may hold what a user types
	line     string
	limit    time.Duration   // zero means commandLimit
	max      int             // of standard output, in bytes; zero means outputLimit
	hint     int             // how many bytes to expect
	seen     func(int) error // gets how many bytes came so far; its error ends the command
	readOnly bool            // it changes nothing on the phone, so that it may be asked again
}

// output is what a command left. A device without shell v2 returns all of it in out.
type output struct {
	out, errs []byte
	code      int
}

// text returns everything that was printed, errors first.
func (o output) text() string { return string(o.errs) + "\n" + string(o.out) }

// reason is the line that best says why a command failed.
func (o output) reason() string {
	if line := shellerr.Line(o.text()); line != "" {
		return line
	}
	return fmt.Sprintf("it ended with code %d and printed nothing", o.code)
}

// has reports whether the device's adbd offers a feature.
func (l *link) has(ctx context.Context, feature string) (bool, error) {
	l.mu.Lock()
	known := l.features
	l.mu.Unlock()
	if known != nil {
		return known[feature], nil
	}
	answer, err := l.query(ctx, "features")
	if err != nil {
		if refused := new(refusal); !errors.As(err, &refused) || l.lostBy(refused.message) != "" {
			return false, l.fault(ctx, "features", err)
		}
		answer = "" // a server from before features
	}
	known = map[string]bool{}
	for f := range strings.SplitSeq(strings.TrimSpace(answer), ",") {
		known[f] = true
	}
	l.mu.Lock()
	l.features = known
	l.mu.Unlock()
	return known[feature], nil
}

// service opens a service of the device. The connection lives no longer than ctx.
func (l *link) service(ctx context.Context, name string) (*conn, error) {
	c, err := l.srv.connect(ctx)
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
func (l *link) choose(ctx context.Context, c *conn) error {
	request, err := l.toDevice(ctx)
	if err != nil {
		return err
	}
	if err = c.request(request); err != nil {
		l.forget()
	}
	return err
}

// start starts a shell command. Its end is seen by process.wait, which the caller must call.
func (l *link) start(ctx context.Context, line string) (*process, error) {
	v2, err := l.has(ctx, "shell_v2")
	if err != nil {
		return nil, err
	}
	if v2 {
		c, err := l.service(ctx, "shell,v2,raw:"+line)
		if err != nil {
			return nil, err
		}
		// Standard input stays open and empty: a packet that closes it may arrive after a short command has ended, and the
		// reset that follows would take the command's output with it.
		return &process{c: c, v2: true}, nil
	}
	return l.startLegacy(ctx, line)
}

// startLegacy is for devices before Android 7: exec returns raw bytes, shell goes through a terminal.
func (l *link) startLegacy(ctx context.Context, line string) (*process, error) {
	l.mu.Lock()
	noExec := l.noExec
	l.mu.Unlock()
	if !noExec {
		c, err := l.service(ctx, "exec:"+line)
		if err == nil {
			return &process{c: c}, nil
		}
		if refused := new(refusal); !errors.As(err, &refused) || l.lostBy(refused.message) != "" {
			return nil, err
		}
		l.mu.Lock()
		l.noExec = true
		l.mu.Unlock()
	}
	c, err := l.service(ctx, "shell:"+line)
	if err != nil {
		return nil, err
	}
	return &process{c: c}, nil
}

const exitMark = "taproot-exit:"

// run runs a command to its end. An exit code other than zero is not an error here: many of Android's commands err in
// both. A read is repeated once when the connection breaks and the device comes back; input never is, for it
// may have happened.
func (l *link) run(ctx context.Context, cmd command) (output, error) {
	o, err := l.runOnce(ctx, cmd)
	if cmd.readOnly && dropped(err) && l.returns(ctx) {
		l.srv.log.Info("the connection broke, asking again", "device", l.serial, "command", cmd.name)
		o, err = l.runOnce(ctx, cmd)
	}
	return o, err
}

func (l *link) runOnce(ctx context.Context, cmd command) (output, error) {
	limit := cmd.limit
	if limit == 0 {
		limit = commandLimit
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, l.tooSlow(cmd.name, limit))
	defer cancel()
	v2, err := l.has(ctx, "shell_v2")
	if err != nil {
		return output{}, err
	}
	line := cmd.line
	if !v2 {
		line += "; echo " + exitMark + "$?"
	}
	p, err := l.start(ctx, line)
	if err != nil {
		return output{}, l.fault(ctx, cmd.name, err)
	}
	out := &capped{max: cmd.max}
	if out.max == 0 {
		out.max = outputLimit
	}
	out.buf.Grow(min(cmd.hint, out.max))
	errs := &capped{max: stderrLimit, quiet: true}
	watched := &seenWriter{capped: out, seen: cmd.seen}
	code, err := p.wait(watched, errs)
	if watched.stopped != nil {
		return output{}, watched.stopped
	}
	if err != nil {
		return output{}, l.fault(ctx, cmd.name, err)
	}
	l.setAway(false)
	if p.v2 {
		return output{out.Bytes(), errs.Bytes(), code}, nil
	}
	o, ok := splitExit(out.Bytes())
	if !ok {
		return output{}, l.fault(ctx, cmd.name, io.ErrUnexpectedEOF)
	}
	return o, nil
}

// splitExit takes the exit code from the end of what a device without shell v2 sent. Without it the reply was cut.
func splitExit(all []byte) (output, bool) {
	i := bytes.LastIndex(all, []byte(exitMark))
	if i < 0 {
		return output{}, false
	}
	code, err := strconv.Atoi(strings.TrimSpace(string(all[i+len(exitMark):])))
	return output{out: all[:i], code: code}, err == nil
}

// state queries the adb server for the state of the device.
func (l *link) state(ctx context.Context) (drivers.State, error) {
	answer, err := l.query(ctx, "get-state")
	if err != nil {
		return "", l.fault(ctx, "get-state", err)
	}
	return drivers.State(strings.TrimSpace(answer)), nil
}
