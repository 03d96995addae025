package webdriver

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/coder/websocket"
)

// eventServer is a WebDriver server with sessions that report events.
type eventServer struct {
	*httptest.Server
	offers string // the webSocketUrl; %s is its own host
	window string // that the events are of

	mu     sync.Mutex
	conn   *websocket.Conn
	sent   []string // commands
	silent bool     // it does not respond to commands
	user   string
}

func newEventServer(t *testing.T) *eventServer {
	e := &eventServer{window: "w1"}
	e.Server = httptest.NewServer(e)
	t.Cleanup(e.Close)
	e.offers = "ws://%s/session/one"
	return e
}

func (e *eventServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case r.URL.Path == "/session":
		offers := e.offers
		if strings.Contains(offers, "%s") {
			offers = fmt.Sprintf(offers, r.Host)
		}
		answer := map[string]any{"value": map[string]any{"sessionId": "one", "capabilities": map[string]any{
			"webSocketUrl": offers}}}
		_ = json.NewEncoder(w).Encode(answer)
	case r.URL.Path == "/session/one/window":
		_, _ = w.Write([]byte(`{"value":"w1"}`))
	case r.Header.Get("Upgrade") == "websocket" && r.URL.Path == "/session/one":
		e.events(w, r)
	default:
		w.WriteHeader(http.StatusNotFound)
		_, _ = w.Write([]byte(`{"value":{"error":"unknown command","message":""}}`))
	}
}

func (e *eventServer) events(w http.ResponseWriter, r *http.Request) {
	user, _, _ := r.BasicAuth()
	conn, err := websocket.Accept(w, r, nil)
	if err != nil {
		return
	}
	e.mu.Lock()
	e.conn, e.user = conn, user
	e.mu.Unlock()
	for {
		_, raw, err := conn.Read(context.Background())
		if err != nil {
			return
		}
		var k struct {
			ID     int
			Method string
		}
		_ = json.Unmarshal(raw, &k)
		e.mu.Lock()
		e.sent = append(e.sent, k.Method)
		silent := e.silent
		e.mu.Unlock()
		if silent {
			continue
		}
		answer := fmt.Sprintf(`{"type":"error","id":%d,"error":"unknown command","message":"no %s"}`, k.ID, k.Method)
		switch k.Method {
		case "browsingContext.getTree":
			answer = fmt.Sprintf(`{"type":"success","id":%d,"result":{"contexts":[{"context":%q,"children":[
				{"context":"f1"}]}]}}`, k.ID, e.window)
		case "session.subscribe":
			answer = fmt.Sprintf(`{"type":"success","id":%d,"result":{}}`, k.ID)
		}
		e.say(answer)
	}
}

func (e *eventServer) say(text string) {
	e.mu.Lock()
	conn := e.conn
	e.mu.Unlock()
	_ = conn.Write(context.Background(), websocket.MessageText, []byte(text))
}

func (e *eventServer) session(t *testing.T, address string) *Session {
	t.Helper()
	c, err := New(Options{URL: address})
	if err != nil {
		t.Fatal(err)
	}
	s, err := c.NewSession(t.Context(), map[string]any{}, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(c.Close)
	return s
}

func TestBiDi(t *testing.T) {
	e := newEventServer(t)
	e.offers = "ws://node.invalid:5555/session/one" // what the node of a grid believes
	b, err := ConnectBiDi(t.Context(), e.session(t, strings.Replace(e.URL, "http://", "http://ada:secret@", 1)))
	if err != nil || b == nil {
		t.Fatal(b, err)
	}
	defer b.Close()
	heard := make(chan string, 1)
	b.Listen(func(method string, params json.RawMessage) { heard <- method + string(params) }, nil)
	for range 2 {
		if err := b.Subscribe(t.Context(), "log.entryAdded"); err != nil {
			t.Fatal(err)
		}
	}
	e.say(`{"type":"event","method":"log.entryAdded","params":{"text":"x"}}`)
	if got := <-heard; got != `log.entryAdded{"text":"x"}` {
		t.Error(got)
	}
	err = b.Call(t.Context(), "emulation.setMood", nil, nil)
	if !LacksCommand(err) || !strings.Contains(err.Error(), "no emulation.setMood") {
		t.Error(err)
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.user != "ada" || strings.Join(e.sent, " ") != "browsingContext.getTree session.subscribe emulation.setMood" {
		t.Error(e.user, e.sent)
	}
}

// The connection of another session, one that cannot be reached, and none at all.
func TestBiDiThatIsNotThere(t *testing.T) {
	e := newEventServer(t)
	e.window = "another"
	if b, err := ConnectBiDi(t.Context(), e.session(t, e.URL)); b != nil || err == nil ||
		!strings.Contains(err.Error(), "another session") {
		t.Error(b, err)
	}
	e.offers = "ws://127.0.0.1:1/elsewhere"
	if b, err := ConnectBiDi(t.Context(), e.session(t, e.URL)); b != nil || err == nil ||
		!strings.Contains(err.Error(), "status 404 instead of a WebSocket") ||
		!strings.Contains(err.Error(), "nothing listens there") {
		t.Error(b, err)
	}
	e.offers = ""
	if b, err := ConnectBiDi(t.Context(), e.session(t, e.URL)); b != nil || err != nil {
		t.Error(b, err)
	}
}

// A connection that ends, or that sends something else, is reported. It fails the commands that wait, and those to
// come.
func TestBiDiThatEnds(t *testing.T) {
	for name, spoil := range map[string]func(e *eventServer){
		"dropped": func(e *eventServer) { _ = e.conn.CloseNow() },
		"cut":     func(e *eventServer) { e.say(`{"type":"eve`) },
		"HTML":    func(e *eventServer) { e.say(`<html>wait</html>`) },
	} {
		e := newEventServer(t)
		b, err := ConnectBiDi(t.Context(), e.session(t, e.URL))
		if err != nil {
			t.Fatal(err)
		}
		e.mu.Lock()
		e.silent = true
		e.mu.Unlock()
		lost, failed := make(chan error, 1), make(chan error, 1)
		b.Listen(nil, func(err error) { lost <- err })
		go func() { failed <- b.Call(t.Context(), "session.status", nil, nil) }()
		for waits := false; !waits; {
			e.mu.Lock()
			waits = len(e.sent) > 1
			e.mu.Unlock()
		}
		spoil(e)
		for _, err := range []error{<-lost, <-failed, b.Call(t.Context(), "session.status", nil, nil)} {
			if !Lost(err) || !strings.Contains(err.Error(), "events may be missing") {
				t.Errorf("%s: %v", name, err)
			}
		}
		b.Close()
	}
}

// Candidates for the URL: the server's own host first; what a server calls localhost is not this machine.
func TestWebSocketsOfServers(t *testing.T) {
	for _, x := range []struct{ base, offers, want string }{
		{"http://grid:4444", "ws://10.0.0.7:5555/session/1", "http://grid:4444/session/1 http://10.0.0.7:5555/session/1"},
		{"https://hub.example.com/wd/hub", "wss://hub.example.com/session/1", "https://hub.example.com/session/1"},
		{"http://lab:4444", "ws://127.0.0.1:9222/session/1", "http://lab:4444/session/1 http://lab:9222/session/1"},
		{"http://127.0.0.1:4444", "ws://127.0.0.1:9222/session/1",
			"http://127.0.0.1:4444/session/1 http://127.0.0.1:9222/session/1"},
		{"http://grid:4444", "file:///x", "error"},
	} {
		c, err := New(Options{URL: x.base})
		if err != nil {
			t.Fatal(err)
		}
		list, err := c.webSockets(x.offers)
		got := strings.Join(list, " ")
		if err != nil {
			got = "error"
		}
		if got != x.want {
			t.Errorf("%s at %s: %s", x.offers, x.base, got)
		}
	}
}
