package agent

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/internal/sim/android/kernel"
	"github.com/taproot-dev/taproot/internal/sim/android/spec"
	"github.com/taproot-dev/taproot/internal/sim/android/ui"
)

func itoa(n int) string { return strconv.Itoa(n) }

const (
	agentBody  = 65536 // of a request, in bytes
	agentChunk = 1500  // of an answer
)

// routes are the routes of the agent.
func (a *Run) routes() http.Handler {
	mux := http.NewServeMux()
	on := func(pattern string, do http.HandlerFunc) {
		mux.HandleFunc(pattern, func(w http.ResponseWriter, r *http.Request) {
			r.Body = http.MaxBytesReader(w, r.Body, agentBody)
			a.failing(w, r, do)
		})
	}
	in := func(pattern string, do func(w http.ResponseWriter, r *http.Request, body map[string]any)) {
		method, path, _ := strings.Cut(pattern, " ")
		on(method+" /session/{id}"+path, func(w http.ResponseWriter, r *http.Request) { a.inSession(w, r, do) })
	}
	on("GET /status", func(w http.ResponseWriter, _ *http.Request) {
		give(w, "None", map[string]any{"ready": true, "message": "UiAutomator2 Server is ready to accept commands",
			"build": map[string]any{"version": a.version, "versionCode": a.code}})
	})
	on("GET /sessions", a.listSessions)
	on("POST /session", a.newSession)
	on("DELETE /session/{id}", func(w http.ResponseWriter, r *http.Request) {
		a.inSession(w, r, func(w http.ResponseWriter, _ *http.Request, _ map[string]any) {
			give(w, r.PathValue("id"), nil)
			a.Calmly = true
			time.AfterFunc(15*time.Millisecond, a.End)
		})
	})
	in("GET /appium/settings", func(w http.ResponseWriter, r *http.Request, _ map[string]any) {
		a.mu.Lock()
		defer a.mu.Unlock()
		give(w, a.session, a.settings.all())
	})
	in("POST /appium/settings", a.setSettings)
	in("POST /appium/list_windows", a.listWindows)
	in("GET /source", a.source)
	in("POST /element", a.findElement)
	in("GET /element/active", a.activeElement)
	in("GET /element/{element}/rect", a.elementRect)
	in("GET /element/{element}/text", a.elementText)
	in("POST /element/{element}/click", a.elementClick)
	in("POST /element/{element}/clear", a.elementClear)
	in("POST /element/{element}/value", a.elementValue)
	in("POST /actions", a.actions)
	in("POST /back", func(w http.ResponseWriter, r *http.Request, _ map[string]any) {
		a.sys.Mu.Lock()
		a.sys.UI.Back()
		a.sys.Mu.Unlock()
		give(w, r.PathValue("id"), nil)
	})
	in("POST /appium/device/press_keycode", a.pressKey)
	in("POST /appium/device/set_clipboard", a.setClipboard)
	in("POST /appium/device/get_clipboard", a.getClipboard)
	in("GET /screenshot", a.screenshot)
	in("GET /appium/device/info", a.deviceInfo)
	in("GET /appium/device/pixel_ratio", func(w http.ResponseWriter, r *http.Request, _ map[string]any) {
		give(w, r.PathValue("id"), float64(a.sys.Opts.Density)/160)
	})
	in("GET /appium/device/system_bars", func(w http.ResponseWriter, r *http.Request, _ map[string]any) {
		give(w, r.PathValue("id"), map[string]any{"statusBar": ui.StatusBarDP * a.sys.Opts.Density / 160})
	})
	in("GET /window/current/size", func(w http.ResponseWriter, r *http.Request, _ map[string]any) {
		a.sys.Mu.Lock()
		size := a.sys.UI.Size()
		a.sys.Mu.Unlock()
		give(w, r.PathValue("id"), map[string]any{"width": size.X, "height": size.Y})
	})
	in("POST /appium/device/open_notifications", func(w http.ResponseWriter, r *http.Request, _ map[string]any) {
		a.sys.Mu.Lock()
		a.sys.UI.Shade = true
		a.sys.Mu.Unlock()
		give(w, r.PathValue("id"), nil)
	})
	in("GET /orientation", func(w http.ResponseWriter, r *http.Request, _ map[string]any) {
		give(w, r.PathValue("id"), a.orientation())
	})
	in("POST /orientation", a.turn)
	in("GET /alert/text", a.alertText)
	in("POST /alert/accept", func(w http.ResponseWriter, r *http.Request, body map[string]any) {
		a.answerAlert(w, r, true, body)
	})
	in("POST /alert/dismiss", func(w http.ResponseWriter, r *http.Request, body map[string]any) {
		a.answerAlert(w, r, false, body)
	})
	on("/", func(w http.ResponseWriter, r *http.Request) {
		problem(w, http.StatusNotFound, "unknown command", "The requested resource could not be found: "+r.Method+" "+
			r.URL.Path)
	})
	return mux
}

// give responds with a value.
func give(w http.ResponseWriter, session string, value any) {
	write(w, http.StatusOK, map[string]any{"sessionId": session, "value": value})
}

// problem responds with an error.
func problem(w http.ResponseWriter, status int, kind, message string) {
	write(w, status, map[string]any{"sessionId": "None", "value": map[string]any{"error": kind, "message": message,
		"stacktrace": kind +
			"\n\tat io.appium.uiautomator2.handler.request.SafeRequestHandler.handle(SafeRequestHandler.java:59)"}})
}

func write(w http.ResponseWriter, status int, answer any) {
	text, err := json.Marshal(answer)
	if err != nil {
		status, text = http.StatusInternalServerError, []byte("{}")
	}
	w.Header().Set("Content-Type", "application/json; charset=UTF-8")
	if len(text) < agentChunk {
		w.Header().Set("Content-Length", itoa(len(text)))
	}
	w.WriteHeader(status)
	for piece := range slices.Chunk(text, agentChunk) { // a long one goes in chunks
		_, _ = w.Write(piece)
		if f, ok := w.(http.Flusher); ok {
			f.Flush()
		}
	}
}

// body reads what the client sends; false: it was refused.
func body(w http.ResponseWriter, r *http.Request) (map[string]any, bool) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		w.WriteHeader(http.StatusRequestEntityTooLarge)
		return nil, false
	}
	body := map[string]any{}
	if len(text) > 0 && json.Unmarshal(text, &body) != nil {
		problem(w, http.StatusBadRequest, "invalid argument", "com.google.gson.JsonSyntaxException")
		return nil, false
	}
	return body, true
}

// inSession refuses what belongs to no session, or needs the UiAutomation that is gone.
func (a *Run) inSession(w http.ResponseWriter, r *http.Request, do func(http.ResponseWriter, *http.Request,
	map[string]any)) {
	body, ok := body(w, r)
	if !ok {
		return
	}
	a.mu.Lock()
	known := a.session != "" && a.session == r.PathValue("id")
	a.mu.Unlock()
	plain := r.Method == http.MethodDelete || strings.HasSuffix(r.URL.Path, "/settings")
	switch {
	case !known:
		problem(w, http.StatusNotFound, "invalid session id", "A session is either terminated or not started")
	case !plain && !a.Works():
		problem(w, http.StatusInternalServerError, "unknown error",
			"java.lang.IllegalStateException: UiAutomation not connected!")
	default:
		do(w, r, body)
	}
}

func (a *Run) listSessions(w http.ResponseWriter, _ *http.Request) {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := []any{}
	if a.session != "" {
		list = append(list, map[string]any{"id": a.session, "capabilities": map[string]any{}})
	}
	give(w, "None", list)
}

func agentDefaults() map[string]any {
	return map[string]any{
		"waitForIdleTimeout": 10000.0, "waitForSelectorTimeout": 10000.0, "actionAcknowledgmentTimeout": 3000.0,
		"scrollAcknowledgmentTimeout": 200.0,
		"keyInjectionDelay":           0.0, "enableMultiWindows": false, "allowInvisibleElements": false,
		"ignoreUnimportantViews": false,
		"snapshotMaxDepth":       70.0, "simpleBoundsCalculation": false, "deferAccessibilityCacheReset": false,
		"enableNotificationListener": true,
		"trackScrollEvents":          true, "mapTestTagToResourceId": false, "wakeLockTimeout": 86400000.0,
		"shutdownOnPowerDisconnect": true,
		"mjpegServerFramerate":      10.0, "mjpegServerScreenshotQuality": 50.0, "mjpegScalingFactor": 50.0,
	}
}

// agentSettings are the settings of the agent's session.
type agentSettings struct {
	mu     sync.Mutex
	values map[string]any
}

// flag reads a setting that is on or off.
func (a *agentSettings) flag(name string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	on, _ := a.values[name].(bool)
	return on
}

func (a *agentSettings) number(name string) int {
	a.mu.Lock()
	defer a.mu.Unlock()
	n, _ := a.values[name].(float64)
	return int(n)
}

// reset makes each setting its default.
func (a *agentSettings) reset() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.values = agentDefaults()
}

// all are the settings as they are.
func (a *agentSettings) all() map[string]any {
	a.mu.Lock()
	defer a.mu.Unlock()
	return maps.Clone(a.values)
}

// set changes one setting. A wrong type is an error; what is unknown or out of range is passed over.
func (a *agentSettings) set(name string, value any) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	at := name
	for known := range a.values {
		if strings.EqualFold(known, name) {
			at = known
		}
	}
	old, known := a.values[at]
	if !known {
		return nil
	}
	switch v := value.(type) {
	case bool:
		if _, ok := old.(bool); !ok {
			return fmt.Errorf("%s must be a number", at)
		}
	case float64:
		if _, ok := old.(float64); !ok {
			return fmt.Errorf("%s must be a boolean", at)
		}
		if v < 0 || at == "snapshotMaxDepth" && (v < 1 || v > 500) || at == "mjpegServerFramerate" && (v < 1 || v > 60) {
			return nil
		}
	default:
		return fmt.Errorf("%s has a value of the wrong type", at)
	}
	a.values[at] = value
	return nil
}

func (a *Run) newSession(w http.ResponseWriter, r *http.Request) {
	body, ok := body(w, r)
	if !ok {
		return
	}
	if !a.Works() {
		problem(w, http.StatusInternalServerError, "session not created",
			"java.lang.IllegalStateException: UiAutomationService "+
				"android.accessibilityservice.IAccessibilityServiceClient$Stub$Proxy@5e1c1f8already registered!")
		return
	}
	asked := map[string]any{}
	if caps, _ := body["capabilities"].(map[string]any); caps != nil {
		if always, _ := caps["alwaysMatch"].(map[string]any); always != nil {
			asked = always
		}
		if list, _ := caps["firstMatch"].([]any); len(list) > 0 {
			first, _ := list[0].(map[string]any)
			for k, v := range first {
				asked[k] = v
			}
		}
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.made++
	a.session = fmt.Sprintf("9d7c1f00-0000-4000-8000-%012d", a.made)
	a.elements = map[string]foundElement{}
	a.settings.reset()
	for k, v := range asked {
		if err := a.settings.set(strings.TrimPrefix(k, "appium:"), v); err != nil {
			a.session = ""
			problem(w, http.StatusInternalServerError, "session not created", err.Error())
			return
		}
	}
	give(w, a.session, map[string]any{"capabilities": asked})
}

func (a *Run) setSettings(w http.ResponseWriter, r *http.Request, body map[string]any) {
	list, ok := body["settings"].(map[string]any)
	if !ok {
		problem(w, http.StatusBadRequest, "invalid argument", "settings must be a map")
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for k, v := range list {
		if err := a.settings.set(k, v); err != nil {
			problem(w, http.StatusBadRequest, "invalid argument", err.Error())
			return
		}
	}
	give(w, a.session, a.settings.all())
}

func (a *Run) pressKey(w http.ResponseWriter, r *http.Request, body map[string]any) {
	code, ok := body["keycode"].(float64)
	if !ok {
		problem(w, http.StatusBadRequest, "invalid argument", "keycode is required")
		return
	}
	meta, _ := body["metastate"].(float64)
	keys := []int{int(code)}
	if int(meta)&4096 != 0 {
		keys = []int{113, int(code)}
	} else if int(meta)&1 != 0 {
		keys = []int{59, int(code)}
	}
	p := a.sys
	kernel.Pause(p.Ctx, p.Opts.Latency.AgentInput)
	p.Mu.Lock()
	p.UI.Pressed(keys)
	if len(keys) > 1 {
		p.UI.Combination(keys)
	} else {
		p.UI.Key(keys[0])
	}
	p.Mu.Unlock()
	give(w, r.PathValue("id"), nil)
}

func (a *Run) setClipboard(w http.ResponseWriter, r *http.Request, body map[string]any) {
	content, _ := body["content"].(string)
	text, err := base64.StdEncoding.DecodeString(content)
	if kind, _ := body["contentType"].(string); err != nil || !strings.EqualFold(kind, "plaintext") {
		problem(w, http.StatusBadRequest, "invalid argument", "the clipboard takes PLAINTEXT in base64")
		return
	}
	a.sys.Mu.Lock()
	a.sys.UI.Clipboard = string(text)
	a.sys.Mu.Unlock()
	give(w, r.PathValue("id"), nil)
}

// getClipboard returns nothing from Android 10 on: the agent has no focus.
func (a *Run) getClipboard(w http.ResponseWriter, r *http.Request, _ map[string]any) {
	a.sys.Mu.Lock()
	text := a.sys.UI.Clipboard
	if a.sys.Prof.API >= 29 {
		text = ""
	}
	a.sys.Mu.Unlock()
	give(w, r.PathValue("id"), base64.StdEncoding.EncodeToString([]byte(text)))
}

func (a *Run) screenshot(w http.ResponseWriter, r *http.Request, _ map[string]any) {
	kernel.Pause(r.Context(), a.sys.Opts.Latency.Screencap)
	if a.sys.Opts.EffectiveSecure() != spec.SecureBlack && a.sys.Forbidden() {
		problem(w, 500, "unable to capture screen",
			"Failed to capture a screenshot. Does the current view have 'secure' flag set?")
		return
	}
	give(w, r.PathValue("id"), base64.StdEncoding.EncodeToString(a.sys.Encode(a.sys.Captured(), true)))
}

// alert finds the parts of a dialog by their ids. The phone's lock is held.
func (a *reader) alert() (text string, accept, dismiss *ui.View) {
	part := func(v *ui.View, ids ...string) bool {
		return slices.ContainsFunc(ids, func(id string) bool { return strings.HasSuffix(v.ID, id) })
	}
	for _, w := range a.windows(a.sys.UI.Accessible(time.Now())) {
		w.Root.Walk(func(v *ui.View) {
			switch {
			case part(v, ":id/alertTitle", ":id/permission_message"):
				text = v.Text
			case v.ID == "android:id/button1" || part(v, "permission_allow_button"):
				accept = v
			case v.ID == "android:id/button2" || part(v, "permission_deny_button"):
				dismiss = v
			}
		})
	}
	return text, accept, dismiss
}

func (a *Run) alertText(w http.ResponseWriter, r *http.Request, _ map[string]any) {
	a.sys.Mu.Lock()
	text, accept, _ := a.alert()
	a.sys.Mu.Unlock()
	if accept == nil && text == "" {
		problem(w, http.StatusNotFound, "no such alert",
			"An attempt was made to operate on a modal dialog when one was not open")
		return
	}
	give(w, r.PathValue("id"), text)
}

func (a *Run) answerAlert(w http.ResponseWriter, r *http.Request, yes bool, body map[string]any) {
	a.sys.Mu.Lock()
	_, button, no := a.alert()
	a.sys.Mu.Unlock()
	if !yes {
		button = no
	}
	if button == nil {
		problem(w, http.StatusNotFound, "no such alert",
			"An attempt was made to operate on a modal dialog when one was not open")
		return
	}
	a.sys.Panel.Touch(time.Now(), button.B.Min.Add(button.B.Max).Div(2), 0)
	give(w, r.PathValue("id"), nil)
}
