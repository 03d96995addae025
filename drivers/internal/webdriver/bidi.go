package webdriver

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"

	"github.com/taproot-dev/taproot/internal/guard"
	"github.com/taproot-dev/taproot/internal/phrase"
)

const (
	// dialLimit is how long a connection for BiDi may take, for each of the URLs that it may have.
	dialLimit = 5 * time.Second
	// pingEvery keeps proxies from ending a connection on which nothing happens; pingLimit is for the response.
	pingEvery = 20 * time.Second
	pingLimit = 30 * time.Second
	// sendLimit is how long a command may take to leave.
	sendLimit = 10 * time.Second
)

// BiDi is the connection of a session by which a server reports events: WebDriver BiDi. It is safe for concurrent use.
type BiDi struct {
	host   string
	client *Client
	conn   *websocket.Conn
	life   context.Context
	end    context.CancelFunc
	work   sync.WaitGroup

	mu         sync.Mutex
	last       int
	waiting    map[int]chan bidiAnswer
	event      func(method string, params json.RawMessage)
	lost       func(err error)
	subscribed map[string]bool
	err        error // why it has ended
}

type bidiAnswer struct {
	result json.RawMessage
	err    error
}

// bidiMessage is a response or an event.
type bidiMessage struct {
	Type    string
	ID      *int
	Method  string
	Params  json.RawMessage
	Result  json.RawMessage
	Error   string
	Message string
}

// ConnectBiDi connects to the URL that the server offers for the events of a session. Nil without an error: it offers
// none.
func ConnectBiDi(ctx context.Context, s *Session) (*BiDi, error) {
	var offered struct{ WebSocketURL any }
	_ = json.Unmarshal(s.Capabilities, &offered) // capabilities of another form offer nothing
	address, _ := offered.WebSocketURL.(string)
	if address == "" {
		return nil, nil
	}
	list, err := s.client.webSockets(address)
	if err != nil {
		return nil, err
	}
	var errs []error
	for _, candidate := range list {
		b, err := dialBiDi(ctx, s, candidate)
		if err == nil {
			return b, nil
		}
		errs = append(errs, err)
		if ctx.Err() != nil {
			break
		}
	}
	return nil, errors.Join(errs...)
}

// webSockets are the URLs at which a WebSocket may be that a server offers. The host that a server believes to have may
// not be reachable from here (the node of a grid), so that the one of the client's URL comes first; drivers of Firefox
// have another port for it.
func (c *Client) webSockets(address string) (list []string, err error) {
	offered, err := url.Parse(address)
	own, failed := url.Parse(c.base)
	if err = errors.Join(err, failed); err != nil || offered.Host == "" {
		return nil, fmt.Errorf("the WebDriver server at %s: the URL that it offers for BiDi cannot be read", c.host)
	}
	add := func(scheme, host string) {
		u := *offered
		u.Scheme, u.Host, u.User = scheme, host, nil
		if text := u.String(); !slices.Contains(list, text) {
			list = append(list, text)
		}
	}
	add(own.Scheme, own.Host)
	scheme := map[string]string{"ws": "http", "wss": "https", "http": "http", "https": "https"}[offered.Scheme]
	if scheme == "" || IsLoopback(offered.Hostname()) && !IsLoopback(own.Hostname()) {
		// what listens there on this machine is another program
		if port := offered.Port(); scheme != "" && port != "" {
			add(scheme, net.JoinHostPort(own.Hostname(), port))
		}
		return list, nil
	}
	add(scheme, offered.Host)
	return list, nil
}

// IsLoopback reports whether the host of a URL is the machine that sends the request. Browsers resolve all names under
// localhost to it.
func IsLoopback(host string) bool {
	name := strings.ToLower(strings.TrimSuffix(host, "."))
	return guard.IsLoopback(name) || strings.HasSuffix(name, ".localhost")
}

// dialBiDi connects to a URL, and checks that it is that of the session. The user and the key go to the host of the
// client's URL alone.
func dialBiDi(ctx context.Context, s *Session, address string) (*BiDi, error) {
	c := s.client
	u, err := url.Parse(address)
	if err != nil {
		return nil, fmt.Errorf("connect for BiDi: %w", err)
	}
	options := &websocket.DialOptions{HTTPClient: c.http, CompressionMode: websocket.CompressionDisabled}
	if own, err := url.Parse(c.base); err == nil && (c.user != "" || c.key != "") && u.Hostname() == own.Hostname() {
		options.HTTPHeader = http.Header{"Authorization": {"Basic " +
			base64.StdEncoding.EncodeToString([]byte(c.user+":"+c.key))}}
	}
	ctx, cancel := context.WithTimeout(ctx, dialLimit)
	defer cancel()
	conn, answer, err := websocket.Dial(ctx, address, options)
	if err != nil {
		why := whyNot(err)
		if answer != nil {
			why = fmt.Sprintf("it answered with status %d instead of a WebSocket", answer.StatusCode)
		}
		return nil, &LostError{Host: hostPort(u), Command: "BiDi", Why: why}
	}
	conn.SetReadLimit(maxAnswer)
	b := &BiDi{host: hostPort(u), client: c, conn: conn, waiting: map[int]chan bidiAnswer{},
		subscribed: map[string]bool{}}
	b.life, b.end = context.WithCancel(context.Background())
	b.work.Go(b.read)
	b.work.Go(b.ping)
	if err := b.isOf(ctx, s); err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// isOf checks that a connection is that of a session.
func (b *BiDi) isOf(ctx context.Context, s *Session) error {
	handle, err := s.Window(ctx)
	if err != nil {
		return err
	}
	contexts, err := b.Contexts(ctx)
	if err == nil && contexts[handle] == nil {
		err = &LostError{Host: b.host, Command: "browsingContext.getTree", Why: "the connection is that of another session"}
	}
	return err
}

// BrowsingContext is a window, or a frame in one.
type BrowsingContext struct {
	Context  string
	Parent   string // "": it is a window
	URL      string
	Children []*BrowsingContext
}

// Contexts returns all windows and frames by their ids; that of a window is its handle.
func (b *BiDi) Contexts(ctx context.Context) (map[string]*BrowsingContext, error) {
	var tree struct{ Contexts []*BrowsingContext }
	if err := b.Call(ctx, "browsingContext.getTree", map[string]any{}, &tree); err != nil {
		return nil, err
	}
	all := map[string]*BrowsingContext{}
	var walk func(list []*BrowsingContext, parent string)
	walk = func(list []*BrowsingContext, parent string) {
		for _, c := range list {
			c.Parent = parent
			all[c.Context] = c
			walk(c.Children, c.Context)
		}
	}
	walk(tree.Contexts, "")
	return all, nil
}

// Listen calls event for each event, and lost with the error when the connection ends by itself, from now on. Neither
// may wait for a response of the connection. One that has ended calls lost at once.
func (b *BiDi) Listen(event func(method string, params json.RawMessage), lost func(err error)) {
	b.mu.Lock()
	b.event, b.lost = event, lost
	err := b.err
	b.mu.Unlock()
	if err != nil && lost != nil {
		lost(err)
	}
}

// Subscribe has the server report events of all windows. Those that it reports already are not requested again.
func (b *BiDi) Subscribe(ctx context.Context, events ...string) error {
	b.mu.Lock()
	fresh := slices.DeleteFunc(slices.Clone(events), func(e string) bool { return b.subscribed[e] })
	b.mu.Unlock()
	if len(fresh) == 0 {
		return nil
	}
	if err := b.Call(ctx, "session.subscribe", map[string]any{"events": fresh}, nil); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, e := range fresh {
		b.subscribed[e] = true
	}
	return nil
}

// Call sends a command and decodes its result, unless into is nil. The error is an *Error where the server has
// answered, and a *LostError where it has not.
func (b *BiDi) Call(ctx context.Context, method string, params map[string]any, into any) error {
	limit := commandLimit
	if end, ok := ctx.Deadline(); ok {
		limit = time.Until(end)
	}
	bounded, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	lost := func(why string, late bool) error {
		return &LostError{Host: b.host, Command: method, Performed: true, Why: why, Late: late}
	}
	answer := make(chan bidiAnswer, 1)
	b.mu.Lock()
	if b.err != nil {
		defer b.mu.Unlock()
		return b.err
	}
	b.last++
	id := b.last
	b.waiting[id] = answer
	b.mu.Unlock()
	defer b.forget(id)
	text, err := json.Marshal(map[string]any{"id": id, "method": method, "params": params})
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	b.client.log.Debug("bidi request", "command", method, "body", b.client.logged(text))
	if err := b.write(text); err != nil {
		return lost("the connection for BiDi has ended", false)
	}
	select {
	case got := <-answer:
		if got.err != nil || into == nil {
			return named(got.err, method)
		}
		if Decode(got.result, into) != nil {
			return lost(otherForm, false)
		}
		return nil
	case <-bounded.Done():
		if ctx.Err() != nil && !errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return context.Cause(ctx)
		}
		return lost(fmt.Sprintf("no answer within %s", limit.Round(time.Millisecond)), true)
	}
}

// named puts the name of the command into an error of the server.
func named(err error, method string) error {
	var said *Error
	if errors.As(err, &said) {
		said.Command = method
	}
	return err
}

// write sends a message; one that does not leave ends the connection.
func (b *BiDi) write(text []byte) error {
	ctx, cancel := context.WithTimeout(b.life, sendLimit)
	defer cancel()
	return b.conn.Write(ctx, websocket.MessageText, text)
}

func (b *BiDi) forget(id int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.waiting, id)
}

// read takes messages until the connection ends.
func (b *BiDi) read() {
	for {
		_, raw, err := b.conn.Read(b.life)
		if err != nil {
			b.fail("the connection for BiDi has ended: events may be missing")
			return
		}
		b.client.log.Debug("bidi message", "body", b.client.logged(raw))
		var m bidiMessage
		if json.Unmarshal(raw, &m) != nil || m.Type == "" {
			b.fail("a message of BiDi has another form than expected: events may be missing")
			return
		}
		b.take(m)
	}
}

func (b *BiDi) take(m bidiMessage) {
	b.mu.Lock()
	event := b.event
	var answer chan bidiAnswer
	if m.ID != nil {
		answer = b.waiting[*m.ID]
		delete(b.waiting, *m.ID)
	}
	b.mu.Unlock()
	switch {
	case answer != nil && m.Type == "success":
		answer <- bidiAnswer{result: m.Result}
	case answer != nil:
		answer <- bidiAnswer{err: &Error{Code: cmp.Or(m.Error, UnknownError), Host: b.host,
			Message: phrase.LimitRunes(phrase.OneLine(b.client.mask.Replace(m.Message)), 300)}}
	case m.Type == "event" && event != nil:
		event(m.Method, m.Params)
	}
}

// ping keeps the connection in use.
func (b *BiDi) ping() {
	ticker := time.NewTicker(pingEvery)
	defer ticker.Stop()
	for {
		select {
		case <-b.life.Done():
			return
		case <-ticker.C:
		}
		ctx, cancel := context.WithTimeout(b.life, pingLimit)
		err := b.conn.Ping(ctx)
		cancel()
		if err != nil {
			b.fail("the connection for BiDi does not respond: events may be missing")
			return
		}
	}
}

// fail ends the connection. What still waits for an answer gets the error.
func (b *BiDi) fail(why string) {
	b.mu.Lock()
	if b.err != nil {
		b.mu.Unlock()
		return
	}
	err := &LostError{Host: b.host, Command: "BiDi", Performed: true, Why: why}
	b.err = err
	waiting, lost := b.waiting, b.lost
	b.waiting = map[int]chan bidiAnswer{}
	b.mu.Unlock()
	b.end()
	for _, answer := range waiting {
		answer <- bidiAnswer{err: err}
	}
	if lost != nil {
		lost(err)
	}
}

// Err is why the connection has ended, nil while it has not.
func (b *BiDi) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// Close ends the connection. The session continues.
func (b *BiDi) Close() {
	b.Listen(nil, nil)
	b.fail("the connection for BiDi was closed")
	_ = b.conn.CloseNow() // it may have ended
	b.work.Wait()
}

// Host is where the connection leads, for messages.
func (b *BiDi) Host() string { return b.host }
