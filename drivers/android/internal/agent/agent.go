// Package agent reads and touches the screen through appium-uiautomator2-server, which runs on the phone.
package agent

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/android/internal/input"
	"github.com/taproot-dev/taproot/drivers/android/internal/phone"
	"github.com/taproot-dev/taproot/drivers/android/internal/restore"
)

const (
	agentRunner = restore.AgentTests + "/androidx.test.runner.AndroidJUnitRunner"

	noStart     = "the agent could not be started: "
	signedApart = "Permission Denial" // what am says of two packages with two certificates

	MinAPI           = 26 // the least Android that it runs on
	hiddenAPI        = 28 // the first that keeps apps from its own inner parts
	agentStartLimit  = 30 * time.Second
	agentStartPoll   = 100 * time.Millisecond
	agentRestarts    = 1
	FirstDepth       = 200
	DepthLimit       = 500
	agentRivalPause  = 3 * time.Second
	Farewell         = 2 * time.Second
	agentOutputBytes = 64 << 10
)

// Agent reads and touches the screen through appium-uiautomator2-server, which runs on the phone while the device
// is open.
type Agent struct {
	Phone     *phone.Phone
	Input     *input.Injector
	Debts     *restore.Debts
	Installer *Setup
	Shell     *Shell
	shadow    Toasts

	mu       sync.Mutex
	reads    string // the sentence that says what reads the screen
	up       bool   // it reads and touches the screen; false: the phone's own tools do
	session  string
	lastErr  error // what went wrong since it was last known to be well
	restarts int
	Depth    int
	lastRead time.Time           // when the newest tree was complete
	census   census              // of the newest tree
	windows  map[int]windowPlace // on the screen of the newest tree
}

// ask makes a request within the session.
func (a *Agent) ask(ctx context.Context, q Request, value any) error {
	a.mu.Lock()
	session := a.session
	a.mu.Unlock()
	q.Path = "/session/" + session + "/" + q.Path
	ctx, cancel := drivers.Bound(ctx, a.Phone.Life)
	defer cancel()
	err := Send(ctx, a.Phone.Link, q, value)
	if e := new(agentError); errors.As(err, &e) {
		e.what = strings.Replace(e.what, "/session/"+session+"/", "", 1)
	}
	return err
}

// health: the shell that the agent was started from lives, and it returns what only a working UiAutomation can.
func (a *Agent) health(ctx context.Context) error {
	if a.Shell.HasEnded() {
		return &agentError{serial: a.Phone.Link.Serial, what: "anything",
			cause: errors.New("it has ended: " + a.Shell.lastOutput())}
	}
	var windows []Window
	if err := a.ask(ctx, Request{Method: "POST", Path: "appium/list_windows", Body: map[string]any{
		"skipScreenshots": true}, limit: readLimit}, &windows); err != nil {
		return err
	}
	return nil
}

// ErrFallback says that from now on the phone's own tools are used.
var ErrFallback = errors.New("the agent is given up")

// ensureHealthy makes sure, after something went wrong, that the agent works: it is started once more where it does
// not, or given up.
func (a *Agent) ensureHealthy(ctx context.Context) error {
	a.mu.Lock()
	sick := a.lastErr
	a.mu.Unlock()
	if sick == nil && a.Shell.HasEnded() {
		sick = errors.New("it ended: " + a.Shell.lastOutput())
	}
	if sick == nil {
		return nil
	}
	err := a.health(ctx)
	if err == nil {
		a.mark(nil)
		return nil
	}
	if ctx.Err() != nil {
		return a.Phone.Link.Fault(ctx, "ask the agent", ctx.Err())
	}
	state, asking := a.Phone.Link.State(ctx)
	away := asking != nil || state != drivers.Ready // the phone, which is not the agent's fault
	if away && !a.Phone.Link.Returns(ctx) {
		return cmp.Or(asking, err) // what became of the phone is why the agent is gone
	}
	if away || a.restarts < agentRestarts {
		if !away {
			a.restarts++
		}
		a.Phone.Log.Warn("starting the agent again", "error", sick)
		a.Shell.end()
		if _, err = a.start(ctx); err == nil {
			a.mark(nil)
			return nil
		}
		if ctx.Err() != nil {
			return err
		}
	}
	return a.giveUp(err)
}

// mark notes that something went wrong, or that all is well.
func (a *Agent) mark(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lastErr = err
}

// giveUp ends the agent for the rest of the lease.
func (a *Agent) giveUp(err error) error {
	a.Shell.end()
	serial := a.Phone.Link.Serial
	why := agentReason(serial, err)
	if a.Installer.Files.Mode == Require {
		return fmt.Errorf("device %s: %w: the agent stopped working, and TAPROOT_AGENT=require allows no other: %s",
			serial, drivers.ErrUnsupported, why)
	}
	a.switchTo(false, "The screen was read with the agent until it stopped working, from then on with uiautomator dump: "+
		why+".")
	a.Shell.stop(a.Phone.Life)
	return ErrFallback
}

// Running reports whether it reads and touches the screen now.
func (a *Agent) Running() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.up
}

// switchTo notes whether it reads the screen from now on, and the sentence that says so.
func (a *Agent) switchTo(up bool, reads string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.up, a.reads = up, reads
}

// Leave ends the agent; what still runs of it is stopped when the phone is restored.
func (a *Agent) Leave(ctx context.Context) {
	a.mu.Lock()
	up, session := a.up, a.session
	a.up = false
	a.mu.Unlock()
	if up {
		_ = Send(ctx, a.Phone.Link, Request{Method: "DELETE", Path: "/session/" + session, limit: Farewell}, nil)
	}
}
