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
	d      *Device
	mode   AgentMode
	shadow toastTracker

	mu       sync.Mutex
	session  string
	ended    chan struct{} // closed when the shell that it runs in has ended
	output   *capped       // what that shell printed
	proc     *process
	lastErr  error // what went wrong since it was last known to be well
	restarts int
	depth    int
	plain    bool                // this phone's am knows none of the options that can be left out
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
	ctx, cancel := drivers.Bound(ctx, a.d.life)
	defer cancel()
	err := a.d.link.ask(ctx, q, value)
	if e := new(agentError); errors.As(err, &e) {
		e.what = strings.Replace(e.what, "/session/"+session+"/", "", 1)
	}
	return err
}

// health: the shell that the agent was started from lives, and it returns what only a working UiAutomation can.
func (a *agentAccess) health(ctx context.Context) error {
	select {
	case <-a.ended:
		return &agentError{serial: a.d.link.serial, what: "anything", cause: errors.New("it has ended: " + a.lastOutput())}
	default:
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
	select {
	case <-a.ended:
		if sick == nil {
			sick = errors.New("it ended: " + a.lastOutput())
		}
	default:
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
		return a.d.link.fault(ctx, "ask the agent", ctx.Err())
	}
	state, asking := a.d.link.state(ctx)
	away := asking != nil || state != drivers.Ready // the phone, which is not the agent's fault
	if away && !a.d.link.returns(ctx) {
		return cmp.Or(asking, err) // what became of the phone is why the agent is gone
	}
	if away || a.restarts < agentRestarts {
		if !away {
			a.restarts++
		}
		a.d.log.Warn("starting the agent again", "error", sick)
		a.end()
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
	d := a.d
	a.end()
	why := agentReason(d.link.serial, err)
	if a.mode == AgentRequire {
		return fmt.Errorf("device %s: %w: the agent stopped working, and TAPROOT_AGENT=require allows no other: %s",
			d.link.serial, drivers.ErrUnsupported, why)
	}
	d.mu.Lock()
	d.agent = nil
	d.reads = "The screen was read with the agent until it stopped working, from then on with uiautomator dump: " +
		why + "."
	d.mu.Unlock()
	d.stopAgent(d.life)
	return errFallback
}

// stopAgent ends what runs of the agent. It is tried again when the device is closed.
func (d *Device) stopAgent(ctx context.Context) {
	if _, err := d.run(ctx, command{name: "stop the agent", line: stopAgentLine}); err != nil {
		d.log.Debug("the agent was not stopped yet", "error", err)
	}
}

// end closes the shell that the agent runs in, and waits for it.
func (a *agentAccess) end() {
	a.mu.Lock()
	p, ended := a.proc, a.ended
	a.proc = nil
	a.mu.Unlock()
	if p != nil {
		p.close()
		<-ended
	}
}

// leave ends the agent; what still runs of it is stopped when the phone is restored.
func (d *Device) leaveAgent(ctx context.Context) {
	d.mu.Lock()
	a := d.agent
	d.agent = nil
	d.mu.Unlock()
	if a == nil {
		return
	}
	a.mu.Lock()
	session := a.session
	a.mu.Unlock()
	_ = d.link.ask(ctx, agentRequest{method: "DELETE", path: "/session/" + session, limit: agentFarewell}, nil)
}
