package webdriver

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"sync"
	"time"
)

// elementKey is the name under which results and arguments hold an element.
const elementKey = "element-6066-11e4-a52e-4f735466cecf"

// uploadLimit is for a file to be sent.
const uploadLimit = 5 * time.Minute

// orphanLimit is how long the answer to the opening of a session is waited for after its caller has gone.
const orphanLimit = 30 * time.Second

// Session is one session of a server: one browser. Its commands go to the window, and the frame in it, that was
// chosen last.
type Session struct {
	client *Client
	ID     string
	// Granted are the capabilities that the server has.
	Granted struct {
		BrowserName, BrowserVersion string
	}
	// Capabilities are all of them, as the server has written them.
	Capabilities json.RawMessage

	activity
}

// activity is when a session had its last command.
type activity struct {
	mu      sync.Mutex
	pending int       // commands
	last    time.Time // the end of the last command
}

// Idle is how long the session has had no command.
func (a *activity) Idle() time.Duration {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.pending > 0 || a.last.IsZero() {
		return 0
	}
	return time.Since(a.last)
}

// busy counts a command that is sent until its end.
func (a *activity) busy() (end func()) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.pending++
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.pending--
		a.last = time.Now()
	}
}

// KeepAlive sends a command that does nothing, so that the server does not take the session for abandoned.
func (s *Session) KeepAlive(ctx context.Context) error { return s.get(ctx, "/timeouts", nil, 0) }

// Resume returns a session that was opened before, maybe by another process.
func (c *Client) Resume(id string) *Session { return &Session{client: c, ID: id} }

// Status returns why the server cannot be reached. One that is there, but takes no new session now, is fine.
func (c *Client) Status(ctx context.Context, limit time.Duration) error {
	err := c.Do(ctx, Command{Method: http.MethodGet, Path: "/status", Limit: limit}, nil)
	var said *Error
	if errors.As(err, &said) && said.Code != Refused {
		return nil // some clouds have no such command
	}
	return err
}

// DevTools sends a command of the Chrome DevTools Protocol to the chosen window. Drivers of other browsers do not know
// it: the error is then of the code UnknownCommand.
func (s *Session) DevTools(ctx context.Context, command string, params, into any) error {
	return s.do(ctx, http.MethodPost, "/goog/cdp/execute", map[string]any{"cmd": command, "params": params}, into, 0)
}

// Upload sends a file to the machine of the browser, in a zip, and returns its path there. The error of a server
// without such a command has the code UnknownCommand or UnknownMethod.
func (s *Session) Upload(ctx context.Context, archive []byte) (path string, err error) {
	command, err := uploadCommand(ctx, s)
	if err != nil {
		return "", err
	}
	body := map[string]any{"file": base64.StdEncoding.EncodeToString(archive)}
	err = s.do(ctx, http.MethodPost, command, body, &path, uploadLimit)
	return path, err
}

// uploadCommand returns the command that takes files: that of Selenium Grid has another name than that of chromedriver.
// It is tried without a file, for geckodriver responds to a command that it lacks before it has read the file, and
// closes the connection, so that the response, or that to the next command, is lost.
func uploadCommand(ctx context.Context, s *Session) (command string, err error) {
	for _, command = range []string{"/se/file", "/file"} {
		var said *Error
		err = s.do(ctx, http.MethodPost, command, map[string]any{}, nil, 0)
		if err != nil && !errors.As(err, &said) {
			return "", err
		}
		if !Is(err, UnknownCommand, UnknownMethod) {
			return command, nil
		}
	}
	return "", err
}

// Download returns a file that the browser has saved, by its name, in a zip. Selenium Grid has it, in sessions with the
// capability se:downloadsEnabled.
func Download(ctx context.Context, s *Session, name string) (archive []byte, err error) {
	var file struct{ Contents string }
	err = s.do(ctx, http.MethodPost, "/se/files", map[string]any{"name": name}, &file, uploadLimit)
	if err != nil {
		return nil, err
	}
	if archive, err = base64.StdEncoding.DecodeString(file.Contents); err != nil {
		return nil, &LostError{Host: s.client.host, Command: "POST /se/files", Performed: true,
			Why: "the answer is not base64"}
	}
	return archive, nil
}

// NewSession opens a session with these capabilities. It is requested once. When ctx ends meanwhile, the answer is
// waited for in the background, and the session in it ended.
func (c *Client) NewSession(ctx context.Context, capabilities map[string]any, limit time.Duration) (*Session, error) {
	body := map[string]any{"capabilities": map[string]any{"alwaysMatch": capabilities}}
	type outcome struct {
		session *Session
		err     error
	}
	done := make(chan outcome, 1)
	unwanted, giveUp := context.WithCancel(context.WithoutCancel(ctx))
	go func() {
		defer giveUp()
		s := &Session{client: c, activity: activity{last: time.Now()}}
		var answer struct {
			SessionID    string
			Capabilities json.RawMessage
		}
		err := c.Do(unwanted, Command{Method: http.MethodPost, Path: "/session", Body: body, Limit: limit}, &answer)
		if err == nil && answer.SessionID == "" {
			err = &LostError{Host: c.host, Command: "POST /session", Performed: true, Why: "the answer names no session"}
		}
		if s.ID = answer.SessionID; err == nil && len(answer.Capabilities) > 0 {
			s.Capabilities = answer.Capabilities
			_ = json.Unmarshal(answer.Capabilities, &s.Granted) // a name of another form is unknown
		}
		done <- outcome{s, err}
	}()
	select {
	case o := <-done:
		return o.session, o.err
	case <-ctx.Done():
	}
	go func() {
		timer := time.AfterFunc(orphanLimit, giveUp)
		defer timer.Stop()
		if o := <-done; o.err == nil {
			_ = o.session.End(context.WithoutCancel(ctx)) // its caller has gone
		}
	}()
	return nil, context.Cause(ctx)
}

// End ends the session. One that has ended already is fine.
func (s *Session) End(ctx context.Context) error {
	err := s.client.Do(ctx, Command{Method: http.MethodDelete, Path: "/session/" + url.PathEscape(s.ID)}, nil)
	if Is(err, InvalidSession) {
		return nil
	}
	return err
}

func (s *Session) do(ctx context.Context, method, path string, body, into any, limit time.Duration) error {
	defer s.busy()()
	return s.client.Do(ctx, Command{Method: method, Path: "/session/" + url.PathEscape(s.ID) + path, Body: body,
		Limit: limit}, into)
}

// Send sends any command of a session, and decodes what it returns, unless into is nil.
func Send(ctx context.Context, s *Session, k Command, into any) error {
	return s.do(ctx, k.Method, k.Path, k.Body, into, k.Limit)
}

func (s *Session) get(ctx context.Context, path string, into any, limit time.Duration) error {
	return s.do(ctx, http.MethodGet, path, nil, into, limit)
}

func (s *Session) post(ctx context.Context, path string, body any, limit time.Duration) error {
	return s.do(ctx, http.MethodPost, path, body, nil, limit)
}

// Go loads a URL, as far as the session's page load strategy waits for it.
func (s *Session) Go(ctx context.Context, address string) error {
	return s.post(ctx, "/url", map[string]any{"url": address}, 0)
}

// Travel goes back, forward, or loads the page again (refresh).
func (s *Session) Travel(ctx context.Context, way string) error { return s.post(ctx, "/"+way, nil, 0) }

// URL returns the URL of the page.
func (s *Session) URL(ctx context.Context, limit time.Duration) (address string, err error) {
	err = s.get(ctx, "/url", &address, limit)
	return address, err
}

// Windows lists the handles of all windows, in no order.
func (s *Session) Windows(ctx context.Context) (handles []string, err error) {
	err = s.get(ctx, "/window/handles", &handles, 0)
	return handles, err
}

// Window returns the handle of the chosen window.
func (s *Session) Window(ctx context.Context) (handle string, err error) {
	err = s.get(ctx, "/window", &handle, 0)
	return handle, err
}

// NewWindow opens a window and returns its handle.
func (s *Session) NewWindow(ctx context.Context) (string, error) {
	var answer struct{ Handle string }
	err := s.do(ctx, http.MethodPost, "/window/new", map[string]any{"type": "window"}, &answer, 0)
	return answer.Handle, err
}

// ChooseWindow makes a window the one that commands go to.
func (s *Session) ChooseWindow(ctx context.Context, handle string) error {
	return s.post(ctx, "/window", map[string]any{"handle": handle}, 0)
}

// CloseWindow closes the chosen window.
func (s *Session) CloseWindow(ctx context.Context) error {
	return s.do(ctx, http.MethodDelete, "/window", nil, nil, 0)
}

// Resize sets the outer size of the chosen window, at the corner of the screen.
func (s *Session) Resize(ctx context.Context, width, height int) error {
	return s.post(ctx, "/window/rect", map[string]any{"x": 0, "y": 0, "width": width, "height": height}, 0)
}

// Element is a reference of an element of the page.
type Element string

// MarshalJSON encodes it as the argument of a script.
func (e Element) MarshalJSON() ([]byte, error) {
	return json.Marshal(map[string]string{elementKey: string(e)})
}

// UnmarshalJSON decodes the answer of a script that is an element; anything else is "".
func (e *Element) UnmarshalJSON(data []byte) error {
	var answer map[string]string
	if json.Unmarshal(data, &answer) == nil {
		*e = Element(answer[elementKey])
	}
	return nil
}

// EnterFrame has commands go to the frame that an element is.
func (s *Session) EnterFrame(ctx context.Context, frame Element) error {
	return s.post(ctx, "/frame", map[string]any{"id": frame}, 0)
}

// LeaveFrames has commands go to the page itself.
func (s *Session) LeaveFrames(ctx context.Context) error {
	return s.post(ctx, "/frame", map[string]any{"id": nil}, 0)
}

// Execute runs the body of a function in the page and decodes what it returns, unless that is null or undefined; a
// promise is waited for.
func (s *Session) Execute(ctx context.Context, script string, args []any, into any, limit time.Duration) error {
	if args == nil {
		args = []any{}
	}
	var value json.RawMessage
	err := s.do(ctx, http.MethodPost, "/execute/sync", map[string]any{"script": script, "args": args}, &value, limit)
	if err != nil || into == nil || string(value) == "null" {
		return err
	}
	if Decode(value, into) != nil {
		return &LostError{Host: s.client.host, Command: "POST /execute/sync", Performed: true, Why: otherForm}
	}
	return nil
}

// SendTo types into an element: the paths of files into a file field.
func (s *Session) SendTo(ctx context.Context, e Element, text string) error {
	return s.post(ctx, "/element/"+url.PathEscape(string(e))+"/value", map[string]any{"text": text}, 0)
}

// Screenshot returns the page as a PNG.
func (s *Session) Screenshot(ctx context.Context, limit time.Duration) ([]byte, error) {
	var text string
	if err := s.get(ctx, "/screenshot", &text, limit); err != nil {
		return nil, err
	}
	raw, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(raw) == 0 {
		return nil, errors.New("the screenshot cannot be decoded")
	}
	return raw, nil
}

// DeleteCookies removes all cookies of the page.
func (s *Session) DeleteCookies(ctx context.Context) error {
	return s.do(ctx, http.MethodDelete, "/cookie", nil, nil, 0)
}

// AlertText returns what the open dialog says.
func (s *Session) AlertText(ctx context.Context) (string, error) {
	var text *string // null: it has none
	if err := s.get(ctx, "/alert/text", &text, 0); err != nil || text == nil {
		return "", err
	}
	return *text, nil
}

// AnswerAlert closes the open dialog; text goes into its field first, unless it is "". A dialog without a field takes
// none.
func (s *Session) AnswerAlert(ctx context.Context, accept bool, text string) error {
	if text != "" {
		err := s.post(ctx, "/alert/text", map[string]any{"text": text}, 0)
		if err != nil && !Is(err, NotInteractable) {
			return fmt.Errorf("answer a dialog: %w", err)
		}
	}
	way := "dismiss"
	if accept {
		way = "accept"
	}
	return s.post(ctx, "/alert/"+way, nil, 0)
}

// EnterFrameAt has commands go to the frame at a place in the list of the window's frames.
func (s *Session) EnterFrameAt(ctx context.Context, number int) error {
	return s.post(ctx, "/frame", map[string]any{"id": number}, 0)
}
