package ios

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
	"github.com/taproot-dev/taproot/internal/shorten"
)

const (
	callLimit   = 30 * time.Second
	sourceLimit = 60 * time.Second
	statusLimit = 3 * time.Second
	answerBytes = 96 << 20 // a screenshot of a large iPad, in base64

	// A read that is under way when the time of a step ends has so much longer, and a call at least so much in
	// all.
	lateRead  = 4 * time.Second
	leastRead = 10 * time.Second
	leastCall = 5 * time.Second
	// hungLimit is for calls of a WebDriverAgent that has left one unanswered: it does one thing at a time.
	hungLimit = 3 * time.Second

	// outageLimit is how long a WebDriverAgent that another process runs may be away: a restart takes seconds.
	outageLimit = 10 * time.Second
	outagePoll  = 250 * time.Millisecond
)

// wda is a WebDriverAgent, by HTTP. Its calls are made one at a time.
type wda struct {
	id   string // of the device, for messages
	base string // http://127.0.0.1:8100
	http *http.Client
	// fresh opens a connection for each call; nil: http does. An action that is sent over one which was idle may have
	// arrived when that breaks.
	fresh *http.Client
	// gone reports whether the program that runs it has ended; nil: unknown, it may come back.
	gone func() bool
	// renewed is called when a session was made in the place of one that was lost; nil: not needed.
	renewed func(context.Context) error

	hung atomic.Bool // the last call got no answer
	lost atomic.Bool // it was waited for in vain, and has not answered since

	mu      sync.Mutex
	session string
	front   string // the app with the elements that a source returns while it is in the foreground; "": any app
	depth   int    // how many elements inside one another it reads
}

// wdaError is an error in WebDriver's own words.
type wdaError struct {
	what          string
	Code, Message string
}

func (e *wdaError) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("%s: %s", e.what, e.Code)
	}
	return fmt.Sprintf("%s: %s: %s", e.what, e.Code, shorten.Bytes(shorten.OneLine(e.Message), 300))
}

// request is one call.
type request struct {
	what   string // for messages: "tap"
	method string
	path   string
	older  string // its path in a WebDriverAgent that does not know the one above
	body   any
	limit  time.Duration
	look   bool // it reads the screen, for which a step need not wait beyond its end
	once   bool // a WebDriverAgent that is away is not waited for
}

func get(what, path string) request { return request{what: what, method: http.MethodGet, path: path} }

func post(what, path string, body any) request {
	if body == nil {
		body = struct{}{}
	}
	return request{what: what, method: http.MethodPost, path: path, body: body}
}

// call makes a call outside any session. Its response goes into to, when that is not nil.
func (w *wda) call(ctx context.Context, r request, to any) error {
	a, err := w.ask(ctx, r)
	if err != nil || to == nil {
		return err
	}
	if err := json.Unmarshal(a.Value, to); err != nil {
		return fmt.Errorf("%w: device %s: WebDriverAgent responds to %s with %s", drivers.ErrDeviceLost, w.id, r.what,
			screen.Quote(string(a.Value)))
	}
	return nil
}

// ask returns the whole response, which is not an error.
func (w *wda) ask(ctx context.Context, r request) (answer, error) {
	r.limit = w.limitOf(ctx, r)
	for began := time.Now(); ; {
		a, err := w.exchange(ctx, r)
		w.hung.Store(errors.Is(err, errSlow) || err != nil && ctx.Err() != nil)
		if err == nil {
			w.lost.Store(false)
			return a, nil
		}
		may, away := w.mayReturn(r, err), time.Since(began)
		if may && away >= outageLimit { // a call that was slow and failed waited for nothing
			w.lost.Store(true)
		}
		if !may || w.lost.Load() || away >= min(outageLimit, r.limit) || drivers.Pause(ctx, outagePoll) != nil {
			return answer{}, w.fault(ctx, r, err)
		}
	}
}

// limitOf is how long a call may take.
func (w *wda) limitOf(ctx context.Context, r request) time.Duration {
	limit := cmp.Or(r.limit, callLimit)
	if end, known := drivers.StepDeadline(ctx); known && (r.limit == 0 || r.look) {
		least := leastCall
		if r.look {
			least = leastRead
		}
		limit = min(limit, max(time.Until(end)+lateRead, least))
	}
	if w.hung.Load() {
		limit = min(limit, hungLimit)
	}
	return limit
}

// mayReturn reports whether a call failed because WebDriverAgent is away, which may end soon, and can be made again:
// it did not arrive, or it only reads.
func (w *wda) mayReturn(r request, err error) bool {
	if r.once || w.gone != nil && w.gone() || errors.Is(err, errBadAnswer) || errors.As(err, new(*wdaError)) ||
		errors.Is(err, errSlow) {
		return false
	}
	var op *net.OpError
	return r.method == http.MethodGet || errors.As(err, &op) && op.Op == "dial"
}

// in makes a call in the session, by its older path where WebDriverAgent does not know the newer one.
func (w *wda) in(ctx context.Context, r request, to any) error {
	err := w.inSession(ctx, r, to)
	if r.older == "" || !unknownCommand(err) {
		return err
	}
	r.path = r.older
	return w.inSession(ctx, r, to)
}

// unknownCommand reports whether WebDriverAgent has no such call, and so did nothing.
func unknownCommand(err error) bool {
	var refused *wdaError
	return errors.As(err, &refused) && (refused.Code == "unknown command" || refused.Code == "unknown method")
}

// inSession makes the call. When WebDriverAgent does not know the session any more (another client made one, or it was
// started again), a new one is made, once. That repeats nothing: the call was refused.
func (w *wda) inSession(ctx context.Context, r request, to any) error {
	path := r.path
	r.path = w.path(path)
	err := w.call(ctx, r, to)
	var refused *wdaError
	if !errors.As(err, &refused) || refused.Code != "invalid session id" {
		return err
	}
	if err := w.open(ctx); err != nil {
		return err
	}
	if w.renewed != nil {
		if err := w.renewed(ctx); err != nil {
			return err
		}
	}
	r.path = w.path(path)
	return w.call(ctx, r, to)
}

func (w *wda) path(path string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return "/session/" + w.session + path
}

// open makes a session, which ends the one that there was, and sets WebDriverAgent up for speed: Taproot does its own
// waiting.
func (w *wda) open(ctx context.Context) error {
	caps := map[string]any{"shouldWaitForQuiescence": false, "eventloopIdleDelaySec": 0, "waitForIdleTimeout": 0,
		"shouldTerminateApp": false, "maxTypingFrequency": 60}
	ask := post("a session", "/session",
		map[string]any{"capabilities": map[string]any{"alwaysMatch": caps, "firstMatch": []any{struct{}{}}}})
	made, err := w.ask(ctx, ask)
	if err != nil {
		return fmt.Errorf("%w: device %s: WebDriverAgent makes no session: %w", drivers.ErrDeviceLost, w.id, err)
	}
	session := made.newSession()
	if session == "" || strings.ContainsAny(session, "/?#% ") {
		return fmt.Errorf("%w: device %s: WebDriverAgent makes a session without a proper id", drivers.ErrDeviceLost, w.id)
	}
	w.mu.Lock()
	w.session = session
	settings := map[string]any{"snapshotMaxDepth": cmp.Or(w.depth, snapshotDepth),
		"defaultActiveApplication": cmp.Or(w.front, "auto"),
		"waitForIdleTimeout":       0, "animationCoolOffTimeout": 0, "useFirstMatch": false,
		"shouldUseCompactResponses": false,
		// a banner would take the place of the app, too
		"elementResponseAttributes": "type,rect,attribute/name", "respectSystemAlerts": false,
		"mjpegServerFramerate": streamRate, "mjpegScalingFactor": 100, "mjpegServerScreenshotQuality": 40}
	w.mu.Unlock()
	return w.set(ctx, settings)
}

// set changes settings of the session; a WebDriverAgent that has none is slower for that.
func (w *wda) set(ctx context.Context, settings map[string]any) error {
	return unlessUnknown(w.call(ctx, post("settings", w.path("/appium/settings"), map[string]any{"settings": settings}),
		nil))
}

func unlessUnknown(err error) error {
	if unknownCommand(err) {
		return nil
	}
	return err
}

// readApp names the app with the elements that a source returns from now on while it is in the foreground. The setting
// is lost with the session.
func (w *wda) readApp(ctx context.Context, app string) error {
	w.mu.Lock()
	known := w.front == app
	w.front = app
	w.mu.Unlock()
	if known {
		return nil
	}
	return w.setIn(ctx, map[string]any{"defaultActiveApplication": cmp.Or(app, "auto")})
}

// readsApp is the app that lookAt named last.
func (w *wda) readsApp() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.front
}

// setIn changes settings of the session, also of one that has to be made again.
func (w *wda) setIn(ctx context.Context, settings map[string]any) error {
	return unlessUnknown(w.in(ctx, post("settings", "/appium/settings", map[string]any{"settings": settings}), nil))
}

// reach is how many elements inside one another a source has at most.
func (w *wda) reach() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return cmp.Or(w.depth, snapshotDepth)
}

// deepen makes a source reach as deep as XCTest can; it reports whether it did not before.
func (w *wda) deepen(ctx context.Context) (bool, error) {
	w.mu.Lock()
	deeper := w.depth < deepestSnapshot
	w.depth = deepestSnapshot
	w.mu.Unlock()
	if !deeper {
		return false, nil
	}
	return true, w.setIn(ctx, map[string]any{"snapshotMaxDepth": deepestSnapshot})
}

// end ends the session.
func (w *wda) end(ctx context.Context) error {
	w.mu.Lock()
	session := w.session
	w.session = ""
	w.mu.Unlock()
	if session == "" {
		return nil
	}
	err := w.call(ctx, request{what: "the end of the session", method: http.MethodDelete, path: "/session/" + session},
		nil)
	var gone *wdaError
	if errors.As(err, &gone) { // ended by another client's session
		return nil
	}
	return err
}

// exchange makes one HTTP request.
func (w *wda) exchange(ctx context.Context, r request) (answer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.limit, errSlow)
	defer cancel()
	var body io.Reader
	if r.body != nil {
		data, err := json.Marshal(r.body)
		if err != nil {
			return answer{}, err
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, w.base+r.path, body)
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	client := w.http
	if r.method != http.MethodGet && w.fresh != nil {
		client = w.fresh
	}
	res, err := client.Do(req)
	if err != nil {
		return answer{}, causeOf(ctx, err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(io.LimitReader(res.Body, answerBytes+1))
	if err != nil {
		return answer{}, causeOf(ctx, err)
	}
	if len(data) > answerBytes {
		return answer{}, fmt.Errorf("%w: more than %d bytes", errBadAnswer, answerBytes)
	}
	return readAnswer(r.what, res.StatusCode, data)
}

// errSlow says that WebDriverAgent did not answer in our own time; errBadAnswer that what came is not its language.
var (
	errSlow      = errors.New("no answer in time")
	errBadAnswer = errors.New("not an answer of WebDriverAgent")
)

// causeOf prefers what ended the context to what that did to the connection.
func causeOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}

// answer is WebDriver's envelope.
type answer struct {
	Value   json.RawMessage `json:"value"`
	Session string          `json:"sessionId"`
}

// newSession is the id of a session that was just made: in the value, as the standard has it, or next to it, as its
// forerunner had it.
func (a answer) newSession() string {
	var made struct {
		SessionID string `json:"sessionId"`
	}
	_ = json.Unmarshal(a.Value, &made)
	return cmp.Or(made.SessionID, a.Session)
}

// readAnswer reads {"value": …, "sessionId": …}. A value with an error and its message is one whatever the HTTP status
// says.
func readAnswer(what string, status int, data []byte) (answer, error) {
	var a answer
	if err := json.Unmarshal(data, &a); err != nil || a.Value == nil {
		return answer{}, fmt.Errorf("%w: HTTP status %d, %s", errBadAnswer, status, screen.Quote(string(data)))
	}
	var failed struct {
		Error   string `json:"error"`
		Message string `json:"message"`
	}
	_ = json.Unmarshal(a.Value, &failed) // any other value is not an error
	switch bad := status >= http.StatusBadRequest; {
	case failed.Error != "" && (bad || failed.Message != ""):
		return answer{}, &wdaError{what, failed.Error, failed.Message}
	case bad:
		return answer{}, fmt.Errorf("%w: HTTP status %d, %s", errBadAnswer, status, screen.Quote(string(data)))
	}
	return a, nil
}

// status checks whether WebDriverAgent is there and ready.
func (w *wda) status(ctx context.Context) (status, error) {
	ask := get("its status", "/status")
	ask.limit, ask.once = statusLimit, true
	var s status
	if err := w.call(ctx, ask, &s); err != nil {
		return s, err
	}
	if !s.ready() {
		return s, fmt.Errorf("%w: device %s: WebDriverAgent is not ready: %s", drivers.ErrDeviceLost, w.id,
			screen.Quote(s.Message))
	}
	return s, nil
}

// status is what WebDriverAgent says of itself.
type status struct {
	Ready   *bool  `json:"ready"`
	State   string `json:"state"`
	Message string `json:"message"`
	Device  string `json:"device"` // iphone, ipad
	OS      struct {
		Version string `json:"version"`
	} `json:"os"`
	IOS struct {
		Simulator string `json:"simulatorVersion"`
	} `json:"ios"`
}

// ready: an old WebDriverAgent reports only its state.
func (s status) ready() bool {
	if s.Ready != nil {
		return *s.Ready
	}
	return s.State == "success"
}
