package start

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/plan"
)

// stopWait is how long a server has to end after the request, before it is killed.
const stopWait = 5 * time.Second

// server is one server. Its process is the leader of a process group.
type server struct {
	plan.Server
	log string // path

	cmd    *exec.Cmd // nil: it was not started, or was there already
	exited chan struct{}
	err    error // of Wait, after exited
	out    *output
	record *record
	once   sync.Once
}

// start starts the process, unless a server that may be reused is there, and waits until it is ready.
func (s *server) start(ctx context.Context, o Options) (map[string]any, error) {
	if there := s.there(ctx); there != "" {
		if !s.Reuse {
			return nil, &Error{Name: s.Name, err: fmt.Errorf(
				"%s already, before it was started (%s): stop what runs there, or write reuse: true to test it", there, s.Place)}
		}
		if err := s.usable(ctx); err != nil {
			return nil, &Error{Name: s.Name, err: fmt.Errorf("%s already, and cannot be reused: %w", there, err)}
		}
		return s.Values(), nil
	}
	if err := s.spawn(o); err != nil {
		return nil, &Error{Name: s.Name, err: err}
	}
	values, err := s.await(ctx)
	var why *notReady
	if errors.As(err, &why) {
		text := why.Error()
		if last := s.out.lastLines(); last != "" {
			text += "; the end of its log, " + s.out.name() + ":\n" + last
		} else {
			text += "; it printed nothing"
		}
		err = &Error{Name: s.Name, Log: s.out.name(), err: errors.New(text)}
	}
	return values, err
}

// notReady is why a server that was started is not ready.
type notReady struct{ why string }

func (e *notReady) Error() string { return e.why }

// spawn starts the process in a group of its own, and records it.
func (s *server) spawn(o Options) error {
	out, err := newOutput(s.log, s.Secrets)
	if err != nil {
		return err
	}
	s.out = out
	token := rand.Text()
	s.record, err = newRecord(o.Records, s.Name, token)
	if err != nil {
		return errors.Join(err, out.close())
	}
	cmd := exec.Command(s.Run[0], s.Run[1:]...)
	cmd.Dir = s.Dir
	cmd.Env = append(append(append([]string{}, o.Environ...), s.Env...), markName+"="+token)
	cmd.Stdout, cmd.Stderr = out.writer, out.writer
	ownGroup(cmd)
	err = cmd.Start()
	out.started()
	if err != nil {
		return errors.Join(s.unstarted(err), s.record.remove(), out.close())
	}
	s.cmd, s.exited = cmd, make(chan struct{})
	go func() {
		s.err = cmd.Wait()
		close(s.exited)
	}()
	return s.record.started(cmd.Process.Pid)
}

// unstarted explains why a program did not start.
func (s *server) unstarted(err error) error {
	if info, failed := os.Stat(s.Dir); failed != nil || !info.IsDir() {
		return fmt.Errorf("there is no folder %s to run in%s", s.Dir, s.where())
	}
	if errors.Is(err, exec.ErrNotFound) || errors.Is(err, fs.ErrNotExist) {
		hint := ""
		if strings.ContainsAny(s.Run[0], " \t") && len(s.Run) == 1 {
			hint = "; run is a list of arguments, without a shell: [" + strings.Join(strings.Fields(s.Run[0]), ", ") + "]"
		}
		return fmt.Errorf("there is no program %q%s%s", s.Run[0], s.where(), hint)
	}
	return err
}

// where is the place of a server in taproot.yaml, for messages; a program of a step has none.
func (s *server) where() string {
	if s.Place == (source.Pos{}) {
		return ""
	}
	return fmt.Sprintf(" (%s)", s.Place)
}

// alive reports whether the server has not ended. A program that forks and exits with 0 lives on in its group.
func (s *server) alive() bool {
	select {
	case <-s.exited:
		return s.err == nil && groupAlive(s.cmd.Process.Pid)
	default:
		return true
	}
}

// ended says how the process ended.
func (s *server) ended() string {
	if s.err == nil {
		return "it ended with exit code 0 before it was ready"
	}
	var exit *exec.ExitError
	if errors.As(s.err, &exit) && exit.ExitCode() >= 0 {
		return fmt.Sprintf("it ended with exit code %d before it was ready", exit.ExitCode())
	}
	return fmt.Sprintf("it ended before it was ready: %v", s.err)
}

// await waits until the server is ready, and returns its values.
func (s *server) await(ctx context.Context) (map[string]any, error) {
	deadline := time.Now().Add(s.Timeout)
	last := "no response"
	if s.Output != nil {
		last = fmt.Sprintf("%s did not match its output", s.Output)
	}
	for wait := 20 * time.Millisecond; ; wait = min(wait*3/2, 500*time.Millisecond) {
		values, why := s.ready(ctx)
		switch {
		case ctx.Err() != nil:
			return nil, context.Cause(ctx)
		case !s.alive(): // also when another process responds in its place
			return nil, &notReady{s.ended()}
		case values != nil:
			return values, nil
		case why != "":
			last = why
		}
		rest := time.Until(deadline)
		if rest <= 0 {
			return nil, &notReady{fmt.Sprintf("it was not ready within %s: %s", phrase.Duration(s.Timeout), last)}
		}
		timer := time.NewTimer(min(wait, rest))
		select {
		case <-ctx.Done():
		case <-timer.C:
		case <-s.exited:
			if s.err == nil { // it forked, or ended
				timer.Reset(min(wait, rest))
				<-timer.C
			}
		}
		timer.Stop()
	}
}

// stop ends the process group and closes the log.
func (s *server) stop() {
	s.once.Do(func() {
		if s.cmd == nil {
			return
		}
		endGroups(func() []int {
			if s.gone() {
				return nil
			}
			return []int{s.cmd.Process.Pid}
		})
		<-s.exited
		_ = s.out.close()
		_ = s.record.remove()
	})
}

// endGroups ends process groups: a request to end, and after five seconds a kill. left are those that still run. It
// reports whether there was one.
func endGroups(left func() []int) bool {
	groups := left()
	some := len(groups) > 0
	for _, g := range groups {
		terminateGroup(g)
	}
	for end := time.Now().Add(stopWait); len(groups) > 0 && time.Now().Before(end); groups = left() {
		time.Sleep(20 * time.Millisecond)
	}
	for _, g := range groups {
		killGroup(g)
	}
	return some
}

// gone reports whether no process of the group is left.
func (s *server) gone() bool {
	select {
	case <-s.exited:
		return !groupAlive(s.cmd.Process.Pid)
	default:
		return false
	}
}
