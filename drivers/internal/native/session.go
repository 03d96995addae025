// Package native has what drivers of phones behind Appium servers share: a session of a server goes in, calls of it
// that end with the device, its errors, warnings and debts come out.
package native

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/remote"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/internal/phrase"
)

// SlowLimit is for an app that starts, is installed or cleared.
const SlowLimit = 2 * time.Minute

// Session is a session in which a phone is used for one test. Its calls end with the life of the device. It is safe for
// concurrent use.
type Session struct {
	Lease  *remote.Lease
	Device string // its id, for messages
	Remote string // its name, for messages
	Life   *drivers.Lifetime

	gate    sync.RWMutex    // guards the choice of the context; commands that go to the phone hold it for reading
	context string          // that may be chosen in place of the phone; "": none
	entered map[string]bool // processes with pages that were entered

	warnings phrase.Warnings

	mu     sync.Mutex
	gone   bool // the server does not know the session any more
	spoilt bool // what is left of the test cannot be undone: no other test gets the session
	known  map[string]bool
	asked  bool // for the commands of the driver
}

// Granted returns the capabilities that the server has granted.
func (s *Session) Granted() Granted {
	var all map[string]any
	_ = json.Unmarshal(s.Lease.Capabilities, &all) // what is of another form is not known
	return all
}

// Granted are the capabilities that a server has granted.
type Granted map[string]any

// Text is the first of some capabilities that says something; "": none does.
func (g Granted) Text(names ...string) string {
	for _, name := range names {
		for _, key := range []string{name, "appium:" + name} {
			switch v := g[key].(type) {
			case string:
				if v != "" {
					return v
				}
			case float64:
				return strconv.FormatFloat(v, 'f', -1, 64)
			}
		}
	}
	return ""
}

// Do makes a call of the session, and names the device in its error.
func (s *Session) Do(ctx context.Context, what string, call func(context.Context) error) error {
	ctx, free := drivers.Bound(ctx, s.Life)
	defer free()
	if ctx.Err() != nil {
		return fmt.Errorf("device %s: %s: %w", s.Device, what, context.Cause(ctx))
	}
	leave, err := s.onPhone(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return s.explain(ctx, what, call(ctx))
}

// explain names the device in an error, and says whether the session is lost.
func (s *Session) explain(ctx context.Context, what string, err error) error {
	var lost *webdriver.LostError
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return fmt.Errorf("device %s: %s: %w", s.Device, what, context.Cause(ctx))
	case webdriver.Is(err, webdriver.InvalidSession):
		s.mu.Lock()
		s.gone = true
		s.mu.Unlock()
		err = s.Lease.Explain(err)
	case errors.As(err, &lost) && !lost.Performed:
		err = s.Lease.Explain(err)
	}
	return fmt.Errorf("device %s: %s: %w", s.Device, what, err)
}

// Mobile runs a command of the driver ("mobile: …").
func (s *Session) Mobile(ctx context.Context, name string, args map[string]any, into any) error {
	return s.Do(ctx, "mobile: "+name, func(ctx context.Context) error {
		return s.Lease.Mobile(ctx, name, args, into, SlowLimit)
	})
}

// Changed says what is unknown of a command that changes something: it may have been performed, and is not sent again.
func (s *Session) Changed(what string, err error) error {
	var said *webdriver.Error
	if webdriver.MayHaveHappened(err) || errors.As(err, &said) && said.Status >= http.StatusInternalServerError &&
		said.Code == webdriver.UnknownError {
		s.Spoil()
		return fmt.Errorf("%w: whether the phone got it is unknown, and it is not repeated (%s)", err, what)
	}
	return err
}

// Unsupported makes an error of a command that the server does not have, or does not allow, an ErrUnsupported.
func (s *Session) Unsupported(what string, err error) error {
	if webdriver.Is(err, webdriver.UnknownCommand, webdriver.UnknownMethod, webdriver.Unsupported) {
		return fmt.Errorf("%w: the Appium server of the remote %s cannot %s: %w", drivers.ErrUnsupported, s.Remote, what,
			err)
	}
	return err
}

// Spoil keeps the session from being used for another test.
func (s *Session) Spoil() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spoilt = true
}

// Warn notes what the caller should know.
func (s *Session) Warn(format string, args ...any) {
	s.warnings.Add(fmt.Sprintf(format, args...))
}

// WarnOnce warns about something once in a test.
func (s *Session) WarnOnce(text string) { s.warnings.AddOnce(text) }

// TakeWarnings returns what came up since the last call.
func (s *Session) TakeWarnings() []string { return s.warnings.Take() }

// SessionURL is the page of the session at the cloud.
func (s *Session) SessionURL() string { return s.Lease.Page() }

// ReportResult sends the cloud the result of the test.
func (s *Session) ReportResult(ctx context.Context, passed bool, reason string) error {
	return s.Lease.Report(ctx, passed, reason)
}

// Leave ends the use of the session: it is kept for the next test, or ended where it is lost, or where something of
// this test cannot be undone.
func (s *Session) Leave() error {
	s.gate.RLock()
	away := s.context != ""
	s.gate.RUnlock()
	s.mu.Lock()
	keep := !s.gone && !s.spoilt && !away
	s.mu.Unlock()
	if keep {
		s.Lease.Keep()
		return nil
	}
	return s.Lease.End()
}

// Lacks returns an ErrUnsupported when the driver at the server has no command ("mobile: …") that an action needs. It
// touches nothing.
func (s *Session) Lacks(ctx context.Context, action, name string) error {
	there, err := s.commands(ctx)
	if err != nil {
		return err
	}
	if command := "mobile: " + name; there != nil && !there[command] {
		return fmt.Errorf("device %s: %s: %w: the driver at the remote %s has no command %q: update it", s.Device, action,
			drivers.ErrUnsupported, s.Remote, command)
	}
	return nil
}

// commands are those that the driver has; nil: the server does not say. It is asked once.
func (s *Session) commands(ctx context.Context) (map[string]bool, error) {
	s.mu.Lock()
	known, asked := s.known, s.asked
	s.mu.Unlock()
	if asked {
		return known, nil
	}
	err := s.Do(ctx, "ask for the commands of the driver", func(ctx context.Context) (err error) {
		known, err = s.Lease.Extensions(ctx)
		return err
	})
	if webdriver.Is(err, webdriver.UnknownCommand, webdriver.UnknownMethod) {
		known, err = nil, nil // a server before Appium 3
	}
	if err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.known, s.asked = known, true
	return known, nil
}
