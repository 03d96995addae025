package truth_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
)

// spoiler is on the way to a WebDriver server, and spoils some of its responses.
type spoiler struct {
	next http.Handler

	mu     sync.Mutex
	r      *rand.Rand
	rate   float64
	spoilt []string        // what was done to which command
	open   map[string]bool // the sessions of which the client knows
}

func newSpoiler(next http.Handler, seed uint64, rate float64) *spoiler {
	return &spoiler{next: next, r: rand.New(rand.NewPCG(seed, 65)), rate: rate, open: map[string]bool{}}
}

// draw decides what happens to a request, "" for nothing.
func (s *spoiler) draw(r *http.Request) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.r.Float64() >= s.rate || strings.HasSuffix(r.URL.Path, "/status") {
		return ""
	}
	ways := []string{"refused", "dropped", "reset", "cut", "page", "error", "null", "nothing", "garbage", "gone"}
	how := ways[s.r.IntN(len(ways))]
	s.spoilt = append(s.spoilt, how+" "+r.Method+" "+r.URL.Path)
	return how
}

// faults are what has happened so far.
func (s *spoiler) faults() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.spoilt)
}

// left are the sessions that the client has opened and not ended.
func (s *spoiler) left() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Sorted(maps.Keys(s.open))
}

func (s *spoiler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Header.Get("Upgrade") != "" {
		s.next.ServeHTTP(w, r)
		return
	}
	how := s.draw(r)
	if how == "refused" {
		hang(w, false)
		return
	}
	body, _ := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(body))
	real := httptest.NewRecorder()
	s.next.ServeHTTP(real, r)
	s.note(r, real, how)
	header := w.Header()
	header.Set("Content-Type", "application/json; charset=utf-8")
	status, text := real.Code, real.Body.Bytes()
	switch how {
	case "dropped", "reset":
		hang(w, how == "reset")
		return
	case "cut":
		header.Set("Content-Length", fmt.Sprint(len(text)+1))
		text = text[:len(text)/2]
	case "page":
		header.Set("Content-Type", "text/html")
		status, text = http.StatusBadGateway, []byte("<html><h1>502 Bad Gateway</h1></html>")
	case "error":
		status, text = http.StatusInternalServerError, failure("unknown error", "the node is away")
	case "null":
		status, text = http.StatusOK, []byte(`{"value":null}`)
	case "nothing":
		status, text = http.StatusOK, nil
	case "garbage":
		status, text = http.StatusOK, []byte("\x00\xff{\"val")
	case "gone":
		status, text = http.StatusNotFound, failure("invalid session id", "it has expired")
	}
	w.WriteHeader(status)
	_, _ = w.Write(text)
}

// note keeps account of the sessions. The client cannot end one of which the opening has no answer.
func (s *spoiler) note(r *http.Request, real *httptest.ResponseRecorder, how string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id, of := strings.CutPrefix(r.URL.Path, "/session/")
	switch {
	case r.Method == http.MethodDelete && of && !strings.Contains(id, "/"):
		delete(s.open, id)
	case r.Method == http.MethodPost && r.URL.Path == "/session" && how == "":
		var answer struct{ Value struct{ SessionID string } }
		if json.Unmarshal(real.Body.Bytes(), &answer) == nil && answer.Value.SessionID != "" {
			s.open[answer.Value.SessionID] = true
		}
	}
}

func failure(code, message string) []byte {
	text, _ := json.Marshal(map[string]any{"value": map[string]any{"error": code, "message": message, "stacktrace": ""}})
	return text
}

// hang ends the connection of a request without an answer.
func hang(w http.ResponseWriter, reset bool) {
	conn, _, err := w.(http.Hijacker).Hijack()
	if err != nil {
		return
	}
	if tcp, is := conn.(*net.TCPConn); is && reset {
		_ = tcp.SetLinger(0)
	}
	_ = conn.Close()
}
