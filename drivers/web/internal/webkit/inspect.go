package webkit

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/inspector"
	"github.com/taproot-dev/taproot/drivers/web/internal/classic"
)

// inspected is the Web Inspector of a window, next to WebDriver: it has scripts run before those of pages, and returns
// the HTML of documents.
type inspected struct {
	connection *inspector.Connection
	prompt     *inspector.Acknowledger
	ready      chan struct{} // closed when the connection is set up
	life       context.Context
	end        context.CancelFunc

	mu       sync.Mutex
	page     *classic.Page     // nil: the window is not used yet
	script   string            // that runs before those of pages
	native   string            // that runs before script
	headers  map[string]string // of each request, in addition to its own
	stops    bool              // requests wait
	unwatch  func()            // called when it ends
	unread   map[string]string // URLs of the documents that were not searched yet, by frame
	declares map[string]bool   // frames with a document that declares closed shadow roots

	answers func(id, address string) // decides on requests, in a window of Taproot's own
	visited *visited
	secret  string            // before what the scripts of Taproot write to the console
	top     string            // the origin of the page
	sockets map[string]string // URLs of WebSockets
}

// Attach has the Web Inspector of a window run the scripts of the context in each document before the page's own.
func (on *instance) Attach(ctx context.Context, w classic.Attachment) (classic.Window, error) {
	var in *inspected
	if w.Number == 1 {
		in = on.takeFirst()
	}
	if in == nil {
		var err error
		if in, err = on.inspect(ctx, w.Number); err != nil {
			return nil, err
		}
	}
	in.mu.Lock()
	in.page, in.script, in.secret = w.Page, w.Script, w.Name
	in.native = classic.NativeScript(w.Name) + reports(w.Name)
	in.headers, in.stops = w.Headers, w.Stops
	in.mu.Unlock()
	err := in.prepare(ctx)
	if err == nil && w.Number > 1 {
		err = in.catchUp(ctx)
	}
	if err != nil {
		in.Close()
		return nil, inspectorError(err)
	}
	on.mu.Lock()
	on.windows, on.attached = append(on.windows, in), max(on.attached, w.Number)
	on.mu.Unlock()
	return in, nil
}

// attemptLimit is how long a window may take to respond to a connection: one that comes before the window is known
// stays without a response for ever.
const attemptLimit = time.Second

// noWindow is the number of a window that does not exist.
const noWindow = 0

// socket returns the URL of the Web Inspector of a window, by its number there.
func (on *instance) socket(id int) string {
	return fmt.Sprintf("ws://127.0.0.1:%s/socket/1/%d/WebPage", on.port, id)
}

// inspect connects to the Web Inspector of a window, by its number from 1.
func (on *instance) inspect(ctx context.Context, number int) (*inspected, error) {
	if number == 1 {
		return on.connect(ctx, 1)
	}
	on.mu.Lock()
	id := number + on.others + 1 // 2 is the session
	on.mu.Unlock()
	return on.connect(ctx, id)
}

// leaps is how many numbers WebKit may leave out: it takes one more when cookies are removed.
const leaps = 3

// connect connects to the Web Inspector of the newest window, by its number there, or one of the next ones.
func (on *instance) connect(ctx context.Context, id int) (*inspected, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, callLimit, errLate)
	defer cancel()
	in := &inspected{prompt: on.prompt, unwatch: func() {}, unread: map[string]string{}, declares: map[string]bool{},
		ready: make(chan struct{}), visited: on.visited, sockets: map[string]string{}}
	in.life, in.end = context.WithCancel(context.Background())
	defer on.prompt.Await()()
	attempts := 0
	err := poll(ctx, nil, func() (done bool) {
		attempt, cancel := context.WithTimeout(ctx, attemptLimit)
		defer cancel()
		leap := attempts % leaps
		made, err := inspector.Dial(attempt, on.socket(id+leap), in.event)
		if in.connection = made; err != nil {
			attempts++
			return false
		}
		on.mu.Lock()
		on.others += leap
		on.mu.Unlock()
		return true
	})
	if err == nil {
		err = in.enable(ctx)
	}
	close(in.ready)
	if err != nil {
		in.Close()
		return nil, inspectorError(err)
	}
	return in, nil
}

var errLate = errors.New("it does not answer")

func inspectorError(err error) error {
	return fmt.Errorf("%w: Web Inspector: %w", drivers.ErrDeviceLost, err)
}

// event is called for what is reported of the window.
func (in *inspected) event(method string, params json.RawMessage) {
	switch method {
	case inspector.Swapped:
		select {
		case <-in.ready: // another target has taken the page's place
		default: // it is the first one
			return
		}
		go func() {
			ctx, cancel := context.WithTimeout(in.life, callLimit)
			defer cancel()
			if in.enable(ctx) == nil { // fails when the page is gone
				_ = in.prepare(ctx)
			}
			in.moved()
		}()
	case "Console.messageAdded":
		var said struct{ Message classic.Logged }
		in.mu.Lock()
		page, secret := in.page, in.secret
		in.mu.Unlock()
		if page != nil && json.Unmarshal(params, &said) == nil && !in.visited.take(said.Message.Text, secret) {
			page.Log(said.Message)
		}
	default:
		in.hear(method, params)
		in.traffic(method, params)
	}
}

// Close ends the connection.
func (in *inspected) Close() {
	in.end()
	in.mu.Lock()
	in.unwatch()
	in.mu.Unlock()
	if in.connection != nil {
		in.connection.Close()
	}
}

// Settle returns when all that the page has done until now is reported: the events of a page are in the order in which
// it has responded to commands.
func (in *inspected) Settle(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	if err := in.call(ctx, "Console.enable", nil, nil); err != nil {
		return fmt.Errorf("%w: Web Inspector does not respond: %w", drivers.ErrNotReady, err)
	}
	return nil
}

// Err is why the connection has ended, nil while it has not.
func (in *inspected) Err() error { return in.connection.Err() }

// call sends a command, and puts its result into into unless that is nil.
func (in *inspected) call(ctx context.Context, method string, params map[string]any, into any) error {
	defer in.prompt.Await()()
	if params == nil {
		params = map[string]any{}
	}
	return in.connection.Call(ctx, method, params, into)
}

// enable has a target of the page report what happens on it.
func (in *inspected) enable(ctx context.Context) error {
	for _, domain := range []string{"Page", "Console", "Network", "Worker"} {
		if err := in.call(ctx, domain+".enable", nil, nil); err != nil {
			return err
		}
	}
	return nil
}

// prepare has a target of the page do what the context wants of it.
func (in *inspected) prepare(ctx context.Context) error {
	in.mu.Lock()
	headers, stops, page := in.headers, in.stops, in.page
	in.mu.Unlock()
	if page == nil { // the window is not used yet
		return nil
	}
	if len(headers) > 0 {
		if err := in.call(ctx, "Network.setExtraHTTPHeaders", map[string]any{"headers": headers}, nil); err != nil {
			return err
		}
	}
	if stops {
		if err := in.stop(ctx); err != nil {
			return err
		}
	}
	return in.install(ctx)
}

// install passes the script that runs first.
func (in *inspected) install(ctx context.Context) error {
	in.mu.Lock()
	script := in.native + in.script
	in.mu.Unlock()
	return in.call(ctx, "Page.setBootstrapScript", map[string]any{"source": script}, nil)
}

// hear notes which documents are in the frames of the page.
func (in *inspected) hear(method string, params json.RawMessage) {
	var p struct {
		Frame   struct{ ID, URL string }
		FrameID string
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	switch method {
	case "Page.frameNavigated":
		delete(in.declares, p.Frame.ID)
		in.unread[p.Frame.ID] = p.Frame.URL
	case "Page.frameDetached":
		delete(in.declares, p.FrameID)
		delete(in.unread, p.FrameID)
	}
}

// DeclaresClosedRoots reports whether declares finds closed shadow roots in the HTML of a document of the page. While
// the page loads, documents are searched again.
func (in *inspected) DeclaresClosedRoots(ctx context.Context, loading bool, declares func(html string) bool) bool {
	in.mu.Lock()
	unread := make(map[string]string, len(in.unread))
	for frame, address := range in.unread {
		unread[frame] = address
	}
	in.mu.Unlock()
	for frame, address := range unread {
		html, err := in.html(ctx, frame, address)
		if err != nil {
			continue // the document is another one by now, or is still on its way
		}
		in.mu.Lock()
		if in.unread[frame] == address {
			in.declares[frame] = declares(html)
			if !loading {
				delete(in.unread, frame)
			}
		}
		in.mu.Unlock()
	}
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, found := range in.declares {
		if found {
			return true
		}
	}
	return false
}

func (in *inspected) html(ctx context.Context, frame, address string) (string, error) {
	if address == "" || strings.HasPrefix(address, "about:") {
		return "", nil
	}
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	address, _, _ = strings.Cut(address, "#")
	var answer struct {
		Content string
		Encoded bool `json:"base64Encoded"`
	}
	err := in.call(ctx, "Page.getResourceContent", map[string]any{"frameId": frame, "url": address}, &answer)
	if err != nil || !answer.Encoded {
		return answer.Content, err
	}
	raw, err := base64.StdEncoding.DecodeString(answer.Content)
	return string(raw), err
}
