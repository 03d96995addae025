package agent

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/internal/phrase"
)

const (
	agentPort = "tcp:6790" // of the phone; the agent knows no other

	askLimit    = 5 * time.Second
	readLimit   = 12 * time.Second // each window of an app that hangs may take 5
	touchLimit  = 15 * time.Second // it waits for the animations of windows, 5 s before and 5 s behind
	answerBytes = 64 << 20
	askBytes    = 65536 // of a request: more is refused without a word of why
)

// agentError is why a request to the agent came to nothing.
type agentError struct {
	serial, what string
	kind         string // the agent's error code, such as "stale element reference"; "" when its response cannot be read
	message      string
	sent         bool // the agent may have done what was asked
	cause        error
}

func (e *agentError) Error() string {
	if e.kind != "" {
		return fmt.Sprintf("device %s: the agent refused %s: %s: %s", e.serial, e.what, e.kind,
			phrase.LimitBytes(adb.FirstLine(e.message), 200))
	}
	return fmt.Sprintf("device %s: the agent did not respond to %s: %v", e.serial, e.what, e.cause)
}

func (e *agentError) Unwrap() error { return e.cause }

// isUnresponsive reports whether the agent is the cause: it did not respond, or its session is gone.
func isUnresponsive(err error) bool {
	e := new(agentError)
	return errors.As(err, &e) && (e.kind == "" || e.kind == "invalid session id" || e.kind == "unknown error" ||
		e.kind == "unknown command")
}

// Answered reports whether the agent responded with an error of that kind.
func Answered(err error, kind string) bool {
	e := new(agentError)
	return errors.As(err, &e) && e.kind == kind
}

// Request is one request.
type Request struct {
	Method, Path string
	Body         any
	limit        time.Duration
	session      *string // gets the session that the answer names
}

// Send makes a request on a connection of its own, straight through adb: no port of this machine is opened, a
// connection that has grown old cannot swallow a touch, and nothing is sent twice. Into value goes what was answered,
// unless that is nil.
func Send(ctx context.Context, l *adb.Link, a Request, value any) error {
	limit := a.limit
	if limit == 0 {
		limit = askLimit
	}
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it was silent for %v", limit))
	defer cancel()
	failed := &agentError{serial: l.Serial, what: a.Method + " " + a.Path}
	fail := func(err error) error {
		if ctx.Err() != nil {
			err = context.Cause(ctx)
		}
		failed.cause = err
		return failed
	}
	var text []byte
	if a.Body != nil {
		var err error
		if text, err = json.Marshal(a.Body); err != nil {
			return fail(err)
		}
	}
	if len(text) > askBytes {
		return fmt.Errorf("device %s: %w: the agent takes no request of more than %d bytes, and %s %s has %d", l.Serial,
			drivers.ErrUnsupported, askBytes,
			a.Method, a.Path, len(text))
	}
	c, err := l.Service(ctx, agentPort)
	if err != nil {
		return fail(err)
	}
	defer c.Close()
	post, err := http.NewRequestWithContext(ctx, a.Method, "http://127.0.0.1:6790"+a.Path, bytes.NewReader(text))
	if err != nil {
		return fail(err)
	}
	if text != nil {
		post.Header.Set("Content-Type", "application/json; charset=utf-8")
	}
	var out bytes.Buffer
	if err := post.Write(&out); err != nil {
		return fail(err)
	}
	failed.sent = true
	if _, err := c.Write(out.Bytes()); err != nil {
		return fail(err)
	}
	response, err := http.ReadResponse(bufio.NewReader(c), post)
	if err != nil {
		return fail(adb.NoEOF(err))
	}
	defer response.Body.Close()
	message, err := io.ReadAll(io.LimitReader(response.Body, answerBytes))
	if err != nil {
		return fail(adb.NoEOF(err))
	}
	return failed.read(response.StatusCode, message, a, value)
}

// read takes an answer apart.
func (e *agentError) read(status int, said []byte, a Request, value any) error {
	var answer struct {
		Value   json.RawMessage `json:"value"`
		Session string          `json:"sessionId"`
	}
	if err := json.Unmarshal(said, &answer); err != nil {
		e.cause = fmt.Errorf("it is not the agent's: %d bytes with status %d: %s", len(said), status,
			phrase.LimitBytes(adb.FirstLine(string(said)), 100))
		return e
	}
	if status != http.StatusOK {
		var problem struct{ Error, Message string }
		if err := json.Unmarshal(answer.Value, &problem); err != nil || problem.Error == "" {
			e.cause = fmt.Errorf("status %d", status)
			return e
		}
		e.kind, e.message = problem.Error, problem.Message
		return e
	}
	if a.session != nil {
		*a.session = answer.Session
	}
	if value == nil {
		return nil
	}
	if err := json.Unmarshal(answer.Value, value); err != nil {
		e.cause = fmt.Errorf("its answer cannot be read: %w", err)
		return e
	}
	return nil
}
