package inspector

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/coder/websocket"
)

// listBytes is the most that a list of pages may have.
const listBytes = 4 << 20

// listPoll is how often a list is asked for again while a page is waited for.
const listPoll = 100 * time.Millisecond

// Proxy is Web Inspector by way of ios_webkit_debug_proxy, a program that passes on the messages of a page, by a
// WebSocket for each page. Its methods may be called at the same time.
type Proxy struct {
	base    string // "127.0.0.1:9222"
	ended   func() error
	stop    func()
	http    http.Client
	late    late
	readers sync.WaitGroup
}

// NewProxy speaks with the one that serves a device at host:port. Of its program, ended returns why it has ended, nil
// while it runs, and stop ends it.
func NewProxy(address string, ended func() error, stop func()) *Proxy {
	return &Proxy{base: address, ended: ended, stop: stop,
		http: http.Client{Transport: &http.Transport{DisableKeepAlives: true}}}
}

// Pages lists the pages of an app's process, as Client.Pages does; of other processes, it does not report which they
// belong to.
func (p *Proxy) Pages(ctx context.Context, of App) ([]Page, error) {
	patience, cancel := p.late.until(ctx, of)
	defer cancel()
	for {
		list, err := p.list(ctx, of)
		if err != nil || len(list) > 0 {
			return list, err
		}
		select {
		case <-patience.Done():
			return nil, p.Err()
		case <-time.After(listPoll):
		}
	}
}

func (p *Proxy) list(ctx context.Context, of App) ([]Page, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+p.base+"/json", nil)
	if err != nil {
		return nil, err
	}
	answer, err := p.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, listBytes))
	if err != nil {
		return nil, err
	}
	var told []struct{ AppID, Title, URL, WebSocketDebuggerURL string }
	if err := json.Unmarshal(text, &told); err != nil {
		return nil, fmt.Errorf("the list of pages is not JSON: %w", err)
	}
	var list []Page
	for i := len(told) - 1; i >= 0; i-- {
		at, err := url.Parse(told[i].WebSocketDebuggerURL)
		if err != nil || told[i].AppID != "PID:"+strconv.Itoa(of.PID) {
			continue
		}
		number, err := strconv.Atoi(at.Path[strings.LastIndexByte(at.Path, '/')+1:])
		if err == nil {
			list = append(list, Page{App: told[i].AppID, ID: number, URL: told[i].URL, Title: told[i].Title})
		}
	}
	return list, nil
}

// Expect says that an app is started: its pages may be reported late again.
func (p *Proxy) Expect() { p.late.forget() }

// Err is why the program has ended, nil while it has not.
func (p *Proxy) Err() error {
	if err := p.ended(); err != nil {
		return fmt.Errorf("%w: %w", ErrGone, err)
	}
	return nil
}

// Close ends the program.
func (p *Proxy) Close() error {
	p.stop()
	p.readers.Wait()
	return nil
}

// Open starts to inspect a page, and waits until it can be queried.
func (p *Proxy) Open(ctx context.Context, page Page) (*Connection, error) {
	return dial(ctx, "ws://"+p.base+"/devtools/page/"+strconv.Itoa(page.ID), newSession(page), &p.readers)
}

// Dial starts to inspect the page behind a WebSocket, and waits until it can be queried. events receives what the page
// reports, one after the other, by the names of events; it must not wait for the connection. May be nil.
func Dial(ctx context.Context, address string, events func(method string, params json.RawMessage)) (*Connection,
	error) {
	s := newSession(Page{URL: address})
	s.heard = events
	return dial(ctx, address, s, new(sync.WaitGroup))
}

func dial(ctx context.Context, address string, s *Connection, readers *sync.WaitGroup) (*Connection, error) {
	conn, _, err := websocket.Dial(ctx, address, nil)
	if err != nil {
		return nil, err
	}
	conn.SetReadLimit(maxMessage)
	life, end := context.WithCancel(context.Background())
	s.pass = func(message []byte) error {
		ctx, cancel := context.WithTimeout(life, sendLimit)
		defer cancel()
		return conn.Write(ctx, websocket.MessageText, message)
	}
	s.leave = end
	readers.Go(func() {
		defer conn.CloseNow() //nolint:errcheck // it has ended
		for {
			_, data, err := conn.Read(life)
			if err != nil {
				s.fail(fmt.Errorf("%w: %w", ErrGone, err))
				return
			}
			s.hear(data, "")
		}
	})
	if _, err := s.ready(ctx); err != nil {
		s.Close()
		return nil, err
	}
	return s, nil
}
