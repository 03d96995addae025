package start

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// Command is a program that a step of a test runs on this machine.
type Command struct {
	Run []string // the program and its arguments; there is no shell
	Dir string
	Env []string // NAME=value, in addition to Options.Environ
}

// Ended is a program that has ended by itself.
type Ended struct {
	Exit           int    // -1: a signal ended it
	Signal         string // which one
	Stdout, Stderr string
	Output         string // both, as they came
}

// Exec runs a program in a process group of its own until it ends, or ctx does. What is left of the group is then ended
// as that of a server is, and Reap ends what a killed process has left. The error is that of ctx, or says why the
// program was not started. The output is returned in any case.
func Exec(ctx context.Context, c Command, o Options) (ended Ended, err error) {
	token := rand.Text()
	rec, err := newRecord(o.Records, c.Run[0], token)
	if err != nil {
		return ended, err
	}
	defer func() { err = errors.Join(err, rec.remove()) }()
	cmd := exec.Command(c.Run[0], c.Run[1:]...)
	cmd.Dir = c.Dir
	cmd.Env = append(append(append([]string{}, o.Environ...), c.Env...), markName+"="+token)
	ownGroup(cmd)
	both := &ends{}
	stdout, stderr := &ends{also: both}, &ends{also: both}
	pipes, err := connect(cmd, stdout, stderr)
	if err != nil {
		return ended, err
	}
	if err = cmd.Start(); err != nil {
		pipes.close()
		s := &server{Server: plan.Server{Run: c.Run, Dir: c.Dir}}
		return ended, s.unstarted(err)
	}
	pipes.started()
	exited := make(chan error, 1)
	go func() { exited <- cmd.Wait() }()
	pid := cmd.Process.Pid
	err = rec.started(pid)
	var failed error
	waited := false
	if err == nil {
		select {
		case failed = <-exited:
			waited = true
		case <-ctx.Done():
			err = context.Cause(ctx)
		}
	}
	endGroups(func() []int {
		if !waited {
			select {
			case failed = <-exited:
				waited = true
			default:
				return []int{pid}
			}
		}
		if groupAlive(pid) {
			return []int{pid}
		}
		return nil
	})
	if !waited {
		failed = <-exited
	}
	pipes.close()
	ended = Ended{Exit: cmd.ProcessState.ExitCode(), Stdout: stdout.text(), Stderr: stderr.text(), Output: both.text()}
	var exit *exec.ExitError
	if errors.As(failed, &exit) && ended.Exit < 0 {
		ended.Signal = failed.Error()
	} else if err == nil && failed != nil && exit == nil {
		err = fmt.Errorf("%s: %w", c.Run[0], failed)
	}
	return ended, err
}

// pipes are the ends of a program's output that this process has. A program that it has left in the background keeps
// the other ends open, which must not keep the step waiting.
type pipes struct {
	readers, writers []*os.File
	read             sync.WaitGroup
}

func connect(cmd *exec.Cmd, stdout, stderr io.Writer) (*pipes, error) {
	p := &pipes{}
	for _, to := range []io.Writer{stdout, stderr} {
		r, w, err := os.Pipe()
		if err != nil {
			p.close()
			return nil, err
		}
		p.readers, p.writers = append(p.readers, r), append(p.writers, w)
		p.read.Go(func() { _, _ = io.Copy(to, r) })
	}
	cmd.Stdout, cmd.Stderr = p.writers[0], p.writers[1]
	return p, nil
}

// started closes the ends that the program has, too.
func (p *pipes) started() {
	for _, w := range p.writers {
		_ = w.Close()
	}
	p.writers = nil
}

// close waits for output that was printed, and closes everything.
func (p *pipes) close() {
	p.started()
	read := make(chan struct{})
	go func() { p.read.Wait(); close(read) }()
	o := output{done: read}
	o.wait()
	for _, r := range p.readers {
		_ = r.Close()
	}
	<-read
}

// MaxOutput is how much of a program's output is kept, in bytes: half of it from the start, half from the end.
const MaxOutput = 1 << 20

// ends keeps the start and the end of an output. Safe for concurrent use.
type ends struct {
	also *ends // gets everything, too

	mu         sync.Mutex
	head, tail []byte
	left       int64 // bytes between them
}

// Write keeps a part of the output; it never fails.
func (e *ends) Write(part []byte) (int, error) {
	if e.also != nil {
		_, _ = e.also.Write(part)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	n := len(part)
	room := min(MaxOutput/2-len(e.head), n)
	e.head = append(e.head, part[:room]...)
	e.tail = append(e.tail, part[room:]...)
	if over := len(e.tail) - MaxOutput/2; over > MaxOutput/4 { // not for each line
		e.tail, e.left = bytes.Clone(e.tail[over:]), e.left+int64(over)
	}
	return n, nil
}

// text is the output. Where something was left out, it ends and starts again at whole lines, so that no half of a
// secret is left, which nothing would mask.
func (e *ends) text() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	head, tail, left := e.head, e.tail, e.left
	if over := len(tail) - MaxOutput/2; over > 0 {
		tail, left = tail[over:], left+int64(over)
	}
	if left == 0 {
		return strings.ToValidUTF8(string(head)+string(tail), "\uFFFD")
	}
	if i := bytes.LastIndexByte(head, '\n'); i >= 0 {
		head, left = head[:i+1], left+int64(len(head)-i-1)
	} else {
		head, left = nil, left+int64(len(head))
	}
	if i := bytes.IndexByte(tail, '\n'); i >= 0 {
		tail, left = tail[i+1:], left+int64(i+1)
	} else {
		tail, left = nil, left+int64(len(tail))
	}
	return strings.ToValidUTF8(fmt.Sprintf("%s… %d bytes are left out here …\n%s", head, left, tail), "\uFFFD")
}
