// Package client keeps the state of one client of open devices, for every interface (MCP, the shell): references to
// elements, what happened since its last call, its steps as a test, and the fence around texts from pages and screens.
package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"log/slog"
	"maps"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/phrase"
	"github.com/taproot-dev/taproot/internal/result/event"
	"github.com/taproot-dev/taproot/internal/source"
	"github.com/taproot-dev/taproot/runner/internal/action"
	"github.com/taproot-dev/taproot/runner/internal/live"
	"github.com/taproot-dev/taproot/runner/internal/pool"
)

// Config is what a session works with. Live and Pool may be set later, before its first call; the zero value of Idle,
// Prepare and Link means that there is nothing to do.
type Config struct {
	Live    *live.Devices
	Pool    *pool.Pool
	Mask    *event.Mask
	Who     string            // the client, in leases and in messages about devices
	Exposed map[string]string // values of ${NAME} in the texts of the client; every value is a secret
	Schemes []string          // of links that may be opened in addition to http and https
	AnyLink bool              // any link may be opened: the client is the user
	Log     *slog.Logger
	Process string // name of this process in lease files
	// Shared: several clients of the process share the devices; a device in use is leased for Idle.
	Shared bool
	Idle   time.Duration
	// Opened is called for a device that was opened again for this client; for shared devices only.
	Opened func(*action.Performer)
	// Link refuses steps that refer to files which the client may not read.
	Link func(*dsl.Test) error
	// Own returns the own actions of the project, as their files are now; nil: there are none.
	Own func() *dsl.Own
	// Speak returns a call in the client's spelling: "scrollTo", "press enter"; "" when it has none.
	Speak func(call string) string
}

// Client is one client's use of open devices. It is safe for concurrent use.
type Client struct {
	Config
	Journal Journal
	News    PageNews
	Fence   Fence
	Refs    *Refs
	// Passwords are those that the client typed.
	Passwords *Passwords

	mu          sync.Mutex
	chosen      string                    // by Choose
	newestPage  string                    // the page that was opened last
	newTabs     map[string]bool           // devices with a new tab that did not come to the foreground
	pendingNews map[string][]string       // news of devices to be reported with the next answer
	prepared    map[string]drivers.Device // shared devices that were set up for this client
	scales      map[string]scaling        // of the last screenshot of each device
	vars        map[string]any            // saved by steps
}

// New creates a session.
func New(c Config) *Client {
	return &Client{Config: c, Journal: Journal{own: c.Own}, Fence: NewFence(), Refs: NewRefs(),
		Passwords:   newPasswords(c.Exposed),
		newTabs:     map[string]bool{},
		pendingNews: map[string][]string{}, prepared: map[string]drivers.Device{},
		scales: map[string]scaling{}}
}

// Call is one call of a client: an action, steps, or a read of the screen.
type Call struct {
	*Client
	Name     string        // in the client's spelling
	Def      *dsl.Def      // nil: not an action
	Names    []string      // of the arguments that the client may give
	Device   string        // as given; "" when it is not
	Value    source.Value  // the other arguments, a Map
	Then     string        // what to show afterwards
	Tab      *int          // the selected tab
	Listed   *source.Value // steps
	Dir      string        // folder of relative paths; "": the project's
	PageOnly bool          // only pages may be read
	// Brief leaves out what the client knows: the step if it was given as one, the device if it is the only open one,
	// and the touched point.
	Brief bool

	result Answer // values and files of the steps that were done
}

// Saved returns the variables that steps have saved in this session.
func (s *Client) Saved() map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.vars)
}

// Keep stores the variables that steps have saved.
func (s *Client) Keep(vars map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.vars = vars
}

// Part is one part of an answer: text, or an image.
type Part struct {
	Text string
	Data []byte
	Kind string // of Data: its media type
}

// Answer is the result of a call.
type Answer struct {
	Parts []Part
	Step  []string // what was done, as test steps without their dashes
	Value any      // what an action returned, else nil
	Files []live.File
}

// Text returns an answer with a text.
func Text(s string) *Answer { return &Answer{Parts: []Part{{Text: s}}} }

// Prepare sets up the session of a device that was just opened: it records the events of pages, new pages do not come
// to the foreground, and no screenshot is taken while a dialog is open or when it would show a secret. It is for
// live.Options.
func (s *Client) Prepare(session *action.Performer) {
	session.Conceal = s.Mask
	if w, ok := session.Device.(drivers.WebPageMonitor); ok {
		w.KeepFront(true)
	}
}

// photograph takes a screenshot: none while a dialog of a page is open, and none that shows a secret.
func (s *Client) photograph(ctx context.Context, dev drivers.Device) (image.Image, error) {
	if err := s.checkNoDialog(ctx, dev); err != nil {
		return nil, err
	}
	if s.Mask.Empty() {
		return dev.Screenshot(ctx)
	}
	return action.Photograph(ctx, dev, s.Mask)
}

// callPattern matches a call in a sentence: `scrollTo`.
var callPattern = lazyregexp.New("`[A-Za-z][^`\n]*`")

// Say replaces the calls in a sentence, which are in back quotes, by the client's spelling.
func (s *Client) Say(text string) string {
	if s.Speak == nil || !strings.Contains(text, "`") {
		return text
	}
	return callPattern.ReplaceAllStringFunc(text, func(call string) string {
		if own := s.Speak(strings.Trim(call, "`")); own != "" {
			return own
		}
		return call
	})
}

// Plainly returns the errors of arguments without positions in a file.
func Plainly(err error) error {
	var all source.Errors
	var one *source.Error
	switch {
	case errors.As(err, &all):
	case errors.As(err, &one):
		all = source.Errors{one}
	default:
		return err
	}
	var what []string
	try := ""
	for _, e := range all {
		what = append(what, e.Msg)
		if try == "" {
			try = e.Hint
		}
	}
	if name, undefined := strings.CutPrefix(strings.Join(what, "; "), "the variable ${"); undefined {
		name, _, _ = strings.Cut(name, "}")
		try = "`exposeEnv " + phrase.LimitRunes(name, 80) + "`"
	}
	return &Refusal{What: strings.Join(what, "; "), Try: try, Err: err}
}

// TakesRef reports whether the action accepts a reference instead of a CSS selector.
func (c *Call) TakesRef() bool { return c.Def != nil && c.Def.OwnKey("selector") }

// touches reports whether the call works on the screen, so that reading it explains failures.
func (c *Call) touches() bool { return c.Def == nil || c.Def.Effect&dsl.Apart == 0 }

// is reports whether the call is of this action.
func (c *Call) is(name string) bool { return c.Def != nil && c.Def.Name == name }

// Masked masks secrets in an answer.
func (s *Client) Masked(a *Answer) (*Answer, error) {
	if s.Mask.Empty() {
		return a, nil
	}
	for i := range a.Parts {
		a.Parts[i].Text = s.Mask.Text(a.Parts[i].Text)
	}
	if a.Value == nil {
		return a, nil
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(a.Value); err != nil {
		return nil, err
	}
	a.Value = nil
	return a, json.Unmarshal([]byte(s.Mask.Text(b.String())), &a.Value)
}
