package androidsim

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// The packages of the agent that a test may install: appium-uiautomator2-server, as it behaves.
const (
	AgentPackage     = "io.appium.uiautomator2.server"
	AgentTestPackage = "io.appium.uiautomator2.server.test"
	agentRunner      = AgentTestPackage + "/androidx.test.runner.AndroidJUnitRunner"

	agentPort  = 6790
	agentMJPEG = 7810
	agentAPI   = 26 // the least Android that it runs on
)

// AgentAPKs are the names and contents of package files that this phone takes for the agent's, in the version that is
// named.
func AgentAPKs(version string, code int) map[string]string {
	const certificate = "a40da80a"
	return map[string]string{
		"appium-uiautomator2-server-v" + version + ".apk":  AgentAPK(AgentPackage, version, code, certificate),
		"appium-uiautomator2-server-debug-androidTest.apk": AgentAPK(AgentTestPackage, "", 0, certificate),
	}
}

// AgentAPK is a package file of one of the agent's packages, signed with a certificate.
func AgentAPK(name, version string, code int, certificate string) string {
	return fmt.Sprintf("PK\x03\x04\npackage=%s\nversionName=%s\nversionCode=%d\ncertificate=%s\nminSdk=%d\n", name,
		version, code, certificate, agentAPI)
}

// agentRun is the agent's process.
type agentRun struct {
	phone    *Phone
	pid      int
	version  string
	code     int
	conns    *pipeListener
	web      *http.Server
	ended    chan struct{}
	end      func()
	suspends bool // the user's accessibility services
	calmly   bool // it was asked to leave

	mu       sync.Mutex
	owns     bool // it has the phone's one UiAutomation
	orphan   bool // the shell that started it is gone
	stuck    bool // it does not respond any more
	session  string
	made     int
	settings map[string]any
	elements map[string]foundElement
	lastRead uint32     // the foreground activity at its last read
	slow     sync.Mutex // one source at a time
}

// amInstrument runs the agent until it ends; nothing else can be instrumented here.
func amInstrument(c *call, args []string) int {
	name, extras, wait := "", map[string]string{}, false
	for ; len(args) > 0; args = args[1:] {
		switch a := args[0]; {
		case a == "-e" && len(args) > 2:
			extras[args[1]], args = args[2], args[2:]
		case a == "-w":
			wait = true
		case a == "--user" && len(args) > 1:
			args = args[1:]
		case a == "--no-hidden-api-checks" && c.phone.prof.api < 28, strings.HasPrefix(a, "--no-") && c.phone.opts.PlainAm:
			return c.fail(1, "Error: Unknown option: %s", a)
		case strings.Contains(a, "/"):
			name = a
		}
	}
	pkg, class, _ := strings.Cut(name, "/")
	failed := func(why string) int {
		c.printf("INSTRUMENTATION_STATUS: id=ActivityManagerService\nINSTRUMENTATION_STATUS: Error=%s\n"+
			"INSTRUMENTATION_STATUS_CODE: -1\n", why)
		return c.fail(1, "android.util.AndroidException: INSTRUMENTATION_FAILED: %s/%s", pkg, class)
	}
	p := c.phone
	p.mu.Lock()
	server, test := p.packages[AgentPackage], p.packages[AgentTestPackage]
	p.mu.Unlock()
	switch {
	case name != agentRunner || test == nil || server == nil:
		return failed(fmt.Sprintf("Unable to find instrumentation info for: ComponentInfo{%s/%s}", pkg, class))
	case server.signed != test.signed:
		return failed("Permission Denial: starting instrumentation ComponentInfo{" + name +
			"} from pid=0, uid=0 not allowed because package " +
			AgentTestPackage + " does not have a signature matching the target " + AgentPackage)
	case !wait:
		return c.fail(1, "only am instrument -w is simulated")
	}
	a := p.startAgent(c.ctx, server, extras["DISABLE_SUPPRESS_ACCESSIBILITY_SERVICES"] != "true")
	if a == nil {
		c.printf("INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n")
		return 0
	}
	select {
	case <-a.ended:
	case <-c.ctx.Done():
		a.lostShell()
		return 128 + signalOf(c.ctx)
	}
	if a.calmly {
		c.printf("\nTime: 12.3\n\nOK (1 test)\n\n\nINSTRUMENTATION_CODE: -1\n")
	} else {
		c.printf("INSTRUMENTATION_RESULT: shortMsg=Process crashed.\nINSTRUMENTATION_CODE: 0\n")
	}
	return 0
}

// startAgent starts a process; one that runs already is force-stopped, and one with a taken port dies. nil: it did
// not live.
func (p *Phone) startAgent(ctx context.Context, of *installed, suspends bool) *agentRun {
	p.mu.Lock()
	old := p.agent
	p.mu.Unlock()
	if old != nil {
		old.end()
		<-old.gone()
	}
	if !pause(ctx, p.opts.Latency.AgentStart) || p.agentFaults.stolen() {
		return nil
	}
	a := &agentRun{phone: p, pid: p.procs.pid(), version: of.version, code: of.code, conns: newPipeListener(),
		ended: make(chan struct{}), suspends: suspends,
		settings: agentDefaults(), elements: map[string]foundElement{}}
	a.end = sync.OnceFunc(func() { close(a.ended) })
	a.web = &http.Server{Handler: a.routes(), IdleTimeout: p.opts.AgentIdle}
	a.owns = p.setDumping(true)
	p.procs.add(&process{pid: a.pid, ppid: 512, user: "u0_a199", name: AgentPackage, args: AgentPackage})
	p.mu.Lock()
	p.agent = a
	p.mu.Unlock()
	p.work.run(func() { _ = a.web.Serve(a.conns) })
	p.work.run(a.watch)
	return a
}

// watch cleans up when the process ends.
func (a *agentRun) watch() {
	select {
	case <-a.ended:
	case <-a.phone.ctx.Done():
		a.end()
	}
	_ = a.web.Close()
	a.conns.Close()
	p := a.phone
	p.procs.remove(a.pid)
	p.mu.Lock()
	defer p.mu.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.owns {
		p.dumping, a.owns = false, false
	}
	if p.agent == a {
		p.agent = nil
	}
	a.conns.markGone()
}

func (a *agentRun) gone() <-chan struct{} { return a.conns.gone }

// lostShell: the am process was what UiAutomation went through.
func (a *agentRun) lostShell() {
	p := a.phone
	p.mu.Lock()
	defer p.mu.Unlock()
	a.mu.Lock()
	defer a.mu.Unlock()
	a.orphan = true
	if a.owns {
		p.dumping, a.owns = false, false
	}
}

// agentHolds reports whether a running agent has the place for an automation service.
func (p *Phone) agentHolds() bool {
	p.mu.Lock()
	a := p.agent
	p.mu.Unlock()
	return a != nil && a.works()
}

// works reports whether it can read and touch.
func (a *agentRun) works() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.owns && !a.orphan
}

// stopAgent ends the agent when one of its packages is stopped. Phone.mu is held.
func (p *Phone) stopAgent(pkg string) {
	if p.agent != nil && (pkg == AgentPackage || pkg == AgentTestPackage) {
		p.agent.end()
	}
}

// tcpService is a port of the phone: only the agent listens.
func (p *Phone) tcpService(port string) (serviceFunc, bool) {
	if p.agentFaults.stolen() && port == fmt.Sprint(agentPort) {
		return strangersPort, true
	}
	p.mu.Lock()
	a := p.agent
	p.mu.Unlock()
	if a == nil {
		return nil, false
	}
	select {
	case <-a.ended:
		return nil, false
	default:
	}
	switch port {
	case fmt.Sprint(agentPort):
		return a.serve, true
	case fmt.Sprint(agentMJPEG):
		return a.streamImages, true
	}
	return nil, false
}

// strangersPort is what another program says that listens there.
func strangersPort(_ context.Context, s session) {
	buf := make([]byte, 4096)
	if _, err := s.Read(buf); err == nil {
		_, _ = io.WriteString(s,
			"HTTP/1.1 404 Not Found\r\nContent-Type: text/html\r\nContent-Length: 9\r\nConnection: close\r\n\r\nNot Found")
	}
}

// serve carries one connection to the HTTP server.
func (a *agentRun) serve(ctx context.Context, s session) {
	ours, theirs := net.Pipe()
	defer context.AfterFunc(ctx, func() { ours.Close() })()
	if !a.conns.push(theirs) {
		return
	}
	go func() {
		_, _ = io.Copy(ours, s)
		ours.Close()
	}()
	_, _ = io.Copy(s, ours)
	ours.Close()
}

// pipeListener provides an http.Server with the connections that services push.
type pipeListener struct {
	next   chan net.Conn
	closed chan struct{}
	gone   chan struct{}
	once   sync.Once
	left   sync.Once
}

func newPipeListener() *pipeListener {
	return &pipeListener{next: make(chan net.Conn), closed: make(chan struct{}), gone: make(chan struct{})}
}

func (l *pipeListener) markGone() { l.left.Do(func() { close(l.gone) }) }

func (l *pipeListener) push(c net.Conn) bool {
	select {
	case l.next <- c:
		return true
	case <-l.closed:
		return false
	}
}

// Accept returns the next connection.
func (l *pipeListener) Accept() (net.Conn, error) {
	select {
	case c := <-l.next:
		return c, nil
	case <-l.closed:
		return nil, net.ErrClosed
	}
}

// Close ends Accept.
func (l *pipeListener) Close() error {
	l.once.Do(func() { close(l.closed) })
	return nil
}

// Addr is nowhere.
func (l *pipeListener) Addr() net.Addr { return &net.TCPAddr{IP: net.IPv6zero, Port: agentPort} }

// AgentListens reports whether the agent's ports can be reached.
func (p *Phone) AgentListens() bool {
	_, ok := p.tcpService(fmt.Sprint(agentPort))
	return ok
}

// KillAgent ends the agent's process, as a vendor's battery saver does.
func (p *Phone) KillAgent() {
	p.mu.Lock()
	a := p.agent
	p.mu.Unlock()
	if a != nil {
		a.end()
		<-a.gone()
	}
}

// KillAgentShell ends the shell that the agent was started from, and leaves the agent alone.
func (p *Phone) KillAgentShell() {
	for _, pr := range p.procs.list() {
		if pr.kill != nil && strings.Contains(pr.args, "am instrument") && !slices.Contains([]string{"sh"}, pr.name) {
			pr.kill(sigKILL)
		}
	}
}

// HoldAutomation takes the one place for an automation service, as another tool does, or releases it. It is false
// when it is taken.
func (p *Phone) HoldAutomation(on bool) bool { return p.setDumping(on) }

// AgentSuspends reports whether the agent that runs keeps the user's accessibility services off.
func (p *Phone) AgentSuspends() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.agent != nil && p.agent.suspends
}

// HangApp makes an app stop answering: its windows are there and have no elements.
func (p *Phone) HangApp(pkg string, hung bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.hung == nil {
		p.hung = map[string]bool{}
	}
	p.hung[pkg] = hung
}

// agentHungFor is how long the agent waits for the elements of a window of an app that hangs, when it waits at all.
const agentHungFor = 200 * time.Millisecond
