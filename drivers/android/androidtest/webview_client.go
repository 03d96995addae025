package androidtest

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
	// devtoolsWrite is how long a message to the browser may take to leave.
	devtoolsWrite = 10 * time.Second
	// devtoolsMessage is the largest message of the browser: a picture, in base64.
	devtoolsMessage = 64 << 20
)

var errBrowserGone = errors.New("the browser closed the connection")

// devtools is a client of Chromium's DevTools: one WebSocket to the browser, over which its pages are reached, too.
type devtools struct {
	conn *websocket.Conn
	gone chan struct{} // closed when the connection is

	mu      sync.Mutex
	next    int
	waiting map[int]chan devtoolsAnswer
}

type devtoolsAnswer struct {
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Message string `json:"message"`
	} `json:"error"`
}

// dialDevTools connects to the Chromium that listens on host, until the context ends.
func dialDevTools(ctx context.Context, host string) (*devtools, error) {
	var about struct {
		URL string `json:"webSocketDebuggerUrl"`
	}
	if err := askBrowser(ctx, host, "/json/version", &about); err != nil {
		return nil, err
	}
	dialing, cancel := context.WithTimeout(ctx, devtoolsWrite)
	defer cancel()
	conn, _, err := websocket.Dial(dialing, about.URL, nil)
	if err != nil {
		return nil, fmt.Errorf("connect to the browser at %s: %w", host, err)
	}
	conn.SetReadLimit(devtoolsMessage)
	return &devtools{conn: conn, gone: make(chan struct{}), waiting: map[int]chan devtoolsAnswer{}}, nil
}

// askBrowser reads one of the lists that Chromium gives by HTTP.
func askBrowser(ctx context.Context, host, path string, into any) error {
	ctx, cancel := context.WithTimeout(ctx, devtoolsWrite)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+host+path, nil)
	if err != nil {
		return err
	}
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	if err != nil {
		return fmt.Errorf("ask the browser at %s: %w", host, err)
	}
	defer resp.Body.Close()
	if err := json.NewDecoder(io.LimitReader(resp.Body, devtoolsMessage)).Decode(into); err != nil {
		return fmt.Errorf("read %s of the browser at %s: %w", path, host, err)
	}
	return nil
}

// read takes the browser's answers until the connection ends; events are passed over.
func (d *devtools) read(ctx context.Context) {
	defer close(d.gone)
	defer d.conn.CloseNow() //nolint:errcheck // it has ended
	for {
		_, data, err := d.conn.Read(ctx)
		if err != nil {
			return
		}
		var m struct {
			ID int `json:"id"`
			devtoolsAnswer
		}
		if json.Unmarshal(data, &m) != nil || m.ID == 0 {
			continue
		}
		d.mu.Lock()
		waits := d.waiting[m.ID]
		delete(d.waiting, m.ID)
		d.mu.Unlock()
		if waits != nil {
			waits <- m.devtoolsAnswer
		}
	}
}

func (d *devtools) ended() bool {
	select {
	case <-d.gone:
		return true
	default:
		return false
	}
}

// call asks the browser, or the page of a session, and waits for the answer.
func (d *devtools) call(ctx context.Context, session, method string, params, into any) error {
	answer := make(chan devtoolsAnswer, 1)
	d.mu.Lock()
	d.next++
	id := d.next
	d.waiting[id] = answer
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
	// A write whose context ends closes the connection: it has a time limit of its own.
	writing, cancel := context.WithTimeout(context.Background(), devtoolsWrite)
	defer cancel()
	if err := d.conn.Write(writing, websocket.MessageText, data); err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case <-ctx.Done():
		return fmt.Errorf("%s: %w", method, ctx.Err())
	case <-d.gone:
		return fmt.Errorf("%s: %w", method, errBrowserGone)
	case a := <-answer:
		if a.Error != nil {
			return fmt.Errorf("%s: %s", method, a.Error.Message)
		}
		if into == nil {
			return nil
		}
		return json.Unmarshal(a.Result, into)
	}
}

// evaluate runs an expression in a page and gives its value.
func (d *devtools) evaluate(ctx context.Context, session, expression string, into any) error {
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
	err := d.call(ctx, session, "Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &got)
	switch {
	case err != nil:
		return err
	case got.Exception != nil:
		return fmt.Errorf("the page says %s %s", got.Exception.Text, got.Exception.Exception.Description)
	case into == nil || len(got.Result.Value) == 0: // undefined
		return nil
	}
	return json.Unmarshal(got.Result.Value, into)
}
