package wda

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/taproot-dev/taproot/internal/sim/ios/host"
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

// answerHTTP makes the envelope of WebDriverAgentLib/Routing/FBResponsePayload.m around the answer.
func (d *Agent) answerHTTP(w http.ResponseWriter, r *http.Request) {
	var body []byte
	if r.ContentLength > 0 { // a body of unknown length is not read
		body, _ = io.ReadAll(io.LimitReader(r.Body, 1<<20))
	}
	session, path := splitSession(r.URL.Path)
	line := r.Method + " " + path
	if d.Note("%s %s", line, body); r.URL.RawQuery != "" {
		d.Note("%s?%s", line, r.URL.RawQuery)
	}
	select { // one after the other: a call that hangs keeps the others waiting, also when no caller waits for it any more
	case d.queue <- struct{}{}:
		defer func() { <-d.queue }()
	case <-r.Context().Done():
		return
	}
	fault, armed := d.Host.Fault(line + " " + d.Opts.UDID)
	if armed && !d.suffer(w, r, fault) {
		return
	}
	var value any
	var err error = &wdError{fault.Word, fault.Text}
	if !armed || fault.Kind != host.Refuse {
		value, err = d.handle(request{r, session, path, body})
	}
	status := http.StatusOK
	if failed := new(wdError); errors.As(err, &failed) {
		status = failed.status()
		value = map[string]any{"error": failed.word, "message": failed.message, "traceback": ""}
	}
	d.Mu.Lock()
	var id any
	if d.session != "" {
		id = d.session
	}
	d.Mu.Unlock()
	data, _ := json.MarshalIndent(map[string]any{"value": value, "sessionId": id}, "", "  ")
	if armed && fault.Kind == host.Garbage {
		data = []byte("<!DOCTYPE html><html><title>Health Check</title><body><p>I-AM-ALIVE</p></body></html>")
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	w.Header().Set("Server", "WebDriverAgent/1.0")
	if armed && fault.Kind == host.Cut {
		w.Header().Set("Content-Length", fmt.Sprint(len(data)))
		data = data[:len(data)/2]
	}
	w.WriteHeader(status)
	_, _ = w.Write(data)
}

// suffer lets a fault happen; it reports whether there is a response all the same.
func (d *Agent) suffer(w http.ResponseWriter, r *http.Request, f host.Fault) bool {
	d.Mu.Lock()
	killed := d.killed
	d.Mu.Unlock()
	switch f.Kind {
	case host.Hang:
		select {
		case <-f.Healed:
		case <-killed:
		case <-d.Host.Ctx.Done():
		}
		return false
	case host.Slow:
		return d.Host.Rest(r.Context(), f.For)
	case host.Drop:
		if h, ok := w.(http.Hijacker); ok {
			if conn, _, err := h.Hijack(); err == nil {
				conn.Close()
			}
		}
		return false
	case host.Die:
		go d.StopAgent()
		<-killed
		return false
	case host.Forget:
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

func (d *Agent) handle(r request) (any, error) {
	d.Mu.Lock()
	defer d.Mu.Unlock()
	line := r.Method + " " + r.path
	if r.session != "" && r.session != d.session {
		return nil, &wdError{"invalid session id", "Session does not exist"}
	}
	if r.session == "" && !alone(line) && !both(line) || r.session != "" && alone(line) {
		return nil, &wdError{"unknown command", "Unhandled endpoint: " + r.path}
	}
	if d.Apps[d.Front] != nil && d.Apps[d.Front].Page != nil {
		d.Apps[d.Front].Page.View(d.Metrics()) // time passes in the app
	}
	if handler, ok := d.routes()[line]; ok {
		return handler(r)
	}
	if id, ok := strings.CutPrefix(r.path, "/wda/tap/"); ok && d.Opts.OldAgent {
		r.path = "/wda/element/" + id + "/tap"
		return d.onElement(r)
	}
	if after, ok := strings.CutPrefix(r.path, "/wda/element/"); ok && d.Opts.OldAgent && strings.HasSuffix(after, "/tap") {
		return nil, &wdError{"unknown command", "Unhandled endpoint: " + r.path}
	}
	if strings.HasPrefix(r.path, "/element/") || strings.HasPrefix(r.path, "/wda/element/") {
		return d.onElement(r)
	}
	return nil, &wdError{"unknown command", "Unhandled endpoint: " + r.path}
}
