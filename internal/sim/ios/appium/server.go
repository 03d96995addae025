// Package appium is an Appium server with an XCUITest driver, as version 12 of that has it, in front of a simulated
// WebDriverAgent: commands of WebDriver and of the driver go in, the responses of WebDriverAgent come out, spoilt where
// a test wants that.
package appium

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"time"
)

// The faults of a server on the way to a phone.
const (
	Dropped  = "dropped" // the connection is closed in place of an answer
	HTML     = "html"    // a gateway responds with a web page
	Internal = "500"     // the server reports an unknown error
	Late     = "late"    // the answer comes when nothing waits for it any more
	Cut      = "cut"     // the answer breaks off
	Gone     = "gone"    // the session is lost
)

// Server is an Appium server with one phone. Its fields are set before it is used, or by Set.
type Server struct {
	*httptest.Server
	Agent     string // address of the WebDriverAgent
	Version   string // of iOS
	Simulator bool   // the phone is one for the driver

	Latency time.Duration // of each answer

	// Fault happens to the calls that start with Faulty; Before: they are not performed then.
	Fault, Faulty string
	Before        bool
	Once          bool   // it happens to one call
	After         string // it happens once this call has come
	Lacks         string // a command that the driver does not have

	Web         Web           // the Web Inspector of the phone; nil: none
	NoInspector bool          // the server does not reach it
	Dialog      bool          // the alert that is open is one of the page: its scripts wait
	Jump        string        // the page that the driver chooses by itself at the next script
	AtomWait    time.Duration // how long it waits for a script; 0: as its capabilities say
	LateBy      time.Duration // how late an answer is

	mu     sync.Mutex
	open   map[string]string // the sessions of WebDriverAgent, by those of this server
	made   int
	screen any      // what the driver has answered about the screen
	calls  []string // without the session
	wanted map[string]any
	web    contexts
	ctx    context.Context
	end    context.CancelFunc
}

// New starts a server; Close ends it.
func New(agent string) *Server {
	s := &Server{Agent: agent, Version: "18.1", open: map[string]string{}}
	s.ctx, s.end = context.WithCancel(context.Background())
	s.Server = httptest.NewServer(s)
	return s
}

// Close ends it, and what it waits for.
func (s *Server) Close() {
	s.end()
	s.CloseClientConnections()
	s.Server.Close()
}

// Set changes the server between two calls.
func (s *Server) Set(change func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	change()
}

// Count is how many calls of a name there were.
func (s *Server) Count(name string) int {
	n := 0
	for _, call := range s.Calls() {
		if call == name {
			n++
		}
	}
	return n
}

// Calls are those that came, in their order: "GET /screenshot", "mobile: tap".
func (s *Server) Calls() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// Left is how many sessions are open.
func (s *Server) Left() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// Wanted are the capabilities of the newest session.
func (s *Server) Wanted() map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.wanted)
}

// failure is an error of WebDriver.
type failure struct {
	status        int
	code, message string
}

func (f *failure) Error() string { return f.code }

// request is a call.
type request struct {
	method, path, id string
	name             string // with which it is counted
	body             map[string]any
}

// scriptName is the name of a script in a page.
const scriptName = "script"

func read(r *http.Request) request {
	out := request{method: r.Method, path: r.URL.Path, body: map[string]any{}}
	_ = json.NewDecoder(r.Body).Decode(&out.body)
	if rest, in := strings.CutPrefix(out.path, "/session/"); in {
		out.id, out.path, _ = strings.Cut(rest, "/")
		out.path = "/" + out.path
	}
	out.name = out.method + " " + out.path
	if script, ok := out.body["script"].(string); ok {
		if out.name = scriptName; strings.HasPrefix(script, "mobile: ") {
			out.name = script
		}
	}
	return out
}

// ServeHTTP performs a command, and spoils its answer.
func (s *Server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	q := read(r)
	s.mu.Lock() // the commands of a session queue in the server
	armed := s.After == "" || slices.Contains(s.calls, s.After)
	s.calls = append(s.calls, q.name)
	spoilt := ""
	if armed && s.Faulty != "" && strings.HasPrefix(q.name, s.Faulty) {
		spoilt = s.Fault
		if s.Once {
			s.Fault = ""
		}
	}
	var value any
	var err error
	switch {
	case spoilt == Gone:
		delete(s.open, q.id)
		err = &failure{http.StatusNotFound, "invalid session id", "A session is either terminated or not started"}
	case spoilt == "" || !s.Before:
		value, err = s.perform(q)
	}
	latency := s.Latency
	late := s.LateBy
	s.mu.Unlock()
	time.Sleep(latency)
	if spoilt == Late {
		select {
		case <-time.After(late):
		case <-r.Context().Done():
		case <-s.ctx.Done():
		}
	}
	status := http.StatusOK
	if failed, ok := err.(*failure); ok {
		status, value = failed.status, map[string]any{"error": failed.code, "message": failed.message, "stacktrace": ""}
	}
	switch spoilt {
	case Dropped:
		conn, _, _ := w.(http.Hijacker).Hijack()
		_ = conn.Close()
		return
	case HTML:
		w.Header().Set("Content-Type", "text/html")
		w.WriteHeader(http.StatusBadGateway)
		_, _ = io.WriteString(w, "<html>bad gateway</html>")
		return
	case Cut:
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"value":`)
		return
	case Internal:
		status, value = http.StatusInternalServerError, map[string]any{"error": "unknown error",
			"message": "Could not proxy command to the remote server. Original error: socket hang up"}
	}
	w.Header().Set("Content-Type", "application/json; charset=utf-8")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]any{"value": value})
}

// perform is the effect of a call. The lock is held.
func (s *Server) perform(q request) (any, error) {
	switch {
	case q.name == "GET /status":
		return map[string]any{"ready": true, "build": map[string]any{"version": "3.8.0"}}, nil
	case q.name == "POST /session":
		return s.newSession(q)
	}
	agent, open := s.open[q.id]
	if !open {
		return nil, &failure{http.StatusNotFound, "invalid session id", "A session is either terminated or not started"}
	}
	if q.name == "DELETE /" {
		delete(s.open, q.id)
		return s.ask(http.MethodDelete, "/session/"+agent, nil)
	}
	if value, done, err := s.ofPages(agent, q); done {
		return value, err
	}
	if q.path == "/execute/sync" {
		return s.mobile(agent, q)
	}
	return s.route(agent, q)
}

// newSession opens a session, which ends the one before.
func (s *Server) newSession(q request) (any, error) {
	all, _ := q.body["capabilities"].(map[string]any)
	s.wanted, _ = all["alwaysMatch"].(map[string]any)
	if name, _ := s.wanted["appium:automationName"].(string); name != "XCUITest" {
		return nil, &failure{http.StatusInternalServerError, "session not created",
			"Could not find a driver for automationName '" + name + "'"}
	}
	clear(s.open)
	s.screen, s.web = nil, contexts{}
	value, err := s.ask(http.MethodPost, "/session", map[string]any{"capabilities": map[string]any{
		"alwaysMatch": map[string]any{}}})
	if err != nil {
		return nil, err
	}
	made, _ := value.(map[string]any)
	agent, _ := made["sessionId"].(string)
	s.made++
	id := fmt.Sprintf("f00d%04d-0000", s.made)
	s.open[id] = agent
	for name, value := range s.wanted {
		setting, is := strings.CutPrefix(name, "appium:settings[")
		if !is {
			continue
		}
		if _, err := s.set(agent, strings.TrimSuffix(setting, "]"), value); err != nil {
			return nil, err
		}
	}
	granted := maps.Clone(s.wanted)
	maps.Copy(granted, map[string]any{"appium:deviceName": "iPhone", "appium:platformVersion": s.Version})
	return map[string]any{"sessionId": id, "capabilities": granted}, nil
}

func (s *Server) set(agent, name string, value any) (any, error) {
	return s.in(agent, http.MethodPost, "/appium/settings", map[string]any{"settings": map[string]any{name: value}})
}

// route performs WebDriver's own commands: those of WebDriverAgent alone are unknown to the server.
func (s *Server) route(agent string, q request) (any, error) {
	switch q.name {
	case "GET /timeouts":
		return map[string]any{"command": 60000, "implicit": 0}, nil
	case "GET /appium/extensions":
		known := map[string]any{}
		for name := range commands() {
			if "mobile: "+name != s.Lacks {
				known["mobile: "+name] = struct{}{}
			}
		}
		return map[string]any{"rest": map[string]any{"driver": known}}, nil
	case "POST /appium/settings":
		all, _ := q.body["settings"].(map[string]any)
		for name, value := range all {
			if _, err := s.set(agent, name, value); err != nil {
				return nil, err
			}
		}
		return nil, nil
	case "GET /window/rect":
		value, err := s.in(agent, http.MethodGet, "/window/size", nil)
		return value, err
	case "POST /alert/text":
		return s.in(agent, q.method, q.path, map[string]any{"value": q.body["text"]})
	case "POST /element", "POST /elements":
		using, _ := q.body["using"].(string)
		return s.in(agent, q.method, q.path, map[string]any{"using": strings.TrimPrefix(using, "-ios "),
			"value": q.body["value"]})
	case "POST /appium/start_recording_screen":
		return nil, &failure{http.StatusInternalServerError, "unknown error", "'ffmpeg' binary is not found in PATH."}
	}
	if !slices.Contains([]string{"GET /screenshot", "GET /alert/text", "POST /actions", "GET /orientation",
		"POST /orientation", "GET /rotation"}, q.name) && !strings.HasPrefix(q.path, "/element/") {
		return nil, &failure{http.StatusNotFound, "unknown command", "The requested resource could not be found"}
	}
	if text, ok := q.body["text"].(string); ok && strings.HasSuffix(q.path, "/value") {
		return s.in(agent, q.method, q.path, map[string]any{"value": strings.Split(text, "")})
	}
	return s.in(agent, q.method, q.path, q.body)
}

// in makes a call in a session of WebDriverAgent.
func (s *Server) in(agent, method, path string, body map[string]any) (any, error) {
	return s.ask(method, "/session/"+agent+path, body)
}

// ask makes a call of WebDriverAgent.
func (s *Server) ask(method, path string, body map[string]any) (any, error) {
	var to io.Reader
	if method == http.MethodPost {
		data, err := json.Marshal(body)
		if err != nil {
			return nil, err
		}
		to = bytes.NewReader(data)
	}
	r, err := http.NewRequest(method, s.Agent+path, to)
	if err != nil {
		return nil, err
	}
	proxied := func(err error) error {
		return &failure{http.StatusInternalServerError, "unknown error",
			"Could not proxy command to the remote server. Original error: " + err.Error()}
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, proxied(err)
	}
	defer res.Body.Close()
	var answer struct{ Value any }
	if err := json.NewDecoder(res.Body).Decode(&answer); err != nil {
		return nil, proxied(err)
	}
	if res.StatusCode >= http.StatusBadRequest {
		said, _ := answer.Value.(map[string]any)
		code, _ := said["error"].(string)
		message, _ := said["message"].(string)
		return nil, &failure{res.StatusCode, code, message}
	}
	return answer.Value, nil
}
