package shell

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/run"
)

// Options configure the background process. Dir and Build are required.
type Options struct {
	Dir     string                            // folder of the socket
	Build   string                            // identifies the build of this program
	Idle    time.Duration                     // it ends this long after the last command; default: 5 minutes
	Watch   time.Duration                     // how often it checks that its socket still exists; default: 2 s
	Drivers func(run.Config) []drivers.Driver // of a session; default: all
	Ready   func()                            // called when it accepts commands; may be nil
	Log     *slog.Logger                      // default: none
}

const (
	idle     = 5 * time.Minute
	watch    = 2 * time.Second
	lockWait = startTimeout - 5*time.Second // shorter than started, so that the starting command still gets the error
)

// maxRequest limits a command: steps from standard input are the largest part.
const maxRequest = 8 << 20

// Server is the background process.
type Server struct {
	o      Options
	http   *http.Server
	socket net.Listener
	info   os.FileInfo // of the socket
	end    chan struct{}

	mu       sync.Mutex
	sessions map[key]*session
	previous map[key]savedSession // sessions of the previous process, until a command uses them
	before   memory
	commands int // running commands
	used     time.Time
	ending   bool
	replaced bool
}

// ErrTaken means that another process serves this folder.
var ErrTaken = errors.New("another session process is running already")

// Serve handles commands until none has arrived for Options.Idle, the last session is closed, the socket is removed, or
// ctx ends; then it releases everything.
func Serve(ctx context.Context, o Options) error {
	if o.Idle == 0 {
		o.Idle = idle
	}
	if o.Watch == 0 {
		o.Watch = watch
	}
	if o.Drivers == nil {
		o.Drivers = run.Drivers
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	lock, err := lockFolder(ctx, o.Dir)
	if err != nil {
		return err
	}
	defer lock.Close()
	path, there, err := socketOf(o.Dir)
	if err != nil {
		return err
	}
	if there { // of a process that was killed: its lock is free
		if err := os.Remove(path); err != nil {
			return err
		}
	}
	s := &Server{o: o, end: make(chan struct{}), sessions: map[key]*session{}, previous: map[key]savedSession{},
		before: readMemory(o.Dir),
		used:   time.Now()}
	for _, k := range s.before.Sessions {
		s.previous[key{k.Project, k.Name}] = k
	}
	if s.socket, err = net.Listen("unix", path); err != nil {
		return fmt.Errorf("socket of the session: %w", err)
	}
	if err := os.Chmod(path, 0o600); err != nil {
		return errors.Join(err, s.socket.Close())
	}
	if s.info, err = os.Lstat(path); err != nil {
		return errors.Join(err, s.socket.Close())
	}
	return s.serve(ctx, path)
}

// lockFolder locks the folder for this process. ErrTaken: another process responds there. A process that has the lock
// and does not respond is starting or ending, and lockFolder waits for it. A killed process may keep the lock for a
// moment after its socket is dead.
func lockFolder(ctx context.Context, dir string) (_ *flock.Flock, err error) {
	if err := secure(dir); err != nil {
		return nil, err
	}
	lock := flock.New(filepath.Join(dir, lockName), flock.SetPermissions(0o600))
	defer func() {
		if err != nil {
			err = errors.Join(err, lock.Close())
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, lockWait)
	defer cancel()
	for {
		if ok, err := lock.TryLock(); ok || err != nil {
			return lock, err
		}
		if isListening(dir) {
			return nil, ErrTaken
		}
		if err := drivers.Pause(ctx, 20*time.Millisecond); err != nil {
			return nil, fmt.Errorf("another session process has locked %s, but neither responds nor ends: %w", lock.Path(), err)
		}
	}
}

func (s *Server) serve(ctx context.Context, path string) error {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /"+Protocol+"/do", s.handleDo)
	mux.HandleFunc("GET /sessions", s.handleSessions)
	mux.HandleFunc("POST /close", s.handleClose)
	s.http = &http.Server{Handler: s.survive(mux), ReadHeaderTimeout: 10 * time.Second,
		ErrorLog: slog.NewLogLogger(s.o.Log.Handler(), slog.LevelWarn)}
	served := make(chan error, 1)
	go func() { served <- s.http.Serve(s.socket) }()
	if s.o.Ready != nil {
		s.o.Ready()
	}
	s.watch(ctx, path)
	s.mu.Lock()
	s.ending = true
	s.mu.Unlock()
	err := s.releaseAll()
	short, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_ = s.http.Shutdown(short) // the response to close may not be sent yet
	<-served
	if s.ownsSocket(path) { // keep the socket of another process
		err = errors.Join(err, removeIfThere(path))
	}
	return err
}

// watch waits until it is time to end.
func (s *Server) watch(ctx context.Context, path string) {
	ticker := time.NewTicker(min(s.o.Watch, s.o.Idle))
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.end:
			return
		case <-ticker.C:
			s.mu.Lock()
			quiet := s.commands == 0 && time.Since(s.used) >= s.o.Idle
			s.mu.Unlock()
			if quiet || !s.ownsSocket(path) {
				return
			}
		}
	}
}

// ownsSocket reports whether the socket in the folder belongs to this process.
func (s *Server) ownsSocket(path string) bool {
	info, err := os.Lstat(path)
	return err == nil && os.SameFile(info, s.info)
}

func removeIfThere(path string) error {
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return nil
}

// releaseAll closes all sessions and leaves nothing behind but, when another version takes over, the steps that were
// done.
func (s *Server) releaseAll() error {
	s.mu.Lock()
	all := s.sessions
	replaced := s.replaced
	s.mu.Unlock()
	if replaced {
		s.saveMemory(true)
	}
	var errs []error
	for _, one := range all {
		errs = append(errs, one.close())
	}
	if !replaced {
		errs = append(errs, removeIfThere(filepath.Join(s.o.Dir, memoryName)))
	}
	if log, err := os.Stat(filepath.Join(s.o.Dir, logName)); err == nil && log.Size() == 0 {
		errs = append(errs, removeIfThere(filepath.Join(s.o.Dir, logName)))
	}
	return errors.Join(errs...)
}

// saveMemory saves what the next process needs to know.
func (s *Server) saveMemory(replaced bool) {
	s.mu.Lock()
	m := memory{PID: os.Getpid(), Replaced: replaced, At: time.Now().UTC()}
	for _, one := range s.sessions {
		m.Sessions = append(m.Sessions, one.kept())
	}
	for _, k := range s.previous {
		k.Devices = nil
		m.Sessions = append(m.Sessions, k)
	}
	s.mu.Unlock()
	if err := m.write(s.o.Dir); err != nil {
		s.o.Log.Warn("cannot save the steps that were done", "error", err)
	}
}

// enter counts a command that starts. It fails when the process ends.
func (s *Server) enter() (leave func(), ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ending {
		return nil, false
	}
	s.commands++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.commands--
		s.used = time.Now()
	}, true
}

// survive converts a panic to the error of one command.
func (s *Server) survive(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			if p := recover(); p != nil {
				err := action.NewPanic(p)
				s.o.Log.Error("a command panicked", "error", err, "stack", action.StackOf(err))
				writeJSON(w, http.StatusOK, Response{Exit: run.ExitError, Text: err.Error()})
			}
		}()
		next.ServeHTTP(w, r)
	})
}

func writeJSON(w http.ResponseWriter, code int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	_ = e.Encode(v) // the client has disconnected
}

func readJSON(w http.ResponseWriter, r *http.Request, to any) bool {
	data, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxRequest))
	if err == nil {
		err = json.Unmarshal(data, to)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
	}
	return err == nil
}

// handleDo performs one command. A program of another version takes over when no device is open; while one is, the
// command runs here: a browser and a phone cannot be moved from one process to another.
func (s *Server) handleDo(w http.ResponseWriter, r *http.Request) {
	var req Request
	if !readJSON(w, r, &req) {
		return
	}
	leave, ok := s.enter()
	if !ok {
		w.WriteHeader(http.StatusGone)
		return
	}
	defer leave()
	note := ""
	if req.Build != s.o.Build {
		if s.endIfIdle() {
			w.WriteHeader(http.StatusUpgradeRequired)
			return
		}
		note = fmt.Sprintf(
			"this session is held by another build of taproot (%s): a browser or a phone cannot be handed over; taproot close "+
				"--all ends it", s.o.Build)
	}
	one, lost, err := s.session(req)
	if err != nil {
		writeJSON(w, http.StatusOK, Response{Exit: run.ExitUsage, Text: err.Error(), Note: note})
		return
	}
	answer := one.do(r.Context(), req)
	answer.Note = strings.TrimLeft(note+"\n"+lost, "\n")
	answer.Note = strings.TrimRight(answer.Note, "\n")
	s.saveMemory(false)
	writeJSON(w, http.StatusOK, answer)
}

// endIfIdle lets another version take over, unless a device is open or a command is running.
func (s *Server) endIfIdle() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.sessions {
		if len(one.live.Open()) > 0 {
			return false
		}
	}
	if s.commands > 1 || s.ending {
		return s.ending
	}
	s.ending, s.replaced = true, true
	close(s.end)
	return true
}

// session returns the session of a command, and creates it if needed. lost describes what was lost with a killed
// process.
func (s *Server) session(req Request) (one *session, lost string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := key{req.Project, req.Session}
	if one = s.sessions[id]; one != nil {
		return one, "", one.exposes(req.Expose)
	}
	if one, err = newSession(s.o, req); err != nil {
		return nil, "", err
	}
	if k, was := s.previous[id]; was {
		lost = s.before.lost(k)
		one.resume(k)
		delete(s.previous, id)
	}
	s.sessions[id] = one
	return one, lost, nil
}

func (s *Server) handleSessions(w http.ResponseWriter, r *http.Request) {
	p := Process{PID: os.Getpid(), Build: s.o.Build, Protocol: Protocol, Sessions: []SessionInfo{}}
	s.mu.Lock()
	for _, one := range s.sessions {
		p.Sessions = append(p.Sessions, one.info())
	}
	s.mu.Unlock()
	slices.SortFunc(p.Sessions, func(a, b SessionInfo) int {
		return strings.Compare(a.Project+"\x00"+a.Name, b.Project+"\x00"+b.Name)
	})
	writeJSON(w, http.StatusOK, p)
}

// CloseRequest selects what to close: a session, or all.
type CloseRequest struct {
	Project string `json:"project"`
	Session string `json:"session"`
	All     bool   `json:"all"`
}

// Closed lists what was closed.
type Closed struct {
	Sessions int    `json:"sessions"`
	Error    string `json:"error,omitempty"`
	Ends     bool   `json:"ends"` // the process, too
}

// handleClose closes a session, or all; with the last one the process ends.
func (s *Server) handleClose(w http.ResponseWriter, r *http.Request) {
	var req CloseRequest
	if !readJSON(w, r, &req) {
		return
	}
	s.mu.Lock()
	var gone []*session
	for id, one := range s.sessions {
		if req.All || id == (key{req.Project, req.Session}) {
			gone = append(gone, one)
			delete(s.sessions, id)
		}
	}
	for id := range s.previous {
		if req.All || id == (key{req.Project, req.Session}) {
			delete(s.previous, id)
		}
	}
	ends := len(s.sessions) == 0 && !s.ending
	s.ending = s.ending || ends
	s.used = time.Now()
	s.mu.Unlock()
	var errs []error
	for _, one := range gone {
		errs = append(errs, one.close())
	}
	answer := Closed{Sessions: len(gone), Ends: ends}
	if err := errors.Join(errs...); err != nil {
		answer.Error = err.Error()
	}
	if ends {
		close(s.end)
	} else {
		s.saveMemory(false)
	}
	writeJSON(w, http.StatusOK, answer)
}
