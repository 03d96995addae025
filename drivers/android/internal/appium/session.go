// Package appium drives a phone behind an Appium server with the UiAutomator2 driver: requests to a drivers.Device go
// in, commands of WebDriver and of the driver ("mobile: …") go out. The trees are those of the agent, which that driver
// uses, too.
package appium

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/remote"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
)

const (
	readLimit  = 25 * time.Second // a read of a screen with a window that hangs takes ten
	touchLimit = 30 * time.Second // Android waits up to ten for animations of windows
	slowLimit  = 2 * time.Minute  // an app that starts, is installed or cleared
)

// Session is a session in which a phone is used. Its calls end with the life of the device.
type Session struct {
	Lease  *remote.Lease
	Device string // its id, for messages
	Remote string // its name, for messages
	Life   *drivers.Lifetime
	Phone  PhoneInfo

	mu        sync.Mutex
	gone      bool // the server does not know the session any more
	spoilt    bool // what is left of the test cannot be undone: no other test gets the session
	known     map[string]bool
	asked     bool // for the commands of the driver
	shell     error
	shellSeen bool
	warnings  []string
	warned    map[string]bool // texts that are warned about once
}

// PhoneInfo is what a session says of its phone when it is opened.
type PhoneInfo struct {
	Model, Manufacturer, Version string
	API, Density                 int
	Size                         image.Point // of the upright screen
	App                          string      // that the capabilities name
}

// ReadPhone reads the capabilities that the server has granted. What it does not say is zero.
func ReadPhone(granted json.RawMessage) PhoneInfo {
	var all map[string]any
	_ = json.Unmarshal(granted, &all) // what is of another form is not known
	text := func(names ...string) string {
		for _, name := range names {
			for _, key := range []string{name, "appium:" + name} {
				switch v := all[key].(type) {
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
	number := func(name string) int {
		n, _ := strconv.Atoi(text(name))
		return n
	}
	p := PhoneInfo{Model: text("deviceModel", "deviceName"), Manufacturer: text("deviceManufacturer"),
		Version: text("platformVersion"), API: number("deviceApiLevel"), Density: number("deviceScreenDensity"),
		App: text("appPackage")}
	if w, h, ok := strings.Cut(text("deviceScreenSize"), "x"); ok {
		x, errX := strconv.Atoi(w)
		y, errY := strconv.Atoi(h)
		if errX == nil && errY == nil && x > 0 && y > 0 && x < 1<<15 && y < 1<<15 {
			p.Size = image.Pt(x, y)
		}
	}
	return p
}

// do makes a call of the session, and names the device in its error.
func (s *Session) do(ctx context.Context, what string, call func(context.Context) error) error {
	ctx, free := drivers.Bound(ctx, s.Life)
	defer free()
	if ctx.Err() != nil {
		return fmt.Errorf("device %s: %s: %w", s.Device, what, context.Cause(ctx))
	}
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

// mobile runs a command of the driver.
func (s *Session) mobile(ctx context.Context, name string, args map[string]any, into any) error {
	return s.do(ctx, "mobile: "+name, func(ctx context.Context) error {
		return s.Lease.Mobile(ctx, name, args, into, slowLimit)
	})
}

// changed says what is unknown of a command that changes something: it may have been performed, and is not sent again.
func (s *Session) changed(what string, err error) error {
	var said *webdriver.Error
	if webdriver.MayHaveHappened(err) || errors.As(err, &said) && said.Status >= http.StatusInternalServerError &&
		said.Code == webdriver.UnknownError {
		s.spoil()
		return fmt.Errorf("%w: whether the phone got it is unknown, and it is not repeated (%s)", err, what)
	}
	return err
}

// unsupported makes an error of a command that the server does not have, or does not allow, an ErrUnsupported.
func (s *Session) unsupported(what string, err error) error {
	if webdriver.Is(err, webdriver.UnknownCommand, webdriver.UnknownMethod, webdriver.Unsupported) {
		return fmt.Errorf("%w: the Appium server of the remote %s cannot %s: %w", drivers.ErrUnsupported, s.Remote, what,
			err)
	}
	return err
}

// spoil keeps the session from being used for another test.
func (s *Session) spoil() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.spoilt = true
}

// Warn notes what the caller should know.
func (s *Session) warn(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.warnings = append(s.warnings, fmt.Sprintf(format, args...))
}

// warnOnce warns about something once in a test.
func (s *Session) warnOnce(text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.warned[text] {
		return
	}
	if s.warned == nil {
		s.warned = map[string]bool{}
	}
	s.warned[text] = true
	s.warnings = append(s.warnings, text)
}

// TakeWarnings returns what came up since the last call.
func (s *Session) TakeWarnings() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	all := s.warnings
	s.warnings = nil
	return all
}

// Leave ends the use of the session: it is kept for the next test, or ended where it is lost, or where something of
// this test cannot be undone.
func (s *Session) Leave() error {
	s.mu.Lock()
	keep := !s.gone && !s.spoilt
	s.mu.Unlock()
	if keep {
		s.Lease.Keep()
		return nil
	}
	return s.Lease.End()
}
