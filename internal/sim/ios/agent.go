package iossim

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"syscall"
	"time"
)

// wdError is an error of WebDriverAgent, with the HTTP status that WebDriverAgentLib/Routing/FBCommandStatus.m has
// it.
type wdError struct{ word, message string }

func (e *wdError) Error() string { return e.word }

func (e *wdError) status() int {
	switch e.word {
	case "no such element", "stale element reference", "no such alert", "unknown command", "invalid session id":
		return http.StatusNotFound
	case "invalid element state", "invalid argument", "invalid selector", "invalid coordinates", "element not visible":
		return http.StatusBadRequest
	case "unknown method":
		return http.StatusMethodNotAllowed
	case "timeout":
		return http.StatusRequestTimeout
	}
	return http.StatusInternalServerError
}

// StartAgent starts WebDriverAgent by hand, as a user would, and returns its address.
func (d *Device) StartAgent() string {
	if _, err := d.startAgent("0", "0"); err != nil {
		return ""
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	return "http://127.0.0.1:" + d.port
}

// StreamAddress is where the agent sends its images.
func (d *Device) StreamAddress() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.films == nil {
		return ""
	}
	return "http://" + d.films.Addr().String()
}

// startAgent starts WebDriverAgent, and returns the channel that is closed when it ends.
func (d *Device) startAgent(port, film string) (chan struct{}, error) {
	d.changing.Lock()
	defer d.changing.Unlock()
	d.mu.Lock()
	host := cmp.Or(d.address, "127.0.0.1")
	d.mu.Unlock()
	l, err := d.listen(host + ":" + port)
	if err != nil {
		return nil, err
	}
	films, err := d.listen(host + ":" + film)
	if err != nil {
		l.Close()
		return nil, err
	}
	killed := make(chan struct{})
	server := &http.Server{Handler: http.HandlerFunc(d.answerHTTP), ReadHeaderTimeout: time.Minute}
	_, port, _ = net.SplitHostPort(l.Addr().String())
	d.mu.Lock()
	d.server, d.calls, d.films, d.port, d.killed, d.session = server, l, films, port, killed, ""
	d.bound, d.settings = binding{}, map[string]any{}
	d.mu.Unlock()
	d.lab.work.Go(func() { _ = server.Serve(l) })
	d.lab.work.Go(func() { d.project(films) })
	return killed, nil
}

// listen waits until the port of a WebDriverAgent that ended is free: a program of this machine that is just being
// started has a copy of what listened there, until it runs.
func (d *Device) listen(address string) (net.Listener, error) {
	for end := time.Now().Add(5 * time.Second); ; {
		l, err := net.Listen("tcp", address)
		if !errors.Is(err, syscall.EADDRINUSE) || time.Now().After(end) || !d.lab.rest(d.lab.ctx, 5*time.Millisecond) {
			return l, err
		}
	}
}

// stopAgent ends WebDriverAgent, if it runs. Its ports are free when it returns, whatever else ends it at the same
// time.
func (d *Device) stopAgent() {
	d.mu.Lock()
	killed := d.killed
	d.mu.Unlock()
	d.stopThis(killed)
}

// stopThis ends the WebDriverAgent that has this channel, if it still runs: another may have taken its place.
func (d *Device) stopThis(agent chan struct{}) {
	d.changing.Lock()
	defer d.changing.Unlock()
	d.mu.Lock()
	server, calls, films, runs := d.server, d.calls, d.films, d.server != nil && d.killed == agent
	if runs {
		d.server, d.calls, d.films = nil, nil, nil
	}
	d.mu.Unlock()
	if !runs {
		return
	}
	close(agent)
	films.Close()
	calls.Close() // the server does not close it yet if it has only just started
	server.Close()
}

// AgentRuns reports whether WebDriverAgent runs.
func (d *Device) AgentRuns() bool {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.server != nil
}

// answerHTTP makes the envelope of WebDriverAgentLib/Routing/FBResponsePayload.m around the answer.
func (d *Device) answerHTTP(w http.ResponseWriter, r *http.Request) {
	var body []byte
	if r.ContentLength > 0 { // a body of unknown length is not read
		body, _ = io.ReadAll(io.LimitReader(r.Body, 1<<20))
	}
	session, path := splitSession(r.URL.Path)
	line := r.Method + " " + path
	if d.note("%s %s", line, body); r.URL.RawQuery != "" {
		d.note("%s?%s", line, r.URL.RawQuery)
	}
	select { // one after the other: a call that hangs keeps the others waiting, also when no caller waits for it any more
	case d.queue <- struct{}{}:
		defer func() { <-d.queue }()
	case <-r.Context().Done():
		return
	}
	fault, armed := d.lab.fault(line + " " + d.opts.UDID)
	if armed && !d.suffer(w, r, fault) {
		return
	}
	var value any
	var err error = &wdError{fault.Word, fault.Text}
	if !armed || fault.Kind != Refuse {
		value, err = d.handle(request{r, session, path, body})
	}
	status := http.StatusOK
	if failed := new(wdError); errors.As(err, &failed) {
		status = failed.status()
		value = map[string]any{"error": failed.word, "message": failed.message, "traceback": ""}
	}
	d.mu.Lock()
	var id any
	if d.session != "" {
		id = d.session
	}
	d.mu.Unlock()
	data, _ := json.MarshalIndent(map[string]any{"value": value, "sessionId": id}, "", "  ")
	if armed && fault.Kind == Garbage {
		data = []byte("<!DOCTYPE html><html><title>Health Check</title><body><p>I-AM-ALIVE</p></body></html>")
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.Header().Set("Server", "WebDriverAgent/1.0")
	if armed && fault.Kind == Cut {
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		data = data[:len(data)/2]
	}
	w.WriteHeader(status)
	_, _ = w.Write(data)
}

// suffer lets a fault happen; it reports whether there is a response all the same.
func (d *Device) suffer(w http.ResponseWriter, r *http.Request, f Fault) bool {
	d.mu.Lock()
	killed := d.killed
	d.mu.Unlock()
	switch f.Kind {
	case Hang:
		select {
		case <-f.healed:
		case <-killed:
		case <-d.lab.ctx.Done():
		}
		return false
	case Slow:
		return d.lab.rest(r.Context(), f.For)
	case Drop:
		if h, ok := w.(http.Hijacker); ok {
			if conn, _, err := h.Hijack(); err == nil {
				conn.Close()
			}
		}
		return false
	case Die:
		go d.stopAgent()
		<-killed
		return false
	case Forget:
		d.StealSession("")
	}
	return true
}

func splitSession(path string) (session, rest string) {
	after, ok := strings.CutPrefix(path, "/session/")
	if !ok {
		return "", path
	}
	session, rest, _ = strings.Cut(after, "/")
	return session, "/" + rest
}

// request is one call.
type request struct {
	*http.Request
	session, path string
	body          []byte
}

// args reads the body.
func (r request) args(to any) error {
	if err := json.Unmarshal(r.body, to); err != nil {
		return &wdError{"invalid argument", err.Error()}
	}
	return nil
}

// alone are the routes that WebDriverAgent has without a session only, both those that it has with one, too. All others
// need one.
func alone(line string) bool {
	return slices.Contains([]string{"GET /status", "GET /health", "GET /wda/healthcheck", "GET /wda/shutdown",
		"POST /session", "POST /wda/homescreen",
		"POST /wda/apps/launchUnattached", "POST /wda/device/appearance"}, line)
}

func both(line string) bool {
	return slices.Contains([]string{"GET /source", "GET /wda/accessibleSource", "GET /screenshot", "GET /orientation",
		"GET /rotation", "GET /wda/deviceOrientation",
		"GET /window/size", "GET /wda/screen", "GET /wda/activeAppInfo", "GET /wda/locked", "GET /wda/device/info",
		"GET /wda/device/location", "GET /alert/text",
		"GET /wda/video", "POST /alert/accept", "POST /alert/dismiss", "POST /orientation", "POST /rotation",
		"POST /wda/lock", "POST /wda/unlock",
		"POST /wda/setPasteboard", "POST /wda/getPasteboard", "POST /wda/video/start", "POST /wda/video/stop",
		"GET /wda/simulatedLocation",
		"POST /wda/simulatedLocation", "DELETE /wda/simulatedLocation"}, line)
}

func (d *Device) handle(r request) (any, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	line := r.Method + " " + r.path
	if r.session != "" && r.session != d.session {
		return nil, &wdError{"invalid session id", "Session does not exist"}
	}
	if r.session == "" && !alone(line) && !both(line) || r.session != "" && alone(line) {
		return nil, &wdError{"unknown command", "Unhandled endpoint: " + r.path}
	}
	if d.apps[d.front] != nil && d.apps[d.front].page != nil {
		d.apps[d.front].page.view(d.metrics()) // time passes in the app
	}
	if handler, ok := d.routes()[line]; ok {
		return handler(r)
	}
	if id, ok := strings.CutPrefix(r.path, "/wda/tap/"); ok && d.opts.OldAgent {
		r.path = "/wda/element/" + id + "/tap"
		return d.onElement(r)
	}
	if after, ok := strings.CutPrefix(r.path, "/wda/element/"); ok && d.opts.OldAgent && strings.HasSuffix(after, "/tap") {
		return nil, &wdError{"unknown command", "Unhandled endpoint: " + r.path}
	}
	if strings.HasPrefix(r.path, "/element/") || strings.HasPrefix(r.path, "/wda/element/") {
		return d.onElement(r)
	}
	return nil, &wdError{"unknown command", "Unhandled endpoint: " + r.path}
}

func (d *Device) statusOf(request) (any, error) {
	about := map[string]any{"ip": nil}
	if !d.opts.Phone {
		about["simulatorVersion"] = d.opts.Version
	}
	status := map[string]any{"ready": true, "message": "WebDriverAgent is ready to accept commands", "state": "success",
		"os":  map[string]any{"name": "iOS", "version": d.opts.Version, "sdkVersion": "18.1", "testmanagerdVersion": 65535},
		"ios": about, "build": map[string]any{"time": "Nov  1 2026 10:00:00",
			"productBundleIdentifier": "com.facebook.WebDriverAgentRunner", "version": "16.7.0"},
		"device": "iphone"}
	if d.opts.OldAgent {
		delete(status, "ready")
		delete(status, "message")
	}
	return status, nil
}

// runAgent is WebDriverAgent as a process of xcodebuild or go-ios: it runs until it is interrupted, killed, or dies.
func (d *Device) runAgent(ctx context.Context, p *process, port, film string) int {
	d.stopAgent()
	if d.opts.PortTaken && port == "8100" {
		p.warn("Failed to start web server on port %s with error Address already in use\n", port)
		return 65 // abort()
	}
	killed, err := d.startAgent(port, film)
	if err != nil {
		p.warn("Failed to start web server on port %s with error %v\n", port, err)
		return 65
	}
	d.mu.Lock()
	port = d.port
	d.mu.Unlock()
	p.print("    t =     0.00s Start Test at 2026-01-02 03:04:05.000\n2026-01-02 03:04:05 "+
		"WebDriverAgentRunner-Runner[1:2] ServerURLHere->http://127.0.0.1:%s<-ServerURLHere\n", port)
	select {
	case <-p.signals:
		d.stopThis(killed)
		return 0
	case <-ctx.Done():
		d.stopThis(killed)
		return 0
	case <-killed:
		p.print("Test Suite 'All tests' failed\n** TEST EXECUTE FAILED **\n")
		return 65
	}
}

// RestartAgent ends the WebDriverAgent that StartAgent started and starts one on the same port after a while.
func (d *Device) RestartAgent(away time.Duration) {
	d.mu.Lock()
	port := d.port
	d.mu.Unlock()
	d.stopAgent()
	d.lab.work.Go(func() {
		if d.lab.rest(d.lab.ctx, away) {
			_, _ = d.startAgent(port, "0")
		}
	})
}
