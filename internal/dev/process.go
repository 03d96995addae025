package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sync"
	"time"
)

// Patience with an interrupted process, until it is killed: browsers and phones end first.
const patience = 30 * time.Second

// process is a command with its environment and the writers of its output.
type process struct {
	env            []string // in addition to that of this process
	stdout, stderr io.Writer
	args           []string
}

// run waits for the end of the process. When ctx ends, the process is interrupted, and killed after some time.
func (p process) run(ctx context.Context) error {
	cmd := exec.CommandContext(ctx, p.args[0], p.args[1:]...)
	cmd.Env = append(os.Environ(), p.env...)
	cmd.Stdout, cmd.Stderr = p.stdout, p.stderr
	// A Ctrl-C in the terminal reaches this process alone, which passes it on once: ginkgo takes a second one as an
	// order to leave out its cleanup.
	ownGroup(cmd)
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = patience
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("%s: %w", filepath.Base(p.args[0]), err)
	}
	return nil
}

// exited reports whether the process ended by itself with a code, as one that tested and found failures does.
func exited(err error) bool {
	var failed *exec.ExitError
	return errors.As(err, &failed) && failed.ExitCode() > 0
}

// lines calls a function with each line that is written to it, without its end. A carriage return ends a line, too.
type lines struct {
	do func(line string)

	mu   sync.Mutex
	rest []byte
}

func (l *lines) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.rest = append(l.rest, p...)
	for {
		end := bytes.IndexAny(l.rest, "\r\n")
		if end < 0 {
			return len(p), nil
		}
		if line := string(l.rest[:end]); line != "" {
			l.do(line)
		}
		l.rest = slices.Delete(l.rest, 0, end+1)
	}
}

// flush passes on a last line without an end.
func (l *lines) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.rest) > 0 {
		l.do(string(l.rest))
		l.rest = nil
	}
}

// logFile makes a file in bin for the whole output of a phase.
func logFile(name string) (*os.File, error) {
	if err := os.MkdirAll("bin", 0o755); err != nil {
		return nil, err
	}
	return os.Create(filepath.Join("bin", name))
}

// tail returns the last lines of a file, for an error.
func tail(path string, n int) string {
	raw, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	all := bytes.Split(bytes.TrimSpace(raw), []byte("\n"))
	return string(bytes.Join(all[max(0, len(all)-n):], []byte("\n")))
}
