// Package feed runs reporters: programs that read the events of a run from their standard input while it lasts. Events
// go to files first, so that a reporter that reads slowly, hangs or dies delays no test.
package feed

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/result/format"
	"github.com/taproot-dev/taproot/runner/internal/start"
)

// Spool takes the events of one process into a file. Safe for concurrent use; nil takes nothing.
type Spool struct {
	mu   sync.Mutex
	file *os.File
	lost int // events that could not be written
}

// NewSpool makes the file of this process in a folder, which it creates.
func NewSpool(dir string) (*Spool, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(filepath.Join(dir, strconv.Itoa(os.Getpid())+suffix), os.O_CREATE|os.O_WRONLY|os.O_APPEND,
		0o600)
	if err != nil {
		return nil, err
	}
	return &Spool{file: file}, nil
}

const suffix = ".ndjson"

// Event adds an event of a case. Each line names the pack of its case; the first one of a case has the format.
func (s *Spool) Event(c event.Case, e event.Event) {
	if s == nil {
		return
	}
	e.Pack = c.Pack
	if e.Kind == event.CaseStarted {
		e.Format = format.Events
	}
	line, err := event.Encode(e)
	s.mu.Lock()
	defer s.mu.Unlock()
	if err == nil {
		_, err = s.file.Write(line)
	}
	if err != nil {
		s.lost++
	}
}

// Lost is the number of events that could not be written.
func (s *Spool) Lost() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.lost
}

// Close closes the file.
func (s *Spool) Close() error {
	if s == nil {
		return nil
	}
	return s.file.Close()
}

// Reporter is a running program.
type Reporter struct {
	program string
	dir     string // of the spool
	cmd     *exec.Cmd
	pipe    *os.File
	in      *os.File      // the other end of it, to see what was not read; nil where the system does not say
	ended   chan struct{} // closed with the end of the program
	err     error         // of the program
	last    chan struct{} // closed when no more events come
	fed     chan struct{} // closed when the feeder has ended
	files   map[string]*source
	tail    []byte // the end of what was written
	wrong   error  // of reading the spool
}

// source is a file of the spool.
type source struct {
	file  *os.File
	read  *bufio.Reader
	part  []byte // of a line that is not complete
	lines int
}

// Options say how a reporter runs.
type Options struct {
	Program string    // its path
	Dir     string    // its working folder
	Spool   string    // the folder with the events
	Environ []string  // its environment
	Output  io.Writer // for what it prints
}

// Find returns the path of a reporter: relative to a folder if it has a separator, otherwise by PATH.
func Find(dir, program string) (string, error) {
	if program == "" {
		return "", errors.New("the name of a reporter is empty: name a program, such as ./my-reporter")
	}
	path := program
	if filepath.Base(program) != program && !filepath.IsAbs(program) {
		path = filepath.Join(dir, program)
	}
	found, err := exec.LookPath(path)
	if err != nil {
		var why *exec.Error
		if errors.As(err, &why) {
			err = why.Err
		}
		hint := ""
		if filepath.Base(program) == program {
			hint = ": name a program, such as ./my-reporter; every run writes junit.xml, ctrf.json and summary.md without one"
		}
		return "", fmt.Errorf("the reporter %s cannot be started: %w%s", program, err, hint)
	}
	return found, nil
}

// Start starts the program, and feeds it until End.
func Start(o Options) (*Reporter, error) {
	in, out, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	r := &Reporter{program: o.Program, dir: o.Spool, pipe: out, in: in, ended: make(chan struct{}),
		last: make(chan struct{}), fed: make(chan struct{}), files: map[string]*source{}}
	r.cmd = exec.Command(o.Program)
	r.cmd.Dir, r.cmd.Env, r.cmd.Stdin, r.cmd.Stdout, r.cmd.Stderr = o.Dir, o.Environ, in, o.Output, o.Output
	r.cmd.WaitDelay = time.Second // a child of it may keep the output open
	start.Lead(r.cmd)
	if err := r.cmd.Start(); err != nil {
		return nil, fmt.Errorf("start the reporter %s: %w", o.Program, errors.Join(err, in.Close(), out.Close()))
	}
	if !countsUnread { // an open end would hide the end of the program
		r.in = nil
		_ = in.Close() // the program has its own
	}
	go func() {
		r.err = r.cmd.Wait()
		_ = out.SetWriteDeadline(time.Now()) // what it has not read stays in the pipe, which may be full
		close(r.ended)
	}()
	go r.feed()
	return r, nil
}

const (
	again   = 50 * time.Millisecond // how often the files are read
	maxTail = 1 << 20               // at least what a pipe holds
)

// feed copies the lines of the spool to the program until there are no more.
func (r *Reporter) feed() {
	defer close(r.fed)
	defer r.pipe.Close() // the program reads the end of its input
	for {
		over := closed(r.last)
		if err := r.copy(); err != nil {
			return
		}
		if over {
			return
		}
		select {
		case <-r.last:
		case <-r.ended:
			return
		case <-time.After(again):
		}
	}
}

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// copy writes the complete lines that are new. Its error is that of writing.
func (r *Reporter) copy() error {
	r.look()
	for _, s := range r.files {
		for {
			part, err := s.read.ReadBytes('\n')
			s.part = append(s.part, part...)
			if err != nil {
				if !errors.Is(err, io.EOF) {
					r.wrong = err
				}
				break
			}
			n, err := r.pipe.Write(s.part)
			r.tail = append(r.tail, s.part[:n]...)
			if len(r.tail) > 2*maxTail {
				r.tail = append([]byte(nil), r.tail[len(r.tail)-maxTail:]...)
			}
			if err != nil {
				return err
			}
			s.lines++
			s.part = s.part[:0]
		}
	}
	return nil
}

// look opens the files of the spool that are new.
func (r *Reporter) look() {
	names, err := filepath.Glob(filepath.Join(r.dir, "*"+suffix))
	if err != nil {
		r.wrong = err
	}
	for _, name := range names {
		if r.files[name] != nil {
			continue
		}
		file, err := os.Open(name)
		if err != nil {
			r.wrong = err
			continue
		}
		r.files[name] = &source{file: file, read: bufio.NewReader(file)}
	}
}

// End ends the input of the program, because no events follow, and waits for its end, but not longer than the
// limit. Then it ends the process group of the program. Call it when the files of the run are complete. The warning
// says what went wrong, and how many events the program did not read; lost are those that never reached the spool.
func (r *Reporter) End(limit time.Duration, lost int) (warning string) {
	close(r.last)
	timer := time.NewTimer(limit)
	defer timer.Stop()
	hung := false
	select {
	case <-r.ended:
	case <-timer.C:
		hung = true
	}
	start.Kill(r.cmd)
	<-r.ended
	<-r.fed
	unread, all := r.unread()
	unread, all = unread+lost, all+lost
	var what string
	switch {
	case hung:
		what = fmt.Sprintf("did not end within %s of the end of the run, and was ended", limit)
	case r.err != nil:
		what = "failed: " + r.err.Error()
	case r.wrong != nil:
		what = "has no events: " + r.wrong.Error()
	case unread > 0:
		what = "ended early"
	default:
		return ""
	}
	warning = fmt.Sprintf("the reporter %s %s", r.program, what)
	if unread > 0 {
		warning += fmt.Sprintf("; it did not read %d of %s", unread, phrase.Plural(all, "event"))
	}
	return warning
}

// unread counts the events that the program did not read: those that are still in the pipe, and those that were never
// written.
func (r *Reporter) unread() (unread, all int) {
	read := 0
	for _, s := range r.files {
		read += s.lines
		_ = s.file.Close() // it was read
	}
	if r.in != nil {
		left := min(inPipe(r.in), len(r.tail))
		read -= bytes.Count(r.tail[len(r.tail)-left:], []byte{'\n'})
		_ = r.in.Close() // nothing was read
	}
	names, _ := filepath.Glob(filepath.Join(r.dir, "*"+suffix)) // the pattern is valid
	for _, name := range names {
		n, err := linesOf(name)
		if err != nil {
			r.wrong = err
		}
		all += n
	}
	return all - read, all
}

// linesOf counts the complete lines of a file.
func linesOf(name string) (n int, err error) {
	file, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer file.Close() // nothing was written
	buf := make([]byte, 64<<10)
	for {
		k, err := file.Read(buf)
		n += bytes.Count(buf[:k], []byte{'\n'})
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
	}
}
