package android

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/taproot-dev/taproot/drivers"
	"github.com/taproot-dev/taproot/drivers/screen"
)

// AgentMode says whether an agent on the phone reads and touches its screen.
type AgentMode string

// The modes: where it can be had, or an error, or never.
const (
	AgentAuto    AgentMode = "auto"
	AgentRequire AgentMode = "require"
	AgentOff     AgentMode = "off"
)

// ParseAgentMode reads a mode; "" is AgentAuto.
func ParseAgentMode(s string) (AgentMode, error) {
	switch m := AgentMode(s); m {
	case "":
		return AgentAuto, nil
	case AgentAuto, AgentRequire, AgentOff:
		return m, nil
	}
	return "", fmt.Errorf("agent mode %q: use auto, require or off", s)
}

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

// agentWay reads and touches the screen through appium-uiautomator2-server, which runs on the phone while the device is open.
type agentWay struct {
	d      *Device
	mode   AgentMode
	shadow toastShadow

	mu       sync.Mutex
	session  string
	ended    chan struct{} // closed when the shell that it runs in has ended
	said     *capped       // what that shell said
	proc     *process
	sick     error // what went wrong since it was last known to be well
	restarts int
	depth    int
	plain    bool      // this phone's am knows none of the options that can be left out
	looked   time.Time // when the newest tree was complete
	newest   *screen.Tree
}

// chooseWay starts the agent, where that is wanted and can be done, and notes in one sentence what reads the screen.
func (d *Device) chooseWay(ctx context.Context, o agentOptions) error {
	why, err := d.withoutAgent(o)
	if err == nil && why == "" {
		if err = d.startAgent(ctx, o); err == nil {
			return nil
		}
		if ctx.Err() == nil {
			o.refusals.note(d.link.serial, err)
		}
		if ctx.Err() != nil || errors.Is(err, drivers.ErrDeviceLost) && o.mode != AgentAuto {
			return err
		}
		why = noStart + agentReason(d.link.serial, err)
	}
	if o.mode == AgentRequire {
		if err == nil {
			err = fmt.Errorf("device %s: %w: TAPROOT_AGENT=require, but %s", d.link.serial, drivers.ErrUnsupported, why)
		}
		return err
	}
	d.readBy("The screen was read with uiautomator dump: " + why + ".")
	return nil
}

// readBy notes what reads the screen.
func (d *Device) readBy(sentence string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.reads = sentence
}

// ScreenReadBy says in a sentence what reads the screen and why.
func (d *Device) ScreenReadBy() string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.reads
}

// agentOptions are what the driver says about the agent.
type agentOptions struct {
	mode  AgentMode
	err   error                  // why the mode is none
	apks  func() (string, error) // the folder of its packages
	check func() error           // that they are what was published

	refusals *refusals
	patience time.Duration // with an installation; 0: the usual one
}

// refusals are the phones that did not let the agent be installed, and what they said: each test would wait for the same answer again.
type refusals struct {
	mu   sync.Mutex
	said map[string]string
}

// note keeps what a phone said about an installation.
func (r *refusals) note(serial string, err error) {
	if refused := new(installRefused); errors.As(err, &refused) {
		r.mu.Lock()
		defer r.mu.Unlock()
		if r.said == nil {
			r.said = map[string]string{}
		}
		r.said[serial] = agentReason(serial, err)
	}
}

func (r *refusals) of(serial string) string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.said[serial]
}

// agentReason is an error as the end of a sentence about a phone that is named already.
func agentReason(serial string, err error) string {
	return strings.TrimPrefix(firstLine(err.Error()), "device "+serial+": ")
}

// withoutAgent is why there is none, "" when one can be tried.
func (d *Device) withoutAgent(o agentOptions) (string, error) {
	switch {
	case o.err != nil:
		return "", o.err
	case o.mode == AgentOff:
		return "TAPROOT_AGENT is off", nil
	case d.info.APILevel < agentAPI:
		return "the agent needs Android 8.0", nil
	case o.mode == AgentAuto && overNetwork(d.link.serial):
		return "the phone is attached over the network, where the agent could be reached by anybody (TAPROOT_AGENT=require uses it all the same)", nil
	}
	if _, err := o.apks(); err != nil {
		return firstLine(err.Error()), nil
	}
	if said := o.refusals.of(d.link.serial); said != "" && o.mode == AgentAuto {
		return noStart + said, nil
	}
	return "", nil
}

// overNetwork tells whether a serial is an address other than this machine's.
func overNetwork(serial string) bool {
	if strings.Contains(serial, "._adb-tls-connect._tcp") || strings.Contains(serial, "._adb._tcp") {
		return true
	}
	host, _, err := net.SplitHostPort(serial)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return host != "localhost" && (ip == nil || !ip.IsLoopback())
}

// startAgent installs the agent where it is not there, starts it, and asks it for something real.
func (d *Device) startAgent(ctx context.Context, o agentOptions) error {
	dir, err := o.apks()
	if err != nil {
		return err
	}
	if err := d.installAgent(ctx, dir, o.check); err != nil {
		return err
	}
	if err := d.noteRestore(func(debts *restoreState) { debts.Agent = true }); err != nil {
		return err
	}
	a := &agentWay{d: d, mode: o.mode, depth: agentDepth}
	version, err := a.start(ctx)
	if err != nil && strings.Contains(err.Error(), signedApart) { // somebody has built one of the two
		if err = d.removeAgent(ctx); err == nil {
			err = d.installAgent(ctx, dir, o.check)
		}
		if err == nil {
			version, err = a.start(ctx)
		}
	}
	if err != nil {
		a.end()
		d.stopAgent(d.life) // it goes on without its shell, and would be there for everybody
		return err
	}
	d.mu.Lock()
	d.agent = a
	d.reads = "The screen was read with the agent appium-uiautomator2-server " + version + " on the phone."
	d.mu.Unlock()
	return nil
}

// start runs the agent's instrumentation, twice where another user of UiAutomation may have been in its way.
func (a *agentWay) start(ctx context.Context) (version string, err error) {
	d := a.d
	clear := stopAgentLine
	for try := range 2 {
		if _, err := d.run(ctx, command{name: "stop the agent", line: clear}); err != nil {
			return "", err
		}
		if version, err = a.startOnce(ctx); err == nil || ctx.Err() != nil || errors.Is(err, drivers.ErrDeviceLost) {
			return version, err
		}
		a.end()
		if try > 0 || strings.Contains(err.Error(), signedApart) {
			break
		}
		a.plain = strings.Contains(err.Error(), "Unknown option")
		clear = "pkill -9 -x uiautomator; " + clear
		pause := agentRivalPause
		if !answered(err, "session not created") {
			pause = agentStartPoll
		}
		if err := drivers.Pause(ctx, pause); err != nil {
			return "", d.link.fault(ctx, "start the agent", err)
		}
	}
	return "", err
}

// startOnce begins, waits until the agent says that it is ready, and makes sure that it is.
func (a *agentWay) startOnce(ctx context.Context) (string, error) {
	d := a.d
	line := "am instrument -w "
	if !a.plain {
		line += "--no-window-animation "
	}
	line += "-e DISABLE_SUPPRESS_ACCESSIBILITY_SERVICES true -e disableAnalytics true "
	if !a.plain && d.info.APILevel >= hiddenAPI {
		line += "--no-hidden-api-checks "
	}
	p, err := d.stream(ctx, command{name: "am instrument", line: line + agentRunner})
	if err != nil {
		return "", err
	}
	ended, said := make(chan struct{}), &capped{max: agentOutputBytes, quiet: true}
	a.mu.Lock()
	a.proc, a.ended, a.said, a.session = p, ended, said, ""
	a.mu.Unlock()
	if err := d.life.Go(func() {
		defer close(ended)
		_, _ = p.wait(said, said)
	}); err != nil {
		p.close()
		return "", err
	}
	version, err := a.awaitStatus(ctx)
	if err != nil {
		return "", err
	}
	return version, a.open(ctx)
}

// awaitStatus asks until the agent says that it is ready. That is not yet to say that it works.
func (a *agentWay) awaitStatus(ctx context.Context) (string, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, agentStartLimit, a.d.link.tooSlow("the start of the agent", agentStartLimit))
	defer cancel()
	for {
		var status struct {
			Ready bool
			Build struct{ Version string }
		}
		err := a.d.link.ask(ctx, asking{method: "GET", path: "/status"}, &status)
		if err == nil && status.Ready {
			return status.Build.Version, nil
		}
		select {
		case <-a.ended:
			return "", fmt.Errorf("device %s: the agent ended at once: %s", a.d.link.serial, a.lastWords())
		default:
		}
		if err := drivers.Pause(ctx, agentStartPoll); err != nil {
			return "", a.d.link.fault(ctx, "start the agent", err)
		}
	}
}

// lastWords are what the shell of the agent said.
func (a *agentWay) lastWords() string {
	for line := range strings.Lines(string(a.said.Bytes())) {
		line = strings.TrimSpace(line)
		for _, mark := range []string{"Error=", "shortMsg=", signedApart, "Unknown option"} {
			if i := strings.Index(line, mark); i >= 0 {
				return strings.TrimPrefix(strings.TrimPrefix(line[i:], "Error="), "shortMsg=")
			}
		}
	}
	return "it said nothing"
}

// open begins a session with settings of ours, reads back those that matter, and looks at the screen.
func (a *agentWay) open(ctx context.Context) error {
	settings := map[string]any{
		"waitForIdleTimeout": 0, "waitForSelectorTimeout": 0, "enableMultiWindows": true, "snapshotMaxDepth": a.depth,
		"shutdownOnPowerDisconnect": false, "wakeLockTimeout": 0,
	}
	made := ""
	body := map[string]any{"capabilities": map[string]any{"firstMatch": []any{settings}, "alwaysMatch": map[string]any{}}}
	if err := a.d.link.ask(ctx, asking{method: "POST", path: "/session", body: body, limit: touchLimit, session: &made}, nil); err != nil {
		return err
	}
	if made == "" {
		return fmt.Errorf("device %s: the agent gave a session no name", a.d.link.serial)
	}
	a.mu.Lock()
	a.session = made
	a.mu.Unlock()
	if err := a.keeps(ctx, map[string]any{"waitForIdleTimeout": 0.0, "enableMultiWindows": true, "snapshotMaxDepth": float64(a.depth)}); err != nil {
		return err
	}
	return a.health(ctx)
}

// keeps reads settings back: what the agent does not know or finds out of range it passes over in silence.
func (a *agentWay) keeps(ctx context.Context, settings map[string]any) error {
	var kept map[string]any
	if err := a.ask(ctx, asking{method: "GET", path: "appium/settings"}, &kept); err != nil {
		return err
	}
	for name, want := range settings {
		if kept[name] != want {
			return fmt.Errorf("device %s: the agent does not keep the setting %s: %v instead of %v", a.d.link.serial, name, kept[name], want)
		}
	}
	return nil
}

// ask makes a request within the session.
func (a *agentWay) ask(ctx context.Context, q asking, value any) error {
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

// health: the shell that the agent was started from lives, and it gives what only a working UiAutomation can.
func (a *agentWay) health(ctx context.Context) error {
	select {
	case <-a.ended:
		return &agentError{serial: a.d.link.serial, what: "anything", cause: errors.New("it has ended: " + a.lastWords())}
	default:
	}
	var windows []agentWindow
	if err := a.ask(ctx, asking{method: "POST", path: "appium/list_windows", body: map[string]any{"skipScreenshots": true}, limit: lookLimit}, &windows); err != nil {
		return err
	}
	return nil
}

// errFallback says that from now on the phone's own tools are used.
var errFallback = errors.New("the agent is given up")

// well makes sure, after something went wrong, that the agent works: it is started once more where it does not, or given up.
func (a *agentWay) well(ctx context.Context) error {
	a.mu.Lock()
	sick := a.sick
	a.mu.Unlock()
	select {
	case <-a.ended:
		if sick == nil {
			sick = errors.New("it ended: " + a.lastWords())
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
	if state, asking := a.d.link.state(ctx); asking != nil || state != drivers.Ready {
		return errors.Join(asking, err) // the phone is away, which is not the agent's fault
	}
	if a.restarts < agentRestarts {
		a.restarts++
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
func (a *agentWay) mark(err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.sick = err
}

// giveUp ends the agent for the rest of the lease.
func (a *agentWay) giveUp(err error) error {
	d := a.d
	a.end()
	why := agentReason(d.link.serial, err)
	if a.mode == AgentRequire {
		return fmt.Errorf("device %s: %w: the agent stopped working, and TAPROOT_AGENT=require allows no other: %s", d.link.serial, drivers.ErrUnsupported, why)
	}
	d.mu.Lock()
	d.agent = nil
	d.reads = "The screen was read with the agent until it stopped working, from then on with uiautomator dump: " + why + "."
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
func (a *agentWay) end() {
	a.mu.Lock()
	p, ended := a.proc, a.ended
	a.proc = nil
	a.mu.Unlock()
	if p != nil {
		p.close()
		<-ended
	}
}

// leave tells the agent to end; what then still runs of it is stopped by the debts.
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
	_ = d.link.ask(ctx, asking{method: "DELETE", path: "/session/" + session, limit: agentFarewell}, nil)
}

// agentAPKs finds the agent's two packages in a folder.
func agentAPKs(dir string) (server, tests, version string, err error) {
	list, err := os.ReadDir(dir)
	if err != nil {
		return "", "", "", err
	}
	for _, f := range list {
		name := f.Name()
		if v, ok := strings.CutPrefix(name, "appium-uiautomator2-server-v"); ok && strings.HasSuffix(v, ".apk") {
			server, version = name, strings.TrimSuffix(v, ".apk")
		}
		if strings.HasPrefix(name, "appium-uiautomator2-server") && strings.HasSuffix(name, "androidTest.apk") {
			tests = name
		}
	}
	if server == "" || tests == "" {
		return "", "", "", fmt.Errorf("%s does not hold appium-uiautomator2-server-v….apk and appium-uiautomator2-server-debug-androidTest.apk", dir)
	}
	return server, tests, version, nil
}
