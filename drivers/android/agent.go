package android

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
)

const (
	agentPackage = "io.appium.uiautomator2.server"
	agentTests   = "io.appium.uiautomator2.server.test"
	agentRunner  = agentTests + "/androidx.test.runner.AndroidJUnitRunner"

	stopAgentLine = "am force-stop " + agentPackage + "; am force-stop " + agentTests
	noStart       = "the agent could not be started: "
	signedApart   = "Permission Denial" // what am says of two packages with two certificates

	agentAPI         = 26 // the least Android that it runs on
	hiddenAPI        = 28 // the first that keeps apps from its own inner parts
	agentStartLimit  = 30 * time.Second
	agentStartPoll   = 100 * time.Millisecond
	agentRestarts    = 1
	agentDepth       = 200
	agentDepthLimit  = 500
	agentRivalPause  = 3 * time.Second
	agentFarewell    = 2 * time.Second
	agentOutputBytes = 64 << 10
)

// agentAccess reads and touches the screen through appium-uiautomator2-server, which runs on the phone while the device
// is open.
type agentAccess struct {
	phone     *phone
	input     *injector
	debts     *debts
	installer *agentInstaller
	shell     *agentShell
	shadow    toastTracker

	mu       sync.Mutex
	reads    string // the sentence that says what reads the screen
	up       bool   // it reads and touches the screen; false: the phone's own tools do
	session  string
	lastErr  error // what went wrong since it was last known to be well
	restarts int
	depth    int
	lastRead time.Time           // when the newest tree was complete
	census   census              // of the newest tree
	windows  map[int]windowPlace // on the screen of the newest tree
}

// ask makes a request within the session.
func (a *agentAccess) ask(ctx context.Context, q agentRequest, value any) error {
	a.mu.Lock()
	session := a.session
	a.mu.Unlock()
	q.path = "/session/" + session + "/" + q.path
	ctx, cancel := drivers.Bound(ctx, a.phone.life)
	defer cancel()
	err := request(ctx, a.phone.link, q, value)
	if e := new(agentError); errors.As(err, &e) {
		e.what = strings.Replace(e.what, "/session/"+session+"/", "", 1)
	}
	return err
}

// health: the shell that the agent was started from lives, and it returns what only a working UiAutomation can.
func (a *agentAccess) health(ctx context.Context) error {
	if a.shell.hasEnded() {
		return &agentError{serial: a.phone.link.serial, what: "anything",
			cause: errors.New("it has ended: " + a.shell.lastOutput())}
	}
	var windows []agentWindow
	if err := a.ask(ctx, agentRequest{method: "POST", path: "appium/list_windows", body: map[string]any{
		"skipScreenshots": true}, limit: readLimit}, &windows); err != nil {
		return err
	}
	return nil
}

// errFallback says that from now on the phone's own tools are used.
var errFallback = errors.New("the agent is given up")

// ensureHealthy makes sure, after something went wrong, that the agent works: it is started once more where it does
// not, or given up.
func (a *agentAccess) ensureHealthy(ctx context.Context) error {
	a.mu.Lock()
	sick := a.lastErr
	a.mu.Unlock()
	if sick == nil && a.shell.hasEnded() {
		sick = errors.New("it ended: " + a.shell.lastOutput())
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
		return a.phone.link.fault(ctx, "ask the agent", ctx.Err())
	}
	state, asking := a.phone.link.state(ctx)
	away := asking != nil || state != drivers.Ready // the phone, which is not the agent's fault
	if away && !a.phone.link.returns(ctx) {
		return cmp.Or(asking, err) // what became of the phone is why the agent is gone
	}
	if away || a.restarts < agentRestarts {
		if !away {
			a.restarts++
		}
		a.phone.log.Warn("starting the agent again", "error", sick)
		a.shell.end()
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
func (a *agentAccess) mark(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.lastErr = err
}

// giveUp ends the agent for the rest of the lease.
func (a *agentAccess) giveUp(err error) error {
	a.shell.end()
	serial := a.phone.link.serial
	why := agentReason(serial, err)
	if a.installer.files.mode == AgentRequire {
		return fmt.Errorf("device %s: %w: the agent stopped working, and TAPROOT_AGENT=require allows no other: %s",
			serial, drivers.ErrUnsupported, why)
	}
	a.switchTo(false, "The screen was read with the agent until it stopped working, from then on with uiautomator dump: "+
		why+".")
	a.shell.stop(a.phone.life)
	return errFallback
}

// running reports whether it reads and touches the screen now.
func (a *agentAccess) running() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.up
}

// switchTo notes whether it reads the screen from now on, and the sentence that says so.
func (a *agentAccess) switchTo(up bool, reads string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.up, a.reads = up, reads
}

// leave ends the agent; what still runs of it is stopped when the phone is restored.
func (a *agentAccess) leave(ctx context.Context) {
	a.mu.Lock()
	up, session := a.up, a.session
	a.up = false
	a.mu.Unlock()
	if up {
		_ = request(ctx, a.phone.link, agentRequest{method: "DELETE", path: "/session/" + session, limit: agentFarewell}, nil)
	}
}
