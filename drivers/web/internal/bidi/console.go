package bidi

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"
	"sync"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/drivers/web/internal/classic"
)

// hearLog reports a message of the console, or an error that nothing has caught.
func (s *Events) hearLog(params json.RawMessage) {
	var p struct {
		Type, Level, Method, Text string
		Source                    struct{ Context string }
		StackTrace                struct {
			CallFrames []struct {
				URL                      string
				LineNumber, ColumnNumber int
			}
		}
	}
	if json.Unmarshal(params, &p) != nil {
		s.mangled("log.entryAdded")
		return
	}
	m := classic.Logged{Source: p.Type, Level: p.Method, Text: p.Text}
	switch {
	case p.Type == "javascript":
		m.Level = p.Level
		if _, message, ok := strings.Cut(p.Text, ": "); ok && p.Level == "error" { // without the name, as Playwright
			m.Text = message
		}
	case p.Method == "warn":
		m.Level = "warning"
	case p.Method == "":
		m.Level = p.Level
	}
	if len(p.StackTrace.CallFrames) > 0 {
		at := p.StackTrace.CallFrames[0]
		m.URL, m.Line, m.Column = at.URL, at.LineNumber+1, at.ColumnNumber+1
	}
	window, _ := s.windowOf(p.Source.Context)
	s.log(window, m)
}

// hearBrowser reports what Chromium writes to the console by itself: resources that did not load, what a policy of the
// page forbids.
func (s *Events) hearBrowser(params json.RawMessage) {
	var p struct {
		Session string
		Params  struct {
			Entry struct {
				Source, Level, Text, URL string
				LineNumber               int
			}
		}
	}
	if json.Unmarshal(params, &p) != nil || p.Params.Entry.Source == "worker" {
		return
	}
	s.mu.Lock()
	window := s.sessions[p.Session]
	s.mu.Unlock()
	e := p.Params.Entry
	s.log(window, classic.Logged{Source: "browser", Level: e.Level, Text: e.Text, URL: e.URL, Line: e.LineNumber + 1})
}

// log passes a message to the page of a window; until there is one, it waits.
func (s *Events) log(window string, m classic.Logged) {
	if !s.isHidden(window) {
		s.forWindow(window, func(page *classic.Page) { page.Log(m) })
	}
}

// Attach has the scripts of the context run before those of pages, also of those that pages open.
func (s *Events) Attach(ctx context.Context, a classic.Attachment, handle string) (*Window, error) {
	s.mu.Lock()
	first := !s.scripts
	s.scripts = true
	s.mu.Unlock()
	if first {
		err := s.preload(ctx, "() => {\n"+classic.NativeScript(a.Name)+a.Script+"\n}", nil)
		if err != nil {
			return nil, err
		}
		if len(a.Headers) > 0 {
			if err := s.addHeaders(ctx, a.Headers); err != nil {
				return nil, err
			}
		}
	}
	if a.Stops {
		if err := s.stop(ctx); err != nil {
			return nil, err
		}
		a.Page.Traffic.SetStopping()
	}
	a.Page.Traffic.SetMain(handle)
	chromium, err := s.hearDevTools(ctx, handle)
	if err != nil {
		return nil, err
	}
	return &Window{session: s, handle: handle, page: a.Page, Chromium: chromium}, nil
}

// Follow has what happens in the window reported to its page, from the start.
func (w *Window) Follow() {
	s := w.session
	for {
		s.mu.Lock()
		waiting := s.waiting[w.handle]
		delete(s.waiting, w.handle)
		if len(waiting) == 0 {
			s.pages[w.handle] = w.page
			s.mu.Unlock()
			return
		}
		s.mu.Unlock()
		for _, report := range waiting {
			report(w.page)
		}
	}
}

// preload has a function run in each document before the page's own scripts.
func (s *Events) preload(ctx context.Context, function string, args []any) error {
	var made struct{ Script string }
	params := map[string]any{"functionDeclaration": function}
	if args != nil {
		params["arguments"] = args
	}
	if err := s.conn.Call(ctx, "script.addPreloadScript", params, &made); err != nil {
		return s.explain(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.undo = append(s.undo, call{"script.removePreloadScript", map[string]any{"script": made.Script}})
	return nil
}

// hearDevTools has Chromium report what it writes to the console by itself; false: it is another browser.
func (s *Events) hearDevTools(ctx context.Context, handle string) (chromium bool, err error) {
	var got struct{ Session string }
	err = s.conn.Call(ctx, "goog:cdp.getSession", map[string]any{"context": handle}, &got)
	if webdriver.LacksCommand(err) || webdriver.Is(err, webdriver.InvalidArgument) {
		return false, nil
	}
	if err != nil {
		return false, s.explain(err)
	}
	s.mu.Lock()
	s.sessions[got.Session] = handle
	s.mu.Unlock()
	if err := s.conn.Subscribe(ctx, "goog:cdp.Log.entryAdded"); err != nil {
		return true, s.explain(err)
	}
	return true, s.explain(s.conn.Call(ctx, "goog:cdp.sendCommand", map[string]any{"method": "Log.enable",
		"params": map[string]any{}, "session": got.Session}, nil))
}

// Bind has pages call a function by a name. Documents that are there already do not have it.
func (s *Events) Bind(ctx context.Context, name string, called func(window string, args []any)) error {
	s.mu.Lock()
	s.bindings[name] = called
	s.mu.Unlock()
	literal, _ := json.Marshal(name) // a text always can be encoded
	function := fmt.Sprintf(`channel => {
	const text = JSON.stringify;
	Object.defineProperty(window, %s, {configurable: true, writable: true, value: (...args) => { channel(text(args)) }});
}`, literal)
	return s.preload(ctx, function, []any{map[string]any{"type": "channel", "value": map[string]any{"channel": name}}})
}

func (s *Events) hearMessage(params json.RawMessage) {
	var p struct {
		Channel string
		Data    struct{ Value any }
		Source  struct{ Context string }
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	s.mu.Lock()
	called := s.bindings[p.Channel]
	window, _ := s.windowOfLocked(p.Source.Context)
	s.mu.Unlock()
	text, _ := p.Data.Value.(string)
	var args []any
	if called != nil && json.Unmarshal([]byte(text), &args) == nil {
		called(window, args)
	}
}

// document is the HTML of a frame.
type document struct {
	request  string
	read     bool
	declares bool
}

// noteDocument notes which response the document of a frame is. The lock is held.
func (s *Events) noteDocument(x *exchange, p reported, failed bool) {
	if x.document && !failed && strings.HasPrefix(p.Response.MimeType, "text/html") {
		s.docs[x.context] = &document{request: x.id}
	}
}

// Window is the connection to one window.
type Window struct {
	session *Events
	handle  string
	page    *classic.Page
	// Chromium: the browser is one.
	Chromium bool
}

var (
	_ classic.Wire     = (*Window)(nil)
	_ classic.Follower = (*Window)(nil)
)

// Err is why the connection has ended, or why what it reports does not count.
func (w *Window) Err() error { return w.session.lost() }

// Settle returns when all that the page has done until now is reported: a script in each of its frames is carried out
// after what was reported before.
func (w *Window) Settle(ctx context.Context) error {
	frames := w.session.framesOf(w.handle)
	results := make(chan error, len(frames)+1)
	for _, id := range frames[:min(len(frames), maxInner)] {
		go func() {
			_ = w.ask(ctx, id) // a frame that has gone writes nothing
			results <- nil
		}()
	}
	err := w.ask(ctx, w.handle)
	for range min(len(frames), maxInner) {
		<-results
	}
	if lost := w.session.lost(); lost != nil {
		return lost
	}
	if err != nil {
		return fmt.Errorf("%w: the console of the page does not respond: %w", drivers.ErrNotReady, err)
	}
	return nil
}

// ask runs a script that does nothing.
func (w *Window) ask(ctx context.Context, id string) error {
	return w.session.conn.Call(ctx, "script.evaluate", map[string]any{"expression": "0", "awaitPromise": false,
		"target": map[string]any{"context": id}}, nil)
}

// Knows reports whether the HTML of documents can be read.
func (w *Window) Knows() bool {
	w.session.mu.Lock()
	defer w.session.mu.Unlock()
	return w.session.keeps
}

// DeclaresClosedRoots reports whether declares finds closed shadow roots in the HTML of a document of the page.
func (w *Window) DeclaresClosedRoots(ctx context.Context, loading bool, declares func(html string) bool) bool {
	s := w.session
	var unread sync.WaitGroup
	s.mu.Lock()
	for id, d := range s.docs {
		if at, _ := s.windowOfLocked(id); at != w.handle || d.read {
			continue
		}
		unread.Go(func() {
			html, err := s.body(ctx, "response", d.request)
			if err != nil {
				return // the document is another one by now
			}
			found := declares(html)
			s.mu.Lock()
			defer s.mu.Unlock()
			d.declares, d.read = found, !loading
		})
	}
	s.mu.Unlock()
	unread.Wait()
	s.mu.Lock()
	defer s.mu.Unlock()
	for id, d := range s.docs {
		if at, _ := s.windowOfLocked(id); at == w.handle && d.declares {
			return true
		}
	}
	return false
}

// body returns the body of a request or a response, by that kind.
func (s *Events) body(ctx context.Context, kind, request string) (string, error) {
	var got struct{ Bytes struct{ Type, Value string } }
	err := s.conn.Call(ctx, "network.getData", map[string]any{"dataType": kind, "request": request}, &got)
	if err != nil || got.Bytes.Type != "base64" {
		return got.Bytes.Value, err
	}
	raw, err := base64.StdEncoding.DecodeString(got.Bytes.Value)
	return string(raw), err
}

// Close does nothing: the connection is that of the session.
func (w *Window) Close() {}
