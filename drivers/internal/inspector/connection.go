package inspector

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/taproot-dev/taproot/internal/phrase"
)

// ErrLeft says that the page was left for another one while it was asked: the answer would be that of a page which
// no one sees.
var ErrLeft = errors.New("the page was left meanwhile")

// Refusal is the response of a page to a command that it does not perform.
type Refusal struct {
	Method  string
	Message string `json:"message"`
}

func (e *Refusal) Error() string { return e.Method + ": " + phrase.LimitBytes(e.Message, 200) }

// Context is where the scripts of a frame run.
type Context struct {
	ID    int
	Frame string
	own   bool // it is that of the page's own scripts
}

// Connection is a page that is inspected. WebKit puts another target in the place of a page's own when it goes to
// another site; a connection continues with that one.
type Connection struct {
	page  Page
	plain bool // what passes is not wrapped for targets
	pass  func(message []byte) error
	leave func()
	heard func(method string, params json.RawMessage) // receives what a target reports; may be nil

	mu       sync.Mutex
	told     chan struct{} // closed and renewed when the target or the end is reported
	target   string        // "": there is none
	contexts map[string][]Context
	chunks   []byte
	last     int
	waiting  map[int]*call
	err      error
}

// call is a command that waits for its answer.
type call struct {
	method, target string
	answer         chan answer // of one
}

type answer struct {
	result json.RawMessage
	err    error
}

func newSession(p Page) *Connection {
	return &Connection{page: p, told: make(chan struct{}), contexts: map[string][]Context{}, waiting: map[int]*call{}}
}

// Page is the page as it was listed when it was opened.
func (s *Connection) Page() Page { return s.page }

// Close ends it. What still waits for an answer gets ErrGone.
func (s *Connection) Close() {
	s.fail(ErrGone)
	s.leave()
}

// Err is why it has ended, nil while it has not.
func (s *Connection) Err() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// Target returns the name of the page's target now; it is another one once the page has gone to another site, and "" in
// between.
func (s *Connection) Target() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.target
}

// Contexts are those of the target's frames that were reported since the response to Runtime.enable.
func (s *Connection) Contexts() []Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.DeleteFunc(slices.Clone(s.contexts[s.target]), func(c Context) bool { return !c.own })
}

// ready waits for a target.
func (s *Connection) ready(ctx context.Context) (string, error) {
	for {
		s.mu.Lock()
		target, told, err := s.target, s.told, s.err
		s.mu.Unlock()
		if target != "" || err != nil {
			return target, err
		}
		select {
		case <-told:
		case <-ctx.Done():
			return "", context.Cause(ctx)
		}
	}
}

// Call sends a command, such as Runtime.evaluate, and puts its result into into, unless that is nil.
func (s *Connection) Call(ctx context.Context, method string, params, into any) error {
	target, err := s.ready(ctx)
	if err != nil {
		return err
	}
	c := &call{method: method, target: target, answer: make(chan answer, 1)}
	s.mu.Lock()
	inner, outer := s.last+1, s.last+2
	s.last = outer
	s.waiting[inner], s.waiting[outer] = c, c
	s.mu.Unlock()
	defer func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.waiting, inner)
		delete(s.waiting, outer)
	}()
	message, err := s.wrap(inner, outer, c, params)
	if err == nil {
		err = s.pass(message)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", method, err)
	}
	select {
	case a := <-c.answer:
		if a.err != nil || into == nil {
			return a.err
		}
		return json.Unmarshal(a.result, into)
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// wrap makes the message of a command: it is one of a target's, within one of the page's.
func (s *Connection) wrap(inner, outer int, c *call, params any) ([]byte, error) {
	command, err := json.Marshal(map[string]any{"id": inner, "method": c.method, "params": params})
	if err != nil || s.plain {
		return command, err
	}
	return json.Marshal(map[string]any{"id": outer, "method": "Target.sendMessageToTarget", "params": map[string]any{
		"targetId": c.target, "message": string(command)}})
}

// reported by a page or a target.
type news struct {
	ID     *int            `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *Refusal        `json:"error"`
}

// hear takes what a page has sent, or a part of it.
func (s *Connection) hear(data []byte, kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch kind {
	case "WIRMessageDataTypeChunk":
		if s.chunks = append(s.chunks, data...); len(s.chunks) > maxMessage {
			s.chunks = nil
		}
		return
	case "WIRMessageDataTypeFinalChunk":
		data = append(s.chunks, data...)
	}
	s.chunks = nil
	var n news
	if json.Unmarshal(data, &n) != nil {
		return // its response is waited for in vain, for as long as its caller has time
	}
	if s.plain {
		s.ofTarget(s.target, n)
		return
	}
	s.ofPage(n)
}

// ofPage takes what the page reports of its targets; the lock is held.
func (s *Connection) ofPage(n news) {
	var p struct {
		Info struct {
			ID          string `json:"targetId"`
			Type        string `json:"type"`
			Provisional bool   `json:"isProvisional"`
		} `json:"targetInfo"`
		ID      string `json:"targetId"`
		Old     string `json:"oldTargetId"`
		New     string `json:"newTargetId"`
		Message string `json:"message"`
	}
	if len(n.Params) > 0 && json.Unmarshal(n.Params, &p) != nil {
		return
	}
	switch {
	case n.ID != nil && n.Error != nil: // the page knows no such target
		if c := s.waiting[*n.ID]; c != nil {
			c.reply(answer{err: &Refusal{c.method, n.Error.Message}})
		}
	case n.Method == "Target.targetCreated" && !p.Info.Provisional && (p.Info.Type == "page" || p.Info.Type == ""):
		s.swap(p.Info.ID)
	case n.Method == "Target.didCommitProvisionalTarget":
		s.swap(p.New)
	case n.Method == "Target.targetDestroyed":
		delete(s.contexts, p.ID)
		if p.ID == s.target {
			s.swap("")
		}
	case n.Method == "Target.dispatchMessageFromTarget":
		var inner news
		if json.Unmarshal([]byte(p.Message), &inner) == nil {
			s.ofTarget(p.ID, inner)
		}
	}
}

// swap puts another target into the place of the page's; the lock is held.
func (s *Connection) swap(target string) {
	if target == s.target {
		return
	}
	s.target = target
	for _, c := range s.waiting {
		if c.target != target {
			c.reply(answer{err: ErrLeft})
		}
	}
	close(s.told)
	s.told = make(chan struct{})
	if s.heard != nil && target != "" {
		s.heard(Swapped, nil)
	}
}

// Swapped is what a listener receives when another target has taken the place of the page's.
const Swapped = "swapped"

// ofTarget takes what a target reports; the lock is held.
func (s *Connection) ofTarget(target string, n news) {
	switch {
	case n.ID != nil:
		c := s.waiting[*n.ID]
		switch {
		case c == nil || c.target != target: // an answer of a target that was left
		case n.Error != nil:
			c.reply(answer{err: &Refusal{c.method, n.Error.Message}})
		default:
			c.reply(answer{result: bytes.TrimSpace(n.Result)})
		}
	case n.Method != "Runtime.executionContextCreated":
		if s.heard != nil && target == s.target {
			s.heard(n.Method, n.Params)
		}
	default:
		var p struct {
			Context struct {
				ID    int    `json:"id"`
				Frame string `json:"frameId"`
				Type  string `json:"type"`
				Own   bool   `json:"isPageContext"` // before iOS 14
			} `json:"context"`
		}
		if json.Unmarshal(n.Params, &p) == nil {
			own := p.Context.Own || p.Context.Type == "normal"
			kept := slices.DeleteFunc(s.contexts[target], func(c Context) bool {
				return own && c.own &&
					c.Frame == p.Context.Frame
			})
			s.contexts[target] = append(kept, Context{p.Context.ID, p.Context.Frame, own})
		}
	}
}

// reply passes a command its response, unless it has one.
func (c *call) reply(a answer) {
	select {
	case c.answer <- a:
	default:
	}
}

// fail ends it.
func (s *Connection) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.err != nil {
		return
	}
	s.err = err
	for _, c := range s.waiting {
		c.reply(answer{err: err})
	}
	close(s.told)
	s.told = make(chan struct{})
}
