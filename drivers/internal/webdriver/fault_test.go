package webdriver

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// faulty is a WebDriver server that performs commands and then spoils some of its responses.
type faulty struct {
	*httptest.Server

	mu        sync.Mutex
	fault     string
	times     int            // how many responses are spoiled; -1: all
	performed map[string]int // commands that were performed, by method and end of the path
	open      map[string]bool
}

func newFaulty(t *testing.T) *faulty {
	f := &faulty{performed: map[string]int{}, open: map[string]bool{}}
	f.Server = httptest.NewServer(f)
	t.Cleanup(f.Close)
	return f
}

func (f *faulty) set(fault string, times int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fault, f.times, f.performed = fault, times, map[string]int{}
}

func (f *faulty) count(command string) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.performed[command]
}

func (f *faulty) sessions() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return len(f.open)
}

// ServeHTTP performs the command first: what is lost is its answer.
func (f *faulty) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	var body json.RawMessage
	_ = json.NewDecoder(r.Body).Decode(&body)
	f.mu.Lock()
	name := r.Method + " " + r.URL.Path
	if strings.HasPrefix(r.URL.Path, "/session/") {
		name = r.Method + " " + strings.TrimPrefix(r.URL.Path, "/session/one")
	}
	f.performed[name]++
	switch {
	case r.Method == "POST" && r.URL.Path == "/session":
		f.open["one"] = true
	case r.Method == "DELETE" && r.URL.Path == "/session/one":
		delete(f.open, "one")
	}
	fault := ""
	if f.times != 0 {
		fault = f.fault
		f.times--
	}
	f.mu.Unlock()
	answer := map[string]any{"value": nil}
	switch {
	case r.URL.Path == "/session":
		answer["value"] = map[string]any{"sessionId": "one", "capabilities": map[string]any{"browserName": "x"}}
	case strings.HasSuffix(r.URL.Path, "/url"):
		answer["value"] = "http://shop.example/"
	case strings.HasSuffix(r.URL.Path, "/execute/sync"):
		answer["value"] = "fine"
	}
	f.answer(w, fault, answer)
}

func (f *faulty) answer(w http.ResponseWriter, fault string, answer map[string]any) {
	text, _ := json.Marshal(answer)
	w.Header().Set("Content-Type", "application/json")
	switch fault {
	case "dropped":
		conn, _, _ := w.(http.Hijacker).Hijack()
		_ = conn.(*net.TCPConn).SetLinger(0)
		_ = conn.Close()
	case "cut":
		w.Header().Set("Content-Length", fmt.Sprint(len(text)))
		_, _ = w.Write(text[:len(text)/2])
	case "late":
		time.Sleep(400 * time.Millisecond)
		_, _ = w.Write(text)
	case "html":
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = w.Write([]byte("<html><h1>Bad gateway s3cret</h1></html>"))
	case "empty":
		w.WriteHeader(http.StatusInternalServerError)
	case "null":
		_, _ = w.Write([]byte(`{"value":null}`))
	case "no session":
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"value":{"error":"invalid session id","message":"gone","stacktrace":""}}`))
	default:
		_, _ = w.Write(text)
	}
}

// commands are one of each kind.
func commands(limit time.Duration) map[string]func(context.Context, *Session) error {
	return map[string]func(context.Context, *Session) error{
		"GET /url": func(ctx context.Context, s *Session) error { _, err := s.URL(ctx, limit); return err },
		"POST /actions": func(ctx context.Context, s *Session) error {
			ctx, cancel := context.WithTimeoutCause(ctx, limit, context.DeadlineExceeded)
			defer cancel()
			return s.Mouse(ctx, Move(1, 1), Press(Left), Release(Left))
		},
		"POST /execute/sync": func(ctx context.Context, s *Session) error {
			var text string
			return s.Execute(ctx, "return 1", nil, &text, limit)
		},
		"DELETE ": func(ctx context.Context, s *Session) error { return s.End(ctx) },
	}
}

// Each command with each fault: reads and the end of a session are sent again, what changes something never is, and a
// lost answer is never taken for one.
func TestFaults(t *testing.T) {
	for _, fault := range []string{"dropped", "cut", "late", "html", "empty", "null", "no session"} {
		limit := 5 * time.Second
		if fault == "late" {
			limit = 200 * time.Millisecond
		}
		for name, send := range commands(limit) {
			if fault == "late" && name == "DELETE " || // it has time enough
				fault == "null" && name != "GET /url" { // all others may return null
				continue
			}
			for _, times := range []int{1, -1} {
				t.Run(fmt.Sprintf("%s %s %d", fault, name, times), func(t *testing.T) {
					checkFault(t, fault, name, times, send)
				})
			}
		}
	}
}

func checkFault(t *testing.T, fault, name string, times int, send func(context.Context, *Session) error) {
	f := newFaulty(t)
	c, err := New(Options{URL: f.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, err := c.NewSession(t.Context(), nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.set(fault, times)
	err = send(t.Context(), s)
	repeatable := !strings.HasPrefix(name, "POST")
	lost := fault != "no session" && fault != "late"
	switch n := f.count(name); {
	case !repeatable && n != 1:
		t.Errorf("it was performed %d times", n)
	case repeatable && lost && times < 0 && n < repeats+1: // Go's own client sends a GET once more by itself
		t.Errorf("it was sent %d times", n)
	case repeatable && lost && times == 1 && (err != nil || n != 2):
		t.Errorf("one lost answer: %v, sent %d times", err, n)
	}
	if repeatable && times == 1 && lost || name == "DELETE " && fault == "no session" {
		if err != nil {
			t.Errorf("%v", err)
		}
		return
	}
	switch {
	case err == nil:
		t.Error("a lost answer is no error")
	case fault == "no session":
		if !Is(err, InvalidSession) || MayHaveHappened(err) {
			t.Errorf("%v", err)
		}
	case fault == "late" && name == "POST /actions":
		if !errors.Is(err, context.DeadlineExceeded) && !Late(err) {
			t.Errorf("%v", err)
		}
	case !MayHaveHappened(err):
		t.Errorf("it may have happened: %v", err)
	}
	if err != nil && (strings.Contains(err.Error(), "<") || strings.Contains(err.Error(), "s3cret")) {
		t.Errorf("the server's page is in %q", err)
	}
}

// The opening of a session is requested once, and one with a caller that has gone is ended.
func TestSessionIsOpenedOnce(t *testing.T) {
	f := newFaulty(t)
	c, err := New(Options{URL: f.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	f.set("html", 1)
	if _, err := c.NewSession(t.Context(), nil, 0); err == nil || !MayHaveHappened(err) || f.count("POST /session") != 1 {
		t.Errorf("%v, requested %d times", err, f.count("POST /session"))
	}
	f.set("late", 1)
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	if _, err := c.NewSession(ctx, nil, 0); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v", err)
	}
	for end := time.Now().Add(20 * time.Second); f.sessions() > 0 || f.count("DELETE ") == 0; {
		if time.Now().After(end) {
			t.Fatal("a session without a caller is still open")
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// Errors say what to do without a secret, and the log masks them.
func TestSecretsAreMasked(t *testing.T) {
	f := newFaulty(t)
	var log bytes.Buffer
	address := strings.Replace(f.URL, "http://", "http://ada:love%21ace@", 1)
	c, err := New(Options{URL: address, Secrets: []string{"hidden-word"},
		Log: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelDebug}))})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	s, err := c.NewSession(t.Context(), map[string]any{"x": "hidden-word"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
	_, err = s.URL(t.Context(), 0)
	if err == nil || !strings.Contains(err.Error(), "nothing listens there") || MayHaveHappened(err) {
		t.Errorf("%v", err)
	}
	for _, text := range []string{err.Error(), log.String()} {
		for _, secret := range []string{"love!ace", "love%21ace", "hidden-word"} {
			if strings.Contains(text, secret) {
				t.Errorf("%q is in %q", secret, text)
			}
		}
	}
	if !strings.Contains(log.String(), "POST /session") {
		t.Errorf("the log is %q", log.String())
	}
	for _, bad := range []string{"", "grid:4444", "ftp://grid", "http://"} {
		if _, err := New(Options{URL: bad}); err == nil {
			t.Errorf("%q is taken for a URL", bad)
		}
	}
}

func TestWrongKey(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if user, key, _ := r.BasicAuth(); user != "ada" || key != "right" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		_, _ = w.Write([]byte(`{"value":{"ready":true}}`))
	}))
	t.Cleanup(server.Close)
	for key, fails := range map[string]bool{"wrong": true, "right": false} {
		c, err := New(Options{URL: strings.Replace(server.URL, "://", "://ada:"+key+"@", 1)})
		if err != nil {
			t.Fatal(err)
		}
		err = c.Do(t.Context(), Command{Method: "GET", Path: "/status"}, nil)
		if fails != Is(err, Refused) || !fails && err != nil {
			t.Errorf("%s: %v", key, err)
		}
		c.Close()
	}
}

func TestKeys(t *testing.T) {
	for name, want := range map[string]string{"a": "a", "KeyA": "a", "Digit7": "7", "Enter": "\ue007", "\n": "\ue007",
		"F1": "\ue031", "F12": "\ue03c", "F13": "", "ContextMenu": "", "Space": " ", "é": "é"} {
		if got := Key(name); got != want {
			t.Errorf("%q is %q, not %q", name, got, want)
		}
	}
	for plain, upper := range map[string]string{"a": "A", "1": "!", "/": "?", "'": `"`, "\\": "|"} {
		if got := Shifted(plain); got != upper {
			t.Errorf("%q with Shift is %q", plain, got)
		}
	}
}
