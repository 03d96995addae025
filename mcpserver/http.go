package mcpserver

import (
	"crypto/rand"
	"errors"
	"net/http"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	// maxSessions is how many clients may be connected at once over HTTP. A client that disconnects without ending its
	// session counts until sessionIdle.
	maxSessions = 256
	// sessionIdle is how long a client over HTTP may send nothing before its session ends.
	sessionIdle = 30 * time.Minute
	// startTimeout is how long a client may take to start its session.
	startTimeout = time.Minute
	// sessionHeader carries the id of a session.
	sessionHeader = "Mcp-Session-Id"
)

// Handler serves clients over streamable HTTP. Each client has a session of its own on the devices of Config.Devices.
// Authentication and the check of the origin are the caller's.
type Handler struct {
	conf Config
	who  func(*http.Request) string
	http http.Handler

	mu      sync.Mutex
	closed  bool
	open    map[*clientSession]bool
	clients map[string]*httpClient // by the id of their session
	ends    sync.WaitGroup
	done    chan struct{}
}

// NewHandler returns a handler; Close ends its sessions. who returns the name of the caller of a request. A session
// accepts requests only from the caller that started it.
func NewHandler(c Config, who func(*http.Request) string) (*Handler, error) {
	if c.Devices == nil {
		return nil, errors.New("sessions over HTTP need the devices of their process")
	}
	h := &Handler{conf: c, who: who, open: map[*clientSession]bool{}, clients: map[string]*httpClient{},
		done: make(chan struct{})}
	h.http = mcp.NewStreamableHTTPHandler(h.newSession, &mcp.StreamableHTTPOptions{SessionTimeout: sessionIdle,
		MaxRequestBodyBytes: maxLine,
		// the host names of the server were checked before
		DisableLocalhostProtection: true, PropagateRequestCancellation: true})
	return h, nil
}

// ServeHTTP handles one request. The id of another caller's session is answered like an unknown id.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if id := r.Header.Get(sessionHeader); id != "" {
		h.mu.Lock()
		g := h.clients[id]
		h.mu.Unlock()
		if g == nil || g.owner != h.who(r) {
			http.Error(w, "session not found", http.StatusNotFound)
			return
		}
		if r.Method == http.MethodDelete {
			defer g.leave()
		}
	}
	h.http.ServeHTTP(w, r)
}

// newSession returns the server of a new session, or nil to reject it.
func (h *Handler) newSession(r *http.Request) *mcp.Server {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.closed || len(h.open) >= maxSessions {
		return nil
	}
	id, owner := rand.Text(), h.who(r)
	c := h.conf
	c.Who, c.sessionID = owner+" (mcp "+id[:6]+")", id
	s, err := newClientSession(c)
	if err != nil {
		if h.conf.Log != nil {
			h.conf.Log.Error("a session cannot be opened", "error", err)
		}
		return nil
	}
	if device := r.PathValue("id"); device != "" {
		s.Choose(device)
	}
	g := &httpClient{owner: owner, left: make(chan struct{})}
	h.open[s], h.clients[id] = true, g
	h.ends.Go(func() { h.end(s, id, g) })
	return s.MCP()
}

// httpClient is a client with a session.
type httpClient struct {
	owner string
	once  sync.Once
	left  chan struct{} // closed when it has ended its session
}

func (g *httpClient) leave() { g.once.Do(func() { close(g.left) }) }

// end waits until the client has disconnected, and releases the session's devices.
func (h *Handler) end(s *clientSession, id string, g *httpClient) {
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	began, wasConnected := time.Now(), false
wait:
	for {
		select {
		case <-h.done:
			break wait
		case <-g.left: // the session may have started and ended between two ticks
			break wait
		case <-tick.C:
		}
		connected := false
		for range s.MCP().Sessions() {
			connected, wasConnected = true, true
		}
		if !connected && (wasConnected || time.Since(began) > startTimeout) {
			break
		}
	}
	for session := range s.MCP().Sessions() {
		_ = session.Close() // the process ends
	}
	if err := s.Close(); err != nil {
		s.Log.Warn("the end of a session", "error", err)
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.open, s)
	delete(h.clients, id)
}

// Close ends all sessions and waits until their devices are released.
func (h *Handler) Close() error {
	h.mu.Lock()
	if !h.closed {
		h.closed = true
		close(h.done)
	}
	h.mu.Unlock()
	h.ends.Wait()
	return nil
}
