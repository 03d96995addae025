// Package remote opens sessions at WebDriver servers that others run. A session is a lease: there are only as many at
// once as the server is to have from this machine, and one that a killed process has left is ended by the next process.
package remote

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/testrun"
)

const (
	// OpenLimit is how long the server may take to open a session: a full grid has it wait.
	OpenLimit = 5 * time.Minute
	// orphanLimit is how long the answer to the opening of a session is waited for when it is no longer wanted.
	orphanLimit = 30 * time.Second
	// endLimit is how long the end of a session may take.
	endLimit = 15 * time.Second
	// StatusLimit is how long the server may take to say that it is there.
	StatusLimit = 15 * time.Second
	// keepLimit is how long a session is kept for later: a process that runs for long must not occupy a server's place.
	keepLimit = time.Minute
	// lendEvery is how often a process looks whether another one wants a session that it keeps for later.
	lendEvery = 250 * time.Millisecond
	// lendLimit is how long another process may take to end such a session.
	lendLimit = 60 * time.Second
	// returnLimit is how long sessions in use may take to return at the end; then they are ended all the same.
	returnLimit = 10 * time.Second
)

// Server is a WebDriver server.
type Server struct {
	Name      string // in messages
	URL       string // without user and key
	User, Key string
	Sessions  int    // at once, from this machine
	Folder    string // of the records of sessions
	Log       *slog.Logger
	Vendor    string // the cloud, as taproot.yaml names it; "": the one that the host belongs to
	App       string // path of the app that sessions get; "": none
	Native    bool   // sessions are those of apps on phones
}

// Of is the server of a remote. The records of its sessions are kept in folder.
func Of(r dsl.RemoteServer, folder string) Server {
	return Server{Name: r.Name, URL: r.URL, User: r.User, Key: r.Key, Sessions: r.Sessions, Folder: folder,
		Vendor: r.Vendor, App: r.App, Native: r.Platform != dsl.Web}
}

// Client returns a client of the server.
func (s Server) Client() (*webdriver.Client, error) {
	address := s.URL
	if s.User != "" || s.Key != "" {
		u, err := url.Parse(s.URL)
		if err != nil {
			return nil, fmt.Errorf("the URL of the remote %s cannot be read", s.Name)
		}
		u.User = url.UserPassword(s.User, s.Key)
		address = u.String()
	}
	return webdriver.New(webdriver.Options{URL: address, Log: s.Log})
}

// Sessions are those of this process at a server. Safe for concurrent use.
type Sessions struct {
	server Server
	client *webdriver.Client
	vendor *vendor // nil: none that is known

	mu      sync.Mutex
	uploads map[string]bool // records of the apps that this process has uploaded
	idle    []*Lease
	used    map[*Lease]bool
	back    chan struct{} // receives when a session is no longer used
	closed  bool
	closing chan struct{}
	work    sync.WaitGroup
	keep    time.Duration // keepLimit
	bidi    bidiOffer
}

// New prepares sessions; none is opened.
func New(s Server) (*Sessions, error) {
	client, err := s.Client()
	if err != nil {
		return nil, err
	}
	return &Sessions{server: s, client: client, vendor: vendorOf(s), closing: make(chan struct{}), used: map[*Lease]bool{},
		uploads: map[string]bool{}, back: make(chan struct{}, 1), keep: keepLimit}, nil
}

// Devices are the ids of the devices that use the sessions, NAME-1 to NAME-N.
func (l *Sessions) Devices() []string {
	ids := make([]string, l.server.Sessions)
	for i := range ids {
		ids[i] = fmt.Sprintf("%s-%d", l.server.Name, i+1)
	}
	return ids
}

// Knows returns an error for an id that no device of the sessions has.
func (l *Sessions) Knows(id string) error {
	if slices.Contains(l.Devices(), id) {
		return nil
	}
	return fmt.Errorf("open device %s: there are %s-1 to %s-%d", id, l.server.Name, l.server.Name, l.server.Sessions)
}

// Lease is a session that the caller alone uses, until Keep or End.
type Lease struct {
	*webdriver.Session
	// BiDi is the connection for the events of the session; nil: there is none, for the reason WithoutBiDi.
	BiDi        *webdriver.BiDi
	WithoutBiDi string
	// NoPages is why the pages of apps cannot be reached in the session, in whichever test; nil: that is not known.
	NoPages  error
	sessions *Sessions
	slot     *slot
	page     string
	over     chan struct{} // closed at the end
	lost     atomic.Bool   // the server has no such session any more
	end      sync.Once
	ended    error
}

// errClosed is the error of a session that is wanted after the end.
var errClosed = fmt.Errorf("%w: the sessions of the remote are closed", drivers.ErrDeviceLost)

// Take returns a session that was kept, or a new one with these capabilities. A cloud names it after the test of ctx.
func (l *Sessions) Take(ctx context.Context, capabilities map[string]any) (*Lease, error) {
	l.mu.Lock()
	if l.closed {
		l.mu.Unlock()
		return nil, errClosed
	}
	for n := len(l.idle); n > 0; n = len(l.idle) {
		lease := l.idle[n-1]
		l.idle = l.idle[:n-1]
		l.used[lease] = true
		if !lease.lost.Load() && (lease.BiDi == nil || lease.BiDi.Err() == nil) {
			l.mu.Unlock()
			return lease, nil
		}
		l.mu.Unlock()
		_ = lease.End() // it is gone
		l.mu.Lock()
	}
	l.work.Add(1)
	l.mu.Unlock()
	defer l.work.Done()
	s, err := l.acquire(ctx)
	if err != nil {
		return nil, err
	}
	session, err := l.openWithApp(ctx, l.vendor.named(capabilities, testrun.Of(ctx)), s)
	if err != nil {
		return nil, err
	}
	lease := &Lease{Session: session, sessions: l, slot: s, over: make(chan struct{}),
		page: l.vendor.pageOf(ctx, l.server, session)}
	lease.connect(ctx)
	l.mu.Lock()
	l.used[lease] = true
	l.mu.Unlock()
	l.work.Add(1) // Take holds one: the count is not zero
	go func() {
		defer l.work.Done()
		lease.keepAlive(idleLimit(capabilities))
	}()
	return lease, nil
}

// acquire waits for one of the places for sessions. Sessions that killed processes have left in them are ended.
func (l *Sessions) acquire(ctx context.Context) (*slot, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, lendLimit, errFull)
	defer cancel()
	for {
		for i := range l.server.Sessions {
			s, err := takeSlot(l.server, i)
			if err != nil {
				return nil, err
			}
			if s != nil {
				l.endLeft(ctx, s)
				return s, nil
			}
		}
		for i := range l.server.Sessions {
			wantSlot(l.server, i)
		}
		select {
		case <-ctx.Done():
			if context.Cause(ctx) == errFull {
				return nil, l.full()
			}
			return nil, context.Cause(ctx)
		case <-l.closing:
			return nil, errClosed
		case <-time.After(lendEvery):
		}
	}
}

var errFull = errors.New("no session is free")

// full is the error of a server with as many sessions as it may have, with the processes that have them.
func (l *Sessions) full() error {
	var who []string
	for i := range l.server.Sessions {
		if r, ok := (&slot{path: slotPath(l.server, i)}).note(); ok {
			who = append(who, fmt.Sprintf("process %d since %s", r.Process, r.Since.Local().Format(time.TimeOnly)))
		}
	}
	return fmt.Errorf("%w: the remote %s has %s from this machine already, in use by %s (sessions under remotes)",
		drivers.ErrDeviceLost, l.server.Name, phrase.Plural(l.server.Sessions, "session"),
		cmp.Or(strings.Join(who, ", "), "others"))
}

// endLeft ends the session that a killed process has left in a place. One that cannot be ended now is noted elsewhere.
func (l *Sessions) endLeft(ctx context.Context, s *slot) {
	note, left := s.note()
	if !left {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, endLimit)
	defer cancel()
	if ended(l.client.Resume(note.Session).End(ctx)) {
		s.forget()
		return
	}
	s.setAside()
}

// ended reports whether a session is gone after an attempt to end it.
func ended(err error) bool {
	var said *webdriver.Error
	return err == nil || errors.As(err, &said) && said.Code != webdriver.Refused && said.Status < 500
}

// openWithApp opens a session with the app of the server. An app that the cloud no longer has is uploaded again.
func (l *Sessions) openWithApp(ctx context.Context, capabilities map[string]any, s *slot) (*webdriver.Session, error) {
	var ref string
	var old bool
	for again := false; ; again = true {
		if l.server.App != "" {
			var err error
			if ref, old, err = l.app(ctx, again); err != nil {
				s.release()
				return nil, err
			}
			capabilities = maps.Clone(capabilities)
			capabilities["appium:app"] = ref
		}
		session, pending, err := l.open(ctx, capabilities, s)
		if err == nil || pending {
			return session, err
		}
		if again || !old || !appUnknown(err, ref) {
			s.release()
			return nil, err
		}
	}
}

// open opens a session. When it is no longer wanted, its answer is waited for a while, and the session ended; the place
// is then released later.
func (l *Sessions) open(ctx context.Context, capabilities map[string]any, s *slot) (opened *webdriver.Session,
	pending bool, err error) {
	type outcome struct {
		session *webdriver.Session
		err     error
	}
	done := make(chan outcome, 1)
	life, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		session, err := l.newSession(life, capabilities)
		if err == nil {
			err = s.write(record{URL: l.server.URL, Remote: l.server.Name, Session: session.ID, Since: time.Now().UTC(),
				Process: os.Getpid()})
			if err != nil {
				l.finish(session)
			}
		}
		done <- outcome{session, err}
	}()
	var why error
	select {
	case o := <-done:
		giveUp()
		return o.session, false, l.server.explain(unmatched(o.err, capabilities))
	case <-ctx.Done():
		why = context.Cause(ctx)
	case <-l.closing:
		why = errClosed
	}
	l.work.Add(1) // Take holds one: the count is not zero
	go func() {
		defer l.work.Done()
		defer s.release()
		timer := time.AfterFunc(orphanLimit, giveUp)
		defer timer.Stop()
		if o := <-done; o.err == nil && ended(l.finish(o.session)) {
			s.forget()
		}
		giveUp()
	}()
	return nil, true, why
}

// finish ends a session, whatever has ended meanwhile.
func (l *Sessions) finish(s *webdriver.Session) error {
	ctx, cancel := context.WithTimeout(context.Background(), endLimit)
	defer cancel()
	return s.End(ctx)
}

// Keep keeps the session for the next Take. Another process that wants its place gets it. One of a cloud, where each
// test has its own, is ended.
func (e *Lease) Keep() {
	l := e.sessions
	l.mu.Lock()
	if l.closed || l.vendor != nil {
		l.mu.Unlock()
		_ = e.End()
		return
	}
	l.idle = append(l.idle, e)
	l.returned(e)
	l.work.Add(1)
	l.mu.Unlock()
	go func() {
		defer l.work.Done()
		e.lend()
	}()
}

// lend ends the session when another process wants its place, or when nothing has used it for a while, as long as it is
// kept.
func (e *Lease) lend() {
	l := e.sessions
	limit := time.NewTimer(l.keep)
	defer limit.Stop()
	for over := false; ; {
		select {
		case <-l.closing:
			return
		case <-time.After(lendEvery):
		case <-limit.C:
			over = true
		}
		if !l.keeps(e, false) {
			return
		}
		if (over || e.slot.wanted()) && l.keeps(e, true) {
			_ = e.End()
			return
		}
	}
}

// keeps reports whether a session is kept, and takes it out.
func (l *Sessions) keeps(e *Lease, out bool) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	for i, other := range l.idle {
		if other == e {
			if out {
				l.idle = append(l.idle[:i:i], l.idle[i+1:]...)
			}
			return true
		}
	}
	return false
}

// returned notes that a session is no longer used. The lock is held.
func (l *Sessions) returned(e *Lease) {
	delete(l.used, e)
	select {
	case l.back <- struct{}{}:
	default:
	}
}

// End ends the session, once. One that the server does not end now is ended at the next start.
func (e *Lease) End() error {
	e.end.Do(func() { e.ended = e.finish() })
	return e.ended
}

func (e *Lease) finish() error {
	close(e.over)
	if e.BiDi != nil {
		e.BiDi.Close()
	}
	defer func() {
		e.slot.release()
		e.sessions.mu.Lock()
		defer e.sessions.mu.Unlock()
		e.sessions.returned(e)
	}()
	err := e.sessions.finish(e.Session)
	if ended(err) {
		e.slot.forget()
		return nil
	}
	return fmt.Errorf("the session at the remote %s was not ended, the next start of taproot run, devices or doctor ends "+
		"it: %w", e.sessions.server.Name, err)
}

// Status reports whether the server is there.
func (l *Sessions) Status(ctx context.Context) error {
	return l.server.explain(l.client.Status(ctx, StatusLimit))
}

// Explain names the remote in an error of its server.
func (l *Sessions) Explain(err error) error { return l.server.explain(err) }

// Explain names the remote in an error of the session.
func (e *Lease) Explain(err error) error { return e.sessions.Explain(err) }

// explain names the remote in an error of its server.
func (s Server) explain(err error) error {
	var said *webdriver.Error
	var lost *webdriver.LostError
	switch {
	case err == nil:
		return nil
	case webdriver.Is(err, webdriver.InvalidSession):
		return fmt.Errorf("%w: the remote %s has ended the session, or has lost it: %w (it may have been without a command "+
			"for too long: newCommandTimeout, or the limit of the hub)", drivers.ErrDeviceLost, s.Name, err)
	case webdriver.Is(err, webdriver.Refused):
		return fmt.Errorf("%w: the remote %s: %w (user and key under remotes)", drivers.ErrDeviceLost, s.Name, err)
	case errors.As(err, &said), errors.As(err, &lost):
		return fmt.Errorf("%w: the remote %s: %w", drivers.ErrDeviceLost, s.Name, err)
	}
	return err
}
