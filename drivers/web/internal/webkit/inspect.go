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
)

// inspected is the Web Inspector of a window, next to WebDriver: it has scripts run before those of pages, and returns
// the HTML of documents.
type inspected struct {
	connection *inspector.Connection

	mu       sync.Mutex
	unread   map[string]string // URLs of the documents that were not searched yet, by frame
	declares map[string]bool   // frames with a document that declares closed shadow roots
}

// nativeScript keeps what one of the scripts of a context replaces: it makes closed shadow roots look closed to the
// page, in the world of which script/page.js runs as well.
const nativeScript = `Object.defineProperty(window, %q + 'n', {value: ` +
	"Object.getOwnPropertyDescriptor(Element.prototype, 'shadowRoot')});\n"

// inspect connects to the Web Inspector of a window, and has it run the scripts of the context in each document before
// the page's own. The number counts the windows of the context. The lock is held.
func (c *Context) inspect(ctx context.Context, p *Page, number int) error {
	c.mu.Lock()
	script := fmt.Sprintf(nativeScript, c.name) + strings.Join(c.init, ";\n")
	c.mu.Unlock()
	id := number + 1 // 2 is the session
	if number == 1 {
		id = 1
	}
	address := fmt.Sprintf("ws://127.0.0.1:%s/socket/1/%d/WebPage", c.port, id)
	ctx, cancel := context.WithTimeoutCause(ctx, callLimit, errors.New("Web Inspector does not answer"))
	defer cancel()
	in := &inspected{unread: map[string]string{}, declares: map[string]bool{}}
	ready := make(chan struct{})
	events := func(method string, params json.RawMessage) {
		switch method {
		case inspector.Swapped:
		case "Console.messageAdded":
			p.log(params)
			return
		default:
			in.hear(method, params)
			return
		}
		go func() { // another target has taken the page's place
			select {
			case <-ready:
			case <-c.life.Done():
				return
			}
			ctx, cancel := context.WithTimeout(c.life, callLimit)
			defer cancel()
			_ = in.prepare(ctx, script) // fails when the page is gone
		}()
	}
	err := poll(ctx, nil, func() (done bool) {
		made, err := inspector.Dial(ctx, address, events)
		in.connection = made
		return err == nil
	})
	if err == nil {
		err = in.prepare(ctx, script)
		close(ready)
	}
	if err != nil {
		if in.connection != nil {
			in.connection.Close()
		}
		return fmt.Errorf("%w: Web Inspector: %w", drivers.ErrDeviceLost, err)
	}
	p.inspected = in
	return nil
}

func (in *inspected) prepare(ctx context.Context, script string) error {
	for _, domain := range []string{"Page", "Console"} {
		if err := in.connection.Call(ctx, domain+".enable", struct{}{}, nil); err != nil {
			return err
		}
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
func (p *Page) DeclaresClosedRoots(ctx context.Context, loading bool, declares func(html string) bool) bool {
	in := p.inspected
	if in == nil {
		return false
	}
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
