package appium

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/ios/inspector"
)

// What the driver does with contexts follows its sources (appium-xcuitest-driver 12.13.1: commands/context.ts, web.ts,
// window.ts, alert.ts, gesture.ts, web-execution/atoms-backend.ts; appium-remote-debugger 17.4.2: mixins/connect.ts,
// rpc/rpc-client.ts; @appium/base-driver 10.8: protocol/errors.ts):
//
//   - getContexts connects to the Web Inspector when it is called first. If that fails, it says so once: the next
//     call finds a debugger without apps, and lists NATIVE_APP alone.
//   - Of an app that the capability additionalWebviewBundleIds does not name, no page is listed. "*" names all.
//   - A context is "WEBVIEW_", the process, a dot, and the page. One that the newest list does not have is an
//     unknown error with the message "No such context found."
//   - To choose NATIVE_APP is nothing but to forget the context. To choose a page connects to it, which may take
//     minutes when its scripts do not respond; no other command of the session is performed meanwhile.
//   - A script is the body of a function, which the atom execute_script makes in the page's own world. What it
//     throws is a javascript error. One that has not ended after 2.1 s while an alert is open is an unexpected
//     alert open, which leaves the alert open; one that has not ended after webviewAtomWaitTimeout is a timeout,
//     with the status 408.
//   - In a page, the commands "mobile: …" and actions go to the phone as ever; GET /source, elements and GET
//     /alert/text are those of the page. GET /alert/text is null where no alert is open.
//   - When a new page of the app is reported while one is chosen, the driver chooses that.
const (
	nativeApp = "NATIVE_APP"
	// alertAfter is when the driver looks for an alert while a script runs: sooner than its 2.1 s.
	alertAfter = 300 * time.Millisecond
	// atomWait is how long the driver waits for a script unless a capability says so.
	atomWait = 2 * time.Minute
	// selection is how long the driver waits for a page that does not respond: a fifth more than three minutes.
	selection = 216 * time.Second
)

// Web is the Web Inspector of the phone.
type Web interface {
	Listed() []inspector.Listed
	Evaluate(ctx context.Context, pid, page int, expression string) (json.RawMessage, error)
}

// contexts is the state of a session that has to do with pages.
type contexts struct {
	chosen    string   // "": the phone
	known     []string // of the newest list
	connected bool     // to the Web Inspector, or the attempt has failed
	entered   map[string]bool
	strays    []string // commands for the phone that came while a page was chosen
}

func unknown(message string) error {
	return &failure{http.StatusInternalServerError, "unknown error", message}
}

// Strays are the commands for the phone that came while a page was chosen.
func (s *Server) Strays() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.web.strays
}

// Chosen is the context that commands go to.
func (s *Server) Chosen() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.web.chosen == "" {
		return nativeApp
	}
	return s.web.chosen
}

// ofPages performs a command that has to do with pages; done is false for any other. The lock is held.
func (s *Server) ofPages(agent string, q request) (value any, done bool, err error) {
	switch q.name {
	case "mobile: getContexts":
		value, err = s.listContexts()
		return value, true, err
	case "POST /context":
		name, _ := q.body["name"].(string)
		return nil, true, s.choose(name)
	case scriptName:
		value, err = s.script(agent, q)
		return value, true, err
	}
	if s.web.chosen != "" && q.name != "GET /timeouts" {
		s.web.strays = append(s.web.strays, q.name)
	}
	return nil, false, nil
}

func (s *Server) listContexts() (any, error) {
	all := []any{map[string]any{"id": nativeApp}}
	if s.Lacks == "mobile: getContexts" {
		return nil, &failure{http.StatusNotFound, "unknown command", "Unknown mobile command \"getContexts\""}
	}
	reached := s.Web != nil && !s.NoInspector
	first := !s.web.connected
	s.web.connected = true
	if !reached && first {
		return nil, unknown("The usbmuxd socket at '/var/run/usbmuxd' does not exist or is not accessible")
	}
	s.web.known = nil
	if !reached {
		return all, nil
	}
	wild := fmt.Sprint(s.wanted["appium:additionalWebviewBundleIds"]) == "[*]"
	for _, p := range s.Web.Listed() {
		if !wild && p.Bundle != s.wanted["appium:bundleId"] {
			continue
		}
		id := fmt.Sprintf("%d.%d", p.PID, p.Page)
		s.web.known = append(s.web.known, id)
		all = append(all, map[string]any{"id": "WEBVIEW_" + id, "title": p.Title, "url": p.URL, "bundleId": p.Bundle})
	}
	return all, nil
}

func (s *Server) choose(name string) error {
	if name == nativeApp {
		s.web.chosen = ""
		return nil
	}
	id := strings.TrimPrefix(name, "WEBVIEW_")
	if id == s.web.chosen {
		return nil
	}
	found := false
	for _, known := range s.web.known {
		found = found || known == id
	}
	if !found {
		return unknown("No such context found.")
	}
	before := s.web.chosen
	s.web.chosen = id
	if s.web.entered[id] {
		return nil
	}
	if _, err := s.inPage("document.readyState", selection); err != nil {
		s.web.chosen = before
		return unknown("Cannot set up page for app: " + err.Error())
	}
	if s.web.entered == nil {
		s.web.entered = map[string]bool{}
	}
	s.web.entered[id] = true
	return nil
}

// inPage runs an expression in the page that is chosen.
func (s *Server) inPage(expression string, limit time.Duration) (json.RawMessage, error) {
	process, page, _ := strings.Cut(s.web.chosen, ".")
	pid, _ := strconv.Atoi(process)
	id, _ := strconv.Atoi(page)
	ctx, cancel := context.WithTimeout(s.ctx, limit)
	defer cancel()
	return s.Web.Evaluate(ctx, pid, id, expression)
}

// script runs the atom execute_script.
func (s *Server) script(agent string, q request) (any, error) {
	if s.web.chosen == "" {
		return nil, &failure{http.StatusMethodNotAllowed, "unknown method", "Method is not implemented"}
	}
	if s.Jump != "" { // a new page was reported meanwhile
		s.web.chosen, s.Jump = s.Jump, ""
	}
	wait := atomWait
	if ms, ok := s.wanted["appium:webviewAtomWaitTimeout"].(float64); ok && ms > 0 {
		wait = time.Duration(ms) * time.Millisecond
	}
	if s.AtomWait > 0 {
		wait = s.AtomWait
	}
	if s.Dialog {
		if _, err := s.in(agent, http.MethodGet, "/alert/text", nil); err == nil {
			time.Sleep(alertAfter)
			return nil, &failure{http.StatusInternalServerError, "unexpected alert open",
				"A modal dialog was open, blocking this operation"}
		}
	}
	body, _ := json.Marshal(q.body["script"])
	args, _ := json.Marshal(q.body["args"])
	raw, err := s.inPage("(function(body, args) { try { const v = new Function(body).apply(null, args); return "+
		"JSON.stringify({status: 0, value: v === undefined ? null : v}); } catch (e) { return JSON.stringify({status: 17, "+
		"value: {error: 'javascript error', message: e.message}}); } })("+string(body)+", "+string(args)+")", wait)
	if err != nil {
		if s.ctx.Err() == nil && strings.Contains(err.Error(), context.DeadlineExceeded.Error()) {
			return nil, &failure{http.StatusRequestTimeout, "timeout", fmt.Sprintf("The remote Safari debugger did not "+
				"respond to the requested command after %dms. It appears that JavaScript execution is blocked",
				wait.Milliseconds())}
		}
		return nil, unknown(err.Error())
	}
	var text string
	var answer struct {
		Status int
		Value  any
	}
	if json.Unmarshal(raw, &text) != nil || json.Unmarshal([]byte(text), &answer) != nil {
		return nil, unknown("Did not get OK result from remote debugger")
	}
	if answer.Status != 0 {
		said, _ := answer.Value.(map[string]any)
		return nil, &failure{http.StatusInternalServerError, "javascript error", fmt.Sprint(said["message"])}
	}
	return answer.Value, nil
}
