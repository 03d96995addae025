// Package appium drives an iPhone behind an Appium server with the XCUITest driver, which passes commands on to a
// WebDriverAgent: requests of the parts of the iOS driver go in, commands of WebDriver and of that driver ("mobile: …")
// go out.
package appium

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/internal/native"
	"github.com/taproot-dev/taproot/drivers/internal/screen"
	"github.com/taproot-dev/taproot/drivers/internal/webdriver"
	"github.com/taproot-dev/taproot/drivers/ios/internal/wda"
)

// Agent is the WebDriverAgent behind an Appium server. It is safe for concurrent use.
type Agent struct {
	*native.Session

	mu    sync.Mutex
	front string // the app with the elements that a source returns while it is in the foreground; "": any app
	depth int    // how many elements inside one another it reads

	inPage func() bool // the newest tree has the focus in a page; nil: it has not
	memory memory
}

var _ wda.Agent = (*Agent)(nil)

// NewAgent is the WebDriverAgent of a session.
func NewAgent(s *native.Session) *Agent { return &Agent{Session: s, depth: wda.SnapshotDepth} }

// In makes a call in the session.
func (a *Agent) In(ctx context.Context, r wda.Request, to any) error {
	body, err := fieldsOf(r.Body)
	var c command
	if err == nil {
		c, err = translate(r, body)
	}
	if err != nil {
		return fmt.Errorf("device %s: %s: %w", a.Device, r.What, err)
	}
	if !c.reads {
		a.memory.acted(r, body)
	}
	switch line := r.Method + " " + r.Path; {
	case line == "POST /wda/keys":
		return a.typeText(ctx, r, body)
	case r.Spare && line == "GET /alert/text":
		return a.alertOver(ctx, r, c, to)
	case r.Spare && line == "GET /element/active":
		return a.focusOf(ctx, r, c, to)
	case line == "GET /screenshot":
		return a.shoot(ctx, r, to)
	case strings.HasPrefix(line, "GET /source"):
		var doc string
		if err := a.perform(ctx, r, c, &doc); err != nil {
			return err
		}
		a.memory.read(doc)
		if into, ok := to.(*string); ok {
			*into = doc
		}
		return nil
	}
	key := stays(r, body)
	if key == "" {
		return a.perform(ctx, r, c, to)
	}
	value, known := a.memory.answer(key)
	if !known {
		if err := a.perform(ctx, r, c, &value); err != nil {
			return err
		}
		a.memory.learn(key, value)
	}
	return a.decode(r, value, to)
}

// shoot takes a screenshot, unless one was just taken.
func (a *Agent) shoot(ctx context.Context, r wda.Request, to any) error {
	value, ok := a.memory.taken()
	if !ok {
		if err := a.perform(ctx, r, screenshot(), &value); err != nil {
			return err
		}
		a.memory.see(value)
	}
	return a.decode(r, value, to)
}

// Call makes a call that WebDriverAgent has outside of sessions: the server has it in its session.
func (a *Agent) Call(ctx context.Context, r wda.Request, to any) error { return a.In(ctx, r, to) }

// Capabilities are those of a session in which the driver neither resets nor starts an app, and does not wait for an
// idle screen: Taproot does its own waiting. With an app, a new build of the same version is installed, too.
func Capabilities(app bool) map[string]any {
	all := map[string]any{"platformName": "iOS", "appium:automationName": "XCUITest", "appium:noReset": true,
		"appium:autoLaunch": false, "appium:shouldTerminateApp": false, "appium:waitForIdleTimeout": 0,
		"appium:maxTypingFrequency": 60}
	for name, value := range map[string]any{"snapshotMaxDepth": wda.SnapshotDepth, "waitForIdleTimeout": 0,
		"animationCoolOffTimeout": 0, "useFirstMatch": false, "respectSystemAlerts": false,
		"shouldUseCompactResponses": false, "elementResponseAttributes": fieldAttributes} {
		all["appium:settings["+name+"]"] = value
	}
	maps.Copy(all, pageCapabilities())
	if app {
		all["appium:enforceAppInstall"] = true
	}
	return all
}

// A read with a lost answer is made again.
const (
	readRepeats = 2
	readPause   = 100 * time.Millisecond
)

// perform sends a command, and decodes its answer.
func (a *Agent) perform(ctx context.Context, r wda.Request, c command, to any) error {
	value, err := a.send(ctx, r, c)
	if err != nil {
		return a.refused(r, c, err)
	}
	return a.decode(r, value, to)
}

// decode decodes an answer, unless to is nil.
func (a *Agent) decode(r wda.Request, value json.RawMessage, to any) error {
	if to == nil {
		return nil
	}
	if err := json.Unmarshal(value, to); err != nil {
		return fmt.Errorf("%w: device %s: the Appium server of the remote %s responds to %s with %s", drivers.ErrDeviceLost,
			a.Device, a.Remote, r.What, screen.Quote(string(value)))
	}
	return nil
}

// send sends a command. One that changes something is sent once.
func (a *Agent) send(ctx context.Context, r wda.Request, c command) (value json.RawMessage, err error) {
	c.Limit = r.Within(ctx)
	value = json.RawMessage("null")
	err = a.Do(ctx, r.What, func(ctx context.Context) (err error) {
		for again := 0; ; again++ {
			err = webdriver.Send(ctx, a.Lease.Session, c.Command, &value)
			if !c.reads || c.Method != http.MethodPost || !webdriver.Lost(err) || webdriver.Late(err) ||
				again == readRepeats || drivers.Pause(ctx, readPause) != nil {
				return err
			}
		}
	})
	return value, err
}

// refused makes the error of a command one of WebDriverAgent, where that has refused it. An unknown error of a command
// that changes something may be one of the way there: then it is unknown whether it was performed.
func (a *Agent) refused(r wda.Request, c command, err error) error {
	var said *webdriver.Error
	switch {
	case !errors.As(err, &said) || errors.Is(err, drivers.ErrDeviceLost):
		if !c.reads {
			return a.Changed(r.What, err)
		}
		return err
	case said.Code == webdriver.Refused:
		return a.Lease.Explain(err)
	case onSimulators(said.Message):
		return fmt.Errorf("device %s: %s: %w: the server of the remote %s does this on simulators alone: %w", a.Device,
			r.What, drivers.ErrUnsupported, a.Remote, said)
	case !c.reads && said.Code == webdriver.UnknownError && !ofWebDriverAgent(said.Message):
		return a.Changed(r.What, err)
	}
	return r.Refused(a.Device, said.Code, said.Message)
}

// onSimulators reports whether the driver says that it has something for simulators alone.
func onSimulators(message string) bool {
	return strings.Contains(message, "only be performed on Simulator") ||
		strings.Contains(message, "only supported on simulators")
}

// ofWebDriverAgent reports whether a message is one with which WebDriverAgent says that it has not done something, and
// not one of a server on the way to it.
func ofWebDriverAgent(message string) bool {
	for _, words := range []string{"Error Domain=", "Unable To Rotate", "is not supported"} {
		if strings.Contains(message, words) {
			return true
		}
	}
	return false
}

// ReadApp names the app with the elements that a source returns from now on while it is in the foreground.
func (a *Agent) ReadApp(ctx context.Context, app string) error {
	a.mu.Lock()
	known := a.front == app
	a.front = app
	a.mu.Unlock()
	if known {
		return nil
	}
	return a.set(ctx, map[string]any{"defaultActiveApplication": cmp.Or(app, "auto")})
}

// ReadsApp is the app that ReadApp named last.
func (a *Agent) ReadsApp() string {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.front
}

// Reach is how many elements inside one another a source has at most.
func (a *Agent) Reach() int {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.depth
}

// Deepen makes a source reach as deep as XCTest can; it reports whether it did not before.
func (a *Agent) Deepen(ctx context.Context) (bool, error) {
	a.mu.Lock()
	deeper := a.depth < wda.DeepestSnapshot
	a.depth = wda.DeepestSnapshot
	a.mu.Unlock()
	if !deeper {
		return false, nil
	}
	return true, a.set(ctx, map[string]any{"snapshotMaxDepth": wda.DeepestSnapshot})
}

// set changes settings. It can be repeated.
func (a *Agent) set(ctx context.Context, settings map[string]any) error {
	return a.In(ctx, wda.Post("settings", "/appium/settings", map[string]any{"settings": settings}), nil)
}

// BarsOnce is true: the driver returns its first answer about the screen for as long as the session is open.
func (a *Agent) BarsOnce() bool { return true }

// End leaves the session: it is kept for the next test where it can be used on.
func (a *Agent) End(context.Context) error { return a.Leave() }
