package webview

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/internal/dom"
	"github.com/taproot-dev/taproot/internal/phrase"
)

const (
	devtoolsHost  = "localhost" // any other name is refused
	devtoolsLimit = 3 * time.Second
	listBytes     = 4 << 20
	pageBytes     = 64 << 20
	pageWorld     = "taproot" // where the script runs: a page sees nothing of it
)

// target is a page as the DevTools of a WebView list it.
type target struct {
	Description string // of the view, as JSON
	ID          string
	Type        string
	Title       string
	URL         string
}

// view is the place of a target's view, in pixels of the screen, whatever clips it.
type view struct {
	Attached, Visible, Empty        bool
	ScreenX, ScreenY, Width, Height int
}

// socketConn is a connection to a socket of the phone.
type socketConn struct {
	net.Conn
	end func() // of its context
}

// Close ends the connection.
func (c *socketConn) Close() error {
	defer c.end()
	return c.Conn.Close()
}

// connect opens an abstract socket of the phone. The connection lasts until the device is closed; ctx bounds only its
// making.
func (w *Reader) connect(ctx context.Context, socket string) (net.Conn, error) {
	life, end := context.WithCancel(w.Phone.Life)
	untie := context.AfterFunc(ctx, end)
	c, err := w.Phone.Link.Service(life, "localabstract:"+socket)
	if !untie() && err == nil {
		c.Close()
		err = context.Cause(ctx)
	}
	if err != nil {
		end()
		return nil, err
	}
	return &socketConn{Conn: c, end: end}, nil
}

// client speaks HTTP with a socket of the phone, on a connection for each request.
func (w *Reader) client(socket string) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return w.connect(ctx, socket) },
	}}
}

// devtools requests one of the lists of a socket.
func (w *Reader) devtools(ctx context.Context, socket, path string, into any) error {
	ctx, cancel := context.WithTimeoutCause(ctx, devtoolsLimit, fmt.Errorf("it was silent for %v", devtoolsLimit))
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+devtoolsHost+path, nil)
	if err != nil {
		return err
	}
	answer, err := w.client(socket).Do(request)
	if err != nil {
		return causeOf(ctx, err)
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, listBytes))
	if err != nil {
		return causeOf(ctx, err)
	}
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s was answered with status %d", path, answer.StatusCode)
	}
	if err := json.Unmarshal(text, into); err != nil {
		return fmt.Errorf("%s was answered with %d bytes that are not its JSON", path, len(text))
	}
	return nil
}

// causeOf returns why a context ended in place of an error that this caused.
func causeOf(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	var wrapped *url.Error
	if errors.As(err, &wrapped) {
		return wrapped.Err
	}
	return err
}

// pageConn is a page of a WebView that is read through DevTools.
type pageConn struct {
	socket *websocket.Conn
	ctx    context.Context // of the reading that continues
	last   int             // message sent
	worlds map[string]int  // the script's contexts, by the way to their frame
}

// dialPage connects to a page.
func (w *Reader) dialPage(ctx context.Context, socket, id string) (*pageConn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, devtoolsLimit, fmt.Errorf("it was silent for %v", devtoolsLimit))
	defer cancel()
	conn, _, err := websocket.Dial(ctx, "ws://"+devtoolsHost+"/devtools/page/"+url.PathEscape(id), &websocket.DialOptions{
		HTTPClient: w.client(socket)})
	if err != nil {
		return nil, causeOf(ctx, err)
	}
	conn.SetReadLimit(pageBytes)
	return &pageConn{socket: conn, worlds: map[string]int{}}, nil
}

func (p *pageConn) close() { _ = p.socket.CloseNow() }

// protocolError is DevTools' refusal of a command.
type protocolError struct {
	method  string
	Message string `json:"message"`
}

func (e *protocolError) Error() string { return e.method + ": " + phrase.LimitBytes(e.Message, 200) }

// call sends a command and waits for its response; events of the page in between are dropped.
func (p *pageConn) call(method string, params, into any) error {
	p.last++
	message, err := json.Marshal(map[string]any{"id": p.last, "method": method, "params": params})
	if err != nil {
		return err
	}
	if err := p.socket.Write(p.ctx, websocket.MessageText, message); err != nil {
		return causeOf(p.ctx, err)
	}
	for {
		_, text, err := p.socket.Read(p.ctx)
		if err != nil {
			return causeOf(p.ctx, err)
		}
		var answer struct {
			ID     int
			Error  *protocolError
			Result json.RawMessage
		}
		if err := json.Unmarshal(text, &answer); err != nil {
			return fmt.Errorf("%s was answered with %d bytes that are not JSON", method, len(text))
		}
		switch {
		case answer.ID != p.last:
		case answer.Error != nil:
			answer.Error.method = method
			return answer.Error
		default:
			return json.Unmarshal(bytes.TrimSpace(answer.Result), into)
		}
	}
}

// remote is a value of the page.
type remote struct {
	Result struct {
		Value    *string
		ObjectID string `json:"objectId"`
	}
	ExceptionDetails *struct {
		Text      string
		Exception struct{ Description string }
	}
}

// evaluate runs an expression in the script's world of a frame, and has it answered as a text or as a handle.
func (p *pageConn) evaluate(world int, expression string, handle bool) (*remote, error) {
	var r remote
	err := p.call("Runtime.evaluate", map[string]any{"expression": expression, "contextId": world,
		"returnByValue": !handle}, &r)
	if err != nil {
		return nil, err
	}
	if e := r.ExceptionDetails; e != nil {
		return nil, errors.New(phrase.LimitBytes(adb.FirstLine(e.Text+": "+e.Exception.Description), 200))
	}
	return &r, nil
}

var _ dom.Asker = (*pageConn)(nil)

// Ask calls the script in a frame. A document that is another one by now gets the script again, once.
func (p *pageConn) Ask(chain []string, command string, into any) error {
	for first := true; ; first = false {
		err := p.askOnce(chain, command, into)
		if refused := new(protocolError); !first || !errors.As(err, &refused) ||
			!strings.Contains(refused.Message, "context") {
			return err
		}
		clear(p.worlds)
	}
}

func (p *pageConn) askOnce(chain []string, command string, into any) error {
	world, err := p.world(chain)
	if err != nil {
		return err
	}
	r, err := p.evaluate(world, query(command)+".textContent", false)
	if err != nil {
		return err
	}
	if r.Result.Value == nil {
		return errors.New("the page returned no text")
	}
	return json.Unmarshal([]byte(*r.Result.Value), into)
}

// query is the expression of the script's answer to a command.
func query(command string) string {
	text, _ := json.Marshal(command) // of a string it cannot fail
	return "taprootEngine.query(document, " + string(text) + ")"
}

// world returns the context of the script in the frame that chain leads to.
func (p *pageConn) world(chain []string) (int, error) {
	key := strings.Join(chain, "/")
	if known, ok := p.worlds[key]; ok {
		return known, nil
	}
	frame, err := p.frame(chain)
	if err != nil {
		return 0, err
	}
	var made struct {
		ID int `json:"executionContextId"`
	}
	if err := p.call("Page.createIsolatedWorld", map[string]any{"frameId": frame, "worldName": pageWorld},
		&made); err != nil {
		return 0, err
	}
	if _, err := p.evaluate(made.ID, "void (globalThis.taprootEngine ??= "+dom.Engine()+")", true); err != nil {
		return 0, err
	}
	p.worlds[key] = made.ID
	return made.ID, nil
}

// frame returns the id of the frame that chain leads to.
func (p *pageConn) frame(chain []string) (string, error) {
	if len(chain) == 0 {
		var tree struct {
			FrameTree struct{ Frame struct{ ID string } }
		}
		err := p.call("Page.getFrameTree", struct{}{}, &tree)
		return tree.FrameTree.Frame.ID, err
	}
	last := len(chain) - 1
	around, err := p.world(chain[:last])
	if err != nil {
		return "", err
	}
	element, err := p.evaluate(around, query(chain[last]), true)
	if err != nil {
		return "", err
	}
	var described struct {
		Node struct {
			FrameID string `json:"frameId"`
		}
	}
	if err := p.call("DOM.describeNode", map[string]any{"objectId": element.Result.ObjectID}, &described); err != nil {
		return "", err
	}
	if described.Node.FrameID == "" {
		return "", errors.New("it is not a frame any more")
	}
	return described.Node.FrameID, nil
}
