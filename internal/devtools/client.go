// Package devtools controls a Chromium over the Chrome DevTools Protocol. The simulated phones show its pages in their
// WebViews.
package devtools

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/coder/websocket"
)

const (
	// writeLimit is the time limit for sending a message to the browser.
	writeLimit = 10 * time.Second
	// maxMessage is the largest message of the browser: a screenshot, in base64.
	maxMessage = 64 << 20
)

var errGone = errors.New("the browser closed the connection")

// Client is a WebSocket to a Chromium. It also reaches the browser's pages.
type Client struct {
	conn    *websocket.Conn
	gone    chan struct{} // closed when the connection is closed
	onEvent func(Event)

	mu      sync.Mutex
	next    int
	waiting map[int]chan answer
}

// Event is an event of the browser, or of the page of a session.
type Event struct {
	Session string          `json:"sessionId"`
	Method  string          `json:"method"`
	Params  json.RawMessage `json:"params"`
}

type answer struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// Dial connects to the Chromium that listens on host. onEvent is called for each event, one after the other; it may be
// nil.
func Dial(ctx context.Context, host string, onEvent func(Event)) (*Client, error) {
	var about struct {
		URL string `json:"webSocketDebuggerUrl"`
	}
	if err := Ask(ctx, host, "/json/version", &about); err != nil {
		return nil, err
	}
	dialing, cancel := context.WithTimeout(ctx, writeLimit)
	defer cancel()
	conn, _, err := websocket.Dial(dialing, about.URL, nil)
	if err != nil {
		return nil, fmt.Errorf("connect to the browser at %s: %w", host, err)
	}
	conn.SetReadLimit(maxMessage)
	return &Client{conn: conn, gone: make(chan struct{}), onEvent: onEvent, waiting: map[int]chan answer{}}, nil
}

// Ask reads one of the lists that Chromium serves over HTTP.
func Ask(ctx context.Context, host, path string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, writeLimit)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+path, nil)
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("query the browser at %s: %w", host, err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(io.LimitReader(resp.Body, maxMessage)).Decode(into); err != nil {
		return fmt.Errorf("read %s of the browser at %s: %w", path, host, err)
	}
	return nil
}

// Read processes the messages of the browser until the connection or the context ends.
func (d *Client) Read(ctx context.Context) {
	defer close(d.gone)
	defer d.conn.CloseNow() //nolint:errcheck // the connection has ended
	for {
		_, data, err := d.conn.Read(ctx)
		if err != nil {
			return
		}
		var m struct {
			ID int `json:"id"`
			answer
			Event
		}
		if json.Unmarshal(data, &m) != nil {
			continue
		}
		if m.ID == 0 {
			if d.onEvent != nil {
				d.onEvent(m.Event)
			}
			continue
		}
		d.mu.Lock()
		waits := d.waiting[m.ID]
		delete(d.waiting, m.ID)
		d.mu.Unlock()
		if waits != nil {
			waits <- m.answer
		}
	}
}

// Close closes the connection.
func (d *Client) Close() { _ = d.conn.CloseNow() }

// Ended reports whether the connection is closed.
func (d *Client) Ended() bool {
	select {
	case <-d.gone:
		return true
	default:
		return false
	}
}

// Call calls a method of the browser, or of the page of a session, and waits for the response.
func (d *Client) Call(ctx context.Context, session, method string, params, into any) error {
	response := make(chan answer, 1)
	d.mu.Lock()
	d.next++
	id := d.next
	d.waiting[id] = response
	d.mu.Unlock()
	defer func() {
		d.mu.Lock()
		delete(d.waiting, id)
		d.mu.Unlock()
	}()
	message := map[string]any{"id": id, "method": method}
	if params != nil {
		message["params"] = params
	}
	if session != "" {
		message["sessionId"] = session
	}
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	// A write with a context that ends closes the connection, so it has a time limit of its own.
	writing, cancel := context.WithTimeout(context.Background(), writeLimit)
	defer cancel()
	if err := d.conn.Write(writing, websocket.MessageText, data); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	case <-d.gone:
		return fmt.Errorf("%s: %w", method, errGone)
	case a := <-response:
		if a.Error != nil {
			return fmt.Errorf("%s: %s", method, a.Error.Message)
		}
		if into == nil {
			return nil
		}
		return json.Unmarshal(a.Result, into)
	}
}

// Evaluate runs an expression in a page and returns its value.
func (d *Client) Evaluate(ctx context.Context, session, expression string, into any) error {
	var got struct {
		Result struct {
			Value json.RawMessage `json:"value"`
		} `json:"result"`
		Exception *struct {
			Text      string `json:"text"`
			Exception struct {
				Description string `json:"description"`
			} `json:"exception"`
		} `json:"exceptionDetails"`
	}
	err := d.Call(ctx, session, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true,
		"awaitPromise": true}, &got)
	switch {
	case err != nil:
		return err
	case got.Exception != nil:
		return fmt.Errorf("the page has thrown %s %s", got.Exception.Text, got.Exception.Exception.Description)
	case into == nil || len(got.Result.Value) == 0: // undefined
		return nil
	}
	return json.Unmarshal(got.Result.Value, into)
}
