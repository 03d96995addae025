package inspector

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"
)

const (
	// listingLate is how long an app's first page may take to be reported: WebKit pushes its list a fifth of a second
	// after a change, and the app is reported when its first WebView is made.
	listingLate = time.Second
	// sendLimit is how long a message may take to leave.
	sendLimit = 2 * time.Second
)

// ErrGone says that a page, its app, or the connection is not there any more.
var ErrGone = errors.New("the page is not there any more")

// ErrTaken says that another client inspects the page: WebKit lets one at a time.
var ErrTaken = errors.New("another Web Inspector has the page open, such as Safari's or Appium's")

// App is an app that runs.
type App struct {
	Bundle string
	PID    int
}

// late keeps how long the pages of apps may be reported late.
type late struct {
	mu    sync.Mutex
	since map[App]time.Time // they are asked for
}

// until bounds a wait for the pages of an app.
func (l *late) until(ctx context.Context, of App) (context.Context, context.CancelFunc) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.since == nil {
		l.since = map[App]time.Time{}
	}
	if l.since[of].IsZero() {
		l.since[of] = time.Now()
	}
	return context.WithDeadline(ctx, l.since[of].Add(listingLate))
}

func (l *late) forget() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.since = nil
}

// Page is a page that can be inspected.
type Page struct {
	App        string // the id of its process, "PID:4711"
	ID         int
	URL, Title string
	by         string // the connection that inspects it
}

// app is a process that has pages, or may have.
type app struct {
	bundle, host string
	pages        []Page
}

// Client is a connection with the daemon of Web Inspector (webinspectord). Its methods may be called at the same time.
type Client struct {
	conn    net.Conn
	id      string
	sending sync.Mutex
	reader  sync.WaitGroup
	late    late

	mu       sync.Mutex
	told     chan struct{}          // closed and renewed with each message
	apps     map[string]*app        // by id; nil until they are reported
	sessions map[string]*Connection // by the name by which responses come to them
	err      error                  // why the connection has ended
}

// Connect starts to speak on a connection, which is the client's from then on.
func Connect(conn net.Conn) (*Client, error) {
	c := &Client{conn: conn, id: newID(), told: make(chan struct{}), sessions: map[string]*Connection{}}
	err := c.send("_rpc_reportIdentifier:", map[string]any{})
	if err == nil {
		err = c.send("_rpc_getConnectedApplications:", map[string]any{})
	}
	if err != nil {
		conn.Close()
		return nil, err
	}
	c.reader.Go(c.read)
	return c, nil
}

// newID returns a unique name in the form of Safari's.
func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // which never fails
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%X-%X-%X-%X-%X", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// Close ends the connection.
func (c *Client) Close() error {
	err := c.conn.Close()
	c.reader.Wait()
	return err
}

// Err is why the connection has ended, nil while it has not.
func (c *Client) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// Pages lists the pages that an app lets be inspected, those of its web content processes with them; the newest is the
// first. Pages may be reported late: for a second after the first call for an app, or after Expect, it waits for one.
func (c *Client) Pages(ctx context.Context, of App) ([]Page, error) {
	ctx, cancel := c.late.until(ctx, of)
	defer cancel()
	for {
		c.mu.Lock()
		list, told, err := c.pagesOf(of), c.told, c.err
		c.mu.Unlock()
		if err != nil || len(list) > 0 {
			return list, err
		}
		select {
		case <-told:
		case <-ctx.Done():
			return nil, nil
		}
	}
}

// Expect says that an app is started: its pages may be reported late again.
func (c *Client) Expect() { c.late.forget() }

// pagesOf is Pages of what is known; the lock is held.
func (c *Client) pagesOf(of App) (list []Page) {
	process := "PID:" + strconv.Itoa(of.PID)
	for id, a := range c.apps {
		own := id == process || a.host == process
		if host := c.apps[a.host]; c.apps[process] == nil {
			own = own || a.bundle == of.Bundle || host != nil && host.bundle == of.Bundle
		}
		if own {
			list = append(list, a.pages...)
		}
	}
	slices.SortFunc(list, func(a, b Page) int { return b.ID - a.ID })
	return list
}

// send sends a message in the name of this connection.
func (c *Client) send(selector string, argument map[string]any) error {
	argument[keyConnection] = c.id
	c.sending.Lock()
	defer c.sending.Unlock()
	if err := c.conn.SetWriteDeadline(time.Now().Add(sendLimit)); err != nil {
		return err
	}
	return Write(c.conn, Message{selector, argument})
}

// read takes messages until the connection ends.
func (c *Client) read() {
	for {
		m, err := Read(c.conn)
		if err != nil {
			c.end(fmt.Errorf("%w: the connection with Web Inspector has ended: %w", ErrGone, err))
			return
		}
		for _, id := range c.take(m) {
			if err := c.send("_rpc_forwardGetListing:", map[string]any{keyApp: id}); err != nil {
				c.end(fmt.Errorf("%w: Web Inspector takes no messages: %w", ErrGone, err))
				return
			}
		}
	}
}

func (c *Client) end(err error) {
	c.conn.Close()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.err = err
	for sender, s := range c.sessions {
		s.fail(err)
		delete(c.sessions, sender)
	}
	c.wake()
}

// wake wakes the waiting callers; the lock is held.
func (c *Client) wake() {
	close(c.told)
	c.told = make(chan struct{})
}

// take notes what a message reports, and returns the apps of which the pages must be requested.
func (c *Client) take(m Message) (ask []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.wake()
	id := text(m.Argument, keyApp)
	switch m.Selector {
	case "_rpc_reportConnectedApplicationList:":
		before := c.apps
		c.apps = map[string]*app{}
		list, _ := m.Argument[keyApps].(map[string]any)
		for id, about := range list {
			about, _ := about.(map[string]any)
			c.apps[id] = &app{bundle: text(about, keyBundle), host: text(about, keyHost)}
			if known := before[id]; known != nil {
				c.apps[id].pages = known.pages
			}
			ask = append(ask, id)
		}
	case "_rpc_applicationConnected:", "_rpc_applicationUpdated:":
		if c.apps == nil {
			c.apps = map[string]*app{}
		}
		if c.apps[id] == nil {
			c.apps[id] = &app{}
		}
		c.apps[id].bundle, c.apps[id].host = text(m.Argument, keyBundle), text(m.Argument, keyHost)
		ask = append(ask, id)
	case "_rpc_applicationDisconnected:":
		delete(c.apps, id)
		c.drop(func(p Page) bool { return p.App == id })
	case "_rpc_applicationSentListing:":
		c.list(id, m.Argument)
	case "_rpc_applicationSentData:":
		if s := c.sessions[text(m.Argument, keyDest)]; s != nil {
			s.hear(bytesOf(m.Argument, keyData), text(m.Argument, keyDataType))
		}
	}
	return ask
}

// list notes the pages of an app; the lock is held.
func (c *Client) list(id string, argument map[string]any) {
	a := c.apps[id]
	if a == nil {
		return // it has ended meanwhile
	}
	a.pages = nil
	there := map[int]bool{}
	pages, _ := argument[keyListing].(map[string]any)
	for _, about := range pages {
		about, _ := about.(map[string]any)
		p := Page{App: id, ID: number(about, keyPage), URL: text(about, keyURL), Title: text(about, keyTitle),
			by: text(about, keyConnection)}
		switch text(about, keyType) {
		case "WIRTypeWeb", "WIRTypeWebPage", "WIRTypePage": // the others are scripts and service workers
			a.pages = append(a.pages, p)
			there[p.ID] = true
		}
	}
	c.drop(func(p Page) bool { return p.App == id && !there[p.ID] })
}

// drop ends the sessions of pages that are gone; the lock is held.
func (c *Client) drop(gone func(Page) bool) {
	for sender, s := range c.sessions {
		if gone(s.page) {
			s.fail(ErrGone)
			delete(c.sessions, sender)
		}
	}
}

// Open starts to inspect a page, and waits until it can be queried.
func (c *Client) Open(ctx context.Context, p Page) (*Connection, error) {
	if p.by != "" && p.by != c.id {
		return nil, ErrTaken
	}
	s := newSession(p)
	sender := newID()
	s.pass = func(message []byte) error {
		return c.send("_rpc_forwardSocketData:", map[string]any{keyApp: p.App, keyPage: p.ID, keySender: sender,
			keySocketData: message})
	}
	s.leave = func() {
		c.mu.Lock()
		_, open := c.sessions[sender]
		delete(c.sessions, sender)
		c.mu.Unlock()
		if open {
			// one that is gone need not hear it
			_ = c.send("_rpc_forwardDidClose:", map[string]any{keyApp: p.App, keyPage: p.ID, keySender: sender})
		}
	}
	c.mu.Lock()
	err := c.err
	c.sessions[sender] = s
	c.mu.Unlock()
	if err == nil {
		err = c.send("_rpc_forwardSocketSetup:", map[string]any{keyApp: p.App, keyPage: p.ID, keySender: sender, keyChunks: 0,
			keyPause: false})
	}
	if err == nil {
		_, err = s.ready(ctx)
	}
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("page %s of %s: %w", strconv.Itoa(p.ID), p.App, err)
	}
	return s, nil
}
