// Package bidi has a session of WebDriver report what its pages request and write to their consoles, and change it, by
// WebDriver BiDi: events go to the context of the session, in the words of package classic.
package bidi

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/drivers/web/internal/classic"
)

const (
	// maxWaiting caps what happens in a window before its page is known.
	maxWaiting = 10000
	// maxInner caps the frames of a page of which the console is waited for.
	maxInner = 10
	// maxKept caps a response that the browser keeps for later, in bytes.
	maxKept = 4 << 20
)

// events are those that are reported of all windows.
var events = []string{"browsingContext.contextCreated", "browsingContext.contextDestroyed",
	"browsingContext.userPromptOpened", "browsingContext.userPromptClosed", "log.entryAdded",
	"network.beforeRequestSent", "network.responseStarted", "network.responseCompleted", "network.fetchError",
	"script.message"}

// link is what the parts of Events have in common.
type link struct {
	conn   *webdriver.BiDi
	remote string // in messages

	mu     sync.Mutex
	undo   []call          // in the order in which they were set
	hidden map[string]bool // windows of our own
	broken error           // why what is reported does not count any more
}

// Events are one use of a session of WebDriver, up to Restore. They implement classic.Observer, classic.Emulator,
// classic.Keeper, classic.Evaluator and classic.Binder.
type Events struct {
	*link
	*emulation

	to       *classic.Context
	parents  map[string]string // of frames; "": a window
	pages    map[string]*classic.Page
	waiting  map[string][]func(*classic.Page) // what happens in windows without a page
	urls     map[string]string                // of the documents, by frames
	requests map[string]*exchange
	sessions map[string]string // windows by their sessions of DevTools
	docs     map[string]*document
	bindings map[string]func(window string, args []any)
	saving   saving
	scripts  bool // those of the context are installed
	stops    bool // requests wait
	keeps    bool // the browser keeps responses
}

type call struct {
	method string
	params map[string]any
}

var (
	_ classic.Observer  = (*Events)(nil)
	_ classic.Emulator  = (*Events)(nil)
	_ classic.Keeper    = (*Events)(nil)
	_ classic.Binder    = (*Events)(nil)
	_ classic.Evaluator = (*Events)(nil)
)

// New starts to use a connection. remote names the server in messages.
func New(conn *webdriver.BiDi, remote string) *Events {
	l := &link{conn: conn, remote: remote, hidden: map[string]bool{}}
	return &Events{link: l, emulation: &emulation{link: l, sites: map[string]bool{}}, parents: map[string]string{},
		pages: map[string]*classic.Page{}, waiting: map[string][]func(*classic.Page){}, urls: map[string]string{},
		requests: map[string]*exchange{}, sessions: map[string]string{}, docs: map[string]*document{},
		bindings: map[string]func(string, []any){}}
}

// Observe has all that happens reported to a context.
func (s *Events) Observe(ctx context.Context, to *classic.Context) error {
	s.mu.Lock()
	s.to = to
	s.mu.Unlock()
	s.conn.Listen(s.event, s.fail)
	contexts, err := s.conn.Contexts(ctx)
	if err != nil {
		return s.explain(err)
	}
	s.mu.Lock()
	for id, c := range contexts {
		s.parents[id] = c.Parent
	}
	s.mu.Unlock()
	if err := s.conn.Subscribe(ctx, events...); err != nil {
		return s.explain(err)
	}
	kept, err := s.collect(ctx, "request", "response")
	if err == nil && !kept { // older browsers keep responses alone
		kept, err = s.collect(ctx, "response")
	}
	s.mu.Lock()
	s.keeps = kept
	s.mu.Unlock()
	return err
}

// collect has the browser keep the bodies of requests and responses, by these kinds. It returns whether it does.
func (s *link) collect(ctx context.Context, kinds ...string) (does bool, err error) {
	var made struct{ Collector string }
	err = s.conn.Call(ctx, "network.addDataCollector", map[string]any{"dataTypes": kinds,
		"maxEncodedDataSize": maxKept}, &made)
	if webdriver.LacksCommand(err) || webdriver.Is(err, webdriver.InvalidArgument) {
		return false, nil
	}
	if err != nil {
		return false, s.explain(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.undo = append(s.undo, call{"network.removeDataCollector", map[string]any{"collector": made.Collector}})
	return true, nil
}

// Has returns an ErrUnsupported when the session has no command of a name. The parameters change nothing.
func (s *link) Has(ctx context.Context, command string) error {
	params := map[string]any{}
	if name := overrides()[command]; name != "" {
		params = everywhere(name, nil)
	}
	if err := s.conn.Call(ctx, command, params, nil); webdriver.LacksCommand(err) || webdriver.Lost(err) {
		return s.explain(err)
	}
	return nil
}

// explain puts an error of the connection into the words of drivers.
func (s *link) explain(err error) error {
	var said *webdriver.Error
	switch {
	case err == nil:
		return nil
	case webdriver.LacksCommand(err) && errors.As(err, &said):
		return fmt.Errorf("%w: the session at the remote %s has no command %s of WebDriver BiDi", drivers.ErrUnsupported,
			s.remote, said.Command)
	case webdriver.Lost(err):
		return fmt.Errorf("%w: the remote %s: %w", drivers.ErrDeviceLost, s.remote, err)
	}
	return err
}

// fail notes that what is reported does not count any more.
func (s *link) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken == nil {
		s.broken = err
	}
}

// mangled notes that an event could not be read.
func (s *link) mangled(event string) {
	s.fail(&webdriver.LostError{Host: s.conn.Host(), Command: event, Performed: true,
		Why: "an event of BiDi has another form than expected: events may be missing"})
}

// lost returns why what is reported does not count any more, nil while it does.
func (s *link) lost() error {
	s.mu.Lock()
	err := s.broken
	s.mu.Unlock()
	if err != nil && !errors.Is(err, drivers.ErrUnsupported) {
		err = s.explain(err)
	}
	return err
}

func (s *link) isHidden(window string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hidden[window]
}

// Restore takes everything back that was set, so that nothing is left to the next test.
func (s *link) Restore(ctx context.Context) error {
	s.mu.Lock()
	undo := s.undo
	s.undo = nil
	s.mu.Unlock()
	errs := []error{s.conn.Err(), s.lost()}
	for _, c := range slices.Backward(undo) {
		errs = append(errs, s.conn.Call(ctx, c.method, c.params, nil))
	}
	s.conn.Listen(nil, nil)
	return errors.Join(errs...)
}

// set sends a command, and remembers the one that takes it back.
func (s *link) set(ctx context.Context, method string, params map[string]any, back call) error {
	if err := s.conn.Call(ctx, method, params, nil); err != nil {
		return s.explain(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slices.ContainsFunc(s.undo, func(c call) bool { return c.method == back.method }) {
		s.undo = append(s.undo, back)
	}
	return nil
}

// event is called for each event, in their order. It waits for nothing.
func (s *Events) event(method string, params json.RawMessage) {
	switch method {
	case "browsingContext.contextCreated", "browsingContext.contextDestroyed":
		s.hearContext(method, params)
	case "browsingContext.userPromptOpened":
		var p struct{ Context, Type, Message, DefaultValue string }
		if json.Unmarshal(params, &p) == nil {
			window, _ := s.windowOf(p.Context)
			s.to.Prompted(window, classic.Prompt{Kind: p.Type, Message: p.Message, Default: p.DefaultValue})
		}
	case "browsingContext.userPromptClosed":
		var p struct{ Context string }
		if json.Unmarshal(params, &p) == nil {
			window, _ := s.windowOf(p.Context)
			s.to.Answered(window)
		}
	case "browsingContext.downloadWillBegin", "browsingContext.downloadEnd":
		s.hearDownload(method, params)
	case "log.entryAdded":
		s.hearLog(params)
	case "goog:cdp.Log.entryAdded":
		s.hearBrowser(params)
	case "script.message":
		s.hearMessage(params)
	default:
		s.hearNetwork(method, params)
	}
}

func (s *Events) hearContext(method string, params json.RawMessage) {
	var p struct{ Context, Parent string }
	if json.Unmarshal(params, &p) != nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if method == "browsingContext.contextCreated" {
		s.parents[p.Context] = p.Parent
		return
	}
	delete(s.parents, p.Context)
	delete(s.docs, p.Context)
	delete(s.urls, p.Context)
	delete(s.pages, p.Context)
	delete(s.waiting, p.Context)
}

// windowOf returns the window in which a frame is; inner: it is not the window itself.
func (s *Events) windowOf(id string) (window string, inner bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.windowOfLocked(id)
}

func (s *Events) windowOfLocked(id string) (window string, inner bool) {
	for range 100 {
		parent := s.parents[id]
		if parent == "" {
			return id, inner
		}
		id, inner = parent, true
	}
	return id, inner
}

// framesOf lists the frames in a window.
func (s *Events) framesOf(window string) (list []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for id := range s.parents {
		if at, inner := s.windowOfLocked(id); inner && at == window {
			list = append(list, id)
		}
	}
	return list
}
