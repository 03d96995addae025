package remote

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
)

// oldHub is a server that does not know the capability webSocketUrl, or one that offers a URL which leads nowhere.
type oldHub struct {
	*httptest.Server

	mu       sync.Mutex
	asked    []any // what each POST /session wanted of the capability
	open     int
	offers   string
	mismatch bool
	page     bool // it refuses the capability with a web page, as Selenium 3 does
}

func newOldHub(t *testing.T, offers string) *oldHub {
	h := &oldHub{offers: offers}
	h.Server = httptest.NewServer(h)
	t.Cleanup(h.Close)
	return h
}

func (h *oldHub) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch {
	case r.Method == http.MethodPost && r.URL.Path == "/session":
		var body struct {
			Capabilities struct{ AlwaysMatch map[string]any }
		}
		_ = json.NewDecoder(r.Body).Decode(&body)
		wants := body.Capabilities.AlwaysMatch["webSocketUrl"]
		h.asked = append(h.asked, wants)
		if wants != nil && h.offers == "" || h.mismatch {
			w.WriteHeader(http.StatusInternalServerError)
			if h.page {
				_, _ = w.Write([]byte(`<html>Cannot extract a capabilities from the request</html>`))
				return
			}
			_, _ = w.Write([]byte(`{"value":{"error":"session not created","message":"Failed to match capabilities"}}`))
			return
		}
		h.open++
		_ = json.NewEncoder(w).Encode(map[string]any{"value": map[string]any{"sessionId": "one",
			"capabilities": map[string]any{"webSocketUrl": h.offers}}})
	case r.Method == http.MethodDelete:
		h.open--
		_, _ = w.Write([]byte(`{"value":null}`))
	default:
		w.WriteHeader(http.StatusNotFound)
	}
}

func (h *oldHub) sessions(t *testing.T) *Sessions {
	t.Helper()
	s, err := New(Server{Name: "grid", URL: h.URL, Sessions: 1, Folder: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// A server that refuses the capability is asked again without it, and no more after that; the user's own word stays.
func TestBiDiIsRequested(t *testing.T) {
	t.Parallel()
	h := newOldHub(t, "")
	s := h.sessions(t)
	for range 2 {
		lease := take(t, s)
		if lease.BiDi != nil || !strings.Contains(lease.WithoutBiDi, "the server offers none") {
			t.Error(lease.BiDi, lease.WithoutBiDi)
		}
		if err := lease.End(); err != nil {
			t.Error(err)
		}
	}
	lease, err := s.Take(t.Context(), map[string]any{"webSocketUrl": false})
	if err != nil {
		t.Fatal(err)
	}
	if err := lease.End(); err != nil {
		t.Error(err)
	}
	if _, err := s.Take(t.Context(), map[string]any{"webSocketUrl": true}); err == nil ||
		!strings.Contains(err.Error(), "Failed to match capabilities") {
		t.Error(err)
	}
	text, _ := json.Marshal(h.asked)
	if string(text) != "[true,null,null,null,true]" || h.open != 0 {
		t.Errorf("%s, %d open", text, h.open)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// A server that refuses the capability in a way of its own may have opened a session: the error says what to write.
func TestBiDiOfSelenium3(t *testing.T) {
	t.Parallel()
	h := newOldHub(t, "")
	h.page = true
	s := h.sessions(t)
	if _, err := s.Take(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "add webSocketUrl: false") {
		t.Error(err)
	}
	lease, err := s.Take(t.Context(), map[string]any{"webSocketUrl": false})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(lease.End(), s.Close()); err != nil || len(h.asked) != 2 {
		t.Errorf("%v, %d requests", err, len(h.asked))
	}
}

// A URL that leads nowhere is a session without BiDi; capabilities that match nothing are an error, as before.
func TestBiDiThatCannotBeReached(t *testing.T) {
	t.Parallel()
	h := newOldHub(t, "ws://127.0.0.1:1/session/one")
	s := h.sessions(t)
	lease := take(t, s)
	if lease.BiDi != nil || !strings.Contains(lease.WithoutBiDi, "nothing listens there") {
		t.Error(lease.BiDi, lease.WithoutBiDi)
	}
	if err := lease.End(); err != nil {
		t.Error(err)
	}
	h.mu.Lock()
	h.mismatch = true
	h.mu.Unlock()
	if _, err := s.Take(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "Failed to match capabilities") {
		t.Error(err)
	}
	if err := s.Close(); err != nil || h.open != 0 {
		t.Error(err, h.open)
	}
}
