package remote

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// hub is a WebDriver server that opens and ends sessions.
type hub struct {
	*httptest.Server

	mu      sync.Mutex
	opened  int
	open    map[string]bool
	most    int
	users   map[string]int
	fault   string        // of the next responses to POST /session
	endings string        // of those to DELETE
	hold    chan struct{} // responses to POST /session wait for it
	alive   int           // how often a session was kept alive
}

func newHub(t *testing.T) *hub {
	h := &hub{open: map[string]bool{}, users: map[string]int{}}
	h.Server = httptest.NewServer(h)
	t.Cleanup(h.Close)
	return h
}

// ServeHTTP performs the command, and spoils its answer.
func (h *hub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, key, _ := r.BasicAuth()
	h.mu.Lock()
	h.users[user+":"+key]++
	fault, hold := "", h.hold
	answer := any(nil)
	switch {
	case user != "ada" || key != "s3cret":
		fault = "refused"
	case r.Method == "POST":
		fault = h.fault
		if fault != "none free" && fault != "refused" {
			h.opened++
			id := fmt.Sprint("s", h.opened)
			h.open[id] = true
			h.most = max(h.most, len(h.open))
			answer = map[string]any{"sessionId": id, "capabilities": map[string]any{"browserVersion": "9"}}
		}
	case strings.HasSuffix(r.URL.Path, "/timeouts"):
		h.alive++
		if !h.open[strings.Split(r.URL.Path, "/")[2]] {
			fault = "gone"
		}
	case r.Method == "DELETE":
		if fault = h.endings; fault == "" {
			delete(h.open, strings.TrimPrefix(r.URL.Path, "/session/"))
		}
	}
	h.mu.Unlock()
	if r.Method == "POST" && hold != nil {
		<-hold
	}
	switch fault {
	case "refused":
		w.WriteHeader(http.StatusUnauthorized)
		_, _ = w.Write([]byte("<html>no s3cret</html>"))
	case "gone":
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"value":{"error":"invalid session id","message":"timed out"}}`))
	case "html":
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.Write([]byte("<html>bad gateway</html>"))
	case "none free":
		w.WriteHeader(http.StatusInternalServerError)
		_, _ = w.Write([]byte(`{"value":{"error":"session not created","message":"no node has platformVersion 99"}}`))
	case "dropped":
		conn, _, _ := w.(http.Hijacker).Hijack()
		_ = conn.Close()
	default:
		_ = json.NewEncoder(w).Encode(map[string]any{"value": answer})
	}
}

func (h *hub) left() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.open)
}

func (h *hub) set(change func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	change()
}

func (h *hub) server(folder string, sessions int) Server {
	return Server{Name: "grid", URL: h.URL, User: "ada", Key: "s3cret", Sessions: sessions, Folder: folder}
}

func (h *hub) sessions(t *testing.T, folder string, n int) *Sessions {
	t.Helper()
	s, err := New(h.server(folder, n))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func take(t *testing.T, s *Sessions) *Lease {
	t.Helper()
	lease, err := s.Take(t.Context(), map[string]any{"browserName": "x"})
	if err != nil {
		t.Fatal(err)
	}
	return lease
}

// A session serves one test after the other, and is ended with the run. Its record has no key, and is the user's alone.
func TestSessionsAreKept(t *testing.T) {
	t.Parallel()
	h, folder := newHub(t), t.TempDir()
	s := h.sessions(t, folder, 2)
	first := take(t, s)
	files, _ := filepath.Glob(filepath.Join(folder, "*.json"))
	if len(files) != 1 {
		t.Fatalf("%d records", len(files))
	}
	text, _ := os.ReadFile(files[0])
	info, _ := os.Stat(files[0])
	if strings.Contains(string(text), "s3cret") || !strings.Contains(string(text), first.ID) ||
		info.Mode().Perm() != 0o600 {
		t.Errorf("%s %v", text, info.Mode())
	}
	first.Keep()
	second := take(t, s)
	if second.ID != first.ID || h.left() != 1 {
		t.Errorf("%s after %s, %d open", second.ID, first.ID, h.left())
	}
	third := take(t, s)
	second.Keep()
	third.Keep()
	if err := s.Close(); err != nil || h.left() != 0 {
		t.Errorf("%v, %d open", err, h.left())
	}
	if files, _ := filepath.Glob(filepath.Join(folder, "*.json")); len(files) != 0 {
		t.Errorf("records are left: %v", files)
	}
	if _, err := s.Take(t.Context(), nil); err == nil {
		t.Error("a session after the end")
	}
	if len(h.users) != 1 {
		t.Errorf("requests of %v", h.users)
	}
}

// There are never more sessions than the server is to have from this machine: one that another process keeps for later
// is ended for it.
func TestSessionsAreShared(t *testing.T) {
	t.Parallel()
	h, folder := newHub(t), t.TempDir()
	one, two := h.sessions(t, folder, 1), h.sessions(t, folder, 1)
	kept := take(t, one)
	short, cancel := context.WithTimeout(t.Context(), 600*time.Millisecond)
	defer cancel()
	if lease, err := two.Take(short, nil); err == nil {
		t.Fatalf("a second session, %s", lease.ID)
	}
	kept.Keep()
	other := take(t, two)
	if h.most != 1 {
		t.Errorf("%d sessions at once", h.most)
	}
	other.Keep()
	for _, s := range []*Sessions{one, two} {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
	if h.left() != 0 {
		t.Errorf("%d open", h.left())
	}
}

// die is what remains of a process that was killed.
func (s *Sessions) die(leases ...*Lease) {
	for _, lease := range leases {
		lease.slot.release()
	}
}

// What killed processes have left is ended by the next one: not what living ones have, and what cannot be ended now is
// not forgotten.
func TestEndLeft(t *testing.T) {
	t.Parallel()
	h, folder := newHub(t), t.TempDir()
	dead, alive := h.sessions(t, folder, 4), h.sessions(t, folder, 4)
	lost := []*Lease{take(t, dead), take(t, dead), take(t, dead)}
	own := take(t, alive)
	dead.die(lost...)
	nothing := func() []Server { return nil }
	done, err := EndLeft(t.Context(), folder, nothing)
	if err == nil || len(done) != 0 || h.left() != 4 || strings.Contains(err.Error(), "s3cret") {
		t.Errorf("without a key: %v %v, %d open", done, err, h.left())
	}
	known := func() []Server { return []Server{h.server(folder, 4)} }
	h.set(func() { h.endings = "html" })
	if done, err = EndLeft(t.Context(), folder, known); err == nil || len(done) != 0 {
		t.Errorf("a hub that is away: %v %v", done, err)
	}
	h.set(func() { h.endings = "" })
	if done, err = EndLeft(t.Context(), folder, known); err != nil || len(done) != 3 || h.left() != 1 {
		t.Errorf("%v %v, %d open", done, err, h.left())
	}
	if done, err = EndLeft(t.Context(), folder, known); err != nil || len(done) != 0 {
		t.Errorf("again: %v %v", done, err)
	}
	if err := own.End(); err != nil || h.left() != 0 {
		t.Errorf("%v, %d open", err, h.left())
	}
}

// A place in which a killed process has left a session is used again, and the session ended first.
func TestPlaceOfADeadProcess(t *testing.T) {
	t.Parallel()
	h, folder := newHub(t), t.TempDir()
	dead := h.sessions(t, folder, 1)
	dead.die(take(t, dead))
	next := h.sessions(t, folder, 1)
	lease := take(t, next)
	if h.most != 1 {
		t.Errorf("%d at once", h.most)
	}
	next.die(lease)
	h.set(func() { h.endings = "html" })
	third := h.sessions(t, folder, 1)
	lease = take(t, third) // the hub does not end the other one now
	h.set(func() { h.endings = "" })
	if err := lease.End(); err != nil {
		t.Error(err)
	}
	done, err := EndLeft(t.Context(), folder, func() []Server { return []Server{h.server(folder, 1)} })
	if err != nil || len(done) != 1 || h.left() != 0 {
		t.Errorf("%v %v, %d open", done, err, h.left())
	}
}

// A session that was being opened when it was no longer wanted is ended once its answer has come.
func TestNoLongerWanted(t *testing.T) {
	t.Parallel()
	h, folder := newHub(t), t.TempDir()
	hold := make(chan struct{})
	h.hold = hold
	s := h.sessions(t, folder, 1)
	ctx, cancel := context.WithCancel(t.Context())
	took := make(chan error, 1)
	go func() { _, err := s.Take(ctx, nil); took <- err }()
	for h.left() == 0 {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-took; err == nil {
		t.Error("a session that nothing wants")
	}
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	select {
	case <-closed:
		t.Error("closed before the answer has come")
	case <-time.After(50 * time.Millisecond):
	}
	close(hold)
	if err := <-closed; err != nil || h.left() != 0 {
		t.Errorf("%v, %d open", err, h.left())
	}
	if files, _ := filepath.Glob(filepath.Join(folder, "*.json")); len(files) != 0 {
		t.Errorf("records are left: %v", files)
	}
}

// Each fault at the start is an error that names the remote, is not repeated, and leaves no place taken.
func TestFaultsAtTheStart(t *testing.T) {
	t.Parallel()
	for fault, want := range map[string]string{
		"html":      "status 502 and a web page instead of WebDriver",
		"dropped":   "it closed the connection without an answer",
		"none free": "no node has platformVersion 99",
		"refused":   "the user or the key is not accepted",
	} {
		h, folder := newHub(t), t.TempDir()
		s := h.sessions(t, folder, 1)
		h.set(func() { h.fault = fault })
		_, err := s.Take(t.Context(), nil)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "the remote grid") ||
			strings.Contains(err.Error(), "s3cret") || strings.Contains(err.Error(), "<html") {
			t.Errorf("%s: %v", fault, err)
		}
		if h.opened > 1 {
			t.Errorf("%s: %d sessions were requested", fault, h.opened)
		}
		h.set(func() { h.fault = "" })
		if err := take(t, s).End(); err != nil {
			t.Errorf("%s: %v", fault, err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}
}

// A damaged record is dropped, and disturbs nothing.
func TestDamagedRecords(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	for name, text := range map[string]string{"a-1.json": "{", "b-1.json": "", "c-1.json": `{"url": ":", "session": "x"}`,
		"d-1.json": `{"url": "http://127.0.0.1:1", "session": ""}`} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	done, err := EndLeft(t.Context(), folder, func() []Server { return nil })
	if err != nil || len(done) != 0 {
		t.Errorf("%v %v", done, err)
	}
	if files, _ := filepath.Glob(filepath.Join(folder, "*.json")); len(files) != 0 {
		t.Errorf("%v", files)
	}
}

// A session that is still used at the end is waited for.
func TestCloseWaitsForUsedSessions(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	s := h.sessions(t, t.TempDir(), 2)
	kept, used := take(t, s), take(t, s)
	closed := make(chan error, 1)
	go func() { closed <- s.Close() }()
	for _, err := s.Take(t.Context(), nil); err == nil; _, err = s.Take(t.Context(), nil) {
		time.Sleep(time.Millisecond)
	}
	kept.Keep()
	if err := used.End(); err != nil {
		t.Error(err)
	}
	if err := <-closed; err != nil || h.left() != 0 {
		t.Errorf("%v, %d open", err, h.left())
	}
}

// A session without commands is kept alive, in use and between tests, and one that is gone all the same is not used
// again.
func TestSessionsAreKeptAlive(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	s := h.sessions(t, t.TempDir(), 1)
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	wanted := map[string]any{"appium:newCommandTimeout": 0.3}
	lease, err := s.Take(t.Context(), wanted)
	if err != nil {
		t.Fatal(err)
	}
	kept := func(n int) {
		t.Helper()
		for end := time.Now().Add(20 * time.Second); ; time.Sleep(10 * time.Millisecond) {
			now := 0
			h.set(func() { now = h.alive })
			if now >= n {
				return
			}
			if time.Now().After(end) {
				t.Fatalf("%d commands, not %d", now, n)
			}
		}
	}
	kept(3)
	lease.Keep()
	kept(5)
	h.set(func() { delete(h.open, lease.ID); h.alive = 0 })
	kept(1)
	for end := time.Now().Add(20 * time.Second); !lease.lost.Load(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the session is not known to be gone")
		}
	}
	next, err := s.Take(t.Context(), wanted)
	if err != nil || next.ID == lease.ID {
		t.Fatalf("%v", err)
	}
	_ = next.End()
	for caps, want := range map[any]time.Duration{nil: idleMost, 0: idleMost, 30: 10 * time.Second, "x": idleMost,
		600: idleMost, 0.01: idleLeast, "9": idleMost} {
		if got := idleLimit(map[string]any{"appium:newCommandTimeout": caps}); got != want {
			t.Errorf("%v: %v", caps, got)
		}
	}
}

// A session that nothing uses ends after a while, so that a process that runs for long occupies no place.
func TestKeptSessionsEnd(t *testing.T) {
	t.Parallel()
	h := newHub(t)
	s := h.sessions(t, t.TempDir(), 1)
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	if s.keep != keepLimit {
		t.Errorf("%v", s.keep)
	}
	s.keep = 50 * time.Millisecond
	take(t, s).Keep()
	for end := time.Now().Add(time.Minute); h.left() != 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the session is kept")
		}
	}
	s.keep = keepLimit
	take(t, s).Keep()
	if h.left() != 1 {
		t.Error("the next session is not kept")
	}
}
