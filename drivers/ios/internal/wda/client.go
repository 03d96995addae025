// Package wda calls WebDriverAgent: requests go in, values or errors of the kinds of package drivers come out.
package wda

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
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/internal/phrase"
)

const (
	CallLimit   = 30 * time.Second
	SourceLimit = 60 * time.Second
	statusLimit = 3 * time.Second
	answerBytes = 96 << 20 // a screenshot of a large iPad, in base64

	// A read that is under way when the time of a step ends has so much longer, and a call at least so much in
	// all.
	lateRead  = 4 * time.Second
	LeastRead = 10 * time.Second
	leastCall = 5 * time.Second
	// hungLimit is for calls of a WebDriverAgent that has left one unanswered: it does one thing at a time.
	hungLimit = 3 * time.Second

	// outageLimit is how long a WebDriverAgent that another process runs may be away: a restart takes seconds.
	outageLimit = 10 * time.Second
	outagePoll  = 250 * time.Millisecond

	// SnapshotDepth is how many elements inside one another WebDriverAgent reads; XCTest fails on some apps with more, and
	// on all beyond the deepest.
	SnapshotDepth   = 50
	DeepestSnapshot = 62

	streamRate = 10 // images per second of WebDriverAgent's stream

	// Springboard is the home screen's app, to which the alerts of the system belong.
	Springboard = "com.apple.springboard"
)

// Client is a WebDriverAgent, by HTTP. Its calls are made one at a time.
type Client struct {
	ID   string // of the device, for messages
	Base string // http://127.0.0.1:8100
	HTTP *http.Client
	// Fresh opens a connection for each call; nil: http does. An action that is sent over one which was idle may have
	// arrived when that breaks.
	Fresh *http.Client
	// Gone reports whether the program that runs it has ended; nil: unknown, it may come back.
	Gone func() bool
	// Renewed is called when a session was made in the place of one that was lost; nil: not needed.
	Renewed func(context.Context) error

	hung atomic.Bool // the last call got no answer
	lost atomic.Bool // it was waited for in vain, and has not answered since

	mu      sync.Mutex
	session string
	front   string // the app with the elements that a source returns while it is in the foreground; "": any app
	depth   int    // how many elements inside one another it reads
}

// Error is an error in WebDriver's own words.
type Error struct {
	what          string
	Code, Message string
}

func (e *Error) Error() string {
	if e.Message == "" {
		return fmt.Sprintf("%s: %s", e.what, e.Code)
	}
	return fmt.Sprintf("%s: %s: %s", e.what, e.Code, phrase.LimitBytes(phrase.OneLine(e.Message), 300))
}

// Request is one call.
type Request struct {
	What   string // for messages: "tap"
	Method string
	Path   string
	Older  string // its path in a WebDriverAgent that does not know the one above
	Body   any
	Limit  time.Duration
	Look   bool // it reads the screen, for which a step need not wait beyond its end
	// Spare: it belongs to a read of the screen, and what is known already may answer it.
	Spare bool
	once  bool // a WebDriverAgent that is away is not waited for
}

// Get returns the request that reads something; what names it in messages.
func Get(what, path string) Request { return Request{What: what, Method: http.MethodGet, Path: path} }

// Post returns the request that does something, with a body of JSON; what names it in messages.
func Post(what, path string, body any) Request {
	if body == nil {
		body = struct{}{}
	}
	return Request{What: what, Method: http.MethodPost, Path: path, Body: body}
}

// Call makes a call outside any session. Its response goes into to, when that is not nil.
func (w *Client) Call(ctx context.Context, r Request, to any) error {
	a, err := w.ask(ctx, r)
	if err != nil || to == nil {
		return err
	}
	if err := webdriver.Decode(a.Value, to); err != nil {
		return fmt.Errorf("%w: device %s: WebDriverAgent responds to %s with %s", drivers.ErrDeviceLost, w.ID, r.What,
			screen.Quote(string(a.Value)))
	}
	return nil
}

// ask returns the whole response, which is not an error.
func (w *Client) ask(ctx context.Context, r Request) (answer, error) {
	r.Limit = w.limitOf(ctx, r)
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
		if !may || w.lost.Load() || away >= min(outageLimit, r.Limit) || drivers.Pause(ctx, outagePoll) != nil {
			return answer{}, w.fault(ctx, r, err)
		}
	}
}

// limitOf is how long a call may take.
func (w *Client) limitOf(ctx context.Context, r Request) time.Duration {
	limit := r.Within(ctx)
	if w.hung.Load() {
		limit = min(limit, hungLimit)
	}
	return limit
}

// Within is how long a request may take in a step.
func (r Request) Within(ctx context.Context) time.Duration {
	limit := cmp.Or(r.Limit, CallLimit)
	if end, known := drivers.StepDeadline(ctx); known && (r.Limit == 0 || r.Look) {
		least := leastCall
		if r.Look {
			least = LeastRead
		}
		limit = min(limit, max(time.Until(end)+lateRead, least))
	}
	return limit
}

// mayReturn reports whether a call failed because WebDriverAgent is away, which may end soon, and can be made again:
// it did not arrive, or it only reads.
func (w *Client) mayReturn(r Request, err error) bool {
	if r.once || w.Gone != nil && w.Gone() || errors.Is(err, errBadAnswer) || errors.As(err, new(*Error)) ||
		errors.Is(err, errSlow) {
		return false
	}
	var op *net.OpError
	return r.Method == http.MethodGet || errors.As(err, &op) && op.Op == "dial"
}

// In makes a call in the session, by its older path where WebDriverAgent does not know the newer one.
func (w *Client) In(ctx context.Context, r Request, to any) error {
	err := w.inSession(ctx, r, to)
	if r.Older == "" || !UnknownCommand(err) {
		return err
	}
	r.Path = r.Older
	return w.inSession(ctx, r, to)
}

// UnknownCommand reports whether WebDriverAgent has no such call, and so did nothing.
func UnknownCommand(err error) bool {
	var refused *Error
	return errors.As(err, &refused) && (refused.Code == "unknown command" || refused.Code == "unknown method")
}

// inSession makes the call. When WebDriverAgent does not know the session any more (another client made one, or it was
// started again), a new one is made, once. That repeats nothing: the call was refused.
func (w *Client) inSession(ctx context.Context, r Request, to any) error {
	path := r.Path
	r.Path = w.Path(path)
	err := w.Call(ctx, r, to)
	var refused *Error
	if !errors.As(err, &refused) || refused.Code != "invalid session id" {
		return err
	}
	if err := w.Open(ctx); err != nil {
		return err
	}
	if w.Renewed != nil {
		if err := w.Renewed(ctx); err != nil {
			return err
		}
	}
	r.Path = w.Path(path)
	return w.Call(ctx, r, to)
}

// Path returns the path of a call in the session.
func (w *Client) Path(path string) string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return "/session/" + w.session + path
}

// Open makes a session, which ends the one that there was, and sets WebDriverAgent up for speed: Taproot does its own
// waiting.
func (w *Client) Open(ctx context.Context) error {
	caps := map[string]any{"shouldWaitForQuiescence": false, "eventloopIdleDelaySec": 0, "waitForIdleTimeout": 0,
		"shouldTerminateApp": false, "maxTypingFrequency": 60}
	ask := Post("a session", "/session",
		map[string]any{"capabilities": map[string]any{"alwaysMatch": caps, "firstMatch": []any{struct{}{}}}})
	made, err := w.ask(ctx, ask)
	if err != nil {
		return fmt.Errorf("%w: device %s: WebDriverAgent makes no session: %w", drivers.ErrDeviceLost, w.ID, err)
	}
	session := made.newSession()
	if session == "" || strings.ContainsAny(session, "/?#% ") {
		return fmt.Errorf("%w: device %s: WebDriverAgent makes a session without a proper id", drivers.ErrDeviceLost, w.ID)
	}
	w.mu.Lock()
	w.session = session
	settings := map[string]any{"snapshotMaxDepth": cmp.Or(w.depth, SnapshotDepth),
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
func (w *Client) set(ctx context.Context, settings map[string]any) error {
	return unlessUnknown(w.Call(ctx, Post("settings", w.Path("/appium/settings"), map[string]any{"settings": settings}),
		nil))
}

func unlessUnknown(err error) error {
	if UnknownCommand(err) {
		return nil
	}
	return err
}

// ReadApp names the app with the elements that a source returns from now on while it is in the foreground. The setting
// is lost with the session.
func (w *Client) ReadApp(ctx context.Context, app string) error {
	w.mu.Lock()
	known := w.front == app
	w.front = app
	w.mu.Unlock()
	if known {
		return nil
	}
	return w.setIn(ctx, map[string]any{"defaultActiveApplication": cmp.Or(app, "auto")})
}

// ReadsApp is the app that lookAt named last.
func (w *Client) ReadsApp() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.front
}

// setIn changes settings of the session, also of one that has to be made again.
func (w *Client) setIn(ctx context.Context, settings map[string]any) error {
	return unlessUnknown(w.In(ctx, Post("settings", "/appium/settings", map[string]any{"settings": settings}), nil))
}

// Reach is how many elements inside one another a source has at most.
func (w *Client) Reach() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return cmp.Or(w.depth, SnapshotDepth)
}

// Deepen makes a source reach as deep as XCTest can; it reports whether it did not before.
func (w *Client) Deepen(ctx context.Context) (bool, error) {
	w.mu.Lock()
	deeper := w.depth < DeepestSnapshot
	w.depth = DeepestSnapshot
	w.mu.Unlock()
	if !deeper {
		return false, nil
	}
	return true, w.setIn(ctx, map[string]any{"snapshotMaxDepth": DeepestSnapshot})
}

// End ends the session.
func (w *Client) End(ctx context.Context) error {
	w.mu.Lock()
	session := w.session
	w.session = ""
	w.mu.Unlock()
	if session == "" {
		return nil
	}
	err := w.Call(ctx, Request{What: "the end of the session", Method: http.MethodDelete, Path: "/session/" + session},
		nil)
	var gone *Error
	if errors.As(err, &gone) { // ended by another client's session
		return nil
	}
	return err
}

// exchange makes one HTTP request.
func (w *Client) exchange(ctx context.Context, r Request) (answer, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, r.Limit, errSlow)
	defer cancel()
	var body io.Reader
	if r.Body != nil {
		data, err := json.Marshal(r.Body)
		if err != nil {
			return answer{}, err
		}
		body = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, w.Base+r.Path, body)
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("Content-Type", "application/json")
	client := w.HTTP
	if r.Method != http.MethodGet && w.Fresh != nil {
		client = w.Fresh
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
	return readAnswer(r.What, res.StatusCode, data)
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
		return answer{}, &Error{what, failed.Error, failed.Message}
	case bad:
		return answer{}, fmt.Errorf("%w: HTTP status %d, %s", errBadAnswer, status, screen.Quote(string(data)))
	}
	return a, nil
}

// Status checks whether WebDriverAgent is there and ready.
func (w *Client) Status(ctx context.Context) (status, error) {
	ask := Get("its status", "/status")
	ask.Limit, ask.once = statusLimit, true
	var s status
	if err := w.Call(ctx, ask, &s); err != nil {
		return s, err
	}
	if !s.ready() {
		return s, fmt.Errorf("%w: device %s: WebDriverAgent is not ready: %s", drivers.ErrDeviceLost, w.ID,
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
