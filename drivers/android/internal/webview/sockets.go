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
	"slices"
	"time"

	"github.com/coder/websocket"

	"github.com/taproot-dev/taproot/drivers/android/internal/adb"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
)

const (
	// socketsLimit is how long the pages of one screen are read; one with busy scripts does not answer.
	socketsLimit = 6 * time.Second
	// askLimit is how long a page may take to answer what it is asked about a touch, and touchLimit how long a touch may
	// take to the page.
	askLimit      = 3 * time.Second
	touchLimit    = time.Second
	devtoolsHost  = "localhost" // any other name is refused
	devtoolsLimit = 3 * time.Second
	listBytes     = 4 << 20
	pageBytes     = 64 << 20
)

// Sockets are those on which the processes of a phone offer their DevTools, each with the number of its process.
type Sockets struct {
	Phone    *phone.Phone
	packages map[string]string // the app of a socket, by its name
}

var _ Source = (*Sockets)(nil)

// OfPhone returns a reader of the pages that the sockets of a phone offer.
func OfPhone(p *phone.Phone) *Reader {
	return &Reader{Source: &Sockets{Phone: p}, Life: p.Life, Log: p.Log, Limit: socketsLimit, Ask: askLimit,
		Arrive: touchLimit, Warn: p.WarnOnce}
}

// Use calls do: sockets can be reached at any time.
func (w *Sockets) Use(ctx context.Context, do func(context.Context) error) error { return do(ctx) }

// webViewSocket is a line of /proc/net/unix of one that listens.
var webViewSocket = lazyregexp.New(`(?m)^\S+ \S+ \S+ 00010000 .* @(webview_devtools_remote_\d+)\s*$`)

// Processes lists the sockets, one for each process.
func (w *Sockets) Processes(ctx context.Context) ([]string, error) {
	o, err := w.Phone.Run(ctx, adb.Command{Name: "cat /proc/net/unix", Line: "cat /proc/net/unix", ReadOnly: true})
	if err != nil {
		return nil, err
	}
	var list []string
	for _, m := range webViewSocket.FindAllStringSubmatch(string(o.Out), -1) {
		list = append(list, m[1])
	}
	for s := range w.packages {
		if !slices.Contains(list, s) {
			delete(w.packages, s)
		}
	}
	return list, nil
}

// Owner returns the app to which a socket's process belongs.
func (w *Sockets) Owner(ctx context.Context, socket string) (string, error) {
	if name, known := w.packages[socket]; known {
		return name, nil
	}
	var version struct {
		Package string `json:"Android-Package"`
		Browser string
	}
	if err := w.devtools(ctx, socket, "/json/version", &version); err != nil {
		return "", err
	}
	if w.packages == nil {
		w.packages = map[string]string{}
	}
	w.packages[socket] = version.Package
	return version.Package, nil
}

// Targets lists the pages of a socket.
func (w *Sockets) Targets(ctx context.Context, socket string) (list []Target, err error) {
	err = w.devtools(ctx, socket, "/json", &list)
	return list, err
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
func (w *Sockets) connect(ctx context.Context, socket string) (net.Conn, error) {
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
func (w *Sockets) client(socket string) *http.Client {
	return &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext:       func(ctx context.Context, _, _ string) (net.Conn, error) { return w.connect(ctx, socket) },
	}}
}

// devtools requests one of the lists of a socket.
func (w *Sockets) devtools(ctx context.Context, socket, path string, into any) error {
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

// socketPage is a page that is reached by a socket.
type socketPage struct {
	socket *websocket.Conn
	last   int // message sent
}

// Open connects to a page.
func (w *Sockets) Open(ctx context.Context, _, socket, id string) (Conn, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, devtoolsLimit, fmt.Errorf("it was silent for %v", devtoolsLimit))
	defer cancel()
	conn, _, err := websocket.Dial(ctx, "ws://"+devtoolsHost+"/devtools/page/"+url.PathEscape(id), &websocket.DialOptions{
		HTTPClient: w.client(socket)})
	if err != nil {
		return nil, causeOf(ctx, err)
	}
	conn.SetReadLimit(pageBytes)
	return &socketPage{socket: conn}, nil
}

// Close ends the connection.
func (p *socketPage) Close() { _ = p.socket.CloseNow() }

// Ready does nothing: commands do not disturb a page.
func (p *socketPage) Ready(context.Context) error { return nil }

// Call sends a command and waits for its response; events of the page in between are dropped.
func (p *socketPage) Call(ctx context.Context, method string, params, into any) error {
	p.last++
	message, err := json.Marshal(map[string]any{"id": p.last, "method": method, "params": params})
	if err != nil {
		return err
	}
	if err := p.socket.Write(ctx, websocket.MessageText, message); err != nil {
		return causeOf(ctx, err)
	}
	for {
		_, text, err := p.socket.Read(ctx)
		if err != nil {
			return causeOf(ctx, err)
		}
		var answer struct {
			ID     int
			Error  *ProtocolError
			Result json.RawMessage
		}
		if err := json.Unmarshal(text, &answer); err != nil {
			return fmt.Errorf("%s was answered with %d bytes that are not JSON", method, len(text))
		}
		switch {
		case answer.ID != p.last:
		case answer.Error != nil:
			answer.Error.Method = method
			return answer.Error
		default:
			return json.Unmarshal(bytes.TrimSpace(answer.Result), into)
		}
	}
}
