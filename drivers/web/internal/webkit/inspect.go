package webkit

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/inspector"
	"github.com/taproot-dev/taproot/drivers/web/internal/classic"
)

// inspected is the Web Inspector of a window, next to WebDriver: it has scripts run before those of pages, and returns
// the HTML of documents.
type inspected struct {
	connection *inspector.Connection
	ready      chan struct{} // closed when the connection is set up
	life       context.Context
	end        context.CancelFunc

	mu       sync.Mutex
	page     *classic.Page     // nil: the window is not used yet
	script   string            // that runs before those of pages
	unread   map[string]string // URLs of the documents that were not searched yet, by frame
	declares map[string]bool   // frames with a document that declares closed shadow roots
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
	in.page, in.script = w.Page, classic.NativeScript(w.Name)+w.Script
	in.mu.Unlock()
	if err := in.install(ctx); err != nil {
		in.Close()
		return nil, inspectorError(err)
	}
	return in, nil
}

// inspect connects to the Web Inspector of a window, by its number from 1.
func (on *instance) inspect(ctx context.Context, number int) (*inspected, error) {
	id := number + 1 // 2 is the session
	if number == 1 {
		id = 1
	}
	address := fmt.Sprintf("ws://127.0.0.1:%s/socket/1/%d/WebPage", on.port, id)
	ctx, cancel := context.WithTimeoutCause(ctx, callLimit, errLate)
	defer cancel()
	in := &inspected{unread: map[string]string{}, declares: map[string]bool{}, ready: make(chan struct{})}
	in.life, in.end = context.WithCancel(context.Background())
	err := poll(ctx, nil, func() (done bool) {
		made, err := inspector.Dial(ctx, address, in.event)
		in.connection = made
		return err == nil
	})
	if err == nil {
		err = in.prepare(ctx)
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
	case inspector.Swapped: // another target has taken the page's place
		go func() {
			select {
			case <-in.ready:
			case <-in.life.Done():
				return
			}
			ctx, cancel := context.WithTimeout(in.life, callLimit)
			defer cancel()
			_ = in.prepare(ctx) // fails when the page is gone
		}()
	case "Console.messageAdded":
		var said struct{ Message classic.Logged }
		in.mu.Lock()
		page := in.page
		in.mu.Unlock()
		if page != nil && json.Unmarshal(params, &said) == nil {
			page.Log(said.Message)
		}
	default:
		in.hear(method, params)
	}
}

// Close ends the connection.
func (in *inspected) Close() {
	in.end()
	if in.connection != nil {
		in.connection.Close()
	}
}

// SettleConsole returns when all that the page has written to its console until now is reported.
func (in *inspected) SettleConsole(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, callLimit)
	defer cancel()
	if err := in.connection.Call(ctx, "Console.enable", struct{}{}, nil); err != nil {
		return fmt.Errorf("%w: the console of the page does not respond: %w", drivers.ErrNotReady, err)
	}
	return nil
}

// prepare sets up a target of the page. The calls are sent at once: each takes 45 ms, most of which is waiting.
func (in *inspected) prepare(ctx context.Context) error {
	calls := []func() error{func() error { return in.install(ctx) }}
	for _, domain := range []string{"Page", "Console"} {
		calls = append(calls, func() error { return in.connection.Call(ctx, domain+".enable", struct{}{}, nil) })
	}
	results := make(chan error, len(calls))
	for _, call := range calls {
		go func() { results <- call() }()
	}
	var errs []error
	for range calls {
		errs = append(errs, <-results)
	}
	return errors.Join(errs...)
}

// install passes the script that runs first.
func (in *inspected) install(ctx context.Context) error {
	in.mu.Lock()
	script := in.script
	in.mu.Unlock()
	if script == "" {
		return nil
	}
	return in.connection.Call(ctx, "Page.setBootstrapScript", map[string]any{"source": script}, nil)
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
	err := in.connection.Call(ctx, "Page.getResourceContent", map[string]any{"frameId": frame, "url": address}, &answer)
	if err != nil || !answer.Encoded {
		return answer.Content, err
	}
	raw, err := base64.StdEncoding.DecodeString(answer.Content)
	return string(raw), err
}
