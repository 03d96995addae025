package cli_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// deafHub is a WebDriver server that opens and ends sessions, and responds to nothing else.
type deafHub struct {
	*httptest.Server

	mu      sync.Mutex
	opened  int
	open    map[string]bool
	used    map[string]bool // sessions with a command
	refused int
	slow    time.Duration // POST /session takes so long
}

func newDeafHub(t *testing.T) *deafHub {
	h := &deafHub{open: map[string]bool{}, used: map[string]bool{}}
	h.Server = httptest.NewServer(h)
	t.Cleanup(func() {
		h.CloseClientConnections()
		h.Close()
	})
	return h
}

// ServeHTTP wants the key of ada with each request.
func (h *deafHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	user, key, _ := r.BasicAuth()
	_, _ = io.Copy(io.Discard, r.Body) // until then the end of the connection is not noticed
	h.mu.Lock()
	slow := h.slow
	var value any
	switch id := strings.TrimPrefix(r.URL.Path, "/session/"); {
	case user != "ada" || key != "k3y-of-ada":
		h.refused++
		h.mu.Unlock()
		w.WriteHeader(http.StatusUnauthorized)
		return
	case r.URL.Path == "/session":
		h.opened++
		id = fmt.Sprint("session", h.opened)
		h.open[id] = true
		h.mu.Unlock()
		time.Sleep(slow)
		_ = json.NewEncoder(w).Encode(map[string]any{"value": map[string]any{"sessionId": id, "capabilities": struct{}{}}})
		return
	case r.Method == http.MethodDelete && !strings.Contains(id, "/"):
		delete(h.open, id)
	case r.URL.Path != "/status":
		id, _, _ = strings.Cut(id, "/")
		h.used[id] = true
		h.mu.Unlock()
		<-r.Context().Done()
		return
	}
	h.mu.Unlock()
	_ = json.NewEncoder(w).Encode(map[string]any{"value": value})
}

func (h *deafHub) left() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return len(h.open)
}

func (h *deafHub) until(t *testing.T, n int) {
	t.Helper()
	for end := time.Now().Add(limit); h.left() != n; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d sessions are open, not %d", h.left(), n)
		}
	}
}

// untilUsed waits for sessions of which the ids have arrived, since commands for them have come. A client that is
// killed before that has no record of its session.
func (h *deafHub) untilUsed(t *testing.T, n int) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d sessions are used", n), func() bool {
		h.mu.Lock()
		defer h.mu.Unlock()
		return len(h.used) == n
	})
}

func remoteLab(t *testing.T, h *deafHub) *lab {
	l := newLab(t, 0)
	l.write("taproot.yaml", "remotes:\n  grid: {url: '"+h.URL+"', user: '${GRID_USER}', key: '${GRID_KEY}', sessions: 3, "+
		"capabilities: {browserName: firefox}}\n  other: {url: 'http://127.0.0.1:1'}\n")
	for _, id := range []string{"one", "two", "three"} {
		l.write(id+".yaml", "id: "+id+"\nplatform: web\nsteps:\n  - openBrowser: 'data:text/html,x'\n  - assert: x\n")
	}
	return l
}

// Wrong usage ends with 2 before anything is requested, and says what is wrong.
func TestRemoteUsage(t *testing.T) {
	t.Parallel()
	h := newDeafHub(t)
	l := remoteLab(t, h)
	for _, command := range []string{"run", "devices", "doctor"} {
		end := l.start("taproot", command, "--remote", "gird").wait()
		end.exits(t, 2)
		has(t, command, end.stderr, `there is no remote "gird"; there are grid, other; did you mean "grid"?`)
		end = l.start("taproot", command, "--remote", "grid").wait()
		end.exits(t, 2)
		has(t, command, end.stderr, "taproot.yaml:2:", "${GRID_USER} is not defined", "${GRID_KEY} is not defined")
	}
	if h.refused != 0 {
		t.Errorf("the server got %d requests", h.refused)
	}
	end := l.start("taproot", "devices", "--remote", "other").wait()
	end.exits(t, 3)
	has(t, "a server that is away", end.stderr, "the remote other", "127.0.0.1:1", "nothing listens there")
	l.env = append(l.env, "GRID_USER=ada", "GRID_KEY=wrong-one")
	end = l.start("taproot", "doctor", "--remote", "grid", "--json").wait()
	end.exits(t, 1)
	has(t, "a wrong key", end.stdout, "the user or the key is not accepted", `"ok": false`)
	if strings.Contains(end.stdout+end.stderr, "wrong-one") {
		t.Error("the key is shown")
	}
	l.env = append(l.env, "GRID_KEY=k3y-of-ada")
	end = l.start("taproot", "devices", "--remote", "grid").wait()
	end.exits(t, 0)
	has(t, "devices", end.stdout, "grid-1  web", "grid-3  web")
	if h.opened != 0 {
		t.Errorf("%d sessions were opened", h.opened)
	}
}

// Sessions end with the run, when it is interrupted also while one is being opened; those of a run that was killed end
// at the next start.
func TestRemoteSessionsEnd(t *testing.T) {
	useBrowser(t) // the Playwright driver is looked for with its browser
	h := newDeafHub(t)
	l := remoteLab(t, h)
	l.env = append(l.env, "GRID_USER=ada", "GRID_KEY=k3y-of-ada")
	run := l.start("taproot", "run", "--remote", "grid", "--parallel", "3", ".")
	h.untilUsed(t, 3)
	if err := run.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	run.wait()
	if n := h.left(); n != 3 {
		t.Fatalf("%d sessions are left by the killed run", n)
	}
	end := l.start("taproot", "devices").wait()
	has(t, "the next start", end.stderr, "ended what a killed run had left at remotes", "session1", "session3")
	h.until(t, 0)
	h.mu.Lock()
	h.slow = 2 * time.Second
	h.mu.Unlock()
	run = l.start("taproot", "run", "--remote", "grid", "--parallel", "1", ".")
	h.until(t, 1)
	if err := run.cmd.Process.Signal(syscall.SIGINT); err != nil {
		t.Fatal(err)
	}
	end = run.wait()
	end.exits(t, 130)
	if n := h.left(); n != 0 {
		t.Errorf("%d sessions are left by the interrupted run", n)
	}
}
