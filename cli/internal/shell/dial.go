package shell

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

// Client sends commands to the background process.
type Client struct {
	Dir   string // folder of the socket
	Build string
	// Program is the path and arguments of the process. It prints one line when it is ready, and nothing else.
	Program []string
	Env     []string
}

// ErrNone means that no process is running.
var ErrNone = errors.New("no session is open")

// startTimeout is how long the process may take until it is ready.
const startTimeout = 30 * time.Second

// Do sends a command. It starts the process if none is running.
func (c Client) Do(ctx context.Context, req Request) (Response, error) {
	req.Build = c.Build
	for try := 0; ; try++ {
		var answer Response
		code, err := c.ask(ctx, http.MethodPost, "/"+Protocol+"/do", req, &answer)
		switch {
		case err == nil && code == http.StatusOK:
			return answer, nil
		case err == nil && code == http.StatusNotFound:
			return answer,
				errors.New("the session belongs to another version of taproot, which does not understand this one: taproot close " +
					"--all ends it, and what was not saved with it")
		case err == nil && code != http.StatusGone && code != http.StatusUpgradeRequired:
			return answer, fmt.Errorf("the session process answered %d", code)
		case err != nil && !errors.Is(err, ErrNone):
			return answer, err
		case try >= 3:
			return answer, errors.Join(errors.New("the session process does not stay"), err)
		}
		if err := c.start(ctx, code != 0); err != nil {
			return answer, err
		}
	}
}

// Sessions returns the open sessions. ErrNone: there are none.
func (c Client) Sessions(ctx context.Context) (p Process, err error) {
	_, err = c.ask(ctx, http.MethodGet, "/sessions", nil, &p)
	return p, err
}

// Close closes a session, or all. With the last one the process ends, and Close waits for that.
func (c Client) Close(ctx context.Context, req CloseRequest) (Closed, error) {
	var done Closed
	if _, err := c.ask(ctx, http.MethodPost, "/close", req, &done); err != nil {
		return done, err
	}
	if done.Ends {
		return done, c.gone(ctx)
	}
	return done, nil
}

// gone waits until a process that ends has removed its socket.
func (c Client) gone(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	for {
		_, there, err := socketOf(c.Dir)
		if err != nil || !there {
			return err
		}
		if !isListening(c.Dir) {
			return nil // it was removed, or the process was killed
		}
		if err := drivers.Pause(ctx, 20*time.Millisecond); err != nil {
			return fmt.Errorf("the session process does not end: %w", err)
		}
	}
}

// isListening reports whether a process listens at the socket in the folder.
func isListening(dir string) bool {
	conn, err := net.Dial("unix", filepath.Join(dir, socketName))
	if err != nil {
		return false
	}
	_ = conn.Close() // nothing was sent
	return true
}

// ask sends one request. ErrNone: no process listens, or it was killed meanwhile.
func (c Client) ask(ctx context.Context, method, path string, body, answer any) (code int, err error) {
	socket, there, err := socketOf(c.Dir)
	if err != nil {
		return 0, err
	}
	if !there {
		return 0, ErrNone
	}
	data, err := json.Marshal(body)
	if err != nil {
		return 0, err
	}
	transport := &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn,
		error) {
		return (&net.Dialer{}).DialContext(ctx, "unix", socket)
	}}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, method, "http://taproot"+path, bytes.NewReader(data))
	if err != nil {
		return 0, err
	}
	response, err := (&http.Client{Transport: transport}).Do(request)
	var dial *net.OpError
	switch {
	case errors.As(err, &dial) && dial.Op == "dial":
		return 0, ErrNone
	case err != nil && ctx.Err() != nil:
		return 0, context.Cause(ctx)
	case err != nil:
		return 0, fmt.Errorf("%w: %w", ErrKilled, err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return response.StatusCode, nil
	}
	if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
		return 0, fmt.Errorf("%w: %w", ErrKilled, err)
	}
	return response.StatusCode, nil
}

// ErrKilled means that the process ended during a command: it is unknown whether the command was performed.
var ErrKilled = errors.New(
	"the session process ended during this command, and its outcome is not known; the next command starts again")

// start starts the process and waits until it is ready, or until another one responds.
func (c Client) start(ctx context.Context, ends bool) error {
	if ends {
		if err := c.gone(ctx); err != nil {
			return err
		}
	}
	if err := secure(c.Dir); err != nil {
		return err
	}
	log, err := os.OpenFile(filepath.Join(c.Dir, logName), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	cmd := &exec.Cmd{Path: c.Program[0], Args: append([]string{"taproot"}, c.Program[1:]...)}
	cmd.Env, cmd.Dir, cmd.Stderr = c.Env, c.Dir, log
	detachProcess(cmd)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return err
	}
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("start the session process: %w", err)
	}
	ready := make(chan string, 1)
	go func() {
		line, _ := bufio.NewReader(out).ReadString('\n')
		ready <- strings.TrimSpace(line)
	}()
	timer := time.NewTimer(startTimeout)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-timer.C:
		return errors.New("the session process does not get ready; see " + log.Name())
	case line := <-ready:
		if line != "ready" && line != "taken" {
			said, _ := os.ReadFile(log.Name())
			return fmt.Errorf("the session process did not start: %s", strings.TrimSpace(string(said)))
		}
	}
	return cmd.Process.Release()
}

// Main is the background process itself: it prints a line when it is ready.
func Main(ctx context.Context, o Options, stdout io.WriteCloser) error {
	o.Ready = func() {
		fmt.Fprintln(stdout, "ready")
		_ = stdout.Close()
	}
	err := Serve(ctx, o)
	if errors.Is(err, ErrTaken) {
		fmt.Fprintln(stdout, "taken")
		return nil
	}
	return err
}
