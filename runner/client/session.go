package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/dsl"
	"github.com/taproot-dev/taproot/dsl/source"
	"github.com/taproot-dev/taproot/internal/lazyregexp"
	"github.com/taproot-dev/taproot/internal/shorten"
	"github.com/taproot-dev/taproot/reporters/event"
	"github.com/taproot-dev/taproot/runner/action"
	"github.com/taproot-dev/taproot/runner/live"
	"github.com/taproot-dev/taproot/runner/pool"
)

// Config is what a session works with. Live and Pool may be set later, before its first call; the zero value of Idle,
// Prepare and Link means that there is nothing to do.
type Config struct {
	Live    *live.Devices
	Pool    *pool.Pool
	Mask    *event.Mask
	Who     string            // the client, in holds and in messages about devices
	Exposed map[string]string // what ${NAME} means in the texts of the client; every value is taken for a secret
	Schemes []string          // of links that may be opened besides http and https
	AnyLink bool              // any link may be opened: the client is the user
	Log     *slog.Logger
	Process string // how lease files call this process
	// Shared: the devices are those of a process with more clients than one; a device that is used is held for Idle.
	Shared bool
	Idle   time.Duration
	// Opened hears of a device that was opened anew for this client: of shared devices only.
	Opened func(*action.Session)
	// Link refuses steps that refer to files which the client may not read.
	Link func(*dsl.Test) error
	// Speak spells a call in the words of the client: "scrollTo", "press enter"; "" when it knows none.
	Speak func(call string) string
}

// Session is one client's use of open devices. Safe for concurrent use.
type Session struct {
	Config
	Journal Journal
	News    PageNews
	Fence   Fence
	Refs    *Refs

	mu        sync.Mutex
	chosen    string                    // by Choose
	newest    string                    // the page that was opened last
	strayed   map[string]bool           // devices with a tab that opened and did not come to the front
	early     map[string][]string       // news of a device that are to be told with the next answer
	prepared  map[string]drivers.Device // of shared devices, those that were set up for this client
	passwords map[string]string         // that the client typed, by the variables that stand for them
	scales    map[string]scaling        // of the last screenshot of each device
	vars      map[string]any            // that steps of the language have saved
}

// NewSession begins a session.
func NewSession(c Config) *Session {
	return &Session{Config: c, Fence: NewFence(), Refs: NewRefs(), strayed: map[string]bool{}, early: map[string][]string{}, prepared: map[string]drivers.Device{},
		passwords: map[string]string{}, scales: map[string]scaling{}}
}

// Call is one call of a client: an operation of the vocabulary, steps, or a look at the screen.
type Call struct {
	*Session
	Name     string        // as the client spells it
	Def      *dsl.Def      // nil: no operation
	Names    []string      // of the arguments that the client may give
	Device   string        // as given; "" when it is not
	Value    source.Value  // the rest of the arguments, a Map
	Then     string        // what to show afterwards
	Tab      *int          // that is meant
	Listed   *source.Value // steps
	Dir      string        // from which files are named; "": the project's
	PageOnly bool          // a look at what is no page is refused
	// Brief leaves out what the client knows without being told: the step, where it is what was asked for, the device
	// where it is the only one that is open, and where on it something was touched.
	Brief bool

	gave Answer // what the steps that were done gave
}

// Saved gives the variables that steps of the language have saved in this session.
func (s *Session) Saved() map[string]any {
	s.mu.Lock()
	defer s.mu.Unlock()
	return maps.Clone(s.vars)
}

// Keep takes the variables that steps have saved.
func (s *Session) Keep(vars map[string]any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.vars = vars
}

// Part is one piece of an answer: words, or a picture.
type Part struct {
	Text string
	Data []byte
	Kind string // of Data: its media type
}

// Answer is what a call gives.
type Answer struct {
	Parts []Part
	Step  []string // what was done, as steps of a test without their dashes
	Value any      // what an operation gave, else nil
	Files []live.File
}

// Text is an answer in words.
func Text(s string) *Answer { return &Answer{Parts: []Part{{Text: s}}} }

// Prepare sets up the session of a device that was just opened: what its pages do is noted, none comes to the front by
// itself, and no picture is taken while a dialog is open or that shows a secret. It is for live.Options.
func (s *Session) Prepare(session *action.Session) {
	session.Host = host{session.Host, s}
	if w, ok := session.Device.(drivers.WebPageMonitor); ok {
		w.KeepFront(true)
	}
}

// host takes no picture while a dialog of a page is open, and none that shows a secret.
type host struct {
	action.Host
	session *Session
}

func (h host) Photograph(ctx context.Context, dev drivers.Device) (image.Image, error) {
	if err := h.session.undisturbed(ctx, dev); err != nil {
		return nil, err
	}
	if h.session.Mask.Empty() {
		return dev.Screenshot(ctx)
	}
	return action.Photograph(ctx, dev, h.session.Mask)
}

// spoken is a call in a sentence: `scrollTo`.
var spoken = lazyregexp.New("`[A-Za-z][^`\n]*`")

// Say spells the calls in a sentence, which stand in back quotes, as the client writes them.
func (s *Session) Say(text string) string {
	if s.Speak == nil || !strings.Contains(text, "`") {
		return text
	}
	return spoken.ReplaceAllStringFunc(text, func(call string) string {
		if own := s.Speak(strings.Trim(call, "`")); own != "" {
			return own
		}
		return call
	})
}

// Plainly tells the errors of arguments without the places of a file.
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
		try = "`exposeEnv " + shorten.Runes(name, 80) + "`"
	}
	return &Refusal{What: strings.Join(what, "; "), Try: try, Err: err}
}

// Without takes a field away.
func Without(v source.Value, key string) source.Value {
	v.Fields = slices.DeleteFunc(slices.Clone(v.Fields), func(f source.Field) bool { return f.Key == key })
	return v
}

// TakesRef tells whether the operation takes a reference in place of a selector of the page.
func (c *Call) TakesRef() bool { return c.Def != nil && c.Def.OwnKey("selector") }

// touches tells whether the call works on what is shown, so that a look at the screen explains its failures.
func (c *Call) touches() bool { return c.Def == nil || c.Def.Effect&dsl.Apart == 0 }

// is tells whether the call is of this operation.
func (c *Call) is(name string) bool { return c.Def != nil && c.Def.Name == name }

// Masked takes secrets out of an answer.
func (s *Session) Masked(a *Answer) (*Answer, error) {
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
